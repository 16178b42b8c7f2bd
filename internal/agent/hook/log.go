package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/item"
)

// Line is a line of the log of a session: what was asked and answered, without contents of files and outputs of commands.
type Line struct {
	At     string   `json:"at"` // RFC 3339 in UTC, for people: nothing is decided by it
	Agent  Agent    `json:"agent"`
	Event  Event    `json:"event"`
	Tool   string   `json:"tool,omitempty"`
	Paths  []string `json:"paths,omitempty"`  // at most MaxPaths
	Answer string   `json:"answer,omitempty"` // one of the answers; absent for silence
	Code   string   `json:"code,omitempty"`   // of the first ruling
	MS     int64    `json:"ms"`
	ID     string   `json:"id,omitempty"`     // a digest of the call's id: a payload that comes twice counts once
	Call   string   `json:"call,omitempty"`   // a digest of tool and arguments
	Result string   `json:"result,omitempty"` // a digest of the result, without what changes by itself
	Said   bool     `json:"said,omitempty"`   // of a tool that writes no files: the result has a text of several words
	Failed bool     `json:"failed,omitempty"` // the payload says that the tool failed
	Tree   string   `json:"tree,omitempty"`   // of EventStop: the code tree
	Open   string   `json:"open,omitempty"`   // of EventStop: a digest of the fingerprints
}

// The answers.
const (
	AnswerDeny    = "deny"
	AnswerNote    = "note"
	AnswerTold    = "told"  // paths that a tool changed and the contract does not allow
	AnswerNudge   = "nudge" // a stall
	AnswerBlock   = "block"
	AnswerGaveIn  = "stop_gave_in"
	AnswerFailed  = "failed" // closeout itself
	AnswerTimeout = "gave_up"
)

// MaxPaths is how many paths a line lists.
const MaxPaths = 50

// Trial is the session of doctor, which no log keeps.
const Trial = "closeout-doctor"

// Digest is a short digest of some texts.
func Digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Line starts the line of a call.
func (c *Call) Line() Line {
	l := Line{Agent: c.Agent, Event: c.Event, Tool: item.Cut(c.Tool, 100), Failed: c.Failed}
	if c.Event != Post {
		return l
	}
	call := []string{c.Tool}
	for _, input := range c.Inputs {
		call = append(call, string(input))
	}
	l.Call, l.Result = Digest(call...), Digest(normal(string(c.Result)+c.Error))
	l.Said = !c.Writes() && (says(c.Result) || strings.Contains(c.Error, " "))
	if c.ID != "" {
		l.ID = Digest(c.ID)
	}
	return l
}

// MayHold says whether the agent may be held once more: not more often than the contract allows in a session, and never twice
// for the same code tree and the same findings. Two hooks that hold it at once count once.
func MayHold(log []Line, tree, open string, most int) bool {
	held := map[[2]string]bool{}
	for _, l := range log {
		if l.Event == Stop && l.Answer == AnswerBlock {
			held[[2]string{l.Tree, l.Open}] = true
		}
	}
	return !held[[2]string{tree, open}] && len(held) < most
}
