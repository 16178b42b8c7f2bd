package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// direction tells which values of a setting demand more.
type direction byte

const (
	higher   direction = iota // a threshold: the least that is demanded
	lower                     // a threshold: the most that is allowed
	on                        // true is stricter
	kept                      // so it is, and without it nothing else demands it, but what the file extends
	off                       // false is stricter
	severity                  // how an analyzer of .NET says what it finds
	graded                    // how a linter says what a rule of it finds
	named                     // what the value names is done, and nothing else does it
	unnamed                   // what the value names is left out
)

// strictSetting is a setting that makes a check stricter or milder.
type strictSetting struct {
	files, keys string
	direction
	values string // words in lower case of which a value that counts contains one; after a !, none; ^ is where it begins
}

// demands are settings of one direction: files, keys and, behind a blank, values.
type demands struct {
	direction
	rows [][2]string
}

// counts reports whether a value is one that the setting is about.
func (d *strictSetting) counts(value string) bool {
	words, isNone := strings.CutPrefix(d.values, "!")
	value = "^" + strings.ToLower(strings.TrimSuffix(strings.ReplaceAll(value, `\\`, "/"), "/")) + "/**" // as if it were a directory
	return words == "" || has(value, strings.Fields(words)...) != isNone
}

const (
	coverageFiles = "package.json project.json infection.json* .nycrc* .c8rc* jest*conf* jest*.json jest*rc.* vitest*conf* vite.conf* vite-conf* nyc.conf* c8.conf* karma*conf* " +
		"stryker*conf* stryker*.json .stryker* web-test-runner*conf*"
	measuredParts = "branches|functions|lines|statements"
	jestFiles     = "package.json jest*conf* jest*.json jest*rc.*"
	pytestFiles   = "pytest.ini .pytest.ini pyproject.toml setup.cfg tox.ini"
	mypyFiles     = "mypy.ini .mypy.ini setup.cfg pyproject.toml"
	projectFiles  = "*.csproj *.props *.targets *.runsettings"
	ruffFiles     = "pyproject.toml ruff.toml .ruff.toml"
	phpunitFiles  = "phpunit*.xml*"
	vitestFiles   = "vitest*conf* vite.conf*"
	codecovFiles  = "codecov.y*ml .codecov.y*ml"
	e2eFiles      = "playwright*conf*"
	mochaFiles    = ".mocharc*"
	oneFile       = "!*. *t *s *_ *- /*/ ( {"
	gradleFiles   = "*.gradle *.gradle.kts"
	wholeTrees    = "src/** lib/** app/** test/** tests/** spec/**"
	complexFiles  = ".flake8 setup.cfg tox.ini *.toml .golangci.* .pylintrc pylintrc .credo.exs detekt*.y*ml"
	retired       = "!exportloopref scopelint gomnd goerr113 execinquery exhaustivestruct interfacer maligned golint deadcode varcheck structcheck ifshort nosnakecase tenv logrlint"
	noTests       = "!node_modules /dist /build /lib/ /out/ coverage fixtures snapshots e2e detox cypress playwright /tmp .git/ .next vendor"
)

// thresholds are the settings that say how much of the code tests must reach. What is measured is the last key.
var thresholds = []demands{
	{higher, [][2]string{
		{"*.toml .coveragerc* setup.cfg tox.ini pytest.ini", "**/fail_under|fail-under"},
		{coverageFiles, "**/coverageThreshold|thresholds|threshold|coverage|coverageConfig|check|nyc|c8/**/" + measuredParts},
		{".nycrc* .c8rc*", measuredParts},
		{coverageFiles, "**/thresholds/**/100|break"},
		{coverageFiles, "**/check-coverage|checkCoverage|minMsi|minCoveredMsi"},
		{coverageFiles, "**/typeCoverage/**/atLeast"},
		{codecovFiles, "**/status/**/target"},
		{".testcoverage.y*ml", "threshold/*"},
		{"pom.xml " + projectFiles, "**/Threshold|mutationThreshold|coverageThreshold|lineRate|branchRate"},
		{"pom.xml", "**/limits/**/minimum"},
		{"mix.exs", "**/summary/threshold"},
	}},
	{lower, [][2]string{
		{codecovFiles, "**/status/**/threshold"},
	}},
}

// strictness are the settings of compilers, analyzers and hooks that make them say more.
var strictness = []demands{
	{higher, [][2]string{
		{"phpstan*.neon*", "parameters/level"},
	}},
	{lower, [][2]string{
		{".rubocop.yml", "*/Max"},
		{"psalm*.xml*", "psalm/@errorLevel"},
		{complexFiles, "**/max-complexity|max_complexity|min-complexity|max-args|max-branches|max-locals|max-returns|max-statements|cognitive-complexity-threshold|too-many-*|maxIssues|threshold"},
		{".eslintrc* eslint.conf* package.json .oxlintrc*", "**/rules/complexity|max-* !error warn off"},
	}},
	{on, [][2]string{
		{".rubocop.yml", "*/Enabled|NewCops"},
		{".golangci.*", "run/tests"},
		{jestFiles, "**/ts-jest/diagnostics"},
		{e2eFiles, "**/forbidOnly"},
		{mochaFiles, "forbid*"},
		{"pom.xml", "**/haltOnFailure|failsOnError|failOnViolation"},
		{gradleFiles, "**/allWarningsAsErrors|allWarningsAsErrors.set"},
		{gradleFiles, "**/test|tasks.test/enabled"},
		{projectFiles, "**/IsTestProject|CollectCoverage"},
		{"cargo.toml", "lib|package|test/test|doctest|autotests|harness"},
		{".credo.exs", "**/strict"},
		{"biome.json*", "linter/**/enabled|recommended"},
		{codecovFiles, "**/require_ci_to_pass|patch|project"},
	}},
	{kept, [][2]string{
		{"tsconfig*.json", "**/compilerOptions/strict|noImplicitAny|strictNullChecks|strictFunctionTypes|strictBindCallApply|strictPropertyInitialization|noImplicitThis|useUnknownInCatchVariables|alwaysStrict|noUnusedLocals|noUnusedParameters|noImplicitReturns|noFallthroughCasesInSwitch|noUncheckedIndexedAccess|exactOptionalPropertyTypes|noImplicitOverride"},
		{projectFiles, "**/TreatWarningsAsErrors|CodeAnalysisTreatWarningsAsErrors|MSBuildTreatWarningsAsErrors|EnforceCodeStyleInBuild|EnableNETAnalyzers|RunAnalyzers|RestorePackagesWithLockFile|RestoreLockedMode|Nullable"},
		{phpunitFiles, "phpunit/@failOnRisky|@failOnWarning|@failOnIncomplete|@failOnEmptyTestSuite|@beStrictAboutTestsThatDoNotTestAnything"},
		{"mix.exs", "**/warnings_as_errors"},
		{pytestFiles, "**/pytest|tool:pytest|ini_options/xfail_strict|strict"},
		{mypyFiles, "**/mypy/strict|disallow_untyped_defs|disallow_incomplete_defs|disallow_untyped_calls|disallow_any_generics|check_untyped_defs|strict_optional|strict_equality|warn_return_any|warn_unused_ignores|no_implicit_optional"},
	}},
	{off, [][2]string{
		{".rubocop.yml", "*/DisabledByDefault"},
		{".golangci.*", "linters/disable-all"},
		{jestFiles + " " + vitestFiles, "**/passWithNoTests|dangerouslyIgnoreUnhandledErrors"},
		{"pom.xml", "**/skipTests|skipITs|testFailureIgnore|maven.test.skip|maven.test.failure.ignore"},
		{gradleFiles, "**/ignoreFailures"},
		{"tox.ini pyproject.toml taskfile.y*ml", "**/ignore_outcome|ignore_error"},
		{mypyFiles, "**/mypy/overrides/ignore_errors"},
		{mypyFiles, "**/mypy/ignore_errors|ignore_missing_imports|allow_untyped_defs|follow_untyped_imports"},
		{codecovFiles, "**/informational"},
	}},
	{severity, [][2]string{
		{".editorconfig .globalconfig", "*/*"},
	}},
	{graded, [][2]string{
		{".golangci.*", "linters/default"},
		{projectFiles, "**/AnalysisMode"},
		{"cargo.toml", "**/lints/*/*/** deny forbid allow"},
		{"detekt*.y*ml", "*/*/active"},
		{"pyrightconfig.json pyproject.toml", "**/typeCheckingMode|report*"},
		{".eslintrc* eslint.conf* package.json .oxlintrc*", "**/rules|categories/*"},
		{"biome.json*", "**/rules/*/*"},
		{"deny.toml .deny.toml", "advisories|bans|sources|licenses/*"},
	}},
	{named, [][2]string{
		{".pre-commit-config.y*ml", "repos/hooks/id"},
		{".golangci.*", "linters|formatters/enable " + retired},
		{"phpstan*.neon*", "parameters/paths"},
		{phpunitFiles, "**/testsuite/directory"},
		{mypyFiles, "**/mypy/files|packages"},
		{"tsconfig*.json", "include test spec"},
		{ruffFiles, "**/ruff|lint/select|extend-select"},
		{pytestFiles, "**/pytest|tool:pytest|ini_options/filterwarnings ^error/"},
		{"*checkstyle*.xml", "**/module/@name"},
		{".clang-tidy", "Checks|WarningsAsErrors !^-"},
	}},
	{unnamed, [][2]string{
		{".pre-commit-config.y*ml", "repos/hooks/stages manual"},
		{".pre-commit-config.y*ml", "exclude " + wholeTrees},
		{".golangci.*", "linters/disable"},
		{jestFiles, "**/testPathIgnorePatterns " + noTests},
		{jestFiles, "**/coveragePathIgnorePatterns " + wholeTrees},
		{vitestFiles, "**/test/exclude .test. .spec. test/ tests/ __tests__"},
		{vitestFiles, "**/test/retry !^0/"},
		{vitestFiles, "**/coverage/exclude !test spec mock .d.ts index. types generated config main. node_modules dist ^* stories fixture __ cli. ^. script example doc .vue bench"},
		{e2eFiles, "**/retries !^0/"},
		{mochaFiles, "grep|fgrep|g|f|invert|i !false"},
		{jestFiles, "**/testMatch " + oneFile},
		{vitestFiles, "**/test/include " + oneFile},
		{e2eFiles, "**/grepInvert|testIgnore !setup"},
		{"eslint.conf* .eslintrc* ruff.toml .ruff.toml pyrightconfig.json", "**/ignores|ignorePatterns|ignore|exclude|extend-exclude " + wholeTrees},
		{".flake8 setup.cfg tox.ini pyproject.toml " + coverageFiles, "**/flake8|ruff|pyright|basedpyright|coverage/**/ignore|exclude|extend-exclude " + wholeTrees},
		{".rubocop.yml", "AllCops/Exclude " + wholeTrees},
		{".rubocop.yml", "inherit_from todo"},
		{pytestFiles, "**/python_files !_* *_ t* *. ^* tests.py"},
		{"pom.xml", "**/excludes/exclude test.java tests.java test.class tests.class"},
		{"pom.xml", "**/rerunFailingTestsCount|excludedGroups"},
		{gradleFiles, "**/excludeTags|excludeTestsMatching"},
		{gradleFiles, "**/test|tasks.test/exclude"},
		{projectFiles, "**/Compile/@Remove test.cs tests.cs test*.cs tests*.cs unittest tests/ /test/ ^test/"},
		{projectFiles, "**/TestCaseFilter"},
		{phpunitFiles, "**/testsuite|exclude/exclude|group"},
		{phpunitFiles, "**/testsuite/directory/@suffix !test .phpt"},
		{"phpstan*.neon*", "parameters/ignoreErrors/** #.*# #.+# #^.*"},
		{"mix.exs", "**/test_pattern !_test"},
		{ruffFiles, "**/ruff|lint/ignore|extend-ignore !0 1 2 3 4 5 6 7 8 9 cpy"},
		{".pylintrc pylintrc setup.cfg tox.ini pyproject.toml", "**/disable ^all/"},
		{".coveragerc *.toml setup.cfg tox.ini", "**/run|report|coverage:run|coverage:report/omit !test __ conftest migration setup.py version example doc generated _pb2 vendor site-packages venv stub"},
		{mypyFiles, "**/mypy/disable_error_code"},
	}},
}

// degree is what a setting demands.
type degree struct {
	value  float64 // more is stricter, but with most
	line   int
	most   bool
	needed bool
}

func (l degree) milder(than degree) bool {
	return l.most == (l.value > than.value) && l.value != than.value
}

// degreesOf are the levels of a version of a file by name.
func degreesOf(v *source.File, table []demands) map[string][]degree {
	all := map[string][]degree{}
	if v == nil || isExample(v.Path) {
		return all
	}
	var rows []strictSetting
	for _, t := range table {
		for _, row := range t.rows {
			if keys, values, _ := strings.Cut(row[1], " "); isNamed(v.Path, row[0]) {
				rows = append(rows, strictSetting{row[0], keys, t.direction, values})
			}
		}
	}
	if len(rows) == 0 {
		return all
	}
	settings := settingsOf(v)
	isList := isNamed(v.Path, listFiles)
	extends := slices.ContainsFunc(settings, func(s Setting) bool { return leads(s.Keys, "extends") })
	for _, s := range settings {
		values := []string{s.Value}
		if isList {
			values = strings.FieldsFunc(s.Value, func(r rune) bool { return r == ',' || r == ' ' })
		}
		for _, s.Value = range values {
			i := slices.IndexFunc(rows, func(d strictSetting) bool { return leads(s.Keys, d.keys) && d.counts(s.Value) })
			if i < 0 {
				continue
			}
			name, l, ok := rows[i].read(s)
			if l.needed = (rows[i].direction == kept || rows[i].direction == named) && !extends; ok && len(all[name]) < 1000 {
				all[name] = append(all[name], l)
			}
		}
	}
	return all
}

// listFiles have lists with commas.
const listFiles = ".flake8 *.cfg *.ini .coveragerc *pylintrc .clang-tidy"

const (
	isFalse = " false disable no off annotations warnings "
	isTrue  = " true enable yes "
)

// degreeWords are the values of settings that are words, from the mildest to the strictest.
var degreeWords = map[direction][]string{
	on:   {isFalse, isTrue},
	kept: {isFalse, isTrue},
	off:  {isTrue, isFalse},
	// A rule that is new and off is no loss.
	graded: {"", " off 0 allow none false ", " warn warning 1 info information basic minimum default ", " standard recommended ",
		" error 2 on deny forbid true strict all "},
	severity: {" none silent ", " suggestion ", " warning ", " error "},
}

// read is the name of a setting, and its level.
func (d *strictSetting) read(s Setting) (name string, l degree, ok bool) {
	last, value := len(s.Keys)-1, strings.ToLower(s.Value)
	l.line, l.most = s.Line, d.direction == lower
	whole, known := begins(d.keys, "*/*/"), degreeWords[d.direction]
	switch name = s.Keys[last]; d.direction {
	case higher, lower:
		whole = true
		number := leadingNumber([]byte(strings.Replace(value, "true", "1", 1)))
		n, err := strconv.ParseFloat(strings.ReplaceAll(number, "_", ""), 64)
		if l.value, ok = n, err == nil; l.most && begins(d.keys, "*/") {
			l.value++ // a cop with Max: 0 is on
		}
	case named:
		l.value = 1
		if name, _, _ = strings.Cut(strings.TrimPrefix(s.Value, "./"), "/*"); begins(d.files, ".pre-commit") {
			name = "the hook " + name
		}
		ok = name != "**"
	case unnamed:
		name, ok = name+" "+s.Value, true
	case severity:
		_, after, isStyle := strings.Cut(value, ":")
		if isStyle {
			l.value, value = 1, after // a new style that only editors see is no diagnostic that is off
		} else if !ends(name, ".severity") || (has(s.Keys[0], ".g.", "enerated", "obj/", "artifacts") && !has(strings.ReplaceAll(s.Keys[0], "/*.cs", ""), "*.cs", "{cs", ",cs")) {
			return "", l, false
		}
		value, _, _ = strings.Cut(value, " ")
		name += " [" + s.Keys[0] + "]"
	case graded:
		if name == "level" && last > 0 { // { level = "deny", priority = -1 }
			name = s.Keys[last-1]
		}
	default:
		if whole = !begins(d.keys, "**/") || d.files == codecovFiles; name == "strict" && d.files == pytestFiles { // what pytest 9 calls it
			name = "xfail_strict"
		}
	}
	if known != nil {
		at := slices.IndexFunc(known, func(words string) bool { return isIn(value, words) })
		l.value, ok = l.value+float64(at), at >= 0
	}
	if whole {
		from := max(0, slices.IndexFunc(s.Keys[:last], func(key string) bool {
			return isIn(key, " coverageThreshold thresholds coverage nyc c8 threshold typeCoverage ")
		}))
		name = strings.TrimSuffix(strings.Join(s.Keys[from:], "."), ".Enabled")
	}
	return name, l, ok
}

// gradedFile are the degrees of the settings of a file by name, at the merge base and at the head.
type gradedFile struct {
	*File
	was, now map[string][]degree
}

// degrees are what the settings of the touched files demand.
func (c *Change) degrees(read func(v *source.File) map[string][]degree) (list []gradedFile) {
	for _, f := range c.Files {
		if g := (gradedFile{f, read(f.Base), read(f.Head)}); len(g.was)+len(g.now) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// milder is the first of some degrees that is milder than it was. Where there are more or fewer of them, only the
// mildest can be compared.
func milder(was, now []degree) (old, is degree, found bool) {
	if len(was) != len(now) && len(was) > 0 && len(now) > 0 {
		order := func(a, b degree) int {
			if a.milder(b) {
				return -1
			}
			return 1
		}
		was, now = []degree{slices.MinFunc(was, order)}, []degree{slices.MinFunc(now, order)}
	}
	for i := range min(len(was), len(now)) {
		if now[i].milder(was[i]) {
			return was[i], now[i], true
		}
	}
	return degree{}, degree{}, false
}
