package checks

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// FactsCheck checks that the facts can be read, and that they contain what every run requires.
var FactsCheck = &check.Check{
	ID:    "facts",
	Title: "The facts that the decision requires are known",
	Codes: slices.Concat(
		check.CodesWith(input.Block, "facts.malformed"),
		check.CodesWith(input.Unknown, "facts.unavailable"),
	),
	Scope: check.ScopeChange | check.ScopeGroup | check.ScopeMember | check.ScopeExempt | check.ScopePast,
	Run:   runFacts,
}

// everyRun are the facts that every decision requires. The check Diff reports missing changes.
var everyRun = map[facts.Wanted]string{
	facts.WantedContracts: "the scope contracts of the base branch",
	facts.WantedSubject:   "the commits that are judged",
	facts.WantedCodeTree:  "the code tree that a record must be bound to",
	facts.WantedDiffRules: "what the diff rules find",
}

func runFacts(p *check.Pass) {
	p.ReportProblems("facts.malformed", check.Facts)
	if p.Facts == nil {
		if p.Member != nil && p.State[check.Facts] == check.Missing { // outside of a merge group facts are optional
			p.Report(check.Finding{
				Code: "facts.unavailable", Message: "nothing is known about the pull request", Input: check.Facts,
				Expected: "facts about each pull request of the group", Actual: "none", Fix: "let the collector write the facts, and run the gate again", Identity: []string{string(facts.WantedPullRequest), ""},
			})
		}
		return
	}
	for _, u := range p.Facts.Unavailable {
		what, asked := everyRun[u.What]
		if !asked {
			continue
		}
		other := readFromBase(p, &u)
		if other != "" {
			what, u.About = other, ""
		}
		f := check.UnavailableFact(CodeUnavailable, u, what)
		if other != "" {
			f.Identity = append(f.Identity, other) // one for all words of all commands
		}
		p.Report(f)
	}
}

// readFromBase is what the base branch contains under the name of an unavailable fact, if that is not a contract: the
// collector reads files that the contracts name with them. "" for a contract.
func readFromBase(p *check.Pass, u *facts.Unavailable) string {
	switch {
	case u.What != facts.WantedContracts || p.Policy == nil:
		return ""
	case p.Policy.Names(u.About):
		return "which files the commands of the contracts name"
	case u.About == contract.DefaultCoverageReport, p.Policy.Coverage != nil && u.About == p.Policy.Coverage.Report:
		return "the coverage of the base branch"
	}
	return ""
}
