// Package hook answers what a coding agent's hook asks: payload bytes in, answer bytes out. It is pure. What a write would be
// judged as is said by the policy, as in the gate.
package hook

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Agent is who calls, and so the form of the answer.
type Agent string

// The agents.
const (
	Claude  Agent = "claude"
	Codex   Agent = "codex"
	Copilot Agent = "copilot"
	Git     Agent = "git" // its pre-commit hook, which has no payload
)

// Event is when an agent calls.
type Event string

// The events. Every other one has no opinion.
const (
	Pre   Event = "pre"   // before a tool
	Post  Event = "post"  // after a tool
	Stop  Event = "stop"  // the agent wants to end its turn
	Start Event = "start" // a session begins
)

// Agents and Events are the values that flags take.
var (
	Agents = []string{string(Claude), string(Codex), string(Copilot), string(Git)}
	Events = []string{string(Pre), string(Post), string(Stop), string(Start)}
)

// eventNames are the names of events in payloads, in small letters.
var eventNames = map[string]Event{
	"pretooluse": Pre, "posttooluse": Post, "posttoolusefailure": Post, "stop": Stop, "agentstop": Stop, "sessionstart": Start,
}

// ownNames are what we call the events where a payload names another one.
var ownNames = map[Event]string{Pre: "PreToolUse", Post: "PostToolUse", Stop: "Stop", Start: "SessionStart"}

// EventOf is the event that an agent calls by a name; "" for one without opinion.
func EventOf(name string) Event {
	return eventNames[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
}

// Call is a payload, as far as it matters.
type Call struct {
	Agent   Agent
	Event   Event  // "" for one without opinion
	Name    string // of the event, as the agent wrote it; "" where a payload does not say
	Session string
	ID      string   // of the call of a tool; "" when unknown
	Dirs    []string // every working directory that the payload names
	Tool    string
	Inputs  []jsontext.Value // arguments of the tool: more than one where a key is there twice
	Result  jsontext.Value   // what the tool answered
	Error   string           // why the tool failed
	Failed  bool             // the payload says that the tool failed
	Again   bool             // the agent goes on because of an earlier block
	Active  bool             // Again was stated
	Running bool             // background tasks run
	Aborted bool             // a person ended the turn
}

// tool is the name of the tool in one spelling: the last part of a name of MCP, in small letters and without separators.
func (c *Call) tool() string {
	name := c.Tool[strings.LastIndex(c.Tool, "__")+1:]
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

// MCP reports whether the tool is one of an MCP server.
func (c *Call) MCP() bool { return strings.HasPrefix(c.Tool, "mcp__") }

// writers are the agents' own tools that write files, by [Call.tool].
var writers = []string{
	"edit", "write", "multiedit", "notebookedit", "create", "strreplaceeditor", "strreplacebasededittool", "strreplace", "insert", "applypatch",
	"writefile", "createfile", "editfile", "deletefile", "replace", "delete",
}

// readers are their tools that change no file.
var readers = []string{
	"read", "view", "glob", "grep", "rg", "ls", "webfetch", "websearch", "todowrite", "todoread", "updateplan", "askuserquestion", "exitplanmode", "fetch",
}

// Writes reports whether the tool is known to write the files that its arguments name.
func (c *Call) Writes() bool {
	if c.MCP() {
		return slices.ContainsFunc(verbs, func(v string) bool { return strings.Contains(c.tool(), v) })
	}
	return slices.Contains(writers, c.tool())
}

// verbs are the words in the name of an MCP tool that writes files. A path that it names counts only if it is absolute: others
// may be relative to anything. What is missed here is seen in the state after the call.
var verbs = []string{"write", "edit", "create", "delete", "remove", "move", "rename", "replace", "insert", "patch", "append", "save"}

// Shell reports whether the tool may have changed any file, so that the state must tell.
func (c *Call) Shell() bool {
	return c.MCP() || c.Tool != "" && !slices.Contains(writers, c.tool()) && !slices.Contains(readers, c.tool())
}
