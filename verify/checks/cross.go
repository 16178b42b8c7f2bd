package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// CrossCheck checks what the tests of the base say about the code of the head.
var CrossCheck = &check.Check{
	ID:    "cross",
	Title: "The tests of the base pass on the new code",
	Codes: slices.Concat(
		check.CodesWith(input.Block,
			"cross.missing", check.CodeNotRun, check.CodeDropped, check.CodeChanged, check.CodeIncomparable,
		),
		check.CodesWith(input.Info, check.CodeGone, "cross.nothing_shown"),
		check.CodesWith(input.Block, check.CodeNewTests),
		check.CodesWith(input.Unknown, "cross.unavailable"),
	),
	Scope: check.ScopeChange | check.ScopeGroup,
	Needs: []check.Kind{check.Contract, check.Feedback, check.Changes},
	// Each pull request of a merge group had runs of its own.
	Asked: func(in *check.Inputs) bool { return in.Policy != nil && len(in.Policy.Tests()) > 0 && in.Group == nil },
	Run:   runCross,
}

func runCross(p *check.Pass) {
	product := func(c check.JudgedPath) bool { return c.Class != policy.ClassEvidence && !p.Policy.TestPath(c.Path) }
	if len(p.Changes) > 0 && !slices.ContainsFunc(p.Changes, product) {
		p.Report(check.Finding{
			Code: "cross.nothing_shown", Input: changeKind(p),
			Message:  "the change edits tests alone: no run shows that they would notice an error",
			Expected: "a look at what the tests expect now",
			Actual:   input.Plural(int64(len(p.Changes)), "touched path") + ", all of them tests",
			Fix:      "no action is needed; a person may look whether the tests still check what they should",
		})
	}
	for i := range p.Cross {
		run := &p.Cross[i]
		switch {
		case run.Why == check.NoHeadReport: // the check acceptance reports it
		case run.Tree == check.NewTestsTree:
			reportNewTests(p, run)
		case run.Outcome == report.CrossMissing && run.Trees == nil:
			reportNoTrees(p)
		case run.Outcome == report.CrossMissing:
			reportMissingRun(p, run)
		case run.Why != "":
			reportCases(p, run, check.CodeIncomparable, nil)
		default:
			for _, code := range []string{check.CodeNotRun, check.CodeDropped, check.CodeChanged, check.CodeIncomparable, check.Unloaded, check.UnloadedBefore, check.CodeGone} {
				reportCases(p, run, code, run.Cases[code])
			}
			if run.Elsewhere != "" {
				reportElsewhere(p, run)
			}
		}
	}
}

// reportNewTests reports that no test of the change fails without it, or that nothing is known about that.
func reportNewTests(p *check.Pass, run *check.CrossRun) {
	f := about(p, run.Criterion, ofReport(run.Criterion, check.CodeNewTests))
	f.Expected = "at least one test that passes at the head, and fails by its name on the code of the base"
	switch run.Outcome {
	case report.CrossIncomparable: // what does not load is no failure, and no fault either
		f.Severity = input.Info
		f.Message, f.Actual = "cannot determine whether a test fails without the change: "+run.Why, run.Why
		f.Fix = "no action is needed; a person may look whether the tests check what the change is for"
	case report.CrossMissing:
		f.Message, f.Actual = "no run shows whether a test fails without the change: "+run.Why, run.Why
		f.Fix = "record it with closeout run; in a workflow add new_tests to the trees of the job cross: " +
			"closeout run --record-only --cross new_tests, and supply its log and its digest"
		f.Severity = required(p, &f, run.Rule.NewTests)
	case report.OutcomeFailed:
		f.Message = "no test fails without the change"
		f.Actual = fmt.Sprintf("on the code of the base %d of %s pass, and none fails", run.Passed, input.Plural(run.Base, "test"))
		f.Fix = "add a test of what the change is for, which fails without it"
		f.Severity = required(p, &f, run.Rule.NewTests)
	default:
		return
	}
	f.Identity = append(f.Identity, check.NewTestsTree)
	p.Report(f)
}

// required is the severity of a finding that a contract gives; where a person has to approve it, that of the approval.
func required(p *check.Pass, f *check.Finding, value input.Severity) input.Severity {
	if value == contract.Approve {
		return approved(p, f)
	}
	return value
}

func reportNoTrees(p *check.Pass) {
	u := facts.Unavailable{
		What: facts.WantedCross, Error: "the facts do not name the trees to run them on",
		Fix: "judge with facts that closeout collects from the two commits",
	}
	if p.Facts != nil {
		if known, found := p.Facts.Lacking(facts.WantedCross, ""); found {
			u = known
		}
	}
	p.Report(check.UnavailableFact("cross.unavailable", u, "whether the tests of the base pass on the new code"))
}

// reportMissingRun reports runs that are not recorded. A job that an older workflow does not have is named whole.
func reportMissingRun(p *check.Pass, run *check.CrossRun) {
	p.Report(about(p, run.Criterion, p.BlameJob(check.Finding{
		Code: "cross.missing", Input: check.Feedback,
		Message: "no run shows what the tests of the base say about the new code: " + run.Why,
		Expected: criterionName(run.Criterion) + ", recorded with its test report on the merge base (base) " +
			"and on the new code with the tests of the base (old_tests)",
		Actual: run.Why, Identity: criterionKey(run.Criterion, run.Trees...),
		Fix: "record it with closeout run; in a workflow add a job for each tree: closeout run --record-only --cross " +
			strings.Join(run.Trees, ", and one with --cross ") + ", and supply its log and its digest; " +
			"where the merge base is older than the command or its test report, merge the base branch",
	})))
}

// crossTexts are what findings about cases say.
var crossTexts = map[string]struct{ what, expected, fix string }{
	check.CodeNotRun: {
		"%s of the base did not run on the new code", "each test of the base runs, and passes",
		"find what keeps the tests from running: code that ends the process, skips or does not collect them",
	},
	check.CodeDropped: {
		"the new code fails %s of the base that the change removed", "each test of the base passes on the new code",
		"restore the tests and make them pass; only a person may accept their removal",
	},
	check.CodeChanged: {
		"the new code does not pass %s of the base that the change edited",
		"each test of the base passes on the new code",
		"make the new code pass the tests as they were; only a person may accept what they expect now",
	},
	check.CodeIncomparable: {
		"%s of the base cannot be compared", "tests that pass on the base, and load with the new code",
		"keep what the tests of the base use, such as names and helpers, and prepare each tree with --setup; " +
			"only a person may accept the change without them",
	},
	check.Unloaded: {
		"what contains %s does not load on the base itself, so nothing is known about it", "tests that load on the base",
		"make them load on the base branch, and merge it; only a person may accept the change without them",
	},
	check.UnloadedBefore: {
		"what contains %s does not load on the base itself, and the change leaves it as it was", "tests that load on the base",
		"no action is needed; make them load on the base branch, so that they are compared",
	},
	check.CodeGone: {
		"the change removed %s of the base that the new code passes", "the tests of the base",
		"no action is needed; a person may ask why they went",
	},
}

// reportCases reports the cases of one code: apart from the others those that the task is to change.
func reportCases(p *check.Pass, run *check.CrossRun, code string, cases []check.CrossCase) {
	texts := crossTexts[code]
	before := code == check.UnloadedBefore
	if before || code == check.Unloaded {
		code = check.CodeIncomparable
	}
	f := about(p, run.Criterion, ofReport(run.Criterion, code))
	f.Expected, f.Fix = texts.expected, texts.fix
	isFree := func(c check.CrossCase) bool {
		return code == check.CodeChanged && c.Place != nil && p.Policy.MayChange(c.Place.File)
	}
	other := slices.DeleteFunc(slices.Clone(cases), isFree)
	free := slices.DeleteFunc(slices.Clone(cases), func(c check.CrossCase) bool { return !isFree(c) })
	if len(free) > 0 {
		f := nameCases(f, texts.what, run, free)
		f.Severity, f.Message = input.Info, f.Message+" (may_change allows it)"
		f.Identity = append(f.Identity, "may_change")
		p.Report(f)
	}
	switch {
	case run.Why != "":
		f.Message, f.Actual = "the tests of the base cannot be compared: "+run.Why, run.Why
		f.Identity = criterionKey(run.Criterion, run.Why)
		for _, line := range run.Unloaded {
			f.Message, f.Actual = f.Message+"; "+line, f.Actual+"; "+line
		}
	case len(other) == 0:
		return
	default:
		f = nameCases(f, texts.what, run, other)
		if code == check.CodeIncomparable && len(run.Unloaded) > 0 && texts.what == crossTexts[check.CodeIncomparable].what {
			f.Message += "; " + run.Unloaded[0]
			f.Actual = strings.Join(append(slices.Clone(run.Unloaded[:min(len(run.Unloaded), mostNames)]), f.Actual), "; ")
		}
	}
	value := map[string]input.Severity{
		check.CodeNotRun: run.Rule.NotRun, check.CodeDropped: run.Rule.Dropped,
		check.CodeChanged: run.Rule.Changed, check.CodeIncomparable: run.Rule.Incomparable,
	}[code]
	if value == contract.Approve && code == check.CodeDropped && p.Facts != nil && p.Facts.Settings.Unattended {
		value = input.Block // to restore the test is for the agent to do, and not for a person to find out
	}
	if f.Severity = input.Info; !before {
		f.Severity = required(p, &f, value)
	}
	p.Report(f)
}

// reportElsewhere reports that the tests of the base failed in another leg of a matrix as well. They may be others than
// in the first one, and any of them may be dropped or changed, so the strictest answer counts.
func reportElsewhere(p *check.Pass, run *check.CrossRun) {
	f := about(p, run.Criterion, ofReport(run.Criterion, check.CodeIncomparable))
	f.Message, f.Actual = "the tests of the base cannot be compared in each leg: "+run.Elsewhere, run.Elsewhere
	f.Expected, f.Fix = "the tests of the base pass in each leg", "make the tests of the base pass on the new code in that leg"
	f.Identity = append(f.Identity, run.Elsewhere)
	answers := []input.Severity{run.Rule.Dropped, run.Rule.Changed, run.Rule.Incomparable}
	strictest := slices.IndexFunc(contract.TestSeverities, func(s input.Severity) bool { return slices.Contains(answers, s) })
	f.Severity = required(p, &f, contract.TestSeverities[strictest])
	p.Report(f)
}

// mostNames is how many cases, and how many files that do not load, a finding names.
const mostNames = 20

// nameCases writes cases into a finding: the first ones for a person, all into its identity.
func nameCases(f check.Finding, what string, run *check.CrossRun, cases []check.CrossCase) check.Finding {
	var names, list []string
	// Runners that work in parallel write them in any order.
	input.SortStable(cases, func(a, b check.CrossCase) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range cases {
		names, list = append(names, c.Name), append(list, c.String())
	}
	if at := cases[0].Place; at != nil {
		f.Path, f.Pos = at.File, input.Pos{Line: int(at.Line), Column: 1}
	}
	f.Message = fmt.Sprintf(what, input.Plural(int64(len(cases)), "test")) + ": " + cases[0].Title()
	f.Actual = strings.Join(input.First(list, mostNames), "; ")
	f.Identity = criterionKey(run.Criterion, names...)
	return f
}

// approved is the severity of a finding that a person has to approve, by a review as in the check approval.
func approved(p *check.Pass, f *check.Finding) input.Severity {
	switch review := override.Approved(p.Rule, p.Facts, 1); review.State {
	case override.Yes:
		f.Message, f.Fix = f.Message+"; "+review.Why, "no action is needed"
		return input.Info
	case override.Unknown:
		f.Message += "; cannot determine whether a person approved it: " + review.Why
		return input.Unknown
	default:
		f.Message += "; " + review.Why
		f.Fix += ": " + review.Do
		return input.Block
	}
}
