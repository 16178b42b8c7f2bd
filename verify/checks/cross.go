package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// The codes of findings about cases.
const (
	CodeNotRun       = "cross.not_run"
	CodeDropped      = "cross.dropped"
	CodeChanged      = "cross.changed"
	CodeIncomparable = "cross.incomparable"
	CodeGone         = "cross.gone"

	// unloaded is incomparable too, and no fault of the new code.
	unloaded = "does not load on the base"
)

// CrossCheck checks what the tests of the base say about the code of the head.
var CrossCheck = &Check{
	ID:    "cross",
	Title: "The tests of the base pass on the new code",
	Codes: []Code{
		{Name: "cross.missing", Severity: input.Block},
		{Name: CodeNotRun, Severity: input.Block},
		{Name: CodeDropped, Severity: input.Block},
		{Name: CodeChanged, Severity: input.Block},
		{Name: CodeIncomparable, Severity: input.Block},
		{Name: CodeGone, Severity: input.Info},
		{Name: "cross.nothing_shown", Severity: input.Info},
		{Name: "cross.unavailable", Severity: input.Unknown},
	},
	Scope: ScopeChange | ScopeGroup,
	Needs: []Kind{Contract, Feedback, Changes},
	// Each pull request of a merge group had runs of its own.
	Asked: func(in *Inputs) bool { return in.Policy != nil && len(in.Policy.Tests()) > 0 && in.Group == nil },
	Run:   runCross,
}

func runCross(p *Pass) {
	product := func(c Change) bool { return c.Class != policy.ClassEvidence && !p.Policy.TestPath(c.Path) }
	if len(p.Changes) > 0 && !slices.ContainsFunc(p.Changes, product) {
		p.Report(Finding{
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
		case run.Why == noHeadReport: // the check acceptance reports it
		case run.Outcome == report.CrossMissing && run.Trees == nil:
			reportNoTrees(p)
		case run.Outcome == report.CrossMissing:
			reportMissingRun(p, run)
		case run.Why != "":
			reportCases(p, run, CodeIncomparable, nil)
		default:
			for _, code := range []string{CodeNotRun, CodeDropped, CodeChanged, CodeIncomparable, unloaded, CodeGone} {
				reportCases(p, run, code, run.Cases[code])
			}
		}
	}
}

func reportNoTrees(p *Pass) {
	u := facts.Unavailable{
		What: facts.WantedCross, Error: "the facts do not name the trees to run them on",
		Fix: "judge with facts that closeout collects from the two commits",
	}
	if p.Facts != nil {
		if known, found := lacking(p.Facts, facts.WantedCross, ""); found {
			u = known
		}
	}
	p.Report(unavailable("cross.unavailable", u, "whether the tests of the base pass on the new code"))
}

// reportMissingRun reports runs that are not recorded. A job that an older workflow does not have is named whole.
func reportMissingRun(p *Pass, run *CrossRun) {
	p.Report(about(p, run.Criterion, Finding{
		Code: "cross.missing", Input: Feedback,
		Message: "no run shows what the tests of the base say about the new code: " + run.Why,
		Expected: criterionName(run.Criterion) + ", recorded with its test report on the merge base (base) " +
			"and on the new code with the tests of the base (old_tests)",
		Actual: run.Why, Identity: criterionKey(run.Criterion, run.Trees...),
		Fix: "record it with closeout run; in a workflow add a job for each tree: closeout run --record-only --cross " +
			strings.Join(run.Trees, ", and one with --cross ") + ", and supply its log and its digest; " +
			"where the merge base is older than the command or its test report, merge the base branch",
	}))
}

// crossTexts are what findings about cases say.
var crossTexts = map[string]struct{ what, expected, fix string }{
	CodeNotRun: {
		"%s of the base did not run on the new code", "each test of the base runs, and passes",
		"find what keeps the tests from running: code that ends the process, skips or does not collect them",
	},
	CodeDropped: {
		"the new code fails %s of the base that the change removed", "each test of the base passes on the new code",
		"restore the tests and make them pass; only a person may accept their removal",
	},
	CodeChanged: {
		"the new code does not pass %s of the base that the change edited",
		"each test of the base passes on the new code",
		"make the new code pass the tests as they were; only a person may accept what they expect now",
	},
	CodeIncomparable: {
		"%s of the base cannot be compared", "tests that pass on the base, and load with the new code",
		"keep what the tests of the base use, such as names and helpers, and prepare each tree with --setup; " +
			"only a person may accept the change without them",
	},
	unloaded: {
		"what contains %s does not load on the base itself, so nothing is known about it", "tests that load on the base",
		"make them load on the base branch, and merge it; only a person may accept the change without them",
	},
	CodeGone: {
		"the change removed %s of the base that the new code passes", "the tests of the base",
		"no action is needed; a person may ask why they went",
	},
}

// reportCases reports the cases of one code: apart from the others those that the task is to change.
func reportCases(p *Pass, run *CrossRun, code string, cases []CrossCase) {
	texts := crossTexts[code]
	if code == unloaded {
		code = CodeIncomparable
	}
	f := about(p, run.Criterion, Finding{
		Code: code, Input: Tests, Path: run.Criterion.TestReport, Expected: texts.expected, Fix: texts.fix,
	})
	var free, other []CrossCase
	for _, c := range cases {
		if code == CodeChanged && c.Place != nil && p.Policy.MayChange(c.Place.File) {
			free = append(free, c)
		} else {
			other = append(other, c)
		}
	}
	if len(free) > 0 {
		f := named(f, texts.what, run, free)
		f.Severity, f.Message = input.Info, f.Message+" (may_change allows it)"
		f.Identity = append(f.Identity, "may_change")
		p.Report(f)
	}
	switch {
	case run.Why != "":
		f.Message, f.Actual = "the tests of the base cannot be compared: "+run.Why, run.Why
		f.Identity = criterionKey(run.Criterion, run.Why)
	case len(other) == 0:
		return
	default:
		f = named(f, texts.what, run, other)
	}
	value := map[string]input.Severity{
		CodeNotRun: run.Rule.NotRun, CodeDropped: run.Rule.Dropped,
		CodeChanged: run.Rule.Changed, CodeIncomparable: run.Rule.Incomparable,
	}[code]
	switch {
	case value == contract.Approve && code == CodeDropped && p.Facts != nil && p.Facts.Settings.Unattended:
		value = input.Block // to restore the test is for the agent to do, and not for a person to find out
	case value == contract.Approve:
		value = approved(p, &f)
	}
	f.Severity = value
	p.Report(f)
}

// named writes cases into a finding: the first ones for a person, all into its identity.
func named(f Finding, what string, run *CrossRun, cases []CrossCase) Finding {
	const most = 20
	var names, list []string
	// Runners that work in parallel write them in any order.
	input.SortStable(cases, func(a, b CrossCase) int { return strings.Compare(a.Name, b.Name) })
	for i, c := range cases {
		names = append(names, c.Name)
		if i < most {
			list = append(list, c.String())
		}
	}
	if more := len(cases) - most; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	if at := cases[0].Place; at != nil {
		f.Path, f.Pos = at.File, input.Pos{Line: int(at.Line), Column: 1}
	}
	f.Message = fmt.Sprintf(what, input.Plural(int64(len(cases)), "test")) + ": " + cases[0].title()
	f.Actual = strings.Join(list, "; ")
	f.Identity = criterionKey(run.Criterion, names...)
	return f
}

// approved is the severity of a finding that a person has to approve, by a review as in the check approval.
func approved(p *Pass, f *Finding) input.Severity {
	switch review := approving(p); review.State {
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

// title is where a case stood, and its name.
func (c *CrossCase) title() string {
	if c.Place == nil {
		return c.Name
	}
	return fmt.Sprintf("%s:%d %s", c.Place.File, c.Place.Line, c.Short)
}

func (c *CrossCase) String() string {
	text := c.title()
	if c.Note != "" {
		text += " (" + c.Note + ")"
	}
	if c.Failure != "" {
		text += ": " + c.Failure
	}
	return text
}

// Shown is what the run shows, for people.
func (r *CrossRun) Shown() string {
	switch {
	case r.Outcome == report.CrossNotNeeded:
		return cmp.Or(r.Why, "no test was edited")
	case r.Outcome == report.CrossMissing:
		return "not recorded: " + r.Why
	case r.Why != "":
		return "cannot be compared: " + r.Why
	case r.Failed+r.NotRun == 0:
		return fmt.Sprintf("%d of %d passed", r.Passed, r.Base)
	}
	var parts []string
	if r.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d fail", r.Failed, r.Base))
	}
	if r.Apart > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d do not load", r.Apart, r.Base))
	}
	if r.NotRun > r.Apart {
		parts = append(parts, fmt.Sprintf("%d of %d did not run", r.NotRun-r.Apart, r.Base))
	}
	if gone := r.Cases[CodeDropped]; len(gone) > 0 {
		are := "are"
		if len(gone) == 1 {
			are = "is"
		}
		parts = append(parts, fmt.Sprintf("%d of them %s gone now: %s", len(gone), are, gone[0].title()))
	}
	return strings.Join(parts, ", ")
}
