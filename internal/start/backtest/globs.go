package backtest

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// Ground says which globs may be proposed: none that covers a file of which the contract denies every change.
type Ground struct {
	policy  *policy.Policy
	dirs    map[string]bool // directories with such a file below them
	alike   map[string]bool // of such files: the pattern of their directory and extension
	allowed *glob.Set       // allowed_files
	there   map[string]bool // the files of the tip, and the directories of the root
}

// NewGround takes the policy of the contract and the files of the tip.
func NewGround(p *policy.Policy, files []change.Change) *Ground {
	g := &Ground{policy: p, dirs: map[string]bool{}, alike: map[string]bool{}, there: map[string]bool{}}
	for i := range files {
		top, _, nested := strings.Cut(files[i].Path, "/")
		if g.there[files[i].Path] = true; nested {
			g.there[top+"/"] = true
		}
		g.deny(files[i].Path)
	}
	return g
}

// deny lets no proposal cover a path whose every change the contract denies. Of a package.json, which is protected only
// for some keys, a harmless change may be in scope.
func (g *Ground) deny(file string) {
	harmless := change.Change{Path: file, Status: change.Modified, OldMode: change.Regular, NewMode: change.Regular, KeysKnown: true}
	switch g.policy.Classify(&harmless).Class {
	case policy.ClassProtected, policy.ClassForbidden, policy.ClassEvidence:
	default:
		return
	}
	g.alike[alike(file)] = true
	for dir := path.Dir(file); dir != "." && !g.dirs[dir]; dir = path.Dir(dir) {
		g.dirs[dir] = true
	}
}

// hasLost reports whether the files of the tip cannot tell that a file was in scope: its directory of the root is gone, or it was a
// file of the root before the merge.
func (g *Ground) hasLost(file string, added bool) bool {
	if g == nil || file == "" || g.there[file] {
		return false
	}
	if top, _, nested := strings.Cut(file, "/"); nested {
		return !g.there[top+"/"]
	}
	return !added
}

// minTouched is how many merges of people must touch a protected file so that it is proposed: once is what an override is for.
const minTouched = 2

// lift finds protected files that people touch, to list under may_touch_protected; nil for none. What begins with a dot, such as
// workflows and settings of agents, stays protected: it decides over the gate itself.
func (g *Ground) lift(merges []Merge) *Lift {
	var open []*Merge
	touched := map[string]int{}
	for i := range merges {
		m := &merges[i]
		if m.Bot || m.verdict != report.Failed || m.cut || !m.only(protected) {
			continue
		}
		open = append(open, m)
		for _, f := range m.files {
			if path, _ := split(f); g.there[path] && matches(path, path) && !strings.HasPrefix(path, ".") {
				touched[path]++
			}
		}
	}
	lift := &Lift{Paths: []string{}, Scope: []string{}, Merges: len(open)}
	for path, n := range touched {
		if n >= minTouched {
			lift.Paths = append(lift.Paths, path)
		}
	}
	input.SortStable(lift.Paths, func(a, b string) int { return cmp.Or(touched[b]-touched[a], strings.Compare(a, b)) })
	lift.Paths = lift.Paths[:min(len(lift.Paths), maxGlobs)]
	unlisted := func(f string) bool { path, _ := split(f); return !slices.Contains(lift.Paths, path) }
	for _, m := range open {
		if !slices.ContainsFunc(m.files, unlisted) {
			lift.Passed++
		}
	}
	for _, path := range lift.Paths {
		if !g.allowed.Match(path) {
			lift.Scope = append(lift.Scope, path)
		}
	}
	if lift.Passed == 0 {
		return nil
	}
	return lift
}

// alike is the pattern of the files of a directory with one extension; "" at the root and for a file without extension.
func alike(file string) string {
	extension, dir := path.Ext(file), path.Dir(file)
	if dir == "." || extension == "" {
		return ""
	}
	return dir + "/*" + extension
}

// minAlike is how many files of a directory make a pattern for their extension better than their names.
const minAlike = 3

// propose finds globs that let merges through which only off-scope files block. Each path belongs to one glob: the highest
// directory that may be proposed, else the files of its directory with its extension, else its name.
func (g *Ground) propose(merges []Merge) []Glob {
	var open []*Merge
	near := map[string]int{}
	seen := map[string]bool{}
	for i := range merges {
		m := &merges[i]
		if m.verdict != report.Failed {
			continue
		}
		for _, f := range m.files {
			if path, code := split(f); code != offScope && path != "" {
				g.deny(path)
			}
		}
		if !m.only(offScope) || m.cut {
			continue
		}
		open = append(open, m)
		for _, f := range m.files {
			if path, _ := split(f); !seen[path] {
				seen[path] = true
				near[alike(path)]++
			}
		}
	}
	var needs [][]string // of each merge, the globs that it needs
	for _, m := range open {
		if list, ok := g.needs(m, near); ok {
			needs = append(needs, list)
		}
	}
	return choose(needs)
}

// needs lists the globs that let a merge through, sorted; ok is false when a path cannot be allowed by a glob.
func (g *Ground) needs(m *Merge, near map[string]int) (list []string, ok bool) {
	for _, f := range m.files {
		path, _ := split(f)
		pattern := g.globOf(path, near)
		if pattern == "" {
			return nil, false
		}
		list = append(list, pattern)
	}
	slices.Sort(list)
	return slices.Compact(list), true
}

// globOf is the glob that a path belongs to; "" when there is none, because a pattern would mean something else.
func (g *Ground) globOf(file string, near map[string]int) string {
	for i := range len(file) {
		if file[i] == '/' && !g.dirs[file[:i]] && matches(file[:i]+"/**", file) {
			return file[:i] + "/**"
		}
	}
	if pattern := alike(file); near[pattern] >= minAlike && !g.alike[pattern] && matches(pattern, file) {
		return pattern
	}
	if matches(file, file) {
		return file
	}
	return ""
}

// matches reports whether a text is a pattern that matches a path and that has no metacharacters but those of a proposal.
func matches(pattern, file string) bool {
	if strings.ContainsAny(file, `*?[]{}\!`) {
		return false
	}
	parsed, err := glob.Parse(pattern)
	return err == nil && glob.Compile([]glob.Pattern{parsed}).Match(file)
}

// choose takes globs until every merge passes or there are enough: first the set of globs that lets most merges through for
// each glob in it. Globs that let nothing more through are left out.
func choose(needs [][]string) []Glob {
	list, passed := []Glob{}, 0
	wanted := map[string]int{} // globs, and how many merges need them
	for _, need := range needs {
		for _, pattern := range need {
			wanted[pattern]++
		}
	}
	for passed < len(needs) {
		best := next(needs)
		if len(list)+len(best) > maxGlobs {
			break
		}
		input.SortStable(best, func(a, b string) int { return cmp.Or(wanted[b]-wanted[a], strings.Compare(a, b)) })
		for _, pattern := range best {
			for i, need := range needs {
				if at, found := slices.BinarySearch(need, pattern); found {
					if needs[i] = slices.Delete(slices.Clone(need), at, at+1); len(needs[i]) == 0 {
						passed++
					}
				}
			}
			list = append(list, Glob{pattern, wanted[pattern], passed})
		}
	}
	return list
}

// maxSets is how many sets of globs compete: those that most merges need.
const maxSets = 200

// next is the set of globs, of those that a merge still needs, that lets most merges through for each glob in it.
func next(needs [][]string) []string {
	type set struct {
		need   []string
		merges int
	}
	byKey := map[string]*set{}
	for _, need := range needs {
		if len(need) > 0 {
			entry(byKey, strings.Join(need, "\x00"), set{need: need}).merges++
		}
	}
	all := sorted(byKey, func(a, b set) int {
		return cmp.Or(b.merges-a.merges, len(a.need)-len(b.need), slices.Compare(a.need, b.need))
	})
	var best []string
	most := 0
	for _, candidate := range all[:min(len(all), maxSets)] {
		passed := 0
		for _, other := range all {
			if covers(candidate.need, other.need) {
				passed += other.merges
			}
		}
		if best == nil || passed*len(best) > most*len(candidate.need) {
			best, most = candidate.need, passed
		}
	}
	return slices.Clone(best)
}

// covers reports whether a sorted list contains all of another.
func covers(list, other []string) bool {
	if len(other) > len(list) {
		return false
	}
	return !slices.ContainsFunc(other, func(pattern string) bool {
		_, found := slices.BinarySearch(list, pattern)
		return !found
	})
}
