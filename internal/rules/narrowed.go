package rules

import (
	"path"
	"slices"
	"strings"
)

// findNarrowedCheck finds commands that check less than the one that they replace, or try it until it passes, and
// scripts that do not run a check any more.
func findNarrowedCheck(c *Change, report func(Hit)) {
	more := map[string]int{} // how many more checks of a program there are now
	for _, f := range c.scripted() {
		for _, old := range f.had {
			more[old.Program]--
		}
		for _, check := range f.has {
			more[check.Program]++
		}
	}
	for _, f := range c.scripted() {
		before := map[string][]Check{}
		for _, old := range f.had {
			before[old.Program] = append(before[old.Program], old)
		}
		for _, check := range f.has {
			if old := before[check.Program]; len(old) > 0 && f.Base != nil {
				check.report(&old[0], more[check.Program] > 0, report)
				before[check.Program] = old[1:]
			}
		}
	}
	c.droppedChecks(report)
	for _, f := range c.Files {
		if f.Base != nil && f.Head != nil && !foreign(f.Path) &&
			isNamed(f.Path, pytestFiles) {
			old, check := pytestSettings(f, f.Base), pytestSettings(f, f.Head)
			if len(check.Args)+len(check.names) > 0 { // else it may be in another file now
				check.report(&old, false, report)
			}
		}
	}
}

func (c *Check) report(old *Check, split bool, report func(Hit)) {
	if how := c.narrows(old, split); how != "" {
		report(c.File.hit(old.Line, c.Line, c.Program, c.Program+" checks less than before: "+how,
			"let it check what it checked, and fix what it finds"))
	}
}

// droppedChecks finds scripts, targets and entries of package.json that do not run a check any more, where nothing in
// the change may run it instead: a new file, a new check of the kind, a new line that runs what is in another file, or a new
// script of package.json that only succeeds, which is said elsewhere, or only fails. Workflows are compared as a whole; see
// removedChecks.
func (c *Change) droppedChecks(report func(Hit)) {
	fresh := map[string]bool{}
	for _, f := range c.scripted() {
		if f.Base == nil {
			return
		}
		for _, check := range f.has {
			fresh[checkClass(check.Program)] = true
		}
	}
	for _, f := range c.scripted() {
		var gone []Check
		for _, old := range f.had {
			if old.Program != "codecov" && !has(old.Program, "report") && !fresh[checkClass(old.Program)] {
				gone = append(gone, old)
			}
		}
		if len(gone) == 0 || isFlow(f.Path) || slices.ContainsFunc(f.added, func(s script) bool {
			return elsewhere(s.text) || (s.name != "" && (doesNothing(s.text) || failsLater(shellCommands(s.text))))
		}) {
			continue
		}
		kept := map[string]bool{}
		for _, check := range f.checks(f.all) {
			kept[checkClass(check.Program)] = true
		}
		gone = slices.DeleteFunc(gone, func(old Check) bool { return kept[checkClass(old.Program)] })
		if len(gone) > 0 {
			report(f.hit(gone[0].Line, 0, gone[0].Program, "nothing runs "+gone[0].Program+" here any more", fixRestore))
		}
	}
}

// checkArguments are what stands behind the words that name a check, or the program that takes options in front of what it does.
func checkArguments(words []string, check string) []string {
	last := check[strings.LastIndexByte(check, ' ')+1:]
	if begins(check, "mvn", "gradle") {
		last, _, _ = strings.Cut(check, " ")
	}
	i := slices.IndexFunc(words, func(w string) bool { return strings.TrimPrefix(path.Base(w), ":") == last })
	return words[i+1:]
}

// narrows says how a run checks less than another one, "" where it does not. With split, several runs may share its
// paths.
func (c *Check) narrows(old *Check, split bool) string {
	if c.retried && !old.retried {
		return "it is tried again where it fails"
	}
	for _, name := range old.names {
		if !slices.Contains(c.names, name) {
			return "without " + name
		}
	}
	if len(old.names) == 0 && len(c.names) > 0 && !slices.ContainsFunc(c.names,
		func(name string) bool { return has(strings.ToLower(name), "=test") }) {
		return c.names[0]
	}
	table, needed := narrowingOf(c.Program)
	if len(table) == 0 {
		return ""
	}
	for i, arg := range c.Args {
		option, _, valued := strings.Cut(strings.Replace(arg, "-test.", "-", 1), "=")
		value := "" // that stands behind it
		if !valued && i+1 < len(c.Args) && !begins(c.Args[i+1], "-") {
			value = c.Args[i+1]
		}
		fresh := !slices.Contains(old.Args, arg) || (value != "" && !slices.Contains(old.Args, value))
		if isIn(option, choosing) {
			fresh = !slices.ContainsFunc(old.Args, func(arg string) bool { return begins(arg, option) })
		}
		if fresh && begins(arg, "-") && slices.Contains(table[1:needed], option) {
			return arg
		}
	}
	for _, option := range table[needed+1:] {
		if slices.Contains(old.Args, option) && !slices.Contains(c.Args, option) {
			return "without " + option
		}
	}
	computed := has(strings.Join(slices.Concat(c.Args, old.Args), " "), "$")
	was, now := old.paths(), c.paths()
	switch {
	case table[0] == "-", split, computed:
	case table[0] == "f":
		if len(now) > 0 && len(was) == 0 {
			return "only " + listed(now)
		}
	case fewerPaths(was, now, table[0] == "."):
		return "only " + listed(now)
	}
	return ""
}

// paths are the arguments that are no options, and not the value of one that narrows.
func (c *Check) paths() (list []string) {
	for i, arg := range c.Args {
		if (i == 0 && oneOf(arg, "run", "test")) || ends(arg, ".sln", ".slnx") {
			continue // a subcommand, or all projects
		}
		plain := !begins(arg, "-") && !strings.ContainsAny(arg, "<>|={}")
		value := i > 0 && begins(c.Args[i-1], "-") && !has(c.Args[i-1], "=") && !isIn(c.Args[i-1], switches) // of an option
		if plain && (!value || ends(arg, "/...") || arg == ".") {
			list = append(list, strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(arg, "./"), "..."), "/"))
		}
	}
	return list
}

// fewerPaths reports whether some paths are only a part of others. all is true where no path means everything.
func fewerPaths(was, now []string, all bool) bool {
	if len(now) == 0 || slices.Contains(now, "") || slices.Contains(now, ".") {
		return false
	}
	if len(was) == 0 {
		return all
	}
	below := func(p, q string) bool { return q == p || oneOf(p, "", ".") || begins(q, p+"/") }
	for _, q := range now {
		if !slices.ContainsFunc(was, func(p string) bool { return below(p, q) }) {
			return false
		}
	}
	return slices.ContainsFunc(was, func(p string) bool { return !slices.Contains(now, p) })
}
