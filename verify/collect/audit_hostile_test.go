package collect

import (
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/archive"
	"github.com/closeout-gate/closeout/verify/facts"
)

// TestAuditBranches wants entries of another branch about commits that both branches have to be no part of an audit, and entries of the
// branch itself to be in the order of its history.
func TestAuditBranches(t *testing.T) {
	w := newWorld(t)
	w.deal("on both branches", squash, nil).entry = func(e *archive.Entry) {
		gap := archive.Entry{Schema: archive.EntrySchema, Kind: archive.Gap, Branch: "release", Commits: e.Commits, Parent: e.Parent, Replay: archive.ReplayNotTried}
		why := archive.NoPullRequest
		gap.Why = &why
		w.found.Entries, w.files = append(w.found.Entries, gap), append(w.files, nil)
	}
	w.deal("on the branch", squash, nil)
	w.deal("archived for another branch alone", squash, nil, "warn audit.other_branch", unboundCode).entry = func(e *archive.Entry) { e.Branch = "dev" }
	w.deal("archived too early", squash, nil)
	w.deal("archived too late", squash, nil, "block audit.entry_differs").entry = func(*archive.Entry) {
		last := w.found.Entries[len(w.found.Entries)-1]
		w.found.Entries = slices.Insert(w.found.Entries, 0, last)[:len(w.found.Entries)]
		w.files = slices.Insert(w.files, 0, w.files[len(w.files)-1])[:len(w.files)]
	}
	w.deals[len(w.deals)-1].want, w.deals[len(w.deals)-2].want = nil, nil
	w.deals[0].want = []string{"block audit.entry_differs"} // the one after the entry that has too small a number
	w.build()
	w.compare(w.audit(w.dir, nil))
}

// TestAuditAgain wants a decision that is used a second time to be seen, also where its first use is not audited.
func TestAuditAgain(t *testing.T) {
	w := newWorld(t)
	base := w.tip()
	files := map[string]string{"src/again": "again\n"}
	first := w.dealOf("first", squash, base, files, nil)
	w.dealOf("removed", squash, w.tip(), map[string]string{"src/again": ""}, nil)
	d := w.dealOf("again", squash, base, files, nil, duplicateCode)
	d.number, d.judged = first.number, first.head
	w.deal("another", squash, nil)
	w.build()
	w.compare(w.audit(w.dir, nil))
	since := func(d *deal) func(*AuditOptions) {
		return func(o *AuditOptions) { o.Since = w.ids[d.commits[0]] }
	}
	w.compare(w.audit(w.dir, since(d)))
	if a := w.audit(w.dir, since(w.deals[3])); len(a.Findings) != 0 {
		t.Errorf("what is not audited has findings: %+v", a.Findings)
	}
	if a := w.audit(w.dir, func(o *AuditOptions) { o.Until = w.ids[first.commits[0]] }); len(a.Findings) != 0 {
		t.Errorf("a later merge counts against an earlier one: %+v", a.Findings)
	}
}

// TestAuditOtherVersionSays wants what a report of another version says beside its decision to count less than the replay.
func TestAuditOtherVersionSays(t *testing.T) {
	w := newWorld(t)
	w.deal("older", squash, nil).report = byVersion("0.1.9")
	d := w.deal("another level", squash, nil)
	d.report = func(s string) string {
		return strings.Replace(byVersion("0.1.9")(s), `"level":"claimed"`, `"level":"recorded"`, 1)
	}
	for _, c := range []struct{ name, old, new string }{
		{"as it was", "", ""}, {"another reason", "the test machine has no disk left", "approved by the board"}, {"another id", `"actor_id":"7"`, `"actor_id":"9"`},
	} {
		want := []string{overriddenCode}
		if c.old != "" {
			want = append(want, "unknown audit.replay_unknown")
		}
		d := w.deal(c.name, squash, nil, want...)
		d.exit, d.overrider = 1, "mona"
		d.report = func(s string) string {
			changed := strings.ReplaceAll(s, c.old, c.new)
			if c.old != "" && changed == s {
				t.Errorf("%s: the report does not contain %s", c.name, c.old)
			}
			return byVersion("0.1.9")(changed)
		}
	}
	w.build()
	a := w.audit(w.dir, nil)
	w.compare(a)
	if a.Statistics.Levels.Recorded != 0 || a.Statistics.Levels.Claimed != len(w.deals) {
		t.Errorf("the levels are %+v, expected those of the replay", a.Statistics.Levels)
	}
}

// TestAuditStrangeSettings wants files in the place of directories, and directories in that of files, to be no hole in what is known.
func TestAuditStrangeSettings(t *testing.T) {
	w := newWorld(t)
	w.push(map[string]string{contractPath: "", ".closeout": "a file\n", gatePath: "", ".github": "a file\n"})
	w.push(map[string]string{".closeout": "", ".github": "", contractPath + "/below": "x\n"})
	w.push(map[string]string{contractPath + "/below": "", contractPath: worldContract, gatePath: worldWorkflow})
	w.deal("after it", squash, nil)
	w.build()
	a := w.audit(w.dir, nil)
	if a.Counts.Unknown != 0 || a.Statistics.Verdicts["missing"] != 3 {
		t.Errorf("found %+v and %d missing, expected the 3 direct pushes\n%+v", a.Counts, a.Statistics.Verdicts["missing"], a.Findings)
	}
}

// TestAuditLongEntry wants an entry that names more commits than the clone has to be a finding, in an incomplete clone too.
func TestAuditLongEntry(t *testing.T) {
	w := newWorld(t)
	for range 8 {
		w.deal("a change", squash, nil)
	}
	w.deal("many", squash, nil).entry = func(e *archive.Entry) {
		for range 40 {
			e.Commits = append([]string{strings.Repeat("a", 32) + itoa(10_000_000+len(e.Commits))}, e.Commits...)
		}
	}
	w.build()
	dir := w.clone("--depth", "3", "--no-single-branch")
	runGit(t, dir, nil, "fetch", "-q", "--depth", "1000", "origin", "closeout-archive")
	if a := w.audit(dir, nil); a.Counts.Unknown == 0 {
		t.Errorf("found %+v", a.Counts)
	}
	if a := w.audit(w.dir, nil); a.Counts.Block == 0 {
		t.Errorf("found %+v", a.Counts)
	}
}

// TestAuditEvidenceOfOperator wants a contract that the branch does not vouch for to take no directory out of the comparison.
func TestAuditEvidenceOfOperator(t *testing.T) {
	w := newWorld(t)
	own := strings.Replace(worldContract, `"min": "claimed"`, `"min": "claimed", "dir": "src"`, 1)
	own = strings.Replace(own, `"src/**"`, `"docs/**"`, 1)
	for name, merged := range map[string]map[string]string{"honest": nil, "more": {"src/evil": "x\n"}} {
		want := []string{"warn audit.operator_contract"}
		if merged != nil {
			want = append(want, unboundCode)
		}
		d := w.dealOf(name, squash, w.tip(), map[string]string{"docs/" + name: "x\n"}, merged, want...)
		d.contract, d.trust = own, facts.TrustOperator
	}
	w.build()
	w.compare(w.audit(w.dir, nil))
}

// TestAuditExecutableWorkflow wants a gate whose workflow can be executed to be a gate: GitHub runs it.
func TestAuditExecutableWorkflow(t *testing.T) {
	w := newWorld(t)
	w.push(map[string]string{"src/pushed": "x\n"})
	w.deal("after it", squash, nil)
	text := w.h.String()
	w.h.Reset()
	w.h.WriteString(strings.Replace(text, "M 100644 inline "+gatePath, "M 100755 inline "+gatePath, 1))
	w.build()
	if a := w.audit(w.dir, nil); a.Statistics.Verdicts["missing"] != 1 {
		t.Errorf("found %d missing, expected the push after the adoption", a.Statistics.Verdicts["missing"])
	}
}

// TestArchiveOfOneEntry wants a few objects that name one entry thousands of times to be read once; entries of their own all count.
func TestArchiveOfOneEntry(t *testing.T) {
	w := newWorld(t)
	w.deal("one", squash, nil)
	w.deal("two", squash, nil)
	w.build()
	of := func(ref string) (entries, strange int) {
		a, err := openTest(t, w.dir).Archive(ref)
		if err != nil {
			t.Fatal(err)
		}
		list, odd, err := a.items()
		if err != nil {
			t.Fatal(err)
		}
		return len(list), len(odd)
	}
	if n, odd := of(archive.Ref); n != 2 || odd != 0 {
		t.Errorf("the archive has %d entries and %d strange paths, expected 2 and none", n, odd)
	}
	one := strings.Fields(runGit(t, w.dir, nil, "ls-tree", archive.Ref, "decisions/0000/"))[2]
	var group, groups strings.Builder
	for i := range 50 {
		group.WriteString("040000 tree " + one + "\t0000" + itoa(10+i) + "-x\n")
	}
	tree := runGit(t, w.dir, []byte(group.String()), "mktree")
	for i := range 50 {
		groups.WriteString("040000 tree " + tree + "\t00" + itoa(10+i) + "\n")
	}
	decisions := runGit(t, w.dir, []byte(groups.String()), "mktree")
	top := runGit(t, w.dir, []byte("040000 tree "+decisions+"\tdecisions\n"), "mktree")
	if n, odd := of(runGit(t, w.dir, nil, "commit-tree", "-m", "x", top)); n != 1 || odd != 98 {
		t.Errorf("one entry under 2500 names: found %d entries and %d strange paths, expected 1 and 98", n, odd)
	}
}
