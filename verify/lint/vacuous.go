package lint

import (
	"path"
	"slices"
	"strings"
)

// maxNested is how many shells may call each other.
const maxNested = 4

// vacuous says why a command ends with status 0 whatever the code is; "" when it may fail, or that cannot be determined.
func vacuous(argv []string) string { return simple(words(argv), maxNested) }

func words(argv []string) []word {
	list := make([]word, len(argv))
	for i, arg := range argv {
		list[i] = word{text: arg, quoted: true}
	}
	return list
}

func argvOf(words []word) []string {
	argv := make([]string, len(words))
	for i, w := range words {
		argv[i] = w.text
	}
	return argv
}

// succeeds are programs that always succeed.
const succeeds set = "|" +
	"true|:|echo|printf|"

// passive are programs that only pass on what others wrote.
const passive set = "|" +
	"tee|cat|tail|head|sort|uniq|wc|less|more|tr|cut|ts|nl|column|sed|sleep|"

// simple says why a simple command always succeeds.
func simple(command []word, nested int) string {
	for len(command) > 0 && isAssignment(command[0]) {
		command = command[1:]
	}
	if len(command) == 0 || command[0].dynamic {
		return ""
	}
	argv := unwrap(argvOf(command))
	if len(argv) == 0 {
		return ""
	}
	name := path.Base(argv[0])
	switch {
	case succeeds.has(name):
		return quoted(name) + " always succeeds"
	case name == "exit" && len(argv) > 1 && argv[1] == "0":
		return quoted("exit 0") + " always succeeds"
	case name == "trap" && slices.Contains(argv, "EXIT") && strings.Contains(argv[min(1, len(argv)-1)], "exit 0"):
		return "the trap replaces every exit code by 0"
	}
	if text, flags, ok := shellScript(argv); ok && nested > 0 {
		return scriptPasses(text, flags, nested-1)
	}
	return idleFlag(argv)
}

func quoted(s string) string { return `"` + s + `"` }

// isAssignment reports whether a word is an assignment of a shell.
func isAssignment(w word) bool {
	name, _, found := strings.Cut(w.text, "=")
	return found && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+") == ""
}

// wrappers run the command in their arguments. The first argument of timeout is a time.
const wrappers set = "|env|command|exec|nice|time|timeout|nohup|xvfb-run|stdbuf|npx|bunx|pnpx|builtin|unbuffer|setsid|"

// runners run the command after these two words.
const runners set = "|poetry run|uv run|pipenv run|hatch run|pdm run|rye run|bundle exec|pnpm exec|npm exec|yarn exec|"

// valued are flags of wrappers whose value is the next word.
const valued set = "|" +
	"-u|-n|-k|-s|-p|--package|--with|--extra|--group|"

// unwrap returns the command that a command runs, such as pytest for env CI=1 poetry run pytest.
func unwrap(argv []string) []string {
	for len(argv) > 1 {
		name := path.Base(argv[0])
		switch {
		case wrappers.has(name):
			if argv = afterFlags(argv[1:]); name == "timeout" && len(argv) > 0 {
				argv = argv[1:]
			}
		case runners.has(name + " " + argv[1]):
			argv = afterFlags(argv[2:])
		default:
			return argv
		}
	}
	return argv
}

// afterFlags passes over flags and assignments.
func afterFlags(argv []string) []string {
	for len(argv) > 0 {
		switch {
		case argv[0] == "--":
			return argv[1:]
		case valued.has(argv[0]) && len(argv) > 1:
			argv = argv[2:]
		case strings.HasPrefix(argv[0], "-") && argv[0] != "-", isAssignment(word{text: argv[0]}):
			argv = argv[1:]
		default:
			return argv
		}
	}
	return argv
}

// shellFlags are options of a shell that decide which commands count.
type shellFlags struct{ errexit, pipefail bool }

// set applies the letters and names of options: -e, -eo pipefail, +e.
func (f *shellFlags) set(args []string) (rest []string, command bool) {
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		on := args[0][0] == '-'
		letters := args[0][1:]
		args = args[1:]
		if strings.HasPrefix(letters, "-") { // a long option
			continue
		}
		for _, letter := range letters {
			switch {
			case letter == 'e':
				f.errexit = on
			case letter == 'c':
				command = true
			case letter == 'o' && len(args) > 0:
				f.pipefail = f.pipefail && args[0] != "pipefail" || on && args[0] == "pipefail"
				f.errexit = f.errexit && args[0] != "errexit" || on && args[0] == "errexit"
				args = args[1:]
			}
		}
	}
	return args, command
}

// shellScript returns the script that a command passes to a shell.
func shellScript(argv []string) (text string, flags shellFlags, ok bool) {
	switch path.Base(argv[0]) {
	case "sh", "bash", "dash", "zsh", "ksh", "ash":
		rest, command := flags.set(argv[1:])
		if command && len(rest) > 0 {
			return rest[0], flags, true
		}
	}
	return "", flags, false
}

// scriptPasses says why a script always ends with status 0; "" when it may fail, or that cannot be determined.
func scriptPasses(text string, flags shellFlags, nested int) string {
	list, ok := readScript(text)
	if !ok {
		return ""
	}
	state := status{flags: flags, nested: nested}
	for i := 0; i < len(list); {
		end := i
		for list[end].next == "&&" || list[end].next == "||" {
			end++
		}
		if state.statement(list[i:end+1], i > 0) {
			break
		}
		i = end + 1
	}
	return state.why
}

// status is how a script can end after the statements that were read.
type status struct {
	flags  shellFlags
	nested int
	why    string // why it is 0; "" when it may be another one
}

// statement adds a list of pipelines that && and || join; done is true when nothing after it counts.
func (s *status) statement(list []pipeline, follows bool) (done bool) {
	last := list[len(list)-1]
	if command := list[0].commands[0]; len(list) == 1 && len(last.commands) == 1 {
		switch name := command[0].text; {
		case name == "set":
			s.flags.set(argvOf(command[1:]))
			s.why = "the last command, " + quoted("set") + ", always succeeds"
			return false
		case name == "exit" && (len(command) == 1 || command[1].text == "$?"):
			return true
		case name == "exit" || name == "exec":
			s.why = simple(command, s.nested)
			return true
		case name == "trap":
			s.why = simple(command, s.nested)
			return s.why != ""
		case follows && passive.has(path.Base(name)):
			s.why = "its exit code is that of its last command, " + quoted(name)
			return false
		}
	}
	if last.next == "&" {
		s.why = "the command runs in the background"
		return false
	}
	s.why = s.chain(list)
	return s.why == "" && s.flags.errexit // it may end the script here
}

// chain says why pipelines that && and || join always succeed.
func (s *status) chain(list []pipeline) string {
	why := s.pipeline(list[0].commands)
	for i, p := range list[1:] {
		own := s.pipeline(p.commands)
		switch {
		case list[i].next == "&&" && (why == "" || own == ""):
			why = ""
		case list[i].next == "&&":
			why = own
		case why == "" && own != "":
			why = quoted("|| "+strings.Join(argvOf(p.commands[0]), " ")) + " hides every failure"
		}
	}
	return why
}

// pipeline says why a pipeline always succeeds.
func (s *status) pipeline(commands [][]word) string {
	last := commands[len(commands)-1]
	own := simple(last, s.nested)
	if len(commands) == 1 {
		return own
	}
	if s.flags.pipefail {
		for _, c := range commands {
			if simple(c, s.nested) == "" {
				return ""
			}
		}
		return own
	}
	if name := last[0].text; own != "" || passive.has(path.Base(name)) {
		return "without pipefail, the exit code is that of " + quoted(name) + " at the end of the pipe"
	}
	return ""
}

// idleFlags are flags with which a command of a name succeeds although nothing was checked; "*" is any command.
const idleFlags set = "|" +
	"* --if-present|* --exit-zero|* --passWithNoTests|* --pass-with-no-tests|pytest --collect-only|pytest --co|" +
	"pytest --setup-plan|pytest --fixtures|pytest --markers|jest --listTests|jest --showConfig|make -n|make --dry-run|" +
	"make --just-print|make -i|make --ignore-errors|golangci-lint --issues-exit-code=0|playwright --list|" +
	"playwright --pass-with-no-tests|ctest -N|ctest --show-only|mvn -Dmaven.test.failure.ignore=true|mvn -fn|mvn --fail-never|" +
	"gradle --dry-run|gradle -m|"

// idleFlag says which flag lets a command succeed without a check.
func idleFlag(argv []string) string {
	argv = module(argv)
	name := strings.TrimPrefix(path.Base(argv[0]), "./")
	for _, alias := range [][2]string{{"py.test", "pytest"}, {"gmake", "make"}, {"mvnw", "mvn"}, {"gradlew", "gradle"}} {
		if name == alias[0] {
			name = alias[1]
		}
	}
	if len(argv) == 2 && (argv[1] == "--version" || argv[1] == "--help") {
		return quoted(argv[1]) + " checks nothing"
	}
	for _, arg := range argv[1:] {
		if idleFlags.has("* "+arg) || idleFlags.has(name+" "+arg) {
			return "with " + quoted(arg) + " the command can succeed without a test or a check"
		}
	}
	return ""
}

// module returns the command behind python -m.
func module(argv []string) []string {
	name := path.Base(argv[0])
	if strings.HasPrefix(name, "python") && len(argv) > 2 && argv[1] == "-m" {
		return argv[2:]
	}
	return argv
}
