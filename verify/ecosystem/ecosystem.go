// Package ecosystem is the part of the table of ecosystems that the decision needs: which files decide what is built,
// tested and installed. It is data; internal/toolchain has the other columns.
package ecosystem

import (
	"slices"
	"strings"
)

// Files are such files of an ecosystem, as globs. One that does not begin with **/ is for a file of any directory too.
type Files struct {
	Name      string
	Manifests []string // of a project
	Keyed     []Keyed  // manifests of which only some keys count
	Free      []string // manifests that are not protected, because too many honest changes touch them; docs/reference/threat-model.md names them
	Config    []string // configuration that belongs to the tests alone
	Tools     []string // other configuration of runners, build tools and package managers; wrappers
	Helpers   []string // code that a runner of tests loads by its name, beside the tests
	Programs  []Program
	Versions  []string // which version of a tool runs
	Runs      []string // commands that run tests, a compiler or one linter, and no other program of the table
}

// Keyed are manifests that a reader compares by their keys.
type Keyed struct {
	Pattern  string
	Harmless []string // keys that do not count; every other key counts
	NewKeys  []string // the keys that count in a new file; without any, each new file counts
	MayGo    bool     // what applies the file fails without it, or changes too
	Docs     bool     // nothing but documentation reads one below a directory of it
	Here     bool     // a program reads the one in the directory where it runs, if no command names another
}

// OtherScripts begins the key of a script of a package.json that no script of the tests names.
const OtherScripts = "other scripts."

// OtherProfiles begins the key of a profile of Maven that is off where no command names it.
const OtherProfiles = "other profiles."

// Program is a program whose files and keys count where a command of the contract may run it.
type Program struct {
	Names []string // as a command names it
	Files []string
	Read  []string // files that a reader compares by their keys: what only makes the program see more does not count
	Keys  []string // its keys in the manifests of the row
}

// All are the rows of the table.
var All = []*Files{&Go, &JavaScript, &Python, &Rust, &JVM, &PHP, &Ruby, &Elixir, &DotNet, &C, &Make}

// The rows of the table.
var (
	Go = Files{
		Name:      "Go",
		Manifests: []string{"go.mod"},
		Keyed:     []Keyed{{Pattern: "go.mod", Harmless: []string{"require", "retract", "exclude"}}},
		Tools:     []string{"go.work"},
		Programs:  []Program{{Names: []string{"golangci-lint"}, Files: []string{".golangci.{toml,json}"}, Read: []string{".golangci.{yml,yaml}"}}},
		Versions:  []string{".go-version"},
		Runs:      []string{"go test", "go vet", "go build", "gotestsum", "golangci-lint"},
	}

	JavaScript = Files{
		Name:      "JavaScript",
		Manifests: []string{"package.json"},
		Keyed: []Keyed{
			{
				Pattern: "package.json",
				Harmless: append(strings.Fields("version description keywords author contributors license homepage repository bugs funding "+
					"dependencies devDependencies optionalDependencies peerDependencies peerDependenciesMeta main module "+
					"browser react-native \"jsnext:main\" \"umd:main\" types typings typesVersions exports files sideEffects publishConfig tshy zshy engines name "+
					"private unpkg jsdelivr browserslist prettier husky lint-staged pre-commit precommit simple-git-hooks commitlint release release-it "+
					"semantic-release np auto os cpu displayName icon publisher pnpm.peerDependencyRules pnpm.ignoredBuiltDependencies"), "other scripts"),
				NewKeys: strings.Fields("jest mocha ava nyc c8 tap vitest overrides resolutions pnpm eslintConfig eslintIgnore"),
			},
			{
				Pattern:  "pnpm-workspace.yaml",
				Harmless: []string{"catalog", "catalogs", "minimumReleaseAgeExclude", "peerDependencyRules"},
			},
			{Pattern: "vite.config.*", Harmless: []string{"dependencies", "code"}, NewKeys: []string{"tests"}},
		},
		Config: []string{"**/{jest,vitest,playwright}.config.*", "**/karma.conf.*", "**/.mocharc.*"},
		Tools: []string{
			"{cypress,ava}.config.*", "{wdio,nightwatch}.conf.*", "{jest,vitest}.setup.*", "vitest.workspace.*", "{.nycrc,.c8rc}*", ".taprc",
			".npmrc", "bunfig.toml", ".yarnrc*", ".pnpmfile.*", ".yarn/{releases,plugins}/**",
		},
		Programs: []Program{
			{Names: []string{"eslint"}, Files: []string{"eslint.config.*", ".eslintrc*", ".eslintignore"}},
			{Names: []string{"biome"}, Files: []string{"biome.json*"}},
			{Names: []string{"turbo"}, Files: []string{"turbo.json"}},
			{Names: []string{"nx"}, Files: []string{"nx.json"}},
			{Names: []string{"deno"}, Files: []string{"deno.json*"}},
		},
		Versions: []string{".nvmrc", ".node-version"},
		Runs:     []string{"jest", "vitest", "mocha", "ava", "node --test", "tsc", "playwright test", "eslint", "biome"},
	}

	Python = Files{
		Name: "Python",
		Manifests: []string{
			"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", ".pytest.ini", "pytest.toml", "tox.ini", "manage.py", "requirements.txt",
		},
		Keyed: []Keyed{
			{
				Pattern: "pyproject.toml",
				Harmless: slices.Concat(
					below("project", "version description readme authors maintainers keywords classifiers urls license license-files requires-python "+
						"dependencies optional-dependencies"),
					[]string{"dependency-groups", "build-system.requires"},
					below("tool", "poetry.version poetry.description poetry.authors poetry.maintainers poetry.license poetry.readme poetry.keywords "+
						"poetry.classifiers poetry.homepage poetry.repository poetry.documentation poetry.urls "+
						"poetry.dependencies poetry.dev-dependencies poetry.group black isort codespell pyproject-fmt towncrier "+
						"bumpversion commitizen interrogate gha-update flit.sdist uv.conflicts uv.exclude-newer uv.exclude-newer-package"),
				),
				NewKeys: append(below("tool", "pytest coverage tox ruff flake8 mypy pylint pyright basedpyright"), "project.entry-points"),
			},
			{Pattern: "requirements.txt", Harmless: []string{"dependencies"}, Docs: true},
			{Pattern: "tox.ini", Harmless: []string{"dependencies", "description"}},
			{Pattern: "setup.cfg", Harmless: []string{"dependencies", "description", "bumpversion", "bdist_wheel"}},
			{Pattern: "setup.py", Harmless: []string{"dependencies"}},
		},
		Config: []string{"pytest.ini"},
		Tools: []string{
			".pytest.toml", "{sitecustomize,usercustomize}.py", ".coveragerc", "uv.toml",
		},
		Programs: []Program{
			{Names: []string{"ruff"}, Read: []string{"{ruff,.ruff}.toml"}, Keys: []string{"tool.ruff"}},
			{Names: []string{"flake8"}, Files: []string{".flake8"}, Keys: []string{"flake8"}},
			{Names: []string{"mypy", "dmypy"}, Files: []string{"{mypy,.mypy}.ini"}, Keys: []string{"tool.mypy", "mypy"}},
			{Names: []string{"pylint"}, Files: []string{"{pylintrc,.pylintrc}"}, Keys: []string{"tool.pylint"}},
			{Names: []string{"pyright", "basedpyright"}, Files: []string{"pyrightconfig.json"}, Keys: []string{"tool.pyright", "tool.basedpyright"}},
			{Names: []string{"tox"}, Keys: []string{"tox", "testenv", "tool.tox", "fewer environments"}},
			{Names: []string{"nox"}, Files: []string{"noxfile.py"}},
			{Names: []string{"cibuildwheel"}, Keys: []string{"tool.cibuildwheel"}},
		},
		Helpers:  []string{"conftest.py"},
		Versions: []string{".python-version"},
		Runs:     []string{"pytest", "py.test", "unittest", "ruff", "flake8", "mypy", "dmypy", "pylint", "pyright", "basedpyright"},
	}

	Rust = Files{
		Name:      "Rust",
		Manifests: []string{"Cargo.toml"},
		Keyed: []Keyed{{
			Pattern: "Cargo.toml",
			Harmless: append(below("package", "version description authors keywords categories license readme homepage repository documentation rust-version "+
				"metadata.docs metadata.playground metadata.release metadata.deb exclude include publish"),
				"workspace.package", "badges", "features", "example", "bench", "dependencies", "dev-dependencies", "build-dependencies",
				"workspace.dependencies", "target.dependencies", "target.dev-dependencies", "target.build-dependencies"),
			NewKeys: []string{"workspace", "patch", "replace"},
		}},
		Tools: []string{".cargo/{config,config.toml}", ".config/nextest.toml"},
		Programs: []Program{
			{Names: []string{"clippy"}, Files: []string{"{clippy,.clippy}.toml"}, Keys: []string{"lints", "workspace.lints"}},
		},
		Versions: []string{"{rust-toolchain,rust-toolchain.toml}"},
		Runs:     []string{"cargo test", "cargo nextest", "cargo build", "cargo check", "cargo clippy"},
	}

	JVM = Files{
		Name:      "JVM",
		Manifests: []string{"settings.{gradle,gradle.kts}", "build.{gradle,gradle.kts}", "*.{gradle,gradle.kts}", "pom.xml", "*.sbt"},
		Keyed: []Keyed{
			{
				Pattern: "pom.xml",
				Harmless: append(strings.Fields(`version name description url inceptionYear licenses developers contributors organization `+
					`mailingLists scm issueManagement ciManagement distributionManagement reporting parent.version `+
					`dependencies dependencyManagement.dependencies build.resources `+
					`properties."project.build.outputTimestamp"`), "other profiles"),
				NewKeys: []string{},
			},
			{Pattern: "settings.{gradle,gradle.kts}", Harmless: []string{"dependencies", "code"}},
			{Pattern: "build.{gradle,gradle.kts}", Harmless: []string{"dependencies", "code"}, NewKeys: []string{"tests"}},
			{Pattern: "*.{gradle,gradle.kts}", Harmless: []string{"dependencies", "code"}, NewKeys: []string{"tests"}, MayGo: true},
			{Pattern: "gradle.properties", Harmless: []string{"dependencies"}, NewKeys: []string{"code"}},
			{Pattern: "*.sbt", Harmless: []string{"dependencies"}},
		},
		Tools:    []string{"{mvnw,gradlew}*", "gradle/wrapper/*.jar", "project/*.scala"},
		Versions: []string{".java-version", ".sdkmanrc", "gradle/wrapper/*.properties", ".mvn/**", "project/build.properties"},
		Runs:     []string{"gradle", "gradlew", "mvn", "mvnw", "sbt"},
	}

	PHP = Files{
		Name:      "PHP",
		Manifests: []string{"composer.json", "phpunit*.xml*"},
		Keyed: []Keyed{{
			Pattern: "composer.json",
			Harmless: strings.Fields("version description keywords homepage license authors support funding require require-dev suggest " +
				"conflict provide type extra.branch-alias config.sort-packages config.platform config.preferred-install abandoned prefer-stable"),
			NewKeys: []string{},
		}},
		Config: []string{"phpunit*.xml*"},
		Tools:  []string{"{codeception,behat}.yml"},
		Programs: []Program{
			{Names: []string{"phpstan"}, Read: []string{"phpstan*.neon*"}},
			{Names: []string{"psalm"}, Files: []string{"psalm*.xml*"}},
		},
		Runs: []string{"phpunit", "pest", "phpstan", "psalm"},
	}

	Ruby = Files{
		Name:      "Ruby",
		Manifests: []string{"Gemfile", "config.ru"},
		Keyed:     []Keyed{{Pattern: "Gemfile", Harmless: []string{"dependencies"}, Docs: true}},
		Config:    []string{".rspec"},
		Tools:     []string{".simplecov", "bin/{bundle,rails,rake,rspec}"},
		Programs: []Program{
			{Names: []string{"rubocop"}, Read: []string{".rubocop*.yml"}},
			{Names: []string{"rake", "rails"}, Files: []string{"Rakefile", "{rakelib,tasks}/**/*.rake"}},
		},
		Helpers:  []string{"{spec,rails,test}_helper.rb"},
		Versions: []string{".ruby-version"},
		Runs:     []string{"rspec", "rails test", "rubocop"},
	}

	Elixir = Files{
		Name:      "Elixir",
		Manifests: []string{"mix.exs"},
		Keyed:     []Keyed{{Pattern: "mix.exs", Harmless: []string{"dependencies"}}},
		Helpers:   []string{"test_helper.exs"},
		Programs: []Program{
			{Names: []string{"credo"}, Files: []string{".credo.exs"}},
			{Names: []string{"dialyzer", "dialyxir"}, Keys: []string{"dialyzer"}},
		},
		Runs: []string{"mix test", "mix credo"},
	}

	DotNet = Files{
		Name:      ".NET",
		Manifests: []string{"*.{sln,slnx}", "*.{cs,fs,vb}proj"},
		Keyed: []Keyed{
			{Pattern: "*.{cs,fs,vb}proj", Harmless: msBuild, NewKeys: []string{}},
			{Pattern: "Directory.Build.{props,targets}", Harmless: msBuild},
			{Pattern: "*.{sln,slnx}", Harmless: []string{}, Here: true},
			{Pattern: "global.json", Harmless: []string{"sdk.rollForward", "sdk.allowPrerelease"}},
			{Pattern: "Directory.Packages.props", Harmless: []string{"ItemGroup.PackageVersion", "PropertyGroup.Version"}},
			{Pattern: "*.{props,targets}", Harmless: msBuild, NewKeys: []string{}},
		},
		Config: []string{"*.runsettings"},
		Tools:  []string{"nuget.config", "xunit.runner.json"},
		Runs:   []string{"dotnet test", "dotnet build"},
	}

	C = Files{
		Name:      "C and C++",
		Manifests: []string{"CMakeLists.txt", "meson.build", "configure.ac"},
		Free:      []string{"CMakeLists.txt", "meson.build"},
		Tools:     []string{"CMakePresets.json"},
		Programs:  []Program{{Names: []string{"clang-tidy", "run-clang-tidy"}, Files: []string{".clang-tidy"}}},
		Runs:      []string{"ctest", "clang-tidy"},
	}

	Make = Files{
		Name:      "make",
		Manifests: []string{"{Makefile,makefile,GNUmakefile}", "{Justfile,justfile,.justfile}"},
		Programs: []Program{
			{Names: []string{"make", "gmake"}, Files: []string{"{Makefile,makefile,GNUmakefile}", "*.mk"}},
			{Names: []string{"just"}, Files: []string{"{Justfile,justfile,.justfile}", "*.just"}},
			{Names: []string{"task", "go-task"}, Files: []string{"Taskfile.{yml,yaml}"}},
		},
		Tools:    []string{".bazelrc", "tools/bazel"},
		Versions: []string{".tool-versions", "{mise,.mise}.toml", ".bazelversion"},
		Runs:     []string{"true"},
	}
)

// steering are parts of the names of programs that build, install, test or run tasks, or that one of them loads.
var steering = strings.Fields("test cov snap mock approv vcr record bench check guard bear behave robot mut karva hypothesis build setuptools hatch " +
	"packag distutils pbr enscons whey sip nuitka trampolim cmeel import tryc tach poetry pdm flit maturin meson mypy pyright cython wheel uv rye " +
	"pixi conda pip version task poe nox tox invoke duty django plugin stub type")

// Owner is the program for which, and for no other, a key of a table of tools in a pyproject.toml is; "" for none.
func Owner(key string) string {
	rest, isTool := strings.CutPrefix(strings.ToLower(key), "tool.")
	name, _, _ := strings.Cut(rest, ".")
	if !isTool || strings.Contains(rest, "test") || slices.ContainsFunc(steering, func(part string) bool { return strings.Contains(name, part) }) {
		return ""
	}
	return name
}

// msBuild are the harmless keys of a project of .NET: what describes a package, and what the compiler reports.
var msBuild = slices.Concat(
	below("PropertyGroup", "Version VersionPrefix VersionSuffix Description Title Authors Company Copyright Product AssemblyTitle "+
		"NeutralLanguage RepositoryUrl RepositoryType PublishRepositoryUrl PackageId PackageTags PackageReleaseNotes "+
		"PackageProjectUrl PackageIcon PackageIconUrl PackageReadmeFile PackageLicense PackageLicenseExpression "+
		"PackageLicenseFile PackageLicenseUrl SignAssembly AssemblyOriginatorKeyFile PublicSign IsTrimmable "+
		"IsAotCompatible TreatSpecificWarningsAsErrors ContinuousIntegrationBuild IncludeSymbols SymbolPackageFormat "+
		"EmbedUntrackedSources Deterministic NoWarn WarningsAsErrors WarningsNotAsErrors TreatWarningsAsErrors "+
		"WarningLevel AnalysisLevel AnalysisMode EnforceCodeStyleInBuild GenerateDocumentationFile LangVersion Nullable "+
		"ImplicitUsings AssemblyName RootNamespace DocumentationFile DeterministicSourcePaths AssemblyVersion FileVersion "+
		"DelaySign EmitCompilerGeneratedFiles PackageOutputPath NuGetAudit NuGetAuditMode NuGetAuditLevel CheckEolTargetFramework DebugType "+
		"DebugSymbols AllowUnsafeBlocks IsPackable UseSharedCompilation MSBuildWarningsAsMessages SuppressTfmSupportBuildErrors "+
		"CopyLocalLockFileAssemblies CentralPackageTransitivePinningEnabled UserSecretsId AllowedOutputExtensionsInPackageBuildOutputFolder"),
	below("ItemGroup", "PackageReference Reference InternalsVisibleTo"),
)

// below are keys of a table, with its name before them.
func below(table, keys string) []string {
	list := strings.Fields(keys)
	for i, key := range list {
		list[i] = table + "." + key
	}
	return list
}
