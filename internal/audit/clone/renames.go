package clone

import (
	"bytes"
	"cmp"
	"errors"
	"hash/fnv"
	"maps"
	"path"
	"slices"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// The most that is compared to find renames: files that a side deleted or added with another content, and the bytes of all of them.
const (
	mostRenamed      = 100
	mostRenamedBytes = 32 << 20
)

// renames pairs the files that a side of a merge deleted with those that it added, as git does: files of one content, then the most similar
// ones, of which at least half must be the same. A text that the clone does not have may be similar to any.
func (g *Clone) renames(side []change.Change) (map[string]change.Change, error) {
	pairs, taken := map[string]change.Change{}, map[string]bool{} // by the old path
	empty := g.repo.BlobID(nil).String()
	deleted := slices.DeleteFunc(slices.Clone(side), func(c change.Change) bool {
		return c.NewID != "" || c.OldID == "" || c.OldMode.Special() || c.OldID == empty
	})
	added := slices.DeleteFunc(slices.Clone(side), func(c change.Change) bool { return c.OldID != "" || c.NewID == "" || c.NewMode.Special() })
	sameName := func(name, id string) string { return id + path.Base(name) }
	anyName := func(_, id string) string { return id }
	for _, key := range []func(name, id string) string{sameName, anyName} {
		by := map[string][]change.Change{}
		for _, c := range added {
			by[key(c.Path, c.NewID)] = append(by[key(c.Path, c.NewID)], c)
		}
		for _, c := range deleted {
			k := key(c.Path, c.OldID)
			if left := by[k]; len(left) > 0 {
				pairs[c.Path], taken[left[0].Path], by[k] = left[0], true, left[1:]
			}
		}
		deleted = slices.DeleteFunc(deleted, func(c change.Change) bool { return pairs[c.Path].Path != "" })
		added = slices.DeleteFunc(added, func(c change.Change) bool { return taken[c.Path] })
	}
	return pairs, g.similar(pairs, deleted, added)
}

// similar pairs files by their texts, the most similar ones first.
func (g *Clone) similar(pairs map[string]change.Change, deleted, added []change.Change) error {
	if len(deleted) == 0 || len(added) == 0 || len(deleted) > mostRenamed || len(added) > mostRenamed {
		return nil
	}
	texts, left := map[string]*spans{}, int64(mostRenamedBytes)
	for _, c := range slices.Concat(deleted, added) {
		id := cmp.Or(c.NewID, c.OldID)
		if texts[id] != nil {
			continue
		}
		text, err := g.Blob(id, min(left, collect.MostMerged))
		switch {
		case errors.Is(err, collect.ErrTooLarge):
			texts[id] = spansOf(nil) // similar to nothing
		case collect.Unknowable(err):
			texts[id] = &spans{}
		case err != nil:
			return err
		default:
			left -= int64(len(text))
			texts[id] = spansOf(text)
		}
	}
	type pair struct {
		from, to change.Change
		alike    int64
	}
	var found []pair
	for _, from := range deleted {
		for _, to := range added {
			if alike := texts[from.OldID].alike(texts[to.NewID]); alike >= 50 {
				found = append(found, pair{from, to, alike})
			}
		}
	}
	input.SortStable(found, func(a, b pair) int {
		named := func(p pair) bool { return path.Base(p.from.Path) == path.Base(p.to.Path) }
		if a.alike == b.alike && named(a) != named(b) {
			return map[bool]int{true: -1, false: 1}[named(a)]
		}
		return cmp.Compare(b.alike, a.alike)
	})
	taken := map[string]bool{}
	for _, p := range found {
		if pairs[p.from.Path].Path == "" && !taken[p.to.Path] {
			pairs[p.from.Path], taken[p.to.Path] = p.to, true
		}
	}
	return nil
}

// spans are the lines of a text, in pieces of at most 64 bytes: how many bytes those of one hash have. Without them the text is not known.
type spans struct {
	bytes int64
	of    map[uint64]int64
}

func spansOf(text []byte) *spans {
	s := &spans{int64(len(text)), map[uint64]int64{}}
	for len(text) > 0 {
		n := min(len(text), 64)
		if end := bytes.IndexByte(text[:n], '\n'); end >= 0 {
			n = end + 1
		}
		h := fnv.New64a()
		_, _ = h.Write(text[:n])
		s.of[h.Sum64()] += int64(n)
		text = text[n:]
	}
	return s
}

// alike is how much of the larger of two texts both have, in percent; 50 where one is not known.
func (s *spans) alike(other *spans) int64 {
	if s.of == nil || other.of == nil {
		return 50
	}
	shared := int64(0)
	for h, n := range s.of {
		shared += min(n, other.of[h])
	}
	return 100 * shared / max(s.bytes, other.bytes, 1)
}

// alongRenames compares again as if both sides had moved what one of them moved, as git merges: a file that the branch moved has the edits
// of the change at its new path, and one that the change moved has those of the branch. It says none where that explains nothing.
func (b binder) alongRenames(differ map[string]change.Change, exact bool) (Bound, error) {
	none, base, parent := Bound{How: report.BindingNone}, b.decided.MergeBase, b.merged.Parent
	if base == "" || parent == "" || base == parent || b.decided.ManyBases {
		return none, nil
	}
	branch, err := b.git.Changes(base, parent)
	if err != nil {
		return none, unlessUnknowable(err)
	}
	list := slices.Clone(b.decided.Changes)
	judged := make(map[string]change.Change, len(list))
	for i, c := range list {
		if c.OldID == "" && c.OldMode != change.NoMode { // GitHub's API does not say what was there before
			if _, list[i].OldID, _, err = b.git.Entry(base, c.Path); err != nil {
				return none, unlessUnknowable(err)
			}
		}
		judged[c.Path] = list[i]
	}
	byBranch, err := b.git.renames(branch)
	if err != nil {
		return none, err
	}
	byChange, err := b.git.renames(list)
	if err != nil {
		return none, err
	}
	edits := map[string]change.Change{} // by their new path
	b.was = map[string]string{}
	move := func(from, to string, ofChange change.Change) {
		edit := judged[from]
		if ofChange.Path != "" {
			edit.NewID, edit.NewMode = ofChange.NewID, ofChange.NewMode
		}
		edit.Path, b.was[to] = to, from
		edits[to] = edit
	}
	for from, to := range byBranch {
		edit, touched := judged[from]
		ofChange := byChange[from]
		if touched && (edit.NewID != "" || ofChange.Path == to.Path) {
			move(from, to.Path, ofChange)
		}
	}
	for from, to := range byChange {
		before, after := differ[from], differ[to.Path]
		if b.was[to.Path] == "" && before.OldID != "" && before.NewID == "" && after.OldID == "" && after.NewID != "" {
			move(from, to.Path, to)
			after.OldID, after.OldMode = before.OldID, before.OldMode
			differ[to.Path] = after
			delete(differ, from)
		}
	}
	for to, from := range b.was {
		delete(judged, from)
		if byChange[from].Path == to {
			delete(judged, to)
		}
	}
	placed := b.inMoved(byBranch, differ, judged, edits)
	for to, edit := range edits {
		if _, twice := judged[to]; twice {
			return none, nil
		}
		judged[to] = edit
	}
	b.decided.Changes = slices.SortedFunc(maps.Values(judged), func(x, y change.Change) int { return cmp.Compare(x.Path, y.Path) })
	if len(edits) == 0 || b.foreign(differ) != nil {
		return none, nil
	}
	bound, err := b.contents(differ, exact)
	if err == nil && bound.How != report.BindingNone && placed != "" {
		bound = Bound{report.BindingPartly, placed, "is where the branch had moved the directory of it, which git leaves to a person"}
	}
	return bound, err
}

// inMoved finds what the change added to a directory that the branch moved, and that the commits have there with the same content. It gives
// the last such path, "" for none.
func (b *binder) inMoved(byBranch map[string]change.Change, differ, judged, edits map[string]change.Change) (last string) {
	moved := map[string]string{}
	for from, to := range byBranch {
		old, now := from, to.Path
		for path.Base(old) == path.Base(now) && path.Dir(old) != "." && path.Dir(old) != path.Dir(now) {
			old, now = path.Dir(old), path.Dir(now)
			moved[old] = min(cmp.Or(moved[old], now), now)
		}
	}
	for dir := range moved {
		if _, _, there, err := b.git.Entry(b.merged.Parent, dir); there || err != nil {
			delete(moved, dir) // files of it are still there
		}
	}
	for _, c := range b.decided.Changes {
		for dir := path.Dir(c.Path); dir != "." && c.OldID == "" && c.OldMode == change.NoMode; dir = path.Dir(dir) {
			there, known := differ[path.Join(moved[dir], c.Path[len(dir)+1:])]
			if moved[dir] == "" || !known || there.OldID != "" || there.NewID != c.NewID || there.NewMode != c.NewMode {
				continue
			}
			delete(judged, c.Path)
			c.Path = there.Path
			edits[there.Path], last = c, max(last, there.Path)
			break
		}
	}
	return last
}

func unlessUnknowable(err error) error {
	if collect.Unknowable(err) {
		return nil
	}
	return err
}
