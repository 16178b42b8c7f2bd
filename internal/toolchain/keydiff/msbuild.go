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
	versionName    = input.Lazily(`^\w+Version(?:Prefix|Suffix)?$`)
	installed      = input.Lazily(`^(?:\.\.[/\\])*packages[/\\](?:[\w.+-]+[/\\])+[\w.-]+\.dll$`)
	namespace      = input.Lazily(`^[^$@%;]*$`)
	sourceFile     = input.Lazily(`^[\w./\\ -]+\.(?:cs|fs|fsi|vb)$`)
	// farReaching are properties that can change more than the assembly of their project.
	farReaching = input.Lazily(`(?i)test|targets$|props$|path|restore|source|feed|config|import|before|after|extension|sdk|tool|analy(?:s|zer(?:[^l]|$))|exe|command|root|dir`)
)

// ofProduct are properties that decide what a project of tests contains, and only how any other is built.
var ofProduct = strings.Fields("DefineConstants TargetFramework TargetFrameworks DisableImplicitFrameworkReferences")

// isPlainlyConditional reports whether an element has at most a condition that only reads.
func isPlainlyConditional(attrs []xml.Attr) bool {
	return len(attrs) == 0 || (len(attrs) == 1 && attrs[0].Name.Space == "" && attrs[0].Name.Local == "Condition" && plainCondition().MatchString(attrs[0].Value))
}

// projectKeys are the keys of an MSBuild project: of two parts, where neither a condition that calls something nor an
// expression is in the way. Frameworks, references to projects and namespaces count where one goes.
func projectKeys(root *element, parts xmlParts) {
	keysOfProject(root, parts, testPackage().MatchString(root.String()))
}

// sharedKeys are those of properties that the projects of tests have too.
func sharedKeys(root *element, parts xmlParts) { keysOfProject(root, parts, true) }

func keysOfProject(root *element, parts xmlParts, tests bool) {
	for _, group := range root.children {
		if group.name == "Sdk" && len(group.attrs) == 2 && group.attrs[0].Name.Local == "Name" && group.plain("Name", "Version") && len(group.children) == 0 {
			parts.list(lowerVersion+group.attrs[0].Value, group.attrs[1].Value)
			group = &element{name: group.name, attrs: group.attrs[:1], text: group.text}
		}
		if !isPlainlyConditional(group.attrs) || group.text != "" || (group.name != "PropertyGroup" && group.name != "ItemGroup") {
			parts.add(tomlKey(group.name), group)
			continue
		}
		around := slices.Clone(group.attrs)
		for i := range around {
			around[i].Value = short(around[i].Value)
		}
		for _, c := range group.children {
			key := group.name + "." + tomlKey(c.name)
			if !tests && group.name == "PropertyGroup" && (slices.Contains(ofProduct, c.name) || !farReaching().MatchString(c.name)) {
				key = "PropertyGroup.Version"
			}
			always := len(group.attrs) == 0
			switch {
			case strings.HasPrefix(key, "PropertyGroup.TargetFramework") && isPlainlyConditional(c.attrs) && len(c.children) == 0 && plainProperty().MatchString(c.text):
				where := &element{name: "of", attrs: slices.Concat(group.attrs, c.attrs)}
				parts.add("PropertyGroup.TargetFramework", where) // the last one counts
				list := fewer + "target frameworks"
				if len(where.attrs) > 0 {
					list += " where " + where.attrs[0].Value
				}
				for name := range strings.FieldsFuncSeq(c.text, func(r rune) bool { return strings.ContainsRune("; \t\r\n", r) }) {
					parts.list(list, framework(name))
				}
				continue
			case key == "ItemGroup.ProjectReference" && always && (names(c, projectFile(), "Project", "Name") ||
				(!tests && names(c, projectFile(), "ReferenceOutputAssembly", "PrivateAssets"))):
				parts.list(fewer+"references to projects", c.attrs[0].Value)
				continue
			case key == "ItemGroup.Using" && always && len(c.children) == 0 && (names(c, namespace()) || (!tests && names(c, namespace(), "Static"))):
				parts.list(fewer+"namespaces", c.String())
				continue
			case key == "ItemGroup.Compile" && always && names(c, sourceFile(), "SubType", "DependentUpon", "AutoGen", "DesignTime", "Link"):
				if tests {
					parts.list(fewer+"files of tests", c.attrs[0].Value)
				}
				continue
			}
			part := &element{name: "of", attrs: around, children: []*element{c}}
			isVersion := versionName().MatchString(c.name) && isPlain(c.text) && isPlainlyConditional(c.attrs) && len(c.children) == 0
			if group.name == "PropertyGroup" && isVersion {
				key = "PropertyGroup.Version"
			}
			plain := isPlainlyConditional(c.attrs) && len(c.children) == 0 && plainProperty().MatchString(c.text)
			if group.name == "ItemGroup" {
				bare := &element{name: c.name, children: c.children, attrs: slices.DeleteFunc(slices.Clone(c.attrs), func(a xml.Attr) bool {
					return c.name != "GlobalPackageReference" && isPlainlyConditional([]xml.Attr{a})
				})}
				plain = c.text == "" && bare.plain("Include", "Update", "Version", "VersionOverride", "PrivateAssets", "IncludeAssets", "ExcludeAssets", "NoWarn")
				if c.name == "GlobalPackageReference" && plain { // it may check each project
					c.attrs = slices.DeleteFunc(c.attrs, func(a xml.Attr) bool { return a.Name.Local == "Version" })
					parts.add(fewer+"global packages", part)
					continue
				}
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

// framework writes the name of a target framework so that the number tells which one follows another: net48 follows
// net472, both of the .NET Framework, and net5.0 follows netcoreapp3.1.
func framework(name string) string {
	if digits := strings.TrimPrefix(name, "net"); digits != name && strings.Trim(digits, "0123456789") == "" {
		return "netfx" + strings.Join(strings.Split(digits, ""), ".")
	}
	return strings.Replace(name, "netcoreapp", "net", 1)
}

// inactive are items that are neither compiled nor linked.
var inactive = []string{"None", "Content", "EmbeddedResource", "Folder", "Service"}

// inProject are what such an item may say without a copy beside the assembly.
var inProject = strings.Fields("Include Remove Update Link Pack PackagePath Visible LogicalName SubType DependentUpon Generator LastGenOutput")

// stays reports whether an inactive item is nowhere but in the project, its assembly and its package: a copy beside the
// assembly may steer the runner.
func stays(item *element) bool {
	return item.says(func(name, _ string) bool { return slices.Contains(inProject, name) })
}

// isInstalled reports whether a reference is one of the framework, or of a package that NuGet installs.
func isInstalled(reference *element) bool {
	return reference.says(func(name, value string) bool {
		if name == "HintPath" {
			return installed().MatchString(value)
		}
		return slices.Contains([]string{"Include", "Private", "SpecificVersion", "EmbedInteropTypes", "RequiredTargetFramework"}, name) &&
			plainWords().MatchString(value)
	})
}

// names reports whether an item includes what matches, and says nothing else but these.
func names(item *element, what *regexp.Regexp, others ...string) bool {
	return len(item.attrs) > 0 && item.attrs[0].Name.Local == "Include" && item.text == "" && item.says(func(name, value string) bool {
		if name == "Include" {
			return what.MatchString(value)
		}
		return slices.Contains(others, name) && plainProperty().MatchString(value)
	})
}

var (
	solutionProject = input.Lazily(`^Project\("\{[\w-]+\}"\) = "[^"]*", "[^"]*", "(\{[\w-]+\})"$`)
	solutionItem    = input.Lazily(`^[^={}]+ = [^={}]+$`)
	solutionOf      = input.Lazily(`^(\{[\w-]+\})\.`)
	solutionNested  = input.Lazily(`^\{[\w-]+\} = \{[\w-]+\}$`)
)

// The two types of a project in C#.
const (
	oldStyle = `Project("{FAE04EC0-301F-11D3-BF4B-00C04F79EFBC}")`
	newStyle = `Project("{9A19103F-16F7-4668-BE54-9A1E7A4F7556}")`
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
			projects = append(projects, strings.Replace(line, oldStyle, newStyle, 1))
		case m != nil && known != nil && !known[m[1]]:
		case m != nil && strings.Contains(line, ".Build.0 = "):
			built = append(built, line)
		case m != nil:
			builds = append(builds, line)
		default:
			rest.WriteString(line + "\n")
		}
	}
	return map[string]string{fewer + "projects": sorted(projects), fewer + "builds": sorted(built), "builds": sorted(builds), "solution": rest.String()}
}

// solutionXMLKeys are the keys of a solution in XML: its projects and the rest. A project, a folder and a file that is
// shown may come.
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

// readGlobal reads a global.json. The versions of the SDK, and of those of MSBuild, may rise.
func readGlobal(data []byte) (map[string]string, error) {
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
		if len(sdks) > maxKeys {
			break // the whole key
		}
		if version := strings.Trim(value, `"`); isPlain(version) {
			members[lowerVersion+tomlKey(name)] = version
			members["msbuild-sdks"] = strings.Replace(members["msbuild-sdks"], value, "", 1)
		}
	}
	for name, value := range sdk {
		if name == "version" {
			members[lowerVersion+"sdk"] = strings.Trim(value, `"`)
		} else {
			members["sdk."+tomlKey(name)] = value
		}
	}
	return members, nil
}
