package override

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/report"
)

const code = "k7f3-qw2d-ab5c-mnop-zyx7-2222"

func TestWeak(t *testing.T) {
	const empty, short, filler, own = "says nothing", "is shorter than 10 visible characters", "is only a placeholder", "only repeats what the gate printed"
	for text, want := range map[string]string{
		"":                                                 empty,
		code:                                               empty,
		"K7F3QW2DAB5CMNOPZYX72222":                         empty,
		code + " aaaa-2222":                                short, // as the number of an issue is
		code + " aaaa-2222-bbbb":                           empty,
		"k7f3-qw2d-ab5c":                                   empty, // cut
		"k7f3-qw2d":                                        empty, // of the form before
		"https://github.com/a/b":                           empty,
		"\ue000\ue001\u2066\u202e":                         empty,
		"\U00013441\u2800\ufffc\u115f":                     empty,
		"\u200b \u3164\u2800\u0301":                        empty,
		"<!-- release needs it -->":                        empty,
		"<!-- release needs it":                            empty,
		"<why>":                                            empty,
		"&nbsp;&nbsp;&nbsp;&nbsp;":                         empty,
		"disk fail":                                        short,
		"disk failed":                                      "",
		"disk full.":                                       short,
		"disk-full.":                                       "",
		code + ":disk failed":                              "",
		"see https://a.example/b":                          short,
		"disk full https://a.b/c":                          short,
		"disk failed https://a.b/c":                        "",
		"well-done this-work":                              "",
		"&lt;why&gt; why? reason":                          filler,
		"todo todo todo":                                   filler,
		"..........":                                       filler,
		"abababababab":                                     filler,
		"lorem ipsum dolor":                                filler,
		"TODO: write the reason":                           filler,
		"**TODO** write the reason":                        filler,
		"todo,write the reason":                            filler,
		"FIXME(later) disk full":                           filler,
		"to-do: write the reason":                          filler,
		"TODO/FIXME write it later":                        filler,
		"- tbd. after the weekend":                         filler,
		". TBD... after the weekend":                       filler,
		"n/a for this pull request":                        filler,
		"(wip) it will be fixed":                           filler,
		"test test, please":                                filler,
		"test failed: no disk":                             "", // a criterion may have this name
		"asdf jkl qwertz":                                  filler,
		"reason: TODO write it":                            filler,
		"T\u200bODO: write a reason":                       filler,
		"\uff34\uff2f\uff24\uff2f write a reason":          filler,
		"- disk full on the runner":                        "",
		"because the disk is full":                         "",
		"reason: the disk is full":                         "",
		"tests pass on my machine":                         "",
		"test-runner has no disk":                          "",
		"foo.go is made by a tool":                         "",
		"todo-list.md is generated":                        "",
		"the TODO in it is known":                          "",
		"none of this runs at all":                         "",
		"The contract forbids this":                        own,
		"it does not matter":                               "", // the gate prints the first words
		"the contract forbids this file!":                  own,
		"the contract: forbids this file. Fix it.":         own,
		"the contract forbids this file, and so it should": "",
		"a < b and c > d":                                  short, // read as a tag, which a page would not show
		"磁盘已满所以测试无法运行请先合并":                                 "",
	} {
		if got := weak(text, &Question{Code: code, Printed: []string{"the contract forbids  this file", "it does not"}}); got != want {
			t.Errorf("%q %s; want %q", text, got, want)
		}
	}
}

func TestHoldsCode(t *testing.T) {
	for text, want := range map[string]bool{
		code: true, strings.ReplaceAll(code, "-", ""): true, strings.ToUpper(code): true, "(" + code + ")": true, "because:" + code + ".": true,
		code + "-x": true, strings.ReplaceAll(code, "-", "--"): true, "k7f3qw-2dab5c-mnopzy-x72222": true,
		"x" + code: false, code + "x": false, strings.ReplaceAll(code, "-", " "): false, code[:9]: false, code[:24]: false, "k7f3": false, "": false, "ä" + code: false,
	} {
		if got := containsCode(text, code); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if containsCode("anything", "") {
		t.Error("a text contains no code")
	}
}

func TestLine(t *testing.T) {
	for body, want := range map[string]string{
		"/closeout-override a b":                        "a b",
		"/closeout-override\ta":                         "a",
		"/closeout-override\r\nb":                       "",
		"x\n/closeout-override a\n/closeout-override b": "a",
		" /closeout-override a":                         "-",
		"> /closeout-override a":                        "-",
		"x /closeout-override a":                        "-",
		"/closeout-overrides a":                         "-",
		"/Closeout-Override a":                          "-",
		"<!--\n/closeout-override a\n-->":               "-",
		"<!-- x -->\n/closeout-override a":              "a",
		"<!--\n-->/closeout-override a":                 "-",
		"/closeout<!-- -->-override a":                  "-",
		"```\n/closeout-override a\n```":                "-",
		"```\n/closeout-override a":                     "-",
		"  ~~~~ text\n~~~\n/closeout-override a\n~~~~":  "-",
		"```\nx\n```\n/closeout-override a":             "a",
		"```\nx\n````` \n/closeout-override a":          "a",
		"```\nx\n``` x\n/closeout-override a":           "-",
		"```x```\n/closeout-override a":                 "a",
		"    ```\n/closeout-override a":                 "a",
		"":                                              "-",
	} {
		got, found := line(body)
		if !found {
			got = "-"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

// TestNewestReasonFirst gives several reasons: the label's own comes first, then the comments from the newest on. Of
// those that are none, the newest is named.
func TestNewestReasonFirst(t *testing.T) {
	comment := func(id, reason string) facts.Comment {
		return facts.Comment{ID: id, Author: "mona", Type: "User", Body: report.Command + " " + reason}
	}
	r := &request{
		Question: &Question{Code: code, Rule: NewRule()}, label: "closeout-override: reason in the label", event: &facts.LabelEvent{Actor: "mona"},
		pr: &facts.PullRequest{Comments: []facts.Comment{comment("9", "the older reason"), comment("10", "the newer reason"), comment("8", "the oldest reason")}},
	}
	good, _ := reasons(r)
	var texts []string
	for _, s := range good {
		texts = append(texts, s.text)
	}
	if got := strings.Join(texts, "; "); got != "reason in the label; the newer reason; the older reason; the oldest reason" {
		t.Errorf("got %q", got)
	}
	r.statements, r.Question.statements, r.newest = nil, nil, nil
	r.label, r.pr.Comments = "closeout-override", []facts.Comment{comment("9", ""), comment("10", "short"), comment("8", "todo todo todo")}
	if _, why := reasons(r); why != "the reason in the comment is shorter than 10 visible characters" {
		t.Errorf("got %q", why)
	}
}

// FuzzReason: no comment breaks the parser, and no invisible comment is a reason.
func FuzzReason(f *testing.F) {
	for _, s := range []string{"/closeout-override k7f3-qw2d disk is full", "<!--\n/closeout-override x\n-->", "\u200b\u3164&nbsp;<b></b>", "<<!----><a<b>>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, found := line(s)
		if found && !strings.Contains(s, report.Command) {
			t.Errorf("%q contains no command", s)
		}
		if weak(text, &Question{Code: code}) == "" && utf8.RuneCountInString(text) < minVisible {
			t.Errorf("%q is too short for a reason", text)
		}
		if shown := Prose(s); strings.Contains(shown, "<!--") && !strings.Contains(shown, "`") && !strings.Contains(shown, "=") {
			t.Errorf("%q still contains a comment", s)
		}
	})
}
