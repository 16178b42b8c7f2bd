package policy_test

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// TestHeadCriterion joins a criterion of the change's own contract with the standing one of the same command.
func TestHeadCriterion(t *testing.T) {
	const standing = `[{"id": "t", "run": ["make"], "max_attempts": 5, "min_evidence": "bound", "test_report": "t.xml", "min_tests": 4},
		{"id": "red", "run": ["red"], "expect": "fail", "proves": "t"}, {"id": "u", "run": ["u"]}]`
	for _, c := range []struct {
		name, task, want string // what the problem says; "" when there is none
	}{
		{"words alone", `["make", "red"]`, ""},
		{"repeats", `[{"id": "t", "run": ["make"], "expect": "pass", "max_attempts": 5, "min_evidence": "bound", "test_report": "t.xml", "min_tests": 4}]`, ""},
		{"asks for more", `[{"id": "t", "run": ["make"], "max_attempts": 1, "min_evidence": "recorded", "test_report": "t.xml", "min_tests": 9}]`, ""},
		{"more under an id of its own", `[{"id": "mine", "run": ["make"], "min_evidence": "recorded"}]`, ""},
		{"repeats a control", `[{"id": "red", "run": ["red"], "expect": "fail", "proves": "t"}]`, ""},
		{"repeats a control, and calls the proven one otherwise", `[{"id": "mine", "run": ["make"]}, {"run": ["red"], "expect": "fail", "proves": "mine"}]`, ""},
		{"turns it round", `[{"run": ["make"], "expect": "fail"}]`, "another expect"},
		{"turns a control round", `[{"run": ["red"], "expect": "pass"}]`, "another expect"},
		{"lets a control prove another one", `[{"run": ["red"], "expect": "fail", "proves": "u"}]`, "prove another criterion"},
		{"names another report", `[{"run": ["make"], "test_report": "mine.xml"}]`, "another test report"},
		{"adds a report", `[{"run": ["u"], "test_report": ".closeout/evidence/u.xml"}]`, "another test report"},
		{"more attempts", `[{"id": "t", "run": ["make"], "max_attempts": 6}]`, "lowers max_attempts"},
		{"fewer tests", `[{"id": "t", "run": ["make"], "test_report": "t.xml", "min_tests": 3}]`, "lowers min_tests"},
		{"less evidence", `[{"id": "t", "run": ["make"], "min_evidence": "claimed"}]`, "lowers min_evidence"},
		{"a report of its own", `[{"run": ["own"], "test_report": ".closeout/evidence/own.xml"}]`, ""},
		{"a report of its own elsewhere", `[{"run": ["own"], "test_report": "own.xml"}]`, "evidence directory"},
		{"a report of its own in a directory with a similar name", `[{"run": ["own"], "test_report": ".closeout/evidence-own/own.xml"}]`, "evidence directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, problems := join(t, facts.TrustHead, `"acceptance_criteria": `+standing, `"acceptance_criteria": `+c.task)
			switch {
			case c.want == "" && problems != nil:
				t.Errorf("got %v", problems)
			case c.want != "" && (len(problems) != 1 || !strings.Contains(problems[0].Error.Message, c.want)):
				t.Errorf("got %v, expected %q", problems, c.want)
			}
			if got := p.Criteria[0]; got.MaxAttempts > 5 || got.MinTests < 4 || got.TestReport != "t.xml" || got.ExpectFail {
				t.Errorf("the standing criterion became %+v", got)
			}
			if got := p.Minimum(&p.Criteria[0], ""); got.Rank() < input.Bound.Rank() {
				t.Errorf("the standing criterion needs %q", got)
			}
		})
	}
}

// TestHeadCriterionInherits asks for more than the standing criterion does, and leaves the rest out.
func TestHeadCriterionInherits(t *testing.T) {
	p, problems := join(t, facts.TrustHead,
		`"acceptance_criteria": [{"id": "t", "run": ["make"], "max_attempts": 7}, {"id": "red", "run": ["red"], "expect": "fail"}]`,
		`"acceptance_criteria": [{"run": ["make"], "min_evidence": "recorded"}, "red"]`)
	if problems != nil || len(p.Criteria) != 2 {
		t.Fatal(p.Criteria, problems)
	}
	if p.Criteria[0].MaxAttempts != 7 || !p.Criteria[1].ExpectFail || p.Minimum(&p.Criteria[0], "") != input.Recorded {
		t.Errorf("got %+v", p.Criteria)
	}
}

func TestAnchored(t *testing.T) {
	for _, c := range []struct {
		trust          facts.Trust
		standing, task string
		want           bool
	}{
		{facts.TrustHead, `["make"]`, `["true"]`, true},
		{facts.TrustHead, `[]`, `["true"]`, false},
		{facts.TrustHead, `[{"run": ["red"], "expect": "fail"}]`, `["true"]`, false},
		{facts.TrustBase, `[]`, `["true"]`, true},
		{facts.TrustOperator, `[]`, `["true"]`, true},
		{facts.TrustBase, `[{"run": ["red"], "expect": "fail"}]`, `[]`, false},
	} {
		p, _ := join(t, c.trust, `"acceptance_criteria": `+c.standing, `"acceptance_criteria": `+c.task)
		if p.IsAnchored() != c.want {
			t.Errorf("%s: %s and %s: anchored is %v", c.trust, c.standing, c.task, p.IsAnchored())
		}
	}
}

func TestTakenTask(t *testing.T) {
	for _, c := range []struct {
		standing, base string
		trust          facts.Trust
		want           bool
	}{
		{"", "", facts.TrustHead, false},
		{`"task_id": "S-1"`, "", facts.TrustHead, false},
		{`"task_id": "T-2"`, "", facts.TrustHead, true},
		{`"task_id": "t-2"`, "", facts.TrustHead, true},
		{`"task_id": "T-2"`, "", facts.TrustBase, false},
		{"", ".closeout/tasks/t-2.yaml", facts.TrustHead, true},
	} {
		sources := []policy.Source{
			{Contract: parse(t, c.standing), Kind: "contract", Trust: facts.TrustBase, Path: "standing"},
			{Contract: parse(t, `"task_id": "T-2"`), Kind: "task_contract", Trust: c.trust, BaseHolds: c.base},
		}
		_, problems := policy.Join(sources, "")
		if taken := len(problems) == 1 && problems[0].Source == 1 && problems[0].Error.Where == "/task_id"; taken != c.want || !taken && problems != nil {
			t.Errorf("%+v: got %v", c, problems)
		}
	}
}

func TestJoinRuleCommand(t *testing.T) {
	for _, c := range []struct {
		name, standing, task, want string
	}{
		{"none", "", "", ""},
		{"one", `{"run": ["lint"]}`, "", "lint .closeout/evidence/rule_report.json"},
		{"of the task", "", `{"run": ["lint"], "report": "r.json"}`, "lint r.json"},
		{"the same twice", `{"run": ["lint"]}`, `{"run": ["lint"], "report": ".closeout/evidence/rule_report.json"}`, "lint .closeout/evidence/rule_report.json"},
		{"two commands", `{"run": ["lint"]}`, `{"run": ["true"]}`, "different commands"},
		{"two reports", `{"run": ["lint"], "report": "a.json"}`, `{"run": ["lint"], "report": "b.json"}`, "different commands"},
		{"not required", `{"required": false}`, "", "not required"},
		{"not required twice", `{"required": false}`, `{"required": false}`, "not required"},
		{"not required beside a silent standing contract", "", `{"required": false}`, ""},
		{"not required, and required", `{"required": false}`, `{"required": true}`, "not required"},
		{"not required beside a command", `{"run": ["lint"]}`, `{"required": false}`, "contradicts another contract"},
		{"not required beside a catalogue", `{"catalogue": [{"id": "a", "severity": "warn"}]}`, `{"required": false}`, "contradicts another contract"},
		{"a command where none is required", `{"required": false}`, `{"run": ["lint"]}`, "says that there is none"},
		{"a catalogue where none is required", `{"required": false}`, `{"catalogue": [{"id": "a", "severity": "warn"}]}`, "says that there is none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := func(value string) string {
				if value == "" {
					return ""
				}
				return `"rules": ` + value
			}
			p, problems := join(t, facts.TrustBase, rules(c.standing), rules(c.task))
			got := strings.TrimSpace(strings.Join(p.Rules.Run, " ") + " " + p.Rules.Report)
			if p.Rules.NotRequired {
				got = "not required"
			}
			if len(problems) > 0 {
				got = problems[0].Error.Message
			}
			if len(problems) > 1 || got != c.want && (len(problems) == 0 || !strings.Contains(got, c.want)) {
				t.Errorf("got %q, %v, expected %q", got, problems, c.want)
			}
		})
	}
}

func TestJoinCoverageCriterion(t *testing.T) {
	const two = `"acceptance_criteria": [{"id": "a", "run": ["a"]}, {"id": "b", "run": ["b"]}]`
	for _, c := range []struct {
		name     string
		trust    facts.Trust
		standing string
		task     string
		want     string // the criterion, or what the problem says
	}{
		{"named", facts.TrustBase, two + `, "coverage": {"criterion": "b"}`, "", "b"},
		{"unknown", facts.TrustBase, two + `, "coverage": {"criterion": "c"}`, "", "does not exist"},
		{"brought by the change", facts.TrustHead, two + `, "coverage": {"criterion": "c"}`, `"acceptance_criteria": [{"id": "c", "run": ["c"]}]`, "does not exist"},
		{"named by the task", facts.TrustBase, two + `, "coverage": {"floor": 0.5}`, `"coverage": {"criterion": "b"}`, "b"},
		{"another one", facts.TrustBase, two + `, "coverage": {"criterion": "a"}`, `"coverage": {"criterion": "b"}`, "another criterion"},
		{"the same under another id", facts.TrustBase, two + `, "coverage": {"criterion": "b"}`, `"acceptance_criteria": [{"id": "mine", "run": ["b"]}], "coverage": {"criterion": "mine"}`, "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, problems := join(t, c.trust, c.standing, c.task)
			got := p.Coverage.Criterion.Value
			if len(problems) > 0 {
				got = problems[0].Error.Message
			}
			if len(problems) > 1 || got != c.want && (len(problems) == 0 || !strings.Contains(got, c.want)) {
				t.Errorf("got %q, %v, expected %q", got, problems, c.want)
			}
		})
	}
}
