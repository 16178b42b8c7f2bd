package item_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
)

// TestSchemas wants each form to match its schema with every field, and with as few as there may be.
func TestSchemas(t *testing.T) {
	commit, events := strings.Repeat("1", 40), map[string]item.Event{"short": {N: 1, At: "x", Event: item.EventScanned}}
	var full item.Event
	filled(reflect.ValueOf(&full).Elem())
	full.Event, full.Verdict, full.Outcome, full.ReportSHA256, full.ContractSHA256, full.Tests, full.MS = item.EventJudged, "passed", item.Pass, fake, fake, 1, 1
	cost := int64(1)
	full.Cost, full.Budget = &cost, &cost
	events["full"] = full
	plan, wide := planOf(1), planOf(1)
	plan.Base, plan.Evidence = commit, "e"
	filled(reflect.ValueOf(&wide.Items[0]).Elem())
	wide.Items[0].ContractSHA256 = fake
	wide.Base, wide.Evidence, wide.BaseName, wide.ListPath, wide.ListSHA256, wide.Template, wide.TemplateID, wide.Checkout, wide.Columns =
		commit, "e", "b", "l", fake, "t", fake, true, []string{"a"}
	fact := item.Fact{Severity: "block"}
	filled(reflect.ValueOf(&fact).Elem())
	fact.Severity = "block"
	short := item.Handout{
		Schema: item.HandoutSchema, Item: "T-1", Try: 1, Of: 1, Allowed: []string{}, Within: []string{}, Forbidden: []string{}, Criteria: []item.Criterion{},
		Passed: []string{}, Facts: []item.Fact{}, BlockedFile: item.BlockedFile,
	}
	long := short
	long.Nudge, long.Example, long.Facts = "n", "e", []item.Fact{fact}
	long.Criteria = []item.Criterion{{ID: "a", Run: []string{"b"}, Expect: "pass", Record: "c"}}
	s := item.NewState(wide)
	s.Items[0].Worktree = "w"
	status := s.StatusAt("tree")
	status.Vetoes["scope.off_scope"] = 2
	for name, list := range map[string][]any{
		"items": {plan, wide}, "items_event": {events["short"], events["full"]}, "next": {short, long}, "status": {status, item.NewState(plan).StatusAt("")},
	} {
		compiled, err := stricttest.Compile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			var document any
			if err := json.Unmarshal(data, &document); err != nil {
				t.Fatal(err)
			}
			if err := compiled.Validate(document); err != nil {
				t.Errorf("%s: %#v\n%s", name, err, data)
			}
		}
		if compiled.Validate(map[string]any{}) == nil {
			t.Errorf("%s: an empty object matches", name)
		}
	}
}
