package pagetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Hostile are texts that attack a program that prints them.
var Hostile = []string{
	"::set-output name=passed::true", " \t::error::x", "##[set-env name=X]1", "a ##[error]b", "</details><script>alert(1)</script>",
	"@everyone", "a`b``c", "``````````````````````````````", "a|b", "a\\|b", "line\nbreak\r\nand ::error::x", "\x1b[31mred\x1b[0m", "\u202egnp.exe",
	"zero\u200bwidth\u2066", "%0A::error::x", "![x](http://evil.example)", "[x](javascript:alert(1))", "<!-- -->", "#1", "GH-1", "acme/shop#1",
	"https://evil.example", "www.evil.example", "x@evil.example", ":tada: $x$ **b** _i_ ~~s~~ &amp;", "0123abcdef", "\xff\xfe", "#\u200d#[warning]x",
	":", "- [ ] item", "# head", "{{1}}{0}", "#\u00ad#[", "\u00a0::debug::x", "", " ", strings.Repeat("long ", 250), strings.Repeat("`", 200) + "<b>",
}

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

// skeleton is a page without its texts: elements, and attributes but those that are read out. Steps are left out, in which our own
// backticks become elements.
func skeleton(root *html.Node) string {
	var b strings.Builder
	for _, n := range Elements(root) {
		if (n.Parent != nil && AttributeOf(n.Parent, "class") == "steps") || n.Data == "bdi" || n.Data == "code" {
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

// contains is [strings.Contains], which is slow where it looks for a long text.
func contains(text, s string) bool {
	begin := s[:min(len(s), 60)]
	for {
		at := strings.Index(text, begin)
		if at < 0 || strings.HasPrefix(text[at:], s) {
			return at >= 0
		}
		text = text[at+1:]
	}
}

// CheckHostile puts every hostile text into every field of what a page shows: it comes out as the same text, and as no element. write
// writes the page of a value that change has changed, hidden are fields that the page does not show as they are, and set are those that
// write itself sets. shown is how a page shows a text.
func CheckHostile(t *testing.T, write func(change func(v any)) string, shown func(string) string, hidden, set []string) {
	t.Helper()
	for i, attack := range Hostile {
		harmless, hostile, fields := hostilePage(t, attack, write)
		before, after := Parse(t, harmless), Parse(t, hostile)
		if skeleton(before) != skeleton(after) {
			t.Errorf("%q changes the elements of the page", attack)
		}
		isolated := ""
		for _, n := range Elements(after) {
			if n.Data == "bdi" || n.Data == "td" {
				isolated += TextOf(n) + "\n"
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
				return contains(isolated, shown(s))
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
