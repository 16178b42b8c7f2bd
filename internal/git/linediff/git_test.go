package linediff_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git/linediff"
)

// gitCounts asks git how many lines it removes and adds, for each pair of files of two directories; -1 where it says that
// a file is binary. The test is skipped where there is no git.
func gitCounts(t *testing.T, before, after map[string][]byte, options ...string) map[string][2]int {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git to compare with")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), before)
	write(t, filepath.Join(dir, "b"), after)
	args := append([]string{"diff", "--no-index", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"}, options...)
	cmd := exec.Command(git, append(args, "a", "b")...)
	cmd.Dir = dir
	cmd.Env = []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "HOME=" + dir, "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() > 1 { // 1: there are differences
		t.Fatalf("git: %v", err)
	}
	return numstat(t, string(out))
}

// numstat reads "added TAB removed TAB NUL old NUL new NUL" …, where a file is not on both sides "added TAB removed TAB
// name NUL".
func numstat(t *testing.T, out string) map[string][2]int {
	t.Helper()
	counts := map[string][2]int{}
	for out != "" {
		var row, name string
		row, out, _ = strings.Cut(out, "\x00")
		if f := strings.Split(row, "\t"); f[2] == "" {
			_, out, _ = strings.Cut(out, "\x00")
			name, out, _ = strings.Cut(out, "\x00")
			row += name
		}
		var removed, added int
		if strings.HasPrefix(row, "-\t-\t") {
			removed, added, name = -1, -1, row[4:]
		} else if _, err := fmt.Sscanf(row, "%d\t%d\t%s", &added, &removed, &name); err != nil {
			t.Fatalf("git wrote %q: %v", row, err)
		}
		counts[filepath.Base(name)] = [2]int{removed, added}
	}
	return counts
}

func write(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// sources are this project's own files: real text with real repetitions.
func sources(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS("../../.."), ".", func(name string, entry fs.DirEntry, err error) error {
		ext := filepath.Ext(name)
		if err != nil || entry.IsDir() || ext != ".go" && ext != ".md" && ext != ".json" {
			return err
		}
		text, err := os.ReadFile(filepath.Join("../../..", name))
		if len(text) > 0 {
			files[strings.ReplaceAll(name, "/", "-")] = text
		}
		return err
	})
	if err != nil || len(files) < 50 {
		t.Fatalf("%d sources, %v", len(files), err)
	}
	return files
}

// TestLikeGit compares the number of lines with git's shortest script. Even with --minimal git 2.39 sets lines aside that
// occur often, so that its script can be longer by a few; then ours must be a shortest one.
func TestLikeGit(t *testing.T) {
	before, after := sources(t), map[string][]byte{}
	for name, text := range before {
		after[name] = edited(text, 1+len(name)*len(lines(text))/100, int64(len(text)))
	}
	want := gitCounts(t, before, after, "--minimal")
	ours, gits := 0, 0
	for name := range before {
		result := linediff.Diff(before[name], after[name], linediff.Limits{})
		got := [2]int{len(result.Removed), len(result.Added)}
		if got != want[name] && got[0]+got[1] != shortest(before[name], after[name]) {
			t.Errorf("%s: %d lines, git has %d", name, got, want[name])
		}
		ours, gits = ours+got[0]+got[1], gits+want[name][0]+want[name][1]
	}
	if ours > gits || ours < gits-gits/1000 || gits < 1000 {
		t.Errorf("%d lines in all, git has %d", ours, gits)
	}
}

// TestGitEdges compares what decides on text, on lines and on their ends.
func TestGitEdges(t *testing.T) {
	nul := func(at int) []byte { return append(bytes.Repeat([]byte("x"), at), "\x00\n"...) }
	cases := map[string][2][]byte{
		"newline added":     {[]byte("a\nb"), []byte("a\nb\n")},
		"newline removed":   {[]byte("a\nb\n"), []byte("a\nb")},
		"appended":          {[]byte("a\nb"), []byte("a\nb\nc")},
		"prefix":            {[]byte("ab"), []byte("a")},
		"carriage returns":  {[]byte("a\r\nb\rc\n"), []byte("a\nb\rc\n")},
		"blank":             {[]byte("\n\n\n"), []byte("\n\n\n\n")},
		"from empty":        {[]byte(""), []byte("a")},
		"to empty":          {[]byte("a\nb\n"), []byte("")},
		"nul at 7999":       {nul(7999), nul(7998)},
		"nul at 8000":       {nul(8000), nul(8001)},
		"nul on one side":   {[]byte("a\n"), []byte("a\x00\n")},
		"utf-16 with bom":   {[]byte("\xff\xfea\x00\n\x00"), []byte("\xff\xfeb\x00\n\x00")},
		"latin-1":           {[]byte("caf\xe9\n"), []byte("caf\xe8\n")},
		"vertical tab, \\f": {[]byte("a\vb\fc\n"), []byte("a\vb\fd\n")},
	}
	before, after := map[string][]byte{}, map[string][]byte{}
	for name, c := range cases {
		file := strings.Map(func(r rune) rune { return map[bool]rune{true: r, false: '_'}[r >= '0' && r <= 'z' && r != '\\'] }, name)
		before[file], after[file] = c[0], c[1]
	}
	want := gitCounts(t, before, after)
	for name := range before {
		result := linediff.Diff(before[name], after[name], linediff.Limits{})
		got := [2]int{len(result.Removed), len(result.Added)}
		if result.State == linediff.Binary {
			got = [2]int{-1, -1}
		}
		if got != want[name] {
			t.Errorf("%s: %d lines (%s), git has %d", name, got, result.State, want[name])
		}
	}
}
