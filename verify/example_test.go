package verify_test

import (
	"fmt"
	"os"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/report"
)

// A program that has a bundle, such as the artifact of a workflow, can judge it without the command line.
func ExampleOpen() {
	bundle, err := verify.Open(os.DirFS("../testdata/example"))
	if err != nil {
		fmt.Println(err)
		return
	}
	r := verify.Judge(bundle)
	fmt.Println(r.Verdict, r.Counts.Block, verify.ExitCode(r))
	for _, f := range r.Findings[:2] {
		fmt.Println(f.Severity, f.Code)
	}
	data, err := report.Canonical(r)
	fmt.Println(len(data) > 0, err)
	// Output:
	// failed 2 1
	// block cross.dropped
	// block scope.off_scope
	// true <nil>
}
