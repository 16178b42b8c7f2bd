package linediff

import "math"

// compare marks the lines of a and b that are not shared, and reports whether that is certain to be as few as can be.
func compare(a, b *side, limits Limits) bool {
	if len(a.ids) == 0 || len(b.ids) == 0 { // most often the file was created or deleted
		a.markAll()
		b.markAll()
		return true
	}
	s := newSearch(a, b)
	s.left = limits.work(len(a.ids) + len(b.ids))
	s.solve(box{0, len(s.a.ids), 0, len(s.b.ids)}, s.left/4)
	return s.minimal
}

// newSearch marks the lines that only one side holds, which no script can keep, and is to search the others.
func newSearch(a, b *side) *search {
	intern(a, b)
	inBoth := make([]bool, len(a.ids)+len(b.ids))
	for _, id := range b.ids {
		inBoth[id] = int(id) < len(a.ids)
	}
	s := &search{a: keep(a, inBoth), b: keep(b, inBoth), minimal: true}
	s.forward, s.backward = newFront(len(s.a.ids), len(s.b.ids)), newFront(len(s.a.ids), len(s.b.ids))
	return s
}

// sequence is what is left of a side without the lines that the other one does not have.
type sequence struct {
	ids   []int32
	lines []int32 // where each stands in the side
	side  *side
}

// keep parts the lines of a side: those that are not in both are marked.
func keep(s *side, inBoth []bool) sequence {
	kept := 0
	for i, id := range s.ids {
		s.changed[i] = !inBoth[id]
		if inBoth[id] {
			kept++
		}
	}
	q := sequence{ids: make([]int32, 0, kept), lines: make([]int32, 0, kept), side: s}
	for i, id := range s.ids {
		if inBoth[id] {
			q.ids, q.lines = append(q.ids, id), append(q.lines, int32(i))
		}
	}
	return q
}

// mark names the elements from..to in the script.
func (q sequence) mark(from, to int) {
	for _, line := range q.lines[from:to] {
		q.side.changed[line] = true
	}
}

// box is a part of both sequences: a0 ≤ x < a1 and b0 ≤ y < b1.
type box struct{ a0, a1, b0, b1 int }

func (in box) size() int { return in.a1 - in.a0 + in.b1 - in.b0 }

// search compares two sequences. In the words of Myers' paper, a point (x, y) lies on the diagonal x − y, a step to the
// right removes an element of a, a step down adds one of b, and a diagonal step keeps an element that both have.
type search struct {
	a, b              sequence
	forward, backward *front
	left              int64 // steps that may still be taken
	minimal           bool
}

// solve marks what is not shared in a box. To find where to divide a box may take so many steps as allowance says. It
// calls itself for the smaller part, so not deeper than some 30 times.
func (s *search) solve(in box, allowance int64) {
	for {
		in = s.trim(in)
		if in.a0 == in.a1 || in.b0 == in.b1 {
			break
		}
		if s.left <= 0 {
			s.minimal = false
			break
		}
		x, y, best := s.divide(in, allowance)
		small, large := box{in.a0, x, in.b0, y}, box{x, in.a1, y, in.b1}
		if small.size() > large.size() {
			small, large = large, small
		}
		s.solve(small, allowance)
		in = large
		if !best {
			s.minimal = false
			allowance = s.share(in)
		}
	}
	s.a.mark(in.a0, in.a1)
	s.b.mark(in.b0, in.b1)
}

// trim takes off what both sides of a box begin and end with.
func (s *search) trim(in box) box {
	for in.a0 < in.a1 && in.b0 < in.b1 && s.a.ids[in.a0] == s.b.ids[in.b0] {
		in.a0++
		in.b0++
	}
	for in.a0 < in.a1 && in.b0 < in.b1 && s.a.ids[in.a1-1] == s.b.ids[in.b1-1] {
		in.a1--
		in.b1--
	}
	return in
}

// leastShare lets a search go on for some 64 edits in each direction.
const leastShare = 1 << 12

// share is the allowance of a box after a search that failed. One that fails after d² steps has come forward by about
// d, so this is what suffices to come to the end of the box.
func (s *search) share(in box) int64 {
	d := s.left / int64(2*in.size()+1)
	return max(leastShare, min(d, math.MaxInt32)*min(d, math.MaxInt32))
}

// divide finds a point of a box through which a shortest path goes, about half way. When the steps do not suffice it
// returns, without best, the point that is farthest from the box's beginning of those that were reached.
func (s *search) divide(in box, allowance int64) (x, y int, best bool) {
	stop := max(0, s.left-allowance)
	s.forward.begin(in.a0-in.b0, in.a0, -1)
	s.backward.begin(in.a1-in.b1, in.a1, math.MaxInt32)
	odd := (in.a1-in.b1-in.a0+in.b0)%2 != 0
	for s.left > stop {
		s.forward.widen(in, -1)
		if x, y, best = s.ahead(in, stop, odd); best {
			return x, y, best
		}
		s.backward.widen(in, math.MaxInt32)
		if x, y, best = s.back(in, stop, !odd); best {
			return x, y, best
		}
	}
	x, y = s.farthest(in)
	return x, y, false
}

// ahead takes every path from the box's beginning one edit further. It returns the point where one meets a path from
// the end; they can meet here only if the length of the shortest script is odd.
func (s *search) ahead(in box, stop int64, odd bool) (x, y int, met bool) {
	f, b := s.forward, s.backward
	for d := f.high; d >= f.low && s.left > stop; d -= 2 {
		x := int(max(f.get(d-1)+1, f.get(d+1)))
		y, from := x-d, x
		for x < in.a1 && y < in.b1 && s.a.ids[x] == s.b.ids[y] {
			x++
			y++
		}
		f.set(d, x)
		s.left -= int64(x - from + 1)
		if odd && b.low <= d && d <= b.high && int(b.get(d)) <= x {
			return x, y, true
		}
	}
	return 0, 0, false
}

// back is like ahead for the paths from the box's end.
func (s *search) back(in box, stop int64, even bool) (x, y int, met bool) {
	f, b := s.forward, s.backward
	for d := b.high; d >= b.low && s.left > stop; d -= 2 {
		x := int(min(b.get(d-1), b.get(d+1)-1))
		y, from := x-d, x
		for x > in.a0 && y > in.b0 && s.a.ids[x-1] == s.b.ids[y-1] {
			x--
			y--
		}
		b.set(d, x)
		s.left -= int64(from - x + 1)
		if even && f.low <= d && d <= f.high && x <= int(f.get(d)) {
			return x, y, true
		}
	}
	return 0, 0, false
}

// farthest is the point that has come farthest of all that were reached from the beginning of a box or from its end. Of
// points that have come equally far it is the one nearest to the diagonal of the corner it was reached from.
func (s *search) farthest(in box) (x, y int) {
	far, aside := 0, 0
	look := func(f *front, a, b int) {
		for d := f.low; d <= f.high; d += 2 {
			to := int(f.get(d))
			if to < in.a0 || to > in.a1 || to-d < in.b0 || to-d > in.b1 {
				continue
			}
			if way, off := abs(to-a)+abs(to-d-b), abs(d-(a-b)); way > far || (way == far && off < aside) {
				x, y, far, aside = to, to-d, way, off
			}
		}
	}
	x, y = in.a0, in.b0
	look(s.forward, in.a0, in.b0)
	look(s.backward, in.a1, in.b1)
	return x, y
}

func abs(n int) int { return max(n, -n) }

// front holds how far the paths of one direction have come: x on each diagonal. Of the diagonals low to high every
// second one has been reached with the present number of edits, the others with one less.
type front struct {
	at        []int32
	zero      int // index of diagonal 0
	low, high int
}

func newFront(a, b int) *front { return &front{at: make([]int32, a+b+3), zero: b + 1} }

func (f *front) get(diagonal int) int32 { return f.at[f.zero+diagonal] }

func (f *front) set(diagonal, x int) { f.at[f.zero+diagonal] = int32(x) }

// begin puts the only path on its diagonal. The one below it has not been reached: none. The one above it is reached
// before anyone asks for it.
func (f *front) begin(diagonal, x, none int) {
	f.low, f.high = diagonal, diagonal
	f.set(diagonal-1, none)
	f.set(diagonal, x)
}

// widen goes on to the diagonals of the next edit. Those that lie outside the box are left out.
func (f *front) widen(in box, none int) {
	if f.low > in.a0-in.b1 {
		f.low--
		f.set(f.low-1, none)
	} else {
		f.low++
	}
	if f.high < in.a1-in.b0 {
		f.high++
		f.set(f.high+1, none)
	} else {
		f.high--
	}
}
