package output

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// lets is a result with n places of a contract that let copies through.
func lets(n int, text string) *report.Canary {
	c := &report.Canary{Tried: n, NotTried: []report.CanaryNotTried{{Mutation: text, Why: text}}}
	for i := range n {
		c.LetThrough = append(c.LetThrough, report.CanaryLetThrough{
			Mutation: "off_scope_path", Expected: "scope.off_scope", Because: &report.CanaryBecause{Path: fmt.Sprint(i, text), Line: 1, Text: text},
		})
	}
	return c
}

// TestCanaryFits: the paragraph fits into what the summary of a job leaves, whatever the contracts are called.
func TestCanaryFits(t *testing.T) {
	for _, text := range []string{"x", "<", "\u202e", "`", "*_", "\x00", "|"} {
		if n := len(CanaryMarkdown(lets(9, strings.Repeat(text, 5000)))); n > 1<<20-MaxSummary {
			t.Errorf("%q: %d bytes", text, n)
		}
	}
}

func TestCanaryWords(t *testing.T) {
	for n, want := range map[int]string{
		0: "no broken copy of these inputs could be tried", 1: "0 of 1 broken copy of these inputs was refused", 2: "0 of 2 broken copies of these inputs were refused",
	} {
		if got := CanarySummary(lets(n, "x")); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	if list := CanaryWarnings(lets(6, "x")); list[5] != "1 more line of the contract let broken copies through" {
		t.Error(list[5])
	}
}
