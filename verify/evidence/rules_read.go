package evidence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/source"
)

const (
	maxReportedRuleID     = 256 // bytes
	maxReportedRuleDetail = 500 // bytes; what is longer is cut and ends in …
	reservedRulePrefix    = "closeout/"
)

// ParseRules reads one rule report. Which of the shapes it has is told by its content:
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
func ParseRules(data []byte, limits Limits) (*RuleReport, *source.Errors) {
	errs := &source.Errors{}
	n := parseReport(data, "the rule report", limits, errs)
	switch {
	case n == nil:
		return nil, errs
	case n.kind == kindList:
		return &RuleReport{Shape: ShapeRows, Rows: ruleRows(n.items, "", errs)}, errs
	case n.member("rules") != nil:
		return &RuleReport{Shape: ShapeRows, Rows: ruleRowsUnder(n, errs)}, errs
	case n.member("block_failures") != nil || n.member("warn_failures") != nil:
		return &RuleReport{Shape: ShapeLists, Rows: failureLists(n, errs)}, errs
	case n.member("version") != nil || n.member("runs") != nil:
		return &RuleReport{Shape: ShapeSARIF, Rows: sarifRows(n, errs)}, errs
	}
	errs.Add(noRuleReport(n))
	return nil, errs
}

// parseReport reads a JSON document that is bounded by Limits.RulesBytes; nil when it is too large or no JSON.
func parseReport(data []byte, what string, limits Limits, errs *source.Errors) *node {
	if overRulesBytes(data, what, limits, errs) {
		return nil
	}
	return parseJSON(data, limits, errs)
}

func overRulesBytes(data []byte, what string, limits Limits, errs *source.Errors) bool {
	if int64(len(data)) <= limits.RulesBytes {
		return false
	}
	errs.Add(overLimit(source.Pos{}, "the size of "+what+" in bytes", limits.RulesBytes, FlagRulesBytes))
	return true
}

// noRuleReport is the error for a JSON value that has none of the shapes.
func noRuleReport(n *node) source.Error {
	e := source.Error{
		Pos: n.pos, Message: "this is no rule report", Found: n.describe(),
		Expected: `a list of rows {"slug", "passed"}, the same under "rules", an object with "block_failures" and ` +
			`"warn_failures", or SARIF 2.1.0`,
		Fix: "write one of these shapes",
	}
	if n.kind == kindObject && len(n.members) > 0 {
		e.Found = "an object with " + keyList(n)
	}
	if n.member("passed") != nil {
		e.Fix = "put the row into a list, even when it is the only one"
	} else if key := rowsKey(n); key != "" {
		e.Fix = "rows under " + quote(key) + ` are not read: write the one list that counts to the file, or put it under "rules"`
	}
	return e
}

// keyList names the first keys of an object for an error.
func keyList(n *node) string {
	var keys []string
	for i, m := range n.members {
		if i == 5 {
			keys = append(keys, fmt.Sprintf("and %d more", len(n.members)-i))
			break
		}
		keys = append(keys, quote(m.key))
	}
	if len(n.members) == 1 {
		return "the key " + keys[0]
	}
	return "the keys " + strings.Join(keys, ", ")
}

// rowsKey returns the first key that holds something like a list of rows; "" when none does.
func rowsKey(n *node) string {
	for _, m := range n.members {
		if len(m.value.items) > 0 && m.value.items[0].member("passed") != nil {
			return m.key
		}
	}
	return ""
}

func ruleRowsUnder(n *node, errs *source.Errors) []RuleRow {
	f := object(n, "", errs)
	rows := ruleRows(f.list("rules"), "/rules", errs)
	f.end()
	return rows
}

func ruleRows(items []*node, where string, errs *source.Errors) []RuleRow {
	var rows []RuleRow
	for i, item := range items {
		if row, ok := ruleRow(item, where+"/"+itoa(i), errs); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// ruleRow reads one row; false when it is no object.
func ruleRow(n *node, where string, errs *source.Errors) (RuleRow, bool) {
	if n.kind != kindObject {
		errs.Add(mustBeNamed(n, where, "a row", `an object with "slug" and "passed"`))
		return RuleRow{}, false
	}
	f := object(n, where, errs)
	row := RuleRow{
		Pos:      n.pos,
		ID:       f.ruleID(),
		Category: f.anyText("category"),
		Severity: f.rowSeverity("severity"),
		Passed:   f.flagNeeded("passed"),
		Detail:   cutTo(f.anyText("detail"), maxReportedRuleDetail),
		File:     f.textOf(f.orNull("file"), "file").Value,
	}
	if line := f.integerOf(f.orNull("line"), "line", 1, maxLineNumber); line != nil {
		row.Line = *line
	}
	f.end()
	if !row.Passed {
		row.FailedIn = []string{row.File}
	}
	return row, true
}

// maxLineNumber bounds line numbers, so that they are integers in every reader of the report.
const maxLineNumber = 1<<31 - 1

// ruleID returns the id of a row, from "slug" or "id".
func (f *fields) ruleID() string {
	slug, id := f.get("slug"), f.get("id")
	key, n := "slug", slug
	switch {
	case slug != nil && id != nil:
		f.errs.Add(source.Error{
			Pos: id.pos, Where: f.pointer("id"), Message: `a row has "slug" or "id", not both`,
			Found: id.describe() + " beside " + slug.describe(), Expected: "one of the two", Fix: `remove "id"`,
		})
		return ""
	case id != nil:
		key, n = "id", id
	case slug == nil:
		n = f.need("slug", `the rule's id, as "slug" or "id"`)
	}
	return f.checkRuleID(f.textOf(n, key), key)
}

// checkRuleID reports an id that no report may use, and gives "" for it.
func (f *fields) checkRuleID(id Text, key string) string {
	e := source.Error{Pos: id.Pos, Where: f.pointer(key), Found: "the string " + quote(id.Value)}
	switch {
	case len(id.Value) > maxReportedRuleID:
		e.Message = fmt.Sprintf("the rule's id has %d bytes", len(id.Value))
		e.Expected, e.Fix = fmt.Sprintf("at most %d bytes", maxReportedRuleID), "shorten the id, and say the rest in the detail"
	case strings.HasPrefix(id.Value, reservedRulePrefix):
		e.Message = "foreign closeout/ id: " + quote(id.Value)
		e.Expected, e.Fix = "an id that does not begin with closeout/", "give the rule a prefix of your own: closeout/ is kept for the gate's rules"
	default:
		return id.Value
	}
	f.errs.Add(e)
	return ""
}

// rowSeverity returns the severity that key states; "" when the key is absent.
func (f *fields) rowSeverity(key string) Severity {
	return severityWords[f.oneOf(key, "block", "error", "warn", "warning", "info", "note")]
}

// flagNeeded is flag that reports an absent key.
func (f *fields) flagNeeded(key string) bool {
	f.need(key, "true or false")
	return f.flag(key)
}

// anyText returns a string, which may be blank; "" when the key is absent or null.
func (f *fields) anyText(key string) string {
	n := f.orNull(key)
	if n == nil {
		return ""
	}
	if n.kind != kindString {
		f.wrong(n, key, "a string")
		return ""
	}
	return n.text
}

func failureLists(n *node, errs *source.Errors) []RuleRow {
	f := object(n, "", errs)
	rows := slices.Concat(f.failures("block_failures", Block), f.failures("warn_failures", Warn))
	f.end()
	return rows
}

// failures returns a failed row for each id under key.
func (f *fields) failures(key string, severity Severity) []RuleRow {
	var rows []RuleRow
	n := f.need(key, "a list of rule ids, [] when none failed")
	for i, id := range f.textsOf(n, key) {
		f.checkRuleID(id, key+"/"+strconv.Itoa(i))
		rows = append(rows, RuleRow{Pos: id.Pos, ID: id.Value, Severity: severity, FailedIn: []string{""}})
	}
	return rows
}

// mustBeNamed is wrongType for a value that is better named than by the last part of where.
func mustBeNamed(n *node, where, what, expected string) source.Error {
	e := wrongType(n, where, expected)
	e.Message = what + " must be " + expected
	return e
}

// cutTo cuts s after at most max bytes, at a character's end, and marks the cut.
func cutTo(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max] + "…"
}
