package rules

import (
	"bytes"
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

// Of is where the function of a case stands: of several functions of a name the one whose file is called like the group,
// else the first. In a language whose tests are not known it is the first line with the name.
func (p *Places) Of(group, name string) (Place, bool) {
	for _, spelled := range spellings(name) {
		if list := p.declared[spelled]; len(list) > 0 {
			like := slices.IndexFunc(list, func(at Place) bool { return isLike(at.File, group) })
			return list[max(like, 0)], true
		}
	}
	for _, spelled := range spellings(strings.TrimPrefix(name, "test ")) { // as Elixir writes them
		for _, f := range p.others {
			if at := wordAt(f.Text, []byte(spelled)); at >= 0 {
				return Place{f.Path, f.LineAt(at)}, true
			}
		}
	}
	return Place{}, false
}

// isLike reports whether a group is called like a file, or like the directory that it is in.
func isLike(file, group string) bool {
	words := strings.FieldsFunc(group, func(r rune) bool { return strings.ContainsRune("./\\:", r) })
	stem, _, _ := strings.Cut(path.Base(file), ".")
	return slices.Contains(words, stem) || strings.HasSuffix(group, "/"+path.Base(path.Dir(file)))
}

// wordAt is the first offset of a text where a word stands by itself; -1 for none.
func wordAt(text, word []byte) int {
	for from := 0; len(word) > 0; {
		i := bytes.Index(text[from:], word)
		if i < 0 {
			break
		}
		at, end := from+i, from+i+len(word)
		if (at == 0 || !source.IsWord(text[at-1])) && (end == len(text) || !source.IsWord(text[end])) {
			return at
		}
		from = at + 1
	}
	return -1
}
