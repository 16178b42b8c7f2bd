// Package present presents a report: one file per format, and [Formats] lists them all.
//
// A presenter is a function of a report and options; it decides nothing. Nearly every text in a report comes from the judged
// pull request (paths, commands, ids, rule details, reasons, and messages that quote them), so each presenter neutralises
// all of them for the place where its output is shown: a terminal, a workflow log, a rendered Markdown page. The exception
// is json, which writes the bytes of the report.
package present

import (
	"io"
	"slices"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// Options of a presentation. The zero value is plain.
type Options struct {
	Color bool // text only: colour the severities and the verdict with ANSI codes
	Quiet bool // text only: write only the summary line
	// OtherWarnings is how many annotations the step may print besides: github only.
	OtherWarnings int
	Docs          func(code string) string // sarif only: the help for a finding code, one paragraph; nil or "" when there is none
	Bytes         int                      // markdown only: the maximum size; 0 is MaxSummary
	// LinkBase is, for html only, where links to pull requests and commits begin, as [page.CheckLinkBase] accepts it; "" for no links.
	LinkBase string
}

// Format is one way to present a report. Write returns the error of the writer, or an error if the report has no canonical
// form. A report with nil slices is presented like one with empty slices.
type Format struct {
	Name   string // the value of --format
	Kind   Stream
	Colors bool // whether Write obeys Options.Color, and then writes only text that is neutral
	Write  func(w io.Writer, r *report.Report, o Options) error
}

// Formats lists all formats, in the order in which help shows them. The first is the default.
var Formats = []Format{
	{Name: "text", Colors: true, Write: writeText},
	{Name: "json", Kind: JSON, Write: writeJSON},
	{Name: "markdown", Write: writeMarkdown},
	{Name: "sarif", Kind: JSON, Write: writeSARIF},
	{Name: "github", Kind: Commands, Write: writeGitHub},
	{Name: "agent", Write: writeAgent},
	{Name: "html", Kind: HTML, Write: writeHTML},
}

// FormatNamed returns the format of that name, which is exact. The error lists the names.
func FormatNamed(name string) (Format, error) {
	if i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name }); i >= 0 {
		return Formats[i], nil
	}
	return Format{}, input.OneOf("unknown format", name, FormatNames())
}

// FormatNames lists the names of all formats.
func FormatNames() (names []string) {
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}
