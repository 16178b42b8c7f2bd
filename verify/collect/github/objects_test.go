package github

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/collect/github/fakehub"
	"github.com/closeout-gate/closeout/verify/strict"
)

func (w *world) objects() *Objects {
	w.t.Helper()
	p := w.client.Pull(context.Background(), 7)
	if p.Live == nil {
		w.t.Fatalf("no pull request: %+v", p.Unavailable)
	}
	return w.client.Objects(context.Background(), strict.DefaultLimits())
}

// gitChanges is what git finds, written as we write it.
func (r *repo) gitChanges(from, to string) []change.Change {
	fields := strings.Split(r.git("", "diff-tree", "-r", "-z", "--no-renames", "--raw", from, to), "\x00")
	var list []change.Change
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		c := change.Change{Path: fields[i+1], OldMode: change.Mode(f[0]), NewMode: change.Mode(f[1]), OldID: f[2], NewID: f[3]}
		switch {
		case f[4] == "A":
			c.Status, c.OldID = change.Added, ""
		case f[4] == "D":
			c.Status, c.NewID = change.Deleted, ""
		case f[4] == "T":
			c.Status = change.TypeChanged
		case c.OldID == c.NewID:
			c.Status = change.ModeChanged
		default:
			c.Status = change.Modified
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b change.Change) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

const gitlink = "sub:cccccccccccccccccccccccccccccccccccccccc"

func TestChanges(t *testing.T) {
	start := map[string]string{"a": "1", "d/x": "1", "d/y": "2", "d/e/z": "3", "exec": "exec:x", "link": "link:a", "sub": gitlink, "t-r": "1", "t.r": "1", "t/r": "1"}
	for _, c := range []struct {
		name string
		more []string
		want string // status and path
	}{
		{"nothing", nil, ""},
		{"one of each", []string{"a", "2", "d/x", "", "n/new", "1"}, "modified a, deleted d/x, added n/new"},
		{"a rename", []string{"d/x", "", "e/x", "1"}, "deleted d/x, added e/x"},
		{"modes", []string{"a", "exec:1", "exec", "x"}, "mode_changed a, mode_changed exec"},
		{"mode and content", []string{"a", "exec:2"}, "modified a"},
		{"file to symlink", []string{"a", "link:1"}, "type_changed a"},
		{"symlink elsewhere", []string{"link", "link:b"}, "modified link"},
		{"submodule moved", []string{"sub", "sub:dddddddddddddddddddddddddddddddddddddddd"}, "modified sub"},
		{"submodule to file", []string{"sub", "x"}, "type_changed sub"},
		{"file to directory", []string{"a", "", "a/b", "1", "a/c/d", "1"}, "deleted a, added a/b, added a/c/d"},
		{"directory to file", []string{"d/x", "", "d/y", "", "d/e/z", "", "d", "1"}, "added d, deleted d/e/z, deleted d/x, deleted d/y"},
		{"directory to symlink", []string{"d/e/z", "", "d/e", "link:x"}, "added d/e, deleted d/e/z"},
		{"names around a directory's", []string{"t-r", "2", "t.r", "2", "t/r", "2", "t", ""}, "modified t-r, modified t.r, modified t/r"},
		{"odd names", []string{"ü ö", "1", "a\nb", "1", "\"q\"", "1", "back\\slash", "1", "*", "1"}, `added "q", added *, added a` + "\n" + `b, added back\slash, added ü ö`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			from := w.repo.commit("main", "1", start)
			to := w.repo.commit("topic", "2", with(start, c.more...), from)
			got, err := w.objects().Changes(from, to)
			if err != nil {
				t.Fatal(err)
			}
			var shown []string
			for _, change := range got {
				shown = append(shown, string(change.Status)+" "+change.Path)
			}
			if strings.Join(shown, ", ") != c.want {
				t.Errorf("got %q, want %q", strings.Join(shown, ", "), c.want)
			}
			if want := w.repo.gitChanges(from, to); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// Random trees, listed whole or cut anywhere, differ where git says they do.
func TestChangesRandomly(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "a.b", "a-b", "A", "ä"}
	tree := func() map[string]string {
		files := map[string]string{}
		for range 1 + random.IntN(25) {
			path := names[random.IntN(len(names))]
			for random.IntN(3) > 0 && strings.Count(path, "/") < 4 {
				path += "/" + names[random.IntN(len(names))]
			}
			clash := slices.ContainsFunc(slices.Collect(keys(files)), func(p string) bool {
				return strings.HasPrefix(p, path+"/") || strings.HasPrefix(path, p+"/")
			})
			if !clash {
				files[path] = []string{"1", "2", "exec:1", "link:a", gitlink}[random.IntN(5)]
			}
		}
		return files
	}
	for round := range 8 {
		w := newWorld(t)
		from := w.repo.commit("main", "1", tree())
		to := w.repo.commit("topic", "2", tree(), from)
		want := w.repo.gitChanges(from, to)
		for _, w.MaxTree = range []int{0, 1, 3, 10} {
			got, err := w.objects().Changes(from, to)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("round %d, cut at %d: %v\ngot  %+v\nwant %+v", round, w.MaxTree, err, got, want)
			}
		}
	}
}

// A run compares trees within its own limits, not the default ones.
func TestChangesWithinTheLimitsOfTheRun(t *testing.T) {
	w := newWorld(t)
	head := w.repo.commit("topic", "work", with(baseFiles, "README.md", "2", "src/a.go", "2"), w.base)
	for entries, flag := range map[int64]string{1: strict.FlagTreeEntries, 100: ""} {
		limits := strict.DefaultLimits()
		limits.TreeEntries = entries
		run := &Run{Client: w.client, files: collect.Options{Root: t.TempDir(), Settings: verify.Settings{Limits: limits}}}
		_, err := run.openSource(context.Background()).api.Changes(w.base, head)
		if failed := (*failure)(nil); flag != "" && (!errors.As(err, &failed) || failed.Limit() != flag) || flag == "" && err != nil {
			t.Errorf("at most %d entries: %v", entries, err)
		}
	}
}

func keys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// A file of mode 100664 is one of 100644 for git: that alone is no change.
func TestOldModes(t *testing.T) {
	w := newWorld(t)
	make := func(mode, content string) string {
		id := w.repo.git(content, "hash-object", "-w", "--stdin")
		raw := strings.Builder{}
		fmt.Fprintf(&raw, "%s f\x00", mode)
		for i := 0; i < len(id); i += 2 {
			var b byte
			_, _ = fmt.Sscanf(id[i:i+2], "%02x", &b)
			raw.WriteByte(b)
		}
		tree := w.repo.git(raw.String(), "hash-object", "-t", "tree", "-w", "--stdin", "--literally")
		w.Fail("/git/trees/"+tree, -1, fakehub.Body(fmt.Sprintf(`{"sha":%q,"tree":[{"path":"f","mode":%q,"type":"blob","sha":%q}],"truncated":false}`, tree, mode, id)))
		return w.repo.git("", "commit-tree", "-m", mode, tree)
	}
	plain, group, exec := make("100644", "x"), make("100664", "x"), make("100775", "x")
	if got, err := w.objects().Changes(plain, group); err != nil || len(got) > 0 {
		t.Errorf("100644 to 100664: %+v, %v", got, err)
	}
	got, err := w.objects().Changes(group, exec)
	if err != nil || len(got) != 1 || got[0].Status != change.ModeChanged || got[0].OldMode != change.Regular || got[0].NewMode != change.Executable {
		t.Errorf("100664 to 100775: %+v, %v", got, err)
	}
}

// Whatever the listing contains, it must have the tree's id.
func TestListingMustFitItsID(t *testing.T) {
	for _, c := range []struct{ name, old, new, fails string }{
		{"a file hidden", `"path":"src/a.go"`, `"path":"elsewhere/a.go"`, "has another id"},
		{"a mode changed", `"mode":"100755"`, `"mode":"100644"`, "has another id"},
		{"another path", `"path":"run.sh"`, `"path":"run2.sh"`, "has another id"},
		{"a directory without content", `"path":"src/deep/b.go"`, `"path":"src/b.go"`, "has another id"},
		{"a name twice", `"path":"run.sh"`, `"path":"README.md"`, `the name "README.md" appears twice`},
		{"no name", `"path":"run.sh"`, `"path":"src/"`, "has the id"},
		{"no id", `"sha":"`, `"sha":"x`, "has the id"},
		{"a damaged name", `"path":"run.sh"`, `"path":"run\ufffd.sh"`, "check the repository out"},
		{"nothing", `"tree":[{`, `"tree":[],"x":[{`, "has another id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.Fail("/git/trees/", -1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
				whole := httptest.NewRecorder()
				answer.ServeHTTP(whole, r)
				if !strings.Contains(whole.Body.String(), c.old) {
					t.Errorf("the listing has no %s", c.old)
				}
				fmt.Fprint(rw, strings.ReplaceAll(whole.Body.String(), c.old, c.new))
			})
			got, err := w.objects().Changes(w.base, w.head)
			fix := ""
			if f, ok := err.(interface{ Fix() string }); ok {
				fix = f.Fix()
			}
			if got != nil || err == nil || !strings.Contains(err.Error()+fix, c.fails) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// A listing that is cut although it is of one directory cannot be completed.
func TestFolderListedInPart(t *testing.T) {
	w := newWorld(t)
	w.Fail("/git/trees/", -1, func(rw http.ResponseWriter, r *http.Request, answer http.Handler) {
		fmt.Fprint(rw, `{"sha":"x","tree":[],"truncated":true}`)
	})
	if got, err := w.objects().Changes(w.base, w.head); got != nil || err == nil || !strings.Contains(err.Error(), "only in part") {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTreeCallsAreBounded(t *testing.T) {
	w := newWorld(t)
	id := w.repo.git("x", "hash-object", "-w", "--stdin")
	build := func(name string) string {
		var index strings.Builder
		for i := range 200 { // directories that all differ
			fmt.Fprintf(&index, "100644 %s\td%03d/%s%03d\x00", id, i, name, i)
		}
		w.repo.git("", "read-tree", "--empty")
		w.repo.git(index.String(), "update-index", "-z", "--index-info")
		return w.repo.git("", "commit-tree", "-m", "x", w.repo.git("", "write-tree"))
	}
	from, to := build("a"), build("b")
	w.MaxTree = 1
	if _, err := w.objects().Changes(from, to); err == nil || !strings.Contains(err.Error(), "more than 300 calls") {
		t.Errorf("got %v", err)
	}
	w.MaxTree = 0
	if got, err := w.objects().Changes(from, to); err != nil || len(got) != 400 {
		t.Errorf("got %d, %v", len(got), err)
	}
}

// readFile reads a regular file as the collector does.
func readFile(o *Objects, commit, path string, limit int64) ([]byte, bool, error) {
	mode, id, found, err := o.Entry(commit, path)
	if err != nil || !found || mode != change.Regular && mode != change.Executable {
		return nil, false, err
	}
	data, err := o.Blob(id, limit)
	return data, err == nil, err
}

func TestEntryAndBlob(t *testing.T) {
	w := newWorld(t)
	id := w.repo.commit("topic", "x", with(baseFiles, "link", "link:README.md", "sub", gitlink, "src/link", "link:a.go", "src/z.go", "z", "src/B.go", "B", "empty", ""+"exec:", "bin", "\x00\xff\r\n"), w.base)
	o := w.objects()
	for _, c := range []struct {
		path, want string
		found      bool
	}{
		{"README.md", "hello\n", true}, {"src/deep/b.go", "package b\n", true}, {"run.sh", "exec:true\n"[5:], true}, {"empty", "", true}, {"bin", "\x00\xff\r\n", true},
		{"link", "", false}, {"sub", "", false}, {"src", "", false}, {"src/", "", false}, {"/README.md", "", false}, {"nothing", "", false},
		{"README.md/x", "", false}, {"link/x", "", false}, {"src/../README.md", "", false}, {"readme.md", "", false}, {"", "", false},
	} {
		got, found, err := readFile(o, id, c.path, 100)
		if err != nil || found != c.found || string(got) != c.want {
			t.Errorf("%q: got %q, %v, %v", c.path, got, found, err)
		}
	}
	for _, limit := range []int64{5, 6} {
		for name, o := range map[string]*Objects{"known": o, "unknown": w.objects()} {
			got, found, err := readFile(o, id, "README.md", limit)
			if (err == nil) != (limit == 6) || found != (limit == 6) || limit == 5 && got != nil {
				t.Errorf("limit %d of a file that is %s: %q, %v, %v", limit, name, got, found, err)
			}
		}
	}
	from := len(w.Calls())
	_, _, _ = readFile(o, id, "README.md", 100)
	if calls := called(w.Hub, from); len(calls) > 0 {
		t.Errorf("asked again: %q", calls)
	}
}

func TestBlobMustFitItsID(t *testing.T) {
	for _, c := range []struct{ body, fails string }{
		{`{"encoding":"base64","content":"aGVsbG8K"}`, ""},
		{`{"encoding":"base64","content":"aGVs\nbG8K\n"}`, ""},
		{`{"encoding":"base64","content":"aGVsbG8"}`, "illegal base64"},
		{`{"encoding":"base64","content":""}`, "another id"},
		{`{"encoding":"base64","content":"aGVsbG9v"}`, "another id"},
		{`{"encoding":"utf-8","content":"hello\n"}`, `its encoding is "utf-8"`},
		{`{}`, `its encoding is ""`},
		{`[]`, "cannot unmarshal"},
	} {
		w := newWorld(t)
		w.Fail("/git/blobs/", -1, fakehub.Body(c.body))
		got, found, err := readFile(w.objects(), w.base, "README.md", 100)
		if c.fails == "" && (err != nil || !found || string(got) != "hello\n") ||
			c.fails != "" && (err == nil || found || got != nil || !strings.Contains(err.Error(), c.fails)) {
			t.Errorf("%s: %q, %v, %v", c.body, got, found, err)
		}
	}
}

// withoutEvidence is what git makes of a commit's tree.
func (r *repo) withoutEvidence(commit, dir string) string {
	r.git("", "read-tree", commit)
	r.git("", "--work-tree=/nonexistent", "rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", ":(literal)"+dir)
	return r.git("", "write-tree", "--missing-ok")
}

func TestCodeTree(t *testing.T) {
	const dir = ".closeout/evidence"
	for name, files := range map[string]map[string]string{
		"no evidence":                 baseFiles,
		"evidence":                    with(baseFiles, dir+"/a.jsonl", "1", dir+"/deep/b", "2"),
		"only evidence there":         {"x": "1", dir + "/a": "1"},
		"only evidence":               {dir + "/a": "1"},
		"a file in its place":         with(baseFiles, dir, "x"),
		"a symlink in its place":      with(baseFiles, dir, "link:x"),
		"a file in its parent's":      {"x": "1", ".closeout": "f"},
		"names alike":                 with(baseFiles, dir+"2/a", "1", ".closeout/Evidence/a", "1", ".closeout/evidence.x", "1", dir+"/a", "1"),
		"evidence elsewhere":          with(baseFiles, "src/"+dir+"/a", "1"),
		"a submodule in its place":    with(baseFiles, dir, gitlink),
		"a submodule in its parent's": {"x": "1", ".closeout": gitlink},
	} {
		w := newWorld(t)
		id := w.repo.commit("topic", name, files, w.base)
		o := w.objects()
		from := len(w.Calls())
		got, err := o.CodeTree(id, dir)
		if want := w.repo.withoutEvidence(id, dir); err != nil || got != want {
			t.Errorf("%s: got %s, want %s, %v", name, got, want, err)
		}
		if calls := called(w.Hub, from); len(calls) > 4 {
			t.Errorf("%s: %d calls", name, len(calls))
		}
	}
}

func TestMergeBases(t *testing.T) {
	w := newWorld(t)
	other := w.repo.commit("other", "no parent", baseFiles)
	moved := w.repo.commit("main", "more", with(baseFiles, "more", "1"), w.base)
	o := w.objects()
	for _, c := range []struct {
		base, head string
		want       []string
	}{
		{w.base, w.head, []string{w.base}}, {moved, w.head, []string{w.base}}, {w.head, w.head, []string{w.head}}, {moved, other, nil},
	} {
		if got, err := o.MergeBases(c.base, c.head); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: got %q, %v", c.base, c.head, got, err)
		}
	}
	if got, err := o.MergeBases(idA, w.head); err == nil {
		t.Errorf("a commit that is not there: %q", got)
	}
	for _, body := range []string{`{}`, `{"base_commit":{"sha":"` + idA + `"},"merge_base_commit":{"sha":"` + idA + `"}}`, `{"base_commit":{"sha":"` + moved + `"},"merge_base_commit":{"sha":"main"}}`} {
		w.Fail("/compare/", 1, fakehub.Body(body))
		if got, err := o.MergeBases(moved, w.head); err == nil {
			t.Errorf("%s: %q", body, got)
		}
	}
}

func TestIsMergeOf(t *testing.T) {
	w := newWorld(t)
	moved := w.repo.commit("main", "more", with(baseFiles, "more", "1"), w.base)
	merge := w.repo.commit("", "merge", with(baseFiles, "more", "1"), moved, w.head)
	old := w.repo.commit("", "old merge", baseFiles, w.base, w.head)
	turned := w.repo.commit("", "turned", baseFiles, w.head, moved)
	octopus := w.repo.commit("", "octopus", baseFiles, moved, w.head, old)
	o := w.objects()
	for id, want := range map[string]bool{merge: true, old: false, turned: false, octopus: false, w.head: false} {
		if got, err := o.IsMergeOf(id, moved, w.head); err != nil || got != want {
			t.Errorf("%s: got %v, %v", id, got, err)
		}
	}
	for _, id := range []string{idA, "main", "", "../../users/x"} {
		if got, err := o.IsMergeOf(id, moved, w.head); err == nil || got {
			t.Errorf("%q: got %v, %v", id, got, err)
		}
	}
	w.Fail("/git/commits/", 1, fakehub.Body(`{"sha":"`+idA+`","tree":{"sha":"`+idA+`"},"parents":[{"sha":"`+moved+`"},{"sha":"`+w.head+`"}]}`))
	if got, err := o.IsMergeOf(merge, moved, w.head); err == nil || got {
		t.Errorf("another commit: got %v, %v", got, err)
	}
}

func TestNames(t *testing.T) {
	w := newWorld(t)
	id := w.repo.commit("topic", "names", with(baseFiles, ".closeout/tasks/T-1.json", "1", ".closeout/tasks/deep/T-2.json", "2"), w.base)
	o := w.objects()
	for folder, want := range map[string][]string{
		".closeout/tasks": {"T-1.json", "deep"}, ".closeout/none": nil, ".closeout/tasks/T-1.json": nil,
	} {
		if got, err := o.Names(id, folder); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v", folder, got, err)
		}
	}
}

// Errors of Objects say which permission is missing.
func TestObjectsWithoutPermission(t *testing.T) {
	w := newWorld(t)
	o := w.objects()
	w.Lacks = []string{"contents: read"}
	for name, ask := range map[string]func() error{
		"MergeBases": func() error { _, err := o.MergeBases(w.base, w.head); return err },
		"Changes":    func() error { _, err := o.Changes(w.base, w.head); return err },
		"Entry":      func() error { _, _, _, err := o.Entry(w.base, "README.md"); return err },
		"Names":      func() error { _, err := o.Names(w.base, "src"); return err },
		"CodeTree":   func() error { _, err := o.CodeTree(w.base, "e"); return err },
		"IsMergeOf":  func() error { _, err := o.IsMergeOf(w.base); return err },
	} {
		err := ask()
		f, ok := err.(interface{ Fix() string })
		if !ok || f.Fix() != "give the job the permission contents: read" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A normal pull request without a checkout: everything that a verdict needs, in how many calls.
func TestCallsOfANormalPull(t *testing.T) {
	w := newWorld(t)
	files := with(baseFiles, ".closeout/tasks/T-1.json", `{"task_id":"T-1"}`)
	fork := w.repo.commit("", "start", files, w.base)
	moved := w.repo.commit("main", "more", with(files, "more", "1"), fork)
	head := w.repo.commit("topic", "work", with(files, "src/a.go", "package a // 2\n", ".closeout/evidence/log.jsonl", "{}\n"), fork)
	w.repo.commit("test-merge", "merge", with(files, "more", "1", "src/a.go", "package a // 2\n", ".closeout/evidence/log.jsonl", "{}\n"), moved, head)
	w.pull.TestMerge = "test-merge"
	p := w.client.Pull(context.Background(), 7)
	w.client.Details(context.Background(), p, labels)
	o := w.client.Objects(context.Background(), strict.DefaultLimits())
	bases, err := o.MergeBases(p.Subject.BaseSHA, p.Subject.HeadSHA)
	if err != nil || !slices.Equal(bases, []string{fork}) {
		t.Fatal(bases, err)
	}
	changes, err := o.Changes(bases[0], head)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".closeout/scope_contract.json", ".closeout/tasks/T-1.json"} {
		if _, found, err := readFile(o, moved, path, 1000); !found || err != nil {
			t.Fatal(path, found, err)
		}
	}
	if isMerge, err := o.IsMergeOf(p.TestMerge, moved, head); !isMerge || err != nil {
		t.Fatal(isMerge, err)
	}
	for _, commit := range []string{head, p.TestMerge} {
		got, err := o.CodeTree(commit, ".closeout/evidence")
		if want := w.repo.withoutEvidence(commit, ".closeout/evidence"); err != nil || got != want {
			t.Fatal(got, want, err)
		}
	}
	w.client.CrossCheck(context.Background(), p, changes)
	w.client.ReadHeadAgain(context.Background(), p)
	if len(p.Unavailable) > 0 {
		t.Fatal(p.Unavailable)
	}
	compareGolden(t, "calls", called(w.Hub, 0))
	if n := len(w.Calls()); n > 15 {
		t.Errorf("%d calls", n)
	}
}

// Whatever a listing contains, each tree that is remembered has the content of its id.
func FuzzListing(f *testing.F) {
	f.Add([]byte(`{"tree":[{"path":"a","mode":"100644","sha":"`+idA+`"},{"path":"d","mode":"040000","sha":"4b825dc642cb6eb9a060e54bf8d69288fbee4904"}],"truncated":true}`), true)
	f.Add([]byte(`{"tree":[{"path":"d/a","mode":"100644","sha":"`+idA+`"}]}`), false)
	f.Add([]byte(`{}`), true)
	f.Fuzz(func(t *testing.T, data []byte, recursive bool) {
		var listing github.Tree
		if json.Unmarshal(data, &listing) != nil {
			return
		}
		trees := &trees{known: map[string][]entry{}}
		err := trees.keep("4b825dc642cb6eb9a060e54bf8d69288fbee4904", &listing, recursive)
		for id, entries := range trees.known {
			content, bad := write(entries)
			if bad != nil || hashOf(id, "tree", content) != id {
				t.Errorf("%s: remembers %+v", id, entries)
			}
		}
		if _, known := trees.known["4b825dc642cb6eb9a060e54bf8d69288fbee4904"]; !known && err == nil && !listing.GetTruncated() {
			t.Errorf("the root is missing without an error: %s", data)
		}
	})
}
