package verify

import (
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/report"
)

// decideOverride decides whether a person accepted what blocks. It runs the override check, which depends on the findings of
// all other checks, and puts its result in its place.
func (j *judged) decideOverride() {
	i := slices.IndexFunc(j.checks, func(c report.Check) bool { return c.ID == checks.OverrideCheck.ID })
	if i < 0 || j.Facts == nil || j.Facts.GitHub == nil || j.Facts.GitHub.PullRequest == nil {
		return
	}
	decision := override.Decide(j.question())
	inputs := j.Inputs
	inputs.Override = &decision
	result := check.Run([]*check.Check{checks.OverrideCheck}, codes(), &inputs)[0]
	j.checks[i] = j.add(&result)
	for _, refused := range decision.Refused {
		j.refused = append(j.refused, report.Refusal{
			Label: refused.Label, Actor: refused.Actor, Condition: refused.Row.Condition, Why: fmt.Sprintf("%s; %s", refused.Why, refused.Do),
		})
	}
	if decision.Grant != nil { // so something blocks, and nothing is unknown
		j.accept(decision.Grant)
	}
}

func (j *judged) question() *override.Question {
	q := &override.Question{
		Facts: j.Facts, Rule: j.Rule, Head: j.Facts.Subject.HeadSHA, Unknown: j.counts.Unknown,
		Blocked: slices.Sorted(slices.Values(j.blockingCodes)), OtherContent: j.otherContent(),
	}
	for _, f := range j.findings {
		if f.Severity == string(input.Block) {
			q.Printed = append(q.Printed, f.Message, f.Fix, f.Expected, f.Actual, shownAt(f.Location)+" "+f.Severity+" "+f.Code+" "+f.Message)
			q.Names = append(q.Names, f.Code, f.Location.Path, f.Rule, f.Criterion)
			if c := checks.ByCode(f.Code); c != nil {
				q.Printed = append(q.Printed, c.Title, checks.Section(f.Code))
			}
		}
	}
	q.Printed = append(q.Printed, report.CodeMeaning)
	for _, row := range override.Table {
		q.Printed = append(q.Printed, row.Title)
	}
	if j.code != nil {
		q.Code = *j.code
	}
	return q
}

// shownAt is a location as a report shows it.
func shownAt(l report.Location) string { return fmt.Sprintf("%s:%d:%d", l.Path, l.Line, l.Column) }

// otherContent lists the paths of findings that block to which a merge group gives another content than the pull request.
// The paths of findings beyond the list are unknown, so then each such path counts.
func (j *judged) otherContent() []string {
	if j.Member == nil {
		return nil
	}
	blocked, listed := map[string]bool{}, 0
	for _, f := range j.findings {
		if f.Severity == string(input.Block) {
			blocked[f.Location.Path], listed = true, listed+1
		}
	}
	var paths []string
	for _, path := range j.Member.Other {
		if blocked[check.Valid(path)] || listed < len(j.blocking) {
			paths = append(paths, input.QuotePath(path))
		}
	}
	return paths
}

// accept marks every finding that blocks, and names the ones that are not listed as well.
func (j *judged) accept(g *override.Grant) {
	j.override = &report.Override{
		Actor: g.Actor, ActorID: g.ActorID, At: g.At, Label: g.Label, Reason: g.Reason, HeadSHA: j.Facts.Subject.HeadSHA,
		Accepted: slices.Clone(j.blocking),
	}
	for _, v := range g.Others {
		j.override.Others = append(j.override.Others, report.Voice(v))
	}
	for i := range j.findings {
		if f := &j.findings[i]; f.Severity == string(input.Block) {
			f.Overridden = true
		}
	}
}

// reportRule is who may override, for readers of the report; nil when it is unknown.
func reportRule(rule *override.Rule) *report.Rule {
	if rule == nil {
		return nil
	}
	people := rule.People
	if people == 1 {
		people = 0
	}
	return &report.Rule{
		People: people, Label: rule.Label, Permission: rule.Permission, Users: slices.Clone(rule.Users), Teams: slices.Clone(rule.Teams),
		Binding: rule.Binding, AllowAuthor: rule.AllowAuthor, Never: slices.Clone(rule.Never),
	}
}
