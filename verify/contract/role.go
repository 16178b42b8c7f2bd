package contract

import (
	"maps"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// CheckTask reports the keys that a task contract requires and a standing contract does not: task_id and goal.
func (c *Contract) CheckTask(errs *input.Errors) {
	for _, key := range []string{"task_id", "goal"} {
		if _, there := c.Keys[key]; there {
			continue
		}
		errs.Add(input.Error{
			Pos: input.Pos{Line: 1, Column: 1}, Where: "/" + key, Message: "a task contract requires " + input.Quote(key), Found: "no such key",
			Expected: input.Quote(key) + " with a text", Fix: input.AddFix(key),
		})
	}
}

// headKeys are the keys of a task contract that can only narrow the standing contract.
var headKeys = []string{
	"task_id", "goal", "rollback_plan", "allowed_files", "forbidden_files", "acceptance_criteria", "approvals_required",
	"violation_budget", "time_budget_minutes", "network_egress", "docs_paths_soft",
}

// CheckHeadOnly reports the keys that a task contract may not contain when only the change contains the contract: the author
// of the change wrote it, so it may only narrow. Keys with the prefix x- have no effect and are allowed.
func (c *Contract) CheckHeadOnly(errs *input.Errors) {
	for _, criterion := range c.Criteria {
		if pos := criterion.Given.UnknownExit; !pos.IsZero() {
			errs.Add(input.Error{
				Pos: pos, Where: "/acceptance_criteria", Message: `the change adds this contract, so none of its criteria may contain "unknown_exit"`,
				Found: `"unknown_exit" in the criterion ` + input.Quote(criterion.ID), Expected: "a criterion that passes or fails",
				Fix: "remove it, or add the criterion to a contract on the base branch",
			})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Keys)) {
		if slices.Contains(headKeys, key) || strings.HasPrefix(key, "x-") {
			continue
		}
		errs.Add(input.Error{
			Pos: c.Keys[key], Where: "/" + key, Message: "the change adds this contract, so it may not contain " + input.Quote(key), Found: input.Quote(key) + " in a contract of the change",
			Expected: "one of " + strings.Join(headKeys, ", "),
			Fix:      "remove it, or add it to a contract on the base branch",
		})
	}
}
