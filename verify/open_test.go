package verify_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/closeout-gate/closeout/verify"
)

// TestOpen finds each kind of input by its name, and nothing by another.
func TestOpen(t *testing.T) {
	at := fstest.MapFS{}
	for _, name := range []string{
		"scope_contract.json", "facts.json", "diff_rules.json", "feedback/b/2.jsonl", "feedback/1.jsonl", "rules/x.sarif", "contracts/T-1.yaml",
		"tests/out/junit.xml", "cross/old_tests/tests/junit.xml", "pulls/7/facts.json", "pulls/7/contracts/T-7.json", "pulls/12/changes.json",
		"other.json", "feedback/x.json", "contracts.json", "rules.json", "pulls/007/facts.json", "pulls/x/facts.json", "pulls/7/pr.diff", "pulls/7/rules/x.json",
	} {
		at[name] = &fstest.MapFile{Data: []byte("x")}
	}
	b, err := verify.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, in := range b.Inputs {
		found = append(found, fmt.Sprint(in.Kind, " ", in.Name))
	}
	for _, p := range b.Parts {
		for _, in := range p.Inputs {
			found = append(found, fmt.Sprint(p.PullRequest, " ", in.Kind, " ", in.Name))
		}
	}
	want := []string{
		"contract scope_contract.json", "diff_rules diff_rules.json", "facts facts.json", "task_contract contracts/T-1.yaml",
		"feedback feedback/1.jsonl", "feedback feedback/b/2.jsonl", "rules rules/x.sarif",
		"12 changes changes.json", "7 facts facts.json", "7 task_contract contracts/T-7.json",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found\n%s\nexpected\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
	for open, there := range map[string]bool{"out/junit.xml": true, "junit.xml": false} {
		if got := b.TestReport(open) != nil; got != there {
			t.Errorf("the test report %s is there: %v", open, got)
		}
	}
	if b.CrossReport("old_tests", "junit.xml") == nil || b.CrossReport("base", "junit.xml") != nil {
		t.Error("the reports of composed trees are mistaken")
	}
	for name := range at {
		first, _, _ := strings.Cut(name, "/")
		if known := slices.Contains(verify.BundleNames(), first); known != (first != "other.json" && first != "contracts.json" && first != "rules.json") {
			t.Errorf("%s is a name of a bundle: %v", first, known)
		}
	}
}

// locked is a file system of which one directory cannot be listed.
type locked struct {
	fstest.MapFS
	dir string
}

func (l locked) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == l.dir {
		return nil, fs.ErrPermission
	}
	return l.MapFS.ReadDir(name)
}

// TestOpenNeedsItsDirectories: a directory that cannot be listed might contain an input that blocks.
func TestOpenNeedsItsDirectories(t *testing.T) {
	at := fstest.MapFS{"rules/x.json": {}, "pulls/7/facts.json": {}, "pulls/7/contracts/a.json": {}}
	for _, dir := range []string{"rules", "pulls", "pulls/7/contracts"} {
		if _, err := verify.Open(locked{at, dir}); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), fmt.Sprintf("%q", dir)) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
