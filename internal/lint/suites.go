package lint

import (
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// tests reports a standing contract that does not say which paths are tests, where the repository has some: then nothing runs the
// tests of the base on the code of a change. It is a warning where a criterion writes the report that this requires already.
func (l *linter) tests(s *source) {
	if s.contract.Tests != nil {
		return
	}
	var entries []string
	first := ""
	for _, e := range toolchain.Ecosystems {
		counted, run := criteriaOf(s.contract, e)
		found := ""
		manifests, tests := toolchain.Globs(e.Manifests...).Metered(l.meter), toolchain.Globs(e.Tests...).Metered(l.meter)
		if run || slices.ContainsFunc(l.paths, func(p string) bool { return manifests.Match(path.Base(p)) }) {
			if i := l.first(tests, 0, len(l.paths)); i >= 0 {
				found = l.paths[i]
			}
		}
		if first == "" {
			first = found
		}
		if found != "" && counted != nil {
			entries = append(entries, `{"files": `+texts(e.Tests)+`, "criteria": `+texts(counted)+`}`)
		}
	}
	if first == "" || (entries == nil && l.rollout) {
		return
	}
	f := &check.Finding{
		Code: "lint.no_tests", Message: `the contract has no "tests": the tests of the base do not judge the code of a change`, Path: s.path,
		Expected: `"tests" with the paths of tests, such as ` + input.QuotePath(first), Actual: "none",
		Fix: `add "tests": [` + strings.Join(entries, ", ") + `]`,
	}
	if entries == nil {
		f.Severity, f.Fix = input.Info, `let a criterion write a test report, which docs/recipes.md shows, and name it under "tests"`
	}
	l.report(f)
}

// criteriaOf are the criteria that run tests of an ecosystem and have a report; run is true where there is one without a report too.
func criteriaOf(c *contract.Contract, e *toolchain.Ecosystem) (counted []string, run bool) {
	for i := range c.Criteria {
		one := &c.Criteria[i]
		if of, _ := toolchain.RunnerOf(one.Run); of != e || one.ExpectFail {
			continue
		}
		if run = true; one.TestReport != "" {
			counted = append(counted, one.ID)
		}
	}
	return counted, run
}

// texts writes texts of the table, or ids, as a list of JSON.
func texts(list []string) string {
	words := make([]string, len(list))
	for i, text := range list {
		words[i] = quoted(text)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
