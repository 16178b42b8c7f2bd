package input

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// show writes a tree in a short notation: JSON without quotes where none are needed, strings always quoted.
func (n *Node) show() string {
	if n == nil {
		return "nothing"
	}
	var parts []string
	switch n.Kind {
	case KindNull:
		return "null"
	case KindBool:
		return fmt.Sprint(n.Bool)
	case KindNumber:
		return n.Text
	case KindString:
		return fmt.Sprintf("%q", n.Text)
	case KindList:
		for _, item := range n.Items {
			parts = append(parts, item.show())
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	for _, m := range n.Members {
		parts = append(parts, fmt.Sprintf("%q:%s", m.Key, m.Value.show()))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// where writes the places of a tree's values in the order of the text.
func (n *Node) where() string {
	places := fmt.Sprintf("%d:%d", n.Pos.Line, n.Pos.Column)
	for _, item := range n.Items {
		places += " " + item.where()
	}
	for _, m := range n.Members {
		places += fmt.Sprintf(" %d:%d", m.Pos.Line, m.Pos.Column) + " " + m.Value.where()
	}
	return places
}

func TestParseYAML(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"mapping", "a: b\nc: d\n", `{"a":"b" "c":"d"}`},
		{"nested", "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n", `{"a":{"b":{"c":1} "d":2} "e":3}`},
		{"list below its key", "a:\n- x\n- y\nb: z\n", `{"a":["x" "y"] "b":"z"}`},
		{"indented list", "a:\n  - x\n  - y\nb: z\n", `{"a":["x" "y"] "b":"z"}`},
		{"list of mappings", "- a: 1\n  b: 2\n- a: 3\n", `[{"a":1 "b":2} {"a":3}]`},
		{"list of lists", "- - a\n  - b\n-\n  - c\n", `[["a" "b"] ["c"]]`},
		{"mapping, list, mapping", "a:\n  - b:\n    - c: 1\n      d: 2\n    e: 3\nf: 4", `{"a":[{"b":[{"c":1 "d":2}] "e":3}] "f":4}`},
		{"flow", "a: [x, 'y', \"z\"]\nb: {c: 1, \"d\": [2]}\n", `{"a":["x" "y" "z"] "b":{"c":1 "d":[2]}}`},
		{"flow over lines", "a: [\n  x, # note\n  y,\n]\n", `{"a":["x" "y"]}`},
		{"empty flow", "a: []\nb: {}", `{"a":[] "b":{}}`},
		{"json", "{\"a\":[1,{\"b\":null}],\"c\":\"d\"}", `{"a":[1 {"b":null}] "c":"d"}`},
		{"comments", "# one\na: b # two\n\n# three\nc: 'd' # four\n", `{"a":"b" "c":"d"}`},
		{"hash in a word", "a: b#c\n", `{"a":"b#c"}`},
		{"document marks", "---\na: b\n...\n", `{"a":"b"}`},
		{"scalar", "hello world", `"hello world"`},
		{"colons in a word", "- test_app.py::test_x\n- https://example.com/x\n", `["test_app.py::test_x" "https://example.com/x"]`},
		{"plain text in the next line", "a:\n  one two\nb:\n\n  c\nd:\n-\n  e\n", `{"a":"one two" "b":"c" "d":["e"]}`},
		{"quoted over lines", "a: \"one\n  two\"\nb: 'three\n  four'\n", `{"a":"one two" "b":"three four"}`},
		{"literal", "a: |\n  one\n   two\nb: c\n", `{"a":"one\n two\n" "b":"c"}`},
		{"literal, stripped", "a: |-\n  one\n  two\n\n", `{"a":"one\ntwo"}`},
		{"folded", "a: >\n  one\n  two\nb: c\n", `{"a":"one two\n" "b":"c"}`},
		{"empty literal", "a: |\nb: c\n", `{"a":"" "b":"c"}`},
		{"nulls", "a:\nb: ~\nc: null\nd: Null\ne:\n  -\n  - x\n  -\nf: [null]", `{"a":null "b":null "c":null "d":null "e":[null "x" null] "f":[null]}`},
		{"booleans", "[true, True, TRUE, false, False, FALSE]", `[true true true false false false]`},
		{"words of YAML 1.1", "[yes, no, on, off, y, n]", `["yes" "no" "on" "off" "y" "n"]`},
		{"numbers", "[0, -1, 12, 1.5, -0.25, 1e3, 1.5E-3]", `[0 -1 12 1.5 -0.25 1e3 1.5E-3]`},
		{"no numbers", "[1.2.3, 2026-01-31, 12:30, 1-2, v1, 0x, +, -x, 1e, 'x 1']", `["1.2.3" "2026-01-31" "12:30" "1-2" "v1" "0x" "+" "-x" "1e" "x 1"]`},
		{"quoted numbers", `['1', "0x10", 'true', "null", '~']`, `["1" "0x10" "true" "null" "~"]`},
		{"escapes", `["\u00e9\x41\n\\\"\/", "\ud83d\ude00", 'it''s']`, `["éA\n\\\"/" "😀" "it's"]`},
		{"replacement character", `"` + "\ufffd" + `"`, `"�"`},
		{"list item in a folded text", "- >\n  a\n    - b\n- |\n  c\n  - d\n", `["a\n  - b\n" "c\n- d\n"]`},
		{"windows lines", "a: b\r\nc:\r\n  - d\r\n", `{"a":"b" "c":["d"]}`},
		{"non-ASCII", "ä: ö\nlist: [ü, ß]\n", `{"ä":"ö" "list":["ü" "ß"]}`},
		{"hundred blank lines", "a: b" + strings.Repeat("\n", 100) + "c: d", `{"a":"b" "c":"d"}`},
		{"conflict marks in a text", "'<<<<<<< a'", `"<<<<<<< a"`},
		{"indented document", "  a: b\n  c: d\n", `{"a":"b" "c":"d"}`},
		{"space before a colon", "a : b\n", `{"a":"b"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var errs Errors
			if got := ParseYAML([]byte(test.text), 100, &errs).show(); got != test.want || errs.Any() {
				t.Errorf("got  %s %v\nwant %s", got, errs.All(), test.want)
			}
		})
	}
}

func TestParseYAMLPlaces(t *testing.T) {
	text := "ä: 'ö'\nlist: [ü, ß, x] # note\n\nmap:\n  - ключ: |\n      text\n    \"q\": \"é\" # ünï\n  -\nend: z\n"
	want := "1:1 1:1 1:5 2:1 2:7 2:8 2:12 2:16 4:1 5:3 5:5 5:5 5:15 7:5 7:10 8:3 9:1 9:6"
	var errs Errors
	if got := ParseYAML([]byte(text), 100, &errs).where(); got != want || errs.Any() {
		t.Errorf("got  %s %v\nwant %s", got, errs.All(), want)
	}
}

func TestParseYAMLRefuses(t *testing.T) {
	deep := func(open, end string, n int) string { return strings.Repeat(open, n) + "1" + strings.Repeat(end, n) }
	for _, test := range []struct{ name, text, want string }{
		{"anchor", "a: &x b\n", "1:4: anchors are not allowed"},
		{"alias", "a: *x\n", "1:4: aliases are not allowed"},
		{"pattern without quotes", "- **/*.md\n- *.go\n", "1:3: aliases are not allowed\n2:3: aliases are not allowed"},
		{"tag", "a: !!str 1\nb: !x y\n", "1:4: tags are not allowed\n2:4: tags are not allowed"},
		{"merge key", "<<: {a: b}\n", "1:1: merge keys are not allowed"},
		{"directive", "%YAML 1.2\n---\na: b\n", "1:1: directives are not allowed"},
		{"explicit key", "? a\n: b\n", "1:1: keys with a question mark are not allowed"},
		{"two documents", "a: b\n---\nc: d\n", "2:1: a second document begins"},
		{"document after the end", "a: b\n...\nc: d\n", "3:1: this does not belong to the value before it"},
		{"two ends", "a: b\n...\n...\n", "3:1: a second document begins"},
		{"many documents", strings.Repeat("---\na\n", 1000), "3:1: a second document begins"},
		{"value beside the mark", "--- a\n", "1:5: the line of --- contains more text"},
		{"mark alone", "---\n", "1:1: a value is missing"},
		{"duplicate keys", "a: 1\nb: 2\na: 3\n'b': 4\nc: {d: 1, d: 2}\n", `3:1: the key "a" occurs twice in one object` + "\n" +
			`4:1: the key "b" occurs twice in one object` + "\n" + `5:11: the key "d" occurs twice in one object`},
		{"item too far to the right", "a:\n  - x\n    - y\n  - z\n", "3:5: this line continues the text above it"},
		{"two items too far to the right", "- x\n  - y\n- 'q'\n- z\n  - w\n  - v\n", "2:3: this line continues the text above it\n5:3: this line continues the text above it"},
		{"item below the text of a key", "a: x\n  - y\nb: z\n", "2:3: this line continues the text above it"},
		{"item after a blank line", "- x\n\n  - y\n", "3:3: this line continues the text above it"},
		{"item after a comment", "- x # note\n  - y\n", "2:3: this does not belong to the value before it"},
		{"item below a quoted one", "- 'x'\n  - y\n", "2:3: this does not belong to the value before it"},
		{"item below a flow list", "- a: [x]\n    - b\n", "2:5: this does not belong to the value before it"},
		{"key too far to the right", "a: x\n  b: y\n", "2:3: this line is indented too far"},
		{"plain text over lines", "a:\n  one\n  two\n", "3:3: this line continues the text above it"},
		{"plain text over lines in a flow list", "a: [x, y\n  z]\n", "2:3: this line continues the text above it"},
		{"plain text over lines in a flow object", "a: {b: y\n  z}\n", "2:3: a comma or } is missing"},
		{"number over lines", "a: 1\n  2\n", "2:3: this line continues the text above it"},
		{"document mark too far to the right", "a: b\n  ---\n", "2:3: this line continues the text above it"},
		{"plain text over windows lines", "- x\r\n  - y\r\n", "2:3: this line continues the text above it"},
		{"line separators", "- x\u2028- y\n- x\u2029- y\n- x\u0085- y\n", "1:4: the YAML contains a line separator other than a line feed\n" +
			"2:4: the YAML contains a line separator other than a line feed\n3:4: the YAML contains a line separator other than a line feed"},
		{"number as key", "1: a\n", "1:1: a key must be a text"},
		{"boolean as key", "{true: a}", "1:2: a key must be a text"},
		{"null as key", "~: a\n", "1:1: a key must be a text"},
		{"list as key", "[a]: b\n", "1:4: this does not belong to the value before it"},
		{"no key", ": a\n", "1:1: a value is missing"},
		{"key over lines", "a\nb: c\n", "1:1: a key goes over several lines"},
		{"hexadecimal", "a: 0x10\n", "1:4: this number is not written as JSON writes numbers"},
		{"odd numbers", "[012, 0o7, 1_000, +1, .5, 1., 0b1, .inf, -.INF, .nan, 00]", odd("1:2 1:7 1:12 1:19 1:23 1:27 1:31 1:36 1:42 1:49 1:55")},
		{"tab in front", "a:\n\tb: c\n", "2:1: the YAML contains a tab character"},
		{"tab inside", "a: \"b\tc\"\n", "1:6: the YAML contains a tab character"},
		{"carriage return", "a: b\rc: d\n", "1:5: the YAML contains a carriage return without a line feed"},
		{"control characters", "a: \"\x00\"\nb: \x7f\n", "1:5: the YAML contains a control character\n2:4: the YAML contains a control character"},
		{"many blank lines", "a: b" + strings.Repeat("\n  ", 101) + "c", "101:3: the YAML contains a run of more than 100 equal characters"},
		{"many angles", "a: b" + strings.Repeat("<", 101), "1:105: the YAML contains a run of more than 100 equal characters"},
		{"two colons", "a: b: c\n", "1:5: this line contains a second colon"},
		{"list in the key's line", "a: - b\n", "1:4: a list cannot begin in the line of its key"},
		{"less indentation", "a:\n    b: 1\n  c: 2\n", "3:3: this does not belong to the value before it"},
		{"text after a list", "- a\nb\n", "2:1: this does not belong to the value before it"},
		{"text after a value", "a: [b] c\n", "1:8: something follows the value"},
		{"text after quotes", "a: 'b' c\n", "1:8: something follows the value"},
		{"unclosed list", "a: [b\n", "1:5: a comma or ] is missing"},
		{"unclosed object", "a: {b: c\n", "1:8: a comma or } is missing"},
		{"unclosed quote", "a: 'b\n", "1:4: this is not valid YAML: could not find end character of single-quoted text"},
		{"brace instead of a pattern", "- {a,b}/x\n", "1:3: a text that begins with { has no quotes"},
		{"comma alone", "[,]", "1:2: a value is missing"},
		{"pair in a list", "[a: b]", "1:3: a comma or ] is missing"},
		{"no value in an object", "{a: }", "1:5: a value is missing"},
		{"unknown escape", `a: "\q"`, `1:4: this is not valid YAML: found unknown escape character 'q'`},
		{"half an escape", `a: "\x4z"`, "1:4: this YAML is unreadable"},
		{"half a pair", `a: "\udc00"`, "1:4: an escape in this text names no character"},
		{"reserved character", "a: @b\n", "1:4: this is not valid YAML: '@' is a reserved character"},
		{"deep list", deep("[", "]", 101), "1:101: the nesting of values is over the limit of 100"},
		{"deep object", deep("{a: ", "}", 101), "1:401: the nesting of values is over the limit of 100"},
		{"deep mappings", deepMappings(101), "101:101: the nesting of values is over the limit of 100"},
		{"deep dashes", strings.Repeat("- ", 5000) + "1", "1:201: the nesting of values is over the limit of 100"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var errs Errors
			ParseYAML([]byte(test.text), 100, &errs)
			var got []string
			for _, e := range errs.All() {
				got = append(got, e.String())
			}
			if got := strings.Join(got, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	var errs Errors
	if got := ParseYAML([]byte(deep("[", "]", 100)), 100, &errs); got == nil || errs.Any() {
		t.Errorf("depth 100: %v", errs.All())
	}
}

// deepMappings nests n mappings, one a line.
func deepMappings(n int) string {
	text := ""
	for i := range n {
		text += strings.Repeat(" ", i) + "a:\n"
	}
	return text
}

// TestParseYAMLWindowsLines tests that Windows lines and Unix lines are read alike.
func TestParseYAMLWindowsLines(t *testing.T) {
	for _, text := range []string{
		"a: >\n  one\n  two\n\n  three\nb: >-\n  c\n\n\n  d\n", "a: |\n  one\n\n  two\nb: |+\n  c\n\nd: e\n", "- \"one\n  two\n\n  three\"\n- 'four\n\n\n  five'\n",
		"a: \"one \\\n  two\\n\\\n  three\"\n", "# note\na: [x, # note\n  'y\n  z']\nb: {c: d,\n  e: 1}\n", "---\na:\n- b\n-\n- - c\n...\n", "a: x\n  y\n",
	} {
		var unix, windows Errors
		want, got := ParseYAML([]byte(text), 100, &unix), ParseYAML([]byte(strings.ReplaceAll(text, "\n", "\r\n")), 100, &windows)
		if got.show() != want.show() || fmt.Sprint(windows.All()) != fmt.Sprint(unix.All()) {
			t.Errorf("%q\nwith CRLF %s %v\nwith LF   %s %v", text, got.show(), windows.All(), want.show(), unix.All())
		}
		if want != nil && got.where() != want.where() {
			t.Errorf("%q: places with CRLF %s, with LF %s", text, got.where(), want.where())
		}
	}
}

func TestParseWorkflowAnchors(t *testing.T) {
	nested := "a0: &a0 x\n"
	for i := range 20 {
		nested += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	for _, test := range []struct{ text, want string }{
		{"a: &x 1\nb: *x\n", `{"a":1,"b":1}`},
		{"a: &x\n- 1\n- k: v\nb: *x\n", `{"a":[1,{"k":"v"}],"b":[1,{"k":"v"}]}`},
		{"a: &x\n  k: v\nb:\n  - *x\n  - &y\n    l: *x\n", `{"a":{"k":"v"},"b":[{"k":"v"},{"l":{"k":"v"}}]}`},
		{"a: [&x 1, *x]\n", `{"a":[1,1]}`},
		{"a: &x\nb: *x\n", `{"a":null,"b":null}`},
		{"a:\n  - &x\n  - k: *x\n", `{"a":[null,{"k":null}]}`},
		{"a:\n- k: &x\n- [x]\n", `{"a":[{"k":null},["x"]]}`},
		{"a: *x\nb: &x 1\n", ""},
		{"a: &x [*x]\n", ""},
		{"a: &x [1, &x [2]]\nb: *x\n", ""},
		{"a: &x 1\nb: &x 2\nc: *x\n", ""},
		{"a:\n  &x k: v\nb: *x\n", ""},
		{"a:\n- &x k: v\n- *x\n", ""},
		{"a: {&x k: v}\nb: *x\n", ""},
		{"a:\n- &x\n  k: v\n- *x\n", `{"a":[{"k":"v"},{"k":"v"}]}`},
		{"a: &x {k: v}\nb:\n  <<: *x\n", ""},
		{nested, ""},
	} {
		errs, got := Errors{}, ""
		if n := ParseWorkflow([]byte(test.text), 60, &errs); n != nil {
			got = n.canonical()
		}
		if got != test.want || errs.Any() != (test.want == "") {
			t.Errorf("%.80s: got %.200s, %v; want %s", test.text, got, errs.All(), test.want)
		}
	}
}

// TestYAMLScanLosesNothing tests that a scanner which panics, or loses or changes a part of the text, leads to an error.
func TestYAMLScanLosesNothing(t *testing.T) {
	const text = "a: b # c\nd: e\n"
	for _, test := range []struct {
		name string
		scan func(string) token.Tokens
		want string
	}{
		{"nothing", lexer.Tokenize, ""},
		{"panic", func(string) token.Tokens { panic("scanner") }, "1:1: this YAML is unreadable"},
		{"end lost", func(string) token.Tokens { return lexer.Tokenize("a: b # c\n") }, "2:1: this YAML is unreadable"},
		{"text changed", func(string) token.Tokens { return lexer.Tokenize("a: x # c\nd: e\n") }, "1:4: this YAML is unreadable"},
		{"text added", func(string) token.Tokens { return lexer.Tokenize("a: b # c\nd: ef\n") }, "2:4: this YAML is unreadable"},
		{"comment invented", func(string) token.Tokens { return lexer.Tokenize("a: # b # c\nd: e\n") }, "1:4: this YAML is unreadable"},
		{"quotes invented", func(string) token.Tokens { return lexer.Tokenize("a: 'b' # c\nd: e\n") }, "1:4: this YAML is unreadable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var errs Errors
			tokens := yamlScan([]byte(text), test.scan, false, &errs)
			got := ""
			for _, e := range errs.All() {
				got += e.String()
			}
			if got != test.want || (tokens == nil) != (test.want != "") {
				t.Errorf("got %q, %v; want %q", got, tokens, test.want)
			}
		})
	}
}

// odd expects the error about a number at each of some places.
func odd(places string) string {
	const message = ": this number is not written as JSON writes numbers"
	return strings.ReplaceAll(places, " ", message+"\n") + message
}

// FuzzParseYAML tests that the reader never panics, that places are inside the text, and that a tree equals the one that
// the library's own parser builds from the same text.
func FuzzParseYAML(f *testing.F) {
	for _, seed := range []string{
		"a: b\nc:\n- d\n- e: f\n  g: [h, {i: 'j'}]\n", "a: |\n  b\n\n  c\nd: >-\n  e\n  f\n", "- - a\n  - \"b\\u00e9\"\n-\n",
		"a: b # c\n# d\n'e': \"f\n  g\"\n", "{\"a\": [1, 2.5e3, null, true], \"b\": {}}", "a: *b\n<<: !c &d e\n? f\n: g\n", "---\na\n...\n", "a: 0x1\nä: ö\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var errs Errors
		n := ParseYAML([]byte(text), 20, &errs)
		ErrorsInside(t, &errs, text)
		if n == nil {
			if !errs.Any() {
				t.Fatal("neither a tree nor an error")
			}
			return
		}
		if errs.Any() {
			return
		}
		nodesInside(t, n, text)
		file, err := parser.ParseBytes([]byte(strings.ReplaceAll(text, "\r\n", "\n")), 0, parser.AllowDuplicateMapKey())
		if err != nil || len(file.Docs) == 0 || file.Docs[0].Body == nil {
			return // the library refuses some texts that are YAML
		}
		if problem := compareYAML(n, file.Docs[0].Body); problem != "" {
			t.Errorf("%s\nhere    %s\nlibrary %s", problem, n.show(), file.Docs[0].Body)
		}
	})
}

// inside fails when a place is not inside the text or at its end.
func inside(t *testing.T, at Pos, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	if at.Line < 1 || at.Line > len(lines) || at.Column < 1 || at.Column > len(lines[at.Line-1])+1 {
		t.Errorf("%d:%d is outside the text", at.Line, at.Column)
	}
}

// ErrorsInside fails when an error is not inside the text; the one that counts the errors left out has no place.
func ErrorsInside(t *testing.T, errs *Errors, text string) {
	t.Helper()
	for _, e := range errs.All() {
		if e.Times == 0 {
			inside(t, e.Pos, text)
		}
	}
}

func nodesInside(t *testing.T, n *Node, text string) {
	t.Helper()
	inside(t, n.Pos, text)
	for _, item := range n.Items {
		nodesInside(t, item, text)
	}
	for _, m := range n.Members {
		inside(t, m.Pos, text)
		nodesInside(t, m.Value, text)
	}
}

// compareYAML says where a tree differs from the library's. Numbers and words are compared as they are written.
func compareYAML(n *Node, other ast.Node) string {
	switch o := other.(type) {
	case *ast.MappingNode:
		if n.Kind != KindObject || len(n.Members) != len(o.Values) {
			return "another mapping at " + o.GetPath()
		}
		for i, m := range n.Members {
			if key := o.Values[i].Key.GetToken().Value; key != m.Key {
				return fmt.Sprintf("the key %q is %q", m.Key, key)
			}
			if problem := compareYAML(m.Value, o.Values[i].Value); problem != "" {
				return problem
			}
		}
	case *ast.SequenceNode:
		if n.Kind != KindList || len(n.Items) != len(o.Values) {
			return "another list at " + o.GetPath()
		}
		for i, item := range n.Items {
			if problem := compareYAML(item, o.Values[i]); problem != "" {
				return problem
			}
		}
	case *ast.LiteralNode:
		return compareText(n, o.Value.Value)
	case *ast.NullNode:
		if n.Kind != KindNull {
			return "no null at " + o.GetPath()
		}
	default:
		return compareText(n, other.GetToken().Value)
	}
	return ""
}

func compareText(n *Node, text string) string {
	same := (n.Kind == KindString || n.Kind == KindNumber) && n.Text == text || n.Kind == KindBool && fmt.Sprint(n.Bool) == strings.ToLower(text)
	if !same {
		return fmt.Sprintf("%s is %q", n.show(), text)
	}
	return ""
}
