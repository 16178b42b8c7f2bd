package report_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/closeout-gate/closeout/verify/report"
)

// A report is plain JSON. Its fields are a public promise; see schema.Text("verification_report").
func ExampleReport() {
	data, err := os.ReadFile("../../testdata/example.failed.golden.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	var r report.Report
	if err := json.Unmarshal(data, &r); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Verdict, r.Counts.Block, len(r.Acceptance))
	// Output: failed 2 1
}
