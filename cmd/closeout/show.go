package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/present/page"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

const showLong = `show prints a report in any format. Nothing is judged, and no file is written: whether the report is true, closeout replay
shows.

REPORT is a verification_report.json, a directory that contains one, or - for standard input.

Exit codes: 0 the report is printed, whatever its verdict; 2 it is not a report.`

func newShow(std console.Streams) *cobra.Command {
	var name, linkBase string
	var quiet bool
	c := &cobra.Command{
		Use: "show REPORT", Short: "Print a report as text, Markdown, JSON or a page", Long: showLong,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("show requires one REPORT, found %d: name a %s, a directory that contains one, or - for standard input", len(args), report.FileName)
			}
			return nil
		},
		Example: "  closeout show verification_report.json --format markdown\n  closeout show verification_report.json --format html > page.html\n  closeout show - < verification_report.json",
		RunE: func(_ *cobra.Command, args []string) error {
			if name == "sarif" || name == "github" {
				return fmt.Errorf("show --format %s was removed: write closeout verify --format %s where the bundle is, or the input sarif of the action", name, name)
			}
			format, err := formatNamed(name)
			if err != nil {
				return err
			}
			if err := page.CheckLinkBase(linkBase); err != nil {
				return err
			}
			r, err := reportNamed(args[0], std)
			if err != nil {
				return err
			}
			return printReport(std.Out, format, r, present.Options{Quiet: quiet, LinkBase: linkBase})
		},
	}
	c.Flags().StringVar(&name, "format", "text", "what to print: "+strings.Join(showFormats(), ", "))
	c.Flags().StringVar(&linkBase, "link-base", "", "with --format html, link pull requests and commits to this repository: `https://HOST/OWNER/REPOSITORY`")
	c.Flags().BoolVar(&quiet, "quiet", false, "print only the summary line")
	return c
}

// showFormats are the formats for people and programs; sarif and github are what a step of the gate writes.
func showFormats() []string {
	return slices.DeleteFunc(strings.Split(formatNames(), ", "), func(name string) bool { return name == "sarif" || name == "github" })
}

// reportNamed reads the report that an argument names.
func reportNamed(name string, std console.Streams) (*report.Report, error) {
	_, r, err := reportBytes(name, std)
	return r, err
}

// reportBytes reads the report that an argument names, and the bytes of its file.
func reportBytes(name string, std console.Streams) (data []byte, r *report.Report, err error) {
	switch info, statErr := os.Stat(name); {
	case name == "-":
		name = "standard input"
		data, err = collect.ReportFrom(std.In)
	case statErr == nil && info.IsDir():
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
	if r, err = readReport(name, data); err != nil {
		return nil, nil, err
	}
	return data, r, checkReport(name, data, r)
}

// checkReport compares a report with its schema. What is written again as the same bytes has been compared in parts, which
// takes less memory; a file in another form, such as one with spaces, is compared as a whole.
func checkReport(name string, data []byte, r *report.Report) error {
	again, err := validReport(r)
	if err == nil && bytes.Equal(again, data) {
		return nil
	}
	if v := validators(); v.err != nil {
		return v.err
	} else if len(data) <= maxExplained {
		err = v.whole(data)
	} else if err == nil {
		return errorAt(name, input.Error{
			Pos: input.Pos{Line: 1, Column: 1}, Message: "the report is not in canonical form (RFC 8785), and too large to be compared with its schema",
			Found: fmt.Sprintf("%d bytes", len(data)), Expected: fmt.Sprintf("canonical form, or at most %d bytes", maxExplained), Fix: "use the report as closeout wrote it",
		})
	}
	if err != nil {
		return mismatch(name, data, err)
	}
	return nil
}
