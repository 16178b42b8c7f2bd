package code

import (
	"bytes"
	"sort"
)

// Conditional reports whether the code of a line runs only under a condition that begins on line from or behind it. It is
// [File.ConditionalAt] for the last word of the line, so that it fits a line with one statement.
func (f *File) Conditional(line, from int) bool {
	if line < 1 || line > len(f.starts) {
		return false
	}
	code := f.CodeLine(line)
	end := len(code)
	for end > 0 && !isWord(code[end-1]) {
		end--
	}
	if end == 0 {
		end = len(code) // no word
	}
	return f.ConditionalAt(f.wordStart(f.starts[line-1]+end), from)
}

// ConditionalAt reports whether the code at an offset runs only under a condition that begins on line from or behind it: a block
// around it has the head if, else, switch, case, match, when, unless, catch, except or rescue, or its statement has a
// condition, as in x && skip(), if x: skip(), skip() if x and x ? skip() : y. A loop around it counts unless a function lies
// between them, since tests are often made in loops. A condition without a name in it, such as if true, does not count, nor
// does try or with.
func (f *File) ConditionalAt(offset, from int) bool {
	if f.Lang == None || offset < 0 || offset > len(f.Code) {
		return false
	}
	first := len(f.Code)
	if from <= len(f.starts) {
		first = f.starts[max(from, 1)-1]
	}
	at, function := f.wordStart(offset), false
	for level := 0; at >= first && level < maxDepth; level++ {
		start := f.statementStart(at, f.byteAt(at) != '{' || level == 0)
		if f.condition(f.Code[max(start, first):at], &function) || level == 0 && f.conditionBehind(at) {
			return true
		}
		around := f.brackets().around(at)
		if around == none {
			break
		}
		at = int(f.brackets().at[around])
	}
	if f.Lang == Python || f.Lang == Ruby {
		return f.conditionAround(f.LineAt(offset), first)
	}
	return false
}

// conditionAround looks at the blocks around a line of a language in which not only braces begin one.
func (f *File) conditionAround(line, first int) bool {
	b, function := f.blocks(), false
	list := f.enclosing(line)
	for i := len(list) - 1; i >= 0; i-- {
		from, open := int(b.from[list[i]]), int(b.open[list[i]])
		if from < first {
			return false
		}
		end, limit := open, min(open+maxHead, len(f.Code))
		for end < limit && f.Code[end] != '\n' {
			end++
		}
		if f.condition(f.Code[from:end], &function) {
			return true
		}
	}
	return false
}

// The words that make a condition, a loop and a function.
const (
	conditionWords = "if else elif elsif switch select match case when unless catch except rescue"
	loopWords      = "for while until loop"
	functionWords  = "func function fn fun def lambda"
)

// condition reports whether code has a condition outside brackets. It notes a function, behind which loops do not count.
func (f *File) condition(code []byte, function *bool) bool {
	named := false // something in front of an operator has a name
	isFunction := false
	for at := 0; at < len(code); {
		c := code[at]
		switch {
		case isWord(c):
			end := at
			for end < len(code) && isWord(code[end]) {
				end++
			}
			word := string(code[at:end])
			switch {
			case at > 0 && code[at-1] == '.':
				named = true
			case oneOf(word, conditionWords):
				if !f.otherMeaning(word, code, end) && !constant(word, code[end:]) {
					return true
				}
			case oneOf(word, loopWords):
				if !*function && !isFunction && !bytes.HasPrefix(code, []byte("impl")) && !constant(word, code[end:]) {
					return true
				}
			case oneOf(word, functionWords):
				isFunction = true
			case named && oneOf(word, "and or") && (f.Lang == Python || f.Lang == Ruby):
				return true
			default:
				named = named || hasName([]byte(word))
			}
			at = end
		case (c == '(' || c == '[' || c == '{') && at+1 < len(code):
			end := matching(code, at)
			named = named || hasName(code[at:end])
			at = end
		case c == '&' && next(code, at) == '&' || c == '|' && next(code, at) == '|' && f.Lang != Rust:
			if named {
				return true
			}
			at += 2
		case c == '?' && at > 0 && isBlank(code[at-1]) && f.Lang != Rust:
			if named {
				return true
			}
			at++
		case c == '=' && next(code, at) == '>' || c == '-' && next(code, at) == '>':
			isFunction = f.Lang != Rust || isFunction
			at += 2
		default:
			at++
		}
	}
	*function = *function || isFunction
	return false
}

func next(code []byte, at int) byte {
	if at+1 < len(code) {
		return code[at+1]
	}
	return 0
}

// matching is the offset behind the bracket that closes the one at an offset.
func matching(code []byte, at int) int {
	depth := 0
	for ; at < len(code); at++ {
		switch code[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return at
}

// otherMeaning reports whether a word that can make a condition does not do so here: the method when() of Mockito, the name
// match.
func (f *File) otherMeaning(word string, code []byte, end int) bool {
	switch word {
	case "when":
		return f.Lang == JavaScript || f.Lang == TypeScript || f.Lang == Java && !isKotlin(f.Path) || f.Lang == Python
	case "match":
		return f.Lang != Rust && (f.Lang != Python || end < len(code) && code[end] != ' ')
	case "select":
		return f.Lang != Go
	case "unless", "elsif", "rescue":
		return f.Lang != Ruby
	case "except", "elif":
		return f.Lang != Python
	}
	return false
}

// constant reports whether what follows if or while has no name in it.
func constant(word string, condition []byte) bool {
	return oneOf(word, "if unless while until elif elsif") && len(bytes.TrimSpace(condition)) > 0 && !hasName(condition)
}

// hasName reports whether code has a word other than those that are always the same.
func hasName(code []byte) bool {
	for at := 0; at < len(code); {
		if !isWord(code[at]) {
			at++
			continue
		}
		end := at
		for end < len(code) && isWord(code[end]) {
			end++
		}
		if isLetter(code[at]) && !oneOf(string(code[at:end]), "true false True False nil null None not and or is then do undefined") {
			return true
		}
		at = end
	}
	return false
}

// conditionBehind reports whether a condition follows on the line in the statement of an offset, as in skip() if x.
func (f *File) conditionBehind(at int) bool {
	if f.Lang != Python && f.Lang != Ruby {
		return false
	}
	end, limit := at, min(at+maxHead, len(f.Code))
	for end < limit && f.Code[end] != '\n' && f.Code[end] != ';' && closes(f.Code[end]) == 0 {
		if c := f.Code[end]; c == '(' || c == '[' || c == '{' {
			end = f.past(end)
		} else {
			end++
		}
	}
	for end = min(end, limit); at < end; at++ {
		switch c := f.Code[at]; {
		case c == '(' || c == '[' || c == '{':
			at = f.past(at) - 1
		case isWord(c) && !isWord(f.byteAt(at-1)):
			word, next := f.word(at)
			if oneOf(string(word), "if unless while until") && (f.Lang == Ruby || string(word) == "if") && !constant(string(word), f.Code[next:end]) {
				return true
			}
		}
	}
	return false
}

// InTest reports whether a line belongs to a test: the file is one of tests, or the line lies in a test, or in what Rust
// compiles for tests only.
func (f *File) InTest(line int) bool {
	if IsTest(f.Path) {
		return true
	}
	if !f.partsFound {
		f.partsFound = true
		f.parts = f.testParts()
	}
	n := sort.Search(len(f.parts), func(i int) bool { return f.parts[i].to >= line })
	return n < len(f.parts) && f.parts[n].from <= line
}

// testParts are the lines that belong to tests, in their order.
func (f *File) testParts() []span {
	var all []span
	for _, t := range f.Tests() {
		all = append(all, span{t.Line, t.End})
	}
	if f.Lang == Rust {
		all = append(all, f.rustTestParts()...)
		sort.Slice(all, func(i, j int) bool { return all[i].from < all[j].from })
	}
	var parts []span
	for _, p := range all {
		if n := len(parts) - 1; n >= 0 && p.from <= parts[n].to {
			parts[n].to = max(parts[n].to, p.to)
		} else {
			parts = append(parts, p)
		}
	}
	return parts
}

// rustTestParts are the items behind #[cfg(test)].
func (f *File) rustTestParts() []span {
	var parts []span
	for at := 0; ; {
		n := bytes.Index(f.Code[at:], []byte("#[cfg("))
		if n < 0 {
			return parts
		}
		at += n
		from, end := at, f.past(at+1)
		at = end
		if !testOnly(f.Code[from:end]) {
			continue
		}
		for at < len(f.Code) && f.Code[at] != '{' && f.Code[at] != ';' {
			if c := f.Code[at]; c == '(' || c == '[' {
				at = f.past(at)
			} else {
				at++
			}
		}
		if f.byteAt(at) == '{' {
			at = f.past(at)
		}
		parts = append(parts, span{f.LineAt(from), f.LineAt(min(at, len(f.Code)-1))})
	}
}

// testOnly reports whether the attribute cfg demands test.
func testOnly(code []byte) bool {
	code = bytes.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' {
			return -1
		}
		return r
	}, code)
	return bytes.HasPrefix(code, []byte("#[cfg(test)")) ||
		bytes.HasPrefix(code, []byte("#[cfg(all(test,")) || bytes.HasPrefix(code, []byte("#[cfg(all(")) && bytes.Contains(code, []byte(",test)"))
}
