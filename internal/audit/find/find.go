// Package find asks GitHub which decision let each new commit of a branch in, and writes what an archive keeps of it.
package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify"
)

// Search says for which commits decisions are looked for, and where.
type Search struct {
	Git      *clone.Clone
	Line     []clone.Step // the commits that no entry answers for, the oldest first
	Branch   string
	Workflow string // file name of the gate's workflow
	Artifact string // name of what it uploads
	GiveUp   bool   // whether the first commit about which GitHub cannot be asked becomes a gap
	Out      string // directory that gets the bundle of each entry, as N/bundle
	Told     func(*archive.Entry)
}

// What one call finds at most. The next one goes on.
const (
	maxFound      = 1000
	maxFoundBytes = 1 << 30
	maxFoundFiles = 100_000 // the index lists each
	maxGroup      = 100     // pull requests that a merge queue builds at once
	maxTried      = 20      // runs of one head whose artifact is read
)

// finder looks for decisions.
type finder struct {
	Search
	*github.Client
	entries []archive.Entry
	bytes   int64
	files   int
	queue   *bool // whether the repository has ever used a merge queue; nil before it was asked
	pulls   map[string][]github.MergedPull
}

// Decisions makes an entry for each commit, or for several that were merged at once: a decision with its bundle, or a gap where GitHub
// proves that there is none. An error says about which commit GitHub could not be asked, or which object the clone lacks; the
// entries are those before it. Their bundles are below Out.
func Decisions(ctx context.Context, c *github.Client, what Search) ([]archive.Entry, error) {
	f := &finder{Search: what, Client: c, pulls: map[string][]github.MergedPull{}}
	for line := f.Line; len(line) > 0 && len(f.entries) < maxFound && f.bytes < maxFoundBytes && f.files < maxFoundFiles; {
		entry, err := f.next(ctx, line)
		if f.GiveUp && github.Failed(err) {
			f.GiveUp, err = false, nil
			entry = f.gap(unit{steps: line[:1]}, archive.Unknown)
		}
		if err != nil {
			return f.entries, fmt.Errorf("commit %s: %w", line[0].Commit, err)
		}
		line = line[len(entry.Commits):]
		f.entries = append(f.entries, *entry)
		f.Told(entry)
	}
	return f.entries, nil
}

// unit is what was merged at once.
type unit struct {
	steps  []clone.Step
	pulls  []int64
	head   string // what its runs are about
	group  bool   // a merge queue judged it
	merged time.Time
}

func (u *unit) tip() string { return u.steps[len(u.steps)-1].Commit }

// next makes the entry of the first commits of a line.
func (f *finder) next(ctx context.Context, line []clone.Step) (*archive.Entry, error) {
	candidates, err := f.mergedBy(ctx, line)
	if err != nil {
		return nil, err
	}
	if len(candidates) == 0 {
		return f.gap(unit{steps: line[:1]}, archive.NoPullRequest), nil
	}
	if entry, err := f.ofGroup(ctx, line, candidates); entry != nil || err != nil {
		return entry, err
	}
	var first *archive.Entry
	for _, u := range candidates { // several only where one merge closed pull requests with the same commits
		entry, err := f.decide(ctx, u, "pull_request")
		if err != nil || entry.Kind == archive.Decision {
			return entry, err
		}
		if first == nil {
			first = entry
		}
	}
	return first, nil
}

// mergedBy says which pull request brought the first commits of a line, and how many: those whose merge commit is the first commit
// itself, else one that was rebased, whose merge commit is the last of several that all belong to it.
func (f *finder) mergedBy(ctx context.Context, line []clone.Step) (units []unit, err error) {
	pulls, err := f.pullsOf(ctx, line[0])
	if err != nil {
		return nil, err
	}
	for _, p := range pulls {
		if p.MergeCommit == line[0].Commit {
			units = append(units, unitOf(line[:1], p))
		}
	}
	for _, p := range pulls {
		if len(units) > 0 {
			break
		}
		n := 1 + slices.IndexFunc(line[:min(len(line), archive.MaxCommits)], func(s clone.Step) bool { return s.Commit == p.MergeCommit })
		all, err := f.allOf(ctx, line[:n], p.Number)
		if err != nil {
			return nil, err
		}
		if all {
			units = append(units, unitOf(line[:n], p))
		}
	}
	return units, nil
}

func unitOf(steps []clone.Step, p github.MergedPull) unit {
	return unit{steps: steps, pulls: []int64{p.Number}, head: p.Head.SHA, merged: *p.MergedAt}
}

// allOf reports whether there are commits, and all of them belong to a pull request.
func (f *finder) allOf(ctx context.Context, steps []clone.Step, number int64) (bool, error) {
	for _, s := range steps {
		pulls, err := f.pullsOf(ctx, s)
		if err != nil || !slices.ContainsFunc(pulls, func(p github.MergedPull) bool { return p.Number == number }) {
			return false, err
		}
	}
	return len(steps) > 0, nil
}

func (f *finder) pullsOf(ctx context.Context, s clone.Step) ([]github.MergedPull, error) {
	if known, ok := f.pulls[s.Commit]; ok {
		return known, nil
	}
	pulls, err := f.MergedPulls(ctx, s.Commit, s.Subject, f.Branch)
	if err == nil {
		f.pulls[s.Commit] = pulls
	}
	return pulls, err
}

// ofGroup makes the entry of a group of a merge queue that begins with the first commit; nil when there is none. The queue moves the
// branch to the head of a group, so its runs are about a commit of the line: of this pull request, or, where the queue judges only
// the last of a group, of a later one, whose report then begins at the parent of the first commit.
func (f *finder) ofGroup(ctx context.Context, line []clone.Step, candidates []unit) (*archive.Entry, error) {
	queue, err := f.hasQueue(ctx)
	if !queue || err != nil {
		return nil, err
	}
	u := candidates[0]
	for {
		u.head, u.group = u.tip(), true
		runs, err := f.GateRuns(ctx, f.Workflow, "merge_group", u.head, u.merged)
		if err != nil {
			return nil, err
		}
		if len(runs) > 0 {
			entry, err := f.decide(ctx, u, "merge_group")
			if err == nil && entry.Kind != archive.Decision && len(u.steps) > len(candidates[0].steps) {
				return nil, nil // the group may begin later
			}
			return entry, err
		}
		more, err := f.longer(ctx, line, u)
		if more == nil || err != nil {
			return nil, err
		}
		u = *more
	}
}

// longer adds the next pull request of the line to a group; nil when there is none.
func (f *finder) longer(ctx context.Context, line []clone.Step, u unit) (*unit, error) {
	rest := line[len(u.steps):]
	if len(rest) == 0 || len(u.pulls) == maxGroup {
		return nil, nil
	}
	next, err := f.mergedBy(ctx, rest)
	if len(next) == 0 || err != nil || len(u.steps)+len(next[0].steps) > archive.MaxCommits {
		return nil, err
	}
	u.pulls = append(slices.Clone(u.pulls), next[0].pulls...)
	u.steps, u.merged = line[:len(u.steps)+len(next[0].steps)], next[0].merged
	return &u, nil
}

// hasQueue asks once whether any run was ever started by a merge queue: without one, its runs need not be looked for.
func (f *finder) hasQueue(ctx context.Context) (bool, error) {
	if f.queue != nil {
		return *f.queue, nil
	}
	queue, err := f.HasQueue(ctx)
	if err == nil {
		f.queue = &queue
	}
	return queue, err
}

// entry is what decisions and gaps share.
func (f *finder) entry(u unit) *archive.Entry {
	e := &archive.Entry{Schema: archive.EntrySchema, Branch: f.Branch, Replay: archive.ReplayNotTried}
	for _, s := range u.steps {
		e.Commits = append(e.Commits, s.Commit)
	}
	if parent := u.steps[0].Parent; parent != "" {
		e.Parent = &parent
	}
	numbers := map[int64]bool{}
	for _, n := range u.pulls {
		numbers[n] = true
	}
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		e.PullRequests = append(e.PullRequests, strconv.FormatInt(n, 10))
	}
	return e
}

// gap is the entry of commits without a decision.
func (f *finder) gap(u unit, why string) *archive.Entry {
	e := f.entry(u)
	e.Kind, e.Why = archive.Gap, &why
	return e
}

// ClientOfRunner makes the client from what the runner says of itself, and names the archive of its repository.
func ClientOfRunner(std console.Streams) (client *github.Client, origin string, err error) {
	repository, server := os.Getenv("GITHUB_REPOSITORY"), cmp.Or(os.Getenv("GITHUB_SERVER_URL"), "https://github.com")
	host, err := url.Parse(server)
	if err != nil || host.Host == "" {
		return nil, "", fmt.Errorf("GITHUB_SERVER_URL is %q: expected one such as https://github.com", server)
	}
	api, err := github.APIURL("", os.Getenv("GITHUB_API_URL"))
	if err != nil {
		return nil, "", err
	}
	if repository == "" {
		return nil, "", errors.New("GITHUB_REPOSITORY is not set: expected owner/name of the repository on GitHub")
	}
	client, err = github.New(github.Config{
		API: api, Token: os.Getenv("GITHUB_TOKEN"), Repository: repository, RepositoryID: os.Getenv("GITHUB_REPOSITORY_ID"), Version: verify.Version,
		Waits: func(wait time.Duration, why string) {
			std.Tell("", "waiting %s: %s", wait.Round(time.Second), present.Neutral(why))
		},
	})
	return client, "closeout-archive/" + host.Host + "/" + repository, err
}
