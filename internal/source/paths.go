package source

import (
	"path"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// testPath matches a path with test, tests, spec or specs as a word, such as a_test.go or Polly.Core.Tests/, with a
// directory that is named like one of tests, such as androidTest/ or CoreTests/ but not TypeSpec.Parser/ or LoadTest/,
// and that of a file that is named like a class of tests, such as StackTest.java or StackSpecs.cs.
var testPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i:(?:^|[/_.-])(?:tests?|specs?)(?:[/_.-]|$)|` +
		`(?:^|/)(?:(?:testing|cypress|e2e|__mocks__|test(?:util|helper)s?|testsupport)/|conftest\.py$))|` +
		`(?:^|/)[^/.]*(?:[^/.](?:Tests?|Specs?|TestCases?)|[a-z0-9]IT)\d*(?:\.[^/]*)?$|` +
		`[a-z0-9](?:Tests|Specs)[./]|(?:^|/)(?:[a-z]\w*[a-z0-9]Test|tests?[A-Z]\w*)/`)
})

// IsTest reports whether a path is that of a file of tests or of what only tests use. Documents and data are none.
func IsTest(name string) bool { return !isData(name) && testPath().MatchString(name) }

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
	if !f.partsFound {
		f.partsFound = true
		f.parts = f.testParts()
	}
	n := sort.Search(len(f.parts), func(i int) bool { return f.parts[i].to >= line })
	return n < len(f.parts) && f.parts[n].from <= line
}

// testParts are the lines that belong to tests, in their order.
func (f *File) testParts() []span {
	if IsTest(f.Path) {
		return []span{{0, len(f.Text)}}
	}
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
		at = f.Until(at, len(f.Code), "{;")
		if f.byteAt(at) == '{' {
			at = f.past(at)
		}
		parts = append(parts, span{f.LineAt(m[0]), f.LineAt(min(at, len(f.Code)-1))})
	}
	return parts
}
