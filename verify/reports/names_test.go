package reports

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

func TestParseTestNames(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []TestName
	}{
		{
			"JUnit", `<testsuite name="s"><testcase classname="a.B" name="one"/><testcase classname="a.B" name="two"><skipped/></testcase>` +
				`<testcase name="three"><failure/></testcase><testcase/></testsuite>`,
			[]TestName{{"a.B", "one", true}, {"a.B", "two", false}, {"s", "three", true}},
		},
		{
			"go test", `{"Action":"pass","Package":"p","Test":"TestA/b"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestA"}` + "\n" +
				`{"Action":"skip","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"fail","Package":"p"}`,
			[]TestName{{"p", "TestA/b", true}, {"p", "TestA", false}, {"p", "TestB", true}},
		},
	} {
		got, errs := ParseTestNames([]byte(c.text), input.DefaultLimits())
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
	got, errs := ParseTestNames([]byte(text.String()), input.DefaultLimits())
	if errs.Any() || len(got.Names) != MaxTestNames || !got.More {
		t.Errorf("%d names, more: %v, %v", len(got.Names), got.More, errs.All())
	}
}
