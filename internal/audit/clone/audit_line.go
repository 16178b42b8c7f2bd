package clone

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/closeout-gate/closeout/internal/audit/audit"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// The directories of a repository that decide what is judged, and how.
const (
	contractDir  = ".closeout"
	workflowsDir = "workflows" // in .github
)

// auditLine is the line of first parents of a branch, with the directories that an audit compares.
type auditLine struct {
	line  *audit.Line
	dirs  []rootDirs
	ended error  // why the line has no end; nil when it leads to a first commit
	kept  string // the commit of the archive that the auditor kept; "" for none
}

// rootDirs are the ids of two directories at the root of a commit; zero where it has none.
type rootDirs struct{ closeout, github git.ID }

// walkLine walks the line of first parents, and then reads its trees.
func (g *Clone) walkLine(tip string) (*auditLine, error) {
	at, err := g.repo.ParseID(tip)
	if err != nil {
		return nil, err
	}
	l := &auditLine{}
	var commits []audit.Commit
	var trees []git.ID
	for {
		info, err := g.repo.Commit(at)
		if err != nil && len(commits) == 0 {
			return nil, collect.Fixed(err)
		}
		if err != nil {
			l.ended = collect.Fixed(err)
			break
		}
		commits = append(commits, audit.Commit{ID: at.String(), Seconds: info.Date, Subject: info.Subject, Author: info.Author})
		trees = append(trees, info.Tree)
		if len(info.Parents) == 0 {
			break
		}
		at = info.Parents[0]
	}
	const portion = 512 // of trees, most of which have the directories of the one before
	l.dirs = make([]rootDirs, len(trees))
	errs := make([]error, (len(trees)+portion-1)/portion)
	collect.Parallel(len(errs), func(i int) {
		from, to := i*portion, min((i+1)*portion, len(trees))
		errs[i] = g.rootDirs(trees[from:to], l.dirs[from:to])
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	l.line = audit.NewLine(commits)
	l.line.Incomplete = l.ended != nil
	return l, nil
}

// rootDirs finds the directories at the roots of trees.
func (g *Clone) rootDirs(trees []git.ID, dirs []rootDirs) error {
	for i, tree := range trees {
		if i > 0 && tree == trees[i-1] {
			dirs[i] = dirs[i-1]
			continue
		}
		found, err := g.repo.Pick(tree, contractDir, ".github")
		if err != nil {
			return collect.Fixed(err)
		}
		for j, id := range []*git.ID{&dirs[i].closeout, &dirs[i].github} {
			if found[j].Mode == git.ModeTree { // a file, link or submodule of that name is not a directory of settings
				*id = found[j].ID
			}
		}
	}
	return nil
}

// day is the date of a commit, for comparing with what a person names.
func (l *auditLine) day(at int) string {
	return time.Unix(l.line.Commits[at].Seconds, 0).UTC().Format(time.DateOnly)
}

// bound finds the range that is audited. A day includes more rather than less where the dates run backwards.
func (l *auditLine) bound(g *Clone, in *audit.Input, o *AuditOptions) error {
	in.Newest, in.Oldest, in.Adopted = 0, len(l.line.Commits)-1, -1
	if o.Until != "" {
		at, err := l.find(o.Until, "--until", false)
		if err != nil {
			return err
		}
		in.Newest = at
	}
	since := ""
	for _, name := range o.Since {
		of := &since
		if _, onLine := l.line.At(name); !onLine && !input.CalendarDay(name) && g.mayBeArchive(name) {
			of = &l.kept
		}
		if *of != "" {
			return fmt.Errorf("--since names %q and %q: expected one commit or day of the branch, and one commit of the archive", *of, name)
		}
		*of = name
	}
	if since != "" {
		at, err := l.find(since, "--since", true)
		if err != nil {
			return err
		}
		in.Oldest = at
	}
	if in.Newest > in.Oldest {
		return fmt.Errorf("--since %q is newer than --until %q: expected an older commit or day", since, o.Until)
	}
	return nil
}

// mayBeArchive reports whether a commit is one of an archive, or one that the clone does not have, as where the archive was replaced.
func (g *Clone) mayBeArchive(commit string) bool {
	_, err := g.Archive(commit)
	return err == nil || collect.Unknowable(err)
}

// find gives the position of a commit, or of the first or last commit of the days that a day begins or ends.
func (l *auditLine) find(name, flag string, oldest bool) (int, error) {
	if !input.CalendarDay(name) {
		if at, ok := l.line.At(name); ok {
			return at, nil
		}
		return 0, fmt.Errorf("%s names %q, which is not on the line of first parents of the branch: expected a commit of it, or a day as YYYY-MM-DD", flag, name)
	}
	if oldest {
		for at := len(l.line.Commits) - 1; at >= 0; at-- {
			if l.day(at) >= name {
				return at, nil
			}
		}
		return 0, fmt.Errorf("%s %s is newer than every commit of the branch", flag, name)
	}
	for at := range l.line.Commits {
		if l.day(at) <= name {
			return at, nil
		}
	}
	return 0, fmt.Errorf("%s %s is older than every commit of the branch", flag, name)
}

// adopt finds the changes of contract and workflow, and the commit with which the gate was adopted.
func (l *auditLine) adopt(g *Clone, in *audit.Input, named string) error {
	h := &settings{git: g, limits: input.DefaultLimits(), gates: map[git.ID]gate{}, adopted: -1}
	for at := len(l.dirs) - 1; at >= 0; at-- {
		h.step(at, l.dirs[at])
	}
	in.Edits = h.changes
	in.Adopted = h.adopted
	if h.err != nil {
		in.Found = append(in.Found, audit.Unavailable("the contracts and workflows of the branch", collect.Fixed(h.err)))
	}
	if named != "" {
		at, err := l.find(named, "--adopted", true)
		if err != nil {
			return err
		}
		in.Adopted, in.AdoptedNamed = at, true
		return nil
	}
	if h.err != nil || in.Adopted < 0 || l.ended != nil { // the archive begins with the adoption
		for _, x := range in.Entries {
			if x.At >= 0 {
				oldest := min(x.At+len(x.Entry.Commits), len(l.dirs)) - 1 // an entry may name more commits than there are
				in.Adopted, in.AdoptedNamed = max(in.Adopted, oldest), true
			}
		}
	}
	return nil
}

// settings follows contract and workflows along a line, from the oldest commit.
type settings struct {
	git      *Clone
	limits   input.Limits
	dirs     rootDirs
	flows    git.ID             // of .github/workflows
	text     contractState      // of the standing contract
	readable *contract.Contract // the last one that could be read
	gates    map[git.ID]gate    // by blob
	running  map[string]git.ID  // the workflows that run the gate, by their path
	changes  []audit.Edit
	adopted  int
	err      error
}

// contractState is the standing contract of a commit.
type contractState struct {
	path string // "" for none
	id   git.ID
	file bool // it is a regular file
}

// isRegular reports whether an entry is a regular file, which may be executable.
func isRegular(e git.Entry) bool {
	return e.Mode == git.ModeFile || e.Mode == git.ModeExecutable
}

// gate says whether a workflow runs the gate, and at which version.
type gate struct {
	runs bool
	pin  string
}

// step compares a commit with the one before it.
func (s *settings) step(at int, dirs rootDirs) {
	if dirs.closeout != s.dirs.closeout {
		s.contract(at, dirs.closeout)
	}
	if dirs.github != s.dirs.github {
		s.workflows(at, dirs.github)
	}
	s.dirs = dirs
	if s.adopted < 0 && s.text.path != "" && len(s.running) > 0 {
		s.adopted = at
	}
}

func (s *settings) fail(err error) { s.err = errors.Join(s.err, err) }

// contract compares the standing contract with the one before.
func (s *settings) contract(at int, tree git.ID) {
	var now contractState
	if !tree.IsZero() {
		names := []string{}
		for _, extension := range policy.ContractExtensions {
			names = append(names, path.Base(policy.StandingContract)+extension)
		}
		found, err := s.git.repo.Pick(tree, names...)
		if err != nil {
			s.fail(err)
			return
		}
		for i, e := range found {
			if !e.ID.IsZero() && now.path == "" {
				now = contractState{path.Join(contractDir, names[i]), e.ID, isRegular(e)}
			}
		}
	}
	if now == s.text {
		return
	}
	old := s.text
	s.text = now
	c := audit.Edit{Kind: report.ChangeContract, At: at, Path: now.path}
	if now.path == "" {
		c.Path, c.Text, c.Loosened = old.path, "the contract was removed", audit.Loosened(nil, nil)
		s.changes = append(s.changes, c)
		return
	}
	parsed, err := s.parse(now)
	switch {
	case err != nil:
		s.fail(err)
		return
	case parsed == nil:
		c.Text = "a contract that cannot be read"
	case s.readable == nil:
		c.Text = "the first contract"
	default:
		c.Loosened = audit.Loosened(s.readable, parsed)
		c.Text = "the contract changed"
		if len(c.Loosened) > 0 {
			c.Text = "the contract was loosened: " + c.Loosened[0]
		}
	}
	if parsed != nil {
		s.readable = parsed
	}
	s.changes = append(s.changes, c)
}

// parse reads a contract; nil when it is malformed.
func (s *settings) parse(c contractState) (*contract.Contract, error) {
	if !c.file {
		return nil, nil
	}
	data, err := s.git.repo.Blob(c.id, s.limits.ContractBytes)
	if large := (*git.TooLarge)(nil); errors.As(err, &large) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	parsed, errs := contract.Parse(path.Base(c.path), data, s.limits)
	if errs.Any() {
		return nil, nil
	}
	return parsed, nil
}

// maxWorkflow is how large a workflow may be to be read, in bytes.
const maxWorkflow = 1 << 20

// gateUse is how a workflow calls the gate.
var gateUse = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`closeout-gate/closeout[^\s"'#@]*(?:@([^\s"'#]{1,100}))?`)
})

// workflows compares the workflows that run the gate with those before.
func (s *settings) workflows(at int, github git.ID) {
	var flows git.Entry
	if !github.IsZero() {
		found, err := s.git.repo.Pick(github, workflowsDir)
		if err != nil {
			s.fail(err)
			return
		}
		flows = found[0]
	}
	if flows.ID == s.flows {
		return
	}
	s.flows = flows.ID
	now := map[string]git.ID{}
	if flows.Mode == git.ModeTree {
		entries, err := s.git.repo.Tree(flows.ID)
		if err != nil {
			s.fail(err)
			return
		}
		for _, e := range entries {
			if isRegular(e) && (strings.HasSuffix(e.Name, ".yml") || strings.HasSuffix(e.Name, ".yaml")) && s.gate(e.ID).runs {
				now[path.Join(".github", workflowsDir, e.Name)] = e.ID
			}
		}
	}
	s.compare(at, now)
}

// gate reads a workflow.
func (s *settings) gate(id git.ID) gate {
	known, ok := s.gates[id]
	if ok {
		return known
	}
	data, err := s.git.repo.Blob(id, maxWorkflow)
	if large := (*git.TooLarge)(nil); err != nil && !errors.As(err, &large) {
		s.fail(err)
	}
	if bytes.Contains(data, []byte("closeout-gate/closeout")) {
		var pins []string
		for _, m := range gateUse().FindAllSubmatch(data, 20) {
			if pin := string(m[1]); pin != "" && !slices.Contains(pins, pin) {
				pins = append(pins, pin)
			}
		}
		known = gate{true, strings.Join(pins, ", ")}
	}
	s.gates[id] = known
	return known
}

// compare notes which workflows that run the gate were added, removed or changed.
func (s *settings) compare(at int, now map[string]git.ID) {
	var paths []string
	for p := range now {
		paths = append(paths, p)
	}
	for p := range s.running {
		if _, there := now[p]; !there {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	for _, p := range paths {
		before, was := s.running[p]
		after, is := now[p]
		c := audit.Edit{Kind: report.ChangeWorkflow, At: at, Path: p}
		old, pin := s.gates[before].pin, s.gates[after].pin
		switch {
		case before == after:
			continue
		case !was:
			c.Text = "a workflow that runs the gate was added"
		case !is:
			c.Text = "it no longer runs the gate"
		case old != pin:
			c.Text = "it runs the gate at " + pin + ", before at " + old
		default:
			c.Text = "it changed"
		}
		s.changes = append(s.changes, c)
	}
	s.running = now
}

// BranchName is the name of the branch that a name of a ref means, without remote; "" when it means none, as a commit does.
func (g *Clone) BranchName(name string) (string, error) {
	candidates := []string{name}
	if !strings.HasPrefix(name, "refs/") && name != "HEAD" {
		candidates = []string{"refs/heads/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"}
	}
	ref, err := g.FirstRef(candidates...)
	if err != nil || ref == "" {
		return "", nil // a commit, or a name that Resolve refuses
	}
	if target, err := g.repo.Symbolic(ref); err != nil {
		return "", collect.Fixed(err)
	} else if target != "" {
		ref = target
	}
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		return branch, nil
	}
	if remote, ok := strings.CutPrefix(ref, "refs/remotes/"); ok {
		_, branch, _ := strings.Cut(remote, "/")
		return branch, nil
	}
	return "", nil
}
