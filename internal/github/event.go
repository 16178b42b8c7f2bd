package github

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// MaxEvent is the size of a payload; GitHub sends at most 25 MB.
const MaxEvent = 32 << 20

// Event is what the runner was started for. It names the pull request, as it was then. Only the API says how it is
// now: a job that is run again gets its old payload.
type Event struct {
	Name          string // pull_request or merge_group
	Action        string
	Repository    string // owner/name
	RepositoryID  string
	DefaultBranch string
	Number        int64 // of the pull request; 0 for a merge group
	HeadSHA       string
	BaseSHA       string
	BaseBranch    string
	HeadRef       string // of a merge group, refs/heads/gh-readonly-queue/…; "" else
	Label         string // of labeled and unlabeled
	Sender        string // login of who caused it
	SenderID      string
	Attempt       int64 // of the run; 0 when the runner does not say
	RunID         string
	Runner        string // name of the machine that the job runs on
}

// Facts are the parts of an event that the judge may read.
func (e *Event) Facts() facts.Event {
	f := facts.Event{Name: e.Name, Action: e.Action, HeadSHA: e.HeadSHA, Label: e.Label, Sender: e.Sender, SenderID: e.SenderID, Attempt: e.Attempt}
	if e.Name == "pull_request" {
		f.BaseBranch = e.BaseBranch
	}
	return f
}

// pullActions are the actions of pull_request that can change the decision.
var pullActions = []string{"opened", "synchronize", "reopened", "ready_for_review", "edited", "labeled", "unlabeled"}

type payload struct {
	Action      string `json:"action"`
	Number      int64  `json:"number"`
	PullRequest *struct {
		Number int64   `json:"number"`
		Head   *branch `json:"head"`
		Base   *branch `json:"base"`
	} `json:"pull_request"`
	MergeGroup *struct {
		HeadSHA string `json:"head_sha"`
		HeadRef string `json:"head_ref"`
		BaseSHA string `json:"base_sha"`
		BaseRef string `json:"base_ref"`
	} `json:"merge_group"`
	Label *struct {
		Name string `json:"name"`
	} `json:"label"`
	Repository *struct {
		ID            int64  `json:"id"`
		FullName      string `json:"full_name"`
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`
	Sender *account `json:"sender"`
}

type branch struct {
	Ref string `json:"ref"`
	SHA string `json:"sha"`
}

// ParseEvent reads GITHUB_EVENT_NAME and the file of GITHUB_EVENT_PATH. Every error is one of usage: the workflow runs the
// gate on an event for which there is no sound answer, or the payload is not GitHub's.
func ParseEvent(name string, data []byte) (*Event, error) {
	if err := supported(name); err != nil {
		return nil, err
	}
	p, err := parsePayload(data)
	if err != nil {
		return nil, fmt.Errorf("the event's payload (GITHUB_EVENT_PATH): %w", err)
	}
	e := &Event{
		Name: name, Action: p.Action, Repository: p.Repository.FullName, RepositoryID: digits(p.Repository.ID),
		DefaultBranch: p.Repository.DefaultBranch, Sender: p.Sender.login(), SenderID: p.Sender.id(),
	}
	if name == "merge_group" {
		err = e.readGroup(p)
	} else {
		err = e.readPull(p)
	}
	if err != nil {
		return nil, err
	}
	return e, errors.Join(checkID("the head in the event's payload", e.HeadSHA), checkID("the base in the event's payload", e.BaseSHA))
}

// supported refuses the events that only seem to work.
func supported(name string) error {
	const instead = "use pull_request, with the types opened, synchronize, reopened, ready_for_review, edited, labeled, unlabeled"
	switch name {
	case "pull_request", "merge_group":
		return nil
	case "pull_request_target":
		return errors.New("pull_request_target runs with secrets and the permissions of the repository, alongside code that anyone may propose: " + instead + "; the gate needs no secret, not even for forks")
	case "workflow_run":
		return errors.New("workflow_run is not tied to the pull request: its check does not appear there, and its artifacts may come from any code: " + instead)
	case "":
		return errors.New("GITHUB_EVENT_NAME is not set: on a command line use closeout verify")
	}
	return fmt.Errorf("the event %q is about no pull request: %s, or merge_group", cut(name, 80), instead)
}

func parsePayload(data []byte) (*payload, error) {
	if len(data) > MaxEvent {
		return nil, fmt.Errorf("it has more than %d MiB", MaxEvent>>20)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil, errors.New("it is not a JSON object")
	}
	p := &payload{}
	if err := input.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	if p.Repository == nil || p.Repository.ID <= 0 || !repositorySyntax().MatchString(p.Repository.FullName) {
		return nil, errors.New("it names no repository")
	}
	return p, nil
}

func (e *Event) readPull(p *payload) error {
	if !slices.Contains(pullActions, p.Action) {
		return fmt.Errorf("the action %q of pull_request cannot change the decision: expected one of %s", cut(p.Action, 80), strings.Join(pullActions, ", "))
	}
	pull := p.PullRequest
	if pull == nil || pull.Head == nil || pull.Base == nil || pull.Number <= 0 || pull.Base.Ref == "" {
		return errors.New("the event's payload (GITHUB_EVENT_PATH) contains no pull request")
	}
	e.Number, e.HeadSHA, e.BaseSHA, e.BaseBranch = pull.Number, pull.Head.SHA, pull.Base.SHA, pull.Base.Ref
	if p.Label != nil && strings.HasSuffix(p.Action, "labeled") {
		e.Label = p.Label.Name
	}
	return nil
}

func (e *Event) readGroup(p *payload) error {
	group := p.MergeGroup
	if p.Action != "checks_requested" {
		return fmt.Errorf("the action %q of merge_group requests no check: expected `types: [checks_requested]`", cut(p.Action, 80))
	}
	if group == nil {
		return errors.New("the event's payload (GITHUB_EVENT_PATH) contains no merge group")
	}
	base, found := strings.CutPrefix(group.BaseRef, "refs/heads/")
	if !found || base == "" {
		return fmt.Errorf("the merge group's base is %q: expected refs/heads/…", cut(group.BaseRef, 80))
	}
	e.HeadSHA, e.HeadRef, e.BaseSHA, e.BaseBranch = group.HeadSHA, group.HeadRef, group.BaseSHA, base
	return nil
}
