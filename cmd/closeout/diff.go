package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/rules"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

const diffLong = `diff compares two commits by the gate's own rules, the diff rules: tests that are skipped or deleted, weakened
checks, hidden characters. verify --base, run, collect and the action do the same; here nothing else is judged, no contract is
read, and each rule has its own severity.

The base is --base; in GitHub Actions that of the event; else origin/HEAD, origin/main, origin/master, main, master, trunk or
develop, the first that exists.

Exit codes: 0 nothing blocks, 1 a rule blocks, 2 wrong call or environment, 3 a file cannot be read.`

type diffFlags struct {
	run.Trees
	format string
	list   bool
}

var diffFormats = []string{"text", "json"}

func newDiff(std console.Streams) *cobra.Command {
	f := &diffFlags{}
	c := &cobra.Command{
		Use: "diff", Short: "Show skipped tests, weakened checks and secrets in a change, without a contract", Long: diffLong, Args: noWords("--base"),
		Example: "  closeout diff\n  closeout diff --base origin/main --format json\n  closeout diff --list",
		RunE:    func(*cobra.Command, []string) error { return f.run(std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.Base, "base", "", "look at the changes from this `commit`, usually the base branch, to --head")
	flags.StringVar(&f.Head, "head", "HEAD", "the `commit` that is looked at")
	addRepo(flags, &f.Repo, "")
	flags.StringVar(&f.format, "format", diffFormats[0], "`format` of the output: "+strings.Join(diffFormats, ", ")+"; json is the diff_rules.json of a bundle")
	flags.BoolVar(&f.list, "list", false, "print the ids of all rules, with severity and title, and look at no change")
	return c
}

func (f *diffFlags) run(std console.Streams) error {
	if err := input.OneOf("--format is", f.format, diffFormats); err != nil {
		return err
	}
	if f.list {
		return console.Print(std.Out, present.Plain, false, func(w io.Writer, _ bool) error { return listRules(w) })
	}
	found, err := run.DiffRules(&f.Trees, std)
	if err != nil {
		return err
	}
	if f.format == "json" {
		data, err := found.Marshal()
		if err == nil {
			_, err = console.JSON(std.Out).Write(data)
		}
		if err != nil {
			return err
		}
	} else if err := console.Print(std.Out, present.Plain, false, func(w io.Writer, _ bool) error { return present.WriteDiffRules(w, found) }); err != nil {
		return err
	}
	if slices.ContainsFunc(found.Rules, func(r reports.DiffRow) bool { return !r.Passed && r.Severity == input.Block }) {
		return run.Exit{Code: run.ExitFailed}
	}
	return nil
}

// listRules prints the rules with their severities and titles.
func listRules(w io.Writer) error {
	var b strings.Builder
	width := 0
	for _, id := range rules.IDs() {
		width = max(width, len(id))
	}
	for _, id := range rules.IDs() {
		r := rules.ByID(id)
		fmt.Fprintf(&b, "%-5s  %-*s  %s\n", r.Severity, width, r.ID, r.Title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
