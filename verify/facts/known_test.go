package facts_test

import (
	"testing"

	"github.com/closeout-gate/closeout/verify/facts"
)

// TestLacking requires the entry about an account before a general one, and none about another account.
func TestLacking(t *testing.T) {
	f := &facts.Facts{Unavailable: []facts.Unavailable{
		{What: facts.WantedTeams, Error: "teams"}, {What: facts.WantedPeople, Error: "hubot", About: "hubot"},
		{What: facts.WantedPeople, Error: "all"}, {What: facts.WantedPeople, Error: "mona", About: "Mona"},
	}}
	for _, c := range []struct {
		kind        facts.Wanted
		about, want string
	}{
		{facts.WantedPeople, "mona", "mona"}, {facts.WantedPeople, "octocat", "all"}, {facts.WantedPeople, "", "hubot"},
		{facts.WantedTeams, "mona", "teams"}, {facts.WantedReviews, "", ""},
	} {
		if u, found := f.Lacking(c.kind, c.about); u.Error != c.want || found != (c.want != "") {
			t.Errorf("%s about %q: %q, %v", c.kind, c.about, u.Error, found)
		}
	}
}
