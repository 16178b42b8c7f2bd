package clone

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/testkit/memory"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

func TestMain(m *testing.M) {
	memory.Use()
	m.Run()
}

const (
	worldOrigin   = "closeout-archive/github.com/acme/shop"
	worldContract = `{"task_id": "T-1", "goal": "Sell.", "allowed_files": ["src/**", ".closeout/**", ".github/**"], "forbidden_files": ["secrets/**"],
 "acceptance_criteria": [{"id": "test", "run": ["go", "test", "./..."]}], "rollback_plan": "Revert it.",
 "evidence": {"min": "claimed"}, "rules": {"required": false}, "override": {"allow_author": true}, "base_branches": ["main", "feature"]}`
	worldWorkflow = "on: pull_request\njobs:\n  gate:\n    steps:\n      - uses: closeout-gate/closeout@v0.2\n"
	contractPath  = ".closeout/scope_contract.json"
	gatePath      = ".github/workflows/gate.yml"
)

// world is a repository with an archive: commits of every kind, honest or not, and what an audit must say of each.
type world struct {
	t     testing.TB
	h     history
	mark  int
	main  []int
	deals []*deal
	dir   string
	ids   map[int]string
	git   *Clone
	found archive.Found
	files []map[string][]byte // of the bundles of found.Entries
	clock int
	want  []string          // findings about no commit
	log   []byte            // of every decision; nil for a short one
	last  map[string][]byte // the bundle of the last decision
}

// deal is what reached the branch at once, and its decision.
type deal struct {
	name       string
	number     int
	base, head int
	parent     int
	commits    []int
	want       []string // severity and code of the findings about it, sorted

	// The decision, where it is not the usual one.
	gap, noEntry   bool
	why            string
	exit           int
	mode           string
	raised         int64  // how many times its default a limit of the judge is; 0 for once
	contract       string // of the bundle; "" is that of the base
	contractCommit int
	trust          facts.Trust
	repository     string
	repositoryID   string
	baseBranch     string
	overrider      string
	author         string // of the pull request; "" is agent
	merged         bool   // GitHub called the pull request merged when the gate asked
	judged         int    // the head of the bundle, when it is another one
	hide           string
	report         func(string) string
	entry          func(*archive.Entry)
	repair         bool
	omit           string
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, clock: 1_760_000_000}
	for i := range 3 { // before the gate
		w.push(map[string]string{fmt.Sprintf("src/old%d", i): "old\n"})
	}
	w.push(map[string]string{contractPath: worldContract, gatePath: worldWorkflow, "src/hot": ten})
	return w
}

// commit makes a commit; a file with the text "" is deleted.
func (w *world) commit(files map[string]string, parents ...int) int {
	w.mark++
	w.clock += 3600
	fmt.Fprintf(&w.h, "commit refs/work/%d\nmark :%d\ncommitter c <c@example.org> %d +0000\ndata 1\nm\n", w.mark, w.mark, w.clock)
	for i, p := range parents {
		fmt.Fprintf(&w.h, "%s :%d\n", [2]string{"from", "merge"}[min(i, 1)], p)
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if files[name] == "" {
			fmt.Fprintf(&w.h, "D %s\n", name)
		} else {
			w.h.put("100644", name, files[name])
		}
	}
	return w.mark
}

func (w *world) tip() int { return w.main[len(w.main)-1] }

// push puts a commit on the branch, without a deal.
func (w *world) push(files map[string]string, others ...int) int {
	parents := others
	if len(w.main) > 0 {
		parents = append([]int{w.tip()}, others...)
	}
	m := w.commit(files, parents...)
	w.main = append(w.main, m)
	return m
}

// The ways in which a change reaches the branch.
const (
	squash = iota
	merge
	rebase
	queue
	direct
)

// deal brings a change to the branch. merged are the files of the result where they differ from those of the head.
func (w *world) deal(name string, how int, merged map[string]string, want ...string) *deal {
	n := len(w.deals) + 1
	files := map[string]string{fmt.Sprintf("src/f%d", n%7): fmt.Sprintf("change %d\n", n), fmt.Sprintf("src/new%d", n): "new\n"}
	return w.dealOf(name, how, w.tip(), files, merged, want...)
}

func (w *world) dealOf(name string, how, base int, files, merged map[string]string, want ...string) *deal {
	slices.Sort(want)
	d := &deal{name: name, number: len(w.deals) + 1, base: base, parent: w.tip(), want: want}
	w.deals = append(w.deals, d)
	result := map[string]string{}
	for _, m := range []map[string]string{files, merged} {
		for k, v := range m {
			result[k] = v
		}
	}
	switch how {
	case squash, direct:
		d.head = w.commit(files, base)
		d.commits = []int{w.push(result)}
	case merge:
		d.head = w.commit(files, base)
		d.commits = []int{w.push(result, d.head)}
	case rebase:
		d.head = w.commit(files, w.commit(map[string]string{"src/step": name + "\n"}, base))
		d.commits = []int{w.push(map[string]string{"src/step": name + "\n"}), w.push(result)}
	case queue:
		d.commits = []int{w.push(map[string]string{"src/queued": name + "\n"}), w.push(result)}
		d.head = d.commits[1]
	}
	d.gap = how == direct
	if d.gap {
		d.why = archive.NoPullRequest
	}
	return d
}

// build makes the repository and its archive.
func (w *world) build() {
	fmt.Fprintf(&w.h, "reset refs/heads/main\nfrom :%d\n", w.tip())
	w.dir, w.ids = w.h.marked(w.t)
	w.git = openTest(w.t, w.dir)
	w.found = archive.Found{Schema: archive.FoundSchema, Origin: worldOrigin, Branch: "main", Date: int64(w.clock)}
	for _, d := range w.deals {
		if !d.noEntry {
			w.archive(d)
		}
	}
	w.write()
}

// write adds the entries to the archive.
func (w *world) write() {
	a := archive.Addition{Found: &w.found, Keep: archive.Keep{What: archive.KeepAll, MaxFile: archive.DefaultMaxFile}}
	for i := range w.found.Entries {
		a.New = append(a.New, i)
	}
	a.Open = func(i int, name string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(w.files[i][name])), nil
	}
	var stream bytes.Buffer
	if err := a.Write(&stream); err != nil {
		w.t.Fatal(err)
	}
	runGit(w.t, w.dir, stream.Bytes(), "fast-import", "--quiet", "--done")
}

func runGit(t testing.TB, dir string, in []byte, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Stdin, c.Env = dir, bytes.NewReader(in), append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=c", "GIT_AUTHOR_EMAIL=c@example.org", "GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.org", "GIT_COMMITTER_DATE=1770000000 +0000")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// archive makes the entry of a deal.
func (w *world) archive(d *deal) {
	e := archive.Entry{Schema: archive.EntrySchema, Kind: archive.Decision, Branch: "main", Replay: archive.ReplaySame}
	parent := w.ids[d.parent]
	e.Parent = &parent
	for _, c := range d.commits {
		e.Commits = append(e.Commits, w.ids[c])
	}
	if d.gap {
		gap := e
		gap.Kind, gap.Replay, gap.Why = archive.Gap, archive.ReplayNotTried, &d.why
		if d.why != archive.NoPullRequest {
			gap.PullRequests = []string{fmt.Sprint(d.number)}
		}
		w.found.Entries, w.files = append(w.found.Entries, gap), append(w.files, nil)
		if !d.repair {
			return
		}
		seq := int64(len(w.found.Entries) - 1)
		e.Repairs = &seq
	}
	bundle := w.bundle(d)
	r := w.judge(bundle, d)
	e.Run = &archive.Run{ID: fmt.Sprint(1000 + d.number), Attempt: 1, Event: "pull_request", Path: gatePath, Workflow: archive.WorkflowUnchanged}
	e.PullRequests, e.HeadSHA, e.Verdict, e.Tool = []string{fmt.Sprint(d.number)}, r.Subject.HeadSHA, &r.Verdict, &r.Tool
	for name, data := range bundle {
		f, err := archive.FileOf(name, bytes.NewReader(data))
		if err != nil {
			w.t.Fatal(err)
		}
		if name == report.FileName {
			e.ReportSHA256 = &f.SHA256
		}
		if name == d.omit {
			e.Omitted = append(e.Omitted, f)
		} else {
			e.Bundle = append(e.Bundle, f)
		}
	}
	slices.SortFunc(e.Bundle, archive.ByPath)
	if w.last = bundle; d.entry != nil {
		d.entry(&e)
	}
	w.found.Entries, w.files = append(w.found.Entries, e), append(w.files, bundle)
}

// bundle makes the inputs of a deal's decision, and the report.
func (w *world) bundle(d *deal) map[string][]byte {
	head := d.head
	if d.judged != 0 {
		head = d.judged
	}
	changes, err := w.git.Changes(w.ids[d.base], w.ids[head])
	if err != nil {
		w.t.Fatal(err)
	}
	changes = slices.DeleteFunc(slices.Clone(changes), func(c change.Change) bool { return c.Path == d.hide })
	list, err := change.Marshal(changes)
	if err != nil {
		w.t.Fatal(err)
	}
	text := []byte(d.contract)
	if d.contract == "" {
		var id string
		if _, id, _, err = w.git.Entry(w.ids[d.base], contractPath); err == nil {
			text, err = w.git.Blob(id, 1<<20)
		}
		if err != nil {
			w.t.Fatalf("%s: no contract, %v", d.name, err)
		}
	}
	f, err := w.facts(d, head).Marshal()
	if err != nil {
		w.t.Fatal(err)
	}
	log := w.log
	if log == nil {
		log = fmt.Appendf(nil, `{"command":["go","test","./..."],"exit_code":%d}`+"\n", d.exit)
	}
	return map[string][]byte{"scope_contract.json": text, "changes.json": list, "facts.json": f, "feedback_record.jsonl": log}
}

func (w *world) facts(d *deal, head int) *facts.Facts {
	or := func(s, usual string) string {
		if s == "" {
			return usual
		}
		return s
	}
	tree, err := w.git.CodeTree(w.ids[head], ".closeout/evidence")
	if err != nil {
		w.t.Fatal(err)
	}
	commit := d.base
	if d.contractCommit != 0 {
		commit = d.contractCommit
	}
	base, id := w.ids[d.base], w.ids[head]
	author, state := or(d.author, "agent"), "open"
	if d.merged {
		state = "closed"
	}
	f := &facts.Facts{
		Schema: facts.Schema,
		Subject: facts.Subject{
			Repository: or(d.repository, "acme/shop"), RepositoryID: or(d.repositoryID, "77"), PullRequest: int64(d.number), BaseBranch: or(d.baseBranch, "main"), DefaultBranch: "main",
			BaseSHA: base, MergeBaseSHA: base, HeadSHA: id, AcceptedTrees: []string{tree}, ChangesFrom: "git",
		},
		Contracts: []facts.ContractOrigin{{File: "scope_contract.json", Path: contractPath, Commit: w.ids[commit], Trust: facts.Trust(or(string(d.trust), "base"))}},
		Event:     facts.Event{Name: "pull_request", Action: "synchronize", HeadSHA: id, Sender: "agent"},
		GitHub: &facts.GitHub{
			PullRequest: &facts.PullRequest{
				Number: int64(d.number), State: state, Merged: d.merged, Author: author, AuthorID: worldPeople[author], AuthorType: "User", BaseBranch: or(d.baseBranch, "main"), BaseSHA: base, HeadSHA: id, LastHeadSHA: id, ChangedFiles: 2,
				Commits: []facts.Commit{{SHA: id, Author: "agent", AuthorID: "8", Committer: "agent", CommitterID: "8", Verified: true}},
				Reviews: []facts.Review{}, Comments: []facts.Comment{}, LabelEvents: []facts.LabelEvent{}, Labels: []string{}, SameHead: []facts.Peer{},
			},
			People: []facts.Person{{Login: "agent", ID: "8", Type: "User", Permission: "maintain"}, {Login: "mona", ID: "7", Type: "User", Permission: "maintain"}},
		},
	}
	if d.trust == facts.TrustOperator {
		f.Contracts[0].Commit = ""
	}
	return f
}

var worldPeople = map[string]string{"mona": "7", "agent": "8"}

// judge judges a bundle and adds the report to it. An override needs the code of a first report.
func (w *world) judge(bundle map[string][]byte, d *deal) *report.Report {
	r := w.judgeOnce(bundle, d)
	if d.overrider != "" {
		var f facts.Facts
		if err := json.Unmarshal(bundle["facts.json"], &f); err != nil || r.OverrideCode == nil {
			w.t.Fatalf("%s: no override code, %v", d.name, err)
		}
		pr := f.GitHub.PullRequest
		pr.Labels = []string{"closeout-override"}
		pr.LabelEvents = []facts.LabelEvent{{ID: "101", Event: "labeled", Label: "closeout-override", Actor: d.overrider, ActorID: worldPeople[d.overrider], ActorType: "User", CreatedAt: "2026-03-01T10:00:00Z"}}
		pr.Comments = []facts.Comment{{
			ID: "201", Author: d.overrider, AuthorID: worldPeople[d.overrider], Type: "User", CreatedAt: "2026-03-01T09:59:00Z", UpdatedAt: "2026-03-01T09:59:00Z",
			Body: "/closeout-override " + *r.OverrideCode + " the test machine has no disk left",
		}}
		text, err := f.Marshal()
		if err != nil {
			w.t.Fatal(err)
		}
		bundle["facts.json"] = text
		if r = w.judgeOnce(bundle, d); r.Verdict != report.Overridden {
			w.t.Fatalf("%s: the override is refused: %+v", d.name, r.OverrideRefused)
		}
	}
	data, err := report.Canonical(r)
	if err != nil {
		w.t.Fatal(err)
	}
	if d.report != nil {
		text := d.report(string(data))
		if err := json.Unmarshal([]byte(text), r); err != nil {
			w.t.Fatal(err)
		}
		data = []byte(text)
	}
	bundle[report.FileName] = data
	return r
}

func (w *world) judgeOnce(bundle map[string][]byte, d *deal) *report.Report {
	files := map[string]verify.Opener{}
	for name, data := range bundle {
		files[name] = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	}
	found, err := collect.BundleFrom(files, "bundle")
	if err != nil {
		w.t.Fatal(err)
	}
	found.Settings = verify.Settings{Mode: d.mode, Limits: input.DefaultLimits()}
	found.Settings.Limits.DiffBytes *= max(1, d.raised)
	r := verify.Judge(found.Bundle)
	want := report.Passed
	if d.exit != 0 {
		want = report.Failed
	}
	if r.Verdict != want && d.overrider == "" && !r.NotJudged() {
		w.t.Fatalf("%s: the verdict is %s, expected %s: %+v", d.name, r.Verdict, want, r.Findings)
	}
	return r
}

// asOf is the day of a second.
func asOf(seconds int) string { return time.Unix(int64(seconds), 0).UTC().Format(time.DateOnly) }

// audit audits a clone with the branch and the archive.
func (w *world) audit(dir string, change func(*AuditOptions)) *report.Audit {
	w.t.Helper()
	git := openTest(w.t, dir)
	o := AuditOptions{Branch: "main", Name: "main", AsOf: asOf(w.clock)}
	var err error
	if o.Tip, err = git.Resolve("main"); err != nil {
		w.t.Fatal(err)
	}
	if change != nil {
		change(&o)
	}
	a, err := git.Audit(o)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// compare wants what each deal expects, and nothing else.
func (w *world) compare(a *report.Audit) {
	w.t.Helper()
	got := map[string][]string{}
	for _, f := range a.Findings {
		got[f.Commit] = append(got[f.Commit], f.Severity+" "+f.Code)
		if f.Expected == "" || f.Actual == "" || f.Fix == "" || len(f.Fingerprint) != 64 {
			w.t.Errorf("a finding lacks something: %+v", f)
		}
	}
	shown := func(commit string) string {
		var lines []string
		for _, f := range a.Findings {
			if f.Commit == commit {
				lines = append(lines, fmt.Sprintf("  %s %s %s; found %s, expected %s", f.Code, f.Path, f.Message, f.Actual, f.Expected))
			}
		}
		return strings.Join(lines, "\n")
	}
	for _, d := range w.deals {
		var codes []string
		for _, c := range d.commits {
			codes = append(codes, got[w.ids[c]]...)
		}
		slices.Sort(codes)
		if !slices.Equal(codes, d.want) {
			w.t.Errorf("%s: found %q, expected %q\n%s", d.name, codes, d.want, shown(w.ids[d.commits[len(d.commits)-1]]))
		}
		for _, c := range d.commits {
			delete(got, w.ids[c])
		}
	}
	slices.Sort(got[""])
	slices.Sort(w.want)
	if !slices.Equal(got[""], w.want) {
		w.t.Errorf("about the archive: found %q, expected %q\n%s", got[""], w.want, shown(""))
	}
	delete(got, "")
	for commit, codes := range got {
		w.t.Errorf("about %q, which is no merge: found %q\n%s", commit, codes, shown(commit))
	}
}
