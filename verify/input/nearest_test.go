package input

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	commands := []string{"verify", "explain", "record", "replay", "schema", "scope.forbidden", "scope.off_scope", "base"}
	for word, want := range map[string]string{
		"verfy": "verify", "vreify": "verify", "VERIFY": "verify", "verifyy": "verify", "expain": "explain", "recrod": "record",
		"scope.forbiden": "scope.forbidden", "SCOPE.FORBIDDEN": "scope.forbidden", "scope.offscope": "scope.off_scope",
		"bsae": "base", "bse": "base",
		"re": "", "": "", "x": "", "init": "", "very": "", "main": "", "scope": "",
		strings.Repeat("verify", 20): "",
	} {
		if got := Nearest(word, commands); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 1}, {"abcd", "badc", 2}, {"ca", "abc", 3}} {
		if got, back := distance(c.a, c.b), distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q, %q: %d and %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
