package strict

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"

	"github.com/closeout-gate/closeout/verify/diag"
)

// yamlToken is one token of a YAML text with its place in bytes.
type yamlToken struct {
	kind    token.Type
	text    string // of a scalar, decoded
	pos     diag.Pos
	endLine int      // line on which it ends
	second  diag.Pos // where its second line begins; zero when there is none
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

// yamlScan cuts a text into tokens, comments left out. It returns nil and adds errors when the text holds something
// that the JSON model does not have. scan is the library's scanner; what it says is checked against the text.
func yamlScan(data []byte, scan func(string) token.Tokens, errs *diag.Errors) []yamlToken {
	if !yamlPlainText(data, errs) {
		return nil
	}
	// The scanner folds the two characters that end a line on Windows as if they were two line breaks.
	raw, ok := yamlTokenize(strings.ReplaceAll(string(data), "\r\n", "\n"), scan)
	w := &yamlWalk{src: string(data), index: LineIndex{Data: data, Line: 1}, errs: errs}
	if !ok {
		w.unreadable(0)
		return nil
	}
	return w.tokens(raw)
}

// yamlTokenize calls the library's scanner, which may panic on text that is no YAML.
func yamlTokenize(text string, scan func(string) token.Tokens) (tokens token.Tokens, ok bool) {
	defer func() {
		if recover() != nil {
			tokens, ok = nil, false
		}
	}()
	return scan(text), true
}

// What yamlPlainText bounds. The library's scanner needs time that grows with the square of these.
const (
	yamlBlankLines = 100 // blank lines in a row
	yamlAngles     = 100 // '<' in a row
)

// yamlPlainText refuses characters that YAML forbids, or that readers of YAML disagree about, and runs of characters
// that would keep the scanner busy for minutes.
func yamlPlainText(data []byte, errs *diag.Errors) bool {
	angles, blank, ok := 0, 0, true
	index := LineIndex{Data: data, Line: 1}
	for i, c := range data {
		blank = yamlRun(blank, c == '\n', c == ' ' || c == '\r')
		angles = yamlRun(angles, c == '<', false)
		e := diag.Error{Found: fmt.Sprintf("the byte 0x%02x", c), Expected: "printable text in lines that end with a line feed"}
		switch {
		case c == '\t':
			e.Message, e.Fix = "a tab character stands in the YAML", `indent with spaces; inside a text write "\t" in double quotes`
		case c == '\r' && (i+1 == len(data) || data[i+1] != '\n'):
			e.Message, e.Fix = "a carriage return stands alone", "end lines with a line feed"
		case c < ' ' && c != '\n' && c != '\r', c == 0x7f:
			e.Message, e.Fix = "a control character stands in the YAML", `remove it, or write it as an escape in double quotes`
		case c >= 0x80 && yamlOddSeparator(data[i:]):
			e.Message, e.Fix = "a line separator that is no line feed stands in the YAML", `end lines with a line feed; inside a text write "\u2028" in double quotes`
			e.Found = diag.Excerpt(data[i:])
		case angles > yamlAngles, blank > yamlBlankLines:
			e.Message, e.Fix = "a run of more than 100 equal characters stands in the YAML", "remove it"
			e.Found, e.Expected = "more than 100 blank lines or '<' in a row", "at most 100"
			angles, blank = 0, 0
		default:
			continue
		}
		e.Pos, ok = index.Pos(i), false
		errs.Add(e)
	}
	return ok
}

// yamlOddSeparator reports whether data begins with U+0085, U+2028 or U+2029: YAML 1.1 ends a line there, YAML 1.2 does not.
func yamlOddSeparator(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\u0085")) || bytes.HasPrefix(data, []byte("\u2028")) || bytes.HasPrefix(data, []byte("\u2029"))
}

// yamlRun counts a character that repeats; neutral characters neither count nor end the run.
func yamlRun(run int, same, neutral bool) int {
	switch {
	case same:
		return run + 1
	case neutral:
		return run
	}
	return 0
}

// yamlWalk goes along the text beside the library's tokens. The library's own positions count characters and drift, so
// each token is found again in the text. Nothing but white space may lie between two tokens: what the library would
// lose or change is an error here.
type yamlWalk struct {
	src     string
	at      int
	index   LineIndex
	errs    *diag.Errors
	ok      bool
	refused int // where the last token ends that check has refused
}

func (w *yamlWalk) tokens(raw token.Tokens) []yamlToken {
	w.ok = true
	list := []yamlToken{}
	for _, tk := range raw {
		if tk.Type == token.StringType && strings.TrimSpace(tk.Value) == "" && len(list) > 0 {
			list = append(list, yamlEmpty(list[len(list)-1], tk.Value)) // it takes no place
			continue
		}
		w.at = w.skipBlank(w.at)
		t := yamlToken{kind: tk.Type, text: tk.Value, pos: w.index.Pos(w.at)}
		if tk.Type == token.InvalidType {
			w.invalid(tk, t.pos)
			return nil
		}
		end := w.end(tk)
		if end < 0 {
			w.unreadable(w.at)
			return nil
		}
		w.check(tk, end, t.pos)
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

// yamlEmpty is the blank text that follows the | or > of an empty block.
func yamlEmpty(header yamlToken, text string) yamlToken {
	header.kind, header.text = token.StringType, text
	return header
}

func (w *yamlWalk) skipBlank(at int) int {
	for at < len(w.src) && strings.IndexByte(" \n\r", w.src[at]) >= 0 {
		at++
	}
	return at
}

// end returns the offset after the token that starts at w.at, or -1 when the text there is something else.
func (w *yamlWalk) end(tk *token.Token) int {
	rest := w.src[w.at:]
	switch tk.Type {
	case token.CommentType:
		return w.endOfComment(rest)
	case token.SingleQuoteType:
		return w.endOfMatch(yamlSingleQuoted, rest)
	case token.DoubleQuoteType:
		return w.endOfMatch(yamlDoubleQuoted, rest)
	default:
		return w.endOfText(tk.Value)
	}
}

var (
	yamlSingleQuoted = Lazily(`^'(?:[^']|'')*'`)
	yamlDoubleQuoted = Lazily(`^"(?:[^"\\]|\\(?:[0abtnvfre "/\\N_LP\n]|\r\n|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))*"`)
)

func (w *yamlWalk) endOfComment(rest string) int {
	if !strings.HasPrefix(rest, "#") {
		return -1
	}
	if line := strings.IndexByte(rest, '\n'); line >= 0 {
		return w.at + line
	}
	return len(w.src)
}

func (w *yamlWalk) endOfMatch(syntax func() *regexp.Regexp, rest string) int {
	found := syntax().FindStringIndex(rest)
	if found == nil {
		return -1
	}
	return w.at + found[1]
}

// endOfText passes over the characters of a text, white space left aside: that is what folding lines may change.
func (w *yamlWalk) endOfText(text string) int {
	at := w.at
	for i := w.skipIn(text, 0); i < len(text); i = w.skipIn(text, i+1) {
		at = w.skipBlank(at)
		if at == len(w.src) || w.src[at] != text[i] {
			return -1
		}
		at++
	}
	return at
}

func (w *yamlWalk) skipIn(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n') {
		i++
	}
	return i
}

// check reports tokens that the JSON model does not have.
func (w *yamlWalk) check(tk *token.Token, end int, at diag.Pos) {
	e := diag.Error{Pos: at, Found: diag.Excerpt([]byte(w.src[w.at:])), Expected: "YAML that says no more than JSON can"}
	switch tk.Type {
	case token.AnchorType:
		e.Message, e.Fix = "anchors are not allowed", "write the value out; a text that begins with & needs quotes"
	case token.AliasType:
		e.Message, e.Fix = "aliases are not allowed", "write the value out; a pattern that begins with * needs quotes"
	case token.TagType:
		e.Message, e.Fix = "tags are not allowed", "remove the tag; a text that begins with ! needs quotes"
	case token.MergeKeyType:
		e.Message, e.Fix = "merge keys are not allowed", "write the keys out"
	case token.DirectiveType:
		e.Message, e.Fix = "directives are not allowed", "remove the line; a text that begins with % needs quotes"
	case token.MappingKeyType:
		e.Message, e.Fix = "keys with a question mark are not allowed", "write key: value; a text that begins with ? needs quotes"
	case token.DoubleQuoteType:
		if !strings.ContainsRune(tk.Value, utf8.RuneError) || strings.ContainsRune(w.src[w.at:end], utf8.RuneError) {
			return
		}
		e.Message, e.Fix = "an escape in this text names no character", `write the character itself, or a whole pair of \u escapes`
	default:
		return
	}
	if w.ok || w.refused < w.at { // of a run such as ** the first one is enough
		w.errs.Add(e)
	}
	w.ok, w.refused = false, end
}

// invalid reports a token that the library could not read.
func (w *yamlWalk) invalid(tk *token.Token, at diag.Pos) {
	w.errs.Add(diag.Error{
		Pos: at, Message: "this is not valid YAML: " + tk.Error, Found: diag.Excerpt([]byte(w.src[w.at:])), Expected: "YAML 1.2",
		Fix: "correct the line; a text with special characters needs quotes",
	})
}

// unreadable reports a text that is YAML to some readers only, or to none.
func (w *yamlWalk) unreadable(at int) {
	w.ok = false
	w.errs.Add(diag.Error{
		Pos: w.index.Pos(at), Message: "this YAML could not be read", Found: diag.Excerpt([]byte(w.src[at:])), Expected: "YAML 1.2",
		Fix: "put the text into double quotes, correct its escapes, or write the contract as JSON",
	})
}

// yamlBlank reports whether data holds nothing but white space and comments.
func yamlBlank(data []byte) bool {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}
