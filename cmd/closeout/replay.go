package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/strict"
)

const replayLong = `replay judges a bundle again and compares the result with its verification_report.json, byte for byte.

Mode, strictness and limits are taken from the report; day, task and digests too, unless facts.json contains them. A report
of another version of closeout is compared by its decision: task, subject, digests of the inputs, verdict, the person
who overrode, and code, severity and path of the findings. Messages, fingerprints and override codes may differ.

Exit codes: 0 the same, whatever the verdict; 1 different; 2 there is no report, or the bundle cannot be read.`

func newReplay(std stdio) *cobra.Command {
	return &cobra.Command{
		Use: "replay BUNDLE", Short: "Recompute a report and compare", Long: replayLong,
		Example: "  closeout verify testdata/example; closeout replay testdata/example",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return replay(args[0], std) },
	}
}

func replay(dir string, std stdio) error {
	old, err := collect.Report(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q contains no %s: run closeout verify first", dir, report.FileName)
	}
	if err != nil {
		return err
	}
	before, err := readReport(old)
	if err != nil {
		return err
	}
	found, err := collect.Bundle(dir)
	if err != nil {
		return err
	}
	found.Settings = settingsOf(before)
	leaveToFacts(&found.Settings, found.Bundle)
	if err := checkSettings(&found.Settings); err != nil {
		return fmt.Errorf("closeout cannot have run with the settings of the report: %w", err)
	}
	after := judgeSafely(found.Bundle)
	again, err := validReport(after)
	if err != nil {
		return err
	}
	if before.Tool.Version != after.Tool.Version {
		return replayOther(before, after, std)
	}
	return compareBytes(old, again, std)
}

// readReport reads a report. A duplicate key is refused: other readers might take the other value.
func readReport(data []byte) (*report.Report, error) {
	var r report.Report
	if err := strict.Unmarshal(data, &r); err != nil || r.Schema != report.Schema || !versionSyntax().MatchString(r.Tool.Version) {
		return nil, fmt.Errorf("%s is not a report that closeout can read: expected the schema %s", report.FileName, report.Schema)
	}
	return &r, nil
}

var versionSyntax = strict.Lazily(`^[0-9A-Za-z.+-]{1,64}$`)

// leaveToFacts drops the settings that the bundle's facts contain: the facts were written before judging.
func leaveToFacts(s *verify.Settings, b *verify.Bundle) {
	facts := collect.FactsOf(b)
	if facts == nil {
		return
	}
	if facts.Digests != nil {
		s.Digests = nil
	}
	if facts.Settings.Task != "" {
		s.Task = ""
	}
	if facts.Settings.Today != "" {
		s.Today = ""
	}
}

// settingsOf takes from a report what the bundle's files do not contain.
func settingsOf(r *report.Report) verify.Settings {
	s := verify.Settings{Mode: r.Mode, Strict: r.Strict, Digests: r.Settings.Digests, Limits: strict.DefaultLimits()}
	for _, limit := range strict.AllLimits {
		if value, given := r.Settings.Limits[limit.Key()]; given { // an older version had fewer
			limit.Set(&s.Limits, value)
		}
	}
	if r.Settings.Task != nil {
		s.Task = *r.Settings.Task
	}
	if r.Settings.Event != nil {
		s.Event = *r.Settings.Event
	}
	if r.Settings.Today != nil {
		s.Today = *r.Settings.Today
	}
	return s
}

func compareBytes(old, again []byte, std stdio) error {
	if bytes.Equal(old, again) {
		fmt.Fprintf(std.out, "same: %d bytes\n", len(old))
		return nil
	}
	at := 0
	for at < min(len(old), len(again)) && old[at] == again[at] {
		at++
	}
	fmt.Fprintf(std.out, "different from byte %d on\n  report:   %s\n  computed: %s\n", at, around(old, at), around(again, at))
	return exit{exitFailed}
}

// around shows the bytes at an offset, and some before it.
func around(data []byte, at int) string {
	if at >= len(data) {
		return "(ends here)"
	}
	return strconv.QuoteToASCII(string(data[max(0, at-40):min(len(data), at+60)]))
}
