package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// isGroup reports whether the report is about a merge group.
func isGroup(r *report.Report) bool { return r.PullRequests != nil }

// pullName is the name of a pull request of a group.
func pullName(number int64) string { return fmt.Sprintf("pull request %d", number) }

// pullLine is a pull request of a group in one line: verdict, findings, and who overrode them.
func pullLine(p *report.PullRequest) string {
	text := pullName(p.Number) + ": " + Neutral(p.Verdict) + ", " + pullCounts(p)
	if p.Override != nil {
		text += ", overridden by " + Line(p.Override.Who()) + ": " + Line(p.Override.Why())
	}
	return text
}

func pullCounts(p *report.PullRequest) string {
	counts := report.Report{Counts: report.Counts{Block: p.Counts.Block, Unknown: p.Counts.Unknown, Warn: p.Counts.Warn, Info: p.Counts.Info}}
	return CountWords(&counts)
}

// groupSteps says what to do about a merge group that failed. Findings of the group itself cannot be overridden; those of a
// pull request are overridden there.
func groupSteps(r *report.Report) []string {
	var steps []string
	own := r.Counts.Block
	for i := range r.PullRequests {
		own -= r.PullRequests[i].Counts.Block
	}
	if own > 0 {
		steps = append(steps, fmt.Sprintf("%s of the merge group itself cannot be overridden: "+
			"fix the pull request that causes it, or remove that pull request from the queue.", input.Plural(own, "blocking finding")))
	}
	for i := range r.PullRequests {
		if step := pullStep(r, &r.PullRequests[i]); step != "" {
			steps = append(steps, step)
		}
	}
	return steps
}

// pullStep says how a person overrides the blocking findings of a pull request of a group; "" when there are none, or no
// override is possible.
func pullStep(r *report.Report, p *report.PullRequest) string {
	if p.OverrideCode == nil || p.Verdict != report.Failed || r.Settings.Override == nil {
		return ""
	}
	name := pullName(p.Number)
	for _, f := range ofSeverity(r, block) {
		if never := neverOf(r, f); f.Location.PullRequest == p.Number && never != "" {
			return "No label on " + name + " can override its findings: the contract lists " + Line(never) + " under override.never."
		}
	}
	for _, refused := range p.OverrideRefused {
		if refused.Condition == "content" { // a comment with the code would be refused as well
			return "The label on " + name + " does not count: " + Line(refused.Why) + "."
		}
	}
	return "A person who may override can comment " +
		inQuotes(report.Command+" "+*p.OverrideCode+" <why>") + " on " + name + ", add the label " + inQuotes(r.Settings.Override.Label) +
		" to it, and add it to the queue again." + others(r.Settings.Override)
}

// inQuotes quotes a text in a step the way that every format accepts.
func inQuotes(s string) string { return "`" + strings.ReplaceAll(Line(s), "`", "'") + "`" }

// mdPulls is a row for each pull request of a group.
func mdPulls(r *report.Report) section {
	if len(r.PullRequests) == 0 {
		return section{}
	}
	return section{
		head: fmt.Sprintf("### Pull requests in the group: %d\n\n", len(r.PullRequests)) +
			MDHead("Pull request", "Verdict", "Findings of its own", "Files", "Task", "Head", "Overridden by"),
		count: len(r.PullRequests), left: leftRow(7), tail: "\n",
		item: func(i int) string {
			p := &r.PullRequests[i]
			by := ""
			if p.Override != nil {
				by = MDCode(p.Override.Who()) + ": " + MDText(p.Override.Why())
			}
			return MDRow(fmt.Sprint(p.Number), verdictSigns[p.Verdict]+MDText(p.Verdict), pullCounts(p), fmt.Sprint(p.Counts.Files),
				MDCode(text(p.TaskID)), MDCode(text(p.HeadSHA)), by)
		},
	}
}

// refusals are the refused labels, and where they are: "" outside of a group.
func refusals(r *report.Report) (list []report.Refusal, at []string) {
	list, at = slices.Clone(r.OverrideRefused), make([]string, len(r.OverrideRefused))
	for _, p := range r.PullRequests {
		for _, refused := range p.OverrideRefused {
			list, at = append(list, refused), append(at, " on "+pullName(p.Number))
		}
	}
	return list, at
}

// overrideReason is why a finding was overridden.
func overrideReason(r *report.Report, f report.Finding) string {
	for _, p := range r.PullRequests {
		if p.Number == f.Location.PullRequest && p.Override != nil {
			return p.Override.Reason
		}
	}
	return text(r.OverrideReason)
}
