package collect

import (
	"cmp"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Trees collects the inputs of a decision about what leads from one commit to another: the contracts of the base, the
// changes since the merge base, the facts, and the files that the options name. What a repository cannot tell is
// unavailable in the facts. The error is one of usage, as that of [Files].
func Trees(objects Objects, base, head string, o Options) (*Found, error) {
	if err := o.CheckDiff(); err != nil {
		return nil, err
	}
	compared := Compare(objects, base, head)
	if o.ContractsAt != "" {
		compared = Since(objects, base, head)
	}
	contracts, err := ReadContracts(compared, o)
	if err != nil {
		return nil, err
	}
	return Gather(compared, contracts, o)
}

// Gather is [Trees] with contracts that were read already.
func Gather(compared *Comparison, contracts *Contracts, o Options) (*Found, error) {
	found, err := contracts.Files(o)
	if err != nil {
		return nil, err
	}
	compared.ReadReports(found, contracts)
	compared.RunRules()
	known := Facts(facts.Subject{ChangesFrom: "git"}, compared, contracts, o)
	if len(contracts.files) == 0 && len(contracts.Unavailable) == 0 {
		known.Misplaced = misplaced(compared, o)
	}
	return found, found.Add(compared, contracts, known)
}

// wrongPlaces are where newcomers put the standing contract, without extension.
var wrongPlaces = []string{
	"scope_contract", "closeout/scope_contract", ".closeout/contract", ".closeout/scope-contract", ".closeout/scope",
	".closeout/closeout", ".github/scope_contract", ".github/closeout", "contract", "closeout",
}

// misplaced looks for the standing contract where it could be by mistake. What cannot be read is not there.
func misplaced(c *Comparison, o Options) []facts.Misplaced {
	var list []facts.Misplaced
	add := func(at, name string, there bool) {
		if there {
			list = append(list, facts.Misplaced{At: at, Path: name})
		}
	}
	contains := func(commit, name string) bool {
		_, _, found, err := c.Objects.Entry(commit, name)
		return found && err == nil
	}
	add("named", o.Contract, o.Contract != "")
	for _, extension := range policy.ContractExtensions {
		right := policy.StandingContract + extension
		inHead := contains(c.Head, right)
		add("base", right, o.Contract != "" && contains(c.contractsAt(o), right))
		add("head", right, inHead)
		add("work_tree", right, !inHead && o.existingPath(right) != "")
		for _, place := range wrongPlaces {
			add("base", place+extension, contains(c.contractsAt(o), place+extension))
		}
	}
	return list
}

// Add adds contracts, changes and facts to the files that were found. A pattern that matches no file is a fact too, since
// a bundle must tell of it.
func (f *Found) Add(compared *Comparison, contracts *Contracts, known *facts.Facts) error {
	f.noteUnmatched(known)
	f.Settings.Notes, f.compared, f.facts = nil, compared, known
	f.testReports = contracts.testReports()
	f.addPlaces(compared, contracts, known)
	f.addQuotes(compared, known)
	inputs, err := decisionInputs(compared, contracts.files, known)
	f.Inputs = append(f.Inputs, inputs...)
	return err
}

// noteUnmatched makes facts of the patterns that match no file.
func (f *Found) noteUnmatched(known *facts.Facts) {
	for _, note := range f.Settings.Notes {
		known.Unmatched = append(known.Unmatched, facts.Unmatched{Kind: string(note.Kind), Pattern: note.Pattern})
	}
}

// decisionInputs are the inputs that come from two commits: contracts, changes.json, diff_rules.json and facts.json.
func decisionInputs(compared *Comparison, contracts []contractFile, known *facts.Facts) ([]verify.Input, error) {
	var inputs []verify.Input
	for _, c := range contracts {
		known.Contracts = append(known.Contracts, c.origin)
		inputs = append(inputs, verify.Input{Kind: c.kind, Name: c.origin.File, Open: c.open, RepoPaths: c.paths})
	}
	if compared.Changes != nil {
		data, err := change.Marshal(compared.Changes)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, verify.Input{Kind: check.Changes, Name: "changes.json", Open: bytesOpener(data)})
	}
	inputs = append(inputs, compared.ruleRows()...)
	input.SortStable(known.Unavailable, func(a, b facts.Unavailable) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.About, b.About), cmp.Compare(a.Error, b.Error))
	})
	data, err := known.Marshal()
	return append(inputs, verify.Input{Kind: check.Facts, Name: "facts.json", Open: bytesOpener(data)}), err
}
