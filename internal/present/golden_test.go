package present

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
	"github.com/closeout-gate/closeout/verify/report"
)

// TestGoldens shows every format of every fixture. The file name contains the verdict and is checked against the report, so
// that -update cannot accept another verdict. The json of the hostile fixtures is left out: it only repeats the fixture. So are
// pages but one: what is in them is compared element by element.
func TestGoldens(t *testing.T) {
	for _, f := range fixtures() {
		if f.report.Verdict != f.verdict {
			t.Fatalf("fixture %s.%s has verdict %s", f.verdict, f.name, f.report.Verdict)
		}
		for _, format := range Formats {
			if format.Name == "json" && strings.HasPrefix(f.name, "hostile") || format.Name == "html" && (f.name != "realistic" || f.verdict != report.Failed) {
				continue
			}
			name := fmt.Sprintf("%s.%s.%s", f.verdict, f.name, format.Name)
			t.Run(name, func(t *testing.T) { pagetest.Golden(t, name, render(t, format.Name, f.report, Options{})) })
		}
	}
}

func TestGoldenColor(t *testing.T) {
	pagetest.Golden(t, "failed.realistic.text-color", render(t, "text", failed(), Options{Color: true}))
}
