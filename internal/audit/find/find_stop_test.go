package find

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
	"github.com/closeout-gate/closeout/verify/report"
)

// TestFindStops lets each call fail in each way. What GitHub does not answer is not a gap: the call ends before the
// commit.
func TestFindStops(t *testing.T) {
	calls := map[string]string{
		"commits/": "pull-requests: read", "event=merge_group": "actions: read", "head_sha=": "actions: read", "/artifacts?": "actions: read", "/zip": "actions: read",
	}
	faults := map[string]fakehub.Fault{
		"403": fakehub.Status(403, "Resource not accessible by integration"), "404": fakehub.Status(404, "Not Found"), "500": fakehub.Status(500, "oops"),
		"limited": fakehub.Status(429, "slow down", "Retry-After", "3600"), "secondary": fakehub.Status(403, "You have exceeded a secondary rate limit"),
		"dead": fakehub.Dead, "cut": fakehub.Truncated, "empty": fakehub.Body(""), "another form": fakehub.Body(`[1]`), "null": fakehub.Body("null"),
		"a list without items": fakehub.Body(`{"total_count": 2, "workflow_runs": [], "artifacts": []}`),
	}
	for part, permission := range calls {
		for name, fault := range faults {
			if part == "/zip" && name == "cut" || part == "event=merge_group" && name == "a list without items" {
				continue // a redirect has no body; two runs of a queue
			}
			t.Run(part+" "+name, func(t *testing.T) {
				m := newMerge(t)
				first := m.commit
				m.repo.Commit("main", "a direct push", with(baseFiles, "x", "y"), first)
				m.Fail(part, -1, fault)
				entries, _, err := m.find(t, m.base, false)
				if err == nil || len(entries) != 0 || !strings.HasPrefix(err.Error(), "commit "+first+": ") {
					t.Fatalf("got %v, %v", briefs(entries), err)
				}
				var refused interface{ Fix() string }
				if !github.Failed(err) || !errors.As(err, &refused) || refused.Fix() == "" || name == "403" && !strings.Contains(refused.Fix(), permission) {
					t.Errorf("%v has no fix that helps", err)
				}
				if strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "secret") {
					t.Errorf("%v tells a secret", err)
				}
			})
		}
	}
}

// TestFindGoesOn wants what is before a failure, and after it what is left.
func TestFindGoesOn(t *testing.T) {
	m := newMerge(t)
	pushed := m.repo.Commit("main", "a direct push", with(baseFiles, "x", "y"), m.commit)
	last := m.repo.Commit("main", "another", with(baseFiles, "x", "z"), pushed)
	m.Fail("commits/"+pushed, -1, fakehub.Status(502, "oops"))
	entries, _, err := m.find(t, m.base, false)
	if err == nil || len(entries) != 1 || entries[0].Kind != archive.Decision || !strings.Contains(err.Error(), pushed) {
		t.Fatalf("got %v, %v", briefs(entries), err)
	}
	// A person gives up: this commit alone.
	m.client = m.connect(token, "")
	entries, _, err = m.find(t, m.commit, true)
	if want := []string{"gap unknown", "gap no_pull_request"}; err != nil || !slices.Equal(briefs(entries), want) || entries[1].Commits[0] != last {
		t.Fatalf("got %v, %v", briefs(entries), err)
	}
	m.client = m.connect(token, "")
	m.Fail("commits/"+last, -1, fakehub.Status(502, "oops"))
	if entries, _, err = m.find(t, m.commit, true); err == nil || !slices.Equal(briefs(entries), []string{"gap unknown"}) {
		t.Fatalf("an outage: got %v, %v", briefs(entries), err)
	}
}

// TestFindDisk wants an error of the disk to be no reason for a gap.
func TestFindDisk(t *testing.T) {
	m := newMerge(t)
	f := &finder{Search: Search{Out: t.TempDir() + "/file", Git: nil}, Client: m.client}
	if err := os.WriteFile(f.Out, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if entry, err := f.judge(unit{}, []zipFile{{"a", nil}}); err == nil || entry != nil {
		t.Errorf("got %v, %v", entry, err)
	}
}

// rebased adds a pull request of some commits that was rebased onto main.
func (m *merge) rebased(t *testing.T, number int, files ...string) []string {
	t.Helper()
	main := m.repo.Git("", "rev-parse", "main")
	tree, head, ids := with(baseFiles, gateFile, "on: pull_request\n", "src/a.go", "package a // new\n"), main, []string{}
	branch := fmt.Sprintf("topic-%d", number)
	for _, name := range files {
		tree = with(tree, name, "new\n")
		head = m.repo.Commit(branch, "side: "+name, tree, head)
	}
	pull := &fakehub.Pull{Author: "agent", Base: "main", Head: branch}
	m.Pulls[number] = pull
	bundle := m.judged(t, "pull_request", number, head)
	tree = with(baseFiles, gateFile, "on: pull_request\n", "src/a.go", "package a // new\n")
	for _, name := range files {
		tree = with(tree, name, "new\n")
		main = m.repo.Commit("main", name, tree, main)
		ids = append(ids, main)
	}
	id := int64(number) * 100
	m.Runs = append(m.Runs, &fakehub.Run{ID: id, Head: head, Started: before, Artifacts: []*fakehub.Artifact{{ID: id * 10, Data: bundle, Created: before}}})
	pull.Merged, pull.MergedAt, pull.Landed = true, merged, ids
	return ids
}

// TestFindRebase wants one entry for all commits of a rebased pull request, where each belongs to it.
func TestFindRebase(t *testing.T) {
	m := newMerge(t)
	ids := m.rebased(t, 8, "b1", "b2", "b3")
	entries, _, err := m.find(t, m.base, false)
	want := []string{"decision failed same of 7 by 100.1 unchanged", "decision failed same of 8 for 3 commits by 800.1 unchanged"}
	if err != nil || !slices.Equal(briefs(entries), want) || !slices.Equal(entries[1].Commits, ids) || *entries[1].Parent != m.commit {
		t.Errorf("got %v, %v", briefs(entries), err)
	}
	m.Pulls[8].Landed = []string{ids[0], ids[2]} // the one between was pushed
	entries, _, err = m.find(t, m.base, false)
	// The last commit has the tree that was judged, whatever led to it.
	want = []string{want[0], "gap no_pull_request", "gap no_pull_request", "decision failed same of 8 by 800.1 unchanged"}
	if err != nil || !slices.Equal(briefs(entries), want) {
		t.Errorf("with a push between: got %v, %v", briefs(entries), err)
	}
}

// TestFindMergeCommit wants a merge with two parents to be bound to the head.
func TestFindMergeCommit(t *testing.T) {
	m := newMerge(t)
	m.commit = m.repo.Commit("main", "Merge pull request #7", with(baseFiles, gateFile, "on: pull_request\n", "src/a.go", "package a // new\n"), m.base, m.head)
	m.pull.Landed = []string{m.commit}
	if entries, _, err := m.find(t, m.base, false); err != nil || briefs(entries)[0] != "decision failed same of 7 by 100.1 unchanged" {
		t.Errorf("got %v, %v", briefs(entries), err)
	}
	evil := m.repo.Commit("main", "an evil merge", with(baseFiles, gateFile, "on: pull_request\n", "src/a.go", "package a // new\n", "evil", "x"), m.base, m.head)
	m.pull.Landed = []string{evil}
	if entries, _, err := m.find(t, m.base, false); err != nil || briefs(entries)[0] != "gap wrong_subject of 7 by 100.1 unchanged" {
		t.Errorf("an evil merge: got %v, %v", briefs(entries), err)
	}
}

// queuedTwo adds two pull requests that a merge queue merged, each by a merge commit; judged says which of their commits the queue
// judged.
func queuedTwo(t *testing.T, judged ...int) (m *merge, ids []string) {
	t.Helper()
	m = newMerge(t)
	base := m.commit
	tree := with(baseFiles, gateFile, "on: pull_request\n", "src/a.go", "package a // new\n")
	at, own := base, []map[string]string{with(tree, "b", "b"), with(tree, "c", "c")}
	heads := []string{m.repo.Commit("eight", "b", own[0], base), m.repo.Commit("nine", "c", own[1], base)}
	both := []map[string]string{own[0], with(own[0], "c", "c")}
	for i, number := range []int{8, 9} {
		m.Pulls[number] = &fakehub.Pull{Author: "agent", Base: "main", Head: heads[i]}
		at = m.repo.Commit("queue", fmt.Sprintf("Merge pull request #%d", number), both[i], at, heads[i])
		ids = append(ids, at)
	}
	for _, i := range judged {
		bundle := m.judged(t, "merge_group", 8+i, ids[i])
		id := int64(900 + i)
		m.Runs = append(m.Runs, &fakehub.Run{ID: id, Event: "merge_group", Head: ids[i], Started: before, Artifacts: []*fakehub.Artifact{{ID: id * 10, Data: bundle, Created: before}}})
	}
	m.repo.Git("", "update-ref", "refs/heads/main", at)
	for i, number := range []int{8, 9} {
		m.Pulls[number].Merged, m.Pulls[number].MergedAt, m.Pulls[number].Landed = true, merged, ids[i:i+1]
	}
	return m, ids
}

// TestFindGroup wants one entry for a group that the queue judged at its head, and an entry for each that it judged alone.
func TestFindGroup(t *testing.T) {
	first := "decision failed same of 7 by 100.1 unchanged"
	m, ids := queuedTwo(t, 1)
	entries, out, err := m.find(t, m.base, false)
	if err != nil || len(entries) != 2 || !strings.HasSuffix(brief(entries[1]), " of 8,9 for 2 commits by 901.1 unchanged") || entries[1].Kind != archive.Decision ||
		*entries[1].HeadSHA != ids[1] || *entries[1].Parent != m.commit || brief(entries[0]) != first {
		t.Fatalf("at the head: got %v, %v", briefs(entries), err)
	}
	if _, err := os.Stat(out + "/1/bundle/pulls/9/facts.json"); err != nil {
		t.Error(err)
	}
	m, _ = queuedTwo(t, 0, 1)
	entries, _, err = m.find(t, m.base, false)
	if err != nil || len(entries) != 3 || !strings.HasSuffix(brief(entries[1]), " of 8 by 900.1 unchanged") || !strings.HasSuffix(brief(entries[2]), " of 9 by 901.1 unchanged") ||
		entries[1].Kind+entries[2].Kind != "decisiondecision" {
		t.Fatalf("each: got %v, %v", briefs(entries), err)
	}
	// The report of the group must name all of its pull requests, and begin where the group does.
	for name, c := range map[string]struct{ old, new string }{
		"a pull request less":  {`"number":8`, `"number":6`},
		"begins earlier":       {`"base_sha":"`, `"base_sha":"0`},
		"no group":             {`"pull_requests":`, `"pull_request5":`},
		"of another group":     {`"head_sha":"` + ids[1], `"head_sha":"` + ids[0]},
		"of another repo":      {`"octo-org/octo-repo"`, `"octo-org/x"`},
		"no report that reads": {`"schema"`, `"scheme"`},
	} {
		m, _ = queuedTwo(t, 1)
		a := m.Runs[1].Artifacts[0]
		a.Data = altered(t, a.Data, report.FileName, c.old, c.new)
		entries, _, err = m.find(t, m.base, false)
		if err != nil || len(entries) != 3 || entries[1].Kind != archive.Gap || entries[2].Replay == archive.ReplaySame {
			t.Errorf("%s: got %v, %v", name, briefs(entries), err)
		}
	}
	// Without a run of the queue the pull request's own decision counts: a person merged it.
	m, _ = queuedTwo(t)
	m.rebased(t, 11, "d")
	m.Runs = append(m.Runs, &fakehub.Run{ID: 1, Event: "merge_group", Head: m.base})
	entries, _, err = m.find(t, m.base, false)
	if want := []string{first, "gap no_run of 8", "gap no_run of 9"}; err != nil || !slices.Equal(briefs(entries)[:3], want) {
		t.Errorf("no group: got %v, %v", briefs(entries), err)
	}
}

// TestFindPages wants all pages of the lists.
func TestFindPages(t *testing.T) {
	m := newMerge(t)
	for i := range 150 {
		m.Runs = append(m.Runs, &fakehub.Run{ID: int64(200 + i), Head: m.head, Started: before, Path: ".github/workflows/ci.yml"})
		m.run.Artifacts = append(m.run.Artifacts, &fakehub.Artifact{ID: int64(2000 + i), Data: []byte("x"), Created: early})
	}
	entries, _, err := m.find(t, m.base, false)
	if err != nil || briefs(entries)[0] != "decision failed same of 7 by 100.1 unchanged" {
		t.Errorf("got %v, %v", briefs(entries), err)
	}
	if calls := fmt.Sprint(m.Calls()); !strings.Contains(calls, "per_page=100&page=2") {
		t.Errorf("asked %s", calls)
	}
}
