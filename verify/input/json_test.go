package input

import (
	"strings"
	"testing"
)

// TestPlacesOnOneLongLine counts the columns of a minified document. Going back to the start of the line for each of
// its million values would take hours.
func TestPlacesOnOneLongLine(t *testing.T) {
	text := "[" + strings.Repeat("0,", 1_000_000) + "0]"
	var errs Errors
	n := ParseJSON([]byte(text), Limits{Depth: 10, Values: 10_000_000}, &errs)
	if n == nil || errs.Any() {
		t.Fatal(errs.All())
	}
	if last := n.Items[len(n.Items)-1].Pos; last != (Pos{Line: 1, Column: len(text) - 1}) {
		t.Errorf("the last value is at %v", last)
	}
}

func TestParseJSONErrors(t *testing.T) {
	for _, c := range []struct{ text, message, at string }{
		{"", "the file is empty", "1:1"},
		{"{", "the text ends, but the { is not closed", "1:2"},
		{"{} {}", "something follows the value", "1:4"},
		{"{\"a\": 1,\n \"a\": 2}", `the key "a" occurs twice in one object`, "2:2"},
		{`{"a": 1, "\u0061": 2}`, `the key "a" occurs twice in one object`, "1:10"},
		{"[\xff]", "this is not valid UTF-8", "1:2"},
		{"\xef\xbb\xbf{}", "the file begins with a byte order mark", "1:1"},
		{"[NaN]", "JSON has no NaN", "1:2"},
		{"[[[[1]]]]", "the nesting of values is over the limit of 3", "1:4"},
	} {
		var errs Errors
		ParseJSON([]byte(c.text), Limits{Depth: 3, Values: 10_000_000}, &errs)
		all := errs.All()
		if len(all) != 1 || !strings.HasPrefix(all[0].Message, c.message) || !strings.HasPrefix(all[0].String(), c.at+": ") {
			t.Errorf("%q: got %v, expected %s: %s", c.text, all, c.at, c.message)
		}
	}
}
