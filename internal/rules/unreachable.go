package rules

import (
	"bytes"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// neverRuns reports whether nothing runs behind a line that opens a block.
func neverRuns(lang source.Lang, line []byte) bool {
	line = bytes.TrimLeft(line, " \t}")
	if len(line) > 200 {
		return false
	}
	if !begins(line, "if", "#", "while", "for", "unless", "false") {
		return lang == source.Ruby && has(line, " if false", " unless true") && modifier(line) == notEver
	}
	key := string(squeeze(nil, line))
	cfg, isCfg := strings.CutPrefix(key, "#[cfg(")
	return headTruth(line, nil) == notEver || begins(key, "for;false;{", "forfalse{", "false&&", "#iffalse", "#if0") ||
		isCfg && cfgTruth(strings.TrimSuffix(cfg, ")]")) == notEver
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
