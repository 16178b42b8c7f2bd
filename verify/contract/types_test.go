package contract

import (
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

// wholeContract is a contract with every key.
const wholeContract = `{"task_id": "T-1", "goal": "g", "rollback_plan": "r", "allowed_files": ["a/**"], "forbidden_files": ["b"],
 "acceptance_criteria": ["go test ./...", {"id": "neg", "run": ["x", ""], "cwd": "./web/", "expect": "fail", "proves": "c1",
  "min_evidence": "bound", "max_attempts": 7, "unknown_exit": [75, 2]}, {"run": ["y"], "test_report": "u.xml", "min_tests": 9},
  {"run": ["z"], "test_report": {"path": "z.json", "from": "stdout"}}],
 "tests": [{"files": ["t/**"], "criteria": ["c3"], "not_run": "warn", "dropped": "block", "changed": "info", "incomparable": "approve", "base": "always"}],
 "may_change": ["t/a"],
 "approvals_required": ["note", {"id": "db", "files": "m/**", "people": 2}], "off_scope": "warn",
 "severity_by_path": [{"files": ["c", "d"], "severity": "info"}], "violation_budget": 2, "time_budget_minutes": 30,
 "network_egress": ["api.example.com"], "docs_paths_soft": ["docs/**"],
 "coverage": {"report": "out/cov.json", "criterion": "c1", "floor": 0.8, "max_drop": 1e-2},
 "rules": {"run": ["lint", "--all"], "report": "out/rules.json", "required": true,
  "catalogue": [{"id": "q", "severity": "error", "expires_at": "2030-01-01", "reviewers": ["v", "w"], "agree": 2}],
  "ignore": [{"id": "q", "files": "e", "reason": "because", "until": "2029-12-31"}]},
 "evidence": {"min": "recorded", "dir": "ci/evidence"},
 "override": {"label": "l", "permission": "admin", "users": ["u"], "teams": ["t"], "binding": "event", "never": ["scope.forbidden"],
  "allow_author": true, "self": true, "people": 5},
 "protected_files": ["p"], "may_touch_protected": ["Makefile"], "base_branches": ["main"], "applies_to": {"authors": ["some-app[bot]"], "except": [{"login": "dependabot[bot]"}, {"id": 7}]},
 "agent": {"deny_tools": ["mcp__*"], "stop_blocks": 0, "stall_after": 20, "max_attempts": 100}, "threads": {"logins": ["a-reviewer[bot]", "mona"], "markers": ["[blocking]"]}, "x-note": [1]}`

var documents = []stricttest.Document{
	{Name: "contract", Schema: "scope_contract", Whole: wholeContract, Parse: stricttest.ErrorsOf(func(data []byte, l input.Limits) (*Contract, *input.Errors) {
		return Parse("c.json", data, l)
	})},
}

func TestEveryTypeInEveryPlace(t *testing.T) { stricttest.EveryType(t, documents) }

func FuzzEveryPlace(f *testing.F) { stricttest.FuzzEveryPlace(f, documents) }
