package collect

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Contracts are the contracts of a decision: the standing one, or the operator's in its place, and the one of the task.
// What is wrong with one of them is for the judge to say.
type Contracts struct {
	Standing    *contract.Contract // or the operator's; nil when there is none that can be read
	Policy      *policy.Policy     // nil when the contracts make none
	Unavailable []facts.Unavailable
	Problems    []ContractProblem // why Policy is nil, as far as the contracts say; those of files first
	files       []contractFile
	named       []string // the tasks that the caller named
	trailers    []facts.Trailer
	commit      string // whose contracts count; "" is the base of the comparison
	trial       bool   // the standing contract is the one that the change brings
}

// ContractProblem is an error of a contract.
type ContractProblem struct {
	Path string // as the report names it
	input.Error
}

// contractFile is a contract and where it came from.
type contractFile struct {
	kind   check.Kind
	parsed *contract.Contract // as far as it can be read; nil for not at all
	valid  bool
	errs   []input.Error
	origin facts.ContractOrigin
	open   verify.Opener
	paths  []string // of an operator's file in the repository
}

// parse reads the content of a contract, once for all stages.
func (f *contractFile) parse(data []byte, o Options) {
	read, errs := o.Parsed.Parse(f.origin.File, data, o.Settings.Limits)
	f.parsed, f.valid, f.errs, f.open = read, read != nil && !errs.Any(), errs.All(), bytesOpener(data)
}

// ReadContracts reads the contracts of a comparison: the operator's, if the options name one, or the standing contract of
// the base; and the task's. The error is one of usage.
func ReadContracts(c *Comparison, o Options) (*Contracts, error) {
	standing, err := ReadStanding(c, o)
	if err != nil {
		return nil, err
	}
	return standing.WithTask(c, o)
}

// ReadStanding reads the operator's contract, if the options name one, or the standing contract of the base.
func ReadStanding(c *Comparison, o Options) (*Contracts, error) {
	if o.ContractFile == "" {
		return StandingAt(c.Objects, c.contractsAt(o), o)
	}
	r := contractReader{objects: c.Objects, commit: c.Head}
	r.Contracts.commit = o.ContractsAt
	if err := r.readFile(check.Contract, o.ContractFile, o); err != nil {
		return nil, err
	}
	return r.standing()
}

// contractsAt is the commit whose contracts count.
func (c *Comparison) contractsAt(o Options) string { return cmp.Or(o.ContractsAt, c.Base) }

// StandingAt reads the standing contract of a commit, at all paths where there may be one, since two are an error that the
// judge must see.
func StandingAt(objects Objects, commit string, o Options) (*Contracts, error) {
	r := contractReader{objects: objects, commit: commit, trust: facts.TrustBase, options: o}
	r.Contracts.commit = o.ContractsAt
	if o.Contract != "" {
		r.read(check.Contract, "scope_contract"+contractExtension(o.Contract), o.Contract)
	} else {
		for _, extension := range policy.ContractExtensions {
			if r.read(check.Contract, "scope_contract"+extension, policy.StandingContract+extension); len(r.Unavailable) > 0 {
				break // what is unknown about one is unknown about the others
			}
		}
	}
	return r.standing()
}

// OrTrial reads the standing contract that the change adds, where the base is known to have none in any place; else c stays. A
// contract that the caller names counts instead.
func (c *Contracts) OrTrial(compared *Comparison, o Options) (*Contracts, error) {
	if len(c.files) > 0 || len(c.Unavailable) > 0 || o.Contract != "" || o.ContractFile != "" || o.ContractsAt != "" {
		return c, nil
	}
	if slices.ContainsFunc(misplaced(compared, o), func(m facts.Misplaced) bool { return m.At == "base" }) {
		return c, nil
	}
	var added []string
	for i := range compared.Changes {
		if file := &compared.Changes[i]; policy.AddsStanding(file) {
			added = append(added, file.Path)
		}
	}
	if len(added) != 1 {
		return c, nil
	}
	r := contractReader{objects: compared.Objects, commit: compared.Head, trust: facts.TrustHead, options: o}
	r.Contracts.trial = r.read(check.Contract, "scope_contract"+contractExtension(added[0]), added[0])
	return r.standing()
}

// Trial reports whether the standing contract is the one that the change brings.
func (c *Contracts) Trial() bool { return c.trial }

// readFile reads a contract on disk that the caller vouches for. The bundle names one of a task by its task_id, which its own
// name need not be: scan names it otherwise.
func (r *contractReader) readFile(kind check.Kind, name string, o Options) error {
	finder := newFinder(o)
	finder.file(kind, name, kind == check.Contract && o.Own)
	if finder.err != nil {
		return finder.err
	}
	in := finder.found.Inputs[0]
	file := contractFile{kind: kind, open: in.Open, paths: in.RepoPaths, origin: facts.ContractOrigin{
		File: "scope_contract" + contractExtension(in.Name), Path: in.Name, Trust: facts.TrustOperator,
	}}
	if kind == check.Contract && o.Own {
		file.origin.Trust, r.trial = facts.TrustHead, true
	} else {
		for _, p := range in.RepoPaths {
			file.origin.HeadHolds = file.origin.HeadHolds || r.contains(p)
		}
	}
	data, err := in.Read(o.Settings.Limits.ContractBytes)
	if err == nil {
		file.parse(data, o)
	}
	if kind == check.TaskContract {
		if len(in.RepoPaths) > 0 {
			return fmt.Errorf("the task contract %q is inside the repository, where the change can write it: name one outside", in.Name)
		}
		file.nameTask(o.Settings.Tasks)
		if err == nil && !file.valid { // the error in it names the file by its new name
			file.parse(data, o)
		}
	}
	r.files = append(r.files, file)
	return nil
}

// nameTask names a task contract of the operator by its task_id, or else by the task that the caller named. Its path in the
// report is one that no repository contains, so that it is not taken for a file of the change.
func (f *contractFile) nameTask(named []string) {
	id := ""
	if len(named) == 1 {
		id = named[0]
	}
	if f.parsed != nil && f.parsed.TaskID.Value != "" {
		id = f.parsed.TaskID.Value
	}
	if !contract.ValidTaskID(id) {
		id = "_"
	}
	name := id + contractExtension(f.origin.Path)
	f.origin.File, f.origin.Path = verify.ContractsDir+"/"+name, "../"+name
}

// WithoutTask joins the standing contract alone, as for a merge group, whose pull requests have the task contracts.
func (c *Contracts) WithoutTask() *Contracts {
	alone := *c
	alone.join(policy.JoinGroup)
	return &alone
}

// NamesBranch reports whether the standing contract can be read and names a branch under base_branches.
func (c *Contracts) NamesBranch(branch string) bool {
	if c.Standing == nil || len(c.files) != 1 || len(c.Unavailable) > 0 {
		return false
	}
	var globs []glob.Pattern
	for _, b := range c.Standing.BaseBranches {
		globs = append(globs, b.Glob)
	}
	return glob.Compile(globs).Match(branch)
}

// WithTask adds the contracts of the tasks to the standing contract: the files that the options name, or the tasks that the
// change carries, each at the base or else as the change adds it.
func (c *Contracts) WithTask(compared *Comparison, o Options) (*Contracts, error) {
	trailers, unavailable := c.findTrailers(compared, o)
	claims := c.claims(compared, o, trailers)
	if several := len(claims) > 1 && c.rule().Most() == 1; several && len(o.Settings.Tasks)+len(trailers) == 0 {
		claims = nil // the change adds more than one contract, and none of them judges it
	}
	with, err := c.withClaims(compared, o, claims)
	with.trailers, with.Unavailable = trailers, append(with.Unavailable, unavailable...)
	return with, err
}

// claims are the tasks that the change carries.
func (c *Contracts) claims(compared *Comparison, o Options, trailers []facts.Trailer) []policy.Claim {
	return policy.Claims(o.Settings.Tasks, addedTasks(compared.Changes), trailers, c.rule())
}

func (c *Contracts) withClaims(compared *Comparison, o Options, claims []policy.Claim) (*Contracts, error) {
	r := contractReader{
		Contracts: Contracts{Standing: c.Standing, files: slices.Clone(c.files), Unavailable: slices.Clone(c.Unavailable), commit: c.commit, named: o.Settings.Tasks, trial: c.trial},
		objects:   compared.Objects, options: o,
	}
	for _, name := range o.TaskFiles { // then no task contract of the repository counts, whatever the change adds
		if err := r.readFile(check.TaskContract, name, o); err != nil {
			return &r.Contracts, err
		}
	}
	if o.TaskFiles == nil {
		for _, claim := range claims {
			r.readTask(compared, o, claim.Task)
		}
	}
	r.join(policy.Join)
	return &r.Contracts, r.err
}

// rule is what the standing contract says about tasks.
func (c *Contracts) rule() (rule contract.TaskRule) {
	if c.Standing != nil {
		rule = c.Standing.Tasks
	}
	return rule
}

// findTrailers finds the tasks that the commits of the change name. What an agent submits is judged by its item alone.
func (c *Contracts) findTrailers(compared *Comparison, o Options) ([]facts.Trailer, []facts.Unavailable) {
	if len(compared.MergeBases) == 0 || o.ContractsAt != "" || o.TaskFiles != nil {
		return nil, nil // without merge base, what is wrong with the comparison is known already
	}
	list, err := compared.Objects.Tasks(compared.Head, compared.MergeBases)
	if err != nil {
		return nil, []facts.Unavailable{unavailable(facts.WantedTasks, "", err)}
	}
	return list, nil
}

// readTask reads the contract of a task from the base, else the one that the change adds.
func (r *contractReader) readTask(compared *Comparison, o Options, id string) {
	var names, added []string
	for _, extension := range policy.ContractExtensions {
		names = append(names, policy.TasksDir+"/"+id+extension)
	}
	for _, name := range addedTasks(compared.Changes) {
		if stem(name) == id {
			added = append(added, name)
		}
	}
	r.commit, r.trust = compared.contractsAt(o), facts.TrustBase
	if (len(added) == 0 && !contract.ValidTaskID(id)) || r.readTasks(id, names) {
		return
	}
	if compared.Changes == nil || o.ContractsAt != "" { // what the change adds is unknown, or not what matters
		added = names
	}
	from := len(r.files)
	r.commit, r.trust = compared.Head, facts.TrustHead
	if r.readTasks(id, added) {
		r.findBaseTask(compared.contractsAt(o), id, from)
	}
}

func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// EachTask is WithTask for a recorder. Where the tasks are those of several pull requests, or more than a change may carry, it
// returns the contracts of each. It is never empty.
func (c *Contracts) EachTask(compared *Comparison, o Options) ([]*Contracts, error) {
	trailers, _ := c.findTrailers(compared, o)
	claims := c.claims(compared, o, trailers)
	if o.TaskFiles != nil || len(claims) < 2 || (len(claims) <= c.rule().Most() && !o.Group) {
		only, err := c.WithTask(compared, o)
		return []*Contracts{only}, err
	}
	var list []*Contracts
	for _, claim := range claims {
		task, err := c.withClaims(compared, o, []policy.Claim{claim})
		if err != nil {
			return nil, err
		}
		list = append(list, task)
	}
	return list, nil
}

// addedTasks are the task contracts that the change adds.
func addedTasks(changes []change.Change) (added []string) {
	for i := range changes {
		if policy.AddsTask(&changes[i]) {
			added = append(added, changes[i].Path)
		}
	}
	return added
}

// contractReader reads contracts of one commit. It keeps the first error of usage.
type contractReader struct {
	Contracts
	objects Objects
	commit  string
	trust   facts.Trust
	options Options
	err     error
}

// maxContract is how large a contract may be to be read from git at all; the judge's own limit is usually lower.
const maxContract = 64 << 20

// read reads the contract at a path, and reports whether there is one or that is unavailable.
func (r *contractReader) read(kind check.Kind, file, name string) bool {
	limit := max(maxContract, r.options.Settings.Limits.ContractBytes)
	data, err := blobAt(r.objects, r.commit, name, limit)
	switch {
	case errors.Is(err, ErrTooLarge):
		if r.err == nil {
			r.err = fmt.Errorf("the contract %q is larger than %d bytes, the most that can be read", name, limit)
		}
	case err != nil:
		r.lacks(name, err)
	case data == nil:
		return false
	default:
		f := contractFile{kind: kind, origin: facts.ContractOrigin{File: file, Path: name, Commit: r.commit, Trust: r.trust}}
		f.parse(data, r.options)
		r.files = append(r.files, f)
	}
	return true
}

func (r *contractReader) lacks(name string, err error) {
	r.Unavailable = append(r.Unavailable, unavailable(facts.WantedContracts, name, err))
}

// readTasks reads the task contracts at some paths, and reports whether there is one or that is unavailable. The bundle
// names one by its task id. A file that the change adds may have a name that no disk accepts: it becomes one that is no
// task id, so the judge says that the name is wrong.
func (r *contractReader) readTasks(id string, names []string) (any bool) {
	file := verify.ContractsDir + "/_"
	if contract.ValidTaskID(id) {
		file = verify.ContractsDir + "/" + id
	}
	for _, name := range names {
		any = r.read(check.TaskContract, file+contractExtension(name), name) || any
	}
	return any
}

// findBaseTask notes at the contracts from one on, which only the head contains, which contract of the base has the same
// task_id in another case or in a file with another extension: records name the task by its id.
func (r *contractReader) findBaseTask(base, id string, from int) {
	there, err := r.objects.Names(base, policy.TasksDir)
	if err != nil {
		r.lacks(policy.TasksDir, err)
		return
	}
	for _, name := range there {
		extension := path.Ext(name)
		if !slices.Contains(policy.ContractExtensions, strings.ToLower(extension)) || !strings.EqualFold(strings.TrimSuffix(name, extension), id) {
			continue
		}
		for i := range r.files[from:] {
			r.files[from+i].origin.BaseHolds = policy.TasksDir + "/" + name
		}
	}
}

// contains reports whether the commit's tree contains a path, or a symlink or submodule on the way to it.
func (r *contractReader) contains(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		mode, _, found, err := r.objects.Entry(r.commit, at)
		if err != nil {
			r.lacks(name, err)
			return false
		}
		if found && mode != DirMode {
			return true
		}
	}
	return false
}

// standing returns the standing contract that was read.
func (r *contractReader) standing() (*Contracts, error) {
	if len(r.files) > 0 && r.files[0].valid {
		r.Standing = r.files[0].parsed
	}
	return &r.Contracts, r.err
}

// Only is the standing contract; nil when there is none that can be read, or another beside it.
func (c *Contracts) Only() *contract.Contract {
	if len(c.files) != 1 {
		return nil
	}
	return c.Standing
}

// join makes the policy of the contracts, if all of them can be read and the first one is the standing one.
func (c *Contracts) join(join func([]policy.Source, string) (*policy.Policy, []policy.Problem)) {
	c.Policy, c.Problems = nil, nil
	var sources []policy.Source
	for _, f := range c.files {
		for _, e := range f.errs {
			c.Problems = append(c.Problems, ContractProblem{f.origin.Path, e})
		}
	}
	for _, f := range c.files {
		if !f.valid || c.files[0].kind != check.Contract {
			return
		}
		sources = append(sources, policy.Source{
			Contract: f.parsed, Kind: string(f.kind), File: f.origin.File, Path: f.origin.Path, Trust: f.origin.Trust, BaseHolds: f.origin.BaseHolds,
		})
	}
	if len(sources) == 0 {
		return
	}
	policy.Arrange(sources, c.named)
	joined, problems := join(sources, "")
	if len(problems) == 0 {
		c.Policy = joined
	}
	for _, p := range problems {
		c.Problems = append(c.Problems, ContractProblem{sources[p.Source].Path, p.Error})
	}
}

// Count is how many contracts were found, valid or not.
func (c *Contracts) Count() int { return len(c.files) }

// contractExtension is the extension of the bundle's name of a contract: it must be read there as it is here, whatever its
// own extension is.
func contractExtension(name string) string {
	if extension := strings.ToLower(path.Ext(name)); slices.Contains(policy.ContractExtensions, extension) {
		return extension
	}
	return ".json"
}

// evidenceDir is the directory of the evidence that the standing contract names, else the default one.
func (c *Contracts) evidenceDir() string { return policy.EvidenceDirOf(c.Standing) }

// coverage is the path of the coverage report that the contracts declare; "" when they declare none.
func (c *Contracts) coverage() string {
	if c.Policy == nil || c.Policy.Coverage == nil {
		return ""
	}
	return c.Policy.Coverage.Report
}

// Files finds the files that the options name, else those at the places that the contracts declare.
func (c *Contracts) Files(o Options) (*Found, error) {
	o.ContractFile, o.EvidenceDir, o.declared = "", c.evidenceDir(), c.coverage()
	if c.Policy != nil && c.Policy.Rules.Run != nil {
		o.RulesReport = c.Policy.Rules.Report
	}
	return Files(o)
}

// testReports lists the test reports that the contracts name, sorted, each once.
func (c *Contracts) testReports() []string {
	var names []string
	for _, f := range c.files {
		if f.parsed == nil {
			continue
		}
		for _, criterion := range f.parsed.Criteria {
			if criterion.TestReport != "" {
				names = append(names, criterion.TestReport)
			}
		}
	}
	return unique(names)
}

// unique sorts a list, and keeps each text once.
func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
