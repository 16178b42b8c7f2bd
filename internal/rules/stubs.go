package rules

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findStubbedBody finds functions that did something and now only say that they are not implemented.
func findStubbedBody(c *Change, report func(Hit)) {
	for _, list := range c.newFindings(false, scanStubs) {
		for _, m := range list[:min(len(list), 20)] {
			if line := m.file.hadBody(m.kind); line > 0 {
				report(m.file.hit(line, m.line, m.kind, m.kind+" is not implemented any more",
					"restore the body, or remove the function and its callers"))
			}
		}
	}
}

// findStub finds new functions that only say that they are not implemented.
func findStub(c *Change, report func(Hit)) {
	for _, list := range c.newFindings(true, scanStubs) {
		report(list[0].file.hit(0, list[0].line, list[0].kind, "not implemented: "+kinds(list),
			"implement the function, or leave it out"))
	}
}

// findStubPhrase finds new comments that say that code is provisional.
func findStubPhrase(c *Change, report func(Hit)) {
	for _, list := range c.newFindings(true, scanPhrases) {
		report(list[0].file.hit(0, list[0].line, "", "it says: "+kinds(list),
			"finish the code, or say in the pull request what is left out"))
	}
}

var phrases = []string{
	"in a real implementation", "in a real application", "in a real app", "in a real scenario",
	"in a production environment", "in production, you", "in production this would",
	"for now", "placeholder for", "placeholder implementation", "placeholder until", "as a placeholder",
	"todo: implement", "todo implement", "simplified version", "simplified implementation", "stub implementation",
	"dummy implementation",
	"mock implementation", "not implemented yet", "not yet implemented", "hardcoded for", "temporary workaround",
}

// scanPhrases finds the phrases in comments. It looks at the first two letters of each word only.
func scanPhrases(f *File, v *source.File, found func(int, string)) {
	if v.Lang == source.None || isVendored(f.Path) || source.IsTest(f.Path) {
		return
	}
	places := 0
	v.EachComment(func(from, to int) bool {
		scanComment(v.Text[from:to], func(at int, phrase string) bool {
			found(v.LineAt(from+at), phrase)
			places++
			return places < maxPlaces
		})
		return places < maxPlaces
	})
}

func scanComment(text []byte, found func(at int, phrase string) bool) {
	for i := 0; i < len(text); i++ {
		c := text[i] | 0x20
		if strings.IndexByte("ifptsdmnh", c) < 0 || source.IsWord(at(text, i-1)) {
			continue
		}
		for _, phrase := range phrases {
			if phrase[0] == c && len(text)-i >= len(phrase) && text[i+1]|0x20 == phrase[1] &&
				!source.IsWord(at(text, i+len(phrase))) &&
				strings.EqualFold(string(text[i:i+len(phrase)]), phrase) {
				if !found(i, phrase) {
					return
				}
				i += len(phrase)
				break
			}
		}
	}
}

// stubPattern matches the statement that says so, from its first word, in the text.
var stubPattern = map[source.Lang]func() *regexp.Regexp{
	source.Go:         input.Lazily(`^panic\((errors\.New\(|fmt\.Errorf\()?["\x60](?i:[\w.: ]*\b(not (yet )?implemented|unimplemented|implement me)|todo\b)`),
	source.Python:     input.Lazily(`^raise NotImplementedError\b`),
	source.JavaScript: input.Lazily(`^throw new \w*(NotImplemented\w*\(|Error\(\s*["'\x60](?i:[^"'\x60]*\b(not (yet )?implemented|unimplemented|todo\b)))`),
	source.Rust:       input.Lazily(`^(todo|unimplemented)!`),
	source.Java:       input.Lazily(`^throw new (NotImplementedException\b|UnsupportedOperationException\("(?i:[^"]*(not (yet )?implemented|unimplemented|todo\b|not supported yet)))|^TODO\(`),
	source.CSharp:     input.Lazily(`^throw new (System\.)?NotImplementedException\b`),
	source.Ruby:       input.Lazily(`^raise (::)?NotImplementedError\b`),
}

var stubNeedles = map[source.Lang][]string{
	source.Go: {"panic("}, source.Python: {"raise NotImplementedError"}, source.JavaScript: {"throw new "},
	source.Rust: {"todo!", "unimplemented!"}, source.Java: {"throw new ", "TODO("}, source.CSharp: {"throw new "},
	source.Ruby: {"raise "},
}

// scanStubs finds functions of the product whose whole body says that they are not implemented. The kind is the name.
func scanStubs(f *File, v *source.File, found func(int, string)) {
	if !isProduction(f.Path) {
		return
	}
	for _, needle := range stubNeedles[plainLang(v.Lang)] {
		eachPlace(v.Code, needle, func(pos int) {
			if !stubPattern[plainLang(v.Lang)]().Match(restOf(v.Text, pos)) {
				return
			}
			name := ""
			switch v.Lang {
			case source.Python, source.Ruby:
				name = indentedStub(v, pos)
			default:
				name = bracedStub(v, pos)
			}
			if line := v.LineAt(pos); name != "" && !v.InTest(line) {
				found(line, name)
			}
		})
	}
}

// bracedStub is the name of the function whose body is only the statement at an offset.
func bracedStub(v *source.File, pos int) string {
	near := v.Code[max(0, pos-6*maxNear):pos]
	trimmed := bytes.TrimRight(near, " \t\r\n")
	var head []byte
	switch {
	case ends(trimmed, "=>"), v.Lang == source.Java && ends(trimmed, "="):
		head = trimmed
	case ends(trimmed, "{"):
		if !endsBlock(v.Code, pos) {
			return ""
		}
		head = trimmed[:len(trimmed)-1]
	default:
		return ""
	}
	head = head[bytes.LastIndexAny(head, ";{}")+1:]
	return functionName(v.Lang, head)
}

// endsBlock reports whether the statement at an offset is the last of its block.
func endsBlock(text []byte, pos int) bool {
	depth := 0
	for i := pos; i < min(len(text), pos+3*maxNear); i++ {
		switch c := text[i]; {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth > 0:
		case c == ';' || c == '\n':
			rest := bytes.TrimLeft(text[i+1:min(len(text), i+1+6*maxNear)], " \t\r\n;")
			return len(rest) > 0 && rest[0] == '}'
		case c == '}':
			return true
		}
	}
	return false
}

var (
	// annotations of Java and attributes of C# and Rust can have a call in them
	annotations = input.Lazily(`@[\w.]+(\([^()]*\))?|#?\[[^\[\]]*\]`)
	callHead    = input.Lazily(`([\w$]+)\s*(?:<[^()]*>|\[[^()]*\])?\s*\(`)
	goReceiver  = input.Lazily(`\bfunc \([^()]*\)\s*`)
	jsAssigned  = input.Lazily(`([\w$]+)\s*(?::[^=]*)?[=:]\s*(?:async\s*)?(?:<[^()]*>\s*)?\(?[^()]*\)?[^()]*=>\s*$`)
	goFuncHead  = input.Lazily(`\bfunc (\w+)`)
	csProperty  = input.Lazily(`([\w.]+)\s*(=>|\{?\s*(get|set|init)\s*(=>)?)\s*$`)
)

// functionName is the name of the function that a head declares; "" for a condition, a loop or anything else.
func functionName(lang source.Lang, head []byte) string {
	head = bytes.TrimSpace(annotations().ReplaceAll(head, nil))

	if lang == source.Go {
		head = goReceiver().ReplaceAll(head, []byte("func "))
		if m := goFuncHead().FindSubmatch(head); m != nil {
			return string(m[1])
		}
		return ""
	}
	if lang == source.Rust && !has(head, "fn ") {
		return ""
	}
	if isScript(lang) {
		if m := jsAssigned().FindSubmatch(head); m != nil {
			return string(m[1])
		}
	}

	m := callHead().FindSubmatch(head)
	if m == nil {
		if m = csProperty().FindSubmatch(head); m == nil || lang != source.CSharp ||
			oneOf(string(m[1]), "_", "default", "get", "set", "init", "=>") {
			return ""
		}
	}
	if name := string(m[1]); !oneOf(name, "if", "for", "foreach", "while", "switch", "catch", "match", "with", "using",
		"lock", "else", "when", "function", "return", "synchronized") {
		return name
	}
	return ""
}

var (
	pythonHead = input.Lazily(`^\s*(?:async )?def (\w+)`)
	rubyHead   = input.Lazily(`^\s*def (?:self\.)?([\w?!=]+)`)
	pyAbstract = input.Lazily(`^\s*class \w*(Base|Abstract|Protocol|Interface|Mixin)\w*\b|^\s*class .*\b(ABC|ABCMeta|Protocol)\b`)
)

// indentedStub is the name of the function of Python or Ruby whose body is only the statement at an offset, unless it
// is abstract.
func indentedStub(v *source.File, pos int) string {
	line := v.LineAt(pos)
	own := v.CodeLine(line)
	indent := indentOf(own)

	if n := nextCode(v, line); n > 0 && indentOf(v.CodeLine(n)) >= indent && !closes(v.CodeLine(n)) {
		return ""
	}
	head := defHead(v.Lang)
	for n := line - 1; n >= max(1, line-40); n-- {
		text := v.CodeLine(n)
		text = text[:min(len(text), maxNear)]
		trimmed := bytes.Trim(text, " \t\r\"'")
		if m := head.FindSubmatch(text); m != nil && indentOf(text) < indent {
			if v.Lang == source.Python && isAbstract(v, n, indentOf(text)) {
				return ""
			}
			return string(m[1])
		}
		if len(trimmed) > 0 && trimmed[len(trimmed)-1] != ',' && trimmed[0] != ')' {
			return "" // the function does something before
		}
	}
	return ""
}

func closes(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && (line[0] == ')' || line[0] == '"' || line[0] == '\'')
}

// isAbstract reports whether a method of Python is one that others must write: by its decorators, or by its class.
func isAbstract(v *source.File, line, indent int) bool {
	for n := line - 1; n >= max(1, line-6); n-- {
		text := bytes.TrimSpace(v.CodeLine(n))
		if len(text) == 0 || text[0] != '@' {
			break
		}
		if has(text, "abstract") {
			return true
		}
	}
	for n := line - 1; n >= max(1, line-400) && indent > 0; n-- {
		text := v.CodeLine(n)
		if len(text) < maxNear && indentOf(text) < indent && begins(bytes.TrimSpace(text), "class ") {
			return pyAbstract().Match(text)
		}
	}
	return false
}

// hadBody is the line of the merge base where a function of this name is declared of which the head has fewer that do something; 0 for
// none.
func (f *File) hadBody(name string) int {
	if f.Base == nil {
		return 0
	}
	line, before := f.bodies(f.Base, name)
	if _, after := f.bodies(f.Head, name); after >= before {
		return 0
	}
	return line
}

// bodies counts the functions of a name that do something, and tells where the first one is.
func (f *File) bodies(v *source.File, name string) (first, count int) {
	eachPlace(v.Code, name, func(pos int) {
		n := v.LineAt(pos)
		if count >= 100 || !wholeWord(v.Code, pos, len(name)) || len(v.CodeLine(n)) > maxNear || !declares(v, pos, n, name) {
			return
		}
		if count++; first == 0 {
			first = n
		}
	})
	scanStubs(f, v, func(_ int, stub string) {
		if stub == name {
			count--
		}
	})
	return first, count
}

// declares reports whether a function with a body begins at an offset of a line.
func declares(v *source.File, pos, n int, name string) bool {
	if v.Lang == source.Python || v.Lang == source.Ruby {
		m := defHead(v.Lang).FindSubmatch(v.CodeLine(n))
		return m != nil && string(m[1]) == name
	}
	near := v.Code[max(0, pos-maxNear):min(len(v.Code), pos+4*maxNear)]
	pos -= max(0, pos-maxNear)
	end := bytes.IndexByte(near[pos:], '{')
	if arrow := bytes.Index(near[pos:], []byte("=>")); v.Lang == source.CSharp && arrow >= 0 && (end < 0 || arrow < end) {
		end = arrow
	}
	if end < 0 || bytes.IndexByte(near[pos:pos+end], ';') >= 0 {
		return false
	}
	return functionName(v.Lang, near[bytes.LastIndexAny(near[:pos], ";{}")+1:pos+end]) == name
}

func defHead(lang source.Lang) *regexp.Regexp {
	if lang == source.Ruby {
		return rubyHead()
	}
	return pythonHead()
}
