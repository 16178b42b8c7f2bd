package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/internal/audit/find"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify/input"
)

const archiveFindLong = `find asks GitHub which decision let each new commit of a branch in, and downloads its bundle. It writes a new directory, which
closeout archive add takes: an entry for each commit, or for several that were merged at once, and the bundles. It changes
nothing else.

A commit leads to its merged pull request, that to the runs of the gate's workflow for its head, and the newest run before
the merge to the artifact that it uploaded. The bundle is judged again, and must be about what was merged. Where GitHub
proves that there is no decision, the entry is a gap that says why.

It asks with GITHUB_TOKEN the API of GITHUB_API_URL about GITHUB_REPOSITORY, as a workflow sets them, and takes the commits from
a clone of the branch, which may lack blobs. Standard output is the sha256 of the index; in a workflow it is also the output
found_sha256, unless nothing is new. At most 1,000 entries are made; the next call goes on.

Exit codes: 0 all is found; 2 wrong call or environment; 3 GitHub could not be asked about a commit, or the clone lacks an object:
what is before that commit is written, and the next call goes on there.`

type archiveFindFlags struct {
	repo, branch, state, out, after string
	workflow, artifact              string
	giveUp                          bool
}

func newArchiveFind(std console.Streams) *cobra.Command {
	f := &archiveFindFlags{}
	c := &cobra.Command{
		Use: "find", Short: "Find the decisions about new commits on GitHub", Long: archiveFindLong, Args: noWords(""),
		Example: "  closeout archive find --branch main --state state.json --out found",
		RunE:    func(*cobra.Command, []string) error { return f.run(std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.branch, "branch", "", "the `branch` whose commits are looked up: that of the remote origin, else the clone's own")
	addRepo(flags, &f.repo, "")
	flags.StringVar(&f.state, "state", "", "the `file` state.json of the archive (default: there is no archive yet, which begins where the branch has a contract)")
	flags.StringVar(&f.after, "after", "", "begin after this `commit`, when the archive does not say where, or the branch no longer contains its last commit")
	flags.StringVar(&f.out, "out", "", "the new `directory` that is written")
	flags.StringVar(&f.workflow, "workflow", "closeout.yml", "the `name` of the gate's workflow file in .github/workflows")
	flags.StringVar(&f.artifact, "artifact", "closeout-bundle", "the `name` of the artifact with the bundle")
	flags.BoolVar(&f.giveUp, "give-up", false, "write down the first commit about which GitHub cannot be asked as a gap, and go on: for a person to decide")
	return c
}

// workflowName is a file name that a workflow can have.
var workflowName = input.Lazily(`^[A-Za-z0-9_][A-Za-z0-9._-]*\.ya?ml$`)

func (f *archiveFindFlags) run(std console.Streams) error {
	switch {
	case f.branch == "" || !archive.IsBranch(f.branch):
		return fmt.Errorf("--branch is %q: expected the name of a branch, such as main", f.branch)
	case f.out == "":
		return errors.New("--out is missing: name a new directory")
	case !workflowName().MatchString(f.workflow):
		return fmt.Errorf("--workflow is %q: expected the name of a file in .github/workflows, such as closeout.yml", f.workflow)
	case f.artifact == "":
		return errors.New("--artifact is empty: expected the name that the gate's workflow gives the artifact")
	}
	client, origin, err := find.ClientOfRunner(std)
	if err != nil {
		return err
	}
	found, err := find.Since(origin, f.branch, f.state)
	if err != nil {
		return err
	}
	git, err := clone.Open(cmp.Or(f.repo, "."))
	if err != nil {
		return err
	}
	defer git.Close()
	line, err := find.Line(git, found, f.after)
	if err != nil {
		return stoppedBy(std, err)
	}
	if err := collect.NewDirectory(f.out); err != nil {
		return err
	}
	w, err := find.Write(context.Background(), client, found, find.Search{
		Git: git, Line: line, Branch: f.branch, Workflow: f.workflow, Artifact: f.artifact, GiveUp: f.giveUp, Out: f.out,
		Told: func(e *archive.Entry) { std.Tell("", "%v", find.Told(e)) },
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(std.Out, w.SHA256)
	if file := os.Getenv("GITHUB_OUTPUT"); file != "" && len(found.Entries) > 0 {
		if err := console.AppendTo(file, "found_sha256="+w.SHA256+"\n"); err != nil {
			return err
		}
	}
	if w.Stopped != nil {
		return stoppedBy(std, w.Stopped)
	}
	if w.Left > 0 {
		std.Tell("", "%s left for the next call", input.Plural(w.Left, "commit"))
	}
	return nil
}

// stoppedBy ends the command with 3 when an error says that GitHub or the clone has no answer.
func stoppedBy(std console.Streams, err error) error {
	var fixed interface{ Fix() string }
	if !errors.As(err, &fixed) && !collect.Unknowable(err) {
		return err
	}
	return unknowable(std, fmt.Errorf("stopped: %w", err))
}
