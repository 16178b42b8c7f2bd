package present

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/report"
)

// nextSteps says what a developer does next in a format that shows each fix beside its finding: [afterSteps], and where to read more.
// It is empty when there is nothing to do. [overrideSteps] says how to override.
func nextSteps(r *report.Report) []string {
	after := afterSteps(r)
	if len(after) == 0 {
		return nil
	}
	code, severity := "CODE", block
	if r.Verdict == report.Review {
		severity = unknown
	}
	if list := inFixOrder(ofSeverity(r, severity)); len(list) > 0 { // the finding that is shown first
		code = cmp.Or(nameOf(list[0]), code)
	}
	return append([]string{"`closeout explain " + code + "` explains what a code means and how to fix it."}, after...)
}

// afterSteps says what to do beyond the fixes, for a page that shows each fix beside its finding.
func afterSteps(r *report.Report) []string {
	var steps []string
	switch {
	case isUsage(r):
		return []string{"The gate was not called or configured correctly; the change was not judged. Correct this, then run it again."}
	case r.Verdict == report.Failed && isGroup(r):
		steps = append([]string{"Push to the pull request with the findings, and add it to the queue again."}, groupSteps(r)...)
	case r.Verdict == report.Failed:
		steps = []string{againStep(r)}
	case r.Verdict == report.Review:
		steps = []string{"Nothing is known to be wrong, but unknown findings cannot be overridden."}
	}
	if len(steps) > 0 && hasCode(ofSeverity(r, unknown), "subject.moved") {
		steps = append(steps, movedStep)
	}
	return steps
}

const movedStep = "The pull request has changed since this run started: see its newest run, or re-run the job."

// fixOrder is the order in which fixes have the most effect: what cannot be read hides other findings, and an edit makes
// records stale, so commands come last. A code that begins with none of them comes before commands.
var fixOrder = []string{"usage.", "limit.", "contract.", "diff.", "facts.", "subject.", "cross.", "scope.", "group.", "rule", "closeout/"}

// commandCodes begin the codes of findings that a command must be run for.
var commandCodes = []string{"acceptance.", "coverage.", "evidence.", "feedback."}

func fixRank(code string) int {
	begins := func(prefix string) bool { return strings.HasPrefix(code, prefix) }
	if i := slices.IndexFunc(fixOrder, begins); i >= 0 {
		return i
	}
	if i := slices.IndexFunc(commandCodes, begins); i >= 0 {
		return len(fixOrder) + 1 + i
	}
	return len(fixOrder)
}

// withoutEffects leaves out what only follows from another finding: without a contract that can be read, nothing says what to record.
func withoutEffects(list []report.Finding) []report.Finding {
	if !hasCode(list, "contract.missing") && !hasCode(list, "contract.malformed") {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), isEffect)
}

// isEffect reports whether a finding only follows where no contract can be read.
func isEffect(f report.Finding) bool {
	return f.Code == "feedback.missing" || f.Code == "rules.missing"
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
		return "Then choose Re-run failed jobs: a review does not start the gate, it judges again with the evidence that is there, and a push makes an approval void."
	case isRemote(r):
		return "Then push: the gate runs again. Before that, " + inQuotes(runCommand(r, "")) + " in your checkout shows whether it will pass."
	default:
		return "Then commit, and record and judge everything again: " + inQuotes(runCommand(r, "")) + "."
	}
}

// isRule reports whether a text is the id of a diff rule that can be quoted in every format.
func isRule(s string) bool {
	name, ok := strings.CutPrefix(s, "closeout/")
	return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// nameOf is what a finding is called: its diff rule, else its code; "" for what cannot be quoted in every format.
func nameOf(f report.Finding) string {
	switch {
	case isRule(f.Rule):
		return f.Rule
	case isCode(f.Code):
		return f.Code
	}
	return ""
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

// neverCode is the code, or the diff rule, of a blocking finding that cannot be overridden; "" when there is none.
func neverCode(r *report.Report) string {
	if r.Settings.Override == nil {
		return ""
	}
	for _, f := range ofSeverity(r, block) {
		if never := neverOf(r, f); never != "" {
			return never
		}
	}
	return ""
}

// neverOf is what keeps a finding from being overridden: its code or its diff rule; "" for nothing.
func neverOf(r *report.Report, f report.Finding) string {
	for _, name := range []string{f.Code, f.Rule} {
		if name != "" && slices.Contains(r.Settings.Override.Never, name) {
			return name
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
	return Line(strings.Join(words, ", or ") + part)
}

// overrideSteps says what to do with the comment of [overrideLine]; label is the label as the format shows it.
func overrideSteps(r *report.Report, label string) string {
	steps := "and add the label " + label + " to the pull request. " + report.CodeMeaning + " If the label does not start the gate (a " +
		"workflow that a ruleset requires never runs on labels), choose Re-run failed jobs after you add the label: that judges again with " +
		"the evidence that is there."
	if r.Settings.Override.Binding == "event" {
		steps += " Where the label starts the gate, a label that begins with " + label + ", a colon and a reason of its own is enough."
	}
	steps += others(r.Settings.Override)
	if r.Counts.Unknown > 0 {
		steps += " It does not count while anything is unknown."
	}
	return steps
}

// others says how many people must comment; "" where it is the one who adds the label.
func others(rule *report.Rule) string {
	if rule.People < 2 {
		return ""
	}
	return fmt.Sprintf(" %d people must override together: each comments the code and a reason, and one of them adds the label.", rule.People)
}

// overrideNever says that the findings cannot be overridden; "" when they can.
func overrideNever(r *report.Report) string {
	code := neverCode(r)
	if code == "" || r.Subject.PullRequest == nil || r.Verdict != report.Failed {
		return ""
	}
	return "These findings cannot be overridden: the contract lists " + Line(code) + " under override.never."
}
