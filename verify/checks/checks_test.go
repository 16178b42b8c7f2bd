package checks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// TestEveryCheckIsListed wants every file of the package that defines a check in the list, so that no check is silently
// never run.
func TestEveryCheckIsListed(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	defined := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") {
			defined += strings.Count(string(text), "= &check.Check{")
		}
	}
	if defined != len(checks.Documented) {
		t.Errorf("%d checks are defined, %d are listed", defined, len(checks.Documented))
	}
	for _, c := range checks.All {
		if !runs(c.Scope) {
			t.Errorf("check %s: scope %b never runs", c.ID, c.Scope)
		}
	}
	if !slices.IsSortedFunc(checks.All, func(a, b *check.Check) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("All is not sorted by ID")
	}
}

// runs reports whether a check with a scope judges anything, and says so completely: some scopes add to that of groups.
func runs(s check.Scope) bool {
	onGroup := s&(check.ScopeEvidence|check.ScopeExempt) == 0 || s&check.ScopeGroup != 0
	onChange := s&check.ScopePast == 0 || s&check.ScopeChange != 0
	return s&(check.ScopeChange|check.ScopeGroup|check.ScopeMember) != 0 && onGroup && onChange
}

func TestScopeIsRequired(t *testing.T) {
	for scope, want := range map[check.Scope]bool{
		0: false, check.ScopeChange: true, check.ScopeMember: true, check.ScopeEvidence: false, check.ScopeChange | check.ScopeExempt: false,
		check.ScopeGroup | check.ScopeEvidence: true, check.ScopePast: false, check.ScopePast | check.ScopeMember: false, check.ScopePast | check.ScopeChange: true,
	} {
		if runs(scope) != want {
			t.Errorf("scope %b", scope)
		}
	}
}

var codeSyntax = regexp.MustCompile(`^[a-z]+\.[a-z_]+$`)

// TestEveryCodeIsDocumented wants a page for each check, and a section for each code that says what it means and how to
// fix it.
func TestEveryCodeIsDocumented(t *testing.T) {
	owner := map[string]string{}
	for _, c := range checks.Documented {
		if !strings.HasPrefix(checks.Doc(c.ID), "# "+c.ID+": "+c.Title+"\n") {
			t.Errorf("check %s: %s.md does not begin with its title", c.ID, c.ID)
		}
		for _, k := range c.Codes {
			if !codeSyntax.MatchString(k.Name) || k.Severity.Rank() > input.Info.Rank() {
				t.Errorf("check %s: bad code %+v", c.ID, k)
			}
			if owner[k.Name] != "" {
				t.Errorf("code %s belongs to %s and %s", k.Name, owner[k.Name], c.ID)
			}
			owner[k.Name] = c.ID
			section := checks.Section(k.Name)
			if !strings.HasPrefix(section, "*"+string(k.Severity)+"*") || !strings.Contains(section, "How to fix:") {
				t.Errorf("code %s: its section must begin with *%s* and contain \"How to fix:\"", k.Name, k.Severity)
			}
		}
	}
	for _, c := range checks.Documented {
		for _, name := range c.Also {
			if owner[name] == "" || owner[name] == c.ID {
				t.Errorf("check %s: %s under Also belongs to %q", c.ID, name, owner[name])
			}
		}
	}
}

// TestPagesHoldOnlyCodes wants no section for a code that no check reports.
func TestPagesHoldOnlyCodes(t *testing.T) {
	for _, c := range checks.Documented {
		for line := range strings.Lines(checks.Doc(c.ID)) {
			name, ok := strings.CutPrefix(strings.TrimSpace(line), "## ")
			if ok && checks.ByCode(name) != c {
				t.Errorf("%s.md has a section for %q, which the check does not report", c.ID, name)
			}
		}
	}
}

// TestProtectedListIsDocumented wants every built-in pattern, with its reason, on the page of the scope check.
func TestProtectedListIsDocumented(t *testing.T) {
	page := checks.Doc(checks.ScopeCheck.ID)
	if !strings.Contains(page, fmt.Sprintf("Built-in list, version %d:", policy.ProtectedVersion)) {
		t.Errorf("scope.md does not name version %d of the list", policy.ProtectedVersion)
	}
	for _, p := range policy.BuiltIn {
		for _, text := range slices.Concat([]string{p.Reason}, p.Patterns, p.NewKeys, p.Harmless) {
			if !strings.Contains(page, text) {
				t.Errorf("scope.md does not name %q", text)
			}
		}
	}
}
