package contract

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

// contractCase is one contract. It is given as members that are put in front of the required ones, so that they begin
// in line 1, column 2; a text that begins with a brace is a whole contract.
type contractCase struct {
	name, members string
	want          string // errors as place, pointer and message, one a line; "" when the contract is good
	unsaid        bool   // whether this is something that a schema cannot say
}

func (c contractCase) text() string {
	const rest = `"allowed_files": ["src/**"], "forbidden_files": ["secrets/**"], "rollback_plan": "revert"}`
	switch {
	case strings.HasPrefix(c.members, "{"):
		return c.members
	case c.members == "":
		return "{" + rest
	}
	return "{" + c.members + ",\n" + rest
}

// criterion is a contract with one criterion: a run of two words, and what else is given.
func criterion(members string) string {
	return `"acceptance_criteria": [{"run": ["go", "test"], ` + members + `}]`
}

const (
	datedIgnore = `"rules": {"ignore": [{"id": "r", "files": "a", "reason": "old code", "until": "%s"}]}`
	noDay       = "1:80: /rules/ignore/0/until: until must be a day of the calendar, written YYYY-MM-DD"
)

var contractCases = []contractCase{
	{name: "required only"},
	{name: "notes of one's own", members: `"x-team": {"any": [1, null]}`},
	{name: "unknown key", members: `"goals": "x"`, want: `1:2: /goals: the key "goals" is unknown`},
	{name: "wrong case", members: `"Goal": "x"`, want: `1:2: /Goal: the key "Goal" is unknown`},
	{name: "duplicate keys", members: `"goal": "x", "g\u006fal": "y"`, want: `1:15: goal: the key "goal" occurs twice in one object`, unsaid: true},
	{name: "nothing required", members: `{}`, want: `1:1: /allowed_files: the key "allowed_files" is missing
1:1: /forbidden_files: the key "forbidden_files" is missing
1:1: /rollback_plan: the key "rollback_plan" is missing`},
	{name: "required, but empty", members: `{"allowed_files": [], "forbidden_files": [], "rollback_plan": " \t"}`,
		want: `1:19: /allowed_files: "allowed_files" is an empty list
1:42: /forbidden_files: "forbidden_files" is an empty list
1:63: /rollback_plan: rollback_plan must be a string that is not blank`},
	{name: "required, but null", members: `{"allowed_files": null, "forbidden_files": null, "rollback_plan": null}`,
		want: `1:19: /allowed_files: allowed_files must be a list
1:44: /forbidden_files: forbidden_files must be a list
1:67: /rollback_plan: rollback_plan must be a string that is not blank`},
	{name: "required lists as text", members: `{"allowed_files": "a", "forbidden_files": {}, "rollback_plan": []}`,
		want: `1:19: /allowed_files: allowed_files must be a list
1:43: /forbidden_files: forbidden_files must be a list
1:64: /rollback_plan: rollback_plan must be a string that is not blank`},
	{name: "blank and wrong patterns", members: `{"allowed_files": ["a", " ", 1, null], "forbidden_files": ["b"], "rollback_plan": "c"}`,
		want: `1:25: /allowed_files/1: an item of "allowed_files" must be a string that is not blank
1:30: /allowed_files/2: an item of "allowed_files" must be a string that is not blank
1:33: /allowed_files/3: an item of "allowed_files" must be a string that is not blank`},

	{name: "task id", members: `"task_id": "T-001_a.b"`},
	{name: "task id of 64", members: `"task_id": "` + strings.Repeat("a", 64) + `"`},
	{name: "task id of 65", members: `"task_id": "` + strings.Repeat("a", 65) + `"`, want: taskIDError},
	{name: "task id with a path", members: `"task_id": "../../x"`, want: taskIDError},
	{name: "task id with two dots", members: `"task_id": "a..b"`, want: taskIDError},
	{name: "task id with a dot in front", members: `"task_id": ".a"`, want: taskIDError},
	{name: "task id with a line break", members: `"task_id": "a\n"`, want: taskIDError},
	{name: "task id as number", members: `"task_id": 1`, want: taskIDError},
	{name: "task id null", members: `"task_id": null`, want: taskIDError},
	{name: "goal", members: `"goal": "do it"`},
	{name: "blank goal", members: `"goal": "  "`, want: `1:10: /goal: goal must be a string that is not blank`},
	{name: "goal null", members: `"goal": null`, want: `1:10: /goal: goal must be a string that is not blank`},

	{name: "other globs", members: `"docs_paths_soft": ["docs/**"], "protected_files": ["ci/**"], "base_branches": ["main", "release/*"]`},
	{name: "no soft paths", members: `"docs_paths_soft": null`},
	{name: "empty lists", members: `"docs_paths_soft": [], "protected_files": [], "may_touch_protected": []`},
	{name: "soft paths as text", members: `"docs_paths_soft": "docs/**"`, want: `1:21: /docs_paths_soft: docs_paths_soft must be a list`},
	{name: "protected null", members: `"protected_files": null`, want: `1:21: /protected_files: protected_files must be a list`},
	{name: "no base branch", members: `"base_branches": []`, want: `1:19: /base_branches: "base_branches" is an empty list`},
	{name: "base branches as text", members: `"base_branches": "main"`, want: `1:19: /base_branches: base_branches must be a list`},
	{name: "literal paths", members: `"may_touch_protected": ["Makefile", "app/[id]/page.tsx", ".github/x y", "..a"]`},
	{name: "no literal paths", members: `"may_touch_protected": ["*.go", "a?", "{a}", "/a", "./a", "a/../b", "a//b", "a/", "a\\b", "a\u0000", "a/."]`,
		want: `1:26: /may_touch_protected: the path "*.go" contains a wildcard
1:34: /may_touch_protected: the path "a?" contains a wildcard
1:40: /may_touch_protected: the path "{a}" contains a wildcard
1:47: /may_touch_protected: the path "/a" is absolute
1:53: /may_touch_protected: the path "./a" contains the part .
1:60: /may_touch_protected: the path "a/../b" contains the part ..
1:70: /may_touch_protected: the path "a//b" contains an empty part
1:78: /may_touch_protected: the path "a/" ends with a slash
1:84: /may_touch_protected: the path "a\\b" contains a backslash
1:92: /may_touch_protected: the path "a\x00" contains a control character
1:103: /may_touch_protected: the path "a/." contains the part .`},
	{name: "literal path null", members: `"may_touch_protected": [null]`, want: `1:26: /may_touch_protected/0: an item of "may_touch_protected" must be a string that is not blank`},

	{name: "criteria", members: `"acceptance_criteria": ["go test ./...", {"id": "unit:a/b-1", "run": ["npm", "test", ""], "cwd": "web", "x-why": 1}]`},
	{name: "no criteria", members: `"acceptance_criteria": []`},
	{name: "criteria as text", members: `"acceptance_criteria": "go test"`, want: `1:25: /acceptance_criteria: acceptance_criteria must be a list`},
	{name: "criteria null", members: `"acceptance_criteria": null`, want: `1:25: /acceptance_criteria: acceptance_criteria must be a list`},
	{name: "criterion of another type", members: `"acceptance_criteria": [null, 1, ["go"]]`,
		want: `1:26: /acceptance_criteria/0: a criterion must be a command or an object
1:32: /acceptance_criteria/1: a criterion must be a command or an object
1:35: /acceptance_criteria/2: a criterion must be a command or an object`},
	{name: "command with NUL", members: `"acceptance_criteria": ["a\u0000b"]`, want: `1:26: /acceptance_criteria/0: the command contains a NUL character`},
	{name: "criterion without run", members: `"acceptance_criteria": [{"id": "a"}]`, want: `1:26: /acceptance_criteria/0/run: the key "run" is missing`},
	{name: "unknown key of a criterion", members: criterion(`"runs": 1`), want: `1:50: /acceptance_criteria/0/runs: the key "runs" is unknown`},
	{name: "run as text", members: `"acceptance_criteria": [{"run": "go test"}]`, want: `1:34: /acceptance_criteria/0/run: run must be a list of words`},
	{name: "empty run", members: `"acceptance_criteria": [{"run": []}]`, want: `1:34: /acceptance_criteria/0/run: "run" is an empty list`},
	{name: "wrong words", members: `"acceptance_criteria": [{"run": [" ", 1, "a\u0000", null]}]`,
		want: `1:35: /acceptance_criteria/0/run/0: the command names no program
1:40: /acceptance_criteria/0/run/1: a word of the command must be a string
1:43: /acceptance_criteria/0/run/2: a word of the command contains a NUL character
1:54: /acceptance_criteria/0/run/3: a word of the command must be a string`},
	{name: "program with NUL", members: `"acceptance_criteria": [{"run": ["a\u0000"]}]`, want: `1:35: /acceptance_criteria/0/run/0: a word of the command contains a NUL character`},
	{name: "id with a blank", members: criterion(`"id": "a b"`), want: `1:56: /acceptance_criteria/0/id: id must be 1 to 64 letters, digits or . _ : / -, starting with a letter or digit`},
	{name: "id null", members: criterion(`"id": null`), want: `1:56: /acceptance_criteria/0/id: id must be 1 to 64 letters, digits or . _ : / -, starting with a letter or digit`},
	{name: "id twice", members: `"acceptance_criteria": [{"id": "a", "run": ["x"]}, {"id": "a", "run": ["y"]}]`,
		want: `1:53: /acceptance_criteria: two criteria have the id "a"`, unsaid: true},
	{name: "id like a position", members: `"acceptance_criteria": [{"id": "c2", "run": ["x"]}, "y"]`, want: `1:54: /acceptance_criteria: two criteria have the id "c2"`, unsaid: true},
	{name: "id of its own position", members: `"acceptance_criteria": [{"id": "c1", "run": ["x"]}, "y"]`},
	{name: "cwd", members: criterion(`"cwd": "./web/"`)},
	{name: "cwd outside", members: criterion(`"cwd": "../x"`), want: `1:57: /acceptance_criteria/0/cwd: the directory "../x" is not in the repository`, unsaid: true},
	{name: "cwd absolute", members: criterion(`"cwd": "/x"`), want: `1:57: /acceptance_criteria/0/cwd: the directory "/x" is not in the repository`, unsaid: true},
	{name: "cwd blank", members: criterion(`"cwd": ""`), want: `1:57: /acceptance_criteria/0/cwd: cwd must be a string that is not blank`},
	{name: "expect", members: criterion(`"expect": "pass"`)},
	{name: "expect otherwise", members: criterion(`"expect": "Fail"`), want: `1:60: /acceptance_criteria/0/expect: expect must be one of pass, fail`},
	{name: "expect as boolean", members: criterion(`"expect": false`), want: `1:60: /acceptance_criteria/0/expect: expect must be one of pass, fail`},
	{name: "control", members: `"acceptance_criteria": [{"id": "a", "run": ["x"]}, {"run": ["x", "--broken"], "expect": "fail", "proves": "a"}]`},
	{name: "control of another contract", members: criterion(`"expect": "fail", "proves": "elsewhere"`)},
	{name: "proves without control", members: criterion(`"proves": "c9"`), want: `1:60: /acceptance_criteria/0/proves: only a negative control proves another criterion`},
	{name: "proves itself", members: criterion(`"expect": "fail", "proves": "c1"`),
		want: `1:78: /acceptance_criteria: a negative control must prove a criterion that must pass`, unsaid: true},
	{name: "proves a control", members: `"acceptance_criteria": [{"run": ["x"], "expect": "fail", "proves": "c2"}, {"run": ["y"], "expect": "fail"}]`,
		want: `1:69: /acceptance_criteria: a negative control must prove a criterion that must pass`, unsaid: true},
	{name: "both ways", members: `"acceptance_criteria": ["go test", {"run": ["go", "test"], "cwd": "./", "expect": "fail"}]`,
		want: `1:37: /acceptance_criteria: the same command must both pass and fail`, unsaid: true},
	{name: "both ways in two directories", members: `"acceptance_criteria": ["go test", {"run": ["go", "test"], "cwd": "broken", "expect": "fail"}]`},
	{name: "same words otherwise cut", members: `"acceptance_criteria": [{"run": ["./a b"]}, {"run": ["./a", "b"], "expect": "fail"}]`},
	{name: "levels", members: `"evidence": {"min": "bound"}, ` + criterion(`"min_evidence": "recorded"`)},
	{name: "level of a later version", members: criterion(`"min_evidence": "attested"`), want: `1:66: /acceptance_criteria/0/min_evidence: the level "attested" is not supported yet`},
	{name: "no level", members: criterion(`"min_evidence": "absent"`), want: `1:66: /acceptance_criteria/0/min_evidence: "absent" is not a minimum: it would accept missing evidence`},
	{name: "unknown level", members: criterion(`"min_evidence": 2`), want: `1:66: /acceptance_criteria/0/min_evidence: min_evidence must be one of claimed, bound, recorded`},
	{name: "attempts", members: criterion(`"max_attempts": 1000`)},
	{name: "no attempt", members: criterion(`"max_attempts": 0`), want: `1:66: /acceptance_criteria/0/max_attempts: max_attempts must be an integer from 1 to 1000, written without fraction or exponent`},
	{name: "too many attempts", members: criterion(`"max_attempts": 1001`), want: `1:66: /acceptance_criteria/0/max_attempts: max_attempts must be an integer from 1 to 1000, written without fraction or exponent`},
	{name: "attempts with a fraction", members: criterion(`"max_attempts": 3.0`), unsaid: true,
		want: `1:66: /acceptance_criteria/0/max_attempts: max_attempts must be an integer from 1 to 1000, written without fraction or exponent`},
	{name: "test report", members: criterion(`"test_report": "out/junit.xml", "min_tests": 5`)},
	{name: "test report from the output", members: criterion(`"test_report": {"path": "out/go.json", "from": "stdout", "x-why": 1}, "min_tests": 5`)},
	{name: "test report from elsewhere", members: criterion(`"test_report": {"path": "a", "from": "stderr", "to": "b"}`), want: `1:87: /acceptance_criteria/0/test_report/from: from must be one of stdout
1:97: /acceptance_criteria/0/test_report/to: the key "to" is unknown`},
	{name: "test report from nowhere", members: criterion(`"test_report": {}`), want: `1:65: /acceptance_criteria/0/test_report/from: the key "from" is missing
1:65: /acceptance_criteria/0/test_report/path: the key "path" is missing`},
	{name: "tests", members: `"tests": [{"files": "t/**", "criteria": ["c1", "unit"]}, {"files": ["a", "b"], "criteria": ["c1"], "not_run": "approve",
  "dropped": "block", "changed": "warn", "incomparable": "info", "base": "always", "x-why": 1}], "may_change": ["t/**"]`},
	{name: "no tests", members: `"tests": [], "may_change": []`, want: `1:11: /tests: "tests" is an empty list
1:29: /may_change: "may_change" is an empty list`},
	{name: "commands under tests", members: `"tests": ["go test ./..."]`, want: `1:11: /tests: "tests" contains commands`},
	{name: "criteria under tests", members: `"tests": [{"id": "unit", "run": ["go", "test"]}]`, want: `1:11: /tests: "tests" contains commands`},
	{name: "tests that say nothing", members: `"tests": [{}, 1, {"files": [], "criteria": []}]`, want: `1:12: /tests/0/criteria: the key "criteria" is missing
1:12: /tests/0/files: the key "files" is missing
1:16: /tests/1: 1 must be an object
1:29: /tests/2/files: "files" is an empty list
1:45: /tests/2/criteria: "criteria" is an empty list`},
	{name: "wrong tests", members: `"tests": [{"files": "t/", "criteria": ["a b"], "not_run": "off", "base": true, "gone": "warn"}]`, want: `1:22: /tests/0/files: the pattern ends in a slash
1:41: /tests/0/criteria/0: an item of "criteria" must be the id of a criterion
1:60: /tests/0/not_run: not_run must be one of block, approve, warn, info
1:75: /tests/0/base: base must be one of edited, always
1:81: /tests/0/gone: the key "gone" is unknown`},
	{name: "test report alone", members: criterion(`"test_report": "out/junit.xml"`)},
	{name: "tests without report", members: criterion(`"min_tests": 5`), want: `1:63: /acceptance_criteria/0/min_tests: "min_tests" requires a test report`},
	{name: "zero tests", members: criterion(`"test_report": "a", "min_tests": 0`),
		want: `1:83: /acceptance_criteria/0/min_tests: min_tests must be an integer from 1 to 1000000000, written without fraction or exponent`},
	{name: "test report outside", members: criterion(`"test_report": "../a"`), want: `1:65: /acceptance_criteria/0/test_report: the path "../a" contains the part ..`},
	{name: "several wrong criteria", members: `"acceptance_criteria": [{"run": []}, {"run": ["a"], "expect": 1}]`,
		want: "1:34: /acceptance_criteria/0/run: \"run\" is an empty list\n1:64: /acceptance_criteria/1/expect: expect must be one of pass, fail"},

	{name: "approvals", members: `"approvals_required": ["a new dependency", {"id": "db", "files": "migrations/**"}, {"id": "ci", "files": ["a", "b"]}]`},
	{name: "wrong approvals", members: `"approvals_required": [" ", 1, {}, {"id": "", "files": []}]`,
		want: `1:25: /approvals_required/0: an approval must be a text or an object
1:30: /approvals_required/1: an approval must be a text or an object
1:33: /approvals_required/2/files: the key "files" is missing
1:33: /approvals_required/2/id: the key "id" is missing
1:44: /approvals_required/3/id: id must be a string that is not blank
1:57: /approvals_required/3/files: "files" is an empty list`},
	{name: "approvals by diff rules", members: `"approvals_required": [{"id": "a", "rules": ["closeout/new-dependency"]}, {"id": "b", "files": "m/**", "rules": ["closeout/x", "closeout/y"]}]`},
	{name: "wrong approvals by diff rules", members: `"approvals_required": [{"id": "a", "rules": []}, {"id": "b", "rules": "closeout/x"}, {"id": "c", "rules": ["x", 1]}, {"id": "d", "files": [], "rules": ["closeout/x"]}]`,
		want: `1:46: /approvals_required/0/rules: "rules" is an empty list
1:72: /approvals_required/1/rules: rules must be a list
1:109: /approvals_required/2/rules/0: an item of "rules" must be the id of a diff rule, such as closeout/new-dependency
1:114: /approvals_required/2/rules/1: an item of "rules" must be the id of a diff rule, such as closeout/new-dependency
1:140: /approvals_required/3/files: "files" is an empty list`},
	{name: "unknown key of an approval", members: `"approvals_required": [{"id": "a", "files": "b", "by": "c"}]`, want: `1:51: /approvals_required/0/by: the key "by" is unknown`},

	{name: "off scope", members: `"off_scope": "warn"`},
	{name: "off scope in another spelling", members: `"off_scope": "warning"`, want: `1:15: /off_scope: off_scope must be one of block, warn`},
	{name: "off scope as info", members: `"off_scope": "info"`, want: `1:15: /off_scope: off_scope must be one of block, warn`},
	{name: "severities", members: `"severity_by_path": [{"files": "a", "severity": "info"}, {"files": ["b"], "severity": "block"}]`},
	{name: "wrong severities", members: `"severity_by_path": [{"files": "a"}, {"severity": "note", "files": 1}, 1]`,
		want: `1:23: /severity_by_path/0/severity: the key "severity" is missing
1:52: /severity_by_path/1/severity: severity must be one of block, warn, info
1:69: /severity_by_path/1/files: files must be a list
1:73: /severity_by_path/2: 2 must be an object`},

	{name: "blank pattern", members: `"severity_by_path": [{"files": " ", "severity": "info"}]`,
		want: `1:33: /severity_by_path/0/files: files must be a string that is not blank`},

	{name: "budgets", members: `"violation_budget": 200000, "time_budget_minutes": 0`},
	{name: "no time budget", members: `"time_budget_minutes": null`},
	{name: "wrong budgets", members: `"violation_budget": 200001, "time_budget_minutes": -1`,
		want: `1:22: /violation_budget: violation_budget must be an integer from 0 to 200000, written without fraction or exponent
1:53: /time_budget_minutes: time_budget_minutes must be an integer from 0 to 10000000, written without fraction or exponent`},
	{name: "no violation budget", members: `"violation_budget": null`, want: `1:22: /violation_budget: violation_budget must be an integer from 0 to 200000, written without fraction or exponent`},
	{name: "exponent", members: `"violation_budget": 1e0`, want: `1:22: /violation_budget: violation_budget must be an integer from 0 to 200000, written without fraction or exponent`, unsaid: true},

	{name: "hosts", members: `"network_egress": ["API.example.com", "localhost", "10.0.0.1", "a_b.c-d"]`},
	{name: "no hosts", members: `"network_egress": []`},
	{name: "all hosts", members: `"network_egress": null`},
	{name: "no host names", members: `"network_egress": ["https://a.b", "a.b:443", "*.a.b", "a b", "a..b", "-a", ""]`,
		want: `1:21: /network_egress: "https://a.b" is not a host name
1:36: /network_egress: "a.b:443" is not a host name
1:47: /network_egress: "*.a.b" is not a host name
1:56: /network_egress: "a b" is not a host name
1:63: /network_egress: "a..b" is not a host name
1:71: /network_egress: "-a" is not a host name
1:77: /network_egress/6: an item of "network_egress" must be a string that is not blank`},
	{name: "hosts as text", members: `"network_egress": "a.b"`, want: `1:20: /network_egress: network_egress must be a list`},

	{name: "coverage", members: `"coverage": {"report": "out/coverage.json", "floor": 0.8, "max_drop": 1}`},
	{name: "coverage declared", members: `"coverage": {}`},
	{name: "coverage null", members: `"coverage": null`, want: `1:14: /coverage: coverage must be an object`},
	{name: "wrong coverage", members: `"coverage": {"report": "/a", "floor": 80, "max_drop": "0.1", "min": 1}`,
		want: `1:25: /coverage/report: the path "/a" is absolute
1:40: /coverage/floor: floor must be a number from 0 to 1, such as 0.85
1:56: /coverage/max_drop: max_drop must be a number from 0 to 1, such as 0.85
1:63: /coverage/min: the key "min" is unknown`},

	{name: "rules", members: `"rules": {"catalogue": [{"id": "closeout/tests.skipped", "severity": "warning"}, {"id": "b", "severity": "note", "expires_at": "2028-02-29"}], "ignore": []}`},
	{name: "no rules", members: `"rules": {}`},
	{name: "rules that a command writes", members: `"coverage": {"criterion": "c1"}, "rules": {"run": ["ruff", "check"], "report": "out/ruff.sarif", "required": true, "catalogue": [{"id": "a", "severity": "warn"}]}`},
	{name: "no rules required", members: `"rules": {"required": false, "ignore": []}`},
	{name: "rules required in words", members: `"rules": {"required": "no"}`, want: `1:24: /rules/required: required must be true or false`},
	{name: "rule command as text", members: `"rules": {"run": "ruff check"}`, want: `1:19: /rules/run: run must be a list of words`},
	{name: "rule report without command", members: `"rules": {"report": "a.json"}`,
		want: `1:22: /rules/report: "report" requires the command that writes it`},
	{name: "rule command of rules that are not required", members: `"rules": {"required": false, "run": ["a"]}`,
		want: `1:38: /rules/run: "run" requires a rule report, but "required": false says that there is none`},
	{name: "catalogue of rules that are not required", members: `"rules": {"catalogue": [{"id": "a", "severity": "warn"}], "required": false}`,
		want: `1:25: /rules/catalogue: "catalogue" requires a rule report, but "required": false says that there is none`},
	{name: "rules as list", members: `"rules": []`, want: `1:11: /rules: rules must be an object`},
	{name: "rules ignored as text", members: `"rules": {"ignore": ["a"]}`, want: `1:23: /rules/ignore/0: 0 must be an object`},
	{name: "severities of diff rules alone", members: `"rules": {"catalogue": [{"id": "closeout/a", "severity": "off", "expires_at": "2030-01-01"}, {"id": "closeout/b", "severity": "error"}], "required": false}`},
	{name: "a rule of the report that is off", members: `"rules": {"catalogue": [{"id": "a", "severity": "off"}]}`,
		want: `1:50: /rules/catalogue/0/severity: severity must be one of block, error, warn, warning, info, note`},
	{name: "a diff rule that is off in other words", members: `"rules": {"catalogue": [{"id": "closeout/a", "severity": "none"}]}`,
		want: `1:59: /rules/catalogue/0/severity: severity must be one of block, error, warn, warning, info, note, off`},
	{name: "a diff rule twice", members: `"rules": {"catalogue": [{"id": "closeout/a", "severity": "off"}, {"id": "closeout/a", "severity": "warn"}]}`,
		want: `1:74: /rules/catalogue/1/id: the rule "closeout/a" is in the catalogue twice`, unsaid: true},
	{name: "empty catalogue", members: `"rules": {"catalogue": []}`, want: `1:25: /rules/catalogue: "catalogue" is an empty list`},
	{name: "wrong catalogue", members: `"rules": {"catalogue": [{"id": " "}, {"id": "a", "severity": "high"}, {"id": "b", "severity": "block", "expires_at": "soon"}, 1]}`,
		want: `1:26: /rules/catalogue/0/severity: the key "severity" is missing
1:33: /rules/catalogue/0/id: id must be a string that is not blank
1:63: /rules/catalogue/1/severity: severity must be one of block, error, warn, warning, info, note
1:119: /rules/catalogue/2/expires_at: expires_at must be a day of the calendar, written YYYY-MM-DD
1:128: /rules/catalogue/3: 3 must be an object`},
	{name: "reviewers", members: `"rules": {"catalogue": [{"id": "a", "severity": "block", "reviewers": ["x", "y"], "agree": 2}, {"id": "b", "severity": "warn", "reviewers": ["x"]}]}`},
	{name: "wrong reviewers", members: `"rules": {"catalogue": [{"id": "a", "severity": "warn", "reviewers": []}, {"id": "b", "severity": "warn", "agree": 1}, {"id": "closeout/c", "severity": "warn", "reviewers": ["x"]}, {"id": "d", "severity": "warn", "reviewers": ["x"], "agree": 6}]}`,
		want: `1:71: /rules/catalogue/0/reviewers: "reviewers" is an empty list
1:117: /rules/catalogue/1/agree: more reviewers must agree than there are
1:175: /rules/catalogue/2/reviewers: a diff rule has no reviewers
1:244: /rules/catalogue/3/agree: agree must be an integer from 1 to 5, written without fraction or exponent`},
	{name: "more who agree than there are", members: `"rules": {"catalogue": [{"id": "a", "severity": "warn", "reviewers": ["x", "x"], "agree": 2}]}`,
		want: `1:92: /rules/catalogue/0/agree: more reviewers must agree than there are`, unsaid: true},
	{name: "rule twice", members: `"rules": {"catalogue": [{"id": "a", "severity": "warn"}, {"id": "a", "severity": "block"}]}`,
		want: `1:66: /rules/catalogue/1/id: the rule "a" is in the catalogue twice`, unsaid: true},
	{name: "ignore", members: fmt.Sprintf(datedIgnore, "2027-12-31")},
	{name: "leap day", members: fmt.Sprintf(datedIgnore, "2000-02-29")},
	{name: "no leap day", members: fmt.Sprintf(datedIgnore, "2027-02-29"), want: noDay, unsaid: true},
	{name: "no leap day in a century", members: fmt.Sprintf(datedIgnore, "2100-02-29"), want: noDay, unsaid: true},
	{name: "31st of April", members: fmt.Sprintf(datedIgnore, "2027-04-31"), want: noDay, unsaid: true},
	{name: "month 13", members: fmt.Sprintf(datedIgnore, "2027-13-01"), want: noDay},
	{name: "day 0", members: fmt.Sprintf(datedIgnore, "2027-01-00"), want: noDay},
	{name: "date with time", members: fmt.Sprintf(datedIgnore, "2027-01-01T00:00"), want: noDay},
	{name: "wrong ignore", members: `"rules": {"ignore": [{}, {"id": "a", "files": "b", "reason": " ", "until": null, "why": ""}]}`,
		want: `1:23: /rules/ignore/0/files: the key "files" is missing
1:23: /rules/ignore/0/id: the key "id" is missing
1:23: /rules/ignore/0/reason: the key "reason" is missing
1:63: /rules/ignore/1/reason: reason must be a string that is not blank
1:77: /rules/ignore/1/until: until must be a day of the calendar, written YYYY-MM-DD
1:83: /rules/ignore/1/why: the key "why" is unknown`},

	{name: "evidence directory", members: `"evidence": {"min": "claimed", "dir": "ci/evidence"}`},
	{name: "evidence directory of ours", members: `"evidence": {"dir": ".closeout/evidence/ci"}`},
	{name: "evidence directory with a name like ours", members: `"evidence": {"dir": ".closeout2/x.git"}`},
	{name: "evidence in .closeout", members: `"evidence": {"dir": ".closeout"}`, want: dirError(".closeout")},
	{name: "evidence next to tasks", members: `"evidence": {"dir": ".closeout/tasks"}`, want: dirError(".closeout/tasks")},
	{name: "evidence in a look-alike", members: `"evidence": {"dir": ".closeout/evidence2"}`, want: dirError(".closeout/evidence2")},
	{name: "evidence in capitals", members: `"evidence": {"dir": ".Closeout/tasks"}`, want: dirError(".Closeout/tasks")},
	{name: "evidence in .github", members: `"evidence": {"dir": ".github/workflows"}`, want: dirError(".github/workflows")},
	{name: "evidence in .git", members: `"evidence": {"dir": "a/.git/b"}`, want: dirError("a/.git/b")},
	{name: "evidence in a pattern", members: `"evidence": {"dir": "a[b]"}`, want: dirError("a[b]")},
	{name: "evidence everywhere", members: `"evidence": {"dir": "."}`, want: `1:22: /evidence/dir: the path "." contains the part .`},
	{name: "evidence above", members: `"evidence": {"dir": "../x"}`, want: `1:22: /evidence/dir: the path "../x" contains the part ..`},
	{name: "evidence null", members: `"evidence": null`, want: `1:14: /evidence: evidence must be an object`},
	{name: "evidence, unknown key", members: `"evidence": {"minimum": "bound"}`, want: `1:15: /evidence/minimum: the key "minimum" is unknown`},

	{name: "override", members: `"override": {"label": "go", "permission": "admin", "users": ["octo-cat", "a_b"], "teams": ["release-team"], "binding": "event", "allow_author": true, "never": ["scope.forbidden", "closeout/test-skipped"]}`},
	{name: "override by default", members: `"override": {}`},
	{name: "wrong override", members: `"override": {"label": "", "permission": "read", "users": ["@a"], "teams": ["o/t"], "binding": "none", "allow_author": "yes", "never": ["scope"]}`,
		want: `1:24: /override/label: label must be a string that is not blank
1:42: /override/permission: permission must be one of write, maintain, admin
1:60: /override/users/0: an item of "users" must be a login, without @
1:77: /override/teams/0: an item of "teams" must be the slug of a team, without @ and organisation
1:96: /override/binding: binding must be one of code, event
1:120: /override/allow_author: allow_author must be true or false
1:137: /override/never/0: an item of "never" must be the code of a finding, such as scope.forbidden, or the id of a diff rule, such as closeout/test-skipped`},
	{name: "override null", members: `"override": null`, want: `1:14: /override: override must be an object`},
	{name: "override, unknown key", members: `"override": {"user": ["a"]}`, want: `1:15: /override/user: the key "user" is unknown`},

	{name: "authors", members: `"applies_to": {"authors": ["*-agent", "dependabot[bot]"]}`},
	{name: "author by id", members: `"applies_to": {"authors": [{"id": 583231}, "mona", {"id": 9007199254740991, "x-login": "hubot"}]}`},
	{name: "update bots", members: `"applies_to": {"except": [{"login": "dependabot[bot]"}, {"id": 29139614}]}`},
	{name: "update bot and authors", members: `"applies_to": {"authors": ["*-agent"], "except": [{"login": "dependabot[bot]", "x-why": 1}]}`},
	{name: "update bot as text", members: `"applies_to": {"except": ["dependabot[bot]"]}`, want: "1:28: /applies_to/except/0: 0 must be an account, such as {\"login\": \"dependabot[bot]\"}"},
	{name: "update bot without name", members: `"applies_to": {"except": [{}]}`, want: `1:28: /applies_to/except/0/id: the key "id" is missing`},
	{name: "update bot with two names", members: `"applies_to": {"except": [{"login": "a", "id": 1}]}`, want: `1:28: /applies_to/except/0: the account has a login and an id`},
	{name: "no update bot", members: `"applies_to": {"except": []}`, want: `1:27: /applies_to/except: "except" is an empty list`},
	{name: "nobody", members: `"applies_to": {}`, want: `1:16: /applies_to/authors: the key "authors" is missing`},
	{name: "self", members: `"override": {"self": true}`},
	{name: "author id as text", members: `"applies_to": {"authors": [{"id": "583231"}]}`, want: `1:36: /applies_to/authors/0/id: id must be an integer from 1 to 9007199254740991, written without fraction or exponent`},
	{name: "author id zero", members: `"applies_to": {"authors": [{"id": 0}]}`, want: `1:36: /applies_to/authors/0/id: id must be an integer from 1 to 9007199254740991, written without fraction or exponent`},
	{name: "author id negative", members: `"applies_to": {"authors": ["a", {"id": -1}]}`, want: `1:41: /applies_to/authors/1/id: id must be an integer from 1 to 9007199254740991, written without fraction or exponent`},
	{name: "author without id", members: `"applies_to": {"authors": [{}]}`, want: `1:29: /applies_to/authors/0/id: the key "id" is missing`},
	{name: "author by login key", members: `"applies_to": {"authors": [{"id": 1, "login": "mona"}]}`, want: `1:39: /applies_to/authors/0/login: the key "login" is unknown`},
	{name: "author as number", members: `"applies_to": {"authors": [583231]}`, want: `1:29: /applies_to/authors/0: 0 must be a login, a pattern, or {"id": 583231}`},
	{name: "blank author", members: `"applies_to": {"authors": [" "]}`, want: `1:29: /applies_to/authors/0: 0 must be a login, a pattern, or {"id": 583231}`},
	{name: "no authors", members: `"applies_to": {}`, want: `1:16: /applies_to/authors: the key "authors" is missing`},
	{name: "applies to a list", members: `"applies_to": ["a"]`, want: `1:16: /applies_to: applies_to must be an object`},
	{name: "empty authors", members: `"applies_to": {"authors": []}`, want: `1:28: /applies_to/authors: "authors" is an empty list`},
	{name: "authors as text", members: `"applies_to": {"authors": "a"}`, want: `1:28: /applies_to/authors: authors must be a list`},
	{name: "applies to branches", members: `"applies_to": {"authors": ["a"], "branches": ["b"]}`, want: `1:35: /applies_to/branches: the key "branches" is unknown`},
}

const taskIDError = "1:13: /task_id: task_id must be 1 to 64 letters, digits or . _ -, starting with a letter or digit, without .."

func dirError(dir string) string {
	return fmt.Sprintf("1:22: /evidence/dir: the directory %q cannot contain evidence", dir)
}

// list writes errors as place, pointer and message.
func list(errs *input.Errors) string {
	var lines []string
	for _, e := range errs.All() {
		lines = append(lines, fmt.Sprintf("%d:%d: %s: %s", e.Pos.Line, e.Pos.Column, e.Where, e.Message))
	}
	return strings.Join(lines, "\n")
}

func TestParseContract(t *testing.T) {
	for _, test := range append(contractCases, agentCases...) {
		t.Run(test.name, func(t *testing.T) {
			c, errs := Parse("c.json", []byte(test.text()), input.DefaultLimits())
			if got := list(errs); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			for _, e := range errs.All() {
				if e.Found == "" || e.Expected == "" || e.Fix == "" || !valueAt(test.text(), e.Pos) {
					t.Errorf("an error is not complete, or shows no value: %+v", e)
				}
			}
			twin, errs := Parse("c.yaml", []byte(test.text()), input.DefaultLimits())
			if got := list(errs); got != test.want {
				t.Errorf("as YAML got\n%s\nwant\n%s", got, test.want)
			}
			if test.want == "" && !reflect.DeepEqual(c, twin) {
				t.Errorf("as JSON %+v\nas YAML %+v", c, twin)
			}
		})
	}
}

// valueAt reports whether a key or value starts at a place of a JSON text.
func valueAt(text string, at input.Pos) bool {
	line := strings.Split(text, "\n")[at.Line-1]
	return strings.IndexByte(`"[{tfn-0123456789`, line[at.Column-1]) >= 0 && (at.Column == 1 || strings.IndexByte(" [{,:", line[at.Column-2]) >= 0)
}

func TestContractSchemaAgrees(t *testing.T) {
	compiled, err := stricttest.Compile("scope_contract")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range append(contractCases, agentCases...) {
		t.Run(test.name, func(t *testing.T) {
			dec := json.NewDecoder(strings.NewReader(test.text()))
			dec.UseNumber()
			var value any
			if err := dec.Decode(&value); err != nil {
				t.Fatal(err)
			}
			err := compiled.Validate(value)
			if good := test.want == "" || test.unsaid; good != (err == nil) {
				t.Errorf("parser: %q, schema: %v", test.want, err)
			}
		})
	}
}

func TestContractKeys(t *testing.T) {
	text := contractCase{members: `"network_egress": [], "time_budget_minutes": null, "docs_paths_soft": null`}.text()
	c, _ := Parse("c.json", []byte(text), input.DefaultLimits())
	if len(c.Keys) != 6 || c.Keys["time_budget_minutes"] != (input.Pos{Line: 1, Column: 24}) {
		t.Errorf("keys: %v", c.Keys)
	}
}

func TestParseContractNoDocument(t *testing.T) {
	small := input.DefaultLimits()
	small.ContractBytes = 10
	for _, test := range []struct {
		name, file, text string
		limits           input.Limits
		want             string
	}{
		{"empty", "c.json", "", input.DefaultLimits(), "1:1: : the contract is empty"},
		{"blank", "c.json", " \n\t ", input.DefaultLimits(), "1:1: : the contract is empty"},
		{"comments", "c.yaml", "# nothing\n\n  # here\n", input.DefaultLimits(), "1:1: : the contract is empty"},
		{"byte order mark", "c.json", "\xef\xbb\xbf{}", input.DefaultLimits(), "1:1: : the file begins with a byte order mark"},
		{"byte order mark in YAML", "c.yml", "\xef\xbb\xbfa: b", input.DefaultLimits(), "1:1: : the file begins with a byte order mark"},
		{"UTF-16", "c.json", "\xff\xfe{\x00}\x00", input.DefaultLimits(), "1:1: : this is UTF-16"},
		{"invalid UTF-8", "c.json", "{\n \"goal\": \"\xff\"}", input.DefaultLimits(), "2:11: : the file is not valid UTF-8"},
		{"invalid UTF-8 in YAML", "c.yaml", "a: é\xff", input.DefaultLimits(), "1:6: : the file is not valid UTF-8"},
		{"list", "c.json", "[]", input.DefaultLimits(), "1:1: : a contract must be an object"},
		{"null", "c.json", " null", input.DefaultLimits(), "1:2: : a contract must be an object"},
		{"text in YAML", "c.yaml", "hello\n", input.DefaultLimits(), "1:1: : a contract must be an object"},
		{"two values", "c.json", "{} {}", input.DefaultLimits(), "1:4: : something follows the value"},
		{"cut off", "c.json", "{\"a\": [", input.DefaultLimits(), "1:8: /a: the text ends, but the [ is not closed"},
		{"comment in JSON", "c.json", "# note\n{}", input.DefaultLimits(), "1:1: : JSON has no comments"},
		{"YAML by another name", "c.json", "a: b", input.DefaultLimits(), "1:1: : this is YAML, not JSON"},
		{"too deep", "c.json", strings.Repeat("[", 101), input.DefaultLimits(), "1:101: : the nesting of values is over the limit of 100"},
		{"too deep in YAML", "c.yaml", strings.Repeat("[", 101), input.DefaultLimits(), "1:101: : the nesting of values is over the limit of 100"},
		{"too large", "c.json", "{        }x", small, "0:0: : the size of the contract in bytes is over the limit of 10"},
		{"too large in YAML", "c.yaml", "{        }x", small, "0:0: : the size of the contract in bytes is over the limit of 10"},
		{"too large for YAML", "c.yaml", "{" + strings.Repeat(" ", maxYAML), input.DefaultLimits(), "0:0: : the size of the contract in bytes is over the limit of 262144"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, errs := Parse(test.file, []byte(test.text), test.limits)
			if got := list(errs); got != test.want || c != nil {
				t.Errorf("got  %s, %+v\nwant %s", got, c, test.want)
			}
		})
	}
}

func TestParseContractLimits(t *testing.T) {
	raised := input.DefaultLimits()
	raised.ContractBytes *= 2
	large := contractCase{members: `"x-pad": "` + strings.Repeat("a", maxYAML) + `"`}.text()
	if _, errs := Parse("c.yaml", []byte(large), raised); errs.Any() {
		t.Errorf("a raised limit of bytes does not reach YAML: %s", list(errs))
	}
	_, errs := Parse("c.yaml", []byte(large), input.DefaultLimits())
	if all := errs.All(); len(all) != 1 || all[0].Limit != input.FlagContractBytes {
		t.Errorf("%+v", all)
	}
	if _, errs := Parse("c.json", []byte(large), input.DefaultLimits()); errs.Any() {
		t.Error(list(errs))
	}
}

// TestContractErrorTexts shows some errors in full.
func TestContractErrorTexts(t *testing.T) {
	text := "allowed_file: [src/**]\nforbidden_files: ['x']\nrollback_plan: 012\nnetwork_egress: [https://a.b/c]\nevidence: {min: attested}\n"
	_, errs := Parse("c.yaml", []byte(text), input.DefaultLimits())
	var got []string
	for _, e := range errs.All() {
		got = append(got, fmt.Sprintf("%d:%d %s\n  found %s\n  expected %s\n  %s", e.Pos.Line, e.Pos.Column, e.Message, e.Found, e.Expected, e.Fix))
	}
	want := `1:1 the key "allowed_file" is unknown
  found "allowed_file"
  expected one of $schema, acceptance_criteria, agent, allowed_files, applies_to, approvals_required, base_branches, closed, coverage, docs_paths_soft, evidence, forbidden_files, goal, may_change, may_touch_protected, network_egress, off_scope, override, protected_files, rollback_plan, rules, severity_by_path, task_id, tasks, tests, threads, time_budget_minutes, violation_budget, when_none
  did you mean "allowed_files"?
1:1 the key "allowed_files" is missing
  found no such key
  expected a list of globs
  add allowed_files: ["src/**"]
3:16 this number is not written as JSON writes numbers
  found "012"
  expected digits without a leading zero, plus sign or underscore
  write the number plainly, or put it into quotes if it is a text
3:16 rollback_plan must be a string that is not blank
  found the number 012
  expected a string that is not blank
  write "012", in quotes
4:18 "https://a.b/c" is not a host name
  found "https://a.b/c"
  expected a host name such as api.example.com
  write only the host: "a.b"
5:17 the level "attested" is not supported yet
  found the string "attested"
  expected claimed, bound or recorded
  use "recorded"`
	if got := strings.Join(got, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
