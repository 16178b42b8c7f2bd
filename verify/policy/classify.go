package policy

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

// Class is how the contracts classify a touched path.
type Class string

// The classes; the first that matches applies.
const (
	ClassForbidden Class = "forbidden"
	ClassProtected Class = "protected"
	ClassEvidence  Class = "evidence"
	ClassAllowed   Class = "allowed"
	ClassSoft      Class = "soft"
	ClassOffScope  Class = "off_scope"
)

// MaxPath is the longest path, in bytes, that is compared with patterns. A longer one is off scope.
const MaxPath = 1024

// Ruling is what the contracts say about one change.
type Ruling struct {
	Class    Class
	Because  string         // the pattern or the reason; "" for an allowed or off-scope path
	Folded   bool           // a forbidden or protected pattern matches only if case and composition are ignored
	Severity input.Severity // of an off-scope path, before the violation budget; of evidence, "" where it may be committed
	Literal  bool           // every contract names the path literally in allowed_files
	Contract bool           // the path is a contract of the base branch
	Below    string         // of an off-scope path: a pattern of allowed_files that names a parent directory, but does not match the path
	Clause
}

// SpecialCounts reports whether the change makes a symlink or submodule of a path that the contracts do not name literally.
func (r *Ruling) SpecialCounts(c *change.Change) bool {
	return c.NewMode.Special() && !(r.Literal && r.Class == ClassAllowed)
}

// Clause is what decides about a path: the pattern that forbids or protects it, the criterion that names it, or the list that
// does not allow it.
type Clause struct {
	Source int // the index of the contract; -1 where no contract decides, because the rule is built in
	Pos    input.Pos
}

// builtIn is the clause of a rule that no contract contains.
var builtIn = Clause{Source: -1}

// scope is how one contract classifies paths.
type scope struct {
	first     bool
	trust     facts.Trust
	allowed   *glob.Set
	literal   map[string]input.Text // paths that allowed_files names literally, and their pattern
	source    Source
	universal []contract.Pattern
	forbidden *glob.Set
	forbids   map[string]input.Pos // of the patterns of forbidden
	soft      *glob.Set            // nil: not in the contract
	lifted    map[string]bool
	offScope  input.Severity               // "" when not in the contract
	byPath    map[input.Severity]*glob.Set // of severity_by_path
}

func newScope(s Source, first bool) scope {
	c := s.Contract
	sc := scope{
		first: first, trust: s.Trust, source: s, allowed: glob.Compile(globs(c.AllowedFiles)), literal: map[string]input.Text{},
		forbidden: glob.CompileFolded(denying(c.ForbiddenFiles)), forbids: map[string]input.Pos{}, lifted: map[string]bool{}, offScope: c.OffScope,
		byPath: map[input.Severity]*glob.Set{},
	}
	for _, p := range c.AllowedFiles {
		if path, ok := p.Glob.Literal(); ok {
			sc.literal[path] = p.Text
		}
		if p.Glob.Universal() {
			sc.universal = append(sc.universal, p)
		}
	}
	for _, p := range slices.Backward(c.ForbiddenFiles) {
		sc.forbids[p.Value] = p.Pos // the first of equal ones
	}
	if c.DocsPathsSoft != nil || first {
		sc.soft = glob.Compile(globs(c.DocsPathsSoft))
	}
	if first && sc.offScope == "" {
		sc.offScope = input.Block
	}
	for _, l := range c.MayTouchProtected {
		sc.lifted[l.Value] = true
	}
	bySeverity := map[input.Severity][]glob.Pattern{}
	for _, by := range c.SeverityByPath {
		files := globs(by.Files)
		if by.Severity == input.Block { // the others may be lower than off_scope
			files = denying(by.Files)
		}
		bySeverity[by.Severity] = append(bySeverity[by.Severity], files...)
	}
	for severity, files := range bySeverity {
		sc.byPath[severity] = glob.Compile(files)
	}
	return sc
}

// above returns the pattern of allowed_files that names a parent directory of a path; the zero value when there is none.
func (s *scope) above(path string) input.Text {
	if len(s.literal) == 0 {
		return input.Text{}
	}
	path = path[:min(len(path), glob.MaxBytes+1)] // no pattern names a longer one
	for slash := strings.LastIndexByte(path, '/'); slash >= 0; slash = strings.LastIndexByte(path[:slash], '/') {
		if pattern := s.literal[path[:slash]]; pattern.Value != "" {
			return pattern
		}
	}
	return input.Text{}
}

// severity is that of an off-scope path in one contract: the strictest match in severity_by_path, else off_scope; "" when the
// contract has neither.
func (s *scope) severity(path string) input.Severity {
	for _, severity := range []input.Severity{input.Block, input.Warn, input.Info} { // the strictest first
		if s.byPath[severity].Match(path) {
			return severity
		}
	}
	return s.offScope
}

// protectedSet is a set of protected files: built-in ones for which every change counts, built-in ones with keys, or the
// protected_files of the contracts.
type protectedSet struct {
	files   *glob.Set
	entries map[string]*Protected // by pattern
	clauses map[string]Clause     // by pattern; nil for the built-in list
}

func (s *protectedSet) clause(pattern string) Clause {
	if s.clauses == nil {
		return builtIn
	}
	return s.clauses[pattern]
}

// builtInSets are the sets of the built-in list, compiled once: the gate's own inputs, what counts whole, what counts by keys.
var builtInSets = sync.OnceValue(func() []protectedSet {
	var whole, keyed []*Protected
	for i := range BuiltIn[1:] {
		if b := &BuiltIn[1+i]; b.Whole() {
			whole = append(whole, b)
		} else {
			keyed = append(keyed, b)
		}
	}
	inputs := []*Protected{&BuiltIn[0]}
	return []protectedSet{builtInSet(inputs), builtInSet(whole), builtInSet(keyed)}
})

// Prepare compiles the built-in sets. It may run while contracts are read.
func Prepare() { builtInSets() }

func (p *Policy) protectedSets() []protectedSet {
	own, entry := protectedSet{entries: map[string]*Protected{}, clauses: map[string]Clause{}}, &Protected{Reason: "the contract protects it"}
	var patterns []glob.Pattern
	for i, s := range p.Sources {
		for _, f := range s.Contract.ProtectedFiles {
			patterns = append(patterns, f.Glob.AndBelow())
			if own.entries[f.Value] == nil {
				own.entries[f.Value], own.clauses[f.Value] = entry, Clause{i, f.Pos}
			}
		}
	}
	own.files = glob.CompileFolded(patterns)
	return append(slices.Clone(builtInSets()), own)
}

func builtInSet(list []*Protected) protectedSet {
	set := protectedSet{entries: map[string]*Protected{}}
	var patterns []glob.Pattern
	for _, b := range list {
		for _, text := range b.Patterns {
			parsed, err := glob.Parse(text)
			if err != nil {
				panic("the built-in list contains a malformed pattern: " + err.Error())
			}
			patterns = append(patterns, parsed)
			set.entries[text] = b
		}
	}
	set.files = glob.CompileFolded(patterns)
	return set
}

// Measure lets a meter count the cost of the patterns of the policy. The patterns of the built-in list are few and are not counted.
func (p *Policy) Measure(m *glob.Meter) {
	p.Meter = m
	for i := range p.scopes {
		s := &p.scopes[i]
		sets := []*glob.Set{s.allowed, s.forbidden}
		if s.soft != nil {
			sets = append(sets, s.soft)
		}
		for _, files := range s.byPath {
			sets = append(sets, files)
		}
		for _, set := range sets {
			set.Metered(m)
		}
	}
	p.protected[len(p.protected)-1].files.Metered(m)
	for _, t := range p.tests {
		t.files.Metered(m)
	}
	for _, files := range p.crossed {
		files.Metered(m)
	}
}

// WithArguments is the policy with files that the facts list as arguments of commands.
func (p *Policy) WithArguments(paths []string) *Policy {
	with := *p
	with.arguments = arguments{}
	for folded, a := range p.arguments {
		with.arguments[folded] = argument{a.command, maps.Clone(a.paths)}
	}
	for _, path := range paths {
		with.arguments.add(path, &command{by: "the criterion that the facts name", Clause: builtIn})
	}
	return &with
}

// WithAddedTasks is the policy for a change that adds these task contracts, which are always in scope.
func (p *Policy) WithAddedTasks(paths []string) *Policy {
	with := *p
	with.addedTasks = paths
	return &with
}

// within reports whether the standing contract and, where there are tasks, one of those that can allow something fulfil a
// condition. With several tasks, a path need only be in the scope of one.
func (p *Policy) within(fulfils func(*scope) bool) bool {
	tasks, task := 0, false
	for i := range p.scopes {
		s := &p.scopes[i]
		switch {
		case !s.source.IsTask() && !fulfils(s):
			return false
		case s.source.IsTask() && !s.source.Narrows:
			tasks, task = tasks+1, task || fulfils(s)
		}
	}
	return tasks == 0 || task
}

// Classify classifies one change.
func (p *Policy) Classify(c *change.Change) Ruling {
	r := p.classOf(c)
	r.Contract = p.isContract(c)
	r.Literal = p.within(func(s *scope) bool { return s.literal[c.Path].Value != "" })
	if r.Class != ClassOffScope {
		return r
	}
	for i := range p.scopes {
		s := &p.scopes[i]
		if severity := s.severity(c.Path); severity != "" {
			r.Severity = input.Stricter(r.Severity, severity)
		}
		if r.Below == "" && len(c.Path) <= MaxPath {
			if above := s.above(c.Path); above.Value != "" {
				r.Below, r.Clause = above.Value, Clause{i, above.Pos}
			}
		}
	}
	return r
}

func (p *Policy) classOf(c *change.Change) Ruling {
	evidence := inside(c.Path, p.EvidenceDir)
	if len(c.Path) > MaxPath && evidence {
		return Ruling{Class: ClassForbidden, Because: fmt.Sprintf("the path is in the evidence directory and longer than %d bytes", MaxPath), Clause: builtIn}
	} else if len(c.Path) > MaxPath {
		return Ruling{Class: ClassOffScope, Clause: builtIn}
	}
	if inside(glob.Fold(c.Path), ReportsDir) {
		return Ruling{Class: ClassForbidden, Because: ReportsDir + "/**", Folded: !inside(c.Path, ReportsDir), Clause: builtIn}
	}
	for i := range p.scopes {
		if pattern, exact, ok := p.scopes[i].forbidden.Which(c.Path); ok {
			return Ruling{Class: ClassForbidden, Because: pattern, Folded: !exact, Clause: Clause{i, p.scopes[i].forbids[pattern]}}
		}
	}
	if slices.Contains(p.addedTasks, c.Path) && c.Status == change.Added && c.NewMode == change.Regular {
		return Ruling{Class: ClassAllowed, Because: "the task contract that the change adds", Clause: builtIn}
	}
	if r, ok := p.protects(c, evidence); ok {
		return r
	}
	if evidence {
		return p.evidenceClass(c)
	}
	class, by := p.scopeClass(c.Path)
	return Ruling{Class: class, Clause: Clause{by, p.Sources[by].Contract.Keys["allowed_files"]}}
}

// Unnamed is the list of the first contract that does not name a path literally.
func (p *Policy) Unnamed(path string) Clause {
	i := max(slices.IndexFunc(p.scopes, func(s scope) bool { return s.literal[path].Value == "" }), 0)
	return Clause{i, p.Sources[i].Contract.Keys["allowed_files"]}
}

// inside reports whether path is the directory or below it.
func inside(path, dir string) bool {
	return path == dir || (strings.HasPrefix(path, dir) && path[len(dir)] == '/')
}

// evidenceExtensions are the extensions of files in the evidence directory. That directory is outside the code tree, so it
// must not contain anything that could run or be linked.
var evidenceExtensions = []string{".jsonl", ".json", ".xml", ".sarif", ".txt", ".log", ".md"}

// evidenceClass classifies what is in the evidence directory and no contract forbids or protects. What a change deletes there
// harms nothing. What it adds or edits is in no code tree, so that a contract of the base must allow it, and only a file that
// the collector could parse counts as evidence.
func (p *Policy) evidenceClass(c *change.Change) Ruling {
	r := Ruling{Class: ClassEvidence, Severity: input.Block, Clause: builtIn}
	regular := c.NewMode == change.Regular && !c.ModeUnknown && c.Path != p.EvidenceDir
	switch {
	case c.Status == change.Deleted:
		r.Severity = input.Info
	case !regular, !slices.Contains(evidenceExtensions, path.Ext(c.Path)):
		return Ruling{Class: ClassForbidden, Because: "the evidence directory may only contain regular files with the extensions " + strings.Join(evidenceExtensions, ", "), Clause: builtIn}
	case p.EvidenceCommitted && c.Evidence != "":
		r.Severity = ""
	}
	return r
}

// protects says what protects a path. In the evidence directory, a path is not protected as one of the gate's own inputs or as a
// report that a command writes.
func (p *Policy) protects(c *change.Change, evidence bool) (Ruling, bool) {
	if p.lifts(c.Path) {
		return Ruling{}, false
	}
	sets := p.protected
	if evidence {
		sets = sets[1:]
	}
	for _, set := range sets {
		pattern, exact, ok := set.files.Which(c.Path)
		if !ok {
			continue
		}
		entry, by := set.entries[pattern], ""
		if !exact && c.Status == change.Modified && slices.Contains(entry.Pages, pattern) && isPage(c.Path) {
			continue
		}
		if (entry.Docs && p.leavesDocs(c.Path)) || (entry.Here && !p.worksIn(path.Dir(c.Path))) {
			continue
		}
		if entry.Tests && slices.ContainsFunc(p.crossed, func(files *glob.Set) bool { return files.Match(c.Path) }) {
			continue
		}
		if entry.Programs != nil {
			command := p.mayRun(entry.Programs)
			if command == nil {
				continue
			}
			by = ", which " + command.by + " may run"
		}
		if keys, ok := entry.counts(c, exact, p); ok {
			return Ruling{Class: ClassProtected, Because: entry.why(pattern, c, keys) + by, Folded: !exact, Clause: set.clause(pattern)}, true
		}
	}
	folded := glob.Fold(c.Path)
	report, written := p.reports[folded]
	if evidence && written {
		return Ruling{}, false
	}
	if written && c.Status != change.Deleted { // deleting one from the repository is harmless
		return Ruling{Class: ClassProtected, Because: fmt.Sprintf("%s (%s)", report.because, report.path), Folded: c.Path != report.path, Clause: report.Clause}, true
	}
	if a, ok := p.arguments[folded]; ok && (c.Status != change.Added || !a.paths[c.Path]) {
		return Ruling{Class: ClassProtected, Because: a.by + " names it in its command", Folded: !a.paths[c.Path], Clause: a.Clause}, true
	}
	return Ruling{}, false
}

// isPage reports whether a file is a page such as docs/agents.md. An agent reads it as AGENTS.md only where case does not matter.
func isPage(name string) bool {
	return path.Base(name) == strings.ToLower(path.Base(name)) && docsOf(name) != ""
}

// docsOf is the name of the directory of documentation that a file is in; "" for none.
func docsOf(name string) string {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if part == "docs" || part == "doc" || part == "documentation" {
			return part
		}
	}
	return ""
}

// leavesDocs reports whether a file is in a directory of documentation, and no command names one or may run anything.
func (p *Policy) leavesDocs(name string) bool {
	docs := docsOf(name)
	return docs != "" && p.mayRun(nil) == nil && !slices.ContainsFunc(p.commands, func(c command) bool {
		return strings.Contains(glob.Fold(c.cwd+" "+strings.Join(c.run, " ")), docs)
	})
}

// lifts reports whether the standing contract lifts the protection of path and, where there are tasks, a trusted one does.
// A contract that only the head contains cannot lift it.
func (p *Policy) lifts(path string) bool {
	tasks, lifted := false, false
	for i := range p.scopes {
		s := &p.scopes[i]
		switch {
		case s.trust == facts.TrustHead && !s.first:
		case s.source.IsTask():
			tasks, lifted = true, lifted || s.lifted[path]
		case !s.lifted[path]:
			return false
		}
	}
	return lifted || (!tasks && len(p.scopes) > 0)
}

// scopeClass asks every contract. A path that the standing contract or all tasks do not allow is soft if it is soft in all
// contracts with docs_paths_soft; the standing contract always has one. by is the contract that decides.
func (p *Policy) scopeClass(path string) (class Class, by int) {
	class = ClassAllowed
	anyTask := p.TaskIDs != nil && slices.ContainsFunc(p.scopes, func(s scope) bool {
		return s.source.IsTask() && !s.source.Narrows && s.allowed.Match(path)
	})
	for i, s := range p.scopes {
		switch {
		case anyTask && s.source.IsTask():
		case s.allowed.Match(path):
		case s.soft == nil || s.soft.Match(path):
			if class == ClassAllowed {
				class, by = ClassSoft, i
			}
		default:
			return ClassOffScope, i
		}
	}
	if class == ClassSoft && !slices.ContainsFunc(p.scopes, func(s scope) bool { return s.soft.Match(path) }) {
		class = ClassOffScope
	}
	return class, by
}

// isContract reports whether a change touches a contract of the base branch: one that was read from there, or one at a
// default path that is not new.
func (p *Policy) isContract(c *change.Change) bool {
	for _, s := range p.Sources {
		if s.Trust == facts.TrustBase && slices.Contains(s.RepoPaths, c.Path) {
			return true
		}
	}
	return c.Status != change.Added && DefaultContractPath(c.Path)
}

// The paths of contracts in a repository, without an extension of ContractExtensions.
const (
	StandingContract = ".closeout/scope_contract"
	TasksDir         = ".closeout/tasks" // the name of a task contract is the id of its task
)

// ContractExtensions are the extensions of contracts.
var ContractExtensions = []string{".json", ".yaml", ".yml"}

// DefaultContractPath reports whether a path is the default path of a standing contract or a task contract.
func DefaultContractPath(p string) bool {
	return slices.Contains(ContractExtensions, strings.ToLower(path.Ext(p))) &&
		(path.Dir(p) == TasksDir || strings.TrimSuffix(p, path.Ext(p)) == StandingContract)
}

// AddsTask reports whether a change adds a task contract.
func AddsTask(c *change.Change) bool {
	return c.Status == change.Added && path.Dir(c.Path) == TasksDir && DefaultContractPath(c.Path)
}

// AddsStanding reports whether a touched path is a new file where the standing contract is.
func AddsStanding(c *change.Change) bool {
	extension, there := strings.CutPrefix(c.Path, StandingContract)
	regular := c.NewMode == change.Regular || c.NewMode == change.Executable
	return there && slices.Contains(ContractExtensions, extension) && c.Status == change.Added && regular
}

// WidePattern is an allow pattern that matches nearly everything, and the contract that contains it.
type WidePattern struct {
	contract.Pattern
	Source Source
}

// Universal lists the allow patterns that match nearly everything, if the standing contract and a task have one.
func (p *Policy) Universal() []WidePattern {
	if !p.within(func(s *scope) bool { return len(s.universal) > 0 }) {
		return nil
	}
	var all []WidePattern
	for _, s := range p.scopes {
		for _, pattern := range s.universal {
			all = append(all, WidePattern{pattern, s.source})
		}
	}
	return all
}
