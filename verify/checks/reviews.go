package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// markAlone marks the invented rows beside which nothing says whether their rule is broken.
func markAlone(rows []check.RuleRow) {
	type speaker struct{ id, reviewer string }
	speaks := map[speaker]bool{}
	for _, r := range rows {
		speaks[speaker{r.ID, r.Reviewer}] = speaks[speaker{r.ID, r.Reviewer}] || !r.Invented
	}
	for i := range rows {
		rows[i].Alone = !speaks[speaker{rows[i].ID, rows[i].Reviewer}]
	}
}

// judgeReviewed requires that each reviewer of a rule judged it, and weighs what they object to.
func judgeReviewed(p *check.Pass, rule *policy.Rule, rows []check.RuleRow, exceptions *policy.Exceptions) {
	declared := func(r check.RuleRow) bool { return slices.Contains(rule.Reviewers, r.Reviewer) }
	for _, id := range rule.Reviewers {
		own := slices.DeleteFunc(slices.Clone(rows), func(r check.RuleRow) bool { return r.Reviewer != id })
		failed := slices.IndexFunc(own, func(r check.RuleRow) bool { return !r.Passed })
		switch {
		case len(own) == 0:
			reportNotJudged(p, rule, id)
		case failed >= 0 && slices.ContainsFunc(own, func(r check.RuleRow) bool { return r.Passed }):
			p.Report(rowFinding("rule.duplicate", own[failed], check.Finding{
				Message:  fmt.Sprintf("the reviewer %q says of the rule %q that it passed, and that it did not", id, rule.ID.Value),
				Expected: "a row that passed, or rows with objections", Actual: "both",
				Fix: "let the reviewer report that the rule passed only where it objects to nothing", Identity: []string{id},
			}))
		}
	}
	type lines struct{ file, words string }
	agreed := map[lines][]string{} // the reviewers who object to the same lines
	place := func(r check.RuleRow) lines { return lines{r.File, r.QuotedWords()} }
	for i := range rows {
		r := &rows[i]
		if !r.Passed && !r.Unknown && r.File != "" && r.Quote == "" && !p.Policy.OpenCatalogue && reviewed(p, rule, *r) == input.Block {
			r.Invented = true // the lines cannot be looked up
		}
		objects := !r.Passed && !r.Invented && declared(*r)
		if at := place(*r); objects && !slices.Contains(agreed[at], r.Reviewer) {
			agreed[at] = append(agreed[at], r.Reviewer)
		}
	}
	markAlone(rows)
	for _, r := range rows {
		severity := reviewed(p, rule, r)
		switch few := int64(len(agreed[place(r)])); {
		case p.Policy.OpenCatalogue || r.Passed || r.Unknown:
		case r.Invented:
			r.Alone = r.Alone && declared(r)
		case !declared(r):
			severity = milder(severity, input.Warn)
		case few < rule.Agree:
			row := *r.Row
			row.Detail = strings.TrimSpace(fmt.Sprintf("(%d of %d reviewers who must agree) %s", few, rule.Agree, r.Detail))
			r.Row, severity = &row, input.Info
		}
		reportRow(p, r, severity, exceptions)
	}
}

// reviewed is the severity of an objection: what the reviewer says, but no more than the contract takes it for. A catalogue that
// the standing contract does not have makes nothing milder.
func reviewed(p *check.Pass, rule *policy.Rule, r check.RuleRow) input.Severity {
	if p.Policy.OpenCatalogue {
		return input.Stricter(rule.Severity, stated(r, input.Block))
	}
	return milder(rule.Severity, stated(r, input.Block))
}

func milder(a, b input.Severity) input.Severity {
	if input.Stricter(a, b) == a {
		return b
	}
	return a
}

// reportInvented reports an objection that names no lines of the change's code. severity is what it weighs where the
// lines stand there.
func reportInvented(p *check.Pass, r check.RuleRow, severity input.Severity) {
	f := check.Finding{
		Message:  fmt.Sprintf("an objection under the rule %q quotes lines that the file does not contain", r.ID),
		Expected: "lines of the file as the head has it", Actual: input.Quote(input.CutTo(r.Quote, 120)),
		Fix: "let the reviewer quote the file that it judges, then run it again",
	}
	if r.Quote == "" {
		f.Message, f.Actual = fmt.Sprintf("an objection under the rule %q quotes no lines of its file", r.ID), "no quote"
	}
	if r.Detail != "" {
		f.Message += ": " + r.Detail
	}
	if r.Alone {
		f.Severity = severity
		if severity == input.Block {
			f.Severity = input.Unknown
		}
	}
	p.Report(rowFinding("rule.quote_missing", r, f))
}
