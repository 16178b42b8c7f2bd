package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// open finds the repository, the base and the contracts.
func (f *runFlags) open(std console.Streams) (s *subject, err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s = &subject{}
	if s.root, err = record.Find(here); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%q is not in a git repository: change to yours (cd), or make one with git init", here)
	}
	if err != nil {
		return nil, err
	}
	if s.git, err = collect.OpenGit(s.root, f.settings.Limits); err != nil {
		return nil, err
	}
	settings := f.settings
	settings.Today = today()
	s.options = collect.Options{Root: here, Names: s.git.Root(), Contract: f.contract, ContractFile: f.contractFile, BaseTests: f.baseTests, Settings: settings}
	if err := f.compare(s, std); err != nil {
		return nil, errors.Join(err, s.git.Close())
	}
	if err := f.readContracts(s, std); err != nil {
		return nil, errors.Join(err, s.git.Close())
	}
	return s, nil
}

// compare finds the base, and says which one it is.
func (f *runFlags) compare(s *subject, std console.Streams) error {
	name, why, err := baseName(s.git, f.base, "run")
	if err != nil {
		return err
	}
	var objects collect.Objects = s.git
	shown := strings.TrimPrefix(strings.TrimPrefix(name, "refs/heads/"), "refs/remotes/")
	base, err := s.git.Resolve(name)
	head := ""
	if err == nil {
		head, err = s.git.Resolve("HEAD")
	}
	switch {
	case err != nil && !collect.Unknowable(err):
		if from, _, isRange := cutRange(f.base); isRange {
			return fmt.Errorf("--base takes one commit, and %q is a range; the changes from it to HEAD are judged: write closeout run --base %s", f.base, from)
		}
		return fmt.Errorf("the base%s, %s: %w", why, shown, wrongCommit("base", name, s.git, err))
	case err != nil:
		objects = collect.Lost{Err: err}
	case base == head:
		s.same = true
		fmt.Fprintf(std.Err, "closeout run: the base%s is %s, which is also HEAD: nothing is changed. Commit on a branch (git switch -c BRANCH), or name an older commit with --base\n", why, shown)
	default:
		fmt.Fprintf(std.Err, "closeout run: the base%s is %s (%.12s)\n", why, shown, base)
	}
	s.compared = collect.Compare(objects, base, head)
	return nil
}

// bases are the refs that are tried for the base, in this order.
var bases = []string{
	"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
	"refs/heads/main", "refs/heads/master", "refs/heads/trunk", "refs/heads/develop",
}

// remoteBases is how many of the bases are of a remote.
const remoteBases = 3

// noBase is the error where none of the [bases] exists: it names the flag that names one, and what it could be.
func noBase(git *collect.Git, flag string) error {
	branch := "BRANCH"
	if names := git.Branches(); len(names) > 0 && !strings.ContainsAny(names[0], "$`;&|<>()'\"!{}#") { // it is typed into a shell
		branch = names[0]
	}
	return fmt.Errorf("there is none of the usual base branches (origin/HEAD, or main, master, trunk or develop): name yours: %s %s", flag, branch)
}

// baseName is the commit to compare with, and where it comes from: named is what the call of a command names, "" for none.
func baseName(git *collect.Git, named, command string) (name, why string, err error) {
	switch {
	case named != "":
		return named, "", nil
	case console.InActions():
		return eventBase(git)
	}
	if head, err := git.FirstRef("HEAD"); head == "" && err == nil {
		return "", "", errors.New("this repository has no commit yet: write git add -A && git commit -m 'First commit', then closeout init")
	}
	name, err = git.FirstRef(bases...)
	if err == nil && name == "" {
		err = noBase(git, "closeout "+command+" --base")
	}
	return name, "", err
}

// eventBase is the base of the event that started the workflow: the branch of a pull request as it was fetched, or the commit
// that a merge group starts from.
func eventBase(git *collect.Git) (name, why string, err error) {
	event, err := readEvent()
	if err != nil {
		return "", "", fmt.Errorf("the base is unknown: %w; or name it: closeout run --base COMMIT", err)
	}
	if event.Name == "merge_group" {
		return event.BaseSHA, " of the merge group", nil
	}
	why = " of the pull request"
	if name, err = git.FirstRef("refs/remotes/origin/" + event.BaseBranch); name == "" && err == nil {
		name = event.BaseSHA
	}
	return name, why, err
}

func readEvent() (*github.Event, error) {
	var payload []byte
	if file := os.Getenv("GITHUB_EVENT_PATH"); file != "" {
		var err error
		if payload, err = readEventFile(file); err != nil {
			return nil, fmt.Errorf("the event's payload (GITHUB_EVENT_PATH) cannot be read: %w", input.Reason(err))
		}
	}
	return github.ParseEvent(os.Getenv("GITHUB_EVENT_NAME"), payload)
}

// readContracts reads the standing contract of the base and the task contracts.
func (f *runFlags) readContracts(s *subject, std console.Streams) (err error) {
	if s.standing, err = collect.ReadStanding(s.compared, s.options); err != nil {
		return err
	}
	if s.standing.Count() == 0 && len(s.standing.Unavailable) == 0 {
		if err := s.tryOwn(std); err != nil {
			return err
		}
	}
	if s.judged, err = s.standing.WithTask(s.compared, s.options); err != nil {
		return err
	}
	s.each, err = s.standing.EachTask(s.compared, s.options)
	return err
}

// tryOwn takes the contract of the work tree where the base has none, so that a person can try it. In a workflow, that would
// let the change choose what is required of it.
func (s *subject) tryOwn(std console.Streams) (err error) {
	files := record.StandingFiles(s.root)
	merge := "a contract counts once it is on the base branch"
	switch {
	case s.options.Contract != "":
		fmt.Fprintf(std.Err, "closeout run: the base has no contract %q: name one that it has, or one on disk with --contract-file\n", s.options.Contract)
	case console.InActions() || len(files) != 1:
		fmt.Fprintf(std.Err, "closeout run: the base has no .closeout/scope_contract.json (.yaml, .yml): write one (closeout init) and merge it, since %s. Before that, try it with closeout run --contract-file FILE\n", merge)
	default:
		if s.trial, err = filepath.Rel(s.root, files[0]); err != nil {
			return err
		}
		fmt.Fprintf(std.Err, "closeout run: the base has no contract, so this is a trial with %s of the work tree: %s\n", s.trial, merge)
		s.options.ContractFile, s.options.Own = files[0], true
		s.standing, err = collect.ReadStanding(s.compared, s.options)
		return err
	}
	return nil
}

// endTrial says what a person does after a trial: findings about a change that adds the gate itself ask to revert it.
func (s *subject) endTrial(std console.Streams) {
	switch {
	case s.trial == "", s.judged.Policy == nil: // the report says what is wrong with the contract
	case s.same:
		fmt.Fprintf(std.Err, "closeout run: this was a trial of %s: its commands ran, and there was no change to judge. Commit it, merge it into the base branch, and the gate uses it\n", s.trial)
	default:
		fmt.Fprintf(std.Err, "closeout run: this was a trial. Do not revert %s, its controls and its workflow, where findings ask for that: let a person review and merge them, and the gate uses them\n", s.trial)
	}
}

// policies are what is to be recorded; none when no contract can be used. It says what is wrong with the others, unless a
// report will.
func (s *subject) policies(recordOnly bool, std console.Streams) (list []*policy.Policy) {
	said := map[string]bool{}
	say := func(text string) {
		if recordOnly && !said[text] { // else the report says it
			said[text] = true
			fmt.Fprintln(std.Err, text)
		}
	}
	for _, c := range s.each {
		for _, u := range c.Unavailable {
			say(fmt.Sprintf("closeout run: %s → %s", u.Error, u.Fix))
		}
		for _, p := range c.Problems {
			say(p.Path + ":" + record.WholeError(p.Error))
		}
		if c.Policy != nil {
			list = append(list, c.Policy)
		}
	}
	if alone := s.standing.WithoutTask(); len(list) == 0 && alone.Policy != nil && len(alone.Policy.Criteria) > 0 {
		list = append(list, alone.Policy)
	}
	return list
}
