package hook

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/closeout-gate/closeout/verify/input"
)

// Choice is what a person chose for the hooks that are installed.
type Choice struct {
	Stop     string // claimed, always or off
	Fail     string // open or closed
	AllTools bool   // the contract denies tools by name: ask before each of them
}

// Entry is a hook as it stands in the settings of an agent.
type Entry struct {
	Event   string // as the agent calls it
	Matcher string // of the tools that it is for; "" for all
	Handler string // a JSON object on one line
	Flat    bool   // handlers stand in the list of an event, with their matcher, and not in groups
}

// guard begins a command: a machine without closeout is left alone. Copilot denies every call of a tool whose hook cannot be
// started. It reads Claude's settings too and takes no notice of "args", nor do old versions of Claude: each command is one for a
// shell, as a whole.
const guard = "command -v closeout >/dev/null 2>&1 || exit 0; "

// wiring is how an agent asks.
type wiring struct {
	events        []string // before and after a tool, at the end and at the start of a session
	files, shells string   // matchers of the tools that write files, and of those that run commands
	writers       []string // tools that write files, which closeout must be asked about
}

// vsCodeWriters are the tools by which VS Code writes files: it reads the hooks of Copilot.
const vsCodeWriters = "create_file|replace_string_in_file|multi_replace_string_in_file|insert_edit_into_file|editFiles|edit_notebook_file"

var wirings = map[string]wiring{
	"claude": {
		[]string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionStart"},
		"Edit|Write|MultiEdit|NotebookEdit|mcp__.*", "|Bash|PowerShell", []string{"Edit", "Write", "NotebookEdit"},
	},
	"codex": {
		[]string{"PreToolUse", "PostToolUse", "Stop", "SessionStart"},
		"apply_patch|mcp__.*", "|Bash", []string{"apply_patch"},
	},
	"copilot": {
		[]string{"preToolUse", "postToolUse", "agentStop", "sessionStart"},
		"edit|create|str_replace_editor|apply_patch|" + vsCodeWriters, "|bash|powershell", []string{"edit", "create", "apply_patch"},
	},
	"gemini": {
		[]string{"BeforeTool", "AfterTool", "AfterAgent", "SessionStart"},
		"write_file|replace|mcp_.*", "|run_shell_command", []string{"write_file", "replace"},
	},
	"cursor": {
		[]string{"preToolUse", "postToolUse", "stop", "sessionStart"},
		"Write|Delete|StrReplace|EditNotebook|ApplyPatch|MCP:.*", "|Shell", []string{"Write", "Delete"},
	},
}

// Entries are the hooks of an agent, in the order in which they are written; that before a tool is the first.
func Entries(agent string, c Choice) (list []Entry) {
	w := wirings[agent]
	for _, event := range w.events {
		matcher, seconds := "", "10"
		switch kind := EventOf(event); {
		case kind == Pre && !c.AllTools:
			matcher = w.files
		case kind == Post:
			matcher = w.files + w.shells
		case kind == Stop && c.Stop == "off":
			continue
		case kind == Stop:
			seconds = "120" // the change is judged
		}
		if agent == "gemini" {
			seconds += "000" // it counts milliseconds
		}
		entry := Entry{Event: event, Matcher: matcher, Flat: IsFlat(agent)}
		entry.Handler = entry.handler(agent, seconds, c)
		list = append(list, entry)
	}
	return list
}

// IsFlat reports whether handlers stand in the list of an event, in a file with a version.
func IsFlat(agent string) bool { return agent == "copilot" || agent == "cursor" }

// handler is what the agent runs, for at most some seconds.
func (e *Entry) handler(agent, seconds string, c Choice) string {
	command, timeout, filter, failure := "command", "timeout", "", ""
	if agent == "copilot" {
		command, timeout = "bash", "timeoutSec"
	}
	if e.Flat && e.Matcher != "" {
		filter = `"matcher": ` + quote(e.Matcher) + ", "
	}
	if c.Fail == "closed" && e.Event == "PreToolUse" && agent == "claude" {
		failure = `, "onFailure": "block"`
	}
	if c.Fail == "closed" && e.Event == "preToolUse" && agent == "cursor" {
		failure = `, "failClosed": true`
	}
	return `{"type": "command", ` + filter + `"` + command + `": ` + quote(shell(agent, e.Event, c)) + `, "` + timeout + `": ` + seconds + failure + "}"
}

// shell is the command for a shell. It says who calls and when, so that no payload does.
func shell(agent, event string, c Choice) string {
	call, before := "closeout hook run --agent "+agent, guard
	if event != "" {
		call += " --event " + string(EventOf(event))
	}
	if c.Stop == "always" {
		call += " --stop always"
	}
	if c.Fail == "closed" {
		call, before = call+" --fail closed", ""
	}
	return before + "exec " + call
}

const preCommitHead = "#!/bin/sh\n# Written by closeout hook install. closeout hook remove deletes this file.\n"

// PreCommit is git's hook.
func PreCommit(c Choice) []byte {
	return []byte(preCommitHead + shell("git", "", Choice{Fail: c.Fail}) + "\n")
}

// CallsUs reports whether a line of a hook of git calls closeout, and whether the whole file is ours.
func CallsUs(hook []byte) (calls, whole bool) {
	rest, ours := strings.CutPrefix(string(hook), preCommitHead)
	for line := range strings.Lines(string(hook)) {
		calls = calls || shellCall(strings.TrimPrefix(line, "! ")) != nil
	}
	return calls, ours && shellCall(rest) != nil && strings.Count(rest, "\n") == 1
}

func quote(words ...string) string {
	var list []string
	for _, w := range words {
		list = append(list, string(hujson.String(w)))
	}
	return strings.Join(list, ", ")
}

// isCall reports whether words call the hook of closeout.
func isCall(words []string) bool {
	if len(words) < 3 || words[1] != "hook" || words[2] != "run" {
		return false
	}
	program := words[0][strings.LastIndexAny(words[0], `/\`)+1:]
	return strings.TrimSuffix(program, ".exe") == "closeout"
}

var (
	separator = input.Lazily(`[;|&\n]+`)
	harmless  = input.Lazily(`[\d&]?>+\s*(&\d|/dev/null)`) // redirections
	nested    = input.Lazily("[`()<>]|\\$[^\\w{]")         // what runs or writes something else
	quotes    = strings.NewReplacer(`"`, "", `'`, "")
)

// shellCall is the call of closeout in a command for a shell; nil when the command does anything else too: then it is not ours
// alone, and stays. Doctor runs what it finds, so a stranger's settings must not smuggle in a command.
func shellCall(command string) (call []string) {
	if command = harmless().ReplaceAllString(command, " "); nested().MatchString(command) {
		return nil
	}
	for _, part := range separator().Split(command, -1) {
		words := strings.Fields(quotes.Replace(part))
		for len(words) > 0 && (words[0] == "exec" || (strings.HasPrefix(words[0], "CLOSEOUT_") && strings.Contains(words[0], "="))) {
			words = words[1:]
		}
		switch {
		case isCall(words) && call == nil:
			call = words
		case len(words) == 0, len(words) > 1 && words[0] == "command" && words[1] == "-v", slices.Contains([]string{"exit", "true", ":"}, words[0]):
		default:
			return nil
		}
	}
	return call
}

// Flag is the value of a flag of the call; "" where it does not have it.
func (h *Hook) Flag(name string) (value string) {
	for i, word := range h.Argv {
		if v, ok := strings.CutPrefix(word, name+"="); ok {
			value = v
		} else if word == name && i+1 < len(h.Argv) {
			value = h.Argv[i+1]
		}
	}
	return value
}

// Probe is the payload of a write to a path, as an agent sends it before the write.
func Probe(agent, root, path string) string {
	common := `"session_id": "` + Trial + `", "tool_use_id": "1", "hook_event_name": "PreToolUse", "cwd": ` + quote(root)
	switch agent {
	case "copilot":
		return `{"sessionId": "` + Trial + `", "timestamp": 0, "toolName": "edit", "cwd": ` + quote(root) + `, "toolArgs": {"path": ` + quote(path) + "}}"
	case "gemini":
		return `{"session_id": "` + Trial + `", "hook_event_name": "BeforeTool", "timestamp": "", "cwd": ` + quote(root) +
			`, "tool_name": "write_file", "tool_input": {"file_path": ` + quote(path) + `, "content": ""}}`
	case "cursor":
		return `{"conversation_id": "` + Trial + `", "generation_id": "1", "hook_event_name": "preToolUse", "workspace_roots": [` + quote(root) + `], "cwd": ` + quote(root) +
			`, "tool_name": "Write", "tool_use_id": "1", "tool_input": {"file_path": ` + quote(path) + `, "content": ""}}`
	case "codex":
		patch := "*** Begin Patch\n*** Update File: " + path + "\n@@\n-a\n+b\n*** End Patch"
		return "{" + common + `, "turn_id": "1", "tool_name": "apply_patch", "tool_input": {"command": ` + quote(patch) + "}}"
	}
	return "{" + common + `, "tool_name": "Write", "tool_input": {"file_path": ` + quote(path) + `, "content": ""}}`
}

// Uncovered are the tools that a matcher leaves out, of those that write files and those that the contract denies. Of a denied glob
// one name is tried.
func Uncovered(agent, matcher string, denied []string) (missing []string) {
	for _, tool := range slices.Concat(wirings[agent].writers, denied) {
		if !covers(agent, matcher, strings.NewReplacer("*", "x", "?", "x").Replace(tool)) {
			missing = append(missing, tool)
		}
	}
	return missing
}

var plainMatcher = input.Lazily(`^[\w ,|-]+$`)

// covers reports whether a matcher selects a tool. For Copilot it is an expression for the whole name. For the others one without
// special characters is a list of names, and any other is an expression for a part of the name.
func covers(agent, matcher, tool string) bool {
	if matcher == "" || (matcher == "*" && agent != "copilot") {
		return true
	}
	if agent == "copilot" || plainMatcher().MatchString(matcher) {
		matcher = "^(?:" + strings.NewReplacer(", ", "|", ",", "|").Replace(matcher) + ")$"
	}
	r, err := regexp.Compile(matcher)
	return err == nil && r.MatchString(tool)
}
