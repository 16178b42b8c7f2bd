//go:build unix

package git_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/internal/record"
)

const evidence = "a/evidence"

// testPaths says of each path whether it is a test: by its own name, or by that of a directory in which it is.
func testPaths(seed int) func(path string) bool {
	isTest := func(text string, one uint32) bool {
		h := fnv.New32a()
		fmt.Fprintf(h, "%d %s", seed, text)
		return h.Sum32()>>7%one == 0
	}
	return func(path string) bool {
		names := strings.Split(path, "/")
		last := names[len(names)-1]
		return isTest(last, 4) || slices.ContainsFunc(names[:len(names)-1], func(name string) bool { return isTest(name+"/", 3) })
	}
}

// plainly composes two commits by git's index, from all files of both: the code tree of the result, or "" where a file or a
// submodule is in the way.
func plainly(t *testing.T, dir, head, base string, isTest func(path string) bool) (tree string, tests int) {
	t.Helper()
	type files map[string]string // what update-index takes, by path
	list := func(commit string) files {
		all := files{}
		for row := range strings.SplitSeq(strings.TrimSuffix(runGit(t, dir, "ls-tree", "-r", "-z", commit), "\x00"), "\x00") {
			about, path, found := strings.Cut(row, "\t")
			if found && path != evidence && !strings.HasPrefix(path, evidence+"/") {
				all[path] = strings.Replace(strings.Replace(about, " blob ", " ", 1), " commit ", " ", 1)
			}
		}
		return all
	}
	old, now, mixed := list(base), list(head), files{}
	comparable := true
	for side, all := range []files{old, now} {
		for path, is := range all {
			if isTest(path) == (side == 0) {
				mixed[path] = is
			}
			if old[path] == now[path] {
				continue
			}
			if isTest(path) && (side == 0 || old[path] == "") {
				tests++
			}
			if strings.HasPrefix(is, "160000") && (isTest(path) || isTest(path+"/x")) {
				comparable = false
			}
		}
	}
	var rows strings.Builder
	for path, is := range mixed {
		for above := pathpkg.Dir(path); above != "."; above = pathpkg.Dir(above) {
			comparable = comparable && mixed[above] == ""
		}
		fmt.Fprintf(&rows, "%s\t%s\x00", is, path)
	}
	if !comparable {
		return "", tests
	}
	runGit(t, dir, "read-tree", "--empty")
	gitInput(t, dir, []byte(rows.String()), "update-index", "-z", "--index-info")
	return line(t, dir, "write-tree", "--missing-ok"), tests
}

// composeAll composes random pairs of commits: as the gate does, as the recorder does and by git.
func composeAll(t *testing.T, pairs int) {
	composed, apart := 0, 0
	for n := range pairs {
		hash := []string{"sha1", "sha256"}[n/10%2]
		dir, err := filepath.EvalSymlinks(initRepo(t, "--object-format="+hash))
		if err != nil {
			t.Fatal(err)
		}
		h := newHistory(uint64(n), digits(hash))
		h.mutate(30)
		h.put("a/evidence/log", "100644 1")
		first := h.commit("base", 1_700_000_000)
		h.mutate(1 + n%12)
		// The evidence is a directory, a link, or not there, and what it is in may be a file.
		h.put([]string{"a/evidence/log", "a/evidence", "a"}[n%3], []string{"100644 2", "120000 x"}[n%2])
		h.commit("head", 1_700_000_001, first)
		h.load(t, dir)
		isTest := testPaths(n)
		r := open(t, dir)
		head, base := resolve(t, r, "head"), resolve(t, r, "base")
		got, err := r.Compose(head, base, evidence, isTest, nil)
		if err == nil && got.Why == "" && n%4 == 0 { // first, because git writes its trees to the repository
			checkOut(t, dir, head, base, got.Tree.String(), isTest)
		}
		want, tests := plainly(t, dir, "head", "base", isTest)
		if err != nil || got.Tree.String() != want || got.Tests != tests || (got.Why == "") != (want != "") {
			t.Fatalf("pair %d: got %s, %d test paths, %q, %v; git makes %s of %d", n, got.Tree, got.Tests, got.Why, err, want, tests)
		}
		if want == "" {
			apart++
			continue
		}
		composed++
	}
	if t.Logf("%d composed, %d incomparable", composed, apart); composed < pairs/3 || apart < pairs/20 {
		t.Errorf("%d pairs of %d are composed, and %d incomparable: too few say something", composed, pairs, apart)
	}
}

// checkOut wants the recorder's work tree to be clean, and of a child of the head with a code tree.
func checkOut(t *testing.T, dir string, head, base git.ID, want string, isTest func(path string) bool) {
	t.Helper()
	global := filepath.Join(t.TempDir(), "config") // names that only Windows does not take
	if err := os.WriteFile(global, []byte("[core]\nprotectNTFS = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	recorder, err := record.OpenGit(dir, append(cleanEnv(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+global))
	if err != nil {
		t.Fatal(err)
	}
	c, err := recorder.Compose(head.String(), base.String(), evidence, isTest)
	if err != nil {
		t.Fatal(err)
	}
	if at := line(t, c.Dir, "rev-parse", "HEAD^{tree}", "HEAD"); c.Tree != want || at != want+"\n"+c.Commit {
		t.Errorf("the recorder composes %s in %s, and checked out is %s: want %s", c.Tree, c.Commit, at, want)
	}
	if c.Commit != head.String() {
		if parent := line(t, c.Dir, "rev-parse", "HEAD~"); parent != head.String() {
			t.Errorf("the parent is %s, want %s", parent, head)
		}
	}
	if status := runGit(t, c.Dir, "-c", "core.protectNTFS=false", "status", "--porcelain"); status != "" {
		t.Errorf("the work tree is not clean: %s", status)
	}
	runGit(t, c.Dir, "fsck", "--strict", "--connectivity-only", c.Commit)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestCompose(t *testing.T) { composeAll(t, 40) }

// TestComposeEdges are the cases of which random commits have few. Tests are below tests, and what ends with _t.
func TestComposeEdges(t *testing.T) {
	for name, c := range map[string]struct {
		base, head, want string // path=content, or path=mode:content
		lost             string // why the two are incomparable
		evidence         string // where it is; "" is e_t/tests/ev
	}{
		"no test":                  {base: "c=1 tests/a=1", head: "c=2 tests/a=1", want: "c=2 tests/a=1"},
		"nothing but tests":        {base: "c=1 tests/a=1", head: "c=1 tests/b=1", want: "c=1 tests/a=1"},
		"a mode":                   {base: "c=1 tests/a=1", head: "c=100755:1 tests/a=100755:1", want: "c=100755:1 tests/a=1"},
		"a link":                   {base: "c=1 tests/a=120000:b", head: "c=2 tests/a=b", want: "c=2 tests/a=120000:b"},
		"emptied":                  {base: "c=1", head: "c=2 x/tests/a=1 x/y/tests/a=1", want: "c=2"},
		"empty":                    {base: "c=1", head: "tests/a=1", want: ""},
		"order":                    {base: "a/tests/x=1 b=1", head: "a.b=1 a0=1 b=2", want: "a.b=1 a/tests/x=1 a0=1 b=2"},
		"no UTF-8":                 {base: "tests/\xff=1", head: "tests/\xfe=2 \xff=1", want: "tests/\xff=1 \xff=1"},
		"case":                     {base: "tests/a=1 c=1", head: "tests/A=2 Tests/a=2 c=2", want: "tests/a=1 Tests/a=2 c=2"},
		"attributes":               {base: "tests/.gitattributes=1 c=1", head: "tests/.gitattributes=2 c=2", want: "tests/.gitattributes=1 c=2"},
		"evidence":                 {base: "c=1 e_t/tests/ev/log=1 e_t/tests/a=1", head: "c=2 e_t/tests/ev/log=2", want: "c=2 e_t/tests/a=1"},
		"evidence beside code":     {base: "d/ev=1 d/c=1 d/a_t=1", head: "d/ev=2 d/c=2", want: "d/c=2 d/a_t=1", evidence: "d/ev"},
		"a file above evidence":    {base: "c=1 e_t=1", head: "c=2 e_t/tests/ev/log=2", want: "c=2 e_t=1"},
		"a file and tests":         {base: "c=1 a_t=1", head: "c=2 a_t/tests/a=2", want: "c=2 a_t=1"},
		"tests and a file":         {base: "c=1 a_t/tests/a=1", head: "c=2 a_t=2", want: "c=2 a_t/tests/a=1"},
		"a file and code":          {base: "x/a_t=1", head: "x/a_t.b=1 x/a_t/code=2", lost: `has no place beside "x/a_t/code"`},
		"tests and code":           {base: "x/y/tests/a=1", head: "x=2", lost: `"x/y/tests/a" of the base has no place beside "x"`},
		"tests and a link":         {base: "x/y/tests/a=1", head: "x/y=120000:z x/y.z=2", lost: `has no place beside "x/y"`},
		"submodule elsewhere":      {base: "m=160000:2 tests/a=1", head: "m=160000:1", want: "m=160000:1 tests/a=1"},
		"submodule that stays":     {base: "tests/m=160000:1 c=1", head: "tests/m=160000:1 c=2 tests/a=2", want: "tests/m=160000:1 c=2"},
		"submodule that changes":   {base: "tests/m=160000:1", head: "tests/m=160000:2", lost: `the submodule "tests/m"`},
		"submodule that was tests": {base: "x/tests=160000:1", head: "x/tests/a=1", lost: `the submodule "x/tests"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir, h := initRepo(t), newHistory(1, 40)
			for i, branch := range []string{"base", "head", "want"} {
				h.files = map[string]string{}
				for file := range strings.FieldsSeq([]string{c.base, c.head, c.want}[i]) {
					path, is, _ := strings.Cut(file, "=")
					mode, content, found := strings.Cut(is, ":")
					if !found {
						mode, content = "100644", is
					}
					if mode == "160000" {
						content = strings.Repeat(content, 40)
					}
					h.put(path, mode+" "+content)
				}
				h.commit(branch, 1)
			}
			h.load(t, dir)
			r := open(t, dir)
			isTest := func(path string) bool { return strings.Contains("/"+path, "/tests/") || strings.HasSuffix(path, "_t") }
			got, err := r.Compose(resolve(t, r, "head"), resolve(t, r, "base"), cmp.Or(c.evidence, "e_t/tests/ev"), isTest, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.lost != "" {
				if !got.Tree.IsZero() || !strings.Contains(got.Why, c.lost) {
					t.Errorf("got %s, %q, want none: %s", got.Tree, got.Why, c.lost)
				}
				return
			}
			if want := line(t, dir, "rev-parse", "want^{tree}"); got.Tree.String() != want || got.Why != "" {
				t.Errorf("got %s, %q, want %s", got.Tree, got.Why, want)
			}
		})
	}
}

// TestComposeOldModes: old histories have modes that git no longer writes. A change of tests alone is still its base.
func TestComposeOldModes(t *testing.T) {
	dir := initRepo(t)
	h := newHistory(1, 40)
	h.put("c", "100644 1")
	h.commit("main", 1)
	h.load(t, dir)
	r := open(t, dir)
	other := strings.TrimSpace(gitInput(t, dir, []byte("2"), "hash-object", "-w", "--stdin"))
	blobs := map[byte]string{'1': line(t, dir, "rev-parse", "main:c"), '2': other}
	commit := func(modes, contents string) (id git.ID) {
		var rows strings.Builder
		for i, path := range []string{"a_t", "b_t", "c"} {
			fmt.Fprintf(&rows, "1006%s4 blob %s\t%s\n", modes[i:i+1], blobs[contents[i]], path)
		}
		tree := strings.TrimSpace(gitInput(t, dir, []byte(rows.String()), "mktree"))
		return resolve(t, r, line(t, dir, "-c", "user.name=c", "-c", "user.email=c", "commit-tree", "-m", "m", tree))
	}
	isTest := func(path string) bool { return path != "c" }
	base := commit("664", "111")
	for _, c := range []struct {
		head, want git.ID
	}{
		{commit("444", "211"), base},
		{commit("446", "111"), commit("446", "111")}, // as git sees it, nothing changed
		{commit("446", "112"), commit("446", "112")},
		{commit("446", "212"), commit("646", "112")},
	} {
		got, err := r.Compose(c.head, base, evidence, isTest, nil)
		want, wrong := r.CodeTree(c.want, evidence)
		if err != nil || wrong != nil || got.Tree != want {
			t.Errorf("%s: got %s, %v, want %s, %v", c.head, got.Tree, err, want, wrong)
		}
		checkOut(t, dir, c.head, base, want.String(), isTest)
	}
}
