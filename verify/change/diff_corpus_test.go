package change

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

// corpus returns the diffs that TestUpdateCorpus had a real git print, with the changes that git's raw format names for them.
func corpus(t testing.TB) map[string]corpusCase {
	t.Helper()
	names, err := filepath.Glob("testdata/diff/*.diff")
	if err != nil || len(names) < 50 {
		t.Fatalf("the corpus is not there: %d files, %v", len(names), err)
	}
	cases := map[string]corpusCase{}
	for _, name := range names {
		diff, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := os.ReadFile(strings.TrimSuffix(name, ".diff") + ".json")
		if err != nil {
			t.Fatal(err)
		}
		changes, errs := ReadChanges(bytes.NewReader(list), input.DefaultLimits())
		if errs.Any() {
			t.Fatalf("%s: %v", name, errs.All())
		}
		cases[filepath.Base(name)] = corpusCase{diff, changes}
	}
	return cases
}

type corpusCase struct {
	diff    []byte
	changes []Change
}

func readDiff(text []byte) ([]Change, []input.Error) {
	changes, errs := ReadDiff(bytes.NewReader(text), input.DefaultLimits())
	return changes, errs.All()
}

func TestReadDiffAgreesWithGit(t *testing.T) {
	for name, c := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			got, errs := readDiff(c.diff)
			if len(errs) > 0 {
				t.Fatalf("%v: %s", errs, errs[0].Found)
			}
			if len(got) != len(c.changes) {
				t.Fatalf("%d changes, git names %d", len(got), len(c.changes))
			}
			for i, want := range c.changes {
				if !sameChange(got[i], want) {
					t.Errorf("got %+v, git says %+v", got[i], want)
				}
			}
		})
	}
}

// sameChange compares what a diff says with git's raw format. A diff abbreviates ids, leaves them out for a change of
// mode alone and for a rename without change, and there leaves out the mode too.
func sameChange(got, want Change) bool {
	bare := got.OldID == "" && got.NewID == ""
	if bare && (got.Status == Added || got.Status == Deleted) {
		return got.Path == want.Path && got.Status == want.Status
	}
	ids := strings.HasPrefix(want.OldID, got.OldID) && strings.HasPrefix(want.NewID, got.NewID) && (!bare || got.Status == ModeChanged)
	return ids && got.Path == want.Path && got.Status == want.Status && got.OldMode == want.OldMode && got.NewMode == want.NewMode
}
