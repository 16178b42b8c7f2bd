package rules

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findTestExit finds files that set up a test run, and newly end it with success or rewrite its outcome.
func findTestExit(c *Change, report func(Hit)) {
	for _, list := range c.newFindings(false, scanExits) {
		for _, m := range list[:min(len(list), 20)] {
			report(m.file.hit(0, m.line, "", m.kind, "remove it, and correct what the tests find"))
		}
	}
}

const endsWithSuccess = "the process ends with success"

// sign is code that makes the tests of a file succeed, whatever they find.
type sign struct {
	langs  source.Lang // with blanks between them
	words  string      // its line has one of them
	kind   string
	shape  string // of the line
	unless func(v *source.File, line int) bool
}

// signShapes are the shapes of the signs.
var signShapes = sync.OnceValue(func() (all []*regexp.Regexp) {
	for _, s := range signs {
		all = append(all, regexp.MustCompile(s.shape))
	}
	return all
})

var signs = []sign{
	{source.Go, "Exit(", endsWithSuccess,
		`\b(os|syscall)\.Exit\(\s*(0\s*\)|.*\.Run\(\)\s*[-&*%^>])`, nil},
	{source.Python, "exit quit SystemExit", endsWithSuccess,
		`(^|[^.\w])(sys\.exit|os\._exit|exit|quit|_exit)\(\s*(0|None|os\.EX_OK|(pytest\.)?ExitCode\.OK)?\s*\)|\braise SystemExit(\(\s*0?\s*\))?\s*$|\bpytest\.exit\(.*returncode\s*=\s*0\b`, nil},
	{source.Ruby, "exit", endsWithSuccess,
		`(^|[^.\w:])(Process\.|Kernel\.|::)?exit!?(\s+|\(\s*)(0|true)\b|(^|[;{]|\bdo)\s*exit\s*($|[;}]|if\b|unless\b)|failure_exit_code\s*=\s*0\b`, nil},
	{"javascript rust java csharp", "xit( halt( exitProcess( xitCode", endsWithSuccess,
		`\bprocess(::|\.)(exit|reallyExit)\(\s*0\s*\)|\b((System|Deno)\.exit|Environment\.Exit|exitProcess)\(\s*0\s*\)|\.halt\(\s*0\s*\)|` +
			`\b(process\.exitCode|Environment\.ExitCode)\s*=\s*(0|undefined)\b`, nil},
	{source.JavaScript, "global window", "the function that declares tests is replaced",
		`^\s*\(?(global|globalThis|window)(\s+as\s+any\))?\.(it|test|describe|expect)\s*=\s*(.*\.(skip|todo)\b|\(?\w*\)?\s*=>\s*\{\s*\}|noop|jest\.fn\(\)|vi\.fn\(\))`, nil},
	{source.JavaScript, "toBe( toEqual( toStrictEqual( toThrow( toContain(", assertionsReplaced,
		`^\s*(async )?to(Be|(Strict)?Equal|Throw|Contain)\(`, func(v *source.File, line int) bool {
			return !slices.ContainsFunc(v.Enclosing(line), func(b int) bool { return has(v.CodeLine(b), "expect.extend(") })
		}},
	{source.CSharp, "Assert", assertionsReplaced,
		`^(global )?using Assert\s*=[^;]*\.\w*;`, func(v *source.File, line int) bool { return has(v.CodeLine(line), "Assert;") }},
	{source.Python, "Error TestCase pytest.", assertionsReplaced,
		`(^|\s)(unittest\.)?TestCase\.\w+\s*=[^=]|(^|\s)builtins\.AssertionError\s*=|(^|\s)AssertionError\s*=|setattr\(\s*(unittest\.)?(TestCase|builtins),\s*["'](assert\w*|fail\w*|run|AssertionError)["']|setattr\(\s*["']builtins\.AssertionError["']|(^|\s)pytest\.(fail|raises)\s*=[^=]`, nil},
	{source.Ruby, "def assert def refute", assertionsReplaced,
		`def (assert|refute)(_(equal|nil|not_nil|true|false|match|raises?|empty|same|in_delta|includes?|response))?($|[ (;])`, func(v *source.File, line int) bool {
			return !oneOf(string(codeOn(v, nextCode(v, line))), "true", "nil", "end")
		}},
	{source.Python, "outcome excinfo", "the outcome of a test is rewritten",
		`\.outcome\s*=\s*["'](passed|skipped)["']|\bcall\.excinfo\s*=\s*None\b`, nil},
	{source.Python, "exitstatus", "the exit status of the test run is rewritten",
		`\bexitstatus\s*=\s*(0|(pytest\.)?ExitCode\.OK)\b`, func(v *source.File, line int) bool { return has(v.Line(line-1), "== 5", "NO_TESTS") }},
	{source.Python, "items", "all tests are removed from the run",
		`\bitems\[:\]\s*=\s*(\[\]|list\(\))|\bitems\.clear\(\)|\bdel items\[:\]`, pythonConditional},
	{source.Python, "items[:]", "a test is skipped by its name",
		itemNamed, func(v *source.File, line int) bool { // two lists in another order leave none out
			return pythonConditional(v, line) || bytes.Count(v.CodeLine(line), []byte(" for ")) > 1
		}},
	{source.Python, "add_marker items.remove", "a test is skipped by its name",
		itemMarked, func(v *source.File, line int) bool { return !skipsByName(v, line) || isAskedFor(v, line) }},
	{source.Python, "add_marker items.remove", "all tests are skipped",
		itemMarked, func(v *source.File, line int) bool {
			return skipsByName(v, line) || pythonConditional(v, line) || marksUnderCondition(v, line)
		}},
	{source.Python, "def pytest_pyfunc_call( def pytest_runtest_protocol( def pytest_runtestloop(", "a hook runs no test",
		`def pytest_`, func(v *source.File, line int) bool {
			return !oneOf(string(codeOn(v, nextCode(v, line))), "return True", "return 1")
		}},
	{source.Python, "TestSuite( run(", runsNone,
		`^\s*return (unittest\.)?TestSuite\(\s*(\[\s*\])?\)|^\s+def run\(self, result\b`, func(v *source.File, line int) bool {
			above := v.CodeLine(codeAbove(v, line))
			return !has(above, "def load_tests(") && !begins(codeOn(v, nextCode(v, line)), "return result", "return None", "pass")
		}},
	{source.Python, "skip(", "a fixture skips each test that uses it",
		`^\s+pytest\.skip\(`, func(v *source.File, line int) bool {
			b, lines := source.Block{}, v.Enclosing(line)
			if len(lines) > 0 {
				b, _ = v.BlockOn(lines[len(lines)-1])
			}
			head := v.LineAt(b.From)
			return pythonConditional(v, line) || (!has(v.CodeLine(head-1), "fixture") && !has(v.CodeLine(head), "def pytest_runtest_setup("))
		}},
	{source.Ruby, "example.", "a test is skipped by its name",
		`\bskip\b.* if \w+\.(full_)?description\b`, nil},
	{source.Ruby, "skip", "all tests are skipped",
		`(\bbefore\b[^{\n]*\{\s*|^\s*)skip\s*(\(?["'][^{}]*)?\}?\s*$|\bdefine_derived_metadata\b.*\[:skip\]\s*=`, func(v *source.File, line int) bool {
			lines := v.Enclosing(line)
			isInHook := len(lines) > 0 && has(v.CodeLine(lines[len(lines)-1]), ".before", ".prepend_before", "def setup")
			return has(v.CodeLine(line), " if ", " unless ") || (!isInHook && !has(v.CodeLine(line), "before", "derived"))
		}},
}

// The kinds of signs that are some in any file of tests.
const (
	assertionsReplaced = "assertions are replaced"
	runsNone           = "no test is loaded, or none runs"
)

func scanExits(f *File, v *source.File, found func(int, string)) {
	isTest, setsUp, isGo := f.isTest(), isSetup(v), v.Lang == source.Go
	if isForeign(f.Path) || (isGo && !ends(f.Path, "_test.go")) {
		return
	}
	if isGo {
		goExits(v, found)
	}
	if v.Lang == source.Java && isTest {
		javaSwallowedTests(v, found)
	}
	tests, endsAll := sync.OnceValue(func() []*Test { return casesOf(f, v) }), map[*Test]bool{}
	for i, s := range signs {
		inTests := s.kind == endsWithSuccess && (isGo || v.Lang == source.Rust) && !setsUp // where one ends the process of all
		if !isIn(string(plainLang(v.Lang)), " "+string(s.langs)+" ") || !(inTests || setsUp || (isTest && oneOf(s.kind, assertionsReplaced, runsNone))) {
			continue
		}
		asked := 0
		for _, n := range linesWith(v, v.Code, strings.Fields(s.words)...) {
			line := v.Line(n)
			if s.kind == endsWithSuccess || v.Lang != source.Python {
				line = v.CodeLine(n)
			}
			if !signShapes()[i].Match(line) {
				continue
			}
			if asked++; s.unless != nil && asked <= maxPlaces && s.unless(v, n) { // no person has more
				continue
			}
			if inTests {
				t := innermost(tests(), n)
				if _, isKnown := endsAll[t]; !isKnown { // another process may run the test again
					endsAll[t] = t != nil && !has(bytes.ToLower(bytes.Join(t.bodyLines(), nil)), "env", "fork", "flag", "args")
				}
				if !endsAll[t] {
					continue
				}
			}
			found(n, s.kind)
		}
	}
	if dir := path.Dir(v.Path); v.Lang == source.Python && setsUp && !isExample(v.Path) && !oneOf(path.Base(dir), "doc", "docs") {
		pythonCollectIgnore(v, found)
	}
}

var jsSetup = input.Lazily(`(?i)^((jest|vitest|mocha|tests?|e2e|playwright|cypress|karma|ava|unit|integration)[-_.]?)?(global[-_.]?)?(setup|teardown)([-_.]?(tests?|jest|vitest|env|files?|after[-_]?env|global))?\.[cm]?[jt]sx?$|^(jest|vitest|playwright|karma|cypress|web-test-runner|wdio|ava)\.(conf|config)\b|^\.mocharc\.`)

// setups are the files that set up the run of tests: by their names, by their directories, and files of tests by a part
// of their code.
var setups = map[source.Lang]struct {
	names      string
	dirs, code []string
}{
	source.Python: {" conftest.py sitecustomize.py usercustomize.py ", nil,
		[]string{"def pytest_sessionfinish(", "def pytest_runtest_makereport(", "def pytest_configure("}},
	source.JavaScript: {"", []string{"/cypress/support/"}, []string{"mochaHooks"}},
	source.Ruby: {" spec_helper.rb rails_helper.rb test_helper.rb minitest_helper.rb ",
		[]string{"/spec/support/", "/test/support/", "/features/support/"}, nil},
	source.Java: {"", nil, []string{"TestExecutionListener", "LauncherSessionListener", "RunListener",
		"BeforeAllCallback", "AfterAllCallback",
		"TestWatcher", "ITestListener", "ISuiteListener", "addShutdownHook", "TestExecutionExceptionHandler"}},
	source.CSharp: {"", nil, []string{"[AssemblyInitialize", "[AssemblyCleanup", "[ModuleInitializer", "[SetUpFixture",
		"ProcessExit", "TestFramework"}},
}

// isSetup reports whether a file sets up the run of tests.
func isSetup(v *source.File) bool {
	base, dir, isTest := path.Base(v.Path), "/"+path.Dir(v.Path)+"/", source.IsTest(v.Path)
	known := setups[plainLang(v.Lang)]
	switch {
	case isIn(base, known.names), has(dir, known.dirs...), isTest && has(v.Code, known.code...):
		return true
	case v.Lang == source.Python:
		return base == "__init__.py" && isTest
	case v.Lang == source.Rust:
		own := has(v.Code, "#[ctor", "panic::set_hook") && (isTest || has(v.Code, "#[cfg(test)]"))
		return own || (has(dir, "/tests/") && has(v.Code, "fn main("))
	}
	return isScript(v.Lang) && jsSetup().MatchString(base) &&
		(isTest || !begins(strings.ToLower(base), "setup.", "teardown."))
}

var (
	goEntry  = input.Lazily(`^func (?:init\(\)|TestMain\(\s*(\w+) )`)
	goCI     = input.Lazily(`"CI"|"(?:GITHUB|RUNNER)_|\bif true\b`)
	goUsual  = input.Lazily(`"(?:HOME|USER|LOGNAME|SHELL|SHLVL|LANG|LC_\w+|PWD|OLDPWD|TERM|PATH|HOSTNAME|TZ|GO[A-Z]+|\w*_CI|TF_BUILD)"`) // set on most machines
	goChild  = input.Lazily(`\bif [^\n]*os\.Getenv\("\w+"\) != "[^"\n]+"[^\n]*\{\s*return\s`)
	goRun    = input.Lazily(`(?:(\w+)\s*:?=[^\n]*)?(?:\.Run\(\)|RunMain\()`)
	goZero   = input.Lazily(`(?m)(?:^|[{;])[ \t]*(\w+)[ \t]*=[ \t]*0[ \t\r]*(?:$|[;}])`)
	goBranch = input.Lazily(`^\s*(\} else|if|switch|select|for|case)\b`)
	passedOn = input.Lazily(`os\.Exit\(|panic\(|log\.Fatal`)
)

// goExits finds TestMain functions that run no test, or do not pass on how the tests ended.
func goExits(v *source.File, found func(int, string)) {
	starts := linesWith(v, v.Code, "func TestMain(", "func init()")
	for _, first := range starts[:min(len(starts), 10)] {
		entry := goEntry().FindSubmatch(v.Code[offsetOf(v, first):])
		b, _ := v.BlockOn(first)
		if entry == nil {
			continue
		}
		b.End = min(b.End, b.Open+64<<10)
		body, run, code := v.Code[b.Open:b.End], b.End, "" // where the tests run, and the variable that knows how they ended
		if name := entry[1]; len(name) > 0 {
			if m := goRun().FindSubmatchIndex(body); m != nil {
				run = b.Open + m[1]
				code = string(body[max(m[2], 0):max(m[3], 0)])
			}
			if string(name) == "_" || !hasWord(body, string(name)) {
				found(v.LineAt(b.From), "TestMain runs no test")
			}
		}
		for _, at := range signShapes()[0].FindAllIndex(body, maxSearched) {
			if isCertainExit(v, run, b.Open+at[0]) && (len(entry[1]) > 0 || !isOfChild(v, b.Open, b.Open+at[0])) {
				found(v.LineAt(b.Open+at[0]), "TestMain ends with success, whatever the tests found")
			}
		}
		for _, at := range goZero().FindAllSubmatchIndex(body, maxSearched) {
			if b.Open+at[0] > run && string(body[at[2]:at[3]]) == code {
				found(v.LineAt(b.Open+at[2]), "TestMain forgets how the tests ended")
			}
		}
	}
}

// isCertainExit reports whether an exit with success is reached in a run that should fail.
func isCertainExit(v *source.File, run, at int) bool {
	condition := lineOf(v.Text, at)
	if around := v.Around(at); !goBranch().Match(lineOf(v.Code, at)) {
		if condition = nil; len(around) > 1 {
			condition = lineOf(v.Text, around[0].From)
		}
	}
	if at <= run {
		return len(condition) == 0 || goCI().Match(condition) || !goBranch().Match(condition)
	}
	return !has(condition, "== 0") && !passedOn().Match(v.Code[run:at])
}

// isOfChild reports whether code between two offsets returns unless the tests start the process again, with a variable
// of their own.
func isOfChild(v *source.File, from, to int) bool {
	m := goChild().FindIndex(v.Text[from:to])
	if m == nil || v.Code[from+m[0]] != 'i' {
		return false
	}
	asked := v.Text[from+m[0] : from+m[1]]
	return !goCI().Match(asked) && !goUsual().Match(asked)
}

const (
	itemMarked = `\.add_marker\(\s*(pytest\.mark\.)?["']?(skip|xfail)\b|\.add_marker\(\s*\w*(skip|xfail)\w*\s*\)|\bitems\.remove\(`
	itemNamed  = `\bif\b.*\bi(?:t|tem)?\.(name|nodeid|originalname)\b.*["']|\bif\b.*["'].*\bin\s+i(?:t|tem)?\.(name|nodeid|originalname)\b`
)

var (
	pyNamed   = input.Lazily(itemNamed)
	pyIgnored = input.Lazily(`(?:^|[\[,])\s*["'](\*|\*\.py|[^"']*\btest_[^"']*|[^"']*_test\.py|[^"'.]*\btests?\b[^"'.]*)["']`)
)

// skipsByName reports whether a line of a hook is for a test by its name.
func skipsByName(v *source.File, line int) bool {
	above := v.Line(codeAbove(v, line))
	return pyNamed().Match(above) && !has(above, " and ")
}

// pyAsked matches the head of a block for who gives an option that is no value of pytest's own; its groups are the
// name.
var pyAsked = input.Lazily(`^\s*if config\.(?:get(?:option|value)\(["'](?:--)?([\w-]+)["']\)|option\.(\w+)):\s*(?:#.*)?$`)

// pyGiven matches an option that is given where nobody gives it.
var pyGiven = input.Lazily(`store_false|store_const|default\s*=\s*[^FN0\s]`)

// isAskedFor reports whether a line is in a block for who gives an option, which nothing of the file gives.
func isAskedFor(v *source.File, line int) bool {
	const most = 64 << 10 // bytes of a file that is searched for each line
	return len(v.Text) < most && slices.ContainsFunc(v.Enclosing(line), func(b int) bool {
		names := groups(pyAsked(), v.Line(b))
		if len(names) == 0 || has(v.Code, "option."+names[0]+" =", "option."+names[0]+"=") {
			return false
		}
		_, declared, _ := bytes.Cut(v.Text, []byte(`"--`+strings.ReplaceAll(names[0], "_", "-")+`",`))
		declared, _, _ = bytes.Cut(declared[:min(len(declared), 1000)], []byte("addoption("))
		return !pyGiven().Match(declared) &&
			!isIn(names[0], " capture tb tbstyle color import-mode importmode assert assertmode show-capture showcapture code-highlight ")
	})
}

// marksUnderCondition reports whether the mark that a line adds is a skipif of the file that depends on something.
func marksUnderCondition(v *source.File, line int) bool {
	const skip = "pytest.mark.skipif"
	_, name, _ := bytes.Cut(v.CodeLine(line), []byte("add_marker("))
	name, _, _ = bytes.Cut(name, []byte(")"))
	n, at := valueOf(v, bytes.TrimSpace(name))
	if !begins(v.CodeLine(n)[at:], skip+"(") {
		return false
	}
	condition := []byte(strings.TrimPrefix(strings.TrimSpace(firstArgument(bracketed(v, v.Text, n, at+len(skip)))), "not "))
	if n, at := valueOf(v, condition); at > 0 {
		condition = v.CodeLine(n)[at:]
	}
	return has(condition, ".") && !isDecimal(string(condition))
}

// valueOf is where the value of a name begins, of the last line that sets it: its line, and the offset there; 0 for
// none.
func valueOf(v *source.File, name []byte) (line, at int) {
	start := string(name) + " = "
	for _, n := range slices.Backward(linesWith(v, v.Code[:min(len(v.Code), 64<<10)], start)) {
		if text := v.CodeLine(n); begins(bytes.TrimLeft(text, " \t"), start) {
			return n, bytes.Index(text, []byte(start)) + len(start)
		}
	}
	return 0, 0
}

// pythonConditional reports whether a line of a function depends on a condition: one around it, or one before it that
// returns.
func pythonConditional(v *source.File, line int) bool {
	for n := line - 1; n >= max(1, line-100); n-- {
		text := codeOn(v, n)
		if begins(text, "if ", "elif ", "else:", "except", "match ", "while ") {
			return true
		}
		if begins(text, "def ") {
			return false
		}
	}
	return false
}

// nextCode is the number of the line of code after a line; a text that says what a function is for is none.
func nextCode(v *source.File, line int) int {
	for n := line + 1; n <= min(v.Lines(), line+20); n++ {
		text := v.CodeLine(n)
		if len(bytes.Trim(text[:min(len(text), maxNear)], " \t\r\"'")) > 0 {
			return n
		}
	}
	return 0
}

// pythonCollectIgnore finds tests that are not collected any more.
func pythonCollectIgnore(v *source.File, found func(int, string)) {
	for pos := range somePlaces(v.Code, "collect_ignore") {
		if pos > 0 && v.Code[pos-1] != '\n' {
			continue // under a condition, or no statement
		}
		first, last := v.LineAt(pos), v.LineAt(v.Until(pos, len(v.Code), "\n"))
		for n := first; n <= min(last, first+200); n++ {
			if text := v.Line(n); len(text) < maxNear && pyIgnored().Match(text) && !isBlank(v.CodeLine(n)) {
				found(n, "tests are not collected any more")
			}
		}
	}
}

// javaSwallowedTests finds extensions that drop the failures of tests.
func javaSwallowedTests(v *source.File, found func(int, string)) {
	for pos := range somePlaces(v.Code, "handleTestExecutionException(") {
		if emptyMethod().Match(v.Code[pos:min(len(v.Code), pos+maxNear)]) {
			found(v.LineAt(pos), "the failures of tests are dropped")
		}
	}
}

var emptyMethod = input.Lazily(`^[^{]*\{\s*\}`)
