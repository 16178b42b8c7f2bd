package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

func TestReadTestNames(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []TestName
	}{
		{
			"JUnit", `<testsuite name="s"><testcase classname="a.B" name="one"/><testcase classname="a.B" name="two"><skipped/></testcase>` +
				`<testcase name="three"><failure/></testcase><testcase/></testsuite>`,
			[]TestName{{Group: "a.B", Name: "one", Passed: 1}, {Group: "a.B", Name: "two", Skipped: 1}, {Group: "s", Name: "three", Failed: 1, Failing: true}},
		},
		{
			"go test", `{"Action":"pass","Package":"p","Test":"TestA/b"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestA"}` + "\n" +
				`{"Action":"skip","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"fail","Package":"p"}`,
			[]TestName{{Group: "p", Name: "TestA/b", Passed: 1}, {Group: "p", Name: "TestA", Skipped: 1}, {Group: "p", Name: "TestB", Failed: 1, Skipped: 1, Failing: true}},
		},
	} {
		got, errs := ReadTestNames(strings.NewReader(c.text), input.DefaultLimits())
		if errs.Any() || !slices.Equal(got.Names, c.want) || got.More {
			t.Errorf("%s: %v, %v", c.name, got, errs.All())
		}
	}
}

func TestMaxTestNames(t *testing.T) {
	var text strings.Builder
	text.WriteString("<testsuite>")
	for i := range MaxTestNames + 1 {
		fmt.Fprintf(&text, `<testcase name="%d"/>`, i)
	}
	text.WriteString("</testsuite>")
	got, errs := ReadTestNames(strings.NewReader(text.String()), input.DefaultLimits())
	if errs.Any() || len(got.Names) != MaxTestNames || !got.More {
		t.Errorf("%d names, more: %v, %v", len(got.Names), got.More, errs.All())
	}
}
