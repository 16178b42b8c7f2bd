package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// collectTime bounds all questions to GitHub in one run; the client's own patience is shorter.
const collectTime = 5 * time.Minute

// asksGitHub reports whether the action collects from GitHub. Without a token, or with facts that were
// collected elsewhere, it judges only files.
func (a *action) asksGitHub() bool { return a.input("token") != "" && a.input("facts") == "" }

// pullEvents are the events whose check appears on a pull request, or decides about its merge.
var pullEvents = []string{
	"pull_request", "pull_request_review", "pull_request_review_comment", "merge_group",
}

// unaskedEvent is the event of the job when it is about a pull request and GitHub is not asked about it; "" otherwise. An
// empty token or a facts file must not lower the evidence level. The name is the runner's, the payload is not needed.
func (a *action) unaskedEvent() string {
	name := a.gha.Getenv("GITHUB_EVENT_NAME")
	if a.asksGitHub() || !slices.Contains(pullEvents, name) {
		return ""
	}
	return name
}

// refusedEvent refuses, without a token too, the events for which there is no sound answer.
func refusedEvent(name string) error {
	switch name {
	case "pull_request_target", "workflow_run":
		_, err := github.ParseEvent(name, nil)
		return err
	}
	return nil
}

// openRun reads the event and makes the client. Every error is one of usage.
func (a *action) openRun(files collect.Options) (*github.Run, error) {
	files.Contract, files.Settings = a.input("contract"), a.settings
	files.Settings.Today = run.Today()
	var payload []byte
	if file := a.gha.Getenv("GITHUB_EVENT_PATH"); file != "" {
		var err error
		if payload, err = run.ReadEventFile(file); err != nil {
			return nil, fmt.Errorf("the event's payload (GITHUB_EVENT_PATH) cannot be read: %w", input.Reason(err))
		}
	}
	return github.NewRun(github.Options{
		EventName: a.gha.Getenv("GITHUB_EVENT_NAME"), Payload: payload, Repository: a.gha.Getenv("GITHUB_REPOSITORY"),
		APIURL: a.input("api_url"), RunnerAPI: a.gha.Getenv("GITHUB_API_URL"), Token: a.input("token"), Version: verify.Version, Files: files,
		Progress: func(stage string) { fmt.Fprintln(a.std.Err, "closeout:", stage) },
	})
}

// comment keeps one comment on the pull request, when the workflow wants it: it is written when there are findings, and
// updated when there are no more. A comment that cannot be written changes no verdict.
func (a *action) comment(r *report.Report) {
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
func (a *action) write(r *report.Report, what string, put func(ctx context.Context, markdown string) error) {
	var b strings.Builder
	markdown, _ := present.ByName("markdown")
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

func (a *action) notWritten(what string, err error) {
	a.gha.Warningf("%s", "the "+what+" was not written: "+present.Neutral(err.Error()))
}

// writeTime bounds what writing to GitHub may take: the verdict exists already.
const writeTime = time.Minute
