package clone

import (
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/report"
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
	w.deal("archived for another branch alone", squash, nil, unboundCode).entry = func(e *archive.Entry) { e.Branch = "dev" }
	w.deal("archived too early", squash, nil)
	w.deal("archived too late", squash, nil, duplicateCode).entry = func(*archive.Entry) {
		last := w.found.Entries[len(w.found.Entries)-1]
		w.found.Entries = slices.Insert(w.found.Entries, 0, last)[:len(w.found.Entries)]
		w.files = slices.Insert(w.files, 0, w.files[len(w.files)-1])[:len(w.files)]
	}
	w.deals[len(w.deals)-1].want, w.deals[len(w.deals)-2].want = nil, nil
	w.deals[0].want = []string{duplicateCode} // the one after the entry that has too small a number
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
		return func(o *AuditOptions) { o.Since = []string{w.ids[d.commits[0]]} }
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

// TestAuditNotJudged wants a merge whose author the contract of the branch leaves out to be not judged, and one that a report alone
// calls so to be a merge without a decision.
func TestAuditNotJudged(t *testing.T) {
	const right, wrong = "info audit.not_judged", "block audit.not_judged"
	applies := func(authors string) string {
		return strings.Replace(worldContract, `"base_branches"`, `"applies_to": {"authors": [`+authors+`]}, "base_branches"`, 1)
	}
	w := newWorld(t)
	agents := applies(`"agent"`)
	w.dealOf("who is judged", squash, w.tip(), map[string]string{contractPath: agents}, nil, "warn audit.contract_loosened", overriddenCode).overrider = "mona"
	by := func(author string, want ...string) *deal {
		d := w.deal("by "+author, squash, nil, want...)
		d.author, d.exit = author, 1 // no command passed
		return d
	}
	for range 2 {
		by("mona", right)
		w.deal("by agent", squash, nil)
		w.deal("by agent, and failed", squash, nil, "block audit.not_green").exit = 1
	}
	d := by("mona", wrong, duplicateCode)
	d.contract = strings.Replace(agents, `"agent"`, `"none"`, 1)
	d.author = "agent"
	d = by("mona", wrong, "warn audit.operator_contract")
	d.author, d.trust, d.contract = "agent", facts.TrustOperator, applies(`"none"`)
	old := w.tip()
	w.dealOf("all are judged", squash, old, map[string]string{contractPath: worldContract}, nil, overriddenCode).overrider = "mona"
	d = w.dealOf("by mona, and merged after that", squash, old, map[string]string{"src/late": "x\n"}, nil, wrong)
	d.author, d.exit = "mona", 1
	w.build()
	a := w.audit(w.dir, nil)
	w.compare(a)
	if s := a.Subject; s.NotJudged != 5 || s.Decisions != 6 || s.Merges != 11 || a.Statistics.Verdicts[report.NotJudged] != 5 || a.Statistics.Verdicts[report.Passed] != 2 {
		t.Errorf("counted %+v, %+v", s, a.Statistics.Verdicts)
	}
}

// TestAuditOtherVerdict wants a decision that an entry for another branch contradicts to block, and one that it repeats not.
func TestAuditOtherVerdict(t *testing.T) {
	w := newWorld(t)
	for _, verdict := range []string{report.Passed, report.Failed} {
		d := w.deal("archived twice, the other one "+verdict, squash, nil)
		d.entry = func(e *archive.Entry) {
			other := *e
			other.Branch, other.Verdict = "release", &verdict
			w.found.Entries, w.files = append(w.found.Entries, other), append(w.files, w.last)
		}
		if verdict == report.Failed {
			d.want = []string{"block audit.contradicted"}
		}
	}
	w.build()
	w.compare(w.audit(w.dir, nil))
}

// TestAuditLate wants a decision about a pull request that was merged already to be seen.
func TestAuditLate(t *testing.T) {
	w := newWorld(t)
	w.deal("before", squash, nil)
	w.deal("after", squash, nil, "unknown audit.after_merge").merged = true
	w.deal("before again", squash, nil)
	w.build()
	w.compare(w.audit(w.dir, nil))
}

// TestAuditOmitted wants a file that no archive keeps to leave a decision open, and one that the archive had room for to block, whatever
// the entry says of its size.
func TestAuditOmitted(t *testing.T) {
	const unknown, blocks = "unknown audit.omitted", "block audit.omitted"
	w := newWorld(t)
	w.log = []byte(`{"command":["go","test","./..."],"exit_code":0}` + "\n" + strings.Repeat(`{"command":["true","`+strings.Repeat("x", 2000)+`"],"exit_code":0}`+"\n", 600))
	w.deal("without its large log", squash, nil, unknown).omit = "feedback_record.jsonl"
	w.deal("without its changes", squash, nil, blocks).omit = "changes.json"
	d := w.deal("without its changes, which are said to be large", squash, nil, blocks)
	d.omit = "changes.json"
	d.entry = func(e *archive.Entry) { e.Omitted[0].Bytes = 5 << 20 }
	w.build()
	a := w.audit(w.dir, nil)
	w.compare(a)
}
