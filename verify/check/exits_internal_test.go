package check

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/proof"
)

// TestChangedPaths shows the first paths of a record, quoted and cut, and nothing where there are none.
func TestChangedPaths(t *testing.T) {
	long := strings.Repeat("ä", 200)
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{nil, ""},
		{[]string{"a.txt"}, `: "a.txt"`},
		{[]string{"a\n::error::b"}, `: "a\n::error::b"`},
		{[]string{long}, `: "` + long[:200] + `…"`},
		{strings.Split("abcdefg", ""), `: "a", "b", "c", "d", "e", …`},
	} {
		got := ChangedPaths(": ", &proof.Deciding{Tally: proof.Tally{Last: proof.Attempt{ChangedPaths: c.paths}}})
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
