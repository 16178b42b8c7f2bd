package evidence

import "github.com/closeout-gate/closeout/verify/source"

// factsTimeSyntax is RFC 3339 in UTC and whole seconds, as GitHub writes it, so that texts sort as times do.
var factsTimeSyntax = lazily(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$`)

const factsTimeText = "a time in UTC, as 2006-01-02T15:04:05Z"

// Permissions are what an account may be allowed in a repository, the most powerful first.
var Permissions = []string{"admin", "maintain", "write", "triage", "read", "none"}

// github reads what GitHub said; nil when nobody asked.
func (f *fields) github() *GitHub {
	if f.get("github") == nil {
		return nil
	}
	g := f.strictChild("github")
	github := &GitHub{People: g.people()}
	if g.orNull("pull_request") != nil {
		github.PullRequest = g.strictChild("pull_request").pullRequest()
	}
	g.end()
	return github
}

func (f *fields) pullRequest() *PullRequest {
	p := &PullRequest{
		State:        f.needOneOf("state", "open", "closed"),
		Merged:       f.flag("merged"),
		Draft:        f.flag("draft"),
		Author:       f.textOrNull("author"),
		AuthorID:     f.digitsOrNull("author_id"),
		AuthorType:   f.textOrNull("author_type"),
		AuthorApps:   plainTexts(f.texts("author_apps")),
		BaseBranch:   f.needText("base_branch").Value,
		BaseSHA:      f.needObjectID("base_sha"),
		HeadSHA:      f.needObjectID("head_sha"),
		LastHeadSHA:  f.objectIDOrNull("last_head_sha"),
		Labels:       plainTexts(f.texts("labels")),
		LabelEvents:  each(f, "label_events", (*fields).labelEvent),
		Commits:      each(f, "commits", (*fields).commit),
		Comments:     each(f, "comments", (*fields).comment),
		Reviews:      each(f, "reviews", (*fields).review),
		SameHead:     each(f, "same_head", (*fields).peer),
		Number:       f.needCount("number", 1),
		ChangedFiles: f.needCount("changed_files", 0),
	}
	f.timeOf(f.orNull("force_pushed_at"), "force_pushed_at") // older collectors wrote it; nothing turns on it any more
	f.end()
	return p
}

func (f *fields) peer() Peer {
	return Peer{
		Number: f.needCount("number", 1), Author: f.textOrNull("author"), AuthorID: f.digitsOrNull("author_id"),
		AuthorType: f.textOrNull("author_type"), AuthorApps: plainTexts(f.texts("author_apps")), Fork: f.flag("fork"),
	}
}

func (f *fields) labelEvent() LabelEvent {
	return LabelEvent{
		ID: f.needDigits("id"), Event: f.needOneOf("event", "labeled", "unlabeled"), Label: f.needText("label").Value,
		Actor: f.textOrNull("actor"), ActorID: f.digitsOrNull("actor_id"), ActorType: f.textOrNull("actor_type"),
		App: f.textOrNull("app"), Intent: f.flag("intent"), CreatedAt: f.needTime("created_at"),
	}
}

func (f *fields) commit() Commit {
	return Commit{
		SHA: f.needObjectID("sha"), Author: f.textOrNull("author"), AuthorID: f.digitsOrNull("author_id"),
		AuthorEmail: f.textOrNull("author_email"), Committer: f.textOrNull("committer"), CommitterID: f.digitsOrNull("committer_id"),
		CommitterEmail: f.textOrNull("committer_email"), CoAuthors: plainTexts(f.texts("co_authors")),
		Verified: f.flag("verified"), Parents: f.hexList("parents", objectIDText, 40, 64), CleanMerge: f.flag("clean_merge"), Override: f.textOrNull("override"),
	}
}

func (f *fields) comment() Comment {
	return Comment{
		ID: f.needDigits("id"), Author: f.textOrNull("author"), AuthorID: f.digitsOrNull("author_id"), Type: f.textOrNull("author_type"),
		App: f.textOrNull("app"), CreatedAt: f.needTime("created_at"), UpdatedAt: f.needTime("updated_at"), Body: f.needText("body").Value,
	}
}

func (f *fields) review() Review {
	return Review{
		ID: f.needDigits("id"), Author: f.textOrNull("author"), AuthorID: f.digitsOrNull("author_id"), CommitID: f.objectIDOrNull("commit_id"),
		State:       f.needOneOf("state", "APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"),
		SubmittedAt: f.timeOf(f.orNull("submitted_at"), "submitted_at"),
	}
}

// people reads who may do what. A login or an id that stands twice is an error: which of two permissions holds must not
// depend on the reader. Logins differ by more than case.
func (f *fields) people() []Person {
	seen := map[string]bool{}
	return each(f, "people", func(f *fields) Person {
		login, id := f.needText("login"), f.needDigits("id")
		byLogin, byID := "login "+FoldLogin(login.Value), "id "+id
		if login.Value != "" && seen[byLogin] || id != "" && seen[byID] {
			f.errs.Add(source.Error{
				Pos: login.Pos, Where: f.pointer("login"), Message: "the account " + quote(login.Value) + " stands twice",
				Found: "a second " + quote(login.Value) + ", or its id", Expected: "each account once", Fix: "keep the entry that is true",
			})
		}
		seen[byLogin], seen[byID] = true, true
		return Person{
			Login: login.Value, ID: id, Type: f.needText("type").Value, Email: f.textOrNull("email"),
			Permission: f.oneOfOrNull("permission", Permissions...), Teams: plainTexts(f.texts("teams")),
		}
	})
}

// each reads the objects of a list; nil only when the key is absent or no list.
func each[T any](f *fields, key string, read func(*fields) T) []T {
	n := f.get(key)
	if n == nil {
		return nil
	}
	if n.kind != kindList {
		f.wrong(n, key, "a list")
		return nil
	}
	list := []T{}
	for _, item := range f.looseObjects(key) {
		list = append(list, read(item))
		item.end()
	}
	return list
}

func (f *fields) needObjectID(key string) string {
	return f.objectIDOf(f.need(key, objectIDText), key)
}

func (f *fields) needCount(key string, low int64) int64 {
	n := f.need(key, "a whole number")
	if v := f.integerOf(n, key, low, maxPullRequest); v != nil {
		return *v
	}
	return 0
}

func (f *fields) needDigits(key string) string { return f.digitsOf(f.need(key, digitsText), key) }

func (f *fields) digitsOrNull(key string) string { return f.digitsOf(f.orNull(key), key) }

const digitsText = "a string of digits"

func (f *fields) digitsOf(n *node, key string) string {
	return f.patternOf(n, key, factsDigitsSyntax, digitsText)
}

func (f *fields) needTime(key string) string { return f.timeOf(f.need(key, factsTimeText), key) }

func (f *fields) timeOf(n *node, key string) string {
	return f.patternOf(n, key, factsTimeSyntax, factsTimeText)
}
