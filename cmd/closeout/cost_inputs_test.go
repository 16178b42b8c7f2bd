package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is a family of inputs that are made to be expensive. write fills a folder with one of a size, and gives the
// arguments of the command that judges it.
type hostile struct {
	name  string
	full  int // the size that BenchmarkHostile runs
	write func(t testing.TB, dir string, n int) []string
}

var hostileInputs = []hostile{
	{"approvals by files", 300, approvalsByFiles},
	{"null exits with ids", 16_000_000, nullExits},
	{"short records with ids", 20_000_000, shortRecords},
	{"short records", 60_000_000, plainRecords},
	{"wrong records", 100_000_000, wrongRecords},
	{"blank lines", 1 << 31, blankLines},
	{"odd symlinks", 200_000, oddSymlinks},
	{"globs by long paths", 60_000, globsByPaths},
	{"long names", 15, longNames},
	{"rule rows", 16 << 20, ruleRows},
	{"sarif results", 16 << 20, sarifResults},
	{"contract lists", 16 << 20, contractLists},
	{"facts lists", 16 << 20, factsLists},
	{"empty lists", 16 << 20, emptyLists},
	{"logs", 50_000, manyLogs},
	{"tree bomb", 30_000, treeBomb},
}

const (
	plainContract = `{"allowed_files": ["src/**"], "forbidden_files": ["secrets/**"], "acceptance_criteria": [{"run": ["true"]}],` +
		` "rollback_plan": "revert", "evidence": {"min": "claimed"}}`
	plainLog   = `{"command":["true"],"exit_code":0}` + "\n"
	plainRules = `{"block_failures": [], "warn_failures": []}`
	plainDiff  = "diff --git a/src/a b/src/a\nnew file mode 100644\nindex 0000000..e69de29\n"
)

// plainBundle writes a bundle that passes, over which an input is laid.
func plainBundle(t testing.TB, dir string) []string {
	t.Helper()
	for name, text := range map[string]string{
		"scope_contract.json": plainContract, "feedback_record.jsonl": plainLog, "rule_report.json": plainRules, "changes.json": changesOf(1),
	} {
		put(t, dir, name, func(w *bufio.Writer) { w.WriteString(text) })
	}
	return []string{"verify", "--quiet", dir}
}

// put streams a file to the disk: the peak of a child begins with its parent's, so nothing large is held here.
func put(t testing.TB, dir, name string, write func(w *bufio.Writer)) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

const blobID = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

func changesOf(n int) string {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	writeChanges(w, n, func(i int) string { return fmt.Sprintf("src/%07d", i) }, "100644")
	w.Flush()
	return b.String()
}

// writeChanges writes additions of n paths, which must ascend.
func writeChanges(w *bufio.Writer, n int, path func(i int) string, mode string) {
	w.WriteString(`{"schema": "closeout.changes/v1", "files": [`)
	for i := range n {
		if i > 0 {
			w.WriteString(",\n")
		}
		fmt.Fprintf(w, `{"path":%q,"status":"added","old_mode":"000000","new_mode":"%s","old_id":null,"new_id":"%s"}`, path(i), mode, blobID)
	}
	w.WriteString("]}\n")
}

// approvalsByFiles lets each of many approvals match each of n files.
func approvalsByFiles(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "scope_contract.json", func(w *bufio.Writer) {
		w.WriteString(strings.TrimSuffix(plainContract, "}") + `, "approvals_required": [`)
		for i := range 9_990 {
			if i > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, `{"id": "a%d", "files": "src/**"}`, i)
		}
		w.WriteString("]}")
	})
	put(t, dir, "changes.json", func(w *bufio.Writer) { w.WriteString(changesOf(n)) })
	return args
}

// logOf writes a log of n lines behind one that passes.
func logOf(t testing.TB, dir string, n int, line func(w *bufio.Writer, i int)) []string {
	args := plainBundle(t, dir)
	put(t, dir, "feedback_record.jsonl", func(w *bufio.Writer) {
		w.WriteString(plainLog)
		for i := range n {
			line(w, i)
		}
	})
	return args
}

func nullExits(t testing.TB, dir string, n int) []string {
	return logOf(t, dir, n, func(w *bufio.Writer, i int) {
		fmt.Fprintf(w, `{"command":["%x"],"command_id":"%x","exit_code":null}`+"\n", i%90_000, i)
	})
}

func shortRecords(t testing.TB, dir string, n int) []string {
	return logOf(t, dir, n, func(w *bufio.Writer, i int) {
		fmt.Fprintf(w, `{"command":["a"],"command_id":"%x","exit_code":0}`+"\n", i)
	})
}

func plainRecords(t testing.TB, dir string, n int) []string {
	return logOf(t, dir, n, func(w *bufio.Writer, _ int) { w.WriteString(`{"command":["a"],"exit_code":0}` + "\n") })
}

func wrongRecords(t testing.TB, dir string, n int) []string {
	return logOf(t, dir, n, func(w *bufio.Writer, _ int) { w.WriteString("{}\n") })
}

func blankLines(t testing.TB, dir string, n int) []string {
	return logOf(t, dir, n, func(w *bufio.Writer, _ int) { w.WriteByte('\n') })
}

// oddSymlinks adds symlinks whose names no two systems read alike.
func oddSymlinks(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "changes.json", func(w *bufio.Writer) {
		writeChanges(w, n, func(i int) string { return fmt.Sprintf("elsewhere/%07d/", i) + strings.Repeat("\u200b\u00e9", 100) }, "120000")
	})
	return args
}

// globsByPaths holds ten thousand patterns that share no key with a path against long paths.
func globsByPaths(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "scope_contract.json", func(w *bufio.Writer) {
		w.WriteString(`{"allowed_files": [`)
		for i := range 10_000 {
			if i > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, `"**/*a*/**/*b*/**/*c*/*%d?"`, i)
		}
		w.WriteString(`], ` + strings.SplitN(plainContract, ", ", 2)[1])
	})
	put(t, dir, "changes.json", func(w *bufio.Writer) {
		writeChanges(w, n, func(i int) string { return "src/" + strings.Repeat("abc/", 250) + fmt.Sprintf("%07d", i) }, "100644")
	})
	return args
}

// longNames touches n files with names of sixty million bytes.
func longNames(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "changes.json", func(w *bufio.Writer) {
		w.WriteString(`{"schema": "closeout.changes/v1", "files": [`)
		for i := range n {
			if i > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, `{"path":"%07d`, i)
			for range 60_000 {
				w.WriteString(strings.Repeat("n", 1000))
			}
			fmt.Fprintf(w, `","status":"added","old_mode":"000000","new_mode":"100644","old_id":null,"new_id":"%s"}`, blobID)
		}
		w.WriteString("]}\n")
	})
	return args
}

// filled writes a list of items up to a size, between two texts.
func filled(t testing.TB, dir, name, before string, item func(i int) string, after string, size int) {
	put(t, dir, name, func(w *bufio.Writer) {
		n, _ := w.WriteString(before)
		for i := 0; ; i++ {
			text := item(i)
			if i > 0 {
				text = "," + text
			}
			if n += len(text); n+len(after) > size {
				break
			}
			w.WriteString(text)
		}
		w.WriteString(after)
	})
}

func ruleRows(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	filled(t, dir, "rule_report.json", "[", func(i int) string { return fmt.Sprintf(`{"id":"%x","passed":false}`, i) }, "]", size)
	return args
}

func sarifResults(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	filled(t, dir, "rule_report.json", `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x","rules":[]}},"results":[`,
		func(i int) string { return fmt.Sprintf(`{"ruleId":"%x"}`, i) }, "]}]}", size)
	return args
}

func contractLists(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	filled(t, dir, "scope_contract.json", strings.TrimSuffix(plainContract, "}")+`,"x-notes":[`, func(i int) string { return "[{}]" }, "]}", size)
	return args
}

func factsLists(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	filled(t, dir, "facts.json", `{"schema":"closeout.facts/v1","argument_paths":[`, func(i int) string { return fmt.Sprintf(`"%x"`, i) }, "]}", size)
	return args
}

func emptyLists(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	filled(t, dir, "rule_report.json", "[", func(int) string { return "{}" }, "]", size)
	return args
}

func manyLogs(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	for i := range n {
		put(t, dir, fmt.Sprintf("feedback/%03d/%d.jsonl", i%1000, i), func(w *bufio.Writer) { w.WriteString(plainLog) })
	}
	return args
}

// treeBomb makes n folders of n entries of which all are one folder of n files: a few objects stand for n to the third paths.
func treeBomb(t testing.TB, dir string, n int) []string {
	plainBundle(t, dir)
	o := newObjects(t, "sha1")
	file := o.put("blob", "x")
	level := o.wide(n, "100644", file)
	for range 2 {
		level = o.wide(n, "40000", level)
	}
	base := o.commit(o.tree(files{".closeout/scope_contract.json": "f " + plainContract}))
	head := o.commit(level, base)
	return []string{
		"verify", "--quiet", "--repo", o.dir, "--base", base, "--head", head, "--feedback", "feedback_record.jsonl", "--rules", "rule_report.json",
	}
}

// wide writes a tree of n entries of one kind and id.
func (o *objects) wide(n int, mode, id string) string {
	list := make([]entry, n)
	for i := range list {
		list[i] = entry{mode, fmt.Sprintf("%06d", i), id}
	}
	return o.raw(list...)
}
