package archive

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

func tool() *report.Tool { return &report.Tool{Name: "closeout", Version: "0.4.0"} }

func ptr[T any](v T) *T { return &v }

func id(c string) string { return strings.Repeat(c, 40) }

// decision is an entry that is right.
func decision() *Entry {
	sum := strings.Repeat("ab", 32)
	return &Entry{
		Schema: EntrySchema, Seq: 123, Kind: Decision, Branch: "main", Commits: []string{id("1"), id("2")}, Parent: ptr(id("0a")[:40]),
		PullRequests: []string{"512"}, Verdict: ptr("passed"), Tool: tool(), Replay: ReplaySame, ReportSHA256: &sum,
		Bundle:  []File{{"changes.json", sum, 3}, {"verification_report.json", sum, 4}},
		Omitted: []File{{"tests/a.xml", sum, 1 << 21}},
		Run:     &Run{ID: "1", Attempt: 1, Event: "pull_request", Path: ".github/workflows/closeout.yml", Workflow: WorkflowUnchanged},
	}
}

func TestReadEntry(t *testing.T) {
	data, err := decision().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	e, errs := ReadEntry(data)
	if errs.Any() {
		t.Fatal(errs.All())
	}
	if got, want := e.Dir(), "decisions/0001/000123-pr512-22222222"; got != want {
		t.Errorf("the directory is %s, want %s", got, want)
	}
}
