//go:build soak

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is a family of inputs that are made to be expensive. write fills a directory with one of a size, and gives the
// arguments of the command that judges it.
type hostile struct {
	name  string
	full  int // the size that BenchmarkHostile runs
	write func(t testing.TB, dir string, n int) []string

	small int    // the size that TestSoakHostileInputs runs
	limit string // the limit that it hits then
}

var hostileInputs = []hostile{
	{"approvals by files", 300, approvalsByFiles, 3, "--max-findings=9000"},
	{"null exits with ids", 16_000_000, nullExits, 100, "--max-log-ids=2000"},
	{"short records with ids", 20_000_000, shortRecords, 100, "--max-log-ids=100"},
	{"short records", 60_000_000, plainRecords, 100, "--max-log-lines=100"},
	{"wrong records", 60_000_000, wrongRecords, 100, "--max-log-lines=100"},
	{"blank lines", 60_000_000, blankLines, 100, "--max-log-lines=100"},
	{"wide record", 16 << 20, wideRecord, 1000, "--max-record-bytes=900"},
	{"escaped keys", 4 << 30, escapedKeys, 10_000, "--max-log-lines=100"},
	{"criteria by logs", 128_000, criteriaByLogs, 1000, "--max-log-ids=20000"},
	{"logs", 9_999, manyLogs, 30, "--max-log-lines=30"},
	{"too many logs", 50_000, manyLogs, 30, "--max-inputs=30"},
	{"odd symlinks", 75_000, oddSymlinks, 30, "--max-findings=50"},
	{"too many odd symlinks", 200_000, oddSymlinks, 30, "--max-path-bytes=10000"},
	{"long names", 15, longNames, 1, "--max-diff-line-bytes=60000000"},
	{"globs by long paths", 30_000, globsByPaths, 3, "--max-match-steps=1000000"},
	{"globs that look back", 30_000, globsThatLookBack, 3, "--max-match-steps=1000000"},
	{"severities by path", 200_000, severitiesByPath, 30, "--max-match-steps=100000"},
	{"universal globs", 200_000, universalGlobs, 30, "--max-match-steps=100000"},
	{"exceptions by rows", 190_000, exceptionsByRows, 30, "--max-match-steps=100000"},
	{"rule rows", 5 << 20, ruleRows, 1000, "--max-rows=10"},
	{"sarif results", 6 << 20, sarifResults, 1000, "--max-rows=10"},
	{"contract lists", 4 << 20, contractLists, 1000, "--max-values=100"},
	{"criteria", 4 << 20, manyCriteria, 1000, "--max-values=10"},
	{"folded classes", 4 << 20, foldedClasses, 1000, "--max-contract-bytes=500"},
	{"facts lists", 8 << 20, factsLists, 1000, "--max-values=100"},
	{"empty lists", 16 << 20, emptyLists, 1000, "--max-values=100"},
	{"junit cases", 16 << 20, junitCases, 1000, "--max-values=20"},
	{"go test events", 2_900_000, goTestEvents, 1000, "--max-rules-bytes=1000"},
	{"go test failures", 990_000, goTestFailures, 1000, "--max-values=100"},
	{"wrong sections", 1 << 30, wrongSections, 1000, "--max-diff-bytes=900"},
	{"tree bomb", 30_000, treeBomb, 30, "--max-tree-entries=1000"},
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

// globsByPaths compares ten thousand patterns that share no key with a path with long paths.
func globsByPaths(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "scope_contract.json", func(w *bufio.Writer) {
		w.WriteString(`{"allowed_files": [`)
		for i := range 9_990 {
			if i > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, `"**/*a*/**/*b*/**/*z%d?"`, i)
		}
		w.WriteString(`], ` + strings.SplitN(plainContract, ", ", 2)[1])
	})
	put(t, dir, "changes.json", func(w *bufio.Writer) {
		writeChanges(w, n, func(i int) string { return "src/" + strings.Repeat("abc/", 250) + fmt.Sprintf("%07d", i) }, "100644")
	})
	return args
}

// longNames touches n files with names of n times four million bytes.
func longNames(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "changes.json", func(w *bufio.Writer) {
		w.WriteString(`{"schema": "closeout.changes/v1", "files": [`)
		for i := range n {
			if i > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, `{"path":"%07d`, i)
			for range 4000 * n {
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

// treeBomb makes n directories of n entries of which all are one directory of n files: a few objects represent n to the third paths.
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

// globsThatLookBack contains stars that match parts of one long name, which is where a comparison goes back most often.
func globsThatLookBack(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "scope_contract.json", func(w *bufio.Writer) {
		w.WriteString(`{"allowed_files": [`)
		for i := range min(8_000, 100*n) {
			fmt.Fprintf(w, `"*%sb%s",`, strings.Repeat("a", 100+i%120), strings.Repeat("?", 1+i/120%30))
		}
		w.WriteString(`"x"], ` + strings.SplitN(plainContract, ", ", 2)[1])
	})
	put(t, dir, "changes.json", func(w *bufio.Writer) {
		writeChanges(w, n, func(i int) string { return strings.Repeat("a", 1000) + fmt.Sprintf("%07d", i) }, "100644")
	})
	return args
}

func contractWith(t testing.TB, dir, key string, n int, item func(i int) string) {
	put(t, dir, "scope_contract.json", func(w *bufio.Writer) {
		w.WriteString(strings.TrimSuffix(plainContract, "}") + `, "` + key + `": [`)
		for i := range n {
			if i > 0 {
				w.WriteByte(',')
			}
			w.WriteString(item(i))
		}
		w.WriteString("]}")
	})
}

func severitiesByPath(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	contractWith(t, dir, "severity_by_path", 9_900, func(i int) string { return fmt.Sprintf(`{"files": ["*%d?"], "severity": "warn"}`, i) })
	put(t, dir, "changes.json", func(w *bufio.Writer) {
		writeChanges(w, n, func(i int) string { return fmt.Sprintf("else/%07d", i) }, "100644")
	})
	return args
}

func universalGlobs(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "scope_contract.json", func(w *bufio.Writer) {
		w.WriteString(`{"allowed_files": [`)
		for i := range 4_900 {
			fmt.Fprintf(w, `"{**,%d}",`, i)
		}
		w.WriteString(`"**"], ` + strings.SplitN(plainContract, ", ", 2)[1])
	})
	put(t, dir, "changes.json", func(w *bufio.Writer) { w.WriteString(changesOf(n)) })
	return args
}

func exceptionsByRows(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "scope_contract.json", func(w *bufio.Writer) {
		w.WriteString(strings.TrimSuffix(plainContract, "}") + `, "rules": {"ignore": [`)
		for i := range 9_900 {
			if i > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, `{"id": "r", "files": ["*%d?"], "reason": "because of it", "until": "2099-01-01"}`, i)
		}
		w.WriteString("]}}")
	})
	put(t, dir, "facts.json", func(w *bufio.Writer) {
		w.WriteString(`{"schema": "closeout.facts/v1", "settings": {"today": "2026-01-01"}}`)
	})
	put(t, dir, "rule_report.json", func(w *bufio.Writer) {
		w.WriteByte('[')
		for i := range n {
			if i > 0 {
				w.WriteByte(',')
			}
			fmt.Fprintf(w, `{"id":"r","passed":false,"file":"x%d"}`, i)
		}
		w.WriteByte(']')
	})
	return args
}

// criteriaByLogs lets n records decide about as many pairs of a criterion and a log.
func criteriaByLogs(t testing.TB, dir string, n int) []string {
	args := plainBundle(t, dir)
	const criteria = 500
	put(t, dir, "scope_contract.json", func(w *bufio.Writer) {
		before, after, _ := strings.Cut(plainContract, `{"run": ["true"]}`)
		w.WriteString(before)
		for i := range criteria {
			fmt.Fprintf(w, `{"run": ["c", "%d"]},`, i)
		}
		w.WriteString(`{"run": ["true"]}` + after)
	})
	for log := range n / criteria {
		put(t, dir, fmt.Sprintf("feedback/%d.jsonl", log), func(w *bufio.Writer) {
			for i := range criteria {
				fmt.Fprintf(w, `{"command":["c","%d"],"exit_code":0}`+"\n", i)
			}
		})
	}
	return args
}

func manyCriteria(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	before, after, _ := strings.Cut(plainContract, `{"run": ["true"]}`)
	filled(t, dir, "scope_contract.json", before, func(i int) string {
		return fmt.Sprintf(`{"run": ["%s", "%d"]}`, strings.Repeat(`x\u00e9\"`, 30), i)
	}, after, size)
	return args
}

// foldedClasses contains as many different classes of characters as fit.
func foldedClasses(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	next := 0
	class := func() string {
		next++
		return fmt.Sprintf("[%c-%c]", 0x4e00+next%9000, 0x7000+next/9000)
	}
	filled(t, dir, "scope_contract.json", `{"forbidden_files": [`, func(int) string {
		var b strings.Builder
		for b.Len() < 240 {
			b.WriteString(class())
		}
		return fmt.Sprintf("%q", b.String())
	}, `], "allowed_files": ["src/**"], `+strings.SplitN(plainContract, ", ", 3)[2], size)
	return args
}

// wideRecord is one line with as many values as fit.
func wideRecord(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	filled(t, dir, "feedback_record.jsonl", plainLog+`{"exit_code":0,"command":["a",`, func(int) string { return `"",""` }, "]}\n", size-len(plainLog))
	return args
}

// escapedKeys are objects of many keys that must be unescaped to be compared.
func escapedKeys(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "feedback_record.jsonl", func(w *bufio.Writer) {
		w.WriteString(plainLog)
		for n := 0; n < size; {
			n += writeKeys(w, min(size, 15<<20))
		}
	})
	return args
}

func writeKeys(w *bufio.Writer, size int) int {
	n, _ := w.WriteString(`{"command":["a"],"exit_code":0,"x-":{"a":0`)
	for i := 0; n < size; i++ {
		k, _ := fmt.Fprintf(w, `,"\u0061%x":0`, i)
		n += k
	}
	w.WriteString("}}\n")
	return n
}

func junitCases(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	put(t, dir, "scope_contract.json", func(w *bufio.Writer) {
		w.WriteString(strings.Replace(plainContract, `"run": ["true"]`, `"run": ["true"], "test_report": "r.xml"`, 1))
	})
	put(t, dir, "tests/r.xml", func(w *bufio.Writer) {
		w.WriteString("<testsuite>")
		for n := 0; n < size-50; n += len("<testcase a='b'/>") {
			w.WriteString("<testcase a='b'/>")
		}
		w.WriteString("</testsuite>")
	})
	return args
}

// goTestEvents is a stream of one test that runs again and again, with a key that only the reader of any JSON reads.
func goTestEvents(t testing.TB, dir string, n int) []string {
	return goTestStream(t, dir, n, func(int) string { return `{"Action":"pass","Package":"p","Test":"A","x":1}` })
}

func goTestFailures(t testing.TB, dir string, n int) []string {
	return goTestStream(t, dir, n, func(i int) string {
		return fmt.Sprintf(`{"Action":"fail","Package":"p","Test":"A%07d%s"}`, i, strings.Repeat("a", 70))
	})
}

// goTestStream writes the same stream for the head and both trees of the tests of the base.
func goTestStream(t testing.TB, dir string, n int, event func(i int) string) []string {
	args := plainBundle(t, dir)
	put(t, dir, "scope_contract.json", func(w *bufio.Writer) {
		text := strings.Replace(plainContract, `"run": ["true"]`, `"id": "unit", "run": ["true"], "test_report": "r.json"`, 1)
		w.WriteString(strings.TrimSuffix(text, "}") + `, "tests": [{"files": ["tests/**"], "criteria": ["unit"]}]}`)
	})
	for _, place := range []string{"tests/r.json", "cross/base/tests/r.json", "cross/old_tests/tests/r.json"} {
		put(t, dir, place, func(w *bufio.Writer) {
			for i := range n {
				w.WriteString(event(i))
				w.WriteByte('\n')
			}
		})
	}
	return args
}

func wrongSections(t testing.TB, dir string, size int) []string {
	args := plainBundle(t, dir)
	if err := os.Remove(filepath.Join(dir, "changes.json")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "pr.diff", func(w *bufio.Writer) {
		for n := 0; n < size; n += len("diff --git a/x b/y\n") {
			w.WriteString("diff --git a/x b/y\n")
		}
	})
	return args
}
