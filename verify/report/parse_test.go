package report_test

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

func TestRead(t *testing.T) {
	data, err := report.Canonical(verify.Judge(&verify.Bundle{Settings: verify.Settings{Limits: input.DefaultLimits()}}))
	if err != nil {
		t.Fatal(err)
	}
	honest := string(data)
	if _, err := report.Read([]byte(honest)); err != nil {
		t.Fatal(err)
	}
	twice := func(key string) string { return strings.Replace(honest, key, key+`null,`+key, 1) }
	for _, text := range []string{
		twice(`"verdict":`), twice(`"override":`), twice(`"schema":`), strings.Replace(honest, `{`, `{"new":{"a":1,"a":2},`, 1), honest + honest, honest + "x", honest[:len(honest)-1],
		"", "{}", `{"schema":"closeout.verification_report/v2"}`, `{"schema":"a","schema":"b"}`, "[]"} {
		if r, err := report.Read([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, r)
		}
	}
}
