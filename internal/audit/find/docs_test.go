package find

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

// TestCallsAreDocumented compares the tables of docs/reference/calls.md with the calls in the goldens, both ways.
func TestCallsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/calls.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, used := map[string]*regexp.Regexp{}, map[string]bool{
		"GET /repos/{owner}/{repo}/commits/{sha}/pulls": true, "GET /repos/{owner}/{repo}/compare/{base}...{head}": true, // TestGroup's
		"GET /repos/{owner}/{repo}/actions/runs/{id}/attempts/{number}/jobs": true, // of the script github_jobs
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(GET [^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		pattern := strings.NewReplacer("/repos/{owner}/{repo}", "", "orgs/{owner}", "orgs/octo-org", "{branch}", "[^?]+", ".", `\.`).Replace(m[1])
		rows[m[1]] = regexp.MustCompile("^" + regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(pattern, `[^/?]+`) + `(\?.*)?$`)
	}
	for _, call := range append(goldenCalls(t), findCalls(t)...) {
		known := false
		for row, pattern := range rows {
			if pattern.MatchString(call) {
				known, used[row] = true, true
			}
		}
		if !known {
			t.Errorf("docs/reference/calls.md does not list %s", call)
		}
	}
	for row := range rows {
		if !used[row] {
			t.Errorf("no code calls %s", row)
		}
	}
}

// findCalls are those of archive find.
func findCalls(t *testing.T) []string {
	t.Helper()
	m := newMerge(t)
	first := *m.run
	m.run.Earlier, m.run.Attempt, m.run.Started, m.run.Created = []*fakehub.Run{&first}, 2, after, before
	from := len(m.Calls())
	if _, _, err := m.find(t, m.base, false); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(called(m.Hub, from), func(call string) bool { return strings.HasPrefix(call, "GET /storage/") })
}

func goldenCalls(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../github/testdata/facts/*.golden.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var calls []string
	read := func(name string, v any) {
		data, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(data, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read("../../github/testdata/calls.golden.json", &calls)
	for _, name := range files {
		var golden struct{ Calls []string }
		read(name, &golden)
		calls = append(calls, golden.Calls...)
	}
	return calls
}
