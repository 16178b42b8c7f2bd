package contract_test

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// Every error has a place and a fix. The extension of the name decides between JSON and YAML.
func ExampleParse() {
	text := `allowed_files: ["src/**"]
forbidden_files: [migrations/**]
rollback_plan: Revert the merge commit.
acceptance_criteria:
  - {id: unit, run: [go, test, ./...]}
`
	c, errs := contract.Parse("scope_contract.yaml", []byte(text), input.DefaultLimits())
	fmt.Println(errs.Any(), c.Criteria[0].ID, c.Criteria[0].Run, c.Criteria[0].Cwd)

	_, errs = contract.Parse("scope_contract.yaml", []byte("allowed_files: [src/]\n"+text[len("allowed_files: [\"src/**\"]\n"):]), input.DefaultLimits())
	for _, e := range errs.All() {
		fmt.Println(e.Pos.Line, e.Found)
	}
	// Output:
	// false unit [go test ./...] .
	// 1 "src/"
}
