package lint

import (
	"path"
	"strings"

	"github.com/closeout-gate/closeout/verify/ecosystem"
	"github.com/closeout-gate/closeout/verify/input"
)

// vacuous says why a command ends with status 0 whatever the code is; "" when it may fail, or that cannot be determined.
func vacuous(argv []string) string {
	argv = unwrapped(argv)
	name := path.Base(argv[0])
	switch {
	case succeeds.has(name):
		return quoted(name) + " always succeeds"
	case shells.has(name):
		return hidden(argv)
	}
	return idleFlag(argv)
}

// succeeds are programs that always succeed.
const succeeds set = "|" +
	"true|:|echo|printf|"

// shells are programs that run the script after -c.
const shells set = "|sh|bash|dash|zsh|ksh|ash|"

func quoted(s string) string { return `"` + s + `"` }

// managers are programs that other ones start, and that lint reads themselves: they run a script by its name.
const managers set = "|npm|pnpm|yarn|bun|"

// unwrapped is the command that a command starts, such as make test for env CI=1 make test.
func unwrapped(argv []string) []string {
	for i, word := range argv {
		if !ecosystem.Starts(word) || managers.has(path.Base(word)) {
			return argv[i:]
		}
	}
	return argv
}

// Lint has no parser of shell. These match the end of a script, where a failure is lost most often; a script with quotes,
// comments, groups, loops or an exit before its end is left alone.
var (
	notPlain     = input.Lazily("[\"'#(){}\\\\`]|<<|\\b(?:if|for|while|until|case|exec|trap)\\b|\\bexit\\b[^;&|]*[;&|\\n]|\\bset \\+")
	lostEnd      = input.Lazily(`(?:^|\|\||[^&|;\s][ \t]*[;\n])\s*(true|:|exit 0|echo\b[^|;&\n]*)\s*$`)
	lostPipe     = input.Lazily(`^(?:[^|;&\n]|>&)*\|&?[ \t]*(tee|tail|cat)\b[^|;&\n]*$`)
	severalSteps = input.Lazily(`\S\s*[;\n]\s*\S`)
	errexit      = input.Lazily(`(?:^| )-[a-z]*e|\berrexit\b`)
)

// hidden says what hides every failure in the script that a shell gets; "" when nothing does, or that cannot be determined.
func hidden(argv []string) string {
	at := 1
	for at < len(argv) && !(argv[at][0:min(1, len(argv[at]))] == "-" && strings.HasSuffix(argv[at], "c")) {
		at++
	}
	if at+1 >= len(argv) || notPlain().MatchString(argv[at+1]) {
		return ""
	}
	script := argv[at+1]
	options := strings.Join(argv[1:at+1], " ") + " " + script
	if end := lostEnd().FindStringSubmatch(script); end != nil && !(errexit().MatchString(options) && severalSteps().MatchString(script)) {
		return quoted(end[1]) + " at the end of the script hides every failure"
	}
	if last := lostPipe().FindStringSubmatch(script); last != nil && !strings.Contains(options, "pipefail") {
		return "without pipefail, the exit code is that of " + quoted(last[1]) + " at the end of the pipe"
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
	if started := ecosystem.Started(argv); len(started) > 0 {
		argv = started
	}
	name := path.Base(argv[0])
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
