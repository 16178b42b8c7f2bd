package collect

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
)

// stored is a repository of four commits: base, ours, theirs and merge. A content is its own id; "x:" makes it executable and
// "l:" a symlink.
type stored struct {
	Lost
	commits map[string]map[string]string
	bases   []string
}

func (s stored) MergeBases(string, string) ([]string, error) { return s.bases, nil }

func (s stored) Blob(id string, _ int64) ([]byte, error) { return []byte(id), nil }

func (s stored) Changes(before, after string) ([]change.Change, error) {
	old, now := s.commits[before], s.commits[after]
	paths := map[string]bool{}
	for _, files := range []map[string]string{old, now} {
		for path := range files {
			paths[path] = true
		}
	}
	var list []change.Change
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if old[path] == now[path] {
			continue
		}
		c := change.Change{Path: path}
		c.OldMode, c.OldID = storedEntry(old[path])
		c.NewMode, c.NewID = storedEntry(now[path])
		list = append(list, c)
	}
	return list, nil
}

func storedEntry(content string) (change.Mode, string) {
	switch {
	case content == "":
		return "000000", ""
	case strings.HasPrefix(content, "x:"):
		return change.Executable, content[2:]
	case strings.HasPrefix(content, "l:"):
		return change.Symlink, content[2:]
	}
	return change.Regular, content
}

func TestCleanMerge(t *testing.T) {
	type files = map[string]string
	base := files{"a": "1\n2\n3\n4\n5\n", "b": "b\n", "c": "c\n"}
	change := func(from files, more ...string) files {
		to := maps.Clone(from)
		for i := 0; i < len(more); i += 2 {
			to[more[i]] = more[i+1]
		}
		return to
	}
	for _, c := range []struct {
		name                 string
		ours, theirs, merged []string
		bases                []string
		want                 bool
	}{
		{name: "of other files", ours: []string{"b", "ours\n", "n", "new\n"}, theirs: []string{"c", "", "m", "new\n"}, merged: []string{"b", "ours\n", "n", "new\n", "c", "", "m", "new\n"}, want: true},
		{name: "of other lines", ours: []string{"a", "0\n2\n3\n4\n5\n"}, theirs: []string{"a", "1\n2\n3\n4\n6\n7\n"}, merged: []string{"a", "0\n2\n3\n4\n6\n7\n"}, want: true},
		{name: "of the same change", ours: []string{"b", "x\n"}, theirs: []string{"b", "x\n"}, merged: []string{"b", "x\n"}, want: true},
		{name: "of a mode and lines", ours: []string{"b", "x:b\n"}, theirs: []string{"b", "y\n"}, merged: []string{"b", "x:y\n"}, want: true},
		{name: "of lines and a mode", ours: []string{"b", "y\n"}, theirs: []string{"b", "x:b\n"}, merged: []string{"b", "x:y\n"}, want: true},
		{name: "that drops a mode", ours: []string{"b", "x:b\n"}, theirs: []string{"b", "y\n"}, merged: []string{"b", "y\n"}},
		{name: "that makes the same change twice", ours: []string{"b", "b\nx\n"}, theirs: []string{"b", "b\nx\n"}, merged: []string{"b", "b\nx\nx\n"}},
		{name: "with a file of its own", ours: []string{"b", "x\n"}, theirs: []string{"c", "y\n"}, merged: []string{"b", "x\n", "c", "y\n", "evil", "e\n"}},
		{name: "with a change of its own", ours: []string{"b", "x\n"}, theirs: []string{"c", "y\n"}, merged: []string{"a", "e\n", "b", "x\n", "c", "y\n"}},
		{name: "that changes ours", ours: []string{"b", "x\n"}, theirs: []string{"c", "y\n"}, merged: []string{"b", "e\n", "c", "y\n"}},
		{name: "that changes theirs", ours: []string{"b", "x\n"}, theirs: []string{"c", "y\n"}, merged: []string{"b", "x\n", "c", "e\n"}},
		{name: "that drops ours", ours: []string{"b", "x\n"}, theirs: []string{"c", "y\n"}, merged: []string{"c", "y\n"}},
		{name: "that drops theirs", ours: []string{"b", "x\n"}, theirs: []string{"c", "y\n"}, merged: []string{"b", "x\n"}},
		{name: "that keeps what they deleted", ours: []string{"b", "x\n"}, theirs: []string{"c", ""}, merged: []string{"b", "x\n"}},
		{name: "that makes it executable", ours: []string{"b", "x\n"}, theirs: []string{"c", "y\n"}, merged: []string{"b", "x:x\n", "c", "y\n"}},
		{name: "with a line of its own", ours: []string{"a", "0\n2\n3\n4\n5\n"}, theirs: []string{"a", "1\n2\n3\n4\n6\n"}, merged: []string{"a", "0\n2\nevil\n4\n6\n"}},
		{name: "of a line put in and others", ours: []string{"a", "0\n2\n3\n4\n5\n"}, theirs: []string{"a", "1\n2\n3\nnew\n4\n5\n"}, merged: []string{"a", "0\n2\n3\nnew\n4\n5\n"}, want: true},
		{name: "with their line in another place", ours: []string{"a", "0\n2\n3\n4\n5\n"}, theirs: []string{"a", "1\n2\n3\nnew\n4\n5\n"}, merged: []string{"a", "0\n2\n3\n4\nnew\n5\n"}},
		{name: "with our line in another place", ours: []string{"a", "1\nnew\n2\n3\n4\n5\n"}, theirs: []string{"a", "1\n2\n3\n4\n"}, merged: []string{"a", "new\n1\n2\n3\n4\n"}},
		{name: "of several changes, one of them on both sides", ours: []string{"a", "x\n2\n3\n4\n5\n6"}, theirs: []string{"a", "x\n2\n3b\n4\n5\n"}, merged: []string{"a", "x\n2\n3b\n4\n5\n6"}, want: true},
		{name: "of adjacent changes", ours: []string{"a", "1\n2\nx\n4\n5\n"}, theirs: []string{"a", "1\n2\n3\ny\n5\n"}, merged: []string{"a", "1\n2\nx\ny\n5\n"}},
		{name: "without the end of the last line", ours: []string{"a", "0\n2\n3\n4\n5\n"}, theirs: []string{"a", "1\n2\n3\n4\n6\n"}, merged: []string{"a", "0\n2\n3\n4\n6"}},
		{name: "with one side's lines", ours: []string{"a", "0\n2\n3\n4\n5\n"}, theirs: []string{"a", "1\n2\n3\n4\n6\n"}, merged: []string{"a", "1\n2\n3\n4\n6\n"}},
		{name: "of a conflict that a person resolved", ours: []string{"b", "x\n"}, theirs: []string{"b", "y\n"}, merged: []string{"b", "xy\n"}},
		{name: "of a conflict in favour of ours", ours: []string{"b", "x\n"}, theirs: []string{"b", "y\n"}, merged: []string{"b", "x\n"}},
		{name: "of a deletion and a change", ours: []string{"b", ""}, theirs: []string{"b", "y\n"}, merged: []string{"b", "y\n"}},
		{name: "of two symlinks", ours: []string{"b", "l:x"}, theirs: []string{"b", "l:y"}, merged: []string{"b", "l:y"}},
		{name: "of binary files", ours: []string{"b", "\x00x"}, theirs: []string{"b", "\x00y"}, merged: []string{"b", "\x00y"}},
		{name: "in a criss-cross history", bases: []string{"base", "other"}},
		{name: "without a common past", bases: []string{}},
	} {
		s := stored{bases: []string{"base"}, commits: map[string]files{
			"base": base, "ours": change(base, c.ours...), "theirs": change(base, c.theirs...), "merge": change(base, c.merged...),
		}}
		if c.bases != nil {
			s.bases = c.bases
		}
		if got, err := CleanMerge(s, "merge", []string{"ours", "theirs"}); got != c.want || err != nil {
			t.Errorf("a merge %s: %v, %v", c.name, got, err)
		}
	}
	for n, want := range map[int]bool{mostBoth: true, mostBoth + 1: false} {
		commits := map[string]map[string]string{"base": {}, "ours": {}, "theirs": {}, "merge": {}}
		for i := range n {
			path := strconv.Itoa(i)
			commits["base"][path], commits["ours"][path] = "1\n2\n3\n", "0\n2\n3\n"
			commits["theirs"][path], commits["merge"][path] = "1\n2\n4\n", "0\n2\n4\n"
		}
		if got, err := CleanMerge(stored{bases: []string{"base"}, commits: commits}, "merge", []string{"ours", "theirs"}); got != want || err != nil {
			t.Errorf("a merge of %d files that both sides changed: %v, %v", n, got, err)
		}
	}
	if clean, err := CleanMerge(Lost{ErrTooLarge}, "merge", []string{"ours", "theirs"}); clean || err == nil {
		t.Errorf("an unreadable merge is clean: %v", err)
	}
	if clean, _ := CleanMerge(stored{}, "merge", []string{"ours"}); clean {
		t.Error("a commit with one parent is a merge")
	}
}
