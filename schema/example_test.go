package schema_test

import (
	"fmt"

	"github.com/closeout-gate/closeout/schema"
)

func ExampleCompile() {
	s, err := schema.Compile("coverage_report")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Validate(map[string]any{"current": 0.83}) == nil, s.Validate(map[string]any{"current": 83}) == nil)
	// Output: true false
}
