package input

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// yamlToken is one token of a YAML text with its place in bytes.
type yamlToken struct {
	kind    token.Type
	text    string // of a scalar, decoded
	pos     Pos
	endLine int // line on which it ends
	second  Pos // where its second line begins; zero when there is none
}

// scalar reports whether t is a scalar in one of the flow styles: plain, or in quotes.
func (t yamlToken) scalar() bool { return t.plain() || t.quoted() }

func (t yamlToken) quoted() bool {
	return t.kind == token.SingleQuoteType || t.kind == token.DoubleQuoteType
}

func (t yamlToken) plain() bool {
	switch t.kind {
	case token.StringType, token.NullType, token.BoolType, token.InfinityType, token.NanType, token.IntegerType,
		token.FloatType, token.BinaryIntegerType, token.OctetIntegerType, token.HexIntegerType:
		return true
	}
	return false
}

// yamlScan cuts a text into tokens, without comments. It returns nil and adds errors when the text contains something
// that JSON cannot contain. scan is the library's scanner; its tokens are checked against the text.
func yamlScan(data []byte, scan func(string) token.Tokens, anchors bool, errs *Errors) []yamlToken {
	if !yamlPlainText(data, errs) {
		return nil
	}
	// The scanner reads the two characters at the end of a Windows line as two line breaks.
	raw, ok := yamlTokenize(strings.ReplaceAll(string(data), "\r\n", "\n"), scan)
	w := &yamlWalk{src: string(data), index: LineIndex{Data: data, Line: 1}, errs: errs, ok: true, anchors: anchors}
	if !ok {
		w.unreadable(0)
		return nil
	}
	return w.tokens(raw)
}

// yamlTokenize calls the library's scanner, which may panic on text that is not YAML.
func yamlTokenize(text string, scan func(string) token.Tokens) (tokens token.Tokens, ok bool) {
	defer func() {
		if recover() != nil {
			tokens, ok = nil, false
		}
	}()
	return scan(text), true
}

// The limits of yamlPlainText. The time of the library's scanner grows with the square of these.
const (
	yamlBlankLines = 100 // blank lines in a row
	yamlAngles     = 100 // '<' in a row
)

// yamlPlainText refuses characters that YAML forbids, or that readers of YAML disagree about, and runs of characters
// for which the scanner would need minutes.
func yamlPlainText(data []byte, errs *Errors) bool {
	angles, blank, ok := 0, 0, true
	index := LineIndex{Data: data, Line: 1}
	for i, c := range data {
		switch c {
		case '\n':
			blank, angles = blank+1, 0
		case '<':
			blank, angles = 0, angles+1
		case ' ', '\r':
			angles = 0
		default:
			blank, angles = 0, 0
		}
		var e Error
		switch {
		case c == '\t':
			e.Message, e.Fix = "the YAML contains a tab character", `indent with spaces; inside a text write "\t" in double quotes`
		case c == '\r' && (i+1 == len(data) || data[i+1] != '\n'):
			e.Message, e.Fix = "the YAML contains a carriage return without a line feed", "end lines with a line feed"
		case c < ' ' && c != '\n' && c != '\r', c == 0x7f:
			e.Message, e.Fix = "the YAML contains a control character", `remove it, or write it as an escape in double quotes`
		case c >= 0x80 && yamlOddSeparator(data[i:]):
			e.Message, e.Fix = "the YAML contains a line separator other than a line feed", `end lines with a line feed; inside a text write "\u2028" in double quotes`
			e.Found = Excerpt(data[i:])
		case angles > yamlAngles, blank > yamlBlankLines:
			e.Message, e.Fix = "the YAML contains a run of more than 100 equal characters", "remove it"
			e.Found, e.Expected = "more than 100 blank lines or '<' in a row", "at most 100"
			angles, blank = 0, 0
		default:
			continue
		}
		e.Pos, ok = index.Pos(i), false
		e.Found = cmp.Or(e.Found, fmt.Sprintf("the byte 0x%02x", c))
		e.Expected = cmp.Or(e.Expected, "printable text in lines that end with a line feed")
		errs.Add(e)
	}
	return ok
}

// yamlOddSeparator reports whether data begins with U+0085, U+2028 or U+2029: YAML 1.1 ends a line there, YAML 1.2 does not.
func yamlOddSeparator(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\u0085")) || bytes.HasPrefix(data, []byte("\u2028")) || bytes.HasPrefix(data, []byte("\u2029"))
}

// yamlWalk finds each token of the library again in the text, because the library's own positions count characters and
// drift. Only white space may be between two tokens: a part of the text that the library loses or changes is an error.
type yamlWalk struct {
	src     string
	at      int
	index   LineIndex
	errs    *Errors
	ok      bool
	refused int  // where the last token that check refused ends
	anchors bool // they are fine, and aliases
}

func (w *yamlWalk) tokens(raw token.Tokens) []yamlToken {
	list := []yamlToken{}
	for _, tk := range raw {
		if tk.Type == token.StringType && strings.TrimSpace(tk.Value) == "" && len(list) > 0 {
			empty := list[len(list)-1] // the blank text after the | or > of an empty block takes no place
			empty.kind, empty.text = token.StringType, tk.Value
			list = append(list, empty)
			continue
		}
		w.at = w.skipBlank(w.at)
		t := yamlToken{kind: tk.Type, text: tk.Value, pos: w.index.Pos(w.at)}
		if tk.Type == token.InvalidType {
			w.fail(w.at, "this is not valid YAML: "+tk.Error, "YAML 1.2", invalidFix(tk.Error))
			return nil
		}
		end := w.end(tk)
		if end < 0 {
			w.unreadable(w.at)
			return nil
		}
		w.check(tk, end)
		if lines := strings.IndexByte(w.src[w.at:end], '\n'); lines >= 0 {
			t.second = w.index.Pos(w.skipBlank(w.at + lines))
		}
		w.at, t.endLine = end, w.index.Pos(end).Line
		if tk.Type != token.CommentType {
			list = append(list, t)
		}
	}
	if rest := w.skipBlank(w.at); rest < len(w.src) {
		w.unreadable(rest)
	}
	if !w.ok {
		return nil
	}
	return list
}

// invalidFix says what to do about an error of the library's scanner.
func invalidFix(message string) string {
	switch {
	case strings.Contains(message, "end character"):
		return "close the quote at the end of the text"
	case strings.Contains(message, "escape"):
		return `write / between directories, and \\ for a backslash, or use single quotes`
	}
	return "correct the line; a text with special characters needs quotes"
}

func (w *yamlWalk) skipBlank(at int) int {
	for at < len(w.src) && strings.IndexByte(" \n\r", w.src[at]) >= 0 {
		at++
	}
	return at
}

var (
	yamlSingleQuoted = Lazily(`^'(?:[^']|'')*'`)
	yamlDoubleQuoted = Lazily(`^"(?:[^"\\]|\\(?:[0abtnvfre "/\\N_LP\n]|\r\n|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))*"`)
)

// end returns the offset after the token that starts at w.at, or -1 when the text there is something else.
func (w *yamlWalk) end(tk *token.Token) int {
	rest := w.src[w.at:]
	var syntax *regexp.Regexp
	switch tk.Type {
	case token.CommentType:
		line, _, _ := strings.Cut(rest, "\n")
		if !strings.HasPrefix(line, "#") {
			return -1
		}
		return w.at + len(line)
	case token.SingleQuoteType:
		syntax = yamlSingleQuoted()
	case token.DoubleQuoteType:
		syntax = yamlDoubleQuoted()
	default:
		return w.endOfText(tk.Value)
	}
	if found := syntax.FindStringIndex(rest); found != nil {
		return w.at + found[1]
	}
	return -1
}

// endOfText passes over the characters of a text. White space is ignored, because folding lines may change it.
func (w *yamlWalk) endOfText(text string) int {
	at := w.at
	for i := range len(text) {
		if text[i] == ' ' || text[i] == '\n' {
			continue
		}
		at = w.skipBlank(at)
		if at == len(w.src) || w.src[at] != text[i] {
			return -1
		}
		at++
	}
	return at
}

// yamlRefused are the tokens that JSON does not have, each with message and fix.
var yamlRefused = map[token.Type][2]string{
	token.AnchorType:     {"anchors are not allowed", "write the value out; a text that begins with & needs quotes"},
	token.AliasType:      {"aliases are not allowed", "write the value out; a pattern that begins with * needs quotes"},
	token.TagType:        {"tags are not allowed", "remove the tag; a text that begins with ! needs quotes, and a pattern that excludes belongs into forbidden_files"},
	token.MergeKeyType:   {"merge keys are not allowed", "write the keys out"},
	token.DirectiveType:  {"directives are not allowed", "remove the line; a text that begins with % needs quotes"},
	token.MappingKeyType: {"keys with a question mark are not allowed", "write key: value; a text that begins with ? needs quotes"},
}

// check reports tokens that JSON does not have, and escapes that name no character.
func (w *yamlWalk) check(tk *token.Token, end int) {
	why, refused := yamlRefused[tk.Type]
	if tk.Type == token.DoubleQuoteType && strings.ContainsRune(tk.Value, utf8.RuneError) && !strings.ContainsRune(w.src[w.at:end], utf8.RuneError) {
		why, refused = [2]string{"an escape in this text names no character", `write the character itself, or a whole pair of \u escapes`}, true
	}
	if !refused || (w.anchors && (tk.Type == token.AnchorType || tk.Type == token.AliasType)) {
		return
	}
	if w.ok || w.refused < w.at { // of a run such as ** the first one is enough
		w.fail(w.at, why[0], "YAML that contains only what JSON can contain", why[1])
	}
	w.ok, w.refused = false, end
}

// unreadable reports a text that only some readers of YAML accept, or none.
func (w *yamlWalk) unreadable(at int) {
	w.fail(at, "this YAML is unreadable", "YAML 1.2", "put the text into double quotes, correct its escapes, or write the contract as JSON")
}

func (w *yamlWalk) fail(at int, message, expected, fix string) {
	w.ok = false
	w.errs.Add(Error{Pos: w.index.Pos(at), Message: message, Found: Excerpt([]byte(w.src[at:])), Expected: expected, Fix: fix})
}

// yamlBlank reports whether data contains only white space and comments.
func yamlBlank(data []byte) bool {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}
