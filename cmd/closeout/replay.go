package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/output"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/strict"
)

const replayLong = `replay judges bundles again and compares each result with its verification_report.json, byte for byte. It writes no file.

Each line shows the bundle, and the verdict, task and head of its report. Where the bytes differ, the next line shows the
input or the field that differs first.

Mode, strictness and limits are taken from the report; day, task and digests too, unless facts.json contains them. A report
of another version of closeout is compared by its decision: task, subject, digests of the inputs, verdict, the person
who overrode, and code, severity and path of the findings. Messages, fingerprints and override codes may differ.

Exit codes: 0 all are the same, whatever the verdict; 1 one is different; 2 one has no report, or cannot be read.`

func newReplay(std stdio) *cobra.Command {
	return &cobra.Command{
		Use: "replay BUNDLE...", Short: "Recompute reports and compare", Long: replayLong,
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
func replayAll(dirs []string, std stdio) error {
	code := exitPassed
	for _, dir := range dirs {
		same, err := replay(dir, std)
		switch {
		case err != nil && len(dirs) == 1:
			return err
		case err != nil:
			fmt.Fprintln(std.err, "closeout:", err)
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

// replay replays a bundle, and prints whether the result is the same.
func replay(dir string, std stdio) (same bool, err error) {
	old, err := collect.Report(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("%q contains no %s: run closeout verify first", dir, report.FileName)
	}
	if err != nil && !isDirectory(dir) {
		return false, notABundle("closeout replay", dir, err)
	}
	name := filepath.ToSlash(filepath.Join(dir, report.FileName))
	if err != nil {
		return false, fmt.Errorf("%q cannot be read: %w", name, diag.Reason(err))
	}
	before, err := readReport(name, old)
	if err != nil {
		return false, err
	}
	found, err := collect.Bundle(dir)
	if err != nil {
		return false, err
	}
	found.Settings = settingsOf(before)
	leaveToFacts(&found.Settings, found.Bundle)
	if err := checkSettings(&found.Settings); err != nil {
		return false, fmt.Errorf("%s: closeout cannot have run with the settings of the report: %w", name, err)
	}
	after := judgeSafely(found.Bundle)
	again, err := validReport(after)
	if err != nil {
		return false, err
	}
	differences, note := []string(nil), ""
	if before.Tool.Version != after.Tool.Version {
		differences = decisionsDiffer(before, after)
		note = fmt.Sprintf(" (only the decision is compared: the report was written by version %s, this is %s)", before.Tool.Version, after.Tool.Version)
	} else if !bytes.Equal(old, again) {
		differences = []string{whatDiffers(before, after, again)}
	}
	if len(differences) > 0 && len(found.Inputs) == 0 {
		return false, fmt.Errorf("%q contains a report, but none of its inputs: expected a bundle, which closeout run --bundle DIRECTORY writes", dir)
	}
	word := "same"
	if len(differences) > 0 {
		word = "different"
	}
	fmt.Fprintf(std.out, "%s: %s: %s, task %s, head %s%s\n", word, output.Neutral(filepath.ToSlash(dir)), before.Verdict, plain(before.TaskID), plain(before.Subject.HeadSHA), note)
	for _, line := range differences {
		fmt.Fprintln(std.out, "  "+output.Neutral(line))
	}
	return len(differences) == 0, nil
}

// plain is a text of a report, on one line.
func plain(s *string) string {
	if s == nil {
		return "none"
	}
	return output.Neutral(*s)
}

// whatDiffers names the first input that differs, else the first field. Where an input differs, much else follows from it.
func whatDiffers(before, after *report.Report, again []byte) string {
	if line := inputDiffers(before.Inputs, after.Inputs); line != "" {
		return line
	}
	old, err := report.Canonical(before)
	if err == nil {
		if d := report.FirstDifference(old, again); d != nil {
			return fmt.Sprintf("%s: the report has %s, computed is %s", d.Where, d.In, d.And)
		}
	}
	return "the values are the same, but the file is not in canonical form (RFC 8785), or has more keys"
}

// inputDiffers compares the lists of inputs, which are sorted by kind and path; "" when they are equal.
func inputDiffers(old, again []report.Input) string {
	for i := range max(len(old), len(again)) {
		switch {
		case i < len(old) && i < len(again) && old[i].Kind == again[i].Kind && old[i].Path == again[i].Path:
			if old[i].SHA256 != again[i].SHA256 {
				return fmt.Sprintf("the input %s: the report was made from sha256 %.12s…, the bundle contains %.12s…", again[i].Path, old[i].SHA256, again[i].SHA256)
			}
		case i >= len(again) || i < len(old) && slices.IndexFunc(again, old[i].SameFile) < 0:
			return fmt.Sprintf("the input %s is missing in the bundle", old[i].Path)
		default:
			return fmt.Sprintf("the input %s is not in the report", again[i].Path)
		}
	}
	return ""
}

// readReport reads a report with a name. A duplicate key is refused: other readers might take the other value.
func readReport(name string, data []byte) (*report.Report, error) {
	if e, wrong := strict.CheckJSON(data); wrong {
		return nil, errorAt(name, e)
	}
	var head struct {
		Schema any `json:"schema"`
		Tool   struct {
			Version any `json:"version"`
		} `json:"tool"`
	}
	err := strict.Unmarshal(data, &head)
	form, _ := head.Schema.(string)
	version, _ := head.Tool.Version.(string)
	switch e := (diag.Error{Pos: strict.PlaceOf(data, "/schema"), Found: diag.Quote(form), Expected: "the schema " + report.Schema}); {
	case strings.HasPrefix(form, reportSchemas) && form != report.Schema:
		e.Message, e.Fix = "this is a report of another schema", "use the version of closeout that wrote it"
		return nil, errorAt(name, e)
	case err != nil || form != report.Schema || !versionSyntax().MatchString(version):
		e.Message, e.Fix = "this is not a report that closeout can read", "name a "+report.FileName+", or a directory that contains one"
		return nil, errorAt(name, e)
	}
	var r report.Report
	if err := strict.Unmarshal(data, &r); err != nil {
		return nil, mismatch(name, data, err)
	}
	return &r, nil
}

// reportSchemas is what the schemas of reports begin with.
var reportSchemas = report.Schema[:strings.LastIndexByte(report.Schema, '/')+1]

// maxExplained is how large a report may be for a search for what does not match its schema.
const maxExplained = 16 << 20

// mismatch says where a report does not match its schema.
func mismatch(name string, data []byte, err error) error {
	e := diag.Error{
		Pos: diag.Pos{Line: 1, Column: 1}, Message: "the report does not match its schema", Found: err.Error(),
		Expected: "what closeout schema verification_report prints", Fix: "use the report as closeout wrote it",
	}
	if v := validators(); v.err == nil && len(data) <= maxExplained {
		if pointer, message, ok := schema.Mismatch(v.whole(data)); ok {
			e.Pos, e.Found = strict.PlaceOf(data, pointer), cmp.Or(strings.TrimPrefix(pointer, "/"), "the report")+": "+message
		}
	}
	return errorAt(name, e)
}

// errorAt writes an error of a file as one line.
func errorAt(name string, e diag.Error) error {
	return fmt.Errorf("%s:%d:%d: %s; found %s, expected %s → %s", name, e.Pos.Line, e.Pos.Column, e.Message, e.Found, e.Expected, e.Fix)
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
