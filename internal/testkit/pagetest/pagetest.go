// Package pagetest is what the tests of pages share: a reader of pages, a reader of workflow commands, and hostile texts.
package pagetest

import (
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

var pagesTo = flag.String("pages", "", "write all pages to this directory, for testdata/browser")

// LinkBase is where links of pages may begin, besides those within a page.
const LinkBase = "https://github.com/acme/shop"

// Parse reads a page as a browser does.
func Parse(t testing.TB, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Elements are all elements of a page, in order.
func Elements(root *html.Node) []*html.Node {
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

// AttributeOf is the value of an attribute, "" for none.
func AttributeOf(n *html.Node, name string) string {
	value, _ := attribute(n, name)
	return value
}

// TextOf is the text in an element.
func TextOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// Structure lists what is wrong with the structure of a page.
func Structure(root *html.Node) []string {
	var wrong []string
	say := func(format string, values ...any) { wrong = append(wrong, fmt.Sprintf(format, values...)) }
	count, ids, last := map[string]int{}, map[string]int{}, 0
	all := Elements(root)
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

// reference is where the addresses of our own pages begin.
const reference = "https://github.com/closeout-gate/closeout/blob/v"

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
		known := func(start string) bool { return strings.HasPrefix(a.Val, start) }
		if a.Key == "href" && !slices.ContainsFunc([]string{"#", LinkBase + "/pull/", LinkBase + "/commit/", reference}, known) {
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
		return slices.ContainsFunc(Elements(n), func(c *html.Node) bool { return c.Data == name })
	}
	switch n.Data {
	case "html":
		if AttributeOf(n, "lang") != "en" {
			say("has no language")
		}
	case "th":
		if scope := AttributeOf(n, "scope"); scope != "col" && scope != "row" {
			say("has the scope %q", scope)
		}
	case "table":
		if !has("caption") {
			say("has no caption")
		}
	case "svg":
		if AttributeOf(n, "aria-hidden") != "true" && (AttributeOf(n, "role") != "img" || !has("title") || !has("desc") || AttributeOf(n, "aria-labelledby") == "") {
			say("is no picture with title and description")
		}
	case "section":
		if AttributeOf(n, "aria-labelledby") == "" {
			say("has no name")
		}
	}
	if AttributeOf(n, "role") == "region" && (AttributeOf(n, "aria-label") == "" || AttributeOf(n, "tabindex") != "0") {
		say("scrolls, but has no name or no focus")
	}
	return wrong
}

// Check checks that pages have the structure and the policy of every page, and that they are no command in the log of a workflow:
// the writer that neutralises what is printed changes nothing. With -pages it writes them too.
func Check(t *testing.T, pages map[string]string, printer func(io.Writer) Flusher) {
	t.Helper()
	for name, page := range pages {
		if *pagesTo != "" {
			if err := os.WriteFile(filepath.Join(*pagesTo, name+".html"), []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		root := Parse(t, page)
		for _, wrong := range append(Structure(root), policies(root)...) {
			t.Errorf("%s: %s", name, wrong)
		}
		if commands := Commands(page); len(commands) > 0 {
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

// Flusher is a writer that may keep a part of a character back.
type Flusher interface {
	io.Writer
	Flush() error
}

// policies lists what is wrong with the policy of a page: it must have one, with the digest of the style sheet in it.
func policies(root *html.Node) []string {
	var found []string
	sheet := ""
	for _, n := range Elements(root) {
		if AttributeOf(n, "http-equiv") != "" {
			found = append(found, AttributeOf(n, "content"))
		}
		if n.Data == "style" {
			sheet = TextOf(n)
		}
	}
	sum := sha256.Sum256([]byte(sheet))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if !slices.Equal(found, []string{want}) {
		return []string{fmt.Sprintf("the policies are %q, want %q", found, want)}
	}
	return nil
}
