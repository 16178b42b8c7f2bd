package input

import (
	"bytes"
	"strings"
)

// line returns a line of the text, without its end; "" when there is none.
func (p *yamlParser) line(number int) string {
	rest := p.data
	for ; number > 1; number-- {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return strings.TrimSuffix(string(line), "\r")
}

// indented shows a line with the indentation of the collection that is read.
func (p *yamlParser) indented(number int) string { return p.inColumn(number, p.column) }

func (p *yamlParser) inColumn(number, column int) string {
	text := strings.TrimSpace(p.line(number))
	if column < 1 || (!strings.HasPrefix(text, "- ") && !yamlLine().MatchString(text)) {
		return "indent the line like the item or key above it"
	}
	return "write the line as " + Quote(strings.Repeat(" ", column-1)+text)
}

// ends notes that a mapping or a list ended at the current token, which does not fit into its column.
func (p *yamlParser) ends(column int) {
	at := p.peek(0).pos.Column
	if p.ended != p.at || abs(column-at) < abs(p.endedAt-at) {
		p.ended, p.endedAt = p.at, column
	}
}

func abs(i int) int { return max(i, -i) }

var yamlNoSpace = Lazily(`^[A-Za-z_][A-Za-z_]*:[^\s:/\\]`)

// strayFix says what to do about a token that belongs to no value.
func (p *yamlParser) strayFix(t yamlToken) string {
	if fix := commentFix(t.text); fix != "" {
		return fix
	}
	if yamlNoSpace().MatchString(t.text) {
		key, value, _ := strings.Cut(t.text, ":")
		return "write a space after the colon: " + Quote(key+": "+value)
	}
	if p.ended == p.at { // by a key or an item that stands in another column
		return p.inColumn(t.pos.Line, p.endedAt)
	}
	return "correct the indentation, or put the text into quotes"
}

// commentFix is about a text that begins as a comment of JSON with comments; "" for another one.
func commentFix(text string) string {
	if strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") {
		return "begin the comment with #"
	}
	return ""
}
