package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// clauseOf is the place in a contract that decides about a finding, as path:line; "" when there is none, and where the finding
// is there itself.
func clauseOf(f report.Finding) string {
	if f.Contract == nil || f.Contract.Line == 0 || (f.Contract.Path == f.Location.Path && f.Contract.Line == f.Location.Line) {
		return ""
	}
	return place(report.Location{Path: f.Contract.Path, Line: f.Contract.Line})
}

// tailTitle says what the lines of an output are.
func tailTitle(o *report.Output) string {
	if len(o.Lines) == 1 {
		return "last line of " + Line(o.Stream)
	}
	return fmt.Sprintf("last %d lines of %s", len(o.Lines), Line(o.Stream))
}

// firstError is the line of an output that explains most; "" when the finding has no output.
func firstError(f report.Finding) string {
	if f.Output == nil {
		return ""
	}
	return f.Output.Error
}

// plainTail writes the output of a finding, each line after a prefix.
func plainTail(b *strings.Builder, f report.Finding, prefix string) {
	if f.Output == nil {
		return
	}
	for _, l := range f.Output.Lines {
		b.WriteString(strings.TrimRight(prefix+Line(l), " ") + "\n")
	}
}

// mdTail is the output of a finding as a folded code block in a list item of the second level. The fence is longer than each run
// of backticks in it; within a code block nothing else has a meaning.
func mdTail(o *report.Output) string {
	const indent = "    "
	var lines []string
	longest := 2
	for _, l := range o.Lines {
		l = strings.ReplaceAll(Line(l), strings.Repeat("`", fenceLimit+1), strings.Repeat(`\x60`, fenceLimit+1))
		for run := longest + 1; strings.Contains(l, strings.Repeat("`", run)); run++ {
			longest = run
		}
		lines = append(lines, strings.TrimRight(indent+l, " ")+"\n")
	}
	fence := indent + strings.Repeat("`", longest+1)
	return "  - " + details("Output: the "+tailTitle(o)) + fence + "text\n" + strings.Join(lines, "") + fence + "\n\n" + indent + "</details>\n"
}

// runCommand is the command that records what the contract requires and judges again: one criterion, or all with "".
func runCommand(r *report.Report, criterion string) string {
	words := []string{"closeout", "run"}
	tasks := r.Settings.Tasks
	if r.Settings.Task != nil {
		tasks = []string{*r.Settings.Task}
	}
	for _, id := range tasks {
		words = append(words, "--task", id)
	}
	if criterion != "" {
		words = append(words, "--only", criterion)
	}
	return Line(command(words))
}

// isRemote reports whether a workflow judged, about a pull request or a merge group: there, a workflow runs the gate again.
func isRemote(r *report.Report) bool {
	return r.Subject.PullRequest != nil || r.Settings.Event != nil || isGroup(r)
}

// keptBack says why evidence did not reach the level that it must have; "" where it did, or no level was compared. why is the
// reason that the report gives, and finding tells whether a finding is about the evidence.
func keptBack(r *report.Report, level string, why *string, finding func(f report.Finding) bool) string {
	about := func(f report.Finding) bool { return strings.HasPrefix(f.Code, "evidence.") && finding(f) }
	l := input.Level(level)
	below := l != input.Absent && l.Rank() < input.Level(r.Settings.EvidenceMin).Rank()
	if why == nil || (!below && !slices.ContainsFunc(r.Findings, about)) {
		return ""
	}
	return *why
}

// keptCriterion is [keptBack] of a criterion. The reason may also be a control that is not proven.
func keptCriterion(r *report.Report, a report.Acceptance) string {
	if a.KeptFrom != nil && strings.HasPrefix(*a.KeptFrom, "its negative control ") {
		return *a.KeptFrom
	}
	return keptBack(r, a.Level, a.KeptFrom, func(f report.Finding) bool { return f.Criterion == a.ID })
}

// keptCompanion is [keptBack] of a report.
func keptCompanion(r *report.Report, c report.Companion) string {
	return keptBack(r, c.Level, c.KeptFrom, func(f report.Finding) bool { return f.Location.Path == c.Path })
}
