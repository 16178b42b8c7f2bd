package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
)

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
		{manifest(true, `"jsnext:main"`), policy.ClassAllowed},
		{manifest(true, `"jsnext:mains"`), policy.ClassProtected},
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
		{`["go", "test", "-exec=./wrap", "./..."]`, true, true, true, true},
		{`["sh", ".closeout/rules.sh", "rubocop: bundle exec rubocop", "clippy: cargo clippy --workspace"]`, false, false, false, false},
		{`["sh", ".closeout/rules.sh", "golangci-lint: golangci-lint run", "ruff: ruff check"]`, true, false, false, false},
		{`["sh", ".closeout/rules.sh", "types: mypy . && ruff check"]`, false, false, false, true},
		{`["sh", ".closeout/rules.sh"]`, true, true, true, true},
		{`["sh", ".closeout/rules.sh", "ruff: ruff check", "lint: npm run lint"]`, true, true, true, true},
		{`["sh", ".closeout/rules.sh", "ruff: ruff check; make lint"]`, true, true, true, true},
		{`["sh", ".closeout/rules.sh", "ruff: $LINT"]`, true, true, true, true},
		{`["sh", ".closeout/rules.sh", "./lint"]`, true, true, true, true},
		{`["sh", "-x", ".closeout/rules.sh", "ruff: ruff check"]`, true, true, true, true},
		{`["sh", "rules.sh", "ruff: ruff check"]`, true, true, true, true},
		{`["go", "test", "-toolexec", "./wrap", "./..."]`, true, true, true, true},
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
			{modified(".golangci.yml"), c.linter}, {keyed("tox.ini", "testenv.commands"), c.tox},
			{keyed("tox.ini", "source of testenv.deps"), c.tox}, {keyed("pyproject.toml", "tool.mypy.strict"), c.changed},
			{keyed("tox.ini", "pytest.addopts"), true}, {modified("Makefile"), c.make}, {modified("a/b.mk"), c.make}, {modified("a/MAKEFILE"), c.make},
			{modified("justfile"), c.make}, {modified("Taskfile.yml"), c.make}, {modified("noxfile.py"), c.make}, {modified("deno.json"), c.make},
			{modified("Gemfile"), true}, {modified("docs/Gemfile"), c.make}, {modified("doc/a/requirements.txt"), c.make}, {modified("a.sln"), true},
			{modified("docs/conftest.py"), true}, {modified("docs/setup.py"), true}, {modified("documents/Gemfile"), true}, {modified("b/a.slnx"), c.make},
			{keyed("pyproject.toml", "tool.bandit.skips"), c.make}, {keyed("pyproject.toml", "tool.inline-snapshot.default-flags"), true},
			{keyed("pyproject.toml", "tool.poe.tasks"), true}, {keyed("pyproject.toml", "tool.hatch.envs"), true},
			{keyed("pyproject.toml", "tool.distutils.build_py"), true}, {keyed("pyproject.toml", "tool.jaraco.pytest"), true},
			{keyed("pyproject.toml", "tool.jaraco.docs"), c.make}, {keyed("pyproject.toml", "tool.importlinter.contracts"), true},
			{keyed("pyproject.toml", "tool.tryceratops.exclude"), true}, {keyed("pyproject.toml", "tool.Whey.source-dir"), true},
			{keyed("package.json", "eslintConfig"), true}, {modified("Rakefile"), c.make}, {modified("lib/tasks/a.rake"), c.make}, {modified("turbo.json"), c.make},
			{keyed("package.json", "jest"), true}, {keyed("pom.xml", "other profiles.native"), c.make}, {keyed("gradle/x.gradle", "tests"), true}, {keyed("gradle/x.gradle", "code"), false}, {modified("a.sbt"), true},
		} {
			if got := p.Classify(part.change).Class == policy.ClassProtected; got != part.counts {
				t.Errorf("with %s, a change of %s %q is protected: %v", c.run, part.change.Path, part.change.KeysChanged, got)
			}
		}
	}
	p, _ := join(t, "", `"allowed_files": ["**"], "acceptance_criteria": [{"id": "a", "run": ["mvn", "-P", "native,site", "verify"]}]`)
	for profile, want := range map[string]policy.Class{"native": policy.ClassProtected, "release": policy.ClassAllowed} {
		m := modified("pom.xml")
		m.KeysKnown, m.KeysChanged = true, []string{"other profiles." + profile}
		if got := p.Classify(m).Class; got != want {
			t.Errorf("a change of the profile %s is %s", profile, got)
		}
	}
	p, _ = join(t, "", `"allowed_files": ["**"], "acceptance_criteria": [{"id": "lint", "run": ["golangci-lint", "run"]}]`)
	if got, want := p.Classify(modified(".golangci.yml")).Because, "it decides what golangci-lint does (**/.golangci.{yml,yaml}), which the criterion lint may run"; got != want {
		t.Errorf("because %q, want %q", got, want)
	}
}

// TestProtectedByPlace checks files that count only where a command works in their directory, or names it.
func TestProtectedByPlace(t *testing.T) {
	for _, c := range []struct{ run, counts, not string }{
		{`"run": ["dotnet", "test"]`, "a.sln A.SLN", "b/a.sln b/c/a.slnx"},
		{`"run": ["dotnet", "test"], "cwd": "b"`, "b/a.sln B/a.sln", "a.sln b/c/a.sln"},
		{`"run": ["dotnet", "test", "b"]`, "a.sln b/a.sln", "b/c/a.sln"},
		{`"run": ["dotnet", "test", "./b/c/"]`, "a.sln b/c/a.sln", "b/a.sln"},
		{`"run": ["dotnet", "test", "b/a.sln"]`, "a.sln b/a.sln", "b/c.sln"},
		{`"run": ["bash", "-c", "cd b && dotnet test"]`, "a.sln b/a.sln", "b/c/a.sln"},
		{`"run": ["bash", "-c", "cd b/c; cd ../d; dotnet test"]`, "b/c/a.sln d/a.sln b/d/a.sln", ""},
		{`"run": ["bash", "-c", "dotnet test */*.sln"]`, "b/a.sln b/c/a.sln", ""},
		{`"run": ["bash", "-c", "for f in b; do dotnet test $f; done"]`, "b/a.sln c/a.sln", ""},
		{`"run": ["./test.sh"]`, "b/a.sln docs/Gemfile", ""},
		{`"run": ["pytest"]`, "requirements.txt Gemfile src/requirements.txt", "docs/requirements.txt a/doc/b/Gemfile documentation/Gemfile"},
		{`"run": ["pytest", "docs"]`, "docs/requirements.txt a/docs/Gemfile", "documentation/Gemfile"},
		{`"run": ["pytest"], "cwd": "a/docs/b"`, "docs/requirements.txt", "documentation/requirements.txt"},
		{`"run": ["env", "BUNDLE_GEMFILE=Docs/Gemfile", "bundle", "exec", "rspec"]`, "docs/Gemfile", ""},
		{`"run": ["bundle", "exec", "rspec"]`, "DOCS/GEMFILE", "docs/Gemfile Rakefile"},
		{`"run": ["bundle", "exec", "rails", "test"]`, "Rakefile lib/tasks/a.rake", "Makefile"},
	} {
		p, problems := join(t, "", `"allowed_files": ["**"], "acceptance_criteria": [{"id": "a", `+c.run+`}]`)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, path := range strings.Fields(c.counts + " " + c.not) {
			want := slices.Contains(strings.Fields(c.counts), path)
			if got := p.Classify(modified(path)).Class == policy.ClassProtected; got != want {
				t.Errorf("with %s, %s is protected: %v", c.run, path, got)
			}
		}
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

// TestProtectedHelpers checks that a file which a runner loads beside the tests, or that configures them, is free only
// where the base's own contract takes it from the base.
func TestProtectedHelpers(t *testing.T) {
	const (
		counted = `"acceptance_criteria": [{"id": "u", "run": ["pytest"], "test_report": "r.xml"}]`
		crossed = counted + `, "tests": [{"files": ["**/conftest.py", "**/vitest.config.*", "setup.cfg"], "criteria": ["u"]}]`
	)
	for _, c := range []struct {
		trust     facts.Trust
		contracts []string
		want      policy.Class
	}{
		{"", []string{`"allowed_files": ["**"]`}, policy.ClassProtected},
		{"", []string{`"allowed_files": ["**"], ` + crossed}, policy.ClassAllowed},
		{facts.TrustHead, []string{`"allowed_files": ["**"], ` + counted, `"task_id": "T-1", "allowed_files": ["**"], "tests": [{"files": ["**/conftest.py", "vitest.config.ts"], "criteria": ["u"]}]`}, policy.ClassProtected},
	} {
		p, problems := join(t, c.trust, c.contracts...)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, path := range []string{"a/conftest.py", "vitest.config.ts"} {
			if got := p.Classify(modified(path)).Class; got != c.want {
				t.Errorf("%q: %s is %s", c.contracts, path, got)
			}
		}
		for _, path := range []string{"a/jest.config.ts", "pytest.ini", "setup.cfg"} { // no configuration of tests, or not taken from the base
			if got := p.Classify(modified(path)).Class; got != policy.ClassProtected {
				t.Errorf("%q: %s is %s", c.contracts, path, got)
			}
		}
	}
}
