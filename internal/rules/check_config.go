package rules

import (
	"maps"
	"slices"
	"strings"
)

// findCheckConfig finds settings of compilers and checkers that demand less than before.
func findCheckConfig(c *Change, report func(Hit)) {
	heads := map[string]degree{} // the strictest in any file: a setting may have moved
	for _, f := range c.Files {
		for name, list := range f.strictness(f.Head) {
			if best, known := heads[name]; !known || best.milder(list[0]) {
				heads[name] = list[0]
			}
		}
	}
	for _, f := range c.Files {
		if f.Base != nil && f.Head != nil {
			milderSettings(f, heads, report)
		}
	}
}

// milderSettings compares both versions of a file.
func milderSettings(f *File, heads map[string]degree, report func(Hit)) {
	was, now := f.strictness(f.Base), f.strictness(f.Head)
	var less []string
	hit := Hit{File: f.Path, Fix: "restore the setting, or let a person approve that it goes"}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		old, list := was[name][0], now[name]
		best, anywhere := heads[name]
		if (list != nil && !list[0].milder(old)) || (list == nil && (!old.needed || old.value == 0)) ||
			(anywhere && !best.milder(old)) || renamedHook(name, was, now) {
			continue
		}
		if less = append(less, name); len(less) == 1 {
			if hit.Was, hit.Base, hit.Line = string(f.Base.Line(old.line)), list == nil, old.line; list != nil {
				hit.Line, hit.Now = list[0].line, string(f.Head.Line(list[0].line))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name][0].value > 0 || was[name] != nil {
			continue
		}
		if less = append(less, name); len(less) == 1 {
			hit.Line, hit.Now = now[name][0].line, string(f.Head.Line(now[name][0].line))
		}
	}
	if len(less) > 0 {
		hit.Subject, hit.Others = less[0], less[1:]
		hit.Detail = "demands less than before: " + listed(less)
		report(hit)
	}
}

// renamedHook reports whether a hook has a new name that contains the one before, such as local-ruff.
func renamedHook(name string, was, now map[string][]degree) bool {
	id, is := strings.CutPrefix(name, "the hook ")
	for other := range now {
		if is && was[other] == nil && has(other, id) {
			return true
		}
	}
	return false
}
