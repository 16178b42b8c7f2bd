package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// refuse ends a call that could not be carried out. A call of the gate still writes a failing report wherever an
// older one could pass for its result: at every path that the call names, and in every directory that may be a bundle.
func refuse(args []string, cause error, std console.Streams) int {
	_ = console.Show(std.Err, false, func(w io.Writer) error { // an error has no reader any more
		_, err := fmt.Fprintln(w, "closeout:", cause)
		return err
	})
	name, at := "run", slices.Index(args, "run")
	if at != 0 {
		name, at = "verify", slices.Index(args, "verify")
	}
	if group := slices.Index(args, "archive"); at < 0 || (group >= 0 && group < at) { // archive verify of older versions judged nothing
		return run.ExitUsage
	}
	call := readLoosely(append(slices.Clone(args[:at]), args[at+1:]...))
	if name == "run" {
		call.words = nil // it judges no directory
	}
	r := verify.Failure(verify.CodeUsage, cause.Error(), "correct the call: see closeout "+name+" --help", verify.Settings{Limits: input.DefaultLimits()})
	for _, path := range call.targets() {
		if err := run.WriteReport(r, path, std); err != nil && err.Error() != cause.Error() {
			std.Tell("", "%v", err)
		}
	}
	return run.ExitUsage
}

// looseCall is what can be read from wrong arguments.
type looseCall struct {
	reports []string // values of --report
	words   []string // what is not a flag, values of flags included
	inputs  bool     // whether a flag names inputs, so that not only a directory can be what was to be judged
}

// readLoosely takes every word that could be a value for one, since an unknown flag may have a value.
func readLoosely(args []string) looseCall {
	var call looseCall
	for i := 0; i < len(args); i++ {
		word, value, joined := strings.Cut(args[i], "=")
		call.inputs = call.inputs || slices.Contains(inputFlags, strings.TrimPrefix(word, "--"))
		switch {
		case word == "--report" && joined:
			call.reports = append(call.reports, value)
		case word == "--report" && i+1 < len(args):
			i++
			call.reports = append(call.reports, args[i])
		case word == "--bundle" || word == "--color":
			if !joined {
				i++ // of --bundle: a directory that this call did not write, whose content is another run's, and may be archived
			}
		case joined:
			call.words = append(call.words, value)
		case !strings.HasPrefix(word, "-"):
			call.words = append(call.words, word)
		}
	}
	return call
}

// targets are the paths for the failing report: those that were named and name no input; the default one in each
// directory; and the default one here when there is nothing else, or when a directory may be the value of a flag.
func (c looseCall) targets() []string {
	var paths []string
	for _, path := range c.reports {
		if !c.namesInput(path) {
			paths = append(paths, path)
		}
	}
	for _, word := range c.words {
		if run.IsDirectory(word) {
			paths = append(paths, run.ReportPath("", []string{word}))
		}
	}
	if len(paths) == 0 || (len(c.reports) == 0 && c.inputs) {
		paths = append(paths, report.FileName)
	}
	return paths
}

// namesInput reports whether a report path could name an input: at a default place, in a directory that may
// be a bundle, or any other word of the call.
func (c looseCall) namesInput(path string) bool {
	if here, err := os.Getwd(); err == nil && (collect.Options{Root: here}).NamesFile(path) {
		return true
	}
	return slices.ContainsFunc(c.words, func(word string) bool {
		if found, err := collect.Bundle(word); err == nil && found.Contains(path) {
			return true
		}
		matches, err := doublestar.PathMatch(filepath.Clean(word), filepath.Clean(path))
		return collect.Overwrites(path, word) || (err == nil && matches)
	})
}
