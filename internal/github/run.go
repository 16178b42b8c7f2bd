package github

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Repository is the directory of the workspace into which a workflow fetches the commits: a bare repository.
const Repository = "closeout.git"

// Fetch is the script of the step that does so. It fetches the default branch, the base branch or the head of the merge
// group, the head of the pull request, and GitHub's test merge, if there is one. Of a merge group, it fetches the head of
// the last pull request: the group contains the heads of the others where the queue merges. The script reads GITHUB_TOKEN
// and variables that the runner sets.
//
//go:embed fetch.sh
var Fetch string

// Options says what a run collects, where, and with whose rights.
type Options struct {
	EventName  string // GITHUB_EVENT_NAME
	Attempt    string // GITHUB_RUN_ATTEMPT
	RunID      string // GITHUB_RUN_ID
	Runner     string // RUNNER_NAME
	Payload    []byte // content of the file of GITHUB_EVENT_PATH
	Repository string // GITHUB_REPOSITORY; "" accepts that of the payload
	APIURL     string // what the workflow's author wrote
	RunnerAPI  string // GITHUB_API_URL
	Token      string
	Version    string          // of this program
	Files      collect.Options // its Root is the workspace
	Progress   func(string)    // is told each stage, and each long wait; may be nil
}

// Run collects the inputs of one decision about a pull request or a merge group.
type Run struct {
	Event    *Event
	Client   *Client
	files    collect.Options
	progress func(string)
}

// NewRun reads the event and makes the client. Every error is one of usage.
func NewRun(o Options) (*Run, error) {
	event, err := ParseEvent(o.EventName, o.Payload)
	if err != nil {
		return nil, err
	}
	event.Attempt, _ = strconv.ParseInt(o.Attempt, 10, 64) // 0 where the runner does not say
	event.RunID, event.Runner = o.RunID, o.Runner
	if o.Repository != "" && !strings.EqualFold(o.Repository, event.Repository) {
		return nil, fmt.Errorf("the event's payload is about %s, and the job runs in %s", event.Repository, o.Repository)
	}
	api, err := APIURL(o.APIURL, o.RunnerAPI)
	if err != nil {
		return nil, err
	}
	client, err := New(Config{API: api, Token: o.Token, Repository: event.Repository, RepositoryID: event.RepositoryID, Version: o.Version})
	if err != nil {
		return nil, err
	}
	run := &Run{event, client, o.Files, o.Progress}
	client.wire.waits = func(wait time.Duration, why string) {
		run.stage("waiting %s: %s", wait.Round(time.Second), client.clean(why))
	}
	return run, nil
}

// stage tells what a run does next, and how often GitHub was asked before.
func (r *Run) stage(format string, args ...any) {
	if r.progress == nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	if asked := r.Client.wire.asked.Load(); asked > 0 {
		text += fmt.Sprintf(" (%s so far)", input.Plural(asked, "request"))
	}
	r.progress(text)
}

// Collect collects what the event is about. The error is one of usage.
func (r *Run) Collect(ctx context.Context) (*collect.Found, error) {
	if err := r.files.CheckDiff(); err != nil {
		return nil, err
	}
	from, err := r.openSource()
	if err != nil {
		return nil, err
	}
	defer from.closeGit()
	if r.Event.Name == "merge_group" {
		return r.collectGroup(ctx, from)
	}
	return r.collectPull(ctx, from)
}

// collectPull collects a pull request: its commits, the contracts, what the contracts make matter, and the facts.
func (r *Run) collectPull(ctx context.Context, from *source) (*collect.Found, error) {
	r.stage("reading pull request %d", r.Event.Number)
	pull := r.Client.Pull(ctx, r.Event.Number)
	subject := pull.Subject
	objects, name := from.objectsOf(pull.Unavailable, subject.BaseSHA, subject.HeadSHA)
	subject.ChangesFrom = name
	r.stage("comparing the commits of pull request %d", r.Event.Number)
	testMerge := from.testMerge(pull.TestMerge, subject.BaseSHA, subject.HeadSHA)
	compared := collect.Compare(objects, subject.BaseSHA, subject.HeadSHA)
	standing, err := r.standing(ctx, from, compared, subject)
	if err == nil && subject.BaseBranch == subject.DefaultBranch {
		standing, err = standing.OrTrial(compared, r.files)
	}
	if err != nil {
		return nil, err
	}
	contracts, err := standing.WithTask(compared, r.files)
	if err != nil {
		return nil, err
	}
	found, err := contracts.Files(r.files)
	if err != nil {
		return nil, err
	}
	r.stage("reading the changed files of pull request %d", r.Event.Number)
	compared.ReadReports(found, contracts)
	compared.RunRules()
	known := collect.Facts(subject, compared, contracts, r.files, testMerge...)
	known.Event = r.Event.Facts()
	r.stage("reading commits, labels and people of pull request %d", r.Event.Number)
	r.Client.Details(ctx, pull, r.wants(pull, contracts, objects))
	if compared.Changes != nil {
		r.Client.CrossCheck(ctx, pull, compared.Changes)
	}
	r.Client.finish(ctx, pull, known)
	r.askJobs(ctx, found, known)
	return found, found.Add(compared, contracts, known)
}

// collectGroup collects a merge group: the group's own change, and each pull request that is known to be in it.
func (r *Run) collectGroup(ctx context.Context, from *source) (*collect.Found, error) {
	r.stage("reading the merge group")
	group := r.Client.Group(ctx, r.Event)
	subject := group.Subject
	subject.PullRequests = group.Numbers
	objects, name := from.objectsOf(nil, subject.BaseSHA, subject.HeadSHA)
	subject.ChangesFrom = name
	r.stage("comparing the commits of the merge group")
	compared := collect.Compare(objects, subject.BaseSHA, subject.HeadSHA)
	standing, err := r.standing(ctx, from, compared, subject)
	if err != nil {
		return nil, err
	}
	contracts := standing.WithoutTask()
	found, err := contracts.Files(r.files)
	if err != nil {
		return nil, err
	}
	known := collect.Facts(subject, compared, contracts, r.files)
	known.Event = r.Event.Facts()
	known.Unavailable = append(known.Unavailable, group.Unavailable...)
	r.askJobs(ctx, found, known)
	if err := found.Add(compared, contracts, known); err != nil {
		return nil, err
	}
	standing.Unavailable = nil // the group's facts list it: it is about no pull request alone
	for _, number := range group.Numbers {
		if err := r.collectMember(ctx, from, found, group, standing, number); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// collectMember collects one pull request of a merge group.
func (r *Run) collectMember(ctx context.Context, from *source, found *collect.Found, group *Group, standing *collect.Contracts, number int64) error {
	r.stage("reading pull request %d of the merge group", number)
	pull := r.Client.Member(ctx, number, group)
	subject := pull.Subject
	objects, name := from.objectsOf(pull.Unavailable, group.Subject.BaseSHA, group.Subject.HeadSHA, subject.HeadSHA)
	subject.ChangesFrom = name
	compared := collect.Compare(objects, group.Subject.BaseSHA, subject.HeadSHA)
	contracts, err := standing.WithTask(compared, r.files)
	if err != nil {
		return err
	}
	compared.RunRules()
	known := collect.MemberFacts(subject, compared, contracts, group.Subject.HeadSHA)
	r.Client.Details(ctx, pull, r.wants(pull, contracts, objects))
	r.Client.finish(ctx, pull, known)
	return found.AddPull(number, compared, contracts, known)
}

// standing reads the standing contract: the operator's in its place, or the base's, or that of the default branch's tip.
//
// A branch that anyone may push to could name itself under base_branches, or exclude its author in applies_to; the pull
// request would pass there, and its base would then be changed. So the contract of another branch than the default one
// applies only when the default branch's contract names that branch.
func (r *Run) standing(ctx context.Context, from *source, compared *collect.Comparison, subject facts.Subject) (*collect.Contracts, error) {
	isDefault := subject.BaseBranch == subject.DefaultBranch
	if isDefault || compared.Base == "" || compared.Head == "" || r.files.ContractFile != "" {
		return collect.ReadStanding(compared, r.files)
	}
	tip, err := r.Client.BranchTip(ctx, subject.DefaultBranch)
	if err != nil {
		return collect.StandingAt(collect.Lost{Err: err}, "", r.files)
	}
	objects, _ := from.objectsOf(nil, tip)
	standing, err := collect.StandingAt(objects, tip, r.files)
	if err != nil || !standing.NamesBranch(subject.BaseBranch) {
		return standing, err
	}
	return collect.ReadStanding(compared, r.files)
}

// wants says what the contracts make matter.
func (r *Run) wants(pull *Pull, contracts *collect.Contracts, objects collect.Objects) Wants {
	rule := override.NewRule() // the default one where the contract cannot be read
	approvals := contracts.Policy != nil && (len(contracts.Policy.Approvals) > 0 || len(contracts.Policy.Tests()) > 0)
	w := Wants{Approvals: approvals || contracts.Trial(), Event: r.Event}
	if standing := contracts.Standing; standing != nil {
		if !contracts.Trial() {
			rule = override.NewRule(standing)
		}
		if live := pull.Live; live != nil {
			// Where applies_to excludes the pull request, or another branch has another contract, it matters which others have the same head.
			leftOut := standing.AppliesTo != nil && override.NewAuthors(standing.AppliesTo).LeavesOut(live)
			w.SameHead = leftOut || standing.SeveralBases() || live.BaseBranch != pull.Subject.DefaultBranch
			w.Updates = override.IsByBot(standing.UpdateBots, live)
		}
	}
	w.Override, w.Teams, w.People = rule.Asks, rule.Teams, rule.People > 1
	if contracts.Policy != nil { // a task can require more people
		several := func(s policy.Source) bool { return s.Contract.Override.People > 1 }
		w.Threads, w.Markers = contracts.Policy.Threads, contracts.Policy.ThreadMarkers
		w.People = w.People || slices.ContainsFunc(contracts.Policy.Sources, several)
	}
	w.CleanMerge = func(commit string, parents []string) bool {
		clean, err := collect.CleanMerge(objects, commit, parents)
		return clean && err == nil // a merge that cannot be read counts as its author's work
	}
	return w
}

// finish looks where the head is now, and adds what GitHub told to the facts.
func (c *Client) finish(ctx context.Context, pull *Pull, known *facts.Facts) {
	c.ReadHeadAgain(ctx, pull)
	known.GitHub = pull.GitHub()
	known.Unavailable = append(known.Unavailable, pull.Unavailable...)
}

// openSource opens the repository that the workflow fetched, or the one of a checkout. What a damaged one contains is
// unavailable. Every other error is one of usage.
func (r *Run) openSource() (*source, error) {
	dir := filepath.Join(r.files.Root, Repository)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		dir = r.files.Root
	}
	repository, err := collect.OpenGit(dir, r.files.Settings.Limits)
	if none := (*git.NotARepository)(nil); errors.As(err, &none) {
		const step = "- name: Fetch the commits\n  env:\n    GITHUB_TOKEN: ${{ github.token }}\n  run: |\n    "
		r.stage("add this step before the gate:\n%s", step+strings.ReplaceAll(strings.TrimSpace(Fetch), "\n", "\n    "))
		return nil, errors.New("the workspace contains no git repository, from which the gate reads base and head: " +
			"add the step \"Fetch the commits\" before the gate; the log of the gate and docs/reference/action.md show it")
	}
	if planted := (*git.Planted)(nil); errors.As(err, &planted) {
		return nil, fmt.Errorf("the workspace is a checkout that tracks %q, so a change could have written what the gate "+
			"reads there: judge in a job that checks nothing out, or remove %s from the repository", planted.Tracked, Repository)
	}
	if err != nil && !collect.Unknowable(err) {
		return nil, err
	}
	return &source{repository, err}, nil
}

// source is the repository that contains the commits.
type source struct {
	git *collect.Git // nil when it is damaged
	bad error        // says how it is damaged
}

// objectsOf gives the objects of some commits, and the name of their source. Unknown commits have none; missing says why.
func (s *source) objectsOf(missing []facts.Unavailable, commits ...string) (collect.Objects, string) {
	if s.bad != nil {
		return collect.Lost{Err: s.bad}, ""
	}
	for _, commit := range commits {
		if commit == "" {
			return lost(missing), ""
		}
		if err := s.git.HasCommit(commit); err != nil {
			fix := "run the job again: a branch may have moved after the step that fetched"
			if other := collect.FixOf(err); other != "" {
				fix += "; if that does not help, " + other
			}
			return collect.Lost{Err: &failure{text: err.Error() + ", and GitHub names it now", fix: fix}}, ""
		}
	}
	return s.git, "git"
}

// testMerge is GitHub's merge of head and base, which a job may have had checked out, when it merges exactly these two.
// An unknown commit is not accepted.
func (s *source) testMerge(commit, base, head string) []collect.Place {
	if s.git == nil || commit == "" {
		return nil
	}
	if merges, err := s.git.IsMergeOf(commit, base, head); err != nil || !merges {
		return nil
	}
	return []collect.Place{{Objects: s.git, Commit: commit}}
}

func (s *source) closeGit() {
	if s.git != nil {
		s.git.Close()
	}
}

// lost takes the place of the objects of unknown commits: the first unavailable fact says why.
func lost(missing []facts.Unavailable) collect.Objects {
	if len(missing) == 0 {
		return collect.Lost{Err: errors.New("GitHub did not say which commits are judged")}
	}
	return collect.Lost{Err: &failure{text: missing[0].Error, fix: missing[0].Fix}}
}
