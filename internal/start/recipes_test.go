package start_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// TestRecipes parses each contract of the recipes, and checks that those of init are what init writes.
func TestRecipes(t *testing.T) {
	page, err := os.ReadFile("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(parts) < 8 {
		t.Fatalf("%d recipes", len(parts))
	}
	for _, part := range parts {
		var keys map[string]any
		if err := json.Unmarshal([]byte(part[1]), &keys); err != nil {
			t.Fatalf("%v in %s", err, part[1])
		}
		keys["allowed_files"], keys["forbidden_files"] = []string{"src/**"}, []string{"x"}
		keys["rollback_plan"] = "Revert the merge commit."
		data, err := json.Marshal(keys)
		if err != nil {
			t.Fatal(err)
		}
		c, errs := contract.Parse("recipe.json", data, input.DefaultLimits())
		if errs.Any() || len(c.Criteria)+len(c.Approvals) == 0 && c.Rules.Pos.IsZero() {
			t.Errorf("%v in %s", errs.All(), part[1])
		}
	}
	written := layouts(t)
	for _, line := range strings.Split(string(page), "\n") {
		run, _, found := strings.Cut(line, `, "test_report"`)
		if _, id, ok := strings.Cut(line, `{"id": "`); ok && found && regexp.MustCompile(`^(go|pytest)"`).MatchString(id) && !strings.Contains(written, run) {
			t.Errorf("no layout contains %s", run)
		}
	}
	for _, line := range []string{`{"run": ["sh", ".closeout/rules.sh", "rubocop: bundle exec rubocop"], "report": ".closeout/evidence/rule_report.json"}`, `{"required": false}`} {
		if !strings.Contains(string(page), line) || !strings.Contains(written, line) {
			t.Errorf("the page or the layouts lack %s", line)
		}
	}
}

// layouts is the text of all layouts.
func layouts(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("testdata/layouts/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	return b.String()
}
