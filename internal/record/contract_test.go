//go:build unix

package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// planOf runs criteria in one stream.
func planOf(r *recorder, list ...contract.Criterion) *Plan {
	p := &Plan{Timeout: time.Minute}
	p.AddCriteria(&contract.Contract{Criteria: list}, "", r.Log)
	return p
}

// counter counts the commands that ended.
type counter func()

func (counter) Start(Step)                {}
func (c counter) End(Step, *Result, bool) { c() }

// TestPlanStops shows that a signal ends the run with the criterion that it met, also one that ends itself with 0.
func TestPlanStops(t *testing.T) {
	for _, play := range []string{"play-wait", "play-obey"} {
		r := newRecorder(t)
		signals := make(chan os.Signal, 1)
		r.Signals = signals
		r.Stdout = whenReady(func() { signals <- os.Interrupt })
		told := 0
		status, err := r.FromPlan(planOf(r,
			contract.Criterion{ID: "a", Run: []string{os.Args[0], play}, Cwd: "."},
			contract.Criterion{ID: "b", Run: []string{os.Args[0], "play-exit", "0"}, Cwd: "."},
		), counter(func() { told++ }))
		if err != nil || status != 130 || told != 1 || len(r.lines()) != 1 {
			t.Errorf("%s: status %d, %v, told %d", play, status, err, told)
		}
	}
}

// TestPlanNotRecorded shows that a criterion without a record is the recorder's failure.
func TestPlanNotRecorded(t *testing.T) {
	r := newRecorder(t)
	if err := os.WriteFile(filepath.Join(r.Root, ".closeout"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	status, err := r.FromPlan(planOf(r, contract.Criterion{ID: "a", Run: []string{os.Args[0], "play-exit", "0"}, Cwd: "."}), nil)
	if status != StatusFailed || err == nil || !strings.Contains(err.Error(), "is a link or a file") {
		t.Errorf("status %d, %v", status, err)
	}
}

func TestReadContract(t *testing.T) {
	const good = "allowed_files: [a]\nforbidden_files: [b]\nrollback_plan: Revert.\nacceptance_criteria: [make]\nevidence: {dir: e}\n"
	for _, c := range []struct{ name, text, want, dir string }{
		{"yaml", good, "", "e"},
		{"default directory", strings.Replace(good, "evidence: {dir: e}\n", "", 1), "", evidenceDir},
		{"malformed", "allowed_files: 1\n", "malformed", evidenceDir},
		{"no document", "", "malformed", evidenceDir},
		{"no criteria", strings.Replace(good, "[make]", "[]", 1), "", "e"},
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		var told bytes.Buffer
		contract, err := ReadContract(path, &told)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || policy.EvidenceDirOf(contract) != c.dir {
			t.Errorf("%s: %v, %s", c.name, err, policy.EvidenceDirOf(contract))
		}
		if (told.Len() > 0) != (c.want == "malformed") {
			t.Errorf("%s: told %q", c.name, told.String())
		}
	}
}

func TestWholeError(t *testing.T) {
	e := input.Error{Pos: input.Pos{Line: 3, Column: 5}, Message: "aliases are not allowed", Found: `"**"`, Expected: "no alias", Fix: "use quotes"}
	if got := WholeError(e); got != `3:5: aliases are not allowed; found "**", expected no alias → use quotes` {
		t.Errorf("got %s", got)
	}
	e.Message = "there must be no alias"
	if got := WholeError(e); got != `3:5: there must be no alias; found "**" → use quotes` {
		t.Errorf("got %s", got)
	}
}
