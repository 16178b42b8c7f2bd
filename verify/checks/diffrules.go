package checks

import (
	"cmp"
	"fmt"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/rules"
	"github.com/closeout-gate/closeout/verify/strict"
)

// DiffRules checks what the gate's own rules found in the change. Facts reports when the collector could not run them.
var DiffRules = &check.Check{
	ID:    "diffrules",
	Title: "The change weakens no test and no check",
	Also:  []string{"rule.malformed", "rule.failed", "rule.unknown", "rule.expired", "rule.ignore_unused"},
	Scope: check.ScopeChange | check.ScopeMember | check.ScopePast,
	Asked: func(in *check.Inputs) bool { return in.State[check.DiffRules] != check.Missing },
	Run:   runDiffRules,
}

func runDiffRules(p *check.Pass) {
	reportProblems(p, "rule.malformed", check.DiffRules)
	if p.State[check.DiffRules] != check.Usable {
		return
	}
	if p.Policy == nil { // so something else blocks
		for i := range p.DiffRules.Rules {
			reportDiffRow(p, &p.DiffRules.Rules[i], p.DiffRules.Rules[i].Severity, &ignores{})
		}
		return
	}
	exceptions := newIgnores(p, p.Policy.DiffIgnore)
	standard := map[string]diag.Severity{}
	for i := range p.DiffRules.Rules {
		row := &p.DiffRules.Rules[i]
		severity, known := standard[row.ID]
		if !known {
			severity = p.Policy.DiffSeverity(row.ID, row.Severity)
			standard[row.ID] = severity
		}
		reportDiffRow(p, row, severity, exceptions)
	}
	for i := range p.Policy.DiffRules {
		reportExpired(p, &p.Policy.DiffRules[i])
	}
	for i := range p.Policy.Sources {
		source := &p.Policy.Sources[i]
		for _, id := range source.Contract.DiffRuleIDs() {
			if _, known := standard[id.Value]; !known {
				reportNoDiffRule(p, id, source)
			}
		}
	}
	exceptions.report(p)
	if p.Policy.Meter.Spent() {
		p.ReportLimit(strict.TooManySteps(p.Policy.Meter.Most()))
	}
}

// reportDiffRow reports what a rule found in one place.
func reportDiffRow(p *check.Pass, r *rules.DiffRow, severity diag.Severity, exceptions *ignores) {
	if r.Passed || severity == contract.Off {
		return
	}
	f := check.Finding{
		Code: "rule.failed", Severity: severity, Message: r.ID + ": " + cmp.Or(r.Detail, "the rule is broken"), Input: check.DiffRules,
		Expected: "no such text, as at the merge base", Actual: cmp.Or(r.Now, "not there any more"), Path: r.File,
		Fix: cmp.Or(r.Fix, "restore what the merge base has"), Identity: []string{r.ID, r.Side, r.Was, r.Now}, Rule: r.ID,
	}
	switch {
	case r.Was != "":
		f.Expected = r.Was + ", as at the merge base"
	case r.Now == "":
		f.Expected, f.Actual = "what the merge base has", cmp.Or(r.Detail, "a change that the rule is about")
	}
	if r.Side != rules.SideBase {
		f.Pos.Line = int(r.Line)
	} else if r.Line > 0 { // a place that the head does not have
		f.Message += fmt.Sprintf(" (line %d of the merge base)", r.Line)
	}
	excused(&f, exceptions.excuse(r.ID, []string{r.File}))
	p.Report(f)
}

// reportNoDiffRule reports an id in a contract that no rule has.
func reportNoDiffRule(p *check.Pass, id diag.Text, source *policy.Source) {
	var known []string
	for _, r := range p.DiffRules.Rules {
		if len(known) == 0 || known[len(known)-1] != r.ID {
			known = append(known, r.ID)
		}
	}
	f := check.Finding{
		Code: "rule.unknown", Message: fmt.Sprintf("no diff rule has the id %q", id.Value), Input: check.Kind(source.Kind), Path: source.Path, Pos: id.Pos,
		Expected: "the id of a diff rule", Actual: id.Value, Fix: "let a person correct or remove it; closeout rules --list shows the ids",
		Identity: []string{id.Value},
	}
	if near := diag.Nearest(id.Value, known); near != "" {
		f.Fix = fmt.Sprintf("did you mean %q? Let a person correct it", near)
	}
	p.Report(f)
}
