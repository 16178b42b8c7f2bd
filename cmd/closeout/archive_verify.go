package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/archive"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/output"
	rerun "github.com/closeout-gate/closeout/verify/replay"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/strict"
)

const archiveVerifyLong = `verify shows from a clone whether an archive is intact: every entry and every file of a bundle is there and unchanged, the
entries make the root in state.json and checkpoint, and each earlier commit of the branch that the clone has names a
beginning of what is there now. It needs no network, and checks nothing out.

An archive alone shows only that it agrees with itself: a person who can replace the branch can make another one.
--since-checkpoint names a copy of the file checkpoint that you kept; everything before it must be unchanged.

--replay judges each decision again from its bundle, and compares the result with its report.

Exit codes: 0 intact; 1 something was changed, removed or added, or the checkpoint is none of this archive; 2 wrong call or
environment; 3 objects are missing in the clone.`

type archiveVerifyFlags struct {
	ref, repo, since, format string
	replay                   bool
}

func newArchiveVerify(std stdio) *cobra.Command {
	f := &archiveVerifyFlags{}
	c := &cobra.Command{
		Use: "verify", Short: "Show whether the archive is intact", Long: archiveVerifyLong, Args: noWords("--ref"),
		Example: "  closeout archive verify\n  closeout archive verify --ref origin/closeout-archive --since-checkpoint ~/checkpoint",
		RunE:    func(*cobra.Command, []string) error { return f.run(std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.ref, "ref", "", "the branch or `commit` of the archive (default origin/closeout-archive, else closeout-archive)")
	flags.StringVar(&f.repo, "repo", "", "the git repository: its `directory`, one inside it, or a bare one (default the enclosing one)")
	flags.StringVar(&f.since, "since-checkpoint", "", "a `file` checkpoint of the archive, which you kept")
	flags.BoolVar(&f.replay, "replay", false, "judge each decision again")
	flags.StringVar(&f.format, "format", output.ArchiveFormats[0], "what to print: "+strings.Join(output.ArchiveFormats, ", "))
	refuseTwice(flags)
	return c
}

func (f *archiveVerifyFlags) run(std stdio) error {
	if !slices.Contains(output.ArchiveFormats, f.format) {
		return fmt.Errorf("--format is %q%s expected text or json", f.format, didYouMean(f.format, output.ArchiveFormats, ""))
	}
	how := collect.ArchiveCheck{}
	if f.since != "" {
		mark, err := ownCheckpoint(f.since)
		if err != nil {
			return err
		}
		how.Own = mark
	}
	if f.replay {
		how.Replay = replayArchived
	}
	git, err := collect.OpenGit(cmp.Or(f.repo, "."), strict.DefaultLimits())
	if err != nil {
		return err
	}
	defer git.Close()
	check, err := checkArchive(git, f.ref, how)
	switch {
	case err != nil && collect.Unknowable(err):
		return unknowable(std, err)
	case err != nil:
		return err
	}
	kind := output.Plain
	if f.format == "json" {
		kind = output.JSON
	}
	if err := output.WriteArchive(printTo(std.out, kind), check, f.format); err != nil {
		return err
	}
	if len(check.Problems) > 0 {
		return exit{exitFailed}
	}
	return nil
}

// archiveGCPercent keeps the check of ten thousand decisions below 128 MiB: little of what it allocates lives.
const archiveGCPercent = 50

func checkArchive(git *collect.Git, ref string, how collect.ArchiveCheck) (*archive.Check, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(archiveGCPercent))
	a, err := git.Archive(ref)
	if err != nil {
		return nil, err
	}
	check, err := a.Check(how)
	if err != nil {
		return nil, err
	}
	check.Tool = report.Tool{Name: "closeout", Version: verify.Version}
	return check, nil
}

// unknowable ends a command for which the clone lacks something.
func unknowable(std stdio, err error) error {
	text := err.Error()
	var fix interface{ Fix() string }
	if errors.As(err, &fix) {
		text += "\n" + fix.Fix()
	}
	fmt.Fprintln(std.err, "closeout:", text)
	return exit{exitReview}
}

// ownCheckpoint reads the checkpoint that an auditor kept.
func ownCheckpoint(file string) (*archive.Mark, error) {
	data, err := readUpTo(file, archive.MaxCheckpointBytes)
	if err != nil {
		return nil, fmt.Errorf("the checkpoint %q cannot be read: %w", file, diag.Reason(err))
	}
	checkpoint, err := archive.ReadCheckpoint(data)
	if err != nil {
		return nil, fmt.Errorf("the checkpoint %q cannot be read: %w", file, err)
	}
	return &archive.Mark{Checkpoint: checkpoint, From: "--since-checkpoint " + filepath.ToSlash(file)}, nil
}

// readUpTo reads a file, and one byte more than a limit of a larger one.
func readUpTo(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// replayArchived judges a decision of an archive again.
func replayArchived(found *collect.Found, written []byte) (differences []string, err error) {
	before, err := rerun.Read(written)
	if err != nil {
		return nil, err
	}
	if !rerun.Bounded(before) {
		return nil, rerun.ErrUnbounded
	}
	err = caught(func() error {
		r, err := rerun.Run(written, before, found.Bundle)
		if err == nil {
			differences = r.Differences
		}
		return err
	})
	return differences, err
}
