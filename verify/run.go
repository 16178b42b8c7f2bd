package verify

import (
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
)

// codes are those that a finding can have.
func codes() check.Codes { return check.CodesOf(check.For(checks.All, check.ScopeChange)) }

// run runs the checks of a candidate. exempt is true when the contract does not apply to it, so that nothing was judged.
func run(s *candidate, members []*judged) (results []check.Result, exempt bool) {
	list, codes := check.For(checks.All, s.scope), codes()
	if s.scope != check.ScopeGroup {
		if f := s.notApplicable(); f != nil {
			gate := check.Result{Check: checks.GateCheck}
			gate.Findings.Add(*f)
			return append(skipped(list), gate), true
		}
	} else if !s.Group.Unsure && !slices.ContainsFunc(members, func(m *judged) bool { return !m.exempt }) {
		results = skipped(list)
		for i, c := range list {
			if c.Scope&check.ScopeExempt != 0 { // no change may enter the group behind pull requests that are not judged
				results[i] = check.Run([]*check.Check{c}, codes, &s.Inputs)[0]
			}
		}
		return results, true
	}
	results = check.Run(list, codes, &s.Inputs)
	for _, m := range members {
		if m.view != nil && !m.exempt {
			runView(results, codes, m)
		}
	}
	return append(results, s.unjudged(results)), false
}

func skipped(list []*check.Check) []check.Result {
	results := make([]check.Result, len(list))
	for i, c := range list {
		results[i] = check.Result{Check: c, Skipped: true}
	}
	return results
}

// runView adds what the group's evidence lacks under a pull request's own contract, beside what it lacks under the
// group's. Two contracts can give one name to two commands, so the number of the pull request is part of the finding.
func runView(results []check.Result, codes check.Codes, m *judged) {
	name := fmt.Sprintf("pull request %d", m.number)
	for i := range results {
		if results[i].Check.Scope&check.ScopeEvidence == 0 {
			continue
		}
		check.RunMore(&results[i], codes, m.view, func(known *check.Findings, f *check.Finding) bool {
			if known.Covers(f) {
				return false
			}
			f.Message += " (required by the contract of " + name + ")"
			f.Identity = append(slices.Clip(f.Identity), name)
			return true
		})
	}
}

// notApplicable is the finding about a pull request to whose author the contract does not apply; nil when it applies. The
// author is the one property of a pull request that its author cannot choose, as long as this pull request is the one that
// is judged, and no other pull request has the same head: the checks of both are shown on that head.
func (s *candidate) notApplicable() *check.Finding {
	f := s.Facts
	if s.Standing == nil || s.Standing.AppliesTo == nil || f == nil || f.GitHub == nil || f.GitHub.PullRequest == nil {
		return nil
	}
	pr, authors := f.GitHub.PullRequest, override.NewAuthors(s.Standing.AppliesTo)
	other := f.Subject.PullRequest > 0 && f.Subject.PullRequest != pr.Number
	if other || !s.isInGroup() || !authors.LeavesOut(pr) {
		return nil
	}
	if authors.SharedWith(pr) != nil || len(s.Unavailable(facts.WantedSameHead)) > 0 {
		return nil // the check "subject" reports it
	}
	return &check.Finding{
		Code: checks.CodeNotApplicable, Severity: input.Info, Message: "the contract does not apply to pull requests of " + pr.Author,
		Input: check.Contract, Path: s.standing, Pos: s.Standing.Keys["applies_to"], Expected: "authors that match " + authors.String(),
		Actual: pr.Author, Fix: "no action is needed", Identity: []string{pr.Author}, Times: 1,
	}
}

// isInGroup reports whether a merge group contains the pull request as it is now: otherwise a change of another author
// could pass as this author's. It is true for a candidate that is not in a group.
func (s *candidate) isInGroup() bool {
	if s.Member == nil {
		return true
	}
	m, pr := s.Facts.Membership, s.Facts.GitHub.PullRequest
	known := m != nil && (m.HeadInGroup || m.Differs != nil) && s.State[check.Changes] == check.Usable
	return known && len(s.Member.Foreign) == 0 && pr.Number == s.Member.Number && pr.State == "open" && s.Facts.Subject.HeadSHA == pr.HeadSHA
}

// unjudged is the last line of defence: an input that is needed and was not judged ends in a finding that blocks, even if
// the check that should report it does not.
func (s *candidate) unjudged(results []check.Result) check.Result {
	guard := check.Result{Check: checks.GateCheck}
	for _, r := range results {
		if r.Findings.Blocks() {
			return guard
		}
	}
	needs := []check.Kind{check.Contract, check.Feedback, check.Changes, check.Rules, check.DiffRules}
	switch s.scope {
	case check.ScopeMember, check.ScopePast:
		needs = []check.Kind{check.Contract, check.Changes, check.DiffRules} // the evidence is the group's, or was never recorded
	case check.ScopeGroup:
		needs = []check.Kind{check.Contract, check.Feedback, check.Changes, check.Rules} // each pull request has rows of its own
	}
	for _, kind := range needs {
		if s.given[kind] == 0 && ((kind == check.Rules && !s.NeedsRules()) || kind == check.DiffRules) {
			continue
		}
		if s.State[kind] != check.Usable && !reportedUnknown(results, kind) {
			guard.Findings.Add(check.Finding{
				Code: CodeInternal, Severity: input.Block, Message: "the input " + string(kind) + " was not judged, and no check says why",
				Input: kind, Expected: "an input that can be judged", Actual: "none", Fix: "report this with the bundle that shows it",
				Identity: []string{string(kind)}, Times: 1,
			})
		}
	}
	return guard
}

// reportedUnknown reports whether a check reported that an input is unavailable. Only what git or GitHub provides may be
// unknown.
func reportedUnknown(results []check.Result, kind check.Kind) bool {
	wanted, ok := map[check.Kind]facts.Wanted{check.Contract: facts.WantedContracts, check.Changes: facts.WantedChanges}[kind]
	return ok && slices.ContainsFunc(results, func(r check.Result) bool {
		return slices.ContainsFunc(r.Findings.List(), func(f check.Kept) bool {
			return f.Severity == input.Unknown && slices.Contains(f.Identity, string(wanted))
		})
	})
}
