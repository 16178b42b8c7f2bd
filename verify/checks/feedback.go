package checks

import (
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
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
	if slices.ContainsFunc(p.Problems, func(problem check.Problem) bool { return problem.Kind == check.Feedback }) {
		return // there is one, and it says itself what is wrong with it
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
	p.Report(p.BlameJob(f))
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
	f := inLog(s.Name, 0, check.Finding{
		Code: "feedback.gap", Fix: "supply the log as the recorder wrote it, with no line removed, repeated or moved",
	})
	for _, g := range s.Gaps {
		f.Message, f.Expected, f.Actual = "the log is incomplete: "+g.Kind, g.Expected, g.Found
		f.Pos.Line, f.Identity = g.Line, []string{g.Kind, g.Found}
		p.Report(f)
	}
	f.Expected = "none"
	reportMore(p, f, s.GapsMore, "the log is incomplete: %d more places are not listed")
}

// reportTampered repeats what the recorder found. No later record can settle that.
func reportTampered(p *check.Pass, s *proof.Stream) {
	f := inLog(s.Name, 0, check.Finding{
		Code: "feedback.tampered", Expected: "a log and step outputs that only the recorder writes",
		Fix: "find the command or configuration that wrote it, remove that, and record all commands again",
	})
	const found = "the recorder found content that it did not write"
	for _, c := range s.Tampered.List {
		f.Message, f.Actual, f.Times = found+": "+c.Text, c.Text, c.Times
		f.Pos.Line, f.Identity = c.Line, []string{c.Text}
		p.Report(f)
	}
	reportMore(p, f, s.Tampered.More, found+" in %d more places")
}

func reportOpen(p *check.Pass, s *proof.Stream) {
	open := inLog(s.Name, 0, check.Finding{
		Code: "feedback.null_exit", Expected: "an exit code, or a later record of the same command that has one", Actual: "exit code null",
		Fix: "run the command again to its end, and record it; or record everything again in a new log: closeout run",
	})
	for _, c := range s.Open() {
		if c.Rules && lacksRules(p) {
			continue // rules.missing says it
		}
		f := open
		f.Message, f.Pos.Line, f.Times = inDirectory(c)+" has no exit code", c.Line, c.Times
		f.Identity = []string{c.Text, c.Cwd, string(c.Key[:])}
		if c.NotStarted {
			f.Severity, f.Message = input.Info, inDirectory(c)+" could not be started"
			f.Expected, f.Fix = "nothing: the contract does not name this command, and it did not run", "no action is needed"
		}
		p.Report(f)
	}
	reportMore(p, open, s.Unsettled, "%d more commands have no exit code")
}

func reportNonzero(p *check.Pass, s *proof.Stream) {
	f := inLog(s.Name, 0, check.Finding{
		Code: "feedback.nonzero_exit", Expected: "nothing: the contract does not name this command", Fix: "no action is needed",
	})
	for _, c := range s.Nonzero.List {
		f.Message, f.Actual = fmt.Sprintf("%s exited with %d", inDirectory(*c), c.Exit), fmt.Sprintf("exit code %d", c.Exit)
		f.Pos.Line, f.Identity, f.Times = c.Line, []string{c.Text, c.Cwd}, c.Times
		p.Report(f)
	}
	reportMore(p, f, s.Nonzero.More, "%d more commands that the contract does not name failed")
}

// inDirectory names a command, and its directory when that is not the repository's root.
func inDirectory(c proof.Command) string {
	if c.Cwd == "." || c.Cwd == "" {
		return c.Text
	}
	return c.Text + " (in " + c.Cwd + ")"
}
