// Package output presents a report: one file a format, one slice lists them all.
//
// A presenter is a function of a report and options; it decides nothing. Nearly every text in a report comes from the
// pull request that is judged (paths, commands, ids, rule details, reasons, and messages that quote them), so each
// presenter neutralises all of them for the place where its output is read: a terminal, a workflow log, a rendered
// Markdown page. The one exception is json, which is the report's own bytes.
package output

import (
	"io"

	"github.com/closeout-gate/closeout/verify/report"
)

// Options of a presentation. The zero value is plain.
type Options struct {
	Color bool                     // text only: colour the severities and the verdict with ANSI codes
	Quiet bool                     // text only: nothing but the summary line
	Docs  func(code string) string // sarif only: a finding code's help, one paragraph; nil or "" when there is none
	Bytes int                      // markdown only: how much is written at most; 0 is MaxSummary
}

// Format is one way to present a report. Write's error is the writer's own, or the report's when it has no canonical
// form; a report with nil slices is presented like one with empty slices.
type Format struct {
	Name  string // as --format takes it
	Title string // what help says of it
	Kind  Stream
	Write func(w io.Writer, r *report.Report, o Options) error
}

// Formats lists all formats, in the order in which help shows them. The first is the default.
var Formats = []Format{
	{Name: "text", Title: "one line a finding, for a terminal or a log", Write: writeText},
	{Name: "json", Title: "the report itself, in its canonical form", Kind: JSON, Write: writeJSON},
	{Name: "markdown", Title: "a page for the job summary", Write: writeMarkdown},
	{Name: "sarif", Title: "SARIF 2.1.0, for code scanning", Kind: JSON, Write: writeSARIF},
	{Name: "github", Title: "workflow commands that annotate the pull request", Kind: Commands, Write: writeGitHub},
	{Name: "agent", Title: "what is still wrong, for the coding agent", Write: writeAgent},
}

// ByName returns the format of that name; false when there is none. Names are exact.
func ByName(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}
