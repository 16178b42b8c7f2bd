package verify

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// loadGroup reads a merge group and its pull requests. Evidence, rules and coverage are the group's, under the standing
// contract; scope and approvals are judged in each pull request, under the contracts that judged it before. What a pull
// request's own contract requires of the evidence is judged on the group's.
func (l *loader) loadGroup() []*candidate {
	l.scope, l.Group = check.ScopeGroup, &check.Group{}
	l.readStanding()
	if l.State[check.Contract] == check.Usable {
		l.joinContracts(policy.JoinGroup)
	}
	parts := slices.Clone(l.bundle.Parts)
	input.SortStable(parts, func(a, b Part) int { return cmp.Compare(a.PullRequest, b.PullRequest) })
	candidates := []*candidate{l.candidate}
	for _, p := range parts {
		candidates = append(candidates, l.loadMember(p))
	}
	members := candidates[1:]
	l.readRules()
	l.readCoverage()
	tests := map[string]*check.TestFile{}
	l.Tests = l.testsOf(l.Policy, tests)
	l.readViews(members, tests)
	l.authorise()
	l.Decide()
	compareGroup(l.candidate, members)
	return candidates
}

// loadMember reads what belongs to one pull request. Settings and standing contract are the group's.
func (g *loader) loadMember(p Part) *candidate {
	l := newLoader(&Bundle{Inputs: p.Inputs, Settings: g.bundle.Settings, Parsed: g.bundle.Parsed}, check.ScopeMember)
	l.group, l.spent, l.directory, l.settings = *g.bundle, g.spent, PartDirectory(p.PullRequest), g.settings
	l.number = p.PullRequest
	l.Named, l.Today, l.Strict, l.MaxFindings = g.Named, g.Today, g.Strict, g.MaxFindings
	l.Member = &check.Member{Number: p.PullRequest, BaseSHA: g.Facts.Subject.BaseSHA}
	l.readFacts()
	l.given[check.Contract], l.contracts = g.given[check.Contract], slices.Clone(g.contracts)
	l.State[check.Contract] = g.State[check.Contract]
	for _, problem := range g.Problems {
		if problem.Kind == check.Contract {
			l.Problems = append(l.Problems, problem)
		}
	}
	l.readTasks()
	l.readDiffRules()
	l.takeChanges(l.readChanges())
	l.classify()
	l.authorise()
	return l.candidate
}

// readViews reads logs and changes of the group. The logs are also read for each pull request that has a contract of its
// own.
func (l *loader) readViews(members []*candidate, tests map[string]*check.TestFile) {
	var own []*candidate
	var views []*check.Inputs
	for _, m := range members {
		if m.Policy != nil && len(m.Policy.Sources) > 1 {
			m.view = &check.Inputs{
				Policy: m.Policy, Minimum: m.Minimum, Rules: l.Rules, Coverage: l.Coverage, Tests: l.testsOf(m.Policy, tests),
			}
			own, views = append(own, m), append(views, m.view)
		}
	}
	for i, ledger := range l.readStreams(views...) {
		m, view := own[i], l.Inputs
		view.Policy, view.Minimum, view.Unbound, view.Ledger, view.Tests = m.view.Policy, m.Minimum, m.Unbound, ledger, m.view.Tests
		view.State = maps.Clone(l.State)
		view.State[check.Contract] = m.State[check.Contract]
		view.Decide()
		*m.view = view
	}
}

// compareGroup compares a group with its pull requests: which of them are there, and whether each path that the group
// changes is one that a pull request changes, and the other way round. It gives each path of the group the strictest class.
func compareGroup(group *candidate, members []*candidate) {
	there, listed := group.Group, group.Facts.Subject.PullRequests
	for _, m := range members {
		if !slices.Contains(listed, m.number) {
			there.Unlisted = append(there.Unlisted, m.number)
		}
	}
	for _, number := range listed {
		if !slices.ContainsFunc(members, func(m *candidate) bool { return m.number == number }) {
			there.Missing = append(there.Missing, number)
		}
	}
	touched, classes := touchedBy(members)
	changes := map[string]*change.Change{}
	for i := range group.Changes {
		c := &group.Changes[i]
		changes[c.Path], c.Class = &c.Change, classes[c.Path]
		if touched[c.Path] == 0 {
			there.Unexplained = append(there.Unexplained, c)
		}
	}
	if group.State[check.Changes] == check.Usable {
		for _, m := range members {
			m.Member.Foreign, m.Member.Other = m.foreign(changes, touched), m.other(changes)
		}
	}
	there.Unsure = len(listed) == 0 || len(there.Missing)+len(there.Unlisted) > 0 || len(group.Unavailable(facts.WantedPullRequests)) > 0 ||
		slices.ContainsFunc(members, func(m *candidate) bool { return !m.isSure() })
}

// touchedBy counts in how many pull requests each path was touched, and gives the strictest class that the path has in one
// of them; none where it has none in one of them, whose contracts cannot be read.
func touchedBy(members []*candidate) (count map[string]int, classes map[string]policy.Class) {
	strictest := []policy.Class{
		policy.ClassForbidden, policy.ClassProtected, policy.ClassOffScope, policy.ClassSoft, policy.ClassAllowed, policy.ClassEvidence,
	}
	count, classes = map[string]int{}, map[string]policy.Class{}
	for _, m := range members {
		for _, c := range m.Changes {
			if count[c.Path] == 0 || slices.Index(strictest, c.Class) < slices.Index(strictest, classes[c.Path]) {
				classes[c.Path] = c.Class
			}
			count[c.Path]++
		}
	}
	return count, classes
}

// foreign lists the touched paths that are not in the group as the pull request has them, without an explanation: no other
// pull request touches them, and neither did the base, with which they would be merged. There is nothing to compare where
// the group's history contains the head. changes are the group's by path; touched says in how many pull requests a path was
// touched.
func (s *candidate) foreign(changes map[string]*change.Change, touched map[string]int) []string {
	if s.Facts == nil || s.Facts.Membership == nil || s.Facts.Membership.HeadInGroup {
		return nil
	}
	differs := map[string]bool{}
	for _, path := range s.Facts.Membership.Differs {
		differs[path] = true
	}
	var list []string
	for _, c := range s.Changes {
		at := changes[c.Path]
		merged := at != nil && (at.OldID != c.OldID || at.OldMode != c.OldMode)
		if differs[check.Valid(c.Path)] && touched[c.Path] == 1 && !merged {
			list = append(list, c.Path)
		}
	}
	return list
}

// other lists the paths to which the group gives another content or mode than the pull request does: the group merges
// something that a person did not see there. A path that the group does not change stays as the base has it.
func (s *candidate) other(changes map[string]*change.Change) []string {
	var list []string
	for _, c := range s.Changes {
		if at := changes[c.Path]; at != nil && !sameResult(at, &c.Change) {
			list = append(list, c.Path)
		}
	}
	return list
}

// sameResult reports whether two changes end in the same mode and content. A diff shortens ids. A change of the mode alone
// has none there, and needs none: the content is the old one in both.
func sameResult(a, b *change.Change) bool {
	if a.NewMode != b.NewMode {
		return false
	}
	if a.NewID == "" || b.NewID == "" {
		return a.NewID == b.NewID || (a.Status == change.ModeChanged && b.Status == change.ModeChanged)
	}
	return strings.HasPrefix(a.NewID, b.NewID) || strings.HasPrefix(b.NewID, a.NewID)
}

// isSure reports whether it is known what a pull request brings into the group.
func (s *candidate) isSure() bool {
	f := s.Facts
	return f != nil && f.Membership != nil && f.GitHub != nil && f.GitHub.PullRequest != nil &&
		s.State[check.Changes] == check.Usable && len(s.Member.Foreign) == 0
}
