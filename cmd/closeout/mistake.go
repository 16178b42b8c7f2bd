package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// oneBundle refuses more than one BUNDLE, which is most often a pattern that the shell replaced by the files it matches.
func oneBundle(c *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	return fmt.Errorf("%s takes one BUNDLE, and found %d words: name one directory, and put a pattern into quotes", c.CommandPath(), len(args))
}

// noWords refuses words that belong to no flag. flag is the one that takes a branch, if there is one.
func noWords(flag string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return nil
		case flag != "" && resolves(args[0]):
			return fmt.Errorf("%s takes no word, and found %q: write %s %s %s", c.CommandPath(), args[0], c.CommandPath(), flag, args[0])
		}
		return fmt.Errorf("%s takes no word, and found %q: leave it out; see %s --help", c.CommandPath(), args[0], c.CommandPath())
	}
}

// oneWord refuses a second word.
func oneWord(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < 2 {
			return nil
		}
		return fmt.Errorf("%s takes one %s, and found %d words: write %s %s", c.CommandPath(), name, len(args), c.CommandPath(), args[0])
	}
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// notABundle adds to the error of a word that is no BUNDLE what was most likely meant: a single input, a report, a branch or a
// range of commits.
func notABundle(command, word string, err error) error {
	verify := "closeout verify"
	if info, statErr := os.Stat(word); statErr == nil && !info.IsDir() || filepath.Base(word) == report.FileName { // an older report is gone by now
		return fmt.Errorf("%w: name the directory that contains it: %s %s", err, command, filepath.ToSlash(filepath.Dir(word)))
	}
	if base, head, isRange := cutRange(word); isRange {
		return fmt.Errorf("%w: to judge a range of commits, write %s --base %s --head %s", err, verify, base, head)
	}
	if resolves(word) {
		return fmt.Errorf("%w, but %q is a commit: to judge the changes since it, write %s --base %s", err, word, verify, word)
	}
	return fmt.Errorf("%w: name a directory that contains the inputs, or write %s --base %s", err, verify, cmp.Or(usualBase(), "BRANCH"))
}

// cutRange cuts a range of commits as git writes it; the head of "main.." is HEAD.
func cutRange(word string) (base, head string, found bool) {
	for _, dots := range []string{"...", ".."} {
		if base, head, found = strings.Cut(word, dots); found && base != "" && !strings.Contains(word, "/..") {
			return base, cmp.Or(head, "HEAD"), true
		}
	}
	return "", "", false
}

// resolves reports whether the repository here has a commit of that name.
func resolves(name string) bool {
	git, err := collect.OpenGit(".", input.DefaultLimits())
	if err != nil {
		return false
	}
	defer git.Close()
	_, err = git.Resolve(name)
	return err == nil
}

// usualBase is the branch that changes usually go into, where the repository here has one of these names; else "".
func usualBase() string {
	for _, name := range []string{"origin/main", "origin/master", "main", "master", "trunk", "develop"} {
		if resolves(name) {
			return name
		}
	}
	return ""
}

// wrongCommit adds to the error of a name that is no commit what was most likely meant.
func wrongCommit(flag, name string, git *collect.Git, err error) error {
	if base, head, isRange := cutRange(name); isRange {
		return fmt.Errorf("--%s takes one commit, and %q is a range: write --base %s --head %s", flag, name, base, head)
	}
	if !errors.Is(err, collect.ErrNoSuchRef) {
		return err
	}
	if fix := git.RefFix(name); fix != "" {
		return fmt.Errorf("%w; %s", err, fix)
	}
	return err
}

// tellNoInputs says what to write when a directory contains no input: most often it is the repository.
func tellNoInputs(dir string, found *collect.Found, std console.Streams) {
	if len(found.Inputs) > 0 {
		return
	}
	fmt.Fprintf(std.Err, "closeout: %q contains no input, such as scope_contract.json, feedback_record.jsonl, rule_report.json or pr.diff; "+
		"to judge a change in a repository, write closeout verify --base %s\n", dir, cmp.Or(usualBase(), "BRANCH"))
}
