// Package start writes the first contract of a repository: what the tracked files say about its tests, its linters and its
// directories. Nothing of the repository runs.
package start

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Options is what a person chose.
type Options struct {
	YAML     bool     // write the contract as YAML, with comments
	Test     []string // a command that proves a change, instead of those that are found; nil for none
	Contract string   // the contract that exists, which is kept; "" for none
	Solo     bool     // the repository has one maintainer, who overrides and approves as author
}

// Plan is what is to be written.
type Plan struct {
	Contract string   // path of the contract
	Files    []File   // the contract and what it names, unless there is one, and the workflow
	Ignore   []string // lines that .gitignore needs, if it does not ignore these paths yet
	Notes    []string // what was found and left out, and why
	Setup    []string // shell commands that install what the commands of the contract need
	Programs []string // what the commands of a new contract start
}

// File is a file to be written, if there is none yet.
type File struct {
	Path string
	Data []byte
}

// evidence is the directory of evidence, which the contract leaves at its default.
const evidence = ".closeout/evidence"

// maxCriteria is how many criteria are found at most: a repository with more parts has a command of its own for all of them.
const maxCriteria = 12

// ErrNoTests says that nothing in the repository tells how it is tested.
var ErrNoTests = errors.New("no test command was found")

// criterion is an acceptance criterion to be written.
type criterion struct {
	id     string
	run    []string
	cwd    string // "." for the root
	report string // path of the test report; "" when the runner writes none
	stdout bool   // the report is the standard output
	tests  int    // how many tests the report must contain
	none   string // why there is no report
	why    string // for a comment, one line

	ecosystem *toolchain.Ecosystem // nil when it is not known
}

// starter collects what a repository says about itself.
type starter struct {
	*tree
	solo     bool
	criteria []*criterion
	linters  []linter
	setup    []string        // shell commands that prepare a fresh checkout
	tools    []string        // of the setup steps: go, node, python, …
	ignore   []string        // lines for .gitignore
	extra    []File          // that the contract names
	shut     map[string]bool // files of the root of which every change counts, because a command of the contract may run them
}

// New plans the first contract of a repository with these tracked files, sorted by path. The error is [ErrNoTests], or it
// says that what was made is not a contract, which is a defect of this package.
func New(files []change.Change, source Source, o Options) (*Plan, error) {
	s := &starter{tree: newTree(files, source), solo: o.Solo}
	if o.Test != nil {
		s.add(&criterion{id: "test", run: o.Test, cwd: ".", why: "the command that was given to init"})
	} else {
		s.findTests()
	}
	if len(s.criteria) == 0 && o.Contract == "" {
		return &Plan{Notes: s.notes}, ErrNoTests
	}
	s.findLinters()
	if s.any(func(p string) bool { return strings.HasSuffix(p, ".py") }) { // any command may run Python
		s.leaves(pycache)
	}
	s.ignore = append([]string{"/" + evidence + "/", "verification_report.json"}, s.ignore...)
	p := &Plan{Contract: o.Contract}
	if o.Contract == "" {
		if err := s.contract(p, o.YAML); err != nil {
			return nil, err
		}
		for _, c := range s.criteria {
			p.Programs = append(p.Programs, c.run[0])
		}
		for _, l := range s.linters {
			p.Programs = append(p.Programs, l.run[0])
		}
		slices.Sort(p.Programs)
		p.Programs = slices.Compact(p.Programs)
	}
	if s.called("closeout-gate/closeout") {
		s.note("no workflow was added: one of this repository runs the gate already")
	} else {
		workflow, err := s.workflow(o.Contract == "")
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, File{".github/workflows/closeout.yml", workflow})
	}
	p.Ignore, p.Notes, p.Setup = s.ignore, s.notes, s.setup
	return p, nil
}

// contract adds the contract to a plan, and the files that it names.
func (s *starter) contract(p *Plan, yaml bool) error {
	p.Contract = ".closeout/scope_contract.json"
	if yaml {
		p.Contract = ".closeout/scope_contract.yaml"
	}
	data := render(s.sections(), yaml)
	made, errs := contract.Parse(p.Contract, data, input.DefaultLimits())
	if errs.Any() {
		return fmt.Errorf("the contract that init made is malformed: %s", errs.All()[0].Message)
	}
	if s.shutFor(made) {
		data = render(s.sections(), yaml)
	}
	p.Files = append([]File{{p.Contract, data}}, s.extra...)
	return nil
}

// shutFor finds the files of the root that the commands of a contract close; false when there are none.
func (s *starter) shutFor(c *contract.Contract) bool {
	p, problems := policy.Join([]policy.Source{{Contract: c, Kind: "contract", Trust: facts.TrustBase}}, "")
	if len(problems) > 0 {
		return false
	}
	s.shut = map[string]bool{}
	for i := range s.tree.files {
		f := &s.tree.files[i]
		if strings.Contains(f.Path, "/") {
			continue
		}
		change := change.Change{Path: f.Path, Status: change.Modified, OldMode: f.NewMode, NewMode: f.NewMode, KeysKnown: true}
		if p.Classify(&change).Class == policy.ClassProtected {
			s.shut[f.Path] = true
		}
	}
	return len(s.shut) > 0
}

// findTests finds the criteria. What a language's own files say comes first; a Makefile or a wrapper may do anything, so it
// counts only where there is nothing else.
func (s *starter) findTests() {
	s.golang()
	s.javascript()
	s.python()
	s.rust()
	s.composer()
	s.otherKinds()
	if len(s.criteria) == 0 {
		s.targets()
	}
	if n := len(s.criteria); n > maxCriteria {
		s.note(strconv.Itoa(n) + " test commands were found, and the first " + strconv.Itoa(maxCriteria) +
			" were kept: name one command that runs all tests (closeout init --test COMMAND)")
		s.criteria = s.criteria[:maxCriteria]
	}
}

// add adds a criterion under an id that no other one has.
func (s *starter) add(c *criterion) {
	c.id = s.freeID(c.id, c.cwd)
	s.criteria = append(s.criteria, c)
}

// counted lets the command of a criterion write a report; base is the directory that paths in its arguments are
// relative to. The report must contain half of the tests that were counted, because tests may be skipped on one
// machine, and honest changes remove some. The gate fails when a change removes the rest.
func (c *criterion) counted(r *toolchain.Report, tests int, base string) {
	c.report, c.stdout, c.tests = reportPath(r.File, c.cwd), r.Stdout, max(1, tests/2)
	to := from(base, c.report)
	c.run = words(c.run, r.Options(to))
	if r.Env != "" {
		c.run = words([]string{"env", r.Env + "=" + to}, c.run)
	}
}

func (s *starter) hasCriterion(id string) bool {
	return slices.ContainsFunc(s.criteria, func(c *criterion) bool { return c.id == id })
}

const maxID = 60 // an id has at most 64 characters

// freeID makes an id of a kind and a directory.
func (s *starter) freeID(kind, dir string) string {
	id := kind
	if dir != "." {
		id += ":" + strings.Map(func(r rune) rune {
			if r < 0x80 && (strings.ContainsRune("._/-", r) || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z')) {
				return r
			}
			return '-'
		}, dir)
	}
	id = id[:min(len(id), maxID)]
	free := id
	for n := 2; s.hasCriterion(free); n++ {
		free = id + "-" + strconv.Itoa(n)
	}
	return free
}

// prepare adds a shell command that prepares a checkout, once.
func (s *starter) prepare(dir, command string) {
	if dir != "." {
		command = "(cd " + input.ShellWord(dir) + " && " + command + ")"
	}
	if !slices.Contains(s.setup, command) {
		s.setup = append(s.setup, command)
	}
}

// tool names a tool that a workflow must install.
func (s *starter) tool(name string) {
	if !slices.Contains(s.tools, name) {
		s.tools = append(s.tools, name)
	}
}

// leaves adds lines for .gitignore about what the commands leave behind: a file that git does not ignore is code, and a record
// that leaves one is of other code. A directory that is tracked stays tracked.
func (s *starter) leaves(lines ...string) {
	for _, line := range lines {
		name := strings.Trim(line, "/")
		tracked := s.any(func(p string) bool { return slices.Contains(strings.Split(p, "/"), name) })
		if !tracked && !slices.Contains(s.ignore, line) {
			s.ignore = append(s.ignore, line)
		}
	}
}

// reportPath is the path of a test report in the repository.
func reportPath(name, dir string) string {
	if dir != "." {
		name = strings.ReplaceAll(dir, "/", "-") + "-" + name
	}
	return evidence + "/" + name
}

// from is a path of the repository, seen from a directory of it.
func from(dir, p string) string {
	if dir == "." {
		return p
	}
	return strings.Repeat("../", strings.Count(dir, "/")+1) + p
}

// printable reports whether a directory can be written into a contract as the cwd or the report of a criterion.
func printable(dir string) bool {
	_, ok := contract.NormalCwd(dir)
	return ok && strings.TrimSpace(dir) != "" && !strings.ContainsAny(dir, "*?{\\") && strings.ToValidUTF8(dir, "") == dir &&
		!strings.ContainsFunc(dir, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// usable leaves out the directories that a contract cannot name, with a note.
func (s *starter) usable(kind string, dirs []string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool {
		if printable(dir) {
			return false
		}
		s.note(kind + " in " + input.Quote(dir) + " was left out: a contract cannot name this directory")
		return true
	})
}
