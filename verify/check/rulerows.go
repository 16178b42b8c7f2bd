package check

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/reports"
)

// RuleRow is a row, and the report that contains it.
type RuleRow struct {
	*reports.Row
	Report *RuleFile
	Exact  bool // its severity is the rule's own, not a tool's level
	// Invented is true when the lines that it quotes stand nowhere: whether the rule is broken is unknown.
	Invented bool
	Alone    bool // it is invented, and its reviewer says nothing else about the rule
}

// QuotedWords are the lines that the row quotes, however they are broken and indented.
func (r *RuleRow) QuotedWords() string { return strings.Join(strings.Fields(r.Quote), " ") }

// RuleRows are the rows of all rule reports, with the paths of the repository. Each failed row is put to where the lines that it
// quotes stand. What the collector did not look up stays as the row says.
func (in *Inputs) RuleRows() (rows []RuleRow) {
	type place struct { // a row may be wrong about its line, and another row right
		file, quote string
		line        int64
	}
	known := map[place]facts.Quote{}
	if in.Facts != nil {
		for _, q := range in.Facts.Quotes {
			known[place{q.File, q.Quote, q.Line}] = q
		}
	}
	for i := range in.Rules {
		f, root := &in.Rules[i], ""
		if c := in.companionOf(f); c != nil {
			root = c.Root
		}
		for j := range f.Report.Rows {
			r := RuleRow{Row: relativeRow(&f.Report.Rows[j], root), Report: f, Exact: f.Report.Shape != reports.ShapeSARIF}
			q, found := known[place{r.File, r.Quote, r.Line}]
			switch {
			case r.Passed || !found:
			case q.At == 0:
				r.Invented = !r.Unknown
			default:
				row := *r.Row
				row.Line = q.At
				if q.In != "" {
					row.File, row.FailedIn = q.In, []string{q.In}
				}
				r.Row = &row
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// IsEmptyReport reports whether a rule report says nothing. Two empty failure lists mean that no rule failed, and so
// does SARIF that is whole and without a result, if the command of rules.run wrote it before it ended with exit code 0.
// Without such a record, a tool that did nothing writes the same.
func (in *Inputs) IsEmptyReport(f *RuleFile) bool {
	if len(f.Report.Rows) > 0 || f.Report.Shape == reports.ShapeLists {
		return false
	}
	c := in.companionOf(f)
	return !f.Report.Ended || c == nil || !c.Clean
}

// companionOf returns what the logs say about a report; nil where no log was read.
func (in *Inputs) companionOf(f *RuleFile) *Companion {
	key := Companion{Kind: Rules, Path: f.Path, SHA256: f.SHA256}
	if i, found := slices.BinarySearchFunc(in.Companions, key, CompareCompanions); found {
		return &in.Companions[i]
	}
	return nil
}

// relativeRow makes absolute paths of a row relative to the root of the work tree. Those outside of it, and those that are not
// normalized, stay absolute: nothing is known about the file that they name.
func relativeRow(row *reports.Row, root string) *reports.Row {
	if root == "" || row.Passed {
		return row
	}
	relative := func(file string) string {
		name, isURI := strings.CutPrefix(file, "file://")
		if isURI {
			name = strings.TrimPrefix(name, "localhost")
		}
		if !strings.HasPrefix(root, "/") { // file:///C:/a
			name = strings.TrimPrefix(name, "/")
		}
		rest, inside := strings.CutPrefix(name, root+"/")
		if !inside || policy.Irregular(rest) != "" {
			return file
		}
		return rest
	}
	changed := *row
	changed.File, changed.FailedIn = relative(row.File), make([]string, len(row.FailedIn))
	for i, file := range row.FailedIn {
		changed.FailedIn[i] = relative(file)
	}
	slices.Sort(changed.FailedIn)
	changed.FailedIn = slices.Compact(changed.FailedIn)
	return &changed
}
