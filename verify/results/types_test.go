package results

import (
	"testing"

	"github.com/closeout-gate/closeout/verify/strict/stricttest"
)

var documents = []stricttest.Document{
	{Name: "coverage", Schema: "coverage_report", Whole: `{"current":0.5,"previous":0.25,"x-note":[1]}`, Parse: stricttest.ErrorsOf(ParseCoverage)},
	{Name: "go test -json", Schema: "", Whole: `{"Time":"2026-11-21T12:00:00Z","Action":"pass","Package":"p","Test":"T","Elapsed":0.1,"Output":"o"}`, Parse: stricttest.ErrorsOf(ParseTests)},
}

func TestEveryTypeInEveryPlace(t *testing.T) { stricttest.EveryType(t, documents) }

func FuzzEveryPlace(f *testing.F) { stricttest.FuzzEveryPlace(f, documents) }
