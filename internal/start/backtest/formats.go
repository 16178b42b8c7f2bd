package backtest

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/verify/input"
)

// Formats are the formats of [Write]. The first is the default.
var Formats = []string{"text", "json", "markdown"}

// Write writes the result of a backtest. all lets the text show the tables too.
func Write(w io.Writer, r *Result, format string, all bool) error {
	switch format {
	case "json":
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(r)
	case "markdown":
		return writeMarkdown(w, r)
	}
	return writeText(w, r, all)
}

// shownRows is how many lines of a kind are shown; JSON has more.
const shownRows = 10

// maxSubject is how many characters of a commit's subject are shown.
const maxSubject = 72

// table is a part of the result: a heading, the names of the columns, and the rows.
type table struct {
	title   string
	columns []string
	rows    [][]string
	more    int // how many rows are not shown
}

// tables are the parts of a result that has blocked merges.
func tables(r *Result) []table {
	codes := table{title: "by code", columns: []string{"merges", "findings", "code"}}
	for _, c := range r.Codes {
		codes.rows = append(codes.rows, []string{fmt.Sprint(c.Merges), fmt.Sprint(c.Findings), c.Code})
	}
	files := table{title: "by file", columns: []string{"merges", "code", "file"}, more: r.Omitted}
	for _, f := range r.Files {
		files.rows = append(files.rows, []string{fmt.Sprint(f.Merges), f.Code, f.Path})
	}
	authors := table{title: "by author", columns: []string{"blocked", "merges", "author"}, more: r.Others}
	for _, a := range r.Authors {
		authors.rows = append(authors.rows, []string{fmt.Sprint(a.Blocked), fmt.Sprint(a.Merges), a.Name})
	}
	blocked := table{title: "the last ones that would have been blocked", columns: []string{"commit", "codes", "author", "subject"}}
	for _, b := range r.Blocked {
		blocked.rows = append(blocked.rows, []string{shortID(b.Commit), strings.Join(b.Codes, ", "), b.Author, short(b.Subject)})
	}
	list := []table{codes, files, authors, blocked}
	for i := range list {
		t := &list[i]
		if more := len(t.rows) - shownRows; more > 0 {
			t.rows, t.more = t.rows[:shownRows], t.more+more
		}
	}
	return list
}

// short cuts a subject between characters.
func short(subject string) string {
	if letters := []rune(subject); len(letters) > maxSubject {
		return string(letters[:maxSubject]) + "…"
	}
	return subject
}

func shortID(commit string) string { return commit[:min(12, len(commit))] }

// proposal is a part of a contract to paste, and what it is for.
type proposal struct {
	why  string
	keys []string // lines that are YAML, and JSON but for the commas between them
}

// proposals are the parts of a contract that would let merges through.
func proposals(r *Result) (list []proposal) {
	key := func(name string, values []string) string { return `"` + name + `": ` + jsonList(values) }
	if len(r.Globs) > 0 {
		var globs []string
		for _, g := range r.Globs {
			globs = append(globs, g.Glob)
		}
		list = append(list, proposal{
			fmt.Sprintf("%d of the %d blocked merges would pass", r.Globs[len(r.Globs)-1].Passed, r.Counts.Blocked-r.Counts.ProtectedOnly),
			[]string{key("allowed_files", globs)},
		})
	}
	if l := r.Lift; l != nil {
		p := proposal{why: fmt.Sprintf("%d of the %d merges of people that ask a person would pass, and an agent may then change these files", l.Passed, l.Merges)}
		if len(l.Scope) > 0 {
			p.keys = append(p.keys, key("allowed_files", l.Scope))
		}
		p.keys = append(p.keys, key("may_touch_protected", l.Paths))
		list = append(list, p)
	}
	if len(r.Except) > 0 {
		n, bots := 0, []string(nil)
		for _, e := range r.Except[:min(len(r.Except), maxGlobs)] {
			n += e.Merges
			bots = append(bots, `{"login": `+strings.Trim(jsonList([]string{e.Login}), "[]")+"}")
		}
		list = append(list, proposal{
			fmt.Sprintf("%s of bots would pass, where all commits are their own and verified", input.Plural(n, "merge")),
			[]string{`"applies_to": {"except": [` + strings.Join(bots, ", ") + "]}"},
		})
	}
	return list
}

// pasted is how a format shows proposals.
type pasted struct {
	heading, why, key string
	quote             func(string) string
}

// write writes the proposals, or why there are none.
func (p pasted) write(b *strings.Builder, r *Result) {
	list := proposals(r)
	switch {
	case r.Counts.Blocked > 0 && r.Globs == nil:
		b.WriteString("\nNothing is proposed, because the files of the tip cannot be listed.\n")
	case len(list) == 0 && r.Counts.Blocked > r.Counts.ProtectedOnly:
		b.WriteString("\nWidening allowed_files would unblock none of them.\n")
	case len(list) > 0:
		b.WriteString(p.heading)
	}
	for _, one := range list {
		fmt.Fprintf(b, p.why, one.why)
		for _, line := range one.keys {
			fmt.Fprintf(b, p.key, p.quote(line))
		}
	}
}

// jsonList writes texts as a list, on one line.
func jsonList(values []string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(values) != nil { // texts always have a form
		return "[]"
	}
	return strings.ReplaceAll(strings.TrimSpace(b.String()), `","`, `", "`)
}

// countWords are the shares of what was judged.
func countWords(c *Counted) string {
	others := c.Blocked - c.ProtectedOnly
	shares := present.Shares([]int{c.Passed, c.ProtectedOnly, others, c.Unknown}, 100)
	text := fmt.Sprintf("%d (%d %%) would pass, %d (%d %%) would ask a person, %d (%d %%) would be blocked", c.Passed, shares[0], c.ProtectedOnly, shares[1], others, shares[2])
	if c.Unknown > 0 {
		text += fmt.Sprintf(", %d (%d %%) could not be judged", c.Unknown, shares[3])
	}
	return text
}

// Shares are what people and bots met, a line each; none where there is no merge.
func (r *Result) Shares() (lines []string) {
	c := &r.Counts
	people := Counted{
		Merges: c.Merges - c.Bots.Merges, Passed: c.Passed - c.Bots.Passed, Blocked: c.Blocked - c.Bots.Blocked, Unknown: c.Unknown - c.Bots.Unknown,
		ProtectedOnly: c.ProtectedOnly - c.Bots.ProtectedOnly, OffScopeOnly: c.OffScopeOnly - c.Bots.OffScopeOnly,
	}
	for _, who := range []struct {
		name   string
		counts Counted
	}{{"people", people}, {"bots", c.Bots}} {
		if who.counts.Merges > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s: %s", who.name, input.Plural(who.counts.Merges, "merge"), countWords(&who.counts)))
		}
	}
	return lines
}

// verdictWords are the counts, one line each; quote shows untrusted text.
func verdictWords(r *Result, quote func(string) string) []string {
	c := &r.Counts
	if c.Merges == 0 && c.LeftOut == (LeftOut{}) {
		return []string{"There is no merge to judge yet. Run this again when some branches are merged, or name a branch that has merges with --branch."}
	}
	lines := r.Shares()
	var left []string
	if n := c.LeftOut.Gone; n > 0 {
		left = append(left, input.Plural(n, "merge")+" in directories and files that are gone today")
	}
	if n := c.LeftOut.Empty; n > 0 {
		left = append(left, input.Plural(n, "merge")+" without a change")
	}
	if n := c.LeftOut.Authors; n > 0 {
		left = append(left, input.Plural(n, "merge")+" of authors outside of applies_to")
	}
	if len(left) > 0 {
		lines = append(lines, "left out: "+strings.Join(left, ", "))
	}
	if c.Unknown > 0 {
		lines = append(lines, fmt.Sprintf("could not be judged: %s → %s", quote(r.Unknown[0].Why), quote(r.Unknown[0].Fix)))
	}
	return append(lines, "A person is asked where only protected files are touched. Commands and reports are not judged.")
}

// endWords say why fewer merges were judged than asked for; "" when there is nothing to say.
func endWords(r *Result) string {
	short := fmt.Sprintf("%d were asked for", r.Asked)
	switch r.End {
	case "first_commit":
		return short + "; the branch has no more: its first commit is no change"
	case "shallow":
		return short + "; the clone is shallow: git fetch --unshallow fetches the rest"
	case "unreadable":
		return short + "; an earlier commit cannot be read"
	}
	return ""
}

// contractWords name the contract.
func contractWords(r *Result) string {
	if r.Contract.Path == "" {
		return "the contract that closeout init would write"
	}
	return r.Contract.Path
}

func writeText(w io.Writer, r *Result, all bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "the last %s of %s (%s) under %s\n", input.Plural(r.Counts.Merges, "merge"), present.Line(r.Branch), present.Line(shortID(r.Tip)), present.Line(contractWords(r)))
	if end := endWords(r); end != "" {
		b.WriteString(end + "\n")
	}
	for _, words := range verdictWords(r, present.Line) {
		b.WriteString(words + "\n")
	}
	pasted{heading: "\nTo paste into the contract:\n", why: "  # %s\n", key: "  %s\n", quote: present.Neutral}.write(&b, r)
	switch {
	case r.Counts.Blocked == 0:
	case !all:
		b.WriteString("\nWhich codes, files, authors and merges: closeout backtest --all\n")
	default:
		for _, t := range tables(r) {
			b.WriteString("\n" + t.title + "\n")
			t.text(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text writes columns of equal width; the last one is as long as it is.
func (t *table) text(b *strings.Builder) {
	rows := [][]string{t.columns}
	for _, row := range t.rows {
		shown := make([]string, len(row))
		for i, cell := range row {
			shown[i] = present.Line(cell)
		}
		rows = append(rows, shown)
	}
	for _, row := range rows {
		b.WriteString(" ")
		for i, cell := range row {
			width := 0
			for _, other := range rows {
				width = max(width, len([]rune(other[i])))
			}
			if i == len(row)-1 {
				width = 0
			}
			fmt.Fprintf(b, " %-*s", width, cell)
		}
		b.WriteString("\n")
	}
	if t.more > 0 {
		fmt.Fprintf(b, "  … and %d more\n", t.more)
	}
}

// writeMarkdown writes the page for the pull request that introduces the gate.
func writeMarkdown(w io.Writer, r *Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### What the gate would have said\n\nThe last %s of %s under %s, as far as no evidence is needed: scope, protected files and diff rules.\n\n",
		input.Plural(r.Counts.Merges, "merge"), present.MDCode(r.Branch), present.MDText(contractWords(r)))
	for _, words := range verdictWords(r, present.MDText) {
		b.WriteString("- " + words + "\n")
	}
	if end := endWords(r); end != "" {
		b.WriteString("- " + present.MDText(end) + "\n")
	}
	pasted{heading: "\nTo paste into the contract:\n\n", why: "- %s\n", key: "  - %s\n", quote: present.MDCode}.write(&b, r)
	if r.Counts.Blocked > 0 {
		for _, t := range tables(r) {
			fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", t.title)
			t.markdown(&b)
			b.WriteString("\n</details>\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counted are the columns of numbers; all others are untrusted text.
var counted = []string{"merges", "findings", "blocked"}

func (t *table) markdown(b *strings.Builder) {
	b.WriteString(present.MDHead(t.columns...))
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cells[i] = cell; !slices.Contains(counted, t.columns[i]) {
				cells[i] = present.MDCode(cell)
			}
		}
		b.WriteString(present.MDRow(cells...))
	}
	if t.more > 0 {
		fmt.Fprintf(b, "\n… and %d more\n", t.more)
	}
}
