package ecosystem

import (
	"path"
	"slices"
	"strings"
)

// starters are programs that run the one in their arguments, and words that stand between the two.
var starters = strings.Fields("npx bunx pnpx npm pnpm yarn bun uv uvx poetry pipenv pdm hatch rye run exec bundle php coverage env " +
	"command time nice nohup timeout stdbuf xvfb-run -m -- python python3")

// valued are options of starters whose value is the next word.
var valued = strings.Fields("--group --only-group --extra --with --package --python --directory --project")

// Started is a command without the programs that start it and without their options, assignments and times: pytest -q for
// env CI=1 timeout 600 poetry run pytest -q. It is empty where nothing is left.
func Started(argv []string) []string {
	for len(argv) > 0 && Starts(argv[0]) {
		if slices.Contains(valued, argv[0]) && len(argv) > 1 {
			argv = argv[1:]
		}
		argv = argv[1:]
	}
	return argv
}

// Starts reports whether a word of a command only starts the program behind it.
func Starts(word string) bool {
	isOption := strings.HasPrefix(word, "-") || strings.Contains(word, "=")
	return isOption || slices.Contains(starters, path.Base(word)) || isNumber(word)
}

// rulesScript is the script that closeout init writes: it runs its arguments, each of which is the id of a linter and a
// command.
const rulesScript = ".closeout/rules.sh"

// IsShell reports whether a program is a shell, which runs the script after its option -c.
func IsShell(program string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh"}, path.Base(program))
}

// builtins are words at the start of a command that run nothing of a repository.
var builtins = []string{"cd", "set", "export", "echo", "mkdir"}

// Names reports whether a word of a command is one of the programs. The words of a script after bash -c count too.
func Names(argv, programs []string) bool {
	for _, arg := range argv {
		for _, word := range strings.FieldsFunc(arg, isBreak) {
			if slices.Contains(programs, path.Base(word)) {
				return true
			}
		}
	}
	return false
}

// Plain reports whether a command only runs tests, a compiler or a linter that it names: what it does besides, no other linter and
// no make decides. A script of the repository, make, tox or npm test may run anything.
func Plain(argv []string) bool {
	if len(argv) == 0 {
		return true
	}
	if argv = Started(argv); len(argv) == 0 {
		return false
	}
	if IsShell(argv[0]) {
		if len(argv) > 2 && argv[1] == rulesScript {
			return !slices.ContainsFunc(argv[2:], func(linter string) bool {
				_, command, found := strings.Cut(linter, ": ")
				if !found {
					command = linter
				}
				return !Plain([]string{argv[0], "-c", command})
			})
		}
		script := argv[len(argv)-1]
		if len(argv) < 3 || !strings.HasSuffix(argv[1], "c") {
			return false
		}
		for part := range strings.FieldsFuncSeq(script, func(r rune) bool { return strings.ContainsRune(";&|\n\r()`", r) }) {
			if words := strings.FieldsFunc(part, isBreak); len(words) > 0 && !slices.Contains(builtins, words[0]) && !Plain(words) {
				return false
			}
		}
		return !strings.ContainsAny(script, "$`")
	}
	return isRun(argv) && !slices.ContainsFunc(argv, func(arg string) bool { return strings.HasPrefix(arg, "-") && strings.Contains(arg, "exec") })
}

// isRun reports whether a command is one that the table lists under Runs.
func isRun(argv []string) bool {
	name := path.Base(argv[0])
	for _, e := range All {
		for _, run := range e.Runs {
			program, word, more := strings.Cut(run, " ")
			if program == name && (!more || firstIs(word, argv[1:])) {
				return true
			}
		}
	}
	return false
}

// firstIs reports whether a word comes before any other that is no option, no toolchain of Cargo and no directory.
func firstIs(word string, args []string) bool {
	for i, arg := range args {
		switch {
		case arg == word:
			return true
		case !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "+") && (i == 0 || args[i-1] != "-C"):
			return false
		}
	}
	return false
}

// isNumber is for the time of timeout.
func isNumber(word string) bool {
	return strings.Trim(word, "0123456789.smh") == "" && strings.ContainsAny(word, "0123456789")
}

func isBreak(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()<>\"'`", r) }
