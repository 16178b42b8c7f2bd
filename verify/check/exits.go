package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/proof"
)

// signals are the names of those that end a command, by their number on Linux.
var signals = map[int64]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV",
	13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
}

// ExitWords says what an exit code means, as far as shells and timeout(1) give it a meaning. A shell that does not find the
// program of one of its commands exits with 127 as well.
func ExitWords(exit int64, program string) string {
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
		return text + ": program not found: " + strconv.Quote(CutText(program)) + " or one that it starts"
	case !proof.Cut(exit) || name == "":
		return text
	case name == "SIGKILL":
		return text + ": killed by SIGKILL, often because memory ran out"
	default:
		return text + ": killed by " + name
	}
}

// CutText makes words of a record fit into a message.
func CutText(s string) string {
	const most = 200
	fields := strings.Join(strings.Fields(s), " ")
	if runes := []rune(fields); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return fields
}

// ChangedPaths names the first paths that the record names as changed, "" when it names none. They are words of the
// change and may be long.
func ChangedPaths(lead string, d *proof.Deciding) string {
	const most, longest = 5, 100
	var list []string
	for _, path := range d.Last.ChangedPaths {
		if len(list) == most {
			list = append(list, "…")
			break
		}
		if runes := []rune(path); len(runes) > longest {
			path = string(runes[:longest]) + "…"
		}
		list = append(list, fmt.Sprintf("%q", path))
	}
	if len(list) == 0 {
		return ""
	}
	return lead + strings.Join(list, ", ")
}
