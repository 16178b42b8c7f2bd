package present

import (
	"io"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
	"github.com/closeout-gate/closeout/verify/report"
)

// pagesOf are pages of reports, by name.
func pagesOf(t testing.TB) map[string]string {
	pages := map[string]string{}
	for _, f := range fixtures() {
		pages[f.verdict+"."+f.name] = render(t, "html", f.report, Options{LinkBase: pagetest.LinkBase})
	}
	pages["without-links"] = render(t, "html", failed(), Options{})
	return pages
}

func TestPages(t *testing.T) {
	pagetest.Check(t, pagesOf(t), func(w io.Writer) pagetest.Flusher { return NewWriter(w) })
}

func TestReportLinkBase(t *testing.T) {
	for base, want := range map[string]bool{"": true, pagetest.LinkBase: true, pagetest.LinkBase + "/": false, "javascript:alert(1)": false} {
		if err := writeHTML(&strings.Builder{}, failed(), Options{LinkBase: base}); (err == nil) != want {
			t.Errorf("%q: %v", base, err)
		}
	}
}

// TestWhyInASentence checks the sentence below the verdict.
func TestWhyInASentence(t *testing.T) {
	for _, c := range []struct {
		r    *report.Report
		want string
	}{
		{base(), "2 of 2 acceptance criteria passed, and no finding blocks."},
		{failed(), `3 findings block; the first: a file that decides what the checks do was changed (.github/workflows/ci.yml)`},
		{overridden(), "mona accepted 3 blocking findings: CI file must move"},
		{review(), "2 facts are unknown; the first: the checkout does not contain"},
		{usage(), "the change was not judged. Found: unknown flag"},
		{manyFindings(block, 1), "1 finding blocks: a file outside the scope was changed (other/000.go)"},
	} {
		found := false
		for _, n := range pagetest.Elements(pagetest.Parse(t, render(t, "html", c.r, Options{}))) {
			found = found || pagetest.AttributeOf(n, "class") == "why" && strings.Contains(pagetest.TextOf(n), c.want)
		}
		if !found {
			t.Errorf("the sentence of a %s report is not %q", c.r.Verdict, c.want)
		}
	}
}
