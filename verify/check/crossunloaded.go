package check

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/reports"
)

// findBroken finds what does not load: what the reports say, and failures that are called like a file of tests. A runner
// that stops at the first of them, or does not say of which file it is, leaves open what the others would have shown.
func (k *comparison) findBroken() {
	passed, listed := map[string]bool{}, map[string]bool{}
	for _, t := range k.base.Names {
		passed[t.Name], listed[t.Name] = passed[t.Name] || t.Passed > 0, true
	}
	for _, name := range k.base.Broken {
		switch {
		case listed[name] && k.fileOf(name) == "":
		case k.edited(name):
			k.run.Cases[Unloaded] = append(k.run.Cases[Unloaded], CrossCase{Name: name})
		default:
			k.run.Cases[UnloadedBefore] = append(k.run.Cases[UnloadedBefore], CrossCase{Name: name})
		}
	}
	ran, homeless := false, map[string]bool{}
	for _, name := range k.old.Broken {
		homeless[name] = true
	}
	for _, t := range k.old.Names {
		ran = ran || t.Passed > 0
		if t.Failing && !passed[t.Name] && k.fileOf(t.Name) != "" {
			homeless[t.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(homeless)) {
		if passed[name] {
			delete(homeless, name) // a case that fails, of a runner that names no class
			continue
		}
		if !slices.Contains(k.base.Broken, name) {
			k.run.Unloaded = append(k.run.Unloaded, unloadedLine(cmp.Or(k.fileOf(name), name), k.whyOf(name)))
		}
		k.broken[name], k.broken[cmp.Or(k.fileOf(name), name)] = name, name
	}
	for _, name := range slices.Sorted(maps.Keys(k.old.Ended)) {
		k.run.Unloaded = append(k.run.Unloaded, name+" ended before all of its tests ran: "+k.old.Ended[name])
	}
	for _, t := range k.passed {
		delete(homeless, k.unloadedPartOf(t))
	}
	for _, name := range k.base.Broken {
		delete(homeless, name) // the others passed beside it
	}
	k.stuck = k.old.unloaded || len(homeless) > 0 || (len(k.broken) > 0 && !ran && !k.old.GoesOn)
}

// edited reports whether the change may edit tests that a report names, or how they run: it touches their file, or a
// test path that is not a suite of its own, which may be a fixture or configure them. Where the file is unknown, it may
// be any file that belongs to no other group.
func (k *comparison) edited(name string) bool {
	file := k.fileOf(name)
	return slices.ContainsFunc(k.in.Changes, func(c JudgedPath) bool {
		switch {
		case !k.in.Policy.TestPath(c.Path):
			return false
		case file == "" && k.base.GoesOn && strings.HasSuffix(c.Path, "_test.go"):
			return !k.isOfOther(name, path.Dir(c.Path))
		case file == "": // a class, of which the file is not known
			return true
		}
		return c.Path == file || !k.isSuite(c.Path)
	})
}

// isOfOther reports whether a directory belongs to another package of Go than a name. The name of a package ends with the
// directory in its module; where modules are in the repository is not known.
func (k *comparison) isOfOther(name, dir string) bool {
	is := func(pkg string) bool { return pkg == dir || strings.HasSuffix(pkg, "/"+dir) }
	isOther := func(t reports.TestName) bool { return t.Group != name && is(t.Group) }
	return !is(name) && (slices.ContainsFunc(k.base.Names, isOther) || slices.ContainsFunc(k.base.Broken, is))
}

// isSuite reports whether the report of the base calls a group of cases by a file of tests, as a path or as a module of Python.
func (k *comparison) isSuite(file string) bool {
	if k.suites == nil {
		k.suites = map[string]bool{}
		for i := range k.base.Names {
			t := &k.base.Names[i]
			k.suites[t.Name] = true
			for at, c := range t.Group + "." {
				if c == '.' {
					k.suites[t.Group[:at]] = true
				}
			}
		}
	}
	own := strings.TrimPrefix(file, k.run.Criterion.Cwd+"/")
	return k.suites[file] || k.suites[own] || k.suites[strings.ReplaceAll(strings.TrimSuffix(own, ".py"), "/", ".")]
}

// whyOf is the line of the error for which something does not load on old_tests; "" when the report does not give it.
func (k *comparison) whyOf(name string) string {
	i := slices.IndexFunc(k.old.Names, func(t reports.TestName) bool { return t.Failing && t.Name == name })
	if i < 0 {
		return k.old.Why[name]
	}
	return cmp.Or(k.old.Why[name], k.old.Names[i].Error)
}

func unloadedLine(name, why string) string {
	if why == "" {
		return name + " does not load"
	}
	return name + " does not load: " + why
}

// fileOf is the path of tests that a name in a report stands for, as a path or as a module of Python; "" for none.
func (k *comparison) fileOf(name string) string {
	cwd := k.run.Criterion.Cwd
	module := strings.ReplaceAll(name, ".", "/") + ".py"
	for _, file := range []string{name, path.Join(cwd, name), path.Join(cwd, module)} {
		if k.in.Policy.TestPath(file) {
			return file
		}
	}
	return ""
}

// unloadedPartOf is what does not load and contains a case: its package, class, module or file; "" for none.
func (k *comparison) unloadedPartOf(t *reports.TestName) string {
	if p := k.place(t); p != nil && k.broken[p.File] != "" {
		return k.broken[p.File]
	}
	for name, more := t.Group, true; more; {
		if k.broken[name] != "" {
			return k.broken[name]
		}
		at := strings.LastIndexByte(name, '.')
		if more = at > 0; more {
			name = name[:at]
		}
	}
	return ""
}
