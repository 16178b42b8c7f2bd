package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/reports"
)

// RulesCheck checks that all of the repository's rules were judged and are not violated.
var RulesCheck = &check.Check{
	ID:    "rules",
	Title: "Every repository rule was judged and passed",
	Codes: slices.Concat(
		check.CodesWith(input.Block, "rules.missing", "rule.malformed", "rule.failed"),
		check.CodesWith(input.Unknown, "rule.undecided"),
		check.CodesWith(input.Info, "rule.quote_missing"),
		check.CodesWith(input.Block, "rule.missing", "rule.duplicate", "rule.severity_mismatch"),
		check.CodesWith(input.Warn, "rule.unknown", "rule.expired", "rule.ignore_unused"),
	),
	Scope: check.ScopeChange | check.ScopeGroup | check.ScopeEvidence,
	Run:   runRules,
}

func runRules(p *check.Pass) {
	p.ReportNoMatch("rules.missing", check.Rules)
	p.ReportProblems("rule.malformed", check.Rules)
	if p.State[check.Rules] == check.Malformed {
		return
	}
	reportEmptyRules(p)
	judged := slices.ContainsFunc(p.Rules, func(f check.RuleFile) bool { return !p.IsEmptyReport(&f) })
	if !judged || p.Policy == nil {
		return // the contract says how much each rule weighs
	}
	rows := p.RuleRows()
	markAlone(rows)
	exceptions := p.Policy.Exceptions(p.Policy.Ignore, p.Today)
	if p.Policy.Catalogue == nil {
		for _, r := range rows {
			reportRow(p, r, stated(r, input.Block), exceptions)
		}
	} else {
		judgeCatalogue(p, rows, exceptions)
	}
	reportExceptions(p, exceptions)
	if p.Policy.Meter.Spent() {
		p.ReportLimit(input.TooManySteps(p.Policy.Meter.Most()))
	}
}

// reportEmptyRules reports that there is no rule report, and each one that is empty: a full one beside it does not say
// what the empty one should.
func reportEmptyRules(p *check.Pass) {
	f := check.Finding{
		Code: "rules.missing", Message: "there is no rule report", Input: check.Rules,
		Expected: "at least one rule report with a row for each rule", Actual: "no such file",
		Fix: "run the rules and supply their report, rule_report.json in the evidence directory or what --rules names",
	}
	if lacksRules(p) {
		f := f
		switch why := whyNoRules(p); {
		case why != "":
			f.Path, f.Actual = p.Policy.Rules.Report, "no such file: the command of rules.run has no exit code: "+why
			f.Message, f.Fix = "there is no rule report: "+why, fixNullExit(why)
		case p.Policy == nil: // a contract may say which rules there are
		case p.Policy.Rules.Run != nil:
			f.Path, f.Fix = p.Policy.Rules.Report, "run the command of rules.run with closeout run; it must write its report there"
		case p.Policy.Catalogue == nil:
			f.Fix += `; a person may declare that there is none: "rules": {"required": false}`
		}
		p.Report(f)
	}
	declared := slices.ContainsFunc(p.Rules, func(r check.RuleFile) bool { return p.IsRulesReport(&r) })
	if len(p.Rules) > 0 && p.Policy != nil && p.Policy.Rules.Run != nil && !declared {
		f := f
		f.Message = "the report of rules.run is not among the rule reports"
		f.Path, f.Expected = p.Policy.Rules.Report, "a rule report at "+p.Policy.Rules.Report
		f.Actual = input.Plural(int64(len(p.Rules)), "rule report") + ", none of them this one"
		f.Fix = "make sure that the command of rules.run writes its report there, and supply that report"
		p.Report(f)
	}
	for _, file := range p.Rules {
		if p.IsEmptyReport(&file) {
			f.Message, f.Actual, f.Path = "the rule report contains no rule", "an empty report", file.Path
			f.Fix = emptyFix(p, file)
			p.Report(f)
		}
	}
}

// lacksRules reports whether a rule report is required and there is none.
func lacksRules(p *check.Pass) bool { return len(p.Rules) == 0 && p.NeedsRules() }

// whyNoRules is why the last record of the command of rules.run has no exit code; "" where it has one, or there is no record.
func whyNoRules(p *check.Pass) string {
	if p.Policy == nil || p.Policy.Rules.Run == nil {
		return ""
	}
	for _, s := range p.Streams() {
		for _, c := range s.Open() {
			if c.Rules {
				return cmp.Or(check.CutText(c.Why), noExitCode)
			}
		}
	}
	return ""
}

// emptyFix says how an empty report becomes one that says something.
func emptyFix(p *check.Pass, f check.RuleFile) string {
	switch {
	case f.Report.Shape != reports.ShapeSARIF:
		return `run the rules and supply their report; {"block_failures": [], "warn_failures": []} is a report without failures`
	case !f.Report.Ended:
		return "let the tool write SARIF with tool.driver.name and a list of results in each run, [] when nothing was found"
	case p.IsRulesReport(&f):
		return "record the command of rules.run again, without changing its report afterwards: without rules and results, the report counts " +
			"only when the last record of this command has exit code 0 and names exactly this file under produced"
	default:
		return "let the tool list its rules; or let a person name its command in rules.run, and record it: then SARIF without results " +
			"counts when this command ended with exit code 0"
	}
}

// stated is the row's severity, or fallback when it has none.
func stated(r check.RuleRow, fallback input.Severity) input.Severity {
	if r.Severity == "" {
		return fallback
	}
	return r.Severity
}

// judgeCatalogue requires every rule of the catalogue exactly once.
func judgeCatalogue(p *check.Pass, rows []check.RuleRow, exceptions *policy.Exceptions) {
	byID := map[string][]check.RuleRow{}
	for _, r := range rows {
		byID[r.ID] = append(byID[r.ID], r)
	}
	for i := range p.Policy.Catalogue {
		rule := &p.Policy.Catalogue[i]
		judgeRule(p, rule, byID[rule.ID.Value], exceptions)
		delete(byID, rule.ID.Value)
	}
	for _, r := range rows {
		left, ok := byID[r.ID]
		switch {
		case ok && p.Policy.OpenCatalogue:
			reportRow(p, r, stated(r, input.Block), exceptions)
		case ok:
			result := "passed"
			if slices.ContainsFunc(left, func(r check.RuleRow) bool { return r.Unknown }) {
				result = "unknown"
			}
			if slices.ContainsFunc(left, func(r check.RuleRow) bool { return !r.Passed && !r.Unknown }) {
				result = "failed"
			}
			p.Report(rowFinding("rule.unknown", left[0], check.Finding{
				Message:  fmt.Sprintf("the catalogue does not contain the rule %q", r.ID),
				Expected: "only rules of the contract's catalogue", Actual: fmt.Sprintf("%s, %s", input.Plural(int64(len(left)), "row"), result),
				Fix: "let a person add the rule to the catalogue, or stop reporting it", Identity: []string{result},
			}))
			delete(byID, r.ID)
		}
	}
}

// reportExpired reports an entry of the catalogue whose last day has passed.
func reportExpired(p *check.Pass, rule *policy.Rule) {
	if rule.ExpiresAt == "" || p.Today == "" || p.Today <= rule.ExpiresAt {
		return
	}
	message := fmt.Sprintf("the rule %q expired on %s and still counts", rule.ID.Value, rule.ExpiresAt)
	if contract.IsDiffRule(rule.ID.Value) {
		message = fmt.Sprintf("the entry about the diff rule %q expired on %s and still applies: severity %s", rule.ID.Value, rule.ExpiresAt, rule.Severity)
	}
	p.Report(inContract(&rule.Source, rule.ID.Pos, check.Finding{
		Code: "rule.expired", Message: message, Expected: "a date that has not passed", Actual: rule.ExpiresAt,
		Fix: "let a person renew the rule or remove it from the catalogue", Identity: []string{rule.ID.Value},
	}))
}

func judgeRule(p *check.Pass, rule *policy.Rule, rows []check.RuleRow, exceptions *policy.Exceptions) {
	reportExpired(p, rule)
	if rule.Reviewers != nil {
		judgeReviewed(p, rule, rows, exceptions)
		return
	}
	if len(rows) == 0 {
		reportNotJudged(p, rule, "")
		return
	}
	if len(rows) > 1 {
		p.Report(rowFinding("rule.duplicate", rows[1], check.Finding{
			Message:  fmt.Sprintf("the rule %q is reported more than once", rule.ID.Value),
			Expected: "one row for each rule, over all reports", Actual: input.Plural(int64(len(rows)), "row"),
			Fix: "report each rule once",
		}))
	}
	for _, r := range rows {
		reportMismatch(p, rule, r)
		severity := rule.Severity
		if p.Policy.OpenCatalogue {
			severity = input.Stricter(severity, stated(r, input.Block))
		}
		reportRow(p, r, severity, exceptions)
	}
}

// reportNotJudged reports a rule of the catalogue that has no row, or none of a reviewer who must judge it.
func reportNotJudged(p *check.Pass, rule *policy.Rule, reviewer string) {
	f := check.Finding{
		Code: "rule.missing", Severity: rule.Severity, Message: fmt.Sprintf("the rule %q was not judged", rule.ID.Value),
		Input: check.Rules, Path: p.Rules[0].Path, Expected: "one row for each rule of the catalogue", Actual: "no row",
		Fix: "run the rule and report its result", Identity: []string{rule.ID.Value},
	}
	if reviewer != "" {
		f.Message += fmt.Sprintf(" by the reviewer %q", reviewer)
		f.Expected, f.Actual = "a row of each reviewer", "no row of this one"
		f.Fix, f.Identity = "let the reviewer report its result, also where it finds nothing", append(f.Identity, reviewer)
	}
	p.Report(f)
}

// reportMismatch reports a row that makes less of its rule than the catalogue does. A tool's own levels are no such
// statement.
func reportMismatch(p *check.Pass, rule *policy.Rule, r check.RuleRow) {
	if !r.Exact || r.Severity == "" || r.Severity.Rank() <= rule.Severity.Rank() {
		return
	}
	p.Report(rowFinding("rule.severity_mismatch", r, check.Finding{
		Severity: rule.Severity,
		Message:  fmt.Sprintf("the report gives the rule %q a lower severity than the catalogue", r.ID),
		Expected: "severity " + string(rule.Severity), Actual: "severity " + string(r.Severity),
		Fix: "leave the severity out of the report: the catalogue decides it",
	}))
}

func reportRow(p *check.Pass, r check.RuleRow, severity input.Severity, exceptions *policy.Exceptions) {
	if r.Passed {
		return
	}
	f := check.Finding{
		Severity: severity, Message: fmt.Sprintf("the rule %q is broken", r.ID),
		Expected: cmp.Or(r.Expected, "no violation of the rule"), Actual: cmp.Or(r.Actual, "a violation"),
		Fix: "fix what the rule found, then run it again",
	}
	code := "rule.failed"
	switch {
	case r.Invented:
		reportInvented(p, r, severity)
		return
	case r.Unknown:
		code, f.Severity, f.Message = "rule.undecided", input.Unknown, fmt.Sprintf("it is unknown whether the rule %q is broken", r.ID)
		f.Expected, f.Actual, f.Fix = "a row that passed or failed", `"outcome": "unknown"`, "let the rule decide; a person may look at what it says"
	}
	if r.Detail != "" {
		f.Message += ": " + r.Detail
	}
	excused(&f, exceptions.Excuse(r.ID, r.FailedIn))
	if slices.ContainsFunc(r.FailedIn, isAbsolute) {
		f.Fix += "; no record says that an absolute path of the report is in this repository: let the tool write relative paths, or record its command with closeout run"
	}
	p.Report(rowFinding(code, r, f))
}

// excused makes a finding about a failed row one that does not count, if there is an exception.
func excused(f *check.Finding, excuse *policy.Ignore) {
	if excuse == nil {
		return
	}
	f.Severity = input.Info
	f.Message += fmt.Sprintf(" (excused until %s: %s)", excuse.Until, excuse.Reason)
	f.Fix = "fix what the rule found before the exception ends"
}

func isAbsolute(file string) bool {
	return strings.HasPrefix(file, "/") || strings.HasPrefix(file, "file:")
}

// rowFinding places a finding at the file that a row names, else at the row.
func rowFinding(code string, r check.RuleRow, f check.Finding) check.Finding {
	f.Code, f.Input, f.Path, f.Pos = code, check.Rules, r.Report.Path, r.Pos
	if r.File != "" && !isAbsolute(r.File) { // a report names no absolute path
		f.Path, f.Pos = r.File, input.Pos{Line: int(r.Line)}
	}
	f.Identity = append([]string{r.ID}, f.Identity...)
	if f.Path != r.File {
		f.Identity = append(f.Identity, r.File)
	}
	if len(r.FailedIn) > 1 {
		f.Identity = append(f.Identity, r.FailedIn...)
	}
	if r.Quote != "" { // several objections to one file are told apart by their lines
		f.Identity = append(f.Identity, r.QuotedWords())
	}
	return f
}

// reportExceptions reports the exceptions that have expired or that match nothing.
func reportExceptions(p *check.Pass, exceptions *policy.Exceptions) {
	for i := range exceptions.List {
		e := &exceptions.List[i]
		f := inContract(&e.Source, e.ID.Pos, check.Finding{
			Code: "rule.expired", Message: fmt.Sprintf("the exception from the rule %q", e.ID.Value), Identity: []string{e.ID.Value, e.Reason},
			Fix: "let a person remove it from the contract",
		})
		switch {
		case e.Until == "":
			f.Message += " does not say when it ends, and does not count"
			f.Expected, f.Actual, f.Fix = `"until" with the last day of the exception`, "none", `let a person add "until", at most 180 days ahead`
		case e.Expired && p.Today == "":
			f.Message += " does not count: the day of the decision is unknown"
			f.Expected, f.Actual = "facts that contain the day under settings.today", "none, and the exception ends on "+e.Until
			f.Fix = "judge with the facts that closeout collect writes"
		case e.Expired:
			f.Message += " has expired and does not count"
			f.Expected, f.Actual = "a date that has not passed", "until "+e.Until
		case !e.Used:
			f.Code, f.Message = "rule.ignore_unused", f.Message+" matches nothing"
			f.Expected, f.Actual = "a failed row that it excuses", "none"
		default:
			continue
		}
		p.Report(f)
	}
}
