package override

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
)

// IsByBot reports whether an update bot of the contract opened a pull request.
func IsByBot(bots []contract.Author, pr *facts.PullRequest) bool {
	return slices.ContainsFunc(bots, func(a contract.Author) bool {
		if a.ID != "" {
			return a.ID == pr.AuthorID
		}
		return pr.Author != "" && facts.FoldLogin(a.Value) == facts.FoldLogin(pr.Author)
	})
}

// OnlyByBot says whether the commits of a pull request that an update bot opened are all its own, as GitHub verified: made by the bot,
// by GitHub for the bot, or by *Update branch*. Anyone who can push to the branch of a bot can add a commit, under any name.
func OnlyByBot(f *facts.Facts) Answer {
	pr := f.GitHub.PullRequest
	bot := authorOf(pr).Account
	if len(pr.Commits) == 0 || lacks(f, facts.WantedCommits) {
		return unknown(facts.WantedCommits, "", "cannot determine whether all commits are by "+bot.Login)
	}
	e := eligibility{rule: NewRule(), facts: f, pr: pr}
	for i := range pr.Commits {
		c := &pr.Commits[i]
		author, committer := facts.Account{Login: c.Author, ID: c.AuthorID}, facts.Account{Login: c.Committer, ID: c.CommitterID}
		made := committer.Is(bot) || (byGitHub(c) && author.Is(bot))
		if !c.Verified || !e.isOnlyCoAuthor(c, bot) || (!made && !e.isUpdate(c)) {
			return no("the commit "+c.SHA+" is not by "+bot.Login+" alone, as GitHub verifies it",
				"let "+bot.Login+" make its branch again; open a pull request of its own for other work")
		}
	}
	return yes
}
