package checks

import (
	"testing"

	"github.com/closeout-gate/closeout/verify/evidence"
)

// TestLacking wants the entry about somebody before one about nobody in particular, and none about somebody else.
func TestLacking(t *testing.T) {
	f := &evidence.Facts{Unavailable: []evidence.Unavailable{
		{What: evidence.WantedTeams, Error: "teams"}, {What: evidence.WantedPeople, Error: "hubot", About: "hubot"},
		{What: evidence.WantedPeople, Error: "all"}, {What: evidence.WantedPeople, Error: "mona", About: "Mona"},
	}}
	for _, c := range []struct {
		kind        evidence.Wanted
		about, want string
	}{
		{evidence.WantedPeople, "mona", "mona"}, {evidence.WantedPeople, "octocat", "all"}, {evidence.WantedPeople, "", "hubot"},
		{evidence.WantedTeams, "mona", "teams"}, {evidence.WantedReviews, "", ""},
	} {
		if u, found := lacking(f, c.kind, c.about); u.Error != c.want || found != (c.want != "") {
			t.Errorf("%s about %q: %q, %v", c.kind, c.about, u.Error, found)
		}
	}
}
