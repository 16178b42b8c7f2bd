package contract

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

// TestParseContractGlobs: every malformed pattern is reported at its position, with the error of the glob package.
func TestParseContractGlobs(t *testing.T) {
	text := `{"allowed_files": ["src/**", "/a", "b/../c"], "forbidden_files": ["./d"], "rollback_plan": "e",
 "docs_paths_soft": ["f/"], "protected_files": ["!g"], "base_branches": ["h//i"], "applies_to": {"authors": ["/j"]},
 "approvals_required": [{"id": "k", "files": "/l"}], "severity_by_path": [{"files": ["/m"], "severity": "warn"}],
 "rules": {"ignore": [{"id": "n", "files": ["ok", "/o"], "reason": "p", "until": "2030-01-01"}]}}`
	_, errs := Parse("c.json", []byte(text), input.DefaultLimits())
	var places []string
	for _, e := range errs.All() {
		places = append(places, fmt.Sprintf("%d:%d %s", e.Pos.Line, e.Pos.Column, e.Where))
		if e.Message == "" || e.Found == "" || e.Expected == "" || e.Fix == "" || e.Expected == "a glob" {
			t.Errorf("an error is not complete, or not the compiler's: %+v", e)
		}
	}
	want := `1:30 /allowed_files
1:36 /allowed_files
1:67 /forbidden_files
2:22 /docs_paths_soft
2:49 /protected_files
2:74 /base_branches
2:110 /applies_to/authors
3:46 /approvals_required/0/files
3:86 /severity_by_path/0/files
4:51 /rules/ignore/0/files`
	if got := strings.Join(places, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestParseContractCommands(t *testing.T) {
	text := `{"allowed_files": ["a"], "forbidden_files": ["b"], "rollback_plan": "c",
 "acceptance_criteria": ["go test | tee log", "go test ./...", "make && true", ""]}`
	c, errs := Parse("c.json", []byte(text), input.DefaultLimits())
	var places []string
	for _, e := range errs.All() {
		places = append(places, fmt.Sprintf("%d:%d %s", e.Pos.Line, e.Pos.Column, e.Where))
	}
	want := "2:26 /acceptance_criteria/0\n2:64 /acceptance_criteria/2\n2:80 /acceptance_criteria/3"
	if got := strings.Join(places, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(c.Criteria[1].Run, "|"); got != "go|test|./..." || c.Criteria[1].ID != "c2" {
		t.Errorf("the good criterion is %+v", c.Criteria[1])
	}
}

// TestParseContractValues reads a contract with every key.
func TestParseContractValues(t *testing.T) {
	text := `{"task_id": "T-1", "goal": "g", "rollback_plan": "r", "allowed_files": ["a/**"], "forbidden_files": ["b"],
 "acceptance_criteria": ["go test ./...", {"id": "neg", "run": ["x", ""], "cwd": "./web/", "expect": "fail", "proves": "c1",
  "min_evidence": "bound", "max_attempts": 7, "test_report": "t.xml"}, {"run": ["y"], "test_report": "u.xml", "min_tests": 9}],
 "approvals_required": ["note", {"id": "db", "files": "m/**"}], "off_scope": "warn",
 "severity_by_path": [{"files": ["c", "d"], "severity": "info"}], "violation_budget": 2, "time_budget_minutes": 30,
 "network_egress": ["API.Example.com"], "docs_paths_soft": [], "coverage": {"report": "out/cov.json", "floor": 0.8, "max_drop": 1e-2},
 "rules": {"catalogue": [{"id": "q", "severity": "error", "expires_at": "2030-01-01", "reviewers": ["v", "w"], "agree": 2}],
  "ignore": [{"id": "q", "files": "e", "reason": "because", "until": "2029-12-31"}]},
 "evidence": {"min": "recorded", "dir": "ci/evidence"},
 "override": {"users": ["u"], "teams": ["t"], "never": ["scope.forbidden"], "allow_author": true},
 "protected_files": ["p"], "may_touch_protected": ["Makefile"], "base_branches": ["main"], "applies_to": {"authors": ["some-app[bot]"]}}`
	c, errs := Parse("c.json", []byte(text), input.DefaultLimits())
	if errs.Any() {
		t.Fatal(list(errs))
	}
	got := fmt.Sprint( // Sprint writes blanks between values that are not strings
		c.TaskID.Value, c.Goal.Value, c.RollbackPlan.Value, values(c.AllowedFiles), values(c.ForbiddenFiles), "\n",
		criteria(c.Criteria), "\n", c.ApprovalNotes[0].Value, c.Approvals[0].ID.Value, values(c.Approvals[0].Files), c.OffScope,
		values(c.SeverityByPath[0].Files), c.SeverityByPath[0].Severity, *c.ViolationBudget, *c.TimeBudgetMinutes, c.NetworkEgress[0].Value, "\n",
		c.DocsPathsSoft != nil, c.Coverage.Report, *c.Coverage.Floor, *c.Coverage.MaxDrop, "\n",
		c.Rules.Catalogue[0].ID.Value, c.Rules.Catalogue[0].Severity, c.Rules.Catalogue[0].ExpiresAt, c.Rules.Catalogue[0].Reviewers, c.Rules.Catalogue[0].Agree,
		c.Rules.Ignore[0].ID.Value, values(c.Rules.Ignore[0].Files), c.Rules.Ignore[0].Reason, c.Rules.Ignore[0].Until, "\n",
		c.Evidence, c.Override, "\n", values(c.ProtectedFiles), c.MayTouchProtected[0].Value, values(c.BaseBranches), []string{c.AppliesTo[0].Value})
	want := `T-1gr[a/**] [b]
[{c1 false [go test ./...] . false  3  0} {neg true [x ] web true c1bound 7 t.xml 1} {c3 false [y] . false  3 u.xml 9}]
notedb[m/**]warn[c d]info2 30api.example.com
trueout/cov.json800000000000000000 10000000000000000
qblock2030-01-01[v w] 2q[e]because2029-12-31
{recorded ci/evidence <nil>} {closeout-override maintain [u] [t] code true false [scope.forbidden] 1}
[p]Makefile[main] [some-app[bot]]`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func values(patterns []Pattern) []string {
	var list []string
	for _, p := range patterns {
		list = append(list, p.Value)
	}
	return list
}

func criteria(list []Criterion) string {
	var all []string
	for _, c := range list {
		all = append(all, fmt.Sprintf("{%s %t %v %s %t %s%s %d %s %d}", c.ID, c.IDGiven, c.Run, c.Cwd, c.ExpectFail, c.Proves.Value, c.MinEvidence, c.MaxAttempts, c.TestReport, c.MinTests))
	}
	return "[" + strings.Join(all, " ") + "]"
}

// TestParseContractAbsent: a missing key is nil, and an empty list is not.
func TestParseContractAbsent(t *testing.T) {
	c, _ := Parse("c.json", []byte(contractCase{}.text()), input.DefaultLimits())
	if c.DocsPathsSoft != nil || c.NetworkEgress != nil || c.AppliesTo != nil || c.BaseBranches != nil || c.Coverage != nil ||
		c.ViolationBudget != nil || c.TimeBudgetMinutes != nil || c.Rules.Catalogue != nil || c.OffScope != "" || c.Evidence != (EvidenceRule{}) {
		t.Errorf("%+v", c)
	}
	text := contractCase{members: `"network_egress": [], "time_budget_minutes": null, "docs_paths_soft": null`}.text()
	c, _ = Parse("c.json", []byte(text), input.DefaultLimits())
	if c.NetworkEgress == nil || c.TimeBudgetMinutes != nil || c.DocsPathsSoft != nil {
		t.Errorf("%+v", c)
	}
	c, _ = Parse("c.json", []byte(contractCase{members: `"coverage": {}`}.text()), input.DefaultLimits())
	if *c.Coverage != (CoverageRule{Pos: input.Pos{Line: 1, Column: 14}, Report: "coverage_report.json"}) {
		t.Errorf("coverage by default: %+v", c.Coverage)
	}
}

func TestCheckTask(t *testing.T) {
	for _, test := range []struct{ members, want string }{
		{`"task_id": "T-1", "goal": "g"`, ""},
		{`"goal": "g"`, `1:1: /task_id: a task contract requires "task_id"`},
		{``, "1:1: /goal: a task contract requires \"goal\"\n1:1: /task_id: a task contract requires \"task_id\""},
	} {
		c, _ := Parse("c.json", []byte(contractCase{members: test.members}.text()), input.DefaultLimits())
		var errs input.Errors
		c.CheckTask(&errs)
		if got := list(&errs); got != test.want {
			t.Errorf("%s: got %s, want %s", test.members, got, test.want)
		}
	}
}

func TestCheckHeadOnly(t *testing.T) {
	may := `"task_id": "T-1", "goal": "g", "acceptance_criteria": ["x"], "approvals_required": [], "violation_budget": 0,
 "time_budget_minutes": 1, "network_egress": [], "docs_paths_soft": [], "x-note": 1`
	mayNot := `"tests": [{"files": "t", "criteria": ["c1"]}], "may_change": ["t"], "off_scope": "warn", "severity_by_path": [], "coverage": {}, "rules": {}, "evidence": {}, "override": {}, "protected_files": [],
 "may_touch_protected": [], "base_branches": ["main"], "applies_to": {"authors": ["a"]}`
	for members, want := range map[string]int{may: 0, mayNot: 12} {
		c, problems := Parse("c.json", []byte(contractCase{members: members}.text()), input.DefaultLimits())
		if problems.Any() {
			t.Fatal(list(problems))
		}
		var errs input.Errors
		c.CheckHeadOnly(&errs)
		if got := errs.All(); len(got) != want {
			t.Errorf("%d errors, want %d: %s", len(got), want, list(&errs))
		}
	}
}

func TestRealContracts(t *testing.T) {
	for _, name := range []string{"effective", "project", "task"} {
		text := readFile(t, "testdata/contract/"+name+".json")
		fromJSON, errs := Parse(name+".json", text, input.DefaultLimits())
		if errs.Any() {
			t.Errorf("%s.json: %s", name, list(errs))
		}
		fromYAML, errs := Parse(name+".yaml", readFile(t, "testdata/contract/"+name+".yaml"), input.DefaultLimits())
		if errs.Any() {
			t.Errorf("%s.yaml: %s", name, list(errs))
			continue
		}
		clearPlaces(reflect.ValueOf(fromJSON))
		clearPlaces(reflect.ValueOf(fromYAML))
		if !reflect.DeepEqual(fromJSON, fromYAML) {
			t.Errorf("%s: as JSON %+v\nas YAML %+v", name, fromJSON, fromYAML)
		}
		windows := bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		if _, errs := Parse("c.yaml", windows, input.DefaultLimits()); errs.Any() {
			t.Errorf("%s.json with CRLF, read as YAML: %s", name, list(errs))
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// clearPlaces sets every place in a contract to zero, so that contracts from two texts compare.
func clearPlaces(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			clearPlaces(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			clearPlaces(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			v.SetMapIndex(key, reflect.ValueOf(input.Pos{}))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[input.Pos]() {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				clearPlaces(v.Field(i))
			}
		}
	}
}

func TestLoginGlob(t *testing.T) {
	for pattern, want := range map[string]string{"a[bot]": "a[[]bot]", "*[bot]": "*[[]bot]", "bot": "bot", "[bot]s": "[bot]s"} {
		if got := loginGlob(pattern); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}

// TestParseTests reads what an entry says, and what it means where it says nothing.
func TestParseTests(t *testing.T) {
	text := contractCase{members: `"tests": [{"files": "t/**", "criteria": ["c1"]},
 {"files": ["a", "b"], "criteria": ["c2"], "not_run": "approve", "dropped": "block", "changed": "warn", "incomparable": "info", "new_tests": "warn", "base": "always"}],
 "acceptance_criteria": [{"run": ["a"], "test_report": {"path": "r.json", "from": "stdout"}}]`}.text()
	c, errs := Parse("c.json", []byte(text), input.DefaultLimits())
	if errs.Any() {
		t.Fatal(list(errs))
	}
	var got []string
	for _, r := range c.Tests {
		got = append(got, fmt.Sprintln(r.Pos.Line, values(r.Files), valuesOf(r.Criteria), r.NotRun, r.Dropped, r.Changed, r.Incomparable, r.Always, string(r.NewTests)))
	}
	want := []string{"1 [t/**] [c1] block approve approve approve false \n", "2 [a b] [c2] approve block warn info true warn\n"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if report := c.Criteria[0]; report.TestReport != "r.json" || report.ReportFrom != FromStdout || report.MinTests != 1 {
		t.Errorf("the report of %+v", report)
	}
}
