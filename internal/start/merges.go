package start

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/internal/start/backtest"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// Backtest are the flags of backtest.
type Backtest struct {
	Repo, Branch, ContractFile, Format string
	Last                               int
	All                                bool // the tables too
}

// MaxLast is how many merges a backtest judges at most: their findings are in memory at once.
const MaxLast = 2000

func (f *Backtest) Run(std console.Streams) error {
	if err := input.OneOf("unknown format", f.Format, backtest.Formats); err != nil {
		return err
	}
	if f.Last < 1 || f.Last > MaxLast {
		return fmt.Errorf("--last cannot be %d: expected 1 to %d", f.Last, MaxLast)
	}
	git, err := collect.OpenGit(cmp.Or(f.Repo, "."), input.DefaultLimits())
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
	to := std.Out
	if f.Format == "json" {
		to = console.JSON(to)
	}
	if err := backtest.Write(to, result, f.Format, f.All); err != nil {
		return err
	}
	if c := result.Counts; c.Merges > 0 && c.Unknown == c.Merges {
		return run.Exit{Code: run.ExitReview}
	}
	return nil
}

// judge judges the last merges with a contract.
func (f *Backtest) judge(git *collect.Git, file *lint.Document) (*backtest.Result, error) {
	extension := strings.ToLower(path.Ext(file.Path))
	switch {
	case file.Path == "":
		extension = ".yaml" // as init writes it
	case !slices.Contains(policy.ContractExtensions, extension):
		extension = ".json"
	}
	standing := collect.StandingText(extension, file.Text, input.DefaultLimits()).WithoutTask()
	if err := errorsOf(file, extension, standing); err != nil {
		return nil, err
	}
	branch, tip, err := f.tip(git)
	if err != nil {
		return nil, err
	}
	history, err := git.History(tip, f.Last)
	if err != nil {
		return nil, err
	}
	r := &backtest.Result{
		Schema: backtest.Schema, Contract: backtest.Contract{Path: file.Path, SHA256: input.Digest(file.Text)},
		Branch: branch, Tip: tip, Asked: f.Last, End: history.End, Tool: report.Tool{Name: "closeout", Version: verify.Version},
	}
	var ground *backtest.Ground
	if files, err := git.Tracked(tip); err == nil {
		ground = backtest.NewGround(standing.Policy, files)
	}
	r.Add(screen(git, history, standing, ground), ground)
	return r, nil
}

// screen judges merges, with as many workers as there are processors.
func screen(git *collect.Git, history *collect.History, standing *collect.Contracts, ground *backtest.Ground) []backtest.Merge {
	var authors *override.Authors // nil for everyone
	if list := standing.Standing.AppliesTo; list != nil {
		authors = override.NewAuthors(list)
	}
	merges := make([]backtest.Merge, len(history.Merges))
	collect.Parallel(len(merges), func(i int) {
		m := &history.Merges[i]
		from := backtest.Origin{Commit: m.Commit, Author: m.Author, Subject: m.Subject, Bot: m.Bot, Login: m.Account.Login}
		from.Excepted = override.IsByBot(standing.Standing.UpdateBots, pullRequestOf(m))
		if authors != nil && authors.LeavesOut(pullRequestOf(m)) {
			merges[i] = backtest.NotApplicable(from)
			return
		}
		var screened *verify.Screened
		err := run.Caught(func() (err error) {
			screened, err = git.Screen(m, standing, input.DefaultLimits())
			return err
		})
		if err != nil {
			merges[i] = backtest.Lost(from, err.Error())
		} else {
			merges[i] = backtest.NewMerge(from, screened, ground)
		}
	})
	return merges
}

// pullRequestOf is what a merge tells about the author of its pull request.
func pullRequestOf(m *collect.Merge) *facts.PullRequest {
	pr := &facts.PullRequest{Author: m.Account.Login, AuthorID: m.Account.ID, AuthorType: "User"}
	if m.Bot {
		pr.AuthorType = "Bot"
	}
	return pr
}

// tip finds the branch and its commit.
func (f *Backtest) tip(git *collect.Git) (branch, commit string, err error) {
	branch = f.Branch
	switch {
	case branch != "":
	case git.Root() == "": // no one works in a bare repository: its HEAD is the default branch
		branch = "HEAD"
	default:
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
