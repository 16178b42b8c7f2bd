package audit_test

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/audit/audit"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

const strictContract = `{"task_id": "T-1", "goal": "Sell.", "allowed_files": ["src/**"], "forbidden_files": ["secrets/**", "keys/**"],
 "acceptance_criteria": [{"id": "test", "run": ["go", "test", "./..."]}], "rollback_plan": "Revert it.",
 "evidence": {"min": "bound"}, "tests": [{"files": ["t/**"], "criteria": ["test", "unit"], "new_tests": "approve", "base": "always"}], "rules": {"required": false}, "override": {"permission": "admin", "never": ["scope.forbidden"]}}`

// TestLoosened edits a contract in one place, which loosens it, and the other way round, which does not.
func TestLoosened(t *testing.T) {
	read := func(text string) *contract.Contract {
		c, errs := contract.Parse("scope_contract.json", []byte(text), input.DefaultLimits())
		if errs.Any() {
			t.Fatal(errs.All())
		}
		return c
	}
	before := read(strictContract)
	if got := audit.Loosened(before, before); got != nil {
		t.Errorf("the same contract: %q", got)
	}
	if got := audit.Loosened(before, nil); len(got) != 1 {
		t.Errorf("a removed contract: %q", got)
	}
	for _, c := range []struct{ old, new, want string }{
		{`["src/**"]`, `["src/**", "docs/**"]`, "allowed_files now"},
		{`, "keys/**"`, ``, "forbidden_files no longer"},
		{`"./..."]`, `"./..."], "unknown_exit": [75]`, `unknown_exit of the criterion "test" now contains "75"`},
		{`"min": "bound"`, `"min": "claimed"`, "evidence.min"},
		{`"permission": "admin"`, `"permission": "write"`, "override.permission"},
		{`"never": ["scope.forbidden"]`, `"never": []`, "override.never"},
		{`"permission": "admin"`, `"permission": "admin", "allow_author": true`, "allow_author"},
		{`"permission": "admin"`, `"permission": "admin", "self": true`, "allow_author"},
		{`"T-1",`, `"T-1", "applies_to": {"except": [{"login": "dependabot[bot]"}]},`, `applies_to.except now contains "dependabot[bot]"`},
		{`"permission": "admin"`, `"permission": "admin", "users": ["mona"]`, "override.users"},
		{`"min": "bound"`, `"min": "bound", "committed": true`, "evidence.committed"},
		{`"criteria": ["test", "unit"]`, `"criteria": ["test"]`, `criteria of tests of "t/**" no longer contains "unit"`},
		{`"base": "always"`, `"base": "edited"`, `base of tests of "t/**" is now edited`},
		{`"base": "always"`, `"base": "always", "not_run": "approve"`, `not_run of tests of "t/**" is now approve`},
		{`"base": "always"`, `"base": "always", "changed": "info"`, `changed of tests of "t/**" is now info`},
		{`"new_tests": "approve"`, `"new_tests": "warn"`, `new_tests of tests of "t/**" is now warn`},
		{`"new_tests": "approve", `, ``, `new_tests of tests of "t/**" is gone`},
		{`"T-1",`, `"T-1", "may_change": ["t/a"],`, `may_change now contains "t/a"`},
	} {
		after := read(strings.Replace(strictContract, c.old, c.new, 1))
		if got := audit.Loosened(before, after); len(got) != 1 || !strings.Contains(got[0], c.want) {
			t.Errorf("%s → %s: %q", c.old, c.new, got)
		}
		if got := audit.Loosened(after, before); got != nil {
			t.Errorf("%s → %s: %q", c.new, c.old, got)
		}
	}
	for _, c := range []struct{ old, new, want string }{ // in both directions, unless want is ""
		{`"T-1",`, `"T-1", "base_branches": ["main"],`, ""},
		{`"T-1",`, `"T-1", "base_branches": ["main", "dev"],`, "base_branches"},
		{`"T-1",`, `"T-1", "base_branches": ["*"],`, "base_branches"},
		{`["t/**"]`, `["t/*.py"]`, `tests of "t/**" are gone`},
		{`"min": "bound"`, `"min": "bound", "dir": ".closeout/evidence"`, ""},
		{`"min": "bound"`, `"min": "bound", "committed": false`, ""},
		{`{"required": false}`, `{"required": false, "catalogue": [{"id": "closeout/test-skipped", "severity": "warn"}]}`, `"closeout/test-skipped" is warn`},
		{`{"required": false}`, `{"required": false, "catalogue": [{"id": "closeout/test-skipped", "severity": "block"}]}`, ""},
	} {
		after := read(strings.Replace(strictContract, c.old, c.new, 1))
		if got := audit.Loosened(before, after); strings.Join(got, "; ") != "" != (c.want != "") || !strings.Contains(strings.Join(got, "; "), c.want) {
			t.Errorf("%s → %s: %q", c.old, c.new, got)
		}
	}
	other := func(c [3]string) {
		from := strings.Replace(strictContract, `"T-1",`, `"T-1", `+c[0]+`,`, 1)
		if got := audit.Loosened(read(from), read(strings.Replace(from, c[0], c[1], 1))); strings.Join(got, "; ") != "" != (c[2] != "") || !strings.Contains(strings.Join(got, "; "), c[2]) {
			t.Errorf("%s → %s: %q", c[0], c[1], got)
		}
	}
	coverage := `"coverage": {"report": "c.json", "criterion": "test", "floor": 0.5}`
	for _, c := range [][3]string{
		{`"base_branches": ["main"]`, `"base_branches": ["main", "dev"]`, `now contains "dev"`},
		{`"base_branches": ["main", "dev"]`, `"base_branches": ["main"]`, ""},
		{coverage, strings.Replace(coverage, "c.json", "d.json", 1), "coverage.report"},
		{coverage, strings.Replace(coverage, `"criterion": "test", `, ``, 1), "coverage.criterion"},
		{coverage, strings.Replace(coverage, "0.5", "0.6", 1), ""},
		{`"off_scope": "warn", "severity_by_path": [{"files": "a", "severity": "block"}, {"files": "a", "severity": "info"}]`, `"off_scope": "warn", "severity_by_path": [{"files": "a", "severity": "info"}]`, `makes "a" info`},
	} {
		other(c)
	}
	list := strings.Replace(strictContract, `[{"id": "test", "run": ["go", "test", "./..."]}]`, `["go vet ./...", {"run": ["go", "test"], "test_report": "a.xml"}]`, 1)
	for _, c := range [][3]string{
		{`["go vet`, `["lint", "go vet`, ""},
		{`"go vet ./...", `, ``, "is gone"},
		{`"go vet ./..."`, `"true"`, "is gone"},
		{`a.xml`, `b.xml`, "another test_report"},
	} {
		if got := audit.Loosened(read(list), read(strings.Replace(list, c[0], c[1], 1))); strings.Join(got, "; ") != "" != (c[2] != "") || !strings.Contains(strings.Join(got, "; "), c[2]) {
			t.Errorf("%s → %s: %q", c[0], c[1], got)
		}
	}
	reviewed := strings.Replace(strictContract, `{"required": false}`, `{"catalogue": [{"id": "r", "severity": "block", "reviewers": ["a", "b"]}]}`, 1)
	const fewer = `fewer objections under the rule "r" count`
	for _, c := range [][3]string{
		{`, "reviewers": ["a", "b"]`, ``, ""},
		{`, "b"]`, `]`, fewer},
		{`, "b"]`, `, "b", "c"]`, ""},
		{`, "b"]`, `, "b"], "agree": 2`, fewer},
	} {
		if got := strings.Join(audit.Loosened(read(reviewed), read(strings.Replace(reviewed, c[0], c[1], 1))), "; "); got != "" != (c[2] != "") || !strings.Contains(got, c[2]) {
			t.Errorf("%s → %s: %q", c[0], c[1], got)
		}
	}
	plain := strings.Replace(reviewed, `, "reviewers": ["a", "b"]`, ``, 1)
	if got := audit.Loosened(read(plain), read(reviewed)); len(got) != 1 || !strings.Contains(got[0], fewer) {
		t.Errorf("reviewers of a rule that had none: %q", got)
	}
	threads := strings.Replace(strictContract, `"T-1",`, `"T-1", "threads": {"logins": ["mona"], "markers": ["[a]", "[b]"]},`, 1)
	for _, c := range [][3]string{
		{`, "markers": ["[a]", "[b]"]`, ``, ""},
		{`, "[b]"]`, `]`, `threads.markers no longer contains "[b]"`},
	} {
		other := strings.Replace(threads, c[0], c[1], 1)
		if got := strings.Join(audit.Loosened(read(threads), read(other)), "; "); got != c[2] {
			t.Errorf("%s → %s: %q", c[0], c[1], got)
		}
		if got := audit.Loosened(read(other), read(threads)); (len(got) > 0) != (c[2] == "") {
			t.Errorf("%s → %s: %q", c[1], c[0], got)
		}
	}
	command := read(strings.Replace(strictContract, `["go", "test", "./..."]`, `["true"]`, 1))
	if got := audit.Loosened(before, command); len(got) != 1 || !strings.Contains(got[0], "another command") {
		t.Errorf("another command: %q", got)
	}
}
