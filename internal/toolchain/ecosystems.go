// Package toolchain is the table of ecosystems: for each, where its tests are, what runs them, how a test report is had, and what a
// workflow sets up for it. It is data: who reads files or contracts looks here for names.
package toolchain

import "github.com/closeout-gate/closeout/verify/ecosystem"

// Ecosystem is a row of the table: a language, or a kind of tools.
type Ecosystem struct {
	ecosystem.Files
	Locks    []string  // names of lock files, beside those of the managers
	Tests    []string  // globs of tests with their snapshots, seen from the directory of a project
	Managers []Manager // package managers, in the order in which their lock files count
	Runners  []Runner
	Setup    []Action
}

// Manager is a package manager.
type Manager struct {
	Name    string
	Locks   []string
	Run     []string // runs a script of the manifest, or a program in the environment of the project
	Exec    []string // runs a program of a dependency; nil where Run does
	Each    []string // runs the script test of every package that has one; nil when the manager cannot
	Install string   // with the lock file
	Loose   string   // without one, and without writing one
}

// Runner is a program that runs tests.
type Runner struct {
	ID       string   // of its criterion
	Commands []string // its program, with the word that makes it run tests where it does other things too
	Manifest string   // glob of a file in the root that shows the runner
	Test     string   // glob of a test beside that file
	Files    []string // names of the file with its targets, of which the first that exists counts
	Script   string   // pattern of a script that is one call of it, so that arguments can be added
	Wrapper  string   // a program of the repository that takes the place of the first word, if it can be executed
	Run      []string
	Report   Report
	Leaves   []string // what its commands leave behind, for .gitignore
	Setup    string   // shell command that prepares a checkout
	Why      string   // for a comment, one line
}

// Report is how a runner writes a test report.
type Report struct {
	File    string   // its name in the evidence directory; "" when none is known to work
	Env     string   // variable that names the path of the report
	Args    []string // arguments that let the runner write it; {} is the path
	Stdout  bool     // the report is the standard output
	Package string   // that must be a dependency; "" where the report is built in
	None    string   // why there is no report, or none without the package
}

// Action is an action of GitHub that installs a tool.
type Action struct {
	Tool, Uses string
	With       string // an input, where the repository does not say which version it needs
	NoCache    string // the input that keeps it from restoring a cache; "" where it restores none by itself
	Asks       bool   // a person must choose its inputs
}

// TestData are names in lower case of directories that hold test data in any ecosystem, if only tests read them.
var TestData = []string{"fixtures", "cassettes", "golden", "goldens", "mocks", "snapshots", "testdata", "test_data"}

// bundleInstall installs gems where the user of the runner may write, as without an action that installs Ruby.
const bundleInstall = "bundle config set --global path ~/.bundle && bundle install"

// Ecosystems is the table.
var Ecosystems = []*Ecosystem{&Go, &JavaScript, &Python, &Rust, &JVM, &PHP, &Ruby, &Elixir, &DotNet, &C, &Make}

// The rows of the table.
var (
	Go = Ecosystem{
		Files: ecosystem.Go,
		Locks: []string{"go.sum", "go.work.sum"},
		Tests: []string{"**/*_test.go", "**/testdata/**"},
		Setup: []Action{{Tool: "go", Uses: "actions/setup-go", NoCache: "cache: false"}},
		Runners: []Runner{
			{
				ID: "go", Commands: []string{"go test"}, Run: []string{"go", "test", "-count=1"},
				Report: Report{File: "go-test.json", Args: []string{"-json"}, Stdout: true},
				Why:    "go test; -count=1, because a cached result is not a run",
			},
			{Commands: []string{"gotestsum"}, Report: Report{File: "go.xml", Args: []string{"--junitfile={}"}}},
		},
	}

	JavaScript = Ecosystem{
		Files: ecosystem.JavaScript,
		Tests: []string{"**/*.{test,spec}.*", "**/__{test,tests,snapshots,mocks,fixtures}__/**", "**/{test,tests,e2e}/**"},
		Setup: []Action{
			{Tool: "node", Uses: "actions/setup-node", With: "node-version: lts/*", NoCache: "package-manager-cache: false"},
			{Tool: "pnpm", Uses: "pnpm/action-setup"},
		},
		Managers: []Manager{ // npm is last: it writes its lock file by accident most often
			{
				"pnpm", []string{"pnpm-lock.yaml"}, []string{"pnpm", "run"}, []string{"pnpm", "exec"},
				[]string{"pnpm", "-r", "run", "test"},
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
		},
		Runners: []Runner{
			{
				Commands: []string{"vitest"},
				Script:   `^vitest(?: run| --run)?(?: --(?:coverage|no-coverage|globals|typecheck|silent|pool=\w+|project[ =][\w*-]+))*$`,
				Report: Report{
					File: "tests.xml", Args: []string{"--reporter=default", "--reporter=junit", "--outputFile.junit={}"},
				},
			},
			{
				Commands: []string{"node --test"}, Script: `^node --test$`,
				Report: Report{File: "tests.xml", Args: []string{
					"--test-reporter=spec", "--test-reporter-destination=stdout", "--test-reporter=junit", "--test-reporter-destination={}",
				}},
			},
			{
				Commands: []string{"jest"}, Script: `^jest(?: --(?:ci|coverage|runInBand|silent))*$`,
				Report: Report{
					File: "tests.xml", Env: "JEST_JUNIT_OUTPUT_FILE", Args: []string{"--reporters=default", "--reporters=jest-junit"},
					Package: "jest-junit", None: "package.json does not depend on jest-junit",
				},
			},
			{Commands: []string{"npm test", "npm t", "pnpm test", "pnpm t", "yarn test", "bun test"}},
			{Commands: []string{"mocha", "ava", "deno test", "playwright test", "cypress run"}},
		},
	}

	Python = Ecosystem{
		Files: ecosystem.Python,
		Tests: []string{"**/tests/**", "**/test/**", "**/test_*.py", "**/*_test.py", "**/conftest.py"},
		Setup: []Action{
			{Tool: "python", Uses: "actions/setup-python", With: `python-version: "3.x"`},
			{Tool: "uv", Uses: "astral-sh/setup-uv", NoCache: "enable-cache: false"},
		},
		Managers: []Manager{
			{Name: "uv", Locks: []string{"uv.lock"}, Run: []string{"uv", "run", "--frozen"}, Install: "uv sync --frozen"},
			{Name: "poetry", Locks: []string{"poetry.lock"}, Run: []string{"poetry", "run"}, Install: "poetry install"},
			{Name: "pdm", Locks: []string{"pdm.lock"}, Run: []string{"pdm", "run"}, Install: "pdm sync --dev"},
			{Name: "pipenv", Locks: []string{"Pipfile.lock"}, Run: []string{"pipenv", "run"}, Install: "pipenv sync --dev"},
		},
		Runners: []Runner{
			{
				ID: "pytest", Commands: []string{"pytest", "py.test"}, Run: []string{"pytest"},
				Report: Report{File: "pytest.xml", Args: []string{"--junitxml={}", "--continue-on-collection-errors"}},
				Why:    "pytest; JUnit XML is built in",
			},
			{
				ID: "unittest", Commands: []string{"unittest"}, Run: []string{"python3", "-m", "unittest", "discover"},
				Report: Report{None: "unittest writes none; pytest runs the same tests and writes one"}, Why: "unittest",
			},
			{
				ID: "django", Commands: []string{"manage.py test"}, Run: []string{"python3", "manage.py", "test"},
				Report: Report{None: "Django's runner writes none"}, Why: "the tests of the Django project",
			},
			{Commands: []string{"nose2", "tox", "nox"}},
		},
	}

	Rust = Ecosystem{
		Files: ecosystem.Rust,
		Locks: []string{"Cargo.lock"},
		Tests: []string{"**/tests/**", "**/tests.rs", "**/*_test.rs", "**/snapshots/**"},
		Runners: []Runner{
			{
				ID: "cargo", Commands: []string{"cargo test"}, Run: []string{"cargo", "test"}, Leaves: []string{"target/"},
				Report: Report{None: "stable Cargo writes none; cargo-nextest does, where .config/nextest.toml says so"},
				Why:    "cargo test; stable Cargo writes no test report",
			},
			{
				ID: "nextest", Commands: []string{"cargo nextest"}, Run: []string{"cargo", "nextest", "run"},
				Report: Report{File: "nextest.xml"}, Setup: "cargo install cargo-nextest --locked",
				Why: "cargo-nextest; the report is copied from where its configuration puts it",
			},
		},
	}

	JVM = Ecosystem{
		Files: ecosystem.JVM,
		Locks: []string{"gradle.lockfile"},
		Tests: []string{"**/src/test/**", "**/src/*Test/**", "**/src/testFixtures/**"},
		Setup: []Action{{Tool: "java", Uses: "actions/setup-java", Asks: true}},
		Runners: []Runner{
			{
				ID: "gradle", Commands: []string{"gradle test", "gradle check", "gradlew test", "gradlew check"},
				Manifest: "{build,settings}.gradle*", Test: "**/src/test/**", Wrapper: "gradlew",
				Run: []string{"gradle", "test", "--rerun-tasks"}, Leaves: []string{".gradle/", "build/"},
				Report: Report{None: "its reports are many files, and test_report is one"},
				Why:    "the task test; --rerun-tasks, because a cached result is not a run",
			},
			{
				ID: "maven", Commands: []string{"mvn test", "mvn verify", "mvnw test", "mvnw verify"},
				Manifest: "pom.xml", Test: "**/src/test/**", Wrapper: "mvnw",
				Run: []string{"mvn", "--batch-mode", "test"}, Leaves: []string{"target/"},
				Report: Report{None: "its reports are many files, and test_report is one"}, Why: "the phase test",
			},
			{Commands: []string{"sbt test"}},
		},
	}

	PHP = Ecosystem{
		Files: ecosystem.PHP,
		Locks: []string{"composer.lock"},
		Tests: []string{"tests/**", "**/*Test.php"},
		Setup: []Action{{Tool: "php", Uses: "shivammathur/setup-php", Asks: true}},
		Runners: []Runner{
			{
				ID: "php", Commands: []string{"phpunit"}, Manifest: "phpunit*.xml*", Test: "**/*Test.php",
				Script: `^(?:@php )?(?:\./)?(?:vendor/bin/)?phpunit$`,
				Run:    []string{"./vendor/bin/phpunit"}, Leaves: []string{"/vendor/", ".phpunit.result.cache", ".phpunit.cache/"},
				Report: Report{File: "phpunit.xml", Args: []string{"--log-junit", "{}"}},
				Setup:  "composer install --no-interaction", Why: "PHPUnit; JUnit XML is built in",
			},
			{Commands: []string{"pest", "composer test"}},
		},
	}

	Ruby = Ecosystem{
		Files: ecosystem.Ruby,
		Locks: []string{"Gemfile.lock"},
		Tests: []string{"spec/**", "test/**", "features/**"},
		Setup: []Action{{Tool: "ruby", Uses: "ruby/setup-ruby", Asks: true}},
		Runners: []Runner{
			{
				ID: "ruby", Commands: []string{"rspec"}, Manifest: "Gemfile", Test: "spec/**/*_spec.rb",
				Run: []string{"bundle", "exec", "rspec"}, Setup: bundleInstall, Why: "RSpec",
				Report: Report{
					File: "rspec.xml", Args: []string{"--format", "progress", "--format", "RspecJunitFormatter", "--out", "{}"},
					Package: "rspec_junit_formatter", None: "Gemfile.lock does not name rspec_junit_formatter",
				},
			},
			{
				ID: "ruby", Commands: []string{"rails test"}, Manifest: "config.ru", Test: "test/**/*_test.rb",
				Run: []string{"bundle", "exec", "rails", "test"}, Setup: bundleInstall, Why: "the tests of Rails",
				Report: Report{None: "Minitest writes none"},
			},
			{
				ID: "ruby", Manifest: "Rakefile", Test: "test/**/{*_test,test_*}.rb",
				Run: []string{"bundle", "exec", "rake", "test"}, Setup: bundleInstall, Why: "the task test of the Rakefile",
			},
		},
	}

	Elixir = Ecosystem{
		Files: ecosystem.Elixir,
		Locks: []string{"mix.lock"},
		Tests: []string{"**/test/**/*.exs", "**/*_test.exs"},
		Setup: []Action{{Tool: "elixir", Uses: "erlef/setup-beam", Asks: true}},
		Runners: []Runner{{
			ID: "mix", Commands: []string{"mix test"}, Manifest: "mix.exs", Test: "**/*_test.exs",
			Run: []string{"mix", "test"}, Leaves: []string{"/_build/", "/deps/"}, Why: "ExUnit",
			// The image of GitHub's runners has no Elixir, and mix asks before it installs its own tools.
			Setup: "command -v mix > /dev/null || { sudo apt-get update && sudo apt-get install --yes elixir erlang-dev; }; " +
				"mix local.hex --force --if-missing && mix local.rebar --force --if-missing && mix deps.get",
			Report: Report{None: "ExUnit writes none, and no argument says where junit_formatter writes one"},
		}},
	}

	DotNet = Ecosystem{
		Files: ecosystem.DotNet,
		Locks: []string{"packages.lock.json"},
		Tests: []string{"**/{test,tests}/**", "**/*.Tests/**", "**/*.Test/**"},
		Setup: []Action{{Tool: "dotnet", Uses: "actions/setup-dotnet", Asks: true}},
		Runners: []Runner{{
			ID: "dotnet", Commands: []string{"dotnet test"}, Manifest: "*.{sln,slnx,csproj,fsproj}", Test: "**/*{Test,Tests}.{cs,fs}proj",
			Run: []string{"dotnet", "test"}, Leaves: []string{"bin/", "obj/"}, Why: "the test projects of the solution",
			Report: Report{
				File: "dotnet.xml", Args: []string{"--logger", "junit;LogFilePath={}"},
				Package: "JunitXml.TestLogger", None: "there is not one test project that names JunitXml.TestLogger and one TargetFramework",
			},
		}},
	}

	C = Ecosystem{
		Files:   ecosystem.C,
		Tests:   []string{"test/**", "tests/**", "**/*_{test,unittest}.*"},
		Runners: []Runner{{Commands: []string{"ctest"}}},
	}

	Make = Ecosystem{
		Files: ecosystem.Make,
		Runners: []Runner{
			{ID: "make", Files: []string{"GNUmakefile", "makefile", "Makefile"}},
			{ID: "just", Files: []string{"justfile", "Justfile", ".justfile"}},
			{ID: "task", Files: []string{"Taskfile.yml", "Taskfile.yaml"}},
			{Commands: []string{"bazel test", "swift test"}},
		},
	}
)
