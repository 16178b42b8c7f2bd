package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Limits of the work for patterns, which a usual contract is far from.
const (
	maxSteps    = 200_000_000 // of matching, in the units of [glob.Meter]: about a second
	maxClassify = 50_000      // paths that are classified
	maxHints    = 100         // patterns for which a similar path is looked for
)

// listed is a pattern, and the key of the contract that lists it.
type listed struct {
	*contract.Pattern
	key  string
	deny bool // the list forbids, protects or requires something, or says what tests are, so that a pattern for what may come is useful
}

// patternLists are all patterns of a contract for files that exist or may be made.
func patternLists(c *contract.Contract) []listed {
	all := appendListed(nil, "allowed_files", false, c.AllowedFiles)
	all = appendListed(all, "docs_paths_soft", false, c.DocsPathsSoft)
	all = appendListed(all, "forbidden_files", true, c.ForbiddenFiles)
	all = appendListed(all, "protected_files", true, c.ProtectedFiles)
	for i := range c.SeverityByPath {
		all = appendListed(all, "severity_by_path", true, c.SeverityByPath[i].Files)
	}
	for i := range c.Approvals {
		all = appendListed(all, "approvals_required", true, c.Approvals[i].Files)
	}
	for i := range c.Rules.Ignore {
		all = appendListed(all, "rules.ignore", true, c.Rules.Ignore[i].Files)
	}
	for i := range c.Criteria {
		all = appendListed(all, "when", true, c.Criteria[i].When)
	}
	for i := range c.Tests {
		all = appendListed(all, "tests", true, c.Tests[i].Files)
	}
	return all
}

func appendListed(all []listed, key string, deny bool, patterns []contract.Pattern) []listed {
	for i := range patterns {
		all = append(all, listed{&patterns[i], key, deny})
	}
	return all
}

// patterns lints the patterns of a contract. A repository without files has nothing that they could match.
func (l *linter) patterns(s *source) {
	if l.Partial {
		l.notChecked(s.path, "the index of the work tree does not list all files", "the patterns of this contract")
		return
	}
	if len(l.paths) == 0 {
		return
	}
	all := patternLists(s.contract)
	idle := l.idle(all)
	for i, n := range idle {
		l.matchesNothing(s, all[n], i < maxHints)
	}
	for _, touch := range s.contract.MayTouchProtected {
		if !l.exists(touch.Value) {
			l.matchesNothing(s, listed{&contract.Pattern{Text: touch}, "may_touch_protected", false}, true)
		}
	}
	l.overlap(s, func(n int) bool { return !slices.Contains(idle, n) })
	l.universal(s)
	if l.meter.Spent() {
		l.notChecked(s.path, "the patterns cost too much for this number of files", "whether each of them matches some files and not nearly all")
	}
}

// idle returns the places of the patterns that match no tracked file.
func (l *linter) idle(all []listed) (idle []int) {
	open := map[bool][]int{} // by deny: those that require a look at all files
	for i, p := range all {
		from, to := l.rangeIn(staticDir(p.Value))
		switch {
		case l.namesFile(p):
		case from == 0 && to == len(l.paths):
			open[p.deny] = append(open[p.deny], i)
		case l.first(l.set(p.Glob), from, to) >= 0:
		case p.deny:
			open[true] = append(open[true], i) // it may match in another case
		case !l.meter.Spent():
			idle = append(idle, i)
		}
	}
	idle = append(idle, l.idleAmong(all, open[false], glob.Compile)...)
	wide := func(patterns []glob.Pattern) *glob.Set {
		for i := range patterns {
			patterns[i] = patterns[i].AndBelow()
		}
		return glob.CompileFolded(patterns)
	}
	idle = append(idle, l.idleAmong(all, open[true], wide)...)
	slices.Sort(idle)
	return idle
}

// namesFile reports whether a pattern without metacharacters names a file that is there, also if git does not track it yet, or one
// that a tool writes later. In a list that denies, it can name a directory.
func (l *linter) namesFile(p listed) bool {
	file, ok := p.Glob.Literal()
	if !ok {
		return false
	}
	mode, found := l.mode(file)
	return (found && (p.deny || mode != dirMode)) || (slices.Contains(toolchain.LockFiles(), path.Base(file)) && l.exists(path.Dir(file)))
}

// set is a set of one pattern, whose cost counts.
func (l *linter) set(p glob.Pattern) *glob.Set {
	return glob.Compile([]glob.Pattern{p}).Metered(l.meter)
}

// idleAmong returns those of some patterns that match no file; none when the meter is spent.
func (l *linter) idleAmong(all []listed, places []int, compile func([]glob.Pattern) *glob.Set) []int {
	matched, left := map[int]bool{}, len(places)
	patterns := make([]glob.Pattern, left)
	for i, n := range places {
		patterns[i] = all[n].Glob
	}
	set := compile(patterns).Metered(l.meter)
	for _, p := range l.paths {
		if left == 0 || l.meter.Spent() {
			break
		}
		for _, i := range set.All(p) {
			if !matched[i] {
				matched[i], left = true, left-1
			}
		}
	}
	if l.meter.Spent() {
		return nil
	}
	var idle []int
	for i, n := range places {
		if !matched[i] {
			idle = append(idle, n)
		}
	}
	return idle
}

// first is the place of the first path in a range that a set matches; -1 when there is none, or when the meter is spent.
func (l *linter) first(set *glob.Set, from, to int) int {
	for i := from; i < to && !l.meter.Spent(); i++ {
		if set.Match(l.paths[i]) {
			return i
		}
	}
	return -1
}

// staticDir is the directory that contains every match of a pattern, as far as it has no metacharacters.
func staticDir(pattern string) string {
	if meta := strings.IndexAny(pattern, `*?[{\`); meta >= 0 {
		pattern = pattern[:meta]
	}
	return pattern[:max(strings.LastIndexByte(pattern, '/'), 0)]
}

// isOfProject reports whether a pattern for tests is one of the table of ecosystems below a directory that is there: a project may
// get such tests.
func (l *linter) isOfProject(pattern string) bool {
	dir := staticDir(pattern)
	rest, found := strings.CutPrefix(pattern, dir+"/")
	if _, tracked := l.tracked(dir); !found || !tracked {
		return false
	}
	return slices.ContainsFunc(toolchain.Ecosystems, func(e *toolchain.Ecosystem) bool { return slices.Contains(e.Tests, rest) })
}

// matchesNothing reports a pattern without a file. What a list denies may come later, so there only a likely typo is a warning.
func (l *linter) matchesNothing(s *source, p listed, hint bool) {
	if p.deny && strings.HasPrefix(p.Value, "**/") {
		return // for files that no directory should contain
	}
	if p.key == "tests" && l.isOfProject(p.Value) {
		return
	}
	near := ""
	if hint {
		near = l.intended(p.Value)
	}
	f := &check.Finding{
		Code: "lint.glob_matches_nothing", Message: fmt.Sprintf("%q in %s matches no tracked file", p.Value, p.key), Path: s.path, Pos: p.Pos,
		Expected: "a pattern that matches a tracked file", Actual: "no match", Identity: []string{p.key, p.Value},
		Fix: "correct the pattern, or remove it",
	}
	if near != "" {
		f.Fix = fmt.Sprintf("write %s instead of %s", input.Quote(near), input.Quote(p.Value))
	}
	if s.task || (p.deny && near == "") {
		f.Severity, f.Fix = input.Info, f.Fix+"; it is right if the task adds such a file"
	}
	if p.deny && near == "" {
		f.Fix = "no action is needed if such a file may be added, else correct the pattern"
	}
	l.report(f)
}

// intended is the pattern that a person most likely meant; "" when nothing is similar.
func (l *linter) intended(pattern string) string {
	if mode, ok := l.tracked(pattern); ok && mode == dirMode {
		return pattern + "/**"
	}
	if dir, ok := strings.CutSuffix(pattern, "/*"); ok && staticDir(pattern) == dir && l.exists(dir) {
		return dir + "/**"
	}
	start := len(pattern)
	if meta := strings.IndexAny(pattern, `*?[{\`); meta >= 0 {
		start = strings.LastIndexByte(pattern[:meta], '/') + 1
	}
	static, rest := strings.TrimSuffix(pattern[:start], "/"), pattern[start:]
	if static == "" || l.exists(static) {
		return ""
	}
	near := l.nearest(static)
	if near == "" || rest == "" {
		return near
	}
	return near + "/" + rest
}

// overlap reports the patterns of allowed_files whose files are all forbidden or protected, or outside of what the standing
// contract allows.
func (l *linter) overlap(s *source, used func(place int) bool) {
	if s.policy == nil {
		return
	}
	left := maxClassify
	for i, p := range s.contract.AllowedFiles { // the first of all lists
		if !used(i) {
			continue
		}
		ruling, first, all := l.closed(s.policy, p, &left)
		if !all || l.meter.Spent() {
			continue
		}
		why, fix := "forbidden: "+ruling.Because, "remove the pattern, or narrow the one that forbids it"
		switch ruling.Class {
		case policy.ClassProtected:
			why, fix = "protected: "+ruling.Because, "remove the pattern, or list the paths under may_touch_protected"
		case policy.ClassOffScope:
			why, fix = "not allowed by the standing contract", "remove the pattern, or allow the files in the standing contract"
		}
		l.report(&check.Finding{
			Code: "lint.overlap", Severity: l.lower(s), Message: fmt.Sprintf("%q in allowed_files allows nothing: all files that it matches are closed; %s is %s", p.Value, input.QuotePath(first), why),
			Path: s.path, Pos: p.Pos, Expected: "a pattern that allows at least one file", Actual: "none", Fix: fix, Identity: []string{p.Value},
		})
	}
}

// lower is the severity in a task contract of what is a warning in a standing one.
func (l *linter) lower(s *source) input.Severity {
	if s.task {
		return input.Info
	}
	return input.Warn
}

// closed reports whether a pattern matches files and none of them may be touched, with the ruling of the first one.
func (l *linter) closed(p *policy.Policy, pattern contract.Pattern, left *int) (ruling policy.Ruling, first string, all bool) {
	set := l.set(pattern.Glob)
	from, to := l.rangeIn(staticDir(pattern.Value))
	for {
		i := l.first(set, from, to)
		if i < 0 {
			return ruling, first, first != ""
		}
		if *left--; *left < 0 {
			return ruling, "", false
		}
		// The content of a file with keys could change in a harmless way.
		r := p.Classify(&change.Change{Path: l.paths[i], Status: change.Modified, OldMode: l.modes[i], NewMode: l.modes[i], KeysKnown: true})
		if r.Class != policy.ClassForbidden && r.Class != policy.ClassProtected && r.Class != policy.ClassOffScope {
			return ruling, "", false
		}
		if first == "" {
			ruling, first = r, l.paths[i]
		}
		from = i + 1
	}
}

// A pattern that allows more than nine tenths of the files narrows nothing. In a small repository one directory may be all.
const (
	universalShare = 10
	universalFiles = 20
)

// universal reports the patterns of allowed_files that match nearly everything.
func (l *linter) universal(s *source) {
	for _, p := range s.contract.AllowedFiles {
		found := p.Glob.Universal()
		if !found && len(l.paths) >= universalFiles {
			found = l.matchesMost(p)
		}
		if !found {
			continue
		}
		l.report(&check.Finding{
			Code: "lint.universal", Severity: l.lower(s), Message: fmt.Sprintf("%q in allowed_files matches nearly every tracked file", p.Value), Path: s.path,
			Pos: p.Pos, Expected: "patterns that match at most 90 % of the tracked files", Actual: "more",
			Fix: "name the directories that changes need: " + l.examples(), Identity: []string{p.Value},
		})
	}
}

// matchesMost reports whether a pattern matches more than 90 % of the tracked files. It stops at the first tenth that it does
// not match.
func (l *linter) matchesMost(p contract.Pattern) bool {
	from, to := l.rangeIn(staticDir(p.Value))
	left := (len(l.paths) - 1) / universalShare // files that it need not match
	if left -= len(l.paths) - (to - from); left < 0 {
		return false
	}
	set := l.set(p.Glob)
	for i := from; i < to; i++ {
		if l.meter.Spent() {
			return false
		}
		if !set.Match(l.paths[i]) {
			if left--; left < 0 {
				return false
			}
		}
	}
	return true
}

// examples are patterns of the first directories of the repository.
func (l *linter) examples() string {
	var list []string
	for _, name := range l.children("") {
		if mode, _ := l.tracked(name); mode == dirMode && name[0] != '.' && len(list) < 3 {
			list = append(list, input.Quote(name+"/**"))
		}
	}
	if list == nil {
		return `such as "src/**"`
	}
	return "such as " + strings.Join(list, ", ")
}
