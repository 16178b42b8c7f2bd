package rules

import (
	"bytes"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// deadConditions are added lines, without blanks, behind which nothing runs: prefixes of the line.
var deadConditions = map[source.Lang][]string{
	source.Go:         {"iffalse{", "iffalse&&", "for;false;{", "forfalse{"},
	source.Python:     {"ifFalse:", "if0:", "ifFalseand", "ifnotTrue:", "whileFalse:", "while0:", "ifNone:"},
	source.JavaScript: {"if(false)", "if(0)", "if(false&&", "if(!1)", "if(!true)", "while(false)", "false&&"},
	source.TypeScript: {"if(false)", "if(0)", "if(false&&", "if(!1)", "if(!true)", "while(false)", "false&&"},
	source.Java:       {"if(false)", "if(false&&", "if(!true)"},
	source.CSharp:     {"if(false)", "if(false&&", "if(!true)", "while(false)", "#iffalse", "#if0"},
	source.Rust:       {"iffalse{", "iffalse&&", "whilefalse{", "#[cfg(any())]", "#[cfg(not(all()))]", "#[cfg(false)]", "#[cfg(FALSE)]"},
	source.Ruby:       {"iffalse", "ifnil", "unlesstrue"},
}

// unreachableLines finds assertions behind an added condition that is never true.
func (f *File) unreachableLines(g *gone, d *dead) {
	added := map[int]bool{}
	for _, l := range f.Added() {
		added[l.Number] = true
	}
	until := 0
	for _, l := range f.Added() {
		if l.Number <= until || !isDeadCondition(f.Lang(), f.Head.CodeLine(l.Number)) {
			continue
		}
		until = blockEnd(f.Head, l.Number)
		for n := l.Number; n <= until; n++ {
			if !isAssertion(f.Lang(), f.Head.CodeLine(n)) {
				continue
			}
			if added[n] && !g.had(f.Head, n) {
				continue // the assertion is new
			}
			d.add(deadLine{line: n, was: string(f.Head.Line(n)), now: string(l.Text), how: "behind a condition that is never true"})
		}
	}
}

// had reports whether the base had what a line of the head says, with or without the condition before it.
func (g *gone) had(head *source.File, n int) bool {
	key := liveKey(head, n)
	if g.byKey[key] != nil {
		return true
	}
	for _, condition := range deadConditions[head.Lang] {
		if rest, found := strings.CutPrefix(key, condition); found && g.byKey[strings.Trim(rest, "{};")] != nil {
			return true
		}
	}
	for _, condition := range []string{"iffalse", "unlesstrue"} {
		if rest, found := strings.CutSuffix(key, condition); found && head.Lang == source.Ruby && g.byKey[rest] != nil {
			return true
		}
	}
	return false
}

func isDeadCondition(lang source.Lang, line []byte) bool {
	line = bytes.TrimLeft(line, " \t}")
	if len(line) > 200 || len(line) == 0 {
		return false
	}
	if !begins(line, "if", "#", "while", "for", "unless", "false") {
		return lang == source.Ruby && (ends(line, " if false", " unless true"))
	}
	squeezed := squeeze(nil, line)
	for _, prefix := range deadConditions[lang] {
		if rest, found := bytes.CutPrefix(squeezed, []byte(prefix)); found && (lang != source.Ruby || len(rest) == 0) {
			return true
		}
	}
	return false
}

// maxBlock is how many lines of a block are read.
const maxBlock = 1000

// blockEnd is the last line of the block that a line begins: up to #endif, to the closing brace, or as far as lines are indented.
func blockEnd(f *source.File, line int) int {
	first := f.CodeLine(line)
	switch {
	case begins(bytes.TrimLeft(first, " \t"), "#if"):
		return directiveEnd(f, line)
	case f.Lang == source.Python || f.Lang == source.Ruby:
		return indentEnd(f, line)
	}
	depth, last := 0, min(line+maxBlock-1, f.Lines())
	for n := line; n <= f.Lines() && n < line+maxBlock; n++ {
		for _, c := range f.CodeLine(n) {
			switch c {
			case '{':
				depth++
			case '}':
				if depth--; depth <= 0 {
					return n
				}
			case ';':
				if depth == 0 {
					return n // a statement without braces
				}
			}
		}
	}
	return last
}

func directiveEnd(f *source.File, line int) int {
	for n := line + 1; n <= f.Lines() && n < line+maxBlock; n++ {
		text := bytes.TrimLeft(f.CodeLine(n), " \t")
		if begins(text, "#endif", "#el") {
			return n
		}
	}
	return line
}

func indentEnd(f *source.File, line int) int {
	indent, last := indentOf(f.CodeLine(line)), line
	for n := line + 1; n <= f.Lines() && n < line+maxBlock; n++ {
		text := f.CodeLine(n)
		if isBlank(text) {
			continue
		}
		if indentOf(text) <= indent {
			break
		}
		last = n
	}
	return last
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
