package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// command is one command of a line of shell.
type command struct {
	words []string
	after string // the operator behind it: &&, ||, ;, |, & or nothing
}

// shellCommands cuts a line of shell into its commands. Quotes are kept together, and what they contain is no command.
func shellCommands(line string) []command {
	var list []command
	var words []string
	var word strings.Builder
	inWord := false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	end := func(operator string) {
		endWord()
		if len(words) > 0 || operator == "||" {
			list = append(list, command{words, operator})
			words = nil
		}
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' || c == '"':
			close := strings.IndexByte(line[i+1:], c)
			if close < 0 {
				close = len(line) - i - 1
			}
			word.WriteString(line[i+1 : i+1+close])
			inWord = true
			i += close + 1
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			inWord = true
		case c == ' ' || c == '\t':
			endWord()
		case c == '#' && !inWord:
			end("")
			return list
		case begins(line[i:], "&&"), begins(line[i:], "||"):
			end(line[i : i+2])
			i++
		case c == '>' && begins(line[i:], ">&"), c == '&' && begins(line[i:], "&>"):
			i++
		case c == ';' || c == '|' || c == '&':
			end(string(c))
		case c == '(' || c == ')' || c == '`':
			end("")
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	end("")
	return list
}

// checkOf names the check that a command runs, such as "go test" or "eslint"; "" for any other command.
func checkOf(words []string) string {
	words = unwrapped(words)
	if len(words) == 0 {
		return ""
	}
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(words[0]), ".cmd"), ".bat")
	if name == "node" && slices.Contains(words, "--test") {
		return "node --test"
	}
	if begins(name, "python") || oneOf(name, "ruby", "node", "php", "bash", "sh", "pwsh") {
		return scriptCheck(words[1:])
	}
	if found := checkerOf(name, words[1:]); found != "" {
		return found
	}
	if isIn(name, scriptRunners) {
		return runnerCheck(name, words[1:])
	}
	if has(words[0], "/") {
		return scriptCheck(words)
	}
	return ""
}

// runnerCheck names the target or script that a runner such as make or npm runs, when it checks something.
func runnerCheck(name string, words []string) string {
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case isIn(w, " -F --filter -C --prefix --dir --cwd -w workspace -f --directory -p --project "):
			i++
			continue
		case begins(w, "-"), isIn(w, " run exec x dlx "):
			continue
		}
		if found := checkerOf(path.Base(w), words[i+1:]); found != "" {
			return found
		}
		if name == "npm" && (w == "ci") { // it installs
			return ""
		}
		if namesCheck(w) || (name == "npm" && w == "t") {
			return name + " " + w
		}
		if name != "make" {
			return ""
		}
	}
	return ""
}

// checkerOf finds a program among the checkers.
func checkerOf(name string, rest []string) string {
	if len(name) < 2 || len(name) > 20 {
		return ""
	}
	at := strings.Index(" "+checkers, " "+name+"/")
	if at < 0 {
		return ""
	}
	subs, _, _ := strings.Cut(checkers[at+len(name)+1:], " ")
	if subs == "*" {
		return name
	}
	for _, w := range rest {
		w = strings.TrimPrefix(w, ":")
		if begins(w, "-", "+") {
			continue
		}
		if _, last, nested := cutAtLast(w, ":"); nested { // a task of a project of Gradle
			w = last
		}
		if has(","+subs+",", ","+w+",") {
			return name + " " + w
		}
		if !has(name, "mvn", "gradle") {
			return ""
		}
	}
	return ""
}

func cutAtLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// unwrapped removes variables, shellWrappers with their options and durations, and signs of make before a command.
func unwrapped(words []string) []string {
	wrapped := false // what follows a wrapper may belong to it
	for i, w := range words {
		if wrapped && (isIn(w, wrapperWords) || begins(w, "-") || isDigit(at(w, 0))) {
			continue
		}
		if begins(w, "!") || (len(w) > 1 && (w[0] == '@' || (w[0] == '-' && source.IsWord(w[1])))) {
			w = strings.TrimLeft(w, "@-!")
		}
		if wrapped = isIn(w, shellWrappers); wrapped || w == "" || w == "-" || isAssignment(w) {
			continue
		}
		if w != words[i] {
			return append([]string{w}, words[i+1:]...)
		}
		return words[i:]
	}
	return nil
}

func isAssignment(w string) bool {
	name, _, assigned := strings.Cut(w, "=")
	return assigned && name != "" && wordEnd(name) == len(name)
}

// scriptCheck names the script that a command runs, when its name says that it checks something.
func scriptCheck(words []string) string {
	for i, w := range words {
		switch {
		case w == "-m" && i+1 < len(words):
			return checkOf(words[i+1:])
		case w == "-c", w == "-e":
			return ""
		case begins(w, "-"):
			continue
		}
		if base := path.Base(w); namesCheck(strings.TrimSuffix(base, path.Ext(base))) {
			return base
		}
		return ""
	}
	return ""
}

// checksIn lists the checks that a script runs, each once.
func checksIn(script string) []string {
	var found []string
	for _, c := range commandsIn(strings.ReplaceAll(script, "\\\n", " ")) {
		if name := checkOf(c.words); name != "" && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

// commandsIn are the commands of the lines of a script.
func commandsIn(script string) (list []command) {
	for line := range strings.SplitSeq(script, "\n") {
		list = append(list, shellCommands(line[:min(len(line), maxShellLine)])...)
	}
	return list
}

// maxShellLine is the longest line that is read as shell, in bytes.
const maxShellLine = 8 << 10
