package clone

import (
	"strings"
	"testing"
)

// TestBeginning wants little of what a program prints: it may print without an end.
func TestBeginning(t *testing.T) {
	var b beginning
	for range 100 {
		if n, err := b.Write([]byte(strings.Repeat("x", 1000))); n != 1000 || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(b) != 64<<10 {
		t.Errorf("%d bytes are kept", len(b))
	}
}
