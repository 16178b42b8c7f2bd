package present

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/closeout-gate/closeout/verify/report"
)

// workflowCommand is what a workflow runner would do because of a line.
type workflowCommand struct {
	name       string
	properties map[string]string
	data       string
}

// commandsIn reads text as the runner reads a step's output, after the facts known of it: lines end at CR, LF or both;
// "::name key=value,key=value::data" counts at the start of a line after any white space; "##[name …]" counts anywhere.
// It is stricter in two ways: any name is a command, known or not, and characters that its comparison ignores are
// dropped first.
func commandsIn(text string) []workflowCommand {
	var found []workflowCommand
	for _, l := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if c, ok := readCommand(dropIgnorable(l)); ok {
			found = append(found, c)
		}
	}
	return found
}

func dropIgnorable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, s)
}

func readCommand(l string) (workflowCommand, bool) {
	if rest, ok := strings.CutPrefix(strings.TrimLeftFunc(l, unicode.IsSpace), "::"); ok {
		if head, data, ok := strings.Cut(rest, "::"); ok {
			return newCommand(head, ",", data), true
		}
	}
	if _, rest, ok := strings.Cut(l, "##["); ok {
		if head, data, ok := strings.Cut(rest, "]"); ok {
			return newCommand(head, ";", data), true
		}
	}
	return workflowCommand{}, false
}

func newCommand(head, separator, data string) workflowCommand {
	name, rest, _ := strings.Cut(head, " ")
	c := workflowCommand{name: name, properties: map[string]string{}, data: unescape(data)}
	for _, p := range strings.Split(strings.TrimSpace(rest), separator) {
		if key, value, ok := strings.Cut(p, "="); ok {
			c.properties[key] = unescape(value)
		}
	}
	return c
}

// unescape undoes the escapes one kind after the other, the percent sign last, as the runner does.
func unescape(s string) string {
	for _, pair := range [][2]string{{"%0D", "\r"}, {"%0A", "\n"}, {"%3A", ":"}, {"%2C", ","}, {"%25", "%"}} {
		s = strings.ReplaceAll(s, pair[0], pair[1])
	}
	return s
}

// TestReader shows that the reader of this test sees attacks, so that its silence means something.
func TestReader(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"::error file=a,line=1::b", 1},
		{"  \t::set-output name=x::y", 1},
		{"x\r::error::b", 1},
		{"x ##[error]b", 1},
		{"#\u200b#[error]b", 1},
		{"x ::error::b", 0},
		{"::error", 0},
		{"##[error", 0},
	} {
		if got := commandsIn(c.text); len(got) != c.want {
			t.Errorf("commandsIn(%q) = %v, want %d", c.text, got, c.want)
		}
	}
}

// TestNoForeignCommands: no text of a report makes a format write a command of its own. The json
// format is left out: its bytes are the report's, and a caller must not print it where a runner listens.
func TestNoForeignCommands(t *testing.T) {
	for _, f := range fixtures() {
		for _, name := range []string{"text", "markdown", "sarif", "agent", "html"} {
			t.Run(f.verdict+"."+f.name+"."+name, func(t *testing.T) {
				out := render(t, name, f.report, Options{Docs: func(string) string { return "A paragraph." }})
				for _, l := range strings.Split(out, "\n") {
					checkLine(t, l)
				}
				if strings.ContainsAny(out, "\x1b\r\x00\u202e\u200b") {
					t.Error("an invisible character came through")
				}
			})
		}
	}
}

// TestGitHubCommands: the runner reads exactly one annotation for each finding that is shown, with the text
// that was meant, and nothing else.
func TestGitHubCommands(t *testing.T) {
	for _, f := range fixtures() {
		t.Run(f.verdict+"."+f.name, func(t *testing.T) {
			out := render(t, "github", f.report, Options{})
			got := commandsIn(out)
			want := expectedCommands(f.report)
			if len(got) != len(want) {
				t.Fatalf("%d commands, want %d:\n%s", len(got), len(want), out)
			}
			for i := range got {
				if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
					t.Errorf("command %d is\n%v, want\n%v", i, got[i], want[i])
				}
				if len(got[i].data) > 4096 {
					t.Errorf("command %d has %d bytes of text", i, len(got[i].data))
				}
			}
			for _, l := range strings.Split(strings.TrimSuffix(out, "\n"), "\n")[len(got):] {
				checkLine(t, l)
			}
			if strings.Contains(out, "##[") {
				t.Error("a legacy command came through")
			}
		})
	}
}

// expectedCommands says what the runner should read, from the report alone.
func expectedCommands(r *report.Report) []workflowCommand {
	var want []workflowCommand
	kinds, totals := [][]string{{block, unknown}, {warn}, {info}}, []int{r.Counts.Block + r.Counts.Unknown, r.Counts.Warn, r.Counts.Info}
	if r.Verdict == report.Overridden { // what a person let through is no error any more
		kinds, totals = [][]string{{unknown}, {block, warn}, {info}}, []int{r.Counts.Unknown, r.Counts.Block + r.Counts.Warn, r.Counts.Info}
	}
	for kind, words := range kinds {
		name, total := []string{"error", "warning", "notice"}[kind], totals[kind]
		list := ofSeverity(r, words...)
		shown := len(list)
		if total > 10 {
			shown = min(shown, 9)
		}
		for _, f := range list[:shown] {
			want = append(want, expectedCommand(name, f))
		}
		if shown < total {
			noun := "findings"
			if total-shown == 1 {
				noun = "finding"
			}
			want = append(want, workflowCommand{name, map[string]string{"title": "closeout"},
				fmt.Sprintf("%d more %s like this: see the job summary or the report", total-shown, noun)})
		}
	}
	return want
}

func expectedCommand(name string, f report.Finding) workflowCommand {
	c := workflowCommand{name, map[string]string{"title": "closeout: " + line(f.Code)}, annotationText(f)}
	if f.Location.Path == "" {
		return c
	}
	c.properties["file"] = line(f.Location.Path)
	if f.Location.Line > 0 {
		c.properties["line"] = fmt.Sprint(f.Location.Line)
		if f.Location.Column > 0 {
			c.properties["col"] = fmt.Sprint(f.Location.Column)
		}
	}
	return c
}
