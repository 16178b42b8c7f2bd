package present

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/pagetest"
	"github.com/closeout-gate/closeout/verify/report"
)

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
			got := pagetest.Commands(out)
			want := expectedCommands(f.report)
			if len(got) != len(want) {
				t.Fatalf("%d commands, want %d:\n%s", len(got), len(want), out)
			}
			for i := range got {
				if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
					t.Errorf("command %d is\n%v, want\n%v", i, got[i], want[i])
				}
				if len(got[i].Data) > 4096 {
					t.Errorf("command %d has %d bytes of text", i, len(got[i].Data))
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
func expectedCommands(r *report.Report) []pagetest.WorkflowCommand {
	var want []pagetest.WorkflowCommand
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
			want = append(want, expectedCommand(name, r.Tool.Version, f))
		}
		if shown < total {
			noun := "findings"
			if total-shown == 1 {
				noun = "finding"
			}
			want = append(want, pagetest.WorkflowCommand{Name: name, Properties: map[string]string{"title": "closeout"},
				Data: fmt.Sprintf("%d more %s like this: see the job summary or the report", total-shown, noun)})
		}
	}
	return want
}

func expectedCommand(name, version string, f report.Finding) pagetest.WorkflowCommand {
	c := pagetest.WorkflowCommand{Name: name, Properties: map[string]string{"title": "closeout: " + Line(cmp.Or(nameOf(f), f.Code))}, Data: annotationText(version, f)}
	if f.Location.Path == "" {
		return c
	}
	c.Properties["file"] = Line(f.Location.Path)
	if f.Location.Line > 0 {
		c.Properties["line"] = fmt.Sprint(f.Location.Line)
		if f.Location.Column > 0 {
			c.Properties["col"] = fmt.Sprint(f.Location.Column)
		}
	}
	return c
}
