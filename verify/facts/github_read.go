package facts

import (
	"github.com/closeout-gate/closeout/verify/input"
)

// factsTimeSyntax is RFC 3339 in UTC and whole seconds, as GitHub writes it, so that texts sort as times do.
var factsTimeSyntax = input.Lazily(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$`)

const factsTimeText = "a time in UTC, as 2006-01-02T15:04:05Z"

// Permissions are what an account may be allowed in a repository, the most powerful first.
var Permissions = []string{"admin", "maintain", "write", "triage", "read", "none"}

// github reads what GitHub said; nil when it was not asked.
func github(f *input.Fields) *GitHub {
	if f.Get("github") == nil {
		return nil
	}
	g := strictChild(f, "github")
	github := &GitHub{People: people(g)}
	if g.OrNull("pull_request") != nil {
		github.PullRequest = pullRequest(strictChild(g, "pull_request"))
	}
	g.End()
	return github
}

func pullRequest(f *input.Fields) *PullRequest {
	p := &PullRequest{
		State:        f.NeedOneOf("state", "open", "closed"),
		Merged:       f.Flag("merged"),
		Draft:        f.Flag("draft"),
		Author:       textOrNull(f, "author"),
		AuthorID:     digitsOrNull(f, "author_id"),
		AuthorType:   textOrNull(f, "author_type"),
		AuthorApps:   plainTexts(f.Texts("author_apps")),
		AskedBy:      each(f, "asked_by", account),
		Threads:      each(f, "threads", thread),
		BaseBranch:   f.NeedText("base_branch").Value,
		BaseSHA:      needObjectID(f, "base_sha"),
		HeadSHA:      needObjectID(f, "head_sha"),
		LastHeadSHA:  objectIDOrNull(f, "last_head_sha"),
		Labels:       plainTexts(f.Texts("labels")),
		LabelEvents:  each(f, "label_events", labelEvent),
		Commits:      each(f, "commits", commit),
		Comments:     each(f, "comments", comment),
		Reviews:      each(f, "reviews", review),
		SameHead:     each(f, "same_head", peer),
		Number:       needCount(f, "number", 1),
		ChangedFiles: needCount(f, "changed_files", 0),
	}
	timeOf(f, f.OrNull("force_pushed_at"), "force_pushed_at") // older collectors wrote it; nothing depends on it any more
	f.End()
	return p
}

func job(f *input.Fields) Job {
	return Job{
		Name: f.NeedText("name").Value, Attempt: needCount(f, "attempt", 1), Conclusion: textOrNull(f, "conclusion"), Step: textOrNull(f, "step"),
		Began: f.Flag("began"),
	}
}

func account(f *input.Fields) Account { return Account{textOrNull(f, "login"), digitsOrNull(f, "id")} }

func thread(f *input.Fields) Thread {
	t := Thread{
		OpenedBy: textOrNull(f, "opened_by"), OpenedByID: digitsOrNull(f, "opened_by_id"), Path: textOrNull(f, "path"),
		ResolvedBy: textOrNull(f, "resolved_by"), ResolvedByID: digitsOrNull(f, "resolved_by_id"),
	}
	if line := f.IntegerOf(f.OrNull("line"), "line", 0, input.MaxSafeInteger); line != nil {
		t.Line = *line
	}
	return t
}

func peer(f *input.Fields) Peer {
	return Peer{
		Number: needCount(f, "number", 1), Author: textOrNull(f, "author"), AuthorID: digitsOrNull(f, "author_id"),
		AuthorType: textOrNull(f, "author_type"), AuthorApps: plainTexts(f.Texts("author_apps")), Fork: f.Flag("fork"),
		BaseBranch: textOrNull(f, "base_branch"),
	}
}

func labelEvent(f *input.Fields) LabelEvent {
	return LabelEvent{
		ID: needDigits(f, "id"), Event: f.NeedOneOf("event", "labeled", "unlabeled"), Label: f.NeedText("label").Value,
		Actor: textOrNull(f, "actor"), ActorID: digitsOrNull(f, "actor_id"), ActorType: textOrNull(f, "actor_type"),
		App: textOrNull(f, "app"), Intent: f.Flag("intent"), CreatedAt: needTime(f, "created_at"),
	}
}

func commit(f *input.Fields) Commit {
	return Commit{
		SHA: needObjectID(f, "sha"), Author: textOrNull(f, "author"), AuthorID: digitsOrNull(f, "author_id"),
		AuthorEmail: textOrNull(f, "author_email"), Committer: textOrNull(f, "committer"), CommitterID: digitsOrNull(f, "committer_id"),
		CommitterEmail: textOrNull(f, "committer_email"), CoAuthors: plainTexts(f.Texts("co_authors")),
		Verified: f.Flag("verified"), Parents: textsThat(f, "parents", isObjectID, objectIDText), CleanMerge: f.Flag("clean_merge"), Override: textOrNull(f, "override"),
	}
}

func comment(f *input.Fields) Comment {
	return Comment{
		ID: needDigits(f, "id"), Author: textOrNull(f, "author"), AuthorID: digitsOrNull(f, "author_id"), Type: textOrNull(f, "author_type"),
		App: textOrNull(f, "app"), CreatedAt: needTime(f, "created_at"), UpdatedAt: needTime(f, "updated_at"), Body: f.NeedText("body").Value,
	}
}

func review(f *input.Fields) Review {
	return Review{
		ID: needDigits(f, "id"), Author: textOrNull(f, "author"), AuthorID: digitsOrNull(f, "author_id"), CommitID: objectIDOrNull(f, "commit_id"),
		State:       f.NeedOneOf("state", "APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"),
		SubmittedAt: timeOf(f, f.OrNull("submitted_at"), "submitted_at"),
	}
}

// people reads who may do what. A login or an id that occurs twice is an error: which of two permissions applies must not
// depend on the reader. Logins differ by more than case.
func people(f *input.Fields) []Person {
	seen := map[string]bool{}
	return each(f, "people", func(f *input.Fields) Person {
		login, id := f.NeedText("login"), needDigits(f, "id")
		byLogin, byID := "login "+FoldLogin(login.Value), "id "+id
		if (login.Value != "" && seen[byLogin]) || (id != "" && seen[byID]) {
			f.Errs.Add(input.Error{
				Pos: login.Pos, Where: f.Pointer("login"), Message: "the account " + input.Quote(login.Value) + " occurs twice",
				Found: "a second " + input.Quote(login.Value) + ", or its id", Expected: "each account once", Fix: "keep the entry that is true",
			})
		}
		seen[byLogin], seen[byID] = true, true
		return Person{
			Login: login.Value, ID: id, Type: f.NeedText("type").Value, Email: textOrNull(f, "email"),
			Permission: oneOfOrNull(f, "permission", Permissions...), Teams: plainTexts(f.Texts("teams")),
		}
	})
}

// each reads the objects of a list; nil only when the key is absent or no list.
func each[T any](f *input.Fields, key string, read func(*input.Fields) T) []T {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	if n.Kind != input.KindList {
		f.Wrong(n, key, "a list")
		return nil
	}
	list := []T{}
	for _, item := range f.LooseObjects(key) {
		list = append(list, read(item))
		item.End()
	}
	return list
}

func needObjectID(f *input.Fields, key string) string {
	return textThat(f, f.Need(key, objectIDText), key, isObjectID, objectIDText)
}

func needCount(f *input.Fields, key string, low int64) int64 {
	n := f.Need(key, "a whole number")
	if v := f.IntegerOf(n, key, low, input.MaxSafeInteger); v != nil {
		return *v
	}
	return 0
}

func needDigits(f *input.Fields, key string) string {
	return digitsOf(f, f.Need(key, digitsText), key)
}

func digitsOrNull(f *input.Fields, key string) string { return digitsOf(f, f.OrNull(key), key) }

const digitsText = "a string of digits"

func digitsOf(f *input.Fields, n *input.Node, key string) string {
	return textThat(f, n, key, factsDigitsSyntax().MatchString, digitsText)
}

func needTime(f *input.Fields, key string) string { return timeOf(f, f.Need(key, factsTimeText), key) }

func timeOf(f *input.Fields, n *input.Node, key string) string {
	return textThat(f, n, key, factsTimeSyntax().MatchString, factsTimeText)
}
