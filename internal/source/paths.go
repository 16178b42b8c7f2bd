package source

import (
	"path"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// IsTest reports whether a path is that of a file of tests or of what only tests use. Documents and data are none.
func IsTest(name string) bool {
	if isData(name) {
		return false
	}
	for name != "" {
		var segment string
		segment, name, _ = strings.Cut(name, "/")
		if testSegment(segment, name != "") {
			return true
		}
	}
	return false
}

// testSegment reports whether a directory or a file is named like tests.
func testSegment(segment string, directory bool) bool {
	lower := strings.ToLower(segment)
	switch {
	case directory && oneOf(lower, " testing cypress e2e __tests__ __test__ __mocks__ testutil testutils testhelper testhelpers testsupport "):
		return true
	case !directory && lower == "conftest.py":
		return true
	}
	return testWord(lower) || (!directory && testSuffix(segment))
}

// testWord reports whether test, tests, spec or specs is a word of a name such as a_test.go or Polly.Core.Tests.
func testWord(lower string) bool {
	for word := range strings.FieldsFuncSeq(lower, func(r rune) bool { return strings.ContainsRune("_.-", r) }) {
		if oneOf(word, " test tests spec specs ") {
			return true
		}
	}
	return false
}

// testSuffix reports whether a file is named like a class of tests, such as StackTest.java or StackSpecs.cs.
func testSuffix(segment string) bool {
	stem, _, _ := strings.Cut(segment, ".")
	stem = strings.TrimRight(stem, "0123456789")
	for _, suffix := range []string{"Test", "Tests", "Spec", "Specs", "TestCase", "TestCases", "IT"} {
		if before, found := strings.CutSuffix(stem, suffix); found && before != "" {
			last := before[len(before)-1]
			return (last >= 'a' && last <= 'z') || (last >= '0' && last <= '9') || suffix != "IT"
		}
	}
	return false
}

func isKotlin(name string) bool {
	return strings.HasSuffix(name, ".kt") || strings.HasSuffix(name, ".kts")
}

// isData reports whether a path is that of a document or of data.
func isData(name string) bool {
	return oneOf(strings.ToLower(path.Ext(name)), " .md .mdx .markdown .rst .txt .adoc .asciidoc .org .html .htm .css .scss .less"+
		" .json .json5 .jsonl .jsonc .yaml .yml .toml .ini .cfg .conf .xml .csv .tsv .sql .lock .snap .golden .ambr .approved .verified"+
		" .svg .png .jpg .jpeg .gif .ico .webp .pdf .zip .gz .bin .dat .pem .crt .key .spec .properties .env .sum .mod .csproj .sln .slnx"+
		" .resx .props .targets .editorconfig .gitignore .log .proto .graphql .ipynb .txtar .patch .diff .out .map .wasm ")
}

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
