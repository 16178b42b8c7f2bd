package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// bracket is one that was opened and not closed yet.
type bracket struct {
	kind jsontext.Kind // of the token that opened it
	line int
}

// shownAt is the bracket in a message about a place in line: on that line its own line says nothing new.
func (b bracket) shownAt(line int) string {
	if b.line == line {
		return string(b.kind)
	}
	return fmt.Sprintf("%c on line %d", b.kind, b.line)
}

func (b bracket) closing() string {
	if b.kind == '{' {
		return "}"
	}
	return "]"
}

// jsonPlace is where a text stops to be JSON.
type jsonPlace struct {
	at    Pos
	rest  []byte    // the text from there on
	open  []bracket // the innermost last
	last  int       // the line of the token before; 0 when there is none
	key   bool      // a key is expected
	glued bool      // nothing is between the token before and this place
	says  string    // what the decoder says
}

// FixComment says what to do about a comment in JSON. A format that can be YAML as well has another way.
const FixComment = "remove the comment: JSON has none; a key that begins with x- can contain a note"

// MessageYAML is about a text in YAML where JSON is expected.
const MessageYAML = "this is YAML, not JSON"

// notJSON is the error for a text that is not JSON.
func notJSON(p *jsonPlace, err error) Error {
	e := Error{
		Pos: p.at, Message: "this is not valid JSON", Found: Excerpt(p.rest), Expected: "JSON (RFC 8259) in UTF-8",
		Fix: "write the file with a JSON library, or check it with one",
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		e.Where = Clip(string(syntax.JSONPointer))
	}
	switch {
	case wrongEncoding(&e, p.rest):
		return e
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		p.atTheEnd(&e)
		return e
	case syntax != nil:
		p.says = syntax.Err.Error()
		e.Message += ": " + p.says
	}
	if message, fix := p.why(); fix != "" {
		e.Message, e.Fix = message, fix
	}
	return e
}

// atTheEnd fills in the error of a text that is not complete.
func (p *jsonPlace) atTheEnd(e *Error) {
	e.Message, e.Found = "the text ends before the value does", "the end"
	if p.first() {
		e.Message, e.Found, e.Fix = "the file is empty", "nothing", "write the value"
	}
	if n := len(p.open); n > 0 {
		b := p.open[n-1]
		e.Message = "the text ends, but the " + b.shownAt(p.at.Line) + " is not closed"
		e.Fix = "add the missing " + b.closing() + " for the " + b.shownAt(p.at.Line)
	}
}

// why says what a text contains that JSON does not have, and what to write; "" when that is not known.
func (p *jsonPlace) why() (message, fix string) {
	text := string(p.rest[:min(len(p.rest), 1<<10)])
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"), strings.HasPrefix(text, "#") && (!p.first() || commented().MatchString(text)):
		return "JSON has no comments", FixComment
	case p.first():
		return foreignDocument(line)
	case text[0] == ',':
		if next := strings.TrimLeft(text[1:], " \t\r\n"); next != "" && (next[0] == ']' || next[0] == '}') {
			return "a comma before the end", "remove the comma before " + next[:1]
		}
		return "a comma without a value before it", "remove the comma, or write the value"
	case text[0] == ']' || text[0] == '}':
		return p.wrongBracket(text[:1])
	case strings.Contains(p.says, "expecting ':'"):
		return "a colon is missing after the key", "write a colon between the key and its value"
	case text[0] == ':' && len(p.open) > 0 && p.open[len(p.open)-1].kind == '[':
		list := p.open[len(p.open)-1].shownAt(p.at.Line)
		return "a list has no keys: the " + list + " is not closed", "add the missing ] for the " + list
	case strings.Contains(p.says, "expecting ',' or") && p.glued && strings.IndexByte("\"{[", text[0]) < 0:
		return "a text has no quotes", "write the whole value in double quotes"
	case strings.Contains(p.says, "expecting ',' or"):
		return "a comma is missing", fmt.Sprintf("write a comma after the value on line %d", p.last)
	case strings.Contains(p.says, "UTF-8"):
		return "a text is not valid UTF-8", "save the file as UTF-8"
	case strings.Contains(p.says, "surrogate"):
		return "an escape in a text is half a character", `write the character itself, or a whole pair of \u escapes`
	case strings.Contains(p.says, "escape"):
		return "a backslash in a text escapes nothing", `write / between directories, and \\ for a backslash`
	case strings.Contains(p.says, "in string"):
		return "a text is not closed on its line", `close the text with a double quote, or write \n for a line break in it`
	}
	return p.unquoted(line)
}

// first reports whether nothing of the document was read yet.
func (p *jsonPlace) first() bool { return p.last == 0 && len(p.open) == 0 }

func (p *jsonPlace) wrongBracket(found string) (message, fix string) {
	if len(p.open) == 0 {
		return "nothing is open that " + found + " closes", "remove the " + found
	}
	b := p.open[len(p.open)-1]
	if b.closing() != found {
		return found + " cannot close the " + b.shownAt(p.at.Line), "write " + b.closing() + " for the " + b.shownAt(p.at.Line)
	}
	return "a value is missing", "write the value before " + found
}

var (
	commented = Lazily(`^(?:#[^\n]*\n\s*)+[{\[]`) // JSON after lines of comments
	yamlLine  = Lazily(`^(?:---|- \S.*|-|[A-Za-z_$][\w.-]*:(?: .*)?)$`)
	tomlLine  = Lazily(`^(?:\[+[\w.-]+\]+|[A-Za-z_][\w.-]*\s*=.*)$`)
)

// foreignDocument tells from its first line that a document has another format.
func foreignDocument(line string) (message, fix string) {
	switch {
	case strings.HasPrefix(line, "```"):
		return "this is Markdown around the JSON", "remove the line, and the one that ends the block"
	case strings.HasPrefix(line, "<"):
		return "this is XML or HTML, not JSON", "supply the JSON file, or configure the tool to write JSON"
	case strings.HasPrefix(line, "#"):
		return "this is YAML or Markdown, not JSON", "write JSON: { before the first key, double quotes around keys and texts, } at the end"
	case yamlLine().MatchString(line):
		return MessageYAML, "write JSON: { before the first key, double quotes around keys and texts, } at the end"
	case tomlLine().MatchString(line):
		return "this is TOML or a list of settings, not JSON", "write JSON: {\"key\": value}, with a colon between key and value"
	case strings.HasPrefix(line, "'"), strings.HasPrefix(line, "“"):
		return (&jsonPlace{last: 1}).unquoted(line)
	}
	return "this is not JSON", "write only the JSON value to the file: it begins with { or ["
}

// foreignWords are literals of other languages, and what JSON has for them.
var foreignWords = map[string]string{
	"True": "true", "TRUE": "true", "yes": "true", "on": "true", "False": "false", "FALSE": "false", "no": "false", "off": "false",
	"None": "null", "NULL": "null", "Null": "null", "nil": "null", "undefined": "null", "NaN": "null", "Infinity": "null", "-Infinity": "null",
}

var (
	bareWord  = Lazily(`^[^\s,:\]}"'“”‘’]+`)
	bareWords = Lazily(`^[^,\]}"]+`)
)

// unquoted is about a text without quotes, or in quotes that are none in JSON.
func (p *jsonPlace) unquoted(line string) (message, fix string) {
	for _, q := range [][2]string{{"'", "'"}, {"“", "”"}, {"”", "”"}, {"‘", "’"}, {"`", "`"}} {
		if rest, found := strings.CutPrefix(line, q[0]); found {
			text, _, _ := strings.Cut(rest, q[1])
			return "JSON has only straight double quotes", "write " + QuoteJSON(text) + ", in double quotes"
		}
	}
	word := bareWord().FindString(line)
	if strings.HasPrefix(line[len(word):], " ") && !p.key { // a text of several words
		word = strings.TrimRight(bareWords().FindString(line), " ")
	}
	switch {
	case strings.HasPrefix(word, "="):
		return "JSON has no equals sign", "write a colon between the key and its value"
	case word == "":
		return "", ""
	case strings.IndexByte("-0123456789", word[0]) >= 0 && !p.key && foreignWords[word] == "":
		return "this is not a number as JSON writes it", "write digits, such as 0 or 0.5, or put the value into double quotes"
	case p.key:
		return "a key has no quotes", "write " + QuoteJSON(word) + ", in double quotes"
	case foreignWords[word] != "":
		return "JSON has no " + word, "write " + foreignWords[word] + " in place of " + word
	}
	return "a text has no quotes", "write " + QuoteJSON(word) + ", in double quotes"
}

// wrongEncoding fills in the error of a text that begins with a byte order mark, or is UTF-16.
func wrongEncoding(e *Error, text []byte) bool {
	const powerShell = "save it as UTF-8 without byte order mark; in PowerShell write | Out-File -Encoding utf8NoBOM in place of >"
	switch {
	case bytes.HasPrefix(text, []byte("\xfe\xff")), bytes.HasPrefix(text, []byte("\xff\xfe")),
		len(text) > 3 && ((text[0] == 0 && text[2] == 0) || (text[1] == 0 && text[3] == 0)):
		e.Message, e.Found, e.Fix = "this is UTF-16", Excerpt(text), powerShell
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		e.Message, e.Found, e.Fix = "the file begins with a byte order mark", Excerpt(text), "save it as UTF-8 without byte order mark"
	case len(text) > 0 && invalidUTF8(text[:min(len(text), utf8.UTFMax)]) == 0:
		e.Message, e.Found, e.Fix = "this is not valid UTF-8", Excerpt(text), "save it as UTF-8"
	default:
		return false
	}
	return true
}

// WrongEncoding is the error of a text that begins with a byte order mark, is UTF-16, or begins with what is not UTF-8;
// false for any other text.
func WrongEncoding(at Pos, text []byte) (Error, bool) {
	e := Error{Pos: at, Expected: "UTF-8 without byte order mark"}
	found := wrongEncoding(&e, text)
	return e, found
}

// QuoteJSON writes a text as a JSON string, shortened for a message. YAML reads it too.
func QuoteJSON(s string) string {
	// The error of AppendQuote would be about invalid UTF-8, and there is none left.
	text, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(Clip(s), "\ufffd"))
	return string(text)
}

// ExplainJSON is the error of a text that is not JSON, or of what follows its value; false when it is one value.
func ExplainJSON(text []byte) (Error, bool) {
	errs := &Errors{}
	size := int64(len(text))
	s := NewStream(bytes.NewReader(text), Bounds{Bytes: size, ValueBytes: size, Values: size, Depth: maxDepth}, errs)
	for ok := true; ok; {
		if _, ok = s.next(nil); ok && s.dec.StackDepth() == 0 {
			ok = false
			s.End()
		}
	}
	all := errs.All()
	if len(all) == 0 {
		return Error{}, false
	}
	return all[0], true
}
