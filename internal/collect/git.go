package collect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// Git is a repository on disk. It is read without git: what its configuration, hooks, replace refs or the environment say
// changes nothing.
type Git struct {
	repo *git.Repo
}

// OpenGit opens the repository that encloses a directory, within the limits that the judge has.
func OpenGit(dir string, limits input.Limits) (*Git, error) {
	repo, err := git.Open(dir)
	if err != nil {
		return nil, Fixed(err)
	}
	repo.MaxChanges, repo.MaxEntries, repo.MaxPathBytes = TreeLimits(limits)
	repo.MaxChanges++
	return &Git{repo}, nil
}

// Repo is the repository itself, for what no method here asks of it.
func (g *Git) Repo() *git.Repo { return g.repo }

// Close closes the repository.
func (g *Git) Close() error { return g.repo.Close() }

// Root is the root of the work tree; "" in a bare repository.
func (g *Git) Root() string { return g.repo.Root() }

// CommonDir is git's directory, which all work trees of the repository share.
func (g *Git) CommonDir() string { return g.repo.CommonDir() }

// Resolve gives the id of the commit that a person names. [Unknowable] tells whether an error
// comes from an incomplete clone.
func (g *Git) Resolve(name string) (string, error) {
	id, err := g.repo.Resolve(name)
	if err != nil {
		return "", Fixed(err)
	}
	return id.String(), nil
}

// Branches lists the branches of the repository and of its remotes, for people who choose one.
func (g *Git) Branches() []string { return g.repo.RefNames("refs/heads/", "refs/remotes/") }

// FirstRef is the first of some full names of refs that exists; "" when there is none.
func (g *Git) FirstRef(names ...string) (string, error) {
	for _, name := range names {
		_, err := g.repo.Resolve(name)
		var none *git.NoSuchRef
		if !errors.As(err, &none) {
			return name, Fixed(err)
		}
	}
	return "", nil
}

// ErrNoSuchRef says that no ref has the name that a person gave.
var ErrNoSuchRef = errors.New("no such ref")

// noSuchRef is an error that is [ErrNoSuchRef].
type noSuchRef struct{ error }

func (*noSuchRef) Is(target error) bool { return target == ErrNoSuchRef }

func (n *noSuchRef) Unwrap() error { return n.error }

// RefFix says which ref was most likely meant by a name that no ref has; "" when that is not known.
func (g *Git) RefFix(name string) string {
	names := g.repo.RefNames()
	if remote, branch, found := strings.Cut(name, "/"); found && !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, remote+"/") }) {
		return "write git fetch " + remote + " " + branch + ", where " + remote + " is a remote"
	}
	if near := input.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(names) == 0 {
		return ""
	}
	return "there is " + strings.Join(names[:min(len(names), 10)], ", ")
}

// Unknowable reports whether an error says that the repository does not contain what is asked for, or that it is damaged: the
// call was right.
func Unknowable(err error) bool {
	return errors.As(err, new(*git.MissingObject)) || errors.As(err, new(*git.Incomplete)) || errors.As(err, new(*git.Corrupt))
}

// Fixed adds what a person can do about an error of the repository.
func Fixed(err error) error {
	var missing *git.MissingObject
	var large *git.TooLarge
	switch {
	case errors.As(err, &large) && large.Trees:
		return &limited{err}
	case errors.As(err, new(*git.NoSuchRef)):
		return &noSuchRef{err}
	case errors.As(err, &missing) && missing.Shallow, errors.As(err, new(*git.Incomplete)):
		return &fixable{err, "fetch the whole history: fetch-depth: 0 in the checkout step, or git fetch --unshallow"}
	case missing != nil:
		return &fixable{err, "fetch what is missing: fetch-depth: 0 in the checkout step, and no filter"}
	case errors.As(err, new(*git.Corrupt)):
		return &fixable{err, "the repository is damaged: fetch it again"}
	}
	return err
}

// ids reads whole ids.
func (g *Git) ids(texts ...string) (list []git.ID, err error) {
	list = make([]git.ID, len(texts))
	for i := 0; err == nil && i < len(texts); i++ {
		list[i], err = g.repo.ParseID(texts[i])
	}
	return list, err
}

// MergeBases implements [Objects].
func (g *Git) MergeBases(base, head string) ([]string, error) {
	ids, err := g.ids(base, head)
	if err != nil {
		return nil, err
	}
	bases, err := g.repo.MergeBases(ids[0], ids[1])
	if err != nil {
		return nil, Fixed(err)
	}
	var list []string
	for _, id := range bases {
		list = append(list, id.String())
	}
	return unique(list), nil
}

// ofCommit asks about a commit.
func ofCommit[T any](g *Git, commit string, ask func(git.ID) (T, error)) (answer T, err error) {
	id, err := g.repo.ParseID(commit)
	if err == nil {
		answer, err = ask(id)
	}
	return answer, Fixed(err)
}

// Tree gives the tree of a commit.
func (g *Git) Tree(commit string) (git.ID, error) {
	info, err := ofCommit(g, commit, g.repo.Commit)
	return info.Tree, err
}

// HasCommit is the error that says why a commit cannot be read; nil when it can.
func (g *Git) HasCommit(id string) error {
	_, err := g.Tree(id)
	return err
}

// Changes implements [Objects].
func (g *Git) Changes(oldCommit, newCommit string) ([]change.Change, error) {
	before, err := g.Tree(oldCommit)
	if err != nil {
		return nil, err
	}
	after, err := g.Tree(newCommit)
	if err != nil {
		return nil, err
	}
	return g.between(before, after)
}

// between lists what differs between two trees.
func (g *Git) between(before, after git.ID) ([]change.Change, error) {
	changes, err := g.repo.Compare(before, after)
	if err != nil {
		return nil, Fixed(err)
	}
	list := make([]change.Change, len(changes))
	for i, c := range changes {
		list[i] = change.Change{
			Path: c.Path, Status: change.Status(c.Status), OldMode: modeOf(c.OldMode), NewMode: modeOf(c.NewMode),
			OldID: c.OldID.String(), NewID: c.NewID.String(),
		}
	}
	return list, nil
}

// Tracked lists the files of a commit, as additions to nothing, sorted by path.
func (g *Git) Tracked(commit string) ([]change.Change, error) {
	tree, err := g.Tree(commit)
	if err != nil {
		return nil, err
	}
	return g.between(git.ID{}, tree)
}

// modeOf writes a mode as six octal digits. The usual ones need no new text for each file.
func modeOf(mode uint32) change.Mode {
	switch mode {
	case git.ModeFile:
		return change.Regular
	case git.ModeExecutable:
		return change.Executable
	case git.ModeSymlink:
		return change.Symlink
	case git.ModeTree:
		return DirMode
	}
	return change.Mode(fmt.Sprintf("%06o", mode))
}

// Entry implements [Objects].
func (g *Git) Entry(commit, path string) (change.Mode, string, bool, error) {
	id, err := g.repo.ParseID(commit)
	if err != nil {
		return "", "", false, err
	}
	entry, found, err := g.repo.Lookup(id, path)
	switch {
	case errors.As(err, new(*git.BadName)): // no tree contains such a path
		return "", "", false, nil
	case err != nil || !found:
		return "", "", false, Fixed(err)
	}
	return modeOf(entry.Mode), entry.ID.String(), true, nil
}

// Names implements [Objects].
func (g *Git) Names(commit, dir string) ([]string, error) {
	var names []string
	entries, err := ofCommit(g, commit, func(id git.ID) ([]git.Entry, error) { return g.repo.List(id, dir) })
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names, err
}

// Blob implements [Objects].
func (g *Git) Blob(id string, limit int64) ([]byte, error) {
	blob, err := g.repo.ParseID(id)
	if err != nil {
		return nil, err
	}
	data, err := g.repo.Blob(blob, limit)
	if errors.As(err, new(*git.TooLarge)) {
		return nil, fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return data, Fixed(err)
}

// CodeTree implements [Objects].
func (g *Git) CodeTree(commit, evidenceDir string) (string, error) {
	tree, err := ofCommit(g, commit, func(id git.ID) (git.ID, error) { return g.repo.CodeTree(id, evidenceDir) })
	return tree.String(), err
}

// TaskTrailer is the key of the trailer by which a commit names a task.
const TaskTrailer = "Closeout-Task"

// maxTrailers is how many tasks are listed: a change that names more carries too many, whatever the others are.
const maxTrailers = 200

// Tasks implements [Objects].
func (g *Git) Tasks(head string, bases []string) (list []facts.Trailer, err error) {
	ids, err := g.ids(append([]string{head}, bases...)...)
	if err != nil {
		return nil, err
	}
	found, err := g.repo.Trailers(ids[0], ids[1:], TaskTrailer)
	for _, t := range found {
		known := slices.ContainsFunc(list, func(o facts.Trailer) bool { return o.Task == t.Value })
		if !known && len(list) < maxTrailers {
			list = append(list, facts.Trailer{Task: t.Value, Commit: t.Commit.String()})
		}
	}
	return list, Fixed(err)
}

// Compose implements [Objects].
func (g *Git) Compose(head, base, evidenceDir string, isTest func(path string) bool) (facts.CrossTrees, error) {
	ids, err := g.ids(head, base)
	if err != nil {
		return facts.CrossTrees{}, err
	}
	c, err := g.repo.Compose(ids[0], ids[1], evidenceDir, isTest, nil)
	if err != nil {
		return facts.CrossTrees{}, Fixed(err)
	}
	return facts.CrossTrees{
		Head: c.Head.String(), Base: c.Base.String(), OldTests: c.Tree.String(), TestPaths: int64(c.Tests), Incomparable: c.Why,
	}, nil
}

// IsMergeOf says whether the parents of a commit are exactly these, in this order.
func (g *Git) IsMergeOf(commit string, parents ...string) (bool, error) {
	info, err := ofCommit(g, commit, g.repo.Commit)
	return err == nil && slices.EqualFunc(info.Parents, parents, func(id git.ID, p string) bool { return id.String() == p }), err
}

// Lost takes the place of the objects of a repository whose commits cannot be found. Every question ends in Err.
type Lost struct{ Err error }

// MergeBases implements [Objects].
func (l Lost) MergeBases(string, string) ([]string, error) { return nil, l.Err }

// Changes implements [Objects].
func (l Lost) Changes(string, string) ([]change.Change, error) { return nil, l.Err }

// Entry implements [Objects].
func (l Lost) Entry(string, string) (change.Mode, string, bool, error) { return "", "", false, l.Err }

// Names implements [Objects].
func (l Lost) Names(string, string) ([]string, error) { return nil, l.Err }

// Blob implements [Objects].
func (l Lost) Blob(string, int64) ([]byte, error) { return nil, l.Err }

// CodeTree implements [Objects].
func (l Lost) CodeTree(string, string) (string, error) { return "", l.Err }

// Tasks implements [Objects].
func (l Lost) Tasks(string, []string) ([]facts.Trailer, error) { return nil, l.Err }

// Compose implements [Objects].
func (l Lost) Compose(string, string, string, func(string) bool) (facts.CrossTrees, error) {
	return facts.CrossTrees{}, l.Err
}
