package verify_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/report"
)

// explained judges a contract with the criteria and a log, and returns the findings about criteria.
func explained(t *testing.T, criteria, log string) []report.Finding {
	t.Helper()
	f := plainFiles(t)
	f["scope_contract.json"] = []byte(`{"task_id": "T-1", "allowed_files": ["src/**"], "forbidden_files": ["secrets/**"],
"acceptance_criteria": [
` + criteria + `], "rollback_plan": "Revert.", "evidence": {"min": "claimed"}}`)
	f["feedback_record.jsonl"] = []byte(log)
	r := f.judge()
	return slices.DeleteFunc(r.Findings, func(f report.Finding) bool { return !strings.HasPrefix(f.Code, "acceptance.") })
}

// recordOf is a line of a log.
func recordOf(t *testing.T, fields map[string]any) string {
	t.Helper()
	line, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// TestExitWords wants the finding to say what an exit code means, and for a null one what the recorder says.
func TestExitWords(t *testing.T) {
	for _, c := range []struct {
		exit   any
		error  string
		code   string
		actual string
	}{
		{1, "", "acceptance.failed", "exit code 1"},
		{2, "ignored", "acceptance.failed", "exit code 2"},
		{124, "", "acceptance.failed", "exit code 124: timed out"},
		{126, "", "acceptance.failed", "exit code 126: a program could not be executed"},
		{127, "", "acceptance.failed", `exit code 127: program not found: "pytest" or one that it starts`},
		{137, "", "acceptance.failed", "exit code 137: killed by SIGKILL, often because memory ran out"},
		{139, "", "acceptance.failed", "exit code 139: killed by SIGSEGV"},
		{-9, "", "acceptance.failed", "exit code -9: killed by SIGKILL, often because memory ran out"},
		{160, "", "acceptance.failed", "exit code 160"},
		{255, "", "acceptance.failed", "exit code 255"},
		{nil, "timed out after 10m0s", "acceptance.null_exit", "exit code null: timed out after 10m0s"},
		{nil, "signal: \n killed", "acceptance.null_exit", "exit code null: signal: killed"},
		{nil, "", "acceptance.null_exit", "exit code null: the command did not end by itself, or could not be started"},
	} {
		list := explained(t, `{"id": "unit", "run": ["pytest"]}`, recordOf(t, map[string]any{"command": []string{"pytest"}, "exit_code": c.exit, "error": c.error}))
		if len(list) != 1 || list[0].Code != c.code || list[0].Actual != c.actual || !strings.Contains(list[0].Message, strings.TrimPrefix(c.actual, "exit code null: ")) {
			t.Errorf("%v, %q: got %+v", c.exit, c.error, list)
			continue
		}
		if f := list[0]; f.Criterion != "unit" || *f.Contract != (report.Location{Path: "scope_contract.json", Line: 3, Column: 1}) {
			t.Errorf("%v: criterion %q at %+v", c.exit, f.Criterion, f.Contract)
		}
	}
}

// TestOutputOfFinding wants the end of the stream that explains the failure, and the line of it that looks like an error.
func TestOutputOfFinding(t *testing.T) {
	many := strings.Repeat("a line\n", 30)
	for _, c := range []struct {
		name   string
		fields map[string]any
		want   *report.Output
	}{
		{"no output", map[string]any{}, nil},
		{"only blank lines", map[string]any{"stdout": "\n \n\t\n"}, nil},
		{"tail of the recorder before the whole output", map[string]any{"stdout": "secret", "stdout_tail": "[redacted]\n"},
			&report.Output{Stream: "stdout", Lines: []string{"[redacted]"}, Error: "[redacted]"}},
		{"stderr is there", map[string]any{"stdout": "one\ntwo", "stderr": "three"}, &report.Output{Stream: "stderr", Lines: []string{"three"}, Error: "three"}},
		{"stdout has the error", map[string]any{"stdout": "x.go:3:1: undefined: y\nFAIL", "stderr": "go: downloading z"},
			&report.Output{Stream: "stdout", Lines: []string{"x.go:3:1: undefined: y", "FAIL"}, Error: "x.go:3:1: undefined: y"}},
		{"stderr has the clearer error", map[string]any{"stdout": "FAIL", "stderr": "error: no such crate"},
			&report.Output{Stream: "stderr", Lines: []string{"error: no such crate"}, Error: "error: no such crate"}},
		{"a warning is no error", map[string]any{"stdout": "E   assert 1 == 2", "stderr": "x.py:3: DeprecationWarning: warning"},
			&report.Output{Stream: "stdout", Lines: []string{"E   assert 1 == 2"}, Error: "E   assert 1 == 2"}},
		{"go test -json", map[string]any{"stdout": `{"Action":"output","Package":"p","Output":"    x_test.go:9: got 3\n"}` + "\n" + `{"Action":"fail","Package":"p"}`},
			&report.Output{Stream: "stdout", Lines: []string{"    x_test.go:9: got 3"}, Error: "x_test.go:9: got 3"}},
		{"colours, progress and tabs", map[string]any{"stdout": "1 %\r2 %\rdone\n\x1b[31m\terror: x\x1b[0m\x07\n"},
			&report.Output{Stream: "stdout", Lines: []string{"done", "    error: x\ufffd"}, Error: "error: x\ufffd"}},
		{"the error is before the last lines", map[string]any{"stdout": "--- FAIL: TestX\npanic: boom\n" + many},
			&report.Output{Stream: "stdout", Lines: slices.Repeat([]string{"a line"}, 20), Error: "panic: boom"}},
		{"long lines", map[string]any{"stdout": strings.Repeat("ä", 400)},
			&report.Output{Stream: "stdout", Lines: []string{strings.Repeat("ä", 150) + "…"}, Error: strings.Repeat("ä", 150) + "…"}},
	} {
		c.fields["command"], c.fields["exit_code"] = []string{"pytest"}, 1
		list := explained(t, `{"id": "unit", "run": ["pytest"]}`, recordOf(t, c.fields))
		if len(list) != 1 {
			t.Fatalf("%s: got %+v", c.name, list)
		}
		got, _ := json.Marshal(list[0].Output)
		if want, _ := json.Marshal(c.want); string(got) != string(want) {
			t.Errorf("%s: got %s, want %s", c.name, got, want)
		}
	}
}

// TestOutputsAreBounded: many failures that all print much give outputs to the first ones only.
func TestOutputsAreBounded(t *testing.T) {
	var criteria []string
	log := ""
	for i := range 3 * check.MaxOutputs {
		criteria = append(criteria, fmt.Sprintf(`{"run": ["make", "t%d"]}`, i))
		log += recordOf(t, map[string]any{"command": []string{"make", fmt.Sprintf("t%d", i)}, "exit_code": 1, "stdout": strings.Repeat("\u0001 long \\ \" ä\n", 4_000)})
	}
	outputs, size := 0, 0
	for _, f := range explained(t, strings.Join(criteria, ","), log) {
		if f.Output != nil {
			outputs++
			size += len(strings.Join(f.Output.Lines, "\n"))
		}
	}
	if outputs != check.MaxOutputs || size > check.MaxOutputs*20*310 {
		t.Errorf("%d outputs with %d bytes", outputs, size)
	}
}
