package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

func TestContractsAreKnown(t *testing.T) {
	p, _ := join(t, "", `"allowed_files": ["**"]`)
	for path, want := range map[string]bool{
		".closeout/scope_contract.json": true, ".closeout/scope_contract.yaml": true, ".closeout/tasks/T-9.json": true,
		".closeout/tasks/note.md": false, ".closeout/other.json": false, "scope_contract.json": false,
	} {
		if got := p.Classify(modified(path)).Contract; got != want {
			t.Errorf("%s: contract %v, expected %v", path, got, want)
		}
	}
	added := modified(".closeout/tasks/T-9.json")
	added.Status = change.Added
	if p.Classify(added).Contract {
		t.Error("a new task contract is not one of the base branch")
	}
}

func TestJoinBudgets(t *testing.T) {
	standing := `"violation_budget": 2, "time_budget_minutes": 60, "network_egress": ["a.example", "b.example"], "coverage": {"floor": 0.5, "max_drop": 0.02}`
	p, _ := join(t, facts.TrustBase, standing, `"violation_budget": 9, "time_budget_minutes": 30, "network_egress": ["b.example", "c.example"], "coverage": {"floor": 0.7, "max_drop": 0.1}`)
	if p.ViolationBudget != 2 || *p.TimeBudgetMinutes != 30 || !slices.Equal(p.NetworkEgress, []string{"b.example"}) {
		t.Errorf("got %d, %d, %v", p.ViolationBudget, *p.TimeBudgetMinutes, p.NetworkEgress)
	}
	if p.Coverage.Floor.BasisPoints() != 7000 || p.Coverage.MaxDrop.BasisPoints() != 200 {
		t.Errorf("got coverage %+v", p.Coverage)
	}
	p, _ = join(t, facts.TrustBase, standing, "")
	if p.ViolationBudget != 2 || *p.TimeBudgetMinutes != 60 || len(p.NetworkEgress) != 2 {
		t.Errorf("a silent task contract changed %d, %d, %v", p.ViolationBudget, *p.TimeBudgetMinutes, p.NetworkEgress)
	}
	p, _ = join(t, facts.TrustHead, "", `"violation_budget": 5, "network_egress": []`)
	if p.ViolationBudget != 0 || p.NetworkEgress == nil || len(p.NetworkEgress) != 0 {
		t.Errorf("got %d, %v", p.ViolationBudget, p.NetworkEgress)
	}
}

func TestJoinRules(t *testing.T) {
	p, _ := join(t, facts.TrustBase,
		`"rules": {"catalogue": [{"id": "a", "severity": "warn", "expires_at": "2030-01-01"}]}`,
		`"rules": {"catalogue": [{"id": "a", "severity": "block", "expires_at": "2029-01-01"}, {"id": "b", "severity": "info"}],
		 "ignore": [{"id": "a", "files": "x", "reason": "not this one", "until": "2030-01-01"}, {"id": "b", "files": "x", "reason": "its own rule", "until": "2030-01-01"}]}`)
	if len(p.Catalogue) != 2 || p.Catalogue[0].Severity != input.Block || p.Catalogue[0].ExpiresAt != "2029-01-01" {
		t.Errorf("got %+v", p.Catalogue)
	}
	if len(p.Ignore) != 1 || p.Ignore[0].ID.Value != "b" {
		t.Errorf("a task contract excused a rule of the standing contract: %+v", p.Ignore)
	}
	p, _ = join(t, facts.TrustBase, "", `"rules": {"catalogue": [{"id": "a", "severity": "info"}],
		"ignore": [{"id": "a", "files": "x", "reason": "not this one", "until": "2030-01-01"}]}`)
	if !p.OpenCatalogue || p.Ignore != nil {
		t.Errorf("beside a standing contract without catalogue a task contract excused %+v", p.Ignore)
	}
}

// Of a diff rule, the standing contract's severity counts, else the rule's own. A task contract can only raise it, and excuses
// nothing.
func TestJoinReviewers(t *testing.T) {
	entry := func(rest string) string {
		return `"rules": {"catalogue": [{"id": "r", "severity": "block"` + rest + `}]}`
	}
	const two, one = `, "reviewers": ["a", "b"], "agree": 2`, `, "reviewers": ["b", "c"]`
	for _, c := range []struct {
		standing, task string
		reviewers      string
		agree          int64
	}{{two, two, "[a b]", 2}, {two, one, "[a b c]", 1}, {one, two, "[a b c]", 1}, {two, "", "[]", 2}, {"", two, "[]", 1}} {
		p, _ := join(t, facts.TrustBase, entry(c.standing), entry(c.task))
		if rule := p.Catalogue[0]; fmt.Sprint(rule.Reviewers) != c.reviewers || rule.Agree != c.agree {
			t.Errorf("%q and %q: %v, of whom %d must agree", c.standing, c.task, rule.Reviewers, rule.Agree)
		}
	}
}

func TestJoinMarkers(t *testing.T) {
	threads := func(rest string) string { return `"threads": {"logins": ["mona"]` + rest + `}` }
	a, b := threads(`, "markers": ["a"]`), threads(`, "markers": ["b"]`)
	for _, c := range []struct{ standing, task, want string }{
		{a, b, "[b a]"}, {a, threads(""), "[]"}, {threads(""), a, "[]"}, {a, `"goal": "g"`, "[a]"}, {`"goal": "g"`, a, "[a]"},
	} {
		p, _ := join(t, facts.TrustBase, c.standing, c.task)
		if got := fmt.Sprint(p.ThreadMarkers); got != c.want {
			t.Errorf("%s and %s: %s", c.standing, c.task, got)
		}
	}
}

func TestJoinDiffRules(t *testing.T) {
	const id, ignore = "closeout/a", `"ignore": [{"id": "closeout/a", "files": "x", "reason": "r", "until": "2030-01-01"}]`
	entry := func(severity string) string {
		if severity == "" {
			return ""
		}
		return `"rules": {"catalogue": [{"id": "closeout/a", "severity": "` + severity + `"}, {"id": "closeout/b", "severity": "block"}]}`
	}
	for _, c := range [][4]string{ // standing, task, the rule's own, and what counts
		{"", "", "warn", "warn"}, {"off", "", "block", "off"}, {"warn", "", "block", "warn"}, {"block", "", "info", "block"},
		{"", "off", "block", "block"}, {"", "block", "warn", "block"}, {"warn", "info", "block", "warn"}, {"off", "warn", "block", "warn"},
		{"warn", "block", "info", "block"}, {"off", "off", "block", "off"}, {"", "error", "info", "block"},
	} {
		p, problems := join(t, facts.TrustBase, entry(c[0]), entry(c[1]))
		if got := p.DiffSeverity(id, input.Severity(c[2])); string(got) != c[3] || len(problems) > 0 || p.Catalogue != nil || !p.OpenCatalogue {
			t.Errorf("%q: %s, catalogue %v, %v", c, got, p.Catalogue, problems)
		}
	}
	for _, c := range []struct{ catalogue, id, own, want string }{ // what a contract says about rules that were joined
		{"skipped-test off, focused-test info", "test-skipped", "block", "info"},
		{"skipped-test off", "test-skipped", "block", "block"},
		{"skipped-test off, focused-test off", "test-skipped", "warn", "warn"},
		{"skipped-new-test block", "test-skipped", "warn", "block"},
		{"skipped-new-test off", "test-skipped", "block", "block"},
		{"test-skipped warn, skipped-test block", "test-skipped", "block", "warn"},
		{"lock-host off, lock-integrity off", "new-dependency", "warn", "warn"},
		{"senses-tests block", "stub", "warn", "warn"},
	} {
		var entries []string
		for entry := range strings.SplitSeq(c.catalogue, ", ") {
			name, severity, _ := strings.Cut(entry, " ")
			entries = append(entries, `{"id": "closeout/`+name+`", "severity": "`+severity+`"}`)
		}
		p, _ := join(t, facts.TrustBase, `"rules": {"catalogue": [`+strings.Join(entries, ", ")+`]}`, "")
		if got := p.DiffSeverity("closeout/"+c.id, input.Severity(c.own)); string(got) != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	p, _ := join(t, facts.TrustBase, `"rules": {`+ignore+`}`, `"rules": {`+ignore+`}`)
	if len(p.DiffIgnore) != 1 || p.DiffIgnore[0].Source.Kind != "contract" || p.Ignore != nil {
		t.Errorf("exceptions %+v, and %+v", p.DiffIgnore, p.Ignore)
	}
}

func TestJoinCriteria(t *testing.T) {
	for _, c := range []struct {
		name     string
		standing string
		task     string
		want     string // ids and commands, or the problem
	}{
		{"positions go on", `["make test"]`, `["make lint"]`, "c1=make test c2=make lint"},
		{"one command twice", `[{"id": "t", "run": ["make"]}]`, `[{"run": ["make"]}]`, "t=make"},
		{"an id with other content", `[{"id": "t", "run": ["make"]}]`, `[{"id": "t", "run": ["true"]}]`, "names another command"},
		{"an id with other demands", `[{"id": "t", "run": ["make"]}]`, `[{"id": "t", "run": ["make"], "max_attempts": 9}]`, "lowers max_attempts"},
		{"another directory is another command", `[{"id": "t", "run": ["make"]}]`, `[{"id": "u", "run": ["make"], "cwd": "web"}]`, "t=make u=make"},
		{"the opposite", `[{"run": ["make"]}]`, `[{"run": ["make"], "expect": "fail"}]`, "another expect"},
		{"a control of the standing criterion", `[{"id": "t", "run": ["make"]}]`, `[{"run": ["red"], "expect": "fail", "proves": "t"}]`, "t=make c2=red"},
		{"a control by position", `["make a"]`, `["make b", {"run": ["red"], "expect": "fail", "proves": "c1"}]`, "c1=make a c2=make b c3=red"},
		{"a control of nothing", `["make"]`, `[{"run": ["red"], "expect": "fail", "proves": "unknown"}]`, "does not exist"},
		{"none has one", `[]`, `[]`, "no contract names an acceptance criterion"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, problems := join(t, facts.TrustHead, `"acceptance_criteria": `+c.standing, `"acceptance_criteria": `+c.task)
			var got []string
			for _, criterion := range p.Criteria {
				got = append(got, criterion.ID+"="+strings.Join(criterion.Run, " "))
			}
			if len(problems) > 0 {
				got = []string{problems[0].Error.Message}
			}
			if !strings.Contains(strings.Join(got, " "), c.want) || len(problems) > 1 {
				t.Errorf("got %q, %v", got, problems)
			}
		})
	}
}

// TestJoinedCriterionIsTheStricter joins two criteria with one command.
func TestJoinedCriterionIsTheStricter(t *testing.T) {
	p, problems := join(t, facts.TrustBase,
		`"acceptance_criteria": [{"id": "t", "run": ["make"], "max_attempts": 5, "test_report": "t.xml", "min_tests": 2}]`,
		`"acceptance_criteria": [{"run": ["make"], "max_attempts": 2, "test_report": "t.xml", "min_tests": 7}]`)
	if problems != nil {
		t.Fatal(problems)
	}
	if c := p.Criteria[0]; len(p.Criteria) != 1 || c.MaxAttempts != 2 || c.MinTests != 7 {
		t.Errorf("got %+v", p.Criteria)
	}
}

func TestMinimum(t *testing.T) {
	criterion := func(min string) string {
		return `"acceptance_criteria": [{"id": "t", "run": ["make"], "min_evidence": "` + min + `"}]`
	}
	anonymous := func(min string) string { return strings.Replace(criterion(min), `"id": "t", `, "", 1) }
	for _, c := range []struct {
		trust          facts.Trust
		standing, task string
		id             string
		want           input.Level
	}{
		{facts.TrustBase, criterion("claimed"), "", "t", input.Claimed},
		{facts.TrustBase, criterion("recorded"), "", "t", input.Recorded},
		{facts.TrustHead, "", anonymous("claimed"), "c2", input.Bound},
		{facts.TrustHead, "", anonymous("recorded"), "c2", input.Recorded},
		{facts.TrustHead, criterion("recorded"), anonymous("claimed"), "t", input.Recorded},
		{facts.TrustHead, `"acceptance_criteria": [{"id": "t", "run": ["make"]}]`, anonymous("claimed"), "t", input.Bound},
		{facts.TrustHead, `"acceptance_criteria": [{"id": "t", "run": ["make"]}]`, anonymous("recorded"), "t", input.Recorded},
	} {
		p, problems := join(t, c.trust, c.standing, c.task)
		if problems != nil {
			t.Fatal(problems)
		}
		i := slices.IndexFunc(p.Criteria, func(x contract.Criterion) bool { return x.ID == c.id })
		if got := p.Minimum(&p.Criteria[i], input.Bound); got != c.want {
			t.Errorf("%+v: minimum %s", c, got)
		}
	}
}

func TestEvidenceFolderStays(t *testing.T) {
	_, problems := join(t, facts.TrustBase, "", `"evidence": {"dir": "src/evidence"}`)
	if len(problems) != 1 {
		t.Errorf("a task contract moved the evidence directory: %v", problems)
	}
}
