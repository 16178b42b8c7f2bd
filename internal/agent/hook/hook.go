// Package hook answers what a coding agent's hook asks: payload bytes in, answer bytes out. It is pure. What a write would be
// judged as is said by the policy, as in the gate.
package hook

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// Agent is who calls, and so the form of the answer.
type Agent string

// The agents.
const (
	Claude  Agent = "claude"
	Codex   Agent = "codex"
	Copilot Agent = "copilot"
	Gemini  Agent = "gemini" // Gemini CLI
	Cursor  Agent = "cursor"
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
	Agents = []string{string(Claude), string(Codex), string(Copilot), string(Gemini), string(Cursor), string(Git)}
	Events = []string{string(Pre), string(Post), string(Stop), string(Start)}
)

// eventNames are the names of events in payloads, in small letters.
var eventNames = map[string]Event{
	"pretooluse": Pre, "posttooluse": Post, "posttoolusefailure": Post, "stop": Stop, "agentstop": Stop, "sessionstart": Start,
	"beforetool": Pre, "aftertool": Post, "afteragent": Stop, // Gemini CLI
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
	Tools   []string         // every name that the payload gives the tool
	Inputs  []jsontext.Value // arguments of the tool: more than one where a key is there twice
	Result  jsontext.Value   // what the tool answered
	Error   string           // why the tool failed
	Failed  bool             // the payload says that the tool failed
	Again   bool             // the agent goes on because of an earlier block
	Active  bool             // Again was stated
	Running bool             // background tasks run
	Aborted bool             // a person ended the turn

	roots []string // of the workspace, where the payload names no working directory
}

// tool is the name of the tool in one spelling: the last part of a name of MCP, in small letters and without separators.
func (c *Call) tool() string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(c.own()))
}

// ofCursor begins the name of a tool of an MCP server in Cursor, which does not name the server.
const ofCursor = "MCP:"

// MCP reports whether the tool is one of an MCP server.
func (c *Call) MCP() bool {
	return strings.HasPrefix(c.Tool, "mcp__") || strings.HasPrefix(c.Tool, ofCursor)
}

// own is the name of the tool without its server.
func (c *Call) own() string {
	return strings.TrimPrefix(c.Tool[strings.LastIndex(c.Tool, "__")+1:], ofCursor)
}

// writers are the agents' own tools that write files, by [Call.tool].
var writers = []string{
	"edit", "write", "multiedit", "notebookedit", "create", "strreplaceeditor", "strreplacebasededittool", "strreplace", "insert", "applypatch",
	"writefile", "createfile", "editfile", "deletefile", "replace", "delete",
	"replacestringinfile", "multireplacestringinfile", "inserteditintofile", "editfiles", "editnotebookfile", // of VS Code
}

// readers are their tools that change no file.
var readers = strings.Fields("read view glob grep rg ls webfetch websearch todowrite todoread updateplan askuserquestion exitplanmode " +
	"fetch lsp runtests senduserfile")

// Writes reports whether the tool is known to write the files that its arguments name.
func (c *Call) Writes() bool {
	if c.MCP() {
		return slices.ContainsFunc(c.words(), isVerb)
	}
	return slices.Contains(writers, c.tool())
}

// verbs are in the name of a tool that writes files, readWords are words in the name of one that only reads.
var (
	verbs = strings.Fields("write edit create delete remove move rename replace insert patch append save update modify apply download " +
		"export generate format upsert fix")
	// verbBegins may be before a verb. With one of verbEnds it is not a verb: an editor opens, and a list of edited
	// files is read.
	verbBegins = []string{"", "re", "over", "multi", "un", "auto"}
	verbEnds   = []string{"or", "ors", "ed", "d", "er", "r", "ted", "ter", "ment", "ments", "ture", "tures"}
	// changeWords change something, and need not write the files that they name.
	changeWords = strings.Fields("add set put clear refactor suppress organize restore revert reset checkout undo convert upload drop purge " +
		"truncate extract")
	readWords = strings.Fields("read get list search find grep glob view show cat stat info tree query fetch lookup describe inspect " +
		"explain count open preview analyze diff summary usages lint errors problems hover diagnostics references " +
		"definition definitions symbols outline blame exists is")
)

// OnlyReads reports whether the tool is known to change no file, by its name. What is missed here is seen in the state after the call.
func (c *Call) OnlyReads() bool {
	if !c.MCP() && slices.Contains(readers, c.tool()) {
		return true
	}
	words := c.words()
	if slices.ContainsFunc(words, func(w string) bool { return isVerb(w) || slices.Contains(changeWords, w) }) {
		return false
	}
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(readWords, w) })
}

// isVerb reports whether a word says that files are written, alone or with another word right after it, as in writefile.
func isVerb(word string) bool {
	return slices.ContainsFunc(verbBegins, func(begin string) bool {
		rest, begins := strings.CutPrefix(word, begin)
		return begins && slices.ContainsFunc(verbs, func(v string) bool {
			end, is := strings.CutPrefix(rest, v)
			return is && !slices.Contains(verbEnds, end)
		})
	})
}

// words are the words in the name of the tool, without its server.
func (c *Call) words() []string { return wordsOf(c.own()) }

// wordsOf are the words of a name, in small letters: of read_file as of readFile.
func wordsOf(name string) []string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsUpper(r):
			b.WriteRune(' ')
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			b.WriteRune(' ')
		}
	}
	return strings.Fields(b.String())
}

// forges are in the names of MCP servers whose relative paths are in a repository elsewhere.
var forges = []string{"github", "gitlab", "bitbucket", "gitea", "forgejo"}

// remote reports whether relative paths of the tool are, or may be, in a repository elsewhere.
func (c *Call) remote() bool {
	server, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(c.Tool), "mcp__"), "__")
	unnamed := strings.HasPrefix(c.Tool, ofCursor)
	return c.MCP() && (unnamed || slices.ContainsFunc(forges, func(f string) bool { return strings.Contains(server, f) }))
}

// Shell reports whether the tool may have changed any file, so that the state must tell.
func (c *Call) Shell() bool {
	return c.MCP() || len(c.Tools) > 1 || (c.Tool != "" && !slices.Contains(writers, c.tool()) && !slices.Contains(readers, c.tool()))
}
