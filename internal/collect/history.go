package collect

import (
	"errors"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Merge is a commit on the line of first parents of a branch, and the change that it brought there: a merge, or one commit
// of a squash, a rebase or a push.
type Merge struct {
	Commit, Parent string
	// Author is the name of the author of what was merged: of the second parent, where there is one, because the author of a
	// merge is the person who pressed the button. Mail addresses are cut off.
	Author  string
	Account facts.Account // on GitHub, where the mail address of the author says it
	Bot     bool          // the author is a program
	Subject string        // the first line of the message
}

// Why a history has no more merges.
const (
	EndAsked   = "asked"        // as many as were asked for
	EndFirst   = "first_commit" // the next commit has no parent
	EndShallow = "shallow"      // the next parent was not fetched
	EndLost    = "unreadable"   // the next parent is missing or damaged
)

// History is what led to the tip of a branch, the last merge first, and why there is no more.
type History struct {
	Merges []Merge
	End    string
}

// History lists the last merges of a branch, at most a number of them. A commit without a parent brings no change. The
// error is about the tip; an error of an earlier commit ends the list.
func (g *Git) History(tip string, last int) (*History, error) {
	at, err := ofCommit(g, tip, g.repo.Commit)
	if err != nil {
		return nil, err
	}
	h := &History{End: EndAsked}
	for len(h.Merges) < last {
		if len(at.Parents) == 0 {
			h.End = EndFirst
			break
		}
		parent, err := g.repo.Commit(at.Parents[0])
		if missing := (*git.MissingObject)(nil); errors.As(err, &missing) && missing.Shallow {
			h.End = EndShallow
			break
		}
		h.Merges = append(h.Merges, g.merge(at))
		if err != nil {
			h.End = EndLost // the merge itself is listed: comparing it says what is wrong
			break
		}
		at = parent
	}
	return h, nil
}

func (g *Git) merge(at git.CommitInfo) Merge {
	author, mail := at.Author, at.Mail
	if len(at.Parents) > 1 {
		if merged, err := g.repo.Commit(at.Parents[1]); err == nil {
			author, mail = merged.Author, merged.Mail
		}
	}
	m := Merge{
		Commit: at.ID.String(), Parent: at.Parents[0].String(), Author: withoutMail(author), Account: accountOf(mail),
		Subject: strings.ToValidUTF8(at.Subject, "�"),
	}
	m.Bot = isBot(m.Author) || isBot(m.Account.Login)
	return m
}

// accountOf is the account that a mail address of GitHub names: LOGIN@users.noreply.github.com, with the id and a plus before it
// since 2017.
func accountOf(mail string) facts.Account {
	name, ours := strings.CutSuffix(strings.ToValidUTF8(mail, "�"), "@users.noreply.github.com")
	if !ours {
		return facts.Account{}
	}
	id, login, both := strings.Cut(name, "+")
	if !both {
		return facts.Account{Login: name}
	}
	return facts.Account{Login: login, ID: id}
}

// bots are names of programs that do not say so.
var bots = []string{"dependabot", "renovate", "github-actions", "github actions", "greenkeeper", "weblate"}

// isBot reports whether a name is that of a program: GitHub ends the login of an app in "[bot]", and other programs end
// theirs in the word bot.
func isBot(name string) bool {
	name = strings.ToLower(name)
	rest, ends := strings.CutSuffix(strings.TrimRight(name, "])"), "bot")
	return slices.Contains(bots, name) || (ends && (rest == "" || strings.ContainsRune("[( -_", rune(rest[len(rest)-1]))))
}

// withoutMail cuts the host off a name that is a mail address, or contains one.
func withoutMail(name string) string {
	words := strings.Fields(strings.ToValidUTF8(name, "�"))
	for i, word := range words {
		if at := strings.IndexByte(word[1:], '@'); at >= 0 { // a login may begin with @
			words[i] = word[:at+1] + "@…"
		}
	}
	return strings.Join(words, " ")
}

// StandingText makes a text the standing contract of every commit, under a default path with an extension.
func StandingText(extension string, text []byte, limits input.Limits) *Contracts {
	file := contractFile{kind: check.Contract, origin: facts.ContractOrigin{
		File: "scope_contract" + extension, Path: policy.StandingContract + extension, Trust: facts.TrustBase,
	}}
	file.parse(text, Options{Settings: verify.Settings{Limits: limits}})
	r := contractReader{Contracts: Contracts{files: []contractFile{file}}}
	c, _ := r.standing() // nothing was read that could fail
	return c
}

// anyDay is the day on which merges of the past are judged: the result must not depend on the day of the call, so that every
// exception from a rule counts, and no entry of a catalogue has expired.
const anyDay = "0001-01-01"

// Screen judges what a merge brought by what needs no evidence, under a standing contract and the task contract that the
// merge adds. It may be called from several goroutines.
func (g *Git) Screen(m *Merge, standing *Contracts, limits input.Limits) (*verify.Screened, error) {
	o := Options{Settings: verify.Settings{Limits: limits, Today: anyDay}}
	compared := Compare(apart{g}, m.Parent, m.Commit)
	contracts, err := standing.WithTask(compared, o)
	if err != nil {
		return nil, err
	}
	compared.RunRules()
	known := newFacts(facts.Subject{ChangesFrom: "git"}, compared, contracts)
	if contracts.Policy != nil {
		addArguments(known, compared, contracts)
	}
	inputs, err := decisionInputs(compared, contracts.files, known)
	if err != nil {
		return nil, err
	}
	return verify.Screen(&verify.Bundle{Inputs: inputs, Settings: o.Settings}), nil
}

// apart is a repository in which the first parent is the merge base of it and its child, whatever else the history contains.
type apart struct{ *Git }

// MergeBases implements [Objects].
func (a apart) MergeBases(parent, _ string) ([]string, error) { return []string{parent}, nil }
