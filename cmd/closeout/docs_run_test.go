package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/present/console"
)

// The documents show sessions of a terminal in blocks of the language console: a command after "$ ", its further lines after
// "> ", and then what it prints on both streams. All blocks of a page run in one shell, in an empty directory. A comment
// <!-- run ... --> contains commands that a reader need not see, <!-- file: PATH --> writes the next block into a file.
// In what is printed, a line "..." is any number of lines, and [...] any text in a line.

// docSession is a command of a page, and what the page says that it prints.
type docSession struct {
	line    int    // of the page
	command string // "" runs nothing
	hidden  bool   // the page says nothing of its output
	shown   []string
}

// docPages are the documents that a reader reads.
func docPages(t *testing.T) []string {
	t.Helper()
	list := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}
	root := os.DirFS(repository)
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		more, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, more...)
	}
	return list
}

// readSessions finds the commands of a page, in order.
func readSessions(text string) (list []docSession) {
	var file, block string
	inside, hidden := false, false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "<!-- file: "):
			file = strings.TrimSuffix(strings.TrimPrefix(line, "<!-- file: "), " -->")
		case line == "<!-- run":
			hidden = true
			list = append(list, docSession{line: i + 1, hidden: true})
		case hidden && line == "-->":
			hidden = false
		case hidden:
			list[len(list)-1].command += line + "\n"
		case strings.HasPrefix(line, "```") && !inside:
			inside, block = true, strings.TrimPrefix(line, "```")
			if file != "" {
				list = append(list, docSession{line: i + 1, hidden: true, command: "mkdir -p \"$(dirname '" + file + "')\" && cat > '" + file + "' <<'closeout-end'\n"})
			}
		case line == "```" && inside:
			if file != "" {
				list[len(list)-1].command += "closeout-end\n"
			}
			inside, file = false, ""
		case inside && file != "":
			list[len(list)-1].command += line + "\n"
		case inside && block == "console" && strings.HasPrefix(line, "$ "):
			list = append(list, docSession{line: i + 1, command: strings.TrimPrefix(line, "$ ") + "\n"})
		case inside && block == "console" && len(list) > 0 && strings.HasPrefix(line, "> ") && len(list[len(list)-1].shown) == 0:
			list[len(list)-1].command += strings.TrimPrefix(line, "> ") + "\n"
		case inside && block == "console" && len(list) > 0:
			list[len(list)-1].shown = append(list[len(list)-1].shown, line)
		}
	}
	return list
}

// printedBy runs the commands in one shell and returns what each of them prints.
func printedBy(t *testing.T, list []docSession) []string {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin") // where a page may put programs
	home := filepath.Join(dir, "home")
	for _, d := range []string{bin, home, filepath.Join(dir, "repo")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const mark = "\x1e"
	var script strings.Builder
	for _, s := range list {
		fmt.Fprintf(&script, "%sclosed=$?; printf '\\036'; (exit $closed)\n", s.command)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", script.String())
	shell.Dir = filepath.Join(dir, "repo")
	shell.Env = gitEnv("HOME="+home, "GOCACHE="+goCache(t), "GOTOOLCHAIN=local", "GOFLAGS=", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "REPOSITORY="+repositoryRoot(),
		"TERM=dumb", "NO_COLOR=1", "GITHUB_ACTIONS=", "LC_ALL=C.UTF-8")
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	if err := shell.Run(); ctx.Err() != nil {
		t.Fatal(cmp.Or(err, ctx.Err()))
	}
	texts := strings.Split(strings.TrimSuffix(out.String(), mark), mark)
	if len(texts) != len(list) {
		t.Fatalf("%d of %d commands ran:\n%s", len(texts), len(list), out.String())
	}
	return texts
}

// goCache is the cache of the build that runs this test: with an empty one, a page would compile the standard library.
func goCache(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(dir))
}

// matches compares what is printed with what is shown.
func matches(printed string, shown []string) bool {
	var b strings.Builder
	b.WriteString("^")
	for _, line := range shown {
		if line == "..." {
			b.WriteString("(?:[^\n]*\n)*")
			continue
		}
		parts := strings.Split(line, "[...]")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		b.WriteString(strings.Join(parts, "[^\n]*") + "\n")
	}
	return regexp.MustCompile(b.String() + "$").MatchString(printed)
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		printed string
		shown   []string
		want    bool
	}{
		{"", nil, true}, {"a\n", nil, false}, {"a\n", []string{"a"}, true}, {"a.c\n", []string{"abc"}, false}, {"abc\n", []string{"a.c"}, false},
		{"a\nb\nc\n", []string{"a", "..."}, true}, {"a\nb\nc\n", []string{"...", "b"}, false}, {"tree 1234 ok\n", []string{"tree [...] ok"}, true},
		{"tree 12\n34 ok\n", []string{"tree [...] ok"}, false},
	} {
		if got := matches(c.printed, c.shown); got != c.want {
			t.Errorf("matches(%q, %q) is %v", c.printed, c.shown, got)
		}
	}
}

// TestCommandsOfDocuments wants every command line of closeout that a page shows outside of a session to have only
// subcommands and flags that exist.
func TestCommandsOfDocuments(t *testing.T) {
	command := regexp.MustCompile("(?m)^(?:    |\\$ |> )?(?:\\w+=\\S* )*(?:closeout|go run \\./cmd/closeout) +([a-z]+)((?: [^\n#|>`]*)?)")
	inline := regexp.MustCompile("`closeout ([a-z]+)((?: [^`]*)?)`")
	seen := 0
	for _, page := range docPages(t) {
		if page == "docs/upgrading.md" || page == "docs/reference/upgrading-0.2.md" {
			continue // it names what was removed
		}
		data, err := os.ReadFile(filepath.Join(repository, page))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "\\\n", " ")
		for _, m := range append(command.FindAllStringSubmatch(text, -1), inline.FindAllStringSubmatch(text, -1)...) {
			seen++
			checkCommand(t, page, m[1], m[2])
		}
	}
	if seen < 10 {
		t.Errorf("%d commands found: the pattern is wrong", seen)
	}
}

var flagWord = regexp.MustCompile(`(?:^|[\s\[])(--[a-z][a-z0-9-]*)`)

func checkCommand(t *testing.T, page, name, rest string) {
	t.Helper()
	root := newRoot(console.Streams{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	path := []string{name}
	if name == "archive" || name == "hook" || name == "item" { // those with commands below them
		path = append(path, strings.Fields(rest + " x")[0])
	}
	c, _, err := root.Find(path)
	if err != nil || c == root {
		t.Errorf("%s: there is no command %s", page, strconv.Quote("closeout "+name))
		return
	}
	c.InitDefaultHelpFlag()
	rest, _, _ = strings.Cut(rest, " -- ")
	known := map[string]bool{}
	add := func(f *pflag.Flag) { known["--"+f.Name] = true }
	c.Flags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	for _, m := range flagWord.FindAllStringSubmatch(rest, -1) {
		if !known[m[1]] {
			t.Errorf("%s: closeout %s has no flag %s", page, name, m[1])
		}
	}
}
