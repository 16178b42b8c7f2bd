package glob_test

import (
	"testing"

	"github.com/closeout-gate/closeout/verify/glob"
)

// An escaped path is a pattern for this path alone.
func TestEscape(t *testing.T) {
	for _, path := range []string{"a", "src/a.go", "*", "[id]/a", "{a,b}", "!x", `a\b`, "a]b}", "what?"} {
		p, err := glob.Parse(glob.Escape(path))
		if err != nil {
			t.Errorf("%q: %v", path, err)
			continue
		}
		if literal, ok := p.Literal(); !ok || literal != path {
			t.Errorf("%q became the pattern of %q", path, literal)
		}
	}
}
