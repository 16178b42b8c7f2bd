package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/strict"
)

// The trusts of inputs that are no contracts.
const (
	trustCollected = "collected" // written by the collector, or handed over in its place
	trustClaimed   = "claimed"
	trustRecorded  = "recorded"
	trustIgnored   = "ignored"
)

// readContracts reads the standing contract and the task contracts, and joins them.
func (j *judge) readContracts() {
	j.readStanding()
	j.readTasks()
}

// readStanding reads the standing contract; two are one too many.
func (j *judge) readStanding() {
	standing := j.of(check.Contract)
	j.standing = len(standing)
	for i, in := range standing {
		j.readContract(in)
		if i > 0 {
			j.contractProblem(in, diag.Error{
				Message: "there are two standing contracts", Found: standing[0].Name + " and " + in.Name, Expected: "one",
				Fix: "remove one of them",
			})
		}
	}
}

// readTasks reads the task contracts, and joins them with the standing one.
func (j *judge) readTasks() {
	tasks := j.of(check.TaskContract)
	for _, in := range tasks {
		j.readContract(in)
	}
	if len(tasks) > 1 {
		j.chooseTask(tasks)
	}
	if j.standing == 0 {
		j.in.State[check.Contract] = check.Missing // a task contract alone judges nothing
		return
	}
	if j.in.State[check.Contract] != check.Usable {
		return
	}
	if j.namedTaskIsMissing() {
		j.in.NoTask, j.in.State[check.Contract] = true, check.Missing
		return
	}
	j.join(policy.Join)
}

// namedTaskIsMissing reports whether the caller named a task that no contract has. Judging by another contract in
// silence would judge another task.
func (j *judge) namedTaskIsMissing() bool {
	return j.in.Task != "" && !slices.ContainsFunc(j.sources, func(s policy.Source) bool { return s.Contract.TaskID.Value == j.in.Task })
}

// contractProblem notes an error that no parser of one contract can see.
func (j *judge) contractProblem(in Input, e diag.Error) {
	j.in.Problems = append(j.in.Problems, check.Problem{Kind: in.Kind, Path: j.contractPath(in), Error: e})
	j.in.State[check.Contract] = check.Malformed
}

// chooseTask refuses several task contracts: only one of them can be the task's.
func (j *judge) chooseTask(tasks []Input) {
	j.contractProblem(tasks[1], diag.Error{
		Message: "there is more than one task contract", Found: fmt.Sprintf("%d task contracts", len(tasks)), Expected: "one",
		Fix: "keep the contract of the task that is judged",
	})
}

// origin is what the facts say of a contract. Without facts about contracts the operator vouches for all of them.
func (j *judge) origin(in Input) facts.ContractOrigin {
	if j.in.Facts == nil || j.in.Facts.Contracts == nil {
		return facts.ContractOrigin{Trust: facts.TrustOperator}
	}
	i := slices.IndexFunc(j.in.Facts.Contracts, func(o facts.ContractOrigin) bool { return o.File == in.Name })
	if i < 0 {
		return facts.ContractOrigin{}
	}
	return j.in.Facts.Contracts[i]
}

// contractPath is what the report calls a contract: its path in the repository where that is known.
func (j *judge) contractPath(in Input) string {
	if p := j.origin(in).Path; p != "" {
		return p
	}
	return j.display(in.Name)
}

func (j *judge) readContract(in Input) {
	origin := j.origin(in)
	trust := firstOf(string(origin.Trust), "unknown")
	parse := func(data []byte, limits strict.Limits) (*contract.Contract, *diag.Errors) {
		c, errs := contract.Parse(in.Name, data, limits)
		if c != nil && in.Kind == check.TaskContract {
			checkTask(c, in, origin.Trust, errs)
		}
		return c, errs
	}
	c, listed := readSmall(j, in, j.contractPath(in), "the contract", trust, parse)
	listed.Ref = text(origin.Commit)
	j.state(check.Contract, stateOf(c))
	if c != nil {
		j.sources = append(j.sources, policy.Source{
			Contract: c, Kind: string(in.Kind), File: in.Name, Path: listed.Path, RepoPaths: repoPaths(in, origin), Trust: origin.Trust,
			HeadHolds: origin.HeadHolds, BaseHolds: origin.BaseHolds,
		})
	}
}

// repoPaths are the paths under which the repository holds a contract, from whoever knows.
func repoPaths(in Input, origin facts.ContractOrigin) []string {
	if origin.Path != "" {
		return append([]string{origin.Path}, in.RepoPaths...)
	}
	return in.RepoPaths
}

// checkTask adds what a task contract must obey beside what every contract must.
func checkTask(c *contract.Contract, in Input, trust facts.Trust, errs *diag.Errors) {
	c.CheckTask(errs)
	if trust == facts.TrustHead {
		c.CheckHeadOnly(errs)
	}
	if id := c.TaskID; id.Value != "" && id.Value != stem(in.Name) {
		errs.Add(diag.Error{
			Pos: id.Pos, Where: "/task_id", Message: "the file is not called as its task_id", Found: fmt.Sprintf("%q in %s", id.Value, in.Name),
			Expected: fmt.Sprintf("task_id %q, or the file name %s.json", stem(in.Name), id.Value), Fix: "rename the file or correct task_id",
		})
	}
}

func (j *judge) join(join func([]policy.Source, string) (*policy.Policy, []policy.Problem)) {
	p, problems := join(j.sources, j.fallbackTask())
	for _, problem := range problems {
		s := j.sources[problem.Source]
		j.in.Problems = append(j.in.Problems, check.Problem{Kind: check.Kind(s.Kind), Path: s.Path, Error: problem.Error})
	}
	if len(problems) > 0 {
		j.in.State[check.Contract] = check.Malformed
		return
	}
	if j.in.Facts != nil {
		p.AddArguments(j.in.Facts.ArgumentPaths)
	}
	p.Measure(glob.NewMeter(j.limits().MatchSteps))
	j.in.Policy = p
	j.setMinimum(p)
}

// fallbackTask is the task's id where no contract names one.
func (j *judge) fallbackTask() string {
	switch {
	case j.in.Facts == nil:
		return "local"
	case j.in.Facts.Subject.PullRequest > 0:
		return fmt.Sprintf("pr-%d", j.in.Facts.Subject.PullRequest)
	case j.ofGroup():
		return "merge-group"
	}
	return "local"
}

// setMinimum decides which evidence level the records need where a criterion does not say.
func (j *judge) setMinimum(p *policy.Policy) {
	j.in.Minimum = p.MinEvidence
	if j.in.Minimum != "" {
		return
	}
	f := j.in.Facts
	switch {
	case j.settings.Event != "", f != nil && (f.Subject.PullRequest > 0 || j.ofGroup() || strings.HasPrefix(f.Event.Name, "pull_request")):
		j.in.Minimum = diag.Recorded
	case f != nil && f.Subject.AcceptedTrees != nil:
		j.in.Minimum = diag.Bound
	default:
		j.in.Minimum, j.in.Unbound = diag.Claimed, true
	}
}
