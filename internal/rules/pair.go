package rules

import (
	"cmp"
	"iter"
	"path"
)

// pair finds the tests of the base at the head: by name in the same file, by name in another one, and by their lines.
func (t *testTable) pair() {
	for _, f := range t.files {
		pairByName(f.base, f.head)
	}
	lostGroups, newGroups := map[string][]*Test{}, map[string][]*Test{}
	for _, f := range t.files {
		for _, one := range f.base {
			if one.twin == nil {
				lostGroups[one.Name] = append(lostGroups[one.Name], one)
			}
		}
		for _, one := range f.head {
			if one.twin == nil {
				newGroups[one.Name] = append(newGroups[one.Name], one)
			}
		}
	}
	for name, lost := range lostGroups {
		for i := range min(len(lost), len(newGroups[name])) {
			if one, other := lost[i], newGroups[name][i]; one.Group == other.Group && (one.Group || one.moves(other)) {
				one.twin, other.twin, one.moved, other.moved = other, one, true, true
			}
		}
	}
	for _, f := range t.files {
		f.pairByLines()
	}
	for _, f := range t.files {
		for _, one := range f.base {
			if one.twin == nil && !one.Group {
				t.gone = append(t.gone, one)
			}
		}
	}
}

// moves reports whether a test of another file with the same name is the same: the file has its name, or some of its
// lines are there.
func (t *Test) moves(other *Test) bool {
	if path.Base(t.in.Path) == path.Base(other.in.Path) {
		return true
	}
	lines, same := t.bodyLines(), 0
	there := map[string]bool{}
	for _, line := range other.bodyLines() {
		there[string(line)] = true
	}
	for _, line := range lines {
		if there[string(line)] {
			same++
		}
	}
	return 3*same >= len(lines)
}

// pairByName joins tests with equal names, in their order.
func pairByName(base, head []*Test) {
	waiting := make(map[string][]*Test, len(head))
	for _, one := range head {
		waiting[one.Name] = append(waiting[one.Name], one)
	}
	for _, one := range base {
		if list := waiting[one.Name]; len(list) > 0 {
			one.twin, list[0].twin = list[0], one
			waiting[one.Name] = list[1:]
		}
	}
}

// pairByLines joins a test of the base with that of the head which has most of the lines that stayed.
func (f *File) pairByLines() {
	if f.Base == nil || f.Head == nil {
		return
	}
	var kept []int // by line of the base: the line of the head, 0 where it was removed
	owner := func(line int) *Test { return innermost(f.head, line) }
	for _, one := range f.base {
		if one.twin != nil || one.Group {
			continue
		}
		if kept == nil {
			kept = f.kept()
		}
		stayed, telling, first := 0, 0, 0
		votes := map[*Test]int{}
		for n := one.Body; n <= one.End; n++ {
			if !isTelling(one.of.CodeLine(n)) {
				continue
			}
			telling++
			if kept[n] > 0 {
				if stayed++; first == 0 {
					first = kept[n]
				}
				if to := owner(kept[n]); to != nil {
					votes[to]++
				}
			}
		}
		best := mostVotes(votes)
		if best != nil && 2*votes[best] >= telling {
			one.twin, one.moved = best, true
			if best.twin == nil {
				best.twin, best.moved = one, true
			}
		} else if telling > 0 && 5*stayed >= 3*telling {
			one.stayed = first
		}
	}
}

func mostVotes(votes map[*Test]int) *Test {
	var best *Test
	for one, n := range votes {
		if best == nil || cmp.Or(cmp.Compare(n, votes[best]), cmp.Compare(best.Line, one.Line)) > 0 {
			best = one
		}
	}
	return best
}

// kept maps the lines of the base to those of the head.
func (f *File) kept() []int {
	kept := make([]int, f.Base.Lines()+2)
	for base, head := range f.unchanged() {
		kept[base] = head
	}
	return kept
}

// unchanged are the numbers of the lines that both versions have.
func (f *File) unchanged() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		removed, added := f.Removed(), f.Added()
		for base, head := 1, 1; base <= f.Base.Lines() && head <= f.Head.Lines(); {
			switch {
			case len(removed) > 0 && removed[0].Number == base:
				removed, base = removed[1:], base+1
			case len(added) > 0 && added[0].Number == head:
				added, head = added[1:], head+1
			default:
				if !yield(base, head) {
					return
				}
				base, head = base+1, head+1
			}
		}
	}
}
