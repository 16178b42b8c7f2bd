package evidence

import (
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/source"
)

// Defaults and bounds of a criterion.
const (
	defaultAttempts = 3
	maxAttempts     = 1000
	maxTests        = 1_000_000_000
)

var criterionID = lazily(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$`)

const criterionIDWords = "1 to 64 letters, digits or . _ : / -, of which the first is a letter or digit"

// readCriteria reads acceptance_criteria. The list may be empty: the join of all contracts decides whether that is
// enough.
func readCriteria(f *fields) []Criterion {
	const key = "acceptance_criteria"
	var list []Criterion
	for i, n := range f.list(key) {
		c := Criterion{Pos: n.pos, ID: "c" + strconv.Itoa(i+1), Cwd: ".", MaxAttempts: defaultAttempts}
		where := f.pointer(key) + "/" + strconv.Itoa(i)
		switch n.kind {
		case kindString:
			c.Run = splitCriterion(f, n, where)
		case kindObject:
			readCriterion(object(n, where, f.errs), &c)
		default:
			f.add(n, where, "a criterion must be a command or an object", "a string, or an object with run", "correct the value")
		}
		list = append(list, c)
	}
	checkCriteria(list, f)
	return list
}

func splitCriterion(f *fields, n *node, where string) []string {
	if strings.Contains(n.text, "\x00") {
		f.add(n, where, "the command holds a NUL character", "a command without it", noNUL)
		return nil
	}
	argv, problem := SplitCommand(n.text)
	if problem == nil {
		return argv
	}
	e := *problem
	e.Pos, e.Where = n.pos, where
	f.errs.Add(e)
	return nil
}

const noNUL = "remove it: no program can be called with one"

func readCriterion(f *fields, c *Criterion) {
	if id := f.matching("id", criterionID, criterionIDWords); id.Value != "" {
		c.ID, c.IDGiven = id.Value, true
	}
	c.Run = readArgv(f)
	c.Cwd = readCwd(f)
	expect := f.oneOf("expect", "pass", "fail")
	c.ExpectFail, c.Given.Expect = expect == "fail", expect != ""
	c.Proves = readProves(f, c.ExpectFail)
	c.MinEvidence = f.level("min_evidence")
	if attempts := f.integer("max_attempts", 1, maxAttempts); attempts != nil {
		c.MaxAttempts, c.Given.MaxAttempts = *attempts, true
	}
	readTestReport(f, c)
	f.end()
}

// readArgv reads the command of a criterion. Words may be empty, but the first one names a program.
func readArgv(f *fields) []string {
	var argv []string
	for i, n := range f.filled(f.need("run", "a list of words"), "run", `name the program and its arguments, such as ["go", "test", "./..."]`) {
		where := f.pointer("run") + "/" + strconv.Itoa(i)
		switch {
		case n.kind != kindString:
			f.add(n, where, "a word of the command must be a string", "a string", "put it into quotes")
		case strings.Contains(n.text, "\x00"):
			f.add(n, where, "a word of the command holds a NUL character", "a string without it", noNUL)
		case i == 0 && strings.TrimSpace(n.text) == "":
			f.add(n, where, "the command names no program", "a string that is not blank", "write the program's name first")
		default:
			argv = append(argv, n.text)
		}
	}
	return argv
}

func readCwd(f *fields) string {
	t := f.text("cwd")
	if t.Value == "" {
		return "."
	}
	cwd, ok := NormalCwd(t.Value)
	if !ok {
		f.errs.Add(source.Error{
			Pos: t.Pos, Where: f.pointer("cwd"), Message: "the folder " + quote(t.Value) + " does not lie in the repository", Found: quote(t.Value),
			Expected: "a folder relative to the repository's root, such as web", Fix: "remove the leading slash and every ..",
		})
		return "."
	}
	return cwd
}

// readProves reads the id that a negative control belongs to. Only a control has one.
func readProves(f *fields, control bool) Text {
	t := f.matching("proves", criterionID, "the id of a criterion")
	if t.Value != "" && !control {
		f.errs.Add(source.Error{
			Pos: t.Pos, Where: f.pointer("proves"), Message: "only a negative control proves another criterion", Found: quote(t.Value),
			Expected: `"proves" beside "expect": "fail"`, Fix: `add "expect": "fail", or remove "proves"`,
		})
	}
	return t
}

func readTestReport(f *fields, c *Criterion) {
	c.TestReport = f.path("test_report")
	least := f.integer("min_tests", 1, maxTests)
	switch {
	case least != nil && f.node.member("test_report") == nil:
		f.add(f.node.member("min_tests"), f.pointer("min_tests"), `"min_tests" needs a test report to count in`, `"test_report" beside "min_tests"`,
			`add "test_report": the path that the command writes its report to`)
	case least != nil:
		c.MinTests, c.Given.MinTests = *least, true
	case c.TestReport != "":
		c.MinTests = 1
	}
}

// checkCriteria reports what no single criterion shows: ids that are used twice, commands that would have to pass and
// fail, controls that prove a control.
func checkCriteria(list []Criterion, f *fields) {
	ids := map[string]Criterion{}
	commands := map[string]Criterion{}
	for _, c := range list {
		if first, twice := ids[c.ID]; twice {
			f.errs.Add(sameID(first, c, f))
		} else {
			ids[c.ID] = c
		}
		command := strings.Join(append([]string{c.Cwd}, c.Run...), "\x00") // a word cannot hold NUL
		if first, twice := commands[command]; !twice {
			commands[command] = c
		} else if len(c.Run) > 0 && first.ExpectFail != c.ExpectFail {
			f.errs.Add(bothWays(first, c, f))
		}
	}
	for _, c := range list {
		checkProves(ids, c, f)
	}
}

func sameID(first, second Criterion, f *fields) source.Error {
	return source.Error{
		Pos: second.Pos, Where: f.pointer("acceptance_criteria"), Message: "two criteria have the id " + quote(second.ID),
		Found:    quote(second.ID) + " again",
		Expected: "each id once (the first is in line " + itoa(first.Pos.Line) + "; without an id the position counts: c1, c2, …)",
		Fix:      "give one of them another id",
	}
}

func bothWays(first, second Criterion, f *fields) source.Error {
	return source.Error{
		Pos: second.Pos, Where: f.pointer("acceptance_criteria"), Message: "the same command must both pass and fail",
		Found:    quote(strings.Join(second.Run, " ")),
		Expected: "another command or folder than in line " + itoa(first.Pos.Line),
		Fix:      "let the negative control run a command of its own",
	}
}

// checkProves reports a control that proves itself or another control. An id that this contract does not hold may be
// one of another contract: the join looks.
func checkProves(ids map[string]Criterion, c Criterion, f *fields) {
	proven, here := ids[c.Proves.Value]
	if !c.ExpectFail || !here || !proven.ExpectFail {
		return
	}
	f.errs.Add(source.Error{
		Pos: c.Proves.Pos, Where: f.pointer("acceptance_criteria"), Message: "a negative control must prove a criterion that has to pass",
		Found: quote(c.Proves.Value) + ", which is a negative control", Expected: `the id of a criterion with "expect": "pass"`,
		Fix: "name the criterion that the control belongs to",
	})
}
