package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

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
