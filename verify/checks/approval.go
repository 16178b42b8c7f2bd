package checks

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
)

// ApprovalCheck checks the approving reviews that the contract requires for some files, and who resolved the threads of
// reviewers.
var ApprovalCheck = &check.Check{
	ID:    "approval",
	Title: "Files that need an approving review have one",
	Codes: slices.Concat(
		check.CodesWith(input.Block, "approval.missing"),
		check.CodesWith(input.Warn, "approval.thread"),
	),
	Also:  []string{"facts.unavailable"},
	Scope: check.ScopeChange | check.ScopeMember,
	Needs: []check.Kind{check.Contract, check.Changes},
	Asked: func(in *check.Inputs) bool {
		return in.Policy != nil && len(in.Policy.Approvals)+len(in.Policy.Threads) > 0
	},
	Run: runApproval,
}

func runApproval(p *check.Pass) {
	reportThreads(p)
	reviews, missing := map[int64]override.Answer{}, false // by how many people must approve
	for _, a := range p.Policy.Approvals {
		if _, asked := reviews[a.People]; !asked {
			reviews[a.People] = override.Approved(p.Rule, p.Facts, a.People)
			missing = missing || reviews[a.People].State != override.Yes
		}
	}
	if !missing {
		return
	}
	// One set of the patterns of all approvals, and the place of the approval that each of them belongs to: a path is matched
	// with all of them at once.
	var globs []glob.Pattern
	var owners []int
	for i, a := range p.Policy.Approvals {
		for _, f := range a.Files {
			globs, owners = append(globs, f.Glob.AndBelow()), append(owners, i)
		}
	}
	set := glob.CompileFolded(globs).Metered(p.Policy.Meter)
	asked := map[string]bool{} // of the approvals of which it is unknown whether they were given
	demand := func(a *contract.Approval, path string) {
		id, review := a.ID.Value, reviews[a.People]
		switch {
		case p.Full(), review.State == override.Yes:
		case review.State != override.Unknown:
			reportApproval(p, a, path, review)
		case !asked[id]:
			asked[id] = true
			reportUnknown(p, id, path, review)
		}
	}
	demandByRules(p, demand)
	for i := range p.Changes {
		c := &p.Changes[i]
		last := -1
		for _, place := range set.All(c.Path) {
			if owner := owners[place]; owner != last {
				last = owner // two patterns of one approval are next to each other
				demand(&p.Policy.Approvals[owner], c.Path)
			}
		}
		if p.Policy.Meter.Spent() {
			p.ReportLimit(input.TooManySteps(p.Policy.Meter.Most()))
			return
		}
	}
}

// maxThreads is how many threads have a finding each.
const maxThreads = 10

// reportThreads reports the threads of reviewers that no person resolved who is independent of the change. GitHub can require that
// all threads are resolved, but not by whom.
func reportThreads(p *check.Pass) {
	pr := p.Facts.Live()
	if len(p.Policy.Threads) == 0 || pr == nil {
		return
	}
	f := check.Finding{
		Code: "approval.thread", Input: check.Facts, Expected: "threads that their openers, or people without a part in the change, resolve",
		Fix: "a person may look at the thread again, and resolve it by hand",
	}
	if u, lacking := p.Facts.Lacking(facts.WantedThreads, ""); lacking { // all that is known is that it is unknown
		f.Message, f.Actual, f.Fix = "cannot determine who resolved the threads of reviewers", u.Error, cmp.Or(u.Fix, f.Fix)
		p.Report(f)
	}
	found := 0
	for i := range pr.Threads {
		t := &pr.Threads[i]
		why := override.Dependent(p.Rule, p.Facts, t)
		if why == "" {
			continue
		}
		if found++; found <= maxThreads {
			f.Message, f.Actual = fmt.Sprintf("a thread of %s was resolved by %s", t.OpenedBy, why), cmp.Or(t.ResolvedBy, "an account that GitHub does not name")
			f.Path, f.Pos.Line, f.Identity = t.Path, int(min(t.Line, math.MaxInt32)), []string{t.OpenedBy, t.ResolvedBy}
			p.Report(f)
		}
	}
	if found > maxThreads {
		f.Message, f.Path, f.Pos.Line, f.Identity = fmt.Sprintf("%d more threads were resolved so", found-maxThreads), "", 0, nil
		p.Report(f)
	}
}

// demandByRules demands the approvals of the diff rules that found something.
func demandByRules(p *check.Pass, demand func(a *contract.Approval, path string)) {
	if p.State[check.DiffRules] != check.Usable {
		return
	}
	asks := map[string][]*contract.Approval{} // of a rule
	for i := range p.Policy.Approvals {
		a := &p.Policy.Approvals[i]
		for _, rule := range a.Rules {
			for _, rows := range []string{rule.Value, contract.RowsOf(rule.Value)} {
				asks[rows] = append(asks[rows], a)
			}
		}
	}
	exceptions := p.Policy.Exceptions(p.Policy.DiffIgnore, p.Today)
	for i := range p.DiffRules.Rules {
		r := &p.DiffRules.Rules[i]
		asked := slices.Concat(asks[r.ID], asks[r.ID+" "+string(r.Severity)])
		if r.Passed || asked == nil || p.Policy.DiffSeverity(r.ID, r.Severity) == contract.Off || excuseRow(exceptions, r) != nil {
			continue
		}
		for _, a := range asked {
			demand(a, r.File)
		}
	}
}

// reportApproval reports a file whose approving review is missing.
func reportApproval(p *check.Pass, a *contract.Approval, path string, review override.Answer) {
	f := check.Finding{
		Code: "approval.missing", Message: fmt.Sprintf("the approval %q is missing: %s", a.ID.Value, review.Why), Input: changeKind(p), Path: path,
		Expected: "an approving review of this head by a person who may approve it and did not contribute to the change", Actual: review.Why,
		Fix: "revert this file; a person may review this head: " + review.Do, Identity: []string{a.ID.Value},
	}
	if a.People > 1 {
		f.Expected = fmt.Sprintf("approving reviews of this head by %d people who may approve it and did not contribute to the change", a.People)
	}
	p.Report(f)
}

// reportUnknown reports that it is unknown whether an approval was given. It names the first file that requires one.
func reportUnknown(p *check.Pass, id, path string, a override.Answer) {
	f := check.Finding{
		Code: "facts.unavailable", Message: fmt.Sprintf("the gate did not check whether the approval %q was given", id), Input: changeKind(p), Path: path,
		Expected: "the pull request's reviews, and who gave them", Actual: a.Why,
		Fix: "revert this file; a person may move the change to a separate pull request and review it there", Identity: []string{id},
	}
	if p.Facts != nil && p.Facts.AskedGitHub() {
		undecided := fmt.Sprintf("whether the approval %q was given", id)
		f.Message, f.Fix = "cannot determine "+undecided, check.Permissions[a.Missing.Kind]
		if u, found := p.Facts.Lacking(a.Missing.Kind, a.Missing.About); found {
			f.Actual = a.Why + ": " + u.Error
			f.Fix = cmp.Or(u.Fix, f.Fix)
			f.Lacks, f.Undecided = &u, undecided
		}
	}
	p.Report(f)
}
