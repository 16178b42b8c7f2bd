package rules

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findLoweredThreshold finds a coverage or mutation threshold that is smaller than before, or gone.
func findLoweredThreshold(c *Change, report func(Hit)) {
	const fix = "restore the threshold, and test what it misses"
	files := c.degrees(thresholdsOf)
	gained := map[string]float64{} // the highest threshold that a file gained, by family: another may have moved there
	for _, f := range files {
		for name, now := range f.now {
			for _, l := range now {
				if len(now) > len(f.was[name]) && !l.most {
					gained[family(name)] = max(gained[family(name)], l.value)
				}
			}
		}
	}
	for _, f := range files {
		if f.Base == nil || f.Head == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(f.was)) {
			first := f.was[name][0]
			if was, is, lowered := milder(f.was[name], f.now[name]); lowered {
				report(f.hit(was.line, is.line, name, fmt.Sprintf("the threshold %s was %v and is %v", name, was.value, is.value), fix))
			} else if len(f.now[name]) == 0 && !first.most && gained[family(name)] < first.value {
				report(f.hit(first.line, 0, name, "the threshold "+name+" is gone", fix))
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
	{"*.yml *.yaml *.toml *.cfg *.ini *.sh *.bash *.mk *.ps1 *.cmd *.bat *.nix *.cake package.json* composer.json project.json makefile gnumakefile justfile taskfile noxfile.py tasks.py dockerfile rakefile earthfile",
		"--cov-fail-under --fail-under --fail-under-lines --fail-under-functions --fail-under-regions --coverage.thresholds.lines --coverage.thresholds.branches " +
			"--coverage.thresholds.functions --coverage.thresholds.statements /p:Threshold -p:Threshold /p:threshold --min-coverage --minimum-coverage --at-least --lines --max-warnings"},
}

// thresholdsOf are the thresholds of a version of a file, by name: a name can have several.
func thresholdsOf(v *source.File) map[string][]degree {
	all := degreesOf(v, thresholds)
	if v == nil || isExample(v.Path) || isIn(path.Base(v.Path), lockNames) {
		return all
	}
	for _, call := range calls {
		if !isNamed(v.Path, call.files) {
			continue
		}
		for word := range strings.FieldsSeq(call.words) {
			for pos := range somePlaces(v.Text, word) {
				line := bytes.TrimSpace(lineOf(v.Text, pos))
				comment := begins(line, "//", "#", "*")
				if comment || !wholeWord(v.Text, pos, len(word)) || at(v.Text, pos+len(word)) == '-' ||
					(word == "--lines" && !has(line, "--check-coverage")) {
					continue
				}
				most := oneOf(word, "--max-warnings", "maximum_coverage_drop")
				for name, number := range numbersBehind(word, restOf(v.Text, pos+len(word))) {
					if n, err := strconv.ParseFloat(number, 64); err == nil && len(all[name]) < 1000 {
						all[name] = append(all[name], degree{value: n, line: v.LineAt(pos), most: most})
					}
				}
			}
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
