package proof

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/feedback"
)

// owner is who names a command, which decides what its record may prove.
type owner int

const (
	ofOthers   owner = iota // no contract names the command
	ofStanding              // a criterion of the base branch or the operator
	ofRules                 // the command that writes the rule report
	ofHead                  // a criterion that only the contract of the change names, or a record with its task_id
)

// owner returns the owner of a record: first by its task, then by its command, where contracts that the change did not write
// come first.
func (l *Ledger) owner(r *feedback.Record, key []byte, matches []int) owner {
	switch {
	case r.TaskID != "" && slices.Contains(l.config.HeadTasks, r.TaskID):
		return ofHead
	case slices.ContainsFunc(matches, func(i int) bool { return !l.isHead(i) }):
		return ofStanding
	case len(key) > 0 && string(key) == l.rules:
		return ofRules
	case len(matches) > 0 || l.heads[string(key)], r.Cwd == "" && l.headWords[string(appendKey(nil, r.Argv, ""))]:
		return ofHead
	default:
		return ofOthers
	}
}

// isHead reports whether only the contract of the change names the criterion with index i.
func (l *Ledger) isHead(i int) bool { return l.config.Head != nil && l.config.Head[i] }
