package verify_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// size is how large a generated bundle is.
type size struct{ criteria, globs, records, files, lines int }

// bundle makes a bundle in memory: a log with long outputs, and a diff with hunks.
func (s size) bundle() map[check.Kind][]byte {
	var contract, log, diff bytes.Buffer
	var allowed, criteria []string
	for i := range s.globs {
		allowed = append(allowed, fmt.Sprintf("%q", fmt.Sprintf([]string{"src/m%d/**", "cmd/t%d/main.go", "**/*.x%d", "lib/m%d/{api,core}/*.{go,sql}"}[i%4], i)))
	}
	for i := range s.criteria {
		criteria = append(criteria, fmt.Sprintf(`{"run": ["go", "test", "./s%d/..."]}`, i))
		fmt.Fprintf(&log, `{"seq":%d,"command":["go","test","./s%d/..."],"exit_code":0}`+"\n", i+1, i)
	}
	output := strings.Repeat(`=== RUN   TestStore\n--- PASS: TestStore (0.00s)\n\tcafé \"quoted\"\n`, 80)
	for i := range s.records {
		fmt.Fprintf(&log, `{"seq":%d,"command_id":"%012x","command":["rg","-n","x%d"],"exit_code":0,"stdout_tail":"%s"}`+"\n",
			s.criteria+i+1, i, i%50, output)
	}
	line := "+\tsteps = append(steps, step{name: \"copy\", from: \"staging\", to: \"live\"})\n"
	for i := range s.files {
		path := fmt.Sprintf("src/m%d/f%05d.go", i%max(s.globs, 1)/4*4, i)
		fmt.Fprintf(&diff, "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\nindex 0000000..d95f3ad\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,%[2]d @@\n", path, s.lines)
		diff.WriteString(strings.Repeat(line, s.lines))
	}
	fmt.Fprintf(&contract, `{"allowed_files": [%s], "forbidden_files": ["secrets/**"], "acceptance_criteria": [%s], "rollback_plan": "revert", "evidence": {"min": "claimed"}}`,
		strings.Join(allowed, ","), strings.Join(criteria, ","))
	return map[check.Kind][]byte{
		check.Contract: contract.Bytes(), check.Feedback: log.Bytes(), check.Diff: diff.Bytes(),
		check.Rules: []byte(`{"block_failures": [], "warn_failures": []}`),
	}
}

// BenchmarkJudge runs whole decisions, the report's bytes included. Its sizes are about those of a small, a usual and a
// large task.
func BenchmarkJudge(b *testing.B) {
	names := map[check.Kind]string{check.Contract: "scope_contract.json", check.Feedback: "feedback_record.jsonl", check.Diff: "pr.diff", check.Rules: "rule_report.json"}
	for _, c := range []struct {
		name string
		size size
	}{
		{"small", size{5, 10, 15, 10, 30}},
		{"usual", size{20, 50, 500, 300, 60}},
		{"large", size{500, 1000, 10_000, 10_000, 80}},
	} {
		files, total := c.size.bundle(), 0
		var inputs []verify.Input
		for kind, data := range files {
			total += len(data)
			inputs = append(inputs, verify.Input{Kind: kind, Name: names[kind], Open: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(data)), nil
			}})
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(total))
			b.ReportAllocs()
			for b.Loop() {
				r := verify.Judge(&verify.Bundle{Inputs: inputs, Settings: verify.Settings{Limits: input.DefaultLimits()}})
				if _, err := report.Canonical(r); err != nil || !r.Passed {
					b.Fatal(err, details(r))
				}
			}
		})
	}
}
