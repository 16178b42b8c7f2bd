package output

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/report"
)

// nextSteps says what a developer does now, one sentence or two each, with commands in backticks; safe makes a text of
// the report fit for the format. It is empty when there is nothing to do. How to override stands apart, in
// [overrideSteps].
func nextSteps(r *report.Report, safe func(string) string) []string {
	switch {
	case isUsage(r):
		return []string{"The gate was called or set up wrongly; the change itself was not judged. " + explain(r, block) +
			" Then run it again."}
	case r.Verdict == report.Failed:
		return failedSteps(r, safe)
	case r.Verdict == report.Review:
		return append(unknownSteps(r), "Nothing is known to be wrong. No label turns this green.")
	}
	return nil
}

func failedSteps(r *report.Report, safe func(string) string) []string {
	steps := fixSteps(r, safe)
	if r.Counts.Unknown > 0 {
		steps = append(steps, unknownSteps(r)...)
	}
	if isGroup(r) {
		return append(append(steps, "Push to the pull request that it concerns, and put it back into the queue."), groupSteps(r)...)
	}
	return append(steps, againStep(r))
}

// fewFindings is up to how many findings the first screen says itself how each is mended.
const fewFindings = 3

// fixSteps says how to mend what blocks: each finding by itself when there are few.
func fixSteps(r *report.Report, safe func(string) string) []string {
	list := ofSeverity(r, block)
	if len(list) == 0 || r.Counts.Block > fewFindings || slices.ContainsFunc(list, func(f report.Finding) bool { return !isCode(f.Code) || f.Fix == "" }) {
		return []string{fmt.Sprintf("Fix %s. %s", theFindings(r.Counts.Block), explain(r, block))}
	}
	var steps []string
	for _, f := range list {
		steps = append(steps, "`"+f.Code+"`: "+safe(sentence(f.Fix)))
	}
	return append(steps, explain(r, block))
}

// sentence closes a fix with a full stop, unless it is a question.
func sentence(fix string) string {
	if strings.HasSuffix(fix, "?") {
		return fix
	}
	return fix + "."
}

// againStep says how the gate comes to look again. What hangs on people and not on the code must not be pushed for: a
// push makes an approval void.
func againStep(r *report.Report) string {
	codes := map[string]bool{}
	for _, f := range ofSeverity(r, block) {
		codes[f.Code] = true
	}
	delete(codes, "scope.base_branch") // retargeting starts the gate
	switch waits := codes["approval.missing"]; {
	case len(codes) == 0:
		return "Then the gate runs by itself."
	case waits && len(codes) == 1:
		return "Then re-run the job: a review does not start it, and a push makes an approval void."
	default:
		return "Then run the gate again; in a pull request, push."
	}
}

// unknownSteps says what to do about what could not be had.
func unknownSteps(r *report.Report) []string {
	list, moved := ofSeverity(r, unknown), false
	for _, f := range list {
		moved = moved || f.Code == "subject.moved"
	}
	var steps []string
	if moved {
		steps = append(steps, "The pull request has moved since this run began: look at its newest run, or re-run the job.")
	}
	if !moved || len(list) > 1 {
		steps = append(steps, fmt.Sprintf("%s could not be had: do what each finding says, then run the gate again. %s",
			plural(int64(r.Counts.Unknown), "fact"), explain(r, unknown)))
	}
	return steps
}

func theFindings(n int) string {
	if n == 1 {
		return "the finding that blocks"
	}
	return fmt.Sprintf("the %d findings that block", n)
}

// explain names the command that explains the first finding of a severity.
func explain(r *report.Report, severity string) string {
	list := ofSeverity(r, severity)
	if len(list) == 0 || !isCode(list[0].Code) {
		return "`closeout explain CODE` says what a code means and how to mend it."
	}
	return "`closeout explain " + list[0].Code + "` says what a code means and how to mend it."
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

// overrideLine is the comment that a human would write, or "" when there is nothing that could be overridden: outside a
// pull request there is nowhere to write it, and what the contract keeps from being overridden no comment lets through.
func overrideLine(r *report.Report) string {
	if r.OverrideCode == nil || r.Subject.PullRequest == nil || r.Verdict != report.Failed || isUsage(r) || r.Settings.Override == nil || neverCode(r) != "" {
		return ""
	}
	return "/closeout-override " + Neutral(*r.OverrideCode) + " <why>"
}

// neverCode is the code of a finding that blocks and that nobody can override; "" when there is none.
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

// overrideWho says who could let the findings through. Permissions, logins and slugs have a narrow syntax; the words are
// neutralised all the same.
func overrideWho(r *report.Report) string {
	rule := r.Settings.Override
	words := []string{"someone with at least " + rule.Permission + " permission"}
	if len(rule.Users) > 0 {
		words = append(words, strings.Join(rule.Users, ", "))
	}
	if len(rule.Teams) > 0 {
		words = append(words, "a member of "+strings.Join(rule.Teams, ", "))
	}
	author := ", but nobody who has a part in the change"
	if rule.AllowAuthor {
		author = ", or the author of the pull request, but nobody else who has a part in the change"
	}
	return line(strings.Join(words, ", or ") + author)
}

// overrideSteps says what to do with the comment of [overrideLine], in sentences; label is the label as the format shows
// such a text.
func overrideSteps(r *report.Report, label string) string {
	steps := "and put the label " + label + " on the pull request. " + report.CodeMeaning + " If the label does not start the gate (a " +
		"workflow that a ruleset requires never runs on labels), re-run the job after labelling."
	if r.Counts.Unknown > 0 {
		steps += " It does not count while anything is unknown."
	}
	return steps
}

// overrideNever says that no label helps; "" when one could.
func overrideNever(r *report.Report) string {
	code := neverCode(r)
	if code == "" || r.Subject.PullRequest == nil || r.Verdict != report.Failed {
		return ""
	}
	return "No label can let this through: the contract keeps " + line(code) + " from being overridden."
}
