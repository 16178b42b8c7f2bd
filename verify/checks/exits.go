package checks

import (
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/proof"
)

// signals are the names of those that end a command, by their number on Linux.
var signals = map[int64]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV",
	13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
}

// exitWords says what an exit code means, as far as shells and timeout(1) give it a meaning. A shell that does not find the
// program of one of its commands exits with 127 as well.
func exitWords(exit int64, program string) string {
	text := "exit code " + strconv.FormatInt(exit, 10)
	signal := exit - 128
	if exit < 0 {
		signal = -exit
	}
	switch name := signals[signal]; {
	case exit == 124:
		return text + ": timed out"
	case exit == 126:
		return text + ": a program could not be executed"
	case exit == 127:
		return text + ": program not found: " + strconv.Quote(cutText(program)) + " or one that it starts"
	case !proof.Cut(exit) || name == "":
		return text
	case name == "SIGKILL":
		return text + ": killed by SIGKILL, often because memory ran out"
	default:
		return text + ": killed by " + name
	}
}

// cutText makes words of a record fit into a message.
func cutText(s string) string {
	const most = 200
	fields := strings.Join(strings.Fields(s), " ")
	if runes := []rune(fields); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return fields
}
