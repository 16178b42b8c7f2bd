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
)

// findLoweredThreshold finds a coverage or mutation threshold that is smaller than before, or gone.
func findLoweredThreshold(c *Change, report func(Hit)) {
	gained := map[string]float64{} // the highest threshold that a file gained, by family: another may have moved there
	for _, f := range c.Files {
		f.gained(gained)
	}
	for _, f := range c.Files {
		f.lowered(gained, report)
	}
}

// threshold is a threshold in a file.
type threshold struct {
	value float64
	line  int
	most  bool // the threshold is the most that is allowed, not the least
}

// thresholds are the thresholds of a version of a file, by key: a key can have several.
func thresholds(v *source.File) map[string][]threshold {
	all := map[string][]threshold{}
	if v == nil {
		return all
	}
	add := func(key string, pos int, value string, most bool) {
		if n, err := strconv.ParseFloat(strings.ReplaceAll(value, "_", ""), 64); err == nil && len(all) < 1000 && len(all[key]) < 1000 {
			all[key] = append(all[key], threshold{n, v.LineAt(pos), most})
		}
	}
	base := strings.ToLower(path.Base(v.Path))
	ext := path.Ext(base)
	if isExample(v.Path) {
		return all
	}
	switch {
	case isINI(base):
		iniLevels(v.Text, add)
	case isJSConfig(base):
		objectLevels(v, add)
	case base == "codecov.yml" || base == ".codecov.yml" || base == "codecov.yaml" || base == ".codecov.yaml" || strings.HasPrefix(base, ".testcoverage."):
		yamlLevels(v.Text, add)
	case ext == ".gradle" || strings.HasSuffix(base, ".gradle.kts"):
		gradleLevels(v, add)
	case base == "pom.xml" || ext == ".csproj" || ext == ".props" || ext == ".targets" || ext == ".runsettings":
		xmlLevels(v.Text, add)
	case v.Lang == source.Ruby || base == ".simplecov":
		rubyLevels(v, add)
	}
	if hasFlags(base, ext) {
		flagLevels(v, add)
	}
	return all
}

// isExample reports whether a configuration belongs to a test, an example or something from elsewhere.
func isExample(name string) bool {
	for dir := range strings.SplitSeq(strings.ToLower(path.Dir(name)), "/") {
		if oneOf(dir, "testdata", "fixtures", "__fixtures__", "examples", "example", "node_modules", "vendor", "third_party", "samples", "playground", "templates") {
			return true
		}
	}
	return false
}

// gained notes the thresholds that the head has and the base does not.
func (f *File) gained(highest map[string]float64) {
	if f.Head == nil || !mayHaveLevels(f.Head) {
		return
	}
	base := thresholds(f.Base)
	for key, now := range thresholds(f.Head) {
		if len(now) <= len(base[key]) {
			continue
		}
		for _, l := range now {
			if name := family(key); !l.most {
				highest[name] = max(highest[name], l.value)
			}
		}
	}
}

// lowered reports the thresholds of a file that are lower or gone.
func (f *File) lowered(gained map[string]float64, report func(Hit)) {
	if f.Base == nil || f.Head == nil || !mayHaveLevels(f.Base) {
		return
	}
	base, head := thresholds(f.Base), thresholds(f.Head)
	for _, key := range slices.Sorted(maps.Keys(base)) {
		was, now := base[key], head[key]
		if len(now) == 0 {
			if line := was[0].line; !was[0].most && gained[family(key)] < was[0].value {
				report(Hit{
					File: f.Path, Base: true, Line: line, Subject: key, Was: string(f.Base.Line(line)), Detail: "the threshold " + key + " is gone",
					Fix: "restore the threshold, and test what it misses",
				})
			}
			continue
		}
		if old, low, ok := lowest(was, now); ok {
			report(Hit{
				File: f.Path, Line: low.line, Subject: key, Was: string(f.Base.Line(old.line)), Now: string(f.Head.Line(low.line)),
				Detail: fmt.Sprintf("the threshold %s was %v and is %v", key, old.value, low.value), Fix: "restore the threshold, and test what it misses",
			})
		}
	}
}

// lowest finds a threshold that is looser than the one at its place, or where there are more or fewer of them than before, than
// the loosest of them.
func lowest(was, now []threshold) (old, low threshold, ok bool) {
	if len(was) != len(now) {
		loosest := func(a, b threshold) int {
			if a.looser(b) {
				return -1
			}
			return 1
		}
		was, now = []threshold{slices.MinFunc(was, loosest)}, []threshold{slices.MinFunc(now, loosest)}
	}
	for i := range was {
		if now[i].looser(was[i]) {
			return was[i], now[i], true
		}
	}
	return old, low, false
}

func (l threshold) looser(than threshold) bool {
	if l.most {
		return l.value > than.value
	}
	return l.value < than.value
}

// family is what a key is about, in whichever file: the tools that can replace each other.
func family(key string) string {
	switch {
	case strings.Contains(key, "max-warnings"):
		return "warnings"
	case strings.Contains(key, "break"), strings.Contains(key, "msi"), strings.Contains(key, "mutation"):
		return "mutation"
	case strings.Contains(key, "interrogate"):
		return "documentation"
	}
	return "coverage"
}

var levelWords = [][]byte{
	[]byte("fail"), []byte("hreshold"), []byte("inimum"), []byte("target"), []byte("branches"), []byte("lines"), []byte("max-warnings"), []byte("functions"),
	[]byte("statements"), []byte("break"), []byte("minMsi"), []byte("minBound"), []byte("minValue"), []byte("inCoveredMsi"), []byte("maximum_coverage"),
}

// mayHaveLevels is the cheap first look.
func mayHaveLevels(v *source.File) bool {
	base := strings.ToLower(path.Base(v.Path))
	ext := path.Ext(base)
	known := isINI(base) || isJSConfig(base) || hasFlags(base, ext) || oneOf(ext, ".gradle", ".kts", ".xml", ".csproj", ".props", ".targets", ".runsettings", ".rb") ||
		strings.Contains(base, "cov")
	return known && slices.ContainsFunc(levelWords, func(word []byte) bool { return bytes.Contains(v.Text, word) })
}

// adder notes a threshold: its key, where it stands, its number, and whether it is the most that is allowed.
type adder func(key string, pos int, value string, most bool)

func isINI(base string) bool {
	return oneOf(base, ".coveragerc", "setup.cfg", "tox.ini", "pytest.ini", "pyproject.toml", "tarpaulin.toml", ".tarpaulin.toml", "coverage.toml", ".coveragerc.toml") ||
		strings.HasPrefix(base, ".coveragerc")
}

// iniLevels reads what INI and TOML have in common: sections, and keys with a number.
func iniLevels(text []byte, add adder) {
	section := ""
	eachLine(text, func(pos int, line []byte) {
		trimmed := bytes.TrimSpace(line)
		switch {
		case len(trimmed) == 0 || trimmed[0] == '#' || trimmed[0] == ';':
		case trimmed[0] == '[':
			if name := strings.Trim(string(trimmed[:min(len(trimmed), 100)]), "[] "); len(trimmed) < 100 && trimmed[len(trimmed)-1] == ']' {
				section = name
			}
		default:
			key, value, found := cutAny(trimmed, "=:")
			if name := strings.Trim(string(key), " \t\"'"); found && (name == "fail_under" || name == "fail-under") {
				add(section+" "+strings.ReplaceAll(name, "-", "_"), pos, leadingNumber(value), false)
			}
		}
	})
}

// cutAny cuts a short line at the first of some bytes.
func cutAny(line []byte, chars string) (before, after []byte, found bool) {
	i := bytes.IndexAny(line[:min(len(line), maxNear)], chars)
	if i < 0 {
		return line, nil, false
	}
	return line[:i], line[i+1:], true
}

// leadingNumber is the number at the start of a text, after blanks and quotes; "" for none.
func leadingNumber(text []byte) string {
	text = bytes.TrimLeft(text[:min(len(text), 100)], " \t\"'")
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.' || text[end] == '-' && end == 0) {
		end++
	}
	return strings.TrimRight(string(text[:end]), ".")
}

func eachLine(text []byte, found func(pos int, line []byte)) {
	for pos := 0; pos < len(text); {
		end := bytes.IndexByte(text[pos:], '\n')
		if end < 0 {
			end = len(text) - pos
		}
		found(pos, text[pos:pos+end])
		pos += end + 1
	}
}

// isJSConfig reports whether a file is the configuration of a tool that measures JavaScript.
func isJSConfig(base string) bool {
	if oneOf(base, "package.json", ".nycrc", ".nycrc.json", ".c8rc", ".c8rc.json", "infection.json", "infection.json5", "project.json") {
		return true
	}
	for _, tool := range []string{"jest", "vitest", "vite", "nyc", "c8", "karma", "stryker", "web-test-runner"} {
		if strings.HasPrefix(base, tool+".") || strings.HasPrefix(base, tool+"-") || strings.HasPrefix(base, "."+tool) {
			return strings.Contains(base, "conf") || strings.HasSuffix(base, ".json") || strings.HasPrefix(base, ".") || strings.Contains(base, "rc.")
		}
	}
	return false
}

// objectLevels reads the numbers of nested objects, as JSON and JavaScript write them.
func objectLevels(v *source.File, add adder) {
	var names []string
	last := ""
	text := v.Text
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '/' && (at(text, i+1) == '/' || at(text, i+1) == '*'):
			i = skipComment(text, i)
		case c == '"' || c == '\'' || c == '`':
			end := skipString(text, i)
			last = string(text[i+1 : min(end, i+60)])
			last = strings.TrimRight(last, "\"'`")
			i = end
		case source.IsWord(c) && (c < '0' || c > '9'):
			end := i + 1
			for end < len(text) && source.IsWord(text[end]) {
				end++
			}
			last = string(text[i:min(end, i+60)])
			i = end
		case c == '{':
			if len(names) < 100 {
				names = append(names, last)
			}
			last = ""
			i++
		case c == '}':
			names = names[:max(0, len(names)-1)]
			last = ""
			i++
		case c == ':' && isLevel(names, last):
			value := leadingNumber(text[i+1:])
			if bytes.HasPrefix(bytes.TrimSpace(text[i+1:min(len(text), i+20)]), []byte("true")) {
				value = "1"
			}
			if last != "" && value != "" {
				add(strings.Join(append(slices.Clone(thresholdPart(names)), last), "."), i, value, false)
			}
			i++
		case c >= '0' && c <= '9':
			end := i + 1
			for end < len(text) && source.IsWord(text[end]) {
				end++
			}
			last = string(text[i:min(end, i+60)])
			i = end
		default:
			i++
		}
	}
}

// isLevel reports whether the number of a key in an object is a threshold.
func isLevel(names []string, key string) bool {
	inside := func(words ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return oneOf(name, words...) })
	}
	switch key {
	case "branches", "functions", "lines", "statements":
		return inside("coverageThreshold", "thresholds", "coverage", "nyc", "c8", "threshold", "check", "coverageConfig") || len(names) == 1
	case "100":
		return inside("thresholds")
	case "check-coverage", "checkCoverage":
		return true
	case "break":
		return inside("thresholds")
	case "minMsi", "minCoveredMsi":
		return true
	case "atLeast":
		return inside("typeCoverage")
	}
	return false
}

// thresholdPart are the names from the first that has to do with coverage: where in the file it stands is not important.
func thresholdPart(names []string) []string {
	for i, name := range names {
		if oneOf(name, "coverageThreshold", "thresholds", "coverage", "nyc", "c8", "threshold", "typeCoverage") {
			return names[i:]
		}
	}
	return nil
}

func skipComment(text []byte, i int) int {
	end, size := -1, 2
	if text[i+1] == '/' {
		end, size = bytes.IndexByte(text[i:], '\n'), 1
	} else if end = bytes.Index(text[i+2:], []byte("*/")); end >= 0 {
		end += 2
	}
	if end < 0 {
		return len(text)
	}
	return i + end + size
}

// skipString is the offset after a string.
func skipString(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == quote:
			return i + 1
		case text[i] == '\n' && quote != '`':
			return i
		}
	}
	return len(text)
}

// yamlLevels reads nested keys with a number, by their indentation.
func yamlLevels(text []byte, add adder) {
	type open struct {
		indent int
		name   string
	}
	var stack []open
	eachLine(text, func(pos int, line []byte) {
		trimmed := bytes.TrimLeft(line, " -")
		if len(trimmed) == 0 || trimmed[0] == '#' {
			return
		}
		key, value, found := cutAny(trimmed, ":")
		if !found {
			return
		}
		indent := len(line) - len(trimmed)
		for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
			stack = stack[:len(stack)-1]
		}
		name := strings.Trim(string(key), " \t\"'")
		if len(stack) < 50 {
			stack = append(stack, open{indent, name})
		}
		number := leadingNumber(value)
		if number == "" {
			return
		}
		full := ""
		for _, o := range stack {
			full += "." + o.name
		}
		full = full[1:]
		switch inStatus := strings.Contains(full, "status.") || strings.HasPrefix(full, "threshold."); {
		case inStatus && name == "target", strings.HasPrefix(full, "threshold.") && oneOf(name, "file", "package", "total"):
			add(full, pos, number, false)
		case inStatus && name == "threshold":
			add(full, pos, number, true)
		}
	})
}

// gradleLevels reads the rules of JaCoCo and Kover.
func gradleLevels(v *source.File, add adder) {
	text := v.Text
	if !bytes.Contains(text, []byte("acoco")) && !bytes.Contains(text, []byte("overage")) && !bytes.Contains(text, []byte("kover")) {
		return
	}
	for _, word := range []string{"minimum", "minBound", "minValue", "mutationThreshold", "coverageThreshold"} {
		eachPlace(text, word, func(pos int) {
			rest := bytes.TrimLeft(restOf(text, pos+len(word)), " \t")
			if inComment(text, pos) || !wholeWord(text, pos, len(word)) {
				return
			}
			for _, before := range []string{".set(", "=", "(", "BigDecimal(", "\"", "valueOf(", "new BigDecimal("} {
				rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte(before)), " \t")
			}
			add(word, pos, leadingNumber(rest), false)
		})
	}
}

// inComment reports whether the line of an offset is a comment up to there.
func inComment(text []byte, pos int) bool {
	line := bytes.TrimSpace(lineOf(text, pos))
	return bytes.HasPrefix(line, []byte("//")) || bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("*"))
}

// xmlLevels reads the thresholds of JaCoCo, PIT and coverlet.
func xmlLevels(text []byte, add adder) {
	for _, tag := range []string{"Threshold", "minimum", "mutationThreshold", "coverageThreshold", "lineRate", "branchRate"} {
		if tag == "minimum" && !bytes.Contains(text, []byte("jacoco")) {
			continue
		}
		eachPlace(text, "<"+tag, func(pos int) {
			rest := restOf(text, pos)
			end := bytes.IndexByte(rest, '>')
			if next := at(rest, 1+len(tag)); end < 0 || next != '>' && next != ' ' || commented(text, pos) {
				return
			}
			add(tag, pos, leadingNumber(rest[end+1:]), false)
		})
	}
}

// commented reports whether a comment of XML is open at an offset; it looks back a short way only.
func commented(text []byte, pos int) bool {
	near := text[max(0, pos-2000):pos]
	return bytes.LastIndex(near, []byte("<!--")) > bytes.LastIndex(near, []byte("-->"))
}

// rubyLevels reads what SimpleCov demands.
func rubyLevels(v *source.File, add adder) {
	text := v.Text
	for _, word := range []string{"minimum_coverage", "minimum_coverage_by_file", "minimum_coverage_by_group", "maximum_coverage_drop"} {
		eachPlace(text, word, func(pos int) {
			if !wholeWord(text, pos, len(word)) || inComment(text, pos) {
				return
			}
			rest := bytes.TrimLeft(restOf(text, pos+len(word)), " \t=({")
			most := word == "maximum_coverage_drop"
			if number := leadingNumber(rest); number != "" {
				add(word, pos, number, most)
				return
			}
			for _, part := range strings.Split(string(rest), ",") {
				if name, value, found := strings.Cut(part, ":"); found {
					add(word+"."+strings.TrimSpace(name), pos, leadingNumber([]byte(value)), most)
				}
			}
		})
	}
}

// hasFlags reports whether a file can have commands with flags.
func hasFlags(base, ext string) bool {
	return oneOf(ext, ".yml", ".yaml", ".toml", ".cfg", ".ini", ".sh", ".bash", ".mk", ".ps1", ".cmd", ".bat", ".nix", ".cake") ||
		oneOf(base, "package.json", "project.json", "makefile", "gnumakefile", "justfile", "taskfile", "noxfile.py", "tasks.py", "dockerfile", "rakefile", "package.json5", "earthfile")
}

// flags are those that take a threshold. The last ones take the most that is allowed.
var flags = []string{
	"--cov-fail-under", "--fail-under", "--fail-under-lines", "--fail-under-functions", "--fail-under-regions", "--coverage.thresholds.lines",
	"--coverage.thresholds.branches", "--coverage.thresholds.functions", "--coverage.thresholds.statements", "/p:Threshold", "-p:Threshold", "/p:threshold",
	"--min-coverage", "--minimum-coverage", "--at-least", "--check-coverage --lines", "--max-warnings",
}

func flagLevels(v *source.File, add adder) {
	for _, flag := range flags {
		eachPlace(v.Text, flag, func(pos int) {
			next := at(v.Text, pos+len(flag))
			if next != '=' && next != ' ' && next != '"' && next != '\'' && next != ',' || source.IsWord(at(v.Text, pos-1)) || inComment(v.Text, pos) {
				return
			}
			rest := bytes.TrimLeft(restOf(v.Text, pos+len(flag)), "=\"', ")
			add(flag, pos, leadingNumber(rest), flag == "--max-warnings")
		})
	}
}
