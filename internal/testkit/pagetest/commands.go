package pagetest

import (
	"strings"
	"unicode"
)

// WorkflowCommand is what a workflow runner would do because of a line.
type WorkflowCommand struct {
	Name       string
	Properties map[string]string
	Data       string
}

// Commands reads text as the runner reads a step's output, after the facts known of it: lines end at CR, LF or both;
// "::name key=value,key=value::data" counts at the start of a line after any white space; "##[name …]" counts anywhere.
// It is stricter in two ways: any name is a command, known or not, and characters that its comparison ignores are
// dropped first.
func Commands(text string) []WorkflowCommand {
	var found []WorkflowCommand
	for _, l := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if c, ok := readCommand(dropIgnorable(l)); ok {
			found = append(found, c)
		}
	}
	return found
}

func dropIgnorable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, s)
}

func readCommand(l string) (WorkflowCommand, bool) {
	if rest, ok := strings.CutPrefix(strings.TrimLeftFunc(l, unicode.IsSpace), "::"); ok {
		if head, data, ok := strings.Cut(rest, "::"); ok {
			return newCommand(head, ",", data), true
		}
	}
	if _, rest, ok := strings.Cut(l, "##["); ok {
		if head, data, ok := strings.Cut(rest, "]"); ok {
			return newCommand(head, ";", data), true
		}
	}
	return WorkflowCommand{}, false
}

func newCommand(head, separator, data string) WorkflowCommand {
	name, rest, _ := strings.Cut(head, " ")
	c := WorkflowCommand{Name: name, Properties: map[string]string{}, Data: unescape(data)}
	for _, p := range strings.Split(strings.TrimSpace(rest), separator) {
		if key, value, ok := strings.Cut(p, "="); ok {
			c.Properties[key] = unescape(value)
		}
	}
	return c
}

// unescape undoes the escapes one kind after the other, the percent sign last, as the runner does.
func unescape(s string) string {
	for _, pair := range [][2]string{{"%0D", "\r"}, {"%0A", "\n"}, {"%3A", ":"}, {"%2C", ","}, {"%25", "%"}} {
		s = strings.ReplaceAll(s, pair[0], pair[1])
	}
	return s
}
