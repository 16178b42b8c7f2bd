package source

import "sort"

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
