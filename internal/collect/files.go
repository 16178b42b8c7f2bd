package collect

import (
	"cmp"
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
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Where feedback logs and rule reports are looked for by default.
const (
	DefaultFeedback = policy.DefaultEvidenceDir + "/" + feedbackFiles
	DefaultRules    = policy.DefaultEvidenceDir + "/" + policy.DefaultRules

	feedbackFiles = "**/feedback_record.jsonl"
)

// Options names the inputs one by one, for a directory that is not a bundle. Paths are relative to Root or absolute;
// lists contain globs.
type Options struct {
	Root         string // directory that relative paths start from
	Names        string // directory that the report's names and the defaults start from; "" is Root
	EvidenceDir  string // where the defaults look, relative to Names; "" is .closeout/evidence
	Confined     bool   // refuse files outside Root, also behind symlinks
	ContractFile string // "" is none
	Own          bool   // the contract file is one of the work tree, for a trial: no link leads out of it
	Feedback     []string
	Rules        []string
	RulesReport  string   // what rules.run of the contract writes, relative to Names; looked for beside the default; "" is none
	Diff         []string // pr.diff, changes.json, or one of each
	Coverage     string
	Facts        string
	BaseTests    string // a directory with test reports of the base; "" is none

	// For a decision about two commits.
	Contract string // path of the standing contract at the base; "" is .closeout/scope_contract.json, .yaml or .yml
	// ContractsAt is the commit whose standing contract and task contracts count; "" is the base of the comparison. With it the
	// base is only where the changes start: see [Since].
	ContractsAt string
	TaskFiles   []string        // task contracts outside of the repository that the caller vouches for; nil for none
	Group       bool            // the commits are those of a merge group, whose pull requests have tasks of their own
	Settings    verify.Settings // limits; mode, strictness, task, day and digests become facts
	// WorkTree is the code tree of a work tree that is judged in place of the head, which it differs from; "" is none. The
	// changes are still those of the head.
	WorkTree string
	// Parsed has the contracts that the process parsed before; nil for none.
	Parsed *contract.Cache

	declared string // the coverage report that the contracts declare, relative to Names; "" is none
}

// Files finds the inputs that Options names. The error is one of usage: a path that may not be named. A file that is
// named but does not exist becomes a note, so that the report says so.
func Files(o Options) (*Found, error) {
	f := newFinder(o)
	f.file(check.Contract, o.ContractFile, o.Own)
	f.diffs(o.Diff)
	f.file(check.Coverage, o.Coverage, false)
	if o.Coverage == "" {
		f.file(check.Coverage, o.existingPath(o.declared), true)
	}
	f.file(check.Facts, o.Facts, false)
	f.globs(check.Feedback, o.Feedback, f.fallback(feedbackFiles))
	rules := []string{f.fallback(policy.DefaultRules)}
	if o.RulesReport != "" {
		rules = append(rules, filepath.Join(escapeGlob(f.options.Names), escapeGlob(filepath.FromSlash(o.RulesReport))))
	}
	f.globs(check.Rules, o.Rules, rules...)
	if o.BaseTests != "" {
		dir, _, err := f.resolve(o.BaseTests)
		if err != nil {
			f.fail(err)
		}
		f.found.baseTests = func(name string) (verify.Opener, error) { return f.baseReport(dir, name) }
	}
	if f.err != nil {
		return nil, f.err
	}
	return f.found, nil
}

// NamesFile reports whether a path is one of the files that the options name, or matches one of their patterns or of the
// defaults. Nothing is listed for it.
func (o Options) NamesFile(path string) bool {
	names := slices.Concat([]string{o.ContractFile, o.Coverage, o.Facts}, o.TaskFiles, o.Diff, o.Feedback, o.Rules)
	top := repoRoot(o.Root) // with two commits the defaults start there
	if o.BaseTests != "" {
		names = append(names, escapeGlob(o.BaseTests)+"/**")
	}
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
		return Overwrites(path, name) || (err == nil && errMatch == nil && matches)
	})
}

// CheckDiff refuses a changes.json as the diff of two commits. The error is one of usage.
func (o Options) CheckDiff() error {
	for _, name := range o.Diff {
		if diffKind(name) != check.Diff {
			return fmt.Errorf("%q cannot be given beside two commits, which are compared to make changes.json: name a unified diff, or leave it out", name)
		}
	}
	return nil
}

// diffKind tells a list of changes from a diff by its extension.
func diffKind(name string) check.Kind {
	if filepath.Ext(name) == ".json" {
		return check.Changes
	}
	return check.Diff
}

// finder finds inputs; it keeps the first error.
type finder struct {
	options Options
	found   *Found
	err     error
}

func newFinder(o Options) *finder {
	o.Names, o.EvidenceDir = cmp.Or(o.Names, o.Root), cmp.Or(o.EvidenceDir, policy.DefaultEvidenceDir)
	f := &finder{options: o, found: &Found{Bundle: &verify.Bundle{Parsed: o.Parsed}}}
	f.found.TestReport = func(p string) verify.Opener { return f.existing(filepath.Join(o.Names, filepath.FromSlash(p))) }
	f.found.evidenceDir = o.EvidenceDir
	f.found.CrossReport = func(tree, p string) verify.Opener {
		return f.existing(filepath.Join(o.Names, filepath.FromSlash(check.CrossPath(o.EvidenceDir, tree, p))))
	}
	return f
}

// existingPath is the path of a file that the work tree may contain; "" when name is "" or nothing is there.
func (o Options) existingPath(name string) string {
	file := filepath.Join(cmp.Or(o.Names, o.Root), filepath.FromSlash(name))
	if _, err := os.Lstat(file); name == "" || err != nil {
		return ""
	}
	return file
}

// resolve gives the path to open and the name in the report: relative to the root if it is inside, else only the
// file's own name, since a report contains no absolute path.
func (f *finder) resolve(name string) (path, display string, err error) {
	path = name
	if !filepath.IsAbs(name) {
		path = filepath.Join(f.options.Root, name)
	}
	display, inside := below(f.options.Names, path)
	switch {
	case inside:
	case f.options.Confined:
		return "", "", fmt.Errorf("%q is outside the workspace: name a path inside it", name)
	default:
		display = filepath.Base(path)
	}
	return path, display, nil
}

// diffs adds the lists of changes. Two of one kind are refused, since the gate cannot tell which one is meant.
func (f *finder) diffs(names []string) {
	seen := map[check.Kind]string{}
	for _, name := range names {
		kind := diffKind(name)
		if first, twice := seen[kind]; twice {
			f.fail(fmt.Errorf("%q and %q are both a %s: name one changes.json and one unified diff at most", first, name, diffNames[kind]))
			return
		}
		seen[kind] = name
		f.file(kind, name, false)
	}
}

var diffNames = map[check.Kind]string{check.Changes: "changes.json", check.Diff: "unified diff"}

// file adds a file, "" for none. An own one is of the work tree, where the change may have put a link: see [finder.open].
func (f *finder) file(kind check.Kind, name string, own bool) {
	if name == "" {
		return
	}
	path, display, err := f.resolve(name)
	if err != nil {
		f.fail(err)
		return
	}
	in := verify.Input{Kind: kind, Name: display, Open: f.open(path, own)}
	if kind == check.Contract || kind == check.TaskContract {
		in.RepoPaths = repoPaths(f.options.Names, path)
	}
	f.found.Inputs = append(f.found.Inputs, in)
	f.found.Paths = append(f.found.Paths, path)
}

// repoPaths gives the paths under which the repository that encloses dir contains a file: the one that was named, and the one
// behind symlinks. A file outside of it has none.
func repoPaths(dir, path string) []string {
	var paths []string
	for _, resolve := range []func(string) (string, error){filepath.Abs, filepath.EvalSymlinks} {
		root, errRoot := resolve(repoRoot(dir))
		file, errFile := resolve(path)
		if errRoot != nil || errFile != nil {
			continue
		}
		if name, inside := below(root, file); inside && !slices.Contains(paths, name) {
			paths = append(paths, name)
		}
	}
	return paths
}

// repoRoot is the directory at or above dir that contains .git; dir itself when there is none.
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

func (f *finder) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// open opens a file; a confined finder follows no symlink that leads out of the root, and no finder one that leads an own
// file out of the work tree.
func (f *finder) open(path string, own bool) verify.Opener {
	top := f.options.Root
	if own && !f.options.Confined {
		top = f.options.Names
	}
	return func() (io.ReadCloser, error) {
		if !f.options.Confined && !own {
			return OpenFile(path)
		}
		inside, err := filepath.Rel(top, path)
		if err != nil {
			return nil, err
		}
		root, err := os.OpenRoot(cmp.Or(top, "."))
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return OpenIn(root, inside)
	}
}

// existing opens a file below the root that is there; nil when there is none.
func (f *finder) existing(name string) verify.Opener {
	path, _, err := f.resolve(name)
	if err == nil {
		_, err = os.Lstat(path)
	}
	if err != nil {
		return nil
	}
	return f.open(path, true)
}

// globs finds the files of some patterns, each once. A pattern that a person wrote and that matches nothing becomes a
// note; the default may match nothing.
func (f *finder) globs(kind check.Kind, patterns []string, fallback ...string) {
	given := len(patterns) > 0
	if !given {
		patterns = fallback
	}
	var files []string
	for _, pattern := range patterns {
		matches := f.matches(pattern, given)
		if len(matches) == 0 && given {
			f.found.Settings.Notes = append(f.found.Settings.Notes, check.Unmatched(kind, f.shown(pattern)))
		}
		files = append(files, matches...)
	}
	for _, name := range unique(files) { // the order of the patterns must not matter
		f.file(kind, name, !given)
	}
}

// fallback is a pattern in the evidence directory.
func (f *finder) fallback(files string) string {
	return filepath.Join(escapeGlob(f.options.Names), escapeGlob(filepath.FromSlash(f.options.EvidenceDir)), files)
}

// matches lists the files that a pattern names, sorted; given says that a person named it.
func (f *finder) matches(pattern string, given bool) []string {
	full := pattern
	if !filepath.IsAbs(pattern) {
		full = filepath.Join(escapeGlob(f.options.Root), filepath.FromSlash(pattern))
	}
	matches, err := doublestar.FilepathGlob(full, doublestar.WithFilesOnly(), doublestar.WithNoFollow(), doublestar.WithFailOnIOErrors())
	if !given && errors.Is(err, syscall.ENOTDIR) {
		return nil // a file in the place of the evidence directory is for the judge to find
	}
	if err != nil {
		// A directory that cannot be listed may contain the log of a failure.
		f.fail(fmt.Errorf("the files of %q cannot be listed: %w", f.shown(pattern), input.Reason(err)))
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

// escapeGlob makes a directory's name match itself in a pattern.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(dir)
}

// shown is how a report names a pattern: as it was given, but without the directories of this machine.
func (f *finder) shown(pattern string) string {
	if !filepath.IsAbs(pattern) {
		return pattern
	}
	if name, inside := below(f.options.Names, pattern); inside {
		return name
	}
	return filepath.Base(pattern)
}
