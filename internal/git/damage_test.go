//go:build soak

package git_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git"
)

// answers asks a repository everything. The tests look for wrong answers, panics and endless work.
func answers(dir, id string) (string, error) {
	r, err := git.Open(dir)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := compare(r, id+"~3", id)
	if err != nil {
		return "", err
	}
	head, err := r.Resolve(id)
	if err != nil {
		return "", err
	}
	old, err := r.Resolve(id + "~2")
	if err != nil {
		return "", err
	}
	bases, err := r.MergeBases(head, old)
	if err != nil {
		return "", err
	}
	code, err := r.CodeTree(head, "src")
	return text + code.String() + bases[0].String(), err
}

// TestMissingObjects deletes each object of a repository in turn: the answer is an error that names it, or right.
func TestMissingObjects(t *testing.T) {
	dir := loosen(t, randomRepo(t, "sha1", 5, 4))
	id := line(t, dir, "rev-parse", "main")
	want, err := answers(dir, id)
	if err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(dir + "/.git/objects/??/*")
	missed := 0
	for _, name := range names {
		aside := filepath.Join(dir, "aside")
		if err := os.Rename(name, aside); err != nil {
			t.Fatal(err)
		}
		got, err := answers(dir, id)
		missing := (*git.MissingObject)(nil)
		switch {
		case err == nil && got == want:
		case errors.As(err, &missing) && strings.HasSuffix(name, missing.ID.String()[2:]) && !missing.Shallow:
			missed++
		default:
			t.Errorf("without %s: %v\n%s", name, err, got)
		}
		if err := os.Rename(aside, name); err != nil {
			t.Fatal(err)
		}
	}
	if missed < 10 {
		t.Errorf("only %d objects were missed of %d", missed, len(names))
	}
}

// TestSoakDamage damages the files of repositories in many places, by flipping bits and by cutting: the answer is an error
// or right.
func TestSoakDamage(t *testing.T) {
	for i, storage := range []struct {
		pattern string
		rounds  int
		change  func(t *testing.T, dir string)
	}{
		{".git/objects/??/*", 150, func(t *testing.T, dir string) { loosen(t, dir) }},
		{".git/objects/pack/*.pack", 300, func(t *testing.T, dir string) { runGit(t, dir, "repack", "-adfq", "--depth=50") }},
		{".git/objects/pack/*.pack", 300, func(t *testing.T, dir string) {
			runGit(t, dir, "-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=50")
		}},
		{".git/objects/pack/*.idx", 200, func(t *testing.T, dir string) { runGit(t, dir, "repack", "-adfq") }},
		{".git/objects/pack/*.idx", 200, func(t *testing.T, dir string) { runGit(t, dir, "-c", "pack.indexVersion=1", "repack", "-adfq") }},
		{".git/objects/pack/multi-pack-index", 200, func(t *testing.T, dir string) {
			runGit(t, manyPacks(t, dir), "multi-pack-index", "write")
			removeAll(t, dir, ".git/objects/pack/*.idx")
		}},
	} {
		dir := randomRepo(t, "sha1", 6, 10)
		id := line(t, dir, "rev-parse", "main")
		storage.change(t, dir)
		want, err := answers(dir, id)
		if err != nil {
			t.Fatal(err)
		}
		names, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(storage.pattern)))
		random, wrong := rand.New(rand.NewPCG(uint64(i), 5)), 0
		for range storage.rounds {
			name := names[random.IntN(len(names))]
			repair := damage(t, name, random)
			got, err := answers(dir, id)
			if err == nil && got != want {
				t.Errorf("%s: the damage is not seen:\n%s\nwant\n%s", storage.pattern, got, want)
			}
			if err != nil {
				wrong++
			}
			repair()
		}
		if wrong < storage.rounds/10 {
			t.Errorf("%s: only %d of %d damages did any harm", storage.pattern, wrong, storage.rounds)
		}
	}
}

// damage flips some bits of a file or cuts it, and gives what repairs it.
func damage(t *testing.T, name string, random *rand.Rand) (repair func()) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	bad := append([]byte{}, content...)
	switch random.IntN(5) {
	case 0:
		bad = bad[:random.IntN(len(bad))]
	case 1:
		bad[random.IntN(min(len(bad), 64))] ^= 1 << random.IntN(8)
	default:
		for range 1 + random.IntN(8) {
			bad[random.IntN(len(bad))] ^= 1 << random.IntN(8)
		}
	}
	write(t, name, string(bad))
	return func() { write(t, name, string(content)) }
}

// TestUnreadable checks that an object without read permission is not reported as missing.
func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		// Root can read every file, but not a directory in place of a file.
		dir := loosen(t, randomRepo(t, "sha1", 5, 2))
		id := line(t, dir, "rev-parse", "main^{tree}")
		name := filepath.Join(dir, ".git/objects", id[:2], id[2:])
		remove(t, name)
		write(t, name+"/x", "")
		_, err := compare(open(t, dir), "main~1", "main")
		if missing := (*git.MissingObject)(nil); err == nil || errors.As(err, &missing) {
			t.Error(err)
		}
		return
	}
	dir := loosen(t, randomRepo(t, "sha1", 5, 2))
	objects := filepath.Join(dir, ".git/objects")
	if err := os.Chmod(objects, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(objects, 0o755)
	if _, err := git.Open(dir); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

// TestPartialTrees checks that a clone without trees gives an error and no list of changes.
func TestPartialTrees(t *testing.T) {
	dir := randomRepo(t, "sha1", 5, 4)
	r := open(t, partial(t, dir, "tree:0"))
	got, err := compare(r, "main~1", "main")
	if missing := (*git.MissingObject)(nil); !errors.As(err, &missing) || missing.Kind != "tree" || !strings.Contains(missing.Why, "--filter") || got != "" {
		t.Errorf("%v %s", err, got)
	}
}

// TestShallow checks the errors of a clone of depth 1.
func TestShallow(t *testing.T) {
	dir := randomRepo(t, "sha1", 5, 4)
	id := line(t, dir, "rev-parse", "main~1")
	clone := filepath.Join(t.TempDir(), "clone")
	runGit(t, dir, "clone", "-q", "--bare", "--depth=1", "file://"+dir, clone)
	r := open(t, clone)
	if !r.Shallow() {
		t.Error("the clone is shallow")
	}
	incomplete, missing := (*git.Incomplete)(nil), (*git.MissingObject)(nil)
	if _, err := r.Resolve("main~1"); !errors.As(err, &incomplete) || incomplete.Commit.String() != id {
		t.Error(err)
	}
	if _, err := r.Resolve(id); !errors.As(err, &missing) || !missing.Shallow || !strings.Contains(err.Error(), "fetch-depth") {
		t.Error(err)
	}
	if got := open(t, dir); got.Shallow() {
		t.Error("the whole repository is not shallow")
	}
}

// TestLookupReadsDirectoriesOnce checks that a directory is not read again for each of its names, which takes minutes when
// thousands of names are looked up in a large directory.
func TestLookupReadsDirectoriesOnce(t *testing.T) {
	dir := initRepo(t)
	write(t, dir+"/folder/a", "a")
	write(t, dir+"/folder/b", "b")
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-qm", "m")
	r := open(t, dir)
	head := resolve(t, r, "HEAD")
	for i, name := range []string{"folder/a", "folder/b", "folder/c"} {
		if e, ok, err := r.Lookup(head, name); err != nil || ok != (i < 2) || ok && e.Name != name[len("folder/"):] {
			t.Errorf("%s: %v %v %v", name, e, ok, err)
		}
		if i == 0 {
			id := line(t, dir, "rev-parse", "HEAD:folder")
			remove(t, filepath.Join(dir, ".git/objects", id[:2], id[2:]))
		}
	}
}
