package canary

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/rules"
	"github.com/closeout-gate/closeout/verify/strict"
)

// rule is a row of a rule report that passed.
type rule struct {
	file, row int
	id        string
	severity  diag.Severity // that a violation would have
	ignored   bool          // rules.ignore has an exception from it
}

// ofRules lets a rule fail, and takes one out of the reports.
func (c *canary) ofRules() []mutation {
	if len(c.base.of(check.Rules, whole)) == 0 {
		why := "there is no rule report"
		if n := c.contracts[0].at("rules", "required"); n != nil && c.contracts[0].Rules.NotRequired {
			why += fmt.Sprintf(": rules.required is false at %s:%d", c.contracts[0].path, n.Pos.Line)
		}
		c.notTried(RuleFailed, why)
		return nil
	}
	return []mutation{c.ruleFailed(), c.ruleMissing()}
}

// entry is the entry of a rule in a catalogue.
type entry struct {
	*contract.CatalogueRule
	in *source
}

// catalogues lists the entries of all contracts by rule, of each rule the strictest one.
func (c *canary) catalogues() map[string]entry {
	list := map[string]entry{}
	for i := range c.contracts {
		s := &c.contracts[i]
		for k := range s.Rules.Catalogue {
			r := &s.Rules.Catalogue[k]
			if old, twice := list[r.ID.Value]; !twice || r.Severity.Rank() < old.Severity.Rank() {
				list[r.ID.Value] = entry{r, s}
			}
		}
	}
	return list
}

// closed reports whether only rules of a catalogue count.
func (c *canary) closed() bool { return c.contracts[0].Rules.Catalogue != nil }

// passedRows lists the rows that passed and that would be a finding if they failed, the most severe first.
func (c *canary) passedRows() []rule {
	var list []rule
	ignored := map[string]bool{}
	for _, i := range c.contracts[0].Rules.Ignore {
		ignored[i.ID.Value] = true
	}
	for _, file := range c.base.of(check.Rules, whole) {
		r, errs := rules.Parse(c.base.files[file].data, c.base.settings.Limits)
		if errs.Any() {
			continue
		}
		for i, row := range r.Rows {
			found := rule{file: file, row: i, id: row.ID, severity: row.Severity}
			entry, listed := c.catalogue[row.ID]
			if !listed && c.closed() || !row.Passed {
				continue
			}
			if r.Shape == rules.ShapeSARIF || found.severity == "" {
				found.severity = diag.Block // as the result that the copy gets
			}
			if listed && c.closed() {
				found.severity = entry.Severity
			}
			found.ignored = ignored[row.ID]
			list = append(list, found)
		}
	}
	diag.SortStable(list, func(a, b rule) int {
		if a.ignored != b.ignored && a.severity == b.severity {
			return map[bool]int{true: 1, false: -1}[a.ignored]
		}
		return a.severity.Rank() - b.severity.Rank()
	})
	return list
}

// ruleFailed lets the most severe rule fail.
func (c *canary) ruleFailed() mutation {
	m := mutation{name: RuleFailed, expected: "rule.failed"}
	if rows := c.passedRows(); len(rows) > 0 {
		r := rows[0]
		m.text = "the rule " + r.id + " failed"
		m.because = func(after *report.Report) *report.CanaryBecause { return c.weakRule(r.id, after) }
		m.edit = func(in *inputs) string { return in.fail(&r) }
		return m
	}
	id := "canary-" + c.hex
	if c.closed() {
		id = c.contracts[0].Rules.Catalogue[0].ID.Value
	}
	m.text = "the rule " + id + " failed"
	m.because = func(after *report.Report) *report.CanaryBecause { return c.weakRule(id, after) }
	m.edit = func(in *inputs) string {
		for _, i := range in.of(check.Rules, whole) {
			f := &in.files[i]
			if changed, ok := replaceAt(f.data, "/block_failures", func(old []byte) string { return withItem(old, strict.QuoteJSON(id)) }); ok {
				f.data = changed
				return ""
			}
			r := rule{file: i, id: id}
			if why := in.fail(&r); why == "" {
				return ""
			}
		}
		return "no rule report has a row that passed"
	}
	return m
}

// withItem puts an item before the others of a list.
func withItem(list []byte, text string) string {
	rest := bytes.TrimSpace(list[bytes.IndexByte(list, '[')+1:])
	if rest[0] != ']' {
		text += ","
	}
	return "[" + text + string(rest)
}

// fail lets a rule fail: its row, or a result of SARIF.
func (in *inputs) fail(r *rule) (why string) {
	f := &in.files[r.file]
	for _, pointer := range []string{"/%d/passed", "/rules/%d/passed"} {
		if changed, ok := replaceAt(f.data, fmt.Sprintf(pointer, r.row), func([]byte) string { return "false" }); ok {
			f.data = changed
			return ""
		}
	}
	result := `{"ruleId":` + strict.QuoteJSON(r.id) + `,"level":"error","message":{"text":"counter-check"}}`
	for run := range 20 {
		changed, ok := replaceAt(f.data, fmt.Sprintf("/runs/%d/results", run), func(old []byte) string { return withItem(old, result) })
		if !ok {
			break
		}
		after, errs := rules.Parse(changed, in.settings.Limits)
		before, _ := rules.Parse(f.data, in.settings.Limits)
		if !errs.Any() && (len(after.Rows) == len(before.Rows) || len(before.Rows) == 0) {
			f.data = changed
			return ""
		}
	}
	return "the rule report has no place for a failure of " + r.id
}

// weakRule finds the line that lets a failed rule through.
func (c *canary) weakRule(id string, after *report.Report) *report.CanaryBecause {
	s := &c.contracts[0]
	excused := slices.ContainsFunc(after.Findings, func(f report.Finding) bool { return f.Code == "rule.failed" && f.Severity == string(diag.Info) })
	if n := item(s.at("rules", "ignore"), id); n != nil && excused {
		return s.because(n.Member("id").Pos, "rules.ignore excuses %s", strict.QuoteJSON(id))
	}
	if entry, listed := c.catalogue[id]; listed && c.closed() {
		if entry.Severity == diag.Block {
			return nil
		}
		in := entry.in
		return in.because(item(in.at("rules", "catalogue"), id).Member("severity").Pos, "rules.catalogue gives %s the severity %s", strict.QuoteJSON(id), entry.Severity)
	}
	if c.closed() || !slices.ContainsFunc(after.Findings, func(f report.Finding) bool { return f.Code == "rule.failed" }) {
		return nil
	}
	return s.because(s.Keys["rules"], "it has no rules.catalogue, so the rule report itself says how severe its rules are")
}

// ruleMissing takes a rule of the catalogue out of the reports, or without a catalogue all reports.
func (c *canary) ruleMissing() mutation {
	if !c.closed() {
		return c.reportsMissing()
	}
	id, other := "", "canary-"+c.hex
	for _, r := range c.contracts[0].Rules.Catalogue {
		blocks := c.catalogue[r.ID.Value].Severity == diag.Block
		if id == "" || blocks {
			id = r.ID.Value
		}
		if blocks {
			break
		}
	}
	return mutation{
		name: RuleMissing, text: "no row is about the rule " + id, expected: "rule.missing",
		because: func(after *report.Report) *report.CanaryBecause { return c.weakRule(id, after) },
		edit: func(in *inputs) string {
			for _, i := range in.of(check.Rules, whole) {
				f := &in.files[i]
				f.data = bytes.ReplaceAll(f.data, []byte(strict.QuoteJSON(id)), []byte(strict.QuoteJSON(other)))
				r, errs := rules.Parse(f.data, in.settings.Limits)
				if errs.Any() || slices.ContainsFunc(r.Rows, func(row rules.Row) bool { return row.ID == id }) {
					return "the row of the rule " + id + " could not be taken out"
				}
			}
			return ""
		},
	}
}

// reportsMissing takes all rule reports away.
func (c *canary) reportsMissing() mutation {
	return mutation{
		name: RuleMissing, text: "the rule reports are missing", expected: "rules.missing",
		because: func(*report.Report) *report.CanaryBecause {
			if !c.contracts[0].Rules.NotRequired {
				return nil
			}
			return c.contracts[0].becauseOf("rules.required is false", "rules", "required")
		},
		edit: func(in *inputs) string {
			gone := map[string]bool{}
			for _, i := range in.of(check.Rules, whole) {
				in.files[i].gone, gone[in.files[i].Name] = true, true
			}
			known := in.facts(whole)
			if known == nil || !slices.ContainsFunc(known.Files, func(o facts.FileOrigin) bool { return gone[o.File] }) {
				return ""
			}
			known.Files = slices.DeleteFunc(known.Files, func(o facts.FileOrigin) bool { return gone[o.File] })
			if err := in.setFacts(whole, known); err != nil {
				return err.Error()
			}
			return ""
		},
	}
}
