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
	source.Java:       "Disabled Ignore enabled assume abort SkipException TestAborted AssumptionViolated private static",
	source.CSharp:     "Ignore Explicit Skip Inconclusive",
	source.Ruby:       "xit xdescribe xcontext xspecify xscenario xfeature xexample skip pend omit",
}

// bracketWords are in lines such as it["skip"](…).
const bracketWords = "[\"skip ['skip [`skip [\"todo ['todo [`todo [\"fixme ['fixme [`fixme [\"fail ['fail [`fail"

// marksOf finds all marks of a file.
func marksOf(f *source.File) []Mark {
	lang := plainLang(f.Lang)
	var marks []Mark
	lines := linesWith(f.Code, f, strings.Fields(skipWords[lang]))
	if lang == source.JavaScript {
		lines = sortedSet(append(lines, linesWith(f.Text, f, strings.Fields(bracketWords))...))
	}
	for _, n := range lines {
		if m, found := markAt(lang, f, n); found {
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
			for _, n := range linesWith(f.Code, f, []string{name + "("}) {
				if wordBeforeCall(f.CodeLine(n), name) == "" {
					marks = append(marks, Mark{line: n, header: true, disabled: unseen, holds: always})
				}
			}
		}
	}
	slices.SortStableFunc(marks, func(a, b Mark) int { return a.line - b.line })
	return marks
}

// idleRunner matches a function that a file declares in place of one of the runner's, and that does nothing.
var idleRunner = input.Lazily(`(?m)^(?:const|let|var) +(it|test|describe|suite|context|specify)\b[^=\n]*=\s*(?:async\s*)?(?:\([^()\n]*(?:\(\)[^()\n]*)*\)|\w+)` +
	`[^=\n]*=>\s*(?:\{\s*\}|undefined|null|void 0)|^function +(it|test|describe|suite|context|specify)\([^{}\n]*\{\s*\}`)

// linesWith are the numbers of the lines that contain one of the words.
func linesWith(text []byte, f *source.File, words []string) (lines []int) {
	for _, word := range words {
		everyPlace(text, word, func(pos int) bool {
			if n := f.LineAt(pos); len(lines) == 0 || lines[len(lines)-1] != n {
				lines = append(lines, n)
			}
			return true
		})
	}
	return sortedSet(lines)
}

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
		`@(?:\w+\.)*(Disabled|Ignore|Ignored)\b|@Test\s*\([^)]*\b(enabled)\s*=\s*false|^[^=;]*\b(private|static)\s[^=;]*\w\s*\(`,
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
func markAt(lang source.Lang, f *source.File, n int) (Mark, bool) {
	line := f.CodeLine(n)
	shapes := shapesOf[lang]()
	if at, word := firstGroup(shapes.header, line); at >= 0 {
		if m := headerMark(lang, f, n, at, word); m.holds != notEver {
			return m, true
		}
	}
	if at, word := firstGroup(shapes.statement, line); at >= 0 {
		if m := statementMark(lang, f, n, at, word); m.holds != notEver {
			return m, true
		}
	}
	if lang == source.JavaScript && (saysInBrackets(f, n, " skip todo fixme failing fails ") || skipsOnNextLine(f, n)) {
		return Mark{header: true, holds: always}, true
	}
	return Mark{}, false
}

var inBrackets = input.Lazily(`(?:^|[^\w.$])(?:describe|it|test|suite|context|specify)(?:\.\w+)*\[["'` + "`" + `](\w+)["'` + "`" + `]\]`)

// saysInBrackets reports whether a line has it["skip"], or another of some words. The word is in a string, and its
// bracket must be code.
func saysInBrackets(f *source.File, n int, words string) bool {
	line := f.Line(n)
	if len(line) > 1000 {
		return false
	}
	m := inBrackets().FindSubmatchIndex(line)
	return m != nil && isIn(string(line[m[2]:m[3]]), words) && f.CodeLine(n)[m[1]-1] == ']'
}

// skipsOnNextLine reports whether a line goes on with .skip where the one before ends with it.
func skipsOnNextLine(f *source.File, n int) bool {
	rest, found := bytes.CutPrefix(bytes.TrimLeft(f.CodeLine(n), " \t"), []byte("."))
	if !found {
		return false
	}
	before := bytes.TrimRight(f.CodeLine(n-1), " \t\r")
	return isIn(firstWord(rest), " skip todo fixme failing fails ") &&
		isIn(wordBefore(append(before[:len(before):len(before)], '.'), len(before)+1), " describe it test suite context specify ")
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

func headerMark(lang source.Lang, f *source.File, n, at int, word string) Mark {
	m := Mark{header: true, disabled: lang == source.Java && oneOf(word, "private", "static"), holds: always}
	switch lang {
	case source.Python:
		m.holds = pythonMark(word, argumentsAt(f, n, at))
	case source.JavaScript:
		m.holds = scriptMark(word, f, n, at)
	case source.Rust:
		return rustMark(f, n, at, word)
	case source.CSharp:
		if before := bytes.TrimLeft(f.CodeLine(n), " \t"); len(before) > 0 && before[0] != '[' && !begins(before, word) {
			m.holds = notEver // no attribute
		} else if word == "Skip" {
			m.holds = skipReason(f, n, at)
		}
	}
	return m
}

func statementMark(lang source.Lang, f *source.File, n, at int, word string) Mark {
	m := Mark{disabled: word == "__test__", holds: conditionMark(word, argumentsAt(f, n, at))}
	if lang == source.Ruby {
		m.holds = modifier(f.CodeLine(n))
	}
	return m
}

// conditionMark tells whether a mark holds by the condition that is its first argument; one without a condition always does.
func conditionMark(word, args string) certainty {
	first, rest, _ := cutOutside(args, ",")
	if begins(strings.TrimSpace(first), `"`) { // JUnit 4 has a text before it
		first, _, _ = cutOutside(rest, ",")
	}
	_, value, _ := namedArgument(first)
	switch {
	case isIn(word, " skipif skipIf todoIf If When SkipWhen assumeFalse "):
		return foldCondition(value, nil)
	case isIn(word, " skipUnless runIf if IfNot Unless SkipUnless assumeTrue assumeThat "):
		return foldCondition(value, nil).not()
	}
	return always
}

// pythonMark tells whether a decorator always skips.
func pythonMark(word, args string) certainty {
	first, values, _ := cutOutside(args, ",")
	switch word {
	case "parametrize":
		if strings.TrimRight(string(squeeze(nil, []byte(firstArgument(values)))), ",") == "[]" {
			return always
		}
		return notEver
	case "xfail":
		// A first argument without a name is a condition.
		name, value, named := namedArgument(first)
		if strings.TrimSpace(value) != "" && (!named || name == "condition") {
			return foldCondition(value, nil)
		}
	}
	return conditionMark(word, args)
}

// namedArgument parts name=value of Python. A comparison has no name.
func namedArgument(arg string) (name, value string, named bool) {
	name, value, named = strings.Cut(arg, "=")
	if name = strings.TrimSpace(name); !named || name == "" || begins(value, "=") || firstWord([]byte(name)) != name {
		return "", arg, false
	}
	return name, value, true
}

// scriptMark tells whether a declaration of JavaScript is skipped.
func scriptMark(word string, f *source.File, n, at int) certainty {
	args := argumentsAt(f, n, at)
	if isIn(word, " skip fixme fails failing todo ") {
		next := strings.TrimLeft(args, " \t\r\n")
		called := begins(bytes.TrimLeft(f.CodeLine(n)[at:], " \t"), "(")
		if called && next != "" && !strings.ContainsRune("\"'`(", rune(next[0])) {
			if next = next[:min(len(next), 200)]; (source.IsWord(next[0]) && has(next, "=>")) || has(next, "function") {
				return always // test.skip(name, () => …)
			}
			return notEver // test.skip(condition, reason), or an option
		}
	}
	return conditionMark(word, args)
}

func rustMark(f *source.File, n, at int, word string) Mark {
	m := Mark{header: true, holds: always}
	if word == "ignore" {
		return m
	}
	m.header = !has(f.CodeLine(n), "#!")
	args := rawArguments(f, n, at)
	if word == "cfg" {
		m.disabled, m.holds = true, cfgTruth(args).not()
		return m
	}
	condition, rest, _ := cutOutside(args, ",")
	if m.holds = cfgTruth(strings.TrimSpace(condition)); !has(rest, "ignore") {
		m.holds = notEver
	}
	return m
}

// skipReason tells whether Skip = … skips: a text does, and a name whose value the file shows; with SkipWhen or
// SkipUnless it depends.
func skipReason(f *source.File, n, at int) certainty {
	line := f.CodeLine(n)
	if has(line, "SkipWhen", "SkipUnless") ||
		(!has(line[:at], "(") && !begins(bytes.TrimLeft(line, " \t"), "Skip")) {
		return unknown
	}
	value := bytes.TrimLeft(line[at:], " \t=")
	if begins(value, "null", `""`) {
		return notEver
	}
	if begins(value, `"`, "@", "$") {
		return always
	}
	if end := source.WordEnd(value); end > 0 && bytes.Contains(f.Code,
		append(append([]byte("const string "), value[:end]...), ` = "`...)) {
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

// argumentsAt are what stands in the brackets after an offset of a line, as code; they may end some lines later.
func argumentsAt(f *source.File, n, at int) string { return bracketed(f, f.Code, n, at) }

// rawArguments are the same as text.
func rawArguments(f *source.File, n, at int) string { return bracketed(f, f.Text, n, at) }

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

func sortedSet(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

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
		if holds := pythonMark(string(line[m[4]:m[5]]), argumentsAt(f, n, m[5])); holds == always && searched < maxSearched {
			searched++
			name := "@" + string(line[m[2]:m[3]])
			for _, use := range linesWith(f.Code, f, []string{name}) {
				if text := bytes.TrimSpace(f.CodeLine(use)); string(text) == name || begins(text, name+"(") {
					marks = append(marks, Mark{line: use, header: true, holds: always})
				}
			}
		}
	}
	return marks
}
