package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git"
)

// storages are the ways in which a repository can store objects. Each changes a repository with one pack and gives the
// directory to open.
var storages = []struct {
	name   string
	change func(t *testing.T, dir string) string
}{
	{"as imported", func(_ *testing.T, dir string) string { return dir }},
	{"loose", func(t *testing.T, dir string) string { return loosen(t, dir) }},
	{"deep deltas", func(t *testing.T, dir string) string {
		runGit(t, dir, "repack", "-adfq", "--depth=50", "--window=250")
		return dir
	}},
	{"deltas by id", func(t *testing.T, dir string) string {
		runGit(t, dir, "-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=50")
		return dir
	}},
	{"index version 1", func(t *testing.T, dir string) string {
		runGit(t, dir, "-c", "pack.indexVersion=1", "repack", "-adfq")
		return dir
	}},
	{"loose and packed", func(t *testing.T, dir string) string {
		packObjects(t, loosen(t, dir), "main~7")
		runGit(t, dir, "prune-packed")
		return dir
	}},
	{"many packs", func(t *testing.T, dir string) string { return manyPacks(t, dir) }},
	{"multi-pack-index beside indexes", func(t *testing.T, dir string) string {
		runGit(t, manyPacks(t, dir), "multi-pack-index", "write")
		return dir
	}},
	{"multi-pack-index without indexes", func(t *testing.T, dir string) string {
		runGit(t, manyPacks(t, dir), "multi-pack-index", "write")
		removeAll(t, dir, ".git/objects/pack/*.idx")
		return dir
	}},
	{"multi-pack-index, one index missing, deltas by id", func(t *testing.T, dir string) string {
		runGit(t, dir, "config", "repack.useDeltaBaseOffset", "false")
		runGit(t, manyPacks(t, dir), "multi-pack-index", "write")
		indexes, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.idx"))
		remove(t, indexes[0])
		return dir
	}},
	{"absolute alternate", func(t *testing.T, dir string) string {
		clone := filepath.Join(t.TempDir(), "clone")
		runGit(t, dir, "clone", "-q", "--shared", "--no-checkout", dir, clone)
		return clone
	}},
	{"relative alternates of alternates", func(t *testing.T, dir string) string { return borrowers(t, dir, 3) }},
	{"bare", func(t *testing.T, dir string) string {
		clone := filepath.Join(t.TempDir(), "clone")
		runGit(t, dir, "clone", "-q", "--bare", dir, clone)
		return clone
	}},
	{"git directory", func(_ *testing.T, dir string) string { return filepath.Join(dir, ".git") }},
	{"linked work tree", func(t *testing.T, dir string) string {
		linked := filepath.Join(t.TempDir(), "linked")
		runGit(t, dir, "worktree", "add", "-q", "--no-checkout", "--detach", linked, "main")
		return linked
	}},
	{"git directory of a linked work tree", func(t *testing.T, dir string) string {
		runGit(t, dir, "worktree", "add", "-q", "--no-checkout", "--detach", filepath.Join(t.TempDir(), "linked"), "main")
		return filepath.Join(dir, ".git/worktrees/linked")
	}},
	{"submodule", func(t *testing.T, dir string) string {
		super := initRepo(t, "--object-format="+line(t, dir, "rev-parse", "--show-object-format"))
		write(t, super+"/.git/modules/README", "")
		runGit(t, super, "clone", "-q", "--no-checkout", "--separate-git-dir="+super+"/.git/modules/sub", dir, super+"/sub")
		return super + "/sub"
	}},
	{"without blobs", func(t *testing.T, dir string) string { return partial(t, dir, "blob:none") }},
	{"worktree configuration", func(t *testing.T, dir string) string {
		runGit(t, dir, "config", "extensions.worktreeConfig", "true")
		runGit(t, dir, "config", "core.repositoryFormatVersion", "1")
		return dir
	}},
}

// loosen makes every object a loose one.
func loosen(t testing.TB, dir string) string {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatal("there is no pack", err)
	}
	for _, name := range packs {
		pack, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		remove(t, name)
		remove(t, strings.TrimSuffix(name, ".pack")+".idx")
		gitInput(t, dir, pack, "unpack-objects", "-q")
	}
	return dir
}

// partial makes a partial clone.
func partial(t *testing.T, dir, filter string) string {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	runGit(t, dir, "config", "uploadpack.allowFilter", "true")
	runGit(t, dir, "clone", "-q", "--bare", "--filter="+filter, "file://"+dir, clone)
	return clone
}

// packObjects packs all objects of a revision.
func packObjects(t *testing.T, dir, revision string) {
	t.Helper()
	gitInput(t, dir, []byte(revision+"\n"), "pack-objects", "-q", "--revs", "--delta-base-offset", filepath.Join(dir, ".git/objects/pack/pack"))
}

// manyPacks makes several packs that contain many objects twice.
func manyPacks(t *testing.T, dir string) string {
	t.Helper()
	removed, _ := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*"))
	for _, revision := range []string{"main", "main~5", "main~1\n^main~9"} {
		packObjects(t, dir, revision)
	}
	for _, name := range removed {
		remove(t, name)
	}
	return dir
}

// borrowers makes a repository whose objects are all in another one, over several levels of relative alternates.
func borrowers(t *testing.T, dir string, steps int) string {
	t.Helper()
	for i := range steps {
		next := filepath.Join(filepath.Dir(dir), "borrower"+strconv.Itoa(i))
		runGit(t, dir, "clone", "-q", "--shared", "--bare", dir, next)
		objects := filepath.Join(dir, "objects")
		if i == 0 {
			objects = filepath.Join(dir, ".git/objects")
		}
		relative, err := filepath.Rel(filepath.Join(next, "objects"), objects)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(next, "objects/info/alternates"), "# a comment\n\n"+relative+"\n")
		dir = next
	}
	return dir
}

// copyRepo copies a repository.
func copyRepo(t testing.TB, dir string) string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "repo")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return copied
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o644); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// removeAll removes the files that match a pattern. At least one must match.
func removeAll(t testing.TB, dir, pattern string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("nothing matches %s: %v", pattern, err)
	}
	for _, name := range names {
		remove(t, name)
	}
}

// TestStorages checks that every way to store objects gives the same answers: adjacent commits and some that are far apart
// are compared, and the files of the last commit are read.
func TestStorages(t *testing.T) {
	const commits = 12
	for _, hash := range []string{"sha1", "sha256"} {
		oracle := randomRepo(t, hash, 1, commits)
		id := line(t, oracle, "rev-parse", "main")
		want := map[[2]string]string{}
		for n := range commits - 1 {
			for _, m := range []int{n + 1, commits - 1} {
				pair := [2]string{id + "~" + strconv.Itoa(m), id + "~" + strconv.Itoa(n)}
				want[pair] = rawDiff(t, oracle, pair[0], pair[1])
			}
		}
		files := filesOf(t, oracle, id)
		for _, storage := range storages {
			t.Run(hash+"/"+storage.name, func(t *testing.T) {
				dir := storage.change(t, copyRepo(t, oracle))
				r := open(t, dir)
				if len(resolve(t, r, id).String()) != digits(hash) {
					t.Error("the hash function was not recognised")
				}
				for pair, want := range want {
					if got, err := compare(r, pair[0], pair[1]); err != nil || got != want {
						t.Errorf("%v: %v\n%s\nwant\n%s", pair, err, got, want)
					}
				}
				readFiles(t, r, id, files, storage.name == "without blobs")
			})
		}
	}
}

// gitFile is a file as git reads it.
type gitFile struct {
	path, mode, id string
	blob           bool
	content        string // of blobs
}

// filesOf reads all files of a commit with git.
func filesOf(t *testing.T, dir, commit string) []gitFile {
	t.Helper()
	var files []gitFile
	for row := range strings.SplitSeq(strings.TrimSuffix(runGit(t, dir, "ls-tree", "-r", "-z", commit), "\x00"), "\x00") {
		head, path, _ := strings.Cut(row, "\t")
		fields := strings.Fields(head)
		file := gitFile{path: path, mode: fields[0], id: fields[2], blob: fields[1] == "blob"}
		if file.blob {
			file.content = runGit(t, dir, "cat-file", "blob", file.id)
		}
		files = append(files, file)
	}
	return files
}

// readFiles looks up files and compares their content. In a partial clone there is none, and the error must give the reason.
func readFiles(t *testing.T, r *git.Repo, commit string, files []gitFile, partial bool) {
	t.Helper()
	for _, file := range files {
		entry, ok, err := r.Lookup(resolve(t, r, commit), file.path)
		if err != nil || !ok || entry.ID.String() != file.id || strconv.FormatUint(uint64(entry.Mode), 8) != file.mode {
			t.Fatalf("%v %v %v, want %+v", entry, ok, err, file)
		}
		if !file.blob {
			continue
		}
		content, err := r.Blob(entry.ID, 1<<20)
		missing := (*git.MissingObject)(nil)
		if partial && (!errors.As(err, &missing) || !strings.Contains(missing.Why, "partial")) {
			t.Fatalf("%q: %v, want a missing object of a partial clone", file.path, err)
		}
		if !partial && (err != nil || string(content) != file.content) {
			t.Fatalf("%q: %q %v, want %q", file.path, content, err, file.content)
		}
	}
}
