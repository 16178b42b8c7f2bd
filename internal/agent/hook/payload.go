package hook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxPayload is the largest payload that is read, in bytes.
const MaxPayload = 64 << 20

// ErrDeep is a payload that is nested more deeply than it can be read. An agent can be made to send one.
var ErrDeep = errors.New("the payload is nested too deeply")

func newDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Read reads a payload. agent and event are those of the installed command, and count: a payload chooses neither another form of the
// answer nor another event. Only where one is "" does the payload say it, for commands of older versions. Keys that are not known are
// skipped unread, values of another type than expected count as absent.
func Read(data []byte, agent Agent, event Event) (*Call, error) {
	c := &Call{Agent: agent, Event: event}
	seen := map[string]bool{}
	err := members(data, func(key string, value jsontext.Value) {
		seen[key] = true
		c.set(key, value)
	})
	c.decide(seen, agent, event) // also by the half of a payload: what is said about it is in the agent's form
	return c, err
}

// members calls visit with every member of an object, in order, duplicates too.
func members(data []byte, visit func(key string, value jsontext.Value)) error {
	dec := newDecoder(data)
	open, err := dec.ReadToken()
	if err == nil && open.Kind() != '{' {
		err = fmt.Errorf("found %s, expected an object", open.Kind())
	}
	for err == nil && dec.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = dec.ReadToken(); err != nil {
			break
		}
		key := name.String()
		var value jsontext.Value
		if value, err = dec.ReadValue(); err == nil {
			visit(key, value)
		}
	}
	if err == nil {
		_, err = dec.ReadToken() // the end of the object
	}
	if err == nil {
		if _, more := dec.ReadToken(); more != io.EOF {
			err = errors.New("something follows the object")
		}
	}
	if err != nil && strings.Contains(err.Error(), "depth") {
		return ErrDeep
	}
	return err
}

// set takes one member.
func (c *Call) set(key string, value jsontext.Value) {
	switch key {
	case "hook_event_name", "hookEventName":
		c.Name = stringOf(value)
	case "session_id", "sessionId", "conversation_id":
		c.Session = stringOf(value)
	case "tool_use_id", "toolUseId", "toolCallId":
		c.ID = stringOf(value)
	case "cwd":
		if dir := stringOf(value); dir != "" {
			c.Dirs = append(c.Dirs, dir)
		}
	case "workspace_roots":
		_ = walk(value, func(_ string, text func() string) { c.roots = append(c.roots, text()) }) // it was read as JSON
	case "tool_name", "toolName":
		c.name(stringOf(value))
	case "tool_input", "toolArgs":
		c.Inputs = append(c.Inputs, inner(value))
	case "tool_response", "toolResult", "tool_result", "tool_output":
		c.Result = value.Clone()
		c.Failed = c.Failed || strings.Contains(string(value[:min(len(value), 200)]), `"failure"`)
	case "error", "error_message":
		c.Error = stringOf(value)
	case "stop_hook_active", "stopHookActive":
		c.Again, c.Active = c.Again || value.Kind() == 't', true
	case "loop_count":
		c.Again, c.Active = c.Again || (value.Kind() == '0' && string(value) != "0"), true
	case "background_tasks", "backgroundTasks":
		c.Running = value.Kind() == '[' && strings.Contains(string(value), "{")
	case "stop_reason", "stopReason", "reason", "status":
		reason := strings.ToLower(stringOf(value))
		c.Aborted = strings.Contains(reason, "abort") || strings.Contains(reason, "interrupt") || strings.Contains(reason, "cancel")
	}
}

// name takes a name of the tool. Where there are several, a reader may take any: that counts which may do most.
func (c *Call) name(tool string) {
	c.Tools = append(c.Tools, tool)
	other := &Call{Tool: tool}
	if len(c.Tools) == 1 || other.power() > c.power() {
		c.Tool = tool
	}
}

// power orders tools by what they may do to files.
func (c *Call) power() int {
	switch {
	case c.Tool == "":
		return 0
	case c.OnlyReads():
		return 1
	case !c.Writes():
		return 2
	case c.MCP(): // its relative paths may be elsewhere
		return 3
	}
	return 4
}

// decide tells the agent and the event by the keys of the payload, where the command does not.
func (c *Call) decide(seen map[string]bool, agent Agent, event Event) {
	switch {
	case agent != "" && agent != Git:
	case seen["toolName"], seen["toolArgs"], seen["sessionId"]:
		c.Agent = Copilot
	case seen["turn_id"]:
		c.Agent = Codex
	case seen["timestamp"]: // Copilot's payloads in Claude's form have one
		c.Agent = Copilot
	default:
		c.Agent = Claude
	}
	name := strings.ToLower(strings.ReplaceAll(c.Name, "_", ""))
	c.Failed = c.Failed || name == "posttoolusefailure" || c.Error != ""
	if len(c.Dirs) == 0 {
		c.Dirs = c.roots
	}
	switch {
	case event != "" && EventOf(c.Name) != event:
		c.Name = ownNames[event]
	case event != "":
	case c.Name != "":
		c.Event = EventOf(c.Name)
	case seen["toolResult"], seen["error"] && c.Tool != "":
		c.Event = Post
	case c.Tool != "":
		c.Event = Pre
	case seen["stopReason"]:
		c.Event = Stop
	case seen["source"]:
		c.Event = Start
	}
}

// stringOf is the value of a JSON string; "" for anything else.
func stringOf(value jsontext.Value) string {
	if value.Kind() != '"' {
		return ""
	}
	unquoted, _ := jsontext.AppendUnquote(nil, value) // what is not UTF-8 becomes U+FFFD, as in the agent
	return string(unquoted)
}

// inner is a value, or the JSON value that it is the text of. A text that is not JSON stays what it is.
func inner(value jsontext.Value) jsontext.Value {
	if s := jsontext.Value(stringOf(value)); value.Kind() == '"' && (s.Kind() == '{' || s.Kind() == '[') && walk(s, func(string, func() string) {}) == nil {
		return s
	}
	return value.Clone()
}

// walk calls visit with every text in a value and the key that it belongs to, duplicates too. A text that is not asked for is not
// copied.
func walk(data []byte, visit func(key string, text func() string)) error {
	dec, keys := newDecoder(data), []string{""}
	for {
		token, err := dec.ReadToken()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		depth := dec.StackDepth()
		kind, n := dec.StackIndex(depth)
		for len(keys) <= depth {
			keys = append(keys, keys[len(keys)-1]) // the elements of a list belong to its key
		}
		keys = keys[:depth+1]
		switch {
		case token.Kind() != '"':
		case kind == '{' && n%2 == 1:
			keys[depth] = token.String()
		default:
			visit(keys[depth], token.String)
		}
	}
}
