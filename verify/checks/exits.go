package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/ledger"
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
	case !ledger.Cut(exit) || name == "":
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

// nearest says which recorded command is most like that of a criterion, and how it differs.
func nearest(c *contract.Criterion, x *ledger.Near) string {
	text := fmt.Sprintf("the nearest recorded command is %s (%s:%d), ", x.Text, x.Stream, x.Line)
	var differs []string
	switch lacks, adds := without(c.Run, x.Words), without(x.Words, c.Run); {
	case x.Shell:
		differs = append(differs, "which needs a shell: record the words of the contract")
	case len(lacks)+len(adds) == 0 && !slices.Equal(c.Run, x.Words):
		differs = append(differs, "with the words in another order")
	default:
		if len(lacks) > 0 {
			differs = append(differs, "without "+quoted(lacks))
		}
		if len(adds) > 0 {
			differs = append(differs, "with "+quoted(adds)+" in addition")
		}
	}
	if x.Cwd != c.Cwd {
		where := "outside of the repository"
		if x.Cwd != "" {
			where = "in " + x.Cwd
		}
		differs = append(differs, fmt.Sprintf("%s instead of %s", where, c.Cwd))
	}
	return text + strings.Join(differs, ", ")
}

// without lists the words of a that b lacks, as often as it lacks them.
func without(a, b []string) []string {
	left := slices.Clone(b)
	var list []string
	for _, word := range a {
		if i := slices.Index(left, word); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			list = append(list, word)
		}
	}
	return list
}

// quoted lists words for a message, the first ones.
func quoted(words []string) string {
	const most = 5
	var list []string
	for _, word := range words[:min(len(words), most)] {
		list = append(list, strconv.Quote(cutText(word)))
	}
	if more := len(words) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more words", more))
	}
	return strings.Join(list, " ")
}
