package start

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/verify/input"
)

const (
	pyTest     = `(?m)^[ \t]*(?:async )?def test\w*\(`
	pyUnittest = `(?m)^\s*(?:import unittest|from unittest import|class \w+\([\w., ]*TestCase\b)`
	// pytestSection is a section that configures pytest in an INI file.
	pytestSection = `(?m)^\[(?:tool:)?pytest\]`
	// pySelects is an option of pytest that leaves tests out, by whatever name.
	pySelects   = `(?:^|[\s"'])(?:-[km]\b|--deselect|--ignore|--collect-only|--co\b|-p no:junitxml)`
	pyAddopts   = `(?m)^addopts[ \t]*=.*(?:\n[ \t]+.*)*`
	requirement = `^\s*([A-Za-z0-9._-]+)`
)

// pycache is the directory that Python leaves beside each file.
const pycache = "__pycache__/"

// pyProject is a directory with Python tests.
type pyProject struct {
	*starter
	dir     string
	config  table              // pyproject.toml
	manager *toolchain.Manager // nil for pip
	prefix  []string           // that runs a program in the project's environment
	group   string             // where pyproject.toml names pytest: "extra test", "group test", …
	options string             // the options of pytest that the configuration adds
}

// python finds the projects with Python tests.
func (s *starter) python() {
	dirs := outermost(s.usable("Python", s.dirsOf(toolchain.Python.Manifests...)))
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	for _, dir := range dirs {
		p := &pyProject{starter: s, dir: dir}
		tests := s.count(pyTest, p.isTest, "")
		if tests == 0 {
			continue
		}
		p.config = s.toml(join(dir, "pyproject.toml"))
		p.environment()
		usesPytest := p.usesPytest()
		switch {
		case usesPytest:
			p.pytest(tests)
		case s.has(join(dir, "manage.py")):
			_, r := toolchain.RunnerOf([]string{"manage.py", "test"})
			s.add(&criterion{id: r.ID, run: p.with(r.Run...), cwd: dir, none: r.Report.None, why: r.Why})
		case !p.unittest():
			usesPytest = true // functions without a class
			p.pytest(tests)
		}
		p.leaves(pycache)
		p.prepareEnvironment(usesPytest)
	}
}

// isTest reports whether a path is a file of tests of the project.
func (p *pyProject) isTest(f string) bool {
	base := path.Base(f)
	return isIn(f, p.dir) && !isSample(f) && ((strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".py")) || strings.HasSuffix(base, "_test.py"))
}

// environment tells by the lock file how programs run in the project's environment.
func (p *pyProject) environment() {
	p.group = p.declares("pytest")
	managers := toolchain.Python.Managers
	i := slices.IndexFunc(managers, func(m toolchain.Manager) bool { // also by the lock file of the root
		return p.first(p.dir, m.Locks[0]) != "" || p.first(".", m.Locks[0]) != ""
	})
	if i < 0 {
		return
	}
	p.manager, p.prefix = &managers[i], managers[i].Run
	if kind, name, found := strings.Cut(p.group, " "); found && p.group != "group dev" && p.manager.Name == "uv" {
		p.prefix = words(p.prefix, []string{"--" + kind, name})
	}
}

// with is a command in the environment of the project.
func (p *pyProject) with(command ...string) []string { return words(p.prefix, command) }

// declares tells where pyproject.toml names a package: "extra NAME", "group NAME", "main"; "" when it does not.
func (p *pyProject) declares(name string) string {
	if requires(p.config.tableAt("project")["dependencies"], name) {
		return "main"
	}
	for _, place := range []struct {
		kind string
		list table
	}{{"group", p.config.tableAt("dependency-groups")}, {"extra", p.config.tableAt("project", "optional-dependencies")}} {
		for _, group := range sortedKeys(place.list, "dev", "test", "tests", "testing") {
			if requires(place.list[group], name) {
				return place.kind + " " + group
			}
		}
	}
	if requires(p.config.tableAt("tool", "uv")["dev-dependencies"], name) {
		return "group dev"
	}
	return ""
}

// sortedKeys lists the keys of a table, some names first.
func sortedKeys(t table, first ...string) (keys []string) {
	for key := range t {
		keys = append(keys, key)
	}
	input.SortStable(keys, func(a, b string) int {
		if i, j := slices.Index(first, a), slices.Index(first, b); i != j && (i < 0 || (j >= 0 && j < i)) {
			return 1
		} else if i != j {
			return -1
		}
		return strings.Compare(a, b)
	})
	return keys
}

// requires reports whether a list of requirements names a package.
func requires(list any, name string) bool {
	items, _ := list.([]any)
	return slices.ContainsFunc(items, func(item any) bool {
		text, _ := item.(string)
		m := regexp.MustCompile(requirement).FindStringSubmatch(text)
		return m != nil && strings.EqualFold(m[1], name)
	})
}

// usesPytest looks for its configuration, its hooks, and a dependency.
func (p *pyProject) usesPytest() bool {
	ini := p.first(p.dir, "pytest.ini", ".pytest.ini", "pytest.toml")
	found := ini != ""
	p.options = added(p.text(ini))
	if own := p.config.tableAt("tool", "pytest"); own != nil {
		found = true
		p.options += optionText(own.tableAt("ini_options")["addopts"]) + optionText(own["addopts"])
	}
	for _, name := range []string{"tox.ini", "setup.cfg"} {
		if text := p.text(join(p.dir, name)); matches(pytestSection, text) {
			found = true
			p.options += added(text)
		}
	}
	return found || p.group != "" || p.any(func(f string) bool { return isIn(f, p.dir) && path.Base(f) == "conftest.py" && !isSample(f) }) ||
		slices.ContainsFunc(p.requirementFiles(), func(f string) bool { return names(p.text(f), "pytest") })
}

// added are the options that an INI file adds to every call of pytest.
func added(ini string) string {
	return " " + strings.Join(regexp.MustCompile(pyAddopts).FindAllString(ini, -1), " ")
}

// optionText writes options as one text, whether they are a text or a list.
func optionText(v any) string {
	switch v := v.(type) {
	case string:
		return " " + v
	case []any:
		text := ""
		for _, item := range v {
			text += optionText(item)
		}
		return text
	}
	return ""
}

// requirementFiles are the files of the project that may name pytest.
func (p *pyProject) requirementFiles() (list []string) {
	for _, f := range p.files {
		base, dir := path.Base(f.Path), path.Dir(f.Path)
		here := dir == p.dir || dir == join(p.dir, "requirements")
		if (here && (strings.Contains(base, "requirements") || dir != p.dir) && (strings.HasSuffix(base, ".txt") || strings.HasSuffix(base, ".in"))) ||
			(dir == p.dir && slices.Contains([]string{"setup.py", "setup.cfg", "tox.ini", "Pipfile", "pyproject.toml", "environment.yml"}, base)) {
			list = append(list, f.Path)
		}
	}
	return list
}

// pytest adds the criterion.
func (p *pyProject) pytest(tests int) {
	e, r := toolchain.RunnerOf([]string{"pytest"})
	run := r.Run
	if p.prefix == nil {
		run = words([]string{"python3", "-m"}, run)
	}
	if matches(pySelects, p.options) {
		tests = 0 // how many are left out is not known
	}
	c := &criterion{id: r.ID, run: p.with(run...), cwd: p.dir, why: r.Why, ecosystem: e}
	c.counted(&r.Report, tests, p.dir)
	p.starter.add(c)
}

// unittest adds a criterion for tests that need no other package; false when there are none.
func (p *pyProject) unittest() bool {
	if p.count(pyUnittest, p.isTest, "") == 0 {
		return false
	}
	_, r := toolchain.RunnerOf([]string{"unittest"})
	run := p.with(r.Run...)
	for _, dir := range []string{"tests", "test"} {
		if p.any(func(f string) bool { return isIn(f, join(p.dir, dir)) && p.isTest(f) }) {
			run = append(run, "-s", dir)
			if p.has(join(p.dir, dir+"/__init__.py")) {
				run = append(run, "-t", ".")
			}
			break
		}
	}
	p.starter.add(&criterion{id: r.ID, run: run, cwd: p.dir, none: r.Report.None, why: r.Why})
	return true
}

// prepareEnvironment adds the setup of a fresh checkout.
func (p *pyProject) prepareEnvironment(usesPytest bool) {
	p.tool("python")
	if p.manager != nil {
		install := p.manager.Install
		for _, word := range p.prefix[len(p.manager.Run):] {
			install += " " + input.ShellWord(word)
		}
		isUV := p.manager.Name == "uv"
		if isUV {
			p.tool("uv")
		}
		if pin, _ := p.pinOf(toolchain.ActionOf("uv").Uses); !isUV || pin == "" {
			p.prepare(".", "pipx install "+p.manager.Name)
		}
		p.prepare(p.dir, install)
		return
	}
	listed := p.group != ""
	for _, f := range p.requirementFiles() {
		if strings.HasSuffix(f, ".txt") {
			p.prepare(".", "python3 -m pip install -r "+input.ShellWord(f))
			listed = listed || names(p.text(f), "pytest")
		}
	}
	if p.has(join(p.dir, "setup.py")) || p.config.tableAt("project") != nil || p.config.tableAt("build-system") != nil {
		extra := ""
		if kind, name, found := strings.Cut(p.group, " "); found && kind == "extra" {
			extra = "[" + name + "]"
		}
		p.leaves("*.egg-info/")
		p.prepare(p.dir, "python3 -m pip install -e "+input.ShellWord("."+extra))
		if name, found := strings.CutPrefix(p.group, "group "); found {
			p.prepare(p.dir, "python3 -m pip install --group "+input.ShellWord(name))
		}
	}
	if usesPytest && !listed {
		p.prepare(".", "python3 -m pip install pytest")
	}
}
