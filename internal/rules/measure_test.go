package rules

import (
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// The flags of TestMeasure; see "Measure a diff rule" in CONTRIBUTING.md.
var measured struct {
	clone, branch, list, rule string
	last, sample              int
	seed                      uint64
}

func TestMain(m *testing.M) {
	flag.StringVar(&measured.clone, "clone", "", "a git repository, bare or not, whose merged changes are measured")
	flag.StringVar(&measured.branch, "branch", "HEAD", "the `ref` whose first parents are the merged changes")
	flag.IntVar(&measured.last, "last", 1500, "how many of the newest changes are measured")
	flag.StringVar(&measured.list, "list", "", "a `file` of merged changes instead: lines of base, head and, if you like, a label")
	flag.StringVar(&measured.rule, "rule", "", "only these rules: whole `ids`, with commas between them")
	flag.IntVar(&measured.sample, "sample", 0, "how many hits of each rule are printed with their context")
	flag.Uint64Var(&measured.seed, "seed", 1, "chooses another sample")
	flag.Parse()
	os.Exit(m.Run())
}

// TestMeasure runs the rules over merged changes, and prints how often they find something, and where. Without -clone it tests
// itself on a repository of its own.
func TestMeasure(t *testing.T) {
	if measured.clone == "" {
		testMeasure(t)
		return
	}
	if !testing.Verbose() {
		t.Fatal("nothing would be printed: add -v before -args")
	}
	m := &measurement{clone: measured.clone, rules: All, sample: measured.sample, seed: measured.seed}
	if measured.rule != "" {
		ids := strings.Split(measured.rule, ",")
		m.rules = slices.DeleteFunc(slices.Clone(All), func(r *Rule) bool { return !slices.Contains(ids, r.ID) })
		if len(m.rules) != len(ids) {
			t.Fatalf("not all of %q are rules", ids)
		}
	}
	var err error
	if measured.list != "" {
		m.merges, err = listedMerges(measured.clone, measured.list)
	} else {
		m.merges, err = lastMerges(measured.clone, measured.branch, measured.last)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := m.run(); err != nil {
		t.Fatal(err)
	}
	m.print(os.Stdout)
}

// merge is a change that was merged.
type merge struct {
	base, head     string
	subject, label string
}

// The labels of merges. Those of bots are no part of the rates.
const (
	byAgent  = "agent"
	byPerson = "person"
	byBot    = "bot"
)

// agentMarks are in the author or co-author line of a change by an agent; the names of people are not among them.
var agentMarks = []string{
	"copilot", "devin-ai-integration", "cursoragent", "cursor agent", "@cursor.com", "noreply@anthropic.com", "claude code", "claude[bot]", "claude-",
	"codex", "@openai.com", "gemini-code-assist", "gemini-cli", "google-labs-jules", "openhands", "sweep-ai", "windsurf", "aider", "opencode", "sourcegraph amp",
	"ampcode", "pydanty[bot]", "roo code", "seer-by-sentry",
}

// label tells who wrote a change from its author and the lines of its message.
func label(author, message string) string {
	lines := strings.ToLower(author)
	for line := range strings.Lines(strings.ToLower(message)) {
		for _, key := range []string{"co-authored-by:", "generated-by:", "assisted-by:", "made-with:", "🤖 generated with"} {
			if rest, found := strings.CutPrefix(strings.TrimSpace(line), key); found {
				lines += "\n" + rest
			}
		}
	}
	switch {
	case slices.ContainsFunc(agentMarks, func(mark string) bool { return strings.Contains(lines, mark) }):
		return byAgent
	case strings.Contains(strings.ToLower(author), "[bot]"), strings.Contains(strings.ToLower(author), "bot <"):
		return byBot
	default:
		return byPerson
	}
}

// lastMerges lists the newest commits of a branch: each first parent against its child.
func lastMerges(clone, branch string, last int) ([]merge, error) {
	return gitMerges(clone, "", "--first-parent", "-n", fmt.Sprint(last), "--end-of-options", branch)
}

// listedMerges reads a list of base, head and label.
func listedMerges(clone, file string) ([]merge, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []merge
	heads := ""
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if len(words) < 2 {
			return nil, fmt.Errorf("%s: %q is no base and head", file, line)
		}
		list = append(list, merge{base: words[0], head: words[1], label: strings.Join(words[2:], " ")})
		heads += words[1] + "\n"
	}
	known, err := gitMerges(clone, heads, "--no-walk=unsorted", "--stdin")
	if err != nil {
		return nil, err
	}
	about := map[string]merge{}
	for _, m := range known {
		about[m.head] = m
	}
	for i := range list {
		list[i].subject, list[i].label = about[list[i].head].subject, cmp.Or(list[i].label, about[list[i].head].label)
	}
	return list, nil
}

func gitMerges(clone, stdin string, args ...string) ([]merge, error) {
	cmd := exec.Command("git", append([]string{"-C", clone, "log", "--format=%x1e%H%x1f%P%x1f%an <%ae>%x1f%s%x1f%B"}, args...)...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git log in %s: %w", clone, err)
	}
	var list []merge
	for _, entry := range strings.Split(string(out), "\x1e")[1:] {
		f := strings.SplitN(entry, "\x1f", 5)
		parent, _, _ := strings.Cut(f[1], " ")
		list = append(list, merge{base: parent, head: f[0], subject: f[3], label: label(f[2], f[4])})
	}
	return list, nil
}

// measurement is what all rules say about many merges.
type measurement struct {
	clone  string
	merges []merge
	rules  []*Rule
	sample int
	seed   uint64

	mu      sync.Mutex
	changes map[string]int // by label
	blocked map[string]int // those with a row that blocks, by label
	found   map[string]*findings
	times   []timed
	skipped int // changes with files that a partial clone lacks
	whole   time.Duration
}

// findings are the rows of a rule.
type findings struct {
	hits    int
	changes map[string]int // by label
	sample  example
}

type timed struct {
	head string
	took time.Duration
}

func (m *measurement) run() error {
	m.changes, m.blocked, m.found = map[string]int{}, map[string]int{}, map[string]*findings{}
	start := time.Now()
	var group sync.WaitGroup
	errs := make([]error, 2)
	next := make(chan merge)
	failed := make(chan struct{}, len(errs))
	for i := range errs {
		group.Add(1)
		go func() {
			defer group.Done()
			if errs[i] = m.work(next); errs[i] != nil {
				failed <- struct{}{}
			}
		}()
	}
send:
	for _, one := range m.merges {
		select {
		case next <- one:
		case <-failed:
			break send
		}
	}
	close(next)
	group.Wait()
	m.whole = time.Since(start)
	return errors.Join(errs...)
}

func (m *measurement) work(next <-chan merge) error {
	repo, err := git.Open(m.clone)
	if err != nil {
		return err
	}
	defer repo.Close()
	for one := range next {
		if one.base == "" {
			continue // the first commit has nothing before it
		}
		start := time.Now()
		c, err := readMerge(repo, one)
		if lost := (*git.MissingObject)(nil); errors.As(err, &lost) {
			m.skip()
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", one.head, err)
		}
		m.add(one, c, c.judge(m.rules).Rules, start)
	}
	return nil
}

func (m *measurement) skip() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.skipped++
}

// readMerge reads a change as the collector does.
func readMerge(repo *git.Repo, one merge) (*Change, error) {
	base, err := repo.Resolve(one.base)
	if err != nil {
		return nil, err
	}
	head, err := repo.Resolve(one.head)
	if err != nil {
		return nil, err
	}
	bases, err := repo.MergeBases(base, head)
	if err != nil || len(bases) == 0 {
		return nil, cmp.Or(err, errors.New("base and head have no common ancestor"))
	}
	before, err := repo.Commit(bases[0])
	if err != nil {
		return nil, err
	}
	after, err := repo.Commit(head)
	if err != nil {
		return nil, err
	}
	compared, err := repo.Compare(before.Tree, after.Tree)
	if err != nil {
		return nil, err
	}
	list := make([]change.Change, len(compared))
	for i, c := range compared {
		list[i] = change.Change{Path: c.Path, Status: change.Status(c.Status)}
		list[i].OldMode, list[i].OldID = modeAndID(c.OldMode, c.OldID)
		list[i].NewMode, list[i].NewID = modeAndID(c.NewMode, c.NewID)
	}
	errLarge := errors.New("too large")
	blob := func(id string, limit int64) ([]byte, error) {
		name, err := repo.ParseID(id)
		if err != nil {
			return nil, err
		}
		data, err := repo.Blob(name, limit)
		if large := (*git.TooLarge)(nil); errors.As(err, &large) {
			return nil, errLarge
		}
		return data, err
	}
	c, err := read(list, blob, errLarge)
	if err != nil {
		return nil, err
	}
	c.HeadHas = func(path string) bool {
		entry, found, err := repo.Lookup(head, path)
		return err == nil && found && (entry.Mode == 0o100644 || entry.Mode == 0o100755)
	}
	return c, nil
}

func modeAndID(mode uint32, id git.ID) (change.Mode, string) {
	if id.IsZero() {
		return "000000", ""
	}
	return change.Mode(fmt.Sprintf("%06o", mode)), id.String()
}

// add counts the rows of a change.
func (m *measurement) add(one merge, c *Change, rows []reports.DiffRow, start time.Time) {
	took := time.Since(start)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.times = append(m.times, timed{one.head, took})
	m.changes[one.label]++
	counted := map[string]bool{}
	for _, row := range rows {
		if row.Passed {
			continue
		}
		f := m.found[row.ID]
		if f == nil {
			f = &findings{changes: map[string]int{}, sample: example{most: m.sample}}
			m.found[row.ID] = f
		}
		f.hits++
		f.sample.offer(m.seed, one, c, row)
		if !counted[row.ID] {
			counted[row.ID] = true
			f.changes[one.label]++
		}
		if row.Severity == input.Block && !counted[""] {
			counted[""] = true
			m.blocked[one.label]++
		}
	}
}

// example is a sample of hits: those whose hashes are the smallest, whatever the order in which they are found. It is a heap
// with the largest hash first.
type example struct {
	most int
	hits []chosen
}

type chosen struct {
	order uint64
	text  string
}

func (e *example) Len() int           { return len(e.hits) }
func (e *example) Less(i, j int) bool { return e.hits[i].order > e.hits[j].order }
func (e *example) Swap(i, j int)      { e.hits[i], e.hits[j] = e.hits[j], e.hits[i] }
func (e *example) Push(hit any)       { e.hits = append(e.hits, hit.(chosen)) }
func (e *example) Pop() any {
	last := e.hits[len(e.hits)-1]
	e.hits = e.hits[:len(e.hits)-1]
	return last
}

func (e *example) offer(seed uint64, one merge, c *Change, row reports.DiffRow) {
	hash := fnv.New64a()
	fmt.Fprint(hash, seed, one.head, row)
	order := hash.Sum64() * 0x9e3779b97f4a7c15
	if e.most == 0 || len(e.hits) == e.most && order >= e.hits[0].order {
		return
	}
	heap.Push(e, chosen{order, describe(one, c, row)})
	if len(e.hits) > e.most {
		heap.Pop(e)
	}
}

// describe prints a hit and the lines around it.
func describe(one merge, c *Change, row reports.DiffRow) string {
	var out strings.Builder
	side := ""
	if row.Side != "" {
		side = row.Side + ":"
	}
	fmt.Fprintf(&out, "--- %s  %.12s  %s  %.100s\n    %s%s:%d\n", row.ID, one.head, one.label, one.subject, side, row.File, row.Line)
	for _, field := range [][2]string{{"was", row.Was}, {"now", row.Now}, {"detail", row.Detail}} {
		if field[1] != "" {
			fmt.Fprintf(&out, "    %s: %q\n", field[0], field[1])
		}
	}
	for _, f := range c.Files {
		if f.Path == row.File {
			f.showAround(&out, row)
		}
	}
	return out.String()
}

// around prints the lines near a row in both versions: those that differ are marked.
func (f *File) showAround(out io.Writer, row reports.DiffRow) {
	before, after := int(row.Line), int(row.Line)
	for _, h := range f.Hunks() {
		shift := len(h.Added) - len(h.Removed)
		switch {
		case row.Side != "" && len(h.Removed) > 0 && h.Removed[0].Number < before, row.Side != "" && len(h.Removed) == 0:
			after += shift
		case row.Side == "" && len(h.Added) > 0 && h.Added[0].Number < after, row.Side == "" && len(h.Added) == 0 && h.Removed[0].Number < before:
			before -= shift
		}
	}
	excerpt(out, "base", "-", f.Base, before, f.Removed())
	excerpt(out, "head", "+", f.Head, after, f.Added())
}

func excerpt(out io.Writer, side, mark string, f *source.File, at int, changed []linediff.Line) {
	if f == nil {
		return
	}
	const above, below = 5, 4
	for n := max(1, at-above); n <= min(f.Lines(), at+below); n++ {
		sign := " "
		if slices.ContainsFunc(changed, func(l linediff.Line) bool { return l.Number == n }) {
			sign = mark
		}
		fmt.Fprintf(out, "    %s %5d %s %s\n", side, n, sign, printable(f.Line(n)))
	}
}

// printable cuts a line, and names the characters that a terminal does not show.
func printable(line []byte) string {
	quoted := fmt.Sprintf("%+q", line[:min(len(line), 160)])
	return strings.NewReplacer(`\t`, "  ", `\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}

// print writes the report.
func (m *measurement) print(out io.Writer) {
	slices.SortFunc(m.times, func(a, b timed) int { return cmp.Compare(a.took, b.took) })
	people := m.changes[byAgent] + m.changes[byPerson]
	fmt.Fprintf(out, "%d changes: agent %d, person %d, bot %d\n", len(m.times), m.changes[byAgent], m.changes[byPerson], m.changes[byBot])
	if m.skipped > 0 {
		fmt.Fprintf(out, "%d more changes have files that the clone lacks, and are left out\n", m.skipped)
	}
	if n := len(m.times); n > 0 {
		fmt.Fprintf(out, "%v; a change: median %v, p99 %v, slowest %v (%.12s)\n", m.whole.Round(time.Millisecond), m.times[n/2].took, m.times[n*99/100].took,
			m.times[n-1].took, m.times[n-1].head)
	}
	fmt.Fprintf(out, "\n%-40s %-7s %6s %8s %14s %14s %14s %5s\n", "rule", "level", "hits", "changes", "agent", "person", "both", "bot")
	for _, r := range m.rules {
		f := m.found[r.ID]
		if f == nil {
			f = &findings{}
		}
		all := 0
		for _, n := range f.changes {
			all += n
		}
		fmt.Fprintf(out, "%-40s %-7s %6d %8d %s %s %s %5d\n", r.ID, r.Severity, f.hits, all, share(f.changes[byAgent], m.changes[byAgent]),
			share(f.changes[byPerson], m.changes[byPerson]), share(f.changes[byAgent]+f.changes[byPerson], people), f.changes[byBot])
	}
	fmt.Fprintf(out, "%-40s %-7s %6s %8d %s %s %s %5d\n", "changes with a row that blocks", "", "", m.blocked[byAgent]+m.blocked[byPerson]+m.blocked[byBot],
		share(m.blocked[byAgent], m.changes[byAgent]), share(m.blocked[byPerson], m.changes[byPerson]), share(m.blocked[byAgent]+m.blocked[byPerson], people), m.blocked[byBot])
	for _, r := range m.rules {
		if f := m.found[r.ID]; f != nil {
			slices.SortFunc(f.sample.hits, func(a, b chosen) int { return cmp.Compare(a.order, b.order) })
			for _, hit := range f.sample.hits {
				fmt.Fprintf(out, "\n%s", hit.text)
			}
		}
	}
}

func share(n, of int) string {
	return fmt.Sprintf("%5d %6.2f %%", n, 100*float64(n)/float64(max(of, 1)))
}

// testMeasure measures three changes: by a person, an agent and a bot. The agent skips a test.
func testMeasure(t *testing.T) {
	dir := t.TempDir()
	commit := func(author, message string, files ...string) {
		for i := 0; i < len(files); i += 2 {
			if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		runGit(t, dir, "add", "-A")
		runGit(t, dir, "-c", "user.name=P", "-c", "user.email=p@example.com", "commit", "-q", "--author", author, "-m", message)
	}
	runGit(t, dir, "init", "-q", "-b", "main")
	const body = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n%s\tif f() != 1 {\n\t\tt.Error(\"f\")\n\t}\n}\n"
	commit("P <p@example.com>", "begin", "a_test.go", fmt.Sprintf(body, ""), "a.go", "package a\n\nfunc f() int { return 1 }\n")
	commit("P <p@example.com>", "return two", "a.go", "package a\n\nfunc f() int { return 2 }\n")
	commit("P <p@example.com>", "make it green\n\nCo-authored-by: Copilot <1+Copilot@users.noreply.github.com>", "a_test.go", fmt.Sprintf(body, "\tt.Skip()\n"))
	commit("dependabot[bot] <1+dependabot[bot]@users.noreply.github.com>", "bump", "go.mod", "module a\n")

	merges, err := lastMerges(dir, "main", 3)
	if err != nil {
		t.Fatal(err)
	}
	first := runMeasure(t, &measurement{clone: dir, merges: merges, rules: []*Rule{ByID("closeout/test-skipped")}, sample: 5})
	for _, want := range []string{"3 changes: agent 1, person 1, bot 1\n", "make it green", "a_test.go:6", "head     6 +   t.Skip()", "1 100.00 %"} {
		if !strings.Contains(first, want) {
			t.Errorf("the report lacks %q:\n%s", want, first)
		}
	}
	list := filepath.Join(dir, "list")
	lines := fmt.Sprintf("# base head label\n%s %s person\n", merges[1].base, merges[1].head)
	if err := os.WriteFile(list, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	if merges, err = listedMerges(dir, list); err != nil {
		t.Fatal(err)
	}
	if got := runMeasure(t, &measurement{clone: dir, merges: merges, rules: All}); !strings.Contains(got, "1 changes: agent 0, person 1, bot 0\n") {
		t.Errorf("the report of the list is:\n%s", got)
	}
}

func runMeasure(t *testing.T, m *measurement) string {
	t.Helper()
	if err := m.run(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	m.print(&out)
	return out.String()
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
