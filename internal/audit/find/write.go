package find

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/verify/input"
)

// Since is what an archive does not have yet: all, or what comes after the file state.json of it, "" for none.
func Since(origin, branch, state string) (*archive.Found, error) {
	found := &archive.Found{Schema: archive.FoundSchema, Origin: origin, Branch: branch}
	if state == "" {
		return found, nil
	}
	known, err := State(state)
	if err != nil {
		return nil, err
	}
	found.Origin, found.Size = known.Origin, known.Size
	if last := known.Last[branch]; last != "" {
		found.After = &last
	}
	return found, nil
}

// Line lists the commits of the branch that the archive does not answer for. after is the commit after which it begins or goes
// on, "" for none.
func Line(git *clone.Clone, found *archive.Found, after string) ([]clone.Step, error) {
	ref, err := git.FirstRef("refs/remotes/origin/"+found.Branch, "refs/heads/"+found.Branch)
	if err == nil && ref == "" {
		err = fmt.Errorf("the clone has no branch %q: fetch it, or name another one with --branch", found.Branch)
	}
	if err != nil {
		return nil, err
	}
	tip, err := git.Resolve(ref)
	if err != nil {
		return nil, err
	}
	if last := found.After; last != nil {
		line, err := git.Line(tip, *last)
		switch lost := errors.Is(err, clone.ErrNotOnLine); {
		case lost && after == "":
			return nil, fmt.Errorf("the archive ends with %s: %w. The branch was rewritten: name with --after the commit after which the archive goes on", *last, err)
		case err == nil && after != "":
			return nil, fmt.Errorf("--after cannot be given: the archive ends with %s, and goes on there", *last)
		case !lost:
			return line, err
		}
	}
	if after == "" {
		return git.ContractLine(tip)
	}
	begin, err := git.Resolve(after)
	if err != nil {
		return nil, err
	}
	return git.Line(tip, begin)
}

// Written is what [Write] wrote.
type Written struct {
	SHA256  string // of the index
	Left    int    // commits for the next call
	Stopped error  // of [Decisions]
}

// Write finds decisions, and writes the index of what is found. It comes last, and whole: without it no one takes the
// rest.
func Write(ctx context.Context, c *github.Client, found *archive.Found, what Search) (*Written, error) {
	w := &Written{Left: len(what.Line)}
	found.Entries, w.Stopped = Decisions(ctx, c, what)
	for _, e := range found.Entries {
		w.Left -= len(e.Commits)
	}
	if done := len(what.Line) - w.Left; done > 0 {
		found.Date = min(what.Line[done-1].Date, 1<<33) // the index takes no later one
	}
	data, err := found.Marshal()
	if err != nil {
		return nil, err
	}
	if _, errs := archive.ReadFound(data); errs.Any() {
		return nil, fmt.Errorf("%s would be malformed: %s", archive.IndexFile, errs.All()[0].Message)
	}
	if err := collect.Create(filepath.Join(what.Out, archive.IndexFile), data); err != nil {
		return nil, err
	}
	w.SHA256 = input.Digest(data)
	return w, nil
}

// Told is an entry in a line.
func Told(e *archive.Entry) string {
	what := "no decision"
	switch {
	case e.Kind == archive.Decision:
		what = *e.Verdict + ", replay " + e.Replay
	case e.Why != nil:
		what += ": " + *e.Why
	}
	if len(e.PullRequests) > 0 {
		what += ", pull request " + strings.Join(e.PullRequests, ", ")
	}
	if e.Run != nil {
		what += ", run " + e.Run.ID
	}
	return e.Commits[len(e.Commits)-1] + ": " + what
}
