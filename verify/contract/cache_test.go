package contract

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

const cached = `{"allowed_files": ["src/**"], "forbidden_files": ["db/**"], "rollback_plan": "revert", "acceptance_criteria": [{"run": ["true"]}]}`

func TestCacheParsesOnce(t *testing.T) {
	var c Cache
	first, errs := c.Parse("scope_contract.json", []byte(cached), input.DefaultLimits())
	again, errsAgain := c.Parse("contracts/T-1.json", []byte(cached), input.DefaultLimits())
	if errs.Any() || errsAgain.Any() || first == nil || first != again || c.Len() != 1 {
		t.Errorf("got %p and %p, %d kept, want the same contract twice: %v %v", first, again, c.Len(), errs.All(), errsAgain.All())
	}
	again.CheckTask(errsAgain)
	if _, errs = c.Parse("scope_contract.json", []byte(cached), input.DefaultLimits()); !errsAgain.Any() || errs.Any() {
		t.Error("errors of one reader must not reach another one")
	}
}

// All that a contract depends on is in the key, and errors name the file, so they are not kept.
func TestCacheTellsApart(t *testing.T) {
	var c Cache
	low := input.DefaultLimits()
	low.ContractBytes = 10
	for _, in := range []struct {
		name, text string
		limits     input.Limits
		kept       int
	}{
		{"a.json", cached, input.DefaultLimits(), 1},
		{"a.yaml", cached, input.DefaultLimits(), 2},
		{"a.json", cached + "\n", input.DefaultLimits(), 3},
		{"a.json", cached, low, 3},
		{"a.json", "rollback_plan: revert", input.DefaultLimits(), 3},
		{"b.json", "rollback_plan: revert", input.DefaultLimits(), 3},
		{"b.json", `{"rollback_plan": 1}`, input.DefaultLimits(), 3},
	} {
		got, errs := c.Parse(in.name, []byte(in.text), in.limits)
		want, wantErrs := Parse(in.name, []byte(in.text), in.limits)
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(errs.All(), wantErrs.All()) || c.Len() != in.kept {
			t.Errorf("%s %q: got %v, and %d kept, want %v, and %d", in.name, in.text, errs.All(), c.Len(), wantErrs.All(), in.kept)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	var c Cache
	blank := strings.Repeat(" ", maxCached/8)
	for i := range 12 {
		if _, errs := c.Parse("a.json", fmt.Appendf(nil, "%s%*s", cached, i, blank), input.DefaultLimits()); errs.Any() {
			t.Fatal(errs.All())
		}
	}
	if got := c.Len(); got == 0 || got >= 8 {
		t.Errorf("%d contracts kept, want less than 8", got)
	}
}
