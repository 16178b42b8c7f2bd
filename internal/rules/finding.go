package rules

import (
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// finding is a place in a version of a file where a rule recognizes something.
type finding struct {
	file *File
	line int
	kind string // what it is, such as "noqa"
	key  string // kind and line, without blanks
}

// finder looks through one version of a file.
type finder func(f *File, v *source.File, found func(line int, kind string))

// newFindings lists the findings of the heads that the merge bases do not have, a list for each file that has any. One
// of the same kind with the same line is the same one, wherever in the change it was. Of the others, as many are old as
// the base of the file had of the kind: their lines were edited. With joined those of a kind are counted over the whole
// change.
func (c *Change) newFindings(joined bool, scan finder) [][]finding {
	heads := c.findings(func(f *File) *source.File { return f.Head }, scan)
	if len(heads) == 0 {
		return nil
	}
	bases := c.findings(func(f *File) *source.File { return f.Base }, scan)
	heads, bases = cancel(heads, bases, func(m finding) string { return m.file.Path + "\x00" + m.key })
	heads, bases = cancel(heads, bases, func(m finding) string { return m.key })
	heads, bases = cancel(heads, bases, func(m finding) string { return m.file.Path + "\x00" + m.kind })
	if joined {
		heads, _ = cancel(heads, bases, func(m finding) string { return m.kind })
	}
	return byFile(heads)
}

func (c *Change) findings(side func(*File) *source.File, scan finder) []finding {
	var all []finding
	for _, f := range c.Files {
		if v := side(f); v != nil {
			scan(f, v, func(line int, kind string) {
				all = append(all, finding{f, line, kind, kind + "\x00" + lineKey(v.Line(line))})
			})
		}
	}
	return all
}

// cancel leaves out the pairs of two lists that have a name in common: the first of each list.
func cancel[T any](heads, bases []T, name func(T) string) (restHeads, restBases []T) {
	left := map[string]int{}
	for _, m := range bases {
		left[name(m)]++
	}
	both := map[string]int{}
	for _, m := range heads {
		if n := name(m); left[n] > 0 {
			left[n]--
			both[n]++
			continue
		}
		restHeads = append(restHeads, m)
	}
	for _, m := range bases {
		if n := name(m); both[n] > 0 {
			both[n]--
			continue
		}
		restBases = append(restBases, m)
	}
	return restHeads, restBases
}

// byFile cuts a list of marks, which is in the order of the files.
func byFile(marks []finding) (lists [][]finding) {
	for i, m := range marks {
		if i == 0 || m.file != marks[i-1].file {
			lists = append(lists, nil)
		}
		lists[len(lists)-1] = append(lists[len(lists)-1], m)
	}
	return lists
}

// kinds names the kinds of marks, each once, in their order: "noqa (3), nosec".
func kinds(marks []finding) string {
	var names []string
	counts := map[string]int{}
	for _, m := range marks {
		if counts[m.kind]++; counts[m.kind] == 1 {
			names = append(names, m.kind)
		}
	}
	for i, name := range names {
		if n := counts[name]; n > 1 {
			names[i] = name + " (" + strconv.Itoa(n) + ")"
		}
	}
	return strings.Join(names, ", ")
}

// inOne makes one hit of those that say the same of several files.
func inOne(find func(*Change, func(Hit))) func(*Change, func(Hit)) {
	return func(c *Change, report func(Hit)) {
		var list []Hit
		files := map[string][]string{}
		find(c, func(h Hit) {
			if files[h.Detail] = append(files[h.Detail], h.File); len(files[h.Detail]) == 1 {
				list = append(list, h)
			}
		})
		for _, h := range list {
			if more := files[h.Detail][1:]; len(more) > 0 {
				h.Detail += ", also in " + joined(more, 3)
			}
			report(h)
		}
	}
}
