package find

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

const (
	early, before, merged, after = "2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z", "2026-11-21T10:00:00Z", "2026-11-21T11:00:00Z"
	gateFile                     = ".github/workflows/closeout.yml"
)

// merge is a world in which pull request 7 was merged into main by a squash, after the gate had uploaded its bundle.
type merge struct {
	*world
	run    *fakehub.Run
	bundle []byte
	commit string
}

func newMerge(t *testing.T) *merge {
	t.Helper()
	w := newWorld(t)
	w.base = w.repo.Commit("main", "a workflow", with(baseFiles, gateFile, "on: pull_request\n"), w.base)
	w.head = w.repo.Commit("topic", "change a", with(baseFiles, gateFile, "on: pull_request\n", "src/a.go", "package a // new\n"), w.base)
	m := &merge{world: w, bundle: w.judged(t, "pull_request", 7, w.head)}
	m.run = &fakehub.Run{ID: 100, Head: w.head, Started: before, Artifacts: []*fakehub.Artifact{{ID: 1000, Data: m.bundle, Created: before}}}
	w.Runs = []*fakehub.Run{m.run}
	m.commit = w.repo.Commit("main", "change a (#7)", with(baseFiles, gateFile, "on: pull_request\n", "src/a.go", "package a // new\n"), w.base)
	w.pull.Merged, w.pull.MergedAt, w.pull.Landed = true, merged, []string{m.commit}
	return m
}

// bundles are what [world.judged] made: the ids of commits are the same in each test.
var bundles = map[string][]byte{}

// judged is what the gate uploads about a pull request, or about a group whose last one it is: the bundle with its report.
func (w *world) judged(t *testing.T, event string, number int, head string) []byte {
	t.Helper()
	main := w.repo.Git("", "rev-parse", "main")
	payload := fmt.Sprintf(`{"action":"opened","number":%d,"repository":{"id":17273051,"full_name":"octo-org/octo-repo","default_branch":"main"},
		"pull_request":{"number":%d,"head":{"sha":"%s"},"base":{"sha":"%s","ref":"main"}}}`, number, number, head, main)
	if event == "merge_group" {
		payload = fmt.Sprintf(`{"action":"checks_requested","repository":{"id":17273051,"full_name":"octo-org/octo-repo","default_branch":"main"},
			"merge_group":{"head_sha":"%s","head_ref":"refs/heads/gh-readonly-queue/main/pr-%d-%s","base_sha":"%s","base_ref":"refs/heads/main"}}`, head, number, main, main)
	}
	if known := bundles[payload]; known != nil {
		return known
	}
	run, err := github.NewRun(github.Options{EventName: event, Payload: []byte(payload), APIURL: w.server.URL, Token: token, Files: collect.Options{
		Root: w.workspace(), Settings: verify.Settings{Limits: input.DefaultLimits(), Today: "2026-11-21"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	found, err := run.Collect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "bundle")
	written, err := collect.WriteBundle(dir, found)
	if err != nil {
		t.Fatal(err)
	}
	written.Settings = verify.Settings{Limits: input.DefaultLimits(), Mode: "enforce"}
	text, err := report.Canonical(verify.Judge(written.Bundle))
	if err != nil {
		t.Fatal(err)
	}
	bundles[payload] = zipped(t, append(filesBelow(t, dir), report.FileName, string(text))...)
	return bundles[payload]
}

func filesBelow(t *testing.T, dir string) (pairs []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		pairs = append(pairs, name, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pairs
}

// altered is a bundle with a text replaced in one file; "" for the new text removes the file.
func altered(t *testing.T, bundle []byte, name, old, new string) []byte {
	t.Helper()
	files, err := unzip(bundle, maxUnzipped)
	if err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for _, z := range files {
		text := string(z.Data)
		if z.Path == name {
			if new == "" {
				continue
			}
			if !strings.Contains(text, old) {
				t.Fatalf("%s contains no %q:\n%s", name, old, text)
			}
			text = strings.Replace(text, old, new, 1)
		}
		pairs = append(pairs, z.Path, text)
	}
	return zipped(t, pairs...)
}

// find looks for what was merged after a commit.
func (w *world) find(t *testing.T, base string, giveUp bool) ([]archive.Entry, string, error) {
	t.Helper()
	git, err := clone.Open(w.repo.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer git.Close()
	line, err := git.Line(w.repo.Git("", "rev-parse", "main"), base)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	entries, err := Decisions(context.Background(), w.client, Search{
		Git: git, Line: line, Branch: "main", Workflow: "closeout.yml", Artifact: "closeout-bundle", GiveUp: giveUp, Out: out, Told: func(*archive.Entry) {},
	})
	found := &archive.Found{Schema: archive.FoundSchema, Origin: "closeout-archive/github.com/o/r", Branch: "main", Entries: entries}
	data, wrong := found.Marshal()
	if wrong != nil {
		t.Fatal(wrong)
	}
	if _, errs := archive.ReadFound(data); errs.Any() {
		t.Fatalf("the index would be malformed: %v\n%s", errs.All(), data)
	}
	return entries, out, err
}

// brief is an entry in a few words.
func brief(e archive.Entry) string {
	text := e.Kind
	if e.Why != nil {
		text += " " + *e.Why
	}
	if e.Verdict != nil {
		text += " " + *e.Verdict + " " + e.Replay
	}
	if len(e.PullRequests) > 0 {
		text += " of " + strings.Join(e.PullRequests, ",")
	}
	if len(e.Commits) > 1 {
		text += fmt.Sprintf(" for %d commits", len(e.Commits))
	}
	if e.Run != nil {
		text += fmt.Sprintf(" by %s.%d %s", e.Run.ID, e.Run.Attempt, e.Run.Workflow)
	}
	return text
}

// TestFind merges one pull request, and changes one thing each time.
func TestFind(t *testing.T) {
	const decided = "decision failed same of 7 by 100.1 unchanged"
	add := func(m *merge, run *fakehub.Run) { m.Runs = append(m.Runs, run) }
	artifact := func(m *merge) *fakehub.Artifact { return m.run.Artifacts[0] }
	other := func(m *merge, id int64, started string) *fakehub.Run {
		return &fakehub.Run{ID: id, Head: m.head, Started: started, Artifacts: []*fakehub.Artifact{{ID: id * 10, Data: m.bundle, Created: started}}}
	}
	for name, c := range map[string]struct {
		with func(m *merge)
		want string
	}{
		"a squash":              {func(*merge) {}, decided},
		"no digest":             {func(m *merge) { artifact(m).Digest = "-" }, decided},
		"the end is a bit late": {func(m *merge) { m.run.Updated = after }, decided},
		"no pull request":       {func(m *merge) { m.Pulls = nil }, "gap no_pull_request"},
		"not listed yet":        {func(m *merge) { m.Fail("/commits/"+m.commit, 1, fakehub.Body("[]")) }, decided},
		"named, not merged":     {func(m *merge) { m.pull.Merged, m.pull.TestMerge = false, m.commit }, "gap no_pull_request"},
		"named, another commit": {func(m *merge) { m.pull.Landed = []string{m.base} }, "gap no_pull_request"},
		"not merged":            {func(m *merge) { m.pull.Merged = false }, "gap no_pull_request"},
		"merged elsewhere":      {func(m *merge) { m.repo.Git("", "branch", "other", m.base); m.pull.Base = "other" }, "gap no_pull_request"},
		"another merge commit":  {func(m *merge) { m.pull.Landed = []string{m.commit, m.base} }, "gap no_pull_request"},
		"no run":                {func(m *merge) { m.Runs = nil }, "gap no_run of 7"},
		"a run of another head": {func(m *merge) { m.run.Head = m.base }, "gap no_run of 7"},
		"all runs are listed":   {func(m *merge) { unfiltered(m, "head_sha="); m.run.Head = m.base }, "gap no_run of 7"},
		"all events are listed": {func(m *merge) { unfiltered(m, "head_sha="); m.run.Event = "push" }, "gap no_run of 7"},
		"all names are listed":  {func(m *merge) { unfiltered(m, "name="); artifact(m).Name = "x" }, "gap no_artifact of 7 by 100.1 unchanged"},
		"later runs are listed": {func(m *merge) { unfiltered(m, "head_sha="); m.run.Started = after; artifact(m).Created = merged }, "gap no_run of 7"},
		"another event":         {func(m *merge) { m.run.Event = "push" }, "gap no_run of 7"},
		"pull_request_target":   {func(m *merge) { m.run.Event = "pull_request_target" }, "gap no_run of 7"},
		"another workflow":      {func(m *merge) { m.run.Path = ".github/workflows/ci.yml" }, "gap no_run of 7"},
		"a ref behind the path": {func(m *merge) { m.run.Path = gateFile + "@refs/heads/main" }, decided},
		"a path like a ref":     {func(m *merge) { m.run.Path = gateFile + "@x.yml" }, "gap no_run of 7"},
		"a path below":          {func(m *merge) { m.run.Path = "x" + gateFile }, "gap no_run of 7"},
		"own path in full":      {func(m *merge) { m.run.Path = "octo-org/octo-repo/" + gateFile }, decided},
		"required from outside": {func(m *merge) { m.run.Path = "octo-org/rules/" + gateFile + "@main" }, "decision failed same of 7 by 100.1 elsewhere"},
		"another repository":    {func(m *merge) { m.run.Repository = "octo-org/other" }, "gap no_run of 7"},
		"began after the merge": {func(m *merge) { m.run.Started, artifact(m).Created = after, after }, "gap no_run of 7"},
		"uploaded after it":     {func(m *merge) { m.run.Updated, artifact(m).Created = after, after }, "gap no_run of 7"},
		"no artifact":           {func(m *merge) { m.run.Artifacts = nil }, "gap no_artifact of 7 by 100.1 unchanged"},
		"another name":          {func(m *merge) { artifact(m).Name = "closeout-bundle-2" }, "gap no_artifact of 7 by 100.1 unchanged"},
		"of another head":       {func(m *merge) { artifact(m).Head = m.base }, "gap no_artifact of 7 by 100.1 unchanged"},
		"of another run":        {func(m *merge) { artifact(m).Run = 99 }, "gap no_artifact of 7 by 100.1 unchanged"},
		"of an earlier attempt": {func(m *merge) { artifact(m).Created = early }, "gap no_artifact of 7 by 100.1 unchanged"},
		"two of one name": {func(m *merge) {
			m.run.Artifacts = append(m.run.Artifacts, &fakehub.Artifact{ID: 1001, Data: []byte("x"), Created: before})
		}, "gap unreadable of 7 by 100.1 unchanged"},
		"expired":                {func(m *merge) { artifact(m).Expired = true }, "gap expired of 7 by 100.1 unchanged"},
		"gone meanwhile":         {func(m *merge) { m.Fail("/zip", 1, fakehub.Status(410, "gone")) }, "gap expired of 7 by 100.1 unchanged"},
		"large":                  {func(m *merge) { artifact(m).Size = github.MaxArtifact + 1 }, "gap unreadable of 7 by 100.1 unchanged"},
		"large, and silent":      {func(m *merge) { artifact(m).Data, artifact(m).Size = make([]byte, github.MaxArtifact+9), 1 }, "gap unreadable of 7 by 100.1 unchanged"},
		"another digest":         {func(m *merge) { artifact(m).Digest = "sha256:" + strings.Repeat("0", 64) }, "gap unreadable of 7 by 100.1 unchanged"},
		"another kind of digest": {func(m *merge) { artifact(m).Digest = "sha1:x" }, "gap unreadable of 7 by 100.1 unchanged"},
		"no zip":                 {func(m *merge) { artifact(m).Data = []byte("hello") }, "gap unreadable of 7 by 100.1 unchanged"},
		"leads out":              {func(m *merge) { artifact(m).Data = zipped(t, "../x", "") }, "gap unreadable of 7 by 100.1 unchanged"},
		"no report":              {func(m *merge) { artifact(m).Data = altered(t, m.bundle, report.FileName, "", "") }, "gap unreadable of 7 by 100.1 unchanged"},
		"a report of the future": {func(m *merge) { artifact(m).Data = altered(t, m.bundle, report.FileName, "report/v1", "report/v9") }, "gap unreadable of 7 by 100.1 unchanged"},
		"an unknown verdict": {func(m *merge) {
			artifact(m).Data = altered(t, m.bundle, report.FileName, `"verdict":"failed"`, `"verdict":"fine"`)
		}, "gap unreadable of 7 by 100.1 unchanged"},
		"a replay without end": {func(m *merge) {
			artifact(m).Data = altered(t, m.bundle, report.FileName, `"match_steps":`, `"match_steps":9`)
		}, "gap unreadable of 7 by 100.1 unchanged"},
		"malformed changes": {func(m *merge) { artifact(m).Data = altered(t, m.bundle, "changes.json", "{", "[") }, "gap unreadable of 7 by 100.1 unchanged"},
		"a report that lies": {func(m *merge) {
			artifact(m).Data = altered(t, m.bundle, report.FileName, `"verdict":"failed"`, `"verdict":"passed"`)
		}, "decision passed different of 7 by 100.1 unchanged"},
		"inputs that lie": {func(m *merge) { artifact(m).Data = altered(t, m.bundle, "facts.json", `"agent"`, `"angel"`) }, "decision failed different of 7 by 100.1 unchanged"},
		"another pull request": {func(m *merge) {
			artifact(m).Data = altered(t, m.bundle, report.FileName, `"pull_request":7`, `"pull_request":8`)
		}, "gap wrong_subject of 7 by 100.1 unchanged"},
		"of another repository": {func(m *merge) {
			artifact(m).Data = altered(t, m.bundle, report.FileName, `"octo-org/octo-repo"`, `"octo-org/other"`)
		}, "gap wrong_subject of 7 by 100.1 unchanged"},
		"about another head": {func(m *merge) {
			artifact(m).Data = altered(t, m.bundle, report.FileName, `"head_sha":"`+m.head, `"head_sha":"`+m.base)
		}, "gap wrong_subject of 7 by 100.1 unchanged"},
		"another content merged": {func(m *merge) {
			m.commit = m.repo.Commit("main", "not what was judged", with(baseFiles, gateFile, "on: pull_request\n", "src/a.go", "package a // evil\n"), m.base)
			m.pull.Landed = []string{m.commit}
		}, "gap wrong_subject of 7 by 100.1 unchanged"},
		"the workflow is changed": {func(m *merge) {
			m.base = m.repo.Commit("main", "other", baseFiles, m.repo.Git("", "rev-parse", m.base+"^"))
			m.head = m.repo.Commit("topic", "with a gate of its own", with(baseFiles, gateFile, "on: push\n"), m.base)
			artifact(m).Data, m.run.Head = m.judged(t, "pull_request", 7, m.head), m.head
			m.commit = m.repo.Commit("main", "merged", with(baseFiles, gateFile, "on: push\n"), m.base)
			m.pull.Landed = []string{m.commit}
		}, "decision failed same of 7 by 100.1 changed"},
		"a newer run":            {func(m *merge) { add(m, other(m, 101, merged)) }, "decision failed same of 7 by 101.1 unchanged"},
		"a newer run, no bundle": {func(m *merge) { add(m, &fakehub.Run{ID: 101, Head: m.head, Started: merged}) }, "gap no_artifact of 7 by 101.1 unchanged"},
		"a newer run goes on": {func(m *merge) {
			add(m, &fakehub.Run{ID: 101, Head: m.head, Started: merged, Status: "in_progress", Conclusion: "-"})
		}, decided},
		"a newer run ended late": {func(m *merge) { add(m, &fakehub.Run{ID: 101, Head: m.head, Started: merged, Updated: after}) }, decided},
		"a newer run, cancelled": {func(m *merge) { add(m, &fakehub.Run{ID: 101, Head: m.head, Started: merged, Conclusion: "cancelled"}) }, decided},
		"a newer run of another": {func(m *merge) {
			run := other(m, 101, merged)
			run.Artifacts[0].Data = altered(t, m.bundle, report.FileName, `"pull_request":7`, `"pull_request":8`)
			add(m, run)
		}, decided},
		"required later": {func(m *merge) {
			unfiltered(m, "head_sha=")
			run := other(m, 101, after)
			run.Path = "octo-org/rules/" + gateFile
			add(m, run)
		}, decided},
		"required beside own": {func(m *merge) {
			run := other(m, 99, early)
			run.Path = "octo-org/rules/" + gateFile
			add(m, run)
		}, "decision failed same of 7 by 99.1 elsewhere"},
		"run again before": {func(m *merge) { m.run.Attempt = 2 }, "decision failed same of 7 by 100.2 unchanged"},
		"an old run again": {func(m *merge) { add(m, other(m, 99, merged)) }, "decision failed same of 7 by 99.1 unchanged"},
		"run again after it": {func(m *merge) {
			first := *m.run
			m.run.Earlier, m.run.Attempt, m.run.Started, m.run.Created = []*fakehub.Run{&first}, 2, after, before
		}, decided},
		"replaced after it": {func(m *merge) {
			first := *m.run
			m.run.Earlier, m.run.Attempt, m.run.Started, m.run.Created = []*fakehub.Run{&first}, 2, after, before
			m.run.Artifacts = []*fakehub.Artifact{{ID: 1001, Data: m.bundle, Created: after}}
		}, "gap no_artifact of 7 by 100.1 unchanged"},
		"two pull requests": {func(m *merge) {
			twin := *m.pull
			m.Pulls[5] = &twin
		}, decided},
		"1,001 runs": {func(m *merge) {
			for i := range 1000 {
				add(m, &fakehub.Run{ID: int64(200 + i), Head: m.head, Started: before, Path: ".github/workflows/ci.yml"})
			}
			add(m, other(m, 5000, before))
		}, "decision failed same of 7 by 5000.1 unchanged"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMerge(t)
			c.with(m)
			entries, out, err := m.find(t, m.base, false)
			if err != nil || len(entries) != 1 || brief(entries[0]) != c.want {
				t.Fatalf("%v: got %v, expected %s", err, briefs(entries), c.want)
			}
			_, missing := os.Stat(filepath.Join(out, "0", "bundle", report.FileName))
			if e := entries[0]; (missing == nil) != (e.Kind == archive.Decision) || e.Commits[0] != m.commit || *e.Parent != m.base {
				t.Errorf("%v: %+v", missing, e)
			}
			if rest, _ := os.ReadDir(out); len(rest) > 0 && missing != nil {
				t.Errorf("%q is left of a gap", rest)
			}
			if calls := fmt.Sprint(m.Calls()); strings.Contains(calls, "was shown a token") {
				t.Error("the storage was shown the token")
			}
		})
	}
}

// unfiltered lets GitHub ignore what a query asks for.
func unfiltered(m *merge, part string) {
	m.Fail(part, -1, func(w http.ResponseWriter, r *http.Request, answer http.Handler) {
		q := r.URL.Query()
		for _, key := range []string{"head_sha", "event", "created", "name"} {
			q.Del(key)
		}
		r.URL.RawQuery = q.Encode()
		answer.ServeHTTP(w, r)
	})
}

func briefs(entries []archive.Entry) (list []string) {
	for _, e := range entries {
		list = append(list, brief(e))
	}
	return list
}
