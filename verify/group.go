package verify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
)

// ofGroup reports whether what is judged is a merge group, or a pull request in one.
func (j *judge) ofGroup() bool {
	return j.in.Member != nil || j.in.Facts != nil && j.in.Facts.Event.Name == "merge_group"
}

// group is the decision about a merge group: evidence, rules and coverage are the group's and judged once, by the standing
// contract; scope and approvals are judged in each pull request, by the contracts that judged it before. What a pull
// request's own contract asks of the evidence is judged on the group's.
type group struct {
	*judge
	parts []*part
}

// part is a pull request of the group.
type part struct {
	*judge
	number int64
	// view is the group's evidence under the pull request's contracts; nil where those are the group's.
	view *check.Inputs
}

// readGroup reads everything, and says of each pull request how the group holds it.
func (g *group) readGroup() {
	g.in.Group = &check.Group{}
	g.readStanding()
	if g.in.State[check.Contract] == check.Usable {
		g.join(policy.JoinGroup)
	}
	for _, p := range g.sortedParts() {
		g.parts = append(g.parts, g.readPart(p))
	}
	g.readRules()
	g.readCoverage()
	known := map[string]*check.TestFile{}
	if g.in.Policy != nil {
		g.in.Tests = g.testsOf(g.in.Policy, known)
	}
	g.readViews(known)
	g.authorise()
	g.holdTogether()
}

func (g *group) sortedParts() []Part {
	parts := slices.Clone(g.bundle.Parts)
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.PullRequest, b.PullRequest) })
	return parts
}

// readPart reads what belongs to a pull request alone. Settings and standing contract are the group's.
func (g *group) readPart(b Part) *part {
	j := newJudge(&Bundle{Inputs: b.Inputs, Settings: g.bundle.Settings})
	j.group, j.spent = *g.bundle, g.spent
	j.folder, j.settings, j.needs = PartFolder(b.PullRequest), g.settings, []check.Kind{check.Contract, check.Changes}
	j.in.Task, j.in.Today, j.in.Strict, j.in.MaxFindings = g.in.Task, g.in.Today, g.in.Strict, g.in.MaxFindings
	j.in.Member = &check.Member{Number: b.PullRequest, BaseSHA: g.in.Facts.Subject.BaseSHA}
	j.readFacts()
	j.takeStanding(g.judge)
	j.readTasks()
	j.readChanges().into(j)
	j.classify()
	j.authorise()
	return &part{judge: j, number: b.PullRequest}
}

// takeStanding takes over the standing contract, and what is wrong with it.
func (j *judge) takeStanding(g *judge) {
	j.standing, j.sources = g.standing, slices.Clone(g.sources)
	j.in.State[check.Contract] = g.in.State[check.Contract]
	for _, problem := range g.in.Problems {
		if problem.Kind == check.Contract {
			j.in.Problems = append(j.in.Problems, problem)
		}
	}
}

// readViews reads logs and changes of the group, the logs also for the pull requests that bring along a contract.
func (g *group) readViews(known map[string]*check.TestFile) {
	var own []*part
	var views []*check.Inputs
	for _, p := range g.parts {
		if p.in.Policy != nil && len(p.in.Policy.Sources) > 1 {
			p.view = &check.Inputs{
				Policy: p.in.Policy, Minimum: p.in.Minimum, Rules: g.in.Rules, Coverage: g.in.Coverage, Tests: g.testsOf(p.in.Policy, known),
			}
			own, views = append(own, p), append(views, p.view)
		}
	}
	for i, l := range g.readStreams(views...) {
		p := own[i]
		tests := p.view.Tests
		*p.view = g.in
		p.view.Policy, p.view.Minimum, p.view.Unbound, p.view.Ledger, p.view.Tests = p.in.Policy, p.in.Minimum, p.in.Unbound, l, tests
		p.view.State = p.stateOfView(g.in.State)
	}
}

// stateOfView is the state of the group's inputs, but for that of the contracts.
func (p *part) stateOfView(group map[check.Kind]check.State) map[check.Kind]check.State {
	state := map[check.Kind]check.State{}
	for kind, s := range group {
		state[kind] = s
	}
	state[check.Contract] = p.in.State[check.Contract]
	return state
}

// holdTogether compares the group with its pull requests: which of them are there, and whether each path that the group
// changes is one that a pull request changes, and the other way round.
func (g *group) holdTogether() {
	there := g.in.Group
	for _, p := range g.parts {
		if !slices.Contains(g.in.Facts.Subject.PullRequests, p.number) {
			there.Unlisted = append(there.Unlisted, p.number)
		}
	}
	for _, number := range g.in.Facts.Subject.PullRequests {
		if !slices.ContainsFunc(g.parts, func(p *part) bool { return p.number == number }) {
			there.Missing = append(there.Missing, number)
		}
	}
	touched, held := g.touched(), map[string]*change.Change{}
	for i := range g.in.Changes {
		c := &g.in.Changes[i]
		held[c.Path] = &c.Change
		if touched[c.Path] == 0 {
			there.Unexplained = append(there.Unexplained, c)
		}
	}
	if g.in.State[check.Changes] == check.Usable {
		for _, p := range g.parts {
			p.in.Member.Foreign, p.in.Member.Other = p.foreign(held, touched), p.other(held)
		}
	}
	there.Unsure = g.unsure()
}

// touched counts in how many pull requests a path was touched.
func (g *group) touched() map[string]int {
	count := map[string]int{}
	for _, p := range g.parts {
		for _, c := range p.in.Changes {
			count[c.Path]++
		}
	}
	return count
}

// foreign lists the touched paths that the group does not hold as the pull request does, and nothing explains: neither
// does another pull request touch them, nor did the base, with which they were merged then. Where the group's history
// holds the head, there is nothing to ask. held are the group's changes by their path, touched says in how many pull
// requests a path was touched.
func (p *part) foreign(held map[string]*change.Change, touched map[string]int) []string {
	if p.in.Facts == nil || p.in.Facts.Membership == nil || p.in.Facts.Membership.HeadInGroup {
		return nil
	}
	differs := map[string]bool{}
	for _, path := range p.in.Facts.Membership.Differs {
		differs[path] = true
	}
	var list []string
	for _, c := range p.in.Changes {
		at := held[c.Path]
		merged := at != nil && (at.OldID != c.OldID || at.OldMode != c.OldMode)
		if differs[valid(c.Path)] && touched[c.Path] == 1 && !merged {
			list = append(list, c.Path)
		}
	}
	return list
}

// other lists the paths to which the group gives another content or mode than the pull request does: what a person saw
// there is not what the group merges. A path that the group does not change it leaves as the base has it.
func (p *part) other(held map[string]*change.Change) []string {
	var list []string
	for _, c := range p.in.Changes {
		if at := held[c.Path]; at != nil && !sameResult(at, &c.Change) {
			list = append(list, c.Path)
		}
	}
	return list
}

// sameResult reports whether two changes end in the same mode and content. A diff shortens ids. A change of the mode alone
// has none there, and none is needed: the content is the old one in both.
func sameResult(a, b *change.Change) bool {
	if a.NewMode != b.NewMode {
		return false
	}
	if a.NewID == "" || b.NewID == "" {
		return a.NewID == b.NewID || a.Status == change.ModeChanged && b.Status == change.ModeChanged
	}
	return strings.HasPrefix(a.NewID, b.NewID) || strings.HasPrefix(b.NewID, a.NewID)
}

// unsure reports whether it is not known of some pull request what it brings into the group.
func (g *group) unsure() bool {
	there := g.in.Group
	if len(g.in.Facts.Subject.PullRequests) == 0 || len(there.Missing)+len(there.Unlisted) > 0 || len(g.in.Unavailable(facts.WantedPullRequests)) > 0 {
		return true
	}
	return slices.ContainsFunc(g.parts, func(p *part) bool { return !p.isSure() })
}

// isSure reports whether it is known what a pull request brings into the group.
func (p *part) isSure() bool {
	f := p.in.Facts
	return f != nil && f.Membership != nil && f.GitHub != nil && f.GitHub.PullRequest != nil &&
		p.in.State[check.Changes] == check.Usable && len(p.in.Member.Foreign) == 0
}
