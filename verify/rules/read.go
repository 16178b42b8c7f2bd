package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

const (
	maxReportedRuleID     = 256 // bytes
	maxReportedRuleDetail = 500 // bytes; what is longer is cut and ends in …
	reservedRulePrefix    = "closeout/"
)

// Parse reads one rule report. Which of the shapes it has is told by its content:
//
//   - a list of rows, or an object with the list under "rules": [ShapeRows];
//   - an object with "block_failures" and "warn_failures", two lists of ids: [ShapeLists], one failed row an id;
//   - SARIF 2.1.0, an object with "version" and "runs": [ShapeSARIF], one row a rule of each run.
//
// A row is {"slug" or "id", "category"?, "severity"?, "passed", "detail"?, "file"?, "line"?}; category, detail, file and
// line may be null, which is the same as absent. Ids that begin with closeout/ are refused in every shape.
//
// A report that holds no row is no error here: an empty list, two empty failure lists, a SARIF file without runs. The
// shape tells the caller whether that is a clean report (ShapeLists) or none at all. The report is nil when the text holds
// no document of any shape; when there are errors it must not be used.
func Parse(data []byte, limits strict.Limits) (*Report, *diag.Errors) {
	errs := &diag.Errors{}
	n := strict.ParseDocument(data, "the rule report", limits, errs)
	switch {
	case n == nil:
		return nil, errs
	case n.Kind == strict.KindList:
		return &Report{Shape: ShapeRows, Rows: ruleRows(n.Items, "", errs)}, errs
	case n.Member("rules") != nil:
		return &Report{Shape: ShapeRows, Rows: ruleRowsUnder(n, errs)}, errs
	case n.Member("block_failures") != nil || n.Member("warn_failures") != nil:
		return &Report{Shape: ShapeLists, Rows: failureLists(n, errs)}, errs
	case n.Member("version") != nil || n.Member("runs") != nil:
		return &Report{Shape: ShapeSARIF, Rows: sarifRows(n, errs)}, errs
	}
	errs.Add(noRuleReport(n))
	return nil, errs
}

// noRuleReport is the error for a JSON value that has none of the shapes.
func noRuleReport(n *strict.Node) diag.Error {
	e := diag.Error{
		Pos: n.Pos, Message: "this is no rule report", Found: n.Describe(),
		Expected: `a list of rows {"slug", "passed"}, the same under "rules", an object with "block_failures" and ` +
			`"warn_failures", or SARIF 2.1.0`,
		Fix: "write one of these shapes",
	}
	if n.Kind == strict.KindObject && len(n.Members) > 0 {
		e.Found = "an object with " + keyList(n)
	}
	if n.Member("passed") != nil {
		e.Fix = "put the row into a list, even when it is the only one"
	} else if key := rowsKey(n); key != "" {
		e.Fix = "rows under " + diag.Quote(key) + ` are not read: write the one list that counts to the file, or put it under "rules"`
	}
	return e
}

// keyList names the first keys of an object for an error.
func keyList(n *strict.Node) string {
	var keys []string
	for i, m := range n.Members {
		if i == 5 {
			keys = append(keys, fmt.Sprintf("and %d more", len(n.Members)-i))
			break
		}
		keys = append(keys, diag.Quote(m.Key))
	}
	if len(n.Members) == 1 {
		return "the key " + keys[0]
	}
	return "the keys " + strings.Join(keys, ", ")
}

// rowsKey returns the first key that holds something like a list of rows; "" when none does.
func rowsKey(n *strict.Node) string {
	for _, m := range n.Members {
		if len(m.Value.Items) > 0 && m.Value.Items[0].Member("passed") != nil {
			return m.Key
		}
	}
	return ""
}

func ruleRowsUnder(n *strict.Node, errs *diag.Errors) []Row {
	f := strict.Object(n, "", errs)
	rows := ruleRows(f.List("rules"), "/rules", errs)
	f.End()
	return rows
}

func ruleRows(items []*strict.Node, where string, errs *diag.Errors) []Row {
	var rows []Row
	for i, item := range items {
		if row, ok := ruleRow(item, where+"/"+strconv.Itoa(i), errs); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// ruleRow reads one row; false when it is no object.
func ruleRow(n *strict.Node, where string, errs *diag.Errors) (Row, bool) {
	if n.Kind != strict.KindObject {
		errs.Add(strict.WrongElement(n, where, "a row", `an object with "slug" and "passed"`))
		return Row{}, false
	}
	f := strict.Object(n, where, errs)
	row := Row{
		Pos:      n.Pos,
		ID:       ruleID(f),
		Category: f.AnyText("category"),
		Severity: rowSeverity(f, "severity"),
		Passed:   flagNeeded(f, "passed"),
		Detail:   strict.CutTo(f.AnyText("detail"), maxReportedRuleDetail),
		File:     f.TextOf(f.OrNull("file"), "file").Value,
	}
	if line := f.IntegerOf(f.OrNull("line"), "line", 1, maxLineNumber); line != nil {
		row.Line = *line
	}
	f.End()
	if !row.Passed {
		row.FailedIn = []string{row.File}
	}
	return row, true
}

// maxLineNumber bounds line numbers, so that they are integers in every reader of the report.
const maxLineNumber = 1<<31 - 1

// ruleID returns the id of a row, from "slug" or "id".
func ruleID(f *strict.Fields) string {
	slug, id := f.Get("slug"), f.Get("id")
	key, n := "slug", slug
	switch {
	case slug != nil && id != nil:
		f.Errs.Add(diag.Error{
			Pos: id.Pos, Where: f.Pointer("id"), Message: `a row has "slug" or "id", not both`,
			Found: id.Describe() + " beside " + slug.Describe(), Expected: "one of the two", Fix: `remove "id"`,
		})
		return ""
	case id != nil:
		key, n = "id", id
	case slug == nil:
		n = f.Need("slug", `the rule's id, as "slug" or "id"`)
	}
	return checkRuleID(f, f.TextOf(n, key), key)
}

// checkRuleID reports an id that no report may use, and gives "" for it.
func checkRuleID(f *strict.Fields, id diag.Text, key string) string {
	e := diag.Error{Pos: id.Pos, Where: f.Pointer(key), Found: "the string " + diag.Quote(id.Value)}
	switch {
	case len(id.Value) > maxReportedRuleID:
		e.Message = fmt.Sprintf("the rule's id has %d bytes", len(id.Value))
		e.Expected, e.Fix = fmt.Sprintf("at most %d bytes", maxReportedRuleID), "shorten the id, and say the rest in the detail"
	case strings.HasPrefix(id.Value, reservedRulePrefix):
		e.Message = "foreign closeout/ id: " + diag.Quote(id.Value)
		e.Expected, e.Fix = "an id that does not begin with closeout/", "give the rule a prefix of your own: closeout/ is kept for the gate's rules"
	default:
		return id.Value
	}
	f.Errs.Add(e)
	return ""
}

// rowSeverity returns the severity that key states; "" when the key is absent.
func rowSeverity(f *strict.Fields, key string) diag.Severity {
	return diag.SeverityWords[f.OneOf(key, "block", "error", "warn", "warning", "info", "note")]
}

// flagNeeded is flag that reports an absent key.
func flagNeeded(f *strict.Fields, key string) bool {
	f.Need(key, "true or false")
	return f.Flag(key)
}

func failureLists(n *strict.Node, errs *diag.Errors) []Row {
	f := strict.Object(n, "", errs)
	rows := slices.Concat(failures(f, "block_failures", diag.Block), failures(f, "warn_failures", diag.Warn))
	f.End()
	return rows
}

// failures returns a failed row for each id under key.
func failures(f *strict.Fields, key string, severity diag.Severity) []Row {
	var rows []Row
	n := f.Need(key, "a list of rule ids, [] when none failed")
	for i, id := range f.TextsOf(n, key) {
		checkRuleID(f, id, key+"/"+strconv.Itoa(i))
		rows = append(rows, Row{Pos: id.Pos, ID: id.Value, Severity: severity, FailedIn: []string{""}})
	}
	return rows
}
