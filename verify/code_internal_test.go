package verify

import (
	"testing"

	"github.com/closeout-gate/closeout/verify/facts"
)

const codeHead = "4f1f7c3d2b9a8e6d5c4b3a29181706f5e4d3c2b1"

// TestCode compares codes with those that another program made of the documented lines.
func TestCode(t *testing.T) {
	b := bound{"4711", 12, "main", codeHead}
	for _, prints := range [][]string{{"00aa", "ff00"}, {"ff00", "00aa"}} {
		if got := *b.code(prints); got != "z5qd-zkbg-ybc5-nimo-rt2r-pgmn" {
			t.Errorf("the code of %v is %s", prints, got)
		}
	}
	if got := *(bound{}).code([]string{"00aa"}); got != "bunn-pm7k-74ey-qqow-ze5o-b42z" {
		t.Errorf("the code without facts is %s", got)
	}
	if got := b.code(nil); got != nil {
		t.Errorf("the code of nothing is %s", *got)
	}
}

// TestCodeBinds changes what a code binds, one after the other: no two codes are equal.
func TestCodeBinds(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range []bound{
		{"4711", 12, "main", codeHead}, {"4712", 12, "main", codeHead}, {"o/r", 12, "main", codeHead}, {"", 12, "main", codeHead},
		{"4711", 13, "main", codeHead}, {"4711", 0, "main", codeHead}, {"4711", 12, "release", codeHead}, {"4711", 12, "", codeHead},
		{"4711", 12, "main", codeHead[1:] + "0"}, {"4711", 12, "main", ""},
	} {
		for _, prints := range [][]string{{"00aa"}, {"00aa", "00ab"}, {"00aa00ab"}} {
			code := *b.code(prints)
			if seen[code] {
				t.Errorf("%+v with %v has the code of another", b, prints)
			}
			seen[code] = true
		}
	}
}

// TestBound looks at what of the facts a code binds: what the subject leaves open is the live pull request's.
func TestBound(t *testing.T) {
	live := &facts.GitHub{PullRequest: &facts.PullRequest{Number: 12, BaseBranch: "main", HeadSHA: codeHead}}
	for name, c := range map[string]struct {
		facts *facts.Facts
		want  bound
	}{
		"no facts": {nil, bound{}},
		"no id":    {&facts.Facts{Subject: facts.Subject{Repository: "o/r"}}, bound{repository: "o/r"}},
		"all": {
			&facts.Facts{Subject: facts.Subject{Repository: "o/r", RepositoryID: "7", PullRequest: 3, BaseBranch: "dev", HeadSHA: "aa"}, GitHub: live},
			bound{"7", 3, "dev", "aa"},
		},
		"live":            {&facts.Facts{GitHub: live}, bound{"", 12, "main", ""}},
		"no pull request": {&facts.Facts{GitHub: &facts.GitHub{}}, bound{}},
		"half":            {&facts.Facts{Subject: facts.Subject{BaseBranch: "dev"}, GitHub: live}, bound{"", 12, "dev", ""}},
		"other one":       {&facts.Facts{Subject: facts.Subject{PullRequest: 3}, GitHub: live}, bound{"", 3, "main", ""}},
	} {
		if got := boundOf(c.facts); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
