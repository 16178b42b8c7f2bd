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
}
