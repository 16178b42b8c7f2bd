package keydiff

import (
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// lineForm says which lines of a program only name a dependency and its version. Any other line is code.
type lineForm struct {
	comment string
	top     func() *regexp.Regexp // such a line outside of blocks
	block   func() *regexp.Regexp // the first line of a block that may contain them; nil for none
	inside  func() *regexp.Regexp // such a line in that block
	depth   func(line string) int // how many more blocks are open after a line
	// steer matches a line that decides what is tested, or that may run something. Of a form with it, only such lines count, and
	// those in the blocks that they open.
	steer  func() *regexp.Regexp
	ignore func() *regexp.Regexp // a line that does nothing
}

func braces(line string) int { return strings.Count(line, "{") - strings.Count(line, "}") }

var (
	gem      = input.Lazily(`^gem[ (]\s*["'][\w.-]+["'](?:\s*,\s*["'][\w\s.~<>=!,*-]*["'])*\s*\)?\s*(?:#.*)?$`)
	rubyOpen = input.Lazily(`\bdo(?:\s*\|[^|]*\|)?\s*(?:#.*)?$|^(?:if|unless|case|begin|while|until|for|def|class|module|=begin|__END__)\b|=\s*(?:if|case|begin)\b`)
	rubyEnd  = input.Lazily(`^=?end\b`)

	gemfile = lineForm{comment: "#", top: gem, block: input.Lazily(`^group\b[\w\s:,()]*\bdo$`), inside: gem, depth: func(line string) int {
		switch {
		case rubyOpen().MatchString(line):
			return 1
		case rubyEnd().MatchString(line):
			return -1
		}
		return 0
	}}
	gradle = lineForm{
		comment: "//", top: input.Lazily(`^version\s*=?\s*["'][\w.+-]+["']$`), block: input.Lazily(`^dependencies\s*\{$`),
		inside: input.Lazily(`^["'a-z][\w"']*[ (]\s*(?:(?:platform|enforcedPlatform|kotlin|testFixtures)\()?` +
			`(?:["'][\w.-]+:[\w.-]+(?::[\w.+-]+)?["']|["'][\w-]+["']|libs\.[\w.]+|projects\.[\w.]+|project\(["']:[\w:-]+["']\))\)?\s*\)?\s*(?://.*)?$`),
		depth: braces,
		steer: input.Lazily(`(?:\btests?\b|Tests?\b|(?i:junit|testng|spock|kotest|\bcheck\b)|exclude|\bfilter\s*[{(]|[eE]nabled\s*=|onlyIf|ignoreFail|failFast|skip|` +
			`finalizedBy|repositor|mavenLocal|flatDir|\bfiles\(|fileTree|substitut|resolutionStrategy|force|\b[eE]xec\b|commandLine|Process|` +
			`Runtime\.|\bapply\b.*\bfrom|buildscript|taskGraph|startParameter|projectDir|buildFileName|System\.exit|srcDir|includeBuild|reflect|Class\.|\\u)`),
		ignore: input.Lazily(`^(?:import [\w.*]+|logger\.\w+\(["'][^"'$]*["']\))$`),
	}
	properties = lineForm{
		comment: "#", depth: func(string) int { return 0 },
		top: input.Lazily(`^(?:POM_\w+\s*[=:].*|(?:VERSION_NAME|VERSION_CODE|group|GROUP|description|[A-Za-z]*[vV]ersion)\s*[=:]\s*[\w.+-]*)$`),
	}
	setupPy = lineForm{
		comment: "#", top: input.Lazily(`^__version__\s*=\s*["'][\w.+-]+["']$`),
		block:  input.Lazily(`^(?:(?:install_requires|tests_require|extras_require|classifiers|keywords|project_urls)\s*=\s*[\[{]|["'][\w-]+["']\s*:\s*\[)$`),
		inside: input.Lazily(`^(?:["'][\w\s.,:/()<>=!~;\[\]+*&-]*["'](?:\s*:\s*["'][\w:/.#-]+["'])?,?\s*(?:#.*)?)$`),
		depth: func(line string) int {
			return strings.Count(line, "[") + strings.Count(line, "{") - strings.Count(line, "]") - strings.Count(line, "}")
		},
	}
	requirements = lineForm{
		comment: "#", depth: func(string) int { return 0 },
		top: input.Lazily(`^[A-Za-z0-9][\w.-]*(?:\[[\w,. -]*\])?\s*(?:[~<>=!]=?=?\s*[\w.*+!-]+\s*,?\s*)*(?:;[^#@]*)?(?:\s#.*)?$`),
	}
)

// lineKeys names dependencies, and code, where the lines of that kind differ. The order of dependencies does not matter.
func lineKeys(form *lineForm) func(before, after []byte) ([]string, error) {
	return func(before, after []byte) ([]string, error) {
		return differing(form.read(string(before)), form.read(string(after))), nil
	}
}

func (form *lineForm) read(text string) map[string]string {
	var dependencies []string
	var code, steering strings.Builder
	var open []bool // the blocks around a line, and whether each may contain dependencies
	steered := 0    // from this depth on, each line counts; 0 for none
	for raw := range strings.Lines(text) {
		line := strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r")
		// A carriage return, or an escape for a line end, can end a comment; a backslash can continue a line.
		odd := strings.ContainsAny(line, "\r\\") || archive().MatchString(line)
		line = strings.Trim(line, " \t")
		var named *regexp.Regexp
		isInside := len(open) > 0 && open[len(open)-1] && (form.steer != nil || len(open) == 1)
		if isInside {
			named = form.inside()
		} else if len(open) == 0 || form.steer != nil {
			named = form.top()
		}
		switch {
		case !odd && (line == "" || strings.HasPrefix(line, form.comment)):
			continue
		case !odd && named != nil && named.MatchString(line):
			dependencies = append(dependencies, line)
			continue
		}
		more := form.depth(line)
		if form.steer != nil && !odd && form.ignore().MatchString(line) {
			continue
		}
		if form.steer != nil && (steered > 0 || odd || form.steer().MatchString(line)) {
			steering.WriteString(line + "\n")
			if steered == 0 && more > 0 {
				steered = len(open) + 1
			}
		} else {
			code.WriteString(line + "\n")
		}
		for ; more > 0; more-- {
			open = append(open, form.block != nil && form.block().MatchString(line))
		}
		if open = open[:max(len(open)+more, 0)]; len(open) < steered {
			steered = 0
		}
	}
	slices.Sort(dependencies)
	parts := map[string]string{"dependencies": strings.Join(dependencies, "\n") + "\n", "code": code.String() + "\n"}
	if steering.Len() > 0 {
		parts["tests"] = steering.String()
	}
	return parts
}

// gradleKeys are [lineKeys] of a build of Gradle; before is nil for a new one.
func gradleKeys(before, after []byte) ([]string, error) { return lineKeys(&gradle)(before, after) }

var (
	gradleInclude = input.Lazily(`^(?:include\s*\(?\s*)?(?:["']:?[\w:.-]+["']\s*,?\s*)+\)?$`)
	gradleName    = input.Lazily(`["'](:?[\w:.-]+)["']`)
)

// settingsKeys are [gradleKeys] of the settings of a build. A project counts where it goes.
func settingsKeys(before, after []byte) ([]string, error) {
	read := func(text string) map[string]string {
		var rest strings.Builder
		var projects []string
		for line := range strings.Lines(text) {
			if bare := strings.TrimSpace(line); gradleInclude().MatchString(bare) {
				for _, m := range gradleName().FindAllStringSubmatch(bare, -1) {
					projects = append(projects, m[1])
				}
				continue
			}
			rest.WriteString(line)
		}
		parts := gradle.read(rest.String())
		slices.Sort(projects)
		parts[fewer+"projects"] = strings.Join(projects, "\n")
		return parts
	}
	return changedParts(read(string(before)), read(string(after))), nil
}

var (
	mixFunction  = input.Lazily(`^( *)defp? (\w+)(?:\(\w*\))? do$`)
	mixAttribute = input.Lazily(`^@\w+ "[\w\s.~<>=:/+-]*"$`)
	mixKey       = input.Lazily(`^(?:version|name|description|source_url|homepage_url|elixir|docs|package|deps): (?:"[^"#\\]*"|@\w+|\w+\(\)|&\w+/0),?$`)
	mixHarmless  = input.Lazily(`^(?:docs|package|deps|description|extras|groups_for_\w+)$`)
	elixirText   = input.Lazily(`"[^"#\\]*"|~r/(?:[^/\\#]|\\.)*/|~w\([\w\s./*-]*\)`)
	elixirData   = input.Lazily(`^(?:@\w+|:\w+|\w+:|true|false|nil|\d+|[\s,\[\]{}%]|=>)*$`)
	mixSource    = input.Lazily(`\b(?:path|git|github|gitlab|hex|repo|organization|in_umbrella|compile|manager|app|env|system_env|only_deps):`)
)

// mixKeys are the keys of a mix.exs: data in the functions that name dependencies, documentation and the package, and code.
func mixKeys(before, after []byte) ([]string, error) {
	return differing(readMix(string(before)), readMix(string(after))), nil
}

func readMix(text string) map[string]string {
	var dependencies []string
	var code strings.Builder
	function, indent := "", ""
	for raw := range strings.Lines(text) {
		line := strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r")
		bare := strings.Trim(line, " ")
		isData := elixirData().MatchString(elixirText().ReplaceAllString(bare, ":text")) && !mixSource().MatchString(bare)
		switch {
		case strings.ContainsRune(line, '\r'):
		case bare == "" || bare[0] == '#':
			continue
		case function == "project" && mixKey().MatchString(bare), mixAttribute().MatchString(bare), mixHarmless().MatchString(function) && isData:
			dependencies = append(dependencies, bare)
			continue
		}
		code.WriteString(bare + "\n")
		if m := mixFunction().FindStringSubmatch(line); m != nil {
			indent, function = m[1], m[2]
		} else if bare == "end" && strings.TrimRight(line, " ") == indent+"end" {
			function = ""
		}
	}
	slices.Sort(dependencies)
	return map[string]string{"dependencies": strings.Join(dependencies, "\n") + "\n", "code": code.String() + "\n"}
}
