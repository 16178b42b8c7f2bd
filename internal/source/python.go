package source

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// python finds the functions whose names begin with test, at the top and in classes.
func (d *finder) python() {
	if !IsTest(d.Path) {
		return
	}
	b := d.blocks()
	inner := make([]bool, len(b.list)) // in a function, or one
	for i, one := range b.list {
		inner[i] = one.parent != none && inner[one.parent]
		word, name := "", ""
		if one.mark > 0 {
			word, name = pythonHead(d.Code[one.from:one.open])
		}
		isTest := word == "def" && !inner[i] && strings.HasPrefix(name, "test")
		inner[i] = inner[i] || word == "def"
		if word != "class" && !isTest {
			continue
		}
		from, open := d.starts[one.mark-1], int(one.open)
		d.leave(int(one.from))
		if d.byteAt(open) == '\n' {
			open = int(one.from) - 1
		}
		d.enter(d.name(name), from, open, int(one.end), word == "class")
	}
}

var pythonDeclares = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:async\s+)?(class|def)\b\s*([^\s(:\[]*)`)
})

// pythonHead is what a statement declares, class or def, and the name.
func pythonHead(code []byte) (word, name string) {
	if m := pythonDeclares().FindSubmatch(code); m != nil {
		return string(m[1]), string(m[2])
	}
	return "", ""
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
