package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
	"github.com/closeout-gate/closeout/verify/reports"
)

// AcceptanceCheck checks that the commands that the contract names ran, and ended as the contract requires.
var AcceptanceCheck = &check.Check{
	ID:    "acceptance",
	Title: "Every acceptance command ran and ended as the contract expects",
	Codes: slices.Concat(
		check.CodesWith(input.Block,
			"acceptance.unanchored", "acceptance.missing", "acceptance.null_exit", "acceptance.failed",
			"acceptance.control_passed", "acceptance.too_many_attempts", check.CodeVacuous, "acceptance.contradicted",
			check.CodeTestsFailed,
		),
		check.CodesWith(input.Unknown, "acceptance.unknown"),
		check.CodesWith(input.Warn, "acceptance.flaky", "acceptance.cached", "acceptance.no_summary"),
		check.CodesWith(input.Info, "acceptance.skipped"),
	),
	Also:  []string{"facts.unavailable"},
	Scope: check.ScopeChange | check.ScopeGroup | check.ScopeEvidence,
	Needs: []check.Kind{check.Contract, check.Feedback},
	Run:   runAcceptance,
}

func runAcceptance(p *check.Pass) {
	reportUnanchored(p)
	// The change may contain a task contract that the collector could not see.
	var unseen []facts.Unavailable
	if len(p.Named) == 0 {
		unseen = slices.Concat(p.Unavailable(facts.WantedChanges), p.Unavailable(facts.WantedContracts))
	}
	for i, d := range p.Decisions {
		c := &p.Policy.Criteria[i]
		if d.Reason == proof.Missing && d.Foreign > 0 && len(unseen) > 0 {
			// The records may be those of that task: they are neither a failure nor a proof.
			p.Report(check.Finding{
				Code: "facts.unavailable", Input: check.Feedback,
				Message:  criterionName(c) + " has only records of another task, and the gate cannot determine whether it is the task of this change",
				Expected: "the task contract of the change", Actual: input.Plural(d.Foreign, "record") + " of another task",
				Fix: "follow the fix of the finding about the unavailable input, or name the task with --task", Identity: criterionKey(c),
				Lacks: &unseen[0], Undecided: "whether the records of " + criterionName(c) + " are those of the task of this change",
			})
			continue
		}
		// A command that cannot know, and whose own test report says that tests failed, knows.
		known := d.Reason == proof.UnknownReason && p.TestsReason(c) == check.CodeTestsFailed
		if strings.HasPrefix(string(d.Reason), "acceptance.") && !known {
			p.Report(about(p, c, acceptanceFinding(p, c, &d)))
		}
		if d.Reason == proof.Passed || known {
			reportTests(p, c, d.At)
		}
		reportDoubts(p, c, &d)
	}
}

// reportDoubts reports what is strange about a criterion that passed.
func reportDoubts(p *check.Pass, c *contract.Criterion, d *proof.Decision) {
	report := func(at *proof.Deciding, f check.Finding) {
		f.Message, f.Identity = criterionName(c)+f.Message, criterionKey(c)
		p.Report(about(p, c, atRecord(f, at)))
	}
	if d.Flaky != nil {
		failures := input.Plural(d.Flaky.Failures+d.Flaky.Lower, "failure")
		report(d.Flaky, check.Finding{
			Code: "acceptance.flaky", Message: " passed only after " + failures,
			Expected: "a command that passes at once", Actual: input.Plural(d.Flaky.Tries(), "attempt") + ", " + failures,
			Fix: "look at the failures: the change may have fixed them, or the command may be unreliable",
		})
	}
	if d.Silent != nil && d.Reason == proof.Passed {
		report(d.Silent, check.Finding{
			Code: "acceptance.no_summary", Message: " passed, and its output has no summary of a run",
			Expected: "the summary that the test runner prints at the end of a run", Actual: "none in the recorded output",
			Fix: "find out what ended the run, such as code that ends the process; or let the command write a test_report",
		})
	}
	if d.Cached != nil && d.Reason == proof.Passed {
		said := "the output says " + strconv.Quote(d.Cached.Last.Output.Line)
		report(d.Cached, check.Finding{
			Code: "acceptance.cached", Message: " shows some results of an earlier run: " + said,
			Expected: "results of tests that ran while the command was recorded", Actual: said, Fix: rerun,
		})
	}
}

// reportUnanchored requires a command that must pass and that the change does not name itself: a task contract that only
// the change contains could name the command "true".
func reportUnanchored(p *check.Pass) {
	if p.Policy.IsAnchored() || p.Policy.NotRequired != nil || (p.Group != nil && len(p.Policy.Criteria) == 0) {
		return // in a merge group the contracts of its pull requests may name criteria: each is judged by a join of its own
	}
	p.Report(atKey(p, "acceptance_criteria", check.Finding{
		Code: "acceptance.unanchored", Message: "no command that must pass is named by the base branch or the operator",
		Expected: "at least one criterion with expect pass that the change did not add",
		Actual:   input.Plural(int64(len(p.Policy.Criteria)), "criterion") + ", none of them one of these",
		Fix:      "let a person add an acceptance criterion to the contract on the base branch",
	}))
}

// criterionName is how a message speaks of a criterion.
func criterionName(c *contract.Criterion) string {
	in := ""
	if c.Cwd != "." {
		in = ", in " + c.Cwd
	}
	return fmt.Sprintf("%q (%s%s)", c.ID, proof.CommandLine(c.Run), in)
}

// expectation is how a criterion must end.
func expectation(c *contract.Criterion) string {
	if c.ExpectFail {
		return "an exit code other than 0: the command is a negative control"
	}
	return "exit code 0"
}

// about names the criterion of a finding, and its place in the contract.
func about(p *check.Pass, c *contract.Criterion, f check.Finding) check.Finding {
	f.Criterion, f.Contract = c.ID, check.Place{Path: p.Policy.Origin(c.ID).Path, Pos: c.Pos}
	return f
}

// atRecord places a finding at the deciding record.
func atRecord(f check.Finding, d *proof.Deciding) check.Finding {
	return inLog(d.Stream, d.Last.Line, f)
}

func acceptanceFinding(p *check.Pass, c *contract.Criterion, d *proof.Decision) check.Finding {
	f := check.Finding{Code: string(d.Reason), Expected: expectation(c), Identity: decisionKey(c, d)}
	if d.Reason == proof.Missing {
		return missing(p, f, c, d)
	}
	f = atRecord(f, d.At)
	last := d.At.Last
	f.Output = p.Tail(&last.Said)
	switch d.Reason {
	case proof.NullExit:
		why := cmp.Or(check.CutText(last.Said.Problem()), noExitCode)
		f.Message = criterionName(c) + " has no exit code: " + why
		f.Actual = "exit code null: " + why
		f.Fix = fixNullExit(why)
	case proof.ControlPassed:
		f.Message = criterionName(c) + " passed, but it is a negative control and must fail"
		f.Actual = "exit code 0"
		f.Fix = "make the control fail where the code is broken: a check that cannot fail proves nothing"
	case proof.TooManyAttempts:
		f.Message = fmt.Sprintf("%s took %s", criterionName(c), input.Plural(d.At.Tries(), "attempt"))
		f.Expected = fmt.Sprintf("at most %s (max_attempts)", input.Plural(c.MaxAttempts, "attempt"))
		f.Actual = input.Plural(d.At.Tries(), "record") + " of this command in one log"
		f.Fix = "find out why it does not pass at once; a person may raise max_attempts in the contract"
	case proof.Vacuous:
		describeVacuous(&f, c, last.Output)
	case proof.Contradicted:
		f.Actual = "exit code 0, and the output says " + strconv.Quote(last.Output.Failure)
		f.Message = criterionName(c) + " passed, and its own summary says that tests failed: " + strconv.Quote(last.Output.Failure)
		f.Expected = "a summary without a failure, or an exit code other than 0"
		f.Fix = "make the tests pass, and let the command exit with the code of the test runner"
	case proof.UnknownReason:
		f.Actual = fmt.Sprintf("exit code %d, by which the command says that it cannot know (unknown_exit)", *last.Exit)
		f.Message = "cannot determine whether " + criterionName(c) + " ends as the contract expects: " + f.Actual
		f.Fix = "provide what the command lacks to know, then run and record it again; a person may find it out by hand and change the contract"
	default:
		f.Actual = check.ExitWords(*last.Exit, c.Run[0])
		if proof.SaysUnknown(c, last.Exit) {
			f.Actual += fmt.Sprintf(", of unknown_exit, which counts with evidence that is %s and about this code", d.Minimum)
		}
		f.Message = criterionName(c) + " failed: " + f.Actual
		switch inReport, inOutput := check.Reported(p, c), check.Printed(p, c, &f); {
		case c.ExpectFail:
			f.Message = criterionName(c) + " did not fail by itself: " + f.Actual
			f.Fix = "make the control run to its end and fail by itself, then record it again"
		case len(inReport) > 0:
			f.Message = criterionName(c) + " failed " + check.FailedTests(p.Tests[c.TestReport].Report) + check.Describe(&f, inReport)
			f.Fix += ", then run and record it again"
		case len(inOutput) > 0:
			f.Message += check.Describe(&f, inOutput)
			f.Fix += ", then run and record it again"
		case f.Output != nil:
			f.Fix = "fix what its output says (" + f.Output.Error + "), then run and record it again"
		default:
			f.Fix = "run " + proof.CommandLine(c.Run) + ", fix the first error that it prints, then record it again"
		}
		if older := olderFailures(p, c); older != "" {
			f.Actual, f.Message = f.Actual+older, f.Message+older
		}
	}
	f.Fix += provesHint(c)
	return f
}

// olderFailures names the tests that failed on the base as well, as far as its run was recorded.
func olderFailures(p *check.Pass, c *contract.Criterion) string {
	i := slices.IndexFunc(p.Cross, func(r check.CrossRun) bool { return r.Criterion.ID == c.ID && len(r.Older) > 0 })
	if i < 0 {
		return ""
	}
	return "; older than the change, because failing on the base too: " + strings.Join(input.First(p.Cross[i].Older, 5), ", ")
}

// noExitCode is why a command has no exit code, where the recorder does not say.
const noExitCode = "the command did not end by itself, or could not be started"

// fixNullExit is how to fix a command without exit code, for what the recorder writes about the cause.
func fixNullExit(why string) string {
	switch {
	case strings.HasPrefix(why, "there is no program"), strings.HasPrefix(why, "the command could not be started"):
		return "install or add the program that the command starts, then record it again; a person may correct the command in the contract"
	case strings.HasPrefix(why, "timeout"):
		return "let the command end in time, or give it more time (closeout run --timeout 30m); then record it again"
	}
	return "run the command to its end and record it again"
}

// provesHint says what else is not proven while a control is not.
func provesHint(c *contract.Criterion) string {
	if c.Proves.Value == "" {
		return ""
	}
	return "; until then the criterion " + strconv.Quote(c.Proves.Value) + " is not proven"
}

// describeVacuous reports that a command's own output shows that no test ran. The line is quoted: a command may print
// anything.
func describeVacuous(f *check.Finding, c *contract.Criterion, seen proof.Output) {
	f.Expected = "output of at least one test that ran"
	f.Actual = "the output says " + strconv.Quote(seen.Line)
	switch {
	case seen.Proof == proof.AllCached:
		f.Message = criterionName(c) + " ran no test, it shows results of an earlier run"
		f.Fix = rerun
	case c.ExpectFail:
		f.Message = criterionName(c) + " failed without running a test"
		f.Expected = "a test that ran and failed"
		f.Fix = "let the control break the code so that the tests still build and one of them fails, then record it again"
	default:
		f.Message = criterionName(c) + " succeeded without running a test"
		f.Fix = "let the command run the tests that exist, then record it again"
	}
	f.Message += ": " + f.Actual
}

// rerun is how to get results that are no older than the record.
const rerun = "run the tests again and record that: go clean -testcache before it or go test -count=1, " +
	"gradle --rerun, bazel test --nocache_test_results"

func missing(p *check.Pass, f check.Finding, c *contract.Criterion, d *proof.Decision) check.Finding {
	f.Message = criterionName(c) + " was never run"
	f.Expected = "a record of exactly this command in " + c.Cwd + " with " + expectation(c)
	f.Actual = "no such record"
	f.Fix = "run the command exactly as the contract writes it, and record it"
	f.Input, f.Pos = check.Contract, c.Pos
	f.Path = p.Policy.Origin(c.ID).Path
	if d.Foreign > 0 {
		f.Message += " for the task " + p.Policy.TaskNames()
		f.Fix += " with --task " + p.Policy.TaskNames()
		f.Actual = fmt.Sprintf("%s of this command, all of another task than %s", input.Plural(d.Foreign, "record"), p.Policy.TaskNames())
	}
	if d.Idle > 0 {
		f.Message = criterionName(c) + " has no record that counts for it"
		f.Actual = fmt.Sprintf("%s of this command with the task_id %s of the change's own contract, which cannot pass a criterion of another contract",
			input.Plural(d.Idle, "record"), p.Policy.TaskNames())
		f.Fix = "run the command and record it without this task_id, as closeout run --record-only does"
	}
	if d.Foreign == 0 && d.Idle == 0 {
		f = p.BlameJob(f)
	}
	f.Fix += provesHint(c)
	return f
}

// reportTests requires the test report that the criterion names, with enough tests and no failure in it. A command that passed
// has nothing that decides against it: at is nil.
func reportTests(p *check.Pass, c *contract.Criterion, at *proof.Deciding) {
	file := p.Tests[c.TestReport]
	switch code := p.TestsReason(c); code {
	case check.CodeVacuous:
		reportTooFew(p, c, file)
	case check.CodeTestsFailed:
		f := ofReport(c, code) // the command did not exit as one that failed, although its own report says that tests failed
		ended := "0"
		if at != nil {
			ended = fmt.Sprintf("%d, as if it could not know", *at.Last.Exit)
		}
		f.Message = fmt.Sprintf("%s exited with %s, and its test report says that %s failed", criterionName(c), ended, check.FailedTests(file.Report))
		f.Expected, f.Actual = "no failure and no error in "+c.TestReport, input.Plural(file.Report.Failures(), "failure")
		f.Fix = "make the tests pass"
		if list := check.Reported(p, c); len(list) > 0 {
			f.Message += check.Describe(&f, list)
		}
		f.Actual += olderFailures(p, c)
		f.Identity = criterionKey(c, file.Report.FirstFailed)
		f.Fix += ", and let the command exit with the code of the test runner" + provesHint(c)
		p.Report(about(p, c, f))
	default:
		if file != nil && file.Report.Skipped > 0 {
			reportSkipped(p, c, file.Report)
		}
	}
	if file != nil && file.Report != nil && file.Report.Flaky > 0 {
		f := ofReport(c, "acceptance.flaky")
		f.Message = fmt.Sprintf("%s passed only because %s was run again", criterionName(c), input.Plural(file.Report.Flaky, "test"))
		f.Expected = "tests that pass at once"
		f.Actual = input.Plural(file.Report.Flaky, "test") + " that failed and then passed"
		if first := file.Report.FirstFlaky; first != "" {
			f.Actual += ", the first is " + strconv.Quote(first)
		}
		f.Fix = "look at the failures: the tests or the code may be unreliable"
		p.Report(about(p, c, f))
	}
}

// reportSkipped names tests that did not run: a reviewer decides whether they matter for the change.
func reportSkipped(p *check.Pass, c *contract.Criterion, r *reports.TestReport) {
	var names []string
	for _, name := range r.FirstSkipped {
		names = append(names, strconv.Quote(name))
	}
	skipped := fmt.Sprintf("%d of %s", r.Skipped, input.Plural(r.Tests, "test"))
	f := ofReport(c, "acceptance.skipped")
	f.Message = criterionName(c) + " skipped " + skipped
	f.Expected = "tests that run, or a reviewer who knows why they do not"
	f.Actual = skipped + " skipped: " + strings.Join(names, ", ")
	if int64(len(names)) < r.Skipped {
		f.Actual += ", …"
	}
	f.Fix = "for the reviewer: look whether a skipped test is about this change"
	p.Report(about(p, c, f))
}

// ofReport is a finding about a criterion's test report.
func ofReport(c *contract.Criterion, code string) check.Finding {
	return check.Finding{Code: code, Input: check.Tests, Path: c.TestReport, Identity: criterionKey(c)}
}

func reportTooFew(p *check.Pass, c *contract.Criterion, file *check.TestFile) {
	f := ofReport(c, check.CodeVacuous)
	f.Expected = "at least " + input.Plural(c.MinTests, "test") + " that ran, in " + c.TestReport
	f.Fix = "let the command write its test report, and make sure that it runs the tests that it should run" + provesHint(c)
	switch {
	case file == nil:
		f.Message, f.Actual = criterionName(c)+" left no test report", "no file"
		f.Fix = proof.ReportAdvice(c.Run, c.TestReport)
		f.Identity = criterionKey(c, "no file")
	case file.Report == nil:
		f.Message, f.Actual = criterionName(c)+" left a test report that cannot be read", "unreadable"
		f.Identity = criterionKey(c, "unreadable")
		of := func(problem check.Problem) bool { return problem.Kind == check.Tests && problem.Path == c.TestReport }
		if i := slices.IndexFunc(p.Problems, of); i >= 0 {
			e := p.Problems[i].Error
			f.Message, f.Actual = f.Message+": "+e.Message, e.Message
			f.Fix = e.Fix + "; " + proof.ReportAdvice(c.Run, c.TestReport)
			if !e.Pos.IsZero() {
				f.Actual = fmt.Sprintf("line %d, column %d: %s", e.Pos.Line, e.Pos.Column, e.Message)
			}
		}
	default:
		ran := file.Report.Tests - file.Report.Skipped
		f.Message = criterionName(c) + " ran too few tests"
		f.Actual = fmt.Sprintf("%s, %d of them skipped", input.Plural(file.Report.Tests, "test"), file.Report.Skipped)
		f.Identity = criterionKey(c, "ran", itoa(ran))
	}
	p.Report(about(p, c, f))
}

func itoa(i int64) string { return strconv.FormatInt(i, 10) }
