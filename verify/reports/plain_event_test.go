package reports

import (
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
)

var plainEvents = []struct {
	line  string
	plain bool
}{
	{`{"Time":"2026-11-21T12:00:00.1Z","Action":"output","Package":"p","Test":"T/é","Output":"a\tb\u003c\n"}` + "\r\n", true},
	{`{"Action":"pass","Package":"p","Test":"T","Elapsed":0.25}`, true},
	{`{"Action":"pass","Elapsed":10}`, true},
	{`{"Action":"pass","Action":"fail"}`, false},
	{`{"action":"pass"}`, false},
	{`{"Action":"pass","Test":1}`, false},
	{`{"Action":"pass","Elapsed":"1"}`, false},
	{`{"Action":"pass","Elapsed":01}`, false},
	{`{"Action":"pass","Elapsed":1.}`, false},
	{`{"Action":"pass","Elapsed":1.2.3}`, false},
	{`{"Action":"pass","Elapsed":.5}`, false},
	{`{"Action":"pass"} `, false},
	{`{"Action":"pass"}}`, false},
	{`{"Action":"pass",}`, false},
	{`{"Action":"pass"`, false},
	{`{"Action":"pass"]`, false},
	{`{"Action":"pass","Output":"\ud800"}`, false},
	{`{"Action":"pass","Output":"\x"}`, false},
	{"{\"Action\":\"pass\",\"Output\":\"\xff\"}", false},
	{"{\"Action\":\"pass\",\"Output\":\"a\tb\"}", false},
	{`{"Action":"pass","New":{}}`, false},
	{`{}`, false},
	{`{"Output":"without an action"}`, false},
	{`{"Action":"","Package":"p"}`, false},
}

// TestPlainEvent wants the short way taken for what go test -json writes, and for nothing else.
func TestPlainEvent(t *testing.T) {
	for _, c := range plainEvents {
		if _, ok := plainEvent([]byte(c.line), input.DefaultLimits()); ok != c.plain {
			t.Errorf("%s: read as plain: %v", c.line, ok)
		}
		samePlainEvent(t, []byte(c.line), input.DefaultLimits())
	}
	tight := stricttest.TightLimits(100, 0)
	if _, ok := plainEvent([]byte(plainEvents[1].line), tight); ok {
		t.Error("the limit of the depth does not count")
	}
}

// samePlainEvent wants that what the short way reads is what the reader of any JSON reads, without an error.
func samePlainEvent(t *testing.T, line []byte, limits input.Limits) {
	t.Helper()
	got, ok := plainEvent(line, limits)
	if !ok {
		return
	}
	errs := &input.Errors{}
	if want := parseAnyEvent(line, limits, errs); got != want || errs.Any() {
		t.Errorf("%q: got %+v, want %+v and %v", line, got, want, errs.All())
	}
}

func FuzzPlainEvent(f *testing.F) {
	for _, c := range plainEvents {
		f.Add([]byte(c.line))
	}
	f.Fuzz(func(t *testing.T, line []byte) { samePlainEvent(t, line, input.DefaultLimits()) })
}
