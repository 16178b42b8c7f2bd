package contract

import (
	"reflect"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

// FuzzParseContract: parsing never panics, positions are inside the text, and JSON which is a good
// contract is the same contract when it is read as YAML. YAML refuses tabs and some characters that JSON has.
func FuzzParseContract(f *testing.F) {
	for _, c := range append(contractCases, agentCases...) {
		f.Add(c.text())
	}
	f.Add("allowed_files:\n- a\nforbidden_files: [b]\nrollback_plan: |\n  c\n")
	f.Fuzz(func(t *testing.T, text string) {
		fromJSON, jsonErrs := Parse("c.json", []byte(text), input.DefaultLimits())
		stricttest.CheckPlaces(t, []byte(text), jsonErrs)
		fromYAML, yamlErrs := Parse("c.yaml", []byte(text), input.DefaultLimits())
		stricttest.CheckPlaces(t, []byte(text), yamlErrs)
		if fromJSON == nil && !jsonErrs.Any() || fromYAML == nil && !yamlErrs.Any() {
			t.Fatal("neither a contract nor an error")
		}
		if !jsonErrs.Any() && !yamlErrs.Any() && !reflect.DeepEqual(fromJSON, fromYAML) {
			t.Errorf("as JSON %+v\nas YAML %+v", fromJSON, fromYAML)
		}
	})
}
