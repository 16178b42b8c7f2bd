package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/evidence"
)

// refuse ends a call that could not be carried out. A call of the gate leaves a failing report all the same, so that an
// older one cannot speak for it.
func refuse(args []string, cause error, std stdio) int {
	fmt.Fprintln(std.err, "closeout:", cause)
	if len(args) == 0 || args[0] != "verify" {
		return exitUsage
	}
	named, positional, others := looseArgs(args[1:])
	path := reportPath(named, positional)
	if namesInput(path, positional, others) {
		path = reportPath("", positional)
	}
	r := verify.Failure(verify.CodeUsage, cause.Error(), "correct the call: see closeout verify --help", verify.Settings{Limits: evidence.DefaultLimits()})
	if err := writeReport(r, path, std); err != nil {
		fmt.Fprintln(std.err, "closeout:", err)
	}
	return exitUsage
}

// namesInput reports whether a report path could be that of an input: of the bundle, or of any other word of the call.
func namesInput(path string, positional, others []string) bool {
	if len(positional) == 1 {
		found, err := collect.Folder(positional[0])
		if err == nil && found.Holds(path) {
			return true
		}
	}
	return slices.ContainsFunc(others, func(word string) bool {
		matches, err := doublestar.PathMatch(filepath.Clean(word), filepath.Clean(path))
		return collect.SameFile(word, path) || err == nil && matches
	})
}

// looseArgs finds the report's path and the bundle among arguments that were not understood; others are all values.
func looseArgs(args []string) (named string, positional, others []string) {
	for i := 0; i < len(args); i++ {
		word, value, joined := strings.Cut(args[i], "=")
		takesNext := !joined && i+1 < len(args)
		switch {
		case word == "--report" && joined:
			named = value
		case word == "--report" && takesNext:
			i++
			named = args[i]
		case joined:
			others = append(others, value)
		case slices.Contains(valueFlags, word) && takesNext:
			i++
			others = append(others, args[i])
		case !strings.HasPrefix(word, "-"):
			positional = append(positional, args[i])
		}
	}
	if len(positional) != 1 {
		positional, others = nil, append(others, positional...)
	}
	return named, positional, others
}

// valueFlags are the flags of verify whose value may be the next word.
var valueFlags = []string{
	"--contract-file", "--task", "--feedback", "--feedback-sha256", "--rules", "--diff", "--facts", "--coverage", "--format", "--mode",
	evidence.FlagRecordBytes, evidence.FlagLogBytes, evidence.FlagContractBytes, evidence.FlagRulesBytes, evidence.FlagDiffBytes,
	evidence.FlagDiffLineBytes, evidence.FlagFiles, evidence.FlagDepth,
}
