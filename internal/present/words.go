package present

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// The severities as a report spells them, the most severe first.
const (
	block   = string(input.Block)
	unknown = string(input.Unknown)
	warn    = string(input.Warn)
	info    = string(input.Info)
)

var severities = []string{block, unknown, warn, info}

// SeverityOf returns the severity of f. An unknown word counts as block, so that no finding is lost.
func SeverityOf(f report.Finding) string {
	switch f.Severity {
	case unknown, warn, info:
		return f.Severity
	}
	return block
}

// ofSeverity returns the listed findings of the given severities, in the order of the report.
func ofSeverity(r *report.Report, words ...string) []report.Finding {
	var list []report.Finding
	for _, word := range words {
		for _, f := range r.Findings {
			if SeverityOf(f) == word {
				list = append(list, f)
			}
		}
	}
	return list
}

// countOf returns how many findings of a severity there are, listed or not.
func countOf(r *report.Report, severity string) int {
	switch severity {
	case unknown:
		return r.Counts.Unknown
	case warn:
		return r.Counts.Warn
	case info:
		return r.Counts.Info
	}
	return r.Counts.Block
}

// CountWords is "3 block, 1 warn", or "no findings".
func CountWords(r *report.Report) string {
	var parts []string
	for _, s := range severities {
		if n := countOf(r, s); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if len(parts) == 0 {
		return "no findings"
	}
	return strings.Join(parts, ", ")
}

// Shares are the parts of a whole that numbers have. They add up to the whole: those that lost most by rounding down get what is left.
func Shares(numbers []int, whole int) []int {
	sum := 0
	for _, n := range numbers {
		sum += n
	}
	all := max(sum, 1)
	parts, order := make([]int, len(numbers)), make([]int, len(numbers))
	left := whole
	for i, n := range numbers {
		parts[i], order[i] = whole*n/all, i
		left -= parts[i]
	}
	if sum == 0 {
		return parts
	}
	input.SortStable(order, func(a, b int) int { return cmp.Compare(whole*numbers[b]%all, whole*numbers[a]%all) })
	for _, i := range order[:left] {
		parts[i]++
	}
	return parts
}

// summaryTail is the summary line after the verdict: the counts and the note about observe mode.
func summaryTail(r *report.Report) string {
	tail := fmt.Sprintf(": %s · %s · %s", CountWords(r),
		input.Plural(r.Counts.Files, "file"), input.Plural(r.Counts.Records, "record"))
	if note := observeNote(r); note != "" {
		tail += " · " + note
	}
	return tail
}

// observeNote says how --mode observe affects the exit code; it is empty in enforce mode. A usage error still exits 2.
func observeNote(r *report.Report) string {
	switch {
	case r.Mode != "observe":
		return ""
	case isUsage(r):
		return "OBSERVE MODE, but a usage error still exits 2"
	case r.Passed:
		return "OBSERVE MODE: nothing is enforced"
	}
	return fmt.Sprintf("OBSERVE MODE: exit 0 although the verdict is %s", Neutral(r.Verdict))
}

// isUsage reports whether the gate was not called or configured correctly, which says nothing about the change.
func isUsage(r *report.Report) bool { return hasCode(r.Findings, "usage.invalid") }

func hasCode(list []report.Finding, code string) bool {
	return slices.ContainsFunc(list, func(f report.Finding) bool { return f.Code == code })
}

// place is path:line:column as far as known; empty when the finding has no path.
func place(l report.Location) string {
	switch {
	case l.Path == "":
		return ""
	case l.Line <= 0:
		return l.Path
	case l.Column <= 0:
		return fmt.Sprintf("%s:%d", l.Path, l.Line)
	}
	return fmt.Sprintf("%s:%d:%d", l.Path, l.Line, l.Column)
}

// marks are notes on a finding, such as " (pull request 7, 3 times, overridden)", or "".
func marks(f report.Finding) string {
	var words []string
	if f.Location.PullRequest > 0 {
		words = append(words, pullName(f.Location.PullRequest))
	}
	if f.Times > 1 {
		words = append(words, input.Plural(f.Times, "time"))
	}
	if f.Overridden {
		words = append(words, "overridden")
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// plainWord are the bytes that a shell does not interpret.
const plainWord = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

// command writes argv quoted for a shell, so that word borders are visible.
func command(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		if word == "" || strings.Trim(word, plainWord) != "" {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}

// criterionCommand is the command of a criterion and how it differs from a plain run at the root: "go vet ./... (in web)".
func criterionCommand(a report.Acceptance) string {
	var notes []string
	if a.Cwd != "" && a.Cwd != "." {
		notes = append(notes, "in "+a.Cwd)
	}
	if a.Expect == "fail" {
		notes = append(notes, "must fail")
	}
	if a.PullRequest != nil {
		notes = append(notes, pullName(*a.PullRequest))
	}
	if len(notes) == 0 {
		return command(a.Run)
	}
	return command(a.Run) + " (" + strings.Join(notes, ", ") + ")"
}

// passedCriteria counts the criteria that passed.
func passedCriteria(r *report.Report) int {
	n := 0
	for _, a := range r.Acceptance {
		if a.Outcome == report.OutcomePassed {
			n++
		}
	}
	return n
}

// requiredCriteria counts the criteria that the change requires.
func requiredCriteria(r *report.Report) int {
	n := 0
	for _, a := range r.Acceptance {
		if a.Outcome != report.OutcomeNotRequired {
			n++
		}
	}
	return n
}

// criteriaWords is "1 of 3 acceptance criteria passed".
func criteriaWords(r *report.Report) string {
	required := requiredCriteria(r)
	also := ""
	if left := len(r.Acceptance) - required; left > 0 {
		also = fmt.Sprintf(", %d not required", left)
	}
	switch {
	case required == 0 && also != "":
		return "no acceptance criterion is required" + also
	case required == 0:
		return "no acceptance criterion was judged"
	case required == 1:
		return fmt.Sprintf("%d of 1 acceptance criterion passed%s", passedCriteria(r), also)
	}
	return fmt.Sprintf("%d of %d acceptance criteria passed%s", passedCriteria(r), required, also)
}

// crossLines is what the tests of the base show, a line for a criterion: "old tests on the new code (unit): 298 of 298 passed". Only
// some outcomes count, where some are given.
func crossLines(r *report.Report, outcomes ...string) []string {
	const most = 20
	var lines []string
	for _, c := range r.Cross {
		if len(outcomes) == 0 || slices.Contains(outcomes, c.Outcome) {
			lines = append(lines, crossTree(c)+" ("+c.Criterion+"): "+c.Shown)
		}
	}
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("… and %d more", more))
	}
	return lines
}

// crossTree is what was run on what.
func crossTree(c report.Cross) string {
	if c.Tree == "new_tests" {
		return "new tests on the old code"
	}
	return "old tests on the new code"
}

// text returns what p points to, or "" for null.
func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// testWords says how many tests the report of a criterion lists, and how many of them failed; "" without a report.
func testWords(a *report.Acceptance) string {
	switch {
	case a.Tests == nil:
		return ""
	case a.TestsFailed == nil:
		return input.Plural(*a.Tests, "test")
	}
	return fmt.Sprintf("%d of %s", *a.TestsFailed, input.Plural(*a.Tests, "test"))
}
