package toolchain

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/ecosystem"
	"github.com/closeout-gate/closeout/verify/glob"
)

// RunnerOf is the runner that a command is or starts, and its ecosystem; nil for any other command.
func RunnerOf(argv []string) (*Ecosystem, *Runner) {
	for i, name := range argv {
		for _, e := range Ecosystems {
			for r := range e.Runners {
				if slices.ContainsFunc(e.Runners[r].Commands, func(command string) bool {
					program, word, more := strings.Cut(command, " ")
					return program == path.Base(name) && (!more || slices.Contains(argv[i+1:], word))
				}) {
					return e, &e.Runners[r]
				}
			}
		}
		if !ecosystem.Starts(name) {
			break
		}
	}
	return nil, nil
}

// RunnerOfScript is the runner of which a script is one call without arguments that matter; nil for any other script.
func (e *Ecosystem) RunnerOfScript(script string) *Runner {
	for i := range e.Runners {
		if r := &e.Runners[i]; r.Script != "" && regexp.MustCompile(r.Script).MatchString(script) {
			return r
		}
	}
	return nil
}

// Options are the arguments that let a runner write its report to a path.
func (r *Report) Options(to string) []string {
	options := slices.Clone(r.Args)
	for i := range options {
		options[i] = strings.ReplaceAll(options[i], "{}", to)
	}
	return options
}

// ActionOf is the action that installs a tool.
func ActionOf(tool string) Action {
	for _, e := range Ecosystems {
		for _, a := range e.Setup {
			if a.Tool == tool {
				return a
			}
		}
	}
	return Action{}
}

// LockFiles are the names of all lock files.
func LockFiles() (names []string) {
	for _, e := range Ecosystems {
		names = append(names, e.Locks...)
		for i := range e.Managers {
			names = append(names, e.Managers[i].Locks...)
		}
	}
	return names
}

// Globs compiles patterns of the table.
func Globs(texts ...string) *glob.Set {
	patterns := make([]glob.Pattern, len(texts))
	for i, text := range texts {
		patterns[i], _ = glob.Parse(text) // a test parses all of them
	}
	return glob.Compile(patterns)
}
