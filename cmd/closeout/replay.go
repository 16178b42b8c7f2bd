package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	rerun "github.com/closeout-gate/closeout/verify/replay"
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
	code := exitPassed
	for _, dir := range dirs {
		same, err := replay(dir, std)
		switch {
		case err != nil && len(dirs) == 1:
			return err
		case err != nil:
			fmt.Fprintln(std.Err, "closeout:", err)
			code = exitUsage
		case !same:
			code = max(code, exitFailed)
		}
	}
	if code == exitPassed {
		return nil
	}
	return exit{code}
}

// replayed is a bundle that was judged again.
type replayed struct {
	before *report.Report // as it was written
	found  *collect.Found
	*rerun.Result
}

// judgeAgain judges a bundle again for a command, which an error about another argument names.
func judgeAgain(command, dir string, parsed *contract.Cache) (*replayed, error) {
	old, err := collect.Report(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%q contains no %s: run closeout verify first", dir, report.FileName)
	}
	if err != nil && !isDirectory(dir) {
		return nil, notABundle(command, dir, err)
	}
	name := filepath.ToSlash(filepath.Join(dir, report.FileName))
	if err != nil {
		return nil, fmt.Errorf("%q cannot be read: %w", name, input.Reason(err))
	}
	r := &replayed{}
	if r.before, err = readReport(name, old); err != nil {
		return nil, err
	}
	if r.found, err = collect.Bundle(dir); err != nil {
		return nil, err
	}
	r.found.Parsed = parsed
	err = caught(func() (err error) {
		r.Result, err = rerun.Run(old, r.before, r.found.Bundle)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// replay replays a bundle, and prints whether the result is the same.
func replay(dir string, std console.Streams) (same bool, err error) {
	result, err := judgeAgain("closeout replay", dir, nil)
	if err != nil {
		return false, err
	}
	before := result.before
	note := ""
	if result.OtherVersion {
		note = fmt.Sprintf(" (only the decision is compared: the report was written by version %s, this is %s)", before.Tool.Version, result.After.Tool.Version)
	}
	if !result.Same() && len(result.found.Inputs) == 0 {
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

// readReport reads a report with a name. A duplicate key is refused: other readers might take the other value.
func readReport(name string, data []byte) (*report.Report, error) {
	r, err := report.Read(data)
	var bad *report.NoReport
	switch {
	case errors.As(err, &bad) && bad.Form:
		return nil, mismatch(name, data, err)
	case errors.As(err, &bad):
		return nil, errorAt(name, bad.Why)
	}
	return r, err
}

// maxExplained is how large a report may be for a search for what does not match its schema.
const maxExplained = 16 << 20

// mismatch says where a report does not match its schema.
func mismatch(name string, data []byte, err error) error {
	e := input.Error{
		Pos: input.Pos{Line: 1, Column: 1}, Message: "the report does not match its schema", Found: err.Error(),
		Expected: "what closeout schema verification_report prints", Fix: "use the report as closeout wrote it",
	}
	if v := validators(); v.err == nil && len(data) <= maxExplained {
		if pointer, message, ok := schema.Mismatch(v.whole(data)); ok {
			e.Pos, e.Found = input.PlaceOf(data, pointer), cmp.Or(strings.TrimPrefix(pointer, "/"), "the report")+": "+message
		}
	}
	return errorAt(name, e)
}

// errorAt writes an error of a file as one line.
func errorAt(name string, e input.Error) error {
	return fmt.Errorf("%s:%d:%d: %s; found %s, expected %s → %s", name, e.Pos.Line, e.Pos.Column, e.Message, e.Found, e.Expected, e.Fix)
}
