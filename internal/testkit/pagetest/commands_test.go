package pagetest

import (
	"testing"
)

// TestReader shows that the reader of this test sees attacks, so that its silence means something.
func TestReader(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"::error file=a,line=1::b", 1},
		{"  \t::set-output name=x::y", 1},
		{"x\r::error::b", 1},
		{"x ##[error]b", 1},
		{"#\u200b#[error]b", 1},
		{"x ::error::b", 0},
		{"::error", 0},
		{"##[error", 0},
	} {
		if got := Commands(c.text); len(got) != c.want {
			t.Errorf("commandsIn(%q) = %v, want %d", c.text, got, c.want)
		}
	}
}
