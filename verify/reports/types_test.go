package reports

import (
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
)

var examples = []stricttest.Document{
	{Name: "coverage", Schema: "coverage_report", Whole: `{"current":0.5,"previous":0.25,"x-note":[1]}`, Parse: stricttest.ErrorsOf(ParseCoverage)},
	{Name: "go test -json", Schema: "", Whole: `{"Time":"2026-11-21T12:00:00Z","Action":"pass","Package":"p","Test":"T","Elapsed":0.1,"Output":"o"}`, Parse: stricttest.ErrorsOf(ParseTests)},
}

func TestEveryTypeOfResults(t *testing.T) { stricttest.EveryType(t, examples) }

func FuzzResults(f *testing.F) { stricttest.FuzzEveryPlace(f, examples) }
