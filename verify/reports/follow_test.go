package reports

import (
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/input"
)

// listed makes the names of a report: "a+ b- c~" is a pass, a failure and a skipped case, in that order.
func listed(t *testing.T, text string) *TestNames {
	t.Helper()
	var xml strings.Builder
	xml.WriteString("<testsuite>")
	for name := range strings.FieldsSeq(text) {
		says := map[byte]string{'+': "", '-': `<failure message="no"/>`, '~': "<skipped/>"}[name[len(name)-1]]
		xml.WriteString(`<testcase classname="c" name="` + name[:len(name)-1] + `">` + says + "</testcase>")
	}
	names, errs := ReadTestNames(strings.NewReader(xml.String()+"</testsuite>"), input.DefaultLimits())
	if errs.Any() {
		t.Fatal(errs.All())
	}
	return names
}

func TestStateOf(t *testing.T) {
	for _, c := range []struct{ name, base, other, want string }{
		{"a pass", "a+", "a+", "+"},
		{"a failure", "a+", "a-", "-"},
		{"skipped", "a+", "a~", "~"},
		{"absent", "a+ b+", "b+", "~+"},
		{"what did not pass is not asked for", "a- b~ c+", "c+", "+"},
		{"a failure before the last pass", "a-  a+", "a+", "+"},
		{"a retry that passes", "a+", "a- a+", "+"},
		{"a retry that fails", "a+", "a+ a-", "-"},
		{"fewer passes and a failure", "a+ a+", "a+ a-", "-"},
		{"fewer passes", "a+ a+", "a+", "~"},
		{"another number", "a[1]+", "a[2]+", "+"},
		{"another address", "a:0x7f+", "a:0x8e+", "+"},
		{"a number outside of brackets", "a1+", "a2+", "~"},
		{"another number, and a failure", "a[1]+", "a[2]-", "-"},
		{"one new row stands for one", "a[1]+ a[2]+", "a[3]+", "+~"},
		{"a row that stays stands for itself alone", "a[1]+ a[2]+", "a[1]+", "+~"},
	} {
		base := listed(t, c.base)
		f, got := Follow(base, listed(t, c.other)), ""
		for _, n := range base.PassedCases() {
			state, failure := f.StateOf(n)
			got += map[CaseState]string{CasePassed: "+", CaseFailed: "-", CaseAbsent: "~"}[state]
			if (failure == "no") != (state == CaseFailed) {
				t.Errorf("%s: fails with %q", c.name, failure)
			}
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestFunctionOf(t *testing.T) {
	for name, want := range map[string]string{
		"TestA": "TestA", "TestA/b/c": "TestA", "test_a[1-x]": "test_a", "add(int, int)[2]": "add", "Add(x: 1)": "Add",
		"adds (two) numbers": "adds (two) numbers", "reads a/b": "reads a/b", "[1] a, b": "[1] a, b", "/": "/",
	} {
		if got := FunctionOf(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	base := listed(t, "a[1]+ a[2]+ b+ d+")
	f := Follow(base, listed(t, "a[9]- b~"))
	for _, n := range base.Names {
		if got, want := f.Ran(&n), strings.HasPrefix(n.Name, "a"); got != want {
			t.Errorf("%s ran: %v", n.Name, got)
		}
	}
}

// TestBroken wants to know what did not load, as runners write it.
func TestBroken(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a failure", `<testsuite><testcase classname="c" name="a"><failure/></testcase></testsuite>`, nil},
		{"pytest", `<testsuite><testcase classname="" name="tests.test_a"><error message="collection failure"/></testcase></testsuite>`, []string{"tests.test_a"}},
		{"vitest", `<testsuite><testcase classname="a.test.ts" name="a.test.ts"><failure/></testcase></testsuite>`, []string{"a.test.ts"}},
		{"JUnit 4", `<testsuite><testcase classname="a.B" name="initializationError"><error/></testcase></testsuite>`, []string{"a.B"}},
		{"Surefire", `<testsuite><testcase classname="a.B" name=""><error/></testcase></testsuite>`, []string{"a.B"}},
		{"unittest", `<testsuite><testcase classname="unittest.loader._FailedTest" name="test_a"><error/></testcase></testsuite>`, []string{"test_a"}},
		{"Jest", `<testsuite><testcase classname="Test suite failed to run" name="a.test.js"><error/></testcase></testsuite>`, []string{"a.test.js"}},
		{"a suite", `<testsuite name="s"><error/></testsuite>`, []string{"s"}},
		{"failures of no case", `<testsuite name="s" errors="1"/>`, []string{"s"}},
		{"go build", `{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}` + "\n" + `{"Action":"fail","Package":"p"}`, []string{"p"}},
		{"go setup", `{"Action":"output","Package":"p","Output":"FAIL\tp [setup failed]\n"}` + "\n" + `{"Action":"fail","Package":"p"}`, []string{"p"}},
		{"go exits", `{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}` + "\n" + `{"Action":"fail","Package":"p"}`, nil},
		{"a test says so", `{"Action":"output","Package":"p","Test":"T","Output":"FAIL\tp [build failed]\n"}` + "\n" + `{"Action":"fail","Package":"p","Test":"T"}`, nil},
	} {
		got, errs := ReadTestNames(strings.NewReader(c.text), input.DefaultLimits())
		if errs.Any() || !slices.Equal(got.Broken, c.want) {
			t.Errorf("%s: %q, %v", c.name, got.Broken, errs.All())
		}
	}
}

// TestTestErrors wants the first line of the first failure of each case.
func TestTestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`<testsuite><testcase name="a"><failure message="&#10;  one&#10;two">three</failure></testcase></testsuite>`:                          "one",
		`<testsuite><testcase name="a"><system-out>out</system-out><failure>` + "\n one\ntwo" + `</failure></testcase></testsuite>`:           "one",
		`<testsuite><testcase name="a"><failure message="one"/></testcase><testcase name="a"><failure message="two"/></testcase></testsuite>`: "one",
		`<testsuite><testcase name="a"><failure message="` + strings.Repeat("x", 400) + `"/></testcase></testsuite>`:                          strings.Repeat("x", 300) + "…",
		`{"Action":"output","Package":"p","Test":"A","Output":"=== RUN   A\n"}` + "\n" + `{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:9: one\n"}` + "\n" +
			`{"Action":"output","Package":"p","Test":"A","Output":"    a_test.go:9: two\n"}` + "\n" + `{"Action":"fail","Package":"p","Test":"A"}`: "a_test.go:9: two", // a log comes before a failure, and looks alike
	} {
		got, errs := ReadTestNames(strings.NewReader(text), input.DefaultLimits())
		if errs.Any() || len(got.Names) != 1 || got.Names[0].Error != want {
			t.Errorf("%s: %+v, %v", text, got.Names, errs.All())
		}
	}
}

func TestTrimRoot(t *testing.T) {
	n := &TestNames{Names: []TestName{{Group: "/w/a.js", Name: "in /w/a.js"}, {Group: "/x/a.js"}}, Broken: []string{"/w/b.js"}}
	n.TrimRoot("")
	n.TrimRoot("/w")
	if n.Names[0].Group != "a.js" || n.Names[0].Name != "in a.js" || n.Names[1].Group != "/x/a.js" || n.Broken[0] != "b.js" {
		t.Errorf("got %+v", n)
	}
}
