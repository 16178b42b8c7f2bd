package source

import (
	"path"
	"strings"
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
	case directory && oneOf(lower, "testing cypress e2e __tests__ __test__ __mocks__ testutil testutils testhelper testhelpers testsupport"):
		return true
	case !directory && oneOf(lower, "conftest.py"):
		return true
	}
	return testWord(lower) || (!directory && testSuffix(segment))
}

// testWord reports whether test, tests, spec or specs is a word of a name such as a_test.go or Polly.Core.Tests.
func testWord(lower string) bool {
	for lower != "" {
		end := strings.IndexAny(lower, "_.-")
		word, rest := lower, ""
		if end >= 0 {
			word, rest = lower[:end], lower[end+1:]
		}
		if oneOf(word, "test tests spec specs") {
			return true
		}
		lower = rest
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
	return oneOf(strings.ToLower(path.Ext(name)), ".md .mdx .markdown .rst .txt .adoc .asciidoc .org .html .htm .css .scss .less"+
		" .json .json5 .jsonl .jsonc .yaml .yml .toml .ini .cfg .conf .xml .csv .tsv .sql .lock .snap .golden .ambr .approved .verified"+
		" .svg .png .jpg .jpeg .gif .ico .webp .pdf .zip .gz .bin .dat .pem .crt .key .spec .properties .env .sum .mod .csproj .sln .slnx"+
		" .resx .props .targets .editorconfig .gitignore .log .proto .graphql .ipynb .txtar .patch .diff .out .map .wasm")
}
