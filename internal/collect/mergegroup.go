package collect

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// pullsDir contains a directory for each pull request of a merge group, named by its number.
const pullsDir = "pulls"

var numberSyntax = input.Lazily(`^[1-9][0-9]{0,14}$`)

// findPulls adds the pull requests of a merge group that a bundle contains.
func (f *Found) findPulls(at place, dir string) error {
	f.Dirs = append(f.Dirs, filepath.Join(dir, pullsDir))
	names, err := at.names(pullsDir)
	if err != nil {
		return fmt.Errorf("the directory %q of the bundle cannot be listed: %w", pullsDir, input.Reason(err))
	}
	for _, name := range names {
		if !numberSyntax().MatchString(name) {
			continue
		}
		number, err := strconv.ParseInt(name, 10, 64)
		if err == nil {
			err = f.findPull(at, number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Found) findPull(at place, number int64) error {
	part, dir := verify.Part{PullRequest: number}, verify.PartDirectory(number)
	add := func(kind checks.Kind, name string) {
		if open := at.existing(dir + name); open != nil {
			part.Inputs = append(part.Inputs, verify.Input{Kind: kind, Name: name, Open: open})
		}
	}
	add(checks.Facts, "facts.json")
	add(checks.Changes, "changes.json")
	add(checks.DiffRules, diffRulesFile)
	names, err := at.listed(dir+contractsDir, policy.ContractExtensions)
	if err != nil {
		return fmt.Errorf("the directory %q of the bundle cannot be listed: %w", dir+contractsDir, input.Reason(err))
	}
	for _, name := range names {
		add(checks.TaskContract, strings.TrimPrefix(name, dir))
	}
	f.Parts = append(f.Parts, part)
	return nil
}

// AddPull adds a pull request of a merge group to what was found about the group: its own changes, the contract of its
// task, and its facts. The standing contract is the group's.
func (f *Found) AddPull(number int64, compared *Comparison, contracts *Contracts, known *facts.Facts) error {
	own := slices.DeleteFunc(slices.Clone(contracts.files), func(c contractFile) bool { return c.kind != checks.TaskContract })
	if compared.rows != nil { // so that it is missed when it is removed later
		name := verify.PartDirectory(number) + diffRulesFile
		known.Files = append(known.Files, facts.FileOrigin{File: name, Path: name})
	}
	inputs, err := decisionInputs(compared, own, known)
	f.Parts = append(f.Parts, verify.Part{PullRequest: number, Inputs: inputs})
	f.testReports = append(f.testReports, contracts.testReports()...)
	return err
}
