package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/report"
)

const replayLong = `replay judges bundles again and compares each result with its verification_report.json, byte for byte. It writes no file.

Each line shows the bundle, and the verdict, task and head of its report. Where the bytes differ, the next line shows the
input or the field that differs first.

Mode, strictness and limits are taken from the report; day, task and digests too, unless facts.json contains them. A report
of another version of closeout is compared by its decision: task, subject, digests of the inputs, verdict, the person
who overrode, and code, severity and path of the findings. Messages, fingerprints and override codes may differ.

Exit codes: 0 all are the same, whatever the verdict; 1 one is different; 2 one has no report, or cannot be read.`

func newReplay(std console.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "replay BUNDLE...", Short: "Judge again from kept inputs, and compare with the report", Long: replayLong,
		Example: "  closeout verify testdata/example; closeout replay testdata/example\n  closeout replay bundles/*",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("replay requires a BUNDLE, found none: name directories that contain the inputs and the " + report.FileName)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return replayAll(args, std) },
	}
}

// replayAll replays every bundle, also after one that differs or cannot be read. The worst result decides.
func replayAll(dirs []string, std console.Streams) error {
	code := run.ExitPassed
	for _, dir := range dirs {
		same, err := replay(dir, std)
		switch {
		case err != nil && len(dirs) == 1:
			return err
		case err != nil:
			std.Tell("", "%v", err)
			code = run.ExitUsage
		case !same:
			code = max(code, run.ExitFailed)
		}
	}
	return run.EndWith(code)
}

// replay replays a bundle, and prints whether the result is the same.
func replay(dir string, std console.Streams) (same bool, err error) {
	result, err := run.JudgeAgain("closeout replay", dir, nil)
	if err != nil {
		return false, err
	}
	before := result.Before
	note := ""
	if result.OtherVersion {
		note = fmt.Sprintf(" (only the decision is compared: the report was written by version %s, this is %s)", before.Tool.Version, result.After.Tool.Version)
	}
	if !result.Same() && len(result.Found.Inputs) == 0 {
		return false, fmt.Errorf("%q contains a report, but none of its inputs: expected a bundle, which closeout run --bundle DIRECTORY writes", dir)
	}
	word := "same"
	if !result.Same() {
		word = "different"
	}
	fmt.Fprintf(std.Out, "%s: %s: %s, task %s, head %s%s\n", word, present.Neutral(filepath.ToSlash(dir)), before.Verdict, plain(before.TaskID), plain(before.Subject.HeadSHA), note)
	for _, line := range result.Differences {
		fmt.Fprintln(std.Out, "  "+present.Neutral(line))
	}
	return result.Same(), nil
}

// plain is a text of a report, on one line.
func plain(s *string) string {
	if s == nil {
		return "none"
	}
	return present.Neutral(*s)
}
