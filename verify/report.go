package verify

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/proof"
	"github.com/closeout-gate/closeout/verify/report"
)

// found is what the checks of a candidate found, as a report lists it.
type found struct {
	checks        []report.Check
	findings      []report.Finding
	omitted       int // how many more there are than findings
	counts        report.Counts
	blocking      []string     // fingerprints of all findings that block, sorted
	blockingCodes []string     // and their codes, and the ids of diff rules
	code          *string      // the override code; nil when nothing blocks
	kept          []check.Kept // what findings are made of
}

// findingsOf counts the findings of a candidate, and lists the first ones.
func findingsOf(s *candidate, results []check.Result) found {
	var f found
	for i := range results {
		if result := &results[i]; result.Check != checks.GateCheck || result.Findings.Len() > 0 {
			f.checks = append(f.checks, f.add(result))
		}
	}
	f.joinCauses()
	slices.Sort(f.blocking)
	f.code = boundOf(s.Facts).code(f.blocking)
	return f
}

// joinCauses makes one finding of those whose facts are unavailable for one reason: that GitHub did not answer is one problem,
// however many checks asked. The outcomes of the checks stay.
func (f *found) joinCauses() {
	same := map[string][]int{}
	for i := range f.kept {
		if u := f.kept[i].Lacks; u != nil && f.kept[i].Severity == input.Unknown {
			same[causeOf(u)] = append(same[causeOf(u)], i)
		}
	}
	joined := map[int]bool{}
	for _, places := range same {
		if len(places) > 1 {
			f.join(places)
			for _, i := range places[1:] {
				joined[i] = true
			}
		}
	}
	f.counts.Unknown -= len(joined)
	list := f.findings
	f.findings = nil
	for i := range list {
		if !joined[i] {
			f.findings = append(f.findings, list[i])
		}
	}
}

// causeOf is equal for facts that are unavailable for one reason. The collector names the call that failed before its error, as
// in "GET /repos/o/r: HTTP 503"; several calls can fail for one reason.
func causeOf(u *facts.Unavailable) string {
	reason := u.Error
	if call, rest, found := strings.Cut(reason, ": "); found && strings.Contains(call, " /") && strings.Count(call, " ") == 1 {
		reason = rest
	}
	return reason + "\x00" + u.Fix
}

// maxUndecided is how many things a finding says that the gate cannot determine.
const maxUndecided = 10

// join replaces findings by one, in place of the first of them. Its code is the first that is not [checks.CodeUnavailable].
func (f *found) join(places []int) {
	first := &f.findings[places[0]]
	code := checks.CodeUnavailable
	var undecided []string
	for _, i := range places {
		if code == checks.CodeUnavailable {
			code = f.findings[i].Code
		}
		if what := f.kept[i].Undecided; !slices.Contains(undecided, what) {
			undecided = append(undecided, what)
		}
	}
	reason := check.Valid(f.kept[places[0]].Lacks.Error)
	*first = report.Finding{
		Code: code, Severity: first.Severity, Message: "cannot determine " + strings.Join(input.First(undecided, maxUndecided), "; ") + ": " + reason,
		Location: report.Location{Input: string(check.Facts)}, Expected: "these facts in facts.json", Actual: reason, Fix: first.Fix,
		Fingerprint: first.Fingerprint, Times: 1,
	}
}

// add adds the findings of one check, and the fingerprints of all that block, also of those that are not listed.
func (f *found) add(result *check.Result) report.Check {
	all := &result.Findings
	for _, kept := range all.List() {
		f.kept = append(f.kept, kept)
		if kept.Shown.Path != "" {
			kept.Path, kept.Pos = check.Valid(kept.Shown.Path), kept.Shown.Pos
		}
		f.findings = append(f.findings, report.Finding{
			Code: kept.Code, Severity: string(kept.Severity), Message: kept.Message, Expected: check.Valid(kept.Expected),
			Actual: check.Valid(kept.Actual), Fix: check.Valid(kept.Fix), Fingerprint: kept.Print, Times: kept.Times,
			Location:  report.Location{Input: string(kept.Input), Path: kept.Path, Line: kept.Pos.Line, Column: kept.Pos.Column},
			Criterion: kept.Criterion, Rule: kept.Rule, Contract: contractPlace(&kept.Contract), Output: outputOf(kept.Output),
		})
	}
	f.omitted += all.Len() - len(all.List())
	for code, print := range all.Prints(input.Block) {
		f.blocking = append(f.blocking, print.String())
		if !slices.Contains(f.blockingCodes, code) {
			f.blockingCodes = append(f.blockingCodes, code)
		}
	}
	f.blockingCodes = append(f.blockingCodes, all.BlockingRules()...)
	f.counts.Block += all.Count(input.Block)
	f.counts.Unknown += all.Count(input.Unknown)
	f.counts.Warn += all.Count(input.Warn)
	f.counts.Info += all.Count(input.Info)
	return report.Check{ID: result.Check.ID, Outcome: outcome(result), Findings: all.Len()}
}

// contractPlace is the place of a finding in a contract; nil when it has none.
func contractPlace(p *check.Place) *report.Location {
	if p.Path == "" {
		return nil
	}
	return &report.Location{Path: check.Valid(p.Path), Line: p.Pos.Line, Column: p.Pos.Column}
}

func outputOf(t *proof.Tail) *report.Output {
	if t == nil {
		return nil
	}
	return &report.Output{Stream: t.Stream, Lines: t.Lines, Error: t.Error}
}

func outcome(result *check.Result) string {
	switch {
	case result.Skipped:
		return report.OutcomeSkipped
	case result.Findings.Count(input.Block) > 0:
		return report.OutcomeFailed
	case result.Findings.Count(input.Unknown) > 0:
		return report.OutcomeUnknown
	default:
		return report.OutcomePassed
	}
}

// compareFindings is the order of [check.Finding.Compare]. Fingerprint and pull request order findings that are otherwise
// equal.
func compareFindings(a, b report.Finding) int {
	return cmp.Or(
		cmp.Compare(input.Severity(a.Severity).Rank(), input.Severity(b.Severity).Rank()),
		cmp.Compare(a.Code, b.Code), cmp.Compare(a.Location.Path, b.Location.Path),
		cmp.Compare(a.Location.Line, b.Location.Line), cmp.Compare(a.Location.Column, b.Location.Column),
		cmp.Compare(a.Message, b.Message), cmp.Compare(a.Fingerprint, b.Fingerprint), cmp.Compare(a.Location.PullRequest, b.Location.PullRequest),
	)
}

// reportOf makes the report of a candidate, and of the pull requests in it.
func reportOf(j *judged, members []*judged) *report.Report {
	r := &report.Report{
		Schema: report.Schema, Mode: j.settings.Mode, Strict: j.settings.Strict, Subject: j.reportSubject(), Settings: j.reportSettings(),
		Checks: j.checks, Findings: j.findings, FindingsOmitted: j.omitted, Counts: j.counts,
		Companions: companions(&j.Inputs), Files: j.files(), Inputs: j.inputs,
		OverrideCode: j.code, Override: j.override, OverrideRefused: j.refused,
		Verdict: j.verdict, Tool: report.Tool{Name: "closeout", Version: Version},
	}
	if j.Policy != nil {
		r.TaskID, r.Tasks, r.Approvals = taskID(j.Policy), j.Policy.TaskIDs, j.Policy.ApprovalNotes
	}
	if !j.exempt {
		r.Acceptance, r.Cross = acceptance(&j.Inputs), cross(&j.Inputs)
	}
	if j.override != nil {
		r.OverrideReason, r.OverriddenBy = text(j.override.Why()), text(j.override.Who())
	}
	r.Counts.Files = len(j.Changes)
	for _, l := range j.Logs {
		if l.Counts {
			r.Counts.Records += l.Records
		}
	}
	if j.scope == check.ScopeGroup {
		addMembers(r, j, members)
	}
	input.SortStable(r.Findings, compareFindings)
	if more := len(r.Findings) - report.MaxFindings; more > 0 {
		r.Findings, r.FindingsOmitted = r.Findings[:report.MaxFindings], r.FindingsOmitted+more
	}
	boundOutputs(r.Findings)
	input.SortStable(r.Inputs, func(a, b report.Input) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Path, b.Path), cmp.Compare(a.SHA256, b.SHA256))
	})
	r.Passed = r.Verdict == report.Passed || r.Verdict == report.Overridden
	return r
}

// boundOutputs keeps the outputs of the first findings: a report stays small, whatever commands print.
func boundOutputs(findings []report.Finding) {
	kept := 0
	for i := range findings {
		if f := &findings[i]; f.Output != nil {
			if kept++; kept > check.MaxOutputs {
				f.Output = nil
			}
		}
	}
}

// text is a string of the report that may be unknown.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// taskID is the id of the only task; nil where there are several.
func taskID(p *policy.Policy) *string {
	if p.TaskIDs != nil {
		return nil
	}
	return text(p.TaskID)
}

// namedTasks are the tasks that the caller named: as one, or as a list of several.
func namedTasks(ids []string) (one *string, several []string) {
	switch len(ids) {
	case 0:
		return nil, nil
	case 1:
		return text(ids[0]), nil
	}
	return nil, ids
}

func (s *candidate) reportSubject() report.Subject {
	var r report.Subject
	switch {
	case s.State[check.Diff] == check.Usable:
		r.ChangesFrom = text("diff")
	case s.Facts != nil:
		r.ChangesFrom = text(s.Facts.Subject.ChangesFrom)
	}
	if s.Facts == nil {
		return r
	}
	f := &s.Facts.Subject
	r.Repository, r.BaseSHA, r.MergeBaseSHA, r.HeadSHA = text(f.Repository), text(f.BaseSHA), text(f.MergeBaseSHA), text(f.HeadSHA)
	if f.PullRequest > 0 {
		r.PullRequest = &f.PullRequest
	}
	if len(f.AcceptedTrees) > 0 {
		r.CodeTree = text(f.AcceptedTrees[0])
	}
	return r
}

func (s *candidate) reportSettings() report.Settings {
	task, tasks := namedTasks(s.settings.Tasks)
	// Without a policy no evidence was compared with a minimum.
	return report.Settings{
		EvidenceMin: string(cmp.Or(s.Minimum, input.Claimed)), Task: task, Tasks: tasks, Event: text(s.settings.Event),
		Today: text(s.settings.Today), Digests: slices.Clone(s.Digests), Limits: reportLimits(&s.settings.Limits), Override: reportRule(s.Rule),
	}
}

func reportLimits(l *input.Limits) report.Limits {
	limits := report.Limits{}
	for _, limit := range input.AllLimits {
		limits[limit.Key()] = limit.Get(l)
	}
	return limits
}

// acceptance lists the criteria, and what the evidence proves of each.
func acceptance(in *check.Inputs) []report.Acceptance {
	if in.Policy == nil {
		return nil
	}
	list := make([]report.Acceptance, len(in.Policy.Criteria))
	for i := range list {
		c := &in.Policy.Criteria[i]
		list[i] = report.Acceptance{
			ID: c.ID, Run: validAll(c.Run), Cwd: check.Valid(c.Cwd), Expect: "pass", Outcome: report.OutcomeFailed, Level: string(input.Absent),
			KeptFrom: text("no log could be judged"),
		}
		if c.ExpectFail {
			list[i].Expect = "fail"
		}
		if in.Decisions != nil {
			fillAcceptance(&list[i], in, c, &in.Decisions[i])
		}
	}
	failUncontrolled(list, in)
	for i := range in.Policy.NotRequired {
		c := &in.Policy.NotRequired[i]
		a := report.Acceptance{
			ID: c.ID, Run: validAll(c.Run), Cwd: check.Valid(c.Cwd), Expect: "pass", Outcome: report.OutcomeNotRequired, Level: string(input.Absent),
			When: []string{},
		}
		if c.ExpectFail {
			a.Expect = "fail"
		}
		for _, pattern := range c.When {
			a.When = append(a.When, check.Valid(pattern.Value))
		}
		list = append(list, a)
	}
	return list
}

func fillAcceptance(a *report.Acceptance, in *check.Inputs, c *contract.Criterion, d *proof.Decision) {
	a.Level, a.Attempts = string(d.Level), d.Attempts
	deciding := d.At
	if deciding == nil && len(d.Deciding) > 0 {
		deciding = &d.Deciding[0]
	}
	a.KeptFrom = text(check.KeptFrom(d.Level, deciding))
	if d.Reason == proof.Passed && in.TestsReason(c) == "" {
		a.Outcome = report.OutcomePassed
	}
	if file := in.Tests[c.TestReport]; c.TestReport != "" && file != nil && file.Report != nil {
		a.Tests = &file.Report.Tests
		if file.Report.Failed > 0 {
			a.TestsFailed = &file.Report.Failed
		}
	}
	for _, x := range d.Deciding {
		a.DecidedBy = append(a.DecidedBy, report.Decision{Path: x.Stream, Line: x.Last.Line, SHA256: x.Last.SHA256})
	}
}

// failUncontrolled fails the criteria whose negative control is not proven: nothing shows that they can fail.
func failUncontrolled(list []report.Acceptance, in *check.Inputs) {
	for i, control := range list {
		proven := in.Policy.Criteria[i].Proves.Value
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

// cross lists what the tests of the base show.
func cross(in *check.Inputs) []report.Cross {
	var list []report.Cross
	for i := range in.Cross {
		run := &in.Cross[i]
		list = append(list, report.Cross{
			Criterion: run.Criterion.ID, Tree: run.Tree, Outcome: run.Outcome, Level: string(run.Level), Shown: check.Valid(run.Shown()),
			Cases: report.CrossCases{Base: run.Base, Passed: run.Passed, Failed: run.Failed, NotRun: run.NotRun},
		})
	}
	return list
}

func companions(in *check.Inputs) []report.Companion {
	var list []report.Companion
	for _, c := range in.Companions {
		list = append(list, report.Companion{Kind: string(c.Kind), Path: c.Path, Level: string(c.Level), KeptFrom: text(c.KeptFrom)})
	}
	return list
}

func (s *candidate) files() []report.File {
	list := make([]report.File, len(s.Changes))
	for i, c := range s.Changes {
		list[i] = report.File{
			Path: check.Valid(c.Path), Status: string(c.Status), Class: cmp.Or(string(c.Class), "unknown"), // no contract could be read
			OldMode: string(c.OldMode), NewMode: string(c.NewMode),
		}
		if !utf8.ValidString(c.Path) {
			list[i].PathBase64 = base64.StdEncoding.EncodeToString([]byte(c.Path))
		}
	}
	return list
}

func validAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = check.Valid(s)
	}
	return out
}

// addMembers adds the pull requests of a merge group to its report.
func addMembers(r *report.Report, group *judged, members []*judged) {
	r.OverrideCode, r.PullRequests = nil, []report.PullRequest{} // a finding about the group itself has no override
	for _, m := range members {
		if !group.exempt && !m.exempt && m.view != nil {
			addView(r, m)
		}
		addMember(r, m)
	}
	for _, v := range []string{report.Overridden, report.Review, report.Failed} {
		if slices.ContainsFunc(members, func(m *judged) bool { return m.verdict == v }) || group.verdict == v {
			r.Verdict = v
		}
	}
	if r.Verdict == report.Overridden {
		var people, reasons []string
		for _, p := range r.PullRequests {
			if p.Override != nil {
				people = append(people, fmt.Sprintf("#%d %s", p.Number, p.Override.Who()))
				reasons = append(reasons, fmt.Sprintf("#%d %s", p.Number, p.Override.Why()))
			}
		}
		r.OverriddenBy, r.OverrideReason = text(strings.Join(people, ", ")), text(strings.Join(reasons, ", "))
	}
}

// addView adds the criteria that only a pull request's own contract names, and the reports that they name.
func addView(r *report.Report, m *judged) {
	for _, a := range acceptance(m.view) {
		if m.Policy.Origin(a.ID).Kind == string(check.TaskContract) {
			a.PullRequest = &m.number
			r.Acceptance = append(r.Acceptance, a)
		}
	}
	for _, c := range companions(m.view) {
		if !slices.ContainsFunc(r.Companions, func(k report.Companion) bool { return k.Kind == c.Kind && k.Path == c.Path }) {
			r.Companions = append(r.Companions, c)
		}
	}
}

func addMember(r *report.Report, m *judged) {
	p := report.PullRequest{
		Number: m.number, HeadSHA: m.reportSubject().HeadSHA, Verdict: m.verdict, OverrideCode: m.code, Override: m.override, OverrideRefused: m.refused,
		Counts: report.PullRequestCounts{
			Block: m.counts.Block, Unknown: m.counts.Unknown, Warn: m.counts.Warn, Info: m.counts.Info, Files: len(m.Changes),
		},
	}
	if m.Policy != nil {
		p.TaskID, p.Tasks = taskID(m.Policy), m.Policy.TaskIDs
		for _, note := range m.Policy.ApprovalNotes {
			if !slices.Contains(r.Approvals, note) {
				r.Approvals = append(slices.Clip(r.Approvals), note)
			}
		}
	}
	r.PullRequests = append(r.PullRequests, p)
	for _, f := range m.findings {
		f.Location.PullRequest = m.number
		r.Findings = append(r.Findings, f)
	}
	r.FindingsOmitted += m.omitted
	r.Counts.Block, r.Counts.Unknown = r.Counts.Block+m.counts.Block, r.Counts.Unknown+m.counts.Unknown
	r.Counts.Warn, r.Counts.Info = r.Counts.Warn+m.counts.Warn, r.Counts.Info+m.counts.Info
	r.Inputs = append(r.Inputs, m.inputs...)
	addChecks(r, m.checks)
}

// outcomes are what a check can come to, the one that decides first.
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
		return slices.IndexFunc(checks.Documented, func(c *check.Check) bool { return c.ID == id })
	}
	input.SortStable(r.Checks, func(a, b report.Check) int { return order(a.ID) - order(b.ID) })
}
