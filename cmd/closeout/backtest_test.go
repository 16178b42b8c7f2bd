package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
)

// TestBacktestSchema compares the JSON that the script backtest wants with its schema, and with what the schema must refuse.
func TestBacktestSchema(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join(repository, "testdata/script/backtest.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := stricttest.Compile("backtest")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name != "want.json" {
			continue
		}
		var document map[string]any
		if err := json.Unmarshal(f.Data, &document); err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(document); err != nil {
			t.Error(err)
		}
		if document["globs"] = nil; compiled.Validate(document) != nil {
			t.Error("globs cannot be null")
		}
		if document["today"] = "2026-01-01"; compiled.Validate(document) == nil {
			t.Error("an unknown key is accepted")
		}
		return
	}
	t.Error("the script has no want.json")
}

// pastMerges writes a repository whose default branch has some merges, each of a commit that changes one of a hundred
// files in ten directories.
func pastMerges(t testing.TB, merges int) string {
	t.Helper()
	dir := t.TempDir()
	var stream strings.Builder
	commit := func(branch string, mark int, links ...int) {
		fmt.Fprintf(&stream, "commit refs/heads/%s\nmark :%d\nauthor mona <m@example.com> %d +0000\ncommitter mona <m@example.com> %d +0000\ndata 1\nx\n", branch, mark, mark, mark)
		for i, link := range links {
			fmt.Fprintf(&stream, "%s :%d\n", []string{"from", "merge"}[i], link)
		}
	}
	write := func(file, content int) {
		text := fmt.Sprint(content)
		fmt.Fprintf(&stream, "M 100644 inline d%d/f%d\ndata %d\n%s\n", file%10, file, len(text), text)
	}
	commit("main", 1)
	for file := range 100 {
		write(file, 0)
	}
	for i := range merges {
		commit("work", 2*i+2, 2*i+1)
		write(i%100, i+1)
		commit("main", 2*i+3, 2*i+1, 2*i+2)
		write(i%100, i+1)
	}
	for _, c := range []*exec.Cmd{exec.Command("git", "init", "-q", "-b", "main", dir), exec.Command("git", "-C", dir, "fast-import", "--quiet")} {
		c.Env, c.Stdin = gitEnv(), strings.NewReader(stream.String())
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c, err, out)
		}
	}
	contract := `{"allowed_files": ["d1/**", "d2/**"], "forbidden_files": ["d3/**"], "acceptance_criteria": ["make test"], "rollback_plan": "Revert it."}`
	if err := os.WriteFile(filepath.Join(dir, "contract.json"), []byte(contract), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestBacktestIsDeterministic judges with several workers, and wants the same bytes each time.
func TestBacktestIsDeterministic(t *testing.T) {
	dir := pastMerges(t, 300)
	args := []string{"backtest", "--repo", dir, "--contract-file", filepath.Join(dir, "contract.json"), "--last", "250", "--format", "json"}
	first, status := printed(t, args...)
	if status != run.ExitPassed || !strings.Contains(first, `"blocked": 200`) {
		t.Fatalf("status %d: %.400s", status, first)
	}
	for range 3 {
		if again, _ := printed(t, args...); again != first {
			t.Fatal("the result differs from run to run")
		}
	}
}

func BenchmarkBacktest(b *testing.B) {
	dir := pastMerges(b, 1000)
	for b.Loop() {
		var errs bytes.Buffer
		args := []string{"backtest", "--repo", dir, "--contract-file", filepath.Join(dir, "contract.json"), "--last", "1000"}
		if status := execute(args, console.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &errs}); status != run.ExitPassed {
			b.Fatal(errs.String())
		}
	}
}
