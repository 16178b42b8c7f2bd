package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/collect"
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
	flags.StringVar(&f.Repo, "repo", "", "the git repository: its `directory`, one inside it, or a bare one (default the enclosing one)")
	flags.StringVar(&f.format, "format", diffFormats[0], "`format` of the output: "+strings.Join(diffFormats, ", ")+"; json is the diff_rules.json of a bundle")
	flags.BoolVar(&f.list, "list", false, "print the ids of all rules, with severity and title, and look at no change")
	refuseTwice(flags)
	return c
}

func (f *diffFlags) run(std console.Streams) error {
	if !slices.Contains(diffFormats, f.format) {
		return fmt.Errorf("--format is %q%s expected one of %s", f.format, input.DidYouMean(f.format, diffFormats, ""), strings.Join(diffFormats, ", "))
	}
	if f.list {
		return console.Print(std.Out, present.Plain, false, func(w io.Writer, _ bool) error { return listRules(w) })
	}
	found, err := f.find(std)
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
	} else if err := console.Print(std.Out, present.Plain, false, func(w io.Writer, _ bool) error { return writeRows(w, found) }); err != nil {
		return err
	}
	if slices.ContainsFunc(found.Rules, func(r reports.DiffRow) bool { return !r.Passed && r.Severity == input.Block }) {
		return run.Exit{Code: run.ExitFailed}
	}
	return nil
}

// find runs the rules. What the repository does not contain ends in an exit code of its own.
func (f *diffFlags) find(std console.Streams) (*reports.Diff, error) {
	unknown := func(err error) error {
		text := err.Error()
		var fixed interface{ Fix() string }
		if errors.As(err, &fixed) {
			text += " → " + fixed.Fix()
		}
		fmt.Fprintln(std.Err, "closeout diff:", text)
		return run.Exit{Code: run.ExitReview}
	}
	git, err := collect.OpenGit(orHere(f.Repo), input.DefaultLimits())
	if err != nil {
		return nil, err
	}
	defer git.Close()
	why := ""
	if f.Base, why, err = run.BaseName(git, f.Base, "diff"); err != nil {
		return nil, err
	}
	base, err := git.Resolve(f.Base)
	if err != nil {
		err = run.WrongCommit("base", f.Base, git, err)
	}
	head := ""
	if err == nil {
		if head, err = git.Resolve(f.Head); err != nil {
			err = run.WrongCommit("head", f.Head, git, err)
		}
	}
	switch {
	case err != nil && collect.Unknowable(err):
		return nil, unknown(err)
	case err != nil:
		return nil, err
	}
	shown := strings.TrimPrefix(strings.TrimPrefix(f.Base, "refs/heads/"), "refs/remotes/")
	fmt.Fprintf(std.Err, "closeout diff: the base%s is %s (%.12s)\n", why, shown, base)
	compared := collect.Compare(git, base, head)
	for _, u := range compared.Unavailable {
		if compared.Changes == nil {
			return nil, unknown(fmt.Errorf("%s → %s", u.Error, u.Fix))
		}
	}
	found, err := compared.DiffRules()
	if err != nil {
		return nil, unknown(err)
	}
	return found, nil
}

// orHere is a directory, the working directory for none.
func orHere(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
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

// writeRows prints what was found, the worst first, and how many rules found nothing.
func writeRows(w io.Writer, d *reports.Diff) error {
	var b strings.Builder
	failed := d.Failed()
	input.SortStable(failed, func(x, y reports.DiffRow) int {
		if order := x.Severity.Rank() - y.Severity.Rank(); order != 0 {
			return order
		}
		return x.Compare(&y)
	})
	counts := map[input.Severity]int64{}
	for _, r := range failed {
		counts[r.Severity]++
		writeRow(&b, &r)
	}
	passed := int64(len(d.Rules) - len(failed))
	if len(failed) == 0 {
		fmt.Fprintf(&b, "nothing found by %s\n", input.Plural(passed, "rule"))
	} else {
		fmt.Fprintf(&b, "%d block, %d warn, %d info; %s found nothing\n", counts[input.Block], counts[input.Warn], counts[input.Info], input.Plural(passed, "rule"))
		fmt.Fprintf(&b, "closeout explain %s explains a rule, and what to do.\n", failed[0].ID)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRow prints a row. Its texts and its path come from the change: each stays on its line, so that none looks like a row.
func writeRow(b *strings.Builder, r *reports.DiffRow) {
	place := cmp.Or(present.Neutral(r.File), "the change")
	if r.Line > 0 {
		place += fmt.Sprintf(":%d", r.Line)
	}
	if r.Side == reports.SideBase {
		place += " (at the merge base)"
	}
	fmt.Fprintf(b, "%s: %s %s: %s\n", place, r.Severity, r.ID, present.Neutral(r.Detail))
	for _, part := range []struct{ name, text string }{{"was", r.Was}, {"now", r.Now}, {"fix", r.Fix}} {
		if part.text != "" {
			fmt.Fprintf(b, "    %s: %s\n", part.name, present.Neutral(part.text))
		}
	}
}
