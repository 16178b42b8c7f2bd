package rules

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// direction tells which values of a setting demand more.
type direction string

const (
	higher   direction = "higher"   // a threshold: the least that is demanded
	lower    direction = "lower"    // a threshold: the most that is allowed
	on       direction = "on"       // true is stricter
	off      direction = "off"      // false is stricter
	severity direction = "severity" // how an analyzer of .NET says what it finds
	graded   direction = "graded"   // how a linter says what a rule of it finds
	named    direction = "named"    // what the value names is done
	unnamed  direction = "unnamed"  // what the value names is left out
)

// demand is a setting that makes a check stricter or milder.
type demand struct {
	files, keys string
	direction
	needed bool   // without it nothing else demands it
	unless string // a setting of the file that makes it unneeded
}

const (
	coverageFiles = "package.json project.json infection.json* .nycrc* .c8rc* jest*conf* jest*.json jest*rc.* vitest*conf* vite.conf* vite-conf* nyc.conf* c8.conf* karma*conf* " +
		"stryker*conf* stryker*.json .stryker* web-test-runner*conf*"
	measuredParts = "branches|functions|lines|statements"
	jestFiles     = "package.json jest*conf* jest*.json jest*rc.*"
	mypyFiles     = "mypy.ini .mypy.ini setup.cfg pyproject.toml"
	projectFiles  = "*.csproj *.props *.targets *.runsettings"
)

// thresholds are the settings that say how much of the code tests must reach. What is measured is the last key.
var thresholds = []demand{
	{files: "*.toml .coveragerc* setup.cfg tox.ini pytest.ini", keys: "**/fail_under|fail-under", direction: higher},
	{files: coverageFiles, keys: "**/coverageThreshold|thresholds|threshold|coverage|coverageConfig|check|nyc|c8/**/" +
		measuredParts, direction: higher},
	{files: ".nycrc* .c8rc*", keys: measuredParts, direction: higher},
	{files: coverageFiles, keys: "**/thresholds/**/100|break", direction: higher},
	{files: coverageFiles, keys: "**/check-coverage|checkCoverage|minMsi|minCoveredMsi", direction: higher},
	{files: coverageFiles, keys: "**/typeCoverage/**/atLeast", direction: higher},
	{files: "codecov.y*ml .codecov.y*ml", keys: "**/status/**/target", direction: higher},
	{files: "codecov.y*ml .codecov.y*ml", keys: "**/status/**/threshold", direction: lower},
	{files: ".testcoverage.y*ml", keys: "threshold/*", direction: higher},
	{files: "pom.xml " + projectFiles, keys: "**/Threshold|mutationThreshold|coverageThreshold|lineRate|branchRate",
		direction: higher},
	{files: "pom.xml", keys: "**/limits/**/minimum", direction: higher},
}

// strictness are the settings of compilers, analyzers and hooks that make them say more.
var strictness = []demand{
	{files: "tsconfig*.json", keys: "compilerOptions/strict|noImplicitAny|strictNullChecks|strictFunctionTypes|strictBindCallApply|strictPropertyInitialization|" +
		"noImplicitThis|useUnknownInCatchVariables|alwaysStrict|noUnusedLocals|noUnusedParameters|noImplicitReturns|noFallthroughCasesInSwitch|" +
		"noUncheckedIndexedAccess|exactOptionalPropertyTypes|noImplicitOverride", direction: on, needed: true,
		unless: "extends"},
	{files: projectFiles, keys: "**/TreatWarningsAsErrors|CodeAnalysisTreatWarningsAsErrors|MSBuildTreatWarningsAsErrors|EnforceCodeStyleInBuild|" +
		"EnableNETAnalyzers|RunAnalyzers|Nullable", direction: on, needed: true},
	{files: ".editorconfig .globalconfig", keys: "*/*", direction: severity},
	{files: ".rubocop.yml", keys: "*/Enabled", direction: on},
	{files: ".rubocop.yml", keys: "*/DisabledByDefault", direction: off},
	{files: ".rubocop.yml", keys: "*/Max", direction: lower},
	{files: ".pre-commit-config.y*ml", keys: "repos/hooks/id", direction: named, needed: true},
	{files: ".golangci.*", keys: "linters|formatters/enable", direction: named, needed: true},
	{files: ".golangci.*", keys: "linters/disable", direction: unnamed},
	{files: jestFiles, keys: "**/testPathIgnorePatterns", direction: unnamed},
	{files: ".eslintrc* eslint.conf* package.json", keys: "**/rules/*", direction: graded},
	{files: "biome.json*", keys: "**/rules/*/*", direction: graded},
	{files: mypyFiles, keys: "**/mypy/strict|disallow_untyped_defs|disallow_incomplete_defs|disallow_untyped_calls|disallow_any_generics|check_untyped_defs|" +
		"strict_optional|strict_equality|warn_return_any|warn_unused_ignores|no_implicit_optional", direction: on,
		needed: true},
	{files: mypyFiles, keys: "**/mypy/ignore_errors|ignore_missing_imports|allow_untyped_defs|follow_untyped_imports",
		direction: off},
	{files: "codecov.y*ml .codecov.y*ml", keys: "**/informational", direction: off},
	{files: "codecov.y*ml .codecov.y*ml", keys: "**/require_ci_to_pass", direction: on},
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

// demanded are the levels of a version of a file by name.
func demanded(v *source.File, table []demand) map[string][]degree {
	all := map[string][]degree{}
	if v == nil || isExample(v.Path) {
		return all
	}
	table = slices.DeleteFunc(slices.Clone(table), func(d demand) bool { return !isNamed(v.Path, d.files) })
	if len(table) == 0 {
		return all
	}
	settings := settingsOf(v)
	for i, d := range table {
		table[i].needed = d.needed && (d.unless == "" ||
			!slices.ContainsFunc(settings, func(s Setting) bool { return leads(s.Keys, d.unless) }))
	}
	for _, s := range settings {
		for _, d := range table {
			if !leads(s.Keys, d.keys) {
				continue
			}
			name, l, ok := d.read(s)
			if l.needed = d.needed; ok && len(all[name]) < 1000 {
				all[name] = append(all[name], l)
			}
			break
		}
	}
	return all
}

// read is the name of a setting, and its level.
func (d *demand) read(s Setting) (name string, l degree, ok bool) {
	name, value := s.Keys[len(s.Keys)-1], strings.ToLower(s.Value)
	l.line, ok = s.Line, true
	switch d.direction {
	case higher, lower:
		number := leadingNumber([]byte(value))
		if value == "true" {
			number = "1"
		}
		n, err := strconv.ParseFloat(strings.ReplaceAll(number, "_", ""), 64)
		l.value, l.most, ok = n, d.direction == lower, err == nil
		name = strings.Join(s.Keys, ".")
		for i, key := range s.Keys[:len(s.Keys)-1] {
			if isIn(key, " coverageThreshold thresholds coverage nyc c8 threshold typeCoverage ") {
				name = strings.Join(s.Keys[i:], ".")
				break
			}
		}
		if d.direction == lower && begins(d.keys, "*/") {
			l.value += 1 // a cop with Max: 0 is on
		}
	case on, off:
		is := oneOf(value, "true", "enable", "yes")
		if ok = is || isIn(value, " false disable no annotations warnings "); is == (d.direction == on) {
			l.value = 1
		}
		name = strings.TrimSuffix(strings.TrimPrefix(strings.Join(s.Keys, "."), "compilerOptions."), ".Enabled")
		if begins(d.keys, "**/") && !begins(d.files, "codecov") {
			name = s.Keys[len(s.Keys)-1]
		}
	case named:
		name, l.value = "the hook "+s.Value, 1
		if !begins(d.files, ".pre-commit") {
			name = s.Value
		}
	case unnamed:
		name = name + " " + s.Value
	case graded:
		at := slices.IndexFunc([]string{"off 0", "warn 1 info", "error 2 on"},
			func(words string) bool { return isIn(value, " "+words+" ") })
		l.value, ok = float64(at+1), at >= 0
	case severity:
		least := 0 // a new style that only editors see is no diagnostic that is off
		if _, after, colon := strings.Cut(value, ":"); colon {
			value, least = after, 1
		} else if !ends(name, ".severity") {
			return "", l, false
		}
		value, _, _ = strings.Cut(value, " ")
		at := slices.Index([]string{"none", "silent", "suggestion", "warning", "error"}, value)
		name, l.value, ok = name+" ["+s.Keys[0]+"]", float64(max(0, at-1)+least), at >= 0
	}
	return name, l, ok
}

// findCheckConfig finds settings of compilers and checkers that demand less than before.
func findCheckConfig(c *Change, report func(Hit)) {
	heads := map[string]degree{} // the strictest in any file: a setting may have moved
	for _, f := range c.Files {
		for name, list := range f.strictness(f.Head) {
			if best, known := heads[name]; !known || best.milder(list[0]) {
				heads[name] = list[0]
			}
		}
	}
	for _, f := range c.Files {
		if f.Base != nil && f.Head != nil {
			milderSettings(f, heads, report)
		}
	}
}

func (f *File) strictness(v *source.File) map[string][]degree {
	if foreign(f.Path) {
		return nil
	}
	return demanded(v, strictness)
}

// milderSettings compares both versions of a file.
func milderSettings(f *File, heads map[string]degree, report func(Hit)) {
	was, now := f.strictness(f.Base), f.strictness(f.Head)
	var less []string
	hit := Hit{File: f.Path, Fix: "restore the setting, or let a person approve that it goes"}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		old, list := was[name][0], now[name]
		best, anywhere := heads[name]
		if (list != nil && !list[0].milder(old)) || (list == nil && (!old.needed || old.value == 0)) ||
			(anywhere && !best.milder(old)) || renamedHook(name, was, now) {
			continue
		}
		if less = append(less, name); len(less) == 1 {
			if hit.Was, hit.Base, hit.Line = string(f.Base.Line(old.line)), list == nil, old.line; list != nil {
				hit.Line, hit.Now = list[0].line, string(f.Head.Line(list[0].line))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name][0].value > 0 || was[name] != nil {
			continue
		}
		if less = append(less, name); len(less) == 1 {
			hit.Line, hit.Now = now[name][0].line, string(f.Head.Line(now[name][0].line))
		}
	}
	if len(less) > 0 {
		hit.Subject, hit.Others = less[0], less[1:]
		hit.Detail = "demands less than before: " + listed(less)
		report(hit)
	}
}

// renamedHook reports whether a hook has a new name that contains the one before, such as local-ruff.
func renamedHook(name string, was, now map[string][]degree) bool {
	id, is := strings.CutPrefix(name, "the hook ")
	for other := range now {
		if is && was[other] == nil && has(other, id) {
			return true
		}
	}
	return false
}

// findLoweredThreshold finds a coverage or mutation threshold that is smaller than before, or gone.
func findLoweredThreshold(c *Change, report func(Hit)) {
	gained := map[string]float64{} // the highest threshold that a file gained, by family: another may have moved there
	for _, f := range c.Files {
		if f.Head == nil {
			continue
		}
		base := thresholdsOf(f.Base)
		for name, now := range thresholdsOf(f.Head) {
			for _, l := range now {
				if len(now) > len(base[name]) && !l.most {
					gained[family(name)] = max(gained[family(name)], l.value)
				}
			}
		}
	}
	for _, f := range c.Files {
		if f.Base != nil && f.Head != nil {
			lowered(f, gained, report)
		}
	}
}

// lowered reports the thresholds of a file that are lower or gone.
func lowered(f *File, gained map[string]float64, report func(Hit)) {
	const fix = "restore the threshold, and test what it misses"
	base, head := thresholdsOf(f.Base), thresholdsOf(f.Head)
	for _, name := range slices.Sorted(maps.Keys(base)) {
		was, now := base[name], head[name]
		if len(now) == 0 {
			if line := was[0].line; !was[0].most && gained[family(name)] < was[0].value {
				report(Hit{File: f.Path, Base: true, Line: line, Subject: name, Was: string(f.Base.Line(line)),
					Detail: "the threshold " + name + " is gone", Fix: fix})
			}
			continue
		}
		if len(was) != len(now) { // then only the mildest can be compared
			mildest := func(a, b degree) int {
				if a.milder(b) {
					return -1
				}
				return 1
			}
			was, now = []degree{slices.MinFunc(was, mildest)}, []degree{slices.MinFunc(now, mildest)}
		}
		for i := range was {
			if now[i].milder(was[i]) {
				report(Hit{
					File: f.Path, Line: now[i].line, Subject: name, Was: string(f.Base.Line(was[i].line)),
					Now:    string(f.Head.Line(now[i].line)),
					Detail: fmt.Sprintf("the threshold %s was %v and is %v", name, was[i].value, now[i].value), Fix: fix,
				})
				break
			}
		}
	}
}

// family is what a threshold is about, in whichever file: the tools that can replace each other.
func family(name string) string {
	if has(name, "break", "Msi", "mutation") {
		return "mutation"
	}
	return "coverage"
}

// calls are thresholds in files that are programs: words in front of a number, and the files that may have them.
var calls = []struct{ files, words string }{
	{"*.gradle *.gradle.kts", "minimum minBound minValue mutationThreshold coverageThreshold"},
	{"*.rb .simplecov rakefile", "minimum_coverage minimum_coverage_by_file minimum_coverage_by_group maximum_coverage_drop"},
	{"*.yml *.yaml *.toml *.cfg *.ini *.sh *.bash *.mk *.ps1 *.cmd *.bat *.nix *.cake package.json* project.json makefile gnumakefile justfile taskfile noxfile.py tasks.py dockerfile rakefile earthfile",
		"--cov-fail-under --fail-under --fail-under-lines --fail-under-functions --fail-under-regions --coverage.thresholds.lines --coverage.thresholds.branches " +
			"--coverage.thresholds.functions --coverage.thresholds.statements /p:Threshold -p:Threshold /p:threshold --min-coverage --minimum-coverage --at-least --lines --max-warnings"},
}

// thresholdsOf are the thresholds of a version of a file, by name: a name can have several.
func thresholdsOf(v *source.File) map[string][]degree {
	all := demanded(v, thresholds)
	if v == nil || isExample(v.Path) {
		return all
	}
	for _, call := range calls {
		if !isNamed(v.Path, call.files) {
			continue
		}
		for word := range strings.FieldsSeq(call.words) {
			eachPlace(v.Text, word, func(pos int) {
				line := bytes.TrimSpace(lineOf(v.Text, pos))
				comment := begins(line, "//", "#", "*")
				if comment || !wholeWord(v.Text, pos, len(word)) || at(v.Text, pos+len(word)) == '-' ||
					(word == "--lines" && !has(line, "--check-coverage")) {
					return
				}
				most := oneOf(word, "--max-warnings", "maximum_coverage_drop")
				for name, number := range numbersBehind(word, restOf(v.Text, pos+len(word))) {
					if n, err := strconv.ParseFloat(number, 64); err == nil && len(all[name]) < 1000 {
						all[name] = append(all[name], degree{value: n, line: v.LineAt(pos), most: most})
					}
				}
			})
		}
	}
	return all
}

// numbersBehind are the numbers behind a word, by name: 80, = 80, ("0.8".toBigDecimal()), (line: 90, branch: 80).
func numbersBehind(word string, rest []byte) map[string]string {
	rest = rest[len(beforeNumber().Find(rest)):]
	found := map[string]string{}
	if number := leadingNumber(rest); number != "" {
		found[word] = number
		return found
	}
	for part := range strings.SplitSeq(string(rest), ",") {
		if name, value, named := strings.Cut(part, ":"); named {
			found[word+"."+strings.TrimSpace(name)] = leadingNumber([]byte(value))
		}
	}
	return found
}

// leadingNumber is the number at the start of a text, after blanks and quotes; "" for none.
func leadingNumber(text []byte) string {
	return strings.TrimRight(string(numberFirst().FindSubmatch(text[:min(len(text), 100)])[1]), ".")
}

var (
	beforeNumber = input.Lazily(`^(?:[ \t]|\.set\(|[=({"',]|(?:new )?BigDecimal\(|valueOf\()*`)
	numberFirst  = input.Lazily(`^[ \t"']*(-?(?:[\d.][\d._]*)?)`)
)
