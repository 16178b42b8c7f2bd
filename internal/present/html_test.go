package present

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/closeout-gate/closeout/verify/report"
)

var pagesTo = flag.String("pages", "", "write all pages to this directory, for testdata/browser")

const linkBase = "https://github.com/acme/shop"

func auditPageOf(t testing.TB, a *report.Audit) string {
	t.Helper()
	var b strings.Builder
	if err := AuditHTML(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pagesOf are pages of reports, by name.
func pagesOf(t testing.TB) map[string]string {
	pages := map[string]string{}
	for _, f := range fixtures() {
		pages[f.verdict+"."+f.name] = render(t, "html", f.report, Options{LinkBase: linkBase})
	}
	pages["without-links"] = render(t, "html", failed(), Options{})
	return pages
}

func auditPagesOf(t testing.TB) map[string]string {
	pages := map[string]string{}
	for name, a := range audits() {
		pages["audit."+name] = auditPageOf(t, a)
	}
	return pages
}

func audits() map[string]*report.Audit {
	broken := audited(9, 4)
	broken.Series = nil
	return map[string]*report.Audit{"empty": {}, "week": audited(1, 3), "year": audited(46, 6), "long": audited(300, 2), "no-series": broken}
}

// parse reads a page as a browser does.
func parse(t testing.TB, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// elements are all elements of a page, in order.
func elements(root *html.Node) []*html.Node {
	var list []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			list = append(list, n)
		}
	}
	return list
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func attributeOf(n *html.Node, name string) string {
	value, _ := attribute(n, name)
	return value
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// structure lists what is wrong with the structure of a page.
func structure(root *html.Node) []string {
	var wrong []string
	say := func(format string, values ...any) { wrong = append(wrong, fmt.Sprintf(format, values...)) }
	count, ids, last := map[string]int{}, map[string]int{}, 0
	all := elements(root)
	for _, n := range all {
		count[n.Data]++
		if id, ok := attribute(n, "id"); ok {
			ids[id]++
		}
		if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
			if level := int(n.Data[1] - '0'); level > last+1 {
				say("%s follows a heading of level %d", n.Data, last)
			}
			last = int(n.Data[1] - '0')
		}
	}
	for name, want := range map[string]int{"h1": 1, "main": 1, "header": 1, "footer": 1, "nav": 1, "title": 1 + count["desc"], "style": 1} {
		if count[name] != want {
			say("%d elements %s, want %d", count[name], name, want)
		}
	}
	for id, n := range ids {
		if n != 1 {
			say("%d elements have the id %q", n, id)
		}
	}
	for _, n := range all {
		wrong = append(wrong, elementRules(n, ids)...)
	}
	return wrong
}

// elementRules lists what is wrong with one element.
func elementRules(n *html.Node, ids map[string]int) []string {
	var wrong []string
	say := func(format string, values ...any) {
		wrong = append(wrong, n.Data+": "+fmt.Sprintf(format, values...))
	}
	if slices.Contains([]string{"script", "link", "img", "iframe", "object", "embed", "form", "base", "a:script", "image", "foreignObject", "use"}, n.Data) {
		say("is no element of our pages")
	}
	for _, a := range n.Attr {
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" {
			say("has the attribute %s", a.Key)
		}
		if a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, linkBase+"/pull/") && !strings.HasPrefix(a.Val, linkBase+"/commit/") {
			say("links to %q", a.Val)
		}
		if a.Key == "href" && strings.HasPrefix(a.Val, "#") && ids[a.Val[1:]] != 1 {
			say("links to %q, which is not there", a.Val)
		}
		if (a.Key == "aria-labelledby" || a.Key == "aria-describedby") && slices.ContainsFunc(strings.Fields(a.Val), func(id string) bool { return ids[id] != 1 }) {
			say("is named by %q, which is not there", a.Val)
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(elements(n), func(c *html.Node) bool { return c.Data == name })
	}
	switch n.Data {
	case "html":
		if attributeOf(n, "lang") != "en" {
			say("has no language")
		}
	case "th":
		if scope := attributeOf(n, "scope"); scope != "col" && scope != "row" {
			say("has the scope %q", scope)
		}
	case "table":
		if !has("caption") {
			say("has no caption")
		}
	case "svg":
		if attributeOf(n, "aria-hidden") != "true" && (attributeOf(n, "role") != "img" || !has("title") || !has("desc") || attributeOf(n, "aria-labelledby") == "") {
			say("is no picture with title and description")
		}
	case "section":
		if attributeOf(n, "aria-labelledby") == "" {
			say("has no name")
		}
	}
	if attributeOf(n, "role") == "region" && (attributeOf(n, "aria-label") == "" || attributeOf(n, "tabindex") != "0") {
		say("scrolls, but has no name or no focus")
	}
	return wrong
}

// TestStructureIsSeen breaks a page in each way that the rules are about.
func TestStructureIsSeen(t *testing.T) {
	page := auditPageOf(t, audited(9, 4))
	for _, c := range []struct{ old, with, want string }{
		{`<h1>`, `<h1>x</h1><h1>`, "2 elements h1"}, {`<h2 `, `<h4>x</h4><h2 `, "h4 follows"}, {`lang="en"`, ``, "has no language"}, {`<th scope="col"`, `<th`, "has the scope"},
		{`<caption class="spoken">`, `<p>`, "has no caption"}, {`role="img"`, ``, "is no picture"}, {`href="#main"`, `href="#other"`, "which is not there"},
		{`id="rate"`, `id="main"`, "have the id"}, {`<p `, `<p onclick="x" `, "has the attribute onclick"}, {`<p `, `<p style="x" `, "has the attribute style"},
		{`<p `, `<script></script><p `, "is no element of our pages"}, {`<p `, `<a href="https://evil.example/">x</a><p `, "links to"},
		{`tabindex="0"`, ``, "no focus"}, {`aria-labelledby="rate-title"`, ``, "has no name"},
	} {
		broken := strings.Replace(page, c.old, c.with, 1)
		if broken == page {
			t.Errorf("%q is not in the page", c.old)
		}
		if got := strings.Join(structure(parse(t, broken)), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%q in place of %q: got %q, want %q", c.with, c.old, got, c.want)
		}
	}
}

// checkPages checks that pages have the structure and the policy of every page, and that they are no command in the log of a workflow:
// the writer that neutralises what is printed changes nothing. With -pages it writes them too.
func checkPages(t *testing.T, pages map[string]string, printer func(io.Writer) flusher) {
	t.Helper()
	for name, page := range pages {
		if *pagesTo != "" {
			if err := os.WriteFile(filepath.Join(*pagesTo, name+".html"), []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		root := parse(t, page)
		for _, wrong := range append(structure(root), policies(root)...) {
			t.Errorf("%s: %s", name, wrong)
		}
		if commands := commandsIn(page); len(commands) > 0 {
			t.Errorf("%s: contains commands %v", name, commands)
		}
		var b strings.Builder
		w := printer(&b)
		if _, err := io.WriteString(w, page); err != nil || w.Flush() != nil {
			t.Fatal(err)
		}
		if b.String() != page {
			t.Errorf("%s: the writer that neutralises changes the page", name)
		}
	}
}

type flusher interface {
	io.Writer
	Flush() error
}

// policies lists what is wrong with the policy of a page: it must have one, with the digest of the style sheet in it.
func policies(root *html.Node) []string {
	var found []string
	sheet := ""
	for _, n := range elements(root) {
		if attributeOf(n, "http-equiv") != "" {
			found = append(found, attributeOf(n, "content"))
		}
		if n.Data == "style" {
			sheet = textOf(n)
		}
	}
	sum := sha256.Sum256([]byte(sheet))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if !slices.Equal(found, []string{want}) {
		return []string{fmt.Sprintf("the policies are %q, want %q", found, want)}
	}
	return nil
}

func TestPages(t *testing.T) {
	checkPages(t, pagesOf(t), func(w io.Writer) flusher { return NewWriter(w) })
}

func TestAuditPages(t *testing.T) {
	checkPages(t, auditPagesOf(t), func(w io.Writer) flusher { return NewWriter(w) })
}

// TestStylesheet: the style sheet loads nothing, and cannot end its element.
func TestStylesheet(t *testing.T) {
	for _, word := range []string{"@import", "url(http", "url(//", "url(data", "expression(", "</"} {
		if strings.Contains(stylesheet, word) {
			t.Errorf("the style sheet contains %q", word)
		}
	}
}

func TestCheckLinkBase(t *testing.T) {
	for base, want := range map[string]bool{
		"": true, "https://github.com/acme/shop": true, "https://ghe.acme.example:8443/a/b.c": true,
		"http://github.com/acme/shop": false, "https://github.com/acme": false, "https://github.com/acme/shop/": false, "https://github.com/acme/shop/pull": false,
		"javascript:alert(1)": false, "https://github.com/acme/..": false, "https://x@evil.example/a/b": false, "https://github.com/a\"/b": false,
		"https://github.com/a?b/c": false, "https:///a/b": false, "https://github.com/a#b/c": false, "github.com/a/b": false,
	} {
		if err := CheckLinkBase(base); (err == nil) != want {
			t.Errorf("%q: %v", base, err)
		}
	}
}

func TestReportLinkBase(t *testing.T) {
	for base, want := range map[string]bool{"": true, linkBase: true, linkBase + "/": false, "javascript:alert(1)": false} {
		if err := writeHTML(&strings.Builder{}, failed(), Options{LinkBase: base}); (err == nil) != want {
			t.Errorf("%q: %v", base, err)
		}
	}
}

// TestForgeLinks: links are made from numbers and hexadecimal ids alone, and only when an address was given.
func TestForgeLinks(t *testing.T) {
	id := digest("x")[:40]
	for _, c := range []struct {
		base, text, kind, want string
	}{
		{linkBase, "12", "pull", linkBase + "/pull/12"}, {"", "12", "pull", ""}, {linkBase, "12/../x", "pull", ""}, {linkBase, "", "pull", ""}, {linkBase, "-1", "pull", ""},
		{linkBase, strings.Repeat("1", 19), "pull", ""},
		{linkBase, id, "commit", linkBase + "/commit/" + id}, {"", id, "commit", ""}, {linkBase, id[:39], "commit", ""}, {linkBase, strings.ToUpper(id), "commit", ""},
		{linkBase, id[:39] + "\"", "commit", ""}, {linkBase, digest("y"), "commit", linkBase + "/commit/" + digest("y")},
	} {
		part := forge(c.base).pull(c.text)
		if c.kind == "commit" {
			part = forge(c.base).commit(c.text)
		}
		var b strings.Builder
		if err := part.Render(&b); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, n := range elements(parse(t, b.String())) {
			got += attributeOf(n, "href")
		}
		if got != c.want {
			t.Errorf("%q with %q: link %q, want %q", c.text, c.base, got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\nb": "a⟨U+000A⟩b", "\u202egnp.exe": "⟨U+202E⟩gnp.exe", "zero\u200bwidth": "zero⟨U+200B⟩width", "\U000e0041": "⟨U+E0041⟩", "\xff": "⟨0xFF⟩",
		"\x00\x1b": "⟨U+0000⟩⟨U+001B⟩", "\ufeff": "⟨U+FEFF⟩", "日本 é": "日本 é", "\u3164": "⟨U+3164⟩",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	if got := limited(strings.Repeat("é", fieldCharacters+3)); got != strings.Repeat("é", fieldCharacters)+"… (3 more characters)" {
		t.Errorf("a long text ends with %q", got[len(got)-40:])
	}
	if got := limited(strings.Repeat("é", fieldCharacters)); strings.Contains(got, "more") {
		t.Error("a text of the maximum length is cut")
	}
}

// TestWhyInASentence checks the sentence below the verdict.
func TestWhyInASentence(t *testing.T) {
	for _, c := range []struct {
		r    *report.Report
		want string
	}{
		{base(), "2 of 2 acceptance criteria passed, and no finding blocks."},
		{failed(), `3 findings block; the first: criterion "lint" failed: its last record exited with 1`},
		{overridden(), "mona accepted 3 blocking findings: CI file must move"},
		{review(), "2 facts are unknown; the first: the checkout does not contain"},
		{usage(), "the change was not judged. Found: unknown flag"},
		{manyFindings(block, 1), "1 finding blocks: a file outside the scope was changed (other/000.go)"},
	} {
		found := false
		for _, n := range elements(parse(t, render(t, "html", c.r, Options{}))) {
			found = found || attributeOf(n, "class") == "why" && strings.Contains(textOf(n), c.want)
		}
		if !found {
			t.Errorf("the sentence of a %s report is not %q", c.r.Verdict, c.want)
		}
	}
}

// single is an audit in which everything there is occurs once.
func single() *report.Audit {
	a := audited(1, 1)
	a.Subject.Entries, a.Subject.Replayed, a.Subject.BeforeGate, a.Changes = 1, 1, 1, []report.AuditChange{{Kind: report.ChangeContract, Date: weekDay(0), Loosened: true}}
	a.Series[0] = report.AuditPeriod{From: weekDay(0), Overridden: 1, Gaps: 1, Missing: 1, Levels: report.AuditLevels{Bound: 1}}
	a.Statistics = report.AuditStatistics{
		Verdicts: map[string]int{report.Overridden: 1, "gap": 1, "missing": 1}, OverrideShare: 10_000, Codes: []report.AuditNumber{{Name: "scope.off_scope", Times: 1}},
		People: []report.AuditPerson{{Actor: "mona", Overrides: 1, Authors: []report.AuditNumber{{Name: "hubot", Times: 1}}}},
	}
	addFinding(a, "audit.missing", block, &report.AuditDecision{Commit: digest("x")[:40], Date: weekDay(0), PullRequests: []string{"7"}})
	return a
}

var oneOfMany = regexp.MustCompile(`\b1 (acceptance |pull |more |blocking )?(\w+s|criteria|people)\b|\b1( \w+)? were\b|entrys|copys|criterions`)

// TestOneIsSingular: what occurs once is said so, and what one picture cannot show is no picture.
func TestOneIsSingular(t *testing.T) {
	page := textOf(parse(t, auditPageOf(t, single())))
	for _, text := range []string{page, auditText(single())} {
		if m := oneOfMany.FindAllString(text, -1); m != nil {
			t.Errorf("%q", m)
		}
	}
	for _, want := range []string{"1 of 1 decision was overridden: 100 %", "1 overridden, 1 gap and 1 missing", "1 acceptance criterion was judged", "scope.off_scope, 1 time.", ", 1 entry"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

// TestAuditHeader: the head of the page says the verdict, and the first cause with its place.
func TestAuditHeader(t *testing.T) {
	none, noGate, noDecision, unavailable := audited(3, 3), audited(3, 3), audited(0, 0), audited(1, 3)
	noGate.Subject.Adopted = nil
	unavailable.Counts.Unknown, unavailable.Findings = 1, []report.AuditFinding{{Code: "audit.unavailable", Severity: unknown, Message: "the clone is shallow", Path: "HEAD"}}
	none.Findings = []report.AuditFinding{{Code: "audit.contract_changed", Severity: info, Message: "the contract was changed"}}
	none.Counts = report.AuditCounts{Info: 1}
	noGate.Findings, noGate.Counts = none.Findings, none.Counts
	for _, c := range []struct {
		a              *report.Audit
		class, has, no string
	}{
		{single(), "top failed", "Found: a commit reached main without a decision that can be shown (commit " + digest("x")[:12] + " of 2024-01-01, pull request 7)", "The first"},
		{audited(46, 6), "top failed", "The first: a commit reached main without a decision that can be shown (commit ", "Found"},
		{unavailable, "top review", "Found: the clone is shallow (HEAD)", "The first"},
		{none, "top passed", "Nothing blocks", "the contract was changed"},
		{noGate, "top review", "No gate yet", "Nothing blocks"}, {&report.Audit{}, "top review", "No gate yet", "Nothing blocks"},
		{noDecision, "top review", "No decision yet", "Nothing blocks"},
	} {
		for _, n := range elements(parse(t, auditPageOf(t, c.a))) {
			if text := textOf(n); n.Data == "header" && (attributeOf(n, "class") != c.class || !strings.Contains(text, c.has) || strings.Contains(text, c.no)) {
				t.Errorf("%s: %s, want %s: %s", attributeOf(n, "class"), text, c.class, c.has)
			}
		}
	}
}

// TestNoEmptyPicture: one period, or none that was overridden, is a sentence.
func TestNoEmptyPicture(t *testing.T) {
	for name, a := range map[string]*report.Audit{"one period": single(), "none overridden": audited(1, 3)} {
		if page := auditPageOf(t, a); strings.Contains(page, "rate-picture") || !strings.Contains(page, `id="rate"`) {
			t.Errorf("%s: a picture", name)
		}
	}
	if !strings.Contains(auditPageOf(t, audited(2, 3)), "rate-picture") {
		t.Error("two periods have no picture")
	}
}

func TestAuditPageErrors(t *testing.T) {
	if err := AuditHTML(fullDisk{}, audited(1, 1)); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

func TestAuditGolden(t *testing.T) {
	golden(t, "failed.audit.html", auditPageOf(t, audited(14, 3)))
}
