package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
)

// tested is a standing contract with two criteria that have a test report, one that has none, and one that must fail.
const tested = `"acceptance_criteria": [{"id": "unit", "run": ["u"], "test_report": "u.xml"}, {"id": "e2e", "run": ["e"], "test_report": "e.xml"},
 {"id": "lint", "run": ["l"]}, {"id": "control", "run": ["c"], "expect": "fail", "proves": "unit", "test_report": "c.xml"}], `

// rules are the entries of a join: files, criteria, the four severities and whether they always run.
func rules(p *policy.Policy) string {
	var all []string
	for _, r := range p.Tests() {
		var ids []string
		for _, id := range r.Criteria {
			ids = append(ids, id.Value)
		}
		all = append(all, fmt.Sprintf("%s %s %s/%s/%s/%s %t", r.Files[0].Value, strings.Join(ids, ","), r.NotRun, r.Dropped, r.Changed, r.Incomparable, r.Always)+strings.TrimSuffix(" "+string(r.NewTests), " "))
	}
	return strings.Join(all, "; ")
}

// TestJoinTests: no contract takes an entry away or lowers it.
func TestJoinTests(t *testing.T) {
	const one = `"tests": [{"files": ["t/**", "u"], "criteria": ["unit"], "changed": "warn", "base": "always"}]`
	for _, c := range []struct{ task, want string }{
		{`"goal": "g"`, "t/** unit block/approve/warn/approve true"},
		{`"tests": [{"files": "t/**", "criteria": ["unit"], "not_run": "info"}]`,
			"t/** unit block/approve/warn/approve true; t/** unit info/approve/approve/approve false"},
		{`"tests": [{"files": ["u", "t/**", "u"], "criteria": ["e2e", "unit"], "not_run": "info", "dropped": "block", "changed": "info", "incomparable": "warn"}]`,
			"t/** unit,e2e block/block/warn/approve true"},
		{`"tests": [{"files": ["t/**", "u"], "criteria": ["unit"], "new_tests": "approve"}]`, "t/** unit block/approve/approve/approve true approve"},
		{`"acceptance_criteria": [{"run": ["e"]}], "tests": [{"files": "v", "criteria": ["c1"]}]`,
			"t/** unit block/approve/warn/approve true; v e2e block/approve/approve/approve false"},
	} {
		p, problems := join(t, facts.TrustBase, tested+one, c.task)
		if got := rules(p); got != c.want || len(problems) > 0 {
			t.Errorf("%s:\ngot  %s %v\nwant %s", c.task, got, problems, c.want)
		}
	}
}

// TestJoinNewTests: the stricter value stays, and one that asks for nothing lowers none.
func TestJoinNewTests(t *testing.T) {
	const entry = `"tests": [{"files": ["t/**"], "criteria": ["unit"]`
	for _, c := range []struct{ standing, task, want string }{
		{`, "new_tests": "warn"`, ``, "warn"}, {``, `, "new_tests": "block"`, "block"}, {`, "new_tests": "block"`, `, "new_tests": "warn"`, "block"},
	} {
		p, problems := join(t, facts.TrustBase, tested+entry+c.standing+"}]", entry+c.task+"}]")
		if got := p.Tests()[0].NewTests; string(got) != c.want || len(problems) > 0 {
			t.Errorf("%s and %s: got %s, %v", c.standing, c.task, got, problems)
		}
	}
	p, _ := join(t, facts.TrustBase, tested+entry+`, "new_tests": "warn"}, {"files": ["u"], "criteria": ["unit"]}]`)
	for paths, want := range map[string]int{"t/a src/b": 1, "t/a": 0, "src/b": 0, "u src/b": 0, "t/a u": 0, "t/a .closeout/evidence/x": 0, "t/a .closeout/x": 1} {
		if got := len(p.AskedNewTests(strings.Fields(paths))); got != want {
			t.Errorf("%s: %d entries ask", paths, got)
		}
	}
}

// TestTestsThatCannotBe: what would judge by code of the base, or by nothing.
func TestTestsThatCannotBe(t *testing.T) {
	const every, never = "tests names every file", "which are never tests"
	for files, want := range map[string]string{
		`"**"`: every, `"*"`: every, `"**/*"`: every, `"*/*"`: every, `"?*/**"`: every, `"*.*"`: every, `"**/*.*"`: every, `"{tests,**}/**"`: every, `"[a-z]*/*/*"`: every,
		`".closeout/**"`: never, `".closeout"`: never, `".github/workflows/*.yml"`: never, `".GitHub/x"`: never, `".git*/**"`: never, `"{a,.github/b}/c"`: never,
		`"**/.github/**"`: never, `"out/**"`: never, `"out/evidence/t.xml"`: never, `"out"`: "", `"out/*_test.go"`: "",
		`"**/tests/**"`: "", `"*/tests/**"`: "", `"**/*_test.go"`: "", `"**/*.{test,spec}.*"`: "", `"*.runsettings"`: "", `"**/src/*Test/**"`: "", `"tests"`: "", `".github-tests/**"`: "",
	} {
		text := tested + `"evidence": {"dir": "out/evidence"}, "tests": [{"files": ["a", ` + files + `], "criteria": ["unit"]}]`
		_, problems := join(t, facts.TrustBase, text)
		got := ""
		if len(problems) > 0 {
			got = problems[0].Error.Message
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", files, got, want)
		}
	}
	for id, want := range map[string]string{
		"unit": "", "c3": "does not exist", "lint": "without a test report", "control": "a negative control", "own": "the standing contract does not have",
	} {
		task := `"acceptance_criteria": [{"id": "own", "run": ["o"], "test_report": "o.xml"}], "tests": [{"files": "t", "criteria": ["` + id + `"]}]`
		_, problems := join(t, facts.TrustBase, tested+`"goal": "g"`, task)
		if got := fmt.Sprint(problems); !strings.Contains(got, want) || want == "" && len(problems) > 0 {
			t.Errorf("%s: got %s, want %q", id, got, want)
		}
	}
	if _, problems := join(t, facts.TrustBase, tested+`"may_change": ["t"]`); len(problems) != 1 {
		t.Errorf("the standing contract lets tests change: %v", problems)
	}
}

func TestTestPaths(t *testing.T) {
	standing := tested + `"tests": [{"files": ["**/tests/**", "data"], "criteria": ["unit"]}, {"files": "**/*_test.go", "criteria": ["e2e"]}]`
	p, problems := join(t, facts.TrustBase, standing, `"may_change": ["tests/a.py", "src/**"]`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for path, want := range map[string]string{
		"tests/a.py": "unit may", "x/tests/a.py": "unit", "data": "unit", "data/x": "unit", "a_test.go": "e2e", "tests/a_test.go": "unit e2e", "src/a.go": "",
		"Tests/a.py": "", "tests": "", "src/a_test.go": "e2e may", "evil\xff_test.go": "e2e", "tests/\xff": "unit",
		".closeout/tests/a": "", ".Closeout/tests/a": "", ".github/a_test.go": "", ".closeout/evidence/tests/a.xml": "", "tests/" + strings.Repeat("a", policy.MaxPath): "",
	} {
		var got []string
		for _, r := range p.AskedTests([]string{"src/b.go", path}) {
			got = append(got, r.Criteria[0].Value)
		}
		if p.TestPath(path) != (len(got) > 0) {
			t.Errorf("%s: TestPath is %t, and the entries are %v", path, p.TestPath(path), got)
		}
		if p.MayChange(path) {
			got = append(got, "may")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %q", path, got, want)
		}
	}
}
