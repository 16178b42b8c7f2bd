package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Loosened lists what a contract lets through that the one before it did not, or requires no more: what a reviewer of the
// contract should have seen. Patterns are compared as text, so that a list written in another way counts too. after is nil for a
// contract that was removed.
func Loosened(before, after *contract.Contract) []string {
	if after == nil {
		return []string{"the contract was removed"}
	}
	l := &loosened{}
	l.scope(before, after)
	l.criteria(before.Criteria, after.Criteria)
	l.approvals(before.Approvals, after.Approvals)
	l.less("threads.logins", values(before.Threads), values(after.Threads))
	if after.ThreadMarkers != nil && before.ThreadMarkers == nil && before.Threads != nil {
		l.say("threads.markers leaves threads out")
	} else if after.ThreadMarkers != nil {
		l.less("threads.markers", values(before.ThreadMarkers), values(after.ThreadMarkers))
	}
	l.rules(&before.Rules, &after.Rules)
	l.budgets(before, after)
	l.coverage(before.Coverage, after.Coverage)
	l.tests(before, after)
	l.override(&before.Override, &after.Override)
	return l.found
}

type loosened struct{ found []string }

func (l *loosened) say(format string, args ...any) {
	l.found = append(l.found, fmt.Sprintf(format, args...))
}

// less says that items of a list are gone; more that there are new ones.
func (l *loosened) less(what string, before, after []string) {
	for _, s := range before {
		if !slices.Contains(after, s) {
			l.say("%s no longer contains %s", what, input.Quote(s))
		}
	}
}

func (l *loosened) more(what string, before, after []string) {
	for _, s := range after {
		if !slices.Contains(before, s) {
			l.say("%s now contains %s", what, input.Quote(s))
		}
	}
}

// texts are the patterns as the contract spells them.
func texts(patterns []contract.Pattern) []string {
	var list []string
	for _, p := range patterns {
		list = append(list, p.Value)
	}
	return list
}

func values(list []input.Text) []string {
	var all []string
	for _, t := range list {
		all = append(all, t.Value)
	}
	return all
}

func (l *loosened) scope(before, after *contract.Contract) {
	if after.AllowedFiles == nil && before.AllowedFiles != nil {
		l.say("allowed_files was removed")
	}
	if before.AllowedFiles != nil {
		l.more("allowed_files", texts(before.AllowedFiles), texts(after.AllowedFiles))
	}
	l.more("docs_paths_soft", texts(before.DocsPathsSoft), texts(after.DocsPathsSoft))
	l.less("forbidden_files", texts(before.ForbiddenFiles), texts(after.ForbiddenFiles))
	l.less("protected_files", texts(before.ProtectedFiles), texts(after.ProtectedFiles))
	l.more("may_touch_protected", values(before.MayTouchProtected), values(after.MayTouchProtected))
	if weaker(cmp.Or(before.OffScope, input.Block), cmp.Or(after.OffScope, input.Block)) {
		l.say("off_scope is now %s", after.OffScope)
	}
	old, now := severities(before), severities(after)
	for _, s := range after.SeverityByPath {
		for _, p := range s.Files {
			if weaker(cmp.Or(old[p.Value], before.OffScope, input.Block), s.Severity) {
				l.say("severity_by_path makes %s %s", input.Quote(p.Value), s.Severity)
			}
		}
	}
	for _, s := range before.SeverityByPath {
		for _, p := range s.Files {
			if now[p.Value] == "" && weaker(s.Severity, cmp.Or(after.OffScope, input.Block)) {
				l.say("severity_by_path no longer contains %s", input.Quote(p.Value))
			}
		}
	}
	// A contract without base_branches names the default branch alone.
	if names := texts(after.BaseBranches); before.BaseBranches != nil {
		l.more("base_branches", texts(before.BaseBranches), names)
	} else if len(names) > 1 || strings.ContainsAny(strings.Join(names, ""), "*?[{") {
		l.say("base_branches names more than the default branch")
	}
	l.more("applies_to.except", names(before.UpdateBots), names(after.UpdateBots))
	if after.AppliesTo != nil && before.AppliesTo == nil {
		l.say("applies_to leaves out authors")
	} else if after.AppliesTo != nil {
		l.less("applies_to", names(before.AppliesTo), names(after.AppliesTo))
	}
}

func names(accounts []contract.Author) []string {
	var list []string
	for _, a := range accounts {
		list = append(list, cmp.Or(a.ID, a.Value))
	}
	return list
}

// severities are the severities of severity_by_path, by pattern.
func severities(c *contract.Contract) map[string]input.Severity {
	all := map[string]input.Severity{}
	for _, s := range c.SeverityByPath {
		for _, p := range s.Files {
			all[p.Value] = input.Stricter(cmp.Or(all[p.Value], s.Severity), s.Severity) // the strictest one counts
		}
	}
	return all
}

// weaker reports whether a severity is less strict than the one before it.
func weaker(before, after input.Severity) bool {
	return before != after && input.Stricter(before, after) == before
}

func (l *loosened) criteria(before, after []contract.Criterion) {
	for _, old := range before {
		i := slices.IndexFunc(after, func(c contract.Criterion) bool {
			if old.IDGiven {
				return c.ID == old.ID
			}
			return slices.Equal(c.Run, old.Run) && c.Cwd == old.Cwd // without ids, a new one or one that is gone renames the others
		})
		if i < 0 {
			l.say("the criterion %s is gone", input.Quote(old.ID))
			continue
		}
		l.criterion(&old, &after[i])
	}
}

func (l *loosened) criterion(old, now *contract.Criterion) {
	name := "the criterion " + input.Quote(old.ID)
	switch {
	case !slices.Equal(old.Run, now.Run) || old.Cwd != now.Cwd:
		l.say("%s runs another command", name)
	case old.ExpectFail != now.ExpectFail:
		l.say("%s expects another end", name)
	}
	if old.Proves.Value != "" && now.Proves.Value != old.Proves.Value {
		l.say("%s no longer proves %s", name, input.Quote(old.Proves.Value))
	}
	if old.MinEvidence != "" && now.MinEvidence.Rank() < old.MinEvidence.Rank() {
		l.say("%s has no min_evidence %s any more", name, old.MinEvidence)
	}
	if now.MaxAttempts > old.MaxAttempts {
		l.say("%s has max_attempts %d", name, now.MaxAttempts)
	}
	unknown := func(c *contract.Criterion) (codes []string) {
		for _, code := range c.UnknownExit {
			codes = append(codes, strconv.FormatInt(code, 10))
		}
		return codes
	}
	if now.ExpectFail {
		l.less("unknown_exit of "+name, unknown(old), unknown(now))
	} else {
		l.more("unknown_exit of "+name, unknown(old), unknown(now))
	}
	switch {
	case (old.TestReport != "" && now.TestReport == "") || now.MinTests < old.MinTests:
		l.say("%s requires fewer tests", name)
	case old.TestReport != "" && (now.TestReport != old.TestReport || now.ReportFrom != old.ReportFrom):
		l.say("%s has another test_report", name)
	}
}

func (l *loosened) approvals(before, after []contract.Approval) {
	for _, old := range before {
		i := slices.IndexFunc(after, func(a contract.Approval) bool { return a.ID.Value == old.ID.Value })
		if i < 0 {
			l.say("the approval %s is gone", input.Quote(old.ID.Value))
			continue
		}
		l.less("the approval "+input.Quote(old.ID.Value), texts(old.Files), texts(after[i].Files))
		l.less("the approval "+input.Quote(old.ID.Value), values(old.Rules), values(after[i].Rules))
		l.fewer("the approval "+input.Quote(old.ID.Value), old.People, after[i].People)
	}
}

func (l *loosened) fewer(what string, before, after int64) {
	if after < before {
		l.say("%s requires fewer people: %d", what, after)
	}
}

func (l *loosened) rules(before, after *contract.RuleBook) {
	switch {
	case after.NotRequired && !before.NotRequired:
		l.say("rules.required is now false")
	case before.Run != nil && !slices.Equal(before.Run, after.Run):
		l.say("rules.run is another command")
	case before.Run != nil && before.Report != after.Report:
		l.say("rules.report is another file")
	}
	if before.Catalogue != nil && after.Catalogue == nil {
		l.say("rules.catalogue was removed")
	} else {
		l.catalogue(before.Catalogue, after.Catalogue)
	}
	l.catalogue(before.DiffRules, after.DiffRules)
	for _, now := range after.DiffRules {
		named := slices.ContainsFunc(before.DiffRules, func(r contract.CatalogueRule) bool { return r.ID.Value == now.ID.Value })
		if now.Severity != input.Block && !named { // the standard severity may be stricter
			l.say("the rule %s is %s", input.Quote(now.ID.Value), now.Severity)
		}
	}
	for _, now := range after.Ignore {
		if !ignored(before.Ignore, &now) {
			l.say("rules.ignore has a new exception from %s", input.Quote(now.ID.Value))
		}
	}
}

// catalogue compares rules by their ids. That of a rule which a contract no longer names is the standard severity; it
// is weaker only where the contract had said block.
func (l *loosened) catalogue(before, after []contract.CatalogueRule) {
	for _, old := range before {
		i := slices.IndexFunc(after, func(r contract.CatalogueRule) bool { return r.ID.Value == old.ID.Value })
		switch {
		case i < 0 && (!contract.IsDiffRule(old.ID.Value) || old.Severity == input.Block):
			l.say("the rule %s is gone", input.Quote(old.ID.Value))
		case i >= 0 && ((after[i].Severity == contract.Off && old.Severity != contract.Off) || (old.Severity != contract.Off && weaker(old.Severity, after[i].Severity))):
			l.say("the rule %s is now %s", input.Quote(old.ID.Value), after[i].Severity)
		case i >= 0 && after[i].ExpiresAt != "" && (old.ExpiresAt == "" || after[i].ExpiresAt < old.ExpiresAt):
			l.say("the rule %s expires on %s", input.Quote(old.ID.Value), after[i].ExpiresAt)
		}
		if i >= 0 && fewerCount(&old, &after[i]) {
			l.say("fewer objections under the rule %s count", input.Quote(old.ID.Value))
		}
	}
}

// fewerCount reports whether fewer objections under a rule count: a reviewer is gone, more must agree, or only those of reviewers
// count now.
func fewerCount(before, after *contract.CatalogueRule) bool {
	isGone := func(id string) bool { return !slices.Contains(after.Reviewers, id) }
	return after.Reviewers != nil && (before.Reviewers == nil || after.Agree > before.Agree || slices.ContainsFunc(before.Reviewers, isGone))
}

// ignored reports whether an exception was there before: for the same rule and files, until the same day or a later one.
func ignored(before []contract.RuleIgnore, now *contract.RuleIgnore) bool {
	return slices.ContainsFunc(before, func(old contract.RuleIgnore) bool {
		return old.ID.Value == now.ID.Value && old.Until >= now.Until &&
			!slices.ContainsFunc(texts(now.Files), func(p string) bool { return !slices.Contains(texts(old.Files), p) })
	})
}

func (l *loosened) budgets(before, after *contract.Contract) {
	if valueOr(after.ViolationBudget, 0) > valueOr(before.ViolationBudget, 0) {
		l.say("violation_budget is larger")
	}
	if before.TimeBudgetMinutes != nil && (after.TimeBudgetMinutes == nil || *after.TimeBudgetMinutes > *before.TimeBudgetMinutes) {
		l.say("time_budget_minutes is larger, or gone")
	}
	if before.NetworkEgress != nil {
		if after.NetworkEgress == nil {
			l.say("network_egress was removed")
		}
		l.more("network_egress", values(before.NetworkEgress), values(after.NetworkEgress))
	}
	if level(after.Evidence.Min).Rank() < level(before.Evidence.Min).Rank() {
		l.say("evidence.min is now %s", cmp.Or(string(after.Evidence.Min), "the default"))
	}
	if policy.EvidenceDirOf(before) != policy.EvidenceDirOf(after) {
		l.say("evidence.dir is another directory, whose files are not judged")
	}
	if after.Evidence.Commits() && !before.Evidence.Commits() {
		l.say("evidence.committed is now true")
	}
}

// level is a minimum of evidence; the default on a pull request is the highest level that a recorder gives.
func level(l input.Level) input.Level { return cmp.Or(l, input.Recorded) }

func valueOr[T any](p *T, none T) T {
	if p == nil {
		return none
	}
	return *p
}

func (l *loosened) coverage(before, after *contract.CoverageRule) {
	switch {
	case before == nil:
		return
	case after == nil:
		l.say("coverage was removed")
		return
	}
	if before.Floor != nil && valueOr(after.Floor, 0) < *before.Floor {
		l.say("coverage.floor is lower, or gone")
	}
	if before.Criterion.Value != "" && before.Criterion.Value != after.Criterion.Value {
		l.say("coverage.criterion is another one, or gone")
	}
	if before.Report != after.Report {
		l.say("coverage.report is another file")
	}
	if before.MaxDrop != nil && valueOr(after.MaxDrop, input.Whole) > *before.MaxDrop {
		l.say("coverage.max_drop is larger, or gone")
	}
}

// tests compares the entries of tests by their files: one with other files is another one.
func (l *loosened) tests(before, after *contract.Contract) {
	l.more("may_change", texts(before.MayChange), texts(after.MayChange))
	for _, old := range before.Tests {
		name := "tests of " + input.Quote(strings.Join(texts(old.Files), ", "))
		i := slices.IndexFunc(after.Tests, func(r contract.TestRule) bool { return slices.Equal(texts(r.Files), texts(old.Files)) })
		if i < 0 {
			l.say("%s are gone, or have other files", name)
			continue
		}
		now := &after.Tests[i]
		l.less("criteria of "+name, values(old.Criteria), values(now.Criteria))
		for _, s := range []struct {
			key      string
			old, now input.Severity
		}{
			{"not_run", old.NotRun, now.NotRun}, {"dropped", old.Dropped, now.Dropped}, {"changed", old.Changed, now.Changed},
			{"incomparable", old.Incomparable, now.Incomparable}, {"new_tests", old.NewTests, now.NewTests},
		} {
			switch {
			case s.old != "" && s.now == "":
				l.say("%s of %s is gone", s.key, name)
			case slices.Index(contract.TestSeverities, s.now) > slices.Index(contract.TestSeverities, s.old) && s.old != "":
				l.say("%s of %s is now %s", s.key, name, s.now)
			}
		}
		if old.Always && !now.Always {
			l.say("base of %s is now edited", name)
		}
	}
}

// permissions are what an override may require, the widest first.
var permissions = []string{"write", "maintain", "admin"}

func (l *loosened) override(before, after *contract.OverrideRule) {
	if slices.Index(permissions, after.Permission) < slices.Index(permissions, before.Permission) {
		l.say("override.permission is now %s", after.Permission)
	}
	if after.Binding == "event" && before.Binding != "event" {
		l.say("override.binding is now event")
	}
	if after.AllowAuthor && !before.AllowAuthor {
		l.say("override.allow_author is now true")
	}
	l.fewer("override", before.People, after.People)
	l.more("override.users", folded(before.Users), folded(after.Users))
	l.more("override.teams", folded(before.Teams), folded(after.Teams))
	l.less("override.never", before.Never, after.Never)
}

func folded(list []string) []string {
	var all []string
	for _, s := range list {
		all = append(all, strings.ToLower(s))
	}
	return all
}
