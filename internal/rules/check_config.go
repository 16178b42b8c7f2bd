package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// findCheckConfig finds settings of compilers and checkers that demand less than before.
func findCheckConfig(c *Change, report func(Hit)) {
	files := c.degrees(func(v *source.File) map[string][]degree { return degreesOf(v, strictness) })
	heads := map[string]degree{} // the strictest in any file: a setting may have moved
	for _, f := range files {
		for name, list := range f.now {
			if best, known := heads[name]; !known || best.milder(list[0]) {
				heads[name] = list[0]
			}
		}
	}
	for _, f := range files {
		if f.Base != nil && f.Head != nil {
			f.milderSettings(heads, report)
		}
	}
}

// milderSettings compares both versions of a file.
func (f *gradedFile) milderSettings(heads map[string]degree, report func(Hit)) {
	var less []string
	var hit Hit
	add := func(name string, was, now int) {
		if less = append(less, name); len(less) == 1 {
			hit = f.hit(was, now, name, "", "restore the setting, or let a person approve that it goes")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.was)) {
		was, now := f.was[name][:1], f.now[name] // the first one is for all files
		_, is, isMilder := milder(was, now[:min(1, len(now))])
		old := was[0]
		if len(now) == 0 {
			isMilder = old.needed && old.value > 0 && !f.renamedHook(name)
		}
		if best, anywhere := heads[name]; isMilder && (!anywhere || best.milder(old)) {
			add(name, old.line, is.line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.now)) {
		if first := f.now[name][0]; first.value == 0 && f.was[name] == nil {
			add(name, 0, first.line)
		}
	}
	if len(less) > 0 {
		hit.Others, hit.Detail = less[1:], "demands less than before: "+listed(less)
		report(hit)
	}
}

// renamedHook reports whether a hook has a new name that contains the one before, such as local-ruff.
func (f *gradedFile) renamedHook(name string) bool {
	id, is := strings.CutPrefix(name, "the hook ")
	for other := range f.now {
		if is && f.was[other] == nil && has(other, id) {
			return true
		}
	}
	return false
}
