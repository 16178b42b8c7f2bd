//go:build soak

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSoakSessions runs what the documents show.
func TestSoakSessions(t *testing.T) {
	ran := 0
	for _, page := range docPages(t) {
		data, err := os.ReadFile(filepath.Join(repository, page))
		if err != nil {
			t.Fatal(err)
		}
		list := readSessions(string(data))
		if !slices.ContainsFunc(list, func(s docSession) bool { return !s.hidden }) {
			continue
		}
		ran++
		t.Run(strings.ReplaceAll(page, "/", "_"), func(t *testing.T) { runPage(t, page, string(data), list) })
	}
	if ran == 0 {
		t.Error("no page shows a session")
	}
}

func runPage(t *testing.T, page, text string, list []docSession) {
	lines := strings.Split(text, "\n")
	for i, printed := range slices.Backward(printedBy(t, list)) {
		s := list[i]
		if printed != "" && !strings.HasSuffix(printed, "\n") {
			printed += "\n"
		}
		if s.hidden || matches(printed, s.shown) {
			continue
		}
		t.Errorf("%s:%d: %s prints\n%s\nbut the page shows\n%s", page, s.line, s.command, printed, strings.Join(s.shown, "\n"))
		first := s.line - 1 + strings.Count(s.command, "\n")
		lines = slices.Replace(lines, first, first+len(s.shown), strings.Split(strings.TrimSuffix(printed, "\n"), "\n")...)
	}
	if *update && t.Failed() {
		if err := os.WriteFile(filepath.Join(repository, page), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
