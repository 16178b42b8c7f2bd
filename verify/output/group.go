package output

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/report"
)

// isGroup reports whether the report is about a merge group.
func isGroup(r *report.Report) bool { return r.PullRequests != nil }

// pullName is what a pull request of a group is called.
func pullName(number int64) string { return fmt.Sprintf("pull request %d", number) }

// pullLine is a pull request of a group in one line: verdict, findings, and who let them through.
func pullLine(p *report.PullRequest) string {
	text := pullName(p.Number) + ": " + Neutral(p.Verdict) + ", " + pullCounts(p)
	if p.Override != nil {
		text += ", let through by " + line(p.Override.Actor) + ": " + line(p.Override.Reason)
	}
	return text
}

func pullCounts(p *report.PullRequest) string {
	counts := report.Report{Counts: report.Counts{Block: p.Counts.Block, Unknown: p.Counts.Unknown, Warn: p.Counts.Warn, Info: p.Counts.Info}}
	return countWords(&counts)
}

// groupSteps says what to do about a merge group that failed: nobody can override what is the group's own, and what is a
// pull request's is let through there.
func groupSteps(r *report.Report) []string {
	var steps []string
	own := r.Counts.Block
	for i := range r.PullRequests {
		own -= r.PullRequests[i].Counts.Block
	}
	if own > 0 {
		steps = append(steps, fmt.Sprintf("Of the findings that block, %d %s the group's own, and nobody can override those: "+
			"mend the pull request that causes them, or leave it out of the queue.", own, isOrAre(own)))
	}
	for i := range r.PullRequests {
		if step := pullStep(r, &r.PullRequests[i]); step != "" {
			steps = append(steps, step)
		}
	}
	return steps
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// pullStep says how a person lets through what blocks in a pull request of a group; "" when there is nothing, or nobody
// can.
func pullStep(r *report.Report, p *report.PullRequest) string {
	if p.OverrideCode == nil || p.Verdict != report.Failed || r.Settings.Override == nil {
		return ""
	}
	name := pullName(p.Number)
	for _, f := range ofSeverity(r, block) {
		if f.Location.PullRequest == p.Number && slices.Contains(r.Settings.Override.Never, f.Code) {
			return "No label on " + name + " can let it through: the contract keeps " + line(f.Code) + " from being overridden."
		}
	}
	for _, refused := range p.OverrideRefused {
		if refused.Condition == "content" { // the code that is shown would be refused as well
			return "The label on " + name + " does not count: " + line(refused.Why) + "."
		}
	}
	return "What blocks in " + name + " can be let through there, by who may override it: comment " +
		inQuotes("/closeout-override "+*p.OverrideCode+" <why>") + " on " + name + ", put the label " + inQuotes(r.Settings.Override.Label) +
		" on it, and put it back into the queue."
}

// inQuotes puts a text into the quotes of a step, which every format takes.
func inQuotes(s string) string { return "`" + strings.ReplaceAll(line(s), "`", "'") + "`" }

// mdPulls is a row for each pull request of a group.
func mdPulls(r *report.Report) section {
	if len(r.PullRequests) == 0 {
		return section{}
	}
	return section{
		head: fmt.Sprintf("### Pull requests in the group: %d\n\n", len(r.PullRequests)) +
			mdHead("Pull request", "Verdict", "Findings of its own", "Files", "Task", "Head", "Let through by"),
		count: len(r.PullRequests), left: leftRow(7), tail: "\n",
		item: func(i int) string {
			p := &r.PullRequests[i]
			by := ""
			if p.Override != nil {
				by = mdCode(p.Override.Actor) + ": " + mdText(p.Override.Reason)
			}
			return mdRow(fmt.Sprint(p.Number), verdictSigns[p.Verdict]+mdText(p.Verdict), pullCounts(p), fmt.Sprint(p.Counts.Files),
				mdCode(text(p.TaskID)), mdCode(text(p.HeadSHA)), by)
		},
	}
}

// refusals are the labels that did not count, and where they are: "" outside of a group.
func refusals(r *report.Report) (list []report.Refusal, at []string) {
	list, at = slices.Clone(r.OverrideRefused), make([]string, len(r.OverrideRefused))
	for _, p := range r.PullRequests {
		for _, refused := range p.OverrideRefused {
			list, at = append(list, refused), append(at, " on "+pullName(p.Number))
		}
	}
	return list, at
}

// overrideReason is why a finding was let through.
func overrideReason(r *report.Report, f report.Finding) string {
	for _, p := range r.PullRequests {
		if p.Number == f.Location.PullRequest && p.Override != nil {
			return p.Override.Reason
		}
	}
	return text(r.OverrideReason)
}
