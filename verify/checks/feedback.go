package checks

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
)

// FeedbackCheck checks that the logs are there, complete and well formed.
var FeedbackCheck = &check.Check{
	ID:    "feedback",
	Title: "The feedback logs are there, complete and well formed",
	Codes: slices.Concat(
		check.CodesWith(input.Block,
			"feedback.missing", "feedback.empty", "feedback.malformed", "feedback.gap", "feedback.null_exit",
			"feedback.tampered",
		),
		check.CodesWith(input.Info, "feedback.nonzero_exit"),
	),
	Scope: check.ScopeChange | check.ScopeGroup | check.ScopeEvidence,
	Run:   runFeedback,
}

func runFeedback(p *check.Pass) {
	if len(p.Streams()) == 0 && len(p.Digests) == 0 && !p.NeedsNoLog() { // a digest without its log is evidence.digest_mismatch
		reportNoLog(p)
	}
	p.ReportNoMatch("feedback.missing", check.Feedback)
	p.ReportProblems("feedback.malformed", check.Feedback)
	reportEmpty(p)
	for _, s := range p.Streams() {
		reportGaps(p, s)
		reportTampered(p, s)
		if p.Policy == nil {
			continue // without criteria all commands look like other commands
		}
		reportOpen(p, s)
		reportNonzero(p, s)
	}
}

func reportNoLog(p *check.Pass) {
	for _, problem := range p.Problems {
		if problem.Kind == check.Feedback {
			return // there is one, and it says itself what is wrong with it
		}
	}
	f := check.Finding{
		Code: "feedback.missing", Message: "there is no feedback log", Input: check.Feedback,
		Expected: "at least one feedback_record.jsonl", Actual: "no such file",
		Fix: "record the acceptance commands with closeout run or closeout record, and make sure that the log reaches the gate",
	}
	if len(p.Logs) > 0 {
		f.Message, f.Actual = "no feedback log can be used", "logs whose digests the workflow did not supply"
		f.Identity = []string{"not handed over"}
		f.Fix = "let the recording job supply the sha256 of its log"
	}
	p.Report(blameJob(p, f))
}

// blameJob names the jobs of this run that did not succeed in a finding about a record that is not there: recording it by hand would
// not help. Where they are not known, it says what lets the gate see them.
func blameJob(p *check.Pass, f check.Finding) check.Finding {
	if p.Facts == nil {
		return f
	}
	if u, lacks := p.Facts.Lacking(facts.WantedJobs, ""); lacks {
		f.Fix += "; the page of this run shows which job did not record, and the gate names it: " + u.Fix
		return f
	}
	const most = 3
	for i := range p.Facts.Jobs {
		if i == most {
			f.Message += fmt.Sprintf(", and %s", input.Plural(int64(len(p.Facts.Jobs)-most), "more job"))
			break
		}
		how, fix := jobEnd(p, &p.Facts.Jobs[i])
		f.Message += [...]string{": ", ", and "}[min(i, 1)] + how
		if i == 0 {
			f.Fix = fix
		}
	}
	return f
}

// jobEnd says how a job of this run ended, and what helps. A change of the workflow is a push, which starts a run of its own.
func jobEnd(p *check.Pass, j *facts.Job) (how, fix string) {
	const again = "; then push, or use Re-run failed jobs on the page of this run"
	name, step := "the job "+strconv.Quote(j.Name), "step "+strconv.Quote(j.Step)
	switch {
	case j.Conclusion == "skipped":
		how, fix = name+" was skipped", "look at `if` and `needs` of "+name+" in the workflow"
	case j.Conclusion == "cancelled" && j.Began:
		how, fix = name+" was cancelled", "let "+name+" end: a person, a newer run of its concurrency group, or timeout-minutes cancelled it; then use Re-run all jobs"
		if j.Step != "" {
			how += " in its " + step
		}
	case j.Conclusion == "" && j.Step != "":
		how, fix = step+" of "+name+" failed", "open the log of "+step+", and fix what it says"+again
	case j.Conclusion == "":
		how, fix = name+" has not ended", "list "+name+" under `needs` of the job that judges, so that the gate waits for it"
	case !j.Began:
		how, fix = name+" never started ("+j.Conclusion+")", "look at `runs-on` of "+name+", at its runners, and at the limits of the account"+again
	case j.Step != "":
		how, fix = name+" failed in its "+step, "open the log of its "+step+" in "+name+", and fix what it says"+again
	default:
		how, fix = name+" ended as "+strconv.Quote(j.Conclusion), "open the log of "+name+", and fix what it says"+again
	}
	if j.Attempt != p.Facts.Event.Attempt {
		how += fmt.Sprintf(", in attempt %d of this run", j.Attempt)
	}
	return how, fix
}

// reportEmpty reports each log that counts and is empty: another log cannot replace it.
func reportEmpty(p *check.Pass) {
	for _, l := range p.Logs {
		said := func(problem check.Problem) bool { return problem.Kind == check.Feedback && problem.Path == l.Path }
		if !l.Counts || l.Records > 0 || slices.ContainsFunc(p.Problems, said) {
			continue
		}
		p.Report(check.Finding{
			Code: "feedback.empty", Message: "the feedback log is empty", Input: check.Feedback, Path: l.Path,
			Expected: "a record for each command that ran", Actual: "no record",
			Fix: "record the acceptance commands with closeout run or closeout record; supply no log where nothing is to be recorded",
		})
	}
}

func reportGaps(p *check.Pass, s *proof.Stream) {
	for _, g := range s.Gaps {
		p.Report(check.Finding{
			Code: "feedback.gap", Message: "the log is incomplete: " + g.Kind, Input: check.Feedback, Path: s.Name,
			Pos: input.Pos{Line: g.Line, Column: 1}, Expected: g.Expected, Actual: g.Found,
			Fix: "supply the log as the recorder wrote it, with no line removed, repeated or moved", Identity: []string{g.Kind, g.Found},
		})
	}
	if s.GapsMore > 0 {
		p.Report(check.Finding{
			Code: "feedback.gap", Message: fmt.Sprintf("the log is incomplete: %d more places are not listed", s.GapsMore),
			Input: check.Feedback, Path: s.Name, Expected: "none", Actual: fmt.Sprint(s.GapsMore),
			Fix: "supply the log as the recorder wrote it", Identity: []string{"more", fmt.Sprint(s.GapsMore)}, Times: s.GapsMore,
		})
	}
}

// reportTampered repeats what the recorder found. No later record can settle that.
func reportTampered(p *check.Pass, s *proof.Stream) {
	f := check.Finding{
		Code: "feedback.tampered", Input: check.Feedback, Path: s.Name, Expected: "a log and step outputs that only the recorder writes",
		Fix: "find the command or configuration that wrote it, remove that, and record all commands again",
	}
	for _, c := range s.Tampered.List {
		f.Message, f.Actual, f.Times = "the recorder found content that it did not write: "+c.Text, c.Text, c.Times
		f.Pos, f.Identity = input.Pos{Line: c.Line, Column: 1}, []string{c.Text}
		p.Report(f)
	}
	if more := s.Tampered.More; more > 0 {
		f.Message, f.Actual = fmt.Sprintf("the recorder found content that it did not write in %d more places", more), fmt.Sprint(more)
		f.Pos, f.Identity, f.Times = input.Pos{}, []string{"more", fmt.Sprint(more)}, more
		p.Report(f)
	}
}

func reportOpen(p *check.Pass, s *proof.Stream) {
	const expected = "an exit code, or a later record of the same command that has one"
	for _, c := range s.Open() {
		if c.Rules && lacksRules(p) {
			continue // rules.missing says it
		}
		f := check.Finding{
			Code: "feedback.null_exit", Message: inDirectory(c) + " has no exit code", Input: check.Feedback, Path: s.Name,
			Pos: input.Pos{Line: c.Line, Column: 1}, Expected: expected, Actual: "exit code null",
			Fix:      "run the command again to its end, and record it; or record everything again in a new log: closeout run",
			Identity: []string{c.Text, c.Cwd, string(c.Key[:])}, Times: c.Times,
		}
		if c.NotStarted {
			f.Severity, f.Message = input.Info, inDirectory(c)+" could not be started"
			f.Expected, f.Fix = "nothing: the contract does not name this command, and it did not run", "no action is needed"
		}
		p.Report(f)
	}
	if s.Unsettled > 0 {
		p.Report(check.Finding{
			Code: "feedback.null_exit", Message: fmt.Sprintf("%d more commands have no exit code", s.Unsettled), Input: check.Feedback,
			Path: s.Name, Expected: expected, Actual: fmt.Sprintf("more than %d open at once", proof.MaxOpen),
			Fix: "run the commands to their end", Identity: []string{"more", fmt.Sprint(s.Unsettled)}, Times: s.Unsettled,
		})
	}
}

func reportNonzero(p *check.Pass, s *proof.Stream) {
	for _, c := range s.Nonzero.List {
		p.Report(check.Finding{
			Code: "feedback.nonzero_exit", Message: fmt.Sprintf("%s exited with %d", inDirectory(*c), c.Exit), Input: check.Feedback,
			Path: s.Name, Pos: input.Pos{Line: c.Line, Column: 1}, Expected: "nothing: the contract does not name this command",
			Actual: fmt.Sprintf("exit code %d", c.Exit), Fix: "no action is needed", Identity: []string{c.Text, c.Cwd}, Times: c.Times,
		})
	}
	if more := s.Nonzero.More; more > 0 {
		p.Report(check.Finding{
			Code: "feedback.nonzero_exit", Message: fmt.Sprintf("%d more commands that the contract does not name failed", more),
			Input: check.Feedback, Path: s.Name, Expected: "nothing", Actual: fmt.Sprint(more), Fix: "no action is needed",
			Identity: []string{"more"}, Times: more,
		})
	}
}

// inDirectory names a command, and its directory when that is not the repository's root.
func inDirectory(c proof.Command) string {
	if c.Cwd == "." || c.Cwd == "" {
		return c.Text
	}
	return c.Text + " (in " + c.Cwd + ")"
}
