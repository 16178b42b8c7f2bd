package verify

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// spending is what was used of the limits that several inputs share, also those of the parts of a merge group.
type spending struct {
	small   int64 // bytes of the inputs that are read into memory
	rows    int64 // of rule reports
	changes int64 // touched paths
}

// smallShare is the size of all contracts and reports together, in the largest size of one.
const smallShare = 16

// affords counts the bytes of an input that stays in memory; false, with an error, when there are too many.
func (l *loader) affords(bytes int64, errs *input.Errors) bool {
	most := smallShare * max(l.settings.Limits.RulesBytes, l.settings.Limits.ContractBytes)
	if l.spent.small += bytes; l.spent.small > most {
		errs.Add(input.TooLarge("all contracts, reports and facts files together", most, input.FlagRulesBytes))
		return false
	}
	return true
}

// groupShare is how many times the limit of changed files a merge group and its pull requests may have together: each
// file is in the group's list and in the list of a pull request.
const groupShare = 2

// affordChanges returns the changed files, and none with a problem when a merge group has too many of them in all.
func (l *loader) affordChanges(list []change.Change) []change.Change {
	most := groupShare * int64(l.settings.Limits.Files)
	if l.spent.changes += int64(len(list)); l.spent.changes <= most {
		return list
	}
	l.State[check.Changes] = check.Malformed
	l.Problems = append(l.Problems, check.Problem{
		Kind: check.Changes, Error: input.OverLimit("the number of changed files of a merge group and its pull requests together", most, input.FlagFiles),
	})
	return nil
}

// parseRules reads a rule report, and counts its rows.
func (l *loader) parseRules(data []byte, limits input.Limits) (*reports.Report, *input.Errors) {
	r, errs := reports.Parse(data, limits)
	if r == nil {
		return nil, errs
	}
	if l.spent.rows += int64(len(r.Rows)); l.spent.rows > limits.Rows {
		errs.Add(input.OverLimit("the number of rows of all rule reports together", limits.Rows, input.FlagRows))
		return nil, errs
	}
	return r, errs
}

// boundInputs drops the inputs of a kind of which there are too many, and reports it: to list and open files costs time as
// well, however small they are.
func (l *loader) boundInputs() {
	most := l.settings.Limits.Inputs
	bundle := *l.bundle
	bundle.Inputs = slices.Clone(bundle.Inputs)
	for _, kind := range []check.Kind{check.TaskContract, check.Feedback, check.Rules} {
		if int64(l.given[kind]) <= most {
			continue
		}
		l.problem(kind, "", input.OverLimit("the number of files of the kind "+string(kind), most, input.FlagInputs))
		l.State[kind] = check.Malformed
		bundle.Inputs = slices.DeleteFunc(bundle.Inputs, func(in Input) bool { return in.Kind == kind })
		delete(l.given, kind)
	}
	l.bundle = &bundle
}
