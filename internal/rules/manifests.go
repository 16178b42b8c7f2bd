package rules

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/internal/toolchain/keydiff"
)

// findNewDependency finds packages that the manifests of a change name for the first time.
func findNewDependency(c *Change, report func(Hit)) {
	known := c.knownPackages()
	for _, f := range c.Files {
		if read := manifestReader(f.Path); read != nil && f.Head != nil && !foreign(f.Path) {
			newDependencies(f, read, known, report)
		}
	}
}

// dependency is a package that a manifest names.
type dependency struct {
	name  string // as its registry compares it
	dev   bool   // only for tests and tools
	from  string // where it comes from when that is no registry, "" otherwise
	local bool   // it is a part of this repository
}

// manifest is what a manifest says.
type manifest struct {
	own  string // the name of the package itself
	deps []dependency
}

func (m *manifest) add(name string, dev bool, from string) {
	if name != "" {
		m.deps = append(m.deps, dependency{name: name, dev: dev, from: from})
	}
}

// readManifest reads one version of a manifest. It accepts any text, and lists what it can read.
type readManifest func(v *source.File) manifest

// manifestReader is how a file is read, by its name; nil for a file that is no manifest.
func manifestReader(name string) readManifest {
	switch base := path.Base(name); {
	case base == "go.mod":
		return readGoMod
	case base == "package.json":
		return readPackageJSON
	case base == "pyproject.toml":
		return readPyproject
	case base == "Cargo.toml":
		return readCargo
	case base == "libs.versions.toml":
		return readVersionCatalog
	case base == "setup.cfg":
		return readSetupCfg
	case base == "Gemfile", strings.HasSuffix(base, ".gemspec"):
		return readGemfile
	case base == "pom.xml":
		return readPom
	case base == "build.gradle", base == "build.gradle.kts":
		return readGradle
	case strings.HasSuffix(base, ".csproj"), strings.HasSuffix(base, ".fsproj"), base == "Directory.Packages.props", base == "Directory.Build.props":
		return readProject
	case base == "composer.json":
		return readComposer
	case base == "deno.json", base == "deno.jsonc":
		return readDeno
	case base == "jsr.json":
		return readDeno
	case isRequirements(name):
		return readRequirements
	}
	return nil
}

// isRequirements reports whether a file is a list of Python's requirements.
func isRequirements(name string) bool {
	base := path.Base(name)
	if !strings.HasSuffix(base, ".txt") && !strings.HasSuffix(base, ".in") {
		return false
	}
	return strings.HasPrefix(base, "requirements") || strings.HasPrefix(base, "constraints") || path.Base(path.Dir(name)) == "requirements" ||
		strings.HasSuffix(base, "-requirements.txt") || strings.HasSuffix(base, "_requirements.txt")
}

// ecosystemOf tells packages of the same name apart.
func ecosystemOf(name string) string {
	switch base := path.Base(name); {
	case base == "go.mod":
		return "go"
	case base == "package.json", strings.HasPrefix(base, "deno."), base == "jsr.json":
		return "npm"
	case base == "Cargo.toml":
		return "cargo"
	case base == "Gemfile", strings.HasSuffix(base, ".gemspec"):
		return "gem"
	case base == "composer.json":
		return "composer"
	case base == "pom.xml", strings.HasPrefix(base, "build.gradle"), base == "libs.versions.toml":
		return "maven"
	case strings.HasSuffix(base, "proj"), strings.HasSuffix(base, ".props"):
		return "nuget"
	}
	return "pypi"
}

// knownPackages are the packages that a touched manifest named at the merge base, and those of the repository itself.
func (c *Change) knownPackages() map[string]bool {
	known := map[string]bool{}
	for _, f := range c.Files {
		read := manifestReader(f.Path)
		if read == nil {
			continue
		}
		system := ecosystemOf(f.Path) + " "
		if f.Base != nil {
			m := read(f.Base)
			known[system+m.own] = true
			for _, d := range m.deps {
				known[system+withoutMajor(d.name, system)] = true
			}
		}
		if f.Head != nil {
			known[system+read(f.Head).own] = true
		}
	}
	return known
}

// withoutMajor removes the major version from the path of a module of Go: another one is no other package.
func withoutMajor(name, system string) string {
	if prefix, _, ok := module.SplitPathVersion(name); ok && system == "go " {
		return prefix
	}
	return name
}

// newDependencies reports the packages of a manifest that are not known, and then knows them.
func newDependencies(f *File, read readManifest, known map[string]bool, report func(Hit)) {
	system := ecosystemOf(f.Path) + " "
	var runtime, dev, elsewhere, names []string
	for _, d := range read(f.Head).deps {
		name := system + withoutMajor(d.name, system)
		if d.local || known[name] {
			continue
		}
		known[name] = true
		names = append(names, d.name)
		if d.dev {
			dev = append(dev, d.name)
		} else {
			runtime = append(runtime, d.name)
		}
		if d.from != "" {
			elsewhere = append(elsewhere, d.name+" from "+d.from)
		}
	}
	if len(names) == 0 {
		return
	}
	var parts []string
	if len(runtime) > 0 {
		parts = append(parts, "the program needs "+listed(runtime))
	}
	if len(dev) > 0 {
		parts = append(parts, "its development needs "+listed(dev))
	}
	if len(elsewhere) > 0 {
		parts = append(parts, "not from a registry: "+listed(elsewhere))
	}
	line := nameLine(f, names[0])
	hit := Hit{File: f.Path, Line: line, Subject: names[0], Others: names[1:], Detail: "new here: " + strings.Join(parts, "; "), Fix: "use what the project has, or let a person approve the new dependency"}
	if line > 0 {
		hit.Now = string(f.Head.Line(line))
	}
	report(hit)
}

// nameLine is the first added line that contains a name, or else the first line; 0 when there is none.
func nameLine(f *File, name string) int {
	short := name
	if _, after, ok := strings.Cut(name, ":"); ok && ecosystemOf(f.Path) == "maven" {
		short = after
	}
	needle := []byte(strings.ToLower(short))
	for _, line := range f.Added() {
		text := bytes.ToLower(line.Text[:min(len(line.Text), maxShellLine)])
		if f.namesPackage(text, needle) || f.namesPackage(bytes.ReplaceAll(text, []byte("_"), []byte("-")), needle) {
			return line.Number
		}
	}
	return 0
}

// namesPackage reports whether a line contains a name that is not a part of a longer one, and that is in no list of features.
func (f *File) namesPackage(line, name []byte) bool {
	const more = "-_./@"
	i := bytes.Index(line, name)
	if i < 0 || len(name) == 0 {
		return false
	}
	before, after := at(line, i-1), at(line, i+len(name))
	return !source.IsWord(before) && !strings.ContainsRune(more, rune(before)) && !source.IsWord(after) && !strings.ContainsRune("-_/", rune(after)) &&
		!(ecosystemOf(f.Path) == "cargo" && bytes.Contains(line[:i], []byte("= [")))
}

func readGoMod(v *source.File) manifest {
	var m manifest
	f, err := modfile.ParseLax("go.mod", v.Text, nil)
	if err != nil {
		return m
	}
	if f.Module != nil {
		m.own = f.Module.Mod.Path
	}
	for _, r := range f.Require {
		// What was needed indirectly is known; what is new indirectly is not the program's own choice.
		m.deps = append(m.deps, dependency{name: r.Mod.Path, local: r.Indirect || m.own != "" && strings.HasPrefix(r.Mod.Path, m.own+"/")})
	}
	return m
}

// readPackageJSON reads the manifest of npm, yarn, pnpm and bun.
func readPackageJSON(v *source.File) manifest {
	root := parseJSON(v)
	m := manifest{own: textOf(below(root, "name"))}
	for _, table := range [...]string{"dependencies", "optionalDependencies", "peerDependencies", "devDependencies"} {
		for _, d := range membersOf(below(root, table)) {
			version := textOf(d.Value)
			m.deps = append(m.deps, dependency{name: d.Key, dev: table == "devDependencies", from: npmSource(version), local: isLocalVersion(version)})
		}
	}
	return m
}

func isLocalVersion(version string) bool {
	for _, p := range [...]string{"workspace:", "file:", "link:", "portal:", "./", "../", "catalog:workspace"} {
		if strings.HasPrefix(version, p) {
			return true
		}
	}
	return false
}

// npmSource says where a package comes from; "" for the registry.
func npmSource(version string) string {
	for _, p := range [...]string{"npm:", "catalog:", "jsr:", "patch:npm:"} {
		if strings.HasPrefix(version, p) {
			return ""
		}
	}
	if strings.Contains(version, ":") || strings.Count(version, "/") == 1 && !strings.ContainsAny(version, " <>") {
		return version
	}
	return ""
}

func readComposer(v *source.File) manifest {
	root := parseJSON(v)
	m := manifest{own: textOf(below(root, "name"))}
	for _, table := range [...]string{"require", "require-dev"} {
		for _, d := range membersOf(below(root, table)) {
			if strings.Contains(d.Key, "/") { // others are PHP and its extensions
				m.add(strings.ToLower(d.Key), table == "require-dev", "")
			}
		}
	}
	return m
}

func readDeno(v *source.File) manifest {
	root := parseJSON(v)
	m := manifest{own: textOf(below(root, "name"))}
	for _, d := range membersOf(below(root, "imports")) {
		switch target := textOf(d.Value); {
		case strings.HasPrefix(target, "npm:"), strings.HasPrefix(target, "jsr:"):
			_, name, _ := strings.Cut(target, ":")
			m.add(withoutVersion(strings.TrimPrefix(name, "/")), false, "")
		case strings.HasPrefix(target, "https://"):
			m.add(d.Key, false, target)
		}
	}
	return m
}

// withoutVersion removes the version of an npm package.
func withoutVersion(name string) string {
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		return name[:at]
	}
	return name
}

// pythonName is the name of a requirement, as the index compares it, and where it comes from when that is not the index.
func pythonName(requirement string) (name, from string) {
	requirement = strings.TrimSpace(requirement)
	end := 0
	for end < len(requirement) && (source.IsWord(requirement[end]) || requirement[end] == '-' || requirement[end] == '.') {
		end++
	}
	rest := strings.TrimSpace(requirement[end:])
	if strings.HasPrefix(rest, "[") {
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

// maxTOML is the longest TOML document that is read: the library's time can grow with the square of it.
const maxTOML = 128 << 10

func parseTOML(v *source.File) map[string]any {
	if v == nil || len(v.Text) > maxTOML {
		return nil
	}
	root, err := keydiff.ReadTOML(v.Text)
	if err != nil {
		return nil
	}
	return root
}

// table follows keys down a TOML document; nil when one is missing or no table.
func table(root map[string]any, keys ...string) map[string]any {
	for _, key := range keys {
		root, _ = root[key].(map[string]any)
	}
	return root
}

// sortedKeys are the keys of a table in order.
func sortedKeys[V any](t map[string]V) []string {
	keys := make([]string, 0, len(t))
	for key := range t {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func readPyproject(v *source.File) manifest {
	root := parseTOML(v)
	m := manifest{own: pythonNormal(str(table(root, "project")["name"]))}
	if m.own == "" {
		m.own = pythonNormal(str(table(root, "tool", "poetry")["name"]))
	}
	requirements := func(list any, dev bool) {
		items, _ := list.([]any)
		for _, item := range items {
			name, from := pythonName(str(item))
			m.add(name, dev, from)
		}
	}
	requirements(table(root, "project")["dependencies"], false)
	optional := table(root, "project", "optional-dependencies")
	for _, group := range sortedKeys(optional) {
		requirements(optional[group], oneOf(group, "dev", "test", "tests", "docs", "lint"))
	}
	groups := table(root, "dependency-groups")
	for _, group := range sortedKeys(groups) {
		requirements(groups[group], true)
	}
	requirements(table(root, "tool", "uv")["dev-dependencies"], true)
	requirements(table(root, "build-system")["requires"], true)
	poetry := table(root, "tool", "poetry")
	m.addPoetry(table(poetry, "dependencies"), false)
	m.addPoetry(table(poetry, "dev-dependencies"), true)
	more := table(poetry, "group")
	for _, group := range sortedKeys(more) {
		m.addPoetry(table(more, group, "dependencies"), true)
	}
	sources := table(root, "tool", "uv", "sources")
	for i := range m.deps {
		m.deps[i].markSource(sources)
	}
	return m
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

func (m *manifest) addPoetry(t map[string]any, dev bool) {
	for _, name := range sortedKeys(t) {
		if name == "python" {
			continue
		}
		d := dependency{name: pythonNormal(name), dev: dev}
		d.describe(t[name])
		m.deps = append(m.deps, d)
	}
}

// describe reads the table of a dependency that says where it comes from.
func (d *dependency) describe(v any) {
	t, _ := v.(map[string]any)
	for _, key := range [...]string{"git", "url"} {
		if from := str(t[key]); from != "" {
			d.from = from
		}
	}
	workspace, _ := t["workspace"].(bool)
	d.local = d.local || t["path"] != nil || workspace && t["git"] == nil && t["version"] == nil && d.from == ""
}

// markSource reads what uv says about a dependency.
func (d *dependency) markSource(sources map[string]any) {
	for name, source := range sources {
		if pythonNormal(name) == d.name {
			d.describe(source)
		}
	}
}

func readRequirements(v *source.File) manifest {
	var m manifest
	base := strings.ToLower(v.Path)
	dev := strings.Contains(base, "dev") || strings.Contains(base, "test") || strings.Contains(base, "doc") || strings.Contains(base, "lint")
	for line := range bytes.Lines(v.Text) {
		text := strings.TrimSpace(string(line[:min(len(line), maxShellLine)]))
		text, _, _ = strings.Cut(text, " #")
		if rest, ok := strings.CutPrefix(text, "-e "); ok {
			text = strings.TrimSpace(rest)
		}
		switch {
		case text == "", strings.HasPrefix(text, "#"), strings.HasPrefix(text, "-"), strings.HasPrefix(text, "."), strings.HasPrefix(text, "/"):
		case strings.Contains(text, "://") && !strings.Contains(text, " @ ") && !strings.Contains(text, "@http") && !strings.Contains(text, "@git"):
			name := text
			if _, egg, ok := strings.Cut(text, "#egg="); ok {
				name = pythonNormal(egg)
			}
			m.add(name, dev, text)
		default:
			name, from := pythonName(text)
			m.add(name, dev, from)
		}
	}
	return m
}

func readSetupCfg(v *source.File) manifest {
	var m manifest
	section, inList, dev := "", false, false
	for raw := range bytes.Lines(v.Text) {
		line := strings.TrimRight(string(raw[:min(len(raw), maxShellLine)]), " \t\r\n")
		text := strings.TrimSpace(line)
		switch {
		case text == "" || text[0] == '#' || text[0] == ';':
		case text[0] == '[':
			section, inList = strings.Trim(text, "[]"), false
		case line[0] != ' ' && line[0] != '\t':
			key, value, _ := strings.Cut(text, "=")
			key = strings.TrimSpace(key)
			if section == "metadata" && key == "name" {
				m.own = pythonNormal(strings.TrimSpace(value))
			}
			inList = section == "options" && oneOf(key, "install_requires", "setup_requires", "tests_require") || section == "options.extras_require"
			dev = key != "install_requires" && (section == "options" || oneOf(key, "dev", "test", "tests", "testing", "docs", "lint"))
			if name, from := pythonName(value); inList && strings.TrimSpace(value) != "" {
				m.add(name, dev, from)
			}
		case inList:
			name, from := pythonName(text)
			m.add(name, dev, from)
		}
	}
	return m
}

func readCargo(v *source.File) manifest {
	root := parseTOML(v)
	m := manifest{own: str(table(root, "package")["name"])}
	m.addCargo(root)
	m.addCargo(table(root, "workspace"))
	targets := table(root, "target")
	for _, name := range sortedKeys(targets) {
		m.addCargo(table(targets, name))
	}
	return m
}

func (m *manifest) addCargo(t map[string]any) {
	for _, kind := range [...]string{"dependencies", "build-dependencies", "dev-dependencies"} {
		deps := table(t, kind)
		for _, name := range sortedKeys(deps) {
			d := dependency{name: name, dev: kind == "dev-dependencies"}
			if described, ok := deps[name].(map[string]any); ok {
				d.describe(described)
				if real := str(described["package"]); real != "" {
					d.name = real
				}
			}
			m.deps = append(m.deps, d)
		}
	}
}

func readVersionCatalog(v *source.File) manifest {
	var m manifest
	root := parseTOML(v)
	for _, kind := range [...]string{"libraries", "plugins"} {
		t := table(root, kind)
		for _, alias := range sortedKeys(t) {
			name := str(t[alias])
			if parts := strings.Split(name, ":"); len(parts) > 1 && kind == "libraries" {
				name = parts[0] + ":" + parts[1]
			}
			entry, _ := t[alias].(map[string]any)
			switch {
			case str(entry["module"]) != "":
				name = str(entry["module"])
			case str(entry["group"]) != "":
				name = str(entry["group"]) + ":" + str(entry["name"])
			case str(entry["id"]) != "":
				name = str(entry["id"])
			}
			m.add(name, kind == "plugins", "")
		}
	}
	return m
}

// quotedAfter is the text in the first quotes of a line, and what follows them.
func quotedAfter(line string) (text, rest string) {
	start := strings.IndexAny(line, `'"`)
	if start < 0 {
		return "", ""
	}
	end := strings.IndexByte(line[start+1:], line[start])
	if end < 0 {
		return "", ""
	}
	return line[start+1 : start+1+end], line[start+2+end:]
}

func readGemfile(v *source.File) manifest {
	var m manifest
	group := 0 // depth of blocks for development and tests
	for raw := range bytes.Lines(v.Text) {
		line := strings.TrimSpace(string(raw[:min(len(raw), maxShellLine)]))
		word, rest, _ := strings.Cut(strings.Replace(line, "(", " ", 1), " ")
		if _, method, ok := cutAtLast(word, "."); ok {
			word = method
		}
		switch word {
		case "group":
			if strings.Contains(rest, "dev") || strings.Contains(rest, "test") {
				group = 1
			}
		case "end":
			group = 0
		case "gem", "add_dependency", "add_runtime_dependency", "add_development_dependency":
			name, options := quotedAfter(rest)
			if !strings.HasPrefix(strings.TrimSpace(rest), "'") && !strings.HasPrefix(strings.TrimSpace(rest), `"`) {
				continue
			}
			d := dependency{name: name, dev: group > 0 || word == "add_development_dependency", local: strings.Contains(options, "path:") || strings.Contains(options, ":path")}
			for _, key := range [...]string{"git:", "github:", ":git ", ":github "} {
				if _, from, ok := strings.Cut(options, key); ok {
					d.from, _ = quotedAfter(from)
				}
			}
			if d.name != "" {
				m.deps = append(m.deps, d)
			}
		case "spec.name", "name":
			if _, value, ok := strings.Cut(rest, "="); ok && strings.HasSuffix(v.Path, ".gemspec") {
				m.own, _ = quotedAfter(value)
			}
		}
	}
	return m
}

// gradleKinds begin the line of a dependency.
const gradleKinds = ` implementation api compileOnly runtimeOnly annotationProcessor kapt ksp compileOnlyApi testImplementation testRuntimeOnly testCompileOnly ` +
	`testApi androidTestImplementation debugImplementation testFixturesApi testFixturesImplementation classpath compile testCompile developmentOnly `

func readGradle(v *source.File) manifest {
	var m manifest
	for raw := range bytes.Lines(v.Text) {
		line := strings.TrimSpace(string(raw[:min(len(raw), maxShellLine)]))
		word, rest, _ := strings.Cut(strings.Replace(line, "(", " ", 1), " ")
		if word == "" || !strings.Contains(gradleKinds, " "+word+" ") {
			continue
		}
		text, _ := quotedAfter(rest)
		parts := strings.Split(text, ":")
		if len(parts) < 2 || parts[0] == "" || strings.Contains(rest, "project(") {
			continue // a project of the repository, or an entry of the catalog
		}
		m.add(parts[0]+":"+parts[1], strings.HasPrefix(word, "test") || strings.HasPrefix(word, "androidTest") || word == "classpath", "")
	}
	return m
}
