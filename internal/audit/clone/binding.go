package clone

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/rules/secrets"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// Merged is what reached a branch at once: commits of its line of first parents, the oldest first, and the one before them.
type Merged struct {
	Commits []string
	Parent  string // "" for the first commit of a repository
}

// Decided is what a decision was about: of its report, of its changes.json, and of the contract for the evidence directory.
type Decided struct {
	Head, CodeTree, EvidenceDir string // "" when unknown
	MergeBase                   string // "" when unknown
	ManyBases                   bool   // changes.json joins the changes since several merge bases
	// Changes come from changes.json; without one they are the files of the report, and HasIDs is false.
	Changes []change.Change
	HasIDs  bool
	// Policy is made from the branch's contract; nil when the facts name none.
	Policy *policy.Policy
}

// DecidedBy takes from a bundle, its report and its facts, nil for none, what the decision was about. The contract of
// the bundle names the evidence directory, if the facts say that it is the branch's: whether that is true is another
// question.
func DecidedBy(r *report.Report, b *verify.Bundle, f *facts.Facts) (Decided, error) {
	limits := input.DefaultLimits()
	d := Decided{Head: value(r.Subject.HeadSHA), CodeTree: value(r.Subject.CodeTree), MergeBase: value(r.Subject.MergeBaseSHA), EvidenceDir: policy.DefaultEvidenceDir}
	for _, in := range b.Inputs {
		switch in.Kind {
		case check.Contract:
			data, err := in.Read(limits.ContractBytes)
			if err != nil {
				return d, err
			}
			if c, errs := contract.Parse(in.Name, data, limits); !errs.Any() && ofBranch(f, in.Name) {
				source := policy.Source{Contract: c, Kind: "contract", File: in.Name, Trust: facts.TrustBase}
				d.Policy, _ = policy.Join([]policy.Source{source}, "") // its problems are those of the decision
				d.EvidenceDir = d.Policy.EvidenceDir
			}
		case check.Changes:
			data, err := in.Read(limits.DiffBytes)
			if err != nil {
				return d, err
			}
			list, errs := change.ReadChanges(bytes.NewReader(data), limits)
			if errs.Any() {
				return d, errors.New("changes.json is malformed")
			}
			d.Changes, d.HasIDs = list, true
		}
	}
	if f != nil {
		d.ManyBases = len(f.Subject.MergeBases) > 1
	}
	if !d.HasIDs {
		for _, f := range r.Files {
			d.Changes = append(d.Changes, change.Change{Path: f.Path})
		}
	}
	return d, nil
}

// ofBranch reports whether facts say that a contract is one of the branch. A person who supplies another contract cannot take
// directories out of the comparison by it.
func ofBranch(f *facts.Facts, name string) bool {
	return f != nil && slices.ContainsFunc(f.Contracts, func(c facts.ContractOrigin) bool { return c.File == name && c.Trust == facts.TrustBase })
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Bound says how far a decision is about what was merged.
type Bound struct {
	How  string // one of the bindings of report
	Path string // the first path that keeps it from more; "" for none
	Why  string // what keeps it from more, as what follows the path; "" for exact
}

// Binding tells how far a decision is about what was merged. It compares what the commits bring to the branch with what was judged:
// the tree of the last one must have what the change has at each touched path, and differ from the parent at no other. So a
// change that was judged cannot stand for another one, whatever its report says about commits. Only evidence that the gate accepts
// in any change is left out: what is gone, and where the contract lets changes bring it along, what parses as a log or report.
//
// A squash of a file that the parent had changed too contains a text that no one judged: it is merged again where the clone
// contains its three versions, and otherwise bound partly. What one side moved is merged at its new path, as git does. An error says
// that the repository does not contain what is needed.
func (g *Clone) Binding(m Merged, d Decided) (Bound, error) {
	b := binder{git: g, merged: m, decided: d, tip: m.Commits[len(m.Commits)-1], reader: collect.EvidenceReader{Objects: g}, left: map[string]bool{}}
	is, err := b.identity()
	if err != nil {
		return Bound{}, err
	}
	differ, err := b.differing()
	if err != nil {
		return Bound{}, err
	}
	if !d.HasIDs {
		if foreign := b.foreign(differ); foreign != nil {
			return *foreign, nil
		}
		if path := b.smuggled(differ); path != "" && d.Head != b.tip {
			return Bound{report.BindingNone, path, "is in the evidence directory, and the decision does not say with which content"}, nil
		}
		if is {
			return Bound{How: report.BindingExact}, nil
		}
		return Bound{How: report.BindingNone, Why: "the decision has no changes.json, and the commit is not what was judged"}, nil
	}
	var bound Bound
	if foreign := b.foreign(differ); foreign != nil {
		bound = *foreign
	} else if bound, err = b.contents(differ, is); err != nil {
		return bound, err
	}
	if bound.How == report.BindingNone {
		along, err := b.alongRenames(differ, is)
		if err != nil || along.How == report.BindingNone {
			return bound, err
		}
		bound = along
	}
	return b.recomputed(bound)
}

// recomputed compares changes.json with what the clone says about merge base and head, where it contains both. The commit stands for a
// head that has its tree.
func (b *binder) recomputed(bound Bound) (Bound, error) {
	head := b.decided.Head
	if _, err := b.git.Tree(head); err != nil {
		head = b.tip
		if bound.How != report.BindingExact {
			return bound, nil
		}
	}
	if _, err := b.git.Tree(b.decided.MergeBase); err != nil || b.decided.ManyBases {
		return bound, nil
	}
	list := b.list
	if b.decided.MergeBase != b.merged.Parent || !b.sameTree(head) {
		var err error
		if list, err = b.git.Changes(b.decided.MergeBase, head); err != nil {
			return Bound{}, err
		}
	}
	for _, c := range slices.Concat(b.decided.Changes, list) {
		if _, err := b.leftOut(c.Path); err != nil {
			return Bound{}, err
		}
	}
	evidence := func(c change.Change) bool { return b.left[c.Path] }
	listed := slices.DeleteFunc(slices.Clone(b.decided.Changes), evidence)
	computed := slices.DeleteFunc(slices.Clone(list), evidence)
	for i := range max(len(listed), len(computed)) {
		switch {
		case i >= len(listed) || (i < len(computed) && computed[i].Path < listed[i].Path):
			return Bound{report.BindingNone, computed[i].Path, "changed between merge base and head, and changes.json does not list it"}, nil
		case i >= len(computed) || listed[i].Path < computed[i].Path || !sameChange(listed[i], computed[i]):
			return Bound{report.BindingNone, listed[i].Path, "is in changes.json otherwise than between merge base and head"}, nil
		}
	}
	return bound, nil
}

// sameTree reports whether a head has the tree of the last commit. A branch that nothing else reached meanwhile gives that, and what
// the commits change is what the change is.
func (b *binder) sameTree(head string) bool {
	one, err := b.git.Tree(head)
	other, failed := b.git.Tree(b.tip)
	return err == nil && failed == nil && one == other
}

// sameChange compares two changes of a path. GitHub's API tells no ids of what was there before.
func sameChange(listed, computed change.Change) bool {
	if listed.OldID == "" {
		listed.OldID = computed.OldID
	}
	return listed.Path == computed.Path && listed.OldMode == computed.OldMode && listed.OldID == computed.OldID &&
		listed.NewMode == computed.NewMode && listed.NewID == computed.NewID
}

type binder struct {
	git     *Clone
	merged  Merged
	decided Decided
	tip     string
	list    []change.Change // what the commits change on the branch, sorted by path
	reader  collect.EvidenceReader
	left    map[string]bool   // whether a path of the evidence directory is left out, as far as that is known
	was     map[string]string // of files that a side moved, the paths at the merge base
}

// identity reports whether the commit is the head, has its code tree, or merges it.
func (b *binder) identity() (bool, error) {
	if b.decided.Head == b.tip {
		return true, nil
	}
	id, err := b.git.repo.ParseID(b.tip)
	if err != nil {
		return false, err
	}
	info, err := b.git.repo.Commit(id)
	if err != nil {
		return false, collect.Fixed(err)
	}
	if len(info.Parents) == 2 && info.Parents[1].String() == b.decided.Head {
		return true, nil
	}
	if b.decided.CodeTree == "" || b.decided.EvidenceDir == "" {
		return false, nil
	}
	tree, err := b.git.CodeTree(b.tip, b.decided.EvidenceDir)
	return tree == b.decided.CodeTree, err
}

// differing is what the commits change on the branch, by path, without evidence that the gate accepts.
func (b *binder) differing() (map[string]change.Change, error) {
	var list []change.Change
	var err error
	if b.merged.Parent == "" {
		list, err = b.git.Tracked(b.tip)
	} else {
		list, err = b.git.Changes(b.merged.Parent, b.tip)
	}
	b.list = list
	differ := make(map[string]change.Change, len(list))
	for _, c := range list {
		left, failed := b.leftOut(c.Path)
		if err = errors.Join(err, failed); !left {
			differ[c.Path] = c
		}
	}
	return differ, err
}

// inEvidence reports whether a path is below the evidence directory.
func (b *binder) inEvidence(path string) bool {
	return b.decided.EvidenceDir != "" && strings.HasPrefix(path, b.decided.EvidenceDir+"/")
}

// leftOut reports whether a path is evidence that the gate accepts in any change, as the last commit has it.
func (b *binder) leftOut(path string) (bool, error) {
	if left, known := b.left[path]; known || !b.inEvidence(path) {
		return left, nil
	}
	mode, id, found, err := b.git.Entry(b.tip, path)
	left := !found
	if err == nil && mode == change.Regular && b.decided.Policy != nil {
		left, err = b.accepts(path, mode, id)
	}
	b.left[path] = left && err == nil
	return b.left[path], err
}

// accepts reports whether the gate takes a file of the evidence directory for evidence: by the contract of the branch, by what it
// parses as, and without a secret in it.
func (b *binder) accepts(path string, mode change.Mode, id string) (bool, error) {
	kind, err := b.reader.Kind(id)
	if err != nil || kind == "" {
		return false, err
	}
	r := b.decided.Policy.Classify(&change.Change{Path: path, Status: change.Added, OldMode: change.NoMode, NewMode: mode, NewID: id, Evidence: kind})
	if r.Class != policy.ClassEvidence || r.Severity != "" || r.Folded || policy.Irregular(path) != "" {
		return false, nil
	}
	text, err := b.git.Blob(id, collect.MaxEvidenceFile)
	if err != nil {
		return false, err
	}
	clean := true
	secrets.Find(text, func(secrets.Found) { clean = false })
	return clean, nil
}

// smuggled is the first path of the evidence directory that the commits change; "" for none.
func (b *binder) smuggled(differ map[string]change.Change) string {
	for _, path := range slices.Sorted(maps.Keys(differ)) {
		if b.inEvidence(path) {
			return path
		}
	}
	return ""
}

// foreign finds the first path that the commits change and the decision does not; nil when there is none.
func (b *binder) foreign(differ map[string]change.Change) *Bound {
	judged := make(map[string]bool, len(b.decided.Changes))
	for _, c := range b.decided.Changes {
		judged[c.Path] = true
	}
	first := ""
	for path := range differ {
		if !judged[path] && (first == "" || path < first) {
			first = path
		}
	}
	if first == "" {
		return nil
	}
	return &Bound{report.BindingNone, first, "was merged and not judged"}
}

// contents compares what the commit has at each touched path. exact says that it is the head, or a merge of it.
func (b *binder) contents(differ map[string]change.Change, exact bool) (Bound, error) {
	result := Bound{How: report.BindingFiles, Why: "the commit has another tree than the head"}
	if exact {
		result = Bound{How: report.BindingExact}
	}
	for _, judged := range b.decided.Changes {
		if left, err := b.leftOut(judged.Path); left || err != nil {
			if err != nil {
				return Bound{}, err
			}
			continue
		}
		merged, err := b.ends(differ, judged.Path)
		if err != nil {
			return Bound{}, err
		}
		alone := (merged.OldID == judged.OldID && merged.OldMode == judged.OldMode) || (merged.OldID == merged.NewID && merged.OldMode == merged.NewMode)
		if alone && merged.NewID == judged.NewID && merged.NewMode == judged.NewMode {
			continue // otherwise the branch had changed it too, and its change must be there
		}
		kept, err := b.textKept(judged, merged)
		switch {
		case err != nil:
			return Bound{}, err
		case kept == no:
			return Bound{report.BindingNone, judged.Path, "was merged with other content than was judged"}, nil
		case kept == unknown && result.How != report.BindingPartly:
			result = Bound{report.BindingPartly, judged.Path, "had been changed on the branch too, and how the two were merged cannot be determined"}
		}
	}
	return result, nil
}

// ends is a path before and after the commits.
func (b *binder) ends(differ map[string]change.Change, path string) (change.Change, error) {
	if c, ok := differ[path]; ok {
		return c, nil
	}
	mode, id, found, err := b.git.Entry(b.tip, path)
	if err != nil || !found || mode == collect.DirMode {
		return change.Change{Path: path, OldMode: change.NoMode, NewMode: change.NoMode}, err
	}
	return change.Change{Path: path, OldMode: mode, NewMode: mode, OldID: id, NewID: id}, nil
}

// kept is an answer about a text.
type kept int

const (
	no kept = iota
	yes
	unknown
)

// textKept reports whether a file is what git makes of the two sides that changed it, where the parent changed it since the merge
// base.
func (b *binder) textKept(judged, merged change.Change) (kept, error) {
	if merged.OldID == judged.OldID && merged.OldMode == judged.OldMode {
		return no, nil // only the change touched it
	}
	if b.decided.MergeBase == "" {
		return no, nil
	}
	mode, id, found, err := b.git.Entry(b.decided.MergeBase, cmp.Or(b.was[judged.Path], judged.Path))
	switch {
	case collect.Unknowable(err):
		return unknown, nil
	case err != nil || !found || mode != judged.OldMode || id != judged.OldID:
		return no, err // the list of changes is not about this merge base
	}
	ours := change.Change{Path: judged.Path, OldID: judged.OldID, OldMode: judged.OldMode, NewID: merged.OldID, NewMode: merged.OldMode}
	whole := change.Change{Path: judged.Path, OldID: judged.OldID, OldMode: judged.OldMode, NewID: merged.NewID, NewMode: merged.NewMode}
	clean, err := collect.LinesKept(b.git, ours, judged, whole)
	switch {
	case collect.Unknowable(err) || errors.Is(err, collect.ErrTooLarge):
		return unknown, nil
	case err != nil || clean:
		return yes, err
	}
	counted, err := b.lineCounts(ours, judged, merged)
	if collect.Unknowable(err) || errors.Is(err, collect.ErrTooLarge) {
		return unknown, nil
	}
	return counted, err
}

// lineCounts compares, where our merge of a text differs from the merged one, what each side did to the number of each line: other
// programs may align the same texts otherwise, but a merge without a conflict never adds a line that neither side added. Moved
// lines are not noticed, so the answer is never yes.
func (b *binder) lineCounts(ours, judged, merged change.Change) (kept, error) {
	counts := map[string][2]int{} // of each line: by how many the change, and the merge, have more
	for i, id := range []string{judged.NewID, judged.OldID, merged.NewID, ours.NewID} {
		if id == "" {
			return no, nil // one side deleted it
		}
		text, err := b.git.Blob(id, collect.MostMerged)
		if err != nil {
			return no, err
		}
		for line := range bytes.Lines(text) {
			n := counts[string(line)]
			n[i/2] += 1 - i%2*2
			counts[string(line)] = n
		}
	}
	for _, n := range counts {
		if n[1] < min(0, n[0]) || n[1] > max(0, n[0]) {
			return no, nil
		}
	}
	return unknown, nil
}
