package policy

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/glob"
)

// What a change may say of its own evidence. A criterion has an origin: a contract of the base or the operator, or a task
// contract that only the change holds. The second kind is written by whoever wrote the code, so it adds demands, changes
// none, and its records vouch for nothing but what it demands itself.

// HeadTask is the task_id of the task contract that only the change holds; "" when there is none.
func (p *Policy) HeadTask() string {
	for i := range p.Sources {
		if p.Sources[i].HeadOnly() {
			return p.Sources[i].Contract.TaskID.Value
		}
	}
	return ""
}

// TrustedTasks are the task ids of the contracts that the change did not write. They matter beside a task contract that
// only the change holds: records of the standing criteria may carry them.
func (p *Policy) TrustedTasks() []string {
	var list []string
	for i := range p.Sources {
		if id := p.Sources[i].Contract.TaskID.Value; id != "" && !p.Sources[i].HeadOnly() {
			list = append(list, id)
		}
	}
	return list
}

// IsHead reports whether only the change's own contract names a criterion.
func (p *Policy) IsHead(criterion string) bool { return p.Sources[p.origin[criterion]].HeadOnly() }

// HeadCriteria are the criteria that only the change's own contract names.
func (p *Policy) HeadCriteria() []contract.Criterion {
	var list []contract.Criterion
	for _, c := range p.Criteria {
		if p.IsHead(c.ID) {
			list = append(list, c)
		}
	}
	return list
}

// TakenPaths tells whether a default or a contract that the change did not write names a path for a report, in whatever
// case.
func (p *Policy) TakenPaths() func(path string) bool {
	taken := map[string]bool{}
	for _, path := range []string{p.EvidenceDir + "/" + DefaultRules, contract.DefaultCoverageReport, p.Rules.Report} {
		taken[glob.Fold(path)] = true
	}
	if p.Coverage != nil {
		taken[glob.Fold(p.Coverage.Report)] = true
	}
	for _, c := range p.Criteria {
		if !p.IsHead(c.ID) {
			taken[glob.Fold(c.TestReport)] = true
		}
	}
	return func(path string) bool { return taken[glob.Fold(path)] }
}

// IsAnchored reports whether at least one command that must pass is named by somebody other than the change.
func (p *Policy) IsAnchored() bool {
	return slices.ContainsFunc(p.Criteria, func(c contract.Criterion) bool { return !c.ExpectFail && !p.IsHead(c.ID) })
}

// idOf is the id in the join of a criterion that the contract being joined calls by an id of its own.
func (p *Policy) idOf(own string) string {
	if id, ok := p.joined[own]; ok {
		return id
	}
	return own
}

// joinHeadCriterion lets the change's own contract ask for more of a standing criterion. Keys that it leaves out say
// nothing, and nothing of what a record must show may change.
func (p *Policy) joinHeadCriterion(old *contract.Criterion, c contract.Criterion) *diag.Error {
	same := c.IDGiven && c.ID == old.ID
	lower := func(key string) *diag.Error {
		return clash(c, "the change's own contract lowers "+key+" of the standing criterion "+old.ID, "a weaker "+key, "the standing value or a stricter one")
	}
	switch {
	case c.Given.Expect && c.ExpectFail != old.ExpectFail:
		return clash(c, "the change's own contract gives the standing criterion "+old.ID+" another expect", "the opposite expect", "the same expect, or none")
	case c.TestReport != "" && c.TestReport != old.TestReport:
		return clash(c, "the change's own contract gives the standing criterion "+old.ID+" another test report", c.TestReport, orNone(old.TestReport))
	case same && c.Given.MaxAttempts && c.MaxAttempts > old.MaxAttempts:
		return lower("max_attempts")
	case same && c.Given.MinTests && c.MinTests < old.MinTests:
		return lower("min_tests")
	case same && c.MinEvidence != "" && c.MinEvidence.Rank() < p.Minimum(old, p.MinEvidence).Rank():
		return lower("min_evidence")
	}
	if c.Given.MaxAttempts {
		old.MaxAttempts = min(old.MaxAttempts, c.MaxAttempts)
	}
	if c.Given.MinTests {
		old.MinTests = max(old.MinTests, c.MinTests)
	}
	p.raise[old.ID] = diag.Stronger(p.raise[old.ID], c.MinEvidence)
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "no test report"
	}
	return s
}

// checkHeadCriteria reports what only the whole list of criteria shows: a standing control that would prove another
// criterion, and a test report of the change's own criterion outside of the evidence directory, where it could take the
// place of a file that others read.
func (p *Policy) checkHeadCriteria(s Source, offset int) []diag.Error {
	var problems []diag.Error
	for _, c := range s.Contract.Criteria {
		if old := p.sameCriterion(c, offset); old != nil && c.Proves.Value != "" && p.idOf(c.Proves.Value) != old.Proves.Value {
			problems = append(problems, *clash(c, "the change's own contract lets the standing control "+old.ID+" prove another criterion",
				c.Proves.Value, "the same proves, or none"))
		}
	}
	for _, c := range p.Criteria[offset:] {
		if c.TestReport != "" && !strings.HasPrefix(c.TestReport, p.EvidenceDir+"/") {
			e := clash(c, "the test report of a criterion that only the change brings does not lie in the evidence directory", c.TestReport, "a path below "+p.EvidenceDir)
			e.Fix = "let the command write its test report into the evidence directory"
			problems = append(problems, *e)
		}
	}
	return problems
}

// takenTask refuses a task contract of the change that has the task_id of a contract which the base or the operator has:
// by the task_id a record says whose it is.
func takenTask(before []Source, s Source) *diag.Error {
	id := s.Contract.TaskID
	if !s.HeadOnly() || id.Value == "" {
		return nil
	}
	other := s.BaseHolds
	for i := range before {
		if strings.EqualFold(before[i].Contract.TaskID.Value, id.Value) {
			other = before[i].Path
		}
	}
	if other == "" {
		return nil
	}
	return &diag.Error{
		Pos: id.Pos, Where: "/task_id", Message: "the change's own contract has the task_id of a contract that was there before",
		Found: id.Value + ", as in " + other, Expected: "a task_id that no contract of the base has, in whatever case",
		Fix: "give the task another id, and its file that name",
	}
}

// RuleCommand is the command that writes the rule report, as the contracts that the change did not write declare it.
type RuleCommand struct {
	Run    []string // run at the repository's root; nil when no contract names a command
	Report string   // path in the repository that it writes to; "" when there is no command
	// NotRequired is true when the standing contract says that there is no rule report.
	NotRequired bool
}

// DefaultRules is where rule reports are looked for, below the evidence directory.
const DefaultRules = "rule_report.json"

// addRuleCommand joins the keys run, report and required. Only the standing contract can say that no report is required: a
// task that says so would take back what the standing contract demands by its silence.
func (p *Policy) addRuleCommand(c *contract.Contract, first bool) []diag.Error {
	book := &c.Rules
	if book.Pos.IsZero() {
		return nil
	}
	asks := book.Run != nil || book.Catalogue != nil
	switch {
	case book.NotRequired && (p.Rules.Run != nil || p.Catalogue != nil): // another contract's: one alone cannot hold both
		return []diag.Error{ruleClash(book, `"required": false contradicts another contract, which asks for a rule report`, "required: false")}
	case p.Rules.NotRequired && asks:
		return []diag.Error{ruleClash(book, `the contract asks for a rule report, and the standing contract says that there is none`, "run or catalogue")}
	}
	p.Rules.NotRequired = p.Rules.NotRequired || first && book.NotRequired
	if book.Run == nil {
		return nil
	}
	report := book.Report
	if report == "" {
		report = p.EvidenceDir + "/" + DefaultRules
	}
	if p.Rules.Run != nil && (!slices.Equal(p.Rules.Run, book.Run) || p.Rules.Report != report) {
		return []diag.Error{ruleClash(book, "two contracts name different commands or paths for the rule report", strings.Join(book.Run, " ")+" writing "+report)}
	}
	p.Rules.Run, p.Rules.Report = book.Run, report
	return nil
}

func ruleClash(book *contract.RuleBook, message, found string) diag.Error {
	return diag.Error{
		Pos: book.Pos, Where: "/rules", Message: message, Found: found, Expected: "contracts that agree about the rule report",
		Fix: "let one contract say it, and remove it from the other",
	}
}

// addCoverage takes the higher floor and the smaller drop; the first contract that declares a report or a criterion names
// it.
func (p *Policy) addCoverage(c *contract.Contract) []diag.Error {
	if c.Coverage == nil {
		return nil
	}
	declared := *c.Coverage
	problems := p.resolveCoverage(&declared)
	if p.Coverage == nil {
		p.Coverage = &declared
		return problems
	}
	if p.Coverage.Criterion.Value == "" {
		p.Coverage.Criterion = declared.Criterion
	}
	if f := declared.Floor; f != nil && (p.Coverage.Floor == nil || *f > *p.Coverage.Floor) {
		p.Coverage.Floor = f
	}
	if d := declared.MaxDrop; d != nil && (p.Coverage.MaxDrop == nil || *d < *p.Coverage.MaxDrop) {
		p.Coverage.MaxDrop = d
	}
	return problems
}

// resolveCoverage turns the criterion that writes the coverage report into the one of the join, and checks that it is
// there. A criterion of the change cannot be meant: its contract is joined last.
func (p *Policy) resolveCoverage(rule *contract.CoverageRule) []diag.Error {
	own := rule.Criterion
	if own.Value == "" {
		return nil
	}
	rule.Criterion.Value = p.idOf(own.Value)
	e := diag.Error{
		Pos: own.Pos, Where: "/coverage/criterion", Message: "coverage.criterion names a criterion that is not there", Found: own.Value,
		Expected: "the id of a criterion of this contract or of the standing one", Fix: "correct the id, or remove the key",
	}
	switch {
	case !p.hasID(rule.Criterion.Value):
	case p.Coverage != nil && p.Coverage.Criterion.Value != "" && p.Coverage.Criterion.Value != rule.Criterion.Value:
		e.Message, e.Expected = "another contract names another criterion for the coverage report", p.Coverage.Criterion.Value
	default:
		return nil
	}
	return []diag.Error{e}
}
