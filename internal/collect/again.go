package collect

import (
	"errors"
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
)

// keptKinds are the inputs of a kept bundle that say what was decided about: they stay. Evidence is collected again.
var keptKinds = []check.Kind{check.Contract, check.TaskContract, check.Changes, check.DiffRules, check.Diff}

// Again collects the inputs of an earlier decision anew, for the code of another commit. Contracts, changes, rows of
// the diff rules and facts are those of the bundle in dir. The options name the logs, with their digests, and the work
// tree with the reports that the contracts declare. Only a record about the code tree of that commit counts. The error
// says why the bundle cannot be judged so.
//
// The bundle must be one that a replay has just confirmed: Again does not compare it with its report.
func Again(dir string, at Place, o Options) (*Found, error) {
	kept, err := Bundle(dir)
	if err != nil {
		return nil, err
	}
	known := verify.FactsOf(kept.Bundle)
	switch {
	case known == nil:
		return nil, fmt.Errorf("%q contains no facts.json that can be read", dir)
	case len(kept.Parts) > 0:
		return nil, fmt.Errorf("%q is about a merge group", dir)
	case len(o.Feedback) == 0 || o.Settings.Digests == nil:
		return nil, errors.New("name the logs and their digests: else those of the work tree would count")
	}
	contracts, err := keptContracts(kept, known, o)
	if err != nil {
		return nil, err
	}
	found, err := contracts.Files(o)
	if err != nil {
		return nil, err
	}
	tree, err := at.Objects.CodeTree(at.Commit, contracts.evidenceDir())
	if err != nil {
		return nil, err
	}
	known.Subject.HeadSHA, known.Subject.AcceptedTrees, known.Digests = at.Commit, []string{tree}, o.Settings.Digests
	if len(known.Cross) > 0 { // the tests of the base ran when the item was submitted
		known.Cross = []facts.CrossTrees{{Head: tree, Base: tree, OldTests: tree}}
	}
	return found, found.addKept(kept, known, contracts, o)
}

// addKept adds what stays of a kept bundle, and its new facts.
func (f *Found) addKept(kept *Found, known *facts.Facts, contracts *Contracts, o Options) error {
	known.Files, known.Unmatched = nil, nil // they are about the evidence of before
	f.noteUnmatched(known)
	for _, in := range kept.Inputs {
		if slices.Contains(keptKinds, in.Kind) {
			f.Inputs = append(f.Inputs, in)
		}
	}
	data, err := known.Marshal()
	f.Inputs = append(f.Inputs, verify.Input{Kind: check.Facts, Name: "facts.json", Open: bytesOpener(data)})
	f.facts, f.testReports = known, contracts.testReports()
	f.Settings = verify.Settings{Limits: o.Settings.Limits} // the facts have the others
	return err
}

// keptContracts reads the contracts of a bundle.
func keptContracts(kept *Found, known *facts.Facts, o Options) (*Contracts, error) {
	c := &Contracts{named: known.Settings.Named()}
	for _, in := range kept.Inputs {
		if in.Kind != check.Contract && in.Kind != check.TaskContract {
			continue
		}
		data, err := in.Read(o.Settings.Limits.ContractBytes)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(known.Contracts, func(c facts.ContractOrigin) bool { return c.File == in.Name })
		if i < 0 {
			return nil, fmt.Errorf("the facts do not say where the contract %q comes from", in.Name)
		}
		file := contractFile{kind: in.Kind, origin: known.Contracts[i]}
		file.parse(data, o)
		c.files = append(c.files, file)
	}
	if c.join(policy.Join); c.Policy == nil {
		return nil, errors.New("the contracts of the bundle cannot be used")
	}
	c.Standing = c.files[0].parsed
	return c, nil
}
