package run

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/report"
)

// tellInputs says what to write when a directory contains no input: most often it is the repository.
func tellInputs(dir string, found *collect.Found, std console.Streams) {
	const other = "scope_report.json"
	if _, err := os.Lstat(filepath.Join(dir, other)); err == nil {
		std.Tell("", "%q in %q is not read: the gate finds itself which files are off scope", other, dir)
	}
	if len(found.Inputs) > 0 {
		return
	}
	std.Tell("", "%q contains no input, such as scope_contract.json, feedback_record.jsonl, rule_report.json or pr.diff; "+
		"to judge a change in a repository, write closeout verify --base %s", dir, cmp.Or(UsualBase(), "BRANCH"))
}

// Verification are the flags of verify.
type Verification struct {
	Files    collect.Options
	Trees    Trees
	Bundle   string
	Settings verify.Settings
	Report   string
	Format   string
	Quiet    bool
}

// Run judges, and writes and prints the report. given are the flags of the call that name inputs, wrong is what is wrong with those
// about trees: an older report goes before the call is looked at.
func (f *Verification) Run(args, given []string, wrong error, std console.Streams) error {
	target := ReportPath(f.Report, args)
	if f.Report == "" && f.Bundle != "" {
		target = filepath.Join(f.Bundle, report.FileName)
	}
	old, watch, err := f.begin(target, args, std)
	if err != nil {
		return err
	}
	defer watch.Stop()
	format, err := f.check(args, given, wrong)
	if err != nil {
		return err
	}
	found, err := f.Find(args, std)
	if err != nil {
		return err
	}
	if found.Contains(target) {
		return OverInput(target)
	}
	r, err := JudgeAndWrite(found.Bundle, target, watch, std)
	if err != nil {
		return err
	}
	if len(args) == 1 && old != nil && old.SHA256 != FileSHA256(target) {
		std.Tell("", "the report %q was replaced by a different one: the verdict was %q and is now %q", target, old.Verdict, r.Verdict)
	}
	if err := IntoBundle(r, f.Bundle, target, std); err != nil {
		return err
	}
	if err := printBeside(format, r, target, f.Quiet, std); err != nil {
		return err
	}
	return Ended(r)
}

// begin removes an older report, unless its path is that of an input. A bundle that is
// still to be written contains none: its directory must be empty.
func (f *Verification) begin(target string, args []string, std console.Streams) (*collect.Stale, *Watch, error) {
	options := f.Files
	if here, err := os.Getwd(); err == nil {
		options.Root = here
	}
	over := options.NamesFile(target)
	if len(args) == 1 {
		bundle, err := collect.Bundle(args[0])
		over = over || (err == nil && bundle.Contains(target))
	}
	switch {
	case target == ToStdout:
	case over:
		return nil, nil, OverInput(target)
	case f.Report == "" && f.Bundle != "":
		return nil, ReportOnSignal(target, f.Settings, std), nil
	}
	return Begin(target, f.Settings, std)
}

// check refuses a call that cannot be carried out.
func (f *Verification) check(args, given []string, wrong error) (present.Format, error) {
	format, err := present.FormatNamed(f.Format)
	if err != nil {
		return format, err
	}
	if err := f.Settings.Check(); err != nil {
		return format, err
	}
	switch {
	case len(args) == 1 && len(given) > 0:
		return format, fmt.Errorf("%s cannot be given beside a BUNDLE, which contains its inputs under their names; if %q is no BUNDLE, put the pattern before it into quotes", strings.Join(given, ", "), args[0])
	case len(args) == 0 && len(given) == 0:
		return format, fmt.Errorf("nothing to judge: name a BUNDLE, --base, or the inputs; in a repository, write closeout verify --base %s (see closeout verify --help)", cmp.Or(UsualBase(), "BRANCH"))
	}
	return format, wrong
}

// Find lists the inputs, of which nothing is judged yet, and adds the settings.
func (f *Verification) Find(args []string, std console.Streams) (found *collect.Found, err error) {
	settings := f.Settings
	if len(args) == 1 {
		if found, err = collect.Bundle(args[0]); err != nil { // which is judged on the day that its facts name
			return nil, NotABundle("closeout verify", args[0], err)
		}
		tellInputs(args[0], found, std)
	} else {
		settings.Today = Today()
		f.Files.Settings = settings
		if f.Files.Root, err = os.Getwd(); err != nil {
			return nil, err
		}
		if f.Trees.Base == "" {
			found, err = collect.Files(f.Files)
		} else {
			found, err = f.Trees.Collect(f.Files, f.Bundle)
		}
	}
	if err != nil {
		return nil, err
	}
	settings.Notes = found.Settings.Notes
	found.Settings = settings
	return found, nil
}
