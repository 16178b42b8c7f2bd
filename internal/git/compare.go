package git

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Status is what happened to a path between two trees.
type Status string

// A rename is a deletion and an addition.
const (
	Added       Status = "added"
	Deleted     Status = "deleted"
	Modified    Status = "modified"     // the content, and perhaps the executable bit
	ModeChanged Status = "mode_changed" // the content is equal
	TypeChanged Status = "type_changed" // between file, symlink and submodule
)

// Difference is a path that differs between two trees.
type Difference struct {
	Path             string // raw bytes
	Status           Status
	OldMode, NewMode uint32 // 0 on the side where the path does not exist
	OldID, NewID     ID     // zero on that side
}

// maxDepth is how deep directories may be nested. It is git's own limit, which only hostile trees reach.
const maxDepth = 2048

// Compare lists the paths that differ between two trees, sorted by their bytes. A directory that became a file gives
// deletions and an addition. Trees with the same id are not read. The zero ID means a tree without entries. A comparison
// that exceeds a limit of Repo is TooLarge. After any error there is no list.
func (r *Repo) Compare(oldTree, newTree ID) ([]Difference, error) {
	c := &comparison{repo: r, limit: int64(r.MaxChanges)}
	root := &node{}
	level := []pair{{old: oldTree, new: newTree, out: root}}
	if oldTree == newTree {
		level = nil
	}
	for depth := 0; len(level) > 0; depth++ {
		if depth > maxDepth {
			return nil, &TooLarge{What: "nested directories", Limit: maxDepth}
		}
		next, err := c.level(level)
		if err != nil {
			return nil, err
		}
		level = next
	}
	return root.flatten(make([]Difference, 0, c.changes.Load())), nil
}

// comparison compares all directories of one depth at once: with several workers, and in the order of their offsets in
// packs.
type comparison struct {
	repo    *Repo
	limit   int64
	changes atomic.Int64
	dirs    atomic.Int64 // changed directories
	bytes   atomic.Int64 // of the paths of changes and dirs
	entries atomic.Int64 // that were read
}

// pair is a directory that exists in both trees, or in one.
type pair struct {
	old, new       ID
	oldAt, newAt   place
	oldErr, newErr error
	prefix         string // "", or the directory's path and a slash
	out            *node
}

// node is the result for a directory, in the order of its entries: changes and subdirectories.
type node struct {
	changes []Difference
	below   []subdirectory
}

// subdirectory is a subdirectory that comes before change number at.
type subdirectory struct {
	at   int
	node *node
}

// flatten appends all changes in order. Entries are sorted as if a slash followed the names of directories, so this is
// the order of the paths' bytes.
func (n *node) flatten(all []Difference) []Difference {
	from := 0
	for _, b := range n.below {
		all = append(all, n.changes[from:b.at]...)
		all = b.node.flatten(all)
		from = b.at
	}
	return append(all, n.changes[from:]...)
}

// batch is how many directories a worker takes at once.
const batch = 64

// level compares all directories of one depth and gives their subdirectories.
func (c *comparison) level(pairs []pair) ([]pair, error) {
	workers := min(runtime.GOMAXPROCS(0), (len(pairs)+batch-1)/batch)
	c.parallel(pairs, workers, func(_ int, p *pair) {
		p.oldAt, p.oldErr = c.place(p.old)
		p.newAt, p.newErr = c.place(p.new)
	})
	slices.SortStableFunc(pairs, comparePlaces)
	states := make([]worker, workers)
	c.parallel(pairs, workers, func(w int, p *pair) { states[w].compare(c, p) })
	if c.isOver() {
		// The error is the same for all limits, because which one is exceeded first depends on the order of work.
		what := fmt.Sprintf("changed files, %d changed directories, %d bytes in their paths or %d tree entries",
			c.maxDirs(), c.repo.MaxPathBytes, c.repo.MaxEntries)
		return nil, &TooLarge{Limit: c.limit, Trees: true, What: what}
	}
	var next []pair
	var first *failure
	for i := range states {
		next = append(next, states[i].next...)
		first = states[i].failed.before(first)
	}
	if first != nil {
		return nil, first.err
	}
	return next, nil
}

// parallel calls a function for each pair, with several workers; the last one is the caller itself.
func (c *comparison) parallel(pairs []pair, workers int, do func(worker int, p *pair)) {
	var done atomic.Int64
	work := func(w int) {
		for !c.isOver() {
			begin := int(done.Add(batch)) - batch
			if begin >= len(pairs) {
				return
			}
			for i := begin; i < min(begin+batch, len(pairs)) && !c.isOver(); i++ {
				do(w, &pairs[i])
			}
		}
	}
	var group sync.WaitGroup
	for w := range workers - 1 {
		group.Go(func() { work(w) })
	}
	work(workers - 1)
	group.Wait()
}

// maxDirs is how many directories may differ.
func (c *comparison) maxDirs() int64 { return c.limit + 1000 }

// isOver reports whether a limit was exceeded. That does not depend on the order of work.
func (c *comparison) isOver() bool {
	return c.changes.Load() > c.limit || c.dirs.Load() > c.maxDirs() ||
		c.bytes.Load() > c.repo.MaxPathBytes || c.entries.Load() > c.repo.MaxEntries
}

func (c *comparison) place(id ID) (place, error) {
	if id.IsZero() || id == c.repo.format.emptyTree {
		return place{}, nil
	}
	if int(id[32]) != c.repo.format.size {
		return place{}, &BadName{Name: id.String(), Why: "it is not an object id of this repository"}
	}
	at, ok, err := c.repo.objects.find(id)
	if err == nil && !ok {
		err = c.repo.missing(id, treeType)
	}
	return at, err
}

func comparePlaces(a, b pair) int {
	return cmp.Compare(max(a.oldAt.offset, a.newAt.offset), max(b.oldAt.offset, b.newAt.offset))
}

// failure is an error in a directory.
type failure struct {
	prefix string
	err    error
}

// before gives whichever of two failures comes first in the order of paths, so that the result is always the same.
func (f *failure) before(other *failure) *failure {
	if f == nil || (other != nil && other.prefix <= f.prefix) {
		return other
	}
	return f
}

// worker is the state of one worker.
type worker struct {
	next     []pair
	failed   *failure
	old, new treeReader
	entries  int64 // read and not yet counted
	paths    strings.Builder
}

// compare compares the entries of two trees.
func (w *worker) compare(c *comparison, p *pair) {
	err := w.load(c, p)
	if err == nil {
		err = w.merge(c, p)
	}
	if err != nil {
		w.failed = (&failure{p.prefix, err}).before(w.failed)
	}
}

func (w *worker) load(c *comparison, p *pair) error {
	old, err := c.tree(p.old, p.oldAt, p.oldErr)
	if err != nil {
		return err
	}
	w.old.reset(old, c.repo.format.size)
	new, err := c.tree(p.new, p.newAt, p.newErr)
	if err != nil {
		return err
	}
	w.new.reset(new, c.repo.format.size)
	return nil
}

// tree reads a tree that was located.
func (c *comparison) tree(id ID, at place, err error) ([]byte, error) {
	if err != nil || id.IsZero() || id == c.repo.format.emptyTree {
		return nil, err
	}
	found, err := c.repo.readAt(id, at, limits{want: treeType})
	return found.content, err
}

// merge walks both trees side by side.
func (w *worker) merge(c *comparison, p *pair) error {
	old, hasOld, err := w.step(&w.old, p.old)
	if err != nil {
		return err
	}
	new, hasNew, err := w.step(&w.new, p.new)
	defer func() { c.entries.Add(w.entries); w.entries = 0 }()
	for err == nil && (hasOld || hasNew) {
		if w.entries >= checkEvery { // a tree of a few kilobytes may contain a million entries
			c.entries.Add(w.entries)
			if w.entries = 0; c.isOver() {
				return nil
			}
		}
		order := 0
		switch {
		case !hasOld:
			order = 1
		case !hasNew:
			order = -1
		default:
			order = compareEntries(&old, &new)
		}
		var a, b *treeEntry
		if order <= 0 {
			a = &old
		}
		if order >= 0 {
			b = &new
		}
		w.differ(c, p, a, b)
		if order <= 0 {
			old, hasOld, err = w.step(&w.old, p.old)
		}
		if order >= 0 && err == nil {
			new, hasNew, err = w.step(&w.new, p.new)
		}
	}
	return err
}

// checkEvery is how many entries are read before the limits are checked again.
const checkEvery = 256

func (w *worker) step(reader *treeReader, id ID) (treeEntry, bool, error) {
	e, ok, err := reader.next()
	if ok {
		w.entries++
	}
	if err != nil {
		err = &Corrupt{What: "tree " + id.String(), Why: err.Error()}
	}
	return e, ok, err
}

// differ records a change of an entry, if there is one. One of the two may be nil; if not, both or none are directories.
func (w *worker) differ(c *comparison, p *pair, old, new *treeEntry) {
	if old != nil && new != nil && old.mode == new.mode && bytes.Equal(old.id, new.id) {
		return
	}
	entry := cmp.Or(new, old)
	path := w.path(p.prefix, entry)
	c.bytes.Add(int64(len(path)))
	if entry.isTree() {
		c.dirs.Add(1)
		child := &node{}
		p.out.below = append(p.out.below, subdirectory{len(p.out.changes), child})
		w.next = append(w.next, pair{old: old.objectID(), new: new.objectID(), prefix: path, out: child})
		return
	}
	c.changes.Add(1)
	change := Difference{Path: path, OldID: old.objectID(), NewID: new.objectID()}
	switch {
	case old == nil:
		change.Status, change.NewMode = Added, new.mode
	case new == nil:
		change.Status, change.OldMode = Deleted, old.mode
	default:
		change.Status, change.OldMode, change.NewMode = Modified, old.mode, new.mode
		if old.mode&typeBits != new.mode&typeBits {
			change.Status = TypeChanged
		} else if change.OldID == change.NewID {
			change.Status = ModeChanged
		}
	}
	p.out.changes = append(p.out.changes, change)
}

// objectID is the entry's id, zero for no entry.
func (e *treeEntry) objectID() ID {
	if e == nil {
		return ID{}
	}
	return newID(e.id)
}

// pathChunk is how many bytes of paths share an allocation: from the first to the last number.
const (
	firstChunk = 512
	pathChunk  = 32 << 10
)

// path joins a directory and a name, with a slash after the name of a directory. Many paths share one allocation.
func (w *worker) path(prefix string, e *treeEntry) string {
	need := len(prefix) + len(e.name) + 1
	if w.paths.Cap()-w.paths.Len() < need {
		size := min(pathChunk, max(firstChunk, 2*w.paths.Cap()))
		w.paths = strings.Builder{}
		w.paths.Grow(max(size, need))
	}
	start := w.paths.Len()
	w.paths.WriteString(prefix)
	w.paths.Write(e.name)
	if e.isTree() {
		w.paths.WriteByte('/')
	}
	return w.paths.String()[start:]
}
