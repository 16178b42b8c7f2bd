package rules

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findNewDependency finds packages that the manifests of a change name for the first time.
func findNewDependency(c *Change, report func(Hit)) {
	known := map[string]bool{} // those that a touched manifest named at the merge base, and those of the repository itself
	heads := map[*File][]dependency{}
	for _, f := range c.Files {
		m := manifestOf(f.Path)
		if m == nil {
			continue
		}
		heads[f] = m.packages(f.Head)
		base := m.packages(f.Base)
		for i, d := range append(base, heads[f]...) {
			if i < len(base) || d.own {
				known[m.key(d)] = true
				known["elsewhere "+m.key(d)] = known["elsewhere "+m.key(d)] || d.from != "" || d.local
			}
		}
	}
	for _, f := range c.Files {
		if !isExample(f.Path) && !(deepInTests().MatchString(f.Path) && !ends(f.Path, "proj")) {
			newDependencies(f, manifestOf(f.Path), heads[f], known, report)
		}
	}
}

// deepInTests matches what is data of tests: it lies so deep below them, or where Maven keeps it.
var deepInTests = input.Lazily(`(?:^|/)(?:tests?/[^/]+/[^/]+/.*/|src/(?:test|it)/)`)

// testLibrary matches the names of what only tests need, in lists that do not say it.
var testLibrary = input.Lazily(`test|junit|mock|assert|spec\b|awaitility|hamcrest|robolectric|espresso|xunit`)

// dependency is a package that a manifest names.
type dependency struct {
	name  string // as its registry compares it
	dev   bool   // only for tests and tools
	from  string // where it comes from when that is no registry, "" otherwise
	local bool   // it is a part of this repository
	own   bool   // it is the package of the manifest itself
	line  int

	// What settings say about it: key is that of the one which named it first, and values are by key; "" is that of the
	// package itself.
	id, key string
	values  map[string]string
}

// manifest says how the packages of a kind of manifest are read.
type manifest struct {
	files, system string // system tells packages of the same name apart
	own           string // the keys of the name of the package itself; the last one counts
	tables        string // those of packages; see packageIn
	// pattern matches a line with a package, its name and the rest; devPattern one that only tests and tools need.
	pattern, devPattern func() *regexp.Regexp
	read                func(v *source.File) []dependency
}

// manifests are all kinds of manifests.
var manifests = []manifest{
	{files: "go.mod", system: "go", read: readGoMod},
	{files: "package.json", system: "npm", own: "name",
		tables: "!devDependencies/{} dependencies/{} optionalDependencies/{} peerDependencies/{} overrides/{} resolutions/{} pnpm/overrides/{}"},
	{files: "deno.json deno.jsonc jsr.json", system: "npm", own: "name", tables: "imports/{}"},
	{files: "composer.json", system: "composer", own: "name", tables: "!require-dev/{} require/{}"},
	{files: "pyproject.toml", system: "pypi", own: "project/name tool/poetry/name",
		tables: "!project/optional-dependencies/dev|test|tests|docs|lint !dependency-groups/* !tool/uv/dev-dependencies !build-system/requires " +
			"!tool/poetry/dev-dependencies/{} !tool/poetry/group/*/dependencies/{} " +
			"project/dependencies project/optional-dependencies/* tool/poetry/dependencies/{}"},
	{files: "setup.cfg", system: "pypi", own: "metadata/name", tables: "!options/setup_requires|tests_require " +
		"!options.extras_require/dev|test|tests|testing|docs|lint options/install_requires options.extras_require/*"},
	{files: "cargo.toml", system: "cargo", own: "package/name",
		tables: "!dev-dependencies/{} !workspace/dev-dependencies/{} !target/*/dev-dependencies/{} dependencies|build-dependencies/{} " +
			"workspace/dependencies|build-dependencies/{} target/*/dependencies|build-dependencies/{} patch/*/{}"},
	{files: "libs.versions.toml", system: "maven", tables: "!plugins/{} libraries/{}"},
	{files: "pom.xml", system: "maven", own: "project/groupId project/parent/groupId",
		tables: "!**/plugin|path/<> !**/plugin|path/**/dependency/<> **/dependency/<>"},
	{files: "*.csproj *.fsproj directory.packages.props directory.build.props", system: "nuget",
		tables: "!**/GlobalPackageReference/<> **/PackageReference|PackageVersion/<>"},
	{files: "build.gradle build.gradle.kts", system: "maven",
		pattern:    input.Lazily(`^\s*(?:implementation|api|compileOnly|runtimeOnly|annotationProcessor|kapt|ksp|compileOnlyApi|\w*[tT]est\w*(?:Implementation|RuntimeOnly|CompileOnly|Compile|Api)|debugImplementation|classpath|compile|developmentOnly)[ (]+["']([^:"']+:[^:"']+)(.*)`),
		devPattern: input.Lazily(`^\s*(?:test|androidTest|classpath)`)},
	{files: "mix.exs", system: "hex", pattern: input.Lazily(`^\s*\{:(\w+),(.*)`), devPattern: input.Lazily(`only: .*:(?:dev|test|docs)`)},
	{files: "gemfile *.gemspec", system: "gem",
		pattern:    input.Lazily(`^\s*(?:\w+\.)?(?:gem|add_(?:runtime_|development_)?dependency)[ (]+["']([^"']+)["'](.*)`),
		devPattern: input.Lazily(`^\s*(?:\w+\.)?add_development_`)},
	{files: "requirements*.txt requirements*.in constraints*.txt constraints*.in *-requirements.txt *_requirements.txt", system: "pypi",
		pattern: input.Lazily(`^\s*(?:-e )?([^-#./\s].*)`)},
}

// manifestOf is how a file is read, by its name; nil for a file that is no manifest.
func manifestOf(name string) *manifest {
	if path.Base(path.Dir(name)) == "requirements" && ends(name, ".txt", ".in") {
		name = "requirements.txt"
	}
	i := slices.IndexFunc(manifests, func(m manifest) bool { return isNamed(name, m.files) })
	if i < 0 {
		return nil
	}
	return &manifests[i]
}

// packages are the package of a manifest itself, and what it needs.
func (m *manifest) packages(v *source.File) (deps []dependency) {
	switch {
	case v == nil:
		return nil
	case m.read != nil:
		return m.read(v)
	case m.pattern != nil:
		return m.lines(v)
	}
	var list []*dependency
	about, from := map[string]*dependency{}, map[string]string{} // from: where uv gets packages from
	own, artifact := "", ""
	for _, s := range settingsOf(v) {
		switch {
		case leadsToOne(s.Keys, m.own):
			own = m.plain(s.Value)
		case m.system == "maven" && leads(s.Keys, "project/artifactId"):
			artifact = ":" + s.Value
		case leads(s.Keys, "tool/uv/sources/*/*"):
			from[m.plain(s.Keys[3])+" "+s.Keys[4]] = s.Value
		}
		switch d := packageIn(s, m.tables); {
		case d == nil:
		case about[d.id] != nil:
			if about[d.id].values[d.key] = s.Value; d.key == "artifactId" {
				about[d.id].line = s.Line
			}
		default:
			about[d.id], list = d, append(list, d)
		}
	}
	for _, d := range list {
		name, _ := pythonName(d.name)
		for _, key := range [...]string{"git", "url", "path", "workspace"} {
			d.values[key] = cmp.Or(from[name+" "+key], d.values[key])
		}
		if d.complete(m, v, own); d.name != "" {
			deps = append(deps, *d)
		}
	}
	return append(deps, dependency{name: own + artifact, own: true, local: true})
}

// lines reads a manifest line by line.
func (m *manifest) lines(v *source.File) (deps []dependency) {
	inGroup, n := false, 0 // inGroup: of a Gemfile, for development and tests
	inPath := has(strings.ToLower(v.Path), "dev", "test", "doc", "lint")
	for line := range bytes.Lines(v.Text) {
		line = line[:min(len(line), maxShellLine)]
		n++
		if found := m.pattern().FindSubmatch(line); found != nil && m.system == "pypi" {
			deps = append(deps, requirement(string(found[1]), inPath, n))
		} else if found != nil {
			d := dependency{name: string(found[1]), dev: inGroup || m.devPattern().Match(line), local: has(found[2], "path:", ":path"), line: n}
			if from := gemFrom().FindSubmatch(found[2]); from != nil {
				d.from = string(from[1])
			}
			deps = append(deps, d)
		} else if found := gemName().FindSubmatch(line); found != nil && ends(v.Path, ".gemspec") {
			deps = append(deps, dependency{name: string(found[1]), own: true, local: true})
		}
		inGroup = m.system == "gem" && ((inGroup && string(bytes.TrimSpace(line)) != "end") || gemDev().Match(line))
	}
	return deps
}

var (
	gemFrom = input.Lazily(`(?::git|:github|git:|github:|source:)\s*(?:=>)?\s*["']([^"']+)`)
	gemName = input.Lazily(`^\s*(?:\w+\.)?name\s*=\s*["']([^"']+)`)
	gemDev  = input.Lazily(`^\s*group\b.*(?:dev|test)`)
)

func leadsToOne(keys []string, patterns string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(pattern string) bool { return leads(keys, pattern) })
}

// packageIn reads a setting of one of some tables of packages; a ! begins those of development. At the end of a table,
// {} stands for the name of a package, and <> for what an element of XML says of it; else the value has the name. It is
// nil for any other setting.
func packageIn(s Setting, tables string) *dependency {
	last := max(0, len(s.Keys)-1)
	for table := range strings.FieldsSeq(tables) {
		table, dev := strings.CutPrefix(table, "!")
		keys, named := strings.CutSuffix(table, "/{}")
		element, isElement := strings.CutSuffix(table, "/<>")
		id, name, key := "", s.Value, "requirement"
		switch n := strings.Count(keys, "/") + 1; {
		case named && len(s.Keys) > n && leads(s.Keys[:n], keys):
			id, name, key = strings.Join(s.Keys[:n+1], "\x00"), s.Keys[n], strings.Join(s.Keys[n+1:], ".")
		case isElement && leads(s.Keys[:last], element):
			id, name, key = strconv.Itoa(s.Table), s.Keys[last-1], strings.TrimPrefix(s.Keys[last], "@")
		case leads(s.Keys, table):
			id = strings.Join(s.Keys, "\x00") + "\x00" + s.Value
		}
		if id != "" {
			return &dependency{id: id, name: name, dev: dev, key: key, line: s.Line, values: map[string]string{key: s.Value}}
		}
	}
	return nil
}

// complete says what the settings say in the words of the system; without a name it is none.
func (d *dependency) complete(m *manifest, v *source.File, own string) {
	version, name := d.values[""], d.name
	d.name, d.from = m.plain(name), cmp.Or(d.values["git"], d.values["url"])
	d.local = d.values["path"] != "" || d.values["workspace"] == "true"
	switch m.system {
	case "pypi":
		if d.key == "requirement" {
			from := d.from
			d.name, d.from = pythonName(name)
			d.from = cmp.Or(d.from, from)
		} else if d.name == "python" {
			d.name = ""
		}
	case "npm":
		target, isPackage := strings.CutPrefix(strings.TrimPrefix(version, "jsr:"), "npm:")
		if isPackage {
			d.name = withoutVersion(target)
		}
		if begins(m.tables, "imports") {
			switch isPackage = isPackage || begins(version, "jsr:"); {
			case isPackage:
				d.name = withoutVersion(strings.TrimPrefix(target, "/"))
			case begins(version, "https://"):
				d.from = version
			default:
				d.name = ""
			}
			break
		}
		d.from, d.local = npmSource(version), isLocalVersion(version)
		if has(d.id, "overrides\x00", "resolutions\x00") && d.from == "" && !isPackage {
			d.name = "" // another version
		}
	case "composer":
		if d.name = strings.ToLower(name); !has(name, "/") { // PHP, or an extension of it
			d.name = ""
		}
	case "cargo":
		d.name = cmp.Or(d.values["package"], name)
	case "nuget":
		d.name = strings.ToLower(d.values["Include"])
		d.dev = d.dev || has(strings.ToLower(v.Path), "test") || strings.EqualFold(d.values["PrivateAssets"], "all") ||
			(name == "PackageVersion" && testLibrary().MatchString(d.name))
		if (name == "PackageReference" && cmp.Or(d.values["Version"], d.values["VersionOverride"]) == "") || has(d.name, "$(") {
			d.name = "" // another file names it
		}
	case "maven":
		if artifact := d.values["artifactId"]; artifact != "" {
			group := d.values["groupId"]
			d.name, d.dev = strings.TrimPrefix(group+":"+artifact, ":"), d.dev || d.values["scope"] == "test"
			d.local = (name == "dependency" && oneOf(group, "${project.groupId}", "${project.parent.groupId}", own)) ||
				group == "org.apache.maven.plugins" // Maven itself
		} else if parts := strings.Split(version, ":"); version != "" {
			d.name = strings.Join(parts[:min(len(parts), 2)], ":")
		} else if group := d.values["group"]; group != "" {
			d.name = group + ":" + d.values["name"]
		} else {
			d.name = cmp.Or(d.values["module"], d.values["id"])
		}
		d.dev = d.dev || (begins(m.files, "libs.") && testLibrary().MatchString(d.name))
	}
}

// plain is a name as its registry compares it.
func (m *manifest) plain(name string) string {
	if m.system == "pypi" {
		return pythonNormal(name)
	}
	return name
}

// key tells a package from those of other systems. Another major version of a module of Go is no other package.
func (m *manifest) key(d dependency) string {
	if prefix, _, ok := module.SplitPathVersion(d.name); ok && m.system == "go" {
		return m.system + " " + prefix
	}
	return m.system + " " + d.name
}

// newDependencies reports the packages of a manifest that are not known, and then knows them.
func newDependencies(f *File, m *manifest, deps []dependency, known map[string]bool, report func(Hit)) {
	var names firstNames
	titles := [...]string{"the program needs ", "its development needs ", "not from a registry: ", "no longer from the registry: "}
	var parts [len(titles)][]string
	for _, d := range deps {
		isKnown, elsewhere := known[m.key(d)], "elsewhere "+m.key(d)
		if d.local || (isKnown && (d.from == "" || known[elsewhere])) {
			continue
		}
		names.add(d.name, d.line)
		add := func(part int, text string) { parts[part] = append(parts[part], text) }
		switch {
		case isKnown:
			add(3, d.name+" from "+d.from)
		case d.dev:
			add(1, d.name)
		default:
			add(0, d.name)
		}
		if d.from != "" && !isKnown {
			add(2, d.name+" from "+d.from)
		}
		known[m.key(d)], known[elsewhere] = true, true
	}
	if len(names.names) == 0 {
		return
	}
	var says []string
	for i, title := range titles {
		if len(parts[i]) > 0 {
			says = append(says, title+listed(parts[i]))
		}
	}
	if len(parts[0])+len(parts[1]) > 0 {
		says[0] = "new here: " + says[0]
	}
	hit := f.hit(0, names.line, names.names[0], strings.Join(says, "; "),
		"use what the project has, or let a person approve the new dependency")
	hit.Others = names.names[1:]
	report(hit)
}

func readGoMod(v *source.File) (deps []dependency) {
	f, err := modfile.Parse("go.mod", v.Text, nil)
	if err != nil { // a newer one, of which no replacement is known
		if f, err = modfile.ParseLax("go.mod", v.Text, nil); err != nil {
			return nil
		}
	}
	own := ""
	if f.Module != nil {
		own = f.Module.Mod.Path
		deps = []dependency{{name: own, own: true, local: true}}
	}
	for _, r := range f.Require {
		// What was needed indirectly is known; what is new indirectly is not the program's own choice.
		deps = append(deps, dependency{name: r.Mod.Path, local: r.Indirect || begins(r.Mod.Path, own+"/"), line: r.Syntax.Start.Line})
	}
	for _, r := range f.Replace {
		if r.New.Path != r.Old.Path && !isLocalVersion(r.New.Path) {
			deps = append(deps, dependency{name: r.Old.Path, from: r.New.Path, line: r.Syntax.Start.Line})
		}
	}
	return deps
}

func isLocalVersion(version string) bool {
	return begins(version, "workspace:", "file:", "link:", "portal:", "./", "../", "catalog:workspace")
}

// npmSource says where a package comes from; "" for the registry.
func npmSource(version string) string {
	plain := begins(version, "npm:", "catalog:", "jsr:", "patch:npm:") || (begins(version, "patch:") && has(version, "@npm"))
	if !plain && (has(version, ":") || (strings.Count(version, "/") == 1 && !strings.ContainsAny(version, " <>"))) {
		return version
	}
	return ""
}

// withoutVersion removes the version of an npm package.
func withoutVersion(name string) string {
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		return name[:at]
	}
	return name
}

// pythonName is the name of a requirement, as the index compares it, and where it comes from when that is not the
// index.
func pythonName(requirement string) (name, from string) {
	requirement = strings.TrimSpace(requirement)
	end := wordEnd(requirement, '-', '.')
	rest := strings.TrimSpace(requirement[end:])
	if begins(rest, "[") {
		_, rest, _ = strings.Cut(rest, "]")
		rest = strings.TrimSpace(rest)
	}
	if url, ok := strings.CutPrefix(rest, "@"); ok {
		from, _, _ = strings.Cut(strings.TrimSpace(url), " ")
	}
	return pythonNormal(requirement[:end]), from
}

func pythonNormal(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(name))
}

// requirement reads a line of a list of requirements.
func requirement(text string, dev bool, line int) dependency {
	text, _, _ = strings.Cut(strings.TrimSpace(text), " #")
	name, from := pythonName(text)
	if has(text, "://") && !has(text, " @ ") {
		name, from = text, text
		if _, egg, ok := strings.Cut(text, "#egg="); ok {
			name = pythonNormal(egg)
		}
	}
	return dependency{name: name, dev: dev, from: from, line: line}
}

// lockNames are the names of the lock files that are read.
const lockNames = ` package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock cargo.lock poetry.lock uv.lock pdm.lock gemfile.lock composer.lock go.sum `

// locks are the touched lock files, and with indexes the other files that name servers.
func (c *Change) locks(indexes bool) (list []*File) {
	for _, f := range c.Files {
		if (isIn(strings.ToLower(path.Base(f.Path)), lockNames) || (indexes && indexKeys(f.Path) != "")) && !foreign(f.Path) {
			list = append(list, f)
		}
	}
	return list
}

// findLockHost finds servers that a lock file did not load packages from before.
func findLockHost(c *Change, report func(Hit)) {
	known := map[string]bool{}
	files := c.locks(true)
	for _, f := range files {
		eachHost(f.Base, func(host string, _ int) { known[host] = true })
	}
	for _, f := range files {
		var found firstNames
		eachHost(f.Head, func(host string, line int) {
			isUsual := host == "" || isIn(host, registries) || (host == "github.com" && path.Base(f.Path) == "composer.lock")
			if !isUsual && !known[host] {
				known[host] = true
				found.add(host, line)
			}
		})
		if len(found.names) > 0 {
			report(f.hit(0, found.line, "", "packages come from "+listed(found.names)+", which the file did not name before",
				"load the packages from the registry that the project uses, or let a person approve the server"))
		}
	}
}

// indexes are the settings that name a server of packages, by file.
var indexes = []struct{ files, keys string }{
	{".npmrc .yarnrc pip.conf", "**"},
	{".yarnrc.yml", "npmRegistryServer npmScopes/*/npmRegistryServer"},
	{"pyproject.toml", "tool/uv/index/url tool/poetry|pdm/source/url tool/uv/index-url|extra-index-url|find-links tool/uv/extra-index-url"},
	{"uv.toml", "index/url index-url|extra-index-url"},
	{"pom.xml settings.xml", "**/repository|pluginRepository|mirror/url"},
	{"*.gradle *.gradle.kts", "**/repositories/**"},
	{"nuget.config", "**/packageSources/add/@value"},
	{"config.toml", "source|registries/*/registry|index"},
	{"gemfile requirements*.txt requirements*.in", "**"},
}

func indexKeys(name string) string {
	for _, x := range indexes {
		if isNamed(name, x.files) {
			return x.keys
		}
	}
	return ""
}

// indexLine begins a line of a file without keys that names a server.
var indexLine = input.Lazily(`^\s*(?:source\b|--?(?:extra-index-url|index-url|i|find-links|f)\b)`)

// sourceKeys are in the lines that say where a package comes from; others name home pages and sponsors.
var sourceKeys = []string{`"resolved":`, `resolved "`, "url = ", "registry = ", "git = ", "source = ", "remote: ",
	"tarball: ", "resolution: ", "registry: "}

// cratesIndex is how a lock file of cargo names the registry.
const cratesIndex = `source = "registry+https://github.com/rust-lang/crates.io-index"`

// registries are the servers that package managers ask without being told.
const registries = ` registry.npmjs.org registry.yarnpkg.com files.pythonhosted.org pypi.org rubygems.org index.rubygems.org crates.io index.crates.io static.crates.io ` +
	`api.github.com codeload.github.com repo.packagist.org npm.jsr.io ` +
	`repo.maven.apache.org repo1.maven.org plugins.gradle.org maven.google.com dl.google.com api.nuget.org `

// address matches an address behind its scheme: its host, without a user.
var address = input.Lazily(`://(?:[^/"'#?} \r\n]*@)?([^/"'#?<} \r\n]*)`)

// eachHost visits the servers that a version of a lock file or a configuration names, with the scheme where that is not
// encrypted.
func eachHost(v *source.File, visit func(host string, line int)) {
	if v == nil {
		return
	}
	base := strings.ToLower(path.Base(v.Path))
	if keys := indexKeys(v.Path); keys != "" {
		isPlain := isNamed(base, "gemfile requirements*")
		for _, s := range settingsOf(v) {
			if line := v.Line(s.Line); leadsToOne(s.Keys, keys) && (!isPlain || indexLine().Match(line)) {
				hostsIn(line, func(host string) { visit(host, s.Line) })
			}
		}
		return
	}
	n, before := 0, []byte(nil)
	for line := range bytes.Lines(v.Text) {
		n++
		isSource := has(line, "://") && (base == "bun.lock" || has(line, sourceKeys...))
		if base == "composer.lock" {
			isSource = has(line, `"url":`) && has(before, `"type":`)
		}
		if before = line; !isSource || string(bytes.TrimSpace(line)) == cratesIndex {
			continue
		}
		hostsIn(line, func(host string) { visit(host, n) })
	}
}

func hostsIn(line []byte, visit func(host string)) {
	for _, found := range address().FindAllSubmatchIndex(line, -1) {
		host := strings.ToLower(string(line[found[2]:found[3]]))
		if begins(host, "ms-feed-") { // one of a hundred with the same packages
			host = strings.TrimRight(host[:len("ms-feed-")], "-") + host[strings.IndexByte(host+".", '.'):]
		}
		if ends(line[:found[0]], "http") {
			host = "http://" + host
		}
		visit(host)
	}
}

// findLockIntegrity finds packages whose content is another one, although their version is the same.
func findLockIntegrity(c *Change, report func(Hit)) {
	for _, f := range c.locks(false) {
		if f.Base == nil || f.Head == nil {
			continue
		}
		known, lines := map[string][]string{}, map[string]int{} // the checksums of a package, and the line of each
		eachSum(f.Base, func(key, sum string, line int) {
			known[key], lines[key+sum] = append(known[key], sum), line
		})
		var found firstHit
		eachSum(f.Head, func(key, sum string, line int) {
			other := slices.IndexFunc(known[key], func(old string) bool { return algorithm(old) == algorithm(sum) })
			if other >= 0 && !slices.Contains(known[key], sum) { // else there was none by this algorithm
				found.add(f.hit(lines[key+known[key][other]], line, key, key+" has another checksum at the same version",
					"find out why the content changed, or restore the checksum"))
			}
		})
		found.report(report)
	}
}

func algorithm(sum string) string { return sum[:max(0, strings.IndexAny(sum, "-:/="))] }

// maxSums is how many packages of a lock file are compared.
const maxSums = 200_000

// eachSum visits the checksums of a version of a lock file. Their key is the name and the version of the package, or
// that of the file that was loaded.
func eachSum(v *source.File, visit func(key, sum string, line int)) {
	base := strings.ToLower(path.Base(v.Path))
	name, version, n, sums := "", "", 0, 0
	for raw := range bytes.Lines(v.Text) {
		n++
		line := string(bytes.TrimSpace(raw[:min(len(raw), maxShellLine)]))
		key, value, _ := strings.Cut(line, " ")
		key, value = strings.Trim(key, `":`), strings.Trim(value, `"=, `)
		id, sum := name+version, ""
		switch {
		case base == "go.sum":
			version, sum, _ = strings.Cut(value, " ")
			id = key + " " + version
		case ends(line, ":", "{") && (base != "yarn.lock" || raw[0] != ' '):
			if name = strings.Trim(line, `"'/:{ `); base == "yarn.lock" {
				name, _, _ = strings.Cut(name, ",")
				name, _, _ = cutAtLast(strings.TrimRight(name, `"`), "@")
			}
			_, name, _ = cutAtLast("node_modules/"+name, "node_modules/")
			version = ""
		case key == "name":
			name, version = value, ""
		case key == "version":
			version = " " + value
		case oneOf(key, "integrity", "checksum"):
			if sum = value; base == "cargo.lock" {
				sum = "sha256:" + sum
			}
		case key == "resolution": // of pnpm
			_, sum, _ = strings.Cut(strings.TrimRight(strings.Split(value, ",")[0], "}"), "integrity: ")
		case has(line, " sha256="):
			id, sum, _ = cutAtLast(line, " ")
		case has(line, ` hash = "`):
			if m := hashed().FindStringSubmatch(line); m != nil {
				id, sum = m[1], m[2]
			}
		}
		if id != "" && algorithm(sum) != "" && sums < maxSums {
			sums++
			visit(id, sum, n)
		}
	}
}

// hashed matches a file of a package of Python.
var hashed = input.Lazily(`(?:url|file) = "(?:[^"]*/)?([^"]*)".* hash = "([^"]*)`)

// downloads matches a command that runs what it has from the network.
var downloads = input.Lazily(`\b(?:curl|wget)\b[^;&]*\|\s*(?:sudo\s+)?\w*sh\b`)

// findDownload finds scripts that run where a package is installed, and run what they have from the network.
func findDownload(c *Change, report func(Hit)) {
	for _, f := range c.scripted() {
		for _, s := range f.added {
			if isIn(s.name, " preinstall install postinstall prepare post-install-cmd post-update-cmd ") && downloads().MatchString(s.text) {
				report(f.hit(0, s.line, s.name, "the script "+s.name+" runs what it downloads", "add what it needs as a dependency with a version"))
			}
		}
	}
}
