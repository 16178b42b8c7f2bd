package item_test

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
)

// A line of the prompt is one that a shell takes, also that of a negative control.
func TestHandoutLines(t *testing.T) {
	h := item.Handout{Criteria: []item.Criterion{{Run: []string{"a"}, Expect: "pass", Record: "closeout record -- a"}, {Run: []string{"b"}, Expect: "fail", Record: "closeout record -- b"}}}
	if text := h.Text(); !strings.Contains(text, "\n    closeout record -- a\n    closeout record -- b # must fail\n") {
		t.Error(text)
	}
}

// TestHandoutTests: the agent learns which tests run as they were.
func TestHandoutTests(t *testing.T) {
	h := item.Handout{Tests: []string{"**/*_test.go", "testdata/**"}}
	if text := h.Text(); !strings.Contains(text, item.TestsTitle+"\n\n    **/*_test.go\n    testdata/**\n\n## Done when") {
		t.Error(text)
	}
}
