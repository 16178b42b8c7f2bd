package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/ecosystem"
	"github.com/closeout-gate/closeout/verify/input"
)

// ProtectedVersion counts the changes of the built-in list of protected files. The docs show it with the list.
const ProtectedVersion = 7

// Protected is an entry of the built-in list: files that an agent may not touch even where a pattern allows them,
// because they decide how the gate, the agent or an acceptance command behaves. With Harmless, a change does not count
// if it changes none but these keys.
type Protected struct {
	Patterns []string
	Reason   string
	Harmless []string // keys that do not count; every other key counts, and so does a new file
	NewKeys  []string // the keys that count in a new file, if not all of it
	Effects  bool     // the effect on files counts, not the content
	// Programs decide with the files of the entry what they do. The entry counts where a command may run one of them;
	// without any, it always counts.
	Programs []string
	Tests    bool                // the entry does not count where a cross run takes the file from the base
	MayGo    bool                // a deletion does not count
	Owned    []ecosystem.Program // the keys of such programs
	Docs     bool                // the entry does not count below a directory of documentation that no command enters
	Here     bool                // the entry counts where a command runs in the directory of the file, or names it
	Pages    []string            // patterns whose names pages of documentation have too; see isPage
}

// Whole reports whether every change of a file of the entry counts.
func (e *Protected) Whole() bool { return e.Harmless == nil && !e.Effects }

// BuiltIn is the list of protected files, the inputs of the gate first. It is documented and versioned.
var BuiltIn = append([]Protected{
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
		Pages:  []string{"**/AGENTS.md", "**/CLAUDE.md", "**/GEMINI.md"},
		Reason: "instructions, tools and hooks of coding agents",
	},
	{
		Patterns: []string{".lfsconfig"},
		Reason:   "it decides which files a checkout gets, and from where",
	},
	{
		Patterns: []string{".gitmodules"},
		Reason:   "it decides which files a checkout gets, and from where",
		Harmless: []string{},
	},
	{
		Patterns: []string{"**/.gitattributes"},
		Reason:   "it decides which bytes a checkout writes",
		Effects:  true,
	},
}, ofEcosystems()...)

// ofEcosystems are the entries of the files that the table of ecosystems lists.
func ofEcosystems() (list []Protected) {
	for _, e := range ecosystem.All {
		manifests := slices.DeleteFunc(slices.Clone(e.Manifests), func(m string) bool {
			keyed := slices.ContainsFunc(e.Keyed, func(k ecosystem.Keyed) bool { return k.Pattern == m })
			run := slices.ContainsFunc(e.Programs, func(p ecosystem.Program) bool { return slices.Contains(p.Files, m) })
			return keyed || run || slices.Contains(e.Free, m) || slices.Contains(e.Config, m)
		})
		for _, column := range []Protected{
			{Patterns: e.Config, Reason: "configuration of the tests of " + e.Name, Tests: true},
			{Patterns: e.Tools, Reason: "configuration of a tool that builds, tests or checks " + e.Name},
			{Patterns: manifests, Reason: "it defines what an acceptance command runs"},
			{Patterns: e.Versions, Reason: "it decides which version of a tool runs", Harmless: []string{}},
		} {
			if column.Patterns = anywhere(column.Patterns...); column.Patterns != nil {
				list = append(list, column)
			}
		}
		if e.Helpers != nil {
			reason := "a runner loads it beside the tests of " + e.Name
			list = append(list, Protected{Patterns: anywhere(e.Helpers...), Reason: reason, Tests: true})
		}
		for _, p := range e.Programs {
			reason := "it decides what " + strings.Join(p.Names, " or ") + " does"
			if p.Files != nil {
				list = append(list, Protected{Patterns: anywhere(p.Files...), Reason: reason, Programs: p.Names})
			}
			if p.Read != nil {
				list = append(list, Protected{Patterns: anywhere(p.Read...), Reason: reason, Programs: p.Names, Harmless: []string{}})
			}
		}
		for _, k := range e.Keyed {
			list = append(list, Protected{
				Patterns: anywhere(k.Pattern), Reason: "it decides what is built, tested and installed", Harmless: k.Harmless, NewKeys: k.NewKeys,
				Owned: e.Programs, MayGo: k.MayGo, Docs: k.Docs, Here: k.Here,
			})
		}
	}
	return list
}

// anywhere are globs of files in any directory.
func anywhere(globs ...string) (list []string) {
	for _, g := range globs {
		list = append(list, "**/"+strings.TrimPrefix(g, "**/"))
	}
	return list
}

// counts reports whether a change to a file of the entry counts, and which changed keys make it count. exact is false
// when the file name is another spelling, whose keys no program reads.
func (e *Protected) counts(c *change.Change, exact bool, p *Policy) (keys []string, ok bool) {
	if e.Whole() || !exact {
		return nil, true
	}
	if e.Effects {
		return nil, !c.KeysKnown || slices.Contains(c.KeysChanged, change.AnyKey) || c.Converts() != nil
	}
	switch c.Status {
	case change.Added:
		if e.NewKeys == nil || (len(e.NewKeys) > 0 && !c.KeysKnown) {
			return nil, true
		}
		keys = matching(c.KeysChanged, func(key string) bool { return e.isNewKey(key) && !e.isIdle(key, p.mayRun) })
		return keys, len(keys) > 0
	case change.Deleted:
		return nil, !e.MayGo
	case change.Modified:
		if c.KeysKnown {
			keys = matching(c.KeysChanged, func(key string) bool { return (e.isKey(key) && !e.isIdle(key, p.mayRun)) || p.namesScript(key) })
			return keys, len(keys) > 0
		}
	}
	return nil, true
}

func (e *Protected) isNewKey(key string) bool {
	return key == change.AnyKey || slices.ContainsFunc(e.NewKeys, func(k string) bool { return isKeyIn(key, k) })
}

func (e *Protected) isKey(key string) bool {
	return !slices.ContainsFunc(e.Harmless, func(h string) bool { return isKeyIn(key, h) })
}

// isIdle reports whether a key belongs to a program that no command may run.
func (e *Protected) isIdle(key string, mayRun func(programs []string) *command) bool {
	key = strings.TrimPrefix(key, "source of ")
	if owner := ecosystem.Owner(key); owner != "" && mayRun([]string{owner}) == nil {
		return true
	}
	return slices.ContainsFunc(e.Owned, func(p ecosystem.Program) bool {
		return slices.ContainsFunc(p.Keys, func(own string) bool { return isKeyIn(key, own) }) && mayRun(p.Names) == nil
	})
}

func isKeyIn(key, parent string) bool { return key == parent || strings.HasPrefix(key, parent+".") }

// namesScript reports whether a key is that of a script or profile that only counts where a command names it, and one
// does.
func (p *Policy) namesScript(key string) bool {
	name, isScript := strings.CutPrefix(key, ecosystem.OtherScripts)
	profile, isProfile := strings.CutPrefix(key, ecosystem.OtherProfiles)
	return (isProfile && p.mayRun(nil) != nil) || slices.ContainsFunc(p.commands, func(c command) bool {
		return (isScript && ecosystem.Names(c.run, []string{path.Base(name)})) || (isProfile && strings.Contains(strings.Join(c.run, " "), profile))
	})
}

func matching(keys []string, counts func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !counts(k) })
}

// why is the reason of a finding about a file of the entry: the pattern, and the keys that count.
func (e *Protected) why(pattern string, c *change.Change, keys []string) string {
	reason := e.Reason + " (" + pattern + ")"
	if e.Effects {
		return reason + effects(c)
	}
	const most = 5
	switch dir := path.Dir(c.Path); {
	case path.Base(c.Path) == "go.mod" && dir != "." && c.Status == change.Added:
		reason += "; a new module: go test ./... of the module above no longer sees " + dir
	case path.Base(c.Path) == "go.mod" && dir != "." && c.Status == change.Deleted:
		reason += "; without it " + dir + " is no module of its own: a command in it runs the module above, or none"
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
