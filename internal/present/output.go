// Package present presents a report: one file per format, and [Formats] lists them all.
//
// A presenter is a function of a report and options; it decides nothing. Nearly every text in a report comes from the judged
// pull request (paths, commands, ids, rule details, reasons, and messages that quote them), so each presenter neutralises
// all of them for the place where its output is shown: a terminal, a workflow log, a rendered Markdown page. The exception
// is json, which writes the bytes of the report.
package present

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

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
	// LinkBase is, for html only, where links to pull requests and commits begin, as [page.CheckLinkBase] accepts it;
	// "" for no links.
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

// writeJSON writes the canonical bytes, exactly those of the report file and without a newline at the end: their sha256
// is the digest of the report. JSON escapes control characters; nothing else is neutralised, because any change would
// change the digest.
func writeJSON(w io.Writer, r *report.Report, _ Options) error {
	b, err := report.Canonical(r)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// Cell makes a text harmless: a spreadsheet would execute one that begins as a formula does.
func Cell(s string) string {
	s = Neutral(s)
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// Neutral is [input.Neutral].
func Neutral(s string) string { return input.Neutral(s) }

// clip cuts s to at most limit bytes, never inside a character, and says how many bytes are missing. It is applied
// before [Neutral], so a cut cannot split an escape.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d more bytes)", s[:end], len(s)-end)
}

// fieldLimit is how many bytes of one text a presenter shows; the report contains all of it.
const fieldLimit = 1000

// Line prepares one text of the report for use in a line.
func Line(s string) string { return Neutral(clip(s, fieldLimit)) }
