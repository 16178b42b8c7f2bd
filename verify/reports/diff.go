package reports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// DiffSchema is the form of diff_rules.json: what the gate's own rules found in a change.
const DiffSchema = "closeout.diff_rules/v1"

// DiffPrefix begins the ids of the gate's own rules, and no others.
const DiffPrefix = "closeout/"

// DiffReview is the category of a row that a person should look at.
const DiffReview = "review"

// Category is the category of a row with a severity: a person should look at what warns.
func Category(severity input.Severity) string {
	if severity == input.Warn {
		return DiffReview
	}
	return ""
}

// SideBase is the side of a row about a file of the merge base; a row about the head has none.
const SideBase = "base"

// DiffRow is a row of diff_rules.json. A rule that found nothing has one row, which passed. One that found something has a row
// for each place.
type DiffRow struct {
	ID       string         `json:"id"`                                         // closeout/…
	Category string         `json:"category,omitempty" is:"category" null:"no"` // review, or absent
	Severity input.Severity `json:"severity" is:"block|warn|info"`              // the default for such a row
	Passed   bool           `json:"passed"`
	Detail   string         `json:"detail,omitempty" null:"no"`       // what was found, in words
	File     string         `json:"file,omitempty" null:"no"`         // as git quotes it where it is not UTF-8
	Line     int64          `json:"line,omitempty" is:"1-2147483647"` // of the head, or of the merge base with side "base"; 0 is the whole file
	Side     string         `json:"side,omitempty" is:"side" null:"no"`
	Was      string         `json:"was,omitempty" null:"no"` // at the merge base; cut, without secrets
	Now      string         `json:"now,omitempty" null:"no"` // at the head; cut, without secrets
	Fix      string         `json:"fix,omitempty" null:"no"`
}

// diffForms are what the tags of a row name.
var diffForms = input.Forms{Words: map[string][]string{"category": {DiffReview}, "side": {SideBase}}}

// UnreadLanguage is a language of touched tests that no rule reads.
type UnreadLanguage struct {
	Language string `json:"language"`
	File     string `json:"file"`                    // the first of the tests; as git quotes it where it is not UTF-8
	Files    int64  `json:"files" is:"1-2147483647"` // how many there are
}

// Diff is the content of diff_rules.json. Its rows are in order: rule, file, side, line, and the texts.
type Diff struct {
	Schema string           `json:"schema"`
	Rules  []DiffRow        `json:"rules"`
	Unread []UnreadLanguage `json:"unread_languages,omitempty"` // each once, by name
}

// maxDiffText is how long a text of a row may be, in bytes. [Diff.Marshal] cuts before that.
const maxDiffText = 1000

// Compare is the order of rows.
func (r *DiffRow) Compare(other *DiffRow) int {
	return cmp.Or(strings.Compare(r.ID, other.ID), strings.Compare(r.File, other.File), strings.Compare(r.Side, other.Side),
		cmp.Compare(r.Line, other.Line), strings.Compare(r.Was, other.Was), strings.Compare(r.Now, other.Now), strings.Compare(r.Detail, other.Detail))
}

// Failed are the rows about something that was found.
func (d *Diff) Failed() []DiffRow {
	return slices.DeleteFunc(slices.Clone(d.Rules), func(r DiffRow) bool { return r.Passed })
}

// More is a row that counts places which have no rows, the worst of which has a severity. It names no file, so that no exception
// from the rule covers it.
func (r *DiffRow) More(places int64, severity input.Severity) DiffRow {
	return DiffRow{
		ID: r.ID, Category: Category(severity), Severity: severity, Detail: input.Plural(places, "more place") + ", too many to list",
		Fix: "split the change, so that each place is listed",
	}
}

// First has the first rows of each rule, up to a number, and a row that counts the others.
func (d *Diff) First(most int) *Diff {
	first := &Diff{Schema: d.Schema, Unread: d.Unread}
	for rows := d.sorted(); len(rows) > 0; {
		n := 1
		for n < len(rows) && rows[n].ID == rows[0].ID {
			n++
		}
		first.Rules = append(first.Rules, rows[:min(n, most)]...)
		if n > most {
			severity := rows[most].Severity
			for _, row := range rows[most:n] {
				severity = input.Stricter(severity, row.Severity)
			}
			first.Rules = append(first.Rules, rows[0].More(int64(n-most), severity))
		}
		rows = rows[n:]
	}
	return first
}

// Marshal writes diff_rules.json as [ParseDiff] reads it: a line for each row, in order, each row once.
func (d *Diff) Marshal() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	fmt.Fprintf(&out, `{"schema": "%s", "rules": [`, DiffSchema)
	for i, row := range d.sorted() {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString("\n")
		if err := encoder.Encode(row); err != nil {
			return nil, err
		}
		out.Truncate(out.Len() - 1) // the line end
	}
	out.WriteString("\n]")
	if len(d.Unread) > 0 {
		out.WriteString(",\n" + `"unread_languages": `)
		if err := encoder.Encode(d.Unread); err != nil {
			return nil, err
		}
		out.Truncate(out.Len() - 1)
	}
	out.WriteString("}\n")
	return out.Bytes(), nil
}

// sorted are the rows as they are written.
func (d *Diff) sorted() []DiffRow {
	rows := slices.Clone(d.Rules)
	for i := range rows {
		for _, text := range []*string{&rows[i].Detail, &rows[i].Was, &rows[i].Now, &rows[i].Fix} {
			*text = input.CutTo(strings.TrimSpace(strings.ToValidUTF8(*text, "\ufffd")), maxDiffText-len("…"))
		}
	}
	input.SortStable(rows, func(a, b DiffRow) int { return a.Compare(&b) })
	return slices.CompactFunc(rows, func(a, b DiffRow) bool { return a.Compare(&b) == 0 })
}

// ParseDiff reads diff_rules.json: {"schema": "closeout.diff_rules/v1", "rules": […]}, rows in their order. A rule has either
// one row, which passed, or only rows that failed. The gate's own rules wrote it, so every id begins with closeout/.
//
// Do not use the result if there are errors; it is nil when the text is not a document at all.
func ParseDiff(data []byte, limits input.Limits) (*Diff, *input.Errors) {
	errs := &input.Errors{}
	n := input.ParseDocument(data, "the rows of the diff rules", limits, errs)
	if n == nil {
		return nil, errs
	}
	f := input.Object(n, "", errs)
	if f == nil {
		return nil, errs
	}
	f.Need("schema", input.Quote(DiffSchema))
	d := &Diff{Schema: f.OneOf("schema", DiffSchema)}
	list := f.ListOf(f.Need("rules", "the rows of all rules"), "rules")
	d.Unread = unreadLanguages(f)
	f.End()
	if int64(len(list)) > limits.Rows {
		errs.Add(input.OverLimit("the number of rows of the diff rules", limits.Rows, input.FlagRows))
		return nil, errs
	}
	for i, item := range list {
		where := fmt.Sprintf("/rules/%d", i)
		if item.Kind != input.KindObject {
			errs.Add(input.WrongElement(item, where, "a row", `an object with "id", "severity" and "passed"`))
			continue
		}
		row := diffRow(input.Object(item, where, errs))
		if len(d.Rules) > 0 {
			checkNext(&d.Rules[len(d.Rules)-1], &row, item.Pos, where, errs)
		}
		d.Rules = append(d.Rules, row)
	}
	return d, errs
}

func unreadLanguages(f *input.Fields) (list []UnreadLanguage) {
	for i, item := range f.List("unread_languages") {
		where := fmt.Sprintf("/unread_languages/%d", i)
		if item.Kind != input.KindObject {
			f.Errs.Add(input.WrongElement(item, where, "a language", `an object with "language", "file" and "files"`))
			continue
		}
		var language UnreadLanguage
		diffForms.Decode(input.Object(item, where, f.Errs), &language)
		list = append(list, language)
	}
	return list
}

func diffRow(f *input.Fields) (row DiffRow) {
	diffForms.Decode(f, &row)
	checkDiffRuleID(f, row.ID)
	for _, key := range []string{"detail", "file", "line", "side", "was", "now", "fix"} {
		n := f.Node.Member(key)
		if n == nil {
			continue
		}
		isPlace := slices.Contains([]string{"file", "line", "side"}, key)
		if !isPlace && n.Kind == input.KindString && len(n.Text) > maxDiffText {
			f.Errs.Add(input.Error{
				Pos: n.Pos, Where: f.Pointer(key), Message: fmt.Sprintf("%s has %d bytes", input.Quote(key), len(n.Text)),
				Found: "a longer text", Expected: fmt.Sprintf("at most %d bytes", maxDiffText), Fix: "let closeout write the file, which cuts what is longer",
			})
		}
		switch {
		case row.Passed:
			f.Add(n, f.Pointer(key), "a row that passed found nothing, so it has no "+input.Quote(key), "only id, category, severity and passed", "remove the key")
		case isPlace && f.Node.Member("file") == nil:
			f.Add(n, f.Pointer(key), input.Quote(key)+" requires the file that it is about", `"file" next to `+input.Quote(key), "add the file, or remove the key")
		}
	}
	return row
}

// checkDiffRuleID refuses the id of another tool's rule. One that is not text is refused already.
func checkDiffRuleID(f *input.Fields, id string) {
	if id == "" {
		return
	}
	e := input.Error{Pos: f.Node.Member("id").Pos, Where: f.Pointer("id"), Found: "the string " + input.Quote(id)}
	switch {
	case len(id) > maxReportedRuleID:
		e.Message, e.Fix = fmt.Sprintf("the id of the rule has %d bytes", len(id)), "let closeout write the file"
		e.Expected = fmt.Sprintf("at most %d bytes", maxReportedRuleID)
	case !strings.HasPrefix(id, DiffPrefix) || id == DiffPrefix:
		e.Message, e.Expected = "this is not the id of a rule of the gate: "+input.Quote(id), "an id that begins with closeout/"
		e.Fix = "put the rows of other tools into a rule report"
	default:
		return
	}
	f.Errs.Add(e)
}

// checkNext compares a row with the one before it.
func checkNext(before, row *DiffRow, at input.Pos, where string, errs *input.Errors) {
	e := input.Error{Pos: at, Where: where, Found: input.Quote(row.ID) + " after " + input.Quote(before.ID), Fix: "let closeout write the file"}
	order := before.Compare(row)
	switch {
	case before.ID == row.ID && (before.Passed || row.Passed):
		e.Message, e.Expected = "the rule "+input.Quote(row.ID)+" has more rows than the one that passed", "one row that passed, or only rows that failed"
	case order == 0:
		e.Message, e.Expected = "the row occurs twice", "each row once"
	case order > 0:
		e.Message, e.Expected = "the rows are not sorted", "rows by id, file, side, line, was, now and detail"
	default:
		return
	}
	errs.Add(e)
}
