package source

import (
	"bytes"
	"strings"
)

// rubyScanner finds the blocks of Ruby: def … end, do … end, { … } and so on. Their kinds are 'd' def, 'c' class or
// module, 'b' block of a call, 'i' condition, 'l' loop, '{', 'o' other.
type rubyScanner struct {
	*File
	list    []block
	open    []int // places in the list
	words   int   // how many of them end with the word end
	braces  int
	loop    bool // a loop whose do may follow on this line
	defined int  // where the name of a method ends
}

// rubyBlocks are the blocks of Ruby.
func (f *File) rubyBlocks() []block {
	s := &rubyScanner{File: f}
	s.scan()
	return s.list
}

func (s *rubyScanner) scan() {
	for at := 0; at < len(s.Code); {
		switch c := s.Code[at]; {
		case c == '\n' || c == ';':
			s.loop = false
			at++
		case c == '{':
			s.begin('{', s.Statement(at), at)
			at++
		case c == '}':
			s.shut(at, at, true)
			at++
		case IsWord(c):
			word, end := s.word(at)
			if s.isKeyword(at, end) {
				s.keyword(string(word), at, end)
			}
			at = end
		default:
			at++
		}
	}
	for _, n := range s.open {
		s.list[n].end, s.list[n].tail = int32(len(s.Code)-1), int32(len(s.Code)+1)
	}
}

func (s *rubyScanner) begin(kind byte, from, at int) {
	if kind == '{' {
		s.braces++
	} else {
		s.words++
	}
	s.list = append(s.list, block{kind: kind, from: int32(from), open: int32(at)})
	s.open = append(s.open, len(s.list)-1)
}

// shut ends the innermost block of a kind. A brace ends what is left open inside.
func (s *rubyScanner) shut(tail, end int, brace bool) {
	if (brace && s.braces == 0) || (!brace && (s.words == 0 || s.list[s.open[len(s.open)-1]].kind == '{')) {
		return
	}
	for {
		n := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.list[n].end, s.list[n].tail = int32(end), int32(tail)
		if s.list[n].kind == '{' {
			s.braces--
		} else {
			s.words--
		}
		if brace == (s.list[n].kind == '{') {
			return
		}
	}
}

// isKeyword reports whether a word can be a keyword: not a method, a symbol, a variable or a key.
func (s *rubyScanner) isKeyword(at, end int) bool {
	before, behind := s.byteAt(at-1), s.byteAt(end)
	return at >= s.defined && before != '.' && before != '@' && before != '$' &&
		(before != ':' || s.byteAt(at-2) == ':') &&
		behind != '?' && behind != '!' && (behind != ':' || s.byteAt(end+1) == ':')
}

func (s *rubyScanner) keyword(word string, at, end int) {
	switch word {
	case "end":
		s.shut(at, end-1, false)
	case "class", "module":
		s.begin('c', at, at)
	case "def":
		s.def(at, end)
	case "begin":
		s.begin('o', at, at)
	case "case":
		s.begin('i', at, at)
	case "do":
		if s.loop {
			s.loop = false
			return
		}
		s.begin('b', s.Statement(at), at)
	case "if", "unless", "while", "until", "for":
		if word != "for" && s.isModifier(at) {
			return
		}
		kind := byte('i')
		if word != "if" && word != "unless" {
			kind, s.loop = 'l', true
		}
		s.begin(kind, at, at)
	}
}

// def notes a method, unless its body is an expression behind =.
func (s *rubyScanner) def(at, end int) {
	name := end
	for name < len(s.Code) && (s.Code[name] == ' ' || s.Code[name] == '\t') {
		name++
	}
	for name < len(s.Code) && (IsWord(s.Code[name]) || s.Code[name] == '.') {
		name++
	}
	for c := s.byteAt(name); c == '?' || c == '!'; c = s.byteAt(name) {
		name++
	}
	s.defined = name
	if next := s.byteAt(name); (isBlank(next) && next != '\n') || next == '(' {
		next := name
		if s.Code[name] == '(' {
			next = s.past(name)
		}
		for s.byteAt(next) == ' ' {
			next++
		}
		if s.byteAt(next) == '=' && s.byteAt(next+1) != '=' && s.byteAt(next+1) != '~' {
			return
		}
	}
	s.begin('d', at, at)
}

// isModifier reports whether an if stands behind a statement.
func (s *rubyScanner) isModifier(at int) bool {
	for at--; at >= 0 && (s.Code[at] == ' ' || s.Code[at] == '\t'); at-- {
	}
	if at < 0 {
		return false
	}
	switch c := s.Code[at]; {
	case c == '\n':
		if at > 0 && s.Code[at-1] == '\r' {
			at--
		}
		return at > 0 && s.Code[at-1] == '\\' && s.isModifier(at-1)
	case c == '?' && IsWord(s.byteAt(at-1)): // a method such as empty?
		return true
	case IsWord(c):
		from := s.wordStart(at)
		return !oneOf(string(s.Code[from:at+1]), " then else do begin and or not when in ensure elsif if unless while until ") || s.byteAt(from-1) == '.'
	}
	return strings.IndexByte("=([{,|&;<+*>?:-\\", s.Code[at]) < 0
}

// ruby finds the methods of Minitest and the blocks of RSpec and Rails.
func (d *finder) ruby() {
	if !IsTest(d.Path) {
		return
	}
	for i, one := range d.blocks().list {
		b := d.block(i)
		d.leave(b.Open)
		switch one.kind {
		case 'c':
			d.rubyClass(b)
		case 'd':
			name, _ := d.word(d.skip(b.Open + len("def")))
			if bytes.HasPrefix(name, []byte("test_")) {
				d.rubyTest(d.name(string(name)), b, false)
			}
		case 'b', '{':
			if name, group, ok := d.rubyCall(b); ok {
				d.rubyTest(d.name(name), b, group)
			}
		}
	}
}

func (d *finder) rubyTest(name string, b Block, group bool) {
	d.enter(name, b.From, d.rubyBody(b)-1, b.End, group)
}

// rubyBody is where the body of a block begins: behind its brace, on the next line, behind a semicolon, or so far
// behind that looking further would cost too much in a line with many blocks.
func (d *finder) rubyBody(b Block) int {
	at := b.Open
	if d.Code[at] != '{' {
		at = d.Until(at, min(b.End, at+maxHead), "\n;")
	}
	return min(at+1, b.End)
}

func (d *finder) rubyClass(b Block) {
	word, at := d.word(b.Open)
	if string(word) != "class" {
		return
	}
	at = d.skip(at)
	end := at
	for end < b.End && (IsWord(d.Code[end]) || d.Code[end] == ':') {
		end++
	}
	if end == at {
		return
	}
	d.enterClass(string(d.Code[at:end]), b.From, d.rubyBody(b), b.End)
}

// rubyCall reads the call in front of a block, such as it "does" do.
func (d *finder) rubyCall(b Block) (name string, group, ok bool) {
	at := b.From
	word, end := d.word(at)
	if len(word) == 0 || end > b.Open {
		return "", false, false
	}
	if string(word) == "RSpec" && d.byteAt(end) == '.' {
		word, end = d.word(end + 1)
	}
	switch call := string(word); {
	case oneOf(call, " describe xdescribe fdescribe context xcontext fcontext feature xfeature ffeature example_group shared_examples shared_examples_for shared_context "):
		group = true
	case oneOf(call, " it xit fit specify xspecify fspecify example xexample fexample scenario xscenario fscenario its "):
	case !oneOf(call, " test should pending skip define_method "):
		return "", false, false
	}
	at = end
	to := b.Open
	for at < to && (d.Code[at] == ' ' || d.Code[at] == '(') {
		if d.Code[at] == '(' {
			to = min(to, d.past(at)-1)
		}
		at++
	}
	name, literal := d.rubyName(at, to)
	isMade := string(word) == "define_method" && !strings.HasPrefix(strings.TrimPrefix(name, ":"), "test_")
	if (!literal && oneOf(string(word), " test should pending skip ")) || isMade || d.byteAt(end) == '.' {
		return "", false, false
	}
	return name, group, true
}

// rubyName is the first argument between two offsets, with the second one where that is a literal too.
func (d *finder) rubyName(from, to int) (name string, literal bool) {
	end := d.Until(from, to, ",")
	name, literal = d.text(from, min(end, to))
	if from = d.skip(end + 1); from < to {
		if more, isText := d.text(from, min(d.Until(from, to, ","), to)); isText {
			return name + " " + more, true
		}
	}
	return name, literal
}
