package run

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/rules"
	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// Explanation is what explain says about a code or a diff rule, without the title of its page.
func Explanation(code string) string {
	if rule := rules.ByID(code); rule != nil {
		_, text, _ := strings.Cut(rule.Page(), "\n")
		return rule.Title + ".\n" + strings.TrimRight(text, "\n")
	}
	return checks.Section(code)
}

// ReadReport reads a report with a name. A duplicate key is refused: other readers might take the other value.
func ReadReport(name string, data []byte) (*report.Report, error) {
	r, err := report.Read(data)
	switch bad, is := errors.AsType[*report.NoReport](err); {
	case is && bad.Form:
		return nil, mismatch(name, data, err)
	case is:
		return nil, bad.Why.In(name)
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
		if found, differs := errors.AsType[*schema.Mismatch](v.whole(data)); differs {
			e.Pos = input.PlaceOf(data, found.Pointer)
			e.Found = cmp.Or(strings.TrimPrefix(found.Pointer, "/"), "the report") + ": " + found.Message
		}
	}
	return e.In(name)
}

// ReportBytes reads the report that an argument names, and the bytes of its file.
func ReportBytes(name string, std console.Streams) (data []byte, r *report.Report, err error) {
	switch {
	case name == "-":
		name = "standard input"
		data, err = collect.ReportFrom(std.In)
	case IsDirectory(name):
		if data, err = collect.Report(name); errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("%q contains no %s: name the report, or run closeout verify first", name, report.FileName)
		}
		name = filepath.ToSlash(filepath.Join(name, report.FileName))
	default:
		data, err = collect.ReportFile(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is no report %q: closeout run writes %s; or name another one", name, report.FileName)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the report %q cannot be read: %w", name, input.Reason(err))
	}
	if r, err = ReadReport(name, data); err != nil {
		return nil, nil, err
	}
	return data, r, checkReport(name, data, r)
}

// checkReport compares a report with its schema. What is written again as the same bytes has been compared in parts, which
// takes less memory; a file in another form, such as one with spaces, is compared as a whole.
func checkReport(name string, data []byte, r *report.Report) error {
	again, err := ValidReport(r)
	if err == nil && bytes.Equal(again, data) {
		return nil
	}
	if v := validators(); v.err != nil {
		return v.err
	} else if len(data) <= maxExplained {
		err = v.whole(data)
	} else if err == nil {
		return input.Error{
			Pos: input.Pos{Line: 1, Column: 1}, Message: "the report is not in canonical form (RFC 8785), and too large to be compared with its schema",
			Found: fmt.Sprintf("%d bytes", len(data)), Expected: fmt.Sprintf("canonical form, or at most %d bytes", maxExplained), Fix: "use the report as closeout wrote it",
		}.In(name)
	}
	if err != nil {
		return mismatch(name, data, err)
	}
	return nil
}

// ReportPath is the named path, else verification_report.json in the bundle or here. A bundle that is not a directory
// cannot contain a report.
func ReportPath(named string, args []string) string {
	if named != "" {
		return named
	}
	if len(args) == 1 && IsDirectory(args[0]) {
		return filepath.Join(args[0], report.FileName)
	}
	return report.FileName
}

// OverInput is the error for a report that would replace what it is about.
func OverInput(path string) error {
	return fmt.Errorf("the report cannot be written over the input %q: name another path", path)
}

// printBeside prints a report that was written, and stays. When it went to standard output, the text goes to standard
// error.
func printBeside(format present.Format, r *report.Report, path string, quiet bool, std console.Streams) error {
	w := std.Out
	if path == ToStdout {
		w = std.Err
	}
	if err := Print(w, format, r, present.Options{Quiet: quiet}); err != nil {
		std.Tell("", "the result cannot be printed: %v", input.Reason(err))
		return Exit{ExitUsage}
	}
	return nil
}

func Print(w io.Writer, format present.Format, r *report.Report, o present.Options) error {
	return console.Print(w, format.Kind, format.Colors, func(w io.Writer, color bool) error {
		o.Color, o.Docs = color, Explanation
		return format.Write(w, r, o)
	})
}
