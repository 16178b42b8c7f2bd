// Package ecosystem is the part of the table of ecosystems that the decision needs: which files decide what is built, tested
// and installed. It is data; internal/toolchain has the other columns.
package ecosystem

// Files are such files of an ecosystem, as globs. One that does not begin with **/ is for a file of any directory too.
type Files struct {
	Name      string
	Manifests []string // of a project
	Keyed     []Keyed  // manifests of which only some keys count
	Free      []string // manifests that are not protected, because too many honest changes touch them; docs/reference/threat-model.md names them
	Config    []string // configuration that belongs to the tests alone
	Tools     []string // other configuration of runners, linters, build tools and package managers; wrappers
	Tasks     []string // what a program runs by name
	Versions  []string // which version of a tool runs
}

// Keyed are manifests that a reader compares by their keys.
type Keyed struct {
	Pattern  string
	Harmless []string // keys that do not count; every other key counts
	NewKeys  []string // the keys that count in a new file; without any, each new file counts
}

// All are the rows of the table.
var All = []*Files{&Go, &JavaScript, &Python, &Rust, &JVM, &PHP, &Ruby, &Elixir, &DotNet, &C, &Make}

// The rows of the table.
var (
	Go = Files{
		Name:      "Go",
		Manifests: []string{"go.mod"},
		Keyed:     []Keyed{{Pattern: "go.mod", Harmless: []string{"require", "retract"}}},
		Tools:     []string{"go.work", ".golangci.*"},
		Versions:  []string{".go-version"},
	}

	JavaScript = Files{
		Name:      "JavaScript",
		Manifests: []string{"package.json"},
		Keyed: []Keyed{
			{
				Pattern: "package.json",
				Harmless: []string{
					"version", "description", "keywords", "author", "contributors", "license", "homepage", "repository", "bugs", "funding",
					"dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta",
					"main", "module", "browser", "types", "typings", "typesVersions", "exports", "files", "sideEffects",
					"publishConfig", "tshy", "zshy",
				},
				NewKeys: []string{
					"jest", "mocha", "ava", "nyc", "c8", "tap", "vitest", "overrides", "resolutions", "pnpm", "eslintConfig", "eslintIgnore",
				},
			},
			{
				Pattern:  "pnpm-workspace.yaml",
				Harmless: []string{"catalog", "catalogs", "minimumReleaseAgeExclude", "peerDependencyRules"},
			},
		},
		Config: []string{"**/{jest,vitest,playwright}.config.*", "**/karma.conf.*", "**/.mocharc.*"},
		Tools: []string{
			"{vite,cypress,ava}.config.*", "{wdio,nightwatch}.conf.*", "{jest,vitest}.setup.*", "vitest.workspace.*", "{.nycrc,.c8rc}*", ".taprc",
			"eslint.config.*", ".eslintrc*", ".eslintignore", "biome.json*", ".npmrc", "bunfig.toml", ".yarnrc*", ".pnpmfile.*",
			".yarn/{releases,plugins}/**",
		},
		Tasks:    []string{"{turbo,nx}.json", "deno.json*"},
		Versions: []string{".nvmrc", ".node-version"},
	}

	Python = Files{
		Name: "Python",
		Manifests: []string{
			"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", ".pytest.ini", "pytest.toml", "tox.ini", "manage.py", "requirements.txt",
		},
		Keyed: []Keyed{
			{
				Pattern: "pyproject.toml",
				Harmless: []string{
					"project.version", "project.description", "project.readme", "project.authors", "project.maintainers", "project.keywords",
					"project.classifiers", "project.urls", "project.license", "project.dependencies", "project.optional-dependencies",
					"dependency-groups", "tool.poetry.version", "tool.poetry.description", "tool.poetry.dependencies", "tool.poetry.group",
					"tool.black", "tool.isort", "tool.codespell", "tool.pyproject-fmt", "tool.towncrier",
				},
			},
			{Pattern: "requirements.txt", Harmless: []string{"dependencies"}},
		},
		Config: []string{"pytest.ini"},
		Tools: []string{
			"conftest.py", ".pytest.toml", "{sitecustomize,usercustomize}.py", ".coveragerc", "{ruff,.ruff,uv}.toml", ".flake8", "{mypy,.mypy}.ini",
			"{pylintrc,.pylintrc}", "pyrightconfig.json",
		},
		Tasks:    []string{"noxfile.py"},
		Versions: []string{".python-version"},
	}

	Rust = Files{
		Name:      "Rust",
		Manifests: []string{"Cargo.toml"},
		Keyed: []Keyed{{
			Pattern: "Cargo.toml",
			Harmless: []string{
				"package.version", "package.description", "package.authors", "package.keywords", "package.categories", "package.license",
				"package.readme", "package.homepage", "package.repository", "package.documentation", "workspace.package.version",
				"dependencies", "dev-dependencies", "build-dependencies", "workspace.dependencies",
			},
		}},
		Tools:    []string{".cargo/{config,config.toml}", ".config/nextest.toml", "{clippy,.clippy}.toml"},
		Versions: []string{"{rust-toolchain,rust-toolchain.toml}"},
	}

	JVM = Files{
		Name:      "JVM",
		Manifests: []string{"build.{gradle,gradle.kts}", "settings.gradle*", "pom.xml", "build.sbt"},
		Keyed: []Keyed{
			{
				Pattern: "pom.xml",
				Harmless: []string{
					"version", "name", "description", "url", "inceptionYear", "licenses", "developers", "contributors", "scm", "issueManagement",
					"parent.version", "dependencies", "dependencyManagement.dependencies",
				},
			},
			{Pattern: "build.{gradle,gradle.kts}", Harmless: []string{"dependencies"}},
		},
		Tools:    []string{".mvn/**", "{mvnw,gradlew}*", "gradle/wrapper/**"},
		Versions: []string{".java-version", ".sdkmanrc"},
	}

	PHP = Files{
		Name:      "PHP",
		Manifests: []string{"composer.json", "phpunit*.xml*"},
		Keyed: []Keyed{{
			Pattern: "composer.json",
			Harmless: []string{
				"version", "description", "keywords", "homepage", "license", "authors", "support", "funding", "require", "require-dev", "suggest",
			},
		}},
		Config: []string{"phpunit*.xml*"},
		Tools:  []string{"{phpstan.neon,psalm.xml}*", "{codeception,behat}.yml"},
	}

	Ruby = Files{
		Name:      "Ruby",
		Manifests: []string{"Gemfile", "Rakefile", "config.ru"},
		Keyed:     []Keyed{{Pattern: "Gemfile", Harmless: []string{"dependencies"}}},
		Config:    []string{".rspec"},
		Tools:     []string{"{spec,rails,test}_helper.rb", ".rubocop.yml", ".simplecov", "bin/{bundle,rails,rake,rspec}"},
		Versions:  []string{".ruby-version"},
	}

	Elixir = Files{
		Name:      "Elixir",
		Manifests: []string{"mix.exs"},
		Tools:     []string{"test_helper.exs", ".credo.exs"},
	}

	DotNet = Files{
		Name:      ".NET",
		Manifests: []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj"},
		Keyed: []Keyed{
			{
				Pattern: "*.csproj",
				Harmless: []string{
					"PropertyGroup.Version", "PropertyGroup.VersionPrefix", "PropertyGroup.VersionSuffix", "PropertyGroup.PackageVersion",
					"PropertyGroup.AssemblyVersion", "PropertyGroup.FileVersion", "PropertyGroup.InformationalVersion", "PropertyGroup.Description",
					"PropertyGroup.Authors", "PropertyGroup.Company", "PropertyGroup.Copyright", "PropertyGroup.PackageTags",
					"PropertyGroup.PackageReleaseNotes", "PropertyGroup.PackageProjectUrl", "PropertyGroup.RepositoryUrl", "ItemGroup.PackageReference",
				},
			},
			{Pattern: "Directory.Packages.props", Harmless: []string{"ItemGroup.PackageVersion"}},
		},
		Free:     []string{"*.fsproj"},
		Config:   []string{"*.runsettings"},
		Tools:    []string{"Directory.Build.{props,targets}", "nuget.config", "xunit.runner.json"},
		Versions: []string{"global.json"},
	}

	C = Files{
		Name:      "C and C++",
		Manifests: []string{"CMakeLists.txt", "meson.build", "configure.ac"},
		Free:      []string{"CMakeLists.txt", "meson.build"},
		Tools:     []string{"CMakePresets.json", ".clang-tidy"},
	}

	Make = Files{
		Name:     "make",
		Tools:    []string{".bazelrc", "tools/bazel"},
		Tasks:    []string{"{Makefile,makefile,GNUmakefile,Justfile,justfile,.justfile}", "Taskfile.{yml,yaml}"},
		Versions: []string{".tool-versions", "{mise,.mise}.toml", ".bazelversion"},
	}
)
