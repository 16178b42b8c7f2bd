package source

import (
	"bytes"
	"sort"
)

// InTest reports whether a line belongs to a test: the file is one of tests, or the line lies in a test, or in what
// Rust compiles for tests only.
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
		bytes.HasPrefix(code, []byte("#[cfg(all(test,")) ||
		(bytes.HasPrefix(code, []byte("#[cfg(all(")) && bytes.Contains(code, []byte(",test)")))
}
