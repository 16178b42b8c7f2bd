package rules

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/source"
)

// TestOpenDirective reads no line twice where nothing ends what #if false begins.
func TestOpenDirective(t *testing.T) {
	f := source.Parse("CalcTests.cs", []byte(strings.Repeat("#if false\n", 2*maxBlock)))
	if end := blockEnd(f, 1); end != maxBlock {
		t.Errorf("the block ends on line %d, not on %d", end, maxBlock)
	}
}
