package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify/input"
)

func ReadEventFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, github.MaxEvent+1))
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

// Resolves reports whether the repository here has a commit of that name.
func Resolves(name string) bool {
	git, err := collect.OpenGit(".", input.DefaultLimits())
	if err != nil {
		return false
	}
	defer git.Close()
	_, err = git.Resolve(name)
	return err == nil
}

// UsualBase is the branch that changes usually go into, where the repository here has one of these names; else "".
func UsualBase() string {
	for _, name := range []string{"origin/main", "origin/master", "main", "master", "trunk", "develop"} {
		if Resolves(name) {
			return name
		}
	}
	return ""
}

// shortRef is a ref without what git adds to the name of a branch.
func shortRef(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "refs/heads/"), "refs/remotes/")
}

// WrongCommit adds to the error of a name that is not a commit what was most likely meant.
func WrongCommit(flag, name string, git *collect.Git, err error) error {
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

// Bases are the refs that are tried for the base, in this order.
var Bases = []string{
	"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
	"refs/heads/main", "refs/heads/master", "refs/heads/trunk", "refs/heads/develop",
}

// RemoteBases is how many of the bases are of a remote.
const RemoteBases = 3

// NoBase is the error where none of the [bases] exists: it names the flag that names one, and what it could be.
func NoBase(git *collect.Git, flag string) error {
	branch := "BRANCH"
	if names := git.Branches(); len(names) > 0 && !strings.ContainsAny(names[0], "$`;&|<>()'\"!{}#") { // it is typed into a shell
		branch = names[0]
	}
	return fmt.Errorf("there is none of the usual base branches (origin/HEAD, or main, master, trunk or develop): name yours: %s %s", flag, branch)
}

// BaseName is the commit to compare with, and where it comes from: named is what the call of a command names, "" for none.
func BaseName(git *collect.Git, named, command string) (name, why string, err error) {
	switch {
	case named != "":
		return named, "", nil
	case console.InActions():
		return eventBase(git)
	}
	if head, err := git.FirstRef("HEAD"); head == "" && err == nil {
		return "", "", errors.New("this repository has no commit yet: write git add -A && git commit -m 'First commit', then closeout init")
	}
	name, err = git.FirstRef(Bases...)
	if err == nil && name == "" {
		err = NoBase(git, "closeout "+command+" --base")
	}
	return name, "", err
}

// eventBase is the base of the event that started the workflow: the branch of a pull request as it was fetched, or the commit
// that a merge group starts from.
func eventBase(git *collect.Git) (name, why string, err error) {
	var payload []byte
	if file := os.Getenv("GITHUB_EVENT_PATH"); file != "" {
		if payload, err = ReadEventFile(file); err != nil {
			err = fmt.Errorf("the event's payload (GITHUB_EVENT_PATH) cannot be read: %w", input.Reason(err))
		}
	}
	var event *github.Event
	if err == nil {
		event, err = github.ParseEvent(os.Getenv("GITHUB_EVENT_NAME"), payload)
	}
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
