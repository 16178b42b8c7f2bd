package collect

import (
	"slices"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
)

// AddPull adds a pull request of a merge group to what was found about the group: its own changes, the contract of its
// task, and its facts. The standing contract is the group's.
func (f *Found) AddPull(number int64, compared *Comparison, contracts *Contracts, known *facts.Facts) error {
	own := slices.DeleteFunc(slices.Clone(contracts.files), func(c contractFile) bool { return c.kind != check.TaskContract })
	if compared.rows != nil { // so that it is missed when it is removed later
		name := verify.PartDirectory(number) + verify.DiffRulesFile
		known.Files = append(known.Files, facts.FileOrigin{File: name, Path: name})
	}
	inputs, err := decisionInputs(compared, own, known)
	f.Parts = append(f.Parts, verify.Part{PullRequest: number, Inputs: inputs})
	f.testReports = unique(append(f.testReports, contracts.testReports()...))
	return err
}
