package rules

import (
	"bytes"
	"regexp"
	"slices"
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

// findStub finds new functions that only say that they are not implemented, where the change brings no other one of the
// name that does something, such as in a class that inherits.
func findStub(c *Change, report func(Hit)) {
	known := map[string]bool{}
	for _, list := range c.newFindings(true, scanStubs) {
		list = slices.DeleteFunc(list, func(m finding) bool {
			if _, asked := known[m.kind]; !asked && len(known) < maxSearched {
				known[m.kind] = c.implements(m.kind)
			}
			return known[m.kind]
		})
		if len(list) == 0 {
			continue
		}
		report(list[0].file.hit(0, list[0].line, list[0].kind, "not implemented: "+kinds(list),
			"implement the function, or leave it out"))
	}
}

// implements reports whether a file has more functions of a name that do something than it had.
func (c *Change) implements(name string) bool {
	return slices.ContainsFunc(c.Files, func(f *File) bool {
		if f.Head == nil || !isProduction(f.Path) || !has(f.Head.Code, name) {
			return false
		}
		before := 0
		if f.Base != nil {
			_, before = f.bodies(f.Base, name)
		}
		_, after := f.bodies(f.Head, name)
		return after > before
	})
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
	"in production, you", "for now", "todo: implement", "todo implement", "simplified implementation", "placeholder implementation",
	"stub implementation", "dummy implementation", "mock implementation", "not implemented yet", "not yet implemented",
	"temporary workaround",
}

// scanPhrases finds the phrases in comments. It looks at the first two letters of each word only.
func scanPhrases(f *File, v *source.File, found func(int, string)) {
	if !isProduction(f.Path) {
		return
	}
	places := 0
	v.EachComment(func(from, to int) bool {
		scanComment(v.Text[from:to], func(at int, phrase string) bool {
			if line := lineOf(v.Text, from+at); isProvisional(line, phrase) {
				found(v.LineAt(from+at), phrase)
			}
			places++
			return places < maxPlaces
		})
		return places < maxPlaces
	})
}

// isProvisional reports whether a phrase, as it stands in a line, is about the code beside it.
func isProvisional(line []byte, phrase string) bool {
	return phrase != "for now" ||
		(has(line, "eturn", "imulat", "o-op", "ardcod", "ake ", "ummy", "tub", "ock ") && !has(line, phrase+"+"))
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
var stubPattern = byLanguage(map[source.Lang]string{
	source.Go:         `^panic\((errors\.New\(|fmt\.Errorf\()?["\x60](?i:[\w.: ]*\b(not (yet )?implemented|unimplemented|implement me)|todo\b)`,
	source.Python:     `^raise NotImplementedError\b|^return True\b`,
	source.JavaScript: `^throw new \w*(NotImplemented\w*\(|Error\(\s*["'\x60](?i:[^"'\x60]*\b(not (yet )?implemented|unimplemented|todo\b)))`,
	source.Rust:       `^(todo|unimplemented)!|^true\b`,
	source.Java:       `^throw new (NotImplementedException\b|UnsupportedOperationException\("(?i:[^"]*(not (yet )?implemented|unimplemented|todo\b|not supported yet)))|^TODO\(|^(return )?true\b`,
	source.CSharp:     `^throw new (System\.)?NotImplementedException\b|^(return )?true\b`,
	source.Ruby:       `^raise (::)?NotImplementedError\b|^true\b`,
})

var stubNeedles = map[source.Lang][]string{
	source.Go: {"panic("}, source.Python: {"raise NotImplementedError", "return True"}, source.JavaScript: {"throw new "},
	source.Rust: {"todo!", "unimplemented!", "true"}, source.Java: {"throw new ", "TODO(", "return true", "true"},
	source.CSharp: {"throw new ", "return true", "true"}, source.Ruby: {"raise ", "true"},
}

// hasParts matches a type with values that can differ, so that a function which says that all are equal compares
// nothing.
var hasParts = input.Lazily(`self\.\w|\n\s+\w+: *\w|@\w+ *=|attr_|get;|\b(?:val|var|private|readonly|record) |\b(?:struct|enum) \w+[ (<{]`)

// scanStubs finds functions of the product whose whole body says that they are not implemented. The kind is the name.
func scanStubs(f *File, v *source.File, found func(int, string)) {
	if !has(v.Code, stubNeedles[plainLang(v.Lang)]...) || !isProduction(f.Path) {
		return
	}
	for _, needle := range stubNeedles[plainLang(v.Lang)] {
		// A function that is only true says that all values are equal.
		isTruth := ends(needle, "rue")
		if isTruth && !has(v.Code, "fn eq(", "quals(", "__eq__(", "def ==", "def eql?") {
			continue
		}
		for pos := range somePlaces(v.Code, needle) {
			if line := v.LineAt(pos); stubPattern(v.Lang).Match(restOf(v.Text, pos)) && !v.InTest(line) {
				name := stubbed(v, pos)
				// A call stands in front of a comparison, or in another branch.
				isEmpty := isIn(name, " eq equals Equals __eq__ == eql? ") && !has(v.Code[v.Statement(pos):pos], "."+name+"(") &&
					hasParts().Match(v.Code) && !has(v.Code, "PhantomData")
				if name != "" && (isEmpty || !isTruth) {
					found(line, name)
				}
			}
		}
	}
}

// stubbed is the name of the function whose body is only the statement at an offset, unless others must write it.
func stubbed(v *source.File, pos int) string {
	before := bytes.TrimRight(v.Code[max(0, pos-maxNear):pos], " \t\r\n")
	if ends(before, "=>") || (v.Lang == source.Java && ends(before, "=")) {
		return functionName(v.Lang, v.Code[v.Statement(pos):pos])
	}
	around := v.Around(pos)
	if len(around) == 0 {
		return ""
	}
	b := withHead(v, around[0])
	isMore := func(code []byte) bool { // a text that says what it is for is none
		return len(bytes.Trim(bytes.TrimSuffix(bytes.TrimSpace(code), []byte("end")), " \t\r\n:;}\"'")) > 0
	}
	if b.Open >= pos || max(b.Open-b.From, b.End-b.Open) > 16*maxNear {
		return ""
	}
	if isMore(v.Code[b.Open+1:pos]) || isMore(v.Code[v.Until(pos, b.End+1, ";\n"):b.End+1]) ||
		(v.Lang == source.Python && isAbstract(v, around)) {
		return ""
	}
	return functionName(v.Lang, v.Code[b.From:b.Open])
}

// withHead is a block whose head is all in front of its body: in Ruby it goes on behind the keyword.
func withHead(v *source.File, b source.Block) source.Block {
	if v.Lang == source.Ruby {
		b.Open += max(bytes.IndexAny(v.Code[b.Open:min(b.End, b.Open+maxNear)], "\n;"), 0)
	}
	return b
}

var (
	// annotations of Java and attributes of C# and Rust can have a call in them
	annotations = input.Lazily(`@[\w.]+(\([^()]*\))?|#?\[[^\[\]]*\]`)
	callHead    = input.Lazily(`([\w$]+)\s*(?:<[^()]*>|\[[^()]*\])?\s*\(`)
	defHead     = input.Lazily(`^(?:async )?def (?:self\.)?([\w?!=]+)`)
	// heads match the head of a function, by language. Their groups are its name.
	heads = map[source.Lang][]func() *regexp.Regexp{
		source.Go: {input.Lazily(`\bfunc (?:\([^()]*\)\s*)?(\w+)`)}, source.Python: {defHead}, source.Ruby: {defHead},
		source.Rust: {input.Lazily(`\bfn (\w+)`)}, source.Java: {callHead},
		source.JavaScript: {input.Lazily(`([\w$]+)\s*(?::[^=]*)?[=:]\s*(?:async\s*)?(?:<[^()]*>\s*)?\(?[^()]*\)?[^()]*=>\s*$`), callHead},
		source.CSharp:     {callHead, input.Lazily(`([\w.]+)\s*(=>|\{?\s*(get|set|init)\s*(=>)?)\s*$`)},
	}
)

// functionName is the name of the function that a head declares; "" for a condition, a loop or anything else.
func functionName(lang source.Lang, head []byte) string {
	head = bytes.TrimSpace(annotations().ReplaceAll(head, nil))
	for _, pattern := range heads[plainLang(lang)] {
		if m := pattern().FindSubmatch(head); m != nil && isIn(string(m[1]), notNames[plainLang(lang)]) {
			break
		} else if m != nil {
			return string(m[1])
		}
	}
	return ""
}

const statements = " if for foreach while switch catch match with using lock else when function return synchronized "

// notNames are the words that look like the name of a function where nothing such as def stands before it.
var notNames = map[source.Lang]string{
	source.Java: statements, source.JavaScript: statements, source.CSharp: statements + "_ default get set init ",
}

var pyAbstract = input.Lazily(`^\s*class \w*(Base|Abstract|Protocol|Interface|Mixin)\w*\b|^\s*class .*\b(ABC|ABCMeta|Protocol)\b`)

// isAbstract reports whether a method of Python is one that others must write: by its decorators, or by its class. The
// blocks are it and those around it.
func isAbstract(v *source.File, blocks []source.Block) bool {
	for n := v.LineAt(blocks[0].From) - 1; n > 0 && begins(codeOn(v, n), "@"); n-- {
		if has(v.CodeLine(n), "abstract") {
			return true
		}
	}
	return len(blocks) > 1 && pyAbstract().Match(v.CodeLine(v.LineAt(blocks[1].From)))
}

// hadBody is the line of the merge base where a function of this name is declared of which the head has fewer that do
// something; 0 for none.
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
	last := -1
	for pos := range somePlaces(v.Code, name) {
		b, found := v.BlockBehind(pos)
		if v.Lang == source.Ruby { // its block opens in front of the name
			b, found = v.BlockOn(v.LineAt(pos))
		}
		if b = withHead(v, b); v.Lang == source.CSharp {
			near := v.Code[pos:min(pos+4*maxNear, len(v.Code))]
			if i := bytes.Index(near, []byte("=>")); i >= 0 && (!found || pos+i < b.Open) {
				b, found = source.Block{From: v.Statement(pos + i), Open: pos + i + len("=>")}, true
			}
		}
		if found && b.Open > last && b.From <= pos && b.Open-b.From < 16*maxNear &&
			functionName(v.Lang, v.Code[b.From:b.Open]) == name {
			if count++; first == 0 {
				first = v.LineAt(pos)
			}
			last = b.Open
		}
	}
	scanStubs(f, v, func(_ int, stub string) {
		if stub == name {
			count--
		}
	})
	return first, count
}
