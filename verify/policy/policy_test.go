package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// parse parses a contract; members are added to the ones that must be there.
func parse(t *testing.T, members string) *contract.Contract {
	t.Helper()
	required := map[string]string{
		"allowed_files": `["src/**"]`, "forbidden_files": `["secrets/**"]`, "rollback_plan": `"revert"`, "acceptance_criteria": `["make test"]`,
	}
	text := members
	for _, key := range []string{"allowed_files", "forbidden_files", "rollback_plan", "acceptance_criteria"} {
		if !strings.Contains(members, `"`+key+`"`) {
			text += fmt.Sprintf(", %q: %s", key, required[key])
		}
	}
	c, errs := contract.Parse("c.json", []byte("{"+strings.TrimPrefix(text, ", ")+"}"), input.DefaultLimits())
	if errs.Any() {
		t.Fatalf("%s: %v", text, errs.All())
	}
	return c
}

// join joins contracts: the first is the standing one, the others are task contracts with the trust given.
func join(t *testing.T, trust facts.Trust, contracts ...string) (*policy.Policy, []policy.Problem) {
	t.Helper()
	var sources []policy.Source
	for i, members := range contracts {
		s := policy.Source{Contract: parse(t, members), Kind: "contract", Trust: facts.TrustBase, RepoPaths: []string{".closeout/scope_contract.json"}}
		if i > 0 {
			s.Kind, s.Trust, s.RepoPaths = "task_contract", trust, []string{".closeout/tasks/T-1.json"}
		}
		sources = append(sources, s)
	}
	return policy.Join(sources, "local")
}

func modified(path string) *change.Change {
	return &change.Change{Path: path, Status: change.Modified, OldMode: change.Regular, NewMode: change.Regular}
}

func TestClassify(t *testing.T) {
	soft := `"docs_paths_soft": ["docs/**"]`
	for _, c := range []struct {
		name      string
		contracts []string
		path      string
		want      policy.Class
	}{
		{"allowed", []string{""}, "src/a.go", policy.ClassAllowed},
		{"off scope", []string{""}, "other/a.go", policy.ClassOffScope},
		{"forbidden beats allowed", []string{`"allowed_files": ["**"]`}, "secrets/key", policy.ClassForbidden},
		{"forbidden in another case", []string{`"allowed_files": ["**"]`}, "Secrets/key", policy.ClassForbidden},
		{"allowed is exact", []string{""}, "SRC/a.go", policy.ClassOffScope},
		{"the directory itself is not below it", []string{""}, "src", policy.ClassOffScope},
		{"protected beats allowed", []string{`"allowed_files": ["**"]`}, ".github/workflows/ci.yml", policy.ClassProtected},
		{"protected in another case", []string{`"allowed_files": ["**"]`}, ".GitHub/Workflows/ci.yml", policy.ClassProtected},
		{"next to the workflow directory", []string{`"allowed_files": ["**"]`}, ".github/ISSUE_TEMPLATE/bug.md", policy.ClassAllowed},
		{"agent instructions at any depth", []string{""}, "src/deep/AGENTS.md", policy.ClassProtected},
		{"a look-alike of agent instructions", []string{""}, "src/deep/AGENTS.md.go", policy.ClassAllowed},
		{"evidence", []string{""}, ".closeout/evidence/job/feedback_record.jsonl", policy.ClassEvidence},
		{"a program in the evidence directory", []string{""}, ".closeout/evidence/run.sh", policy.ClassForbidden},
		{"the evidence directory itself", []string{""}, ".closeout/evidence", policy.ClassForbidden},
		{"a directory with another name", []string{""}, ".closeout/evidences/a.json", policy.ClassProtected},
		{"committed reports", []string{`"allowed_files": ["**"]`}, ".closeout/reports/T-1/a/report.json", policy.ClassForbidden},
		{"another evidence directory", []string{`"evidence": {"dir": "ci/evidence"}`}, "ci/evidence/a.json", policy.ClassEvidence},
		{"the usual one is then protected", []string{`"evidence": {"dir": "ci/evidence"}`}, ".closeout/evidence/a.json", policy.ClassProtected},
		{"soft", []string{soft}, "docs/a.md", policy.ClassSoft},
		{"allowed beats soft", []string{soft + `, "allowed_files": ["docs/**"]`}, "docs/a.md", policy.ClassAllowed},
		{"own protected file", []string{`"protected_files": ["src/lock/**"]`}, "src/lock/a", policy.ClassProtected},
		{"lifted", []string{`"may_touch_protected": ["src/Makefile"]`}, "src/Makefile", policy.ClassAllowed},
		{"lifted for one path only", []string{`"may_touch_protected": ["src/Makefile"]`}, "src/x/Makefile", policy.ClassProtected},

		{"below a forbidden directory", []string{`"allowed_files": ["**"], "forbidden_files": ["scripts"]`}, "scripts/a/b.sh", policy.ClassForbidden},
		{"the forbidden path itself", []string{`"allowed_files": ["**"], "forbidden_files": ["scripts"]`}, "scripts", policy.ClassForbidden},
		{"below it in another case", []string{`"allowed_files": ["**"], "forbidden_files": ["scripts"]`}, "Scripts/b.sh", policy.ClassForbidden},
		{"named like the forbidden directory", []string{`"allowed_files": ["**"], "forbidden_files": ["scripts"]`}, "scripts2/b.sh", policy.ClassAllowed},
		{"the forbidden name elsewhere", []string{`"allowed_files": ["**"], "forbidden_files": ["scripts"]`}, "src/scripts/b.sh", policy.ClassAllowed},
		{"below a directory that braces forbid", []string{`"allowed_files": ["**"], "forbidden_files": ["{a,b}/c"]`}, "b/c/d", policy.ClassForbidden},
		{"below what a wildcard forbids", []string{`"allowed_files": ["**"], "forbidden_files": ["*.d"]`}, "a.d/b", policy.ClassAllowed},
		{"below a directory that the task forbids", []string{"", `"forbidden_files": ["src/a"]`}, "src/a/x.go", policy.ClassForbidden},
		{"below an own protected directory", []string{`"protected_files": ["src/lock"]`}, "src/lock/a", policy.ClassProtected},
		{"lifted below an own protected directory", []string{`"protected_files": ["src/lock"], "may_touch_protected": ["src/lock/a"]`}, "src/lock/a", policy.ClassAllowed},
		{"lifting a directory lifts nothing below it", []string{`"protected_files": ["src/lock"], "may_touch_protected": ["src/lock"]`}, "src/lock/a", policy.ClassProtected},
		{"a built-in pattern does not cover more", []string{`"allowed_files": ["**"]`}, ".github/dependabot.yml", policy.ClassAllowed},
		{"below an allowed directory", []string{`"allowed_files": ["scripts"]`}, "scripts/a.sh", policy.ClassOffScope},
		{"below a soft directory", []string{`"docs_paths_soft": ["docs"]`}, "docs/a.md", policy.ClassOffScope},

		{"both allow", []string{"", `"allowed_files": ["src/a/**"]`}, "src/a/x.go", policy.ClassAllowed},
		{"only the standing contract allows", []string{"", `"allowed_files": ["src/a/**"]`}, "src/b/x.go", policy.ClassOffScope},
		{"only the task allows", []string{"", `"allowed_files": ["**"]`}, "other/x.go", policy.ClassOffScope},
		{"the task forbids", []string{"", `"forbidden_files": ["src/a/**"]`}, "src/a/x.go", policy.ClassForbidden},
		{"the task cannot make a path soft", []string{"", soft}, "docs/a.md", policy.ClassOffScope},
		{"soft stays where the task is silent", []string{soft, ""}, "docs/a.md", policy.ClassSoft},
		{"soft ends where the task says less", []string{soft, `"docs_paths_soft": ["docs/api/**"]`}, "docs/a.md", policy.ClassOffScope},
		{"soft in both", []string{soft, `"docs_paths_soft": ["docs/api/**"]`}, "docs/api/a.md", policy.ClassSoft},
		{"a task of the head cannot speak of protection", []string{`"may_touch_protected": ["src/Makefile"]`, ""}, "src/Makefile", policy.ClassAllowed},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, problems := join(t, facts.TrustHead, c.contracts...)
			if problems != nil {
				t.Fatal(problems)
			}
			if got := p.Classify(modified(c.path)).Class; got != c.want {
				t.Errorf("%s is %s, expected %s", c.path, got, c.want)
			}
		})
	}
}

func TestArgumentFiles(t *testing.T) {
	p, problems := join(t, "", `"allowed_files": ["**"], "acceptance_criteria": [
		{"run": ["pytest", "-x", "tests/a.py::test_x"]}, {"run": ["./run.sh"], "cwd": "web"}, {"run": ["jest", "--config=web/jest.json"]},
		{"run": ["bash", "-c", "cd x && ./scripts/all.sh"]}, {"run": ["sh", "../top.sh"], "cwd": "web"}]`)
	if problems != nil {
		t.Fatal(problems)
	}
	for path, want := range map[string]policy.Class{
		"tests/a.py": policy.ClassProtected, "web/run.sh": policy.ClassProtected, "run.sh": policy.ClassAllowed, "web/jest.json": policy.ClassProtected,
		"scripts/all.sh": policy.ClassProtected, "top.sh": policy.ClassProtected, "tests/b.py": policy.ClassAllowed, "tests/A.py": policy.ClassProtected,
	} {
		if got := p.Classify(modified(path)).Class; got != want {
			t.Errorf("%s is %s, expected %s", path, got, want)
		}
	}
	added := modified("tests/a.py")
	added.Status, added.OldMode = change.Added, change.NoMode
	if got := p.Classify(added).Class; got != policy.ClassAllowed {
		t.Errorf("a new file that an argument names is %s", got)
	}
}

// A command that changes to many directories may mean each of its words in each of them. An unusual number is refused
// before it is all tried, also when several criteria share it.
func TestTooManyArguments(t *testing.T) {
	script := func(id string, dirs int) string {
		text := "cd 0"
		for i := range dirs {
			text += fmt.Sprintf(" && cd %s%d", id, i)
		}
		return fmt.Sprintf(`{"id": %q, "run": ["bash", "-c", %q]}`, id, text)
	}
	for _, c := range []struct {
		task []string
		want string // the criterion that is refused
	}{
		{[]string{script("a", 200)}, ""},
		{[]string{script("a", 200), script("b", 200)}, ""},
		{[]string{script("a", 200), script("b", 250)}, "b"},
		{[]string{script("a", 20_000)}, "a"},
	} {
		p, problems := join(t, facts.TrustHead, "", `"task_id": "T-1", "acceptance_criteria": [`+strings.Join(c.task, ", ")+"]")
		switch {
		case c.want == "" && (len(problems) > 0 || p.Classify(modified("a3/a199")).Class != policy.ClassProtected):
			t.Errorf("%.80s: %v", c.task, problems)
		case c.want != "" && (len(problems) != 1 || problems[0].Source != 1 || !strings.Contains(problems[0].Error.Found, "criterion "+c.want)):
			t.Errorf("%.80s: %v, want %s refused", c.task, problems, c.want)
		}
	}
}

func TestFilesWithKeys(t *testing.T) {
	p, _ := join(t, "", `"allowed_files": ["**"]`)
	manifest := func(known bool, keys ...string) *change.Change {
		c := modified("web/package.json")
		c.KeysKnown, c.KeysChanged = known, keys
		return c
	}
	keyed := func(path string) func(...string) *change.Change {
		return func(keys ...string) *change.Change {
			c := modified(path)
			c.KeysKnown, c.KeysChanged = true, keys
			return c
		}
	}
	python, workspace := keyed("lib/pyproject.toml"), keyed("pnpm-workspace.yaml")
	added := func(path string, keys ...string) *change.Change {
		return &change.Change{Path: path, Status: change.Added, NewMode: change.Regular, KeysKnown: true, KeysChanged: keys}
	}
	for _, c := range []struct {
		change *change.Change
		want   policy.Class
	}{
		{manifest(false), policy.ClassProtected},
		{manifest(true, "dependencies"), policy.ClassAllowed},
		{manifest(true), policy.ClassAllowed},
		{manifest(true, "dependencies", "scripts.test"), policy.ClassProtected},
		{manifest(true, "jest"), policy.ClassProtected},
		{manifest(true, "overrides"), policy.ClassProtected},
		{manifest(true, "version", "exports"), policy.ClassAllowed},
		{manifest(true, "Scripts"), policy.ClassProtected},
		{manifest(true, "dependencies", "source of dependencies.a"), policy.ClassProtected},
		{manifest(true, "*"), policy.ClassProtected},
		{&change.Change{Path: "package.json", Status: change.Added, NewMode: change.Regular}, policy.ClassProtected},
		{added("package.json", "name", "scripts", "workspaces"), policy.ClassAllowed},
		{added("package.json", "scripts", "jest"), policy.ClassProtected},
		{added("a/package.json", "eslintIgnore"), policy.ClassProtected},
		{added("package.json", "*"), policy.ClassProtected},
		{added("Package.json"), policy.ClassProtected},
		{added("a/go.mod"), policy.ClassProtected},
		{&change.Change{Path: "a/go.mod", Status: change.Added, NewMode: change.Regular}, policy.ClassProtected},
		{added("a/pyproject.toml", "project.name", "build-system.build-backend"), policy.ClassAllowed},
		{added("a/pyproject.toml", "project.name", "tool.pytest.ini_options"), policy.ClassProtected},
		{added("a/Cargo.toml", "package.name"), policy.ClassAllowed},
		{added("a/Cargo.toml", "package.name", "workspace"), policy.ClassProtected},
		{added("a/pom.xml", "build.plugins"), policy.ClassAllowed},
		{added("a/b.csproj", "ItemGroup.Compile"), policy.ClassAllowed},
		{added("a/Directory.Build.props"), policy.ClassProtected},
		{keyed(".nvmrc")("lower version of the tool"), policy.ClassProtected},
		{keyed(".nvmrc")(), policy.ClassAllowed},
		{modified(".nvmrc"), policy.ClassProtected},
		{added(".nvmrc"), policy.ClassProtected},
		{modified("mise.toml"), policy.ClassProtected},
		{manifest(true, "other scripts.docs"), policy.ClassAllowed},
		{manifest(true, "other scripts.test"), policy.ClassProtected},
		{modified("a/pyproject.toml"), policy.ClassProtected},
		{python(), policy.ClassAllowed},
		{python("project.version", "project.urls.Home", "project.dependencies", "dependency-groups.dev", "tool.poetry.group.dev"), policy.ClassAllowed},
		{python("project.optional-dependencies.test", "tool.poetry.dependencies", "tool.poetry.description"), policy.ClassAllowed},
		{python("project.version", "project.scripts.x"), policy.ClassProtected},
		{python("project"), policy.ClassProtected},
		{python("project.versions"), policy.ClassProtected},
		{python("Project.Version"), policy.ClassProtected},
		{python(`"project.version"`), policy.ClassProtected},
		{python("project.entry-points.pytest11"), policy.ClassProtected},
		{python("build-system.build-backend"), policy.ClassProtected},
		{python("tool.poetry"), policy.ClassProtected},
		{python("tool.poetry.plugins"), policy.ClassProtected},
		{python("tool.pytest.ini_options"), policy.ClassProtected},
		{python("*"), policy.ClassProtected},
		{workspace("catalog", "catalogs", "minimumReleaseAgeExclude", "peerDependencyRules"), policy.ClassAllowed},
		{workspace("minimumReleaseAge"), policy.ClassProtected},
		{workspace(), policy.ClassAllowed},
		{workspace("catalog", "overrides"), policy.ClassProtected},
		{workspace("packages"), policy.ClassProtected},
		{workspace("catalogues"), policy.ClassProtected},
		{workspace("*"), policy.ClassProtected},
		{added("a/pnpm-workspace.yaml"), policy.ClassProtected},
		{&change.Change{Path: "pyproject.toml", Status: change.ModeChanged, OldMode: change.Regular, NewMode: change.Executable}, policy.ClassProtected},
		{&change.Change{Path: "pyproject.toml", Status: change.Deleted, OldMode: change.Regular}, policy.ClassProtected},
		{&change.Change{Path: "go.mod", Status: change.Deleted, OldMode: change.Regular, KeysKnown: true}, policy.ClassProtected},
		{&change.Change{Path: "Makefile", Status: change.Added, NewMode: change.Regular}, policy.ClassProtected},
	} {
		if got := p.Classify(c.change).Class; got != c.want {
			t.Errorf("%+v is %s, expected %s", c.change, got, c.want)
		}
	}
}

// TestProtectedNames lists names that the built-in list protects, at any depth, and similar ones that it does not.
func TestProtectedNames(t *testing.T) {
	p, _ := join(t, "", `"allowed_files": ["**"], "acceptance_criteria": ["npm test"]`)
	yes := "pytest.toml .pytest.toml a/pytest.toml vite.config.ts web/vite.config.mjs .yarnrc.yml .pnpmfile.cjs a/.pnpmfile.mjs pnpm-workspace.yaml " +
		".mvn/maven.config a/.mvn/wrapper/maven-wrapper.properties .cargo/config a/.cargo/config.toml tools/bazel a/tools/bazel eslint.config.js " +
		"a/eslint.config.mts .eslintrc .eslintrc.json .eslintignore ruff.toml a/.ruff.toml .golangci.yml .golangci.toml biome.json biome.jsonc .flake8 " +
		"a/mypy.ini setup.cfg a/tox.ini Ruff.toml .yarnrc gradlew a/mvnw.cmd gradle/wrapper/gradle-wrapper.jar mix.exs settings.gradle.kts a.sln " +
		"setup.py .nvmrc a/.tool-versions global.json rust-toolchain.toml Directory.Build.props spec/spec_helper.rb justfile requirements.txt Gemfile " +
		"build.gradle build.gradle.kts composer.json a/pom.xml Cargo.toml a/b.csproj Directory.Packages.props .yarn/releases/yarn.cjs phpunit.xml.dist"
	no := "pytest.toml.md vite.configs.ts src/vite.config/a.ts yarnrc.yml pnpmfile.md pnpm-workspace.yaml.md mvn/a .mvnw cargo/config .cargo/config.md " +
		"tools/bazel.md tools/bazel/BUILD bazel eslint.md config.js eslintrc.json ruff.toml.md golangci.md biome.md flake8 mypy.md setup.cfg.md CMakeLists.txt meson.build a.proj gradle.md build.gradle.md"
	for path := range strings.FieldsSeq(yes) {
		if got := p.Classify(modified(path)).Class; got != policy.ClassProtected {
			t.Errorf("%s is %s", path, got)
		}
	}
	for path := range strings.FieldsSeq(no) {
		if got := p.Classify(modified(path)).Class; got != policy.ClassAllowed {
			t.Errorf("%s is %s", path, got)
		}
	}
}

func TestProtectedNamesTheKeys(t *testing.T) {
	p, _ := join(t, "", `"allowed_files": ["**"]`)
	c := modified("pyproject.toml")
	c.KeysKnown, c.KeysChanged = true, []string{"a", "b", "c", "d", "e", "f", "g", "project.version"}
	want := "it decides what is built, tested and installed (**/pyproject.toml); keys that count: a, b, c, d, e and 2 more"
	if got := p.Classify(c).Because; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, c := range []struct {
		path   string
		status change.Status
		mode   change.Mode
		want   string
	}{
		{"x/y/go.mod", change.Added, change.Regular, "; a new module: go test ./... of the module above no longer sees x/y"},
		{"x/y/go.mod", change.Deleted, change.NoMode, "; without it x/y is no module of its own: a command in it runs the module above, or none"},
		{"x/y/go.mod", change.Modified, change.Regular, ""},
		{"go.mod", change.Added, change.Regular, ""},
		{"go.mod", change.Deleted, change.NoMode, ""},
	} {
		want = "it decides what is built, tested and installed (**/go.mod)" + c.want
		if got := p.Classify(&change.Change{Path: c.path, Status: c.status, NewMode: c.mode}).Because; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestLiftNeedsAll(t *testing.T) {
	lift := `"may_touch_protected": ["src/Makefile"]`
	for _, c := range []struct {
		trust facts.Trust
		task  string
		want  policy.Class
	}{
		{facts.TrustBase, "", policy.ClassProtected},
		{facts.TrustBase, lift, policy.ClassAllowed},
		{facts.TrustHead, "", policy.ClassAllowed},
	} {
		p, _ := join(t, c.trust, lift, c.task)
		if got := p.Classify(modified("src/Makefile")).Class; got != c.want {
			t.Errorf("with a task contract of the %s that says %q it is %s, expected %s", c.trust, c.task, got, c.want)
		}
	}
}

func TestOffScopeSeverity(t *testing.T) {
	byPath := `"off_scope": "warn", "severity_by_path": [{"files": "other/**", "severity": "block"}, {"files": ["other/doc/**"], "severity": "info"}]`
	for _, c := range []struct {
		contracts []string
		path      string
		want      input.Severity
	}{
		{[]string{""}, "x", input.Block},
		{[]string{`"off_scope": "warn"`}, "x", input.Warn},
		{[]string{byPath}, "other/x", input.Block},
		{[]string{byPath}, "other/doc/x", input.Block},
		{[]string{byPath}, "elsewhere", input.Warn},
		{[]string{`"severity_by_path": [{"files": "x", "severity": "info"}]`}, "x", input.Info},
		{[]string{`"severity_by_path": [{"files": "x", "severity": "info"}]`}, "x/y", input.Block},
		{[]string{`"off_scope": "warn", "severity_by_path": [{"files": "x", "severity": "block"}]`}, "x/y", input.Block},
		{[]string{`"off_scope": "warn"`, ""}, "x", input.Warn},
		{[]string{`"off_scope": "warn"`, `"off_scope": "block"`}, "x", input.Block},
		{[]string{"", `"off_scope": "warn"`}, "x", input.Block},
	} {
		p, _ := join(t, facts.TrustBase, c.contracts...)
		if got := p.Classify(modified(c.path)).Severity; got != c.want {
			t.Errorf("%q: %s is %s, expected %s", c.contracts, c.path, got, c.want)
		}
	}
}

// TestBelowAnAllowedPath: an off-scope path names the pattern that its author may have meant as a directory.
func TestBelowAnAllowedPath(t *testing.T) {
	contracts := []string{`"allowed_files": ["src", "\\!x", "lib/**"]`, `"allowed_files": ["**"]`}
	for path, want := range map[string]string{
		"src/a/b.go": "src", "!x/a": "\\!x", "srcs/a.go": "", "src": "", "SRC/a": "", "other/src/a": "", "/": "", "//src/a": "",
		"src/" + strings.Repeat("a/", 2000): "", "src/" + strings.Repeat("a/", 300): "src",
	} {
		p, _ := join(t, facts.TrustBase, contracts...)
		if got := p.Classify(modified(path)).Below; got != want {
			t.Errorf("%s is below %q, expected %q", path, got, want)
		}
	}
}

func TestContractsAreKnown(t *testing.T) {
	p, _ := join(t, "", `"allowed_files": ["**"]`)
	for path, want := range map[string]bool{
		".closeout/scope_contract.json": true, ".closeout/scope_contract.yaml": true, ".closeout/tasks/T-9.json": true,
		".closeout/tasks/note.md": false, ".closeout/other.json": false, "scope_contract.json": false,
	} {
		if got := p.Classify(modified(path)).Contract; got != want {
			t.Errorf("%s: contract %v, expected %v", path, got, want)
		}
	}
	added := modified(".closeout/tasks/T-9.json")
	added.Status = change.Added
	if p.Classify(added).Contract {
		t.Error("a new task contract is not one of the base branch")
	}
}

func TestJoinBudgets(t *testing.T) {
	standing := `"violation_budget": 2, "time_budget_minutes": 60, "network_egress": ["a.example", "b.example"], "coverage": {"floor": 0.5, "max_drop": 0.02}`
	p, _ := join(t, facts.TrustBase, standing, `"violation_budget": 9, "time_budget_minutes": 30, "network_egress": ["b.example", "c.example"], "coverage": {"floor": 0.7, "max_drop": 0.1}`)
	if p.ViolationBudget != 2 || *p.TimeBudgetMinutes != 30 || !slices.Equal(p.NetworkEgress, []string{"b.example"}) {
		t.Errorf("got %d, %d, %v", p.ViolationBudget, *p.TimeBudgetMinutes, p.NetworkEgress)
	}
	if p.Coverage.Floor.BasisPoints() != 7000 || p.Coverage.MaxDrop.BasisPoints() != 200 {
		t.Errorf("got coverage %+v", p.Coverage)
	}
	p, _ = join(t, facts.TrustBase, standing, "")
	if p.ViolationBudget != 2 || *p.TimeBudgetMinutes != 60 || len(p.NetworkEgress) != 2 {
		t.Errorf("a silent task contract changed %d, %d, %v", p.ViolationBudget, *p.TimeBudgetMinutes, p.NetworkEgress)
	}
	p, _ = join(t, facts.TrustHead, "", `"violation_budget": 5, "network_egress": []`)
	if p.ViolationBudget != 0 || p.NetworkEgress == nil || len(p.NetworkEgress) != 0 {
		t.Errorf("got %d, %v", p.ViolationBudget, p.NetworkEgress)
	}
}

func TestJoinRules(t *testing.T) {
	p, _ := join(t, facts.TrustBase,
		`"rules": {"catalogue": [{"id": "a", "severity": "warn", "expires_at": "2030-01-01"}]}`,
		`"rules": {"catalogue": [{"id": "a", "severity": "block", "expires_at": "2029-01-01"}, {"id": "b", "severity": "info"}],
		 "ignore": [{"id": "a", "files": "x", "reason": "not this one", "until": "2030-01-01"}, {"id": "b", "files": "x", "reason": "its own rule", "until": "2030-01-01"}]}`)
	if len(p.Catalogue) != 2 || p.Catalogue[0].Severity != input.Block || p.Catalogue[0].ExpiresAt != "2029-01-01" {
		t.Errorf("got %+v", p.Catalogue)
	}
	if len(p.Ignore) != 1 || p.Ignore[0].ID.Value != "b" {
		t.Errorf("a task contract excused a rule of the standing contract: %+v", p.Ignore)
	}
	p, _ = join(t, facts.TrustBase, "", `"rules": {"catalogue": [{"id": "a", "severity": "info"}],
		"ignore": [{"id": "a", "files": "x", "reason": "not this one", "until": "2030-01-01"}]}`)
	if !p.OpenCatalogue || p.Ignore != nil {
		t.Errorf("beside a standing contract without catalogue a task contract excused %+v", p.Ignore)
	}
}

// Of a diff rule, the standing contract's severity counts, else the rule's own. A task contract can only raise it, and excuses
// nothing.
func TestJoinReviewers(t *testing.T) {
	entry := func(rest string) string {
		return `"rules": {"catalogue": [{"id": "r", "severity": "block"` + rest + `}]}`
	}
	const two, one = `, "reviewers": ["a", "b"], "agree": 2`, `, "reviewers": ["b", "c"]`
	for _, c := range []struct {
		standing, task string
		reviewers      string
		agree          int64
	}{{two, two, "[a b]", 2}, {two, one, "[a b c]", 1}, {one, two, "[a b c]", 1}, {two, "", "[]", 2}, {"", two, "[]", 1}} {
		p, _ := join(t, facts.TrustBase, entry(c.standing), entry(c.task))
		if rule := p.Catalogue[0]; fmt.Sprint(rule.Reviewers) != c.reviewers || rule.Agree != c.agree {
			t.Errorf("%q and %q: %v, of whom %d must agree", c.standing, c.task, rule.Reviewers, rule.Agree)
		}
	}
}

func TestJoinMarkers(t *testing.T) {
	threads := func(rest string) string { return `"threads": {"logins": ["mona"]` + rest + `}` }
	a, b := threads(`, "markers": ["a"]`), threads(`, "markers": ["b"]`)
	for _, c := range []struct{ standing, task, want string }{
		{a, b, "[b a]"}, {a, threads(""), "[]"}, {threads(""), a, "[]"}, {a, `"goal": "g"`, "[a]"}, {`"goal": "g"`, a, "[a]"},
	} {
		p, _ := join(t, facts.TrustBase, c.standing, c.task)
		if got := fmt.Sprint(p.ThreadMarkers); got != c.want {
			t.Errorf("%s and %s: %s", c.standing, c.task, got)
		}
	}
}

func TestJoinDiffRules(t *testing.T) {
	const id, ignore = "closeout/a", `"ignore": [{"id": "closeout/a", "files": "x", "reason": "r", "until": "2030-01-01"}]`
	entry := func(severity string) string {
		if severity == "" {
			return ""
		}
		return `"rules": {"catalogue": [{"id": "closeout/a", "severity": "` + severity + `"}, {"id": "closeout/b", "severity": "block"}]}`
	}
	for _, c := range [][4]string{ // standing, task, the rule's own, and what counts
		{"", "", "warn", "warn"}, {"off", "", "block", "off"}, {"warn", "", "block", "warn"}, {"block", "", "info", "block"},
		{"", "off", "block", "block"}, {"", "block", "warn", "block"}, {"warn", "info", "block", "warn"}, {"off", "warn", "block", "warn"},
		{"warn", "block", "info", "block"}, {"off", "off", "block", "off"}, {"", "error", "info", "block"},
	} {
		p, problems := join(t, facts.TrustBase, entry(c[0]), entry(c[1]))
		if got := p.DiffSeverity(id, input.Severity(c[2])); string(got) != c[3] || len(problems) > 0 || p.Catalogue != nil || !p.OpenCatalogue {
			t.Errorf("%q: %s, catalogue %v, %v", c, got, p.Catalogue, problems)
		}
	}
	for _, c := range []struct{ catalogue, id, own, want string }{ // what a contract says about rules that were joined
		{"skipped-test off, focused-test info", "test-skipped", "block", "info"},
		{"skipped-test off", "test-skipped", "block", "block"},
		{"skipped-test off, focused-test off", "test-skipped", "warn", "warn"},
		{"skipped-new-test block", "test-skipped", "warn", "block"},
		{"skipped-new-test off", "test-skipped", "block", "block"},
		{"test-skipped warn, skipped-test block", "test-skipped", "block", "warn"},
		{"lock-host off, lock-integrity off", "new-dependency", "warn", "warn"},
		{"senses-tests block", "stub", "warn", "warn"},
	} {
		var entries []string
		for entry := range strings.SplitSeq(c.catalogue, ", ") {
			name, severity, _ := strings.Cut(entry, " ")
			entries = append(entries, `{"id": "closeout/`+name+`", "severity": "`+severity+`"}`)
		}
		p, _ := join(t, facts.TrustBase, `"rules": {"catalogue": [`+strings.Join(entries, ", ")+`]}`, "")
		if got := p.DiffSeverity("closeout/"+c.id, input.Severity(c.own)); string(got) != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	p, _ := join(t, facts.TrustBase, `"rules": {`+ignore+`}`, `"rules": {`+ignore+`}`)
	if len(p.DiffIgnore) != 1 || p.DiffIgnore[0].Source.Kind != "contract" || p.Ignore != nil {
		t.Errorf("exceptions %+v, and %+v", p.DiffIgnore, p.Ignore)
	}
}

func TestJoinCriteria(t *testing.T) {
	for _, c := range []struct {
		name     string
		standing string
		task     string
		want     string // ids and commands, or the problem
	}{
		{"positions go on", `["make test"]`, `["make lint"]`, "c1=make test c2=make lint"},
		{"one command twice", `[{"id": "t", "run": ["make"]}]`, `[{"run": ["make"]}]`, "t=make"},
		{"an id with other content", `[{"id": "t", "run": ["make"]}]`, `[{"id": "t", "run": ["true"]}]`, "names another command"},
		{"an id with other demands", `[{"id": "t", "run": ["make"]}]`, `[{"id": "t", "run": ["make"], "max_attempts": 9}]`, "lowers max_attempts"},
		{"another directory is another command", `[{"id": "t", "run": ["make"]}]`, `[{"id": "u", "run": ["make"], "cwd": "web"}]`, "t=make u=make"},
		{"the opposite", `[{"run": ["make"]}]`, `[{"run": ["make"], "expect": "fail"}]`, "another expect"},
		{"a control of the standing criterion", `[{"id": "t", "run": ["make"]}]`, `[{"run": ["red"], "expect": "fail", "proves": "t"}]`, "t=make c2=red"},
		{"a control by position", `["make a"]`, `["make b", {"run": ["red"], "expect": "fail", "proves": "c1"}]`, "c1=make a c2=make b c3=red"},
		{"a control of nothing", `["make"]`, `[{"run": ["red"], "expect": "fail", "proves": "unknown"}]`, "does not exist"},
		{"none has one", `[]`, `[]`, "no contract names an acceptance criterion"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, problems := join(t, facts.TrustHead, `"acceptance_criteria": `+c.standing, `"acceptance_criteria": `+c.task)
			var got []string
			for _, criterion := range p.Criteria {
				got = append(got, criterion.ID+"="+strings.Join(criterion.Run, " "))
			}
			if len(problems) > 0 {
				got = []string{problems[0].Error.Message}
			}
			if !strings.Contains(strings.Join(got, " "), c.want) || len(problems) > 1 {
				t.Errorf("got %q, %v", got, problems)
			}
		})
	}
}

// TestJoinedCriterionIsTheStricter joins two criteria with one command.
func TestJoinedCriterionIsTheStricter(t *testing.T) {
	p, problems := join(t, facts.TrustBase,
		`"acceptance_criteria": [{"id": "t", "run": ["make"], "max_attempts": 5, "test_report": "t.xml", "min_tests": 2}]`,
		`"acceptance_criteria": [{"run": ["make"], "max_attempts": 2, "test_report": "t.xml", "min_tests": 7}]`)
	if problems != nil {
		t.Fatal(problems)
	}
	if c := p.Criteria[0]; len(p.Criteria) != 1 || c.MaxAttempts != 2 || c.MinTests != 7 {
		t.Errorf("got %+v", p.Criteria)
	}
}

func TestMinimum(t *testing.T) {
	criterion := func(min string) string {
		return `"acceptance_criteria": [{"id": "t", "run": ["make"], "min_evidence": "` + min + `"}]`
	}
	anonymous := func(min string) string { return strings.Replace(criterion(min), `"id": "t", `, "", 1) }
	for _, c := range []struct {
		trust          facts.Trust
		standing, task string
		id             string
		want           input.Level
	}{
		{facts.TrustBase, criterion("claimed"), "", "t", input.Claimed},
		{facts.TrustBase, criterion("recorded"), "", "t", input.Recorded},
		{facts.TrustHead, "", anonymous("claimed"), "c2", input.Bound},
		{facts.TrustHead, "", anonymous("recorded"), "c2", input.Recorded},
		{facts.TrustHead, criterion("recorded"), anonymous("claimed"), "t", input.Recorded},
		{facts.TrustHead, `"acceptance_criteria": [{"id": "t", "run": ["make"]}]`, anonymous("claimed"), "t", input.Bound},
		{facts.TrustHead, `"acceptance_criteria": [{"id": "t", "run": ["make"]}]`, anonymous("recorded"), "t", input.Recorded},
	} {
		p, problems := join(t, c.trust, c.standing, c.task)
		if problems != nil {
			t.Fatal(problems)
		}
		i := slices.IndexFunc(p.Criteria, func(x contract.Criterion) bool { return x.ID == c.id })
		if got := p.Minimum(&p.Criteria[i], input.Bound); got != c.want {
			t.Errorf("%+v: minimum %s", c, got)
		}
	}
}

func TestEvidenceFolderStays(t *testing.T) {
	_, problems := join(t, facts.TrustBase, "", `"evidence": {"dir": "src/evidence"}`)
	if len(problems) != 1 {
		t.Errorf("a task contract moved the evidence directory: %v", problems)
	}
}

func TestUniversal(t *testing.T) {
	wide := `"allowed_files": ["src/**", "**"]`
	for _, c := range []struct {
		contracts []string
		want      int
	}{{[]string{wide}, 1}, {[]string{""}, 0}, {[]string{wide, ""}, 0}, {[]string{wide, wide}, 2}} {
		p, _ := join(t, facts.TrustHead, c.contracts...)
		if got := p.Universal(); len(got) != c.want {
			t.Errorf("%q: %d universal patterns", c.contracts, len(got))
		}
	}
}

func TestAddedTask(t *testing.T) {
	p, _ := join(t, "", "")
	without := p
	p = p.WithAddedTasks([]string{".closeout/tasks/T-1.json"})
	c := modified(".closeout/tasks/T-1.json")
	c.Status, c.OldMode = change.Added, change.NoMode
	if got := p.Classify(c).Class; got != policy.ClassAllowed {
		t.Errorf("the added task contract is %s", got)
	}
	if got := without.Classify(c).Class; got != policy.ClassProtected {
		t.Errorf("the policy that was there before says %s of an added task contract", got)
	}
	c.NewMode = change.Symlink
	if got := p.Classify(c).Class; got != policy.ClassProtected {
		t.Errorf("a symlink in its place is %s", got)
	}
}

// TestProtectedByCommands checks files that count only where a command of the contract may run the program that reads them.
func TestProtectedByCommands(t *testing.T) {
	for _, c := range []struct {
		run                        string
		linter, make, tox, changed bool // whether .golangci.yml, code of a Makefile, [testenv] and tool.mypy count
	}{
		{`["go", "test", "./..."]`, false, false, false, false},
		{`["golangci-lint", "run"]`, true, false, false, false},
		{`["bash", "-c", "go vet ./... && golangci-lint run"]`, true, false, false, false},
		{`["ruff", "check"]`, false, false, false, false},
		{`["uv", "run", "--group", "lint", "mypy", "."]`, false, false, false, true},
		{`["uv", "run", "--frozen", "--group", "tests", "pytest"]`, false, false, false, false},
		{`["uv", "run", "--group", "pytest"]`, true, true, true, true},
		{`["uv", "run", "--group", "tests", "./check", "pytest"]`, true, true, true, true},
		{`["tox"]`, true, true, true, true},
		{`["pre-commit", "run", "-a"]`, true, true, true, true},
		{`["cargo", "clippy"]`, false, false, false, false},
		{`["cargo", "+nightly", "--locked", "clippy"]`, false, false, false, false},
		{`["cargo", "xtask", "clippy"]`, true, true, true, true},
		{`["go", "-C", "web", "test", "./..."]`, false, false, false, false},
		{`["go", "run", "./tools", "test"]`, true, true, true, true},
		{`["bash", "-c", "ruff check && ./lint"]`, true, true, true, true},
		{`["make", "test"]`, true, true, true, true},
		{`["npm", "test"]`, true, true, true, true},
		{`["yarn", "run", "lint"]`, true, true, true, true},
		{`["yarn", "run", "vitest"]`, false, false, false, false},
		{`["./scripts/test.sh"]`, true, true, true, true},
		{`["./scripts/with-db", "pytest"]`, true, true, true, true},
		{`["python", "tests/all.py"]`, true, true, true, true},
		{`["uv", "run", "pytest", "-x"]`, false, false, false, false},
		{`["timeout", "60", "env", "A=1", "pytest"]`, false, false, false, false},
		{`["bash", "-c", "cd web && pytest -x && go test ./..."]`, false, false, false, false},
		{`["bash", "-c", "pytest; $CHECK"]`, true, true, true, true},
		{`["bash", "-c", "pytest && make docs"]`, true, true, true, true},
		{`["bash", "run.sh"]`, true, true, true, true},
		{`["env", "sh", "pytest"]`, true, true, true, true},
		{`["timeout", "60", "bash", "-c", "pytest -x && go test ./..."]`, false, false, false, false},
		{`["timeout", "60", "sh", "-c", "pytest && make docs"]`, true, true, true, true},
		{`["./vendor/bin/phpunit"]`, false, false, false, false},
		{`["./gradlew", "test"]`, false, false, false, false},
		{`["go", "run", "./tools/check"]`, true, true, true, true},
		{`["uv", "run", "bandit", "-r", "src"]`, true, true, true, true},
	} {
		p, problems := join(t, "", `"allowed_files": ["**"], "acceptance_criteria": [{"id": "a", "run": `+c.run+`}]`)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		keyed := func(path, key string) *change.Change {
			m := modified(path)
			m.KeysKnown, m.KeysChanged = true, []string{key}
			return m
		}
		for _, part := range []struct {
			change *change.Change
			counts bool
		}{
			{modified(".golangci.yml"), c.linter}, {keyed("Makefile", "code"), c.make}, {keyed("tox.ini", "testenv.commands"), c.tox},
			{keyed("tox.ini", "source of testenv.deps"), c.tox}, {keyed("pyproject.toml", "tool.mypy.strict"), c.changed},
			{keyed("Makefile", "tests"), true}, {keyed("tox.ini", "pytest.addopts"), true}, {modified("Makefile"), true}, {modified("a/b.mk"), c.make},
			{keyed("pyproject.toml", "tool.bandit.skips"), c.make}, {keyed("pyproject.toml", "tool.inline-snapshot.default-flags"), true},
			{keyed("pyproject.toml", "tool.poe.tasks"), true}, {keyed("pyproject.toml", "tool.hatch.envs"), true},
			{keyed("package.json", "eslintConfig"), true}, {modified("Rakefile"), true}, {modified("lib/tasks/a.rake"), c.make}, {modified("turbo.json"), true},
			{keyed("package.json", "jest"), true}, {keyed("gradle/x.gradle", "tests"), true}, {keyed("gradle/x.gradle", "code"), false}, {modified("a.sbt"), true},
		} {
			if got := p.Classify(part.change).Class == policy.ClassProtected; got != part.counts {
				t.Errorf("with %s, a change of %s %q is protected: %v", c.run, part.change.Path, part.change.KeysChanged, got)
			}
		}
	}
	p, _ := join(t, "", `"allowed_files": ["**"], "acceptance_criteria": [{"id": "lint", "run": ["golangci-lint", "run"]}]`)
	if got, want := p.Classify(modified(".golangci.yml")).Because, "it decides what golangci-lint does (**/.golangci.{yml,yaml}), which the criterion lint may run"; got != want {
		t.Errorf("because %q, want %q", got, want)
	}
}

// TestProtectedScriptsOfBuilds checks which deletions and new files of a build count.
func TestProtectedScriptsOfBuilds(t *testing.T) {
	p, problems := join(t, "", `"allowed_files": ["**"], "acceptance_criteria": [{"id": "a", "run": ["./gradlew", "test"]}]`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, c := range []struct {
		path   string
		status change.Status
		keys   []string
		counts bool
	}{
		{"gradle/a.gradle", change.Deleted, nil, false},
		{"gradle/a.gradle", change.Modified, nil, true},
		{"a/build.gradle", change.Deleted, nil, true},
		{"a/settings.gradle.kts", change.Deleted, nil, true},
		{"build/a.targets", change.Deleted, nil, true},
		{"gradle.properties", change.Added, []string{"dependencies"}, false},
		{"gradle.properties", change.Added, []string{"code"}, true},
		{"gradle.properties", change.Added, nil, true},
	} {
		m := modified(c.path)
		m.Status, m.KeysKnown, m.KeysChanged = c.status, c.keys != nil, c.keys
		if got := p.Classify(m).Class == policy.ClassProtected; got != c.counts {
			t.Errorf("%s %s %q is protected: %v", c.status, c.path, c.keys, got)
		}
	}
}

// TestProtectedHelpers checks that a file which a runner loads beside the tests is free only where the base's own contract takes it
// from the base.
func TestProtectedHelpers(t *testing.T) {
	const (
		counted = `"acceptance_criteria": [{"id": "u", "run": ["pytest"], "test_report": "r.xml"}]`
		crossed = counted + `, "tests": [{"files": ["**/conftest.py"], "criteria": ["u"]}]`
	)
	for _, c := range []struct {
		trust     facts.Trust
		contracts []string
		want      policy.Class
	}{
		{"", []string{`"allowed_files": ["**"]`}, policy.ClassProtected},
		{"", []string{`"allowed_files": ["**"], ` + crossed}, policy.ClassAllowed},
		{facts.TrustHead, []string{`"allowed_files": ["**"], ` + counted, `"task_id": "T-1", "allowed_files": ["**"], "tests": [{"files": ["**/conftest.py"], "criteria": ["u"]}]`}, policy.ClassProtected},
	} {
		p, problems := join(t, c.trust, c.contracts...)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if got := p.Classify(modified("a/conftest.py")).Class; got != c.want {
			t.Errorf("%q: %s", c.contracts, got)
		}
	}
}
