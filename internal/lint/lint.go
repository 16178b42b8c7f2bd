// Package lint looks for mistakes in contracts and workflows that the gate would show too late, or never: patterns that match
// nothing, commands that cannot fail, a workflow that can be skipped.
//
// It judges no change. [Run] is a function of files: the same files give the same findings. Its codes are documented by the
// pages of [Pages], like those of the gate's checks.
package lint

import (
	"embed"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// The pages of documentation, and the codes of each.
var (
	contractPage = &check.Check{
		ID: "lint", Title: "The contract says what its author means",
		Codes: slices.Concat(
			check.CodesWith(input.Block, "lint.contract", "lint.evidence_tracked", "lint.not_ignored"),
			check.CodesWith(input.Warn,
				"lint.glob_matches_nothing", "lint.overlap", "lint.universal", "lint.vacuous_command",
				"lint.command_missing", "lint.argument_missing", "lint.weak", "lint.unknown_rule", "lint.exception",
				"lint.owners", "lint.no_tests",
			),
			check.CodesWith(input.Info, "lint.no_control", "lint.no_test_count", "lint.cached", "lint.not_checked"),
		),
	}
	workflowPage = &check.Check{
		ID: "lint.workflow", Title: "The workflow runs the gate on every change, and not near secrets",
		Codes: slices.Concat(
			check.CodesWith(input.Block, "lint.workflow.secrets", "lint.workflow.id_token", "lint.workflow.target"),
			check.CodesWith(input.Warn,
				"lint.workflow.missing", "lint.workflow.unreadable", "lint.workflow.trigger", "lint.workflow.filter",
				"lint.workflow.skippable", "lint.workflow.permissions", "lint.workflow.same_job",
				"lint.workflow.self_hosted", "lint.workflow.unpinned", "lint.workflow.observe",
				"lint.workflow.untrusted_input",
			),
		),
	}

	// Pages lists the pages in the order in which they are shown.
	Pages = []*check.Check{contractPage, workflowPage}
)

//go:embed *.md
var pages embed.FS

// Doc returns the page with an ID; "" when there is none.
func Doc(id string) string {
	text, _ := pages.ReadFile(id + ".md") // nil when there is none
	return string(text)
}

// severities are those of all codes.
var severities = check.CodesOf(Pages)

// File is a path that git tracks.
type File struct {
	Path string // raw bytes
	Mode change.Mode
}

// Input is what [Run] reads. A nil function means that there is nothing besides Files, except for Read.
type Input struct {
	// Files are the paths that git tracks, in any order, each once.
	Files []File
	// Partial is true when Files lacks some paths: what requires all of them is not checked.
	Partial bool
	// Read returns a file of the repository; the error is fs.ErrNotExist when there is none. It is called for few files.
	Read func(path string) ([]byte, error)
	// Stat gives the mode of a file that git may not track; 040000 for a directory.
	Stat func(path string) (change.Mode, bool)
	// List gives the names of the files in a directory that git may not track.
	List func(dir string) []string
	// Program reports whether a program without a slash in its name is installed.
	Program func(name string) bool
	// Contract is linted in place of the standing contract; nil for the one of the repository.
	Contract *Document
	// DiffRules are the ids of the gate's own rules; nil when they are unknown.
	DiffRules []string
	// Today is the day of the lint, YYYY-MM-DD; "" when it does not matter: then nothing is said about how long exceptions last.
	Today string
	// Ignored asks git whether it ignores a path, whether or not git tracks it; nil where there is no work tree.
	Ignored func(path string) (bool, error)
}

// Document is a named text.
type Document struct {
	Path string
	Text []byte
}

// Run returns what is found, each finding once.
func Run(in Input) *check.Findings {
	l := &linter{tree: newTree(&in), found: &check.Findings{}, meter: glob.NewMeter(maxSteps)}
	l.rollout = l.rollingOut()
	l.contracts()
	l.evidence()
	if !l.rollout {
		l.owners()
	}
	l.workflows()
	return l.found
}

// Report is what was found as a document; version is that of the program.
func Report(found *check.Findings, version string) *report.Lint {
	l := &report.Lint{Schema: report.LintSchema, Tool: report.Tool{Name: "closeout", Version: version}, Findings: []report.Finding{}}
	for _, kept := range found.List() {
		l.Findings = append(l.Findings, report.Finding{
			Code: kept.Code, Severity: string(kept.Severity), Message: kept.Message, Expected: check.Valid(kept.Expected), Actual: check.Valid(kept.Actual),
			Fix: check.Valid(kept.Fix), Fingerprint: kept.Print, Times: kept.Times,
			Location: report.Location{Path: kept.Path, Line: kept.Pos.Line, Column: kept.Pos.Column},
		})
	}
	l.FindingsOmitted = found.Len() - len(l.Findings)
	l.Counts = report.LintCounts{Block: found.Count(input.Block), Warn: found.Count(input.Warn), Info: found.Count(input.Info)}
	return l
}

// linter is one run.
type linter struct {
	*tree
	found      *check.Findings
	meter      *glob.Meter // of all patterns
	standing   *source     // nil when it cannot be read
	tasks      []*source   // that can be read
	flows      []*workflow
	flowsRead  bool
	flowUnread bool // one of them cannot be read
	rollout    bool // nothing is enforced yet
}

// source is a contract that was read.
type source struct {
	path     string
	task     bool
	contract *contract.Contract
	policy   *policy.Policy // with the standing contract; nil when they cannot be joined
}

// report adds a finding; a severity of "" is that of the code.
func (l *linter) report(f *check.Finding) {
	if f.Severity == "" {
		f.Severity = severities[f.Code]
	}
	f.Times = 1
	l.found.Add(*f)
}

// contracts reads and lints all contracts.
func (l *linter) contracts() {
	l.readStanding()
	l.readTasks()
	sources := l.tasks
	if l.standing != nil {
		sources = append([]*source{l.standing}, l.tasks...)
	}
	for _, s := range sources {
		l.patterns(s)
		l.commands(s)
		if !l.rollout {
			l.controls(s)
		}
		l.weak(s)
		l.diffRules(s)
		l.exceptions(s)
	}
	if l.standing != nil {
		l.tests(l.standing)
	}
}

const placesOfContract = "one of .closeout/scope_contract.json, .yaml and .yml"

func (l *linter) readStanding() {
	if l.Contract != nil {
		l.standing = l.parse(l.Contract.Path, l.Contract.Text, false)
		return
	}
	var paths []string
	for _, extension := range policy.ContractExtensions {
		if p := policy.StandingContract + extension; l.exists(p) {
			paths = append(paths, p)
		}
	}
	switch len(paths) {
	case 1:
		l.standing = l.readContract(paths[0], false)
	case 0:
		l.report(&check.Finding{
			Code: "lint.contract", Message: "the repository has no standing contract", Path: policy.StandingContract + ".json",
			Expected: placesOfContract, Actual: "none", Fix: "run `closeout init`, which writes one",
		})
	default:
		l.report(&check.Finding{
			Code: "lint.contract", Message: "the repository has several standing contracts: " + strings.Join(paths, ", "), Path: paths[1],
			Expected: placesOfContract, Actual: input.Plural(len(paths), "contract"), Fix: "keep one of them in git, and take " + paths[1] + " or the other out",
		})
	}
}

// maxTasks is how many task contracts are linted.
const maxTasks = 200

func (l *linter) readTasks() {
	names := l.names(policy.TasksDir)
	for i, name := range names {
		p := policy.TasksDir + "/" + name
		if !policy.DefaultContractPath(p) {
			continue
		}
		if i >= maxTasks {
			l.notChecked(policy.TasksDir, "more than 200 task contracts", "the rest of the task contracts")
			return
		}
		if s := l.readContract(p, true); s != nil {
			l.tasks = append(l.tasks, s)
		}
	}
}

// notChecked reports what could not be checked.
func (l *linter) notChecked(path, why, what string) {
	l.report(&check.Finding{
		Code: "lint.not_checked", Message: why + ", so lint did not check " + what, Path: path, Expected: "a repository that can be checked",
		Actual: why, Fix: "check by hand: " + what, Identity: []string{what},
	})
}

func (l *linter) readContract(path string, task bool) *source {
	text, err := l.Read(path)
	if err != nil {
		l.contractError(path, input.Unreadable("the contract", err))
		return nil
	}
	return l.parse(path, text, task)
}

// parse reads a contract and reports all of its errors, and those of the join with the standing contract.
func (l *linter) parse(name string, text []byte, task bool) *source {
	c, errs := contract.Parse(name, text, input.DefaultLimits())
	if c != nil && task {
		c.CheckTask(errs)
		if stem := strings.TrimSuffix(path.Base(name), path.Ext(name)); c.TaskID.Value != "" && stem != c.TaskID.Value {
			errs.Add(input.Error{
				Pos: c.TaskID.Pos, Where: "/task_id", Message: "the task_id is not the name of the file", Found: input.Quote(c.TaskID.Value),
				Expected: input.Quote(stem), Fix: "rename the file to " + c.TaskID.Value + path.Ext(name) + `, or write "task_id": ` + input.Quote(stem),
			})
		}
	}
	for _, e := range errs.All() {
		l.contractError(name, e)
	}
	if c == nil || errs.Any() {
		return nil
	}
	s := &source{path: name, task: task, contract: c}
	l.join(s)
	return s
}

// join joins a contract with the standing one, and reports problems that are in this contract.
func (l *linter) join(s *source) {
	sources := []policy.Source{{Contract: s.contract, Kind: string(check.Contract), Path: s.path}}
	if s.task {
		if l.standing == nil || l.standing.policy == nil {
			return
		}
		own := policy.Source{Contract: s.contract, Kind: string(check.TaskContract), Path: s.path}
		sources = []policy.Source{l.standing.policy.Sources[0], own}
	}
	joined, problems := policy.JoinGroup(sources, "")
	for _, p := range problems {
		if p.Source == len(sources)-1 {
			l.contractError(s.path, p.Error)
		}
	}
	if len(problems) == 0 {
		s.policy = joined
	}
}

func (l *linter) contractError(path string, e input.Error) {
	message := e.Message + "; found " + e.Found
	if !strings.Contains(e.Message, e.Expected) {
		message += ", expected " + e.Expected
	}
	l.report(&check.Finding{
		Code: "lint.contract", Message: message, Path: path, Pos: e.Pos, Expected: e.Expected, Actual: e.Found, Fix: e.Fix,
		Identity: []string{e.Where, e.Message, e.Found},
	})
}

// missing reports whether an error says that there is no such file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// evidenceDir is the evidence directory of the standing contract, else the default one.
func (l *linter) evidenceDir() string {
	if l.standing == nil {
		return policy.DefaultEvidenceDir
	}
	return policy.EvidenceDirOf(l.standing.contract)
}

// sorted returns a sorted list without duplicates.
func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// set is words, each between two bars. A map of them would be code that fills it at each start of the program.
type set string

func (s set) has(word string) bool {
	return word != "" && !strings.Contains(word, "|") && strings.Contains(string(s), "|"+word+"|")
}
