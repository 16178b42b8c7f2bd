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
	"github.com/closeout-gate/closeout/verify/report"
)

// show writes annotations into the log, the job summary, and the findings as SARIF.
func (a *Action) show(r *report.Report) error {
	docs := present.Options{Docs: run.Explanation}
	if wanted, err := a.flag("comment"); wanted || err != nil {
		docs.OtherWarnings = 1 // that the comment was not written
	}
	annotations, _ := present.ByName("github")
	err := annotations.Write(console.Bare(a.Std.Out), r, docs)
	return errors.Join(err, a.summary(r, docs), a.writeSARIF(r, docs))
}

// writeSARIF writes the findings into a file for code scanning, when the workflow names one.
func (a *Action) writeSARIF(r *report.Report, o present.Options) error {
	if a.sarif == "" {
		return nil
	}
	var b bytes.Buffer
	format, _ := present.ByName("sarif")
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
	markdown, _ := present.ByName("markdown")
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

// comment keeps one comment on the pull request, when the workflow wants it: it is written when there are findings, and
// updated when there are no more. A comment that cannot be written changes no verdict.
func (a *Action) comment(r *report.Report) {
	wanted, err := a.flag("comment")
	if err == nil && (!wanted || a.github == nil || a.github.Event.Number == 0) {
		return
	}
	if err != nil {
		a.notWritten(err)
		return
	}
	var b strings.Builder
	markdown, _ := present.ByName("markdown")
	if err = markdown.Write(&b, r, present.Options{Bytes: present.MaxComment}); err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), writeTime)
		defer cancel()
		err = a.github.Client.Put(ctx, github.Note{
			Number: a.github.Event.Number, Marker: github.Marker, Body: github.Marker + "\n" + b.String(), OnlyIfThere: r.Verdict == report.Passed,
		})
	}
	if err != nil {
		a.notWritten(err)
	}
}

func (a *Action) notWritten(err error) {
	a.Gha.Warningf("%s", "the comment was not written: "+present.Neutral(err.Error()))
}

// writeTime bounds what writing to GitHub may take: the verdict exists already.
const writeTime = time.Minute
