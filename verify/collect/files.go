package collect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Defaults of where a workflow keeps its evidence.
const (
	DefaultFeedback = policy.DefaultEvidenceDir + "/" + feedbackFiles
	DefaultRules    = policy.DefaultEvidenceDir + "/" + rulesFile

	feedbackFiles = "**/feedback_record.jsonl"
	rulesFile     = "rule_report.json"
)

// Options names the inputs one by one, for a folder that is no bundle. Paths are relative to Root or absolute; lists
// hold globs.
type Options struct {
	Root         string // folder that relative paths start from
	Names        string // folder that the report's names and the defaults start from; "" is Root
	EvidenceDir  string // where the defaults look, relative to Names; "" is .closeout/evidence
	Confined     bool   // refuse whatever lies outside Root, also behind symlinks
	ContractFile string // "" is none
	Feedback     []string
	Rules        []string
	RulesReport  string   // what rules.run of the contract writes, relative to Names; looked for beside the default; "" is none
	Diff         []string // pr.diff, changes.json, or one of each
	Coverage     string
	Facts        string
}

// Files finds the inputs that Options names. The error is one of usage: a path that may not be named. A file that is
// named and not there becomes a note, so that the report says so.
func Files(o Options) (*Found, error) {
	c := newCollector(o)
	c.file(check.Contract, o.ContractFile)
	c.diffs(o.Diff)
	c.file(check.Coverage, o.Coverage)
	c.file(check.Facts, o.Facts)
	c.globs(check.Feedback, o.Feedback, c.fallback(feedbackFiles))
	rules := []string{c.fallback(rulesFile)}
	if o.RulesReport != "" {
		rules = append(rules, filepath.Join(escapeGlob(c.options.Names), escapeGlob(filepath.FromSlash(o.RulesReport))))
	}
	c.globs(check.Rules, o.Rules, rules...)
	if c.err != nil {
		return nil, c.err
	}
	return c.bundle, nil
}

// NamesFile reports whether a path is one of the files that the options name, or matches one of their patterns or of the
// defaults. Nothing is listed for it.
func (o Options) NamesFile(path string) bool {
	names := slices.Concat([]string{o.ContractFile, o.Coverage, o.Facts}, o.Diff, o.Feedback, o.Rules)
	top := repoRoot(o.Root) // with two commits the defaults start there
	if len(o.Feedback) == 0 {
		names = append(names, DefaultFeedback, filepath.Join(top, DefaultFeedback))
	}
	if len(o.Rules) == 0 {
		names = append(names, DefaultRules, filepath.Join(top, DefaultRules))
	}
	return slices.ContainsFunc(names, func(name string) bool {
		if name == "" {
			return false
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(o.Root, name)
		}
		absolute, err := filepath.Abs(path)
		matches, errMatch := doublestar.PathMatch(filepath.Clean(name), absolute)
		return Overwrites(path, name) || err == nil && errMatch == nil && matches
	})
}

// diffKind tells a list of changes from a diff by its ending.
func diffKind(name string) check.Kind {
	if filepath.Ext(name) == ".json" {
		return check.Changes
	}
	return check.Diff
}

// collector gathers inputs; it keeps the first error.
type collector struct {
	options Options
	bundle  *Found
	err     error
}

func newCollector(o Options) *collector {
	if o.Names == "" {
		o.Names = o.Root
	}
	if o.EvidenceDir == "" {
		o.EvidenceDir = policy.DefaultEvidenceDir
	}
	c := &collector{options: o, bundle: &Found{Bundle: &verify.Bundle{}}}
	c.bundle.TestReport = func(p string) verify.Opener { return c.existing(filepath.Join(o.Names, filepath.FromSlash(p))) }
	return c
}

// below is the place of a file that the repository may hold in its work tree; "" when name is "" or nothing is there.
func (o Options) below(name string) string {
	if o.Names == "" {
		o.Names = o.Root
	}
	file := filepath.Join(o.Names, filepath.FromSlash(name))
	if _, err := os.Lstat(file); name == "" || err != nil {
		return ""
	}
	return file
}

// resolve gives the path to open and the name in the report: relative to the root where it lies inside, else only the
// file's own name, since a report holds no absolute path.
func (c *collector) resolve(name string) (path, display string, err error) {
	path = name
	if !filepath.IsAbs(name) {
		path = filepath.Join(c.options.Root, name)
	}
	relative, err := filepath.Rel(c.options.Names, path)
	if err == nil && filepath.IsLocal(relative) {
		return path, filepath.ToSlash(relative), nil
	}
	if c.options.Confined {
		return "", "", fmt.Errorf("%q lies outside the workspace: name a path inside it", name)
	}
	return path, filepath.Base(path), nil
}

// diffs adds the lists of changes. Of two that are of one kind, the gate could not tell which one is meant.
func (c *collector) diffs(names []string) {
	seen := map[check.Kind]string{}
	for _, name := range names {
		kind := diffKind(name)
		if first, twice := seen[kind]; twice {
			c.fail(fmt.Errorf("%q and %q are both a %s: name one changes.json and one unified diff at most", first, name, diffNames[kind]))
			return
		}
		seen[kind] = name
		c.file(kind, name)
	}
}

var diffNames = map[check.Kind]string{check.Changes: "changes.json", check.Diff: "unified diff"}

func (c *collector) file(kind check.Kind, name string) {
	if name == "" {
		return
	}
	path, display, err := c.resolve(name)
	if err != nil {
		c.fail(err)
		return
	}
	in := verify.Input{Kind: kind, Name: display, Open: c.open(path)}
	if kind == check.Contract {
		in.RepoPaths = repoPaths(c.options.Names, path)
	}
	c.bundle.Inputs = append(c.bundle.Inputs, in)
	c.bundle.Paths = append(c.bundle.Paths, path)
}

// repoPaths gives the paths under which the repository that encloses dir holds a file: the one that was named, and the one
// behind symlinks. A file outside of it has none.
func repoPaths(dir, path string) []string {
	var paths []string
	for _, resolve := range []func(string) (string, error){filepath.Abs, filepath.EvalSymlinks} {
		root, errRoot := resolve(repoRoot(dir))
		file, errFile := resolve(path)
		if errRoot != nil || errFile != nil {
			continue
		}
		inside, err := filepath.Rel(root, file)
		if err == nil && filepath.IsLocal(inside) && !slices.Contains(paths, filepath.ToSlash(inside)) {
			paths = append(paths, filepath.ToSlash(inside))
		}
	}
	return paths
}

// repoRoot is the folder at or above dir that holds .git; dir itself when there is none.
func repoRoot(dir string) string {
	for up := dir; ; up = filepath.Dir(up) {
		if _, err := os.Lstat(filepath.Join(up, ".git")); err == nil {
			return up
		}
		if up == filepath.Dir(up) {
			return dir
		}
	}
}

func (c *collector) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// open opens a file; a confined collector reads nothing behind a symlink that leads out of the root.
func (c *collector) open(path string) verify.Opener {
	return func() (io.ReadCloser, error) {
		if !c.options.Confined {
			return regular(os.OpenFile(path, readOnly, 0))
		}
		inside, err := filepath.Rel(c.options.Root, path)
		if err != nil {
			return nil, err
		}
		root, err := os.OpenRoot(c.options.Root)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return regular(root.OpenFile(inside, readOnly, 0))
	}
}

// existing opens a file below the root that is there; nil when there is none.
func (c *collector) existing(name string) verify.Opener {
	path, _, err := c.resolve(name)
	if err != nil {
		return nil
	}
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return c.open(path)
}

// globs finds the files of some patterns, each once. A pattern that a person wrote and that matches nothing becomes a
// note; the default may match nothing.
func (c *collector) globs(kind check.Kind, patterns []string, fallback ...string) {
	given := len(patterns) > 0
	if !given {
		patterns = fallback
	}
	var files []string
	for _, pattern := range patterns {
		matches := c.matches(pattern, given)
		if len(matches) == 0 && given {
			c.note(kind, pattern)
		}
		files = append(files, matches...)
	}
	slices.Sort(files) // the order of the patterns must not matter
	for _, f := range slices.Compact(files) {
		c.file(kind, f)
	}
}

// fallback is a pattern in the evidence folder.
func (c *collector) fallback(files string) string {
	return filepath.Join(escapeGlob(c.options.Names), escapeGlob(filepath.FromSlash(c.options.EvidenceDir)), files)
}

// matches lists the files that a pattern names, sorted; given says that a person named it.
func (c *collector) matches(pattern string, given bool) []string {
	full := pattern
	if !filepath.IsAbs(pattern) {
		full = filepath.Join(escapeGlob(c.options.Root), filepath.FromSlash(pattern))
	}
	matches, err := doublestar.FilepathGlob(full, doublestar.WithFilesOnly(), doublestar.WithNoFollow(), doublestar.WithFailOnIOErrors())
	if !given && errors.Is(err, syscall.ENOTDIR) {
		return nil // a file where the evidence folder would be is for the judge to find
	}
	if err != nil {
		// A folder that cannot be listed may hold the log of a failure.
		c.fail(fmt.Errorf("the files of %q cannot be listed: %w", c.shown(pattern), Reason(err)))
		return nil
	}
	if len(matches) == 0 {
		if _, err := os.Lstat(full); err == nil {
			matches = []string{full} // a name with a bracket in it, or a file that cannot be read
		}
	}
	slices.Sort(matches)
	return matches
}

// escapeGlob makes a folder's name match itself in a pattern.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(dir)
}

// note says that a pattern matches nothing. An absolute one goes into the report as a file of that name would.
func (c *collector) note(kind check.Kind, pattern string) {
	c.bundle.Settings.Notes = append(c.bundle.Settings.Notes, check.Unmatched(kind, c.shown(pattern)))
}

// shown is what a report calls a pattern: as it was given, but without the folders of this machine.
func (c *collector) shown(pattern string) string {
	if !filepath.IsAbs(pattern) {
		return pattern
	}
	relative, err := filepath.Rel(c.options.Names, pattern)
	if err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative)
	}
	return filepath.Base(pattern)
}
