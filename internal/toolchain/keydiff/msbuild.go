package keydiff

import (
	"encoding/xml"
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

var (
	// plainCondition reads properties and calls functions of MSBuild itself, which change nothing.
	plainCondition = input.Lazily(`^(?:[\w\s.'"=!<>|,;/-]|&|\(|\)|\$\(\w+\)|\$\(\[(?:MSBuild|System\.String)\]::\w+\(|\$\(\w+\.(?:StartsWith|EndsWith|Contains)\()*$`)
	plainProperty  = input.Lazily(`^(?:[^$@%]|\$\(\w+(?:\.Substring\([\d, ]+\))?\))*$`)
	projectFile    = input.Lazily(`^[\w./\\-]+\.(?:cs|fs|vb)proj$`)
	testPackage    = input.Lazily(`(?i)test\.sdk|xunit|nunit|mstest|tunit|testing\.platform|istestproject|expecto`)
	versionName    = input.Lazily(`^\w+Version$`)
	installed      = input.Lazily(`^(?:\.\.[/\\])*packages[/\\](?:[\w.+-]+[/\\])+[\w.-]+\.dll$`)
	sourceFile     = input.Lazily(`^[\w./\\ -]+\.(?:cs|fs|fsi|vb)$`)
	// farReaching are properties that can change more than the assembly of their project.
	farReaching = input.Lazily(`(?i)test|targets$|props$|path|restore|source|feed|config|import|before|after|extension|sdk|tool|analyzers|analysis|analyzerrules|exe|command|root|dir`)
)

// ofProduct are properties that decide what a project of tests contains, and only how any other is built.
var ofProduct = []string{
	"PropertyGroup.DefineConstants", "PropertyGroup.TargetFramework", "PropertyGroup.TargetFrameworks", "PropertyGroup.DisableImplicitFrameworkReferences",
}

// isPlainlyConditional reports whether an element has at most a condition that only reads.
func isPlainlyConditional(attrs []xml.Attr) bool {
	return len(attrs) == 0 || (len(attrs) == 1 && attrs[0].Name.Space == "" && attrs[0].Name.Local == "Condition" && plainCondition().MatchString(attrs[0].Value))
}

// projectKeys are the keys of an MSBuild project: of two parts, where neither a condition that calls something nor an expression is in
// the way. Frameworks, references to projects and namespaces count where one goes.
func projectKeys(root *element, parts xmlParts) {
	keysOfProject(root, parts, testPackage().MatchString(root.String()))
}

// sharedKeys are those of properties that the projects of tests have too.
func sharedKeys(root *element, parts xmlParts) { keysOfProject(root, parts, true) }

func keysOfProject(root *element, parts xmlParts, tests bool) {
	for _, group := range root.children {
		if !isPlainlyConditional(group.attrs) || group.text != "" || (group.name != "PropertyGroup" && group.name != "ItemGroup") {
			parts.add(tomlKey(group.name), group)
			continue
		}
		for _, c := range group.children {
			key := group.name + "." + tomlKey(c.name)
			if !tests && (slices.Contains(ofProduct, key) || (group.name == "PropertyGroup" && !farReaching().MatchString(c.name))) {
				key = "PropertyGroup.Version"
			}
			always := len(group.attrs) == 0
			include := len(c.attrs) > 0 && c.attrs[0].Name.Local == "Include" && len(c.children) == 0 && c.text == "" && always &&
				(len(c.attrs) == 1 || (!tests && c.plain("Include", "Static")))
			switch {
			case strings.HasPrefix(key, "PropertyGroup.TargetFramework") && always && len(c.attrs)+len(c.children) == 0 && plainProperty().MatchString(c.text):
				parts.list(fewer+"target frameworks", strings.FieldsFunc(c.text, func(r rune) bool { return strings.ContainsRune("; \t\r\n", r) })...)
				continue
			case key == "ItemGroup.ProjectReference" && always && (names(c, projectFile(), "Project", "Name") ||
				(!tests && names(c, projectFile(), "ReferenceOutputAssembly", "PrivateAssets"))):
				parts.list(fewer+"references to projects", c.attrs[0].Value)
				continue
			case key == "ItemGroup.Using" && include && !strings.ContainsAny(c.attrs[0].Value, "$@%;"):
				parts.list(fewer+"namespaces", c.String())
				continue
			case key == "ItemGroup.Compile" && always && isSource(c):
				if tests {
					parts.list(fewer+"files of tests", c.attrs[0].Value)
				}
				continue
			}
			part := &element{name: "of", attrs: group.attrs, children: []*element{c}}
			isVersion := versionName().MatchString(c.name) && isPlain(c.text) && len(c.attrs)+len(c.children) == 0
			if group.name == "PropertyGroup" && isVersion {
				key = "PropertyGroup.Version"
			}
			plain := isPlainlyConditional(c.attrs) && len(c.children) == 0 && plainProperty().MatchString(c.text)
			if group.name == "ItemGroup" {
				plain = c.text == "" && c.plain("Include", "Update", "Version", "VersionOverride", "PrivateAssets", "IncludeAssets", "ExcludeAssets")
				if key == "ItemGroup.Reference" {
					plain = isInstalled(c)
				}
				if slices.Contains(inactive, c.name) && stays(c) {
					continue
				}
			}
			parts.add(key, part)
			if !plain {
				parts.add(sourceOf+key, part)
			}
		}
	}
}

// inactive are items that are neither compiled nor linked.
var inactive = []string{"None", "Content", "EmbeddedResource", "Folder", "Service"}

// stays reports whether an inactive item is nowhere but in the project, its assembly and its package: a copy beside the assembly may
// steer the runner.
func stays(item *element) bool {
	names := []string{"Include", "Remove", "Update", "Link", "Pack", "PackagePath", "Visible", "LogicalName", "SubType", "DependentUpon", "Generator", "LastGenOutput"}
	isOther := func(name string) bool { return !slices.Contains(names, name) }
	return !slices.ContainsFunc(item.attrs, func(a xml.Attr) bool { return isOther(a.Name.Local) }) &&
		!slices.ContainsFunc(item.children, func(c *element) bool { return isOther(c.name) || len(c.attrs)+len(c.children) > 0 })
}

// isInstalled reports whether a reference is one of the framework, or of a package that NuGet installs.
func isInstalled(reference *element) bool {
	copied := &element{attrs: reference.attrs}
	for _, c := range reference.children {
		if c.name != "HintPath" || len(c.attrs)+len(c.children) > 0 || !installed().MatchString(c.text) {
			copied.children = append(copied.children, c)
		}
	}
	return copied.plain("Include", "Private", "SpecificVersion", "EmbedInteropTypes", "RequiredTargetFramework")
}

// names reports whether an item includes one file, and says nothing else but these, as attributes or as elements.
func names(item *element, file *regexp.Regexp, others ...string) bool {
	isOther := func(c *element) bool { return !slices.Contains(others, c.name) || len(c.attrs)+len(c.children) > 0 }
	isOtherAttr := func(a xml.Attr) bool { return a.Name.Space != "" || !slices.Contains(others, a.Name.Local) }
	return len(item.attrs) > 0 && item.attrs[0].Name.Local == "Include" && file.MatchString(item.attrs[0].Value) && item.text == "" &&
		!slices.ContainsFunc(item.attrs[1:], isOtherAttr) && !slices.ContainsFunc(item.children, isOther)
}

// isSource reports whether an item compiles one file that it names.
func isSource(item *element) bool {
	return names(item, sourceFile(), "SubType", "DependentUpon", "AutoGen", "DesignTime", "Link")
}

var (
	solutionProject = input.Lazily(`^Project\("\{[\w-]+\}"\) = "[^"]*", "[^"]*", "(\{[\w-]+\})"$`)
	solutionItem    = input.Lazily(`^[^={}]+ = [^={}]+$`)
	solutionOf      = input.Lazily(`^(\{[\w-]+\})\.`)
	solutionNested  = input.Lazily(`^\{[\w-]+\} = \{[\w-]+\}$`)
)

// solutionKeys are the keys of a solution of .NET: its projects, how each is built, and the rest. A project may come.
func solutionKeys(before, after []byte) ([]string, error) {
	return changedParts(readSolution(string(before), nil), readSolution(string(after), projectsOf(string(before)))), nil
}

func projectsOf(text string) map[string]bool {
	ids := map[string]bool{}
	for line := range strings.Lines(text) {
		if m := solutionProject().FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			ids[m[1]] = true
		}
	}
	return ids
}

// readSolution reads a solution. Of a project that is not known, how it is built is left out; nil for all known.
func readSolution(text string, known map[string]bool) map[string]string {
	var projects, builds, built []string
	var rest strings.Builder
	inItems := false
	for raw := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line := strings.TrimSpace(raw)
		switch m := solutionOf().FindStringSubmatch(line); {
		case line == "", strings.HasPrefix(line, "VisualStudioVersion"), strings.HasPrefix(line, "MinimumVisualStudioVersion"), strings.HasPrefix(line, "# Visual Studio"):
		case line == "EndProject", line == "EndProjectSection", line == "ProjectSection(SolutionItems) = preProject":
			inItems = strings.HasPrefix(line, "ProjectSection")
		case inItems && solutionItem().MatchString(line), solutionNested().MatchString(line):
		case solutionProject().MatchString(line):
			projects = append(projects, line)
		case m != nil && known != nil && !known[m[1]]:
		case m != nil && strings.Contains(line, ".Build.0 = "):
			built = append(built, line)
		case m != nil:
			builds = append(builds, line)
		default:
			rest.WriteString(line + "\n")
		}
	}
	slices.Sort(projects)
	slices.Sort(builds)
	slices.Sort(built)
	return map[string]string{fewer + "projects": strings.Join(projects, "\n"), fewer + "builds": strings.Join(built, "\n"), "builds": strings.Join(builds, "\n"), "solution": rest.String()}
}

// solutionXMLKeys are the keys of a solution in XML: its projects and the rest. A project, a folder and a file that is shown may come.
func solutionXMLKeys(root *element, parts xmlParts) {
	for _, c := range root.children {
		switch {
		case c.name == "Folder":
			solutionXMLKeys(c, parts)
		case c.name == "Project" && len(c.attrs) == 1 && len(c.children) == 0:
			parts.list(fewer+"projects", c.attrs[0].Value)
		case c.name != "File":
			parts.add("solution", c)
		}
	}
}

// globalKeys are the keys of a global.json. The versions of the SDK, and of those of MSBuild, may rise.
func globalKeys(before, after []byte) ([]string, error) {
	read := func(data []byte) (map[string]string, error) {
		members, err := topLevel(data)
		if err != nil {
			return nil, err
		}
		sdk, err := topLevel([]byte(members["sdk"]))
		if err != nil {
			return members, nil // the whole key
		}
		delete(members, "sdk")
		sdks, _ := topLevel([]byte(members["msbuild-sdks"])) // else the whole key
		for name, value := range sdks {
			if version := strings.Trim(value, `"`); isPlain(version) {
				members[lowerVersion+tomlKey(name)] = version
				members["msbuild-sdks"] = strings.Replace(members["msbuild-sdks"], value, "", 1)
			}
		}
		for name, value := range sdk {
			if key := "sdk." + tomlKey(name); name == "version" {
				members[lowerVersion+"sdk"] = strings.Trim(value, `"`)
			} else {
				members[key] = value
			}
		}
		return members, nil
	}
	return parts(read)(before, after)
}
