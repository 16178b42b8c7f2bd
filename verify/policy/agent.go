package policy

import (
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
)

// Agent is what the contracts say about an agent that works beside them. No verdict depends on it.
type Agent struct {
	DenyTools []glob.Pattern // over names of tools
	// StopBlocks is how often the end of an agent is refused at most, StallAfter after how many tries without progress an item is
	// stuck, and MaxAttempts after how many tries.
	StopBlocks, StallAfter, MaxAttempts int
	given                               [3]bool // which of the numbers a contract names
}

// The numbers where no contract names them.
const (
	DefaultStopBlocks  = 3
	DefaultStallAfter  = 3
	DefaultMaxAttempts = 3
)

func newAgent() Agent {
	return Agent{StopBlocks: DefaultStopBlocks, StallAfter: DefaultStallAfter, MaxAttempts: DefaultMaxAttempts}
}

// add joins the rules of one more contract: the smaller numbers, and all denied tools.
func (a *Agent) add(rule *contract.AgentRule) {
	a.DenyTools = append(a.DenyTools, globs(rule.DenyTools)...)
	numbers := [3]*int{&a.StopBlocks, &a.StallAfter, &a.MaxAttempts}
	for i, n := range []*int64{rule.StopBlocks, rule.StallAfter, rule.MaxAttempts} {
		if n != nil && (!a.given[i] || int(*n) < *numbers[i]) {
			*numbers[i], a.given[i] = int(*n), true
		}
	}
}

// Denies returns the pattern that denies a tool, whatever its case; "" when none does.
func (a *Agent) Denies(tool string) string {
	pattern, _, _ := glob.CompileFolded(a.DenyTools).Which(tool)
	return pattern
}
