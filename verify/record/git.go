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

// Git takes the code tree of a work tree with git's own plumbing, because filters, line endings and ignore rules are
// git's business. It leaves the repository as it is: index and new objects go to a temporary folder.
type Git struct {
	program string
	root    string
	objects string // the repository's own objects
	dir     string // git's folder of this work tree
	env     []string
	strays  *children // what programs leave running that git starts, such as filters
}

// OpenGit finds git and asks it about the work tree at root, which [Find] found. It needs git 2.34 or newer.
func OpenGit(root string, env []string) (*Git, error) {
	program, err := lookPath("git", root, root, env)
	if err != nil {
		return nil, err
	}
	if program == "" {
		return nil, errors.New("git is needed to take the code tree, and it is not installed: install it, or record without trees (--no-tree)")
	}
	env = withoutStep(env)
	g := &Git{program: program, root: root, env: env, strays: adoptChildren()}
	local, err := g.run("rev-parse", "--local-env-vars")
	if err != nil {
		return nil, err
	}
	g.env = withoutLocal(env, strings.Fields(local))
	out, err := g.run("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "objects", "--git-dir")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 3 || lines[0] != filepath.ToSlash(root) {
		return nil, fmt.Errorf("git takes %q for the root of the work tree, which should be %q", lines[0], root)
	}
	g.objects, g.dir = lines[1], lines[2]
	return g, nil
}

// withoutLocal removes what would turn git to another repository or change what its arguments mean.
func withoutLocal(env, local []string) []string {
	local = append(local, "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(local, name) || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
	})
}

// settings are git's settings that would run programs or write into the repository: a file system monitor, hooks, shared
// index files.
var settings = [][2]string{{"core.fsmonitor", "false"}, {"core.hooksPath", os.DevNull}, {"core.splitIndex", "false"}}

// head is the id of the commit that is checked out.
func (g *Git) head() (string, error) {
	id, err := g.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return "", errors.New("HEAD names no commit: commit once before recording, or record without trees (--no-tree)")
	}
	return strings.TrimSpace(id), nil
}

// snapshot is the code tree at one time.
type snapshot struct {
	id      string
	changes map[string]string // how each path differs from HEAD, by path; without the evidence folder
}

// tree is the code tree: of everything in the work tree that git does not ignore, without the evidence folder.
//
// The index begins as HEAD's, never as the real or an empty one: those miss edits, modes, and files that are tracked and
// ignored. Each exit status counts: after a failed add, write-tree would give HEAD's own tree, a false match. In a sparse
// checkout the first add sees edits outside of the cone, and the second one does not take files that are not checked out
// for deleted ones. Neither reads the evidence folder, to which other recorders may write just now.
func (g *Git) tree(evidence string) (s snapshot, err error) {
	temp, err := g.tempFolder()
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, temp.remove()) }()
	t := *g
	t.env = append(slices.Clone(g.env), g.isolated(temp.path)...)
	code := []string{"--", ":(top)"}
	if !t.ignored(evidence) {
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
	// A partial clone lacks the files outside of its cone, and may have no way to fetch them.
	id, err := t.run("write-tree", "--missing-ok")
	s.id = strings.TrimSpace(id)
	return s, err
}

// tracked reports whether the index or HEAD holds a path.
func (g *Git) tracked(path string) (bool, error) {
	staged, err := g.run("ls-files", "-z", "--cached", "--", ":(top,literal)"+path)
	if err != nil || staged != "" {
		return true, err
	}
	committed, err := g.run("ls-tree", "-z", "HEAD", "--", path)
	return committed != "", err
}

// ignored reports whether git ignores a folder, which it then refuses to be told to leave out. Whether the folder is there
// must not matter: another recorder may make it just now.
func (g *Git) ignored(folder string) bool {
	_, err := g.run("check-ignore", "-q", "--no-index", "--", folder+"/")
	return err == nil
}

// isolated are the variables that keep git from writing to the repository, and from running what it does not need.
func (g *Git) isolated(temp string) []string {
	env := []string{
		"GIT_INDEX_FILE=" + filepath.Join(temp, "index"),
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(temp, "objects"),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoteAlternate(g.objects),
		"GIT_NO_REPLACE_OBJECTS=1",
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)),
	}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
}

// quoteAlternate writes a path as an element of a list that git splits at colons: in C's quotes.
func quoteAlternate(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

const gitlink = "160000"

// changes lists how the index differs from HEAD. It refuses repositories inside of the work tree that HEAD does not know
// as submodules: git notes their commit alone, so that edits in them would stay unseen.
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
			return nil, fmt.Errorf("%q is a repository of its own that is no submodule of HEAD, so edits in it would stay unseen: remove it, let git ignore it, or commit it as a submodule", path)
		}
		if path != evidence && !strings.HasPrefix(path, evidence+"/") {
			changes[path] = parts[i]
		}
	}
	return changes, nil
}

// run runs git at the root and returns its standard output. In a process group of its own it does not get the
// terminal's interrupt, which is meant for the command.
//
// A command can have set filters that git then starts. What they leave running is ended, as what a command leaves.
func (g *Git) run(args ...string) (string, error) {
	var out, errs bytes.Buffer
	c := exec.Command(g.program, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = g.root, g.env, &out, &errs
	c.SysProcAttr = ownGroup()
	c.WaitDelay = DefaultGrace // for the end of output that something else holds
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
