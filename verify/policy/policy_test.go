package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// parse parses a contract; members are added to the ones that must be there.
func parse(t *testing.T, members string) *contract.Contract {
	t.Helper()
	required := map[string]string{
		"allowed_files": `["src/**"]`, "forbidden_files": `["secrets/**"]`, "rollback_plan": `"revert"`, "acceptance_criteria": `["make test"]`,
	}
	text := members
	for _, key := range []string{"allowed_files", "forbidden_files", "rollback_plan", "acceptance_criteria"} {
		if !strings.Contains(members, `"`+key+`"`) {
			text += fmt.Sprintf(", %q: %s", key, required[key])
		}
	}
	c, errs := contract.Parse("c.json", []byte("{"+strings.TrimPrefix(text, ", ")+"}"), input.DefaultLimits())
	if errs.Any() {
		t.Fatalf("%s: %v", text, errs.All())
	}
	return c
}

// join joins contracts: the first is the standing one, the others are task contracts with the trust given.
func join(t *testing.T, trust facts.Trust, contracts ...string) (*policy.Policy, []policy.Problem) {
	t.Helper()
	var sources []policy.Source
	for i, members := range contracts {
		s := policy.Source{Contract: parse(t, members), Kind: "contract", Trust: facts.TrustBase, RepoPaths: []string{".closeout/scope_contract.json"}}
		if i > 0 {
			s.Kind, s.Trust, s.RepoPaths = "task_contract", trust, []string{".closeout/tasks/T-1.json"}
		}
		sources = append(sources, s)
	}
	return policy.Join(sources, "local")
}

func modified(path string) *change.Change {
	return &change.Change{Path: path, Status: change.Modified, OldMode: change.Regular, NewMode: change.Regular}
}

func TestClassify(t *testing.T) {
	soft := `"docs_paths_soft": ["docs/**"]`
	for _, c := range []struct {
		name      string
		contracts []string
		path      string
		want      policy.Class
	}{
		{"allowed", []string{""}, "src/a.go", policy.ClassAllowed},
		{"off scope", []string{""}, "other/a.go", policy.ClassOffScope},
		{"forbidden beats allowed", []string{`"allowed_files": ["**"]`}, "secrets/key", policy.ClassForbidden},
		{"forbidden in another case", []string{`"allowed_files": ["**"]`}, "Secrets/key", policy.ClassForbidden},
		{"allowed is exact", []string{""}, "SRC/a.go", policy.ClassOffScope},
		{"the directory itself is not below it", []string{""}, "src", policy.ClassOffScope},
		{"protected beats allowed", []string{`"allowed_files": ["**"]`}, ".github/workflows/ci.yml", policy.ClassProtected},
		{"protected in another case", []string{`"allowed_files": ["**"]`}, ".GitHub/Workflows/ci.yml", policy.ClassProtected},
		{"next to the workflow directory", []string{`"allowed_files": ["**"]`}, ".github/ISSUE_TEMPLATE/bug.md", policy.ClassAllowed},
		{"agent instructions at any depth", []string{""}, "src/deep/AGENTS.md", policy.ClassProtected},
		{"a page about agents", []string{`"allowed_files": ["**"]`}, "docs/_more/agents.md", policy.ClassAllowed},
		{"a page about agents outside of the documentation", []string{""}, "src/agents.md", policy.ClassProtected},
		{"instructions with another letter", []string{`"allowed_files": ["**"]`}, "docs/Agents.md", policy.ClassProtected},
		{"settings of an agent in another case", []string{`"allowed_files": ["**"]`}, "docs/.Claude/settings.json", policy.ClassProtected},
		{"a look-alike of agent instructions", []string{""}, "src/deep/AGENTS.md.go", policy.ClassAllowed},
		{"evidence", []string{""}, ".closeout/evidence/job/feedback_record.jsonl", policy.ClassEvidence},
		{"a program in the evidence directory", []string{""}, ".closeout/evidence/run.sh", policy.ClassForbidden},
		{"the evidence directory itself", []string{""}, ".closeout/evidence", policy.ClassForbidden},
		{"a directory with another name", []string{""}, ".closeout/evidences/a.json", policy.ClassProtected},
		{"committed reports", []string{`"allowed_files": ["**"]`}, ".closeout/reports/T-1/a/report.json", policy.ClassForbidden},
		{"another evidence directory", []string{`"evidence": {"dir": "ci/evidence"}`}, "ci/evidence/a.json", policy.ClassEvidence},
		{"the usual one is then protected", []string{`"evidence": {"dir": "ci/evidence"}`}, ".closeout/evidence/a.json", policy.ClassProtected},
		{"soft", []string{soft}, "docs/a.md", policy.ClassSoft},
		{"allowed beats soft", []string{soft + `, "allowed_files": ["docs/**"]`}, "docs/a.md", policy.ClassAllowed},
		{"own protected file", []string{`"protected_files": ["src/lock/**"]`}, "src/lock/a", policy.ClassProtected},
		{"lifted", []string{`"may_touch_protected": ["src/Makefile"]`}, "src/Makefile", policy.ClassAllowed},
		{"lifted for one path only", []string{`"may_touch_protected": ["src/Makefile"]`}, "src/x/Makefile", policy.ClassProtected},

		{"below a forbidden directory", []string{`"allowed_files": ["**"], "forbidden_files": ["scripts"]`}, "scripts/a/b.sh", policy.ClassForbidden},
		{"the forbidden path itself", []string{`"allowed_files": ["**"], "forbidden_files": ["scripts"]`}, "scripts", policy.ClassForbidden},
		{"below it in another case", []string{`"allowed_files": ["**"], "forbidden_files": ["scripts"]`}, "Scripts/b.sh", policy.ClassForbidden},
		{"named like the forbidden directory", []string{`"allowed_files": ["**"], "forbidden_files": ["scripts"]`}, "scripts2/b.sh", policy.ClassAllowed},
		{"the forbidden name elsewhere", []string{`"allowed_files": ["**"], "forbidden_files": ["scripts"]`}, "src/scripts/b.sh", policy.ClassAllowed},
		{"below a directory that braces forbid", []string{`"allowed_files": ["**"], "forbidden_files": ["{a,b}/c"]`}, "b/c/d", policy.ClassForbidden},
		{"below what a wildcard forbids", []string{`"allowed_files": ["**"], "forbidden_files": ["*.d"]`}, "a.d/b", policy.ClassAllowed},
		{"below a directory that the task forbids", []string{"", `"forbidden_files": ["src/a"]`}, "src/a/x.go", policy.ClassForbidden},
		{"below an own protected directory", []string{`"protected_files": ["src/lock"]`}, "src/lock/a", policy.ClassProtected},
		{"lifted below an own protected directory", []string{`"protected_files": ["src/lock"], "may_touch_protected": ["src/lock/a"]`}, "src/lock/a", policy.ClassAllowed},
		{"lifting a directory lifts nothing below it", []string{`"protected_files": ["src/lock"], "may_touch_protected": ["src/lock"]`}, "src/lock/a", policy.ClassProtected},
		{"a built-in pattern does not cover more", []string{`"allowed_files": ["**"]`}, ".github/dependabot.yml", policy.ClassAllowed},
		{"below an allowed directory", []string{`"allowed_files": ["scripts"]`}, "scripts/a.sh", policy.ClassOffScope},
		{"below a soft directory", []string{`"docs_paths_soft": ["docs"]`}, "docs/a.md", policy.ClassOffScope},

		{"both allow", []string{"", `"allowed_files": ["src/a/**"]`}, "src/a/x.go", policy.ClassAllowed},
		{"only the standing contract allows", []string{"", `"allowed_files": ["src/a/**"]`}, "src/b/x.go", policy.ClassOffScope},
		{"only the task allows", []string{"", `"allowed_files": ["**"]`}, "other/x.go", policy.ClassOffScope},
		{"the task forbids", []string{"", `"forbidden_files": ["src/a/**"]`}, "src/a/x.go", policy.ClassForbidden},
		{"the task cannot make a path soft", []string{"", soft}, "docs/a.md", policy.ClassOffScope},
		{"soft stays where the task is silent", []string{soft, ""}, "docs/a.md", policy.ClassSoft},
		{"soft ends where the task says less", []string{soft, `"docs_paths_soft": ["docs/api/**"]`}, "docs/a.md", policy.ClassOffScope},
		{"soft in both", []string{soft, `"docs_paths_soft": ["docs/api/**"]`}, "docs/api/a.md", policy.ClassSoft},
		{"a task of the head cannot speak of protection", []string{`"may_touch_protected": ["src/Makefile"]`, ""}, "src/Makefile", policy.ClassAllowed},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, problems := join(t, facts.TrustHead, c.contracts...)
			if problems != nil {
				t.Fatal(problems)
			}
			if got := p.Classify(modified(c.path)).Class; got != c.want {
				t.Errorf("%s is %s, expected %s", c.path, got, c.want)
			}
		})
	}
}

func TestArgumentFiles(t *testing.T) {
	p, problems := join(t, "", `"allowed_files": ["**"], "acceptance_criteria": [
		{"run": ["pytest", "-x", "tests/a.py::test_x"]}, {"run": ["./run.sh"], "cwd": "web"}, {"run": ["jest", "--config=web/jest.json"]},
		{"run": ["bash", "-c", "cd x && ./scripts/all.sh"]}, {"run": ["sh", "../top.sh"], "cwd": "web"}]`)
	if problems != nil {
		t.Fatal(problems)
	}
	for path, want := range map[string]policy.Class{
		"tests/a.py": policy.ClassProtected, "web/run.sh": policy.ClassProtected, "run.sh": policy.ClassAllowed, "web/jest.json": policy.ClassProtected,
		"scripts/all.sh": policy.ClassProtected, "top.sh": policy.ClassProtected, "tests/b.py": policy.ClassAllowed, "tests/A.py": policy.ClassProtected,
	} {
		if got := p.Classify(modified(path)).Class; got != want {
			t.Errorf("%s is %s, expected %s", path, got, want)
		}
	}
	added := modified("tests/a.py")
	added.Status, added.OldMode = change.Added, change.NoMode
	if got := p.Classify(added).Class; got != policy.ClassAllowed {
		t.Errorf("a new file that an argument names is %s", got)
	}
	page := modified("docs/agents.md")
	page.Status, page.OldMode = change.Added, change.NoMode
	if got := p.Classify(page).Class; got != policy.ClassProtected {
		t.Errorf("a new agents.md, which is AGENTS.md where case does not matter, is %s", got)
	}
}

// A command that changes to many directories may mean each of its words in each of them. An unusual number is refused
// before it is all tried, also when several criteria share it.
func TestTooManyArguments(t *testing.T) {
	script := func(id string, dirs int) string {
		text := "cd 0"
		for i := range dirs {
			text += fmt.Sprintf(" && cd %s%d", id, i)
		}
		return fmt.Sprintf(`{"id": %q, "run": ["bash", "-c", %q]}`, id, text)
	}
	for _, c := range []struct {
		task []string
		want string // the criterion that is refused
	}{
		{[]string{script("a", 200)}, ""},
		{[]string{script("a", 200), script("b", 200)}, ""},
		{[]string{script("a", 200), script("b", 250)}, "b"},
		{[]string{script("a", 20_000)}, "a"},
	} {
		p, problems := join(t, facts.TrustHead, "", `"task_id": "T-1", "acceptance_criteria": [`+strings.Join(c.task, ", ")+"]")
		switch {
		case c.want == "" && (len(problems) > 0 || p.Classify(modified("a3/a199")).Class != policy.ClassProtected):
			t.Errorf("%.80s: %v", c.task, problems)
		case c.want != "" && (len(problems) != 1 || problems[0].Source != 1 || !strings.Contains(problems[0].Error.Found, "criterion "+c.want)):
			t.Errorf("%.80s: %v, want %s refused", c.task, problems, c.want)
		}
	}
}

func TestOffScopeSeverity(t *testing.T) {
	byPath := `"off_scope": "warn", "severity_by_path": [{"files": "other/**", "severity": "block"}, {"files": ["other/doc/**"], "severity": "info"}]`
	for _, c := range []struct {
		contracts []string
		path      string
		want      input.Severity
	}{
		{[]string{""}, "x", input.Block},
		{[]string{`"off_scope": "warn"`}, "x", input.Warn},
		{[]string{byPath}, "other/x", input.Block},
		{[]string{byPath}, "other/doc/x", input.Block},
		{[]string{byPath}, "elsewhere", input.Warn},
		{[]string{`"severity_by_path": [{"files": "x", "severity": "info"}]`}, "x", input.Info},
		{[]string{`"severity_by_path": [{"files": "x", "severity": "info"}]`}, "x/y", input.Block},
		{[]string{`"off_scope": "warn", "severity_by_path": [{"files": "x", "severity": "block"}]`}, "x/y", input.Block},
		{[]string{`"off_scope": "warn"`, ""}, "x", input.Warn},
		{[]string{`"off_scope": "warn"`, `"off_scope": "block"`}, "x", input.Block},
		{[]string{"", `"off_scope": "warn"`}, "x", input.Block},
	} {
		p, _ := join(t, facts.TrustBase, c.contracts...)
		if got := p.Classify(modified(c.path)).Severity; got != c.want {
			t.Errorf("%q: %s is %s, expected %s", c.contracts, c.path, got, c.want)
		}
	}
}

// TestBelowAnAllowedPath: an off-scope path names the pattern that its author may have meant as a directory.
func TestBelowAnAllowedPath(t *testing.T) {
	contracts := []string{`"allowed_files": ["src", "\\!x", "lib/**"]`, `"allowed_files": ["**"]`}
	for path, want := range map[string]string{
		"src/a/b.go": "src", "!x/a": "\\!x", "srcs/a.go": "", "src": "", "SRC/a": "", "other/src/a": "", "/": "", "//src/a": "",
		"src/" + strings.Repeat("a/", 2000): "", "src/" + strings.Repeat("a/", 300): "src",
	} {
		p, _ := join(t, facts.TrustBase, contracts...)
		if got := p.Classify(modified(path)).Below; got != want {
			t.Errorf("%s is below %q, expected %q", path, got, want)
		}
	}
}

func TestUniversal(t *testing.T) {
	wide := `"allowed_files": ["src/**", "**"]`
	for _, c := range []struct {
		contracts []string
		want      int
	}{{[]string{wide}, 1}, {[]string{""}, 0}, {[]string{wide, ""}, 0}, {[]string{wide, wide}, 2}} {
		p, _ := join(t, facts.TrustHead, c.contracts...)
		if got := p.Universal(); len(got) != c.want {
			t.Errorf("%q: %d universal patterns", c.contracts, len(got))
		}
	}
}

func TestAddedTask(t *testing.T) {
	p, _ := join(t, "", "")
	without := p
	p = p.WithAddedTasks([]string{".closeout/tasks/T-1.json"})
	c := modified(".closeout/tasks/T-1.json")
	c.Status, c.OldMode = change.Added, change.NoMode
	if got := p.Classify(c).Class; got != policy.ClassAllowed {
		t.Errorf("the added task contract is %s", got)
	}
	if got := without.Classify(c).Class; got != policy.ClassProtected {
		t.Errorf("the policy that was there before says %s of an added task contract", got)
	}
	c.NewMode = change.Symlink
	if got := p.Classify(c).Class; got != policy.ClassProtected {
		t.Errorf("a symlink in its place is %s", got)
	}
}
