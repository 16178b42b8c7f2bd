package policy

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/glob"
)

// command is a command of the contracts. The files that its words name decide what it proves.
type command struct {
	by  string // how a ruling calls it
	run []string
	cwd string
}

// commands lists the commands of the criteria, and the one that writes the rule report.
func (p *Policy) commands() []command {
	var list []command
	for i := range p.Criteria {
		c := &p.Criteria[i]
		list = append(list, command{"the criterion " + c.ID, c.Run, c.Cwd})
	}
	if p.Rules.Run != nil {
		list = append(list, command{"rules.run", p.Rules.Run, "."})
	}
	return list
}

// arguments are the files that commands name, by their folded path.
type arguments map[string]argument

// argument is a file that a command names, in every spelling, and the first command that does so.
type argument struct {
	by    string
	paths map[string]bool
}

func (a arguments) add(path, by string) {
	folded := glob.Fold(path)
	if _, ok := a[folded]; !ok {
		a[folded] = argument{by, map[string]bool{}}
	}
	a[folded].paths[path] = true
}

// maxArguments is how many words of all commands are tried as paths, each in each folder that its command changes to.
// People write some dozens.
const maxArguments = 100_000

// argumentPaths collects the files that the words of commands may name, relative to each command's cwd and to the folders
// that it changes to. Scripts such as the one after bash -c are taken apart at blanks and operators, so that a script they
// call is seen as well. excess is the command with which there are more than maxArguments; nil when there are not.
func argumentPaths(commands []command) (paths arguments, excess *command) {
	paths = arguments{}
	left := maxArguments
	for i := range commands {
		c := &commands[i]
		words, folders := wordsAndFolders(c)
		if left -= len(words) * len(folders); left < 0 {
			return paths, c
		}
		for _, folder := range folders {
			for _, w := range words {
				if p := argumentPath(folder, w); p != "" {
					paths.add(p, c.by)
				}
			}
		}
	}
	return paths, nil
}

// wordsAndFolders gives the different words of a command, and the folders in which it may use them.
func wordsAndFolders(c *command) (words, folders []string) {
	for _, arg := range c.run {
		words = append(words, argumentWords(arg)...)
	}
	folders = []string{c.cwd}
	for i := 1; i < len(words); i++ {
		if words[i-1] == "cd" || words[i-1] == "-C" {
			folders = append(folders, path.Join(c.cwd, words[i]))
		}
	}
	return unique(words), unique(folders)
}

// unique sorts a list and leaves out what it holds already.
func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// tooManyArguments is the problem of a command with which the words are too many, in the contract that brings it.
func (p *Policy) tooManyArguments(c *command) Problem {
	e := diag.Error{
		Where: "/acceptance_criteria", Message: "the commands have too many words that may be files",
		Found:    fmt.Sprintf("more than %d with %s, in the folders that it changes to", maxArguments, c.by),
		Expected: fmt.Sprintf("at most %d over all commands", maxArguments), Fix: "put long commands into a script, and name that",
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

// ArgumentPaths lists the paths that the words of the contracts' commands may name, sorted; whether there are such files
// is for others to see.
func (p *Policy) ArgumentPaths() []string {
	var list []string
	for _, a := range p.arguments {
		list = slices.AppendSeq(list, maps.Keys(a.paths))
	}
	slices.Sort(list)
	return list
}

// argumentWords gives an argument and its words, and of each the parts that a list, a prefix or an option is made of.
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
func argumentPath(folder, word string) string {
	word, _, _ = strings.Cut(strings.TrimPrefix(word, "@"), "::")
	for _, here := range []string{"$PWD/", "${PWD}/"} {
		word = strings.TrimPrefix(word, here)
	}
	if word == "" || strings.HasPrefix(word, "/") {
		return ""
	}
	p := path.Join(folder, word)
	if p == "." || p == ".." || strings.HasPrefix(p, "../") {
		return ""
	}
	return p
}
