package git

import (
	"bytes"
	"container/heap"
	"slices"
	"sort"
)

// maxBases limits the work for many merge bases. Histories that people make have one, seldom two.
const maxBases = 100

// MergeBases gives the best common ancestors of two commits: those that are not ancestors of another common ancestor.
// There are several after criss-cross merges, and none (an empty slice) when the histories have no common commit. They
// are sorted by id.
//
// In a shallow clone the error is Incomplete when commits that were not fetched could change the answer.
func (r *Repo) MergeBases(a, b ID) ([]ID, error) {
	for _, id := range []ID{a, b} {
		if _, err := r.Commit(id); err != nil {
			return nil, err
		}
	}
	if a == b {
		return []ID{a}, nil
	}
	g := newGraph(r)
	common, err := newWalk(g, g.number(a), g.number(b)).run()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(common, func(n int32) bool { return g.states[n] == absent }); i >= 0 {
		return nil, &Incomplete{Commit: g.id(common[i])}
	}
	best, err := g.best(common)
	if err != nil {
		return nil, err
	}
	ids := make([]ID, 0, len(best))
	for _, n := range best {
		ids = append(ids, g.id(n))
	}
	sort.Slice(ids, func(i, j int) bool { return bytes.Compare(ids[i][:], ids[j][:]) < 0 })
	return ids, nil
}

// best removes common ancestors that are ancestors of others. A walk finds such ancestors when a commit has an earlier
// date than its parents.
func (g *graph) best(common []int32) ([]int32, error) {
	if len(common) > maxBases {
		return nil, &TooLarge{What: "merge bases", Limit: maxBases}
	}
	for i := 0; i < len(common) && len(common) > 1; i++ {
		others := slices.Delete(slices.Clone(common), i, i+1)
		walk := newWalk(g, common[i], others...)
		if _, err := walk.run(); err != nil {
			return nil, err
		}
		rest := slices.DeleteFunc(others, func(n int32) bool { return walk.marks[n]&left != 0 })
		if walk.marks[common[i]]&right == 0 {
			rest = append(rest, common[i])
		}
		if len(rest) < len(common) {
			common, i = rest, -1
		}
	}
	return common, nil
}

// mark is a set of facts about a commit in a walk.
type mark uint8

const (
	left   mark = 1 << iota // an ancestor of the first commit
	right                   // an ancestor of one of the others
	stale                   // an ancestor of a common ancestor: not one of the best
	result                  // it is in common
	queued
)

const both = left | right

// walk visits the ancestors of a commit and of some others, the youngest first, until only ancestors of common ancestors
// are left. Dates may be wrong: a commit is visited again when it is reached from another side, so every best common
// ancestor is found, and perhaps some that are not best.
type walk struct {
	*graph
	marks  []mark
	queue  []int32 // a heap, the youngest first
	fresh  int     // commits in the queue that are not stale
	tips   []int32
	common []int32
	ends   []int32 // commits that were reached and not fetched
}

func newWalk(g *graph, first int32, others ...int32) *walk {
	return &walk{graph: g, tips: append([]int32{first}, others...)}
}

// run gives the common ancestors.
func (w *walk) run() ([]int32, error) {
	for i, tip := range w.tips {
		side := right
		if i == 0 {
			side = left
		}
		if err := w.addMarks(tip, side); err != nil {
			return nil, err
		}
	}
	if err := w.drain(func() bool { return w.fresh > 0 && !w.tipFound() }); err != nil {
		return nil, err
	}
	if w.tipFound() {
		return slices.DeleteFunc(w.tips, func(n int32) bool { return !w.isCommon(n) }), nil
	}
	if err := w.settle(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(w.common, func(n int32) bool { return w.marks[n]&stale != 0 }), nil
}

// tipFound reports whether one of two commits is an ancestor of the other. Then it is the only best common ancestor.
func (w *walk) tipFound() bool {
	return len(w.tips) == 2 && (w.isCommon(w.tips[0]) || w.isCommon(w.tips[1]))
}

func (w *walk) isCommon(n int32) bool { return w.marks[n]&both == both }

// settle checks the commits that were reached and not fetched. One that is an ancestor of one side only may have commits
// of the other side as ancestors: then there is no answer. Whether it is on one side only is certain after everything was
// visited.
func (w *walk) settle() error {
	oneSided := func(n int32) bool { return !w.isCommon(n) }
	if !slices.ContainsFunc(w.ends, oneSided) {
		return nil
	}
	if err := w.drain(func() bool { return true }); err != nil {
		return err
	}
	if i := slices.IndexFunc(w.ends, oneSided); i >= 0 {
		return &Incomplete{Commit: w.id(w.ends[i])}
	}
	return nil
}

// drain visits the commits in the queue while a condition is true.
func (w *walk) drain(more func() bool) error {
	for len(w.queue) > 0 && more() {
		n := heap.Pop(w).(int32)
		w.marks[n] &^= queued
		marks := w.marks[n] & (both | stale)
		if marks&stale == 0 {
			w.fresh--
		}
		if w.isCommon(n) && marks&stale == 0 {
			if w.marks[n]&result == 0 {
				w.marks[n] |= result
				w.common = append(w.common, n)
			}
			marks |= stale
		}
		for _, parent := range w.parentsOf(n) {
			if err := w.addMarks(parent, marks); err != nil {
				return err
			}
		}
	}
	return nil
}

// addMarks marks a commit, and puts it into the queue if it did not have the marks.
func (w *walk) addMarks(n int32, marks mark) error {
	if err := w.graph.read(n); err != nil {
		return err
	}
	w.marks = append(w.marks, make([]mark, len(w.states)-len(w.marks))...)
	before := w.marks[n]
	if before&marks == marks {
		return nil
	}
	w.marks[n] |= marks
	if before&queued != 0 {
		if before&stale == 0 && marks&stale != 0 {
			w.fresh--
		}
		return nil
	}
	w.marks[n] |= queued
	if before == 0 && w.states[n] == absent {
		w.ends = append(w.ends, n)
	}
	if w.marks[n]&stale == 0 {
		w.fresh++
	}
	heap.Push(w, n)
	return nil
}

// Len, Less, Swap, Push and Pop make the walk's queue a heap.
func (w *walk) Len() int           { return len(w.queue) }
func (w *walk) Less(i, j int) bool { return w.dates[w.queue[i]] > w.dates[w.queue[j]] }
func (w *walk) Swap(i, j int)      { w.queue[i], w.queue[j] = w.queue[j], w.queue[i] }
func (w *walk) Push(n any)         { w.queue = append(w.queue, n.(int32)) }
func (w *walk) Pop() any {
	last := len(w.queue) - 1
	n := w.queue[last]
	w.queue = w.queue[:last]
	return n
}
