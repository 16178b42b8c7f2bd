package clone

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/report"
)

const (
	duplicateCode = "block audit.contradicted"
)

// byVersion writes another version into a report.
func byVersion(version string) func(string) string {
	return func(s string) string {
		return strings.Replace(s, `"version":"`+verify.Version+`"`, `"version":"`+version+`"`, 1)
	}
}

// passing turns a report that failed into one that passed.
func passing(s string) string {
	return strings.Replace(strings.Replace(s, `"verdict":"failed"`, `"verdict":"passed"`, 1), `"passed":false`, `"passed":true`, 1)
}

// TestAuditVersions wants older versions to be seen, and a decision that another version would have made to stay open until a program of
// that version settles it.
func TestAuditVersions(t *testing.T) {
	w := newWorld(t)
	var open []*deal
	for range 2 {
		w.deal("this version", squash, nil)
		w.deal("older", squash, nil).report = byVersion("0.1.9")
		w.deal("this version again", squash, nil)
		d := w.deal("older, and another decision", squash, nil, "unknown audit.replay_unknown")
		d.exit, d.report = 1, func(s string) string { return passing(byVersion("0.1.9")(s)) }
		open = append(open, d)
		w.deal("this version once more", squash, nil)
	}
	w.deal("newer", squash, nil).report = byVersion("0.10.0")
	w.deal("this version, which is older", squash, nil)
	w.deal("this version, as before", squash, nil)
	w.build()
	w.compare(w.audit(w.dir, nil))

	program := func(end string) string {
		name := filepath.Join(t.TempDir(), "closeout-0.1.9")
		text := "#!/bin/sh\n[ $# = 2 ] && [ \"$1\" = replay ] && [ -f \"$2/verification_report.json\" ] && [ -f \"$2/facts.json\" ] || exit 2\n" + end + "\n"
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for end, want := range map[string]string{
		"exit 1": duplicateCode, "exit 0": "", "exit 2": "unknown audit.replay_unknown",
		"echo 'same: x (only the decision is compared: y)'": "unknown audit.replay_unknown",
	} {
		for _, d := range open {
			d.want = nil
			if want != "" {
				d.want = append(d.want, want)
			}
			slices.Sort(d.want)
		}
		w.compare(w.audit(w.dir, func(o *AuditOptions) { o.With = map[string]string{"0.1.9": program(end)} }))
	}
}

// TestAuditArchive plants entries that answer for what they are not about.
func TestAuditArchive(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		first := w.deal("first", squash, nil)
		d := w.deal("two entries for one commit", squash, nil, "block audit.missing")
		first.want = []string{duplicateCode, duplicateCode, unboundCode, unboundCode}
		d.entry = func(e *archive.Entry) {
			parent := w.ids[first.parent]
			e.Commits, e.Parent = []string{w.ids[first.commits[0]]}, &parent
		}
		w.want = append(w.want, "block audit.log_broken")
		d = w.deal("one head of a pull request twice", squash, nil, duplicateCode, unboundCode)
		d.number, d.judged, d.base = first.number, first.head, first.base
		d = w.deal("archived for another branch", squash, nil)
		d.baseBranch = "feature"
		d.entry = func(e *archive.Entry) { e.Branch = "feature" }
		d = w.deal("wrong parent", squash, nil, duplicateCode)
		d.entry = func(e *archive.Entry) { e.Parent = &e.Commits[0] }
		d = w.deal("wrong head", squash, nil, duplicateCode)
		d.entry = func(e *archive.Entry) { head := strings.Repeat("ab", 20); e.HeadSHA = &head }
		w.clock -= 5 * 86400
		w.deal("dated before its parent", squash, nil)
		w.clock += 5 * 86400
		w.deal("dated after it", squash, nil)
		w.clock -= 600
		w.deal("a clock that is slow", squash, nil)
	}
	off := w.deal("a commit of no branch", squash, nil, "block audit.missing")
	off.entry = func(e *archive.Entry) { e.Commits = []string{w.ids[off.head]} }
	w.deals = append(w.deals, &deal{name: "what it is about", commits: []int{off.head}, want: []string{unboundCode}, noEntry: true})
	w.deal("withdrawn", squash, nil, "unknown audit.withdrawn")
	w.deal("last", squash, nil)
	w.build()
	w.withdraw(len(w.found.Entries) - 2)
	w.compare(w.audit(w.dir, nil))
}

// withdraw removes the bundle of an entry.
func (w *world) withdraw(i int) {
	state, errs := archive.ReadState([]byte(runGit(w.t, w.dir, nil, "show", "closeout-archive:state.json")))
	if errs.Any() {
		w.t.Fatal(errs)
	}
	e := w.found.Entries[i]
	e.Seq = int64(i)
	var stream bytes.Buffer
	if err := (&archive.Withdrawal{State: state, Entry: &e, Date: int64(w.clock), Commit: runGit(w.t, w.dir, nil, "rev-parse", "closeout-archive"), Reason: "personal data"}).Write(&stream); err != nil {
		w.t.Fatal(err)
	}
	runGit(w.t, w.dir, stream.Bytes(), "fast-import", "--quiet", "--done")
}

// TestAuditKept wants an archive that grew since the commit that the auditor kept, and tells one that was made anew.
func TestAuditKept(t *testing.T) {
	w := newWorld(t)
	small(w)
	w.build()
	kept := runGit(t, w.dir, nil, "rev-parse", "closeout-archive")
	w.withdraw(0) // one more commit
	w.deals[0].want = []string{"unknown audit.withdrawn"}
	audit := func(since ...string) *report.Audit {
		return w.audit(w.dir, func(o *AuditOptions) { o.Since = since })
	}
	a := audit(kept)
	w.compare(a)
	if a.Subject.Kept == nil || *a.Subject.Kept != kept {
		t.Errorf("the commit that was kept is %v", a.Subject.Kept)
	}
	w.compare(audit(kept, w.ids[w.deals[0].commits[0]]))
	w.want = []string{"block audit.log_broken"}
	anew := runGit(t, w.dir, nil, "commit-tree", "-m", "anew", kept+"^{tree}")
	w.compare(audit(anew))
	w.compare(audit(strings.Repeat("ab", 20))) // the clone does not have it any more
	for _, since := range [][]string{{kept, anew}, {w.ids[1], w.ids[2]}, {w.ids[w.deals[0].head]}} {
		o := AuditOptions{Branch: "main", Name: "main", Tip: w.ids[w.tip()], Since: since, AsOf: asOf(w.clock)}
		if _, err := w.git.Audit(o); err == nil {
			t.Errorf("%v is accepted", since)
		}
	}
}

// TestAuditPending wants commits that the archive does not know yet to wait for a week, whatever date they claim, and no longer.
func TestAuditPending(t *testing.T) {
	const pending, missing = "info audit.pending", "block audit.missing"
	const day = 86400
	w := newWorld(t)
	small(w)
	w.clock = 1_770_000_000 / day * day
	wait := func(name string, days int) *deal {
		w.clock += days * day
		d := w.deal(name, squash, nil)
		d.noEntry = true
		return d
	}
	old := wait("not archived for more than a week", 0)
	wait("dated into the next month, so that it looks young", 30).want = []string{missing}
	w.clock -= 30 * day
	edge := wait("a week old", 1)
	young := wait("six days old", 1)
	last := wait("new", 6)
	as := asOf(w.clock)
	w.clock += 400 * day
	w.build()
	audit := func(day string) {
		t.Helper()
		w.compare(w.audit(w.dir, func(o *AuditOptions) { o.AsOf = day }))
	}
	old.want, edge.want, young.want, last.want = []string{missing}, []string{missing}, []string{pending}, []string{pending}
	audit(as)
	young.want, last.want = []string{missing}, []string{missing}
	audit("2027-05-05")
	audit("2026-01-01") // before all of them: a date after the audit is no reason to wait
}

// TestAuditDead wants an archive that is gone to answer for nothing: what is young waits, what is old is missing.
func TestAuditDead(t *testing.T) {
	w := newWorld(t)
	d := w.deal("old", squash, nil, "block audit.missing")
	w.clock += 20 * 86400
	w.deal("young", squash, nil, "info audit.pending")
	w.build()
	runGit(t, w.dir, nil, "update-ref", "-d", archive.Ref)
	w.want = []string{"unknown audit.unavailable"}
	w.compare(w.audit(w.dir, nil))
	if a := w.audit(w.dir, func(o *AuditOptions) { o.Until = w.ids[d.commits[0]] }); a.Counts.Block != 1 {
		t.Errorf("found %+v, expected the old one", a.Counts)
	}
}
