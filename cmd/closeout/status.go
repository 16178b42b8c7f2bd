package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

const statusLong = `status counts the items by state. An item that is PASS stays so; it is holding while it is also proven for the code of HEAD, by
its own submission or by a later one that proved it again.

It says what is not as it was pinned (drift), which lines of the log nothing proves and which therefore do not count, which
commits belong to no item, and where the state folder is.

Once no item is open, and with --replay, it also says what the gate blocks in everything that leads from the base to HEAD,
as far as that needs no evidence: a PASS is about the commits of its item, and not about those between two items.

With --replay, the bundle of each PASS is judged again, and must give the same report, byte for byte.

Exit codes: 0 all are PASS and holding, 1 one is open, STUCK or not holding, or there are drift, ignored lines, other reports
or what the gate blocks, 2 wrong call or environment, 3 only REVIEW is left. With --to: 0 when the file is written.`

type statusFlags struct {
	state, format, to string
	force, replay     bool
}

func newStatus(std stdio) *cobra.Command {
	f := &statusFlags{}
	c := &cobra.Command{
		Use: "status", Short: "Show how many items passed, and whether they still hold", Long: statusLong, Args: noWords(""),
		Example: "  closeout item status\n  closeout item status --format csv --to results.csv\n  closeout item status --replay",
		RunE:    func(*cobra.Command, []string) error { return f.run(std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.format, "format", present.StatusFormats[0], "`format` of the output: "+strings.Join(present.StatusFormats, ", ")+"; csv has a row for each item")
	flags.StringVar(&f.to, "to", "", "write to this new `file`")
	flags.BoolVar(&f.force, "force", false, "with --to: also over a file that is there")
	flags.BoolVar(&f.replay, "replay", false, "judge the bundle of each PASS again")
	addState(flags, &f.state)
	refuseTwice(flags)
	return c
}

func (f *statusFlags) run(std stdio) error {
	if !slices.Contains(present.StatusFormats, f.format) {
		return fmt.Errorf("--format is %q%s expected one of %s", f.format, didYouMean(f.format, present.StatusFormats, ""), strings.Join(present.StatusFormats, ", "))
	}
	b, err := findBoard(f.state)
	if err != nil {
		return err
	}
	defer b.git.Close()
	if err := b.readPinned(); err != nil {
		return err
	}
	b.tellPath("status", std)
	s, err := f.status(b)
	if err != nil {
		return err
	}
	if f.to != "" {
		return f.write(b, s)
	}
	kind := map[string]present.Stream{"json": present.JSON, "csv": present.Commands}[f.format] // the others are Plain
	err = printAs(std.out, kind, false, func(w io.Writer, _ bool) error { return present.WriteStatus(w, s, f.format) })
	if err != nil {
		return err
	}
	return endWith(exitOf(s.Done()))
}

// exitOf is the exit code for items: all passed, or only what a person decides is left, or neither.
func exitOf(passed, review bool) int {
	switch {
	case passed:
		return exitPassed
	case review:
		return exitReview
	}
	return exitFailed
}

// write writes a file with the results. The list and the template stay as they are.
func (f *statusFlags) write(b *board, s *item.Status) error {
	place, err := b.place(f.to)
	if err != nil {
		return err
	}
	if place == b.plan.ListPath || place == b.plan.Template {
		return fmt.Errorf("--to %q is what was scanned: name another file", f.to)
	}
	if _, err := os.Lstat(f.to); !f.force && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--to %q is there already: name another file, or replace it with --force", f.to)
	}
	var data bytes.Buffer
	if err := present.WriteStatus(&data, s, f.format); err != nil {
		return err
	}
	return collect.WriteOther("file", f.to, data.Bytes())
}

// status is the status at HEAD.
func (f *statusFlags) status(b *board) (*item.Status, error) {
	head, err := b.git.Resolve("HEAD")
	if err != nil {
		return nil, err
	}
	tree, err := b.git.CodeTree(head, b.plan.Evidence)
	if err != nil {
		return nil, err
	}
	s := b.state.StatusAt(tree)
	s.Head, s.StateFolder, s.Replayed, s.Drift = head, b.store.Dir, f.replay, b.drift()
	s.Unclaimed = b.unclaimed(head)
	if f.replay {
		s.Differs = b.replayAll()
	}
	if f.replay || s.Counts[item.Todo] == 0 {
		s.Blocked = b.screened(head)
	}
	if f.format == "json" {
		s.Vetoes = b.store.Vetoes()
	}
	return s, nil
}

// screened lists what the gate blocks, by the standing contract and without evidence, in all that leads from the base to a
// commit. Each verdict is about one item: what was committed between two items, or for one that is STUCK, is in no PASS.
func (b *board) screened(head string) []string {
	bases, err := b.git.MergeBases(b.plan.Base, head)
	if err == nil && slices.Contains(bases, head) {
		return []string{} // nothing leads there
	}
	if err == nil && len(bases) == 0 {
		err = errors.New("it has nothing in common with HEAD")
	}
	if err != nil {
		return []string{fmt.Sprintf("the base %.12s: %v", b.plan.Base, err)}
	}
	limits := input.DefaultLimits()
	standing, err := collect.StandingAt(b.git, b.plan.Base, collect.Options{Settings: verify.Settings{Limits: limits}, Parsed: b.parsed})
	if err != nil {
		return []string{err.Error()}
	}
	found, err := b.git.Screen(&collect.Merge{Commit: head, Parent: bases[0]}, standing, limits)
	if err != nil {
		return []string{err.Error()}
	}
	list := []string{}
	for _, fact := range leave(item.FactsOf(&report.Report{Findings: found.Findings}), personsOf(b.store, b.root)) {
		list = append(list, strings.TrimSpace(fact.Code+" "+fact.Path)+": "+fact.Message+" → "+fact.Fix)
	}
	return list
}

// drift lists what is not as it was pinned.
func (b *board) drift() []string {
	p, list := b.plan, []string{}
	for _, file := range []struct{ what, place, digest string }{{"list", p.ListPath, p.ListSHA256}, {"template", p.Template, p.TemplateID}} {
		if file.place == "" {
			continue
		}
		if _, now, err := b.readPlace(file.place, item.MaxList); err != nil {
			list = append(list, fmt.Sprintf("the %s: %v", file.what, err))
		} else if now != file.digest {
			list = append(list, fmt.Sprintf("the %s %q is not as it was pinned", file.what, file.place))
		}
	}
	if now, err := b.git.Resolve(p.BaseName); err != nil {
		list = append(list, fmt.Sprintf("the base %q: %v", p.BaseName, err))
	} else if now != p.Base && b.contractsDiffer(now) {
		list = append(list, fmt.Sprintf("the contracts of the base %s are not those that were pinned (%.12s, now %.12s)", p.BaseName, p.Base, now))
	}
	return list
}

// contractsDiffer reports whether another commit has other contracts than the base.
func (b *board) contractsDiffer(now string) bool {
	names := []string{policy.TasksDir}
	for _, extension := range policy.ContractExtensions {
		names = append(names, policy.StandingContract+extension)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		_, before, _, err := b.git.Entry(b.plan.Base, name)
		_, after, _, other := b.git.Entry(now, name)
		return err != nil || other != nil || before != after
	})
}

// unclaimed are the commits since the base that belong to no item that passed in this work tree, nor to the claimed one, as
// ranges for git log.
func (b *board) unclaimed(head string) []string {
	var passed []*item.Standing
	for _, it := range b.state.Items {
		if it.Pass != nil && it.Pass.Worktree == b.worktree {
			passed = append(passed, it)
		}
	}
	input.SortStable(passed, func(x, y *item.Standing) int { return cmp.Compare(x.Pass.N, y.Pass.N) })
	from, ranges := b.plan.Base, []string{}
	upTo := func(to string) {
		if !b.contains(from, to) { // also where the history was rewritten
			ranges = append(ranges, fmt.Sprintf("%.12s..%.12s", from, to))
		}
	}
	for _, it := range passed {
		upTo(it.Start)
		from = it.Pass.Head
	}
	if it := b.state.Claimed(b.worktree); it != nil {
		head = it.Start
	}
	upTo(head)
	return ranges
}

// replayAll judges the bundle of each PASS again.
func (b *board) replayAll() []string {
	differs := []string{}
	for _, it := range b.state.Items {
		if it.Pass == nil {
			continue
		}
		again, err := judgeAgain("closeout item status", b.store.Path(it.Pass.Bundle), b.parsed)
		switch {
		case err != nil:
			differs = append(differs, fmt.Sprintf("%s: %v", it.ID, input.Reason(err)))
		case !again.Same():
			differs = append(differs, it.ID+": "+strings.Join(again.Differences, "; "))
		}
	}
	return differs
}
