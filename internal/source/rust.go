package source

import (
	"bytes"
	"strings"
)

// rust finds the functions with an attribute that makes them tests.
func (d *finder) rust() {
	for at := 0; at < len(d.Code); {
		switch c := d.Code[at]; {
		case c == '#' && d.byteAt(at+1) == '[' && d.isRustTest(at+1):
			at = d.rustFunction(at)
		case IsWord(c):
			word, end := d.word(at)
			if string(word) == "mod" {
				end = d.rustModule(at, end)
			}
			at = end
		default:
			at++
		}
	}
}

// isRustTest reports whether the attribute in brackets is #[test], #[tokio::test(…)], #[cfg_attr(…, test)] or the like.
func (d *finder) isRustTest(at int) bool {
	end := d.brackets().mateAt(at)
	from := d.skip(at + 1)
	to := from
	for to < end && (IsWord(d.Code[to]) || d.Code[to] == ':') {
		to++
	}
	if end < from {
		return false
	}
	path := string(d.Code[from:to])
	if path == "cfg_attr" {
		_, last, _ := bytes.Cut(d.Code[to:end], []byte(","))
		return string(bytes.Trim(last, " )")) == "test"
	}
	name := path[strings.LastIndexByte(path, ':')+1:]
	return oneOf(name, "test rstest test_case case bench quickcheck gtest proptest test_matrix parameterized property_test wasm_bindgen_test") ||
		strings.HasSuffix(name, "_test") || strings.HasPrefix(path, "test_log::")
}

// rustFunction notes the function whose attribute is at an offset, and returns where to go on.
func (d *finder) rustFunction(mark int) int {
	at := mark
	for at < len(d.Code) {
		switch c := d.Code[at]; {
		case c == '[' || c == '(':
			at = d.past(at)
		case IsWord(c):
			word, end := d.word(at)
			if string(word) == "fn" {
				return d.rustBody(d.declaration(mark), end)
			}
			if !oneOf(string(word), "pub async unsafe const extern crate") {
				return end
			}
			at = end
		case c == '#' || c == '"' || isBlank(c):
			at++
		default:
			return at + 1
		}
	}
	return at
}

func (d *finder) rustBody(from, at int) int {
	at = d.skip(at)
	_, end := d.word(at)
	if d.byteAt(end) == '#' { // r#name
		_, end = d.word(end + 1)
	}
	open := d.skip(end)
	if d.byteAt(open) == '<' {
		if open = d.typeArguments(open); open == none {
			return end
		}
		open = d.skip(open)
	}
	if end == at || d.byteAt(open) != '(' {
		return max(end, at)
	}
	body, last := d.methodBody(d.past(open))
	d.leave(from)
	d.enter(d.name(string(d.Code[at:end])), from, body, last, false)
	return body + 1
}

// rustModule notes a module, and returns where to go on.
func (d *finder) rustModule(from, at int) int {
	start := d.skip(at)
	word, end := d.word(start)
	body := d.skip(end)
	if len(word) == 0 || d.byteAt(body) != '{' {
		return at
	}
	d.leave(from)
	s := scope{end: d.past(body) - 1, name: d.scope().name}
	if !oneOf(string(word), "test tests") {
		s.name = d.name(string(word))
	}
	name := s.name
	if name == "" {
		name = string(word)
	}
	s.test = d.add(name, d.declaration(from), body+1, s.end, true)
	d.scopes = append(d.scopes, s)
	return body
}
