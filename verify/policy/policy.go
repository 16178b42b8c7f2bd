// Package policy joins the contracts of a decision by least privilege, and classifies touched paths.
//
// A path must be allowed by all contracts and forbidden by none. Criteria, catalogue rules and protected files are added up.
// The smaller budget and the stricter severity apply. Every contract is evaluated on its own and the answers are joined:
// patterns are never intersected.
package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

// DefaultEvidenceDir is the evidence directory where the contract does not name one.
const DefaultEvidenceDir = ".closeout/evidence"

// EvidenceDirOf is the evidence directory of a standing contract; nil is none that can be read.
func EvidenceDirOf(standing *contract.Contract) string {
	if standing == nil {
		return DefaultEvidenceDir
	}
	return cmp.Or(standing.Evidence.Dir, DefaultEvidenceDir)
}

// ReportsDir is the directory to which a job after the merge commits reports. No pull request may touch it.
const ReportsDir = ".closeout/reports"

// Source is a contract and where it came from.
type Source struct {
	Contract  *contract.Contract
	Kind      string   // contract or task_contract
	File      string   // name in the bundle
	Path      string   // path that the report names
	RepoPaths []string // paths in the repository, with symlinks resolved too; none when unknown
	Trust     facts.Trust
	HeadHolds bool   // the tree of the head contains the file of the operator
	BaseHolds string // path of a task contract of the base branch with the task_id of this one, which only the head contains
	// Narrows is true when its allowed_files allow nothing that another task does not allow: the change wrote it, and the caller
	// named another task.
	Narrows bool
}

// IsTask reports whether it is a task contract.
func (s *Source) IsTask() bool { return s.Kind == "task_contract" }

// HeadOnly reports whether it is a task contract that only the change contains.
func (s *Source) HeadOnly() bool { return s.Trust == facts.TrustHead && s.IsTask() }

// Policy is what all contracts together require.
type Policy struct {
	Sources  []Source
	TaskID   string               // of the only task, or of the first
	TaskIDs  []string             // of the task contracts, where there are several; else nil
	Criteria []contract.Criterion // ids are unique
	// NotRequired are criteria that the change does not require: see [Policy.For].
	NotRequired []contract.Criterion

	Approvals     []contract.Approval
	ApprovalNotes []string
	Threads       []string // logins of reviewers whose threads an author must not resolve
	ThreadMarkers []string // how a line of such a thread begins; nil where each of them matters

	ViolationBudget   int64
	TimeBudgetMinutes *int64   // nil: not enforced
	NetworkEgress     []string // allowed hosts; nil: not enforced, empty: none
	Coverage          *contract.CoverageRule
	Rules             RuleCommand
	Catalogue         []Rule // nil when there is none
	// OpenCatalogue is true when the standing contract has no catalogue. The catalogue of a task contract then lists required
	// rules, and cannot lower the severity that a row of the rule report gives.
	OpenCatalogue bool
	Ignore        []Ignore
	// DiffRules are the gate's own rules that a contract names, and DiffIgnore the exceptions from them.
	DiffRules   []Rule
	DiffIgnore  []Ignore
	MinEvidence input.Level // "" when no contract sets it
	EvidenceDir string
	// EvidenceCommitted says whether changes may bring along files of the evidence directory.
	EvidenceCommitted bool
	Agent             Agent

	// Meter counts the cost of matching paths; nil when it is not measured. See [Policy.Measure].
	Meter *glob.Meter

	current    int // index of the contract that is being joined
	scopes     []scope
	raise      map[string]input.Level // criterion id → its minimum evidence level
	origin     map[string]int         // criterion id → index of the contract that names it first
	joined     map[string]string      // of the contract that is being joined: its criterion ids → those of the join
	protected  []protectedSet
	reports    map[string]written // by folded path
	tests      []testSet
	crossed    []*glob.Set // the files of the entries of tests that the change cannot add itself
	mayChange  []*glob.Set // of the tasks
	arguments  arguments
	commands   []command
	dirs       map[string]bool // in which they may run, folded
	addedTasks []string        // paths of the task contracts that the change adds
}

// Rule is a rule of the catalogue, and the contract that names it first.
type Rule struct {
	contract.CatalogueRule
	Source Source
}

// Ignore is an exception from a rule, and the contract that grants it.
type Ignore struct {
	contract.RuleIgnore
	Source Source
}

// Origin is the first contract that names a criterion.
func (p *Policy) Origin(criterion string) Source { return p.Sources[p.origin[criterion]] }

// Problem is an error of the join, and the contract that it is in.
type Problem struct {
	Source int // index into the sources
	Error  input.Error
}

// Join makes one policy of the contracts, the standing contract first. fallbackTask is the task id where no contract names
// one. Do not use the policy if there are problems.
func Join(sources []Source, fallbackTask string) (*Policy, []Problem) {
	p, problems := JoinGroup(sources, fallbackTask)
	if len(p.Criteria) == 0 {
		problems = append(problems, Problem{0, input.Error{
			Pos: sources[0].Contract.Keys["acceptance_criteria"], Where: "/acceptance_criteria",
			Message: "no contract names an acceptance criterion", Found: "none", Expected: "at least one command that proves the task",
			Fix: `add one, such as ["go", "test", "./..."]`,
		}})
	}
	return p, problems
}

// JoinGroup is [Join] for a merge group, whose standing contract need not name a criterion: each pull request in the group
// is judged by a join of its own, which must.
func JoinGroup(sources []Source, fallbackTask string) (*Policy, []Problem) {
	p := &Policy{Sources: sources, TaskID: fallbackTask, EvidenceDir: DefaultEvidenceDir, Agent: newAgent(), raise: map[string]input.Level{}, origin: map[string]int{}}
	var problems []Problem
	p.nameTasks()
	for i, s := range sources {
		p.current = i
		if e := takenTask(sources[:i], s); e != nil {
			problems = append(problems, Problem{i, *e})
		}
		for _, e := range p.add(s, i == 0) {
			problems = append(problems, Problem{i, e})
		}
	}
	p.protected, p.reports = p.protectedSets(), p.writtenReports()
	for _, c := range p.Criteria {
		p.commands = append(p.commands, command{"the criterion " + c.ID, c.Run, c.Cwd, Clause{p.origin[c.ID], c.Pos}})
	}
	if p.Rules.Run != nil {
		from := slices.IndexFunc(p.Sources, func(s Source) bool { return s.Contract.Rules.Run != nil })
		p.commands = append(p.commands, command{"rules.run", p.Rules.Run, ".", Clause{from, p.Sources[from].Contract.Rules.Pos}})
	}
	var excess *command
	if p.arguments, excess = argumentPaths(p.commands); excess != nil {
		problems = append(problems, p.tooManyArguments(excess))
	}
	p.dirs = dirsOf(p.commands)
	return p, problems
}

// nameTasks finds the ids of the tasks. A standing contract may have one too, which counts where there is no other.
func (p *Policy) nameTasks() {
	for _, s := range p.Sources {
		if s.IsTask() {
			p.TaskIDs = append(p.TaskIDs, s.Contract.TaskID.Value)
		} else if id := s.Contract.TaskID.Value; id != "" {
			p.TaskID = id
		}
	}
	if len(p.TaskIDs) > 0 && p.TaskIDs[0] != "" {
		p.TaskID = p.TaskIDs[0]
	}
	if len(p.TaskIDs) < 2 {
		p.TaskIDs = nil
	}
}

// TaskNames are the ids of all tasks, for a message.
func (p *Policy) TaskNames() string {
	if p.TaskIDs == nil {
		return p.TaskID
	}
	return strings.Join(p.TaskIDs, ", ")
}

// add joins one more contract. The first one is the standing contract, for which a missing key means the default; in a later
// one it changes nothing.
func (p *Policy) add(s Source, first bool) []input.Error {
	c := s.Contract
	problems := p.addEvidenceDir(c, first) // first: criteria that only the change adds write their reports there
	problems = append(problems, p.addCriteria(s)...)
	problems = append(problems, p.addTests(c, first)...)
	for i := range c.Tests {
		if !s.HeadOnly() {
			p.crossed = append(p.crossed, glob.Compile(denying(c.Tests[i].Files)))
		}
	}
	p.scopes = append(p.scopes, newScope(s, first))
	p.Approvals = append(p.Approvals, c.Approvals...)
	for _, note := range c.ApprovalNotes {
		if !slices.Contains(p.ApprovalNotes, note.Value) {
			p.ApprovalNotes = append(p.ApprovalNotes, note.Value)
		}
	}
	p.addMarkers(c)
	for _, login := range c.Threads {
		if !slices.Contains(p.Threads, login.Value) {
			p.Threads = append(p.Threads, login.Value)
		}
	}
	p.addBudgets(c, first)
	p.Agent.add(&c.Agent)
	problems = append(problems, p.checkRole(c, first)...)
	problems = append(problems, p.checkWhen(c, first)...)
	p.addRules(s, first)
	problems = append(problems, p.addRuleCommand(c, first)...)
	problems = append(problems, p.addCoverage(c)...)
	p.MinEvidence = input.Stronger(p.MinEvidence, c.Evidence.Min)
	if committed := c.Evidence.Committed; committed != nil { // a later contract can only take it back
		p.EvidenceCommitted = *committed && (first || p.EvidenceCommitted)
	}
	return problems
}

// addMarkers adds the markers of threads. Where a contract with threads has none, each thread matters. The logins are not added yet.
func (p *Policy) addMarkers(c *contract.Contract) {
	all := len(p.Threads) > 0 && p.ThreadMarkers == nil
	if len(c.Threads) == 0 || all {
		return
	}
	markers := p.ThreadMarkers
	p.ThreadMarkers = nil
	for _, m := range c.ThreadMarkers {
		p.ThreadMarkers = append(p.ThreadMarkers, m.Value)
	}
	if p.ThreadMarkers != nil {
		p.ThreadMarkers = append(p.ThreadMarkers, markers...)
	}
}

// checkRole refuses the keys that only the other kind of contract may have.
func (p *Policy) checkRole(c *contract.Contract, first bool) []input.Error {
	key, message, fix := "tasks", "only the standing contract says how many tasks a change may carry", "move it to the standing contract"
	if first {
		key, message, fix = "closed", "the standing contract is no task that could be closed", "remove it, or move it to the contract of a task"
	}
	pos, there := c.Keys[key]
	if !there {
		return nil
	}
	return []input.Error{{Pos: pos, Where: "/" + key, Message: message, Found: input.Quote(key), Expected: "no " + input.Quote(key), Fix: fix}}
}

// addEvidenceDir keeps the evidence directory of the standing contract: the code tree excludes it, so no later contract may
// move it.
func (p *Policy) addEvidenceDir(c *contract.Contract, first bool) []input.Error {
	switch dir := c.Evidence.Dir; {
	case dir == "" || dir == p.EvidenceDir:
	case first:
		p.EvidenceDir = dir
	default:
		return []input.Error{{
			Pos: c.Keys["evidence"], Where: "/evidence/dir", Message: "a task contract cannot move the evidence directory",
			Found: dir, Expected: p.EvidenceDir, Fix: "remove evidence.dir from the task contract",
		}}
	}
	return nil
}

func (p *Policy) addBudgets(c *contract.Contract, first bool) {
	if v := c.ViolationBudget; v != nil && (first || *v < p.ViolationBudget) {
		p.ViolationBudget = *v
	}
	if v := c.TimeBudgetMinutes; v != nil && (p.TimeBudgetMinutes == nil || *v < *p.TimeBudgetMinutes) {
		p.TimeBudgetMinutes = v
	}
	if c.NetworkEgress == nil {
		return
	}
	hosts := []string{}
	for _, h := range c.NetworkEgress {
		if p.NetworkEgress == nil || slices.Contains(p.NetworkEgress, h.Value) {
			hosts = append(hosts, h.Value)
		}
	}
	p.NetworkEgress = hosts
}

// addRules adds the catalogue. For a rule in two catalogues the stricter severity and the earlier expiry apply. An ignore of
// a later contract counts only for rules that this contract adds.
func (p *Policy) addRules(s Source, first bool) {
	if first {
		p.OpenCatalogue = s.Contract.Rules.Catalogue == nil
	}
	own := func(id string) bool {
		return slices.ContainsFunc(s.Contract.Rules.Catalogue, func(r contract.CatalogueRule) bool { return r.ID.Value == id })
	}
	p.addDiffRules(s)
	for _, ignore := range s.Contract.Rules.Ignore {
		id := ignore.ID.Value
		if contract.IsDiffRule(id) {
			if first { // a later contract adds no rule of the gate
				p.DiffIgnore = append(p.DiffIgnore, Ignore{ignore, s})
			}
			continue
		}
		if first || (!p.OpenCatalogue && p.rule(id) == nil && own(id)) {
			p.Ignore = append(p.Ignore, Ignore{ignore, s})
		}
	}
	for _, r := range s.Contract.Rules.Catalogue {
		old := p.rule(r.ID.Value)
		if old == nil {
			p.Catalogue = append(p.Catalogue, Rule{r, s})
			continue
		}
		old.Severity = input.Stricter(old.Severity, r.Severity)
		old.joinReviewers(r)
		if r.ExpiresAt != "" && (old.ExpiresAt == "" || r.ExpiresAt < old.ExpiresAt) {
			old.ExpiresAt = r.ExpiresAt
		}
	}
}

// joinReviewers adds the reviewers of another entry about the rule, and takes the smaller number that must agree. Where one of both
// has no reviewers, neither has: then the objections of all count.
func (r *Rule) joinReviewers(other contract.CatalogueRule) {
	if r.Reviewers == nil || other.Reviewers == nil {
		r.Reviewers = nil
		return
	}
	r.Reviewers = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Reviewers, other.Reviewers))))
	r.Agree = min(r.Agree, other.Agree)
}

// addDiffRules adds the entries of the catalogue about the gate's own rules. Of a rule in two contracts the earlier expiry
// applies; [Policy.DiffSeverity] joins the severities.
func (p *Policy) addDiffRules(s Source) {
	for _, r := range s.Contract.Rules.DiffRules {
		old := ruleOf(p.DiffRules, r.ID.Value)
		switch {
		case old == nil:
			p.DiffRules = append(p.DiffRules, Rule{r, s})
		case r.ExpiresAt != "" && (old.ExpiresAt == "" || r.ExpiresAt < old.ExpiresAt):
			old.ExpiresAt = r.ExpiresAt
		}
	}
}

// DiffSeverity is the severity of a diff rule: what the standing contract says, else the standard one. A later contract can
// only raise it, and one that does not name the rule changes nothing.
func (p *Policy) DiffSeverity(id string, standard input.Severity) input.Severity {
	severity := standard
	for i, s := range p.Sources {
		said, named := s.Contract.Rules.DiffSeverity(id, standard)
		switch {
		case !named:
		case i == 0:
			severity = said
		default:
			severity = input.Stricter(severity, said)
		}
	}
	return severity
}

func (p *Policy) rule(id string) *Rule { return ruleOf(p.Catalogue, id) }

func ruleOf(list []Rule, id string) *Rule {
	i := slices.IndexFunc(list, func(r Rule) bool { return r.ID.Value == id })
	if i < 0 {
		return nil
	}
	return &list[i]
}

func globs(patterns []contract.Pattern) []glob.Pattern {
	list := make([]glob.Pattern, len(patterns))
	for i, p := range patterns {
		list[i] = p.Glob
	}
	return list
}

// denying is [globs] for a list that denies: a pattern without wildcards also matches everything below it.
func denying(patterns []contract.Pattern) []glob.Pattern {
	list := globs(patterns)
	for i := range list {
		list[i] = list[i].AndBelow()
	}
	return list
}
