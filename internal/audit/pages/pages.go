// Package pages presents an audit: as text, as JSON, as a line for each commit and as a page.
package pages

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// The severities as an audit spells them.
const (
	block   = string(input.Block)
	unknown = string(input.Unknown)
	warn    = string(input.Warn)
	info    = string(input.Info)
)

// Formats are the formats of [Write]. The first is the default.
var Formats = []string{"text", "json", "csv", "html"}

// Write writes what closeout audit found. Only the text and the cells are neutralised.
func Write(w io.Writer, a *report.Audit, format string) error {
	switch format {
	case "json":
		data, err := report.CanonicalAudit(a)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	case "csv":
		return auditCSV(w, a)
	case "html":
		return writeHTML(w, a)
	}
	_, err := io.WriteString(w, auditText(a))
	return err
}

// auditShown is how many findings of a severity the text lists.
const auditShown = 50

func auditText(a *report.Audit) string {
	var b strings.Builder
	b.WriteString("audit: " + auditFirst(a) + "\n")
	b.WriteString(auditBasis(a) + "\n" + auditReplay(a) + "\n")
	b.WriteString(auditRange(a) + "\n")
	for _, severity := range []string{block, unknown, warn} {
		auditFindings(&b, a, severity)
	}
	c := a.Counts
	fmt.Fprintf(&b, "\n%d block, %d unknown, %d warn, %d info\n", c.Block, c.Unknown, c.Warn, c.Info)
	if c.Info > 0 || c.Block > auditShown || c.Unknown > auditShown || c.Warn > auditShown {
		b.WriteString("all of them: --format json; one line for each commit: --format csv\n")
	}
	return b.String()
}

// auditFirst is the sentence that an auditor must not miss.
func auditFirst(a *report.Audit) string {
	blocked, archive := map[string]bool{}, false
	for _, f := range a.Findings { // those that block come first
		if f.Severity == block && f.Commit != "" {
			blocked[f.Commit] = true
		}
		archive = archive || f.Code == "audit.log_broken"
	}
	t := tallyOf(a, blocked)
	var parts []string
	if archive {
		parts = append(parts, "the archive is not as it was written")
	}
	var of []string
	if t.badMerges > 0 {
		of = append(of, input.Plural(t.badMerges, "merge"))
	}
	if t.badCommits > 0 {
		of = append(of, input.Plural(t.badCommits, "commit"))
	}
	if bad := strings.Join(of, " and "); bad != "" {
		if a.FindingsOmitted > 0 {
			bad = "at least " + bad
		}
		parts = append(parts, bad+" cannot be accounted for")
	}
	if len(parts) == 0 && a.Counts.Unknown > 0 {
		parts = append(parts, "not everything could be checked")
	}
	switch {
	case len(parts) > 0:
	case a.Subject.Adopted == nil:
		parts = append(parts, "the branch has no gate yet: no commit holds both a contract and a workflow that runs closeout")
	case t.pending == len(a.Commits) && t.pending > 0:
		parts = append(parts, "the archive answers for no commit yet")
	default:
		parts = append(parts, input.Plural(t.good, "merge")+" accounted for")
	}
	if t.notJudged > 0 {
		parts = append(parts, input.Plural(t.notJudged, "merge")+" not judged")
	}
	if t.pending > 0 {
		parts = append(parts, input.Plural(t.pending, "commit")+" newer than the archive")
	}
	return strings.Join(parts, "; ")
}

// tally counts what reached the branch. A merge is an entry of the archive about pull requests, which may answer for several commits; a
// commit that was pushed directly, or that no entry answers for, is counted alone.
type tally struct {
	badMerges, badCommits int // what a finding that blocks is about
	good, notJudged       int // merges
	pending               int // commits
}

func tallyOf(a *report.Audit, blocked map[string]bool) (t tally) {
	bad, of := map[string]bool{}, map[string]bool{} // entries by their newest commit, and commits of the branch
	for i := range a.Commits {
		c := &a.Commits[i]
		of[c.Commit] = true
		if c.Entry != nil && blocked[c.Commit] {
			bad[c.Entry.Commit] = true
		}
	}
	counted := map[string]bool{}
	for i := range a.Commits {
		c := &a.Commits[i]
		d := c.Entry
		alone := d == nil || d.Why == "no_pull_request"
		switch {
		case c.State == "pending":
			t.pending++
		case alone && (blocked[c.Commit] || (d != nil && bad[d.Commit])):
			t.badCommits++
		case alone || counted[d.Commit]:
		case bad[d.Commit]:
			t.badMerges++
		case d.Verdict == report.NotJudged:
			t.notJudged++
		default:
			t.good++
		}
		if d != nil {
			counted[d.Commit] = true
		}
	}
	for commit := range blocked {
		if !of[commit] { // an entry about a commit that the branch does not have
			t.badMerges++
		}
	}
	return t
}

func auditBasis(a *report.Audit) string {
	s := &a.Subject
	switch {
	case s.Archive == nil:
		return "rests on: nothing, because there is no archive"
	case s.Kept != nil:
		return fmt.Sprintf("rests on: the commit %.12s that you kept, and the archive %.12s with %s", *s.Kept, *s.Archive, input.Plural(s.Entries, "entry"))
	}
	return fmt.Sprintf("rests on: the archive %.12s with %s, alone; a person who can replace that branch can make another (keep the id of its commit, and name it with --since)", *s.Archive, input.Plural(s.Entries, "entry"))
}

func auditReplay(a *report.Audit) string {
	s := &a.Subject
	return fmt.Sprintf("replayed: %d of %s", s.Replayed, input.Plural(s.Decisions+s.NotJudged, "report"))
}

func auditRange(a *report.Audit) string {
	s := &a.Subject
	text := fmt.Sprintf("branch: %s, %s since the gate was adopted, up to %.12s: %s", present.Neutral(s.Branch), input.Plural(s.Commits, "commit"), s.To, auditWords(s))
	if s.BeforeGate > 0 {
		text += fmt.Sprintf("; %s before the gate", input.Plural(s.BeforeGate, "commit"))
	}
	return text + "; as of " + s.AsOf
}

// auditWords says how many merges there are, and how many of them were judged.
func auditWords(s *report.AuditSubject) string {
	text := input.Plural(s.Merges, "merge") + ", " + input.Plural(s.Decisions, "decision")
	if s.NotJudged > 0 {
		text += fmt.Sprintf(", %d not judged", s.NotJudged)
	}
	return text
}

// auditFindings lists the findings of a severity.
func auditFindings(b *strings.Builder, a *report.Audit, severity string) {
	shown, left := 0, 0
	for i := range a.Findings {
		f := &a.Findings[i]
		switch {
		case f.Severity != severity:
			continue
		case shown == auditShown:
			left++
			continue
		}
		if shown++; shown == 1 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "%s%s %s: %s\n", auditPlace(f), f.Severity, f.Code, present.Neutral(f.Message))
		fmt.Fprintf(b, "    why: found %s, expected %s\n    do:  %s\n", present.Neutral(f.Actual), present.Neutral(f.Expected), present.Neutral(f.Fix))
	}
	if left > 0 {
		fmt.Fprintf(b, "and %d more of severity %s\n", left, severity)
	}
}

// auditPlace is where a finding is: commit, day, pull requests, entry and path.
func auditPlace(f *report.AuditFinding) string {
	var parts []string
	if f.Commit != "" {
		parts = append(parts, fmt.Sprintf("%.12s %s", f.Commit, f.Date))
	}
	for _, n := range f.PullRequests[:min(len(f.PullRequests), 3)] {
		parts = append(parts, "#"+present.Neutral(n))
	}
	if f.Seq != nil {
		parts = append(parts, "entry "+strconv.FormatInt(*f.Seq, 10))
	}
	if f.Path != "" {
		parts = append(parts, present.Neutral(f.Path))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.TrimSpace(strings.Join(parts, " ")) + ": "
}

// auditColumns is the header of the CSV.
var auditColumns = []string{
	"commit", "date", "state", "entry", "pull_requests", "head", "verdict", "mode", "why", "binding", "replay", "version",
	"overridden_by", "override_reason", "override_codes", "findings",
}

// auditCSV writes a line for each commit (RFC 4180).
func auditCSV(w io.Writer, a *report.Audit) error {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	if err := c.Write(auditColumns); err != nil {
		return err
	}
	for i := range a.Commits {
		row := auditRow(&a.Commits[i])
		for k := range row {
			row[k] = present.Cell(row[k])
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func auditRow(c *report.AuditCommit) []string {
	row := make([]string, len(auditColumns))
	row[0], row[1], row[2], row[15] = c.Commit, c.Date, c.State, c.Finding
	d := c.Entry
	if d == nil {
		return row
	}
	row[3], row[4] = strconv.FormatInt(d.Seq, 10), strings.Join(d.PullRequests, " ")
	if d.HeadSHA != nil {
		row[5] = *d.HeadSHA
	}
	row[6], row[7], row[8], row[9], row[10], row[11] = d.Verdict, d.Mode, d.Why, d.Binding, d.Replay, d.Version
	var who, why, codes []string
	for _, o := range d.Overrides {
		who, why, codes = append(who, cmp.Or(o.Actor, o.ActorID)), append(why, o.Reason), append(codes, o.Codes...)
	}
	row[12], row[13], row[14] = strings.Join(who, "; "), strings.Join(why, "; "), strings.Join(codes, " ")
	return row
}
