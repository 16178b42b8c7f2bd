//go:build unix

package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// recorderOf records in a repository.
func recorderOf(t *testing.T) (*recorder, *repo) {
	t.Helper()
	repo := newRepo(t)
	r := newRecorder(t)
	var err error
	if r.Git, err = OpenGit(repo.dir, cleanEnv()); err != nil {
		t.Fatal(err)
	}
	r.Root, r.Log = repo.dir, filepath.Join(repo.dir, evidenceDir, FileName)
	r.Env = cleanEnv()
	return r, repo
}

const (
	inEvidence = evidenceDir + "/report.json"
	elsewhere  = "out/report.json"
)

// TestProducts shows which reports are the command's: those that it wrote.
func TestProducts(t *testing.T) {
	commit := func(path string) func(*repo) { return func(r *repo) { r.write(path, "old"); r.commit() } }
	write := func(path string) func(*repo) {
		return func(r *repo) { r.write(".gitignore", "out\n"); r.commit(); r.write(path, "old") }
	}
	for name, c := range map[string]struct {
		setup          func(*repo)
		path, coverage string
		script         string
		produced       string // the content that the command wrote
		left           string // the content of the report afterwards
		status         int
	}{
		"written":                             {nil, inEvidence, "", "echo new > $0", "new\n", "new\n", 0},
		"written, in a directory that is new": {nil, evidenceDir + "/a/b.json", "", "echo new > $0", "new\n", "new\n", 0},
		"there before":                        {write(inEvidence), inEvidence, "", "true", "", "old", StatusFailed},
		"there before, and written":           {write(inEvidence), inEvidence, "", "echo new > $0", "new\n", "new\n", 0},
		"there before, and appended to":       {write(inEvidence), inEvidence, "", "echo new >> $0", "new\n", "new\n", 0},
		"there before, elsewhere":             {write(elsewhere), elsewhere, "", "true", "", "old", StatusFailed},
		"there before, elsewhere, written":    {write(elsewhere), elsewhere, "", "echo new > $0", "new\n", "new\n", 0},
		"committed evidence":                  {commit(inEvidence), inEvidence, "", "true", "", "old", StatusFailed},
		"committed evidence, and written":     {commit(inEvidence), inEvidence, "", "echo new > $0", "new\n", "new\n", 0},
		"committed coverage":                  {commit(elsewhere), elsewhere, elsewhere, "true", "", "old", StatusFailed},
		"committed coverage, written again":   {commit(elsewhere), elsewhere, elsewhere, "printf old > $0", "old", "old", 0},
		"committed coverage, other content":   {commit(elsewhere), elsewhere, elsewhere, "printf new > $0", "new", "new", 0},
		"failed before it wrote":              {nil, inEvidence, "", "exit 3", "", "", 3},
		"failed before it wrote another one":  {write(inEvidence), inEvidence, "", "exit 3", "", "old", 3},
		"failed, and wrote":                   {nil, inEvidence, "", "echo new > $0; exit 3", "new\n", "new\n", 3},
		"wrote a link":                        {nil, inEvidence, "", "ln -s ../../a.txt $0", "", "one\n", StatusFailed},
		"wrote a directory":                   {nil, inEvidence, "", "mkdir $0", "", "", StatusFailed},
		"wrote a pipe":                        {nil, inEvidence, "", "mkfifo $0", "", "", StatusFailed},
		"removed the directory":               {write(elsewhere), elsewhere, "", "rm -r out", "", "old", StatusFailed},
		"made the directory a link":           {write(elsewhere), elsewhere, "", "rm -r out && ln -s src out && echo new > $0", "", "new\n", StatusFailed},
	} {
		t.Run(name, func(t *testing.T) {
			r, repo := recorderOf(t)
			if c.setup != nil {
				c.setup(repo)
			}
			result, err := r.Run(Command{Argv: []string{"sh", "-c", c.script, c.path}, Cwd: ".", Produces: []string{c.path}, Coverage: c.coverage})
			if err != nil {
				t.Fatal(err)
			}
			record := r.lines()[0]
			want := "<nil>"
			if c.produced != "" {
				sum := sha256.Sum256([]byte(c.produced))
				want = fmt.Sprint([]any{map[string]any{"path": c.path, "sha256": hex.EncodeToString(sum[:])}})
			}
			if got := fmt.Sprint(record["produced"]); got != want || result.Status != c.status {
				t.Errorf("produced %s, want %s; %+v", got, want, result)
			}
			if got := repo.read(c.path); got != c.left {
				t.Errorf("afterwards it contains %q, want %q", got, c.left)
			}
			if why, _ := record["error"].(string); strings.Contains(why, "did not produce") == (c.produced != "") {
				t.Errorf("error %q", why)
			}
			same := record["tree_before"] == record["tree_after"]
			if dirty := name == "committed coverage, other content" || name == "made the directory a link"; same == dirty {
				t.Errorf("the trees are equal: %v", same)
			}
			repo.expectNothingAside()
		})
	}
}

// read is the content of a regular file, "" when there is none.
func (r *repo) read(name string) string {
	path := filepath.Join(r.dir, name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := os.ReadFile(path)
	r.do(err)
	return string(data)
}

func (r *repo) expectNothingAside() {
	r.Helper()
	if files := r.files(); strings.Contains(files, "closeout-aside") {
		r.Errorf("a report is left aside:\n%s", files)
	}
}

// TestProductsRefused are reports that keep the command from running.
func TestProductsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		setup func(*repo)
		path  string
		want  string
	}{
		"committed":        {func(r *repo) { r.write(elsewhere, "old"); r.commit() }, elsewhere, "is committed or staged"},
		"staged":           {func(r *repo) { r.write(elsewhere, "old"); r.git("add", elsewhere) }, elsewhere, "is committed or staged"},
		"removed from git": {func(r *repo) { r.write(elsewhere, "old"); r.commit(); r.git("rm", "-q", "--cached", elsewhere) }, elsewhere, "is committed or staged"},
		"link":             {func(r *repo) { r.write("x", ""); r.do(os.Symlink("x", filepath.Join(r.dir, "link"))) }, "link", "is a link"},
		"dead link":        {func(r *repo) { r.do(os.Symlink("nowhere", filepath.Join(r.dir, "link"))) }, "link", "is a link"},
		"directory":        {func(r *repo) { r.write("dir/x", "") }, "dir", "is a directory"},
		"pipe":             {func(r *repo) { r.do(syscall.Mkfifo(filepath.Join(r.dir, "pipe"), 0o644)) }, "pipe", "is a pipe"},
		"below a link":     {func(r *repo) { r.do(os.Symlink("src", filepath.Join(r.dir, "link"))) }, "link/b.txt", `its parent "link" is a link`},
		"evidence is a link": {func(r *repo) {
			r.do(os.Mkdir(filepath.Join(r.dir, ".closeout"), 0o755))
			r.do(os.Symlink("../src", filepath.Join(r.dir, evidenceDir)))
		}, inEvidence, "is a link"},
		"the log": {func(r *repo) {
			r.write(evidenceDir+"/"+FileName, `{"seq":1,"command":["x"],"exit_code":0}`+"\n")
		}, evidenceDir + "/" + FileName, "is the log"},
	} {
		t.Run(name, func(t *testing.T) {
			r, repo := recorderOf(t)
			c.setup(repo)
			repo.write(".git/info/exclude", "first\n")
			repo.write("first", "kept")
			_, err := r.Run(Command{Argv: []string{"touch", "ran"}, Cwd: ".", Produces: []string{"first", c.path}})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
			if _, err := os.Lstat(filepath.Join(repo.dir, "ran")); err == nil {
				t.Error("the command ran")
			}
			if got := repo.read("first"); got != "kept" {
				t.Errorf("the other report contains %q", got)
			}
			repo.expectNothingAside()
		})
	}
}

// TestProductsOfLinkedWorktree moves a report aside where the git directory is elsewhere.
func TestProductsOfLinkedWorktree(t *testing.T) {
	r, repo := recorderOf(t)
	linked := repo.dir + "-linked"
	repo.git("worktree", "add", "-q", linked)
	var err error
	if r.Git, err = OpenGit(linked, cleanEnv()); err != nil {
		t.Fatal(err)
	}
	r.Root, r.Log = linked, filepath.Join(linked, evidenceDir, FileName)
	path := filepath.Join(linked, inEvidence)
	if err := errorsOf(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("old"), 0o600)); err != nil {
		t.Fatal(err)
	}
	result, err := r.Run(Command{Argv: []string{"true"}, Cwd: ".", Produces: []string{inEvidence}})
	if err != nil || result.Status != StatusFailed {
		t.Errorf("%+v, %v", result, err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
		t.Errorf("it contains %q, %v", data, err)
	}
	repo.expectNothingAside()
}

// TestOutputAsReport: the standard output of a command is its report, whole and unredacted, unless something else is at its place.
func TestOutputAsReport(t *testing.T) {
	const secret = "AKIAIOSFODNN7EXAMPLE"
	defer func(most int64) { mostReport = most }(mostReport)
	mostReport = 1 << 20
	most := strings.Repeat("\x00", 1<<20)
	for name, c := range map[string]struct {
		path, old, script string
		produced          string
		left              string
		status            int
		why               string
	}{
		"printed":                 {inEvidence, "", "echo " + secret + "; echo no >&2", secret + "\n", secret + "\n", 0, ""},
		"printed, and failed":     {inEvidence, "", "echo new; exit 3", "new\n", "new\n", 3, ""},
		"there before":            {inEvidence, "old", "echo new", "new\n", "new\n", 0, ""},
		"nothing printed":         {inEvidence, "old", "true", "", "", 0, ""},
		"in a new directory":      {elsewhere, "", "echo new", "new\n", "new\n", 0, ""},
		"printed by a child":      {inEvidence, "", "(echo new) & wait", "new\n", "new\n", 0, ""},
		"written and printed":     {inEvidence, "", "echo new; echo other > $0", "-", "other\n", StatusFailed, "the command wrote this file itself"},
		"written, and not passed": {inEvidence, "", "echo new; echo other > $0; exit 3", "-", "other\n", 3, "the command wrote this file itself"},
		"a link at its place":     {inEvidence, "", "echo new; ln -s ../../a.txt $0", "-", "one\n", StatusFailed, "not a regular file"},
		"a link on the way":       {elsewhere, "", "echo new; ln -s src out", "-", "", StatusFailed, "a link or a file, not a directory"},
		"too much":                {inEvidence, "old", "head -c 1048577 /dev/zero", "-", "old", StatusFailed, "more than 1048576 bytes"},
		"just enough":             {inEvidence, "old", "head -c 1048576 /dev/zero", most, most, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, repo := recorderOf(t)
			repo.write(".gitignore", "out\n")
			repo.commit()
			if c.old != "" {
				repo.write(c.path, c.old)
			}
			command := Command{Argv: []string{"sh", "-c", c.script, c.path}, Cwd: ".", Produces: []string{c.path}, Stdout: c.path}
			result, err := r.Run(command)
			if err != nil {
				t.Fatal(err)
			}
			record := r.lines()[0]
			want := "<nil>"
			if c.produced != "-" {
				sum := sha256.Sum256([]byte(c.produced))
				want = fmt.Sprint([]any{map[string]any{"path": c.path, "sha256": hex.EncodeToString(sum[:])}})
			}
			if got := fmt.Sprint(record["produced"]); got != want || result.Status != c.status {
				t.Errorf("produced %s, want %s; %+v", got, want, result)
			}
			if got := repo.read(c.path); got != c.left {
				t.Errorf("afterwards it contains %.50q, want %.50q", got, c.left)
			}
			if why, _ := record["error"].(string); !strings.Contains(why, c.why) || c.why == "" && why != "" {
				t.Errorf("error %q, want %q", why, c.why)
			}
			if strings.Contains(result.Tails[0], secret) {
				t.Errorf("the tail has the secret: %q", result.Tails[0])
			}
			repo.expectNothingAside()
		})
	}
	r, repo := recorderOf(t)
	repo.write(inEvidence, "old")
	if _, err := r.Run(Command{Argv: []string{"no-such-program"}, Cwd: ".", Produces: []string{inEvidence}, Stdout: inEvidence}); err != nil {
		t.Fatal(err)
	}
	if got := repo.read(inEvidence); got != "old" || r.lines()[0]["produced"] != nil {
		t.Errorf("a command that was not started left %q: %v", got, r.lines()[0])
	}
}
