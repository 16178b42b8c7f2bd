package rules

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// TestPages wants a page for each rule with all its parts, and no other page.
func TestPages(t *testing.T) {
	weight, names := 0, map[string]bool{}
	for _, r := range All {
		page := r.Page()
		names[strings.TrimPrefix(r.ID, reports.DiffPrefix)+".md"] = true
		weight += len(page)
		if !strings.HasPrefix(page, "# "+r.ID+": "+r.Title+"\n\n*"+string(r.Severity)+"*") {
			t.Errorf("%s: its page does not begin with # %s: %s", r.ID, r.ID, r.Title)
		}
		for _, part := range []string{"\nQuiet:", "\nMeasured:", "\nHow to fix:"} {
			if !strings.Contains(page, part) {
				t.Errorf("%s: its page has no %q", r.ID, strings.TrimSpace(part))
			}
		}
		if ByID(r.ID) != r {
			t.Errorf("%s is there twice", r.ID)
		}
	}
	entries, err := fs.ReadDir(pages, "pages")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !names[entry.Name()] {
			t.Errorf("%s is the page of no rule", entry.Name())
		}
	}
	if weight > 60<<10 {
		t.Errorf("the pages have %d bytes: compress them", weight)
	}
}

// TestRowsAreRead wants the judge to accept whatever the rules find in the cases.
func TestRowsAreRead(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(casesDir, "*", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := changeOf(t, archive).judge(All).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, errs := reports.ParseDiff(data, input.DefaultLimits()); errs.Any() {
			t.Errorf("%s: %v", name, errs.All())
		}
	}
}
