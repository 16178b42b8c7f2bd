package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify/policy"
)

// open finds the repository, the base and the contracts.
func (f *Call) open(std console.Streams) (s *Work, err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s = &Work{}
	if s.Root, err = record.Find(here); errors.Is(err, fs.ErrNotExist) {
		if git, err := collect.OpenGit(here, f.Settings.Limits); err == nil {
			return nil, errors.Join(errors.New("this repository is bare, and commands run in a work tree: call closeout in a clone"), git.Close())
		}
		return nil, fmt.Errorf("%q is not in a git repository: change to yours (cd), or make one with git init", here)
	}
	if err != nil {
		return nil, err
	}
	if s.Git, err = collect.OpenGit(s.Root, f.Settings.Limits); err != nil {
		return nil, err
	}
	settings := f.Settings
	settings.Today = Today()
	s.Options = collect.Options{Root: here, Names: s.Git.Root(), Contract: f.Contract, ContractFile: f.ContractFile, BaseTests: f.BaseTests, Settings: settings}
	s.Options.Group = console.InActions() && os.Getenv("GITHUB_EVENT_NAME") == "merge_group"
	if err := f.compare(s, std); err != nil {
		return nil, errors.Join(err, s.Git.Close())
	}
	if err := f.readContracts(s, std); err != nil {
		return nil, errors.Join(err, s.Git.Close())
	}
	return s, nil
}

// compare finds the base, and says which one it is.
func (f *Call) compare(s *Work, std console.Streams) error {
	name, why, err := BaseName(s.Git, f.Base, "run")
	if err != nil {
		return err
	}
	var objects collect.Objects = s.Git
	shown := shortRef(name)
	base, err := s.Git.Resolve(name)
	head := ""
	if err == nil {
		head, err = s.Git.Resolve("HEAD")
	}
	switch {
	case err != nil && !collect.Unknowable(err):
		if from, _, isRange := cutRange(f.Base); isRange {
			return fmt.Errorf("--base takes one commit, and %q is a range; the changes from it to HEAD are judged: write closeout run --base %s", f.Base, from)
		}
		return fmt.Errorf("the base%s, %s: %w", why, shown, WrongCommit("base", name, s.Git, err))
	case err != nil:
		objects = collect.Lost{Err: err}
	case base == head:
		s.same = true
		std.Tell("run", "the base%s is %s, which is also HEAD: nothing is changed. Commit on a branch (git switch -c BRANCH), or name an older commit with --base", why, shown)
	default:
		std.Tell("run", "the base%s is %s (%.12s)", why, shown, base)
	}
	s.Compared = collect.Compare(objects, base, head)
	return nil
}

// readContracts reads the standing contract of the base and the task contracts.
func (f *Call) readContracts(s *Work, std console.Streams) (err error) {
	if s.Standing, err = collect.ReadStanding(s.Compared, s.Options); err != nil {
		return err
	}
	if s.Standing.Count() == 0 && len(s.Standing.Unavailable) == 0 {
		if err := s.try(f.RecordOnly, std); err != nil {
			return err
		}
	}
	if s.Judged, err = s.Standing.WithTask(s.Compared, s.Options); err != nil {
		return err
	}
	s.Each, err = s.Standing.EachTask(s.Compared, s.Options)
	return err
}

// try takes the contract of the work tree where the base has none, so that a person can try it. In a workflow, that would let the
// change choose what is required of it, so the contract that the change adds is only recorded there: the gate knows that it is a trial.
func (s *Work) try(recordOnly bool, std console.Streams) (err error) {
	if console.InActions() && recordOnly {
		s.Standing, err = s.Standing.OrTrial(s.Compared, s.Options)
		if err != nil || s.Standing.Count() > 0 {
			std.Tell("run", "the base has no contract, so this is a trial with the one that the change adds: a contract counts once it is on the base branch")
			return err
		}
	}
	files := record.StandingFiles(s.Root)
	merge := "a contract counts once it is on the base branch"
	switch {
	case s.Options.Contract != "":
		std.Tell("run", "the base has no contract %q: name one that it has, or one on disk with --contract-file", s.Options.Contract)
	case console.InActions() || len(files) != 1:
		std.Tell("run", "the base has no .closeout/scope_contract.json (.yaml, .yml): write one (closeout init) and merge it, since %s. Before that, try it with closeout run --contract-file FILE", merge)
	default:
		if s.trial, err = filepath.Rel(s.Root, files[0]); err != nil {
			return err
		}
		std.Tell("run", "the base has no contract, so this is a trial with %s of the work tree: %s", s.trial, merge)
		s.Options.ContractFile, s.Options.Own = files[0], true
		s.Standing, err = collect.ReadStanding(s.Compared, s.Options)
		return err
	}
	return nil
}

// Policies are what is to be recorded; none when no contract can be used. It says what is wrong with the others, unless a
// report will.
func (s *Work) Policies(recordOnly bool, std console.Streams) (list []*policy.Policy) {
	said := map[string]bool{}
	say := func(text string) {
		if recordOnly && !said[text] { // else the report says it
			said[text] = true
			fmt.Fprintln(std.Err, text)
		}
	}
	for _, c := range s.Each {
		for _, u := range c.Unavailable {
			say("closeout run: " + u.Err().Error())
		}
		for _, p := range c.Problems {
			say(p.Path + ":" + record.WholeError(p.Error))
		}
		if c.Policy != nil {
			list = append(list, c.Policy)
		}
	}
	if alone := s.Standing.WithoutTask(); len(list) == 0 && alone.Policy != nil && len(alone.Policy.Criteria) > 0 {
		list = append(list, alone.Policy)
	}
	return list
}
