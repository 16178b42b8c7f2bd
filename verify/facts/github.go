package facts

import (
	"strings"
)

// Permissions are what an account may be allowed in a repository, the most powerful first.
var Permissions = []string{"admin", "maintain", "write", "triage", "read", "none"}

// GitHub is what GitHub said when the collector asked. A list that is nil could not be read, and Facts.Unavailable says
// why, or nothing depended on it and it was not asked for (label events without a label that could override, reviews without
// approvals); an empty one says that there is none.
type GitHub struct {
	PullRequest *PullRequest `json:"pull_request,omitzero" null:"yes"` // nil when the event is about none, or it could not be read
	People      []Person     `json:"people,omitzero"`                  // each account that the rest names and that was asked about, by login
}

// PullRequest is a pull request as it was when the collector looked, not as the event described it.
type PullRequest struct {
	Number     int64  `json:"number" is:"1"`
	State      string `json:"state" is:"open|closed"`
	Merged     bool   `json:"merged,omitempty"`
	Draft      bool   `json:"draft,omitempty"`
	Author     string `json:"author,omitempty"` // login; ghost when the account was deleted, "" when it is not known
	AuthorID   string `json:"author_id,omitempty" is:"digits"`
	AuthorType string `json:"author_type,omitempty"` // User, Bot, …, as GitHub says
	// AskedBy are the accounts that asked the agent that is the author, as far as GitHub tells.
	AskedBy []Account `json:"asked_by,omitzero"`
	// AuthorApps are the slugs of the apps that the author is, or that opened the pull request for the author.
	AuthorApps   []string     `json:"author_apps,omitempty"`
	BaseBranch   string       `json:"base_branch"`
	BaseSHA      string       `json:"base_sha" is:"id"`
	HeadSHA      string       `json:"head_sha" is:"id"`
	LastHeadSHA  string       `json:"last_head_sha,omitempty" is:"id"` // the head as it was read again at the end; "" when it was not
	ChangedFiles int64        `json:"changed_files" is:"0"`            // as GitHub counts them
	Labels       []string     `json:"labels,omitzero"`
	LabelEvents  []LabelEvent `json:"label_events,omitzero"` // those of labels that could override, by id
	Commits      []Commit     `json:"commits,omitzero"`      // all of them, in GitHub's order
	Comments     []Comment    `json:"comments,omitzero"`     // those that could give a reason, by id
	Reviews      []Review     `json:"reviews,omitzero"`      // by id
	// ForcePushedAt is what older collectors wrote. Nothing depends on it any more.
	ForcePushedAt string `json:"force_pushed_at,omitempty" is:"time"`
	// Threads are the resolved ones that reviewers of the contract opened; nil when it was not asked for.
	Threads []Thread `json:"threads,omitzero"`
	// SameHead are the other open pull requests with the same head, by number. Checks belong to commits, so they share
	// theirs. nil when it was not asked for, as where the contract applies to this one anyway.
	SameHead []Peer `json:"same_head,omitzero"`
}

// Thread is a resolved thread of the review.
type Thread struct {
	OpenedBy     string `json:"opened_by,omitempty"` // login; of a bot with [bot]
	OpenedByID   string `json:"opened_by_id,omitempty" is:"digits"`
	ResolvedBy   string `json:"resolved_by,omitempty"` // "" when GitHub does not say, as for an app
	ResolvedByID string `json:"resolved_by_id,omitempty" is:"digits"`
	Path         string `json:"path,omitempty"`
	Line         int64  `json:"line,omitempty" is:"0" null:"yes"` // 0 for none
}

// Peer is another open pull request with the same head.
type Peer struct {
	Number     int64    `json:"number" is:"1"`
	Author     string   `json:"author,omitempty"`
	AuthorID   string   `json:"author_id,omitempty" is:"digits"`
	AuthorType string   `json:"author_type,omitempty"`
	AuthorApps []string `json:"author_apps,omitempty"`
	Fork       bool     `json:"fork,omitempty"`        // the head's branch, or the base's, is in another repository
	BaseBranch string   `json:"base_branch,omitempty"` // of this repository; "" when older collectors did not say
}

// LabelEvent says that a label was added or removed.
type LabelEvent struct {
	ID        string `json:"id" is:"digits"` // digits
	Event     string `json:"event" is:"labeled|unlabeled"`
	Label     string `json:"label"`
	Actor     string `json:"actor,omitempty"` // login; "" when the account is gone
	ActorID   string `json:"actor_id,omitempty" is:"digits"`
	ActorType string `json:"actor_type,omitempty"` // User, Bot, …, as GitHub says in the event
	App       string `json:"app,omitempty"`        // slug of the app that acted; "" for none
	Intent    bool   `json:"intent,omitempty"`     // an agent said why it did this
	CreatedAt string `json:"created_at" is:"time"` // RFC 3339, UTC
}

// Commit is a commit of the pull request.
type Commit struct {
	SHA string `json:"sha" is:"id"`
	// Author and Committer are the accounts that GitHub, or an address that GitHub made, gives; "" when neither does, and
	// then the address is given, in lower case. The committer web-flow is GitHub itself.
	Author         string `json:"author,omitempty"`
	AuthorID       string `json:"author_id,omitempty" is:"digits"`
	AuthorEmail    string `json:"author_email,omitempty"`
	Committer      string `json:"committer,omitempty"`
	CommitterID    string `json:"committer_id,omitempty" is:"digits"`
	CommitterEmail string `json:"committer_email,omitempty"`
	// CoAuthors are those of Co-authored-by trailers, in lower case: ID+LOGIN or LOGIN where the address tells it, else the
	// address.
	CoAuthors []string `json:"co_authors,omitzero"`
	Verified  bool     `json:"verified,omitempty"`       // GitHub verified the signature, which is the committer's
	Parents   []string `json:"parents,omitzero" is:"id"` // of a merge; nil for any other commit
	// CleanMerge is true when the tree contains what the two parents bring, and nothing else; false also when it was not looked up.
	CleanMerge bool `json:"clean_merge,omitempty"`
	// Override is the first line of the message that asks for an override, cut; "" when there is none.
	Override string `json:"override,omitempty"`
}

// Comment is a comment that may contain a reason.
type Comment struct {
	ID        string `json:"id" is:"digits"`
	Author    string `json:"author,omitempty"`
	AuthorID  string `json:"author_id,omitempty" is:"digits"`
	Type      string `json:"author_type,omitempty"`
	App       string `json:"app,omitempty"`
	CreatedAt string `json:"created_at" is:"time"`
	UpdatedAt string `json:"updated_at" is:"time"`
	Body      string `json:"body"`
}

// Review is a review of the pull request.
type Review struct {
	ID          string `json:"id" is:"digits"`
	Author      string `json:"author,omitempty"`
	AuthorID    string `json:"author_id,omitempty" is:"digits"`
	State       string `json:"state" is:"APPROVED|CHANGES_REQUESTED|COMMENTED|DISMISSED|PENDING"`
	CommitID    string `json:"commit_id,omitempty" is:"id"` // the head that was reviewed
	SubmittedAt string `json:"submitted_at,omitempty" is:"time"`
}

// Person is an account and what it may do here.
type Person struct {
	Login      string   `json:"login"`
	ID         string   `json:"id" is:"digits"`
	Type       string   `json:"type"`                                 // User, Bot, Organization, Mannequin
	Email      string   `json:"email,omitempty"`                      // the public address, in lower case; "" for none
	Permission string   `json:"permission,omitempty" is:"permission"` // admin, maintain, write, triage, read or none; "" when unknown
	Teams      []string `json:"teams,omitzero"`                       // of the teams that the contract names, those with this member; nil when unknown or not asked for
}

// Account names an account. The id stays when the login changes, and a login that became free may be another's.
type Account struct {
	Login string `json:"login,omitempty"`
	ID    string `json:"id,omitempty" is:"digits"` // digits; "" when it is not known
}

// Is reports whether two names mean one account: by the ids where both have one, else by the logins. What names no
// account is equal to nothing.
func (a Account) Is(b Account) bool {
	if a.Unidentified() || b.Unidentified() {
		return false
	}
	if a.ID != "" && b.ID != "" {
		return a.ID == b.ID
	}
	return a.Login != "" && FoldLogin(a.Login) == FoldLogin(b.Login)
}

// Unidentified reports whether no account is named, or the one that GitHub uses for deleted ones.
func (a Account) Unidentified() bool {
	return (a.Login == "" && (a.ID == "" || a.ID == GhostID)) || FoldLogin(a.Login) == Ghost
}

// The account that GitHub puts in the place of deleted ones. Another server than github.com gives it another id.
const (
	Ghost   = "ghost"
	GhostID = "10137"
)

// FoldLogin is the form in which two logins are one account: GitHub's logins are ASCII and differ by more than case.
func FoldLogin(login string) string { return strings.ToLower(login) }
