package rules

import (
	"bytes"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// UncoveredCode finds functions, classes and files that are newly hidden from the coverage report.
var UncoveredCode = &Rule{
	ID: "closeout/uncovered-code", Title: "A function, class or file is hidden from the coverage report", Severity: input.Warn, Review: true,
	Languages: codeLanguages,
	Find:      func(c *Change, report func(Hit)) { c.uncovered(true, report) },
}

// UncoveredLine finds single lines and branches.
var UncoveredLine = &Rule{
	ID: "closeout/uncovered-line", Title: "A line or branch is hidden from the coverage report", Severity: input.Info,
	Languages: []string{"python", "javascript", "typescript", "go"},
	Find:      func(c *Change, report func(Hit)) { c.uncovered(false, report) },
}

func (c *Change) uncovered(whole bool, report func(Hit)) {
	scan := func(f *File, v *source.File, found func(int, string)) {
		scanUncovered(f, v, func(line int, kind string, all bool) {
			if all == whole {
				found(line, kind)
			}
		})
	}
	for _, list := range c.fresh(true, scan) {
		report(Hit{
			File: list[0].file.Path, Line: list[0].line, Now: list[0].text(), Detail: "hidden from coverage: " + kinds(list),
			Fix: "test the code, or leave it counted",
		})
	}
}

const jsUncovered = "istanbul␣ignore c8␣ignore v8␣ignore node:coverage"

// uncovered are the words that begin a comment which hides code from coverage.
var uncovered = map[source.Lang]string{
	source.Go: "coverage:ignore coverage-ignore notest", source.Python: "pragma:␣no␣cover pragma:no␣cover pragma:␣nocover pragma:␣no␣branch",
	source.JavaScript: jsUncovered, source.TypeScript: jsUncovered,
	source.Rust: "LCOV_EXCL grcov-excl", source.Java: "LCOV_EXCL", source.CSharp: "LCOV_EXCL Stryker␣disable",
	source.Ruby: ":nocov: simplecov:disable",
}

// uncoveredAttributes are the same as code.
var uncoveredAttributes = map[source.Lang]string{
	source.Rust:   "tarpaulin::skip not(tarpaulin coverage(off) not(coverage",
	source.CSharp: "[ExcludeFromCodeCoverage ,␣ExcludeFromCodeCoverage assembly:␣ExcludeFromCodeCoverage",
	source.Java:   "@ExcludeFromJacocoGeneratedReport @ExcludeFromGeneratedCoverage @ExcludeFromCoverage",
}

// scanUncovered finds what is hidden, and whether it is more than a line.
func scanUncovered(f *File, v *source.File, found func(line int, kind string, whole bool)) {
	if !isProduction(f.Path) {
		return
	}
	scanDirectives(v, uncovered[v.Lang], func(pos int, word string) {
		if !isDefensive(v, pos) && !v.InTest(v.LineAt(pos)) {
			found(v.LineAt(pos), strings.Trim(word, ":"), isWhole(v, pos, word))
		}
	})
	for _, word := range tableOf(uncoveredAttributes[v.Lang]) {
		eachPlace(v.Code, word, func(pos int) {
			if line := v.LineAt(pos); !v.InTest(line) {
				found(line, strings.Trim(word, "[, "), true)
			}
		})
	}
}

// isWhole reports whether a comment hides more than a line or a branch.
func isWhole(v *source.File, pos int, word string) bool {
	arg := argument(v.Text, pos, word)
	switch v.Lang {
	case source.Ruby:
		return true
	case source.Python:
		line := bytes.TrimSpace(lineOf(v.Code, pos))
		return bytes.HasPrefix(line, []byte("def ")) || bytes.HasPrefix(line, []byte("async def ")) || bytes.HasPrefix(line, []byte("class ")) || bytes.HasPrefix(line, []byte("@"))
	}
	if strings.HasPrefix(arg, "file") || strings.HasPrefix(arg, "start") || strings.HasPrefix(arg, "disable") || strings.HasPrefix(arg, "_START") {
		return true
	}
	if strings.HasPrefix(arg, "if") || strings.HasPrefix(arg, "else") {
		return false
	}
	next := bytes.TrimSpace(v.CodeLine(nextCode(v, v.LineAt(pos))))
	for _, head := range []string{"func ", "function ", "class ", "export ", "async ", "static ", "public ", "private ", "fn ", "pub "} {
		if bytes.HasPrefix(next, []byte(head)) {
			return true
		}
	}
	return false
}

// defensive are what stands on lines that no test can reach, or that a test need not.
var defensive = []string{
	"TYPE_CHECKING", "__main__", "assert_never", "NotImplementedError", "@overload", "@abstractmethod", "ImportError", "ModuleNotFoundError", "sys.platform",
	"version_info", "unreachable", "__repr__", "__str__", "os.name", "PackageNotFoundError", "Protocol", "_exhaustiveCheck", ": never",
}

// isDefensive reports whether the line of a comment is such a line. A comment alone, or at a colon, is about the next line too.
func isDefensive(v *source.File, pos int) bool {
	line := lineOf(v.Text, pos)
	if code := bytes.TrimSpace(lineOf(v.Code, pos)); len(code) == 0 || code[len(code)-1] == ':' {
		line = append(append([]byte{}, line...), restOf(v.Line(v.LineAt(pos)+1), 0)...)
	}
	line = line[:min(len(line), 3*maxNear)]
	for _, word := range defensive {
		if bytes.Contains(line, []byte(word)) {
			return true
		}
	}
	text, _, _ := bytes.Cut(line, []byte("#"))
	text = bytes.TrimSpace(text)
	return bytes.HasSuffix(text, []byte("...")) || string(text) == "pass"
}
