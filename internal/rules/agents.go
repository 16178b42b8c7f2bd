package rules

import (
	"path"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// AgentFile lists instructions, settings and hooks of coding agents and editors that the built-in list does not protect.
var AgentFile = &Rule{
	ID: "closeout/agent-file", Title: "A file that coding agents or editors obey changes", Severity: input.Info, Languages: []string{"any"},
	Find: func(c *Change, report func(Hit)) {
		for _, f := range c.Files {
			if f.NewID == "" || !obeyedByAgents(f.Path) || foreign(f.Path) || policy.BuiltInProtects(f.Path) {
				continue
			}
			report(Hit{File: f.Path, Detail: "a coding agent or an editor obeys this file", Fix: "let a person read it"})
		}
	},
}

// obeyedByAgents reports whether a path is that of instructions, settings or hooks of a coding agent or an editor.
func obeyedByAgents(name string) bool {
	base := path.Base(name)
	if oneOf(base, "SKILL.md", ".clinerules", ".cursorignore", ".goosehints", ".aider.conf.yml", ".aiderignore", "opencode.json", "devcontainer.json", ".devcontainer.json", "lefthook.yml", "lefthook.yaml") {
		return true
	}
	if path.Base(path.Dir(name)) == ".vscode" {
		return oneOf(base, "settings.json", "launch.json", "extensions.json", "mcp.json", "tasks.json")
	}
	for dir := range strings.SplitSeq(path.Dir(name), "/") {
		if oneOf(dir, ".devcontainer", ".kiro", ".cline", ".clinerules", ".continue", ".roo", ".windsurf", ".junie", ".amazonq", ".agents", ".opencode", ".husky", ".githooks") {
			return true
		}
	}
	return false
}
