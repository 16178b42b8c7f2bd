package clone_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/verify/report"
)

// simulated are the mean sizes of the files of a decision, as they were measured.
var simulated = []struct {
	name  string
	bytes int
}{
	{"changes.json", 1639}, {"facts.json", 1100}, {"feedback_record.jsonl", 10246}, {"rule_report.json", 40}, {report.FileName, 5649},
}

// simulation is decisions about no change: half of each text is words that repeat, the rest hex digits.
type simulation struct {
	found *archive.Found
	files map[string][]byte
}

func newSimulation(first, count int, after *string) *simulation {
	s := &simulation{&archive.Found{Schema: archive.FoundSchema, Origin: "closeout-archive/github.com/o/r", Branch: "main", After: after, Size: int64(first), Date: 1_700_000_000}, map[string][]byte{}}
	for i := range count {
		random := rand.New(rand.NewPCG(uint64(first+i), 1))
		commit, verdict := commitID(first+i), report.Passed
		e := archive.Entry{
			Schema: archive.EntrySchema, Kind: archive.Decision, Branch: "main", Commits: []string{commit}, Parent: after, PullRequests: []string{fmt.Sprint(first + i + 1)},
			HeadSHA: &commit, Verdict: &verdict, Tool: &report.Tool{Name: "closeout", Version: "0.4.0"}, Replay: archive.ReplaySame,
			Run: &archive.Run{ID: fmt.Sprint(1000 + first + i), Attempt: 1, Event: "pull_request", Path: ".github/workflows/closeout.yml", Workflow: archive.WorkflowUnchanged},
		}
		for _, f := range simulated {
			text := text(random, f.bytes)
			file, _ := archive.FileOf(f.name, bytes.NewReader(text))
			e.Bundle = append(e.Bundle, file)
			s.files[fmt.Sprint(i, f.name)] = text
			if f.name == report.FileName {
				e.ReportSHA256 = &file.SHA256
			}
		}
		slices.SortFunc(e.Bundle, archive.ByPath)
		s.found.Entries = append(s.found.Entries, e)
		after = &commit
	}
	return s
}

func commitID(i int) string {
	sum := sha256.Sum256(fmt.Append(nil, i))
	return hex.EncodeToString(sum[:20])
}

// text is JSON in which about every third byte is new.
func text(random *rand.Rand, size int) []byte {
	var b bytes.Buffer
	for b.Len() < size {
		fmt.Fprintf(&b, `{"path": "src/module/file_%d.go", "status": "modified", "id": "%016x%016x"}, `, random.IntN(1000), random.Uint64(), random.Uint64())
	}
	return b.Bytes()[:size]
}

// stream writes the commit that adds the simulated decisions to an archive.
func (s *simulation) stream(tb testing.TB, w io.Writer, state *archive.State) {
	tb.Helper()
	positions, _, err := s.found.New(state)
	if err != nil {
		tb.Fatal(err)
	}
	a := &archive.Addition{
		State: state, Found: s.found, New: positions, Keep: archive.Keep{What: archive.KeepAll, MaxFile: archive.DefaultMaxFile},
		Open: func(i int, name string) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(s.files[fmt.Sprint(i, name)])), nil
		},
	}
	if err := a.Write(w); err != nil {
		tb.Fatal(err)
	}
}

// archiveOf makes a bare repository with an archive of simulated decisions, some for each commit.
func archiveOf(tb testing.TB, count, each int, options ...string) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "archive.git")
	gitIn(tb, "", nil, append(append([]string{"init", "--quiet", "--bare"}, options...), dir)...)
	var all bytes.Buffer
	all.WriteString("feature done\n")
	var state *archive.State
	var after *string
	for first := 0; first < count; first += each {
		s := newSimulation(first, min(each, count-first), after)
		var one bytes.Buffer
		s.stream(tb, &one, state)
		text := strings.TrimSuffix(strings.TrimPrefix(one.String(), "feature done\n"), "done\n")
		all.WriteString(strings.Replace(text, "from "+archive.Ref+"^0\n", "", 1)) // within a stream, a commit follows the one before
		state = stateIn(tb, one.Bytes())
		last := state.Last["main"]
		after = &last
	}
	all.WriteString("done\n")
	gitIn(tb, dir, &all, "fast-import", "--quiet", "--done")
	return dir
}

// stateIn is the state.json of a stream.
func stateIn(tb testing.TB, stream []byte) *archive.State {
	tb.Helper()
	at := bytes.LastIndex(stream, []byte("M 100644 inline state.json\ndata "))
	var size int
	rest := stream[at+len("M 100644 inline state.json\ndata "):]
	if _, err := fmt.Sscanf(string(rest[:20]), "%d\n", &size); err != nil {
		tb.Fatal(err)
	}
	text := rest[bytes.IndexByte(rest, '\n')+1:][:size]
	state, errs := archive.ReadState(text)
	if errs.Any() {
		tb.Fatal(errs.All())
	}
	return state
}

func gitIn(tb testing.TB, dir string, in io.Reader, args ...string) string {
	tb.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, in
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// checked checks the archive of a repository.
func checked(tb testing.TB, dir string, how clone.ArchiveCheck) *archive.Check {
	tb.Helper()
	git, err := clone.Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer git.Close()
	a, err := git.Archive("")
	if err != nil {
		tb.Fatal(err)
	}
	check, err := a.Check(how)
	if err != nil {
		tb.Fatal(err)
	}
	return check
}

// BenchmarkArchiveAdd writes the commit of a hundred decisions, of 19 KB each.
func BenchmarkArchiveAdd(b *testing.B) {
	s := newSimulation(0, 100, nil)
	for b.Loop() {
		s.stream(b, io.Discard, nil)
	}
}

// BenchmarkArchiveVerify checks ten thousand decisions, each from a commit of its own, and reports the peak of the heap and how many bytes
// a decision takes in the pack.
func BenchmarkArchiveVerify(b *testing.B) {
	const decisions = 10_000
	dir := archiveOf(b, decisions, 1)
	packs, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack"))
	if err != nil || len(packs) == 0 {
		b.Fatal("no pack", err)
	}
	size := int64(0)
	for _, pack := range packs {
		if info, err := os.Stat(pack); err == nil {
			size += info.Size()
		}
	}
	for b.Loop() {
		if c := checked(b, dir, clone.ArchiveCheck{}); len(c.Problems) > 0 || c.Size != decisions {
			b.Fatalf("%d entries, problems %v", c.Size, c.Problems)
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.HeapSys)/(1<<20), "MiB-heap")
	b.ReportMetric(float64(size)/decisions, "B/decision")
}
