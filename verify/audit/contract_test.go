package audit_test

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/audit"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/strict"
)

const strictContract = `{"task_id": "T-1", "goal": "Sell.", "allowed_files": ["src/**"], "forbidden_files": ["secrets/**", "keys/**"],
 "acceptance_criteria": [{"id": "test", "run": ["go", "test", "./..."]}], "rollback_plan": "Revert it.",
 "evidence": {"min": "bound"}, "rules": {"required": false}, "override": {"permission": "admin", "never": ["scope.forbidden"]}}`

// TestLoosened edits a contract in one place, which loosens it, and the other way round, which does not.
func TestLoosened(t *testing.T) {
	read := func(text string) *contract.Contract {
		c, errs := contract.Parse("scope_contract.json", []byte(text), strict.DefaultLimits())
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
		{`"min": "bound"`, `"min": "claimed"`, "evidence.min"},
		{`"permission": "admin"`, `"permission": "write"`, "override.permission"},
		{`"never": ["scope.forbidden"]`, `"never": []`, "override.never"},
		{`"permission": "admin"`, `"permission": "admin", "allow_author": true`, "allow_author"},
		{`"permission": "admin"`, `"permission": "admin", "users": ["mona"]`, "override.users"},
	} {
		after := read(strings.Replace(strictContract, c.old, c.new, 1))
		if got := audit.Loosened(before, after); len(got) != 1 || !strings.Contains(got[0], c.want) {
			t.Errorf("%s → %s: %q", c.old, c.new, got)
		}
		if got := audit.Loosened(after, before); got != nil {
			t.Errorf("%s → %s: %q", c.new, c.old, got)
		}
	}
	command := read(strings.Replace(strictContract, `["go", "test", "./..."]`, `["true"]`, 1))
	if got := audit.Loosened(before, command); len(got) != 1 || !strings.Contains(got[0], "another command") {
		t.Errorf("another command: %q", got)
	}
}
