package source

import (
	"regexp"
	"sort"
	"sync"
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

// testOnly matches the attribute cfg that demands test.
var testOnly = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`#\[\s*cfg\(\s*(?:all\(\s*(?:[^\[\]]*,\s*)?)?test\s*[,)]`)
})

// rustTestParts are the items behind #[cfg(test)].
func (f *File) rustTestParts() []span {
	var parts []span
	at := 0
	for _, m := range testOnly().FindAllIndex(f.Code, -1) {
		if m[0] < at {
			continue
		}
		at = f.past(m[0] + 1)
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
		parts = append(parts, span{f.LineAt(m[0]), f.LineAt(min(at, len(f.Code)-1))})
	}
	return parts
}
