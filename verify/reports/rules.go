// Package reports reads what commands wrote: rule reports (rows, lists of failures, SARIF), test reports and coverage reports.
package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

const (
	maxReportedRuleID     = 256 // bytes
	maxReportedRuleDetail = 500 // bytes; a longer one is cut and ends in …
)

// Parse reads one rule report, whose content decides its shape:
//
//   - a list of rows, or an object with the list under "rules": [ShapeRows];
//   - an object with "block_failures" and "warn_failures", two lists of ids: [ShapeLists], one failed row per id;
//   - SARIF 2.1.0, an object with "version" and "runs": [ShapeSARIF], one row per rule of each run.
//
// A row is {"slug" or "id", "category"?, "severity"?, "passed" or "outcome", "detail"?, "file"?, "line"?, "quote"?,
// "reviewer"?}; all but id, severity and outcome may be null, which is the same as absent. Ids that begin with
// closeout/ are refused in every shape.
//
// A report without rows is not an error here: an empty list, two empty failure lists, a SARIF file without runs. The
// shape tells the caller whether it is a clean report (ShapeLists) or an empty one, which [Report.Ended] may excuse.
// The report is nil when the text has none of the shapes; do not use it if there are errors.
func Parse(data []byte, limits input.Limits) (*Report, *input.Errors) {
	errs := &input.Errors{}
	n := input.ParseDocument(data, "the rule report", limits, errs)
	if n != nil {
		if fix := otherTool(n); fix != "" {
			errs.Add(input.Error{Pos: n.Pos, Message: "this is the report of another tool", Found: n.Describe(), Expected: "rows, failure lists or SARIF 2.1.0", Fix: fix})
			return nil, errs
		}
	}
	switch {
	case n == nil:
		return nil, errs
	case n.Kind == input.KindList:
		return &Report{Shape: ShapeRows, Rows: ruleRows(n.Items, "", errs)}, errs
	case n.Member("rules") != nil:
		f := input.Object(n, "", errs)
		rows := ruleRows(f.List("rules"), "/rules", errs)
		f.End()
		return &Report{Shape: ShapeRows, Rows: rows}, errs
	case n.Member("block_failures") != nil || n.Member("warn_failures") != nil:
		f := input.Object(n, "", errs)
		rows := slices.Concat(failures(f, "block_failures", input.Block), failures(f, "warn_failures", input.Warn))
		f.End()
		return &Report{Shape: ShapeLists, Rows: rows}, errs
	case n.Member("version") != nil || n.Member("runs") != nil:
		return sarifReport(n, errs), errs
	}
	errs.Add(noRuleReport(n))
	return nil, errs
}

// otherTools tell by their keys the reports that linters write if they are not told to write SARIF. A list is told by its
// first item.
var otherTools = []struct {
	keys []string
	fix  string
}{
	{[]string{"filePath", "messages"}, "let ESLint write SARIF: eslint --format @microsoft/eslint-formatter-sarif --output-file rule_report.json"},
	{[]string{"code", "filename", "location"}, "let ruff write SARIF: ruff check --output-format sarif --output-file rule_report.json"},
	{[]string{"Issues", "Report"}, "let golangci-lint write SARIF: golangci-lint run --output.sarif.path rule_report.json"},
	{[]string{"message-id", "symbol"}, "let the linter write SARIF: pylint has a converter to SARIF, and ruff writes it itself"},
	{[]string{"results", "errors", "paths"}, "let semgrep write SARIF: semgrep scan --sarif --output rule_report.json"},
}

// otherTool says how to get SARIF from the tool that wrote a report; "" when the report is of none of [otherTools].
func otherTool(n *input.Node) string {
	if n.Kind == input.KindList && len(n.Items) > 0 {
		n = n.Items[0]
	}
	for _, tool := range otherTools {
		if !slices.ContainsFunc(tool.keys, func(key string) bool { return n.Member(key) == nil }) {
			return tool.fix
		}
	}
	return ""
}

// noRuleReport is the error for a JSON value with none of the shapes.
func noRuleReport(n *input.Node) input.Error {
	e := input.Error{
		Pos: n.Pos, Message: "this is not a rule report", Found: n.Describe(),
		Expected: `a list of rows {"slug", "passed"}, the same under "rules", an object with "block_failures" and ` +
			`"warn_failures", or SARIF 2.1.0`,
		Fix: "write one of these shapes",
	}
	if n.Kind == input.KindObject && len(n.Members) > 0 {
		var keys []string
		for _, m := range n.Members {
			keys = append(keys, input.Quote(m.Key))
		}
		e.Found = "an object with the keys " + strings.Join(input.First(keys, 5), ", ")
		if len(keys) == 1 {
			e.Found = "an object with the key " + keys[0]
		}
	}
	if n.Member("passed") != nil {
		e.Fix = "write a list, also of one row: [{…}]"
	} else if key := rowsKey(n); key != "" {
		e.Fix = "rows under " + input.Quote(key) + ` are not read: write only that list to the file, or rename the key to "rules"`
	}
	return e
}

// rowsKey returns the first key whose value looks like a list of rows; "" when there is none.
func rowsKey(n *input.Node) string {
	for _, m := range n.Members {
		if len(m.Value.Items) > 0 && m.Value.Items[0].Member("passed") != nil {
			return m.Key
		}
	}
	return ""
}

// reviewSeverities are the words of reviewers, beside the words of linters.
var reviewSeverities = map[string]input.Severity{"critical": input.Block, "high": input.Block, "medium": input.Warn, "low": input.Info}

func ruleRows(items []*input.Node, where string, errs *input.Errors) []Row {
	var rows []Row
	for i, n := range items {
		where := where + "/" + strconv.Itoa(i)
		if n.Kind != input.KindObject {
			errs.Add(input.WrongElement(n, where, "a row", `an object with "slug" and "passed"`))
			continue
		}
		f := input.Object(n, where, errs)
		severity := f.OneOf("severity", "block", "error", "warn", "warning", "info", "note", "critical", "high", "medium", "low")
		row := Row{
			Pos:      n.Pos,
			ID:       ruleID(f),
			Category: f.AnyText("category"),
			Severity: cmp.Or(reviewSeverities[severity], input.SeverityWords[severity]),
			Detail:   input.CutTo(f.AnyText("detail"), maxReportedRuleDetail),
			Expected: input.CutTo(f.AnyText("expected"), maxReportedRuleDetail),
			Actual:   input.CutTo(f.AnyText("actual"), maxReportedRuleDetail),
			File:     f.TextOf(f.OrNull("file"), "file").Value,
			Quote:    input.CutTo(f.TextOf(f.OrNull("quote"), "quote").Value, maxReportedRuleDetail),
			Reviewer: f.TextOf(f.OrNull("reviewer"), "reviewer").Value,
		}
		if line := f.IntegerOf(f.OrNull("line"), "line", 1, maxLineNumber); line != nil {
			row.Line = *line
		}
		row.readOutcome(f)
		f.End()
		if !row.Passed {
			row.FailedIn = []string{row.File}
		}
		rows = append(rows, row)
	}
	return rows
}

// readOutcome reads whether a rule passed. A row with the outcome unknown did not pass, whatever else it says.
func (r *Row) readOutcome(f *input.Fields) {
	outcome := f.OneOf("outcome", "passed", "failed", "unknown")
	r.Unknown = outcome == "unknown"
	if outcome == "" {
		r.Passed = f.Need("passed", "true or false") != nil && f.Flag("passed")
		return
	}
	n := f.Get("passed")
	flag := n != nil && f.Flag("passed")
	r.Passed = outcome == "passed"
	if n != nil && !r.Unknown && flag != r.Passed {
		f.Wrong(n, "passed", "the same as outcome, or no passed")
	}
}

// maxLineNumber is the maximum line number, so that it is an integer in every parser of the report.
const maxLineNumber = 1<<31 - 1

// ruleID returns the id of a row, from "slug" or "id".
func ruleID(f *input.Fields) string {
	slug, id := f.Get("slug"), f.Get("id")
	key, n := "slug", slug
	switch {
	case slug != nil && id != nil:
		f.Errs.Add(input.Error{
			Pos: id.Pos, Where: f.Pointer("id"), Message: `a row has "slug" or "id", not both`,
			Found: id.Describe() + " and " + slug.Describe(), Expected: "one of the two", Fix: `remove "id"`,
		})
		return ""
	case id != nil:
		key, n = "id", id
	case slug == nil:
		n = f.Need("slug", `the id of the rule, as "slug" or "id"`)
	}
	return checkRuleID(f, f.TextOf(n, key), key)
}

// checkRuleID returns an id; "" and an error if it is not allowed.
func checkRuleID(f *input.Fields, id input.Text, key string) string {
	e := input.Error{Pos: id.Pos, Where: f.Pointer(key), Found: "the string " + input.Quote(id.Value)}
	switch {
	case len(id.Value) > maxReportedRuleID:
		e.Message = fmt.Sprintf("the id of the rule has %d bytes", len(id.Value))
		e.Expected, e.Fix = fmt.Sprintf("at most %d bytes", maxReportedRuleID), "shorten the id, and move the rest to the detail"
	case strings.HasPrefix(id.Value, DiffPrefix):
		e.Message = "foreign closeout/ id: " + input.Quote(id.Value)
		e.Expected, e.Fix = "an id that does not begin with closeout/", "use another prefix; closeout/ is reserved for the rules of the gate"
	default:
		return id.Value
	}
	f.Errs.Add(e)
	return ""
}

// failures returns a failed row for each id under key.
func failures(f *input.Fields, key string, severity input.Severity) []Row {
	var rows []Row
	n := f.Need(key, "a list of rule ids, [] when none failed")
	for i, id := range f.TextsOf(n, key) {
		checkRuleID(f, id, key+"/"+strconv.Itoa(i))
		rows = append(rows, Row{Pos: id.Pos, ID: id.Value, Severity: severity, FailedIn: []string{""}})
	}
	return rows
}

// Report is one rule report of any shape.
type Report struct {
	Rows  []Row
	Shape Shape
	// Ended is true for SARIF with at least one run, where each run names its driver and contains a list of results, which may
	// be empty.
	Ended bool
}

// Shape is the form that a rule report was written in.
type Shape string

// The shapes of a rule report.
const (
	ShapeRows  Shape = "rows"  // a list of rows, or the same under "rules"
	ShapeLists Shape = "lists" // block_failures and warn_failures
	ShapeSARIF Shape = "sarif"
)

// Row is the result of one rule.
type Row struct {
	Pos      input.Pos
	ID       string
	Category string
	Severity input.Severity // "" when the row has none
	Passed   bool
	Unknown  bool     // cannot determine whether the rule is broken; it did not pass
	Detail   string   // cut after 500 bytes, as are the next two
	Expected string   // "" when absent
	Actual   string   // "" when absent
	File     string   // "" when absent
	Line     int64    // 0 when absent
	Quote    string   // the lines of File that the row is about, cut after 500 bytes; "" when absent
	Reviewer string   // who judged; "" when absent
	FailedIn []string // of a failed row: every file it failed in, sorted and unique; "" for a failure without a file
}
