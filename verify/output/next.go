package output

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/report"
)

// nextSteps says what a developer does next, in one or two sentences per step, with commands in backticks; safe prepares a
// text of the report for the format. It is empty when there is nothing to do. [overrideSteps] says how to override.
func nextSteps(r *report.Report, safe func(string) string) []string {
	switch {
	case isUsage(r):
		return []string{"The gate was not called or configured correctly; the change was not judged. " + explain(r, block) +
			" Then run it again."}
	case r.Verdict == report.Failed:
		steps := fixSteps(r, safe)
		if r.Counts.Unknown > 0 {
			steps = append(steps, unknownSteps(r)...)
		}
		if isGroup(r) {
			return append(append(steps, "Push to the pull request with the findings, and add it to the queue again."), groupSteps(r)...)
		}
		return append(steps, againStep(r))
	case r.Verdict == report.Review:
		return append(unknownSteps(r), "Nothing is known to be wrong, but unknown findings cannot be overridden.")
	}
	return nil
}

// fewFindings is the maximum number of findings for which the first screen shows every fix.
const fewFindings = 3

// fixSteps says how to fix what blocks: each finding by itself if there are few.
func fixSteps(r *report.Report, safe func(string) string) []string {
	list := ofSeverity(r, block)
	if len(list) == 0 || r.Counts.Block > fewFindings || slices.ContainsFunc(list, func(f report.Finding) bool { return !isCode(f.Code) || f.Fix == "" }) {
		what := "the blocking finding"
		if r.Counts.Block != 1 {
			what = fmt.Sprintf("the %d blocking findings", r.Counts.Block)
		}
		return []string{"Fix " + what + ". " + explain(r, block)}
	}
	var steps []string
	for _, f := range list {
		fix := f.Fix
		if !strings.HasSuffix(fix, "?") {
			fix += "."
		}
		steps = append(steps, "`"+f.Code+"`: "+safe(fix))
	}
	return append(steps, explain(r, block))
}

// againStep says how the gate runs again. Where only approvals are missing it does not ask for a push: a push makes
// approvals void.
func againStep(r *report.Report) string {
	codes := map[string]bool{}
	for _, f := range ofSeverity(r, block) {
		codes[f.Code] = true
	}
	delete(codes, "scope.base_branch") // changing the base branch starts the gate
	switch waits := codes["approval.missing"]; {
	case len(codes) == 0:
		return "Then the gate runs automatically."
	case waits && len(codes) == 1:
		return "Then re-run the job: a review does not start it, and a push makes an approval void."
	default:
		return "Then run the gate again; in a pull request, push."
	}
}

// unknownSteps says what to do about unavailable facts.
func unknownSteps(r *report.Report) []string {
	list := ofSeverity(r, unknown)
	moved := hasCode(list, "subject.moved")
	var steps []string
	if moved {
		steps = append(steps, "The pull request has changed since this run started: see its newest run, or re-run the job.")
	}
	if !moved || len(list) > 1 {
		steps = append(steps, fmt.Sprintf("%s: do what each finding says, then run the gate again. %s",
			diag.Plural(int64(r.Counts.Unknown), "unknown finding"), explain(r, unknown)))
	}
	return steps
}

// explain names the command that explains the first finding of a severity.
func explain(r *report.Report, severity string) string {
	code := "CODE"
	if list := ofSeverity(r, severity); len(list) > 0 && isCode(list[0].Code) {
		code = list[0].Code
	}
	return "`closeout explain " + code + "` explains what a code means and how to fix it."
}

// isCode reports whether s has the shape of a finding code: lower-case words, dots and underscores.
func isCode(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && c != '.' && c != '_' {
			return false
		}
	}
	return s != ""
}

// overrideLine is the comment that overrides the findings; "" outside of a pull request, and where nothing can be
// overridden.
func overrideLine(r *report.Report) string {
	if r.OverrideCode == nil || r.Subject.PullRequest == nil || r.Verdict != report.Failed || isUsage(r) || r.Settings.Override == nil || neverCode(r) != "" {
		return ""
	}
	return report.Command + " " + Neutral(*r.OverrideCode) + " <why>"
}

// neverCode is the code of a blocking finding that cannot be overridden; "" when there is none.
func neverCode(r *report.Report) string {
	if r.Settings.Override == nil {
		return ""
	}
	for _, f := range ofSeverity(r, block) {
		if slices.Contains(r.Settings.Override.Never, f.Code) {
			return f.Code
		}
	}
	return ""
}

// overrideWho says who may override the findings. Permissions, logins and slugs have a narrow syntax; they are neutralised
// nevertheless.
func overrideWho(r *report.Report) string {
	rule := r.Settings.Override
	words := []string{"a person with at least " + rule.Permission + " permission"}
	if len(rule.Users) > 0 {
		words = append(words, strings.Join(rule.Users, ", "))
	}
	if len(rule.Teams) > 0 {
		words = append(words, "a member of "+strings.Join(rule.Teams, ", "))
	}
	part := ", who has no part in the change"
	if rule.AllowAuthor {
		part = ", who is the author of the pull request or has no part in the change"
	}
	return line(strings.Join(words, ", or ") + part)
}

// overrideSteps says what to do with the comment of [overrideLine]; label is the label as the format shows it.
func overrideSteps(r *report.Report, label string) string {
	steps := "and add the label " + label + " to the pull request. " + report.CodeMeaning + " If the label does not start the gate (a " +
		"workflow that a ruleset requires never runs on labels), re-run the job after you add the label."
	if r.Counts.Unknown > 0 {
		steps += " It does not count while anything is unknown."
	}
	return steps
}

// overrideNever says that the findings cannot be overridden; "" when they can.
func overrideNever(r *report.Report) string {
	code := neverCode(r)
	if code == "" || r.Subject.PullRequest == nil || r.Verdict != report.Failed {
		return ""
	}
	return "These findings cannot be overridden: the contract lists " + line(code) + " under override.never."
}
