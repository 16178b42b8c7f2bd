package verify

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/policy"
)

// The trusts of inputs that are not contracts.
const (
	trustCollected = "collected" // written by the collector, or supplied in its place
	trustClaimed   = "claimed"
	trustRecorded  = "recorded"
	trustIgnored   = "ignored"
)

// readStanding reads the standing contract; a second one is an error.
func (l *loader) readStanding() {
	standing := l.inputsOf(check.Contract)
	for i, in := range standing {
		l.readContract(in)
		if i > 0 {
			l.contractProblem(in, input.Error{
				Message: "there are two standing contracts", Found: standing[0].Name + " and " + in.Name, Expected: "one",
				Fix: "remove one of them",
			})
		}
	}
}

// readTasks reads the task contracts, and joins them with the standing one.
func (l *loader) readTasks() {
	tasks := l.inputsOf(check.TaskContract)
	for _, in := range tasks {
		l.readContract(in)
	}
	l.countTasks(tasks)
	if l.given[check.Contract] == 0 {
		l.State[check.Contract] = check.Missing // a task contract alone judges nothing
		return
	}
	if l.State[check.Contract] != check.Usable {
		return
	}
	// To judge by another contract than those that are named would judge another task.
	for _, claim := range policy.Claims(l.Named, nil, l.trailers(), l.taskRule()) {
		i := slices.IndexFunc(l.contracts, func(s policy.Source) bool { return s.Contract.TaskID.Value == claim.Task })
		switch {
		case i < 0:
			l.NoTasks = append(l.NoTasks, claim)
		case l.contracts[i].Contract.Closed:
			l.ClosedTasks = append(l.ClosedTasks, claim)
		}
	}
	if len(l.NoTasks)+len(l.ClosedTasks) > 0 {
		l.State[check.Contract] = check.Missing
		return
	}
	policy.Arrange(l.contracts, l.Named)
	l.joinContracts(policy.Join)
}

// taskRule is what the standing contract says about tasks; the default where it cannot be read.
func (l *loader) taskRule() contract.TaskRule {
	if len(l.contracts) == 0 || l.contracts[0].IsTask() {
		return contract.TaskRule{}
	}
	return l.contracts[0].Contract.Tasks
}

// trailers are the tasks that the commits of the change name.
func (l *loader) trailers() []facts.Trailer {
	if l.Facts == nil {
		return nil
	}
	return l.Facts.Trailers
}

// countTasks reports task contracts that were not asked for, as in a bundle by hand, and two of one task.
func (l *loader) countTasks(tasks []Input) {
	asked := len(l.Named)+len(l.trailers()) > 0
	for i, in := range tasks {
		twice := slices.ContainsFunc(tasks[:i], func(o Input) bool { return stem(o.Name) == stem(in.Name) })
		if i == 0 || (!twice && (asked || len(tasks) <= l.taskRule().Most())) {
			continue
		}
		l.contractProblem(in, input.Error{
			Message: "there is more than one task contract", Found: fmt.Sprintf("%d task contracts", len(tasks)), Expected: "one",
			Fix: "keep the contract of the task that is judged",
		})
		return
	}
}

// contractProblem adds an error that no parser of one contract can find.
func (l *loader) contractProblem(in Input, e input.Error) {
	l.problem(in.Kind, l.contractPath(in), e)
	l.State[check.Contract] = check.Malformed
}

// origin is what the facts say about a contract. Without facts about contracts the operator is responsible for all of them.
func (l *loader) origin(in Input) facts.ContractOrigin {
	if l.Facts == nil || l.Facts.Contracts == nil {
		return facts.ContractOrigin{Trust: facts.TrustOperator}
	}
	i := slices.IndexFunc(l.Facts.Contracts, func(o facts.ContractOrigin) bool { return o.File == in.Name })
	if i < 0 {
		return facts.ContractOrigin{}
	}
	return l.Facts.Contracts[i]
}

// contractPath is what the report calls a contract: its path in the repository where that is known.
func (l *loader) contractPath(in Input) string {
	if p := l.origin(in).Path; p != "" {
		return p
	}
	return l.display(in.Name)
}

func (l *loader) readContract(in Input) {
	origin := l.origin(in)
	parse := func(data []byte, limits input.Limits) (*contract.Contract, *input.Errors) {
		c, errs := l.bundle.Parsed.Parse(in.Name, data, limits)
		if c != nil && in.Kind == check.TaskContract {
			checkTask(c, in, origin.Trust, errs)
		}
		return c, errs
	}
	c, listed := readSmall(l, in, l.contractPath(in), "the contract", cmp.Or(string(origin.Trust), "unknown"), parse)
	listed.Ref = text(origin.Commit)
	l.join(check.Contract, stateOf(c))
	if c == nil {
		return
	}
	paths := in.RepoPaths
	if origin.Path != "" {
		paths = append([]string{origin.Path}, paths...)
	}
	l.contracts = append(l.contracts, policy.Source{
		Contract: c, Kind: string(in.Kind), File: in.Name, Path: listed.Path, RepoPaths: paths, Trust: origin.Trust,
		HeadHolds: origin.HeadHolds, BaseHolds: origin.BaseHolds,
	})
}

// checkTask adds the rules for task contracts to those for every contract.
func checkTask(c *contract.Contract, in Input, trust facts.Trust, errs *input.Errors) {
	c.CheckTask(errs)
	if trust == facts.TrustHead {
		c.CheckHeadOnly(errs)
	}
	if id := c.TaskID; id.Value != "" && id.Value != stem(in.Name) {
		errs.Add(input.Error{
			Pos: id.Pos, Where: "/task_id", Message: "the file is not named after its task_id", Found: fmt.Sprintf("%q in %s", id.Value, in.Name),
			Expected: fmt.Sprintf("task_id %q, or the file name %s.json", stem(in.Name), id.Value), Fix: fmt.Sprintf("rename the file (git mv %[1]s/%[2]s %[1]s/%[3]s%[4]s), or write \"task_id\": %[5]q", policy.TasksDir, path.Base(in.Name), id.Value, path.Ext(in.Name), stem(in.Name)),
		})
	}
}

// joinContracts joins the contracts that could be read.
func (l *loader) joinContracts(join func([]policy.Source, string) (*policy.Policy, []policy.Problem)) {
	p, problems := join(l.contracts, l.fallbackTask())
	for _, problem := range problems {
		s := l.contracts[problem.Source]
		l.problem(check.Kind(s.Kind), s.Path, problem.Error)
	}
	if len(problems) > 0 {
		l.State[check.Contract] = check.Malformed
		return
	}
	if l.Facts != nil {
		p = p.WithArguments(l.Facts.ArgumentPaths)
	}
	p.Measure(glob.NewMeter(l.settings.Limits.MatchSteps))
	l.Policy = p
	l.setMinimum(p)
}

// fallbackTask is the id of a task that no contract names.
func (l *loader) fallbackTask() string {
	switch {
	case l.Facts == nil:
		return "local"
	case l.Facts.Subject.PullRequest > 0:
		return fmt.Sprintf("pr-%d", l.Facts.Subject.PullRequest)
	case l.scope != check.ScopeChange:
		return "merge-group"
	}
	return "local"
}

// setMinimum decides which evidence level the records need for a criterion that does not say.
func (l *loader) setMinimum(p *policy.Policy) {
	l.Minimum = p.MinEvidence
	if l.Minimum != "" {
		return
	}
	f := l.Facts
	switch {
	case l.settings.Event != "", f != nil && (f.Subject.PullRequest > 0 || l.scope != check.ScopeChange || strings.HasPrefix(f.Event.Name, "pull_request")):
		l.Minimum = input.Recorded
	case f != nil && f.Subject.AcceptedTrees != nil:
		l.Minimum = input.Bound
	default:
		l.Minimum, l.Unbound = input.Claimed, true
	}
}

// authorise finds the standing contract, if it can be trusted, and who may override. The defaults apply only if there is no
// standing contract at all: one that cannot be read may be stricter.
func (l *loader) authorise() {
	if l.given[check.Contract] == 0 {
		l.Rule = override.NewRule()
		return
	}
	l.checkNever()
	if slices.ContainsFunc(l.Problems, l.hidesRule) {
		return
	}
	standing := &l.contracts[0] // it is read first, and nothing is wrong with it
	if l.IsTrial() {
		l.Rule = override.NewRule() // as where there is no contract
		return
	}
	if !l.Trusted(standing) {
		return
	}
	contracts := []*contract.Contract{standing.Contract}
	for i := range l.contracts[1:] {
		if s := &l.contracts[1+i]; l.Trusted(s) {
			contracts = append(contracts, s.Contract)
		}
	}
	l.Standing, l.standing, l.Rule = standing.Contract, standing.Path, override.NewRule(contracts...)
}

// checkNever requires that each entry of override.never names a code or a diff rule: one that names none would leave open what it was
// to close. The ids of diff rules are known where the collector wrote their rows.
func (l *loader) checkNever() {
	var known []string
	for _, c := range checks.Documented {
		for _, code := range c.Codes {
			known = append(known, code.Name)
		}
	}
	if l.DiffRules != nil {
		for _, row := range l.DiffRules.Rules {
			known = append(known, row.ID)
		}
	}
	for i := range l.contracts {
		source := &l.contracts[i]
		for _, never := range source.Contract.Override.Never {
			_, former := contract.FormerRule(never)
			unsure := contract.IsDiffRule(never) && l.DiffRules == nil
			if former || unsure || slices.Contains(known, never) {
				continue
			}
			fix := "correct or remove it; closeout explain lists the codes, and closeout diff --list the rules"
			if near := input.Nearest(never, known); near != "" {
				fix = fmt.Sprintf("did you mean %q? A person must correct it on the base branch", near)
			}
			l.problem(check.Kind(source.Kind), source.Path, input.Error{
				Pos: source.Contract.Keys["override"], Where: "/override/never", Message: fmt.Sprintf("override.never names %q, which is neither the code of a finding nor a diff rule", never),
				Found: never, Expected: "a code, such as scope.forbidden, or the id of a diff rule", Fix: fix,
			})
		}
	}
}

// hidesRule reports whether a problem may hide who may override, or which findings have no override: a problem of a
// contract that the change did not write, or of facts that list a file that is not there.
func (l *loader) hidesRule(p check.Problem) bool {
	if p.Kind == check.TaskContract {
		return !slices.ContainsFunc(l.inputsOf(check.TaskContract), func(in Input) bool {
			return l.contractPath(in) == p.Path && l.origin(in).Trust == facts.TrustHead
		})
	}
	return p.Kind == check.Contract || p.Kind == check.Facts
}

// classify lets the contracts decide about every touched path.
func (l *loader) classify() {
	for i := range l.Changes {
		if c := &l.Changes[i]; policy.AddsTask(&c.Change) {
			l.AddedTasks = append(l.AddedTasks, c.Path)
		}
	}
	if l.Policy == nil {
		return
	}
	added := l.addedTasks()
	l.Policy = l.Policy.WithAddedTasks(added)
	if len(added) > 0 && l.given[check.TaskContract] == 0 {
		l.AbsentTask = added[0]
	}
	for i := range l.Changes {
		c := &l.Changes[i]
		c.Ruling = l.Policy.Classify(&c.Change)
		if l.Policy.Meter.Spent() {
			l.dropChanges()
			return
		}
	}
}

// dropChanges reports that it costs too much to compare the touched paths with the patterns. A path that was not compared
// with all patterns must not be reported as if it was.
func (l *loader) dropChanges() {
	kind := check.Changes
	if l.State[check.Diff] == check.Usable {
		kind = check.Diff
	}
	l.problem(kind, "", input.TooManySteps(l.settings.Limits.MatchSteps))
	l.State[check.Changes], l.Changes, l.AddedTasks = check.Malformed, nil, nil
}

// addedTasks are the task contracts that the change adds and that judge it: those that the caller named, or as many as a change
// may carry.
func (l *loader) addedTasks() (list []string) {
	most := l.Policy.Sources[0].Contract.Tasks.Most()
	for _, p := range l.AddedTasks {
		free := len(l.AddedTasks) <= most && (len(l.Named) == 0 || most > 1)
		if (slices.Contains(l.Named, stem(p)) || free) && l.isJudged(p) {
			list = append(list, p)
		}
	}
	return list
}

// isJudged reports whether an added file can be the task contract that judges. Where none was supplied, and no facts
// list the contracts, it should have been.
func (l *loader) isJudged(added string) bool {
	tasks := 0
	for _, s := range l.contracts {
		if !s.IsTask() {
			continue
		}
		if tasks++; stem(added) == s.Contract.TaskID.Value && (len(s.RepoPaths) == 0 || slices.Contains(s.RepoPaths, added)) {
			return true
		}
	}
	return tasks == 0 && (l.Facts == nil || l.Facts.Contracts == nil)
}

// stem is a file's name without directory and extension.
func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }
