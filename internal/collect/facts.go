package collect

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// Place is a commit, and where its tree can be read.
type Place struct {
	Objects Objects
	Commit  string
}

// Facts lists what the two trees of a comparison and its contracts tell: the subject, the files that commands name, the
// coverage of the base, and the code trees that a record may name, which are the head's and those of other commits that
// have the same content.
func Facts(subject facts.Subject, c *Comparison, k *Contracts, o Options, others ...Place) *facts.Facts {
	f := newFacts(subject, c, k)
	f.Digests = o.Settings.Digests
	f.Settings = facts.Settings{Mode: o.Settings.Mode, Strict: o.Settings.Strict, Today: o.Settings.Today}
	f.Settings.NameTasks(o.Settings.Tasks)
	f.Settings.Unattended = o.ContractsAt != ""
	places := append([]Place{{c.Objects, c.Head}}, others...)
	f.Trial = k.Trial()
	if o.WorkTree != "" {
		f.Subject.HeadSHA, f.Subject.AcceptedTrees, places = "", []string{o.WorkTree}, nil // no commit has this code
	}
	for _, at := range places {
		tree, err := at.Objects.CodeTree(at.Commit, k.evidenceDir())
		switch {
		case err != nil:
			lack(f, facts.WantedCodeTree, at.Commit, err)
		case !slices.Contains(f.Subject.AcceptedTrees, tree):
			f.Subject.AcceptedTrees = append(f.Subject.AcceptedTrees, tree)
		}
	}
	if k.Policy != nil {
		addArguments(f, c, k)
		addCoverage(f, c, k, o)
		addCross(f, c, k, o, places)
	}
	return f
}

// lack notes why a fact is unavailable.
func lack(f *facts.Facts, what facts.Wanted, about string, err error) {
	f.Unavailable = append(f.Unavailable, unavailable(what, about, err))
}

// addCross composes each accepted tree with the tests of its base, where the contracts say which paths are tests. The base of
// the head is the merge base, or where its work began; that of a test merge commit is the tip of the base.
func addCross(f *facts.Facts, c *Comparison, k *Contracts, o Options, places []Place) {
	if len(k.Policy.Tests()) == 0 {
		return
	}
	if len(places) == 0 {
		err := &fixable{errors.New("the work tree differs from the head, and only commits can be composed"), "commit, and run again"}
		lack(f, facts.WantedCross, "", err)
	}
	for i, at := range places {
		bases := []string{c.Base}
		if i == 0 && o.ContractsAt == "" {
			bases = c.MergeBases
		}
		trees, err := at.compose(bases, k)
		isSame := func(t facts.CrossTrees) bool { return t.Head == trees.Head && t.Base == trees.Base }
		switch {
		case err != nil:
			lack(f, facts.WantedCross, at.Commit, err)
		case !slices.ContainsFunc(f.Cross, isSame):
			f.Cross = append(f.Cross, trees)
		}
	}
}

func (at *Place) compose(bases []string, k *Contracts) (trees facts.CrossTrees, err error) {
	switch len(bases) {
	case 0:
		return trees, errors.New("the merge base of base and head is unknown")
	case 1:
		trees, err = at.Objects.Compose(at.Commit, bases[0], k.evidenceDir(), k.Policy.TestPath)
		asks := func(rule contract.TestRule) bool { return rule.NewTests != "" }
		if err == nil && slices.ContainsFunc(k.Policy.Tests(), asks) {
			var other facts.CrossTrees
			other, err = at.Objects.Compose(bases[0], at.Commit, k.evidenceDir(), k.Policy.TestPath)
			trees.NewTests = other.OldTests
		}
		return trees, err
	}
	trees.Head, err = at.Objects.CodeTree(at.Commit, k.evidenceDir())
	trees.Incomparable = fmt.Sprintf("base and head have %d merge bases, whose tests may differ", len(bases))
	return trees, err
}

// MemberFacts lists the facts of one pull request of a merge group. What is not about the pull request alone is in the
// group's.
func MemberFacts(subject facts.Subject, c *Comparison, k *Contracts, groupHead string) *facts.Facts {
	f := newFacts(subject, c, k)
	if k.Policy != nil {
		addArguments(f, c, k)
	}
	addMembership(f, c, groupHead)
	return f
}

func newFacts(subject facts.Subject, c *Comparison, k *Contracts) *facts.Facts {
	if k.Policy != nil && k.Policy.EvidenceCommitted {
		c.findEvidence(k.Policy.EvidenceDir)
	}
	f := &facts.Facts{Schema: facts.Schema, Subject: subject, Contracts: []facts.ContractOrigin{}}
	f.Subject.BaseSHA, f.Subject.HeadSHA, f.Trailers = c.Base, c.Head, k.trailers
	if len(c.MergeBases) > 0 {
		f.Subject.MergeBaseSHA = c.MergeBases[0]
	}
	if len(c.MergeBases) > 1 {
		f.Subject.MergeBases = c.MergeBases
	}
	f.Unavailable = slices.Concat(c.Unavailable, k.Unavailable)
	return f
}

// addArguments finds the files that the arguments of commands name.
func addArguments(f *facts.Facts, c *Comparison, k *Contracts) {
	f.ArgumentPaths = []string{}
	for _, name := range k.Policy.ArgumentPaths() {
		found, err := c.filesAt(name)
		if err != nil {
			lack(f, facts.WantedContracts, name, err)
		}
		f.ArgumentPaths = append(f.ArgumentPaths, found...)
	}
	f.ArgumentPaths = unique(f.ArgumentPaths)
}

const (
	maxLinks      = 40   // symlinks on one path
	maxLinkTarget = 4096 // bytes of a symlink's target: Linux allows 4,095
)

// filesAt lists what a path of the base means: the file itself and the symlinks that lead to it, found as the system
// finds them. A change of any of them changes what a command runs. Nothing when there is no such file, or it is a
// directory.
func (c *Comparison) filesAt(name string) (found []string, err error) {
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
		mode, id, exists, err := c.Objects.Entry(c.Base, here)
		switch {
		case err != nil || !exists:
			return found, err
		case mode == DirMode:
			at = here
			continue
		case mode != change.Symlink || len(found) == maxLinks:
			return append(found, here), nil
		}
		found = append(found, here)
		target, err := c.Objects.Blob(id, maxLinkTarget)
		if err != nil || path.IsAbs(string(target)) {
			return found, err
		}
		steps = append(strings.Split(string(target), "/"), steps...)
	}
	return found, nil
}

// addCoverage reads the coverage report that the base contains, at the path that the contracts declare, else at the
// default one. A malformed one says nothing.
func addCoverage(f *facts.Facts, c *Comparison, k *Contracts, o Options) {
	name, limits := cmp.Or(k.coverage(), contract.DefaultCoverageReport), o.Settings.Limits
	commit := cmp.Or(k.commit, c.Base)
	data, err := blobAt(c.Objects, commit, name, limits.RulesBytes)
	if err != nil {
		lack(f, facts.WantedContracts, name, err)
		return
	}
	if data == nil {
		return
	}
	if read, errs := reports.ParseCoverage(data, limits); read != nil && !errs.Any() {
		f.BaseCoverage = &facts.BaseCoverage{Path: name, Commit: commit, Current: read.Current}
	}
}

// addMembership notes whether the group's history contains the head, and if not, where the two differ in what the pull
// request touches. A queue that squashes or rebases writes other commits with the same content.
func addMembership(f *facts.Facts, c *Comparison, groupHead string) {
	bases, err := c.Objects.MergeBases(groupHead, c.Head)
	m := facts.Membership{HeadInGroup: err == nil && slices.Equal(bases, []string{c.Head})}
	if err == nil && !m.HeadInGroup && c.Changes != nil {
		m.Differs, err = c.differs(groupHead)
	}
	if err != nil {
		lack(f, facts.WantedSubject, "membership", err)
		return
	}
	f.Membership = &m
}

// differs lists the touched paths at which another head differs.
func (c *Comparison) differs(other string) ([]string, error) {
	between, err := c.Objects.Changes(c.Head, other)
	if err != nil {
		return nil, err
	}
	differ, list := map[string]bool{}, []string{}
	for _, b := range between {
		differ[b.Path] = true
	}
	for _, t := range c.Changes {
		switch {
		case !differ[t.Path]:
		case utf8.ValidString(t.Path):
			list = append(list, t.Path)
		default:
			list = append(list, input.QuotePath(t.Path))
		}
	}
	return list, nil
}
