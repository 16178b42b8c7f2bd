package git_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/internal/testkit/memory"
)

// git runs the git program, which is the oracle of these tests, and gives its standard output. No configuration of the
// machine is used. Without git on the machine there is no oracle, and the test is skipped.
func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return gitInput(t, dir, nil, args...)
}

func gitInput(t testing.TB, dir string, input []byte, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, and these tests compare with it")
	}
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "core.fsync=none", "-c", "core.protectNTFS=false"}, args...)...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(input)
	cmd.Env = append(cleanEnv(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "HOME="+dir, "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.org",
		"GIT_NO_REPLACE_OBJECTS=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}

// cleanEnv is the environment without variables that affect git.
func cleanEnv() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
}

// line is git's answer without the newline.
func line(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return strings.TrimSuffix(runGit(t, dir, args...), "\n")
}

// open opens a repository until the end of the test.
func open(t testing.TB, dir string) *git.Repo {
	t.Helper()
	r, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func resolve(t testing.TB, r *git.Repo, name string) git.ID {
	t.Helper()
	id, err := r.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// compare gives the changes between two commits, in the format of rawDiff.
func compare(r *git.Repo, a, b string) (string, error) {
	var trees [2]git.ID
	for i, name := range []string{a, b} {
		id, err := r.Resolve(name)
		if err != nil {
			return "", err
		}
		info, err := r.Commit(id)
		if err != nil {
			return "", err
		}
		trees[i] = info.Tree
	}
	changes, err := r.Compare(trees[0], trees[1])
	return describe(changes), err
}

func describe(changes []git.Difference) string {
	var text strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&text, "%q %s %06o %06o %s %s\n", c.Path, c.Status, c.OldMode, c.NewMode, c.OldID, c.NewID)
	}
	return text.String()
}

// rawDiff asks git for the changes between two trees.
func rawDiff(t testing.TB, dir, a, b string) string {
	t.Helper()
	out := runGit(t, dir, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", a, b)
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	var rows [][2]string
	for i := 0; i+1 < len(fields); i += 2 {
		rows = append(rows, [2]string{fields[i+1], rawRow(fields[i])})
	}
	slices.SortStableFunc(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	var text strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&text, "%q %s\n", row[0], row[1])
	}
	return text.String()
}

// rawRow turns ":100644 100755 id id M" into the format of describe.
func rawRow(row string) string {
	f := strings.Fields(strings.TrimPrefix(row, ":"))
	status := map[string]string{"A": "added", "D": "deleted", "M": "modified", "T": "type_changed"}[f[4]]
	if status == "modified" && f[2] == f[3] {
		status = "mode_changed"
	}
	for i := 2; i <= 3; i++ {
		if strings.Trim(f[i], "0") == "" {
			f[i] = ""
		}
	}
	return fmt.Sprintf("%s %s %s %s %s", status, f[0], f[1], f[2], f[3])
}

// hostileNames are names of files and directories that have misled programs.
var hostileNames = []string{
	"a", "a.b", "a-b", "a0", "a b", "A", "docs", "doc", "src", "x.go", " x", "x ", "-x", "*", "[a]", "?", `q"q`, `back\slash`,
	"new\nline", "tab\t", "\x01", "\xff\xfe", "é", "e\u0301", "a\u200b", "..a", ".gitignore", ".github", "git~1", "{a,b}", "~", "$x", "`", "'",
	"a:b", "%2e", "aux", "x.", "\u202e", "|", "<", ">", "&", ";", "#", "!", "b", "b.c", "b-", "c", "d", "e", "f", "g", "h", "i", "j",
}

// history makes random histories of hostile trees as input for git fast-import.
type history struct {
	random *rand.Rand
	digits int               // of an object id
	files  map[string]string // path → "mode SP content"
	out    bytes.Buffer
	marks  int
}

func newHistory(seed uint64, digits int) *history {
	return &history{random: rand.New(rand.NewPCG(seed, 1)), digits: digits, files: map[string]string{}}
}

func (h *history) name() string { return hostileNames[h.random.IntN(len(hostileNames))] }

// path makes a path, sometimes below or beside one that exists.
func (h *history) path() string {
	parts := []string{h.name()}
	for h.random.IntN(3) > 0 && len(parts) < 6 {
		parts = append(parts, h.name())
	}
	return strings.Join(parts, "/")
}

// put sets a path, and removes conflicting files: those that would be its parents, and those below it.
func (h *history) put(path, content string) {
	for other := range h.files {
		if strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
			delete(h.files, other)
		}
	}
	h.files[path] = content
}

func (h *history) content() string {
	switch h.random.IntN(12) {
	case 0:
		return "120000 " + h.name()
	case 1:
		return "160000 " + strings.Repeat(strconv.Itoa(1+h.random.IntN(9)), h.digits)
	case 2, 3:
		return "100755 " + strconv.Itoa(h.random.IntN(20))
	}
	return "100644 " + strconv.Itoa(h.random.IntN(20))
}

// mutate changes some files: new ones, other contents, other modes or types, removals.
func (h *history) mutate(times int) {
	for range times {
		paths := h.paths()
		if len(paths) == 0 || h.random.IntN(3) == 0 {
			h.put(h.path(), h.content())
			continue
		}
		path := paths[h.random.IntN(len(paths))]
		switch h.random.IntN(5) {
		case 0:
			delete(h.files, path)
		case 1:
			h.put(path+"/"+h.name(), h.content())
		case 2:
			if folder := pathpkg.Dir(path); folder != "." {
				h.put(folder, h.content())
			}
		case 3:
			h.files[path] = strings.Replace(h.files[path], "100644", "100755", 1)
		default:
			h.files[path] = h.content()
		}
	}
}

func (h *history) paths() []string {
	paths := make([]string, 0, len(h.files))
	for path := range h.files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// commit writes the present files as a commit on a branch, with the commits of some marks as parents.
func (h *history) commit(branch string, date int, parents ...int) (mark int) {
	h.marks++
	fmt.Fprintf(&h.out, "commit refs/heads/%s\nmark :%d\ncommitter c <c@example.org> %d +0000\ndata 1\nm\n", branch, h.marks, date)
	for i, parent := range parents {
		fmt.Fprintf(&h.out, "%s :%d\n", []string{"from", "merge"}[min(i, 1)], parent)
	}
	fmt.Fprint(&h.out, "deleteall\n")
	for _, path := range h.paths() {
		mode, content, _ := strings.Cut(h.files[path], " ")
		if mode == "160000" {
			fmt.Fprintf(&h.out, "M 160000 %s %s\n", content, quote(path))
			continue
		}
		fmt.Fprintf(&h.out, "M %s inline %s\ndata %d\n%s\n", mode, quote(path), len(content), content)
	}
	return h.marks
}

// quote writes a path as git does in C's way, all bytes as octal.
func quote(path string) string {
	var text strings.Builder
	for _, b := range []byte(path) {
		fmt.Fprintf(&text, "\\%03o", b)
	}
	return `"` + text.String() + `"`
}

// initRepo makes an empty repository.
func initRepo(t testing.TB, args ...string) string {
	t.Helper()
	dir, made := t.TempDir(), filepath.Join(empty, strings.Join(append(args, "repo"), " "))
	if _, err := os.Stat(made); err != nil {
		runGit(t, empty, append([]string{"init", "-q", "--template=", "-b", "main", made}, args...)...)
	}
	if err := os.CopyFS(dir, os.DirFS(made)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// empty contains the empty repositories that were made, by the arguments of git init: the others are copies.
var empty string

func TestMain(m *testing.M) {
	memory.Use()
	var err error
	if empty, err = os.MkdirTemp("", "git-test"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(empty)
	os.Exit(status)
}

// load imports a history as one pack.
func (h *history) load(t testing.TB, dir string) {
	t.Helper()
	gitInput(t, dir, h.out.Bytes(), "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--force")
}

// digits is how many digits an id has in a repository of a hash function.
func digits(hash string) int {
	if hash == "sha256" {
		return 64
	}
	return 40
}

// randomRepo makes a repository with a linear history on main.
func randomRepo(t testing.TB, hash string, seed uint64, commits int) string {
	t.Helper()
	dir := initRepo(t, "--object-format="+hash)
	h := newHistory(seed, digits(hash))
	var parents []int
	for i := range commits {
		h.mutate(8 + h.random.IntN(20))
		parents = []int{h.commit("main", 1_700_000_000+i, parents...)}
	}
	h.load(t, dir)
	return dir
}

// tryGit runs git where it may fail.
func tryGit(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, and these tests compare with it")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(cleanEnv(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C", "GIT_NO_REPLACE_OBJECTS=1")
	out, err := cmd.Output()
	return string(out), err
}

// gitEnv runs git with more environment.
func gitEnv(t testing.TB, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(append(cleanEnv(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C"), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
