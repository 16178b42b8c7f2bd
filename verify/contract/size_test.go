package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

// TestContractIsOfHumanSize refuses lists and braces that would cost time with every path, and takes those that a person
// could write.
func TestContractIsOfHumanSize(t *testing.T) {
	contract := func(pattern string, n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("%q", fmt.Sprintf(pattern, i))
		}
		return `{"allowed_files": [` + strings.Join(list, ",") + `], "forbidden_files": ["x"], "rollback_plan": "revert"}`
	}
	for _, c := range []struct {
		text, want string
	}{
		{contract("src/f%d.go", maxContractItems-1), ""},
		{contract("src/f%d.go", maxContractItems+1), "the list is too long"},
		{contract("src/{a,b}{a,b}{a,b}{a,b}/f%d", 600), ""},
		{contract("src/{a,b}{a,b}{a,b}{a,b}/f%d", 700), "the braces in the patterns expand to too many patterns"},
	} {
		_, errs := Parse("c.json", []byte(c.text), input.DefaultLimits())
		got := ""
		if all := errs.All(); len(all) > 0 {
			got = all[0].Message
		}
		if got != c.want {
			t.Errorf("got %q, expected %q", got, c.want)
		}
	}
}
