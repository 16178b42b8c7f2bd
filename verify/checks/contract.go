package checks

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/policy"
)

// ContractCheck checks that there is a contract that the change did not write.
var ContractCheck = &check.Check{
	ID:    "contract",
	Title: "The scope contract is there, well formed, and not written by the change",
	Codes: slices.Concat(
		check.CodesWith(input.Block,
			"contract.missing", "contract.malformed", "contract.changed", "contract.untrusted", "contract.unanchored",
		),
		check.CodesWith(input.Unknown, "contract.trial"),
		check.CodesWith(input.Block, "task.missing"),
	),
	Also:  []string{CodeUnavailable},
	Scope: check.ScopeChange | check.ScopeGroup | check.ScopeMember | check.ScopePast,
	Run:   runContract,
}

func runContract(p *check.Pass) {
	p.ReportProblems("contract.malformed", check.Contract, check.TaskContract)
	if len(p.NoTasks)+len(p.ClosedTasks) > 0 {
		reportNoTasks(p)
	} else if p.State[check.Contract] == check.Missing && len(p.Unavailable(facts.WantedContracts)) == 0 {
		actual, fix := whereContract(p)
		p.Report(check.Finding{
			Code: "contract.missing", Message: "there is no scope contract", Input: check.Contract,
			Expected: "a standing contract at the base (" + policy.StandingContract + ".json, .yaml or .yml), or one that the operator names",
			Actual:   actual, Fix: fix,
		})
	}
	if p.Policy == nil {
		return
	}
	reportAddedTasks(p)
	reportTaskCount(p)
	reportNoneRequired(p)
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Contract {
			f := fileFinding(p, "contract.changed", c)
			f.Message = "the change edits a scope contract; the contract of the base branch applies"
			f.Expected = "no change to a contract of the base branch"
			f.Fix = "revert this file; a person changes contracts in a separate pull request"
			p.Report(f)
		}
	}
	for i := range p.Policy.Sources {
		s := &p.Policy.Sources[i]
		switch message, actual := p.Untrusted(s); {
		case message == "":
		case p.IsTrial() && !s.IsTask():
			reportTrial(p, s)
		default:
			p.Report(inContract(s, input.Pos{}, check.Finding{
				Code: "contract.untrusted", Message: message, Actual: actual, Identity: []string{string(s.Trust)},
				Expected: "a contract from the base branch, or one from outside the repository",
				Fix:      "commit the contract to the base branch, or let the workflow read it from outside the repository",
			}))
		}
	}
}

// reportNoTasks reports the tasks that are named and that nothing can be judged by.
func reportNoTasks(p *check.Pass) {
	report := func(claim policy.Claim, f check.Finding) {
		f.Code, f.Input = "contract.missing", check.TaskContract
		if claim.By != policy.ByCaller {
			f.Fix = rewordFix
		}
		p.Report(f)
	}
	for _, claim := range p.NoTasks {
		report(claim, check.Finding{
			Message:  fmt.Sprintf("no contract has the task %q, which %s names", claim.Task, claim.By),
			Expected: "a contract with this task_id", Actual: "none",
			Fix: "supply the contract of the task, or name another one with --task", Identity: []string{claim.Task},
		})
	}
	for _, claim := range p.ClosedTasks {
		report(claim, check.Finding{
			Message:  fmt.Sprintf("the task %q is closed, and %s names it", claim.Task, claim.By),
			Expected: "a task that is not closed", Actual: `"closed": true`,
			Fix: "name another task with --task", Identity: []string{claim.Task, "closed"},
		})
	}
}

const rewordFix = "reword the commit (git rebase -i, or git commit --amend) if it carries the trailer of another change; else name a task of the base branch"

// reportNoneRequired reports that each command of the contracts that must pass has when, and the change matches none.
func reportNoneRequired(p *check.Pass) {
	if p.Policy.NotRequired == nil || p.Policy.IsAnchored() || p.Policy.WhenNone() {
		return
	}
	p.Report(atKey(p, "acceptance_criteria", check.Finding{
		Code: "contract.unanchored", Message: "the change requires no command that must pass: it matches when of none",
		Expected: "at least one criterion without when, or one that the change matches", Actual: "none",
		Fix: `for a person: let one criterion of the standing contract have no when, or write "when_none": "pass" there`,
	}))
}

// reportTaskCount reports that there is no task where one is required, and more tasks than the standing contract allows. That the
// change adds several contracts and nothing else names a task is said by [reportAddedTasks].
func reportTaskCount(p *check.Pass) {
	rule, trailers := p.Policy.Sources[0].Contract.Tasks, []facts.Trailer(nil)
	if p.Facts != nil {
		trailers = p.Facts.Trailers
	}
	claims := policy.Claims(p.Named, p.AddedTasks, trailers, rule)
	for _, u := range p.Unavailable(facts.WantedTasks) {
		p.Report(check.UnavailableFact(CodeUnavailable, u, "which tasks the commits of the change name"))
		return
	}
	tasks := slices.ContainsFunc(p.Policy.Sources, func(s policy.Source) bool { return s.IsTask() })
	if rule.Required && !tasks && len(claims) == 0 && p.Group == nil {
		f := atKey(p, "tasks", check.Finding{
			Code: "task.missing", Message: "the change carries no task, and the standing contract requires one",
			Expected: "a task that the workflow names, whose contract the change adds, or that a commit names (Closeout-Task: ID)", Actual: "none",
			Fix: `add the trailer "Closeout-Task: ID" to the message of a commit, with the id of a task of the base branch`,
		})
		update := newUpdate(p)
		update.except(p, &f)
		p.Report(f)
	}
	if len(claims) <= rule.Most() || (len(p.Named)+len(trailers) == 0 && rule.Most() == 1) {
		return
	}
	var said []string
	for _, c := range claims {
		said = append(said, fmt.Sprintf("%s (%s)", c.Task, c.By))
	}
	p.Report(atKey(p, "tasks", check.Finding{
		Code: "contract.missing", Message: fmt.Sprintf("the change carries %d tasks, and the standing contract allows %d", len(claims), rule.Most()),
		Expected: fmt.Sprintf("at most %s for a change (tasks.max)", input.Plural(int64(rule.Most()), "task")),
		Actual:   strings.Join(input.First(said, 10), ", "),
		Fix:      "split the change, or " + rewordFix + "; a person may raise tasks.max in the standing contract",
		Identity: []string{"too many tasks"},
	}))
}

// whereContract says where a contract is that the gate does not see, and the next step.
func whereContract(p *check.Pass) (actual, fix string) {
	const right = policy.StandingContract
	var places []facts.Misplaced
	if p.Facts != nil {
		places = p.Facts.Misplaced
	}
	for _, m := range places {
		switch name := input.QuotePath(m.Path); m.At {
		case "named":
			actual, fix = "no "+name+" at the base, which the call names", "let a person add "+name+" to the base branch, or name the path that it has there with --contract"
		case "base":
			if name == right+path.Ext(name) {
				return "the base contains " + name, "leave out --contract, or name " + name + " with it"
			}
			return "the base contains " + name, "let a person move the contract on the base branch: git mv " + name + " " + right + path.Ext(name)
		case "head":
			return "only the head contains " + name, "only the head contains " + name + ": let a person merge it into the base branch first, or name a contract with --contract-file"
		case "work_tree":
			return "only the work tree contains " + name, "let a person commit the contract on the base branch: git add " + name + " && git commit"
		}
	}
	if fix != "" {
		return actual, fix
	}
	return "none", "run closeout init, which writes " + right + ".json, and let a person merge it into the base branch; or name a contract with --contract-file"
}

// reportAddedTasks reports more than one task contract in one change, when the caller does not name the task, and one that
// was not supplied: it may forbid what the other contracts allow.
func reportAddedTasks(p *check.Pass) {
	if len(p.AddedTasks) > 1 && len(p.Named) == 0 && p.Policy.Sources[0].Contract.Tasks.Most() == 1 {
		p.Report(check.Finding{
			Code: "contract.malformed", Message: "the change adds more than one task contract", Input: changeKind(p), Path: p.AddedTasks[0],
			Expected: "one task contract for each change", Actual: strings.Join(p.AddedTasks, ", "),
			Fix: "keep one of them, or name the task with --task", Identity: []string{"two task contracts"},
		})
	}
	if p.AbsentTask != "" {
		p.Report(check.Finding{
			Code: "contract.missing", Message: "the change adds a task contract that was not supplied", Input: changeKind(p), Path: p.AbsentTask,
			Expected: "the added contract among the inputs, in a bundle as contracts/<task_id>.json", Actual: "no task contract",
			Fix: "add the file to the bundle, or let closeout verify --base collect it", Identity: []string{"added task"},
		})
	}
}

// reportTrial says who could have written the contract that judges. On GitHub the change does not pass by it unless a
// person approved it who could override by the defaults: a contract that is not merged yet says nothing about people.
func reportTrial(p *check.Pass, s *policy.Source) {
	f := check.Finding{
		Code: "contract.trial", Input: check.Contract, Path: s.Path, Identity: []string{string(s.Trust)},
		Message:  "this is a trial: the change is judged by the scope contract that it brings, so the change itself could have written what is required of it",
		Expected: "a contract of the base branch, which has none yet",
		Actual:   "read from the change",
		Fix:      "let a person review the contract and merge it, if nothing blocks; from then on the contract of the base branch judges every change",
	}
	review := override.Approved(nil, p.Facts, 1)
	switch {
	case p.TriesContract():
		f.Severity = input.Warn
	case review.State == override.Yes:
		f.Severity, f.Message = input.Warn, f.Message+"; "+review.Why
	case review.State == override.No:
		f.Message += "; " + review.Why
		f.Fix += ": " + review.Do
	}
	p.Report(f)
}
