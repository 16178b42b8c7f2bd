package policy

// ProtectedVersion counts the changes of the built-in list of protected files. It stands in the docs beside the list.
const ProtectedVersion = 1

// Protected is an entry of the built-in list: files that no allow pattern lets an agent touch, because they decide how
// the gate, the agent or an acceptance command behaves.
type Protected struct {
	Patterns []string
	Reason   string
	// Keys limits the entry to changes of these top-level keys, where somebody looked which keys changed. A new file
	// with keys is no finding.
	Keys []string
}

// BuiltIn is the list of protected files, the gate's own inputs first. Design: "Protected, as a documented and
// versioned list".
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
			"**/{conftest.py,pytest.ini,.pytest.ini,tox.ini,setup.cfg,pyproject.toml}", "**/{sitecustomize,usercustomize}.py",
			"**/.coveragerc",
		},
		Reason: "configuration of Python's test runners",
	},
	{
		Patterns: []string{
			"**/{jest,vitest,playwright,cypress,ava}.config.*", "**/jest.setup.*", "**/vitest.workspace.*", "**/karma.conf.*",
			"**/.mocharc.*", "**/{.nycrc,.nycrc.json,.npmrc,bunfig.toml}",
		},
		Reason: "configuration of JavaScript's test runners",
	},
	{
		Patterns: []string{"**/{phpunit.xml,phpunit.xml.dist,.rspec,.bazelrc}", "**/.cargo/config.toml", "**/go.work"},
		Reason:   "configuration of a test runner or a build tool",
	},
	{
		Patterns: []string{"**/package.json"},
		Reason:   "its scripts and test settings define what an acceptance command runs",
		Keys:     []string{"scripts", "jest", "mocha", "ava", "nyc", "c8", "tap", "vitest", "workspaces"},
	},
	{
		Patterns: []string{"**/go.mod"},
		Reason:   "a replace directive swaps the code that is tested",
		Keys:     []string{"replace"},
	},
}
