package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
)

// SubjectCheck checks that what was judged is the pull request as it is now.
var SubjectCheck = &check.Check{
	ID:    "subject",
	Title: "What is judged is the pull request as it is now",
	Codes: slices.Concat(
		check.CodesWith(input.Unknown, "subject.moved"),
		check.CodesWith(input.Info, "subject.same_head"),
	),
	Also:  []string{"facts.unavailable"},
	Scope: check.ScopeChange | check.ScopeMember,
	Needs: []check.Kind{check.Facts},
	Asked: func(in *check.Inputs) bool {
		return in.Member != nil || (in.Facts.AboutPullRequest() && in.Facts.AskedGitHub())
	},
	Run: runSubject,
}

func runSubject(p *check.Pass) {
	pr, subject := p.Facts.Live(), &p.Facts.Subject
	if pr == nil {
		p.ReportLacking(facts.WantedPullRequest, "", "the current state of the pull request")
		return
	}
	if subject.HeadSHA == "" {
		p.ReportLacking(facts.WantedSubject, "head", "which head was judged")
	}
	if p.Standing != nil && p.Standing.AppliesTo != nil {
		reportAuthor(p, pr)
	}
	reportOtherBase(p, pr)
	if _, lacks := p.Facts.Lacking(facts.WantedPullRequest, ""); lacks {
		p.ReportLacking(facts.WantedPullRequest, "", "whether the pull request changed during this run")
	}
	const head, branch = "the pull request's head", "the branch that the pull request goes into"
	reportMoved(p, "the head that was judged", subject.HeadSHA, head, pr.HeadSHA)
	reportMoved(p, "the head that the event names", p.Facts.Event.HeadSHA, head, pr.HeadSHA)
	reportMoved(p, head+" at first", pr.HeadSHA, "its head at the end", pr.LastHeadSHA)
	reportMoved(p, "the branch that was compared with", subject.BaseBranch, branch, pr.BaseBranch)
	reportMoved(p, "the branch that the event names", p.Facts.Event.BaseBranch, branch, pr.BaseBranch)
	if subject.PullRequest > 0 {
		reportMoved(p, "the pull request that was judged", fmt.Sprint(subject.PullRequest), "the one that GitHub returned", fmt.Sprint(pr.Number))
	}
	if p.Member != nil {
		reportMember(p, pr, subject)
	}
}

// reportAuthor says what kept applies_to from leaving the pull request out.
func reportAuthor(p *check.Pass, pr *facts.PullRequest) {
	authors := override.NewAuthors(p.Standing.AppliesTo)
	switch shared := authors.SharedWith(pr); {
	case pr.Author == "":
		p.ReportLacking(facts.WantedPullRequest, "author", "whether the contract applies to the author of the pull request")
	case !authors.LeavesOut(pr):
	case shared != nil:
		p.Report(check.Finding{
			Code: "subject.same_head", Message: fmt.Sprintf("the contract applies, because pull request %d has the same head", shared.Number), Input: check.Facts,
			Expected: "no other open pull request with this head that the contract applies to", Actual: fmt.Sprintf("pull request %d by %s", shared.Number, cmp.Or(shared.Author, facts.Ghost)),
			Fix: "close one of the two, or add a commit to one of them: a check belongs to a commit, so both pull requests show the same check", Identity: []string{fmt.Sprint(shared.Number)},
		})
	case len(p.Unavailable(facts.WantedSameHead)) > 0:
		p.ReportLacking(facts.WantedSameHead, "", "whether another open pull request has the same head")
	}
}

// reportOtherBase names the pull requests with the same head that go into another branch. The check that this run makes is shown there
// too, and the contract of that branch may be another one.
func reportOtherBase(p *check.Pass, pr *facts.PullRequest) {
	f := check.Finding{
		Code: "subject.same_head", Input: check.Facts, Expected: "one branch that this head goes into",
		Fix: "close one of the two, or add a commit to one of them; then let the gate run for each: a check belongs to a commit, not to a pull request",
	}
	for _, other := range pr.SameHead {
		if other.BaseBranch != "" && other.BaseBranch != pr.BaseBranch {
			f.Severity, f.Identity = input.Warn, []string{fmt.Sprint(other.Number), "base"}
			f.Message = fmt.Sprintf("pull request %d into %s has the same head, and shows the check of this run too", other.Number, strconv.Quote(other.BaseBranch))
			f.Actual = fmt.Sprintf("pull request %d into %s, and this one into %s", other.Number, strconv.Quote(other.BaseBranch), strconv.Quote(pr.BaseBranch))
			p.Report(f)
		}
	}
	if u, lacks := p.Facts.Lacking(facts.WantedSameHead, ""); lacks && p.Standing != nil && p.Standing.SeveralBases() {
		f.Severity, f.Identity, f.Actual = input.Info, []string{"base"}, u.Error
		f.Message = "it is not known whether another open pull request with this head goes into another branch, where this check is shown too"
		f.Fix = cmp.Or(u.Fix, check.Permissions[facts.WantedSameHead])
		p.Report(f)
	}
}

// reportMember checks that a merge group contains the pull request as it is now.
func reportMember(p *check.Pass, pr *facts.PullRequest, subject *facts.Subject) {
	reportMoved(p, "the base that it was compared with", subject.BaseSHA, "the group's base", p.Member.BaseSHA)
	reportMoved(p, "the pull request that the group's list names", itoa(p.Member.Number), "the one that GitHub returned", itoa(pr.Number))
	if pr.State == "closed" {
		reportMoved(p, "the pull request of the group", "open", "the pull request now", "closed")
	}
	switch m := p.Facts.Membership; {
	case m == nil || (!m.HeadInGroup && m.Differs == nil):
		p.ReportLacking(facts.WantedSubject, "membership", "whether the merge group contains the pull request's head")
	case len(p.Member.Foreign) > 0:
		var paths []string
		for _, path := range p.Member.Foreign {
			paths = append(paths, input.QuotePath(path))
		}
		p.Report(check.Finding{
			Code: "subject.moved", Message: "the merge group does not contain the pull request as it is now", Input: check.Facts,
			Expected: "each file in the group as in the pull request, unless the base or another pull request also changes it",
			Actual:   "it differs in " + strings.Join(input.First(paths, 5), ", "),
			Fix:      "remove the pull request from the merge queue and add it again", Identity: []string{"not in the group"},
		})
	}
}

// reportMoved reports two names for the same thing that differ. One that is not known differs from nothing.
func reportMoved(p *check.Pass, what, a, other, b string) {
	if a == "" || b == "" || a == b {
		return
	}
	p.Report(check.Finding{
		Code: "subject.moved", Message: fmt.Sprintf("%s is not %s", what, other), Input: check.Facts,
		Expected: fmt.Sprintf("%s: %s", other, b), Actual: fmt.Sprintf("%s: %s", what, a),
		Fix: "run the gate for the newest event of the pull request; a repeated run of an older event does not judge the pull request as it is now", Identity: []string{what},
	})
}
