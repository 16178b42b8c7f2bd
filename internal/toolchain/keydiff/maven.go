package keydiff

import (
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/ecosystem"
	"github.com/closeout-gate/closeout/verify/input"
)

var (
	versionProperty = input.Lazily(`(?i)^(?:[\w.-]*version|version\.[\w.-]+|maven\.compiler\.(?:source|target|release))$`)
	toolProperty    = input.Lazily(`(?i)java|jdk|maven|plugin|surefire|failsafe`)
	// siteProperty is a property that no plugin of tests asks for by its name.
	siteProperty = input.Lazily(`(?i)(?:timestamp|module\.?name)$|^(?:jpms|osgi|sonar)\.`)
	reference    = input.Lazily(`\$\{[^}]*\}`)
	vmOptions    = input.Lazily(`\s(?:` + vmOption + `)`)
	plainName    = input.Lazily(`^[\w.-]+$`)
	inOutput     = input.Lazily(`^(?:[\w-]+[./]?)*$`) // a path below the directory of the classes
)

// describing are elements that describe a project, or say what its site shows and where it is published.
var describing = strings.Fields("scm licenses developers contributors organization mailingLists issueManagement ciManagement " +
	"distributionManagement reporting")

// publishing are plugins, without maven- and -plugin, that document, package or publish what was tested.
var publishing = strings.Fields("javadoc source gpg release deploy install site jar bundle assembly shade central-publishing-maven " +
	"nexus-staging-maven bnd-maven moditect-maven versions-maven versions scm-publish changes project-info-reports " +
	"flatten-maven flatten cyclonedx-maven gradle-module-metadata-maven")

// checking are plugins that compile or check: what they are told is harmless, but for what switches them off and what
// they compile for tests.
var checking = strings.Fields("compiler resources japicmp-maven clirr-maven animal-sniffer-maven spotless-maven fmt-maven checkstyle pmd " +
	"spotbugs-maven enforcer license-maven apache-rat pitest-maven")

var switchesOff = input.Lazily(`(?i)skip|fail|ignore|exclu|include|test|fork|executable|phase|threshold|max`)

// pomKeys are the keys of a pom.xml: of two parts, such as build.plugins. The version of a plugin counts apart from it,
// and only where it falls, and so does one in a property. A property that only dependencies use is a part of them.
func pomKeys(root *element, parts xmlParts) {
	used, tools := map[string]bool{}, map[string]bool{}
	var properties []*element
	var walk func(e *element, key string)
	walk = func(e *element, key string) {
		deps := key == "dependencies" || key == "dependencyManagement.dependencies"
		if len(e.attrs) > 0 || (e.text != "" && len(e.children) > 0) || (deps && slices.ContainsFunc(e.children, func(c *element) bool { return c.name != "dependency" })) {
			parts.add(sourceOf+key, e)
		}
		for _, c := range e.children {
			below := strings.TrimPrefix(key+"."+tomlKey(c.name), ".")
			switch {
			case deps:
				parts.add(key, c)
				if !c.plain("groupId", "artifactId", "version", "scope", "type", "classifier", "optional", "exclusions") || !isScope().MatchString(c.child("scope")) {
					parts.add(sourceOf+key, c)
				}
				continue
			case key == "properties":
				properties = append(properties, c)
			case below == "profiles.profile" && len(c.attrs) == 0 && plainName().MatchString(c.child("id")) &&
				!slices.ContainsFunc(c.children, func(of *element) bool { return of.name == "activation" }):
				parts.add(ecosystem.OtherProfiles+c.child("id"), c)
				continue
			case slices.Contains(describing, below):
				parts.add(below, c)
				continue
			case key == "" && len(c.children) > 0, below == "dependencyManagement.dependencies":
				walk(c, below)
				continue
			default:
				all := len(c.children)
				if below == "build.resources" && slices.ContainsFunc(c.named("targetPath"), func(path *element) bool { return !inOutput().MatchString(path.text) }) {
					parts.add(sourceOf+below, c)
				}
				if c = c.withoutVersions(parts, tools); len(c.children) > 0 || (all == 0 && c.name != "plugins") {
					parts.add(below, c)
				}
			}
			for _, name := range reference().FindAllString(c.String(), -1) {
				used[name] = true
			}
		}
	}
	walk(&element{children: root.children}, "")
	for _, p := range properties {
		bare := len(p.attrs)+len(p.children) == 0
		version, isUsed := versionProperty().MatchString(p.name), used["${"+p.name+"}"]
		if bare && !isUsed && siteProperty().MatchString(p.name) && !switchesOff().MatchString(p.name) {
			parts.add("description", p)
		} else if version && bare && isPlain(p.text) && strings.ContainsAny(p.text, "0123456789") {
			isTool := isUsed || toolProperty().MatchString(p.name) // a parent may use it: a new one may lower what was inherited
			if isTool {
				parts.add("properties."+tomlKey(p.name), &element{name: p.name})
			}
			if isTool || tools["${"+p.name+"}"] {
				parts.list(lowerVersion+tomlKey(p.name), p.text)
			} else {
				parts.add("dependencies", p)
			}
		} else {
			parts.add("properties."+tomlKey(p.name), p.withoutOptions())
		}
	}
}

// withoutOptions is an element without the options of the JVM in its text that are harmless.
func (e *element) withoutOptions() *element {
	copied := *e
	copied.text = strings.TrimSpace(vmOptions().ReplaceAllString(" "+e.text, ""))
	return &copied
}

// withoutVersions is an element in which no artifact, such as a plugin, has a version of a registry: those are parts of
// their own. tools are the properties that name such versions.
func (e *element) withoutVersions(parts xmlParts, tools map[string]bool) *element {
	copied := &element{name: e.name, attrs: e.attrs, text: e.text}
	artifact := e.child("artifactId")
	checks := e.name == "plugin" && isPlugin(artifact, checking)
	for _, c := range e.children {
		if c.name == "plugin" && isPlugin(c.child("artifactId"), publishing) {
			continue
		}
		if checks && slices.Contains([]string{"configuration", "executions", "dependencies", "inherited"}, c.name) {
			var goals []string
			for _, goal := range c.named("goal") {
				goals = append(goals, goal.text)
			}
			parts.list(fewer+"goals of "+artifact, goals...)
			if c = c.matching(switchesOff()); len(c.children) == 0 {
				continue
			}
		}
		if artifact != "" && c.name == "version" && len(c.attrs)+len(c.children) == 0 && isPlain(c.text) {
			parts.list(lowerVersion+artifact, c.text)
			tools[c.text] = true
			continue
		}
		if e.name == "plugin" && c.name == "groupId" && c.text == "org.apache.maven.plugins" { // as without it
			continue
		}
		if c.name == "argLine" {
			c = c.withoutOptions()
		}
		copied.children = append(copied.children, c.withoutVersions(parts, tools))
	}
	return copied
}

func isPlugin(artifact string, names []string) bool {
	return slices.Contains(names, strings.TrimSuffix(strings.TrimPrefix(artifact, "maven-"), "-plugin"))
}

// named lists the elements of a name below an element.
func (e *element) named(name string) (list []*element) {
	for _, c := range e.children {
		if c.name == name {
			list = append(list, c)
		}
		list = append(list, c.named(name)...)
	}
	return list
}

// matching is an element with those of its parts whose names match, and what is around them.
func (e *element) matching(names *regexp.Regexp) *element {
	copied := &element{name: e.name}
	for _, c := range e.children {
		if names.MatchString(c.name) {
			copied.children = append(copied.children, c)
		} else if c = c.matching(names); len(c.children) > 0 {
			copied.children = append(copied.children, c)
		}
	}
	return copied
}

// child is the text of the child with a name; "" for none.
func (e *element) child(name string) string {
	for _, c := range e.children {
		if c.name == name {
			return c.text
		}
	}
	return ""
}

var isScope = input.Lazily(`^(?:compile|provided|runtime|test|import)?$`)
