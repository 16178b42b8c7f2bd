package collect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/results"
	"github.com/closeout-gate/closeout/verify/strict"
)

// Commits names what is judged: the change that leads from a base to a head.
type Commits struct {
	Objects  Objects
	Base     string // commit id of the base branch's tip
	Head     string // commit id
	Contract string // path of the standing contract at the base; "" is .closeout/scope_contract.json, .yaml or .yml
	// Facts is what is known beforehand: settings, repository, event, what GitHub said. The rest is filled in.
	Facts facts.Facts
	Limit strict.Limits
	// Standing is the commit whose standing contract counts, when that is not the base.
	Standing *Place
	// AlsoAccepted are commits whose code trees a record may name beside the head's.
	AlsoAccepted []Place
	// Group says that the head is that of a merge group: its pull requests, for each of which [Found.AddPull] is called, have
	// the task contracts.
	Group bool
	// Complete adds to the facts what depends on the contracts and the changes; nil adds nothing.
	Complete func(*facts.Facts, Known)
}

// Place is a commit, and where its tree can be read.
type Place struct {
	Objects Objects
	Commit  string
}

// Known is what is known when the facts are completed.
type Known struct {
	Standing *contract.Contract // nil when there is none that could be read
	Policy   *policy.Policy     // nil when the contracts make none
	Changes  []change.Change    // nil when they could not be compared
}

// Gather collects the inputs of a decision about two commits: the contracts as the base holds them, the changes between
// the merge base and the head, the facts, and the files that Options names. What git could not tell is written into the
// facts as unavailable. The error is one of usage, as that of [Files].
func Gather(c Commits, o Options) (*Found, error) {
	for _, name := range o.Diff {
		if diffKind(name) != check.Diff {
			return nil, fmt.Errorf("%q cannot be given beside two commits, which are compared to make changes.json: name a unified diff, or leave it out", name)
		}
	}
	g := &gatherer{Commits: c}
	g.Facts.Schema = facts.Schema
	g.Facts.Subject.BaseSHA, g.Facts.Subject.HeadSHA = c.Base, c.Head
	g.changes = g.compare()
	if o.ContractFile == "" {
		g.standing()
	} else {
		g.operator(o)
	}
	if !c.Group {
		g.task()
	}
	if g.err != nil {
		return nil, g.err
	}
	g.read()
	o.ContractFile, o.EvidenceDir = "", g.evidenceDir()
	if o.Coverage == "" {
		o.Coverage = o.below(g.coverage())
	}
	if g.policy != nil && g.policy.Rules.Run != nil {
		o.RulesReport = g.policy.Rules.Report
	}
	found, err := Files(o)
	if err != nil {
		return nil, err
	}
	g.bind()
	if g.Complete != nil {
		g.Complete(&g.Facts, Known{Standing: g.standingContract(), Policy: g.policy, Changes: g.changes})
	}
	return found, g.into(found)
}

// gatherer collects one decision.
type gatherer struct {
	Commits
	changes   []change.Change // nil when they could not be compared
	bases     []string        // merge bases
	keys      keyFinder
	contracts []contractFile
	parsed    []*contract.Contract // those that could be read, the standing one first
	policy    *policy.Policy       // nil when the contracts make none
	err       error                // of usage
}

// contractFile is a contract and where it came from.
type contractFile struct {
	kind   check.Kind
	data   []byte // nil when it could not be read
	origin facts.ContractOrigin
	open   verify.Opener
	paths  []string // of an operator's file in the repository
}

// cannot writes down that something could not be had.
func (g *gatherer) cannot(what facts.Wanted, about string, err error) {
	g.Facts.Unavailable = append(g.Facts.Unavailable, unknown(what, about, err))
}

// errUnrelated is for a head that has nothing in common with the base: what it changed cannot be told from what the base
// is made of.
var errUnrelated = &fixable{
	err: errors.New("base and head have no common ancestor"),
	fix: "name the branch that the change was made from as the base, or fetch the whole history (fetch-depth: 0)",
}

// compare lists what differs between the merge bases and the head; nil when that could not be known.
func (g *gatherer) compare() []change.Change {
	bases, err := g.Objects.MergeBases(g.Base, g.Head)
	if err == nil && len(bases) == 0 {
		err = errUnrelated
	}
	if err != nil {
		g.cannot(facts.WantedChanges, "", err)
		return nil
	}
	g.bases = bases
	g.Facts.Subject.MergeBaseSHA = bases[0]
	if len(bases) > 1 {
		g.Facts.Subject.MergeBases = bases
	}
	lists := make([][]change.Change, len(bases))
	for i, base := range bases {
		if lists[i], err = g.Objects.Changes(base, g.Head); err != nil {
			g.cannot(facts.WantedChanges, "", err)
			return nil
		}
	}
	changes := append([]change.Change{}, union(lists)...)
	g.keys.objects = g.Objects
	for i := range changes {
		g.findKeys(&changes[i])
	}
	g.findGone(changes)
	return changes
}

// findGone notes which of the files that the change leaves in place the tip of the base does not have any more. Git may
// merge the edit of such a file into another path.
func (g *gatherer) findGone(changes []change.Change) {
	if slices.Equal(g.bases, []string{g.Base}) {
		return
	}
	for i := range changes {
		c := &changes[i]
		if c.Status == change.Added || c.Status == change.Deleted {
			continue
		}
		mode, _, found, err := g.Objects.Entry(g.Base, c.Path)
		if err != nil {
			g.cannot(facts.WantedChanges, c.Path, err)
			return // the others would fail for the same reason
		}
		c.BaseGone = !found || mode == FolderMode
	}
}

// findKeys notes which keys of a file changed, where only some are protected. What is too large or of another form is
// left without, so that every change of it counts; in a new file each key may be there.
func (g *gatherer) findKeys(c *change.Change) {
	if kind, ok := keyedFiles[path.Base(c.Path)]; !ok || !kind.asked(c) {
		return
	}
	keys, err := g.keys.find(c, g.bases)
	var form *formError
	unread := errors.Is(err, ErrTooLarge) || errors.As(err, &form)
	switch {
	case err == nil:
		c.KeysChanged, c.KeysKnown = keys, true
	case unread && c.Status == change.Added:
		c.KeysChanged, c.KeysKnown = []string{change.AnyKey}, true
	case !unread:
		g.cannot(facts.WantedChanges, c.Path, err)
	}
}

// blobAt reads a file of a commit; nil when there is no regular file of that name.
func blobAt(o Objects, commit, name string, limit int64) ([]byte, error) {
	mode, id, found, err := o.Entry(commit, name)
	if err != nil || !found || mode != change.Regular && mode != change.Executable {
		return nil, err
	}
	data, err := o.Blob(id, limit)
	return append([]byte{}, data...), err
}

// contractEnding is what the bundle's name of a contract ends with: it must be read there as it is here, whatever its own
// name ends with.
func contractEnding(name string) string {
	if ending := strings.ToLower(path.Ext(name)); slices.Contains(policy.ContractExtensions, ending) {
		return ending
	}
	return ".json"
}

// NamesBranch reports whether a commit, the base of c, holds a standing contract that can be read and names a branch under
// base_branches. Nothing else of c but objects, contract and limits is looked at.
func NamesBranch(c Commits, branch string) bool {
	g := &gatherer{Commits: c}
	g.standing()
	g.read()
	contract := g.standingContract()
	if contract == nil || len(g.contracts) != 1 || len(g.Facts.Unavailable) > 0 {
		return false
	}
	var globs []glob.Pattern
	for _, b := range contract.BaseBranches {
		globs = append(globs, b.Glob)
	}
	return glob.Compile(globs).Match(branch)
}

// standing reads the standing contract from the base's tip, or where else it counts: all that stand where one may, since two are an error that
// the judge must see.
func (g *gatherer) standing() {
	g.Facts.Contracts = []facts.ContractOrigin{}
	if g.Contract != "" {
		g.fromBase("scope_contract"+contractEnding(g.Contract), g.Contract)
		return
	}
	for _, ending := range policy.ContractExtensions {
		g.fromBase("scope_contract"+ending, policy.StandingContract+ending)
		if len(g.Facts.Unavailable) > 0 && g.Facts.Unavailable[len(g.Facts.Unavailable)-1].What == facts.WantedContracts {
			return // what is not known of one is not known of the others
		}
	}
}

// fromBase takes a standing contract.
func (g *gatherer) fromBase(file, name string) {
	at := Place{g.Objects, g.Base}
	if g.Standing != nil {
		at = *g.Standing
	}
	g.from(at, check.Contract, facts.ContractOrigin{File: file, Path: name, Commit: at.Commit, Trust: facts.TrustBase})
}

// from takes a contract of a commit, and reports whether there is one or nobody knows.
func (g *gatherer) from(at Place, kind check.Kind, origin facts.ContractOrigin) bool {
	data, err := blobAt(at.Objects, at.Commit, origin.Path, max(maxContract, g.Limit.ContractBytes))
	switch {
	case errors.Is(err, ErrTooLarge):
		g.err = fmt.Errorf("the contract %q is larger than %d bytes, which nothing here reads", origin.Path, max(maxContract, g.Limit.ContractBytes))
	case err != nil:
		g.cannot(facts.WantedContracts, origin.Path, err)
	case data == nil:
		return false
	default:
		g.contracts = append(g.contracts, contractFile{kind: kind, data: data, origin: origin, open: bytesOpener(data)})
	}
	return true
}

// maxContract is how large a contract may be to be read from git at all; the judge's own limit is usually lower.
const maxContract = 64 << 20

// operator takes the contract that the caller vouches for.
func (g *gatherer) operator(o Options) {
	c := newCollector(o)
	c.file(check.Contract, o.ContractFile)
	if g.err = c.err; g.err != nil {
		return
	}
	in := c.bundle.Inputs[0]
	file := contractFile{kind: check.Contract, open: in.Open, paths: in.RepoPaths, origin: facts.ContractOrigin{
		File: "scope_contract" + contractEnding(in.Name), Path: in.Name, Trust: facts.TrustOperator,
	}}
	for _, p := range in.RepoPaths {
		file.origin.HeadHolds = file.origin.HeadHolds || g.headHolds(p)
	}
	if data, err := readInput(in, g.Limit.ContractBytes); err == nil {
		file.data, file.open = data, bytesOpener(data)
	}
	g.contracts = append(g.contracts, file)
}

// headHolds reports whether the head's tree holds a path, or a symlink or submodule on the way to it.
func (g *gatherer) headHolds(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		mode, _, found, err := g.Objects.Entry(g.Head, at)
		if err != nil {
			g.cannot(facts.WantedContracts, name, err)
			return false
		}
		if found && mode != FolderMode {
			return true
		}
	}
	return false
}

// task finds the contract of the task: the one that the caller named, at the base or else at the head, or the single one
// that the change adds.
func (g *gatherer) task() {
	id, added := g.Facts.Settings.Task, ""
	if id == "" {
		added = g.addedTask()
		if added == "" {
			return
		}
		id = strings.TrimSuffix(path.Base(added), path.Ext(added))
	}
	var names []string
	for _, ending := range policy.ContractExtensions {
		names = append(names, policy.TasksDir+"/"+id+ending)
	}
	switch {
	case g.fromTasks(g.Base, facts.TrustBase, id, names):
	case added != "":
		g.fromHead(id, []string{added})
	default:
		g.fromHead(id, names)
	}
}

// fromHead takes the task contracts that only the head holds, and writes down which contract of the base has the same
// task_id in another case or in a file with another extension: records name the task by its id.
func (g *gatherer) fromHead(id string, names []string) {
	before := len(g.contracts)
	if !g.fromTasks(g.Head, facts.TrustHead, id, names) {
		return
	}
	there, err := g.Objects.Names(g.Base, policy.TasksDir)
	if err != nil {
		g.cannot(facts.WantedContracts, policy.TasksDir, err)
		return
	}
	for _, name := range there {
		ending := path.Ext(name)
		if !slices.Contains(policy.ContractExtensions, strings.ToLower(ending)) || !strings.EqualFold(strings.TrimSuffix(name, ending), id) {
			continue
		}
		for i := range g.contracts[before:] {
			g.contracts[before+i].origin.BaseHolds = policy.TasksDir + "/" + name
		}
	}
}

// fromTasks takes those task contracts of a commit that are there, and reports whether there is one or nobody knows.
func (g *gatherer) fromTasks(commit string, trust facts.Trust, id string, names []string) (any bool) {
	for _, name := range names {
		origin := facts.ContractOrigin{File: taskFile(id) + contractEnding(name), Path: name, Commit: commit, Trust: trust}
		any = g.from(Place{g.Objects, commit}, check.TaskContract, origin) || any
	}
	return any
}

// taskFile is what the bundle calls a task contract, without ending. What the change calls a file need be no name that a
// disk takes; no task can have the id that such a file gets, so the judge says that it is called wrongly.
func taskFile(id string) string {
	if contract.ValidTaskID(id) {
		return "contracts/" + id
	}
	return "contracts/_"
}

// addedTask is the path of the only task contract that the change adds; "" when there is none, or more than one.
func (g *gatherer) addedTask() string {
	var added []string
	for _, c := range g.changes {
		if policy.AddsTask(&c) {
			added = append(added, c.Path)
		}
	}
	if len(added) != 1 {
		return ""
	}
	return added[0]
}

// read parses the contracts, as far as they can be: what is wrong with them is for the judge to say.
func (g *gatherer) read() {
	var sources []policy.Source
	for _, c := range g.contracts {
		if c.data == nil {
			return
		}
		read, errs := contract.Parse(c.origin.File, c.data, g.Limit)
		if read == nil || errs.Any() {
			return
		}
		g.parsed = append(g.parsed, read)
		sources = append(sources, policy.Source{Contract: read, Kind: string(c.kind), File: c.origin.File, Path: c.origin.Path, Trust: c.origin.Trust, BaseHolds: c.origin.BaseHolds})
	}
	if len(sources) == 0 || sources[0].Kind != string(check.Contract) {
		return
	}
	join := policy.Join
	if g.Group {
		join = policy.JoinGroup
	}
	if joined, problems := join(sources, ""); len(problems) == 0 {
		g.policy = joined
	}
}

// standingContract is the standing or operator contract; nil when there is none that could be read.
func (g *gatherer) standingContract() *contract.Contract {
	if len(g.parsed) == 0 || g.contracts[0].kind != check.Contract {
		return nil
	}
	return g.parsed[0]
}

func (g *gatherer) evidenceDir() string {
	if c := g.standingContract(); c != nil && c.Evidence.Dir != "" {
		return c.Evidence.Dir
	}
	return policy.DefaultEvidenceDir
}

// coverage is the path of the coverage report that the contracts declare; "" when they declare none.
func (g *gatherer) coverage() string {
	if g.policy == nil || g.policy.Coverage == nil {
		return ""
	}
	return g.policy.Coverage.Report
}

// bind fills in the facts that depend on the contracts: the accepted code trees, the files that acceptance arguments
// name, and what coverage was.
func (g *gatherer) bind() {
	for _, a := range append([]Place{{g.Objects, g.Head}}, g.AlsoAccepted...) {
		tree, err := a.Objects.CodeTree(a.Commit, g.evidenceDir())
		switch {
		case err != nil:
			g.cannot(facts.WantedCodeTree, a.Commit, err)
		case !slices.Contains(g.Facts.Subject.AcceptedTrees, tree):
			g.Facts.Subject.AcceptedTrees = append(g.Facts.Subject.AcceptedTrees, tree)
		}
	}
	g.arguments()
	if g.policy != nil {
		g.previousCoverage()
	}
}

// arguments finds the files that acceptance arguments name.
func (g *gatherer) arguments() {
	if g.policy == nil {
		return
	}
	g.Facts.ArgumentPaths = []string{}
	for _, name := range g.policy.ArgumentPaths() {
		found, err := g.named(name)
		if err != nil {
			g.cannot(facts.WantedContracts, name, err)
		}
		g.Facts.ArgumentPaths = append(g.Facts.ArgumentPaths, found...)
	}
	slices.Sort(g.Facts.ArgumentPaths)
	g.Facts.ArgumentPaths = slices.Compact(g.Facts.ArgumentPaths)
}

// maxLinks bounds how many symlinks one path may lead through.
const maxLinks = 40

// named lists what a path of the base stands for: the file itself and the symlinks that lead to it, found as the system
// finds them. Whoever changes one of them changes what a command runs. Nothing when there is no such file, or it is a
// folder.
func (g *gatherer) named(name string) (found []string, err error) {
	at, steps := "", strings.Split(name, "/")
	for len(steps) > 0 {
		step := steps[0]
		steps = steps[1:]
		switch {
		case step == "" || step == ".":
			continue
		case step == ".." && at == "":
			return found, nil // it leads out of the repository
		case step == "..":
			at = at[:max(0, strings.LastIndexByte(at, '/'))]
			continue
		}
		here := path.Join(at, step)
		mode, id, exists, err := g.Objects.Entry(g.Base, here)
		switch {
		case err != nil || !exists:
			return found, err
		case mode == FolderMode:
			at = here
			continue
		case mode != change.Symlink || len(found) == maxLinks:
			return append(found, here), nil
		}
		found = append(found, here)
		target, err := g.Objects.Blob(id, maxLinkTarget)
		if err != nil || path.IsAbs(string(target)) {
			return found, err
		}
		steps = append(strings.Split(string(target), "/"), steps...)
	}
	return found, nil
}

// maxLinkTarget is how long the target of a symlink may be: Linux allows 4,095 bytes.
const maxLinkTarget = 4096

// previousCoverage reads the coverage report that the base holds. One that is malformed says nothing.
func (g *gatherer) previousCoverage() {
	name := cmp.Or(g.coverage(), contract.DefaultCoverageReport)
	data, err := blobAt(g.Objects, g.Base, name, g.Limit.RulesBytes)
	if err != nil {
		g.cannot(facts.WantedContracts, name, err)
		return
	}
	if data == nil {
		return
	}
	if c, errs := results.ParseCoverage(data, g.Limit); c != nil && !errs.Any() {
		g.Facts.BaseCoverage = &facts.BaseCoverage{Path: name, Commit: g.Base, Current: c.Current}
	}
}

// into adds what was gathered to the files that were found. Patterns that match no file are facts as well, since a bundle
// must tell of them.
func (g *gatherer) into(found *Found) error {
	for _, note := range found.Settings.Notes {
		g.Facts.Unmatched = append(g.Facts.Unmatched, facts.Unmatched{Kind: string(note.Kind), Pattern: note.Pattern})
	}
	found.Settings.Notes, found.gatherer = nil, g
	for _, c := range g.contracts {
		g.Facts.Contracts = append(g.Facts.Contracts, c.origin)
		found.Inputs = append(found.Inputs, verify.Input{Kind: c.kind, Name: c.origin.File, Open: c.open, RepoPaths: c.paths})
	}
	inputs, err := g.written()
	found.Inputs = append(found.Inputs, inputs...)
	return err
}

// written are the inputs that the collector writes itself: changes and facts.
func (g *gatherer) written() ([]verify.Input, error) {
	var inputs []verify.Input
	if g.changes != nil {
		data, err := MarshalChanges(g.changes)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, verify.Input{Kind: check.Changes, Name: "changes.json", Open: bytesOpener(data)})
	}
	slices.SortStableFunc(g.Facts.Unavailable, func(a, b facts.Unavailable) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.About, b.About), cmp.Compare(a.Error, b.Error))
	})
	data, err := marshalFacts(&g.Facts)
	return append(inputs, verify.Input{Kind: check.Facts, Name: "facts.json", Open: bytesOpener(data)}), err
}

// marshalFacts writes facts.json, for people to read as well.
func marshalFacts(f *facts.Facts) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(f)
	return b.Bytes(), err
}

func bytesOpener(data []byte) verify.Opener {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

// readInput reads an input, of which one byte more than the limit is enough to see that it is too large.
func readInput(in verify.Input, limit int64) ([]byte, error) {
	f, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}
