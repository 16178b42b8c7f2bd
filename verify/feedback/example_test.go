package feedback_test

import (
	"fmt"
	"strings"

	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
)

// A log is read line by line, in constant memory.
func ExampleReadLog() {
	log := `{"seq": 1, "command": ["go", "test", "./..."], "exit_code": 0}
{"seq": 2, "command": "ruff check src", "exit_code": 1}
`
	lines, errs := feedback.ReadLog(strings.NewReader(log), input.DefaultLimits(), func(r *feedback.Record) {
		fmt.Println(r.Argv, *r.Exit)
	})
	fmt.Println(lines, errs.Any())
	// Output:
	// [go test ./...] 0
	// [ruff check src] 1
	// 2 false
}
