package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

// A criterion comes from a contract of the base branch or the operator, or from a task contract that only the change
// contains. The author of the code also wrote the second kind, so it may add requirements but not change any, and its
// records prove only its own criteria.

// HeadTasks are the task ids of the task contracts that only the change contains.
func (p *Policy) HeadTasks() (list []string) {
	for i := range p.Sources {
		if p.Sources[i].HeadOnly() {
			list = append(list, p.Sources[i].Contract.TaskID.Value)
		}
	}
	return list
}

// TrustedTasks are the task ids of the contracts that the change did not write. Where only the change contains a task
// contract, records of the standing criteria may name them.
func (p *Policy) TrustedTasks() []string {
	var list []string
	for i := range p.Sources {
		if id := p.Sources[i].Contract.TaskID.Value; id != "" && !p.Sources[i].HeadOnly() {
			list = append(list, id)
		}
	}
	return list
}

// IsHead reports whether only the contract of the change names a criterion.
func (p *Policy) IsHead(criterion string) bool { return p.Sources[p.origin[criterion]].HeadOnly() }

// HeadCriteria are the criteria that only the contract of the change names.
func (p *Policy) HeadCriteria() []contract.Criterion {
	return slices.DeleteFunc(slices.Clone(p.Criteria), func(c contract.Criterion) bool { return !p.IsHead(c.ID) })
}

// TakenPaths reports whether a default or a contract that the change did not write names a path for a report, ignoring case.
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

// IsAnchored reports whether a contract that the change does not bring names at least one command that must pass.
func (p *Policy) IsAnchored() bool {
	return slices.ContainsFunc(p.Criteria, func(c contract.Criterion) bool { return !c.ExpectFail && !p.IsHead(c.ID) })
}

// idOf translates the id of a criterion in the contract that is being joined to its id in the join.
func (p *Policy) idOf(own string) string {
	if id, ok := p.joined[own]; ok {
		return id
	}
	return own
}

// joinHeadCriterion lets the contract of the change require more of a standing criterion. Missing keys change nothing, and
// the contract cannot change what a record must show.
func (p *Policy) joinHeadCriterion(old *contract.Criterion, c contract.Criterion) *input.Error {
	same := c.IDGiven && c.ID == old.ID
	lower := func(key string) *input.Error {
		return clash(c, "the contract of the change lowers "+key+" of the standing criterion "+old.ID, "a weaker "+key, "the standing value or a stricter one")
	}
	switch {
	case c.Given.Expect && c.ExpectFail != old.ExpectFail:
		return clash(c, "the contract of the change gives the standing criterion "+old.ID+" another expect", "the opposite expect", "the same expect, or none")
	case c.TestReport != "" && (c.TestReport != old.TestReport || c.ReportFrom != old.ReportFrom):
		return clash(c, "the contract of the change gives the standing criterion "+old.ID+" another test report", c.TestReport, cmp.Or(old.TestReport, "no test report"))
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
	p.raise[old.ID] = input.Stronger(p.raise[old.ID], c.MinEvidence)
	return nil
}

// checkHeadCriteria reports problems that need the whole list of criteria: a standing control that would prove another
// criterion, and a test report of a criterion of the change outside of the evidence directory, where it could replace a file
// that others read.
func (p *Policy) checkHeadCriteria(s Source, offset int) []input.Error {
	var problems []input.Error
	for _, c := range s.Contract.Criteria {
		if old := p.sameCriterion(c, offset); old != nil && c.Proves.Value != "" && p.idOf(c.Proves.Value) != old.Proves.Value {
			problems = append(problems, *clash(c, "the contract of the change lets the standing control "+old.ID+" prove another criterion",
				c.Proves.Value, "the same proves, or none"))
		}
	}
	for _, c := range p.Criteria[offset:] {
		if c.TestReport != "" && !strings.HasPrefix(c.TestReport, p.EvidenceDir+"/") {
			e := clash(c, "the test report of a criterion that only the change adds is outside the evidence directory", c.TestReport, "a path below "+p.EvidenceDir)
			e.Fix = "write the test report to the evidence directory"
			problems = append(problems, *e)
		}
	}
	return problems
}

// takenTask refuses a task contract of the change with the task_id of a contract of the base branch or the operator: the
// task_id of a record says which task it belongs to.
func takenTask(before []Source, s Source) *input.Error {
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
	return &input.Error{
		Pos: id.Pos, Where: "/task_id", Message: "the contract of the change has the task_id of an existing contract",
		Found: id.Value + ", as in " + other, Expected: "a task_id that no contract of the base branch has, ignoring case",
		Fix: "give the task another id, and rename its file accordingly",
	}
}

// RuleCommand is the command that writes the rule report, as the contracts that the change did not write declare it.
type RuleCommand struct {
	Run    []string // run at the root of the repository; nil when no contract names a command
	Report string   // path in the repository that it writes to; "" when there is no command
	// NotRequired is true when the standing contract requires no rule report.
	NotRequired bool
}

// DefaultRules is the default path of the rule report, relative to the evidence directory.
const DefaultRules = "rule_report.json"

// addRuleCommand joins the keys run, report and required. Only the standing contract can say that no report is required:
// without the key it requires one, which a task must not change.
func (p *Policy) addRuleCommand(c *contract.Contract, first bool) []input.Error {
	book := &c.Rules
	if book.Pos.IsZero() {
		return nil
	}
	asks := book.Run != nil || book.Catalogue != nil
	switch {
	case book.NotRequired && (p.Rules.Run != nil || p.Catalogue != nil): // of another contract: the parser refuses both in one
		return []input.Error{ruleClash(book, `"required": false contradicts another contract, which requires a rule report`, "required: false")}
	case p.Rules.NotRequired && asks:
		return []input.Error{ruleClash(book, `the contract requires a rule report, but the standing contract says that there is none`, "run or catalogue")}
	}
	p.Rules.NotRequired = p.Rules.NotRequired || (first && book.NotRequired)
	if book.Run == nil {
		return nil
	}
	report := cmp.Or(book.Report, p.EvidenceDir+"/"+DefaultRules)
	if p.Rules.Run != nil && (!slices.Equal(p.Rules.Run, book.Run) || p.Rules.Report != report) {
		return []input.Error{ruleClash(book, "two contracts name different commands or paths for the rule report", strings.Join(book.Run, " ")+" writing "+report)}
	}
	p.Rules.Run, p.Rules.Report = book.Run, report
	return nil
}

func ruleClash(book *contract.RuleBook, message, found string) input.Error {
	return input.Error{
		Pos: book.Pos, Where: "/rules", Message: message, Found: found, Expected: "contracts that agree about the rule report",
		Fix: "keep it in one contract, and remove it from the other",
	}
}

// addCoverage joins the coverage keys: the higher floor, the smaller drop, and the report and criterion of the first contract
// that declares them.
func (p *Policy) addCoverage(c *contract.Contract) []input.Error {
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

// resolveCoverage translates the criterion that writes the coverage report to that of the join, and checks that it exists. It
// cannot be a criterion of the change, whose contract is joined last.
func (p *Policy) resolveCoverage(rule *contract.CoverageRule) []input.Error {
	own := rule.Criterion
	if own.Value == "" {
		return nil
	}
	rule.Criterion.Value = p.idOf(own.Value)
	e := input.Error{
		Pos: own.Pos, Where: "/coverage/criterion", Message: "coverage.criterion names a criterion that does not exist", Found: own.Value,
		Expected: "the id of a criterion of this contract or of the standing one", Fix: "correct the id, or remove the key",
	}
	switch {
	case !p.hasID(rule.Criterion.Value):
	case p.Coverage != nil && p.Coverage.Criterion.Value != "" && p.Coverage.Criterion.Value != rule.Criterion.Value:
		e.Message, e.Expected = "another contract names another criterion for the coverage report", p.Coverage.Criterion.Value
	default:
		return nil
	}
	return []input.Error{e}
}
