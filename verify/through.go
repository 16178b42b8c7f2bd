package verify

import (
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/report"
)

// authorise finds the standing contract, as far as the change had no hand in it, and who may override. Only where there
// is no standing contract at all the defaults hold: behind one that cannot be read may be stricter words.
func (j *judge) authorise() {
	if j.standing == 0 {
		j.in.Rule = override.NewRule()
		return
	}
	if slices.ContainsFunc(j.in.Problems, j.hidesRule) {
		return
	}
	standing := &j.sources[0] // it is read first, and nothing is wrong with it
	if !checks.Trusted(&j.in, standing) {
		return
	}
	contracts := []*contract.Contract{standing.Contract}
	for i := range j.sources[1:] {
		if s := &j.sources[1+i]; checks.Trusted(&j.in, s) {
			contracts = append(contracts, s.Contract)
		}
	}
	j.in.Standing, j.in.Rule = standing.Contract, override.NewRule(contracts...)
}

// hidesRule reports whether behind a problem may be words about who may override, or which findings never: in a contract
// that the change had no hand in, or in whatever the facts list and is not there.
func (j *judge) hidesRule(p check.Problem) bool {
	if p.Kind == check.TaskContract {
		return !slices.ContainsFunc(j.of(check.TaskContract), func(in Input) bool {
			return j.contractPath(in) == p.Path && j.origin(in).Trust == facts.TrustHead
		})
	}
	return p.Kind == check.Contract || p.Kind == check.Facts
}

// run runs the checks, unless the contract leaves the pull request out. The override check asks what the others found,
// and waits.
func (j *judge) run(list []*check.Check) []check.Result {
	out := j.outside()
	if out == nil {
		return check.RunSome(list, checks.All, &j.in)
	}
	j.leftOut = true
	var results []check.Result
	for _, c := range list {
		results = append(results, check.Result{Check: c, Skipped: true})
	}
	gate := check.Result{Check: checks.Gate}
	gate.Findings.Add(*out)
	return append(results, gate)
}

// outside is the finding about a pull request whose author applies_to leaves out; nil when it does not. The author is the
// one thing about a pull request that its author cannot choose, as long as it is the pull request that is judged, and no
// other one has the same head, on which the checks of both show.
func (j *judge) outside() *check.Finding {
	f := j.in.Facts
	if j.in.Standing == nil || j.in.Standing.AppliesTo == nil || f == nil || f.GitHub == nil || f.GitHub.PullRequest == nil {
		return nil
	}
	pr, authors := f.GitHub.PullRequest, override.NewAuthors(j.in.Standing.AppliesTo)
	other := f.Subject.PullRequest > 0 && f.Subject.PullRequest != pr.Number
	if other || !j.isHeld() || !authors.LeavesOut(pr) {
		return nil
	}
	if authors.SharedWith(pr) != nil || len(j.in.Unavailable(facts.WantedSameHead)) > 0 {
		return nil // the check "subject" says so
	}
	return &check.Finding{
		Code: checks.CodeNotApplicable, Severity: diag.Info, Message: "the contract does not apply to pull requests of " + pr.Author,
		Input: check.Contract, Path: j.sources[0].Path, Pos: j.in.Standing.Keys["applies_to"], Expected: "authors that match " + authors.String(),
		Actual: pr.Author, Fix: "nothing has to be done", Evidence: []string{pr.Author}, Times: 1,
	}
}

// isHeld reports whether a merge group holds the pull request as it is now: else somebody else's change could hide behind
// its author. Where no group is judged, that is no question.
func (j *judge) isHeld() bool {
	member, f := j.in.Member, j.in.Facts
	if member == nil {
		return true
	}
	m, pr := f.Membership, f.GitHub.PullRequest
	known := m != nil && (m.HeadInGroup || m.Differs != nil) && j.in.State[check.Changes] == check.Usable
	return known && len(member.Foreign) == 0 && pr.Number == member.Number && pr.State == "open" && f.Subject.HeadSHA == pr.HeadSHA
}

// letThrough runs the override check, which asks what all the others found, and marks what a person let through.
func (j *judge) letThrough(r *report.Report) {
	i := slices.IndexFunc(r.Checks, func(c report.Check) bool { return c.ID == checks.Override.ID })
	if i < 0 || j.leftOut || j.in.Facts == nil || j.in.Facts.GitHub == nil || j.in.Facts.GitHub.PullRequest == nil {
		return
	}
	decision := override.Decide(j.question(r))
	j.in.Override = &decision
	result := check.Run([]*check.Check{checks.Override}, &j.in)[0]
	r.Checks[i] = j.addResult(r, &result)
	for _, refused := range decision.Refused {
		r.OverrideRefused = append(r.OverrideRefused, report.Refusal{
			Label: refused.Label, Actor: refused.Actor, Condition: refused.Row.Condition, Why: fmt.Sprintf("%s; %s", refused.Why, refused.Do),
		})
	}
	if decision.Grant != nil { // so something blocks, and nothing is unknown
		accept(r, decision.Grant, j.blocking)
	}
}

func (j *judge) question(r *report.Report) *override.Question {
	q := &override.Question{Facts: j.in.Facts, Rule: j.in.Rule, Head: j.in.Facts.Subject.HeadSHA, Unknown: r.Counts.Unknown}
	q.Blocked = slices.Sorted(slices.Values(j.blockingCodes))
	for _, f := range r.Findings {
		if f.Severity == string(diag.Block) {
			q.Printed = append(q.Printed, f.Message, f.Fix, f.Expected, f.Actual)
		}
	}
	q.OtherContent = j.otherContent(r)
	q.Printed = append(q.Printed, report.CodeMeaning)
	if r.OverrideCode != nil {
		q.Code = *r.OverrideCode
	}
	return q
}

// otherContent lists the paths of findings that block to which a merge group gives another content than the pull request.
// Which paths the findings beyond the list name is not known, so then each such path counts.
func (j *judge) otherContent(r *report.Report) []string {
	if j.in.Member == nil {
		return nil
	}
	blocked, listed := map[string]bool{}, 0
	for _, f := range r.Findings {
		if f.Severity == string(diag.Block) {
			blocked[f.Location.Path], listed = true, listed+1
		}
	}
	var paths []string
	for _, path := range j.in.Member.Other {
		if blocked[valid(path)] || listed < len(j.blocking) {
			paths = append(paths, diag.QuotePath(path))
		}
	}
	return paths
}

// accept marks every finding that blocks, and names those that are not listed as well.
func accept(r *report.Report, g *override.Grant, blocking []string) {
	r.Override = &report.Override{Actor: g.Actor, ActorID: g.ActorID, At: g.At, Label: g.Label, Reason: g.Reason, HeadSHA: *r.Subject.HeadSHA}
	r.OverrideReason, r.OverriddenBy = &r.Override.Reason, &r.Override.Actor
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity == string(diag.Block) {
			f.Overridden = true
		}
	}
	r.Override.Accepted = slices.Clone(blocking)
}

// reportRule is who may override, for people who read the report; nil when nobody can say.
func (j *judge) reportRule() *report.Rule {
	rule := j.in.Rule
	if rule == nil {
		return nil
	}
	return &report.Rule{
		Label: rule.Label, Permission: rule.Permission, Users: slices.Clone(rule.Users), Teams: slices.Clone(rule.Teams),
		Binding: rule.Binding, AllowAuthor: rule.AllowAuthor, Never: slices.Clone(rule.Never),
	}
}
