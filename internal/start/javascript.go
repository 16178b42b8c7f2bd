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
	// placeholder is a script that tests nothing: the one of npm init, and what people write to get rid of it.
	placeholder = `^(?:echo\b[^&|;]*(?:(?:&&|;)\s*exit \d+)?|exit \d+|true|:)\s*$`
	// watching is a script that does not end by itself.
	watching   = `(?:^|\s)(?:--watch(?:All)?(?:=true)?(?:\s|$)|vitest watch\b|ng test\b|karma start\b)`
	watchesNot = `--(?:no-watch|watch(?:All)?=false|single-run)\b`
	jsTest     = `(?m)^\s*(?:it|test)(?:\.each|\.concurrent|\.only)?\s*[(.\x60]`
	jsTestFile = `\.(?:test|spec)\.[cm]?[jt]sx?$`
)

// javascript finds the packages with a test script. The root of a workspace runs the tests of its packages.
func (s *starter) javascript() {
	var locks []string
	for i := range toolchain.JavaScript.Managers {
		locks = append(locks, toolchain.JavaScript.Managers[i].Locks...)
	}
	for _, dir := range s.usable("package.json", s.dirsOf(toolchain.JavaScript.Manifests...)) {
		if dir != "." && ((s.has("package.json") && s.first(dir, locks...) == "") || s.inWorkspace(dir)) {
			continue
		}
		pkg := s.json(join(dir, "package.json"))
		if pkg == nil {
			continue
		}
		p := &jsPackage{starter: s, dir: dir, pkg: pkg, workspaces: s.hasWorkspaces(dir, pkg)}
		p.manager, p.locked = s.managerOf(dir, pkg)
		p.find()
	}
}

// join is a path below a directory.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// inWorkspace reports whether a directory above declares workspaces, which have their tests run from there.
func (s *starter) inWorkspace(dir string) bool {
	for up := path.Dir(dir); ; up = path.Dir(up) {
		if pkg := join(up, "package.json"); s.has(pkg) && s.hasWorkspaces(up, s.json(pkg)) {
			return true
		}
		if up == "." {
			return false
		}
	}
}

func (s *starter) hasWorkspaces(dir string, pkg *input.Node) bool {
	return s.has(join(dir, "pnpm-workspace.yaml")) || pkg.At("workspaces").Kind >= input.KindList
}

// managerOf tells the package manager by what package.json declares, else by the lock file.
func (s *starter) managerOf(dir string, pkg *input.Node) (m *toolchain.Manager, locked bool) {
	managers := toolchain.JavaScript.Managers
	declared, _, _ := strings.Cut(pkg.At("packageManager").Text, "@")
	m = &managers[len(managers)-1]
	for i := range managers {
		if has := s.first(dir, managers[i].Locks...) != ""; has || managers[i].Name == declared {
			m, locked = &managers[i], has
			if declared == "" || m.Name == declared {
				break
			}
		}
	}
	if m.Name == "yarn" && s.has(join(dir, ".yarnrc.yml")) {
		modern := *m
		modern.Install = "corepack enable && yarn install --immutable"
		m = &modern
	}
	return m, locked
}

// jsPackage is a package.json that is looked at.
type jsPackage struct {
	*starter
	dir        string
	pkg        *input.Node
	manager    *toolchain.Manager
	locked     bool
	workspaces bool
}

func (p *jsPackage) script(name string) string {
	return strings.TrimSpace(p.pkg.At("scripts", name).Text)
}

// find adds the criterion of a package.
func (p *jsPackage) find() {
	before := len(p.criteria)
	switch name := p.testScript(); {
	case name != "":
		p.addScript(name)
	case p.workspaces && p.manager.Each != nil && p.packagesHaveTests():
		p.starter.add(&criterion{id: p.manager.Name, run: p.manager.Each, cwd: p.dir, none: "several scripts run", why: "the test script of every package of the workspace"})
	case p.workspaces:
		p.addPackages()
	}
	if len(p.criteria) > before {
		p.prepareJS()
	}
}

func (p *jsPackage) prepareJS() {
	if p.manager.Name == "pnpm" {
		p.tool("pnpm") // first: the other one may cache for it
	}
	p.tool("node")
	p.leaves("node_modules/")
	if p.locked {
		p.prepare(p.dir, p.manager.Install)
	} else {
		p.prepare(p.dir, p.manager.Loose)
	}
}

// testScript is the name of the script that runs the tests once; "" when there is none.
func (p *jsPackage) testScript() string {
	first := p.script("test")
	names := []string{"test", "test:ci", "ci:test", "test:run", "test:unit", "test-unit"}
	if i := slices.IndexFunc(names, p.workflowRuns); i > 0 { // which is known to be enough, and to need no more than a runner has
		names = words(names[i:i+1], names)
	}
	for _, name := range names {
		script := p.script(name)
		if script == "" || matches(placeholder, script) {
			continue
		}
		if !matches(watching, script) || matches(watchesNot, script) {
			return name
		}
	}
	if first != "" && !matches(placeholder, first) {
		p.note("the script test of " + input.Quote(join(p.dir, "package.json")) + " was left out: " + input.Quote(first) +
			" does not end by itself; add a script test:ci that runs the tests once")
	}
	return ""
}

// workflowRuns reports whether a workflow runs a script by its name.
func (p *jsPackage) workflowRuns(name string) bool {
	pattern := regexp.MustCompile(`\b(?:npm|pnpm|yarn|bun)(?: run)? ` + regexp.QuoteMeta(name) + `(?:\s|$)`)
	return p.script(name) != "" && p.dir == "." && p.any(func(f string) bool {
		return path.Dir(f) == ".github/workflows" && pattern.MatchString(p.text(f))
	})
}

// addScript adds the criterion of a script, with a report where the runner has one built in.
func (p *jsPackage) addScript(name string) {
	script := strings.TrimPrefix(strings.TrimPrefix(p.script(name), "npx "), "--no-install ")
	c := &criterion{
		id: p.manager.Name, run: words(p.manager.Run, []string{name}), cwd: p.dir, why: "the script " + name + " of package.json",
		ecosystem: &toolchain.JavaScript,
	}
	if p.manager.Name == "npm" && name == "test" {
		c.run = []string{"npm", "test"}
	}
	switch r := toolchain.JavaScript.RunnerOfScript(script); {
	case r == nil:
		if strings.Contains(script, "react-scripts test") {
			c.run = words([]string{"env", "CI=true"}, c.run) // else it waits for keys
		}
		c.none = "its script is not one plain call of Vitest, Jest or node --test"
	case r.Report.Package != "" && !depends(p.pkg, r.Report.Package):
		c.none = r.Report.None
	default:
		if p.manager.Name == "npm" {
			c.run = words(c.run, []string{"--"})
		}
		if script == "vitest" || (strings.HasPrefix(script, "vitest --") && !strings.Contains(script, "--run")) {
			c.run = words(c.run, []string{"--run"})
		}
		isFile := regexp.MustCompile(jsTestFile)
		tests := p.count(jsTest, func(f string) bool { return isIn(f, p.dir) && isFile.MatchString(f) && !isSample(f) }, "")
		if strings.Contains(script, "--project") {
			tests = 0 // of how many is not known
		}
		c.counted(&r.Report, tests, p.dir)
	}
	p.starter.add(c)
}

// packages yields the packages of a workspace: the manifests below the root, without samples.
func (p *jsPackage) packages() (dirs []string) {
	for _, dir := range p.dirsOf("package.json") {
		if dir != p.dir && isIn(dir, p.dir) && printable(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func (p *jsPackage) packagesHaveTests() bool {
	return slices.ContainsFunc(p.packages(), func(dir string) bool {
		script := strings.TrimSpace(p.json(join(dir, "package.json")).At("scripts", "test").Text)
		return script != "" && !matches(placeholder, script)
	})
}

// addPackages adds a criterion for each package, where one command for all of them would fail in a package without tests.
func (p *jsPackage) addPackages() {
	for _, dir := range p.packages() {
		pkg := p.json(join(dir, "package.json"))
		if pkg == nil {
			continue
		}
		inner := &jsPackage{starter: p.starter, dir: dir, pkg: pkg, manager: p.manager, locked: p.locked}
		if name := inner.testScript(); name != "" {
			inner.addScript(name)
		}
	}
}

// depends reports whether package.json names a dependency.
func depends(pkg *input.Node, name string) bool {
	for _, key := range []string{"devDependencies", "dependencies", "peerDependencies", "optionalDependencies"} {
		if pkg.At(key, name).Kind == input.KindString {
			return true
		}
	}
	return false
}

// names reports whether a text contains a name as a word.
func names(text, name string) bool {
	return text != "" && matches(`(?:^|[^\w-])`+regexp.QuoteMeta(name)+`(?:$|[^\w-])`, text)
}

func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }
