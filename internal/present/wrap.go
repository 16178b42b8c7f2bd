package present

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wrap breaks the lines of a text that are wider than a number of columns, between words. Continuations are indented: below
// the last column of a table or list of flags, else by a little more than the line itself. Commands that are a line of their own
// stay whole, so that they can be copied.
//
// The text must be neutral already; the sequences that colour words have no width. No continuation begins with a colon, so
// that none becomes a workflow command.
func Wrap(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, newline := strings.CutSuffix(line, "\n")
		if isCommand(line) {
			b.WriteString(line)
		} else {
			wrapLine(&b, line, width, hanging(line, width, 4))
		}
		if newline {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// isCommand reports whether a line is never broken.
func isCommand(line string) bool {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	return indent >= 2 && (strings.HasPrefix(text, "closeout ") || strings.HasPrefix(text, "$ "))
}

// wrapLine writes a line, and what does not fit on lines that are indented by hang.
func wrapLine(b *strings.Builder, line string, width, hang int) {
	for room := width; ; room = width - hang {
		at := breakAt(line, room)
		if at < 0 {
			b.WriteString(line)
			return
		}
		b.WriteString(strings.TrimRight(line[:at], " ") + "\n" + strings.Repeat(" ", hang))
		line = strings.TrimLeft(line[at:], " ")
	}
}

// hanging is how far the continuations of a line are indented: those of a line without indentation by plain.
func hanging(line string, width, plain int) int {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch {
	case isItem(text):
		return indent + strings.IndexByte(text, ' ') + 1
	case indent == 0:
		return plain
	}
	hang := indent + 2
	for at := indent; at < len(line); at++ { // the last column that leaves a third of the width
		if line[at] != ' ' && strings.HasSuffix(line[indent:at], "  ") {
			column := columns(line[:at])
			if column > width*2/3 {
				break
			}
			hang = column
		}
	}
	return hang
}

// breakAt is the space before the first word that does not fit, or the first space after a word that is too wide; -1 when the
// line fits or has no such space.
func breakAt(line string, width int) int {
	column, last, inWord := 0, -1, false
	for i := 0; i < len(line); {
		if n := colorLength(line[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		if r == ' ' && inWord && i+1 < len(line) && line[i+1] != ' ' && line[i+1] != ':' {
			if column > width && last < 0 {
				return i
			}
			last = i
		}
		inWord = inWord || r != ' '
		if column += runeColumns(r); column > width && last >= 0 && r != ' ' {
			return last
		}
		i += size
	}
	return -1
}

// colorLength is the length of the sequence at the start of a text that colours what follows; 0 when there is none.
func colorLength(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	return strings.IndexByte(s[:min(len(s), len(red))], 'm') + 1
}

// columns is the width of a text on a terminal.
func columns(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if skip := colorLength(s[i:]); skip > 0 {
			i += skip
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n += runeColumns(r)
		i += size
	}
	return n
}

// runeColumns is the width of a character. It is right for what is common: marks have none, East Asian characters and emoji two.
func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0x1100 && r < 0x1160, r >= 0x2e80 && r < 0xa4d0, r >= 0xac00 && r < 0xd7a4, r >= 0xf900 && r < 0xfb00,
		r >= 0xff00 && r < 0xff61, r >= 0x1f300 && r < 0x1fb00, r >= 0x20000 && r < 0x40000:
		return 2
	}
	return 1
}

// Page is a text in Markdown, or in plain paragraphs, for a terminal: paragraphs fill the width, and headings are bold if colours
// are wanted. Tables and code stay as they are. A width of 0 leaves all lines as they are. Otherwise the last line gets a newline.
func Page(text string, width int, color bool) string {
	if width == 0 && !color {
		return text
	}
	var b strings.Builder
	paragraph := ""
	end := func() {
		if paragraph != "" {
			wrapLine(&b, paragraph, width, hanging(paragraph, width, 0))
			b.WriteByte('\n')
		}
		paragraph = ""
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		words := strings.TrimLeft(line, " ")
		fence := strings.HasPrefix(words, "```")
		fenced = fenced != fence
		heading := strings.HasPrefix(line, "#") && !fenced
		switch {
		case width == 0 || heading || fenced || fence || words == "" || words[0] == '|' || len(line)-len(words) >= 4:
			end()
			if heading && color {
				line = bold + line + reset
			}
			b.WriteString(line + "\n")
		case paragraph != "" && !isItem(words):
			paragraph += " " + words
		default:
			end()
			paragraph = line
		}
	}
	end()
	return b.String()
}

// isItem reports whether a line begins an item of a list.
func isItem(words string) bool {
	mark, _, found := strings.Cut(words, " ")
	digits, numbered := strings.CutSuffix(mark, ".")
	return found && (mark == "-" || mark == "*" || (numbered && digits != "" && strings.Trim(digits, "0123456789") == ""))
}
