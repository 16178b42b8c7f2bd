package rules

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// Mark is a place that keeps tests from running.
type Mark struct {
	line     int
	header   bool // it belongs to the declaration of a test, not to its body
	disabled bool // the runner does not see the test at all
	// holds tells whether the condition that the mark itself has is met always; never for what is no mark.
	holds certainty
}

// skipWords are in every line that has a mark.
var skipWords = map[source.Lang]string{
	source.Go:         "Skip XIt PIt XDescribe PDescribe XContext PContext XWhen PWhen XSpecify PSpecify XEntry PEntry Pending",
	source.Python:     "kip xfail expectedFailure __test__ parametrize fixture",
	source.JavaScript: "skip xit xdescribe xtest xcontext xspecify todo fixme fail pending runIf .if( todoIf ignore .each",
	source.Rust:       "ignore cfg",
	source.Java:       "Disabled Ignore ExpectedToFail enabled assume abort SkipException TestAborted AssumptionViolated private static EnabledIf(",
	source.CSharp:     "Ignore Explicit Skip Inconclusive private",
	source.Ruby:       "xit xdescribe xcontext xspecify xscenario xfeature xexample skip pend omit if: unless:",
}

// marksOf finds all marks of a file.
func marksOf(f *source.File, named []skipper, names func() truths) []Mark {
	lang := plainLang(f.Lang)
	var marks []Mark
	lines := linesWith(f, f.Code, strings.Fields(skipWords[lang])...)
	for _, n := range lines {
		if m, found := markAt(lang, f, n, names); found {
			m.line = n
			marks = append(marks, m)
		}
	}
	for _, s := range named {
		if s.in != f && (s.unseen || has(f.Code, "\n"+s.name+" =", " "+s.name+" =", "class "+s.name, "interface "+s.name)) {
			continue // it has its own
		}
		for _, n := range linesWith(f, f.Code, s.name) {
			rest, found := bytes.CutPrefix(codeOn(f, n), []byte(skippers[lang].begin+s.name))
			if (found && !source.IsWord(at(rest, 0))) || (lang == source.JavaScript && callsOn(f, n, s.name)) {
				marks = append(marks, Mark{line: n, header: true, disabled: s.unseen, holds: always})
			}
		}
	}
	slices.SortStableFunc(marks, func(a, b Mark) int { return a.line - b.line })
	return marks
}

// shapes are the forms of marks in a language. What follows the first group of an expression is looked at by hand.
type shapes struct{ header, statement *regexp.Regexp }

func lazy(header, statement string) func() shapes {
	return sync.OnceValue(func() shapes { return shapes{regexp.MustCompile(header), regexp.MustCompile(statement)} })
}

// The functions that declare tests.
const (
	jsTests     = `(?:describe|it|test|suite|context|specify|bench)`
	ginkgoTests = `(?:It|Describe|DescribeTable|Context|Specify|When|Entry)`
	rubyTests   = `(?:it|describe|context|specify|scenario|feature|example|test)`
)

var shapesOf = map[source.Lang]func() shapes{
	source.Go: lazy(
		`(?:^|[^\w.])([XP]`+ginkgoTests+`)\(|^[^{]*\b`+ginkgoTests+`\(.*,\s*(Pending)\s*,`,
		`(?:^|[^\w.)])(?:\w+\.T\(\)|GinkgoT\(\)|t|b|f|tb|tt|st|ts)\.(Skip)\(|(?:^|[^\w.)])(?:c\.)?(Skip)\(\s*(?:$|[)"`+"`"+`])|\.(Skipf|SkipNow)\(`),
	source.Python: lazy(
		`^\s*@(?:\w+\.)*(skip|xfail|expectedFailure|skipif|skipIf|skipUnless|parametrize|fixture)\b`,
		`^\s*(?:return\s+)?(?:pytest\.|self\.|cls\.|unittest\.)?(skip|xfail|skipTest)\(|^\s*raise\s+(?:\w+\.)*(SkipTest|Skipped|skip\.Exception)\b|`+
			`^\s*pytestmark\s*(?::[^=]*)?\+?=.*\bmark\.(skip|xfail|skipif)\b|^\s*(__test__)\s*=\s*False`),
	source.JavaScript: lazy(
		`(?:^|[^\w.$])(x`+jsTests+`)(?:\.\w+)*\s*[(<`+"`"+`]|(?:^|[^\w.$])`+jsTests+`\s*(?:\.\w+)*\.\s*(skip|todo|fixme|failing|fails|skipIf|runIf|todoIf|if)\b|\.(each)(?:<[^()]*>)?\(\s*\[\s*\](?:\s*as\b[^()]*)?\s*\)|`+
			`\bDeno\.test\.(ignore)\(|\bDeno\.test\(.*\bignore:\s*(true)\b|`+
			`\b(?:skip|todo):\s*(true|['"`+"`"+`])`,
		`(?:^|[^\w.$])(?:this|ctx|context|t|testInfo)\.(skip)\(|(?:^|[^\w.$])(?:it|test)\.(skip|fixme|fail)\(\s*(?:\)|true\b)|^\s*(pending|skip)\(`),
	source.Rust: lazy(`#!?\[\s*(ignore|cfg|cfg_attr)\b`, `\x00(\x00)`),
	source.Java: lazy(
		`@(?:\[(?:[^]]*\s)?)?(?:\w+\.)*(Disabled|Ignored?|ExpectedToFail|EnabledIf|DisabledIf)\b|@Test\s*\([^)]*\b(enabled)\s*=|^[^=;]*\b(private|static)\s[^=;]*\w\s*\(`,
		`\b(assumeTrue|assumeFalse|assumeThat)\(|\bAssumptions\.(abort)\(|\bthrow\s+new\s+(?:\w+\.)*(SkipException|TestAbortedException|TestSkippedException|AssumptionViolatedException)\b`),
	source.CSharp: lazy(
		`^\s*\[(?:.*[,\s\[])?(Ignore|Explicit)(?:Attribute)?\s*[(\],]|\b(Skip)\s*=[^=]|\b(Explicit)\s*=\s*true\b|[(,]\s*(Ignore|IgnoreReason)\s*=\s*[@$"]|^[^=;]*\b(private)\s[^=;]*\w\s*\(`,
		`\bAssert\.(Ignore|Inconclusive|Skip|SkipWhen|SkipUnless)\(|\bSkip\.(If|IfNot|When|Unless)\(|\bthrow\s+new\s+(?:\w+\.)*(SkipException|IgnoreException|InconclusiveException|SkipTestException)\b`),
	source.Ruby: lazy(
		`^\s*(?:RSpec\.)?(x`+rubyTests+`)\b|^\s*(?:RSpec\.)?`+rubyTests+`\b.*(?:\b(skip|pending):\s*(?:true\b|["'])|[,\s](:skip|:pending)\b|[,\s](if: *(?:false|nil)|unless: *true)\b)|`+
			`^\s*(pending|skip)\b[\s(]+["'].*\bdo\b`,
		`^\s*(?:before\b[^{]*\{\s*)?(skip|pending|omit|pend)\b(?:\s*$|[\s(]+["':]|\s+(?:if|unless)\b|\()`),
}

// markAt tells what mark is on a line.
func markAt(lang source.Lang, f *source.File, n int, names func() truths) (m Mark, found bool) {
	line := f.CodeLine(n)
	shapes := shapesOf[lang]()
	for _, shape := range []*regexp.Regexp{shapes.header, shapes.statement} {
		if at, word := firstGroup(shape, line); at >= 0 {
			m = Mark{header: shape == shapes.header && !has(line, "#!"), disabled: isIn(word, " private static __test__ cfg fixture ")}
			if m.holds = markHolds(lang, f, n, at, word, shape == shapes.header, names); m.holds != notEver {
				return m, true
			}
		}
	}
	return m, false
}

// firstGroup is the end and the text of the group that matched.
func firstGroup(r *regexp.Regexp, line []byte) (end int, word string) {
	m := r.FindSubmatchIndex(line)
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			return m[i+1], string(line[m[i]:m[i+1]])
		}
	}
	return -1, ""
}

// markHolds tells whether a mark keeps its test from running; one without a condition always does. The mark ends at an
// offset of a line.
func markHolds(lang source.Lang, f *source.File, n, at int, word string, header bool, names func() truths) certainty {
	line, args := f.CodeLine(n), bracketed(f, f.Code, n, at)
	first, rest, _ := cutOutside(args, ",")
	if begins(strings.TrimSpace(first), `"`) { // JUnit 4 has a text before it
		first = firstArgument(rest)
	}
	name, value, named := namedArgument(first)
	before := bytes.TrimLeft(line, " \t")
	fold := func(expr string) certainty {
		if header {
			return foldCondition(expr, names())
		}
		return foldCondition(expr, nil)
	}
	switch {
	case isIn(word, " skipif skipIf todoIf If When SkipWhen assumeFalse "),
		header && word == "xfail" && strings.TrimSpace(value) != "" && (!named || name == "condition"):
		return fold(value)
	case isIn(word, " skipUnless runIf if IfNot Unless SkipUnless assumeTrue assumeThat "):
		return fold(value).not()
	case word == "parametrize":
		if strings.TrimRight(string(squeeze(nil, []byte(firstArgument(rest)))), ",") == "[]" {
			return always
		}
		return notEver
	case word == "enabled":
		value, _, _ = strings.Cut(string(bytes.TrimLeft(line[at:], " =")), ")")
		return fold(firstArgument(value)).not()
	case isIn(word, " EnabledIf DisabledIf "):
		holds := fold(strings.Trim(bracketed(f, f.Text, n, at), `"`) + "()")
		if word == "EnabledIf" {
			return holds.not()
		}
		return holds
	case isIn(word, " cfg cfg_attr "):
		raw := bracketed(f, f.Text, n, at) // what is asked for stands in texts
		if word == "cfg" {
			return foldCondition(raw, cfgs).not()
		}
		if condition, what, _ := cutOutside(raw, ","); has(what, "ignore") {
			return foldCondition(condition, cfgs)
		}
		return notEver
	case lang == source.Ruby && !header:
		return modifier(line)
	case lang == source.JavaScript && word == "skip" && begins(before, "skip(") && !has(f.Code, "{ skip", "{skip", ", skip }", ",skip}"):
		return notEver // not that of the context which Vitest hands to a test
	case lang == source.CSharp && header:
		if inBranch(f, n) {
			return unknown
		}
		if len(before) > 0 && before[0] != '[' && !begins(before, word) && word != "private" {
			return notEver // no attribute
		}
		if word == "Skip" {
			return skipReason(line, at, names)
		}
	case lang == source.JavaScript && header && isIn(word, " skip fixme fails failing todo "):
		switch m := jsChoice().FindSubmatch(line); {
		case m != nil && len(m[2]) > 0:
			return fold(string(m[1]))
		case m != nil:
			return fold(string(m[1])).not()
		case begins(before, "?", ":"):
			return unknown
		case begins(line[at:], ";"): // it only gets another name
			return notEver
		}
		next := strings.TrimLeft(args, " \t\r\n")
		next = next[:min(len(next), 200)]
		if begins(bytes.TrimLeft(line[at:], " \t"), "(") && next != "" && !strings.ContainsRune("\"'`(", rune(next[0])) &&
			!(source.IsWord(next[0]) && has(next, "=>")) && !has(next, "function") { // test.skip(name, () => …)
			return notEver // test.skip(condition, reason), or an option
		}
	}
	return always
}

// jsChoice matches what declares a test and skips it under a condition. Its groups are that, and what skips where it is
// met.
var jsChoice = input.Lazily(`[(=](.*)\? *` + jsTests + `(\.\w+)? *: *` + jsTests + `(?:\.\w+)? *[);]`)

// cfgs are conditions of Rust that are known where tests run: on some systems no project tests.
var cfgs = truths{"test": always, `target_os = "redox"`: notEver, `target_os = "haiku"`: notEver}

// namedArgument parts name=value of Python. A comparison has no name.
func namedArgument(arg string) (name, value string, named bool) {
	name, value, named = strings.Cut(arg, "=")
	if name = strings.TrimSpace(name); !named || name == "" || begins(value, "=") || firstWord([]byte(name)) != name {
		return "", arg, false
	}
	return name, value, true
}

// skipReason tells whether Skip = … skips: a text does, and a name whose value the file shows; with SkipWhen or
// SkipUnless it depends.
func skipReason(line []byte, at int, names func() truths) certainty {
	value := bytes.TrimLeft(line[at:], " \t=")
	switch {
	case has(line, "SkipWhen", "SkipUnless"), !has(line[:at], "(") && !begins(bytes.TrimLeft(line, " \t"), "Skip"):
		return unknown
	case begins(value, "null", `""`):
		return notEver
	case begins(value, `"`, "@", "$"), names()[constantText+firstWord(value)] == always:
		return always
	}
	return unknown
}

// modifier tells whether a statement of Ruby is under a condition behind it.
func modifier(line []byte) certainty {
	for _, word := range []string{" if ", " unless "} {
		if i := bytes.Index(line, []byte(word)); i >= 0 {
			return headTruth(line[i:], nil)
		}
	}
	return always
}

// bracketed is what stands in the brackets after an offset of a line of a text; they may end some lines later.
func bracketed(f *source.File, text []byte, n, at int) string {
	start := offsetOf(f, n) + at
	s := string(text[start:min(len(text), start+2*maxCondition)])
	trimmed := strings.TrimLeft(s, " \t\r\n")
	if trimmed == "" || (trimmed[0] != '(' && trimmed[0] != '[') {
		return ""
	}
	if end := closing(trimmed, 0); end > 0 {
		return trimmed[1:end]
	}
	return trimmed[1:]
}

// firstArgument is the first of some arguments.
func firstArgument(args string) string {
	first, _, _ := cutOutside(args, ",")
	return first
}

// offsetOf is where a line begins: a line is a part of the text, and ends where the text's memory ends.
func offsetOf(f *source.File, n int) int { return cap(f.Text) - cap(f.Line(n)) }

// skipper is a decorator, an annotation, an attribute or a function that a file declares, and that always skips.
type skipper struct {
	name   string
	in     *source.File
	unseen bool // it is declared in place of a function of the runner, and does nothing
}

// skippers match what declares one, by language: its name is the first group, or one behind the second. A use begins
// with a sign. A file that declares one has one of the words, which have bars between them.
var skippers = map[source.Lang]struct {
	words    string
	declared func() *regexp.Regexp
	begin    string
}{
	source.Python: {".skip|.xfail|.expectedFailure", input.Lazily(`(?m)^(\w+)\s*=\s*(?:pytest\.mark|mark|unittest)\.(skip|xfail|skipif|skipIf|skipUnless|expectedFailure)\b`), "@"},
	source.JavaScript: {runnerWords, input.Lazily(`(?m)(\w+) *= (?:true *\? *|false *\? *\w+ *: *)?(?:it|test|describe)\.(skip|todo|fixme)(?: *: *\w+)?[;\r\n]|` +
		`^(?:const|let|var) +(` + jsTests + `)\b[^=\n]*=\s*(?:async\s*)?(?:\([^()\n]*(?:\(\)[^()\n]*)*\)|\w+)` +
		`[^=\n]*=>\s*(?:\{\s*\}|undefined|null|void 0)|^function +(` + jsTests + `)\([^{}\n]*\{\s*\}`), ""},
	source.Java:   {"@interface|annotation class", input.Lazily(`@(?:\w+\.)*(?:Disabled|Ignore)\b[^;]{0,300}?(?:@interface|\bannotation class)\s+(\w+)`), "@"},
	source.CSharp: {"Skip", input.Lazily(`\bclass\s+(\w+?)(?:Attribute)?\s*:\s*\w*(?:Fact|Theory)(?:Attribute)?\s*\{[^{}]*(?:\{|=>)\s*(?:base\.|this\.)?(Skip)\s*=\s*["$@]`), "["},
}

// runnerWords are in every file of JavaScript that declares what skips, or a function in place of one of the runner.
var runnerWords = ".skip|.todo|.fixme|const  |let  |var  |function  " + func() (all string) {
	for name := range strings.FieldsSeq("it test describe suite context specify bench") {
		all += "|const " + name + "|let " + name + "|var " + name + "|function " + name
	}
	return all
}()

// skippersOf are those of the versions of the touched files of a language: all of a file by its path, and those that
// others may import, of which one is enough, by their names.
func (t *testTable) skippersOf(lang source.Lang, side func(*File) *source.File) map[string][]skipper {
	known := skippers[lang]
	all := map[string][]skipper{}
	for _, f := range t.files {
		v := side(f)
		if v == nil || plainLang(v.Lang) != lang || !has(v.Code, strings.Split(known.words, "|")...) {
			continue
		}
		for _, m := range known.declared().FindAllSubmatchIndex(v.Code, maxSearched) {
			if lang == source.Python && markHolds(lang, v, v.LineAt(m[2]), m[5]-m[2], string(v.Code[m[4]:m[5]]), true, func() truths { return nil }) != always {
				continue
			}
			for i := 2; i < len(m); i += 2 {
				if m[i] < 0 || i == 4 {
					continue
				}
				s := skipper{string(v.Code[m[i]:m[i+1]]), v, i > 4}
				all["/"+v.Path] = append(all["/"+v.Path], s)
				if !s.unseen {
					all[s.name] = []skipper{s}
				}
			}
		}
	}
	return all
}

// usedIn are those of the skippers whose names are words of a file.
func usedIn(f *source.File, named map[string][]skipper) (used []skipper) {
	if f == nil || len(named) == 0 {
		return nil
	}
	used = slices.Clone(named["/"+f.Path])
	seen := map[string]bool{}
	eachCodeWord(f, func(word []byte, _ int) {
		if list := named[string(word)]; len(list) > 0 && list[0].in != f && !seen[string(word)] {
			seen[string(word)] = true
			used = append(used, list[0])
		}
	})
	return used
}

// markAll tells of each test what keeps it from running, whatever the machine.
func (t *testTable) markAll() {
	head, base := func(f *File) *source.File { return f.Head }, func(f *File) *source.File { return f.Base }
	names := map[source.Lang][2]map[string][]skipper{}
	for lang := range skippers {
		names[lang] = [2]map[string][]skipper{t.skippersOf(lang, base), t.skippersOf(lang, head)}
	}
	for _, f := range t.files {
		named := names[plainLang(f.Lang())]
		markTests(f.Head, f.head, usedIn(f.Head, named[1]))
		for _, one := range f.head {
			if one.mark == 0 && (t.isIdle(one) || (one.moved && one.twin.in != one.in && runnerFinds(one.twin.in.Path) &&
				!runnerFinds(one.in.Path) && !t.renames(one.in) && !t.imports(place{one.in, one.Line}))) {
				one.mark, one.disabled = one.Line, true
			}
		}
		markShadowed(f)
		if slices.ContainsFunc(f.head, func(one *Test) bool { return one.mark > 0 }) ||
			slices.ContainsFunc(f.base, func(one *Test) bool { return one.moved || one.twin == nil }) {
			markTests(f.Base, f.base, usedIn(f.Base, named[0]))
		}
	}
}

// isIdle reports whether a test is of a kind that a run does not run, although its twin is not: a benchmark or an
// example without an output in Go, a test in a function in Rust, a generator in Python, a private one in Ruby, and one
// of Kotlin that only returns a function.
func (t *testTable) isIdle(one *Test) bool {
	return one.twin != nil && !one.Group && t.idles(one) && !t.idles(one.twin)
}

// idleClass matches a class of Python that is not called Test and has no base.
var idleClass = input.Lazily(`^class\s+(\w+)\s*(?:\(\s*(?:object)?\s*\))?\s*:`)

// idles is the same of one version.
func (table *testTable) idles(t *Test) bool {
	own, code := ownName(t.Name), t.of.CodeLine
	anyLine := func(is func(n int) bool) bool {
		for n := t.Body; n <= t.End; n++ {
			if is(n) {
				return true
			}
		}
		return false
	}
	switch isMethod := firstWord(code(t.Line)) == "def"; {
	case t.of.Lang == source.Go:
		return begins(own, "Benchmark") ||
			(begins(own, "Example") && !anyLine(func(n int) bool { return has(bytes.ToLower(t.of.CommentLine(n)), "output:") }))
	case t.of.Lang == source.Java: // of Kotlin: it returns a function that nobody calls
		return ends(codeOn(t.of, t.Body), ") = {")
	case t.of.Lang == source.Rust:
		return slices.ContainsFunc(t.of.Enclosing(t.Line), func(b int) bool { return b < t.Line && hasWord(code(b), "fn") })
	case t.of.Lang == source.Python:
		if around := t.of.Enclosing(t.Body); len(around) > 1 {
			m := idleClass().FindSubmatch(code(around[0]))
			if m != nil && !begins(m[1], "Test") && !table.c.extends(string(m[1])) {
				return true
			}
		}
		return isMethod && anyLine(func(n int) bool { return firstWord(code(n)) == "yield" && !inClosure(t, n) })
	case t.of.Lang == source.Ruby && isMethod:
		indent := indentOf(code(t.Line))
		for n := t.Line - 1; n > max(0, t.Line-1000) && (isBlank(code(n)) || indentOf(code(n)) >= indent); n-- {
			if oneOf(string(codeOn(t.of, n)), "private", "protected") {
				return true
			}
		}
	}
	return false
}

func markTests(v *source.File, tests []*Test, named []skipper) {
	if v == nil || len(tests) == 0 {
		return
	}
	if n := offByName(v); n > 0 {
		markRange(tests, Mark{line: n, disabled: true}, 0, v.Lines())
	}
	names, searched := sync.OnceValue(func() truths { return constants(v) }), 0
	done := map[[2]int]bool{}
	for _, m := range marksOf(v, named, names) {
		if m.holds == unknown {
			continue
		}
		var known truths
		if !m.header {
			known = names()
		}
		if from, to, covered := skippedLines(v, tests, m, known); covered {
			if lines := [2]int{from, to}; !done[lines] { // a second mark of the same tests says no more
				done[lines] = true
				markRange(tests, m, from, to)
			}
		} else if searched < maxSearched && markCallers(v, tests, m, known) {
			searched++
		}
	}
}

func markRange(tests []*Test, m Mark, from, to int) {
	for _, one := range tests[after(tests, from-1):] {
		if one.Line > to {
			break
		}
		if one.End <= to && one.mark == 0 {
			one.mark, one.disabled = m.line, m.disabled
		}
	}
}

// skippedLines tells which lines a mark keeps from running.
func skippedLines(v *source.File, tests []*Test, m Mark, names truths) (from, to int, covered bool) {
	if m.header {
		// With the first method, the body of a class begins.
		isMethod := m.disabled && (v.Lang == source.Java || v.Lang == source.CSharp || v.Lang == source.Python)
		if t := declaredAt(tests, m.line); t != nil && !(isMethod && t.Group) {
			return t.Line, t.End, true
		}
		return 0, 0, false
	}
	t := aroundLine(tests, m.line, func(*Test) bool { return true })
	switch {
	case t == nil:
		return 0, v.Lines(), len(v.Enclosing(m.line)) == 0 && !conditionBefore(v.CodeLine(m.line), names)
	case t.Group:
		return t.Line, t.End, skipsGroup(t, m.line, names)
	}
	return t.Line, t.End, isUnconditional(t, m.line, names)
}

// declaredAt is the test whose annotations and declaration contain a line.
func declaredAt(tests []*Test, line int) *Test {
	var best *Test
	last := after(tests, line)
	for _, t := range slices.Backward(tests[max(0, last-1000):last]) {
		if line <= max(t.Line, t.Body) && t.End >= line && (best == nil || (t.Line == best.Line && t.End >= best.End)) {
			best = t
		}
	}
	return best
}

// after is the index of the first test that begins behind a line.
func after(tests []*Test, line int) int {
	i, _ := slices.BinarySearchFunc(tests, line, func(t *Test, line int) int {
		if t.Line <= line {
			return -1
		}
		return 1
	})
	return i
}

// skipsGroup reports whether a statement in a group, but in none of its tests, is for all of them: it stands in the
// group itself or in what runs before each test.
func skipsGroup(t *Test, line int, names truths) bool {
	return !inBranch(t.of, line) && all(t.blocksAround(line), func(b int) bool {
		head := t.of.CodeLine(b)
		isSetup := len(head) > maxStatementBytes || setsUp().Match(head) // of one that is too long nothing is known
		return (isSetup && !conditionBefore(head, names)) || blockTruth(t.of, b, names) == always
	})
}

var setsUp = input.Lazily(`(?i)set_?up|\bbefore`)

// maxSearched is for how many functions, or names, a file is searched.
const maxSearched = 20

// markCallers marks the tests that a function of their file skips: one that they call, or one that runs before them.
// at is the mark in that function, which skips always. It reports whether the file was searched for calls.
func markCallers(v *source.File, tests []*Test, at Mark, names truths) bool {
	blocks := v.Enclosing(at.line)
	if at.header || len(blocks) == 0 || (v.Lang != source.Go && v.Lang != source.Python) {
		return false
	}
	m := helperHead().FindSubmatch(v.CodeLine(blocks[0]))
	body := &Test{Test: source.Test{Line: blocks[0], Body: blocks[0] + 1, End: v.Lines()}, of: v}
	if m == nil || !isUnconditional(body, at.line, names) {
		return false
	}
	name := string(m[2])
	if prefix, all := runsBefore(v, blocks[0], string(m[1]), name); all {
		for _, one := range tests {
			if one.mark == 0 && begins(one.Name, prefix) {
				one.mark = at.line
			}
		}
		return true
	}
	for _, n := range linesWith(v, v.Code, name+"(") {
		if t := innermost(tests, n); t != nil && callsOn(v, n, name) && n >= t.Body && isUnconditional(t, n, names) && !inClosure(t, n) {
			t.mark = n
		}
	}
	return true
}

// helperHead matches the head of a function; its groups are the type of its receiver and its name.
var helperHead = input.Lazily(`^\s*(?:func(?: \((?:\w+ )?\*?(\w*)[^)]*\))?|def) (\w{3,})\(`)

// callsOn reports whether a line calls a function by its bare name.
func callsOn(v *source.File, n int, name string) bool {
	line := v.CodeLine(n)
	i := bytes.Index(line, []byte(name+"("))
	return i >= 0 && at(line, i-1) != '.' && !source.IsWord(at(line, i-1))
}

// runsBefore tells whether a function on a line runs before tests: those whose names begin with a text.
func runsBefore(v *source.File, line int, receiver, name string) (prefix string, all bool) {
	if v.Lang == source.Go {
		return receiver + " > ", receiver != "" && oneOf(name, "SetupTest", "SetupSuite")
	}
	for n := line - 1; n > 0 && n > line-4; n-- {
		all = all || has(squeeze(nil, v.CodeLine(n)), "autouse=True")
	}
	return "", all || oneOf(name, "setup_module", "setUpModule", "setup_function")
}
