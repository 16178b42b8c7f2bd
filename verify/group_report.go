package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// decide judges the group and each pull request in it, and makes one report of them.
func (g *group) decide() *report.Report {
	g.readGroup()
	var members []*report.Report
	for _, p := range g.parts {
		members = append(members, p.conclude(p.run(checks.OfMember)))
	}
	g.fillClasses()
	r := g.report(g.run())
	r.OverrideCode, r.PullRequests = nil, []report.PullRequest{} // what the group itself lacks, nobody can let through
	verdicts := []string{r.Verdict}
	for i, p := range g.parts {
		verdicts = append(verdicts, members[i].Verdict)
		g.addCriteria(r, p)
		p.addTo(r, members[i])
	}
	sortFindings(r)
	r.Inputs = g.sortedInputs()
	r.Verdict = worst(verdicts)
	joinOverrides(r)
	r.Passed = r.Verdict == report.Passed || r.Verdict == report.Overridden
	return r
}

// joinOverrides names who let the pull requests through, and why, where older readers look for it. As with a pull request
// alone, it says so only where the whole is let through.
func joinOverrides(r *report.Report) {
	var people, reasons []string
	for _, p := range r.PullRequests {
		if p.Override != nil {
			people = append(people, fmt.Sprintf("#%d %s", p.Number, p.Override.Actor))
			reasons = append(reasons, fmt.Sprintf("#%d %s", p.Number, p.Override.Reason))
		}
	}
	if r.Verdict == report.Overridden {
		r.OverriddenBy, r.OverrideReason = text(strings.Join(people, ", ")), text(strings.Join(reasons, ", "))
	}
}

// worst is the verdict of a whole whose parts have these.
func worst(verdicts []string) string {
	for _, v := range []string{report.Failed, report.Review, report.Overridden} {
		if slices.Contains(verdicts, v) {
			return v
		}
	}
	return report.Passed
}

// conclude makes of what the checks found what the pull request's own run reports, but for the evidence.
func (p *part) conclude(results []check.Result) *report.Report {
	if !p.leftOut {
		results = append(results, p.unjudged(results))
	}
	r := &report.Report{Subject: p.subject()}
	p.addFindings(r, results)
	decide(r)
	return r
}

// run runs the checks of the group. It has nothing to show for pull requests that applies_to leaves out, all of them.
func (g *group) run() []check.Result {
	others := slices.ContainsFunc(g.parts, func(p *part) bool { return !p.leftOut })
	if !others && !g.in.Group.Unsure {
		g.leftOut = true
		return g.runFew()
	}
	results := check.RunSome(checks.OfGroup, checks.All, &g.in)
	for _, p := range g.parts {
		if p.view != nil && !p.leftOut {
			addView(results, p)
		}
	}
	return results
}

// runFew runs the checks that hold for every group: nothing may hide behind a pull request that is left out.
func (g *group) runFew() []check.Result {
	few := []*check.Check{checks.Diff, checks.Facts, checks.Group}
	results := check.RunSome(few, checks.All, &g.in)
	for _, c := range checks.OfGroup {
		if !slices.Contains(few, c) {
			results = append(results, check.Result{Check: c, Skipped: true})
		}
	}
	slices.SortStableFunc(results, func(a, b check.Result) int {
		return slices.Index(checks.OfGroup, a.Check) - slices.Index(checks.OfGroup, b.Check)
	})
	return results
}

// addView adds what the group's evidence lacks under a pull request's own contract, beside what it lacks anyway. The same
// finding may be there more than once, since two contracts can call two commands by one name; the number tells them apart.
func addView(results []check.Result, p *part) {
	name := fmt.Sprintf("pull request %d", p.number)
	for i := range results {
		if !slices.Contains(checks.OfEvidence, results[i].Check) {
			continue
		}
		check.RunMore(&results[i], checks.All, p.view, func(known *check.Findings, f *check.Finding) bool {
			if known.Covers(f) {
				return false
			}
			f.Message += " (as the contract of " + name + " asks)"
			f.Evidence = append(slices.Clip(f.Evidence), name)
			return true
		})
	}
}

// addCriteria adds the criteria that only a pull request's own contract names, and the reports that they name.
func (g *group) addCriteria(r *report.Report, p *part) {
	if p.view == nil || p.leftOut || g.leftOut {
		return
	}
	view := &judge{bundle: g.bundle, settings: g.settings, in: *p.view}
	for _, a := range view.acceptance() {
		if p.in.Policy.Origin(a.ID).Kind == string(check.TaskContract) {
			a.PullRequest = &p.number
			r.Acceptance = append(r.Acceptance, a)
		}
	}
	for _, c := range view.companions() {
		if !slices.ContainsFunc(r.Companions, func(k report.Companion) bool { return k.Kind == c.Kind && k.Path == c.Path }) {
			r.Companions = append(r.Companions, c)
		}
	}
}

// addTo adds a pull request to the report of its group.
func (p *part) addTo(r, own *report.Report) {
	r.PullRequests = append(r.PullRequests, report.PullRequest{
		Number: p.number, HeadSHA: own.Subject.HeadSHA, TaskID: p.taskID(), Verdict: own.Verdict,
		Counts: report.PullRequestCounts{
			Block: own.Counts.Block, Unknown: own.Counts.Unknown, Warn: own.Counts.Warn, Info: own.Counts.Info, Files: len(p.in.Changes),
		},
		OverrideCode: own.OverrideCode, Override: own.Override, OverrideRefused: own.OverrideRefused,
	})
	for _, f := range own.Findings {
		f.Location.PullRequest = p.number
		r.Findings = append(r.Findings, f)
	}
	r.FindingsOmitted += own.FindingsOmitted
	r.Counts.Block, r.Counts.Unknown = r.Counts.Block+own.Counts.Block, r.Counts.Unknown+own.Counts.Unknown
	r.Counts.Warn, r.Counts.Info = r.Counts.Warn+own.Counts.Warn, r.Counts.Info+own.Counts.Info
	addChecks(r, own.Checks)
	if p.in.Policy != nil {
		for _, note := range p.in.Policy.ApprovalNotes {
			if !slices.Contains(r.Approvals, note) {
				r.Approvals = append(slices.Clip(r.Approvals), note)
			}
		}
	}
}

func (p *part) taskID() *string {
	if p.in.Policy == nil {
		return nil
	}
	return text(p.in.Policy.TaskID)
}

// outcomes are those of a check, the one that decides first.
var outcomes = []string{report.OutcomeFailed, report.OutcomeUnknown, report.OutcomePassed, report.OutcomeSkipped}

// addChecks joins the outcomes of checks with those that are there, in the order of their ids; the gate's own is last.
func addChecks(r *report.Report, own []report.Check) {
	for _, c := range own {
		i := slices.IndexFunc(r.Checks, func(k report.Check) bool { return k.ID == c.ID })
		if i < 0 {
			r.Checks = append(r.Checks, c)
			continue
		}
		at := &r.Checks[i]
		at.Findings += c.Findings
		if slices.Index(outcomes, c.Outcome) < slices.Index(outcomes, at.Outcome) {
			at.Outcome = c.Outcome
		}
	}
	order := func(id string) int {
		return slices.IndexFunc(checks.OfEveryKind, func(c *check.Check) bool { return c.ID == id })
	}
	slices.SortStableFunc(r.Checks, func(a, b report.Check) int { return order(a.ID) - order(b.ID) })
}

// classes are those of a touched path, the one that weighs most first.
var classes = []policy.Class{
	policy.ClassForbidden, policy.ClassProtected, policy.ClassOffScope, policy.ClassSoft, policy.ClassAllowed, policy.ClassEvidence,
}

// fillClasses gives each path of the group the strictest class that it has in a pull request; none where it has none in one
// of them, whose contracts cannot be read.
func (g *group) fillClasses() {
	found := map[string]policy.Class{}
	for _, p := range g.parts {
		for _, c := range p.in.Changes {
			old, seen := found[c.Path]
			if !seen || slices.Index(classes, c.Class) < slices.Index(classes, old) {
				found[c.Path] = c.Class
			}
		}
	}
	for i := range g.in.Changes {
		g.in.Changes[i].Class = found[g.in.Changes[i].Path]
	}
}

// sortedInputs lists the inputs of the group and of its pull requests; the standing contract is the group's.
func (g *group) sortedInputs() []report.Input {
	all := &judge{inputs: slices.Clone(g.inputs)}
	for _, p := range g.parts {
		all.inputs = append(all.inputs, p.inputs...)
	}
	return all.sortedInputs()
}
