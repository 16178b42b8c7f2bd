package policy

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/ecosystem"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

// command is a command of the contracts. The files that its arguments name decide what it proves.
type command struct {
	by  string // its name in a ruling
	run []string
	cwd string
	Clause
}

// arguments are the files that commands name, by their folded path.
type arguments map[string]argument

// argument is a file that a command names, in every spelling, and the first command that does so.
type argument struct {
	*command
	paths map[string]bool
}

func (a arguments) add(path string, by *command) {
	folded := glob.Fold(path)
	if _, ok := a[folded]; !ok {
		a[folded] = argument{by, map[string]bool{}}
	}
	a[folded].paths[path] = true
}

// maxArguments is how many words of all commands are tried as paths, once in each directory that the command changes to.
// A usual contract has some dozens.
const maxArguments = 100_000

// argumentPaths collects the files that the words of commands may name, relative to the cwd of each command and to the
// directories that it changes to. Scripts such as the one after bash -c are split at blanks and operators, so that a script
// that they call is found as well. excess is the command that exceeds maxArguments; nil when none does.
func argumentPaths(commands []command) (paths arguments, excess *command) {
	paths = arguments{}
	left := maxArguments
	for i := range commands {
		c := &commands[i]
		words, dirs := wordsAndDirs(c)
		if left -= len(words) * len(dirs); left < 0 {
			return paths, c
		}
		for _, dir := range dirs {
			for _, w := range words {
				if p := argumentPath(dir, w); p != "" {
					paths.add(p, c)
				}
			}
		}
	}
	return paths, nil
}

// wordsAndDirs returns the distinct words of a command, and the directories in which it may use them.
func wordsAndDirs(c *command) (words, dirs []string) {
	for _, arg := range c.run {
		words = append(words, argumentWords(arg)...)
	}
	dirs = []string{c.cwd}
	for i := 1; i < len(words); i++ {
		if words[i-1] == "cd" || words[i-1] == "-C" {
			dirs = append(dirs, path.Join(c.cwd, words[i]))
		}
	}
	return unique(words), unique(dirs)
}

// dirsOf are the directories in which commands may run, folded; and * where they may run in any.
func dirsOf(commands []command) map[string]bool {
	all := map[string]bool{}
	for i := range commands {
		_, dirs := wordsAndDirs(&commands[i])
		dirs = slices.DeleteFunc(dirs, func(dir string) bool { return strings.HasPrefix(path.Base(dir), "-") }) // the option itself
		if len(dirs) > 2 || strings.ContainsAny(strings.Join(commands[i].run, ""), "*?[{~") {                   // one may be below another
			all["*"] = true
		}
		for _, dir := range dirs {
			all[glob.Fold(path.Clean(dir))] = true
		}
	}
	return all
}

// unique sorts a list and removes duplicates.
func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// mayRun is the first command that names one of the programs or, without any such, that may run anything; nil when none may.
// Of a group, whose commands stand in other contracts, each program may run.
func (p *Policy) mayRun(programs []string) *command {
	var may *command
	if len(p.commands) == 0 {
		may = &command{by: "a criterion"}
	}
	for i := range p.commands {
		c := &p.commands[i]
		if ecosystem.Names(c.run, programs) {
			return c
		}
		if may == nil && !ecosystem.Plain(c.run) {
			may = c
		}
	}
	return may
}

// worksIn reports whether a command runs in a directory, names it, or may run anything.
func (p *Policy) worksIn(dir string) bool {
	dir = glob.Fold(dir)
	return p.dirs[dir] || p.dirs["*"] || p.arguments[dir].command != nil || p.mayRun(nil) != nil
}

// tooManyArguments is the problem of a command that exceeds maxArguments, in the contract that names it.
func (p *Policy) tooManyArguments(c *command) Problem {
	e := input.Error{
		Where: "/acceptance_criteria", Message: "the commands contain too many words that may be files",
		Found:    fmt.Sprintf("more than %d with %s, in the directories that it changes to", maxArguments, c.by),
		Expected: fmt.Sprintf("at most %d in all commands", maxArguments), Fix: "put long commands into a script, and name the script",
	}
	for _, criterion := range p.Criteria {
		if c.by == "the criterion "+criterion.ID {
			e.Pos = criterion.Pos
			return Problem{p.origin[criterion.ID], e}
		}
	}
	from := slices.IndexFunc(p.Sources, func(s Source) bool { return s.Contract.Rules.Run != nil })
	e.Pos, e.Where = p.Sources[from].Contract.Rules.Pos, "/rules/run"
	return Problem{from, e}
}

// Names reports whether a command of the contracts may name a path.
func (p *Policy) Names(path string) bool { return p.arguments[glob.Fold(path)].paths[path] }

// ArgumentPaths lists the paths that the commands of the contracts may name, sorted, whether or not the files exist.
func (p *Policy) ArgumentPaths() []string {
	var list []string
	for _, a := range p.arguments {
		list = slices.AppendSeq(list, maps.Keys(a.paths))
	}
	slices.Sort(list)
	return list
}

// argumentWords returns an argument, its words, and the parts of each word that is a list, a prefix or an option.
func argumentWords(arg string) []string {
	words := append([]string{arg}, strings.FieldsFunc(arg, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n;&|()<>\"'`", r)
	})...)
	for _, w := range words {
		parts := strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("=,:", r) })
		if len(parts) > 1 {
			words = append(words, parts...)
		}
		if len(w) > 2 && w[0] == '-' && w[1] != '-' {
			words = append(words, w[2:])
		}
	}
	return words
}

// argumentPath is the path that a word names; "" when it cannot be a file of the repository.
func argumentPath(dir, word string) string {
	word, _, _ = strings.Cut(strings.TrimPrefix(word, "@"), "::")
	for _, here := range []string{"$PWD/", "${PWD}/"} {
		word = strings.TrimPrefix(word, here)
	}
	if word == "" || strings.HasPrefix(word, "/") {
		return ""
	}
	p := path.Join(dir, word)
	if p == "." || p == ".." || strings.HasPrefix(p, "../") {
		return ""
	}
	return p
}
