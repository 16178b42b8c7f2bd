package verify

import (
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/rules"
	"github.com/closeout-gate/closeout/verify/strict"
)

// spending is what was used of the limits that several inputs share. The parts of a merge group share one.
type spending struct {
	small   int64 // bytes of the inputs that are read into memory
	rows    int64 // of rule reports
	changes int64 // touched paths
}

// smallShare is how many of the largest contracts and reports all of them together may weigh.
const smallShare = 16

// affords counts the bytes of an input that is held in memory; false, with an error, when there are too many.
func (j *judge) affords(bytes int64, errs *diag.Errors) bool {
	most := smallShare * max(j.limits().RulesBytes, j.limits().ContractBytes)
	if j.spent.small += bytes; j.spent.small > most {
		errs.Add(strict.TooLarge("all contracts, reports and facts files together", most, strict.FlagRulesBytes))
		return false
	}
	return true
}

// groupShare is how many times the limit of changed files a merge group and its pull requests may have together: each
// file is in the group's list and in that of a pull request.
const groupShare = 2

// affordChanges returns the changed files, and none with a problem when a merge group has too many of them in all.
func (j *judge) affordChanges(list []change.Change) []change.Change {
	most := groupShare * int64(j.limits().Files)
	if j.spent.changes += int64(len(list)); j.spent.changes <= most {
		return list
	}
	j.in.State[check.Changes] = check.Malformed
	j.in.Problems = append(j.in.Problems, check.Problem{
		Kind: check.Changes, Error: strict.OverLimit("the number of changed files of a merge group and its pull requests together", most, strict.FlagFiles),
	})
	return nil
}

// parseRules reads a rule report, and counts its rows.
func (j *judge) parseRules(data []byte, limits strict.Limits) (*rules.Report, *diag.Errors) {
	r, errs := rules.Parse(data, limits)
	if r == nil {
		return nil, errs
	}
	if j.spent.rows += int64(len(r.Rows)); j.spent.rows > limits.Rows {
		errs.Add(strict.OverLimit("the number of rows of all rule reports together", limits.Rows, strict.FlagRows))
		return nil, errs
	}
	return r, errs
}

// holdInputs drops the inputs of a kind of which there are too many, and says so: listing and opening files costs time as
// well, however small they are.
func (j *judge) holdInputs() {
	counts := map[check.Kind]int64{}
	for _, in := range j.bundle.Inputs {
		counts[in.Kind]++
	}
	over := func(kind check.Kind) bool { return counts[kind] > j.limits().Inputs }
	for _, kind := range []check.Kind{check.TaskContract, check.Feedback, check.Rules} {
		if over(kind) {
			j.in.Problems = append(j.in.Problems, check.Problem{
				Kind: kind, Error: strict.OverLimit("the number of files of the kind "+string(kind), j.limits().Inputs, strict.FlagInputs),
			})
			j.in.State[kind] = check.Malformed
		}
	}
	if len(j.in.Problems) == 0 {
		return
	}
	bundle := *j.bundle
	bundle.Inputs = nil
	for _, in := range j.bundle.Inputs {
		if !over(in.Kind) {
			bundle.Inputs = append(bundle.Inputs, in)
		}
	}
	j.bundle = &bundle
}
