package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Git computes the code tree of a work tree with git, because filters, line endings and ignore rules are up to git. It does
// not change the repository: index and new objects go to a temporary directory.
type Git struct {
	program string
	root    string
	objects string // the objects of the repository
	dir     string // the git directory of this work tree
	env     []string
	strays  *children // what programs that git starts, such as filters, leave running
}

// OpenGit finds git and asks it about the work tree at root, which [Find] found. It needs git 2.34 or newer.
func OpenGit(root string, env []string) (*Git, error) {
	program, err := lookPath("git", root, root, env)
	if err != nil {
		return nil, err
	}
	if program == "" {
		return nil, errors.New("git is required to compute the code tree, but it is not installed: install it, or record without trees (--no-tree)")
	}
	env = withoutStep(env)
	g := &Git{program: program, root: root, env: env, strays: adoptChildren()}
	local, err := g.run("rev-parse", "--local-env-vars")
	if err != nil {
		return nil, err
	}
	// These redirect git to another repository or change the meaning of its arguments.
	redirecting := append(strings.Fields(local), "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")
	g.env = slices.DeleteFunc(env, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(redirecting, name) || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
	})
	out, err := g.run("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "objects", "--git-dir")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 3 || lines[0] != filepath.ToSlash(root) {
		return nil, fmt.Errorf("git reports %q as the root of the work tree, but it should be %q", lines[0], root)
	}
	g.objects, g.dir = lines[1], lines[2]
	return g, nil
}

// settings disable features of git that run programs or write to the repository: a file system monitor, hooks, shared index
// files.
var settings = [][2]string{{"core.fsmonitor", "false"}, {"core.hooksPath", os.DevNull}, {"core.splitIndex", "false"}}

// head is the id of the commit that is checked out.
func (g *Git) head() (string, error) {
	id, err := g.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", errors.New("HEAD is not a commit: commit once before recording, or record without trees (--no-tree)")
	}
	return strings.TrimSpace(id), nil
}

// snapshot is the code tree at a point in time.
type snapshot struct {
	id      string
	changes map[string]string // the difference of each path from HEAD, without the evidence directory
}

// tree is the code tree: everything in the work tree that git does not ignore, without the evidence directory and without
// untracked reports of the gate.
//
// The index starts as that of HEAD, never as the real or an empty one: those miss edits, modes, and files that are both
// tracked and ignored. Each exit status counts: after a failed add, write-tree would return the tree of HEAD, a false match.
// In a sparse checkout the first add finds edits outside of the cone, and the second one does not treat files that are not
// checked out as deleted. Neither reads the evidence directory, to which other recorders may be writing.
func (g *Git) tree(evidence string) (s snapshot, err error) {
	temp, err := g.tempDir()
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, temp.remove()) }()
	t := *g
	t.env = append(slices.Clone(g.env), g.isolated(temp.path)...)
	code := []string{"--", ":(top)"}
	// Git refuses to exclude a directory that it ignores. Whether the directory exists must not matter: another recorder may
	// be creating it.
	if _, err := t.run("check-ignore", "-q", "--no-index", "--", evidence+"/"); err != nil {
		code = append(code, ":(top,exclude,literal)"+evidence)
	}
	without := []string{"rm", "-r", "-f", "--cached", "--sparse", "-q", "--ignore-unmatch", "--", ":(top,literal)" + evidence}
	for _, args := range [][]string{
		{"read-tree", "HEAD"},
		without,
		append([]string{"add", "--sparse", "--ignore-removal"}, code...),
		append([]string{"add", "-u"}, code...),
		without,
	} {
		if _, err := t.run(args...); err != nil {
			return s, err
		}
	}
	if s.changes, err = t.changes(evidence); err != nil {
		return s, err
	}
	if err := t.dropReports(g, s.changes); err != nil {
		return s, err
	}
	// A partial clone lacks the files outside of its cone, and may be unable to fetch them.
	id, err := t.run("write-tree", "--missing-ok")
	s.id = strings.TrimSpace(id)
	return s, err
}

// tracked reports whether the index or HEAD contains a path.
func (g *Git) tracked(path string) (bool, error) {
	staged, err := g.run("ls-files", "-z", "--cached", "--", ":(top,literal)"+path)
	if err != nil || staged != "" {
		return true, err
	}
	committed, err := g.run("ls-tree", "-z", "HEAD", "--", path)
	return committed != "", err
}

// isolated are the variables that prevent git from writing to the repository, and from running what it does not need.
func (g *Git) isolated(temp string) []string {
	cString := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`) // git splits a path without quotes at colons
	env := []string{
		"GIT_INDEX_FILE=" + filepath.Join(temp, "index"),
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(temp, "objects"),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + `"` + cString.Replace(g.objects) + `"`,
		"GIT_NO_REPLACE_OBJECTS=1",
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)),
	}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
}

const gitlink = "160000"

// changes lists the differences between the index and HEAD. It refuses repositories inside of the work tree that are not
// submodules in HEAD: git only records their commit, so that edits in them would be invisible.
func (g *Git) changes(evidence string) (map[string]string, error) {
	out, err := g.run("diff-index", "--cached", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none", "-z", "HEAD")
	if err != nil {
		return nil, err
	}
	changes := map[string]string{}
	parts := strings.Split(out, "\x00") // ":oldmode newmode oldid newid status", path, …
	for i := 0; i+1 < len(parts); i += 2 {
		path := parts[i+1]
		modes := strings.Fields(strings.TrimPrefix(parts[i], ":"))
		if len(modes) > 1 && modes[0] != gitlink && modes[1] == gitlink {
			return nil, fmt.Errorf("%q is a repository but not a submodule in HEAD, so edits in it would be invisible: remove it, add it to .gitignore, or commit it as a submodule", path)
		}
		if path != evidence && !strings.HasPrefix(path, evidence+"/") {
			changes[path] = parts[i]
		}
	}
	return changes, nil
}

// run runs git at the root and returns its standard output. In a separate process group it does not receive an interrupt from
// the terminal, which is meant for the command.
//
// A command can set filters that git then starts. The processes that they leave running are ended, like those of a command.
func (g *Git) run(args ...string) (string, error) {
	var out, errs bytes.Buffer
	c := exec.Command(g.program, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = g.root, g.env, &out, &errs
	c.SysProcAttr = ownGroup()
	c.WaitDelay = DefaultGrace // for output that another process keeps open
	err := c.Run()
	if c.Process != nil {
		if _, alive := g.strays.end(c.Process.Pid); alive != nil {
			return "", fmt.Errorf("git %s: %w", args[0], alive)
		}
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, oneLine(strings.TrimSpace(errs.String())))
	}
	return out.String(), nil
}
