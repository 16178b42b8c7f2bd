package hook

import (
	"strings"
	"testing"
)

// calls are lines of a log: each word is a call, its result and perhaps "!" for a failure.
func calls(words string) (log []Line) {
	for i, w := range strings.Fields(words) {
		l := Line{Event: Post, Call: w[:1], Result: w[1:2], Failed: strings.HasSuffix(w, "!"), Tool: "Grep", Said: strings.HasSuffix(w, "?"), ID: string(rune('A' + i))}
		switch w {
		case "nudge":
			l = Line{Event: Post, Answer: AnswerNudge}
		case "again": // the same payload came twice
			l = log[len(log)-1]
		case "pre":
			l = Line{Event: Pre, Call: "a"}
		}
		log = append(log, l)
	}
	return log
}

func TestStall(t *testing.T) {
	for words, want := range map[string]string{
		"":                              "",
		"a1 a1 a1":                      "",
		"a1 a1 a1 a1":                   "same result 4 times",
		"a1 a1 a2 a1":                   "",
		"a1 a1 b1 a1 a1":                "",
		"a1 pre a1 pre a1 pre a1":       "same result 4 times",
		"a1! a2!":                       "",
		"a1! a2! a3!":                   "failed 3 times",
		"a1! a2 a3!":                    "",
		"a1! b1! a1!":                   "",
		"a1 b2 a1 b2 a1":                "",
		"a1 b2 a1 b2 a1 b2":             "in turn",
		"a1 b2 a3 b2 a1 b2":             "",
		"a1 a1 again again a1":          "",
		"a1 a1 a1 a1 nudge a1":          "",
		"a1 a1 a1 a1 nudge a1 a1 a1 a1": "same result 4 times",
		"nudge nudge nudge a1 a1 a1 a1": "",
		"a1? b1? c1? d1? e1? f1?":       "the last 6 calls of Grep",
		"a1? b1? c1? d1? e1?":           "",
		"a1? b1? c1? d2? e1? f1?":       "",
		"a1 b1 c1 d1 e1 f1":             "", // nothing was printed, as after mkdir
	} {
		if got := Stall(calls(words)); (want == "" && got != "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, expected %q", words, got, want)
		}
	}
}

func TestNormal(t *testing.T) {
	a := normal("FAILED tests/test_a.py in 0.12s\n/tmp/pytest-of-u/x 0xdeadbeef01, pid=4711")
	if b := normal("FAILED  tests/test_a.py in 3.5s /tmp/other 0xcafe99, pid=1"); a != b {
		t.Errorf("%q and %q", a, b)
	}
	if b := normal("FAILED tests/test_b.py in 0.12s /tmp/x 0x1 pid=1"); a == b {
		t.Errorf("another test: %q", b)
	}
}

// The end is refused no more often than the contract says, and never twice for the same.
func TestMayHold(t *testing.T) {
	held := func(tree, open string) Line { return Line{Event: Stop, Answer: AnswerBlock, Tree: tree, Open: open} }
	for _, c := range []struct {
		log  []Line
		most int
		want bool
	}{
		{nil, 3, true},
		{nil, 0, false},
		{[]Line{held("t", "f")}, 3, false},
		{[]Line{held("t", "other")}, 3, true},
		{[]Line{held("other", "f")}, 3, true},
		{[]Line{held("other", "f"), held("u", "f"), held("t", "x")}, 3, false},
		{[]Line{{Event: Stop, Answer: AnswerGaveIn, Tree: "t", Open: "f"}, {Event: Pre, Answer: AnswerDeny}}, 1, true},
		{[]Line{held("t", "f"), held("u", "g")}, 9, false},
		{[]Line{held("u", "g"), held("u", "g")}, 2, true}, // at the same time, by the hooks of two settings
	} {
		if got := MayHold(c.log, "t", "f", c.most); got != c.want {
			t.Errorf("%+v, at most %d: %t", c.log, c.most, got)
		}
	}
}

// TestSays wants a text of the result to be told from what every call of the tool answers.
func TestSays(t *testing.T) {
	for text, want := range map[string]bool{
		`"No files found"`: true, `{"stdout":"a b","stderr":""}`: true, `[{"type":"text","text":"no match"}]`: true,
		`{"stdout":"","stderr":"","interrupted":false}`: false, `"success"`: false, `{"a key":1}`: false, ``: false, `{"a`: false,
	} {
		if says([]byte(text)) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
}
