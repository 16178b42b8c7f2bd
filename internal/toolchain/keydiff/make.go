package keydiff

import (
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

var (
	makeRule      = input.Lazily(`^([^\t#:=][^:=]*):([^=].*|)$`)
	makeAssign    = input.Lazily(`^(?:export\s+|override\s+)*([\w.-]+)\s*(?:[:?+!]|::)?=`)
	makeReference = input.Lazily(`(?:\$[({]?|\{\{\s*)(?:\w+\s+)?([\w.-]+)`)
	makeTests     = input.Lazily(`(?i)test|check|verif|valid|cover|spec|\bci\b|\ball\b|\bqa\b|default|^\.`)
)

// readMake reads the parts of a Makefile or justfile: tests are the rules whose names sound like them, the variables that these use, and
// what else is no rule; code is any other rule.
func readMake(text string) map[string]string {
	var tests, code strings.Builder
	variables := map[string]*strings.Builder{}
	var names []string
	into := &tests
	for line := range strings.Lines(text) {
		switch {
		case strings.TrimSpace(line) == "" || line[0] == '#':
			continue
		case line[0] == '\t' || line[0] == ' ':
		case makeAssign().MatchString(line):
			name := makeAssign().FindStringSubmatch(line)[1]
			if variables[name] == nil {
				variables[name] = &strings.Builder{}
				names = append(names, name)
			}
			into = variables[name]
		case makeRule().MatchString(strings.TrimRight(line, "\r\n")) && !makeTests().MatchString(line) && !strings.ContainsAny(line, "$%\\\r"):
			into = &code
		default:
			into = &tests
		}
		into.WriteString(line)
	}
	// A variable that a rule about tests uses is a part of it, and so are the variables of that one.
	used := []string{"SHELL", "MAKEFLAGS"}
	for _, name := range names {
		if makeTests().MatchString(name) {
			used = append(used, name)
		}
	}
	used = append(used, references(tests.String())...)
	for i := 0; i < len(used); i++ {
		if text := variables[used[i]]; text != nil {
			delete(variables, used[i])
			tests.WriteString(text.String())
			used = append(used, references(text.String())...)
		}
	}
	for _, name := range names {
		if text := variables[name]; text != nil {
			code.WriteString(text.String())
		}
	}
	return map[string]string{"code": code.String(), "tests": tests.String()}
}

// references are the names of the variables that a text uses.
func references(text string) (names []string) {
	for _, m := range makeReference().FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}
