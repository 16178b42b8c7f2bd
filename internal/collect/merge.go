package collect

import (
	"bytes"

	"github.com/closeout-gate/closeout/verify/change"
)

// CleanMerge reports whether a merge of two commits contains what the two bring, and nothing else. Every touched path must be
// as on the side that touched it; a file that both touched must contain the changes of both in their places, and nothing
// else. A merge along a rename does not count as clean.
func CleanMerge(o Objects, commit string, parents []string) (bool, error) {
	if len(parents) != 2 {
		return false, nil
	}
	bases, err := o.MergeBases(parents[0], parents[1])
	if err != nil || len(bases) != 1 {
		return false, err // git merges a criss-cross history with more than one base
	}
	var sides [3]map[string]change.Change // by path: first parent, second parent, merge
	for i, side := range []string{parents[0], parents[1], commit} {
		list, err := o.Changes(bases[0], side)
		if err != nil {
			return false, err
		}
		sides[i] = make(map[string]change.Change, len(list))
		for _, c := range list {
			sides[i][c.Path] = c
		}
	}
	ours, theirs, merged := sides[0], sides[1], sides[2]
	for path := range merged {
		_, first := ours[path]
		if _, second := theirs[path]; !first && !second {
			return false, nil
		}
	}
	return bothKept(o, ours, theirs, merged)
}

// bothKept reports whether a merge contains the changes of both sides.
func bothKept(o Objects, ours, theirs, merged map[string]change.Change) (bool, error) {
	var both []string // paths that the sides changed in different ways
	for path, our := range ours {
		if their, touched := theirs[path]; touched && !sameEnd(our, their) {
			both = append(both, path)
		} else if !sameEnd(our, merged[path]) {
			return false, nil
		}
	}
	for path, their := range theirs {
		if _, both := ours[path]; !both && !sameEnd(their, merged[path]) {
			return false, nil
		}
	}
	if len(both) > mostBoth {
		return false, nil
	}
	for _, path := range both {
		if clean, err := LinesKept(o, ours[path], theirs[path], merged[path]); err != nil || !clean {
			return false, err
		}
	}
	return true, nil
}

func sameEnd(a, b change.Change) bool {
	return a.Path == b.Path && a.NewID == b.NewID && a.NewMode == b.NewMode
}

// The most that is compared in a merge: files that both sides changed, each of which takes up to four calls, and the bytes of
// one.
const (
	mostBoth   = 25
	MostMerged = 4 << 20
)

// LinesKept reports whether the merge of a file that both sides modified is what git makes of the two where they do not
// conflict, mode included.
func LinesKept(o Objects, our, their, merged change.Change) (bool, error) {
	modified := func(c change.Change) bool {
		return c.OldID != "" && c.NewID != "" && !c.OldMode.Special() && !c.NewMode.Special()
	}
	mode := our.NewMode
	if mode == our.OldMode {
		mode = their.NewMode
	}
	if !modified(our) || !modified(their) || !modified(merged) || merged.NewMode != mode {
		return false, nil
	}
	var texts [4][]byte
	for i, id := range []string{our.OldID, our.NewID, their.NewID, merged.NewID} {
		var err error
		if texts[i], err = o.Blob(id, MostMerged); err != nil {
			return false, err
		}
	}
	want, clean := mergeLines(texts[0], texts[1], texts[2])
	return clean && bytes.Equal(want, texts[3]), nil
}
