package collect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// testFiles is a repository of which only the tests can be read.
type testFiles struct {
	Lost
	text map[string]string
	err  error
}

func (f testFiles) Tracked(string) ([]change.Change, error) {
	var list []change.Change
	for name := range f.text {
		list = append(list, change.Change{Path: name, NewMode: change.Regular, NewID: name})
	}
	input.SortStable(list, func(a, b change.Change) int { return strings.Compare(a.Path, b.Path) })
	return list, f.err
}

func (f testFiles) Blob(id string, _ int64) ([]byte, error) { return []byte(f.text[id]), nil }

const placedContract = `{"goal": "g", "rollback_plan": "r", "allowed_files": ["src/**"], "forbidden_files": ["x"],
 "acceptance_criteria": [{"id": "unit", "run": ["pytest"], "test_report": "junit.xml"}], "tests": [{"files": ["tests/**"], "criteria": ["unit"]}]}`

// crossWorkspace is what the options find in a work tree with three runs of the tests.
func crossWorkspace(t *testing.T, base, old, head string) (*Found, *Contracts) {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"cross/base/junit.xml": base, "cross/old_tests/junit.xml": old, "../../junit.xml": head} {
		file := filepath.Join(root, ".closeout/evidence", name)
		if text == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("<testsuite>"+text+"</testsuite>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := Files(Options{Root: root, Settings: verify.Settings{Limits: input.DefaultLimits()}})
	if err != nil {
		t.Fatal(err)
	}
	parsed, errs := contract.Parse("c.json", []byte(placedContract), input.DefaultLimits())
	if errs.Any() {
		t.Fatal(errs.All())
	}
	joined, problems := policy.Join([]policy.Source{{Contract: parsed, Trust: facts.TrustBase}}, "T-1")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	found.testReports = []string{"junit.xml"}
	return found, &Contracts{Policy: joined}
}

// A case that fails at the head is found there, so that a person sees the test and not the log.
func TestTestPlaces(t *testing.T) {
	const red = `<testcase classname="tests.test_sum" name="test_a"><failure/></testcase><testcase classname="x" name="test_gone"><failure/></testcase>`
	files := testFiles{text: map[string]string{"tests/test_sum.py": "\ndef test_a():\n    assert 1\n", "src/test_sum.py": "def test_gone(): pass\n"}}
	for _, c := range []struct {
		head string
		lost error
		want []facts.CrossPlace
	}{
		{head: red, want: []facts.CrossPlace{{Suite: "tests.test_sum", Name: "test_a", File: "tests/test_sum.py", Line: 2}}},
		{head: `<testcase classname="tests.test_sum" name="test_a"/>`},
		{head: red, lost: errors.New("lost")},
	} {
		found, contracts := crossWorkspace(t, "", "", c.head)
		known := &facts.Facts{}
		files.err = c.lost
		found.addPlaces(&Comparison{Objects: files}, contracts, known)
		if !slices.Equal(known.TestPlaces, c.want) {
			t.Errorf("%s: %+v", c.head, known.TestPlaces)
		}
	}
}

func TestAddPlaces(t *testing.T) {
	const a, b, c = `<testcase classname="tests.test_sum" name="test_a"/>`, `<testcase classname="tests.test_sum" name="test_b[1-2]"/>`, `<testcase classname="tests.test_sum" name="test_c"/>`
	const red = `<testcase classname="tests.test_sum" name="test_a"><failure/></testcase>`
	var many strings.Builder
	for i := range maxPlaces + 1 {
		fmt.Fprintf(&many, `<testcase classname="tests.test_sum" name="test_%da"/>`, i)
	}
	files := map[string]string{
		"tests/test_sum.py": "def test_a():\n    assert 1\n\ndef test_b():\n    assert 1\n", "src/test_c.py": "def test_c():\n    assert 1\n",
	}
	atA, atB := facts.CrossPlace{Suite: "tests.test_sum", Name: "test_a", File: "tests/test_sum.py", Line: 1}, facts.CrossPlace{Suite: "tests.test_sum", Name: "test_b[1-2]", File: "tests/test_sum.py", Line: 4}
	for _, c := range []struct {
		name, base, old, head string
		bases                 []string
		lost                  error
		want                  []facts.CrossPlace
	}{
		{name: "all pass", base: a + b + c, old: a + b + c, head: a + b + c},
		{name: "one fails", base: a + b, old: red + b, head: a + b, want: []facts.CrossPlace{atA}},
		{name: "one is gone at the head", base: a + b, old: a + b, head: a, want: []facts.CrossPlace{atB}},
		{name: "one did not pass on the base", base: red + b, old: red + b, head: b},
		{name: "only tests were edited, and recorded under the other name", old: a + b, head: b, want: []facts.CrossPlace{atA}},
		{name: "the head stands for the tests of the base", base: a + b, head: b, want: []facts.CrossPlace{atA}},
		{name: "one in no test path", base: a + c, old: a, head: a + c, want: []facts.CrossPlace{}},
		{name: "too many are gone at the head", base: many.String() + a, old: many.String(), head: a, want: []facts.CrossPlace{atA}},
		{name: "too many did not run", base: many.String() + a, old: b, head: a},
		{name: "no report of the head", base: a, old: red},
		{name: "several merge bases", base: a, old: red, head: a, bases: []string{"1", "2"}},
		{name: "the files cannot be listed", base: a, old: red, head: a, lost: errors.New("gone")},
	} {
		found, contracts := crossWorkspace(t, c.base, c.old, c.head)
		if c.bases == nil {
			c.bases = []string{"1"}
		}
		known := &facts.Facts{Cross: []facts.CrossTrees{{Head: "h"}, {Head: "m"}}}
		found.addPlaces(&Comparison{Objects: testFiles{text: files, err: c.lost}, MergeBases: c.bases}, contracts, known)
		for _, e := range known.Cross {
			if !slices.Equal(e.Places, c.want) || (e.Places == nil) != (c.want == nil) {
				t.Errorf("%s: got %+v, want %+v", c.name, e.Places, c.want)
			}
		}
	}
}

// TestCrossReportsInBundle wants the reports of composed trees in a bundle under names that are listed.
func TestCrossReportsInBundle(t *testing.T) {
	found, _ := crossWorkspace(t, `<testcase name="base"/>`, `<testcase name="old"/>`, `<testcase name="head"/>`)
	found.facts = &facts.Facts{Schema: facts.Schema}
	written, err := WriteBundle(filepath.Join(t.TempDir(), "bundle"), found)
	if err != nil {
		t.Fatal(err)
	}
	for tree, want := range map[string]string{"base": "base", "old_tests": "old"} {
		names := readNames(written.CrossReport(tree, "junit.xml"))
		if names == nil || names.Names[0].Name != want {
			t.Errorf("%s: %+v", tree, names)
		}
	}
	var listed []string
	for _, in := range written.Inputs {
		data, err := in.Read(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		read, errs := facts.Parse(data, input.DefaultLimits())
		if errs.Any() {
			t.Fatal(errs.All())
		}
		for _, f := range read.Files {
			listed = append(listed, f.File+" "+f.Path)
		}
	}
	want := []string{
		"tests/junit.xml junit.xml", "cross/base/tests/junit.xml .closeout/evidence/cross/base/junit.xml",
		"cross/old_tests/tests/junit.xml .closeout/evidence/cross/old_tests/junit.xml",
	}
	if !slices.Equal(listed, want) {
		t.Errorf("got %q", listed)
	}
	if r := verify.Judge(written.Bundle); slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Code == "facts.malformed" }) {
		t.Errorf("a listed report is not found: %+v", r.Findings)
	}
}

// Of two functions that a case may be, its place is that of the one that no task is to change.
func TestPlaceThatMayNotChange(t *testing.T) {
	const task = `{"task_id": "T-2", "goal": "g", "rollback_plan": "r", "allowed_files": ["src/**"], "forbidden_files": ["x"],
 "acceptance_criteria": [{"id": "unit", "run": ["pytest"], "test_report": "junit.xml"}], "may_change": ["tests/a/**", "tests/c/**"]}`
	const passed, red = `<testcase classname="test_sum" name="test_a"/>`, `<testcase classname="test_sum" name="test_a"><failure/></testcase>`
	for _, c := range []struct{ other, want string }{
		{"tests/b/test_sum.py", "tests/b/test_sum.py"},
		{"tests/c/test_sum.py", "tests/a/test_sum.py"},
	} {
		found, contracts := crossWorkspace(t, passed, red, passed)
		var sources []policy.Source
		for _, text := range []string{placedContract, task} {
			parsed, errs := contract.Parse("c.json", []byte(text), input.DefaultLimits())
			if errs.Any() {
				t.Fatal(errs.All())
			}
			sources = append(sources, policy.Source{Contract: parsed, Trust: facts.TrustBase})
		}
		sources[1].Kind = "task_contract"
		joined, problems := policy.Join(sources, "T-1")
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		contracts.Policy = joined
		files := testFiles{text: map[string]string{"tests/a/test_sum.py": "def test_a():\n    assert 1\n", c.other: "def test_a():\n    assert 1\n"}}
		known := &facts.Facts{Cross: []facts.CrossTrees{{}}}
		found.addPlaces(&Comparison{Objects: files, MergeBases: []string{"b"}}, contracts, known)
		want := []facts.CrossPlace{{Suite: "test_sum", Name: "test_a", File: c.want, Line: 1}}
		if got := known.Cross[0].Places; !slices.Equal(got, want) {
			t.Errorf("beside %s: %+v", c.other, got)
		}
	}
}
