package present

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/closeout-gate/closeout/verify/report"
)

// texts calls do for each text in a value, with the path to it; do returns what it becomes.
func texts(v reflect.Value, path string, do func(path, s string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			texts(v.Elem(), path, do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			texts(v.Field(i), path+"."+v.Type().Field(i).Name, do)
		}
	case reflect.Slice:
		for i := range v.Len() {
			texts(v.Index(i), path, do)
		}
	case reflect.String:
		v.SetString(do(path, v.String()))
	}
}

// everyField is a report in which every field of every list is set.
func everyField() *report.Report {
	r := group()
	let := overridden()
	r.Verdict, r.Override, r.OverrideRefused, r.OverrideCode = report.Overridden, let.Override, let.OverrideRefused, new("code")
	r.Subject.PullRequest = new(int64(318))
	r.Findings[0].Rule, r.Findings[0].Location.Path = "closeout/test-skipped", "a.go"
	r.Findings = append(r.Findings, finding("facts.unavailable", unknown, "m", report.Location{}, "e", "a", "f"))
	r.Acceptance[0].KeptFrom, r.Companions[0].KeptFrom = new("why"), new("why")
	return r
}

// notOnPage are the texts of a report that a page does not show as they are.
var notOnPage = []string{
	".Schema", ".Settings.Task", ".Settings.Today", ".Settings.Event", ".Settings.Digests", ".Settings.Override.", ".Checks.", ".Files.PathBase64",
	".Findings.Location.Input", ".Findings.Fingerprint", ".Findings.Contract.Input", ".Findings.Criterion", ".Acceptance.DecidedBy.", ".Acceptance.Expect",
	".Cross.Tree", ".Override.Accepted", ".OverrideReason", ".OverriddenBy", ".Subject.MergeBaseSHA",
	".PullRequests.OverrideCode", ".PullRequests.Override.ActorID", ".PullRequests.Override.At", ".PullRequests.Override.Label", ".PullRequests.Override.HeadSHA", ".PullRequests.Override.Accepted",
}

// notOnAuditPage are the texts of an audit that its page does not show as they are.
var notOnAuditPage = []string{
	".Schema", ".Findings.Fingerprint", ".Findings.Seq",
	".Decisions.HeadSHA", ".Decisions.Kind", ".Decisions.Mode", ".Decisions.Why", ".Decisions.Overrides.ActorID", ".Decisions.Overrides.HeadSHA",
	".Statistics.People.ActorID", ".Statistics.People.Codes.", ".Commits.",
}

// skeleton is a page without its texts: elements, and attributes but those that are read out. Steps are left out, in which our own
// backticks become elements.
func skeleton(root *html.Node) string {
	var b strings.Builder
	for _, n := range elements(root) {
		if n.Parent != nil && attributeOf(n.Parent, "class") == "steps" || n.Data == "bdi" || n.Data == "code" {
			continue
		}
		b.WriteString("\n" + n.Data)
		for _, a := range n.Attr {
			if a.Key != "aria-label" {
				b.WriteString(" " + a.Key + "=" + a.Val)
			}
		}
	}
	return b.String()
}

// hostilePage writes a page of which every text is a number and a hostile text, and one with the numbers alone.
func hostilePage(t *testing.T, attack string, write func(change func(v any)) string) (harmless, hostile string, shown map[string][]string) {
	t.Helper()
	shown = map[string][]string{}
	page := func(attack string) string {
		n := 0
		return write(func(v any) {
			texts(reflect.ValueOf(v), "", func(path, s string) string {
				n++
				text := fmt.Sprintf("n%04d%s", n, attack)
				shown[path] = append(shown[path], text)
				return text
			})
		})
	}
	harmless = page("")
	clear(shown)
	return harmless, page(attack), shown
}

// checkHostile puts every hostile text into every field of what a page shows: it comes out as the same text, and as no element. write
// writes the page of a value that change has changed, hidden are fields that the page does not show as they are, and set are those that
// write itself sets. shown is how a page shows a text.
func checkHostile(t *testing.T, write func(change func(v any)) string, shown func(string) string, hidden, set []string) {
	t.Helper()
	for i, attack := range evil {
		harmless, hostile, fields := hostilePage(t, attack, write)
		before, after := parse(t, harmless), parse(t, hostile)
		if skeleton(before) != skeleton(after) {
			t.Errorf("%q changes the elements of the page", attack)
		}
		isolated := ""
		for _, n := range elements(after) {
			if n.Data == "bdi" || n.Data == "td" {
				isolated += textOf(n) + "\n"
			}
		}
		for path, list := range fields {
			if slices.Contains(set, path) {
				continue
			}
			isHidden := slices.ContainsFunc(hidden, func(p string) bool { return strings.HasPrefix(path, p) })
			found := slices.ContainsFunc(list, func(s string) bool {
				if path == ".Findings.Output.Lines" {
					s = strings.ReplaceAll(s, "\t", "    ")
				}
				return strings.Contains(isolated, shown(s))
			})
			if i == 0 && isHidden == found {
				t.Errorf("field %s is shown: %v", path, found)
			}
			if strings.Contains(harmless, list[0][:5]) && !isHidden && !found {
				t.Errorf("%q in %s does not come out as the same text", attack, path)
			}
		}
	}
}

func TestHostileTexts(t *testing.T) {
	checkHostile(t, func(change func(v any)) string {
		r := everyField()
		change(r)
		r.Verdict = report.Overridden
		for i := range r.Findings {
			r.Findings[i].Severity = severities[i%4]
		}
		return render(t, "html", r, Options{LinkBase: linkBase})
	}, func(s string) string { return visible(limited(s)) }, notOnPage, []string{".Verdict", ".Findings.Severity"})
}

func TestHostileAudit(t *testing.T) {
	checkHostile(t, func(change func(v any)) string {
		a := audited(9, 4)
		change(a)
		for i := range a.Series {
			a.Series[i].From = weekDay(i)
		}
		for i := range a.Changes {
			a.Changes[i].Kind, a.Changes[i].Date = report.ChangeContract, weekDay(i)
		}
		return auditPageOf(t, a)
	}, func(s string) string { return visible(limited(s)) }, notOnAuditPage, []string{".Findings.Severity", ".Series.From", ".Changes.Kind", ".Changes.Date"})
}
