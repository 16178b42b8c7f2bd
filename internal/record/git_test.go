//go:build unix

package record

import (
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/verify/report"
)

const evidenceDir = ".closeout/evidence"

// gateReport is what the recorder takes for a report of the gate.
const gateReport = `{"schema":"closeout.verification_report/v1","verdict":"failed"}`

// gitConfig is the file of settings that git reads in the tests.
var gitConfig = func() string {
	path, err := filepath.Abs("../../testdata/gitconfig")
	if err != nil {
		panic(err)
	}
	return path
}()

// repo is a repository to try things in.
type repo struct {
	*testing.T
	dir string
}

// cleanEnv is an environment without the git settings of a user.
func cleanEnv(extra ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + gitConfig}, extra...)
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, filepath.Join(dir, "work")}
	if template == "" {
		r.write("a.txt", "one\n")
		r.write("src/b.txt", "two\n")
		r.git("init", "-q", "-b", "main", ".")
		r.commit()
		template = filepath.Join(templateIn, "work")
		r.do(os.CopyFS(template, os.DirFS(r.dir)))
		return r
	}
	r.do(os.CopyFS(r.dir, os.DirFS(template)))
	r.git("update-index", "--refresh")
	return r
}

// template is the first repository of this process, of which the others are copies; templateIn is where it lies.
var template, templateIn string

// git runs git in the repository and returns what it prints.
func (r *repo) git(args ...string) string {
	r.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = r.dir, cleanEnv()
	out, err := c.CombinedOutput()
	if err != nil {
		r.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) commit() {
	r.Helper()
	r.git("add", "-A", ".")
	r.git("commit", "-q", "--allow-empty", "-m", "change")
}

func (r *repo) write(name, text string) {
	r.Helper()
	r.do(os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o755))
	r.do(os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644))
}

func (r *repo) do(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// other creates another repository next to this one and returns its directory.
func (r *repo) other() string {
	o := newRepo(r.T)
	return o.dir
}

// headTree is the expected code tree when nothing changed and HEAD contains no evidence.
func (r *repo) headTree() string { return r.git("rev-parse", "HEAD^{tree}") }

// tree takes the code tree of the work tree.
func (r *repo) tree() (string, error) {
	r.Helper()
	g, err := OpenGit(r.dir, cleanEnv("GIT_INDEX_FILE=/nowhere", "GIT_DIR=/nowhere", "GIT_GLOB_PATHSPECS=1"))
	r.do(err)
	s, err := g.tree(evidenceDir)
	return s.id, err
}

// clean are work trees with the same content as HEAD, except evidence.
var clean = map[string]func(r *repo){
	"nothing special":    func(*repo) {},
	"evidence beside it": func(r *repo) { r.write(evidenceDir+"/x.jsonl", "{}") },
	"evidence is a file": func(r *repo) { r.write(evidenceDir, "{}") },
	"evidence is a link": func(r *repo) {
		r.write(".closeout/x", "")
		r.commit()
		r.do(os.Symlink("x", filepath.Join(r.dir, evidenceDir)))
	},
	"evidence ignored": func(r *repo) { r.write(".gitignore", ".closeout/\n"); r.commit(); r.write(evidenceDir+"/x", "") },
	"evidence directory ignored, and it is a file": func(r *repo) { r.write(".gitignore", "evidence/\n"); r.commit(); r.write(evidenceDir, "") },
	"evidence directory ignored":                   func(r *repo) { r.write(".gitignore", "evidence\n"); r.commit(); r.write(evidenceDir+"/x", "") },
	"what is in the evidence directory ignored": func(r *repo) {
		r.write(".gitignore", "/.closeout/evidence/*\n")
		r.commit()
		r.write(evidenceDir+"/x", "")
	},
	"evidence files ignored": func(r *repo) {
		r.write(".gitignore", "*.jsonl\n")
		r.commit()
		r.write(evidenceDir+"/x.jsonl", "")
		r.write(evidenceDir+"/y", "")
	},
	"evidence ignored in a sparse checkout": func(r *repo) {
		r.write(".gitignore", ".closeout/\n")
		r.commit()
		r.git("sparse-checkout", "set", "src")
		r.write(evidenceDir+"/x", "")
	},
	"evidence unreadable for git":               func(r *repo) { r.git("init", "-q", evidenceDir) },
	"a file of the evidence unreadable for git": func(r *repo) { r.git("init", "-q", evidenceDir+"/x/y") },
	"ignored files":                             func(r *repo) { r.write(".gitignore", "*.o\n"); r.commit(); r.write("a.o", "x") },
	"tracked and ignored":                       func(r *repo) { r.write("a.o", "x"); r.commit(); r.write(".gitignore", "*.o\n"); r.commit() },
	"staged, then undone":                       func(r *repo) { r.write("c", "x"); r.git("add", "c"); r.do(os.Remove(filepath.Join(r.dir, "c"))) },
	"committed CRLF":                            func(r *repo) { r.write("crlf", "a\r\nb\r\n"); r.commit(); r.git("config", "core.autocrlf", "input") },
	"executable": func(r *repo) {
		r.write("x.sh", "#!/bin/sh\n")
		r.do(os.Chmod(filepath.Join(r.dir, "x.sh"), 0o755))
		r.commit()
	},
	"symlink": func(r *repo) { r.do(os.Symlink("nowhere", filepath.Join(r.dir, "link"))); r.commit() },
	"submodule": func(r *repo) {
		r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.other(), "sub")
		r.commit()
		r.write("sub/a.txt", "not seen")
	},
	"submodule that is not there": func(r *repo) {
		r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.other(), "sub")
		r.commit()
		r.git("submodule", "--quiet", "deinit", "-f", "sub")
	},
	"sparse checkout": func(r *repo) {
		r.write("docs/d.txt", "x")
		r.commit()
		r.git("sparse-checkout", "set", "src")
	},
	"sparse checkout with patterns": func(r *repo) {
		r.write("docs/d.txt", "x")
		r.commit()
		r.git("sparse-checkout", "set", "--no-cone", "/src/", "!/docs/")
	},
	"sparse checkout, sparse index, evidence outside of it": func(r *repo) {
		r.write("docs/deep/d.txt", "x")
		r.write(evidenceDir+"/old.jsonl", "{}")
		r.git("add", "docs")
		r.git("commit", "-qm", "x")
		r.git("sparse-checkout", "set", "--sparse-index", "src")
	},
	"sparse checkout of a partial clone": func(r *repo) {
		r.write("docs/d.txt", "x")
		r.commit()
		r.git("config", "uploadpack.allowFilter", "true")
		origin := r.dir
		r.dir += "-clone"
		r.do(os.Mkdir(r.dir, 0o755))
		r.git("clone", "-q", "--filter=blob:none", "--sparse", "file://"+filepath.ToSlash(origin), ".")
		r.git("sparse-checkout", "set", "src")
		r.do(os.RemoveAll(origin))
	},
	"packed":       func(r *repo) { r.git("gc", "-q") },
	"shared index": func(r *repo) { r.git("config", "core.splitIndex", "true") },
	"clean filter": func(r *repo) {
		r.filter("false")
		r.git("config", "filter.big.required", "false")
		r.write("f.lfs", "content\n")
		r.commit()
		r.git("config", "filter.big.required", "true")
	},
	"report of the gate": func(r *repo) {
		r.write(report.FileName, gateReport)
		r.write("src/"+report.FileName, gateReport)
	},
	"odd file name": func(r *repo) { r.write("*[a] \xff:\"\n", "x"); r.commit() },
}

func (r *repo) filter(program string) {
	r.write(".gitattributes", "*.lfs filter=big\n")
	r.git("config", "filter.big.clean", program)
	r.git("config", "filter.big.required", "true")
}

func TestTreeOfClean(t *testing.T) {
	for name, setup := range clean {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			setup(r)
			if got, err := r.tree(); err != nil || got != r.headTree() {
				t.Errorf("got %s, %v, want %s\n%s", got, err, r.headTree(), r.git("status", "--short"))
			}
		})
	}
}

// changed are work trees that differ from HEAD.
var changed = map[string]func(r *repo){
	"edit":                    func(r *repo) { r.write("a.txt", "two\n") },
	"new file":                func(r *repo) { r.write("new", "x") },
	"deleted":                 func(r *repo) { r.do(os.Remove(filepath.Join(r.dir, "a.txt"))) },
	"made executable":         func(r *repo) { r.do(os.Chmod(filepath.Join(r.dir, "a.txt"), 0o755)) },
	"beside the evidence":     func(r *repo) { r.write(".closeout/evidence2/x", "x") },
	"edit of an ignored file": func(r *repo) { r.write(".gitignore", "a.txt\n"); r.commit(); r.write("a.txt", "two\n") },
	"assumed to be unchanged": func(r *repo) { r.git("update-index", "--assume-unchanged", "a.txt"); r.write("a.txt", "two\n") },
	"edit outside of the sparse checkout": func(r *repo) {
		r.write("docs/d.txt", "x")
		r.commit()
		r.git("sparse-checkout", "set", "src")
		r.write("docs/d.txt", "y")
	},
	"new file outside of the sparse checkout": func(r *repo) {
		r.write("docs/d.txt", "x")
		r.commit()
		r.git("sparse-checkout", "set", "src")
		r.write("docs/e.txt", "y")
	},
	"deleted in the sparse checkout": func(r *repo) {
		r.write("docs/d.txt", "x")
		r.commit()
		r.git("sparse-checkout", "set", "src")
		r.do(os.Remove(filepath.Join(r.dir, "src/b.txt")))
	},
	"skipped in the work tree": func(r *repo) { r.git("update-index", "--skip-worktree", "a.txt"); r.write("a.txt", "two\n") },
	"same size and time": func(r *repo) {
		r.git("config", "core.trustctime", "false")
		at := time.Unix(1700000000, 0)
		path := filepath.Join(r.dir, "a.txt")
		r.do(os.Chtimes(path, at, at))
		r.git("update-index", "--refresh")
		r.write("a.txt", "two\n")
		r.do(os.Chtimes(path, at, at))
	},
	"report, staged": func(r *repo) { r.write(report.FileName, gateReport); r.git("add", report.FileName) },
	"report in HEAD": func(r *repo) { r.write(report.FileName, "{}"); r.commit(); r.write(report.FileName, gateReport) },
	"report in HEAD, removed": func(r *repo) {
		r.write(report.FileName, gateReport)
		r.commit()
		r.do(os.Remove(filepath.Join(r.dir, report.FileName)))
	},
	"report of something else":      func(r *repo) { r.write(report.FileName, `{"schema":"other"}`) },
	"report under another name":     func(r *repo) { r.write("x_"+report.FileName, gateReport) },
	"directory named like a report": func(r *repo) { r.write(report.FileName+"/x", gateReport) },
	"report that is executable": func(r *repo) {
		r.write(report.FileName, gateReport)
		r.do(os.Chmod(filepath.Join(r.dir, report.FileName), 0o755))
	},
	"report that is a link": func(r *repo) {
		r.write("x", gateReport)
		r.commit()
		r.do(os.Symlink("x", filepath.Join(r.dir, report.FileName)))
	},
	"submodule moved": func(r *repo) {
		r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.other(), "sub")
		r.git("config", "submodule.sub.ignore", "all")
		r.commit()
		r.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "x")
	},
}

func TestTreeOfChanged(t *testing.T) {
	for name, setup := range changed {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			setup(r)
			before, err := r.tree()
			if err != nil || before == r.headTree() {
				t.Fatalf("the change is not seen: %s, %v", before, err)
			}
			r.git("update-index", "--no-assume-unchanged", "a.txt")
			r.git("update-index", "--no-skip-worktree", "a.txt")
			if name == "same size and time" {
				r.do(os.Chtimes(filepath.Join(r.dir, "a.txt"), time.Now(), time.Now()))
			}
			r.git("sparse-checkout", "disable")
			r.commit()
			if name != "submodule moved" && before != r.headTree() {
				t.Errorf("committed it is %s, before it was %s", r.headTree(), before)
			}
		})
	}
}

// TestTreeWithoutEvidence commits evidence, which must not change the code tree.
func TestTreeWithoutEvidence(t *testing.T) {
	r := newRepo(t)
	want := r.headTree()
	r.write(evidenceDir+"/feedback_record.jsonl", "{}\n")
	r.commit()
	if got, err := r.tree(); err != nil || got != want || want == r.headTree() {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	r.git("sparse-checkout", "set", "src")
	if got, err := r.tree(); err != nil || got != want {
		t.Errorf("sparse: got %s, %v, want %s", got, err, want)
	}
}

// TestTreeWithoutOddEvidence leaves out a directory whose name has what patterns are made of, and nothing that such a
// pattern matches.
func TestTreeWithoutOddEvidence(t *testing.T) {
	for dir, others := range map[string][]string{`!e[v]*?\d`: {"!ev", "!evxd", "!evxyd", "e"}, "ée": {"éf", "e"}, "e": {"ee", "f", "a/e"}} {
		r := newRepo(t)
		for i, ignored := range []string{"none", "*"} {
			r.write(".git/info/exclude", ignored+"\n")
			g, err := OpenGit(r.dir, cleanEnv())
			r.do(err)
			r.write(dir+"/x", "x")
			if s, err := g.tree(dir); err != nil || s.id != r.headTree() {
				t.Errorf("%q, %q: %v %v", dir, ignored, s.changes, err)
			}
			if i > 0 {
				continue
			}
			for _, other := range others {
				r.write(other, "x")
			}
			if s, err := g.tree(dir); err != nil || len(s.changes) != len(others) {
				t.Errorf("beside %q: %v %v, expected %q", dir, s.changes, err, others)
			}
			r.git("clean", "-qdf", "-e", dir)
		}
	}
}

func TestTreeOfLinkedWorktree(t *testing.T) {
	r := newRepo(t)
	linked := &repo{t, r.dir + "-linked"}
	r.git("worktree", "add", "-q", linked.dir)
	if got, err := linked.tree(); err != nil || got != r.headTree() {
		t.Errorf("got %s, %v, want %s", got, err, r.headTree())
	}
}

// TestTreeRefused are work trees whose tree cannot be taken.
func TestTreeRefused(t *testing.T) {
	for name, c := range map[string]struct {
		setup func(r *repo)
		want  string
	}{
		"nested repository": {func(r *repo) { r.git("clone", "-q", r.other(), "nested") }, `"nested" is a repository but not a submodule`},
		"nested, said to be ignored": {func(r *repo) {
			r.git("clone", "-q", r.other(), "nested")
			r.write(".gitmodules", "[submodule \"n\"]\n\tpath = nested\n\turl = x\n\tignore = all\n")
		}, `"nested" is a repository but not a submodule`},
		"nested, without a commit": {func(r *repo) { r.git("init", "-q", "lib/it's mine") }, `"lib/it's mine" is a repository but not a submodule`},
		"no commit":                {func(r *repo) { r.git("checkout", "-q", "--orphan", "new") }, "HEAD is not a commit"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			c.setup(r)
			if got, err := r.tree(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %s, %v, want an error with %q", got, err, c.want)
			}
		})
	}
}

// TestTreeLeavesNothing: computing a tree runs no program of the repository and writes nothing to it.
func TestTreeLeavesNothing(t *testing.T) {
	r := newRepo(t)
	r.write("new", "a secret that is not committed")
	r.git("config", "core.fsmonitor", "touch "+r.dir+"/../fsmonitor-ran; false")
	r.git("config", "core.splitIndex", "true")
	hook := filepath.Join(r.dir, ".git/hooks/post-index-change")
	r.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch "+r.dir+"/../hook-ran\n")
	r.do(os.Chmod(hook, 0o755))
	before := r.files()
	if _, err := r.tree(); err != nil {
		t.Fatal(err)
	}
	if after := r.files(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// TestTreeRunsNoFilterOfSubmodule: the settings of a submodule are in reach of a command as well.
func TestTreeRunsNoFilterOfSubmodule(t *testing.T) {
	r := newRepo(t)
	r.git("submodule", "--quiet", "add", r.other(), "sub")
	r.write(".gitignore", "sub\n")
	r.commit()
	r.git("-C", "sub", "config", "filter.lfs.clean", "touch "+r.dir+"/../ran; cat")
	r.write(".git/modules/sub/info/attributes", "* filter=lfs\n")
	r.write("sub/a.txt", "edited")
	before := r.files()
	if got, err := r.tree(); err != nil || got != r.headTree() {
		t.Fatal(got, err)
	}
	if after := r.files(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// files lists everything in and beside the repository.
func (r *repo) files() string {
	var all []string
	r.do(filepath.WalkDir(filepath.Dir(r.dir), func(path string, _ os.DirEntry, err error) error {
		all = append(all, path)
		return err
	}))
	return strings.Join(all, "\n")
}

func TestOpenGitRefuses(t *testing.T) {
	r := newRepo(t)
	if _, err := OpenGit(r.dir, []string{"PATH=/nonexistent"}); err == nil || !strings.Contains(err.Error(), "--no-tree") {
		t.Errorf("without git: %v", err)
	}
	r.write("bin/git", "#!/bin/sh\n")
	r.do(os.Chmod(filepath.Join(r.dir, "bin/git"), 0o755))
	if _, err := OpenGit(r.dir, []string{"PATH=" + r.dir + "/bin"}); err == nil || !strings.Contains(err.Error(), "in the work tree") {
		t.Errorf("with a planted git: %v", err)
	}
	if _, err := OpenGit(filepath.Join(r.dir, "src"), cleanEnv()); err == nil || !strings.Contains(err.Error(), "as the root") {
		t.Errorf("below the root: %v", err)
	}
}

// TestTempDir: a temporary directory in the work tree is not used, because its files would be part of the tree.
func TestTempDir(t *testing.T) {
	r := newRepo(t)
	r.do(os.Mkdir(filepath.Join(r.dir, "tmp"), 0o755))
	t.Setenv("TMPDIR", filepath.Join(r.dir, "tmp"))
	if got, err := r.tree(); err != nil || got != r.headTree() {
		t.Errorf("got %s, %v, want %s", got, err, r.headTree())
	}
}

// TestTempDirRelative: TMPDIR is relative to the current directory, which git does not run in.
func TestTempDirRelative(t *testing.T) {
	r := newRepo(t)
	t.Chdir(t.TempDir())
	r.do(os.Mkdir("tmp", 0o755))
	t.Setenv("TMPDIR", "tmp")
	if got, err := r.tree(); err != nil || got != r.headTree() {
		t.Errorf("got %s, %v, want %s", got, err, r.headTree())
	}
	if entries, err := os.ReadDir("tmp"); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestTempDirsLeft removes the directories of recorders that were killed, and no other.
func TestTempDirsLeft(t *testing.T) {
	r := newRepo(t)
	base := t.TempDir()
	t.Setenv("TMPDIR", base)
	gone := exec.Command("true")
	r.do(gone.Run())
	dead := strconv.Itoa(gone.ProcessState.Pid())
	marked, unmarked := tempPrefix+dead+"-4", tempPrefix+dead+"-5"
	g, err := OpenGit(r.dir, cleanEnv())
	r.do(err)
	c, err := g.Compose(r.git("rev-parse", "HEAD"), r.git("rev-parse", "HEAD"), evidenceDir, isTestPath)
	r.do(err)
	r.do(c.temp.lock.Close())
	r.do(os.Rename(c.temp.path, filepath.Join(base, marked)))
	for _, name := range []string{tempPrefix + dead + "-1", tempPrefix + dead + "-2", tempPrefix + "1-1", tempPrefix + "x-1", "closeout-tree", "other-" + dead} {
		r.do(os.MkdirAll(filepath.Join(base, name, "objects"), 0o755))
	}
	foreign := tempPrefix + dead + "-3"
	r.do(os.MkdirAll(filepath.Join(base, foreign, "of a person"), 0o755))
	r.do(os.MkdirAll(filepath.Join(base, unmarked, treeDir, "of a test"), 0o755))
	locked, err := os.Open(filepath.Join(base, tempPrefix+dead+"-2"))
	r.do(err)
	r.do(system.Lock(locked))
	if _, err := r.tree(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(base)
	r.do(err)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"closeout-tree", tempPrefix + "1-1", tempPrefix + dead + "-2", foreign, unmarked, tempPrefix + "x-1", "other-" + dead}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
	r.do(locked.Close())
}

func TestQuoteAlternate(t *testing.T) {
	r := newRepo(t)
	odd := &repo{t, filepath.Join(filepath.Dir(r.dir), `a:b "c\d`)}
	r.do(os.Rename(r.dir, odd.dir))
	if got, err := odd.tree(); err != nil || got != odd.headTree() {
		t.Errorf("got %s, %v, want %s", got, err, odd.headTree())
	}
}

// BenchmarkTrees takes both trees of a record in a repository of 3,000 files.
func BenchmarkTrees(b *testing.B) {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for i := range 3000 {
		name := filepath.Join(dir, "d"+strconv.Itoa(i%60), strconv.Itoa(i)+".go")
		if err := errorsOf(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(strings.Repeat(name+"\n", 40)), 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "x"}, {"gc", "-q"}} {
		c := exec.Command("git", args...)
		c.Dir, c.Env = dir, cleanEnv()
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	for b.Loop() {
		g, err := OpenGit(dir, cleanEnv())
		if err != nil {
			b.Fatal(err)
		}
		for range 2 {
			if _, err := g.tree(evidenceDir); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestTreeOfOddModes: old programs wrote modes that git no longer writes. The tree of such a commit is known by its own id.
func TestTreeOfOddModes(t *testing.T) {
	r := newRepo(t)
	entry := func(mode, name, object string) string {
		id, err := hex.DecodeString(r.git("rev-parse", object))
		r.do(err)
		return mode + " " + name + "\x00" + string(id)
	}
	r.write(".git/tree", entry("100664", "a.txt", "HEAD:a.txt")+entry("40000", "src", "HEAD:src"))
	id := r.git("hash-object", "-t", "tree", "-w", "--literally", ".git/tree")
	r.git("reset", "-q", "--hard", r.git("commit-tree", "-m", "odd", id))
	if s := r.look(); s.id != id || len(s.changes) > 0 {
		t.Errorf("got %s and the changes %v, want %s", s.id, s.changes, id)
	}
	r.write("new", "x")
	if s := r.look(); s.id == id || len(s.changes) != 1 {
		t.Errorf("with a new file, got %s and the changes %v", s.id, s.changes)
	}
}
