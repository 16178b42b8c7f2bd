package archive

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// foundOf is an index with an entry for each commit, which follow a commit of an archive of some size.
func foundOf(after string, size int64, commits ...string) *Found {
	f := &Found{Schema: FoundSchema, Origin: "closeout-archive/github.com/o/r", Branch: "main", Size: size}
	if after != "" {
		f.After = ptr(id(after))
	}
	for _, c := range commits {
		e := gap()
		e.Commits = []string{id(c)}
		f.Entries = append(f.Entries, *e)
	}
	return f
}

func stateAt(last string, size int64) *State {
	s := &State{Origin: "closeout-archive/github.com/o/r", Size: size, Last: map[string]string{"other": id("9")}}
	if last != "" {
		s.Last["main"] = id(last)
	}
	return s
}

func TestNew(t *testing.T) {
	repair := foundOf("1", 4, "2", "3")
	repair.Entries[0].Repairs = ptr(int64(0))
	for _, c := range []struct {
		name  string
		found *Found
		state *State
		want  []int
		left  int
		err   string
	}{
		{"the first", foundOf("", 0, "1", "2"), nil, []int{0, 1}, 0, ""},
		{"a new branch", foundOf("", 0, "1"), stateAt("", 3), []int{0}, 0, ""},
		{"those that follow", foundOf("1", 4, "2", "3"), stateAt("1", 4), []int{0, 1}, 0, ""},
		{"another branch grew", foundOf("1", 4, "2"), stateAt("1", 6), []int{0}, 0, ""},
		{"some are there", foundOf("1", 4, "2", "3", "4"), stateAt("3", 6), []int{2}, 0, ""},
		{"all are there", foundOf("1", 4, "2", "3"), stateAt("3", 6), nil, 0, ""},
		{"nothing was found", foundOf("1", 4), stateAt("1", 4), nil, 0, ""},
		{"others came between", foundOf("1", 4, "2", "3"), stateAt("7", 6), nil, 0, "run closeout archive find again"},
		{"the state is older", foundOf("1", 4, "2"), stateAt("1", 3), nil, 0, "the archive's newest commit"},
		{"there is no archive", foundOf("1", 0, "2"), nil, nil, 0, "run closeout archive find again"},
		{"the archive is gone", foundOf("1", 4, "2"), nil, nil, 0, "the archive's newest commit"},
		{"a repair", repair, stateAt("1", 4), []int{0, 1}, 0, ""},
		{"a repair that may be old", repair, stateAt("1", 5), []int{1}, 1, ""},
		{"another archive", foundOf("1", 4, "2"), &State{Origin: "closeout-archive/github.com/o/other", Size: 4}, nil, 0, "use the origin of the state"},
	} {
		got, left, err := c.found.New(c.state)
		if !slices.Equal(got, c.want) || left != c.left || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, %d, %v", c.name, got, left, err)
		}
	}
}

func TestKeep(t *testing.T) {
	for path, want := range map[string]bool{
		"verification_report.json": true, "facts.json": true, "changes.json": true, "scope_contract.yaml": true, "contracts/a/b.json": true,
		"pulls/7/facts.json": true, "pulls/7/changes.json": true, "pulls/7/contracts/a.json": true,
		"feedback_record.jsonl": false, "feedback/001.jsonl": false, "tests/facts.json": false, "rules/a.sarif": false, "rule_report.json": false,
		"diff_rules.json": false, "pr.diff": false, "pulls/7/diff_rules.json": false, "pulls/7/x/facts.json": false, "other": false, "contracts": false,
	} {
		if got := (Keep{KeepReport, 10}).kept(File{Path: path, Bytes: 10}); got != want {
			t.Errorf("%s: kept is %v", path, got)
		}
		if !(Keep{KeepAll, 10}).kept(File{Path: path, Bytes: 10}) {
			t.Errorf("%s is left out", path)
		}
	}
	k := Keep{KeepAll, 10}
	if k.kept(File{Path: "facts.json", Bytes: 11}) || !k.kept(File{Path: "verification_report.json", Bytes: 1 << 20}) || k.kept(File{Path: "verification_report.json", Bytes: maxReport + 1}) {
		t.Error("the limit of a file is wrong")
	}
}

// failing is a writer that fails after some bytes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("the disk is full")
	}
	return len(p), nil
}

func TestWrite(t *testing.T) {
	f := foundOf("", 0, "1", "2")
	a := &Addition{Found: f, New: []int{0, 1}, Keep: Keep{KeepAll, 10}, Open: func(int, string) (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }}
	var first, again bytes.Buffer
	if err := a.Write(&first); err != nil {
		t.Fatal(err)
	}
	if err := a.Write(&again); err != nil || !bytes.Equal(first.Bytes(), again.Bytes()) {
		t.Error("the same input gives another stream", err)
	}
	if err := a.Write(&failing{first.Len() - 1}); err == nil {
		t.Error("a stream that could not be written is no error")
	}
	if !bytes.HasSuffix(first.Bytes(), []byte("\ndone\n")) {
		t.Error("the stream does not say that it is whole")
	}
	d := decision()
	f.Entries = []Entry{*d}
	var cut bytes.Buffer
	a.New = []int{0}
	if err := a.Write(&cut); err == nil || bytes.HasSuffix(cut.Bytes(), []byte("done\n")) {
		t.Error("a stream whose file is missing ends as if it were whole", err)
	}
}
