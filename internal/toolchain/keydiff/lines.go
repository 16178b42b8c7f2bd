package keydiff

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
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
	// steer matches a line that decides what is tested, or that may run something. Of a form with it, only such lines
	// count, and those in the blocks that they open.
	steer  func() *regexp.Regexp
	ignore func() *regexp.Regexp // a line that does nothing
	quiet  func() *regexp.Regexp // a line that opens a block about something else, in which only lines of far count; nil for none
	far    func() *regexp.Regexp
	grows  func() *regexp.Regexp // a line of steer that counts where it goes; nil for none
	checks func() *regexp.Regexp // a plugin: one of checks counts where it goes
	gone   func() *regexp.Regexp // a line that counts where it comes: a dependency from elsewhere, which a registry may have too; nil for none
	added  func() *regexp.Regexp // steer of a new file, which takes nothing from the tests that there are but by leaving them out
}

// Parts of what steers a build of Gradle: what names tests, what leaves something out, and what runs or loads something
// else.
const (
	gradleTests  = gradleNames + `|(?i:junit|testng|spock|kotest)`
	gradleNames  = `\btests?\b|Tests?\b|(?i:\bcheck\b)`
	gradleLimits = `(?:exclude|\bfilter\s*[{(]|\binclude(?:[A-Z]\w*)?\s*\(?["'{(]|[eE]nabled\s*=|setEnabled|\bactions\s*[.=]|onlyIf|ignoreFail|IgnoreFail|failFast|skip|finalizedBy)`
	gradleRuns   = `(?:repositor\w*(?:[^\w/]|$)|mavenLocal|flatDir|(?:^|[^.\w])files\(|(?:^|[^.\w])fileTree|substitut|resolutionStrategy|\bforce(?:d\w*)?\b|\b[eE]xec\b|commandLine|\bProcess(?:Builder)?\b|\.execute\(|` +
		`Runtime\.|\bapply\b.*\bfrom|\bapply\s*\($|buildscript|taskGraph|projectsEvaluated|startParameter|projectDir\s*=[^=]|buildFileName|System\.exit|srcDir|includeBuild|reflect|Class\.|\\u|\bpublishing\s*[=(]|\bfun\b.*\bconfigure\()`
	gradlePlugin = `(?:id|kotlin|alias)\s*[( ]\s*["']?[\w.-]+["']?\)?(?:\s+apply[( ]\s*false\)?)?`
)

// checkers are words of plugins that test, measure or check.
var (
	checkers    = input.Lazily(`(?i)test|junit|kotest|jacoco|kover|coverage|checkstyle|pmd|spotbugs|detekt|ktlint|errorprone|sniffer|japicmp|compatib`)
	conditional = input.Lazily(`\b(?:if|else|when|unless|switch|case|while|for|catch|takeIf)\b|matching`)
	closing     = input.Lazily(`^(?:[\[\](){},;]+|end)$`)
	leaves      = input.Lazily(`\btasks\b|getTasks|^(?:(?:rootP|p)roject\.)?(?:gradle|allprojects|subprojects|configure\()`) // a block about something else
	assigned    = input.Lazily(`^\w+\s*=\s*["'][^"':]*:`)                                                                    // perhaps a property of what is around it, such as executable or url
	publishes   = input.Lazily(`^(?:(?:nexusP|p)ublishing|configure<PublishingExtension>) \{$`)
)

// endsHash is commentEnds of a language whose comments begin with #: it has no other comments, and may evaluate a text.
func endsHash(line string) bool {
	return strings.HasPrefix(line, "#{") || strings.Contains(line, `"""`) || strings.Contains(line, "'''")
}

// commentEnds end a comment of several lines, or a text: what follows them is code, even if the line begins as a
// comment of one line.
func commentEnds(line string) bool {
	return slices.ContainsFunc([]string{"*/", "`", `"""`, "'''"}, func(end string) bool { return strings.Contains(line, end) })
}

func flat(string) int { return 0 }

func braces(line string) int { return strings.Count(line, "{") - strings.Count(line, "}") }

var (
	gemOfGit = input.Lazily(`^` + gemName + `\s*,\s*(?:git|github):\s*["'][\w./:@-]+["'](?:\s*,\s*(?:branch|tag|ref):\s*["'][\w./-]+["'])?` + gemOptions + `$`)
	gem      = input.Lazily(`^` + gemLine + `\s*(?:#.*)?$`)
	gemOrIf  = input.Lazily(`^(?:` + gemLine + `|(?:if|unless|elsif)\s+` + rubyCondition + `|else|end)\s*(?:#.*)?$`)
	rubyOpen = input.Lazily(`\bdo(?:\s*\|[^|]*\|)?\s*(?:#.*)?$|^(?:if|unless|case|begin|while|until|for|def|class|module|=begin|__END__)\b|=\s*(?:if|case|begin)\b`)
	rubyEnd  = input.Lazily(`^=?end\b`)

	gemfile = lineForm{comment: "#", top: gemOrIf, block: input.Lazily(`^(?:group|platforms?)[ (]\s*(?::\w+(?:\s*,\s*:\w+)*|%i\[[\w\s]*\])\s*\)?\s+do(?:\s+#.*)?$`), inside: gem, gone: gemOfGit, depth: func(line string) int {
		switch {
		case rubyOpen().MatchString(line):
			return 1
		case rubyEnd().MatchString(line):
			return -1
		}
		return 0
	}}
	gradle = lineForm{
		comment: "//", top: input.Lazily(`^(?:version\s*=?\s*["'][\w.+-]+["']|` +
			`(?:(?:const )?val |def |ext\.)?(?:\w*(?:[vV]ersion|(?i:junit)\w*)\s*=\s*["']\d[\w.+-]*["']|\w+\s*[:=]\s*["'][a-z][\w.-]*:[\w.-]+:\$?\{?[\w.+-]+\}?["'],?)|` +
			`(?:description|group|namespace)\s*=?\s*["'][^"'$\\]*["'])$`), block: input.Lazily(`^dependencies\s*\{$`),
		inside: input.Lazily(`^["'a-z][\w"']*[ (]\s*\(?(?:(?:(?:dependencies\.)?platform|enforcedPlatform|kotlin|testFixtures)\()?` +
			`(?:["'][\w.-]+:[\w.-]+(?::\$?\{?[\w.+-]+\}?)?["']|["'][\w-]+["']|(?:rootProject\.)?lib(?:s|raries)\.[\w.]+|projects\.[\w.]+|(?:\w+\.)*[A-Z]\w*(?:\.\w+)+|` +
			`project\((?:path\s*[=:]\s*)?["']:[\w:-]+["'](?:,\s*configuration\s*[=:]\s*["']\w+["'])?\)(?:\.sourceSets\.test\.output)?)\)?\s*\)?\s*(?://.*)?$`),
		depth: braces,
		steer: input.Lazily(gradleTests + `|` + gradleLimits + `|` + gradleRuns), quiet: input.Lazily(`(?i)javadoc|dokka|packaging|\bsign|publish|publication|sourcesJar|\bjar\b|\bbnd\b|\bpom\b|manifest`),
		far: input.Lazily(gradleNames + `|` + gradleRuns + `|\b(?:tasks|project|rootProject|gradle|allprojects|subprojects)\b.*` + gradleLimits),
		grows: input.Lazily(`^(?:` + gradlePlugin + `|(?:mavenCentral|google|gradlePluginPortal)\(\)|` +
			`(?:buildscript|repositories|pluginManagement|dependencyResolutionManagement|dependencies|plugins|testing|testOptions|unitTests(?:\.all)?|` +
			`(?:tasks\.)?(?:test|withType<Test>(?:\(\))?|withType\(Test\))(?:\.configureEach)?)\s*\{|(?:it\.)?useJUnitPlatform\(\)|testLogging \{|(?:events|exceptionFormat|show[A-Z]\w+)\b[ =]*\(?["'\w., ]*\)?|(?:min|max)HeapSize\s*=\s*["']\w+["']|` +
			`(?:jvmArgs\s*\(?\s*)?(?:["']` + vmOption + `["'],?\s*)+\)?)$`),
		checks: input.Lazily(`^` + gradlePlugin + `$`),
		added:  input.Lazily(gradleLimits + `|` + gradleRuns + `|allprojects|subprojects`),
		ignore: input.Lazily(`^(?:import [\w.*]+|(?:[\w.]+\.)?srcDir\(["']src/main/[\w/]+["']\)|logger\.\w+\(["'][^"'$]*["']\))$`),
	}
	properties = lineForm{
		comment: "#", depth: flat,
		top: input.Lazily(`^(?:POM_\w+\s*[=:].*|(?:VERSION_NAME|VERSION_CODE|group|GROUP|description|\w*[vV]ersion)\s*[=:]\s*[\w.+-]*|` +
			`org\.gradle\.jvmargs\s*=\s*(?:["']?(?:` + vmOption + `|-Xmn\w+|--add-(?:opens|exports) [\w./=-]+)["']?\s*)*|` +
			`org\.gradle\.(?:parallel|caching|daemon|workers\.max|configureondemand|vfs\.watch|configuration-cache[\w.-]*|isolated-projects)\s*=\s*\w+|` +
			`(?:android|kotlin|kapt|ksp|org\.jetbrains\.dokka|org\.gradle\.warning)\.[\w.]+\s*=\s*[\w.]+)$`),
	}
	// A build of sbt: a line of a list alone does not say of which one, so that only whole statements are read.
	sbt = lineForm{
		comment: "//", depth: braces,
		top: input.Lazily(`^(?:(?:ThisBuild\s*/\s*)?(?:version|scalaVersion|description|organization|homepage|licenses|startYear)\s*:=\s*"[\w.+ -]*",?|` +
			`libraryDependencies\s*\+=\s*` + sbtModule + `,?|addSbtPlugin\(\s*` + sbtModule + `\s*\))\s*(?://.*)?$`),
	}
	setupPy = lineForm{
		comment: "#",
		// A literal that describes the project, and lists of requirements in one line.
		top: input.Lazily(`^(?:(?:__version__|VERSION)\s*=\s*["'][\w.+-]+["']|(?:version|(?:long_)?description(?:_content_type)?|(?:author|maintainer)(?:_email)?|` +
			`(?:download_)?url|license|keywords|python_requires|zip_safe)\s*=\s*(?:["'][^"'\\]*["']|VERSION|__version__|True|False),?|` +
			`(?:install_requires|setup_requires|tests_require|classifiers|keywords|license_files)\s*=\s*` + pyList + `)$`),
		block: input.Lazily(`^(?:(?:install_requires|INSTALL_REQUIRES|setup_requires|tests_require|extras_require|EXTRAS_REQUIRE|classifiers|keywords|license_files|project_urls)\s*=\s*[\[{]|` +
			`["'][\w-]+["']\s*:\s*\[)$`),
		inside: input.Lazily(`^(?:` + pyText + `(?:\s*:\s*["'][\w:/.#-]+["'])?,?\s*(?:#.*)?|["'][\w-]+["']\s*:\s*` + pyList + `)$`),
		depth: func(line string) int {
			return strings.Count(line, "[") + strings.Count(line, "{") - strings.Count(line, "]") - strings.Count(line, "}")
		},
	}
	vite = lineForm{
		comment: "//", depth: braces, ignore: closing,
		top: input.Lazily(`^import [\w\s{},*$]+ from ["'](?:node:)?[@a-z][\w@/.-]*["'];?$`),
		steer: input.Lazily(`(?i:test|\bspec|coverage|exclude|include|alias|threshold|passwith|environment|workspace|setup|reporter|\bbail|retry)|` +
			`\bresolve\s*:|resolveId|\bload\b|transform|enforce|process\.|\beval\b|Function\(|exec|spawn|child_process|\brequire\s*\(|` +
			`\bimport[\s({]|\bmode\b|globalThis|\.only`),
	}
	requirements = lineForm{
		comment: "#", depth: flat,
		top: input.Lazily(`^[A-Za-z0-9][\w.-]*(?:\[[\w,. -]*\])?\s*(?:[~<>=!]=?=?\s*[\w.*+!-]+\s*,?\s*)*(?:;[^#@]*)?(?:\s#.*)?$`),
	}
)

const (
	// vmOption is an option of the JVM that opens modules, sizes memory or tunes: no agent, no property that code may ask
	// for, and none that reads more options, such as -XX:Flags=1 and -XX:VMOptionsFile=1.
	vmOption  = `(?:--add-(?:opens|exports|reads)=[\w./=-]+|-D(?:java\.awt\.headless=true|file\.encoding=[\w-]+)|-X(?:m[sx]|ss)\w+|-XX:[+-]` + vmFlag + `|-XX:` + vmFlag + `=\d+[kmgKMG]?)`
	vmFlag    = `\w*(?:[^\Wes]|[^\Wl]e|[^\Wg]s)`
	pyText    = `["'][\w\s.,:/()<>=!~;\[\]+*&-]*["']`
	pyList    = `\[(?:` + pyText + `,?\s*)*\],?`
	sbtModule = `"[\w.-]+"\s*%%?%?\s*"[\w.-]+"\s*%\s*(?:"[\w.+-]+"|\w+)(?:\s*%\s*(?:Test|Provided|Runtime|"[a-z]+"))?`
	// rubyCondition compares words: it calls nothing with an argument but for versions, and no word that leaves.
	rubyCondition = `\(?` + rubyOperand + `(?:\s*(?:==|!=|<=?|>=?|&&|\|\|)\s*` + rubyOperand + `)*\)?`
	rubyOperand   = `(?:!?(?:(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*(?:\.win_platform\?)?|[a-z]*_\w+|j?ruby|java|mri|windows)|Gem::Version\.new\(` + rubyText + `\)|` + rubyText + `)`
	rubyText      = `(?:RUBY_VERSION|["'][\w.-]*["'])`
	gemLine       = gemName + gemOptions
	gemName       = `gem[ (]\s*["'][\w.-]+["']`
	gemOptions    = `(?:\s*,\s*(?:["'][\w\s.~<>=!,*-]*["']|(?:require|groups?|platforms?|force_ruby_platform):\s*(?::\w+|true|false|\[[:\w\s,]*\]|%i\[[\w\s]*\])))*\s*\)?` +
		`(?:\s+(?:if|unless)\s+` + rubyCondition + `)?`
)

// lineKeys names dependencies, and code, where the lines of that kind differ. The order of dependencies does not
// matter.
func lineKeys(form *lineForm) reader {
	return func(before, after []byte) ([]string, error) {
		of := *form
		if before == nil && form.added != nil {
			of.steer, of.grows = form.added, nil
		}
		return texts(of.read)(before, after)
	}
}

// rubyVersion is the version of the language in a Gemfile, which may rise.
var rubyVersion = input.Lazily(`^ruby[ (]\s*["'](?:~> ?)?(\d[\d.]*)["']`)

var pluginVersion = input.Lazily(`\s*\bversion[( ]\s*["'](\d[\w.+-]*)["']\)?`)

func (form *lineForm) read(text string) map[string]string {
	type block struct {
		line         string // that opens it
		dependencies bool   // it may contain them
		quiet        bool   // it is about something else
		conditions   string // what all around it depends on
	}
	around := block{}
	var dependencies, settings []string
	var code, steering, sources, ruby strings.Builder
	var open []block
	steered := 0 // from this depth on, each line counts; 0 for none
	inComment, ends := false, commentEnds
	if form.comment == "#" {
		ends = endsHash
	}
	parts := map[string]string{}
	for raw := range strings.Lines(text) {
		line := strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r")
		// A carriage return, or an escape for a line end, can end a comment; a backslash can continue a line.
		odd := strings.ContainsRune(line, '\r') || strings.Contains(line, `\u`) || (form.steer == nil && strings.ContainsRune(line, '\\'))
		line = strings.Trim(line, " \t")
		var named *regexp.Regexp
		if around.dependencies {
			named = form.inside()
		} else if len(open) == 0 || form.steer != nil {
			named = form.top()
		}
		switch {
		case !odd && (line == "" || (strings.HasPrefix(line, form.comment) && !ends(line))):
			continue
		case form.comment == "//" && !odd && followsComment(&inComment, &line, &odd):
			continue
		case !odd && named != nil && named.MatchString(line) && (steered == 0 || !assigned().MatchString(line) || strings.HasPrefix(around.line, "ext")) && !strings.ContainsRune(line, '\\') && !archive().MatchString(line):
			dependencies = append(dependencies, line)
			continue
		case !odd && named != nil && form.gone != nil && form.gone().MatchString(line):
			sources.WriteString(line + "\n")
			continue
		}
		if version := rubyVersion().FindStringSubmatch(line); version != nil && form.gone != nil && !odd {
			ruby.WriteString(version[1] + "\n")
			line = strings.Replace(line, version[1], "", 1)
		}
		deeper := form.depth(line)
		lists := !odd && form.block != nil && form.block().MatchString(line) && (form.steer != nil || len(open) == 0 || around.dependencies)
		switch grows := form.growing(&line, odd, parts); {
		case around.quiet && line == "repositories {" && publishes().MatchString(around.line): // where packages go
			code.WriteString(line + "\n")
		case form.steer == nil && ((lists && deeper == 1) || (around.dependencies && deeper == -1 && closing().MatchString(line))):
		case form.steer == nil:
			code.WriteString(line + "\n")
		case !odd && deeper == 0 && form.ignore().MatchString(line):
		case grows && (steered > 0 || form.steer().MatchString(line) || checkers().MatchString(line)):
			settings = append(settings, around.conditions+short(around.line)+" "+line)
			steered = cmp.Or(steered, deeper*(len(open)+1))
		case steered > 0 && closing().MatchString(line):
		case steered > 0, odd, around.quiet && form.far().MatchString(line), !around.quiet && form.steer().MatchString(line):
			if steered == 0 {
				steering.WriteString(around.conditions)
			}
			if steering.WriteString(line); strings.HasSuffix(line, "=") && !strings.Contains(line, "//") {
				steering.WriteString(" ") // the value is on the next line
			} else {
				steering.WriteString("\n")
			}
			if steered == 0 && deeper > 0 {
				steered = len(open) + 1
			}
		default:
			code.WriteString(line + "\n")
		}
		for ; deeper > 0; deeper-- {
			open = append(open, around)
			next := block{line: line, dependencies: lists, conditions: around.conditions}
			opens, _, _ := strings.Cut(line, "//")
			next.quiet = steered == 0 && form.quiet != nil && (form.quiet().MatchString(opens) || (around.quiet && !leaves().MatchString(line)))
			if conditional().MatchString(line) {
				sum := sha256.Sum256([]byte(around.conditions + line))
				next.conditions = hex.EncodeToString(sum[:8]) + " "
			}
			around = next
		}
		for ; deeper < 0 && len(open) > 0; deeper++ {
			around, open = open[len(open)-1], open[:len(open)-1]
		}
		if len(open) < steered {
			steered = 0
		}
	}
	for key, part := range map[string]string{more + "sources": sources.String(), lowerVersion + "ruby": ruby.String()} {
		if part != "" {
			parts[key] = part
		}
	}
	parts["dependencies"], parts["code"], parts["tests"], parts[fewer+"settings of tests"] = sorted(dependencies), code.String(), steering.String(), sorted(settings)
	return parts
}

var quotedText = input.Lazily(`"[^"\\]*"|'[^'\\]*'`)

// followsComment follows comments of several lines. It reports whether a line is only a part of one, by the asterisk at
// its start. Any other line in one is marked: what is put between two such lines, or no longer is, differs. Where
// readers may differ, the line is odd.
func followsComment(inside *bool, line *string, odd *bool) bool {
	was, bare := *inside, quotedText().ReplaceAllString(*line, "")
	if !was {
		bare, _, _ = strings.Cut(bare, "//")
	}
	starts, ends := strings.LastIndex(bare, "/*"), strings.LastIndex(bare, "*/")
	*inside = (was && ends < 0) || starts > ends
	*odd = strings.Count(bare, "/*") > 1 || strings.Count(bare, "*/") > 1 || (was && starts >= 0) || (ends >= 0 && ends+2 < len(bare)) || (starts >= 0 && strings.ContainsRune(*line, '\\'))
	if !was {
		return false
	}
	if !*odd && (*line == "*" || *line == "*/" || strings.HasPrefix(*line, "* ")) {
		return true
	}
	*line = "/* " + *line
	return false
}

// growing reports whether a line counts only where it goes. The version of a plugin is cut off: it may rise.
func (form *lineForm) growing(line *string, odd bool, parts map[string]string) bool {
	if form.grows == nil || odd {
		return false
	}
	bare := pluginVersion().ReplaceAllString(*line, "")
	if m := pluginVersion().FindStringSubmatch(*line); m != nil && form.checks().MatchString(bare) && checkers().MatchString(bare) {
		parts[lowerVersion+bare] += m[1] + "\n"
		*line = bare
	}
	return form.grows().MatchString(*line)
}

var (
	gradleInclude = input.Lazily(`^(?:include\s*\(?\s*)?(?:["']:?[\w:.-]+["']\s*,?\s*)+\)?$`)
	gradleName    = input.Lazily(`["'](:?[\w:.-]+)["']`)
)

// readSettings reads the settings of a build of Gradle as the build. A project counts where it goes.
func readSettings(text string) map[string]string {
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
	parts[fewer+"projects"] = sorted(projects)
	return parts
}

var (
	mixFunction  = input.Lazily(`^( *)defp? (\w+)(?:\(\w*\))? do$`)
	mixAttribute = input.Lazily(`^(?:@\w+ "[\w\s.~<>=:/+-]*"|@xref\w* \[[\w\s:.,]*\])$`)
	mixKey       = input.Lazily(`^(?:version|name|description|source_url|homepage_url|elixir|docs|package|deps): (?:"[^"#\\]*"|@\w+|\w+\(\)|&\w+/0),?$|^(?:xref: \[exclude: \[[\w\s:.,]*\]\]|start_permanent: Mix\.env\(\) == :prod),?$`)
	mixHarmless  = input.Lazily(`^(?:docs|package|deps|cli|description|extras|groups_for_\w+)$`)
	// mixList opens a list of the project that describes it, or that a tool beside the tests reads.
	mixList    = input.Lazily(`^(docs|package|dialyzer|preferred_cli_env): \[$`)
	elixirText = input.Lazily(`"(?:[^"#\\]|#\{@\w+\})*"|~r/(?:[^/\\#]|\\.)*/|~r\{[^}\\#]*\}|~w\([\w\s./*-]*\)`)
	elixirData = input.Lazily(`^(?:@\w+|:\w+|\w+:|[A-Z]\w*(?:\.[A-Z]\w*)*|true|false|nil|\d+|[\s,\[\]{}%]|=>)*$`)
	mixSource  = input.Lazily(`\b(?:path|git|github|gitlab|hex|repo|organization|in_umbrella|compile|manager|app|env|system_env|only_deps):`)
)

// readMix reads a mix.exs: data in the functions and lists that name dependencies, documentation and the package, what
// Dialyzer is told, and code.
func readMix(text string) map[string]string {
	var dependencies, dialyzer []string
	var code strings.Builder
	function, indent := "", ""
	list, depth, margin := "", 0, 0 // of the project, how deep in it, and where it begins
	for raw := range strings.Lines(text) {
		line := strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r")
		bare := strings.Trim(line, " ")
		words := elixirText().ReplaceAllString(bare, ":text")
		isData := elixirData().MatchString(words) && !mixSource().MatchString(bare)
		at := len(line) - len(strings.TrimLeft(line, " "))
		if depth > 0 && at <= margin && !closing().MatchString(bare) {
			depth = 0
		}
		switch opens := mixList().FindStringSubmatch(bare); {
		case strings.ContainsRune(line, '\r'):
		case bare == "" || (bare[0] == '#' && !endsHash(bare)):
			continue
		case function == "project" && depth == 0 && opens != nil:
			list, depth, margin = opens[1], 1, at
			dependencies = append(dependencies, bare)
			continue
		case depth > 0:
			within := true
			if depth, within = inList(words, depth); isData && within && list == "dialyzer" {
				dialyzer = append(dialyzer, bare)
				continue
			} else if isData && within {
				dependencies = append(dependencies, bare)
				continue
			}
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
	return map[string]string{"dependencies": sorted(dependencies), "dialyzer": sorted(dialyzer), "code": code.String()}
}

// inList follows the brackets of a line in a list. within is false where the list ends, and something else begins,
// before the line does.
func inList(words string, depth int) (after int, within bool) {
	for i, r := range words {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth == 0 {
			return 0, strings.Trim(words[i+1:], ",") == ""
		}
	}
	return depth, true
}
