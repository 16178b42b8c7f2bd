package lint_test

import "github.com/closeout-gate/closeout/verify/input"

// vacuousCase is a command that cannot fail, and why.
func vacuousCase(name, want string, argv ...string) lintCase {
	return lintCase{"vacuous_command", name, []edit{criterion(words(argv...))}, input.Warn, want}
}

// soundCase is a command that looks like one that cannot fail.
func soundCase(name string, argv ...string) lintCase {
	return lintCase{"vacuous_command", name, []edit{criterion(words(argv...))}, "", ""}
}

var commandCases = []lintCase{
	vacuousCase("true", `"true" always succeeds`, "true"),
	vacuousCase("path of true", `"true" always succeeds`, "/usr/bin/true"),
	vacuousCase("colon", `":" at the end of the script`, "bash", "-c", ":"),
	vacuousCase("env", `"true" always succeeds`, "env", "CI=1", "true"),
	vacuousCase("timeout", `"true" always succeeds`, "timeout", "-k", "5", "60", "true"),
	vacuousCase("echo", `"echo" always succeeds`, "echo", "pytest passed"),
	vacuousCase("exit", `"exit 0" at the end of the script`, "sh", "-c", "exit 0"),
	vacuousCase("last command", `"true" at the end of the script hides every failure`, "sh", "-c", "pytest; true"),
	vacuousCase("last line", `"echo done" at the end of the script`, "sh", "-c", `pytest\necho done\n`),
	vacuousCase("or true", `"true" at the end of the script hides every failure`, "sh", "-c", "pytest || true"),
	vacuousCase("or exit", `"exit 0" at the end of the script hides every failure`, "sh", "-c", "pytest || exit 0"),
	vacuousCase("or echo", `hides every failure`, "bash", "-ec", "pytest -x || echo failed"),
	vacuousCase("pipe", `the exit code is that of "tee"`, "bash", "-c", "pytest 2>&1 | tee log"),
	vacuousCase("pipe with errexit only", `the exit code is that of "tail"`, "bash", "-e", "-c", "pytest | tail -n 5"),
	vacuousCase("missing script is fine", `"--if-present"`, "npm", "run", "test", "--if-present"),
	vacuousCase("no tests are fine", `"--passWithNoTests"`, "npx", "jest", "--passWithNoTests"),
	vacuousCase("behind pnpm", `"--passWithNoTests"`, "pnpm", "exec", "jest", "--passWithNoTests"),
	vacuousCase("lists by pnpm", `"--listTests"`, "pnpm", "exec", "jest", "--listTests"),
	vacuousCase("collects only", `"--collect-only"`, "python3", "-m", "pytest", "--collect-only"),
	vacuousCase("dry run", `"-n"`, "make", "-n", "test"),
	vacuousCase("version", `"--version" checks nothing`, "pytest", "--version"),
	vacuousCase("exit zero", `"--exit-zero"`, "uv", "run", "ruff", "check", "--exit-zero"),
	{"vacuous_command", "control that always fails", []edit{{contractPath, `["./scripts/red.sh"]`, `["false"]`}}, input.Warn, "the negative control fails whatever the code is"},
	{"vacuous_command", "rules.run", []edit{{contractPath, `"override"`, `"rules": {"run": ["true"]}, "override"`}}, input.Warn, `rules.run (true): "true" always succeeds`},

	soundCase("errexit off and on", "sh", "-c", "set +e; pytest; true"),
	soundCase("more after and", "sh", "-c", "pytest &&\\n true"),
	soundCase("an earlier exit", "sh", "-c", "pytest || exit 1; true"),
	soundCase("a group", "sh", "-c", "pytest && (lint || true)"),
	soundCase("several steps before a pipe", "bash", "-c", "pytest && lint | tee log"),
	soundCase("true first", "sh", "-c", "true && pytest"),
	soundCase("or before and", "sh", "-c", "true || true; pytest"),
	soundCase("and exit", "sh", "-c", "pytest && exit 0"),
	soundCase("errexit", "bash", "-ec", "pytest; true"),
	soundCase("set errexit", "sh", "-c", `set -e\npytest\necho done`),
	soundCase("pipefail", "bash", "-o", "pipefail", "-c", "pytest | tee log"),
	soundCase("set pipefail", "bash", "-c", "set -euo pipefail; pytest | tee log"),
	soundCase("grep at the end", "sh", "-c", "pytest | grep passed"),
	soundCase("exit code kept", "sh", "-c", "pytest; rc=$?; cat log; exit $rc"),
	soundCase("last exit code", "sh", "-c", "pytest; exit $?"),
	soundCase("or exit 1", "sh", "-c", "pytest || exit 1"),
	soundCase("or fallback", "sh", "-c", "pytest || tox"),
	soundCase("condition", "sh", "-c", "if pytest; then echo ok; else exit 1; fi"),
	soundCase("quoted words", "sh", "-c", "pytest -k 'x || true'"),
	soundCase("comment", "sh", "-c", "pytest # || true"),
	soundCase("here-document", "sh", "-c", `cat <<EOF | python3\ntrue\nEOF`),
	soundCase("true as an argument", "pytest", "true"),
	soundCase("a script named true", "python3", "true.py"),
	soundCase("cat alone", "cat", "src/app.py"),
	soundCase("-n of another program", "pytest", "-n", "4"),
	soundCase("--version of a release", "./scripts/red.sh", "--version", "1"),
	{"vacuous_command", "control", []edit{{contractPath, `["./scripts/red.sh"]`, `["sh", "-c", "pytest || false"]`}}, "", ""},

	{"command_missing", "typo", []edit{criterion(`["./script/red.sh"]`)}, input.Warn, `the program "script/red.sh" does not exist → write "./scripts/red.sh" instead of "./script/red.sh"`},
	{"command_missing", "not executable", []edit{file("scripts/green.sh", "echo"), criterion(`["scripts/green.sh"]`)}, input.Warn, `"scripts/green.sh" is not executable → git update-index --chmod=+x scripts/green.sh`},
	{"command_missing", "directory as program", []edit{criterion(`["./scripts"]`)}, input.Warn, "is a directory"},
	{"command_missing", "no directory", []edit{criterion(`["make"], "cwd": "wbe"`)}, input.Warn, `the directory "wbe" does not exist → write "web" instead of "wbe"`},
	{"command_missing", "relative to cwd", []edit{criterion(`["./scripts/red.sh"], "cwd": "web"`)}, input.Warn, `"web/scripts/red.sh" does not exist`},
	{"command_missing", "outside", []edit{criterion(`["../x"]`)}, "", ""},
	{"command_missing", "there", []edit{criterion(`["scripts/red.sh"]`)}, "", ""},
	{"command_missing", "made by setup", []edit{criterion(`["node_modules/.bin/jest"]`)}, "", ""},
	{"command_missing", "absolute, or in PATH", []edit{criterion(`["/opt/nothing"]`), {contractPath, `["./scripts/red.sh"]`, `["nothing"]`}}, "", ""},

	{"argument_missing", "file", []edit{criterion(`["pytest", "tests/signup/test_b.py"]`)}, input.Warn, `"tests/signup/test_b.py" does not exist → write "tests/signup/test_a.py" instead`},
	{"argument_missing", "node id", []edit{criterion(`["pytest", "tests/singup/test_a.py::test_x"]`)}, input.Warn, `"tests/singup/test_a.py" does not exist → write "tests/signup/test_a.py"`},
	{"argument_missing", "directory", []edit{criterion(`["pytest", "-x", "tests/singup/"]`)}, input.Warn, `write "tests/signup"`},
	{"argument_missing", "script of the interpreter", []edit{criterion(`["bash", "scripts/rde.sh"]`)}, input.Warn, `write "scripts/red.sh"`},
	{"argument_missing", "script behind env", []edit{criterion(`["env", "CI=1", "./scripts/rde.sh"]`)}, input.Warn, `write "./scripts/red.sh"`},
	{"argument_missing", "Go package", []edit{criterion(`["go", "test", "-count=1", "./srcc/..."]`)}, input.Warn, `"srcc" does not exist`},
	{"argument_missing", "there", []edit{criterion(`["pytest", "tests/signup/test_a.py::test_x[a-b]", "./src", "tests/", "src/app.py:12"]`)}, "", ""},
	{"argument_missing", "output", []edit{criterion(`["pytest", "--junitxml", "tests/out.xml", "--cov-report=xml:src/c.xml", "-o", "src/x.py"]`)}, "", ""},
	{"argument_missing", "report of the contract", []edit{criterion(`["go-junit", "tests/out.xml"], "test_report": "tests/out.xml"`)}, "", ""},
	{"argument_missing", "made by setup", []edit{criterion(`["node", "node_modules/x/y.js"]`)}, "", ""},
	{"argument_missing", "no files", []edit{criterion(`["x", "tests/*.py", "https://a/b.py", "@scope/pkg.js", "a b.py", "--config=x.toml", "src/$X.py", "github.com/a/b/...", "!src/x.py", "-k", "tests and form"]`)}, "", ""},

	{"no_test_count", "pytest", []edit{{contractPath, `, "test_report": ".closeout/evidence/unit.xml"`, ""}}, input.Info, `add "--junitxml=.closeout/evidence/unit.xml --continue-on-collection-errors" to the command, and "test_report": ".closeout/evidence/unit.xml"`},
	{"no_test_count", "go", []edit{criterion(`["go", "test", "-count=1", "./..."]`)}, input.Info, `add "-json" to the command, and "test_report": {"path": ".closeout/evidence/unit.json", "from": "stdout"}`},
	{"no_test_count", "wrapped", []edit{criterion(`["poetry", "run", "python", "-m", "pytest"]`)}, input.Info, "the tests that pytest runs"},
	{"no_test_count", "measured", []edit{criterion(`["coverage", "run", "-m", "pytest"]`)}, input.Info, "the tests that pytest runs"},
	{"no_test_count", "package", []edit{criterion(`["jest"]`)}, input.Info, "make \"jest\" write a JUnit report to .closeout/evidence/unit.xml"},
	{"no_test_count", "report", nil, "", ""},
	{"no_test_count", "no tests", []edit{criterion(`["go", "vet", "./..."]`)}, "", ""},

	{"no_tests", "counted", []edit{{contractPath, block, ""}}, input.Warn, `add "tests": [{"files": ["**/tests/**", "**/test/**", "**/test_*.py", "**/*_test.py", "**/conftest.py"], "criteria": ["unit"]}]`},
	{"no_tests", "control", []edit{{contractPath, block, ""}, {contractPath, `["./scripts/red.sh"]`, `["pytest", "red"], "test_report": "red.xml"`}}, input.Warn, `"criteria": ["unit"]}]`},
	{"no_tests", "not counted", []edit{{contractPath, block, ""}, {contractPath, listed, `{"run": ["go", "vet"]}`}, criterion(`["make", "test"]`), file("go.mod", ""), file("a_test.go", "")},
		input.Info, "let a criterion write a test report"},
	{"no_tests", "block", nil, "", ""},
	{"no_tests", "no tests", []edit{{contractPath, block, ""}, file("tests/signup/test_a.py", removed)}, "", ""},
	{"no_tests", "of another kind", []edit{{contractPath, block, ""}, {contractPath, listed, `{"run": ["go", "vet"]}`}, criterion(`["make", "test"]`), file("web/package.json", removed)}, "", ""},

	{"cached", "go test", []edit{criterion(`["go", "test", "./..."]` + tests)}, input.Info, `write "go", "test", "-count=1"`},
	{"cached", "count", []edit{criterion(`["go", "test", "-race", "-count=1", "./..."]` + tests)}, "", ""},
	{"cached", "another command", []edit{criterion(`["go", "vet", "./..."]` + tests)}, "", ""},
}
