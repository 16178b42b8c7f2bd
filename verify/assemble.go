package verify

import (
	"cmp"
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/ledger"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/strict"
)

// report makes the report of what the checks found.
func (j *judge) report(results []check.Result) *report.Report {
	r := &report.Report{
		Schema: report.Schema, Mode: j.settings.Mode, Strict: j.settings.Strict,
		Subject: j.subject(), Settings: j.reportSettings(),
		Companions: j.companions(), Files: j.files(), Inputs: j.sortedInputs(),
		Tool: report.Tool{Name: "closeout", Version: Version},
	}
	if p := j.in.Policy; p != nil {
		r.TaskID, r.Approvals = text(p.TaskID), p.ApprovalNotes
	}
	if !j.leftOut {
		r.Acceptance = j.acceptance()
		results = append(results, j.unjudged(results))
	}
	j.addFindings(r, results)
	r.Counts.Files = len(j.in.Changes)
	for _, l := range j.in.Logs {
		if l.Counts {
			r.Counts.Records += l.Records
		}
	}
	decide(r)
	return r
}

// needed are the inputs without which nothing can be said to be done.
var needed = []check.Kind{check.Contract, check.Feedback, check.Changes, check.Rules}

// unjudged is the last line of defence: an input that is needed and could not be judged ends in a finding that blocks,
// also if the check whose business that is had forgotten it.
func (j *judge) unjudged(results []check.Result) check.Result {
	guard := check.Result{Check: checks.Gate}
	for _, r := range results {
		if r.Findings.Blocks() {
			return guard
		}
	}
	for _, kind := range j.needs {
		if kind == check.Rules && len(j.of(kind)) == 0 && !j.in.NeedsRules() {
			continue
		}
		if j.in.State[kind] != check.Usable && !unknownSaid(results, kind) {
			guard.Findings.Add(check.Finding{
				Code: CodeInternal, Severity: diag.Block, Message: "the input " + string(kind) + " was not judged, and no check says why",
				Input: kind, Expected: "an input that can be judged", Actual: "none", Fix: "report this with the bundle that shows it",
				Evidence: []string{string(kind)}, Times: 1,
			})
		}
	}
	return guard
}

// unknownSaid reports whether a check said that an input could not be had. Only what git or GitHub holds may be unknown.
func unknownSaid(results []check.Result, kind check.Kind) bool {
	wanted, ok := map[check.Kind]facts.Wanted{check.Contract: facts.WantedContracts, check.Changes: facts.WantedChanges}[kind]
	return ok && slices.ContainsFunc(results, func(r check.Result) bool {
		return slices.ContainsFunc(r.Findings.List(), func(f check.Kept) bool {
			return f.Severity == diag.Unknown && slices.Contains(f.Evidence, string(wanted))
		})
	})
}

// text is a string of the report that may be unknown.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (j *judge) subject() report.Subject {
	var s report.Subject
	switch {
	case j.in.State[check.Diff] == check.Usable:
		s.ChangesFrom = text("diff")
	case j.in.Facts != nil:
		s.ChangesFrom = text(j.in.Facts.Subject.ChangesFrom)
	}
	if j.in.Facts == nil {
		return s
	}
	f := &j.in.Facts.Subject
	s.Repository, s.BaseSHA, s.MergeBaseSHA, s.HeadSHA = text(f.Repository), text(f.BaseSHA), text(f.MergeBaseSHA), text(f.HeadSHA)
	if f.PullRequest > 0 {
		s.PullRequest = &f.PullRequest
	}
	if len(f.AcceptedTrees) > 0 {
		s.CodeTree = text(f.AcceptedTrees[0])
	}
	return s
}

func (j *judge) reportSettings() report.Settings {
	minimum := j.in.Minimum
	if minimum == "" {
		minimum = diag.Claimed // no contract could be read, so nothing was compared with it
	}
	return report.Settings{
		EvidenceMin: string(minimum), Task: text(j.settings.Task), Event: text(j.settings.Event), Today: text(j.settings.Today),
		Digests: slices.Clone(j.in.Digests), Limits: reportLimits(j.limits()), Override: j.reportRule(),
	}
}

func reportLimits(l *strict.Limits) report.Limits {
	limits := report.Limits{}
	for _, limit := range strict.AllLimits {
		limits[limit.Key()] = limit.Get(l)
	}
	return limits
}

func (j *judge) acceptance() []report.Acceptance {
	if j.in.Policy == nil {
		return nil
	}
	var decisions []ledger.Decision
	if j.in.State[check.Feedback] == check.Usable {
		decisions = j.in.Decisions()
	}
	list := make([]report.Acceptance, len(j.in.Policy.Criteria))
	for i := range list {
		c := &j.in.Policy.Criteria[i]
		list[i] = report.Acceptance{
			ID: c.ID, Run: validAll(c.Run), Cwd: valid(c.Cwd), Expect: "pass", Outcome: report.OutcomeFailed, Level: string(diag.Absent),
			KeptFrom: text("no log could be judged"),
		}
		if c.ExpectFail {
			list[i].Expect = "fail"
		}
		if decisions != nil {
			j.fillAcceptance(&list[i], c, &decisions[i])
		}
	}
	j.holdBack(list)
	return list
}

// holdBack takes back the outcome of criteria whose negative control is not proven: nobody has seen that they can fail.
func (j *judge) holdBack(list []report.Acceptance) {
	for i, control := range list {
		proven := j.in.Policy.Criteria[i].Proves.Value
		if control.Outcome == report.OutcomePassed || proven == "" {
			continue
		}
		for k := range list {
			if a := &list[k]; a.ID == proven && a.Outcome == report.OutcomePassed {
				a.Outcome, a.KeptFrom = report.OutcomeFailed, text("its negative control "+control.ID+" is not proven")
			}
		}
	}
}

func (j *judge) fillAcceptance(a *report.Acceptance, c *contract.Criterion, d *ledger.Decision) {
	a.Level, a.Attempts = string(d.Level), d.Attempts
	deciding := d.At
	if deciding == nil && len(d.Deciding) > 0 {
		deciding = &d.Deciding[0]
	}
	a.KeptFrom = text(check.KeptFrom(d.Level, deciding))
	if d.Reason == ledger.Passed {
		a.Outcome = report.OutcomePassed
	}
	if c.TestReport != "" {
		if file := j.in.Tests[c.TestReport]; file != nil && file.Report != nil {
			a.Tests = &file.Report.Tests
		}
		if j.in.TestsReason(c) != "" {
			a.Outcome = report.OutcomeFailed
		}
	}
	for _, x := range d.Deciding {
		a.DecidedBy = append(a.DecidedBy, report.Decision{Path: x.Stream, Line: x.Last.Line, SHA256: x.Last.SHA256})
	}
}

func (j *judge) companions() []report.Companion {
	var list []report.Companion
	for _, c := range j.in.Companions() {
		list = append(list, report.Companion{Kind: string(c.Kind), Path: c.Path, Level: string(c.Level), KeptFrom: text(c.KeptFrom)})
	}
	return list
}

func (j *judge) files() []report.File {
	list := make([]report.File, len(j.in.Changes))
	for i, c := range j.in.Changes {
		class := string(c.Class)
		if class == "" {
			class = "unknown" // no contract could be read
		}
		list[i] = report.File{
			Path: valid(c.Path), Status: string(c.Status), Class: class, OldMode: string(c.OldMode), NewMode: string(c.NewMode),
		}
		if !utf8.ValidString(c.Path) {
			list[i].PathBase64 = base64.StdEncoding.EncodeToString([]byte(c.Path))
		}
	}
	return list
}

func valid(s string) string { return check.Valid(s) }

func validAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = valid(s)
	}
	return out
}

func (j *judge) sortedInputs() []report.Input {
	list := slices.Clone(j.inputs)
	slices.SortFunc(list, func(a, b report.Input) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Path, b.Path), cmp.Compare(a.SHA256, b.SHA256))
	})
	return list
}

// addFindings counts the findings, and lists those that come first.
func (j *judge) addFindings(r *report.Report, results []check.Result) {
	for i := range results {
		if result := &results[i]; result.Check != checks.Gate || result.Findings.Len() > 0 {
			r.Checks = append(r.Checks, j.addResult(r, result))
		}
	}
	slices.Sort(j.blocking)
	r.OverrideCode = j.bound().code(j.blocking)
	j.letThrough(r)
	sortFindings(r)
}

// addResult adds what one check found. It notes the fingerprints of what blocks, also of what is not listed.
func (j *judge) addResult(r *report.Report, result *check.Result) report.Check {
	found := &result.Findings
	for _, kept := range found.List() {
		r.Findings = append(r.Findings, reportFinding(&kept))
	}
	r.FindingsOmitted += found.Len() - len(found.List())
	for code, print := range found.Prints(diag.Block) {
		j.blocking = append(j.blocking, print.String())
		if !slices.Contains(j.blockingCodes, code) {
			j.blockingCodes = append(j.blockingCodes, code)
		}
	}
	tally(&r.Counts, found)
	return report.Check{ID: result.Check.ID, Outcome: outcome(result), Findings: found.Len()}
}

// sortFindings brings the findings into their order, and cuts the list.
func sortFindings(r *report.Report) {
	slices.SortFunc(r.Findings, compareFindings)
	if more := len(r.Findings) - report.MaxFindings; more > 0 {
		r.Findings, r.FindingsOmitted = r.Findings[:report.MaxFindings], r.FindingsOmitted+more
	}
}

func reportFinding(f *check.Kept) report.Finding {
	return report.Finding{
		Code: f.Code, Severity: string(f.Severity), Message: f.Message, Expected: check.Valid(f.Expected), Actual: check.Valid(f.Actual), Fix: f.Fix,
		Location:    report.Location{Input: string(f.Input), Path: f.Path, Line: f.Pos.Line, Column: f.Pos.Column},
		Fingerprint: f.Print, Times: f.Times,
	}
}

// compareFindings is the order of [check.Finding.Compare]. Findings that are alike go by fingerprint and pull request.
func compareFindings(a, b report.Finding) int {
	return cmp.Or(
		cmp.Compare(diag.Severity(a.Severity).Rank(), diag.Severity(b.Severity).Rank()),
		cmp.Compare(a.Code, b.Code), cmp.Compare(a.Location.Path, b.Location.Path),
		cmp.Compare(a.Location.Line, b.Location.Line), cmp.Compare(a.Location.Column, b.Location.Column),
		cmp.Compare(a.Message, b.Message), cmp.Compare(a.Fingerprint, b.Fingerprint), cmp.Compare(a.Location.PullRequest, b.Location.PullRequest),
	)
}

func outcome(result *check.Result) string {
	switch {
	case result.Skipped:
		return report.OutcomeSkipped
	case result.Findings.Count(diag.Block) > 0:
		return report.OutcomeFailed
	case result.Findings.Count(diag.Unknown) > 0:
		return report.OutcomeUnknown
	default:
		return report.OutcomePassed
	}
}

// tally counts findings by their severity.
func tally(c *report.Counts, found *check.Findings) {
	c.Block += found.Count(diag.Block)
	c.Unknown += found.Count(diag.Unknown)
	c.Warn += found.Count(diag.Warn)
	c.Info += found.Count(diag.Info)
}

// decide gives the verdict. What is unknown nobody can let through, and an override that counts says that nothing is.
func decide(r *report.Report) {
	switch {
	case r.Counts.Block > 0 && r.Counts.Unknown == 0 && r.Override != nil:
		r.Verdict = report.Overridden
	case r.Counts.Block > 0:
		r.Verdict = report.Failed
	case r.Counts.Unknown > 0:
		r.Verdict = report.Review
	default:
		r.Verdict = report.Passed
	}
	r.Passed = r.Verdict == report.Passed || r.Verdict == report.Overridden
}
