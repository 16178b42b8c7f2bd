package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/verify/archive"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

const archiveAddLong = `add prints a stream for git fast-import: one commit on the branch closeout-archive, with the new entries. It prints nothing
when nothing is new. It runs no program, and reads no clock and no network: the same input gives the same commit.

--found takes entries that closeout archive find made. Without GitHub, --decision takes a bundle with its report, and --gap
the reason why there is none; --commit says which commit it is about. Commits are added in the order of the branch. Parent,
date and branch of the commit are read from the clone, unless --date is given with --branch and --parent.

--state is the file state.json of the archive as it is now. Without it the stream makes the first commit of the archive.

Exit codes: 0 the stream is printed, or nothing is new; 1 the input is not whole: a file differs from its digest, the state
contradicts itself, the entries do not follow those of the archive; 2 wrong call or environment.`

type archiveAddFlags struct {
	found, state, repo                    string
	decision, gap, branch, parent, origin string
	after                                 string // the commit that the archive ends with, if the branch leads from there to the commit
	commits                               []string
	date, repairs                         int64
	keep                                  archive.Keep
}

func newArchiveAdd(std stdio) *cobra.Command {
	f := &archiveAddFlags{}
	c := &cobra.Command{
		Use: "add", Short: "Write the commit that adds entries to the archive", Long: archiveAddLong, Args: noWords(""),
		Example: "  closeout archive add --found found --state state.json > stream\n" +
			"  closeout archive add --decision bundle --commit HEAD --state state.json > stream",
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.found, "found", "", "add the entries in this `directory`, which closeout archive find made")
	flags.StringVar(&f.decision, "decision", "", "add the decision of this `bundle`, which contains its report")
	flags.StringVar(&f.gap, "gap", "", "add that there is no decision, and `why`: "+strings.Join(archive.Whys, ", "))
	flags.StringArrayVar(&f.commits, "commit", nil, "the `commit` of the branch that the entry answers for; again for each commit of a group, the oldest first")
	flags.StringVar(&f.parent, "parent", "", "the first parent of the oldest `commit`")
	flags.StringVar(&f.branch, "branch", "", "the `branch` that the commits are on (default that of the archive, else the default branch)")
	flags.Int64Var(&f.date, "date", -1, "the committer's date of the newest commit, in `seconds` (default as the clone has it)")
	flags.StringVar(&f.repo, "repo", "", "the git repository that contains the commits: its `directory`, or one inside it (default the enclosing one)")
	flags.Int64Var(&f.repairs, "repairs", -1, "the `seq` of a gap about the same commits that the decision closes")
	flags.StringVar(&f.origin, "origin", "", "the `name` of a new archive: closeout-archive/HOST/OWNER/REPOSITORY (default that of the report's repository on github.com)")
	flags.StringVar(&f.state, "state", "", "the `file` state.json of the archive (default: there is no archive yet)")
	flags.Int64Var(&f.keep.MaxFile, "max-file", archive.DefaultMaxFile, "leave out larger files of a bundle, in `bytes`; the entry lists them")
	flags.StringVar(&f.keep.What, "keep", archive.KeepAll, "`what` of a bundle is kept: all, or report (no logs, no test reports; it cannot be replayed)")
	refuseTwice(flags)
	return c
}

func (f *archiveAddFlags) run(c *cobra.Command, std stdio) error {
	if err := f.check(c); err != nil {
		return err
	}
	var state *archive.State
	if f.state != "" {
		var err error
		if state, err = collect.ArchiveState(f.state); err != nil {
			return refusedOr(std, err)
		}
	}
	if err := f.look(state); err != nil {
		return err
	}
	in, err := f.input(state)
	if err != nil {
		return refusedOr(std, err)
	}
	defer in.Close()
	positions, left, err := in.Found.New(state)
	if err != nil {
		return refused(std, err)
	}
	if left > 0 {
		fmt.Fprintf(std.err, "closeout: %s left out: the archive has grown since they were made; make them anew\n", diag.Plural(int64(left), "repair"))
	}
	if len(positions) == 0 {
		return nil
	}
	a := &archive.Addition{State: state, Found: in.Found, New: positions, Keep: f.keep, Open: in.Open}
	if err := a.Write(bare(std.out)); err != nil {
		return refused(std, err)
	}
	return nil
}

// refusedOr ends the command with 1 for a file with errors, else with 2.
func refusedOr(std stdio, err error) error {
	var wrong *collect.ArchiveErrors
	if errors.As(err, &wrong) {
		return refused(std, err)
	}
	return err
}

// check checks the call.
func (f *archiveAddFlags) check(c *cobra.Command) error {
	given := 0
	for _, name := range []string{"found", "decision", "gap"} {
		if c.Flags().Changed(name) {
			given++
		}
	}
	keeps := []string{archive.KeepAll, archive.KeepReport}
	switch {
	case given != 1:
		return fmt.Errorf("closeout archive add requires one of --found, --decision and --gap, found %d", given)
	case !slices.Contains(keeps, f.keep.What):
		return fmt.Errorf("--keep is %q%s expected all or report", f.keep.What, didYouMean(f.keep.What, keeps, ""))
	case f.keep.MaxFile < 1:
		return fmt.Errorf("--max-file cannot be %d: expected at least 1", f.keep.MaxFile)
	}
	if f.found == "" && len(f.commits) == 0 {
		return errors.New("--commit is missing: --decision and --gap require the commit that the entry answers for")
	}
	for _, name := range []string{"branch", "commit", "date", "parent", "repairs", "origin", "repo"} {
		if set := c.Flags().Changed(name); f.found != "" && set {
			return fmt.Errorf("--%s cannot be given beside --found: %s says it", name, archive.IndexFile)
		}
	}
	return nil
}

// look reads from the clone what the flags leave out about the commits.
func (f *archiveAddFlags) look(state *archive.State) error {
	if f.found != "" || f.date >= 0 && f.branch != "" {
		return nil
	}
	git, err := collect.OpenGit(cmp.Or(f.repo, "."), strict.DefaultLimits())
	if err != nil {
		return err
	}
	defer git.Close()
	for i, name := range f.commits {
		if f.commits[i], err = git.Resolve(name); err != nil {
			return err
		}
	}
	oldest, err := git.Step(f.commits[0])
	if err != nil {
		return err
	}
	newest, err := git.Step(f.commits[len(f.commits)-1])
	if err != nil {
		return err
	}
	f.parent = cmp.Or(f.parent, oldest.Parent)
	if f.date < 0 {
		f.date = newest.Date
	}
	if f.branch == "" {
		f.branch, err = branchOf(state, git)
	}
	if err != nil || state == nil || state.Last[f.branch] == "" {
		return err
	}
	// Commits between the last one of the archive and this one stay without an entry, which the audit says.
	if between, err := git.Line(f.commits[0], state.Last[f.branch]); err == nil && len(between) > 0 {
		f.after = state.Last[f.branch]
	}
	return nil
}

// branchOf is the only branch of an archive, else the default branch of the repository.
func branchOf(state *archive.State, git *collect.Git) (string, error) {
	if state != nil && len(state.Last) == 1 {
		for name := range state.Last {
			return name, nil
		}
	}
	found, err := git.FirstRef(bases[1:]...) // origin/HEAD is no name
	if err == nil && found == "" {
		err = errors.New("the repository has no default branch: name the branch of the commits with --branch")
	}
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(found, "refs/"), "heads/"), "remotes/origin/"), err
}

// input reads the entries.
func (f *archiveAddFlags) input(state *archive.State) (*collect.ArchiveInput, error) {
	switch {
	case f.found != "":
		return collect.ArchiveFound(f.found)
	case f.gap != "":
		return f.one(state, &collect.ArchiveInput{}, &archive.Entry{Schema: archive.EntrySchema, Kind: archive.Gap, Replay: archive.ReplayNotTried, Why: &f.gap})
	}
	in, e, err := collect.ArchiveDecision(f.decision)
	if err != nil {
		return nil, err
	}
	return f.one(state, in, e)
}

// originOf names the archive; "" when nothing does.
func (f *archiveAddFlags) originOf(state *archive.State, in *collect.ArchiveInput) string {
	switch {
	case f.origin != "":
		return f.origin
	case state != nil:
		return state.Origin
	case in.Repository != "":
		return "closeout-archive/github.com/" + in.Repository
	}
	return ""
}

// one makes an index with one entry. What is wrong with it is wrong with the call.
func (f *archiveAddFlags) one(state *archive.State, in *collect.ArchiveInput, e *archive.Entry) (*collect.ArchiveInput, error) {
	e.Branch, e.Commits = f.branch, f.commits
	if f.parent != "" {
		e.Parent = &f.parent
	}
	if f.repairs >= 0 {
		e.Repairs = &f.repairs
	}
	found := &archive.Found{Schema: archive.FoundSchema, Origin: f.originOf(state, in), Branch: f.branch, After: e.Parent, Date: f.date, Entries: []archive.Entry{*e}}
	if state != nil {
		found.Size = state.Size
		if last, ok := state.Last[f.branch]; ok && e.Repairs != nil {
			found.After = &last // a repair follows nothing
		}
	}
	if found.Origin == "" {
		return nil, errors.Join(errors.New("a new archive requires a name, and the report names no repository: --origin closeout-archive/HOST/OWNER/REPOSITORY"), in.Close())
	}
	switch {
	case state == nil || state.Last[f.branch] == "":
		found.After = nil // the archive of the branch begins here
	case f.after != "" && e.Repairs == nil:
		found.After = &f.after
	}
	data, err := found.Marshal()
	if err == nil {
		var errs *diag.Errors
		if in.Found, errs = archive.ReadFound(data); errs.Any() {
			first := errs.All()[0]
			err = fmt.Errorf("these flags make no entry: %s; found %s, expected %s", first.Message, first.Found, first.Expected)
		}
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}
