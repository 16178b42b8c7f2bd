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

// TestRoot checks the work tree of a repository, opened in different directories.
func TestRoot(t *testing.T) {
	dir, err := filepath.EvalSymlinks(randomRepo(t, "sha1", 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(filepath.Dir(dir), "linked")
	runGit(t, dir, "worktree", "add", "-q", "--no-checkout", "--detach", linked, "main")
	bare := filepath.Join(t.TempDir(), "bare.git")
	runGit(t, dir, "clone", "-q", "--bare", dir, bare)
	write(t, filepath.Join(dir, "one/two/file"), "")
	write(t, filepath.Join(linked, "one/file"), "")
	for _, c := range []struct{ at, root string }{
		{dir, dir}, {dir + "/one/two", dir}, {dir + "/.git", dir}, {linked, linked}, {linked + "/one", linked},
		{dir + "/.git/worktrees/linked", linked}, {bare, ""},
	} {
		if got := open(t, c.at).Root(); got != c.root {
			t.Errorf("%s: %q, want %q", c.at, got, c.root)
		}
	}
}

// TestNotARepository checks directories that are not repositories.
func TestNotARepository(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/file", "")
	write(t, dir+"/textual/.git", "gitdr: x\n")
	write(t, dir+"/pointing/.git", "gitdir: ../nowhere\n")
	write(t, dir+"/halved/.git/HEAD", "ref: refs/heads/main\n")
	write(t, dir+"/headless/.git/objects/x", "")
	write(t, dir+"/headless/.git/refs/x", "")
	for _, at := range []string{dir, dir + "/file", dir + "/missing", dir + "/textual", dir + "/pointing", dir + "/halved", dir + "/headless"} {
		r, err := git.Open(at)
		if none := (*git.NotARepository)(nil); !errors.As(err, &none) || r != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// TestBareAbove checks that a bare repository is not found from a directory inside it: files in a work tree must not be
// used as the repository.
func TestBareAbove(t *testing.T) {
	dir := initRepo(t)
	runGit(t, dir, "init", "-q", "--bare", dir+"/fake")
	write(t, dir+"/fake/src/file", "")
	if got := open(t, dir+"/fake/src").Root(); got != dir {
		t.Errorf("%q, want the work tree %q", got, dir)
	}
}

// TestFormats checks which formats are supported.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{"", ""},
		{"[core]\n\trepositoryformatversion = 0\n[extensions]\n\twhatever = 1\n", ""},
		{"[core]\nrepositoryformatversion = 1\n[extensions]\nnoop\npreciousObjects = true\npartialClone = origin\nrelativeWorktrees = true\n", ""},
		{"[CORE]\nRepositoryFormatVersion=1\n[Extensions]\nObjectFormat=sha1\nrefStorage = files", ""},
		{"[core]\nrepositoryformatversion = 1\n[extensions]\nrefstorage = reftable\n", ""},
		{"[core]\nrepositoryformatversion = 2\n", "format version 2"},
		{"[core]\nrepositoryformatversion = 1\n[extensions]\nwhatever = 1\n", "extensions.whatever"},
		{"[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = sha512\n", "extensions.objectformat"},
		{"[core]\nrepositoryformatversion = 0\n[extensions]\nobjectformat = sha256\n", "format version 0"},
		{"[core\n", "damaged"},
		{"x = 1\n", "before the first section"},
		{"[core]\nx = \"\n", "damaged"},
		{"[core]\n= 1\n", "neither a section nor a setting"},
	} {
		dir := initRepo(t)
		write(t, dir+"/.git/config", c.config)
		r, err := git.Open(dir)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.config, err, c.want)
		}
		if err == nil {
			r.Close()
		}
	}
}

// TestReftable checks that names are refused in a repository with reftables, and that ids work.
func TestReftable(t *testing.T) {
	dir := randomRepo(t, "sha1", 1, 2)
	id := line(t, dir, "rev-parse", "main")
	write(t, dir+"/.git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\nrefstorage = reftable\n")
	r := open(t, dir)
	for _, name := range []string{"main", "HEAD", "refs/heads/main"} {
		_, err := r.Resolve(name)
		if not := (*git.Unsupported)(nil); !errors.As(err, &not) || !strings.Contains(err.Error(), "object id") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if resolve(t, r, id+"~1").IsZero() {
		t.Error("an id must work")
	}
}

// TestNotObeyed checks that replace refs, grafts, configuration and the environment have no effect, and that they mislead
// git.
func TestNotObeyed(t *testing.T) {
	dir := randomRepo(t, "sha1", 1, 6)
	want := rawDiff(t, dir, "main~1", "main")
	bases := gitBases(t, dir, "main~2", "main")
	runGit(t, dir, "replace", "main^{tree}", "main~1^{tree}")
	write(t, dir+"/.git/info/grafts", line(t, dir, "rev-parse", "main")+"\n")
	write(t, dir+"/.gitattributes", "* -diff\n")
	runGit(t, dir, "config", "core.worktree", "/nowhere")
	runGit(t, dir, "config", "diff.orderFile", "/nowhere")
	runGit(t, dir, "config", "core.bare", "true")
	for _, name := range []string{"DIR", "WORK_TREE", "OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES", "COMMON_DIR", "INDEX_FILE", "NAMESPACE", "REPLACE_REF_BASE", "GRAFT_FILE", "SHALLOW_FILE", "CONFIG_COUNT"} {
		t.Setenv("GIT_"+name, "/nonsense")
	}
	r := open(t, dir)
	if got, err := compare(r, "main~1", "main"); err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if got, err := ourBases(t, r, "main~2", "main"); err != nil || got != bases {
		t.Errorf("%s %v, want %s", got, err, bases)
	}
	misled := 0
	for _, env := range []string{"GIT_NO_REPLACE_OBJECTS=0", "GIT_NO_REPLACE_OBJECTS=1"} {
		if out := gitEnv(t, dir, []string{env}, "rev-list", "--count", "main"); out != "6\n" {
			misled++
		}
	}
	if misled == 0 {
		t.Error("git was not misled, so this test proves nothing")
	}
}

// TestAlternatesDepth compares with git how many levels of alternates are followed.
func TestAlternatesDepth(t *testing.T) {
	for _, steps := range []int{1, 5, 6, 7} {
		dir := borrowers(t, copyRepo(t, randomRepo(t, "sha1", 1, 3)), steps)
		_, gitErr := tryGit(t, dir, "cat-file", "-e", "main")
		r, err := git.Open(dir)
		if (err == nil) != (gitErr == nil) {
			t.Errorf("%d steps: %v, git says %v", steps, err, gitErr)
		}
		if err == nil {
			resolve(t, r, "main")
			r.Close()
		}
	}
}

// TestAlternates checks the lines of the file: cycles, quotes, directories that do not exist.
func TestAlternates(t *testing.T) {
	source := randomRepo(t, "sha1", 1, 3)
	id := line(t, source, "rev-parse", "main")
	objects := filepath.Join(source, ".git/objects")
	write(t, objects+"/info/alternates", objects+"\n")
	odd := filepath.Join(t.TempDir(), "odd \xff\n\"name")
	if err := os.Symlink(objects, odd); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for text, found := range map[string]bool{
		objects:                          true,
		"\n#x\n" + objects + "\n":        true,
		quote(odd) + "\n":                true,
		strconv.Quote(objects) + "\n":    true,
		"# " + objects + "\n":            false,
		objects + "/missing\n":           false,
		"/missing\n" + objects + "\n":    true,
		objects + "\n" + objects + "\n":  true,
		"\"" + objects + "\n":            false,
		"\"" + objects + "\" x\n":        false,
		"\"" + objects + "\\" + "q\"\n":  false,
		"\"" + objects + "\\" + "40\"\n": false,
	} {
		dir := initRepo(t)
		write(t, dir+"/.git/objects/info/alternates", text)
		r, err := git.Open(dir)
		if err == nil {
			_, err = r.Resolve(id)
			r.Close()
		}
		if found != (err == nil) {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil && strings.Contains(text, "missing") && !strings.Contains(err.Error(), "a directory in objects/info/alternates does not exist") {
			t.Errorf("%q: %v should name what is missing", text, err)
		}
	}
}
