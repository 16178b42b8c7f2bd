package start

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// manager is a package manager of JavaScript.
type manager struct {
	name    string
	locks   []string
	run     []string // runs a script of package.json; what follows the name of the script goes to it
	exec    []string // runs a program of a dependency
	each    []string // runs the script test of every workspace that has one; nil when the manager cannot
	install string   // with the lock file
	loose   string   // without one, and without writing one
}

// managers are in the order in which their lock files count: npm writes one by accident most often.
var managers = []manager{
	{
		"pnpm", []string{"pnpm-lock.yaml"}, []string{"pnpm", "run"}, []string{"pnpm", "exec"}, []string{"pnpm", "-r", "--if-present", "run", "test"},
		"corepack enable && pnpm install --frozen-lockfile", "corepack enable && pnpm install --no-lockfile",
	},
	{
		"yarn", []string{"yarn.lock"}, []string{"yarn", "run"}, []string{"yarn", "run"}, nil,
		"corepack enable && yarn install --frozen-lockfile", "corepack enable && yarn install",
	},
	{
		"bun", []string{"bun.lock", "bun.lockb"}, []string{"bun", "run"}, []string{"bun", "x"}, nil,
		"npm install --global bun && bun install --frozen-lockfile", "npm install --global bun && bun install --no-save",
	},
	{
		"npm", []string{"package-lock.json", "npm-shrinkwrap.json"}, []string{"npm", "run"}, []string{"npx", "--no-install"},
		[]string{"npm", "run", "test", "--workspaces", "--if-present"}, "npm ci", "npm install --no-package-lock",
	},
}

const (
	// placeholder is a script that tests nothing: that of npm init, and what people write to get rid of it.
	placeholder = `^(?:echo\b[^&|;]*(?:(?:&&|;)\s*exit \d+)?|exit \d+|true|:)\s*$`
	// watching is a script that does not end by itself.
	watching   = `(?:^|\s)(?:--watch(?:All)?(?:=true)?(?:\s|$)|vitest watch\b|ng test\b|karma start\b)`
	watchesNot = `--(?:no-watch|watch(?:All)?=false|single-run)\b`
	jsTest     = `(?m)^\s*(?:it|test)(?:\.each|\.concurrent|\.only)?\s*[(.\x60]`
	// plainVitest and plainNode are scripts that are one call, so that arguments can be added to them.
	plainVitest = `^vitest(?: run| --run)?(?: --(?:coverage|no-coverage|globals|typecheck|silent|pool=\w+|project[ =][\w*-]+))*$`
	plainNode   = `^node --test$`
	plainJest   = `^jest(?: --(?:ci|coverage|runInBand|silent))*$`
	jsTestFile  = `\.(?:test|spec)\.[cm]?[jt]sx?$`
)

// javascript finds the packages with a test script. The root of a workspace runs the tests of its packages.
func (s *starter) javascript() {
	for _, dir := range s.usable("package.json", s.dirsOf("package.json")) {
		if dir != "." && (s.has("package.json") && s.first(dir, allLocks()...) == "" || s.inWorkspace(dir)) {
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

func allLocks() (names []string) {
	for _, m := range managers {
		names = append(names, m.locks...)
	}
	return names
}

// inWorkspace reports whether a directory above declares workspaces, which have their tests run from there.
func (s *starter) inWorkspace(dir string) bool {
	for up := parent(dir); ; up = parent(up) {
		if pkg := join(up, "package.json"); s.has(pkg) && s.hasWorkspaces(up, s.json(pkg)) {
			return true
		}
		if up == "." {
			return false
		}
	}
}

func parent(dir string) string {
	if i := strings.LastIndexByte(dir, '/'); i >= 0 {
		return dir[:i]
	}
	return "."
}

func (s *starter) hasWorkspaces(dir string, pkg *input.Node) bool {
	return s.has(join(dir, "pnpm-workspace.yaml")) || member(pkg, "workspaces").Kind >= input.KindList
}

// managerOf tells the package manager by what package.json declares, else by the lock file.
func (s *starter) managerOf(dir string, pkg *input.Node) (m *manager, locked bool) {
	declared, _, _ := strings.Cut(member(pkg, "packageManager").Text, "@")
	m = &managers[len(managers)-1]
	for i := range managers {
		if has := s.first(dir, managers[i].locks...) != ""; has || managers[i].name == declared {
			m, locked = &managers[i], has
			if declared == "" || m.name == declared {
				break
			}
		}
	}
	if m.name == "yarn" && s.has(join(dir, ".yarnrc.yml")) {
		modern := *m
		modern.install = "corepack enable && yarn install --immutable"
		m = &modern
	}
	return m, locked
}

// jsPackage is a package.json that is looked at.
type jsPackage struct {
	*starter
	dir        string
	pkg        *input.Node
	manager    *manager
	locked     bool
	workspaces bool
}

func (p *jsPackage) script(name string) string {
	return strings.TrimSpace(member(p.pkg, "scripts", name).Text)
}

// find adds the criterion of a package.
func (p *jsPackage) find() {
	before := len(p.criteria)
	switch name := p.testScript(); {
	case name != "":
		p.addScript(name)
	case p.workspaces && p.manager.each != nil && p.packagesHaveTests():
		p.starter.add(&criterion{id: p.manager.name, run: p.manager.each, cwd: p.dir, why: "the test script of every package of the workspace"})
	case p.workspaces:
		p.addPackages()
	}
	if len(p.criteria) > before {
		p.prepareJS()
	}
}

func (p *jsPackage) prepareJS() {
	if p.manager.name == "pnpm" {
		p.tool("pnpm") // first: the other one may cache for it
	}
	p.tool("node")
	p.leaves("node_modules/")
	if p.locked {
		p.prepare(p.dir, p.manager.install)
	} else {
		p.prepare(p.dir, p.manager.loose)
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
	script := p.script(name)
	c := &criterion{id: p.manager.name, run: words(p.manager.run, []string{name}), cwd: p.dir, why: "the script " + name + " of package.json"}
	if p.manager.name == "npm" && name == "test" {
		c.run = []string{"npm", "test"}
	}
	report := reportPath("tests.xml", p.dir)
	var more []string
	switch {
	case matches(plainVitest, script):
		more = []string{"--reporter=default", "--reporter=junit", "--outputFile.junit=" + from(p.dir, report)}
		if script == "vitest" || strings.HasPrefix(script, "vitest --") && !strings.Contains(script, "--run") {
			more = words([]string{"--run"}, more)
		}
	case matches(plainNode, script):
		more = []string{
			"--test-reporter=spec", "--test-reporter-destination=stdout", "--test-reporter=junit",
			"--test-reporter-destination=" + from(p.dir, report),
		}
	case matches(plainJest, script) && depends(p.pkg, "jest-junit"):
		c.run = words([]string{"env", "JEST_JUNIT_OUTPUT_FILE=" + from(p.dir, report)}, c.run)
		more = []string{"--reporters=default", "--reporters=jest-junit"}
	case strings.Contains(script, "react-scripts test"):
		c.run = words([]string{"env", "CI=true"}, c.run) // else it waits for keys
	}
	if more != nil {
		if p.manager.name == "npm" {
			more = words([]string{"--"}, more)
		}
		c.run, c.report = words(c.run, more), report
		isFile := regexp.MustCompile(jsTestFile)
		c.tests = floor(p.count(jsTest, func(f string) bool { return below(f, p.dir) && isFile.MatchString(f) && !isAside(f) }, ""))
		if strings.Contains(script, "--project") {
			c.tests = 1 // of how many tests is not known
		}
	}
	p.starter.add(c)
	if p.dir == "." && matches(plainNode, script) {
		p.nodeControl()
	}
}

// nodeControl derives a negative control: the runner on a test that fails on purpose. Only node --test runs a file that is
// named, whatever its patterns are.
func (p *jsPackage) nodeControl() {
	const file = controls + "/must-fail.mjs"
	p.extra = append(p.extra, File{file, []byte(`// A test that fails on purpose: the negative control of .closeout/scope_contract.json. If it passes, the command that runs the
// tests cannot fail, and proves nothing.
import test from "node:test";

test("must fail", () => {
  throw new Error("this test fails on purpose");
});
`)})
	p.starter.add(&criterion{
		id: p.manager.name + "-red", run: []string{"node", "--test", file}, cwd: ".", proves: p.criteria[len(p.criteria)-1].id,
		why: "the negative control: a test that fails on purpose must fail the runner",
	})
}

// packages yields the packages of a workspace: the manifests below the root, without those aside.
func (p *jsPackage) packages() (dirs []string) {
	for _, dir := range p.dirsOf("package.json") {
		if dir != p.dir && below(dir, p.dir) && printable(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func (p *jsPackage) packagesHaveTests() bool {
	return slices.ContainsFunc(p.packages(), func(dir string) bool {
		script := strings.TrimSpace(member(p.json(join(dir, "package.json")), "scripts", "test").Text)
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
		if member(pkg, key, name).Kind == input.KindString {
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
