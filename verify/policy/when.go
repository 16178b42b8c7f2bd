package policy

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

// checkWhen refuses when and when_none outside of the standing contract: a task says what it needs.
func (p *Policy) checkWhen(c *contract.Contract, first bool) (problems []input.Error) {
	if first {
		return nil
	}
	refuse := func(pos input.Pos, key string) {
		problems = append(problems, input.Error{
			Pos: pos, Where: "/" + key, Message: "only the standing contract says when a criterion is required", Found: input.Quote(key),
			Expected: "no " + input.Quote(key), Fix: "remove it, or move it to the standing contract",
		})
	}
	for _, criterion := range c.Criteria {
		if criterion.When != nil {
			refuse(criterion.Pos, "when")
		}
	}
	if pos, there := c.Keys["when_none"]; there {
		refuse(pos, "when_none")
	}
	return problems
}

// HasWhen reports whether a criterion is required only for some changes.
func (p *Policy) HasWhen() bool {
	return slices.ContainsFunc(p.Criteria, func(c contract.Criterion) bool { return c.When != nil })
}

// For is the policy without the criteria that a change does not require, which are then NotRequired. All are required where the
// changes are not known, and where one is protected, a contract, or a path that could be taken for another one.
func (p *Policy) For(changes []change.Change, known bool) *Policy {
	if !p.HasWhen() || !known || slices.ContainsFunc(changes, func(c change.Change) bool { return p.asksAll(&c) }) {
		return p
	}
	sets := make([]*glob.Set, len(p.Criteria))
	for i, c := range p.Criteria {
		if c.When != nil {
			sets[i] = glob.CompileFolded(denying(c.When))
			sets[i].Metered(p.Meter)
		}
	}
	out := map[string]bool{}
	for i, c := range p.Criteria {
		asks := func(at change.Change) bool {
			return sets[i].Match(at.Path) || p.testsOf(c.ID, at.Path) || inArgument(&c, at.Path)
		}
		out[c.ID] = sets[i] != nil && !slices.ContainsFunc(changes, asks)
	}
	with := *p
	with.Criteria, with.NotRequired = nil, nil
	for _, c := range p.Criteria {
		if out[c.ID] || out[c.Proves.Value] { // a control is not asked for without what it proves
			with.NotRequired = append(with.NotRequired, c)
		} else {
			with.Criteria = append(with.Criteria, c)
		}
	}
	if p.Coverage != nil && out[p.Coverage.Criterion.Value] {
		with.Coverage = nil
	}
	return &with
}

// asksAll reports whether a change may alter what a criterion proves, or cannot be told from one that does.
func (p *Policy) asksAll(c *change.Change) bool {
	leads := c.OldMode.Special() || c.NewMode.Special() // a symlink or submodule changes what other paths mean
	if leads || Irregular(c.Path) != "" || DefaultContractPath(c.Path) {
		return true
	}
	for _, set := range p.protected { // also where the contract lifts the protection, or only harmless keys differ
		if _, _, ok := set.files.Which(c.Path); ok {
			return true
		}
	}
	folded := glob.Fold(c.Path)
	_, argument := p.arguments[folded]
	_, written := p.reports[folded]
	return argument || written || p.isContract(c)
}

// inArgument reports whether a path is in a directory that the command of a criterion names, such as tests/unit of pytest tests/unit.
// Where a command only changes to a directory, when says what of it counts.
func inArgument(c *contract.Criterion, path string) bool {
	for i, arg := range c.Run[1:] {
		if slices.Contains([]string{"cd", "-C", "--prefix", "--dir", "--cwd"}, c.Run[i]) {
			continue
		}
		dir := argumentPath(c.Cwd, strings.TrimSuffix(arg, "/..."))
		if dir != "" && strings.HasPrefix(glob.Fold(path), glob.Fold(dir)+"/") {
			return true
		}
	}
	return false
}

// testsOf reports whether a path is a test that a criterion runs.
func (p *Policy) testsOf(criterion, path string) bool {
	return slices.ContainsFunc(p.tests, func(t testSet) bool { return t.rule.Names(criterion) && p.isTest(t, path) })
}

// WhenNone reports whether a change may require no command at all, because the standing contract says so.
func (p *Policy) WhenNone() bool { return p.NotRequired != nil && p.Sources[0].Contract.WhenNone }
