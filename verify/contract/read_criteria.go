package contract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// Defaults and limits of a criterion.
const (
	defaultAttempts = 3
	maxAttempts     = 1000
	maxTests        = 1_000_000_000
	maxUnknown      = 8 // exit codes in unknown_exit
)

var criterionID = input.Lazily(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$`)

const criterionIDWords = "1 to 64 letters, digits or . _ : / -, starting with a letter or digit"

// readCriteria reads acceptance_criteria. The list may be empty: the join of all contracts decides whether that is enough.
func readCriteria(f *input.Fields) []Criterion {
	const key = "acceptance_criteria"
	var list []Criterion
	for i, n := range criteriaItems(f, key) {
		c := Criterion{Pos: n.Pos, ID: "c" + strconv.Itoa(i+1), Cwd: ".", MaxAttempts: defaultAttempts}
		where := f.Pointer(key) + "/" + strconv.Itoa(i)
		switch n.Kind {
		case input.KindString:
			argv, problem := SplitCommand(n.Text)
			switch {
			case strings.Contains(n.Text, "\x00"):
				f.Add(n, where, "the command contains a NUL character", "a command without it", noNUL)
			case problem != nil:
				problem.Pos, problem.Where = n.Pos, where
				if argv := argvOf(n.Text); argv != "" {
					problem.Fix = `write {"run": ` + argv + `} to run it in a shell, or quote what is meant literally`
				}
				f.Errs.Add(*problem)
			default:
				c.Run = argv
			}
		case input.KindObject:
			readCriterion(input.Object(n, where, f.Errs), &c)
		default:
			f.Add(n, where, "a criterion must be a command or an object", "a string, or an object with run", `write a command, or {"run": ["go", "test", "./..."]}`)
		}
		list = append(list, c)
	}
	checkCriteria(list, f)
	return list
}

// criteriaItems returns the items of acceptance_criteria. One criterion without a list is an error that shows the list.
func criteriaItems(f *input.Fields, key string) []*input.Node {
	n := f.Get(key)
	if n == nil || n.Kind != input.KindObject || n.Member("run") != nil || len(n.Members) == 0 {
		return f.ListOf(n, key)
	}
	// A mapping from ids to criteria.
	first := n.Members[0]
	f.WrongFix(n, key, "a list", "write a list of criteria, each with its id: - id: "+first.Key+", or {"+`"id": `+input.QuoteJSON(first.Key)+", …}")
	return nil
}

const noNUL = "remove it: programs cannot be called with one"

func readCriterion(f *input.Fields, c *Criterion) {
	if id := matching(f, "id", criterionID, criterionIDWords); id.Value != "" {
		c.ID, c.IDGiven = id.Value, true
	}
	c.Run = readArgv(f)
	c.Cwd = readCwd(f)
	expect := f.OneOf("expect", "pass", "fail")
	c.ExpectFail, c.Given.Expect = expect == "fail", expect != ""
	c.Proves = matching(f, "proves", criterionID, "the id of a criterion")
	if c.Proves.Value != "" && !c.ExpectFail {
		f.Errs.Add(input.Error{
			Pos: c.Proves.Pos, Where: f.Pointer("proves"), Message: "only a negative control proves another criterion", Found: input.Quote(c.Proves.Value),
			Expected: `"proves" next to "expect": "fail"`,
			Fix:      `write "expect": "fail", "proves": ` + input.QuoteJSON(c.Proves.Value) + `, or remove "proves"`,
		})
	}
	c.MinEvidence = level(f, "min_evidence")
	if attempts := f.Integer("max_attempts", 1, maxAttempts); attempts != nil {
		c.MaxAttempts, c.Given.MaxAttempts = *attempts, true
	}
	c.When = filledGlobs(f, f.Get("when"), "when", "name the files whose change requires the criterion, or remove the key")
	readUnknownExit(f, c)
	readTestReport(f, c)
	least := f.Integer("min_tests", 1, maxTests)
	switch {
	case least != nil && f.Node.Member("test_report") == nil:
		f.Add(f.Node.Member("min_tests"), f.Pointer("min_tests"), `"min_tests" requires a test report`, `"test_report" next to "min_tests"`,
			`add "test_report": the path of the report that the command writes`)
	case least != nil:
		c.MinTests, c.Given.MinTests = *least, true
	case c.TestReport != "":
		c.MinTests = 1
	}
	f.End()
}

// readTestReport reads test_report: a path, or an object with where the report comes from.
func readTestReport(f *input.Fields, c *Criterion) {
	const key = "test_report"
	n := f.Node.Member(key)
	if n == nil || n.Kind != input.KindObject {
		c.TestReport = literalPath(f, key)
		return
	}
	o := object(f, key)
	o.Need("path", "the path of the report")
	c.TestReport, c.ReportFrom = literalPath(o, "path"), o.NeedOneOf("from", FromStdout)
	o.End()
}

// readUnknownExit reads unknown_exit. 0 and 1 are how commands say that they know; 126 and above mean that they did not end by
// themselves.
func readUnknownExit(f *input.Fields, c *Criterion) {
	const key = "unknown_exit"
	n := f.Get(key)
	items := filled(f, n, key, "name an exit code, such as 75, or remove the key")
	if len(items) > maxUnknown {
		f.Add(n, f.Pointer(key), input.Quote(key)+" has too many exit codes", "at most "+strconv.Itoa(maxUnknown), "let the command use one code, such as 75")
		return
	}
	for _, item := range items {
		code := f.IntegerOf(item, key, 2, 125)
		switch {
		case code == nil:
		case slices.Contains(c.UnknownExit, *code):
			f.Add(item, f.Pointer(key), "the exit code "+item.Text+" is in "+input.Quote(key)+" twice", "each exit code once", "remove one of them")
		default:
			c.UnknownExit, c.Given.UnknownExit = append(c.UnknownExit, *code), n.Pos
		}
	}
}

// readArgv reads the command of a criterion. Words may be empty, except the first one, which names a program.
func readArgv(f *input.Fields) []string {
	n := f.Need("run", "a list of words")
	if n != nil && n.Kind == input.KindString {
		f.WrongFix(n, "run", "a list of words", runFix(f, n))
		return nil
	}
	items := filled(f, n, "run", `name the program and its arguments, such as ["go", "test", "./..."]`)
	var argv []string
	for i, n := range items {
		where := f.Pointer("run") + "/" + strconv.Itoa(i)
		switch {
		case n.Kind != input.KindString:
			f.Add(n, where, "a word of the command must be a string", "a string", cmp.Or(input.TextFix(n), "write a text in quotes"))
		case strings.Contains(n.Text, "\x00"):
			f.Add(n, where, "a word of the command contains a NUL character", "a string without it", noNUL)
		case i == 0 && strings.TrimSpace(n.Text) == "":
			f.Add(n, where, "the command names no program", "a string that is not blank", "write the name of the program first")
		case len(items) == 1 && isLine(n.Text):
			f.Add(n, where, "the name of the program is a whole command", "one word for each item", cmp.Or("write "+argvOf(n.Text), "write each word as an item"))
		default:
			argv = append(argv, n.Text)
		}
	}
	return argv
}

// runFix shows how to write the command line n as a list; "" when that is not known.
func runFix(f *input.Fields, n *input.Node) string {
	argv := argvOf(n.Text)
	if argv == "" {
		return "write each word of the command as an item of a list"
	}
	return "write " + f.Line("run", argv)
}

// isLine reports whether the only word of a command is a command with arguments. A path of a program may contain spaces.
func isLine(word string) bool {
	argv, problem := SplitCommand(word)
	return strings.Contains(word, " ") && (problem != nil || (len(argv) > 1 && !strings.Contains(argv[0], "/")))
}

func readCwd(f *input.Fields) string {
	t := f.Text("cwd")
	if t.Value == "" {
		return "."
	}
	cwd, ok := NormalCwd(t.Value)
	if !ok {
		f.Errs.Add(input.Error{
			Pos: t.Pos, Where: f.Pointer("cwd"), Message: "the directory " + input.Quote(t.Value) + " is not in the repository", Found: input.Quote(t.Value),
			Expected: "a directory relative to the root of the repository, such as web",
			Fix:      "write it relative to the root of the repository, without a slash at the beginning and without ..",
		})
		return "."
	}
	return cwd
}

// checkCriteria reports problems between criteria: duplicate ids, commands that must both pass and fail, controls that prove
// a control.
func checkCriteria(list []Criterion, f *input.Fields) {
	where := f.Pointer("acceptance_criteria")
	ids := map[string]Criterion{}
	commands := map[string]Criterion{}
	for _, c := range list {
		if first, twice := ids[c.ID]; !twice {
			ids[c.ID] = c
		} else {
			f.Errs.Add(input.Error{
				Pos: c.Pos, Where: where, Message: "two criteria have the id " + input.Quote(c.ID),
				Found:    input.Quote(c.ID) + " again",
				Expected: "each id once (the first is on line " + strconv.Itoa(first.Pos.Line) + "; without an id, the id is the position: c1, c2, …)",
				Fix:      "give one of them another id",
			})
		}
		command := strings.Join(append([]string{c.Cwd}, c.Run...), "\x00") // a word cannot contain NUL
		if first, twice := commands[command]; !twice {
			commands[command] = c
		} else if len(c.Run) > 0 && first.ExpectFail != c.ExpectFail {
			f.Errs.Add(input.Error{
				Pos: c.Pos, Where: where, Message: "the same command must both pass and fail",
				Found:    input.Quote(strings.Join(c.Run, " ")),
				Expected: "a command or directory that differs from line " + strconv.Itoa(first.Pos.Line),
				Fix:      "use a different command for the negative control",
			})
		}
	}
	for _, c := range list {
		// An id that is not in this contract may be in another one: the join checks that.
		if proven, here := ids[c.Proves.Value]; c.ExpectFail && here && proven.ExpectFail {
			f.Errs.Add(input.Error{
				Pos: c.Proves.Pos, Where: where, Message: "a negative control must prove a criterion that must pass",
				Found: input.Quote(c.Proves.Value) + ", which is a negative control", Expected: `the id of a criterion with "expect": "pass"`,
				Fix: "name the criterion that the control proves",
			})
		}
	}
}
