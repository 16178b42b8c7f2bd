package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
)

// ProtectedVersion counts the changes of the built-in list of protected files. The docs show it with the list.
const ProtectedVersion = 3

// Protected is an entry of the built-in list: files that an agent may not touch even where a pattern allows them, because
// they decide how the gate, the agent or an acceptance command behaves. With keys, a change counts only if it changes one of
// these keys, or if the changed keys are unknown.
type Protected struct {
	Patterns []string
	Reason   string
	Keys     []string // top-level keys that count
	NewKeys  []string // those of them that count in a new file; no other new file counts
	Harmless []string // keys that do not count; every other key counts, and so does a new file
	New      string   // why a new file counts regardless of Keys; "" when it does not
	Effects  bool     // Keys are attributes, of which the effect on files counts
}

// BuiltIn is the list of protected files, the inputs of the gate first. It is documented and versioned.
var BuiltIn = []Protected{
	{
		Patterns: []string{".closeout", ".closeout/**"},
		Reason:   "the gate's own inputs",
	},
	{
		Patterns: []string{
			".github", ".github/workflows", ".github/workflows/**", ".github/actions", ".github/actions/**",
			"action.yml", "action.yaml",
		},
		Reason: "workflows and actions decide whether the gate runs at all",
	},
	{
		Patterns: []string{"CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS"},
		Reason:   "code owners decide who must review",
	},
	{
		Patterns: []string{
			"**/AGENTS.md", "**/CLAUDE.md", "**/GEMINI.md", "**/.claude/**", "**/.cursor/**", "**/.codex/**", "**/.gemini/**",
			"**/.cursorrules", "**/.windsurfrules", "**/.mcp.json", ".github/copilot-instructions.md",
			".github/{agents,hooks,instructions,prompts}/**", ".vscode/{mcp,tasks}.json",
		},
		Reason: "instructions, tools and hooks of coding agents",
	},
	{
		Patterns: []string{
			"**/{Makefile,makefile,GNUmakefile,Justfile,justfile,Rakefile,noxfile.py}", "**/Taskfile.{yml,yaml}",
		},
		Reason: "it defines what an acceptance command runs",
	},
	{
		Patterns: []string{
			"**/{conftest.py,pytest.ini,.pytest.ini,pytest.toml,.pytest.toml,tox.ini,setup.cfg}",
			"**/{sitecustomize,usercustomize}.py", "**/.coveragerc",
		},
		Reason: "configuration of Python's test runners",
	},
	{
		Patterns: []string{
			"**/{jest,vitest,vite,playwright,cypress,ava}.config.*", "**/jest.setup.*", "**/vitest.workspace.*", "**/karma.conf.*",
			"**/.mocharc.*", "**/{.nycrc,.nycrc.json,.npmrc,bunfig.toml}",
		},
		Reason: "configuration of JavaScript's test runners",
	},
	{
		Patterns: []string{"**/.yarnrc.yml", "**/.pnpmfile.*"},
		Reason:   "it decides which packages are installed, and what runs then",
	},
	{
		Patterns: []string{
			"**/{phpunit.xml,phpunit.xml.dist,.rspec,.bazelrc}", "**/.cargo/{config,config.toml}", "**/go.work", "**/.mvn/**",
			"**/tools/bazel",
		},
		Reason: "configuration of a test runner or a build tool",
	},
	{
		Patterns: []string{
			"**/{eslint.config.*,.eslintrc*,.eslintignore}", "**/{ruff.toml,.ruff.toml,.flake8,mypy.ini}", "**/.golangci.*",
			"**/biome.json*",
		},
		Reason: "configuration of a linter",
	},
	{
		Patterns: []string{".gitmodules", ".lfsconfig"},
		Reason:   "it decides which files a checkout gets, and from where",
	},
	{
		Patterns: []string{"**/.gitattributes"},
		Reason:   "it decides which bytes a checkout writes",
		Keys:     append(slices.Clone(change.ConvertingAttributes), change.MacroPrefix),
		Effects:  true,
	},
	{
		Patterns: []string{"**/package.json"},
		Reason:   "its scripts, test settings and overrides define what an acceptance command runs",
		Keys:     append([]string{"scripts", "workspaces"}, manifestKeys...),
		NewKeys:  manifestKeys,
	},
	{
		Patterns: []string{"**/go.mod"},
		Reason:   "a replace directive swaps the code that is tested",
		Keys:     []string{"replace"},
		New:      "a new module takes its packages out of the one that is tested",
	},
	{
		Patterns: []string{"**/pyproject.toml"},
		Reason:   "configuration of Python's build, test runners and linters",
		Harmless: []string{
			"project.version", "project.description", "project.readme", "project.authors", "project.maintainers", "project.keywords",
			"project.classifiers", "project.urls", "project.license", "project.dependencies", "project.optional-dependencies",
			"dependency-groups", "tool.poetry.version", "tool.poetry.description", "tool.poetry.dependencies", "tool.poetry.group",
		},
	},
	{
		Patterns: []string{"**/pnpm-workspace.yaml"},
		Reason:   "it decides which packages are installed, and what runs then",
		Harmless: []string{"catalog", "catalogs", "minimumReleaseAgeExclude", "peerDependencyRules"},
	},
}

// manifestKeys are the keys of package.json that a new package does not need: all but scripts for its own directory.
var manifestKeys = []string{
	"jest", "mocha", "ava", "nyc", "c8", "tap", "vitest", "overrides", "resolutions", "pnpm", "eslintConfig", "eslintIgnore",
}

// counts reports whether a change to a file of the entry counts, and which changed keys make it count. exact is false when
// the file name is another spelling, whose keys no program reads.
func (e *Protected) counts(c *change.Change, exact bool) (keys []string, ok bool) {
	if e.Keys == nil && e.Harmless == nil || !exact {
		return nil, true
	}
	if e.Effects {
		return nil, !c.KeysKnown || slices.Contains(c.KeysChanged, change.AnyKey) || c.Converts() != nil
	}
	switch c.Status {
	case change.Added:
		if e.New != "" || e.Harmless != nil {
			return nil, true
		}
		keys = matching(c.KeysChanged, e.isNewKey)
		return keys, len(keys) > 0
	case change.Modified:
		if c.KeysKnown {
			keys = matching(c.KeysChanged, e.isKey)
			return keys, len(keys) > 0
		}
	}
	return nil, true
}

func (e *Protected) isNewKey(key string) bool {
	return key == change.AnyKey || slices.Contains(e.NewKeys, topLevel(key))
}

func (e *Protected) isKey(key string) bool {
	if e.Harmless == nil {
		return key == change.AnyKey || slices.Contains(e.Keys, topLevel(key))
	}
	return !slices.ContainsFunc(e.Harmless, func(h string) bool { return key == h || strings.HasPrefix(key, h+".") })
}

func topLevel(key string) string {
	top, _, _ := strings.Cut(key, ".")
	return top
}

func matching(keys []string, counts func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !counts(k) })
}

// why is the reason of a finding about a file of the entry: the pattern, and the keys that count.
func (e *Protected) why(pattern string, c *change.Change, keys []string) string {
	reason := e.Reason
	if e.New != "" && c.Status == change.Added {
		reason = e.New
	}
	reason += " (" + pattern + ")"
	if e.Effects {
		return reason + effects(c)
	}
	const most = 5
	switch {
	case len(keys) > most:
		reason += fmt.Sprintf("; keys that count: %s and %d more", strings.Join(keys[:most], ", "), len(keys)-most)
	case len(keys) > 0:
		reason += "; keys that count: " + strings.Join(keys, ", ")
	}
	return reason
}

// effects describes what a change of attributes does to the bytes that a checkout writes.
func effects(c *change.Change) string {
	if !c.KeysKnown {
		return "; what it does to existing files is unknown"
	}
	var list []string
	for i := range c.Attributes {
		if e := &c.Attributes[i]; !e.Hides() {
			list = append(list, effect(e))
		}
	}
	if len(list) == 0 {
		return ""
	}
	const most = 5
	if more := len(list) - most; more > 0 {
		list = append(list[:most], fmt.Sprintf("and %d more", more))
	}
	return "; " + strings.Join(list, "; ")
}

func effect(e *change.Effect) string {
	if name, isMacro := strings.CutPrefix(e.Attribute, change.MacroPrefix); isMacro {
		return fmt.Sprintf("the macro %s is %q instead of %q", name, e.Now, e.Was)
	}
	kind := "file"
	if e.New {
		kind = "new file"
	}
	return fmt.Sprintf("%s is %s instead of %s for %s", e.Attribute, e.Now, e.Was, Paths(e, kind))
}

// Paths counts the files that a change of attributes is about, and names the first.
func Paths(e *change.Effect, kind string) string {
	names := slices.Clone(e.Paths)
	if more := e.Files - int64(len(names)); more > 0 && len(names) > 0 {
		names = append(names, "…")
	}
	text := input.Plural(e.Files, kind)
	if len(names) > 0 {
		text += " (" + strings.Join(names, ", ") + ")"
	}
	return text
}
