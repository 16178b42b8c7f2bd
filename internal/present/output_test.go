package present

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/present/page"
	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/report"
)

func TestFormatNamed(t *testing.T) {
	if Formats[0].Name != "text" {
		t.Errorf("the default is %s, want text", Formats[0].Name)
	}
	for _, f := range Formats {
		got, err := FormatNamed(f.Name)
		if same := reflect.ValueOf(got.Write).Pointer() == reflect.ValueOf(f.Write).Pointer(); err != nil || !same { // else it is a second one with this name
			t.Errorf("FormatNamed(%q) = %q, %v", f.Name, got.Name, err)
		}
	}
	for _, name := range []string{"", "Text", "yaml"} {
		if _, err := FormatNamed(name); err == nil {
			t.Errorf("FormatNamed(%q) found something", name)
		}
	}
}

func TestJSONIsTheReport(t *testing.T) {
	want, err := report.Canonical(failed())
	if err != nil {
		t.Fatal(err)
	}
	if got := render(t, "json", failed(), Options{Color: true, Quiet: true}); got != string(want) {
		t.Error("the bytes differ from the canonical form")
	}
}

// presenters are the formats but json, which takes only what is a report.
func presenters() []Format {
	return slices.DeleteFunc(slices.Clone(Formats), func(f Format) bool { return f.Name == "json" })
}

// TestDeterminism presents each report often: maps that leak their order would differ.
func TestDeterminism(t *testing.T) {
	for _, f := range fixtures() {
		for _, format := range presenters() {
			first := render(t, format.Name, f.report, Options{})
			for range 5 {
				if render(t, format.Name, f.report, Options{}) != first {
					t.Fatalf("%s of %s.%s differs from run to run", format.Name, f.verdict, f.name)
				}
			}
		}
	}
}

func TestWriteErrorIsReturned(t *testing.T) {
	for _, f := range Formats {
		if err := f.Write(pagetest.FullDisk{}, failed(), Options{}); !errors.Is(err, pagetest.ErrFull) {
			t.Errorf("%s: error %v, want %v", f.Name, err, pagetest.ErrFull)
		}
	}
}

// TestEmptyReport presents a report with nothing in it, as an error path may leave it.
func TestEmptyReport(t *testing.T) {
	for _, f := range presenters() {
		if out := render(t, f.Name, &report.Report{Verdict: report.Failed}, Options{}); out == "" {
			t.Errorf("%s says nothing", f.Name)
		}
	}
}

func TestTextColor(t *testing.T) {
	plain := render(t, "text", hostile(), Options{})
	colored := render(t, "text", hostile(), Options{Color: true})
	if strings.Contains(plain, "\x1b") {
		t.Error("an escape character without colour")
	}
	if regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(colored, "") != plain {
		t.Error("colour changes the text")
	}
	for _, l := range strings.Split(colored, "\n") {
		if n := strings.Count(l, "\x1b"); n%2 != 0 || (n > 0 && strings.LastIndex(l, "\x1b") != strings.LastIndex(l, reset)) {
			t.Errorf("colour bleeds over the line %q", l)
		}
	}
	for _, name := range []string{"markdown", "sarif", "github", "agent", "html"} {
		if strings.Contains(render(t, name, hostile(), Options{Color: true}), "\x1b") {
			t.Errorf("%s is coloured", name)
		}
	}
}

func TestTextQuiet(t *testing.T) {
	if got, want := render(t, "text", failed(), Options{Quiet: true}), "failed: 3 block, 1 warn, 2 info · 6 files · 17 records\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := render(t, "text", review(), Options{Quiet: true}); !strings.Contains(got, "OBSERVE MODE: exit 0 although the verdict is review") {
		t.Errorf("observe mode is not said: %q", got)
	}
}

func TestTextOneLineAFinding(t *testing.T) {
	for _, r := range []*report.Report{failed(), hostile()} {
		groups := strings.SplitN(render(t, "text", r, Options{}), "\n\n", 5)
		for i, severity := range severities {
			list := ofSeverity(r, severity)
			if len(list) == 0 {
				groups = slices.Insert(groups, i, "")
				continue
			}
			if n := strings.Count(groups[i], "\n") + 1 - strings.Count("\n"+groups[i], "\n    |"); n != len(list) {
				t.Errorf("%s: %d lines for %d findings", severity, n, len(list))
			}
		}
	}
}

func TestTextOmitted(t *testing.T) {
	r := failed()
	if strings.Contains(render(t, "text", r, Options{}), "does not list") {
		t.Error("findings are said to be left out although none are")
	}
	r.FindingsOmitted = 7
	if !strings.Contains(render(t, "text", r, Options{}), "… and 7 more findings that the report counts but does not list") {
		t.Error("left-out findings are not said")
	}
}

func TestTextManyCriteria(t *testing.T) {
	for n, want := range map[int]bool{textCriteria: false, textCriteria + 2: true} {
		r := base()
		r.Acceptance = slices.Repeat(r.Acceptance[:1], n)
		if got := strings.Contains(render(t, "text", r, Options{}), "  … and 2 more\n"); got != want {
			t.Errorf("%d criteria: cut is %v, want %v", n, got, want)
		}
	}
}

func TestObserveIsSaidEverywhere(t *testing.T) {
	for _, name := range []string{"text", "markdown", "github", "html"} {
		for verdict, want := range map[string]string{
			report.Failed: "OBSERVE MODE: exit 0 although the verdict is failed", report.Passed: "OBSERVE MODE: nothing is enforced",
		} {
			r := base()
			r.Verdict, r.Passed = verdict, verdict == report.Passed
			if strings.Contains(render(t, name, r, Options{}), "OBSERVE") {
				t.Errorf("%s says observe in enforce mode", name)
			}
			r.Mode = "observe"
			if !strings.Contains(render(t, name, r, Options{}), want) {
				t.Errorf("%s of a %s report does not say %q", name, verdict, want)
			}
		}
		if !strings.Contains(render(t, name, usage(), Options{}), "a usage error still exits 2") {
			t.Errorf("%s does not say that a usage error exits 2", name)
		}
	}
}

// TestOverrideLine: the override line is shown only where an override can count.
func TestOverrideLine(t *testing.T) {
	withUnknown, withUsage := failed(), usage()
	withUnknown.Counts.Unknown = 1
	withUsage.OverrideCode = new("k7f3-3q2d-ab5c-mnop-zyx7-2222")
	noCode := failed()
	noCode.OverrideCode = nil
	for _, c := range []struct {
		name string
		r    *report.Report
		want bool
	}{
		{"failed", failed(), true}, {"failed with unknown", withUnknown, true}, {"failed without a code", noCode, false},
		{"overridden", overridden(), false}, {"review", review(), false}, {"passed", base(), false}, {"usage", withUsage, false},
	} {
		for _, name := range []string{"text", "markdown"} {
			out := render(t, name, c.r, Options{})
			if got := strings.Contains(out, "/closeout-override k7f3-3q2d-ab5c-mnop-zyx7-2222 <why>"); got != c.want {
				t.Errorf("%s, %s: override line %v, want %v", c.name, name, got, c.want)
			}
			if got := strings.Contains(out, "does not count while anything is unknown"); got != (c.name == "failed with unknown") {
				t.Errorf("%s, %s: the note on unknown is %v", c.name, name, got)
			}
		}
	}
}

// TestAgentHasNoWordOnOverrides gives the agent every report with override fields; none of them shows.
func TestAgentHasNoWordOnOverrides(t *testing.T) {
	r := failed()
	r.OverrideRefused = overridden().OverrideRefused
	r.Findings = append(r.Findings, finding("override.refused", warn, "the label of the bot does not count", report.Location{}, "", "", "ask a maintainer"))
	for _, report := range []*report.Report{r, overridden(), review(), base(), usage()} {
		out := render(t, "agent", report, Options{})
		if word := regexp.MustCompile(`(?i)overrid|label|k7f3|mona|maintain|observe`).FindString(out); word != "" {
			t.Errorf("%q is in\n%s", word, out)
		}
	}
}

func TestAgentLists(t *testing.T) {
	out := render(t, "agent", manyFindings(block, agentItems+3), Options{})
	if !strings.Contains(out, "\n50. scope.off_scope") || strings.Contains(out, "\n51. ") || !strings.Contains(out, "… and 3 more findings") {
		t.Errorf("the cut is wrong:\n%s", out)
	}
	r := failed()
	r.Acceptance = slices.Repeat(r.Acceptance[1:2], agentItems+1)
	if out := render(t, "agent", r, Options{}); strings.Count(out, "\n- lint") != agentItems || !strings.Contains(out, "- … and 1 more\n") {
		t.Errorf("the cut of the criteria is wrong:\n%s", out)
	}
}

func TestGitHubLimits(t *testing.T) {
	for _, severity := range []string{block, warn, info} {
		for _, c := range []struct {
			findings, want int
			more           string
		}{{0, 0, ""}, {10, 10, ""}, {11, 10, "2 more findings"}, {500, 10, "491 more findings"}} {
			out := render(t, "github", manyFindings(severity, c.findings), Options{})
			if got := len(pagetest.Commands(out)); got != c.want || !strings.Contains(out, c.more) || strings.Contains(out, "more finding") != (c.more != "") {
				t.Errorf("%d of %s: %d commands\n%s", c.findings, severity, got, out)
			}
		}
	}
}

// TestUnknownSeverityBlocks shows a finding with a severity that is none: it must not vanish from any format.
func TestUnknownSeverityBlocks(t *testing.T) {
	r := manyFindings("fatal", 1)
	for _, f := range presenters() {
		if !strings.Contains(render(t, f.Name, r, Options{}), "other/000.go") {
			t.Errorf("%s loses the finding", f.Name)
		}
	}
	if !strings.Contains(render(t, "github", r, Options{}), "::error file=other/000.go") {
		t.Error("it is no error")
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"go", "test", "./..."}, "go test ./..."},
		{[]string{"go test", "./..."}, "'go test' ./..."},
		{[]string{"a", ""}, "a ''"},
		{[]string{"it's"}, `'it'\''s'`},
		{nil, ""},
	} {
		if got := command(c.argv); got != c.want {
			t.Errorf("command(%q) = %q, want %q", c.argv, got, c.want)
		}
	}
}

// Code scanning lists results by the titles of their rules.
func TestSARIFTitles(t *testing.T) {
	for _, c := range checks.Documented {
		for _, code := range c.Codes {
			title := sarifTitle(code.Name, checks.Section(code.Name))
			if strings.ContainsAny(title, "*`[\n") || len(title) < 10 || len(title) > 200 || strings.HasSuffix(title, ":") {
				t.Errorf("%s: %q", code.Name, title)
			}
		}
	}
	for help, want := range map[string]string{
		"*block*. A [log](feedback.md) is `incomplete`. More.": "A log is incomplete",
		"*block*, or the severity of the row. It failed.":      "It failed",
		"*block*. One of these applies:\n\n- a":                "a: code",
		"Skipped test.\nText":                                  "Skipped test",
		"":                                                     "a: code",
	} {
		if got := sarifTitle("a.code", help); got != want {
			t.Errorf("%q: got %q, want %q", help, got, want)
		}
	}
}

func TestSARIF(t *testing.T) {
	docs := func(code string) string {
		if code == "acceptance.failed" {
			return "A command failed. Fix it."
		}
		return ""
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(render(t, "sarif", overridden(), Options{Docs: docs})), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(log.Runs) != 1 || !run.Invocations[0]["executionSuccessful"] {
		t.Errorf("the frame is wrong: %+v", log)
	}
	if !slices.IsSortedFunc(run.Tool["driver"].Rules, func(a, b sarifRule) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("rules are not sorted")
	}
	if rule := run.Tool["driver"].Rules[0]; rule.Help.Text != "A command failed. Fix it." || rule.ShortDescription.Text != "A command failed" {
		t.Errorf("help is %+v", rule)
	}
	if rule := run.Tool["driver"].Rules[0]; rule.HelpURI != page.Project+"/blob/v0.1.0/docs/reference/codes.md#acceptancefailed" || rule.Help.Markdown != "A command failed. Fix it." {
		t.Errorf("the address of the help is %+v", rule)
	}
	if rule := run.Tool["driver"].Rules[1]; rule.HelpURI != "" || rule.Help.Markdown != "" {
		t.Errorf("a code without help has %+v", rule)
	}
	if !strings.Contains(run.Tool["driver"].Rules[1].Help.Text, "closeout explain acceptance.flaky") {
		t.Errorf("a code without help has %+v", run.Tool["driver"].Rules[1])
	}
	for i, result := range run.Results {
		f := overridden().Findings[i]
		if run.Tool["driver"].Rules[result.RuleIndex].ID != f.Code || result.RuleID != f.Code {
			t.Errorf("result %d has rule %q", i, result.RuleID)
		}
		if result.PartialFingerprints["closeout/v1"] != f.Fingerprint || len(result.Locations) != 1 {
			t.Errorf("result %d has %+v", i, result)
		}
		if (len(result.Suppressions) == 1) != f.Overridden {
			t.Errorf("result %d has suppressions %v", i, result.Suppressions)
		}
	}
	if at := run.Results[1].Locations[0]["physicalLocation"]; at.Artifact["uri"] != ".closeout/scope_contract.json" || at.Region != nil {
		t.Errorf("a finding without path points at %+v", at)
	}
}

func TestSARIFPlaceWithoutPath(t *testing.T) {
	r := base()
	r.Inputs[0].Path = "policy/contract.yaml"
	if got := sarifPlace(r, report.Location{}).Artifact["uri"]; got != "policy/contract.yaml" {
		t.Errorf("points at %q", got)
	}
	r.Inputs = nil
	if got := sarifPlace(r, report.Location{}).Artifact["uri"]; got != standingContract {
		t.Errorf("without inputs it points at %q", got)
	}
}

func TestSARIFPlainHasNoLinks(t *testing.T) {
	if got := sarifPlain("a [b](http://evil.example) [c] (d)"); got != "a [b] (http://evil.example) [c] (d)" {
		t.Errorf("got %q", got)
	}
}

func TestPercentEncode(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"src/a-b_c.d~e.go", "src/a-b_c.d~e.go"},
		{"a b/ü#1?x%20:y", "a%20b/%C3%BC%231%3Fx%2520%3Ay"},
		{"/etc/passwd", "%2Fetc/passwd"},
		{"//evil.example/x", "%2F/evil.example/x"},
		{"a\n\\\xff", "a%0A%5C%FF"},
	} {
		if got := percentEncode(c.in); got != c.want {
			t.Errorf("percentEncode(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// TestGitHubTextLimit: an annotation is short enough even if neutralising makes every character six times as long.
func TestGitHubTextLimit(t *testing.T) {
	long := strings.Repeat("\u202e", 5000)
	r := manyFindings(block, 1)
	r.Findings[0] = finding("rule.failed", block, long, report.Location{Path: "a.go"}, "e"+long, "a"+long, "f"+long)
	got := pagetest.Commands(render(t, "github", r, Options{}))
	if len(got) != 1 || len(got[0].Data) > 4096 || len(got[0].Data) < 3900 {
		t.Errorf("%d commands, the first with %d bytes", len(got), len(got[0].Data))
	}
}

func TestSARIFLinks(t *testing.T) {
	const reference = "https://example.com/v1/docs/"
	for text, want := range map[string]string{
		"see [a](git.md#b), [c](#d) and [e](https://f)": "see [a](" + reference + "git.md#b), [c](" + reference + "rules.md#d) and [e](https://f)",
		"no link (x) [y]": "no link (x) [y]",
	} {
		if got := absoluteLinks(text, reference, reference+"rules.md"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := docsPage("1/../../x y"); got != page.Project+"/blob/v1%2F..%2F..%2Fx%20y/docs/reference/" {
		t.Error(got)
	}
}

// The runner keeps ten warnings of a step, of all programs in it together.
func TestAnnotationsLeaveRoom(t *testing.T) {
	r := &report.Report{Verdict: report.Passed, Counts: report.Counts{Warn: 10}}
	for range 10 {
		r.Findings = append(r.Findings, report.Finding{Code: "a.b", Severity: "warn", Message: "m"})
	}
	for other, want := range map[int]int{0: 10, 2: 8} {
		if got := strings.Count(render(t, "github", r, Options{OtherWarnings: other}), "::warning "); got != want {
			t.Errorf("beside %d others: %d warnings, want %d", other, got, want)
		}
	}
}
