package rules

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// SwallowedError finds handlers of any error that do nothing.
var SwallowedError = &Rule{
	ID: "closeout/swallowed-error", Title: "An error is caught and dropped", Severity: input.Warn, Review: true,
	Languages: []string{"go", "python", "rust", "java", "csharp", "ruby"},
	Find: func(c *Change, report func(Hit)) {
		dropped(c, report, func(lang source.Lang) bool { return !isScript(lang) })
	},
}

// SwallowedAttempt is [SwallowedError] for JavaScript, which has no way to catch only one kind of error.
var SwallowedAttempt = &Rule{
	ID: "closeout/swallowed-attempt", Title: "An attempt may fail without a word", Severity: input.Info, Languages: []string{"javascript", "typescript"},
	Find: func(c *Change, report func(Hit)) { dropped(c, report, isScript) },
}

func isScript(lang source.Lang) bool { return lang == source.JavaScript || lang == source.TypeScript }

func dropped(c *Change, report func(Hit), wanted func(source.Lang) bool) {
	scan := func(f *File, v *source.File, found func(int, string)) {
		if wanted(f.Lang()) {
			scanSwallowed(f, v, found)
		}
	}
	for _, list := range c.fresh(true, scan) {
		report(Hit{
			File: list[0].file.Path, Line: list[0].line, Now: list[0].text(), Detail: "dropped: " + kinds(list),
			Fix: "handle the error, log it or pass it on; catch only the error that is meant",
		})
	}
}

func scanSwallowed(f *File, v *source.File, found func(int, string)) {
	if !isProduction(f.Path) {
		return
	}
	outside := inProduction(v, found)
	report := func(pos int, kind string) { outside(v.LineAt(pos), kind) }
	switch v.Lang {
	case source.Python:
		pythonSwallowed(v, report)
	case source.JavaScript, source.TypeScript:
		bracesSwallowed(v, report)
		promiseSwallowed(v, report)
	case source.Java, source.CSharp:
		bracesSwallowed(v, report)
	case source.Ruby:
		rubySwallowed(v, report)
	case source.Go:
		goSwallowed(v, report)
	case source.Rust:
		rustSwallowed(v, report)
	}
}

// cleanup matches a call in code whose failure is often of no interest, because nothing is left to do.
var cleanup = input.Lazily(`(?i)(close|remove|unlink|kill|cancel|terminate|disconnect|shutdown|stop|rm|rmtree|rmdir|delete|clean\w*|quit|release|flush|rollback|dispose|abort|exit|destroy|unsubscribe|detach|unref|teardown|clear|reset|end|free)(_?\w*)?(Sync|Async)?!?\s*\(|\.(close|kill|stop|dispose|cancel|rollback|unlink|delete)\b|__del__|atexit`)

// probes matches calls of JavaScript that are tried to see whether something is there: no other error can be told apart.
var probes = input.Lazily(`(?i)JSON\.parse\(|new URL\(|require\.resolve\(|\b\w*stat(Sync)?\(|\baccess(Sync)?\(|readFile(Sync)?\(|localStorage|sessionStorage|decodeURI|require\(|import\(|existsSync\(|realpath(Sync)?\(|new RegExp\(|resolve\w*\(|createRequire\(|CSSStyleSheet\(`)

// isCleanup reports whether what an error came from is short and ends something.
func isCleanup(block []byte) bool {
	if len(block) > 600 {
		return false
	}
	statements := 0
	for line := range bytes.Lines(block) {
		if len(bytes.Trim(line, " \t\r\n{}();")) > 0 {
			statements++
		}
	}
	return statements <= 3 && cleanup().Match(block)
}

// pythonSwallowed finds except clauses for any error with nothing in them.
func pythonSwallowed(v *source.File, found func(int, string)) {
	eachPlace(v.Code, "except", func(pos int) {
		line := v.LineAt(pos)
		text := v.CodeLine(line)
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(text, " \t"), []byte("except"))
		if !ok || len(rest) > maxNear {
			return
		}
		head, body, ok := bytes.Cut(rest, []byte(":"))
		if !ok || !isBroad(string(head)) || !pythonNothing(v, line, body) || isCleanup(pythonTry(v, line)) || isCancelled(v, line) {
			return
		}
		found(pos, "any error, in except")
	})
	for _, name := range []string{"suppress(Exception", "suppress(BaseException"} {
		eachPlace(v.Code, name, func(pos int) {
			line := v.LineAt(pos)
			if !isCleanup(append(append([]byte{}, v.CodeLine(line+1)...), '\n')) && !isCancelled(v, line+1) {
				found(pos, "any error, in suppress")
			}
		})
	}
}

// isCancelled reports whether the lines before a handler cancel a task, for whose end the handler then waits.
func isCancelled(v *source.File, line int) bool {
	for n := line; n >= max(1, line-12); n-- {
		if text := v.CodeLine(n); bytes.Contains(text[:min(len(text), maxNear)], []byte("cancel")) || bytes.Contains(text[:min(len(text), maxNear)], []byte("aclose")) {
			return true
		}
	}
	return false
}

var broadTypes = input.Lazily(`\b(Base)?Exception\b`)

// isBroad reports whether what stands between except and the colon catches any error.
func isBroad(head string) bool {
	types, _, _ := strings.Cut(strings.Trim(head, "* "), " as ")
	return strings.TrimSpace(types) == "" || broadTypes().MatchString(types)
}

// pythonNothing reports whether a clause does nothing: its body follows the colon, or stands on the next lines.
func pythonNothing(v *source.File, line int, body []byte) bool {
	if body = bytes.TrimSpace(body); len(body) > 0 {
		return isPass(body)
	}
	indent := indentOf(v.CodeLine(line))
	statements := 0
	for n := line + 1; n <= min(v.Lines(), line+30); n++ {
		text := v.CodeLine(n)
		if len(text) > maxNear {
			return false
		}
		trimmed := bytes.TrimSpace(text)
		switch {
		case len(trimmed) == 0:
		case indentOf(text) <= indent:
			return statements == 1
		case !isPass(trimmed):
			return false
		default:
			statements++
		}
	}
	return statements == 1
}

func isPass(body []byte) bool { return string(body) == "pass" || string(body) == "..." }

// pythonTry is what is tried before an except clause: the lines back to the try, and the head of the function that it is in
// where that is near.
func pythonTry(v *source.File, line int) []byte {
	indent := indentOf(v.CodeLine(line))
	var block []byte
	for n := line - 1; n >= max(1, line-20); n-- {
		text := v.CodeLine(n)
		if len(text) > maxNear {
			return nil
		}
		trimmed := bytes.TrimSpace(text)
		if indentOf(text) == indent && bytes.HasPrefix(trimmed, []byte("try")) {
			return block
		}
		if bytes.HasPrefix(trimmed, []byte("import ")) || bytes.HasPrefix(trimmed, []byte("from ")) {
			return []byte("close()") // an optional import
		}
		if len(trimmed) > 0 {
			block = append(append(block, trimmed...), '\n')
		}
	}
	return nil
}

// bracesSwallowed finds catch blocks with nothing in them.
func bracesSwallowed(v *source.File, found func(int, string)) {
	eachPlace(v.Code, "catch", func(pos int) {
		if !wholeWord(v.Code, pos, len("catch")) || at(v.Code, pos-1) == '.' {
			return
		}
		rest := v.Code[pos+len("catch") : min(len(v.Code), pos+len("catch")+2*maxNear)]
		rest = bytes.TrimLeft(rest, " \t\r\n")
		head := ""
		if len(rest) > 0 && rest[0] == '(' {
			end := bytes.IndexByte(rest, ')')
			if end < 0 {
				return
			}
			head, rest = string(rest[1:end]), bytes.TrimLeft(rest[end+1:], " \t\r\n")
		}
		if len(lineOf(v.Code, pos)) > maxNear || // made smaller by a program
			!isEmptyBlock(rest) || !catchesAny(v.Lang, head) || isCleanup(blockBefore(v.Code, pos)) {
			return
		}
		if isScript(v.Lang) && probes().Match(blockBefore(v.Code, pos)) {
			return
		}
		found(pos, "any error, in catch")
	})
}

// isEmptyBlock reports whether a block without code begins here.
func isEmptyBlock(code []byte) bool {
	if len(code) == 0 || code[0] != '{' {
		return false
	}
	rest := bytes.TrimLeft(code[1:], " \t\r\n")
	return len(rest) > 0 && rest[0] == '}'
}

func catchesAny(lang source.Lang, head string) bool {
	if isScript(lang) {
		return true
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(head), "final "), " ")
	if _, kind, found := strings.Cut(head, ":"); found { // Kotlin
		name = strings.TrimSpace(kind)
	}
	return oneOf(name, "", "Exception", "Throwable", "RuntimeException", "Error", "System.Exception", "java.lang.Exception")
}

// blockBefore is the content of the block that ends before an offset, where it is short.
func blockBefore(code []byte, pos int) []byte {
	end := pos - 1
	for end >= 0 && (code[end] == ' ' || code[end] == '\n' || code[end] == '\r' || code[end] == '\t') {
		end--
	}
	if end < 0 || code[end] != '}' {
		return nil
	}
	depth := 0
	for i := end; i >= max(0, end-600); i-- {
		switch code[i] {
		case '}':
			depth++
		case '{':
			if depth--; depth == 0 {
				return code[i : end+1]
			}
		}
	}
	return nil
}

var nothingHandler = input.Lazily(`^\.catch\(\s*(?:(?:async\s*)?(?:\(\s*\w*\s*(?::\s*\w+\s*)?\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null|void 0)|function\s*\w*\s*\(\s*\w*\s*\)\s*\{\s*\}|noop|\w+\.noop|Function\.prototype)\s*,?\s*\)`)

// promiseSwallowed finds handlers of rejected promises with nothing in them.
func promiseSwallowed(v *source.File, found func(int, string)) {
	eachPlace(v.Code, ".catch(", func(pos int) {
		near := v.Code[pos:min(len(v.Code), pos+maxNear)]
		handler := nothingHandler().Find(near)
		if handler == nil || bytes.HasPrefix(bytes.TrimLeft(near[len(handler):], " \t\r\n"), []byte(".finally(")) {
			return // what follows runs in any case
		}
		before := v.Code[max(0, pos-200):pos]
		if end := bytes.TrimRight(before, " \t\r\n"); len(end) > 0 && source.IsWord(end[len(end)-1]) {
			return // the promise has a name: someone else can wait for it
		}
		before = before[bytes.LastIndexByte(before, ';')+1:]
		if !cleanup().Match(before) && !probes().Match(before) {
			found(pos, "a rejection")
		}
	})
}

var rubyRescue = input.Lazily(`^rescue(\s+(StandardError|Exception))?(\s*=>\s*\w+)?(\s+then\s+nil)?\s*;?$`)

// rubySwallowed finds rescue clauses for any error with nothing in them.
func rubySwallowed(v *source.File, found func(int, string)) {
	eachPlace(v.Code, "rescue", func(pos int) {
		if !wholeWord(v.Code, pos, len("rescue")) {
			return
		}
		line := v.LineAt(pos)
		text := bytes.TrimSpace(v.CodeLine(line))
		if len(text) > maxNear {
			return
		}
		if before, after, inline := bytes.Cut(text, []byte(" rescue ")); inline {
			if value := strings.TrimSpace(string(after)); value == "nil" && !cleanup().Match(append(bytes.Clone(before), '(')) {
				found(pos, "any error, in rescue")
			}
			return
		}
		if rubyRescue().Match(text) && rubyNothing(v, line) && !isCleanup(rubyTry(v, line)) {
			found(pos, "any error, in rescue")
		}
	})
}

// rubyNothing reports whether nothing, or only nil, stands between a rescue and its end.
func rubyNothing(v *source.File, line int) bool {
	for n := line + 1; n <= min(v.Lines(), line+20); n++ {
		switch text := v.CodeLine(n); string(bytes.TrimSpace(text[:min(len(text), maxNear)])) {
		case "", "nil":
		case "end", "ensure":
			return true
		default:
			return false
		}
	}
	return false
}

// rubyTry are the lines before a rescue, back to the line that is indented as it is.
func rubyTry(v *source.File, line int) []byte {
	indent := indentOf(v.CodeLine(line))
	var block []byte
	for n := line - 1; n >= max(1, line-10); n-- {
		text := v.CodeLine(n)
		if len(text) > maxNear {
			return nil
		}
		if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 {
			if indentOf(text) <= indent {
				return block
			}
			block = append(append(block, trimmed...), "(\n"...)
		}
	}
	return nil
}

var (
	goDropped = input.Lazily(`^\s*_ = (\w*[eE]rr)$`)
	goIfErr   = input.Lazily(`^\s*(\} else )?if (.*; )?\w*[eE]rr != nil \{$`)
)

// goSwallowed finds errors that are looked at, or assigned, and dropped.
func goSwallowed(v *source.File, found func(int, string)) {
	eachPlace(v.Code, "_ = ", func(pos int) {
		if m := goDropped().FindSubmatch(bytes.TrimRight(lineOf(v.Code, pos), " \t\r")); m != nil {
			found(pos, "the value of "+string(m[1]))
		}
	})
	eachPlace(v.Code, "rr != nil {", func(pos int) {
		end := pos + len("rr != nil {")
		if goIfErr().Match(bytes.TrimRight(lineOf(v.Code, pos), " \t\r")) && isEmptyBlock(v.Code[end-1:min(len(v.Code), end+2*maxNear)]) &&
			!cleanup().Match(lineOf(v.Code, pos)) {
			found(pos, "an error that is not nil")
		}
	})
}

var rustDropped = regexpList(`Err\(_\w*\)\s*=>\s*(\{\s*\}|\(\s*\))`, `if let Err\(_\w*\)\s*=[^{};]*\{\s*\}`)

func regexpList(patterns ...string) []func() *regexp.Regexp {
	var list []func() *regexp.Regexp
	for _, p := range patterns {
		list = append(list, input.Lazily(`^(?s:`+p+`)`))
	}
	return list
}

// rustSwallowed finds arms for errors with nothing in them.
func rustSwallowed(v *source.File, found func(int, string)) {
	for i, word := range []string{"Err(_", "if let Err(_"} {
		eachPlace(v.Code, word, func(pos int) {
			near := v.Code[pos:min(len(v.Code), pos+maxNear)]
			if m := rustDropped[i]().Find(near); m != nil && !cleanup().Match(m) {
				found(pos, "an error, in an arm")
			}
		})
	}
}
