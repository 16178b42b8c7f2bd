package override

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

const root = "../.."

// TestTableIsDocumented requires that the docs show the rows of the table.
func TestTableIsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/overrides.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| ([^|]*) \\|").FindAllStringSubmatch(string(page), -1)
	if len(rows) != len(Table) {
		t.Fatalf("docs/overrides.md shows %d rows, the table has %d", len(rows), len(Table))
	}
	for i, row := range Table {
		if rows[i][1] != row.Condition || strings.ReplaceAll(rows[i][2], "`", "") != row.Title {
			t.Errorf("row %d is %q, %q in the docs, and %q, %q in the table", i, rows[i][1], rows[i][2], row.Condition, row.Title)
		}
	}
}

// TestPlaceholdersAreDocumented requires that the docs list every placeholder.
func TestPlaceholdersAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/overrides.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range Placeholders {
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("docs/overrides.md does not name the placeholder %q", word)
		}
	}
}

// TestEveryRowHasCases requires a case that each row refuses. Every overridden case shows what each row accepts.
func TestEveryRowHasCases(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root, "testdata/cases/override/*.txtar"))
	groups, errGroups := filepath.Glob(filepath.Join(root, "testdata/cases/group/*.txtar"))
	if err = errors.Join(err, errGroups); err != nil {
		t.Fatal(err)
	}
	paths = append(paths, groups...)
	refused, overridden := map[string]int{}, 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^refused ([a-z]+): `).FindAllStringSubmatch(string(text), -1) {
			refused[m[1]]++
		}
		overridden += strings.Count(string(text), "\noverridden by: ")
	}
	for _, row := range Table {
		if refused[row.Condition] == 0 {
			t.Errorf("no case is refused by %q", row.Condition)
		}
	}
	if overridden < len(Table) {
		t.Errorf("only %d cases are overridden", overridden)
	}
}

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"2", "1", true}, {"1", "2", false}, {"10", "9", true}, {"9", "10", false}, {"7", "7", false}, {"0010", "9", true}, {"009", "10", false},
		{"18446744073709551617", "18446744073709551616", true}, {"0", "", false},
	} {
		if got := Newer(c.a, c.b); got != c.want {
			t.Errorf("Newer(%q, %q) is %v", c.a, c.b, got)
		}
	}
}

// TestNarrow joins rules: the stricter value of each key applies.
func TestNarrow(t *testing.T) {
	ruled := func(rule contract.OverrideRule, says bool) *contract.Contract {
		c := &contract.Contract{Override: rule}
		if says {
			c.Keys = map[string]input.Pos{"override": {}}
		}
		return c
	}
	lax := contract.OverrideRule{
		Label: "a", Permission: "write", Users: []string{"Mona", "hubot"}, Teams: []string{"t"}, Binding: "event", AllowAuthor: true, Never: []string{"a.a"},
	}
	strict := contract.OverrideRule{Label: "b", Permission: "admin", Users: []string{"mona"}, Binding: "code", Never: []string{"b.b"}}
	for _, contracts := range [][]*contract.Contract{
		{ruled(lax, true), ruled(strict, true)},
		{ruled(contract.OverrideRule{Label: "a", Permission: "admin", Users: []string{"Mona"}, Binding: "code", Never: []string{"a.a"}}, true), ruled(lax, true)},
	} {
		r := NewRule(contracts...)
		if r.Label != "a" || r.Permission != "admin" || len(r.Users) != 1 || len(r.Teams) != 0 || r.Binding != "code" || r.AllowAuthor || r.Never[0] != "a.a" {
			t.Errorf("got %+v", r)
		}
	}
	if r := NewRule(ruled(lax, true), ruled(strict, false)); r.Permission != "write" || len(r.Never) != 1 {
		t.Errorf("a contract without the key narrows: %+v", r)
	}
	if r := NewRule(); r.Label != "closeout-override" || r.Permission != "maintain" || r.Binding != "code" {
		t.Errorf("the default is %+v", r)
	}
}

func TestWho(t *testing.T) {
	r := Rule{OverrideRule: contract.OverrideRule{Permission: "maintain", Users: []string{"mona", "hubot"}, Teams: []string{"release"}}}
	want := "a person with at least maintain permission, or mona, hubot with at least triage permission, or a member of release with at least triage permission"
	if got := r.Who(); got != want {
		t.Errorf("got %q", got)
	}
}

func TestAsks(t *testing.T) {
	r := Rule{OverrideRule: contract.OverrideRule{Label: "ci: let-through"}}
	for label, want := range map[string]bool{
		"ci: let-through": true, "CI: let-through: why not": true, "ci": false, "ci: let-throughs": false, "ci:": false, "": false, "x ci: let-through": false,
	} {
		if got := r.Asks(label); got != want {
			t.Errorf("Asks(%q) is %v", label, got)
		}
	}
	if text, _ := r.after("CI: let-through: why: not "); text != "why: not" {
		t.Errorf("the reason is %q", text)
	}
}

// TestNever shows which entries of override.never keep a label from counting.
func TestNever(t *testing.T) {
	for never, want := range map[string]bool{"scope.forbidden": true, "closeout/test-skipped": true, "closeout/focused-test": true, "closeout/disabled-test": false, "closeout/test": false} {
		r := &request{Question: &Question{Rule: &Rule{OverrideRule: contract.OverrideRule{Never: []string{never}}}, Blocked: []string{"closeout/test-skipped", "scope.forbidden"}}}
		if got := rowNever(r).State == No; got != want {
			t.Errorf("%s: %v", never, got)
		}
	}
}
