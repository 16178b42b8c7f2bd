package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/internal/start"
	"github.com/closeout-gate/closeout/internal/start/backtest"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

const backtestLong = `backtest judges the last merges of the default branch by what needs no evidence: scope, protection and form. It says
how many would have been blocked, by which code and file, whose they were, and which globs would let them through.

It reads the clone alone, with the contract of the work tree or, without one, the one that closeout init would write. It
writes nothing. A merge is a commit on the line of first parents: a merge commit, or one commit of a squash, a rebase or
a push.

Exit codes: 0 the result is printed, whatever it says; 2 wrong call or environment; 3 no merge could be judged.`

// backtestFlags are the flags of backtest.
type backtestFlags struct {
	repo, branch, contract, format string
	last                           int
}

// maxLast is how many merges a backtest judges at most: their findings are in memory at once.
const maxLast = 2000

func newBacktest(std console.Streams) *cobra.Command {
	f := &backtestFlags{}
	c := &cobra.Command{
		Use: "backtest", Short: "Show which of your last merges the contract would have blocked", Long: backtestLong, Args: noWords("--branch"),
		Example: "  closeout backtest\n  closeout backtest --last 1000 --format markdown",
		RunE:    func(*cobra.Command, []string) error { return f.run(std) },
	}
	flags := c.Flags()
	flags.IntVar(&f.last, "last", 200, fmt.Sprintf("how many merges are judged, up to %d", maxLast))
	flags.StringVar(&f.branch, "branch", "", "judge the merges of this `branch` or commit (default the default branch)")
	flags.StringVar(&f.contract, "contract-file", "", "judge with the contract in this `file` (default .closeout/scope_contract.json or .yaml of the work tree, else what init would write)")
	flags.StringVar(&f.repo, "repo", "", "the git repository: its `directory`, one inside it, or a bare one (default the enclosing one)")
	flags.StringVar(&f.format, "format", "text", "what to print: text, json or markdown")
	refuseTwice(flags)
	return c
}

func (f *backtestFlags) run(std console.Streams) error {
	format, known := backtest.ByName(f.format)
	switch {
	case !known:
		return fmt.Errorf("unknown format %q%s expected text, json or markdown", f.format, input.DidYouMean(f.format, []string{"text", "json", "markdown"}, ""))
	case f.last < 1 || f.last > maxLast:
		return fmt.Errorf("--last cannot be %d: expected 1 to %d", f.last, maxLast)
	}
	git, err := collect.OpenGit(cmp.Or(f.repo, "."), input.DefaultLimits())
	if err != nil {
		return err
	}
	defer git.Close()
	file, err := f.findContract(git)
	if err != nil {
		return err
	}
	result, err := f.judge(git, file)
	if err != nil {
		return err
	}
	if err := format.Write(console.To(std.Out, format.Kind), result); err != nil {
		return err
	}
	if c := result.Counts; c.Merges > 0 && c.Unknown == c.Merges {
		return run.Exit{Code: run.ExitReview}
	}
	return nil
}

// contractText is a contract before it is read.
type contractText struct {
	name string // as the caller names it; "" for the one that init would write
	text []byte
}

// findContract reads the named contract, or the one of the work tree, or makes the one that init would write.
func (f *backtestFlags) findContract(git *collect.Git) (*contractText, error) {
	if f.contract != "" {
		return contractAt(f.contract)
	}
	found, err := standingContracts(git.Root())
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return proposedContract(git)
	case len(found) == 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("there are two standing contracts, %s and %s: expected one; remove the other", found[0].name, found[1].name)
}

// contractAt is the contract that a flag names.
func contractAt(file string) (*contractText, error) {
	text, err := readContractFile(os.DirFS(filepath.Dir(file)), filepath.Base(file), fs.Stat)
	if err != nil {
		return nil, fmt.Errorf("the contract %q cannot be read: %w: name a file with --contract", file, input.Reason(err))
	}
	name := filepath.ToSlash(file)
	if filepath.IsAbs(file) {
		name = path.Base(name) // a result contains no path of a machine
	}
	return &contractText{name, text}, nil
}

// standingContracts are the standing contracts of a work tree. No symlink is followed out of it.
func standingContracts(root string) (found []*contractText, err error) {
	if root == "" {
		return nil, nil // a bare repository has no work tree
	}
	tree, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer tree.Close() // it was only read
	for _, extension := range policy.ContractExtensions {
		name := policy.StandingContract + extension
		text, err := readContractFile(tree.FS(), name, fs.Lstat)
		switch {
		case err == nil:
			found = append(found, &contractText{name, text})
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("the contract %q cannot be read: %w", name, input.Reason(err))
		}
	}
	return found, nil
}

// proposedContract is the contract that init would write; it has no name.
func proposedContract(git *collect.Git) (*contractText, error) {
	const none = "the repository contains no contract"
	head, err := git.Resolve("HEAD")
	if err != nil {
		return nil, noHead(git, err, none)
	}
	files, err := git.Tracked(head)
	if err != nil {
		return nil, err
	}
	plan, err := start.New(files, git, start.Options{})
	if err != nil {
		return nil, fmt.Errorf("%s, and closeout init would not write one (%w): run closeout init --test 'COMMAND', or name a contract with --contract-file", none, err)
	}
	return &contractText{text: plan.Files[0].Data}, nil
}

// readContractFile reads a regular file that is not too large for a contract.
func readContractFile(dir fs.FS, name string, look func(fs.FS, string) (fs.FileInfo, error)) ([]byte, error) {
	info, err := look(dir, name)
	if err != nil {
		return nil, err
	}
	limit := input.DefaultLimits().ContractBytes
	switch {
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > limit:
		return nil, fmt.Errorf("it has %d bytes: expected at most %d", info.Size(), limit)
	}
	return fs.ReadFile(dir, name)
}

// judge judges the last merges with a contract.
func (f *backtestFlags) judge(git *collect.Git, file *contractText) (*backtest.Result, error) {
	extension := strings.ToLower(path.Ext(file.name))
	if !slices.Contains(policy.ContractExtensions, extension) {
		extension = ".json"
	}
	standing := collect.StandingText(extension, file.text, input.DefaultLimits()).WithoutTask()
	if err := errorsOf(file, extension, standing); err != nil {
		return nil, err
	}
	branch, tip, err := f.tip(git)
	if err != nil {
		return nil, err
	}
	history, err := git.History(tip, f.last)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(file.text)
	r := &backtest.Result{
		Schema: backtest.Schema, Contract: backtest.Contract{Path: file.name, SHA256: hex.EncodeToString(sum[:])},
		Branch: branch, Tip: tip, Asked: f.last, End: history.End, Tool: report.Tool{Name: "closeout", Version: verify.Version},
	}
	var ground *backtest.Ground
	if files, err := git.Tracked(tip); err == nil {
		ground = backtest.NewGround(standing.Policy, files)
	}
	r.Add(screen(git, history, standing), ground)
	return r, nil
}

// errorsOf lists the errors of a contract; nil when it can judge.
func errorsOf(file *contractText, extension string, c *collect.Contracts) error {
	if c.Policy != nil {
		return nil
	}
	_, errs := contract.Parse("scope_contract"+extension, file.text, input.DefaultLimits())
	all := errs.All()
	if c.Standing != nil {
		_, problems := policy.Join([]policy.Source{{Contract: c.Standing, Kind: "contract"}}, "")
		for _, p := range problems {
			all = append(all, p.Error)
		}
	}
	var lines []string
	for _, e := range all {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s; found %s, expected %s → %s", file.name, e.Pos.Line, e.Pos.Column, e.Message, e.Found, e.Expected, e.Fix))
	}
	return fmt.Errorf("the contract cannot judge\n%s", strings.Join(lines, "\n"))
}

// screen judges merges, with as many workers as there are processors.
func screen(git *collect.Git, history *collect.History, standing *collect.Contracts) []backtest.Merge {
	merges := make([]backtest.Merge, len(history.Merges))
	var taken atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				i := int(taken.Add(1)) - 1
				if i >= len(merges) {
					return
				}
				m := &history.Merges[i]
				var screened *verify.Screened
				err := run.Caught(func() (err error) {
					screened, err = git.Screen(m, standing, input.DefaultLimits())
					return err
				})
				if err != nil {
					merges[i] = backtest.Lost(m.Commit, m.Author, m.Subject, err.Error())
				} else {
					merges[i] = backtest.NewMerge(m.Commit, m.Author, m.Subject, screened)
				}
			}
		})
	}
	workers.Wait()
	return merges
}

// tip finds the branch and its commit.
func (f *backtestFlags) tip(git *collect.Git) (branch, commit string, err error) {
	branch = f.branch
	if branch == "" {
		branch, err = git.FirstRef(run.Bases...)
	}
	if err == nil && branch == "" {
		err = run.NoBase(git, "closeout backtest --branch")
	}
	if err == nil {
		commit, err = git.Resolve(branch)
	}
	return branch, commit, err
}
