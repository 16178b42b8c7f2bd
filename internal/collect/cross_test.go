package collect

import (
	"bytes"
	"fmt"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

const crossContract = `{"allowed_files": ["**"], "forbidden_files": ["x"], "rollback_plan": "revert",
  "acceptance_criteria": [{"id": "unit", "run": ["make", "test"], "test_report": ".closeout/evidence/unit.xml"}]%s}`

// crossRepo has a base whose tip changed a test, a head that changed another file too, their merge, and a criss-cross of both:
// each commit has the contents of c, tests/a and tests/b, where 0 is none.
func crossRepo(t *testing.T, more string) (objects *Git, commits func(name string) string) {
	t.Helper()
	var h bytes.Buffer
	text := fmt.Sprintf(crossContract, more)
	for mark, c := range []struct{ name, from, files string }{
		{"start", "", "110"}, {"base", "start", "130"}, {"head", "start", "221"}, {"merge", "base head", "221"},
		{"criss", "head base", "221"}, {"cross", "base head", "231"}, {"code", "start", "210"}, {"codeOfTip", "start", "230"}, {"unrelated", "", "110"},
	} {
		fmt.Fprintf(&h, "commit refs/heads/%s\ncommitter c <c@example.org> %d +0000\ndata 1\nm\n", c.name, mark)
		for i, parent := range strings.Fields(c.from) {
			fmt.Fprintf(&h, "%s refs/heads/%s\n", []string{"from", "merge"}[i], parent)
		}
		fmt.Fprintf(&h, "deleteall\nM 100644 inline .closeout/scope_contract.json\ndata %d\n%s\n", len(text), text)
		fmt.Fprintf(&h, "M 100644 inline .closeout/evidence/log\ndata 1\n%d\n", mark)
		for i, path := range []string{"c", "tests/a", "tests/b"} {
			if c.files[i] != '0' {
				fmt.Fprintf(&h, "M 100644 inline %s\ndata 1\n%c\n", path, c.files[i])
			}
		}
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		if cmd.Dir = dir; args[0] == "fast-import" {
			cmd.Stdin = &h
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("fast-import", "--quiet")
	return openTest(t, dir), func(name string) string { return git("rev-parse", name) }
}

const crossTests = `, "tests": [{"files": ["tests/**"], "criteria": ["unit"]}]`

// TestCross composes each accepted tree with its base.
func TestCross(t *testing.T) {
	g, commit := crossRepo(t, crossTests)
	code := func(name string) string {
		tree, err := g.CodeTree(commit(name), ".closeout/evidence")
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	known := func(objects Objects, base, head string, o Options, others ...Place) *facts.Facts {
		o.Settings = verify.Settings{Limits: input.DefaultLimits()}
		compared := Compare(objects, base, head)
		contracts, err := ReadContracts(&Comparison{Objects: g, Base: commit("start"), Head: commit("start")}, o)
		if err != nil || contracts.Policy == nil {
			t.Fatal(err, contracts.Problems)
		}
		return Facts(facts.Subject{}, compared, contracts, o, others...)
	}
	trees := func(head, base, oldTests string, paths int64) facts.CrossTrees {
		return facts.CrossTrees{Head: code(head), Base: code(base), OldTests: code(oldTests), TestPaths: paths}
	}
	several := facts.CrossTrees{Head: code("cross"), Incomparable: "base and head have 2 merge bases, whose tests may differ"}
	since := Options{ContractsAt: commit("base")}
	for name, c := range map[string]struct {
		got  *facts.Facts
		want []facts.CrossTrees
		lack string
	}{
		"head and merge": {
			got:  known(g, commit("base"), commit("head"), Options{}, Place{g, commit("merge")}),
			want: []facts.CrossTrees{trees("head", "start", "code", 2), trees("merge", "base", "codeOfTip", 2)},
		},
		"the merge is the head": {
			got:  known(g, commit("start"), commit("head"), Options{}, Place{g, commit("head")}),
			want: []facts.CrossTrees{trees("head", "start", "code", 2)},
		},
		"no test": {
			got:  known(g, commit("start"), commit("code"), Options{}),
			want: []facts.CrossTrees{trees("code", "start", "code", 0)},
		},
		"nothing but tests": {
			got:  known(g, commit("start"), commit("base"), Options{}),
			want: []facts.CrossTrees{trees("base", "start", "start", 1)},
		},
		"several merge bases": {got: known(g, commit("criss"), commit("cross"), Options{}), want: []facts.CrossTrees{several}},
		"work since a commit": {
			got:  known(g, commit("base"), commit("head"), since),
			want: []facts.CrossTrees{trees("head", "base", "codeOfTip", 2)},
		},
		"a work tree":            {got: known(g, commit("base"), commit("head"), Options{WorkTree: code("code")}), lack: "only commits"},
		"no common history":      {got: known(g, commit("unrelated"), commit("head"), Options{}), lack: "merge base"},
		"a head that is missing": {got: known(Lost{errUnrelated}, commit("base"), commit("head"), since), lack: "no common ancestor"},
	} {
		lack := ""
		for _, u := range c.got.Unavailable {
			if u.What == facts.WantedCross {
				lack += u.Error
			}
		}
		if !reflect.DeepEqual(c.got.Cross, c.want) || !strings.Contains(lack, c.lack) || (lack == "") != (c.lack == "") {
			t.Errorf("%s: got %+v, %q, want %+v, %q", name, c.got.Cross, lack, c.want, c.lack)
		}
		data, err := c.got.Marshal()
		if _, errs := facts.Parse(data, input.DefaultLimits()); err != nil || errs.Any() {
			t.Errorf("%s: %v, %v", name, err, errs.All())
		}
	}
}

// TestNoCross: a contract that names no tests asks for nothing.
func TestNoCross(t *testing.T) {
	g, commit := crossRepo(t, "")
	o := Options{Settings: verify.Settings{Limits: input.DefaultLimits()}}
	found, err := Trees(g, commit("base"), commit("head"), o)
	if err != nil || len(found.facts.Cross)+len(found.facts.Unavailable) > 0 {
		t.Errorf("got %v, %v, %v", found.facts.Cross, found.facts.Unavailable, err)
	}
}
