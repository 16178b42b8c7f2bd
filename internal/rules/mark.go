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
	source.Python:     "kip xfail expectedFailure __test__ parametrize",
	source.JavaScript: "skip xit xdescribe xtest xcontext xspecify todo fixme fail pending runIf .if( todoIf ignore .each",
	source.Rust:       "ignore cfg",
	source.Java:       "Disabled Ignore ExpectedToFail enabled assume abort SkipException TestAborted AssumptionViolated private static",
	source.CSharp:     "Ignore Explicit Skip Inconclusive",
	source.Ruby:       "xit xdescribe xcontext xspecify xscenario xfeature xexample skip pend omit",
}

// marksOf finds all marks of a file.
func marksOf(f *source.File) []Mark {
	lang := plainLang(f.Lang)
	var marks []Mark
	lines := linesWith(f, f.Code, strings.Fields(skipWords[lang])...)
	names := sync.OnceValue(func() truths { return constants(f) })
	for _, n := range lines {
		if m, found := markAt(lang, f, n, names); found {
			m.line = n
			marks = append(marks, m)
		}
	}
	switch lang {
	case source.Python:
		marks = append(marks, aliasMarks(f, lines)...)
	case source.JavaScript:
		names := source.SkipAliases(f) // whether the runner sees no test of them
		for name := range names {
			names[name] = false
		}
		for _, m := range idleRunner().FindAllSubmatch(f.Code, maxSearched) {
			names[string(m[1])+string(m[2])] = true
		}
		for name, unseen := range names {
			for _, n := range callsTo(f, name) {
				marks = append(marks, Mark{line: n, header: true, disabled: unseen, holds: always})
			}
		}
	}
	slices.SortStableFunc(marks, func(a, b Mark) int { return a.line - b.line })
	return marks
}

// idleRunner matches a function that a file declares in place of one of the runner's, and that does nothing.
var idleRunner = input.Lazily(`(?m)^(?:const|let|var) +(it|test|describe|suite|context|specify)\b[^=\n]*=\s*(?:async\s*)?(?:\([^()\n]*(?:\(\)[^()\n]*)*\)|\w+)` +
	`[^=\n]*=>\s*(?:\{\s*\}|undefined|null|void 0)|^function +(it|test|describe|suite|context|specify)\([^{}\n]*\{\s*\}`)

// shapes are the forms of marks in a language. What follows the first group of an expression is looked at by hand.
type shapes struct{ header, statement *regexp.Regexp }

func lazy(header, statement string) func() shapes {
	return sync.OnceValue(func() shapes { return shapes{regexp.MustCompile(header), regexp.MustCompile(statement)} })
}

var shapesOf = map[source.Lang]func() shapes{
	source.Go: lazy(
		`(?:^|[^\w.])([XP](?:It|Describe|DescribeTable|Context|Specify|When|Entry))\(|^[^{]*\b(?:It|Describe|DescribeTable|Context|Specify|When)\(.*,\s*(Pending)\s*,`,
		`(?:^|[^\w.)])(?:\w+\.T\(\)|GinkgoT\(\)|t|b|f|tb|tt|st|ts)\.(Skip)\(|(?:^|[^\w.)])(?:c\.)?(Skip)\(\s*(?:$|[)"`+"`"+`])|\.(Skipf|SkipNow)\(`),
	source.Python: lazy(
		`^\s*@(?:\w+\.)*(skip|xfail|expectedFailure|skipif|skipIf|skipUnless|parametrize)\b`,
		`^\s*(?:return\s+)?(?:pytest\.|self\.|cls\.|unittest\.)?(skip|xfail|skipTest)\(|^\s*raise\s+(?:\w+\.)*(SkipTest|Skipped|skip\.Exception)\b|`+
			`^\s*pytestmark\s*(?::[^=]*)?\+?=.*\bmark\.(skip|xfail|skipif)\b|^\s*(__test__)\s*=\s*False`),
	source.JavaScript: lazy(
		`(?:^|[^\w.$])(x(?:it|describe|test|context|specify))(?:\.\w+)*\s*[(<`+"`"+`]|(?:^|[^\w.$])(?:describe|it|test|suite|context|specify|bench)\s*(?:\.\w+)*\.\s*(skip|todo|fixme|failing|fails|skipIf|runIf|todoIf|if)\b|\.(each)(?:<[^()]*>)?\(\s*\[\s*\](?:\s*as\b[^()]*)?\s*\)|`+
			`\bDeno\.test\.(ignore)\(|\bDeno\.test\(.*\bignore:\s*(true)\b|`+
			`\b(?:skip|todo):\s*(true|['"`+"`"+`])`,
		`(?:^|[^\w.$])(?:this|ctx|context|t|testInfo)\.(skip)\(|(?:^|[^\w.$])(?:it|test)\.(skip|fixme|fail)\(\s*(?:\)|true\b)|^\s*(pending)\(`),
	source.Rust: lazy(`#!?\[\s*(ignore|cfg|cfg_attr)\b`, `\x00(\x00)`),
	source.Java: lazy(
		`@(?:\w+\.)*(Disabled|Ignored?|ExpectedToFail)\b|@Test\s*\([^)]*\b(enabled)\s*=\s*false|^[^=;]*\b(private|static)\s[^=;]*\w\s*\(`,
		`\b(assumeTrue|assumeFalse|assumeThat)\(|\bAssumptions\.(abort)\(|\bthrow\s+new\s+(?:\w+\.)*(SkipException|TestAbortedException|TestSkippedException|AssumptionViolatedException)\b`),
	source.CSharp: lazy(
		`^\s*\[(?:.*[,\s\[])?(Ignore|Explicit)(?:Attribute)?\s*[(\],]|\b(Skip)\s*=[^=]|\b(Explicit)\s*=\s*true\b|[(,]\s*(Ignore)\s*=\s*[@$"]`,
		`\bAssert\.(Ignore|Inconclusive|Skip|SkipWhen|SkipUnless)\(|\bSkip\.(If|IfNot|When|Unless)\(|\bthrow\s+new\s+(?:\w+\.)*(SkipException|IgnoreException|InconclusiveException|SkipTestException)\b`),
	source.Ruby: lazy(
		`^\s*(?:RSpec\.)?(x(?:it|describe|context|specify|scenario|feature|example))\b|^\s*(?:RSpec\.)?(?:it|describe|context|specify|scenario|feature|example|test)\b.*(?:\b(skip|pending):\s*(?:true\b|["'])|[,\s](:skip|:pending)\b)|`+
			`^\s*(pending|skip)\b[\s(]+["'].*\bdo\b`,
		`^\s*(?:before\b[^{]*\{\s*)?(skip|pending|omit|pend)\b(?:\s*$|[\s(]+["':]|\s+(?:if|unless)\b|\()`),
}

// markAt tells what mark is on a line.
func markAt(lang source.Lang, f *source.File, n int, names func() truths) (m Mark, found bool) {
	line := f.CodeLine(n)
	shapes := shapesOf[lang]()
	for _, shape := range []*regexp.Regexp{shapes.header, shapes.statement} {
		if at, word := firstGroup(shape, line); at >= 0 {
			m = Mark{header: shape == shapes.header && !has(line, "#!"), disabled: isIn(word, " private static __test__ cfg ")}
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
	var known truths
	if header {
		known = names()
	}
	switch {
	case isIn(word, " skipif skipIf todoIf If When SkipWhen assumeFalse "),
		header && word == "xfail" && strings.TrimSpace(value) != "" && (!named || name == "condition"):
		return foldCondition(value, known)
	case isIn(word, " skipUnless runIf if IfNot Unless SkipUnless assumeTrue assumeThat "):
		return foldCondition(value, known).not()
	case word == "parametrize":
		if strings.TrimRight(string(squeeze(nil, []byte(firstArgument(rest)))), ",") == "[]" {
			return always
		}
		return notEver
	case isIn(word, " cfg cfg_attr "):
		raw := bracketed(f, f.Text, n, at) // what is asked for stands in texts
		if word == "cfg" {
			return foldCondition(raw, truths{"test": always}).not()
		}
		if condition, what, _ := cutOutside(raw, ","); has(what, "ignore") {
			return foldCondition(condition, nil)
		}
		return notEver
	case lang == source.Ruby && !header:
		return modifier(line)
	case lang == source.CSharp && header:
		if len(before) > 0 && before[0] != '[' && !begins(before, word) {
			return notEver // no attribute
		}
		if word == "Skip" {
			return skipReason(f, line, at)
		}
	case lang == source.JavaScript && header && isIn(word, " skip fixme fails failing todo "):
		next := strings.TrimLeft(args, " \t\r\n")
		next = next[:min(len(next), 200)]
		if begins(bytes.TrimLeft(line[at:], " \t"), "(") && next != "" && !strings.ContainsRune("\"'`(", rune(next[0])) &&
			!(source.IsWord(next[0]) && has(next, "=>")) && !has(next, "function") { // test.skip(name, () => …)
			return notEver // test.skip(condition, reason), or an option
		}
	}
	return always
}

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
func skipReason(f *source.File, line []byte, at int) certainty {
	value := bytes.TrimLeft(line[at:], " \t=")
	switch {
	case has(line, "SkipWhen", "SkipUnless"), !has(line[:at], "(") && !begins(bytes.TrimLeft(line, " \t"), "Skip"):
		return unknown
	case begins(value, "null", `""`):
		return notEver
	case begins(value, `"`, "@", "$"), has(f.Code, "const string "+firstWord(value)+` = "`):
		return always
	}
	return unknown
}

// modifier tells whether a statement of Ruby is under a condition behind it.
func modifier(line []byte) certainty {
	if _, expr, found := bytes.Cut(line, []byte(" if ")); found {
		return foldCondition(string(expr), nil)
	}
	if _, expr, found := bytes.Cut(line, []byte(" unless ")); found {
		return foldCondition(string(expr), nil).not()
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

var pythonAlias = input.Lazily(`^(\w+)\s*=\s*(?:pytest\.mark|mark|unittest)\.(skip|xfail|skipif|skipIf|skipUnless|expectedFailure)\b`)

// aliasMarks are the decorators that a file gives other names.
func aliasMarks(f *source.File, lines []int) []Mark {
	var marks []Mark
	searched := 0
	for _, n := range lines {
		line := f.CodeLine(n)
		if at(line, 0) == ' ' || bytes.IndexByte(line, '=') < 0 || len(line) > 1000 {
			continue
		}
		m := pythonAlias().FindSubmatchIndex(line)
		if m == nil {
			continue
		}
		holds := markHolds(source.Python, f, n, m[5], string(line[m[4]:m[5]]), true, func() truths { return nil })
		if holds == always && searched < maxSearched {
			searched++
			name := "@" + string(line[m[2]:m[3]])
			for _, use := range linesWith(f, f.Code, name) {
				if text := codeOn(f, use); string(text) == name || begins(text, name+"(") {
					marks = append(marks, Mark{line: use, header: true, holds: always})
				}
			}
		}
	}
	return marks
}
