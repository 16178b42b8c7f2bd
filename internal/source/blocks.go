package source

import "bytes"

// blocks are the blocks of a file, in the order in which they open. A block is named by its place in the lists.
type blocks struct {
	from   []int32 // where the head begins, such as if in if x {
	open   []int32 // where the head ends
	parent []int32 // the block around it
	inner  []int32 // for each line the innermost block around its first byte of code
}

func (b *blocks) add(from, open int, parent int32) int32 {
	b.from, b.open, b.parent = append(b.from, int32(from)), append(b.open, int32(open)), append(b.parent, parent)
	return int32(len(b.from) - 1)
}

// maxDepth is how many blocks around a line are looked at, so that a file of nothing but braces costs no more than
// others.
const maxDepth = 64

// Enclosing gives the numbers of the lines on which the blocks around a line begin, the outermost first: functions,
// classes, conditions, loops. A block begins with its head: the line of if, not that of the brace behind it. Where
// there are more than 64 it gives the innermost.
func (f *File) Enclosing(line int) []int {
	var lines []int
	for _, b := range f.enclosing(line) {
		lines = append(lines, f.LineAt(int(f.blocks().from[b])))
	}
	return lines
}

// enclosing are the blocks around a line, the outermost first.
func (f *File) enclosing(line int) []int32 {
	if line < 1 || line > len(f.starts) {
		return nil
	}
	b := f.blocks()
	var list []int32
	for n := b.inner[line-1]; n != none && len(list) < maxDepth; n = b.parent[n] {
		list = append(list, n)
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// blocks are those of the file.
func (f *File) blocks() *blocks {
	if f.nested == nil {
		f.nested = &blocks{inner: make([]int32, len(f.starts))}
		for i := range f.nested.inner {
			f.nested.inner[i] = none
		}
		switch f.Lang {
		case None:
		case Python:
			f.pythonBlocks(f.nested)
		case Ruby:
			f.rubyBlocks(f.nested)
		default:
			f.braceBlocks(f.nested)
		}
	}
	return f.nested
}

// stack are the blocks that are open.
type stack []int32

func (s stack) top() int32 {
	if len(s) == 0 {
		return none
	}
	return s[len(s)-1]
}

// braceBlocks fills in the blocks of a language with braces.
func (f *File) braceBlocks(out *blocks) {
	b := f.brackets()
	var open stack
	line := 0
	for i, at := range b.at {
		line = f.fillLines(out, line, int(at), &open)
		switch {
		case f.Code[at] == '{':
			open = append(open, out.add(f.headStart(int(at)), int(at), open.top()))
		case f.Code[at] == '}' && b.mate[i] != none:
			for len(open) > 0 && out.open[open.top()] >= b.at[b.mate[i]] {
				open = open[:len(open)-1]
			}
		}
	}
	f.fillLines(out, line, len(f.Code)+1, &open)
}

// fillLines gives the lines from one on, whose first code is in front of an offset, the innermost block. Brackets with
// which a line begins and which close others do not count as its first code.
func (f *File) fillLines(out *blocks, line, before int, open *stack) int {
	for line < len(f.starts) {
		at := f.starts[line]
		end := len(f.Code)
		if line+1 < len(f.starts) {
			end = f.starts[line+1]
		}
		if end > before {
			for at < before && (isBlank(f.Code[at]) || closes(f.Code[at]) != 0) {
				at++
			}
			if at >= before {
				return line
			}
		}
		out.inner[line] = open.top()
		line++
	}
	return line
}

// headStart is where the head begins of the block that a brace opens.
func (f *File) headStart(open int) int { return f.statementStart(open, false) }

// maxHead is how far back a statement is looked for, in bytes, where a pair of brackets costs as much as a hundred.
const maxHead = 4 << 10

// statementStart is where the statement begins that an offset lies in, or the argument. ended is true where a line end
// in front of the offset can end a statement, which it cannot do in front of the brace of a block.
func (f *File) statementStart(at int, ended bool) int {
	start, newLine, most := at, false, maxHead
	if f.Lang == Ruby {
		most /= 4 // nothing like a list of attributes stands in front of a block
	}
	for i, cost := at-1, 0; i >= 0 && cost < most; i, cost = i-1, cost+1 {
		c := f.Code[i]
		switch {
		case c == '\n':
			newLine = true
			continue
		case isBlank(c):
			continue
		case c == ';' || c == '{' || c == '(' || c == '[', c == ':' && newLine && f.Lang != Python,
			newLine && (start < at || ended) && f.endsStatement(i, f.Code[start]),
			c == ',' && f.commaEnds(i):
			return start
		case c == '}' && f.braceEnds(newLine, start):
			return start
		case closes(c) != 0:
			if mate := f.brackets().mateAt(i); mate != none {
				i, cost = mate, cost+100
			}
		}
		start, newLine = i, false
	}
	return start
}

// braceEnds reports whether a statement ends with the brace in front of an offset. In Go it can belong to a value, in
// Ruby to one or to a string, and in the others to the hole of a string.
func (f *File) braceEnds(newLine bool, start int) bool {
	next := f.byteAt(start)
	switch {
	case next == '.' || next == '`':
		return false
	case f.Lang == Go:
		return newLine || f.goesOn(start)
	case f.Lang == Ruby:
		return newLine
	}
	return newLine || IsWord(next) || next == '(' || next == '[' || next == '{' || next == '@'
}

// endsStatement reports whether a statement ends at a line end between the last byte of code in front of it, which is at an
// offset, and the next one.
func (f *File) endsStatement(at int, next byte) bool {
	last := f.Code[at]
	ends := IsWord(last) || last == ')' || last == ']' || last == '}' || last == '"' || last == '\'' || last == '`'
	switch f.Lang {
	case Go:
		return ends
	case Python:
		return last != '\\'
	case JavaScript, TypeScript:
		ends = ends || last == '/' // of a regular expression
	case Ruby:
		before := f.byteAt(at - 1) // for empty? and do |x|
		ends = ends || last == '/' || ((last == '?' || last == '!' || last == '|') && (IsWord(before) || before == ')'))
	case Java:
		if !isKotlin(f.Path) {
			return false
		}
	default:
		return false
	}
	if f.Lang != Ruby && ((last == ')' && f.controls(at)) || (last == 'e' && f.goesOn(f.wordStart(at)))) {
		return false
	}
	return ends && bytes.IndexByte([]byte(".?:&|+*/,=<>)]"), next) < 0
}

// controls reports whether the condition of an if or a loop ends at an offset.
func (f *File) controls(at int) bool {
	mate := f.brackets().mateAt(at)
	if mate == none {
		return false
	}
	for mate--; mate >= 0 && (f.Code[mate] == ' ' || f.Code[mate] == '\t'); mate-- {
	}
	return mate >= 0 && oneOf(string(f.Code[f.wordStart(mate):mate+1]), "if for while")
}

// commaEnds reports whether a comma parts two blocks, such as arguments or the arms of a match, and not two names in a
// head.
func (f *File) commaEnds(at int) bool {
	if f.Lang == JavaScript || f.Lang == TypeScript || f.Lang == Rust {
		return true
	}
	around := f.brackets().openAt(at)
	return around != none && f.Code[f.brackets().at[around]] != '{'
}

// goesOn reports whether a word that follows a brace goes on with its statement, as else does.
func (f *File) goesOn(at int) bool {
	word, _ := f.word(at)
	return string(word) == "else"
}

// pythonBlocks fills in the blocks by the indentation of the lines.
func (f *File) pythonBlocks(out *blocks) {
	inText := f.textLines()
	type open struct {
		indent, line int
		block        int32
	}
	stack := []open{}
	top := func(indent int) int32 { // the block of the innermost line to the left
		n := len(stack)
		for n > 0 && stack[n-1].indent >= indent {
			n--
		}
		stack = stack[:n]
		if n == 0 {
			return none
		}
		if stack[n-1].block == none {
			line := stack[n-1].line
			start := f.starts[line-1]
			stack[n-1].block = out.add(f.skip(start), f.headEnd(start), out.inner[line-1])
		}
		return stack[n-1].block
	}
	for n := 1; n <= len(f.starts); n++ {
		indent, code := indentation(f.CodeLine(n))
		switch {
		case inText(n) || f.brackets().openAt(f.starts[n-1]) != none || f.continued(n) || len(code) == 0:
			if n > 1 {
				out.inner[n-1] = out.inner[n-2]
			}
		default:
			out.inner[n-1] = top(indent)
			stack = append(stack, open{indent, n, none})
		}
	}
}

// headEnd is where the head of a block of Python ends that begins on a line: behind its last bracket.
func (f *File) headEnd(at int) int {
	for at < len(f.Code) && f.Code[at] != '\n' && f.Code[at] != ':' {
		if c := f.Code[at]; c == '(' || c == '[' || c == '{' {
			at = f.past(at)
		} else {
			at++
		}
	}
	return min(at, len(f.Code))
}
