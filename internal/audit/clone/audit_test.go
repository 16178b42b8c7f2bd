package clone

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/verify/facts"
)

const (
	unboundCode    = "block audit.unbound"
	overriddenCode = "info audit.overridden"
)

// plant makes merges of every kind, and each lie with an honest twin.
func plant(w *world) {
	for i := range 10 {
		for how, name := range []string{squash: "squash", merge: "merge", rebase: "rebase", queue: "queue"} {
			w.deal(name, how, nil)
		}
		var d *deal
		switch i % 5 {
		case 0:
			w.deal("direct push", direct, nil, "block audit.direct_push")
		case 1:
			d = w.deal("override", squash, nil, overriddenCode)
			d.exit, d.overrider = 1, "mona"
			d = w.deal("override by the author", merge, nil, overriddenCode, "warn audit.self_override")
			d.exit, d.overrider = 1, "agent"
		case 2:
			d = w.deal("failed", squash, nil, "block audit.not_green")
			d.exit = 1
			d = w.deal("observed", squash, nil, "warn audit.observed")
			d.exit, d.mode = 1, "observe"
		case 3:
			w.deal("no entry", squash, nil, "block audit.missing").noEntry = true
			d = w.deal("no run", squash, nil, "block audit.gap")
			d.gap, d.why = true, archive.NoRun
			d = w.deal("repaired", squash, nil, "unknown audit.after_merge")
			d.gap, d.why, d.repair = true, archive.NoRun, true
		case 4:
			w.deal("another content", squash, map[string]string{"src/added": "evil" + itoa(i) + "\n"}, unboundCode)
			w.deal("evil merge", merge, map[string]string{"src/hot": "evil" + itoa(i) + "\n"}, unboundCode)
			w.deal("hidden file", squash, nil, unboundCode).hide = "src/new" + itoa(len(w.deals))
		}
	}
	plantMore(w)
	w.deal("the last one", squash, nil)
}

func itoa(n int) string { return strconv.Itoa(n) }

func plantMore(w *world) {
	for range 2 {
		honest := w.deal("A", squash, nil)
		d := w.deal("B for A", squash, nil, unboundCode)
		d.judged, d.base = honest.head, honest.base
		d = w.deal("another repository", squash, nil, unboundCode)
		d.repository, d.repositoryID = "evil/shop", "666"
		d = w.deal("another base branch", squash, nil, unboundCode)
		d.baseBranch = "feature"
		d = w.deal("own contract", squash, nil, duplicateCode)
		d.contract = strings.Replace(worldContract, "secrets/**", "none/**", 1)
		d = w.deal("contract of a commit elsewhere", squash, nil, duplicateCode)
		d.contractCommit = d.head
		d = w.deal("operator's contract", squash, nil, "warn audit.operator_contract")
		d.trust = facts.TrustOperator
		d = w.deal("report that lies", squash, nil, duplicateCode)
		d.exit = 1
		d.report = func(s string) string {
			return strings.Replace(strings.Replace(s, `"verdict":"failed"`, `"verdict":"passed"`, 1), `"passed":false`, `"passed":true`, 1)
		}
		d = w.deal("entry that lies", squash, nil, duplicateCode, "block audit.not_green")
		d.exit = 1
		d.entry = func(e *archive.Entry) { passed := "passed"; e.Verdict = &passed }
		d = w.deal("without its log", squash, nil, "block audit.omitted")
		d.omit = "feedback_record.jsonl"
		d = w.deal("added by hand", squash, nil)
		d.entry = func(e *archive.Entry) { e.Run = nil }
		d = w.deal("failed, and without its report", squash, nil, "block audit.not_green", "block audit.omitted")
		d.exit, d.omit = 1, "verification_report.json"
		d = w.deal("without its report", squash, nil, "block audit.omitted")
		d.omit = "verification_report.json"
		w.deal("limits that an operator raised", squash, nil).raised = 16
		w.deal("limits that never end", squash, nil, "unknown audit.not_replayable").raised = 17
		d = w.deal("own workflow", squash, nil)
		d.entry = func(e *archive.Entry) { e.Run.Workflow = archive.WorkflowChanged }
		plantHot(w)
		plantContracts(w)
	}
}

// plantHot makes merges of a file that the branch changes too.
func plantHot(w *world) {
	hot := func(first, last string) string {
		return first + strings.TrimSuffix(ten[1:], "10\n") + last + "\n"
	}
	w.dealOf("reset", squash, w.tip(), map[string]string{"src/hot": ten + "reset\n"}, nil)
	w.dealOf("reset again", squash, w.tip(), map[string]string{"src/hot": ten}, nil)
	base, only := w.tip(), "only here "+itoa(len(w.deals))
	w.dealOf("last line", squash, base, map[string]string{"src/hot": hot("1", "last")}, nil)
	w.dealOf("squashed over it", squash, base, map[string]string{"src/hot": hot(only, "10")}, map[string]string{"src/hot": hot(only, "last")}, "warn audit.partly_bound")
	w.dealOf("reset", squash, w.tip(), map[string]string{"src/hot": ten}, nil)
	base = w.tip()
	w.dealOf("last line", squash, base, map[string]string{"src/hot": hot("1", "last")}, nil)
	w.dealOf("merged over it", merge, base, map[string]string{"src/hot": hot("first", "10")}, map[string]string{"src/hot": hot("first", "last")})
	w.dealOf("reset", squash, w.tip(), map[string]string{"src/hot": ten}, nil)
	base = w.tip()
	w.dealOf("last line", squash, base, map[string]string{"src/hot": hot("1", "last")}, nil)
	w.dealOf("merged over it, and more", merge, base, map[string]string{"src/hot": hot("first", "10")}, map[string]string{"src/hot": hot("evil", "last")}, unboundCode)
}

// plantContracts loosens the contract for one merge.
func plantContracts(w *world) {
	loose := strings.Replace(worldContract, `"secrets/**"`, `"nothing/**"`, 1)
	tight := strings.Replace(worldContract, `"secrets/**"`, `"secrets/**", "more/**"`, 1)
	old := w.tip()
	w.dealOf("tightened", squash, old, map[string]string{contractPath: tight}, nil, overriddenCode).overrider = "mona"
	w.dealOf("judged before", squash, old, map[string]string{"src/early": "x\n"}, nil)
	d := w.dealOf("loosened", squash, w.tip(), map[string]string{contractPath: loose}, nil, "warn audit.contract_loosened", overriddenCode)
	d.overrider = "mona"
	w.deal("while it is loose", squash, nil)
	w.dealOf("as before", squash, w.tip(), map[string]string{contractPath: worldContract}, nil, "warn audit.contract_loosened", overriddenCode).overrider = "mona"
	w.dealOf("removed the early file", squash, w.tip(), map[string]string{"src/early": ""}, nil)
	d = w.dealOf("another version of the gate", squash, w.tip(), map[string]string{gatePath: worldWorkflow + "# more\n"}, nil, overriddenCode)
	d.overrider, d.entry = "mona", func(e *archive.Entry) { e.Run.Workflow = archive.WorkflowChanged }
	w.dealOf("back, and the entry denies it", squash, w.tip(), map[string]string{gatePath: worldWorkflow}, nil, overriddenCode).overrider = "mona"
}

// TestAudit wants all planted lies, and only those, in a clone as an auditor has it: without the heads of squashed changes.
func TestAudit(t *testing.T) {
	w := newWorld(t)
	plant(w)
	w.build()
	clone := filepath.Join(t.TempDir(), "clone")
	runGit(t, w.dir, nil, "clone", "-q", "--no-local", "-b", "main", "--no-tags", "--bare", "--single-branch", "file://"+w.dir, clone)
	runGit(t, clone, nil, "fetch", "-q", "origin", "closeout-archive:closeout-archive")
	a := w.audit(clone, nil)
	w.compare(a)
	if a.Subject.Replayed == 0 || a.Subject.BeforeGate != 4 {
		t.Errorf("the subject is %+v", a.Subject)
	}
}
