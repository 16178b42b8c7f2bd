package github

import (
	"fmt"
	"testing"

	"github.com/closeout-gate/closeout/verify/facts"
)

// A person can press the button any number of times: what that costs is bounded, and the rest makes an author.
func TestUpdatesAreBounded(t *testing.T) {
	p := &Pull{Live: &facts.PullRequest{}}
	for i := range maxUpdates + 5 {
		p.Live.Commits = append(p.Live.Commits, facts.Commit{
			SHA: fmt.Sprint(i), Author: "ann", AuthorID: "12", Committer: "web-flow", Verified: true, Parents: []string{"a", "b"},
		})
	}
	asked := 0
	p.findUpdates([]account{{Login: "ann", ID: 12}}, Wants{CleanMerge: func(string, []string) bool { asked++; return true }})
	if asked != maxUpdates || !p.Live.Commits[maxUpdates-1].CleanMerge || p.Live.Commits[maxUpdates].CleanMerge {
		t.Errorf("%d merges were looked at", asked)
	}
	// Where the contract excepts an update bot, the merges of all people matter: it does not matter who updated its branch.
	for _, c := range []struct {
		all  bool
		want bool
	}{{false, false}, {true, true}} {
		p.Live.Commits = []facts.Commit{{SHA: "1", Author: "bob", AuthorID: "13", Committer: "web-flow", Verified: true, Parents: []string{"a", "b"}}}
		p.findUpdates(nil, Wants{Updates: c.all, CleanMerge: func(string, []string) bool { return true }})
		if got := p.Live.Commits[0].CleanMerge; got != c.want {
			t.Errorf("with all %t: %t", c.all, got)
		}
	}
}
