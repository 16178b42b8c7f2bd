package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/report"
)

const (
	maxCommits = 250 // that GitHub lists for a pull request
	maxAttempt = 200 // bytes of a commit's line that go into the facts
)

// commits reads who wrote what is proposed.
func (c *Client) commits(ctx context.Context, p *Pull, w Wants) {
	list, err := all[github.RepositoryCommit](ctx, c, c.path("pulls/%d/commits", p.Live.Number), maxCommits)
	list = eachCommitOnce(list)
	if err == nil {
		err = p.checkCommits(list)
	}
	if err != nil {
		c.lacks(p, facts.WantedCommits, "", err)
		return
	}
	p.Live.Commits = []facts.Commit{}
	for _, commit := range list {
		message := commit.GetCommit().GetMessage()
		author, authorEmail := signedBy(commit.GetAuthor(), commit.GetCommit().GetAuthor())
		committer, committerEmail := signedBy(commit.GetCommitter(), commit.GetCommit().GetCommitter())
		p.Live.Commits = append(p.Live.Commits, facts.Commit{
			SHA: commit.GetSHA(), Author: author.Login, AuthorID: author.ID, AuthorEmail: authorEmail,
			Committer: committer.Login, CommitterID: committer.ID, CommitterEmail: committerEmail,
			CoAuthors: coAuthors(message), Verified: commit.GetCommit().GetVerification().GetVerified(), Parents: parentsOfMerge(&commit),
			Override: overrideAttempt(message, w.Override),
		})
	}
}

// checkCommits requires complete commits, the head among them, and fewer than the most that GitHub lists.
func (p *Pull) checkCommits(list []github.RepositoryCommit) error {
	if len(list) >= maxCommits {
		return &failure{
			text: fmt.Sprintf("the pull request has %d commits or more, and GitHub lists no others: the authors of the others are unknown", maxCommits),
			fix:  "split the pull request, or squash its commits",
		}
	}
	if why := short("commits", p.counted.commits, len(list)); why != "" {
		return &failure{text: why, fix: "run the job again"}
	}
	head := false
	for _, commit := range list {
		for _, id := range append([]string{commit.GetSHA()}, parentsOfMerge(&commit)...) {
			if err := checkID("a commit of the pull request", id); err != nil {
				return err
			}
		}
		if commit.Commit == nil {
			return fmt.Errorf("GitHub's answer lacks the message of commit %s", commit.GetSHA())
		}
		head = head || commit.GetSHA() == p.Live.HeadSHA
	}
	if !head {
		return fmt.Errorf("the list of commits lacks the head %s", p.Live.HeadSHA)
	}
	return nil
}

// eachCommitOnce drops what two pages both contain.
func eachCommitOnce(list []github.RepositoryCommit) []github.RepositoryCommit {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(commit github.RepositoryCommit) bool {
		drop := seen[commit.GetSHA()]
		seen[commit.GetSHA()] = true
		return drop
	})
}

// parentsOfMerge are the parents of a merge; nil for any other commit.
func parentsOfMerge(commit *github.RepositoryCommit) []string {
	if len(commit.Parents) < 2 {
		return nil
	}
	var ids []string
	for _, parent := range commit.Parents {
		ids = append(ids, parent.GetSHA())
	}
	return ids
}

// signedBy is the account that GitHub found for an address, else the account that the address itself names, else the address.
func signedBy(found *github.User, written *github.CommitAuthor) (who facts.Account, address string) {
	who.Login = found.GetLogin()
	if found.GetID() > 0 {
		who.ID = digits(found.GetID())
	}
	if who != (facts.Account{}) {
		return who, ""
	}
	name := accountOf(written.GetEmail())
	if strings.Contains(name, "@") {
		return who, name
	}
	if id, login, found := strings.Cut(name, "+"); found {
		return facts.Account{Login: login, ID: id}, ""
	}
	return facts.Account{Login: name}, ""
}

// coAuthors reads Co-authored-by trailers. An address that GitHub made for an account (ID+LOGIN@users.noreply…) gives what
// is before the @, any other the whole address; in lower case, sorted, each once. A line anywhere in the message counts,
// as it does on GitHub.
func coAuthors(message string) []string {
	var found []string
	for line := range strings.Lines(message) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if !strings.EqualFold(strings.TrimSpace(key), "co-authored-by") {
			continue
		}
		start, end := strings.LastIndexByte(value, '<'), strings.LastIndexByte(value, '>')
		if start < 0 || end < start {
			continue
		}
		if who := accountOf(value[start+1 : end]); who != "" {
			found = append(found, who)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// accountOf is ID+LOGIN, or LOGIN, for an address that GitHub made; else the address, in lower case.
func accountOf(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	local, host, _ := strings.Cut(address, "@")
	if !strings.HasPrefix(host, "users.noreply.") {
		return address
	}
	switch id, login, found := strings.Cut(local, "+"); {
	case !found:
		return local
	case id == "":
		return login
	case strings.Trim(id, "0123456789") != "":
		return address // GitHub makes no such address
	}
	return local
}

// overrideAttempt is the first line of a commit message that begins like the command or the label of an override.
func overrideAttempt(message string, label func(string) bool) string {
	for line := range strings.Lines(message) {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line)
		if strings.HasPrefix(lower, report.Command) || strings.HasPrefix(lower, report.Command[1:]+":") || label(line) {
			return cut(line, maxAttempt)
		}
	}
	return ""
}
