package item

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

func TestFactsOf(t *testing.T) {
	finding := func(code, severity, fingerprint string) report.Finding {
		return report.Finding{Code: code, Severity: severity, Fingerprint: fingerprint}
	}
	hostile := finding("acceptance.failed", "block", "b")
	hostile.Message = "unit failed:\x1b[2J ::error::" + strings.Repeat("é", 800)
	hostile.Fix = "fix it" + report.PersonMay + "say /closeout-override"
	hostile.Location = report.Location{Path: "a\nb", Line: 5}
	hostile.Output = &report.Output{}
	for i := range 50 {
		hostile.Output.Lines = append(hostile.Output.Lines, fmt.Sprint("line ", i, "\r"))
	}
	unknown := finding("facts.unavailable", "unknown", "a")
	unknown.Location = report.Location{Input: "feedback", Path: "criteria.jsonl", Line: 3}
	overridden := finding("scope.off_scope", "block", "c")
	overridden.Overridden = true
	r := &report.Report{Findings: []report.Finding{
		hostile, overridden, finding("acceptance.flaky", "warn", "d"), finding("evidence.tree", "info", "e"),
		unknown, finding("facts.unavailable", "unknown", "a"),
	}}
	facts := FactsOf(r)
	if len(facts) != 3 || facts[0].Code != "acceptance.failed" || facts[1].Code != "facts.unavailable" || facts[1].Path != "" || facts[1].Line != 0 {
		t.Fatalf("%+v", facts)
	}
	f := facts[0]
	if f.Fix != "fix it" || f.Path != `a\nb` || f.Line != 5 {
		t.Errorf("%+v", f)
	}
	if len(f.Message) > 1100 || !strings.HasPrefix(f.Message, `unit failed:\x1b[2J ::error::é`) || !strings.HasSuffix(f.Message, "é…") {
		t.Errorf("message %q", f.Message)
	}
	if len(f.Tail) != 40 || f.Tail[0] != `line 10\r` || f.Tail[39] != `line 49\r` {
		t.Errorf("tail %q", f.Tail)
	}
	if open := OpenOf(r); !reflect.DeepEqual(open, []string{"a", "b"}) {
		t.Errorf("open %q", open)
	}
	if facts := FactsOf(&report.Report{}); facts == nil || len(facts) != 0 {
		t.Errorf("no findings: %#v", facts)
	}
}
