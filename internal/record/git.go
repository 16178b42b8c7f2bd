package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/internal/git/gitindex"
	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/verify/input"
)

// Git computes the code tree of a work tree with git, because filters, line endings and ignore rules are up to git. It does
// not change the repository: index and new objects go to a temporary directory.
type Git struct {
	program   string
	root      string
	objects   string          // the objects of the repository
	dir       string          // the git directory of this work tree
	cleaned   bool            // what killed recorders left was removed
	sparse    bool            // files may be left out of the work tree
	first     map[string]bool // the files that were there at the first look, in a sparse checkout
	abilities [][2]string     // settings
	env       []string
	strays    *system.Children // what programs that git starts, such as filters, leave running

	known *known      // the last tree without differences from HEAD; nil when there is none
	start *startIndex // the last one; nil when there is none
}

// startIndex is the index of a commit as git made it, kept in memory, where no command can edit it.
type startIndex struct {
	commit string
	index  *gitindex.Index
}

// known is a code tree that is equal to that of HEAD, and the index that led to it.
type known struct {
	evidence string
	snapshot snapshot
	index    *gitindex.Index
	made     time.Time // before git read the files
}

// OpenGit finds git and asks it about the work tree at root, which [Find] found. It needs git 2.34 or newer.
func OpenGit(root string, env []string) (*Git, error) {
	program, err := system.LookPath("git", root, root, env)
	if err != nil {
		return nil, err
	}
	if program == "" {
		return nil, errors.New("git is required to compute the code tree, but it is not installed: install it, or record without trees (closeout record --no-tree)")
	}
	env = system.WithoutStep(env)
	g := &Git{program: program, root: root, env: env, strays: system.AdoptChildren()}
	if err := g.dropRedirections(); err != nil {
		return nil, err
	}
	out, err := g.run("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "objects", "--git-dir", "--git-path", "info/sparse-checkout")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 4 || lines[0] != filepath.ToSlash(root) {
		return nil, fmt.Errorf("git reports %q as the root of the work tree, but it should be %q", lines[0], root)
	}
	g.objects, g.dir = lines[1], lines[2]
	_, err = os.Lstat(lines[3])
	g.sparse = !errors.Is(err, fs.ErrNotExist)
	g.abilities, err = abilities(g.dir)
	return g, err
}

// dropRedirections drops the variables that redirect git to another repository or change the meaning of its arguments.
// Git says which do so; it is not asked where no variable could.
func (g *Git) dropRedirections() error {
	harmless := []string{"GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"}
	if !slices.ContainsFunc(g.env, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(harmless, name)
	}) {
		return nil
	}
	local, err := g.run("rev-parse", "--local-env-vars")
	if err != nil {
		return err
	}
	redirecting := append(strings.Fields(local),
		"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_ATTR_SOURCE")
	g.env = slices.DeleteFunc(g.env, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(redirecting, name) || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
	})
	return nil
}

// settings disable features of git that run programs or write to the repository: a file system monitor, hooks, shared index
// files. The others let git notice every edit: a repository can allow it to compare less.
var settings = [][2]string{
	{"core.fsmonitor", "false"}, {"core.hooksPath", os.DevNull}, {"core.splitIndex", "false"},
	{"core.untrackedCache", "false"}, {"core.trustctime", "true"}, {"core.checkStat", "default"}, {"core.ignoreStat", "false"},
	{"index.version", "2"}, {"index.sparse", "false"},
}

// neutral are the settings of a machine that converts no file by itself: what git reads and writes must depend on the
// code alone.
var neutral = [][2]string{
	{"core.attributesFile", os.DevNull}, {"core.autocrlf", "false"}, {"core.eol", "lf"}, {"core.safecrlf", "false"},
	{"attr.tree", ""},
}

// abilities are the settings that say what the file system of a git directory can do, as git finds out when it makes one.
// A command could say that it can do less: git then ignores executable bits, and reads a file as the link that it replaced,
// or as one of another case. What it cannot do is up to the settings of the repository, as are links on Windows.
func abilities(dir string) (list [][2]string, err error) {
	temp, err := os.MkdirTemp(dir, "closeout-probe-*")
	if err != nil {
		return nil, nil // a git directory that cannot be written to
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	file := filepath.Join(temp, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(temp, "FILE")); errors.Is(err, fs.ErrNotExist) {
		list = append(list, [2]string{"core.ignoreCase", "false"})
	}
	info, err := os.Lstat(file)
	if err != nil || runtime.GOOS == "windows" {
		return list, err
	}
	if err := os.Chmod(file, 0o700); err == nil {
		if now, err := os.Lstat(file); err == nil && now.Mode() != info.Mode() {
			list = append(list, [2]string{"core.fileMode", "true"})
		}
	}
	link := filepath.Join(temp, "link")
	if os.Symlink("file", link) == nil {
		if info, err := os.Lstat(link); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			list = append(list, [2]string{"core.symlinks", "true"})
		}
	}
	return list, nil
}

const noSystemAttributes = "GIT_ATTR_NOSYSTEM=1" // the file of core.attributesFile for all users

// head is the id of the commit that is checked out, and of its tree. Git is asked where only it can read the
// repository; then the tree is zero.
func (g *Git) head() (commit string, tree git.ID, err error) {
	err = g.atHead(func(repo *git.Repo, id git.ID) error {
		info, err := repo.Commit(id)
		commit, tree = info.ID.String(), info.Tree
		return err
	})
	if err == nil {
		return commit, tree, nil
	}
	if commit, err = g.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return "", git.ID{}, errors.New("HEAD is not a commit: commit once before recording, or record without trees (closeout record --no-tree)")
	}
	return strings.TrimSpace(commit), git.ID{}, nil
}

// atHead calls read with the repository, without git, and the commit that is checked out.
func (g *Git) atHead(read func(repo *git.Repo, id git.ID) error) error {
	repo, err := git.Open(g.root)
	if err != nil {
		return err
	}
	defer repo.Close() // it is only read
	id, err := repo.Resolve("HEAD")
	if err != nil {
		return err
	}
	return read(repo, id)
}

// inHead asks git what HEAD has at a path, with options of ls-tree. It is not asked where there is nothing.
func (g *Git) inHead(path string, options ...string) (string, error) {
	there := true
	err := g.atHead(func(repo *git.Repo, id git.ID) (err error) {
		_, there, err = repo.Lookup(id, path)
		return err
	})
	if err == nil && !there {
		return "", nil
	}
	return g.run(append(append([]string{"ls-tree", "-z"}, options...), "HEAD", "--", path)...)
}

// snapshot is the code tree at a point in time.
type snapshot struct {
	head    string // the commit that was checked out
	id      string
	changes map[string]string // the difference of each path from HEAD, without the evidence directory
	odd     []oddFile         // sorted by path
	// converted are the paths of the files whose bytes are those that a checkout writes, and not those in the tree.
	converted []string
}

// tree is the code tree: everything in the work tree that git does not ignore, without the evidence directory.
//
// The index starts as that of HEAD, never as the real or an empty one: those miss edits, modes, and files that are both
// tracked and ignored. Each exit status counts: after a failed add, the tree would be that of HEAD, a false match.
// While the work tree is equal to HEAD, the index of the last call tells which files git need not read again, if the file system
// gives every edit away; it is kept in memory, where no command can edit it.
func (g *Git) tree(evidence string) (s snapshot, err error) {
	head, tree, err := g.head()
	if err != nil {
		return s, err
	}
	k := g.known
	if k != nil && (k.evidence != evidence || k.snapshot.head != head) {
		k = nil
	}
	temp, err := g.tempDir()
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, temp.remove()) }()
	t := treeMaker{
		Git: *g, real: g, evidence: evidence, temp: temp.path, index: filepath.Join(temp.path, "index"), sum: len(head) / 2,
		made: gitindex.TimeOf(g.dir),
	}
	t.env = append(slices.Clone(g.env), g.isolated(temp.path)...)
	if k != nil && t.isKnown(k) {
		return k.snapshot, nil
	}
	s, err = t.fromCommit(head, tree)
	s.head = head
	if err == nil && len(s.changes) == 0 && !g.sparse && !t.made.IsZero() && gitindex.StampsEdits(g.root) {
		if x, err := t.readIndex(); err == nil {
			g.known = &known{evidence, s, x, t.made}
		}
	}
	return s, err
}

// treeMaker makes one code tree.
type treeMaker struct {
	Git                      // with an environment of its own
	real     *Git            // with the repository's index
	evidence string          // the directory
	leave    []string        // paths that are not added
	temp     string          // a directory of its own
	index    string          // the file
	sum      int             // length of an object id
	content  map[string]bool // the files with the content that their pointer of Git LFS names
	made     time.Time
	old      *gitindex.Index // of the commit that is checked out
}

// isKnown reports whether the tree is the known one: no file of the index changed, and there is no other, apart from ignored
// ones. Where a file may have changed, git reads it, and the index with what it learned is the known one.
func (t *treeMaker) isKnown(k *known) bool {
	forgotten := k.index.Forget(t.root, k.made)
	if k.index.Write(t.index) != nil {
		return false // the long way says what is wrong
	}
	if len(forgotten) == 0 {
		others, err := t.run("ls-files", "-z", "--others", "--exclude-standard", "--", ":(top)", ":(top,exclude,literal)"+t.evidence)
		if err == nil && others == "" {
			return true
		}
	}
	if t.addNeutral() != nil {
		return false
	}
	x, err := t.readIndex()
	if err != nil || !x.Equal(k.index) {
		return false
	}
	isForgotten := func(path string) bool { return forgotten[path] }
	read := slices.DeleteFunc(slices.Clone(x.Entries), func(e gitindex.Entry) bool { return !isForgotten(e.Path) })
	found, err := t.compare(x, read, nil)
	if err != nil || len(found.odd) > 0 {
		return false
	}
	kept := slices.DeleteFunc(slices.Clone(k.snapshot.converted), isForgotten)
	k.snapshot.converted = slices.Sorted(slices.Values(append(kept, found.converted...)))
	k.index, k.made = x, t.made
	return true
}

// fromCommit makes the tree from the commit that is checked out, which has a tree, zero for an unknown one.
func (t *treeMaker) fromCommit(commit string, tree git.ID) (s snapshot, err error) {
	if t.old, err = t.indexOf(commit); err != nil {
		return s, err
	}
	if err := t.withoutEvidence(); err != nil {
		return s, err
	}
	if err := t.addNeutral(); err != nil {
		return s, err
	}
	if err := t.withoutEvidence(); err != nil {
		return s, err
	}
	if s.changes, err = t.changes(); err != nil {
		return s, err
	}
	if err := t.dropReports(t.real, s.changes); err != nil {
		return s, err
	}
	if err := t.bind(&s); err != nil {
		return s, err
	}
	x, err := t.readIndex()
	if err != nil {
		return s, err
	}
	s.id = x.TreeID()
	if !tree.IsZero() && tree.String() != s.id && x.Equal(t.old) {
		_ = t.atHead(func(repo *git.Repo, _ git.ID) error { // with an error, the id is that of today's modes
			if x.IsTree(repo, tree) {
				s.id = tree.String()
			}
			return nil
		})
	}
	return s, nil
}

// indexOf is the index of a commit; the file has it afterwards.
func (t *treeMaker) indexOf(commit string) (*gitindex.Index, error) {
	if known := t.real.start; known != nil && known.commit == commit {
		return known.index, known.index.Write(t.index)
	}
	if _, err := t.run("read-tree", commit); err != nil {
		return nil, err
	}
	x, err := t.readIndex()
	if err == nil {
		t.real.start = &startIndex{commit, x}
	}
	return x, err
}

func (t *treeMaker) readIndex() (*gitindex.Index, error) { return gitindex.Read(t.index, t.sum) }

// withoutEvidence removes the evidence directory from the index.
func (t *treeMaker) withoutEvidence() error {
	if x, err := t.readIndex(); err == nil && !t.sparse && !x.Contains(t.evidence) {
		return nil
	}
	_, err := t.run("rm", "-r", "-f", "--cached", "--sparse", "-q", "--ignore-unmatch", "--", ":(top,literal)"+t.evidence)
	return err
}

// addNeutral adds the differences of the work tree to the index, without the filters of the machine.
func (t *treeMaker) addNeutral() error {
	filters, err := t.withoutFilters()
	if err != nil {
		return err
	}
	before, err := t.readIndex()
	if err != nil {
		return err
	}
	t.env = append(t.env, configured(settings, neutral, t.abilities, filters)...)
	if err := t.add(t.unmoved(before)); err != nil {
		return err
	}
	return t.pointers(before)
}

// add adds the differences of the work tree to the index. In a sparse checkout the first add finds edits outside of the cone,
// and the second one does not treat files that are not checked out as deleted. Neither reads the evidence directory, to which
// other recorders may be writing. except are pathspecs of what it leaves as it is.
func (t *treeMaker) add(except []string) error {
	code := append(t.code(), except...)
	if !t.sparse {
		_, err := t.run(append([]string{"add", "--sparse", "-A"}, code...)...)
		return err
	}
	if _, err := t.run(append([]string{"add", "--sparse", "--ignore-removal"}, code...)...); err != nil {
		return err
	}
	_, err := t.run(append([]string{"add", "-u"}, code...)...)
	return err
}

// code selects what is added. Git refuses to exclude what it ignores, unless a class begins the pattern: it compares only what is
// before the first wildcard. Whether the evidence directory exists does not matter: another recorder may be creating it.
func (t *treeMaker) code() []string {
	evidence := ":(top,exclude,glob)" + literally(t.evidence)
	code := []string{"--", ":(top)", evidence, evidence + "/**"}
	for _, path := range t.leave {
		code = append(code, ":(top,exclude,literal)"+path)
	}
	return code
}

// literally is the pattern of a path alone, with its first byte as a class.
func literally(path string) string {
	escaped := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path[1:])
	return `[\` + path[:1] + "]" + escaped
}

// unmoved are the submodules of an index that have the commit checked out that it names, as pathspecs that exclude them.
// To add one, git compares the files in it, with the filters that are set there, and then takes nothing but the commit.
func (t *treeMaker) unmoved(x *gitindex.Index) (pathspecs []string) {
	for _, e := range x.Entries {
		if !x.IsSubmodule(e) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(t.onDisk(e.Path), ".git")); err != nil {
			continue
		}
		if head, err := t.run("-C", e.Path, "rev-parse", "HEAD"); err == nil && strings.TrimSpace(head) == x.ID(e) {
			pathspecs = append(pathspecs, ":(top,exclude,literal)"+e.Path)
		}
	}
	return pathspecs
}

// tracked reports whether the index or HEAD contains a path.
func (g *Git) tracked(path string) (bool, error) {
	staged, err := g.run("ls-files", "-z", "--cached", "--", ":(top,literal)"+path)
	if err != nil || staged != "" {
		return true, err
	}
	committed, err := g.inHead(path)
	return committed != "", err
}

// isolated are the variables that prevent git from writing to the repository, from running what it does not need, and from
// looking at another work tree, which a command could name in the settings of the repository.
func (g *Git) isolated(temp string) []string {
	env := []string{
		"GIT_INDEX_FILE=" + filepath.Join(temp, "index"),
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(temp, "objects"),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quotedPath(g.objects),
		"GIT_NO_REPLACE_OBJECTS=1", noSystemAttributes,
	}
	return append(append(env, g.settings()...), configured(settings, neutral, g.abilities)...)
}

// quotedPath is a path as git reads it in a list of directories. Without quotes it ends at a colon or at the end of a line.
func quotedPath(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// settings are the variables with the settings, for this work tree.
func (g *Git) settings() []string {
	return append([]string{"GIT_WORK_TREE=" + g.root}, configured(settings)...)
}

// configured are the variables with some settings, which win over those of every file.
func configured(lists ...[][2]string) []string {
	all := slices.Concat(lists...)
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(all))}
	for i, s := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
}

// withoutFilters are the settings that let no filter run that a file of settings names, because a command can write
// such a file: the program would run between two looks at the work tree, and after what it edits. That of Git LFS is no
// exception: see [treeMaker.pointers].
func (g *Git) withoutFilters() (list [][2]string, err error) {
	names, err := g.run("config", "-z", "--list", "--name-only")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for name := range strings.SplitSeq(names, "\x00") {
		end := strings.LastIndexByte(name, '.')
		if end < len("filter.") || !strings.HasPrefix(name, "filter.") || seen[name[:end]] {
			continue
		}
		filter := name[:end]
		seen[filter] = true
		list = append(list, [2]string{filter + ".clean"}, [2]string{filter + ".smudge"}, [2]string{filter + ".process"})
		list = append(list, [2]string{filter + ".required", "false"})
	}
	return list, nil
}

// nestedError names no way that loses the repository: it may be that of a person.
func nestedError(path string) error {
	return fmt.Errorf("%q is a repository but not a submodule in HEAD, so edits in it would be invisible: name it in .git/info/exclude or .gitignore, "+
		"commit it as a submodule, or ask the person whose it is to move it out of the work tree", path)
}

// unborn is what git says about a repository in the work tree that has no commit.
var unborn = input.Lazily(`: '(.+?)/?' does not have a commit checked out`)

// changes lists the differences between the index and that of the commit. It refuses repositories inside of the work
// tree that are not submodules in HEAD: git only records their commit, so that edits in them would be invisible.
func (t *treeMaker) changes() (map[string]string, error) {
	x, err := t.readIndex()
	if err != nil {
		return nil, err
	}
	changes := map[string]string{}
	for path, both := range t.old.Differences(x) {
		if both[0].Mode != gitindex.Gitlink && both[1].Mode == gitindex.Gitlink {
			return nil, nestedError(path)
		}
		if path != t.evidence && !strings.HasPrefix(path, t.evidence+"/") {
			changes[path] = gitindex.RawLine(both[0], both[1])
		}
	}
	return changes, nil
}

// run runs git at the root and returns its standard output. In a separate process group it does not receive an interrupt from
// the terminal, which is meant for the command.
//
// A command can set programs that git then starts. The processes that they leave running are ended, like those of a command.
func (g *Git) run(args ...string) (string, error) { return g.feed("", args...) }

// feed is run with a standard input.
func (g *Git) feed(input string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	c := exec.Command(g.program, args...)
	c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr = g.root, append(slices.Clip(g.env), "LANGUAGE=C"), strings.NewReader(input), &out, &errs
	c.SysProcAttr = system.OwnGroup()
	c.WaitDelay = DefaultGrace // for output that another process keeps open
	err := c.Run()
	if c.Process != nil {
		if _, alive := g.strays.End(c.Process.Pid); alive != nil {
			return "", fmt.Errorf("git %s: %w", args[0], alive)
		}
	}
	if nested := unborn().FindStringSubmatch(errs.String()); err != nil && nested != nil {
		return "", nestedError(nested[1])
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, oneLine(strings.TrimSpace(errs.String())))
	}
	return out.String(), nil
}
