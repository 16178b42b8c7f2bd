package linediff

import "bytes"

// side is the part of one version between the first and the last difference.
type side struct {
	text    []byte
	first   int     // how many lines lie before text
	starts  []int   // where each line begins, and the end of text
	ids     []int32 // of each line; lines have the same id when they have the same bytes, \n included
	changed []bool  // whether the script names the line
}

// cut takes off the whole lines with which both versions begin and end.
func cut(before, after []byte) (a, b *side) {
	head := commonHead(before, after)
	first := bytes.Count(before[:head], newline)
	before, after = before[head:], after[head:]
	tail := commonTail(before, after)
	return &side{text: before[:len(before)-tail], first: first}, &side{text: after[:len(after)-tail], first: first}
}

var newline = []byte{'\n'}

// commonHead is the length of the whole lines with which a and b begin.
func commonHead(a, b []byte) int {
	const block = 4096
	n, end := 0, min(len(a), len(b))
	for n+block <= end && bytes.Equal(a[n:n+block], b[n:n+block]) {
		n += block
	}
	for n < end && a[n] == b[n] {
		n++
	}
	return bytes.LastIndexByte(a[:n], '\n') + 1
}

// commonTail is the length of the whole lines with which a and b end. Both begin with a line.
func commonTail(a, b []byte) int {
	const block = 4096
	n, end := 0, min(len(a), len(b))
	for n+block <= end && bytes.Equal(a[len(a)-n-block:len(a)-n], b[len(b)-n-block:len(b)-n]) {
		n += block
	}
	for n < end && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	if beginsLine(a, len(a)-n) && beginsLine(b, len(b)-n) {
		return n
	}
	_, lines, _ := bytes.Cut(a[len(a)-n:], newline) // what follows the last newline is not a line
	return len(lines)
}

func beginsLine(text []byte, at int) bool { return at == 0 || text[at-1] == '\n' }

// countLines counts a last line without \n too.
func countLines(text []byte) int {
	n := bytes.Count(text, newline)
	if !beginsLine(text, len(text)) {
		n++
	}
	return n
}

// split finds the lines.
func (s *side) split() {
	lines := countLines(s.text)
	s.starts, s.ids, s.changed = make([]int, 0, lines+1), make([]int32, lines), make([]bool, lines)
	for at := 0; len(s.starts) < lines; {
		s.starts = append(s.starts, at)
		at += bytes.IndexByte(s.text[at:], '\n') + 1
	}
	s.starts = append(s.starts, len(s.text))
}

// line returns a line with its \n.
func (s *side) line(i int) []byte { return s.text[s.starts[i]:s.starts[i+1]] }

// markAll names every line in the script.
func (s *side) markAll() {
	for i := range s.changed {
		s.changed[i] = true
	}
}

// changedLines lists what the script names.
func (s *side) changedLines() []Line {
	count := 0
	for _, c := range s.changed {
		if c {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	lines := make([]Line, 0, count)
	for i, c := range s.changed {
		if c {
			text, ended := bytes.CutSuffix(s.line(i), newline)
			lines = append(lines, Line{Number: s.first + i + 1, Text: text, NoNewline: !ended})
		}
	}
	return lines
}

// intern gives every line its id: the place of the first line with the same bytes, where the lines of b come after
// those of a. So a line of b occurs in a when its id is less than the number of a's lines.
func intern(a, b *side) {
	known, first := map[string]int32{}, 0
	for _, s := range []*side{a, b} {
		text := string(s.text) // one copy, of which the keys are parts
		for i := range s.ids {
			line := text[s.starts[i]:s.starts[i+1]]
			id, there := known[line]
			if !there {
				id = int32(first + i)
				known[line] = id
			}
			s.ids[i] = id
		}
		first = len(a.ids)
	}
}
