package rules

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// absence is why a test that ran at the base does not run at the head.
type absence byte

const (
	vanished    absence = iota // although the change does not remove it
	removedTest                // the change removes it
	renamed                    // it seems to have another name now
)

// absences say so, and what to do.
var absences = [...]struct{ what, fix string }{
	{"ran before, and not now", "let every test of the base run again"},
	{"ran before, removed by the change", "keep the tests, or say in the review why they are not needed"},
	{"ran before, now perhaps under other names", "look whether they are the same tests"},
}

// findInReports finds tests that are absent for one of the reasons, and with the last one reports that cannot be
// compared.
func findInReports(kind absence) func(c *Change, report func(Hit)) {
	return func(c *Change, report func(Hit)) {
		for _, d := range c.compareReports() {
			if names := d.tests[kind]; len(names) > 0 {
				slices.Sort(names) // runners that work in parallel write them in any order
				report(Hit{File: d.path, Fix: absences[kind].fix,
					Detail: input.Plural(int64(len(names)), "test") + " of the report " + absences[kind].what + ": " + joined(names, 20)})
			}
			if kind == renamed && d.note != "" {
				report(Hit{File: d.path, Detail: d.note + ", so nothing tells which tests ran before",
					Fix: "supply the report of the base"})
			}
		}
	}
}

// TestReports are the two versions of a test report.
type TestReports struct {
	Path string // in the repository
	Base *reports.TestNames
	Head *reports.TestNames
	Note string // why there is nothing to compare; "" when both are there
}

// reportDiff says what became of the tests that ran at the base.
type reportDiff struct {
	path, note string
	tests      [len(absences)][]string
}

func (d *reportDiff) add(kind absence, t *reports.TestName, note string) {
	d.tests[kind] = append(d.tests[kind], t.Group+" "+t.Name+note)
}

// compareReports compares all reports, once.
func (c *Change) compareReports() []reportDiff {
	if c.reportDiffs == nil && len(c.Reports) > 0 {
		declared := c.declarations()
		for _, r := range c.Reports {
			d := reportDiff{path: r.Path, note: r.Note}
			if d.note == "" && (r.Base.More || r.Head.More) {
				d.note = "the report has more than 200,000 names"
			}
			if d.note == "" {
				d.compare(r.Base.Names, r.Head.Names, declared)
			}
			c.reportDiffs = append(c.reportDiffs, d)
		}
	}
	return c.reportDiffs
}

// compare finds what became of each test that ran at the base. It runs, perhaps with another number in its parameters;
// it runs in another group; it is gone and its group has as many new ones; the change removes it; or it vanished.
func (d *reportDiff) compare(base, head []reports.TestName, declared func(string) declaration) {
	type key = [2]string
	known := func(t *reports.TestName) key { return key{t.Group, t.Name} }
	stable := func(t *reports.TestName) key { return key{t.Group, reports.StableName(t.Name)} }
	ran, listed, running, fresh := map[key]bool{}, map[key]bool{}, map[key]bool{}, map[key]int{}
	for _, t := range base {
		if t.Ran() {
			ran[known(&t)] = true
		}
	}
	for _, t := range head {
		listed[known(&t)], running[known(&t)] = true, t.Ran()
		if t.Ran() && !ran[known(&t)] {
			fresh[stable(&t)]++
		}
	}
	var gone []reports.TestName
	for _, t := range base {
		switch {
		case !t.Ran() || running[known(&t)]:
		case fresh[stable(&t)] > 0:
			fresh[stable(&t)]--
		default:
			gone = append(gone, t)
		}
	}
	moved := map[string]int{} // the new tests, by name alone
	for key, n := range fresh {
		moved[key[1]] += n
	}
	// A group that has as many new tests as it lost has renamed them. What moved to another group is no longer new there.
	var absent []reports.TestName
	for _, t := range gone {
		name := reports.StableName(t.Name)
		switch {
		case listed[known(&t)]:
			d.add(vanished, &t, " (skipped)")
		case moved[name] > 0:
			moved[name]--
			d.add(renamed, &t, "")
		default:
			absent = append(absent, t)
		}
	}
	d.place(absent, fresh, moved, declared)
}

// place sorts tests that no longer exist under their names.
func (d *reportDiff) place(absent []reports.TestName, fresh map[[2]string]int, moved map[string]int,
	declared func(string) declaration) {
	lost, added := map[string]int{}, map[string]int{}
	for _, t := range absent {
		lost[t.Group]++
	}
	for key, n := range fresh {
		added[key[0]] += min(n, moved[key[1]])
	}
	for _, t := range absent {
		known, kind := declared(t.Name), vanished
		switch {
		case known == stands && !strings.ContainsAny(t.Name, "[(/"): // parameters and subtests get other names, their test keeps its own
		case added[t.Group] >= lost[t.Group]:
			kind = renamed
		case known == removed:
			kind = removedTest
		}
		d.add(kind, &t, "")
	}
}

// declaration is what the change does to the declaration of a test.
type declaration byte

const (
	untouched declaration = iota // it is in no touched file
	stands
	removed
)

// declarations tell of the name of a test in a report what the change does to its declaration. Of a language whose
// tests are not known, the words that the change removes tell.
func (c *Change) declarations() func(string) declaration {
	before, after := map[string]bool{}, map[string]bool{}
	for _, f := range c.Files {
		declare(f.Base, before)
		declare(f.Head, after)
	}
	return func(name string) declaration {
		found := untouched
		for _, spelled := range spellings(name) {
			switch {
			case after[spelled]:
				return stands
			case before[spelled]:
				found = removed
			}
		}
		return found
	}
}

// declare adds the names of the tests of a file, as reports spell them.
func declare(f *source.File, names map[string]bool) {
	if f == nil {
		return
	}
	if f.Lang == source.None {
		if otherLanguage(f.Path) == "" {
			return // a list of tests declares none
		}
		for word := range wordsIn(f.Text) {
			if has(bytes.ToLower(word), "test") {
				names[string(word)] = true
			}
		}
		return
	}
	for _, t := range f.Tests() {
		for _, name := range reported(t.Name) {
			names[name] = true
		}
	}
}

// reported is how reports may call a test.
func reported(name string) []string {
	parts := strings.Split(name, " > ")
	return []string{
		name, parts[len(parts)-1], strings.Join(parts, " "), strings.Join(parts, "::"),
		strings.ReplaceAll(strings.Join(parts, "/"), " ", "_"), // as Go writes subtests
	}
}

// spellings are what a declaration may be called whose test has a name in a report, the likeliest first: without
// parameters, the test of a subtest, and without the groups around it.
func spellings(name string) []string {
	list := []string{name}
	if i := strings.IndexAny(name, "[("); i > 0 {
		list = append(list, strings.TrimSpace(name[:i]))
	}
	bare := list[len(list)-1]
	if i := strings.IndexByte(bare, '/'); i > 0 {
		list = append(list, bare[:i])
	}
	for _, between := range []string{" > ", "::", ".", "#"} {
		if i := strings.LastIndex(bare, between); i >= 0 {
			list = append(list, bare[i+len(between):])
		}
	}
	return list
}

// Place is a line of a file.
type Place struct {
	File string
	Line int
}

// Places finds the functions of tests by the names that reports give them.
type Places struct {
	declared map[string][]Place
	others   []*source.File // in languages whose tests are not known
}

// Add adds the tests of a file.
func (p *Places) Add(f *source.File) {
	if f.Lang == source.None {
		p.others = append(p.others, f)
		return
	}
	if p.declared == nil {
		p.declared = map[string][]Place{}
	}
	for _, t := range f.Tests() {
		for _, name := range slices.Compact(slices.Sorted(slices.Values(reported(t.Name)))) {
			p.declared[name] = append(p.declared[name], Place{f.Path, t.Line})
		}
	}
}

// Of lists where the function of a test case may be. Of several functions with the name of the case, it takes those in the files
// whose paths are most like the group: the module, class or package that the test report names. In a language whose tests are not
// known it is the first line of a file with the name.
func (p *Places) Of(group, name string) []Place {
	for _, spelled := range spellings(name) {
		if list := p.declared[spelled]; len(list) > 0 {
			return likest(list, group)
		}
	}
	for _, spelled := range spellings(strings.TrimPrefix(name, "test ")) { // as Elixir writes them
		var list []Place
		most := 0
		for _, f := range p.others {
			like := calledLike(f.Path, group)
			if like < most {
				continue // there is a likelier one
			}
			if at := wordAt(f.Text, spelled); at >= 0 {
				most, list = like, append(list, Place{f.Path, f.LineAt(at)})
			}
		}
		if len(list) > 0 {
			return likest(list, group)
		}
	}
	return nil
}

// likest are those of the places whose files are called most like the group, one of each file.
func likest(list []Place, group string) (best []Place) {
	most := 0
	for _, at := range list {
		switch n := calledLike(at.File, group); {
		case n > most:
			most, best = n, []Place{at}
		case n == most && (len(best) == 0 || best[len(best)-1].File != at.File):
			best = append(best, at)
		}
	}
	return best
}

// calledLike is how many parts of a path a group has in a row: a module or class has the name of the file and of the
// directories around it, a package of Go those of the directories alone.
func calledLike(file, group string) int {
	words := strings.FieldsFunc(group, func(r rune) bool { return strings.ContainsRune("./\\:", r) })
	dirs := strings.Split(path.Dir(file), "/")
	stem, _, _ := strings.Cut(path.Base(file), ".")
	most := 0
	for at, word := range words {
		if word == stem {
			most = max(most, 1+sameEnd(words[:at], dirs))
		}
	}
	_, elements, _ := strings.Cut(group, "/") // a package is below its module
	return max(most, sameEnd(strings.Split(elements, "/"), dirs))
}

// sameEnd is how many of the last parts of two lists are equal.
func sameEnd(a, b []string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
