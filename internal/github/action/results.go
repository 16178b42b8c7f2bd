package action

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/report"
)

// show writes annotations into the log, the job summary, and the findings as SARIF.
func (a *Action) show(r *report.Report) error {
	docs := present.Options{Docs: run.Explanation, OtherWarnings: a.otherWarnings()}
	annotations, _ := present.FormatNamed("github")
	err := annotations.Write(console.Bare(a.Std.Out), r, docs)
	return errors.Join(err, a.summary(r, docs), a.writeSARIF(r, docs))
}

// writeSARIF writes the findings into a file for code scanning, when the workflow names one.
func (a *Action) writeSARIF(r *report.Report, o present.Options) error {
	if a.sarif == "" {
		return nil
	}
	var b bytes.Buffer
	format, _ := present.FormatNamed("sarif")
	if err := format.Write(&b, r, o); err != nil {
		return err
	}
	return collect.WriteOther("SARIF file", a.sarif, b.Bytes())
}

func (a *Action) summary(r *report.Report, o present.Options) error {
	file := a.Gha.Getenv("GITHUB_STEP_SUMMARY")
	if file == "" {
		return nil
	}
	var b strings.Builder
	markdown, _ := present.FormatNamed("markdown")
	if err := markdown.Write(&b, r, o); err != nil {
		return err
	}
	return console.AppendTo(file, b.String())
}

// outputs writes GITHUB_OUTPUT itself: the delimiter must be one that no value can contain, as a random one is.
func (a *Action) outputs(r *report.Report) error {
	file := a.Gha.Getenv("GITHUB_OUTPUT")
	if file == "" {
		return nil
	}
	values := [][2]string{
		{"verdict", r.Verdict},
		{"passed", strconv.FormatBool(r.Passed)},
		{"block_count", strconv.Itoa(r.Counts.Block)},
		{"warn_count", strconv.Itoa(r.Counts.Warn)},
	}
	if rel, err := filepath.Rel(a.workspace, a.report); a.written && err == nil {
		values = append(values, [2]string{"report", filepath.ToSlash(rel)}, [2]string{"report_sha256", run.FileSHA256(a.report)})
	}
	var b strings.Builder
	for _, out := range values {
		delimiter := "closeout_" + rand.Text()
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", out[0], delimiter, out[1], delimiter)
	}
	return console.AppendTo(file, b.String())
}

// conclusions turn a verdict into that of a check run. A neutral one counts as a success, so only an observed run gets it.
var conclusions = map[string]string{
	report.Passed: "success", report.Overridden: "success", report.Failed: "failure", report.Review: "action_required",
}

// checkRun adds a check run with the result to the head, when the workflow names one. A check run that
// cannot be written changes no verdict: the job is the check.
func (a *Action) checkRun(r *report.Report) {
	name := a.input("check_run")
	if name == "" || a.github == nil {
		return
	}
	run := github.CheckRun{Name: name, HeadSHA: a.github.Event.HeadSHA, Conclusion: conclusions[r.Verdict], Title: "Close-out gate: " + r.Verdict}
	if r.Subject.HeadSHA != nil {
		run.HeadSHA = *r.Subject.HeadSHA
	}
	if r.Mode == verify.Observe {
		run.Conclusion, run.Title = "neutral", run.Title+" (observed only)"
	}
	a.write(r, "check run", func(ctx context.Context, markdown string) error {
		run.Summary = markdown
		return a.github.Client.Check(ctx, run)
	})
}

// comment keeps one comment on the pull request, when the workflow wants it: it is written when there are findings, and
// updated when there are no more. A comment that cannot be written changes no verdict.
func (a *Action) comment(r *report.Report) {
	wanted, err := a.flag("comment")
	if err == nil && (!wanted || a.github == nil || a.github.Event.Number == 0) {
		return
	}
	if err != nil {
		a.notWritten("comment", err)
		return
	}
	a.write(r, "comment", func(ctx context.Context, markdown string) error {
		return a.github.Client.Put(ctx, github.Note{
			Number: a.github.Event.Number, Marker: github.Marker, Body: github.Marker + "\n" + markdown, OnlyIfThere: r.Verdict == report.Passed,
		})
	})
}

// write passes the result, as Markdown, to something that GitHub keeps. If it cannot be written, that is a warning.
func (a *Action) write(r *report.Report, what string, put func(ctx context.Context, markdown string) error) {
	var b strings.Builder
	markdown, _ := present.FormatNamed("markdown")
	err := markdown.Write(&b, r, present.Options{Bytes: present.MaxComment})
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), writeTime)
		defer cancel()
		err = put(ctx, b.String())
	}
	if err != nil {
		a.notWritten(what, err)
	}
}

// otherWarnings is how many annotations may follow those of the findings: that something was not written is one.
func (a *Action) otherWarnings() int {
	n := 0
	if wanted, err := a.flag("comment"); wanted || err != nil {
		n++
	}
	if a.input("check_run") != "" {
		n++
	}
	return n
}

func (a *Action) notWritten(what string, err error) {
	a.Gha.Warningf("%s", "the "+what+" was not written: "+present.Neutral(err.Error()))
}

// writeTime bounds what writing to GitHub may take: the verdict exists already.
const writeTime = time.Minute
