package rules

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// blocksAround are the lines in a test on which the blocks around a line begin, the outermost first.
func (t *Test) blocksAround(line int) []int {
	return slices.DeleteFunc(t.of.Enclosing(line), func(b int) bool { return b < t.Body || b >= line })
}

// isUnconditional reports whether a test that runs always comes to a line.
func isUnconditional(t *Test, line int, names truths) bool {
	isOpen := func(b int) bool { return blockTruth(t.of, b, names) == always }
	return !conditionBefore(t.of.CodeLine(line), names) && all(t.blocksAround(line), isOpen) && !returnsBefore(t, line) &&
		!inBranch(t.of, line)
}

// oneSystem matches what C# compiles for some systems or frameworks only.
var oneSystem = input.Lazily(`^#(?:el)?if (?:!NET(?:COREAPP)?\s*$|[^!]*(?:IOS|ANDROID|WINDOWS|MAC|LINUX|BROWSER|NETFRAMEWORK|NET\w*\d))`)

// ownSymbol matches a condition on symbols of the project; those that the usual builds have are none.
var (
	ownSymbol   = input.Lazily(`^#(?:el)?if [A-Z_]\w*(?:\s*(?:&&|\|\|)\s*[A-Z_]\w*)*\s*$`)
	usualSymbol = input.Lazily(`\b(?:DEBUG|TRACE|RELEASE|CI|NET(?:CORE|STANDARD)?\w*|CS\w*|TESTS?|UNIT_?TESTS?)\b`)
)

// isOneBuild reports whether a directive of C# lets only some builds compile what follows, as far as its file says.
func isOneBuild(v *source.File, directive []byte) bool {
	start := v.Code[:min(len(v.Code), 64<<10)] // a symbol is defined in front of all code
	return oneSystem().Match(directive) ||
		(ownSymbol().Match(directive) && !usualSymbol().Match(directive) && !has(start, "#define"))
}

// broadRescue matches a handler for what a test or the code that it tests can raise as it likes.
var broadRescue = input.Lazily(`^rescue\s*(?:$|=>|;)|\b(?:StandardError|RuntimeError|NameError|NoMethodError|TypeError|ArgumentError|ZeroDivisionError)\b`)

// ofMachine matches a handler of errors that only the machine raises.
var ofMachine = input.Lazily(`^rescue (?:(?:NotImplementedError|SystemCallError|LoadError|SocketError|IOError|Timeout::Error|Errno::\w+),?\s*)+(?:=> \w+)?$`)

// isHandler reports whether a line begins the handler of an error that the machine raises, and not the block itself;
// no other one around an assertion.
func isHandler(v *source.File, line int) bool {
	is, indent := firstWord(codeOn(v, line)) == "rescue" && !broadRescue().Match(codeOn(v, line)), indentOf(v.CodeLine(line))
	// Where all is caught, that no assertion is reached is said of the test.
	isFine := has(codeOn(v, line), "Exception", "ssertion", "NotMet") || ofMachine().Match(codeOn(v, line))
	for n := line - 1; is && n > max(0, line-100) && (isBlank(v.CodeLine(n)) || indentOf(v.CodeLine(n)) > indent); n-- {
		is = !begins(codeOn(v, n), "raise", "fail") && (isFine || !asserts(v, n))
	}
	return is
}

// inBranch reports whether a line is in a part that only runs for a reason: of a block of Ruby, or of what C# compiles.
func inBranch(v *source.File, line int) bool {
	for n := line - 1; n > max(0, line-100); n-- {
		switch code := codeOn(v, n); {
		case v.Lang == source.CSharp && begins(code, "#"):
			return isOneBuild(v, code)
		case v.Lang == source.Ruby && len(code) > 0 && indentOf(v.CodeLine(n)) < indentOf(v.CodeLine(line)):
			return isHandler(v, n)
		}
	}
	return false
}

// returnsBefore reports whether a test can return before a line.
func returnsBefore(t *Test, line int) bool {
	for n := max(t.Body, line-200); n < line; n++ {
		isClosure := func(b int) bool {
			head := t.of.CodeLine(b)
			return len(head) > maxStatementBytes || has(head, "func(", "=>", "function", "lambda", "->", "do |", " def ", "fn ")
		}
		if hasWord(t.of.CodeLine(n), "return") && !slices.ContainsFunc(t.blocksAround(n), isClosure) {
			return true
		}
	}
	return false
}

func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(one T) bool { return !is(one) })
}

// conditionBefore reports whether a line itself has a condition that is not always true: if x { t.Skip() }.
func conditionBefore(line []byte, names truths) bool {
	trimmed := bytes.TrimLeft(line, " \t}")
	return begins(trimmed, "if ", "if(", "unless ", "elif ", "elsif ", "else", "case ", "when ", "catch", "except", "rescue",
		"while ") && headTruth(trimmed, names) != always
}

// blockTruth tells whether what opens a block lets everything in.
func blockTruth(v *source.File, b int, names truths) certainty {
	head := bytes.TrimLeft(v.CodeLine(b), "} \t")
	if begins(head, "else") && !begins(head, "else if") {
		return elseTruth(v, b, names)
	}
	return headTruth(head, names)
}

// elseTruth looks for the condition of an else: a line above it with the same indent.
func elseTruth(v *source.File, b int, names truths) certainty {
	indent := indentOf(v.CodeLine(b))
	for n := b - 1; n > 0 && n > b-100; n-- {
		line := v.CodeLine(n)
		trimmed := bytes.TrimSpace(line)
		if indentOf(line) == indent && (begins(trimmed, "if ", "if(")) {
			return headTruth(trimmed, names).not()
		}
	}
	return unknown
}

// headTruth tells whether the line that opens a block lets everything in.
func headTruth(head []byte, names truths) certainty {
	if len(head) > 1000 {
		return unknown
	}
	s := strings.TrimPrefix(strings.TrimLeft(string(head), "} \t"), "else ")
	word := s[:source.WordEnd([]byte(s))]
	switch condition := condition(s[len(word):]); {
	case isIn(word, " if elif elsif while "):
		return foldCondition(condition, names)
	case word == "unless":
		return foldCondition(condition, names).not()
	case isIn(word, " try begin with using for foreach loop do unsafe finally ensure lock async runBlocking runTest "), begins(s, "{"),
		has(s, ".Run(", ".Fuzz(", ".each", ".forEach", "subTest("):
		return always
	}
	return unknown
}

// condition is what stands between the word and the bracket or colon that opens the block.
func condition(rest string) string {
	rest = strings.TrimSpace(rest)
	if begins(rest, "(") {
		if end := closing(rest, 0); end > 0 {
			if !begins(strings.TrimSpace(rest[end+1:]), "&&", "||") {
				return rest[:end+1]
			}
		}
	}
	for _, end := range []string{" {", "{", ":", " then"} {
		if before, _, found := strings.Cut(rest, end); found {
			rest = before
		}
	}
	return rest
}

// isEarlyReturn reports whether a line returns and something follows it. The condition before the word is left to the
// caller.
func isEarlyReturn(t *Test, n int, line []byte) bool {
	last := t.End - 1 // behind it there is only a bracket
	if t.of.Lang == source.Python {
		last = t.End
	}
	if n >= last || len(line) > 400 {
		return false
	}
	word := bytes.TrimRight(bytes.TrimSpace(line), ";")
	if begins(word, "if") { // if (true) return;
		i := bytes.Index(word, []byte("return"))
		if i < 0 || source.IsWord(at(word, i-1)) {
			return false
		}
		word = bytes.TrimRight(word[i:], "; }")
	}
	if oneOf(string(word), "return", "return nil", "return None", "return Ok(())") || begins(word, "Assert.Pass(") {
		return true
	}
	if first := firstWord(word); first != "return" && (first != "next" || t.of.Lang != source.Ruby) {
		return false
	}
	if t.of.Lang == source.Ruby && modifier(word) != always {
		return false
	}
	return endsHere(t.of, n, word) && !inClosure(t, n)
}

// endsHere reports whether a statement ends with its line.
func endsHere(f *source.File, n int, line []byte) bool {
	depth := depthOf(line) + bytes.Count(line, []byte("{")) - bytes.Count(line, []byte("}"))
	return depth == 0 && strings.IndexByte("&|+-*/,?:=.\\<>", line[len(line)-1]) < 0 && !goesOn(f, n) &&
		strings.IndexByte("&|+-*?:", at(codeOn(f, n+1), 0)) < 0
}

// inClosure reports whether a line of a test is in a block that is no plain condition of it.
func inClosure(t *Test, n int) bool {
	return slices.ContainsFunc(t.blocksAround(n), func(b int) bool {
		head := bytes.TrimLeft(t.of.CodeLine(b), "} \t")
		isWhole := isIn(firstWord(head), " runBlocking runTest ") && blockEnd(t.of, b) >= t.End-1 // what it leaves is the test
		return !begins(head, "{") && !isWhole && !isIn(firstWord(head), " if unless try begin with using else unsafe ")
	})
}

// certainty is what is known of a condition without running it.
type certainty int8

const (
	unknown certainty = iota
	always
	notEver
)

// truths are what names and expressions stand for.
type truths map[string]certainty

func (t certainty) not() certainty {
	switch t {
	case always:
		return notEver
	case notEver:
		return always
	}
	return unknown
}

// maxCondition is how much of a condition is looked at.
const maxCondition = 400

// foldCondition tells whether a condition is always or never true: true, 1 == 1, !false, true || x. names are the
// constants of the file; see constants.
func foldCondition(expr string, names truths) certainty {
	if len(expr) > maxCondition {
		return unknown
	}
	return constantAt(expr, names, 0)
}

func constantAt(expr string, names truths, depth int) certainty {
	expr = unparen(expr)
	if depth > 20 || expr == "" {
		return unknown
	}
	for _, or := range []string{"||", " or "} {
		if left, right, found := cutOutside(expr, or); found {
			return either(constantAt(left, names, depth+1), constantAt(right, names, depth+1))
		}
	}
	for _, and := range []string{"&&", " and "} {
		if left, right, found := cutOutside(expr, and); found {
			return either(constantAt(left, names, depth+1).not(), constantAt(right, names, depth+1).not()).not()
		}
	}
	if rest, found := strings.CutPrefix(expr, "not "); found {
		return constantAt(rest, names, depth+1).not()
	}
	if begins(expr, "!") && !begins(expr, "!=") {
		return constantAt(expr[1:], names, depth+1).not()
	}
	if left, right, found := strings.Cut(expr, "=="); found {
		left, right = strings.TrimSpace(left), strings.TrimSpace(strings.TrimPrefix(right, "="))
		switch {
		case !isConstant(left) || !isConstant(right):
			return unknown
		case left == right:
			return always
		}
		return notEver
	}
	// of #[cfg(…)]
	if name, inner, called := strings.Cut(expr, "("); called && oneOf(name, "any", "all", "not") {
		inner = strings.TrimSuffix(inner, ")")
		result := notEver // with all and not each part is turned round
		for more, part := true, ""; more; {
			part, inner, more = cutOutside(inner, ",")
			truth := constantAt(part, names, depth+1)
			if name != "any" {
				truth = truth.not()
			}
			if strings.TrimSpace(part) != "" {
				result = either(result, truth)
			}
		}
		if name == "all" {
			return result.not()
		}
		return result
	}
	return literalTruth(expr, names)
}

func literalTruth(expr string, names truths) certainty {
	switch expr {
	case "true", "True", "TRUE", "bool(1)", "Boolean.TRUE", "cfg!(all())", "cfg!(debug_assertions)":
		return always
	case "false", "False", "FALSE", "None", "nil", "null", "Boolean.FALSE", "cfg!(any())", "TYPE_CHECKING":
		return notEver
	}
	if isDecimal(expr) {
		if strings.Trim(expr, "0.") == "" {
			return notEver
		}
		return always
	}
	return names[expr]
}

func either(a, b certainty) certainty {
	switch {
	case a == always || b == always:
		return always
	case a == notEver && b == notEver:
		return notEver
	}
	return unknown
}

// isConstant reports whether a text is a number, or a string in single quotes that is not blanked.
func isConstant(s string) bool {
	return isDecimal(s) || (begins(s, "'") && ends(s[1:], "'") && strings.Trim(s, "' ") != "")
}

func isDecimal(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && c != '.' {
			return false
		}
	}
	return s != ""
}

// assignment matches what sets a name; its groups are the name and the value.
var assignment = input.Lazily(`(?:^|[\s*])([^\s*:=]+?)(?:\s+bool|\s*:[^:=]*)?\s*:?=+\s*(.*?)[\s;,]*$`)

// constantText declares a constant of C# that is a text.
const constantText = "const string "

// constants are the names that a file sets to true or false exactly once, of C# the declarations of texts, and what
// methods return at once.
func constants(f *source.File) truths {
	names, counts := truths{}, map[string]int{}
	each := func(mayBe func(line []byte) bool, set func(name, value string)) {
		for n := 1; n <= f.Lines(); n++ {
			if line := f.CodeLine(n); len(line) <= maxCondition && bytes.IndexByte(line, '=') > 0 && mayBe(line) {
				if m := assignment().FindSubmatch(line); m != nil {
					set(string(m[1]), string(m[2]))
				}
			}
		}
	}
	each(func(line []byte) bool {
		return literalTruth(string(bytes.Trim(line[bytes.LastIndexByte(line, '=')+1:], " \t\r;,")), nil) != unknown
	}, func(name, value string) { names[name] = literalTruth(value, nil) })
	const most = 20 // names that are looked for before an expression is
	list := slices.Sorted(maps.Keys(names))
	each(func(line []byte) bool {
		return len(list) > most || slices.ContainsFunc(list, func(name string) bool { return has(line, name) })
	}, func(name, _ string) { counts[name]++ })
	maps.DeleteFunc(names, func(name string, _ certainty) bool { return counts[name] > 1 })
	for at := range placesOf(f.Code, constantText) {
		if name := firstWord(f.Code[at+len(constantText):]); f.Lang == source.CSharp && begins(f.Code[at+len(constantText)+len(name):], ` = "`) {
			names[constantText+name] = always
		}
	}
	for _, n := range linesWith(f, f.Code, "return true;", "return false;") {
		head, isOnly := bytes.CutSuffix(codeOn(f, max(n-1, 1)), []byte("() {"))
		if value := bytes.Trim(bytes.TrimPrefix(codeOn(f, n), []byte("return ")), ";"); isOnly {
			names[lastWord(head)+"()"] = literalTruth(string(value), nil)
		}
	}
	return names
}
