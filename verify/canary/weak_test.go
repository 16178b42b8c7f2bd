package canary_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/canary"
	"github.com/closeout-gate/closeout/verify/report"
)

const (
	allowed  = `"allowed_files": ["src/**"]`
	rollback = `"rollback_plan": "Revert the commit."`
	byCode   = rollback + `,
  "override": {"binding": "code"}`
)

// weak are contracts that cannot say no to one kind of mistake, each beside its strict twin.
var weak = []struct {
	name         string
	weak, strict func(files) files
	mutation     string
	line         string // part of the line of the contract that must be named
}{
	{"everything is allowed", one(allowed, "\"allowed_files\": [\n    \"src/**\",\n    \"**\"]"), nil, canary.OffScope, `"**"`},
	{"any directory is allowed", one(allowed, "\"allowed_files\": [\n    \"*/**\"\n  ]"), one(allowed, `"allowed_files": ["src/**", "*/*.go"]`), canary.OffScope, `"*/**"`},
	{"all names in braces are allowed", one(allowed, "\"allowed_files\": [\n    \"{src,*}/**\"]"), one(allowed, `"allowed_files": ["{src,test}/**"]`), canary.OffScope, `"{src,*}/**"`},
	{"two patterns allow everything", one(allowed, "\"allowed_files\": [\"*\",\n    \"**/*\"]"), one(allowed, `"allowed_files": ["*", "src/**/*"]`), canary.OffScope, `"**/*"`},
	{"claimed evidence for a control", one(`"red.sh"]`, "\"red.sh\"],\n      \"min_evidence\": \"claimed\""), one(`"red.sh"]`, `"red.sh"], "min_evidence": "bound"`), canary.Unbound, `"min_evidence": "claimed"`},
	{"names without extension are allowed", one(allowed, "\"allowed_files\": [\"src/**\",\n    \"**/?\"]"), one(allowed, `"allowed_files": ["src/**", "**/??"]`), canary.OffScope, `"**/?"`},
	{"off_scope only warns", one(rollback, rollback+",\n  \"off_scope\": \"warn\""), one(rollback, rollback+",\n  \"off_scope\": \"block\""), canary.OffScope, `"off_scope"`},
	{"severity_by_path warns", one(rollback, rollback+`,
  "severity_by_path": [{"files": ["docs/**"], "severity": "info"},
    {"files": ["**"], "severity": "warn"}]`), one(rollback, rollback+`,
  "severity_by_path": [{"files": ["docs/**"], "severity": "info"}]`), canary.OffScope, `["**"], "severity": "warn"`},
	{"severity_by_path informs", one(rollback, rollback+`,
  "severity_by_path": [{"files": ["*/x"], "severity": "info"}]`), one(rollback, rollback+`,
  "severity_by_path": [{"files": ["**"], "severity": "block"}, {"files": ["*/x"], "severity": "info"}]`), canary.OffScope, `"*/x"`},
	{"a violation budget", one(rollback, rollback+",\n  \"violation_budget\": 1"), one(rollback, rollback+",\n  \"violation_budget\": 0"), canary.OffScope, `"violation_budget"`},
	{"everything is documentation", one(rollback, rollback+",\n  \"docs_paths_soft\": [\n    \"**\"]"), one(rollback, rollback+",\n  \"docs_paths_soft\": [\"docs/**\"]"), canary.OffScope, `"**"`},
	{"the standing contract and the task allow everything", func(f files) files {
		return f.task(`["**"]`).contract(allowed, "\"allowed_files\": [\n    \"**\"\n  ]")
	},
		func(f files) files { return f.task(`["src/**"]`).contract(allowed, `"allowed_files": ["**"]`) }, canary.OffScope, `"**"`},
	{"a diff and no trees", func(f files) files { return f.diff().contract(allowed, `"allowed_files": ["**"]`) }, files.diff, canary.OffScope, `"**"`},
	{"the contract is YAML", func(f files) files { return f.yaml("  - '**'\n") }, func(f files) files { return f.yaml("") }, canary.OffScope, `- '**'`},
	{"applies_to leaves the author out", one(rollback, rollback+",\n  \"applies_to\": {\"authors\": [\"release-*\"]}"),
		one(rollback, rollback+",\n  \"applies_to\": {\"authors\": [\"shop-*\"]}"), canary.Forbidden, `"applies_to"`},
	{"applies_to leaves out who edits the contract", one(rollback, rollback+",\n  \"applies_to\": {\"authors\": [\"release-*\"]}"), nil, canary.ContractPath, `"applies_to"`},
	{"claimed evidence", one(`"recorded"`, `"claimed"`), one(`"recorded"`, `"bound"`), canary.Unbound, `"min": "claimed"`},
	{"claimed evidence for one criterion", one(`"./..."]}`, "\"./...\"],\n      \"min_evidence\": \"claimed\"}"), one(`"./..."]}`, "\"./...\"],\n      \"min_evidence\": \"bound\"}"), canary.Unbound, `"min_evidence": "claimed"`},
	{"no rule report is required", one(rules, `"rules": {
    "required": false}`), one(rules, `"rules": {"run": ["lint"]}`), canary.RuleMissing, `"required": false`},
	{"the catalogue warns of a rule", one(`"severity": "block"`, `"severity": "warn"`), nil, canary.RuleFailed, `"severity": "warn"`},
	{"the catalogue warns of a rule that is missing", one(`"severity": "block"`, `"severity": "info"`), nil, canary.RuleMissing, `"severity": "info"`},
	{"exceptions from all rules everywhere", excused("**"), excused("docs/**"), canary.RuleFailed, `"id": "secrets", "files"`},
	{"an exception from every rule", one(rules, `"rules": {"run": ["lint"], "catalogue": [{"id": "style", "severity": "block"}], "ignore": [
    {"id": "style", "files": ["**"], "reason": "later", "until": "2099-01-01"}]}`), one(rules, `"rules": {"run": ["lint"], "catalogue": [{"id": "style", "severity": "block"}], "ignore": [
    {"id": "style", "files": ["docs/**"], "reason": "later", "until": "2099-01-01"}]}`), canary.RuleFailed, `"id": "style", "files"`},
	{"any label of the run overrides: a criterion", overridden(`"code"`, `"event"`), overridden(`"code"`, `"code"`), canary.ExitCode, `"binding": "event"`},
	{"any label of the run overrides: records", overridden(`"code"`, `"event"`), overridden(`"code"`, `"code"`), canary.Records, `"binding": "event"`},
	{"any label of the run overrides: the code", overridden(`"code"`, `"event"`), overridden(`"code"`, `"code"`), canary.OverrideCode, `"binding": "event"`},
	{"the author may override", overridden(`"code"}`, "\"code\",\n    \"allow_author\": true}"), overridden(`"code"}`, `"code", "allow_author": false}`), canary.OverrideActor, `"allow_author": true`},
}

const rules = `"rules": {"run": ["lint"], "catalogue": [
    {"id": "secrets", "severity": "block"},
    {"id": "style", "severity": "block"}
  ]}`

// excused excuses all rules in some files.
func excused(where string) func(files) files {
	return func(f files) files {
		f["rule_report.json"] = `[{"slug": "secrets", "passed": true, "file": "src/b.go"}, {"slug": "style", "passed": true, "file": "src/a.go"}]`
		return f.contract(rules, rules[:len(rules)-1]+`, "ignore": [
    {"id": "style", "files": ["`+where+`"], "reason": "later", "until": "2099-01-01"},
    {"id": "secrets", "files": ["`+where+`"], "reason": "later", "until": "2099-01-01"}]}`)
	}
}

func one(from, to string) func(files) files {
	return func(f files) files { return f.contract(from, to) }
}

func overridden(from, to string) func(files) files {
	return func(f files) files { return f.overridden().contract(rollback, byCode, from, to) }
}

// task adds a task contract.
func (f files) task(allowed string) files {
	f["contracts/T-1.json"] = `{"task_id": "T-1", "goal": "Add two numbers.", "allowed_files": ` + allowed + `, "forbidden_files": ["secrets/**"], "acceptance_criteria": [], "rollback_plan": "Revert."}`
	return f.edit("facts.json", `"trust": "base"}]`, `"trust": "base"}, {"file": "contracts/T-1.json", "path": ".closeout/tasks/T-1.json", "commit": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "trust": "base"}]`)
}

// diff replaces the trees by a diff.
func (f files) diff() files {
	delete(f, "changes.json")
	f["pr.diff"] = "diff --git a/src/a.go b/src/a.go\nindex 1111111..2222222 100644\n--- a/src/a.go\n+++ b/src/a.go\n@@ -1 +1 @@\n-a\n+b\n"
	return f
}

// yaml is the contract as YAML, which allows more.
func (f files) yaml(more string) files {
	delete(f, "scope_contract.json")
	f["scope_contract.yaml"] = "# the contract\nallowed_files:\n  - src/**\n" + more + `forbidden_files: ["{secrets,keys}/**"]
acceptance_criteria:
  - id: test
    run: [go, test, ./...]
rollback_plan: Revert.
rules: {run: [lint], catalogue: [{id: style, severity: block}]}
evidence: {min: recorded}
`
	return f.edit("facts.json", `"file": "scope_contract.json"`, `"file": "scope_contract.yaml"`)
}

func TestWeakContracts(t *testing.T) {
	for _, row := range weak {
		t.Run(strings.ReplaceAll(row.name, " ", "-"), func(t *testing.T) {
			f := row.weak(strong())
			c := f.run(t)
			i := slices.IndexFunc(c.LetThrough, func(l report.CanaryLetThrough) bool { return l.Mutation == row.mutation })
			if i < 0 {
				t.Fatalf("nothing is let through: %+v", c)
			}
			if line := namedLine(f, c.LetThrough[i].Because); !strings.Contains(line, row.line) {
				t.Errorf("named is %q, expected a line with %s: %+v", line, row.line, c.LetThrough[i].Because)
			}
			twin := strong()
			if row.strict != nil {
				twin = row.strict(twin)
			}
			if c := twin.run(t); len(c.LetThrough) > 0 || c.Refused != c.Tried || c.Tried < 9 {
				t.Errorf("the strict twin: %+v", c)
			}
		})
	}
}

// namedLine is the line of the contract that a result names; "" for none.
func namedLine(f files, b *report.CanaryBecause) string {
	text := f["scope_contract.json"] + f["scope_contract.yaml"]
	if b == nil || b.Line == 0 || b.Path != ".closeout/scope_contract.json" {
		return ""
	}
	return strings.Split(text, "\n")[b.Line-1]
}

// TestStrong wants nothing to be left out where everything can be tried.
func TestStrong(t *testing.T) {
	c := strong().run(t)
	if c.Tried != 11 || c.Refused != 11 || len(c.NotTried) != 0 {
		t.Errorf("%+v", c)
	}
	c = overridden(`"code"`, `"code"`)(strong()).run(t)
	if fmt.Sprint(c.Tried, c.Refused, c.NotTried) != "14 14 []" {
		t.Errorf("%+v", c)
	}
}
