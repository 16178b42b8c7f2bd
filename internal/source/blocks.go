package source

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"
)

// block is a part of a file with a head, such as a function, a class, a condition or a loop.
type block struct {
	kind   byte  // what the finder of a language wants to know
	from   int32 // where the head begins, such as if in if x {
	open   int32 // where the head ends
	end    int32 // its last byte
	tail   int32 // where what ends it begins
	parent int32 // the block around it
	mark   int32 // the line on which it begins with its decorators
}

// blocks are the blocks of a file, in the order in which they open. A block is named by its place in the list.
type blocks struct {
	list  []block
	inner []int32 // for each line the innermost block around its first byte of code
}

// maxDepth is how many blocks around a line are looked at, so that a file of nothing but braces costs no more than
// others.
const maxDepth = 64

// Block is where a block begins with its head, where the head ends, and its last byte.
type Block struct {
	From, Open, End int
	Marked          bool // it has decorators
}

func (f *File) block(n int) Block {
	b := f.blocks().list[n]
	return Block{int(b.from), int(b.open), int(b.end), b.mark > 0 && int(b.mark) < f.LineAt(int(b.from))}
}

// opening is the place of the first block whose head ends at an offset or behind it.
func (f *File) opening(offset int) int {
	list := f.blocks().list
	return sort.Search(len(list), func(i int) bool { return int(list[i].open) >= offset })
}

// Around gives the blocks around an offset, the innermost first: 64 at most.
func (f *File) Around(offset int) (around []Block) {
	n := f.opening(offset) - 1
	for range maxDepth {
		if n == none {
			break
		}
		if one := f.block(n); one.End >= offset {
			around = append(around, one)
		}
		n = int(f.blocks().list[n].parent)
	}
	return around
}

// BlockBehind is the first block whose head ends at an offset or behind it.
func (f *File) BlockBehind(offset int) (b Block, found bool) {
	if n := f.opening(offset); n < len(f.blocks().list) {
		return f.block(n), true
	}
	return b, false
}

// BlockOn is the last block that opens on a line, or else the first one whose head begins there.
func (f *File) BlockOn(line int) (b Block, found bool) {
	if n := f.opening(f.lineEnd(line)+1) - 1; n >= 0 && f.block(n).Open >= f.starts[line-1] {
		return f.block(n), true
	}
	b, found = f.BlockBehind(f.starts[line-1])
	return b, found && f.LineAt(b.From) == line
}

// Enclosing gives the numbers of the lines on which the blocks around a line begin, the outermost first: functions,
// classes, conditions, loops. A block begins with its head: the line of if, not that of the brace behind it. Where
// there are more than 64 it gives the innermost.
func (f *File) Enclosing(line int) (lines []int) {
	if line < 1 || line > len(f.starts) {
		return nil
	}
	b := f.blocks()
	for n := b.inner[line-1]; n != none && len(lines) < maxDepth; n = b.list[n].parent {
		lines = append(lines, f.LineAt(int(b.list[n].from)))
	}
	slices.Reverse(lines)
	return lines
}

// blocks are those of the file.
func (f *File) blocks() *blocks {
	if f.nested == nil {
		f.nested = &blocks{inner: make([]int32, len(f.starts))}
		switch f.Lang {
		case None:
		case Python:
			f.nested.list = f.pythonBlocks()
		case Ruby:
			f.nested.list = f.rubyBlocks()
		default:
			f.nested.list = f.braceBlocks()
		}
		f.fillLines(f.nested)
	}
	return f.nested
}

// braceBlocks are the blocks of a language with braces.
func (f *File) braceBlocks() (list []block) {
	b := f.brackets()
	for i, at := range b.at {
		if f.Code[at] == '{' {
			one := block{from: int32(f.Statement(int(at))), open: at, end: int32(len(f.Code) - 1), tail: int32(len(f.Code) + 1)}
			if b.mate[i] != none {
				one.end, one.tail = b.at[b.mate[i]], b.at[b.mate[i]]
			}
			list = append(list, one)
		}
	}
	return list
}

// fillLines tells of each block and of each line which block is around it. Brackets with which a line begins and which
// close others are not its first code.
func (f *File) fillLines(b *blocks) {
	inner, line, at := int32(none), 0, 0
	fill := func(before int) { // the lines whose first code is in front of an offset
		for ; line < len(f.starts); line++ {
			end := len(f.Code)
			if line+1 < len(f.starts) {
				end = f.starts[line+1]
			}
			for at = max(at, f.starts[line]); end > before && at < before && (isBlank(f.Code[at]) || closes(f.Code[at]) != 0); {
				at++
			}
			if end > before && at >= before {
				return
			}
			b.inner[line] = inner
		}
	}
	leave := func(before int) { // the blocks that end in front of an offset
		for inner != none && int(b.list[inner].tail) < before {
			fill(int(b.list[inner].tail))
			inner = b.list[inner].parent
		}
	}
	for i := range b.list {
		leave(int(b.list[i].open))
		fill(int(b.list[i].open))
		b.list[i].parent, inner = inner, int32(i)
	}
	leave(len(f.Code) + 2)
	fill(len(f.Code) + 1)
}

// maxHead is how far back a statement is looked for, in bytes, where a pair of brackets costs as much as a hundred.
const maxHead = 4 << 10

// Statement is where the statement begins that goes on at an offset, such as the head of the block that a brace opens.
func (f *File) Statement(at int) int {
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
			newLine && start < at && f.endsStatement(i, f.Code[start]),
			c == ',' && f.commaEnds(i):
			return start
		case c == '}' && f.braceEnds(newLine, start):
			return start
		case closes(c) != 0:
			if mate := f.brackets().mateAt(i); mate != none {
				if f.byteAt(mate-1) == '!' && f.byteAt(mate-2) == '#' {
					return start // #![…]
				}
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
		if !isKotlin(f.Path) || f.annotates(at) {
			return false
		}
	case CSharp: // behind #if
		return bytes.HasPrefix(bytes.TrimSpace(f.CodeLine(f.LineAt(at))), []byte("#"))
	default:
		return false
	}
	if f.Lang != Ruby && ((last == ')' && f.controls(at)) || (last == 'e' && f.goesOn(f.wordStart(at)))) {
		return false
	}
	return ends && strings.IndexByte(".?:&|+*/,=<>)]", next) < 0
}

// annotates reports whether an annotation ends at an offset.
func (f *File) annotates(at int) bool {
	if mate := f.brackets().mateAt(at); mate != none {
		at = mate - 1
	}
	for at > 0 && (IsWord(f.Code[at]) || f.Code[at] == '.') {
		at--
	}
	return at >= 0 && f.Code[at] == '@'
}

// controls reports whether the condition of an if or a loop ends at an offset.
func (f *File) controls(at int) bool {
	mate := f.brackets().mateAt(at)
	if mate == none {
		return false
	}
	mate = f.lastBefore(mate)
	return mate >= 0 && oneOf(string(f.Code[f.wordStart(mate):mate+1]), " if for while ")
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

// pythonBlocks are the blocks by the indentation of the lines. A function or class is one even where its body stands on
// the same line.
func (f *File) pythonBlocks() (list []block) {
	type opened struct {
		indent, line, last int
		block              int32
	}
	var stack []opened
	add := func(o *opened) {
		start := f.starts[o.line-1]
		o.block = int32(len(list))
		list = append(list, block{from: int32(f.skip(start)), open: int32(f.Until(start, len(f.Code), "\n:"))})
	}
	leave := func(indent int) {
		for n := len(stack) - 1; n >= 0 && stack[n].indent >= indent; n-- {
			one := stack[n]
			if stack = stack[:n]; n > 0 {
				stack[n-1].last = max(stack[n-1].last, one.last)
			}
			if one.block != none {
				end := int32(f.lineEnd(one.last))
				list[one.block].end, list[one.block].tail = end, end+1
			}
		}
	}
	decorated, inText := 0, f.textLines()
	for n := 1; n <= len(f.starts); n++ {
		indent, code := indentation(f.CodeLine(n))
		top := len(stack) - 1
		goesOn := inText(n) || f.brackets().openAt(f.starts[n-1]) != none || f.continued(n)
		if goesOn || len(code) == 0 {
			text := f.Line(n)
			if !goesOn { // a comment belongs to the block that its place says
				indent, text = indentation(text)
				for lowest := max(top-99, 0); top >= lowest && stack[top].indent >= indent; {
					top--
				}
			}
			if top >= max(len(stack)-100, 0) && (len(code) > 0 || len(bytes.TrimSpace(text)) > 0) {
				stack[top].last = n
			}
			continue
		}
		leave(indent)
		if top = len(stack) - 1; top >= 0 && stack[top].block == none {
			add(&stack[top])
		}
		one := opened{indent, n, n, none}
		if code[0] == '@' {
			decorated = cmp.Or(decorated, n)
		} else {
			if word, _ := pythonHead(code); word != "" {
				add(&one)
				list[one.block].mark = int32(cmp.Or(decorated, n))
			}
			decorated = 0
		}
		stack = append(stack, one)
	}
	leave(-1)
	return list
}

// lineEnd is the last byte of a line.
func (f *File) lineEnd(n int) int {
	if n < len(f.starts) {
		return f.starts[n] - 1
	}
	return len(f.Code) - 1
}

// Until is the offset of the next of some marks outside brackets before an end, or the end.
func (f *File) Until(at, end int, marks string) int {
	for at < end {
		switch c := f.Code[at]; {
		case strings.IndexByte(marks, c) >= 0:
			return at
		case c == '(' || c == '[' || c == '{':
			at = f.past(at)
		default:
			at++
		}
	}
	return end
}

// brackets are the (, [ and { of a file and what closes them, in the order of their offsets. A bracket is named by its
// place in the list; none is -1.
type brackets struct {
	at    []int32 // offset
	mate  []int32 // of an opening one the closing one, of a closing one the opening one; none where there is no other
	inner []int32 // the innermost one that is open behind it
}

const none = -1

func closes(c byte) byte {
	switch c {
	case ')':
		return '('
	case ']':
		return '['
	case '}':
		return '{'
	}
	return 0
}

func isBracket(c byte) bool {
	return c == '(' || c == ')' || c == '[' || c == ']' || c == '{' || c == '}'
}

// matchBrackets matches them. A brace closes what is left open inside; another bracket that does not fit is left out.
func matchBrackets(code []byte) *brackets {
	most := 0
	for _, c := range code {
		if isBracket(c) {
			most++
		}
	}
	all := make([]int32, 3*most) // in one piece of the right size: what grows takes twice as much
	b := &brackets{all[:0:most], all[most : most : 2*most], all[2*most : 2*most]}
	var count [256]int
	inner := int32(none)
	for i, c := range code {
		if !isBracket(c) {
			continue
		}
		open := closes(c)
		place := int32(len(b.at))
		if open == 0 {
			b.add(i, none, place)
			count[c]++
			inner = place
			continue
		}
		if count[open] == 0 || (open != '{' && code[b.at[inner]] != open) {
			continue
		}
		for code[b.at[inner]] != open {
			count[code[b.at[inner]]]--
			inner = b.parent(inner)
		}
		count[open]--
		b.mate[inner] = place
		opening := inner
		inner = b.parent(inner)
		b.add(i, opening, inner)
	}
	return b
}

func (b *brackets) add(at int, mate, inner int32) {
	b.at, b.mate, b.inner = append(b.at, int32(at)), append(b.mate, mate), append(b.inner, inner)
}

// parent is the bracket around an opening one.
func (b *brackets) parent(opening int32) int32 {
	if opening == 0 {
		return none
	}
	return b.inner[opening-1]
}

// next is the first bracket at an offset or behind it.
func (b *brackets) next(offset int) int32 {
	return int32(sort.Search(len(b.at), func(i int) bool { return int(b.at[i]) >= offset }))
}

// openAt is the innermost bracket that is open at an offset.
func (b *brackets) openAt(offset int) int32 {
	if n := b.next(offset); n > 0 {
		return b.inner[n-1]
	}
	return none
}

// mateAt is the offset of the other bracket of the one at an offset, or none.
func (b *brackets) mateAt(offset int) int {
	n := b.next(offset)
	if int(n) == len(b.at) || int(b.at[n]) != offset || b.mate[n] == none {
		return none
	}
	return int(b.at[b.mate[n]])
}

// brackets are those of the file.
func (f *File) brackets() *brackets {
	if f.matched == nil {
		f.matched = matchBrackets(f.Code)
	}
	return f.matched
}

// past is the offset behind the bracket that closes the one at an offset: the end of the file where none does.
func (f *File) past(offset int) int {
	if end := f.brackets().mateAt(offset); end > offset {
		return end + 1
	}
	return len(f.Code)
}

// skip is the offset of the first byte of code from an offset on.
func (f *File) skip(at int) int {
	for at < len(f.Code) && isBlank(f.Code[at]) {
		at++
	}
	return at
}

// lastBefore is the offset of the last byte of code in front of an offset, or none.
func (f *File) lastBefore(at int) int {
	for at--; at >= 0 && isBlank(f.Code[at]); at-- {
	}
	return at
}

// byteAt is a byte of Code, or 0.
func (f *File) byteAt(at int) byte {
	if at < 0 || at >= len(f.Code) {
		return 0
	}
	return f.Code[at]
}

// word is the word at an offset and where it ends.
func (f *File) word(at int) (word []byte, end int) {
	end = at + WordEnd(f.Code[at:])
	return f.Code[at:end], end
}

// wordStart is where the word begins that ends in front of an offset or at it.
func (f *File) wordStart(at int) int {
	for at > 0 && IsWord(f.Code[at-1]) {
		at--
	}
	return at
}
