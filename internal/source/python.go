package source

import (
	"bytes"
	"strings"
)

// indented is a block of Python: a line and those behind it that are farther to the right.
type indented struct {
	indent int
	line   int
	last   int // its last line
	test   int // of a function or class: its place in the tests, or none
	inner  bool
}

// python finds the functions whose names begin with test, at the top and in classes.
func (d *finder) python() {
	p := &pythonFinder{finder: d}
	p.lines()
}

type pythonFinder struct {
	*finder
	open      []indented
	decorated int // the first line of the decorators of the next function or class; 0 for none
}

func (p *pythonFinder) lines() {
	if !IsTest(p.Path) {
		return
	}
	inText := p.textLines()
	for n := 1; n <= p.Lines(); n++ {
		code := p.CodeLine(n)
		indent, word := indentation(code)
		switch {
		case inText(n) || p.brackets().openAt(p.starts[n-1]) != none || p.continued(n):
			p.extend(n, len(word) > 0 || len(bytes.TrimSpace(p.Line(n))) > 0)
		case len(word) > 0:
			p.shut(indent)
			p.statement(n, indent, word)
			p.extend(n, true)
		default:
			p.comment(n)
		}
	}
	p.shut(-1)
}

// indentation is how far a line is to the right, and what follows.
func indentation(line []byte) (indent int, rest []byte) {
	for i, c := range line {
		switch c {
		case ' ', '\f':
			indent++
		case '\t':
			indent = indent/8*8 + 8
		default:
			return indent, line[i:]
		}
	}
	return indent, nil
}

// textLines reports for lines, in their order, whether they begin inside a literal.
func (f *File) textLines() func(n int) bool {
	texts := f.texts
	return func(n int) bool {
		start := f.starts[n-1]
		for len(texts) > 0 && texts[0].to < start {
			texts = texts[1:]
		}
		return len(texts) > 0 && texts[0].from < start
	}
}

// continued reports whether the line before ends with a backslash.
func (f *File) continued(n int) bool { return bytes.HasSuffix(f.CodeLine(n-1), []byte("\\")) }

// extend makes a line the last one of the innermost block.
func (p *pythonFinder) extend(n int, content bool) {
	if last := len(p.open) - 1; last >= 0 && content {
		p.open[last].last = n
	}
}

// comment makes a line with nothing but a comment the last one of the block that its place says.
func (p *pythonFinder) comment(n int) {
	indent, text := indentation(p.Line(n))
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	for i := len(p.open) - 1; i >= 0 && i >= len(p.open)-100; i-- {
		if p.open[i].indent < indent {
			p.open[i].last = n
			return
		}
	}
}

// shut ends the blocks that are not to the left of an indentation.
func (p *pythonFinder) shut(indent int) {
	for n := len(p.open) - 1; n >= 0 && p.open[n].indent >= indent; n-- {
		b := p.open[n]
		p.open = p.open[:n]
		if n > 0 {
			p.open[n-1].last = max(p.open[n-1].last, b.last)
		}
		if b.test != none {
			p.tests[b.test].End = max(p.tests[b.test].End, b.last)
			p.tests[b.test].Body = min(p.tests[b.test].Body, p.tests[b.test].End)
			p.scopes = p.scopes[:len(p.scopes)-1]
		}
	}
}

// statement reads the first line of a statement.
func (p *pythonFinder) statement(n, indent int, code []byte) {
	b := indented{indent: indent, line: n, last: n, test: none}
	if last := len(p.open) - 1; last >= 0 {
		b.inner = p.open[last].inner
	}
	if code[0] == '@' {
		if p.decorated == 0 {
			p.decorated = n
		}
		p.open = append(p.open, b)
		return
	}
	word, rest := pythonWord(code)
	if word == "async" {
		word, rest = pythonWord(bytes.TrimLeft(rest, " \t"))
	}
	name, _ := pythonWord(bytes.TrimLeft(rest, " \t"))
	switch {
	case word == "class":
		b.test = p.note(n, name, true)
	case word == "def":
		if !b.inner && strings.HasPrefix(name, "test") {
			b.test = p.note(n, name, false)
		}
		b.inner = true
	}
	p.decorated = 0
	p.open = append(p.open, b)
}

func pythonWord(code []byte) (word string, rest []byte) {
	n := WordEnd(code)
	return string(code[:n]), code[n:]
}

// note adds a test or a class.
func (p *pythonFinder) note(n int, name string, group bool) int {
	from := n
	if p.decorated > 0 {
		from = p.decorated
	}
	name = p.name(name)
	p.tests = append(p.tests, Test{Name: name, Line: from, Body: p.pythonBody(n), End: n, Group: group})
	test := len(p.tests) - 1
	p.scopes = append(p.scopes, scope{name: name, test: test})
	return test
}

// pythonBody is the first line of the body of a function or class whose head begins on a line.
func (p *pythonFinder) pythonBody(n int) int {
	at, end := p.starts[n-1], len(p.Code)
	for at < end && p.Code[at] != ':' {
		switch p.Code[at] {
		case '(', '[', '{':
			at = p.past(at)
		case '\n':
			return n
		default:
			at++
		}
	}
	for at++; at < end && isBlank(p.Text[at]); at++ {
	}
	return p.LineAt(min(at, end))
}
