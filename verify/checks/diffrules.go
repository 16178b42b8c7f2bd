package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/reports"
)

// DiffRulesCheck checks what the gate's own rules found in the change. Facts reports when the collector could not run
// them.
var DiffRulesCheck = &check.Check{
	ID:    "diffrules",
	Title: "The change weakens no test and no check",
	Codes: check.CodesWith(input.Info, "rule.off", "rules.unread_language"),
	Also:  []string{"rule.malformed", "rule.failed", "rule.unknown", "rule.expired", "rule.ignore_unused"},
	Scope: check.ScopeChange | check.ScopeMember | check.ScopePast,
	Asked: func(in *check.Inputs) bool { return in.State[check.DiffRules] != check.Missing },
	Run:   runDiffRules,
}

func runDiffRules(p *check.Pass) {
	p.ReportProblems("rule.malformed", check.DiffRules)
	if p.State[check.DiffRules] != check.Usable {
		return
	}
	reportUnreadLanguages(p)
	if p.Policy == nil { // so something else blocks
		for i := range p.DiffRules.Rules {
			reportDiffRow(p, &p.DiffRules.Rules[i], p.DiffRules.Rules[i].Severity, &policy.Exceptions{})
		}
		return
	}
	exceptions := p.Policy.Exceptions(p.Policy.DiffIgnore, p.Today)
	known := map[string]bool{}                                           // the ids of all rules
	severities, off := map[rowKind]input.Severity{}, map[rowKind]int64{} // off counts the places of what is off
	var warned []*reports.DiffRow                                        // of one rule
	for i := range p.DiffRules.Rules {
		row := &p.DiffRules.Rules[i]
		kind := rowKind{row.ID, row.Severity}
		severity, judged := severities[kind]
		if !judged {
			severity = p.Policy.DiffSeverity(row.ID, row.Severity)
			severities[kind], known[row.ID] = severity, true
		}
		if severity == contract.Off && !row.Passed {
			off[kind]++
		}
		if severity != input.Warn || row.Passed || excuseRow(exceptions, row) != nil {
			reportDiffRow(p, row, severity, exceptions)
			continue
		}
		if len(warned) > 0 && warned[0].ID != row.ID {
			reportWarned(p, warned)
			warned = nil
		}
		warned = append(warned, row)
	}
	reportWarned(p, warned)
	for i := range p.Policy.DiffRules {
		rule := &p.Policy.DiffRules[i]
		reportExpired(p, rule)
		isOff, places := false, int64(0)
		for kind, severity := range severities {
			if severity == contract.Off && contract.MeansRule(rule.ID.Value, kind.id, kind.severity) {
				isOff, places = true, places+off[kind]
			}
		}
		if isOff {
			reportOff(p, rule, places)
		}
	}
	for i := range p.Policy.Sources {
		source := &p.Policy.Sources[i]
		for _, id := range source.Contract.DiffRuleIDs() {
			inNever := slices.Contains(source.Contract.Override.Never, id.Value) // there it is an error of the contract
			if _, former := contract.FormerRule(id.Value); !known[id.Value] && !former && !inNever {
				reportNoDiffRule(p, id, source)
			}
		}
	}
	reportStrayIgnores(p, exceptions, known)
	reportExceptions(p, exceptions)
	if p.Policy.Meter.Spent() {
		p.ReportLimit(input.TooManySteps(p.Policy.Meter.Most()))
	}
}

// reportUnreadLanguages names the languages of touched tests about which the rules say nothing: silence is no praise of them.
func reportUnreadLanguages(p *check.Pass) {
	for _, unread := range p.DiffRules.Unread {
		files := input.Plural(unread.Files, "touched file") + " of tests"
		p.Report(check.Finding{
			Code: "rules.unread_language", Message: "no diff rule reads " + unread.Language + ", the language of " + files, Input: check.DiffRules,
			Path: unread.File, Expected: "tests in a language that the diff rules read", Actual: unread.Language,
			Fix: "review these tests by hand", Identity: []string{unread.Language},
		})
	}
}

// rowKind are the rows of a rule with one severity of their own.
type rowKind struct {
	id       string
	severity input.Severity
}

// reportOff says that a rule is off: who reads the report a year later must not take silence for a change without findings.
func reportOff(p *check.Pass, rule *policy.Rule, places int64) {
	found := "nothing"
	if places > 0 {
		found = input.Plural(places, "place") + " without effect"
	}
	p.Report(inContract(&rule.Source, rule.ID.Pos, check.Finding{
		Code: "rule.off", Message: fmt.Sprintf("the contract switches off the diff rule %q; it found %s", rule.ID.Value, found),
		Expected: "a rule that counts", Actual: "severity off", Fix: "no action is needed", Identity: []string{rule.ID.Value},
	}))
}

// maxWarned is how many findings a rule that warns has: no person reads more of a kind.
const maxWarned = 6

// reportWarned reports the rows of a rule that warns, none of which is excused: the first ones, and one finding for the others.
func reportWarned(p *check.Pass, rows []*reports.DiffRow) {
	most := maxWarned
	if len(rows) > maxWarned {
		most--
	}
	for _, row := range rows[:min(len(rows), most)] {
		reportDiffRow(p, row, input.Warn, &policy.Exceptions{})
	}
	if len(rows) <= maxWarned {
		return
	}
	rest := rows[most:]
	var files []string
	for _, row := range rest {
		if row.File != "" {
			files = append(files, row.File)
		}
	}
	others := *rest[0]
	others.Detail = fmt.Sprintf("… and %s in %s", input.Plural(int64(len(rest)), "more place"), input.CutTo(strings.Join(slices.Compact(files), ", "), 500))
	others.Was, others.Now = "", ""
	f := diffFinding(&others, input.Warn)
	f.Identity = append(f.Identity, "others") // it is none of the first
	p.Report(f)
}

// reportDiffRow reports what a rule found in one place.
func reportDiffRow(p *check.Pass, r *reports.DiffRow, severity input.Severity, exceptions *policy.Exceptions) {
	if r.Passed || severity == contract.Off {
		return
	}
	f := diffFinding(r, severity)
	excused(&f, excuseRow(exceptions, r))
	p.Report(f)
}

// excuseRow is the exception for a row of a diff rule. One without a file, which may be about any file, has none.
func excuseRow(exceptions *policy.Exceptions, r *reports.DiffRow) *policy.Ignore {
	if r.File == "" {
		return nil
	}
	files := []string{r.File}
	return cmp.Or(exceptions.Excuse(r.ID, files), exceptions.Excuse(r.ID+" "+string(r.Severity), files))
}

// diffFinding is the finding of a row.
func diffFinding(r *reports.DiffRow, severity input.Severity) check.Finding {
	f := check.Finding{
		Code: "rule.failed", Severity: severity, Message: r.ID + ": " + cmp.Or(r.Detail, "the rule is broken"), Input: check.DiffRules,
		Expected: input.NoSuchText + input.AsAtBase, Actual: cmp.Or(r.Now, input.NotThere), Path: r.File,
		Fix: cmp.Or(r.Fix, "restore what the merge base has"), Identity: []string{r.ID, r.Side, r.Was, r.Now}, Rule: r.ID,
	}
	switch {
	case r.Was == "" && r.Now != "" && r.ID == "closeout/test-skipped":
		f.Expected = input.TestRuns + input.AsAtBase
	case r.Was != "":
		f.Expected = r.Was + input.AsAtBase
	case r.Now == "":
		f.Expected, f.Actual = "nothing that this rule finds", cmp.Or(r.Detail, "a change that the rule is about")
	}
	if r.Side != reports.SideBase {
		f.Pos.Line = int(r.Line)
	} else if r.Line > 0 { // a place that the head does not have
		f.Message += fmt.Sprintf(" (line %d of the merge base)", r.Line)
	}
	return f
}

// reportStrayIgnores reports the exceptions from rules that do not exist: those with the prefix, of which nothing else is said
// then, and those that lack it where no rule report has such a rule.
func reportStrayIgnores(p *check.Pass, exceptions *policy.Exceptions, known map[string]bool) {
	for i := range exceptions.List {
		ignore := &exceptions.List[i]
		now, former := contract.FormerRule(ignore.ID.Value)
		if known[ignore.ID.Value] || now != "" || ignore.Expired {
			continue
		}
		if ignore.Used = true; !former {
			reportNoDiffRule(p, ignore.ID, &ignore.Source)
		}
	}
	if len(p.Rules) > 0 || p.Policy.Catalogue != nil {
		return
	}
	for i := range p.Policy.Ignore {
		ignore := &p.Policy.Ignore[i]
		if known[reports.DiffPrefix+ignore.ID.Value] {
			reportNoDiffRule(p, ignore.ID, &ignore.Source)
		}
	}
}

// reportNoDiffRule reports an id in a contract that no rule has.
func reportNoDiffRule(p *check.Pass, id input.Text, source *policy.Source) {
	var known []string
	for _, r := range p.DiffRules.Rules {
		known = append(known, r.ID)
	}
	known = slices.Compact(known)
	f := inContract(source, id.Pos, check.Finding{
		Code: "rule.unknown", Message: fmt.Sprintf("no diff rule has the id %q", id.Value), Expected: "the id of a diff rule", Actual: id.Value,
		Fix: "let a person correct or remove it; closeout diff --list shows the ids", Identity: []string{id.Value},
	})
	near := reports.DiffPrefix + id.Value
	if !slices.Contains(known, near) {
		near = input.Nearest(id.Value, known)
	}
	if near != "" {
		f.Fix = fmt.Sprintf("did you mean %q? Let a person correct it", near)
	}
	p.Report(f)
}
