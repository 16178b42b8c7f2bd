package hook

import (
	"encoding/json"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/item"
)

// Answer is what the process prints, and its exit code. The exit code follows the agent's protocol, not closeout's.
type Answer struct {
	Stdout string // one JSON value, or nothing
	Stderr string
	Exit   int
}

// ExitDeny is the exit code that denies a tool.
const ExitDeny = 2

// Silent is the answer without an opinion. Codex wants a JSON value at the end of a turn, and Gemini at each event.
func (c *Call) Silent() Answer {
	if c.Agent == Gemini || (c.Agent == Codex && c.Event == Stop) {
		return Answer{Stdout: "{}\n"}
	}
	return Answer{}
}

// Deny refuses a tool.
func (c *Call) Deny(reason string) Answer {
	a := Answer{Stderr: reason + "\n", Exit: ExitDeny}
	switch c.Agent {
	case Copilot:
		a.Stdout = object("permissionDecision", "deny", "permissionDecisionReason", reason)
	case Cursor:
		a.Stdout = object("permission", "deny", "user_message", reason, "agent_message", reason)
	case Git:
		a.Exit = 1
	}
	return a
}

// Hears reports whether the agent passes a text on to the model at this event.
func (c *Call) Hears() bool {
	switch c.Agent {
	case Copilot, Gemini, Cursor:
		return c.Event != Pre && c.Error == "" && !strings.HasSuffix(c.Name, "Failure") // a tool that failed
	}
	return c.Agent == Claude || c.Agent == Codex
}

// Tell gives the model a text beside what the tool answers, or at the start.
func (c *Call) Tell(text string) Answer {
	text = item.Cut(text, maxContext)
	switch {
	case c.Agent == Git:
		return Answer{Stderr: text + "\n"}
	case !c.Hears():
		return Answer{}
	case c.Agent == Cursor:
		return Answer{Stdout: object("additional_context", text)}
	case c.Agent == Copilot:
		return Answer{Stdout: object("additionalContext", text)}
	}
	return Answer{Stdout: `{"hookSpecificOutput":` + strings.TrimSuffix(object("hookEventName", c.Name, "additionalContext", text), "\n") + "}\n"}
}

// maxContext is the longest text for the model, in bytes. The agents cut at 10,000 characters.
const maxContext = 9000

// Block lets the agent go on instead of stopping.
func (c *Call) Block(reason string) Answer {
	if c.Agent == Cursor { // its next prompt
		return Answer{Stdout: object("followup_message", item.Cut(reason, maxContext))}
	}
	return Answer{Stdout: object("decision", "block", "reason", item.Cut(reason, maxContext))}
}

// Pass lets the agent stop, and tells the person why that is not the end.
func (c *Call) Pass(message string) Answer {
	if c.Agent == Copilot || c.Agent == Cursor { // they know no such message
		return Answer{Stderr: message + "\n"}
	}
	return Answer{Stdout: object("systemMessage", item.Cut(message, maxContext)), Stderr: message + "\n"}
}

// object is a JSON object of texts, in order, with a newline.
func object(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteByte("{,"[min(i, 1)])
		for j, text := range pairs[i : i+2] {
			quoted, _ := json.Marshal(text) // of a string: it cannot fail
			b.Write(quoted)
			if j == 0 {
				b.WriteByte(':')
			}
		}
	}
	return b.String() + "}\n"
}
