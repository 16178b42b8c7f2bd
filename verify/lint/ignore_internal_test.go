package lint

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestIgnoredAsGit compares rules of random .gitignore files with what git says about them.
func TestIgnoredAsGit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	files := map[string]string{}
	var asked []string
	for i := range 150 {
		dir := fmt.Sprintf("d%d", i)
		var rules strings.Builder
		for range 1 + random.IntN(4) {
			line := pick("", "", "!", "/", "!/", "# ", `\!`) + pick("a", "b", "*", "a*", "?", "[ab]", "[!a]", "**", "*.c", "x.c", `\a`, "a\\ ", "[a-")
			for range random.IntN(3) {
				line += "/" + pick("a", "b", "*", "**", "x.c", "*.c")
			}
			rules.WriteString(line + pick("", "", "/", " ", "/ ", "/*", "/**") + pick("\n", "\r\n"))
		}
		files[dir+"/.gitignore"] = rules.String()
		if random.IntN(3) == 0 {
			files[dir+"/a/.gitignore"] = pick("!b", "b", "/b", "!*", "*", "!x.c\n") + "\n"
		}
		if files[dir+"/a/.gitignore"] == "" { // else it is a directory
			asked = append(asked, dir+"/a")
		}
		for _, p := range []string{"b", "x.c", "a/b", "a/x.c", "a/b/x.c", "b/a/b/x.c", "a ", "!a", "a/b/a"} {
			asked = append(asked, dir+"/"+p)
		}
	}
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := &linter{tree: newTree(&Input{Read: Texts(files).Read})}
	wrong := 0
	for p, ignored := range askGit(t, root, asked) {
		if got := l.ignored(p); got != ignored && wrong < 10 {
			wrong++
			dir, _, _ := strings.Cut(p, "/")
			t.Errorf("%q with %q and %q: ignored %v, git says %v", p, files[dir+"/.gitignore"], files[dir+"/a/.gitignore"], got, ignored)
		}
	}
}

// askGit asks git which paths it ignores.
func askGit(t *testing.T, root string, paths []string) map[string]bool {
	t.Helper()
	git := func(stdin string, args ...string) string {
		command := exec.Command("git", args...)
		command.Dir, command.Stdin = root, strings.NewReader(stdin)
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		var out, errs bytes.Buffer
		command.Stdout, command.Stderr = &out, &errs
		if err := command.Run(); err != nil && errs.Len() > 0 {
			t.Fatalf("git %q: %v: %s", args, err, errs.String())
		}
		return out.String()
	}
	git("", "init", "-q", ".")
	answers := map[string]bool{}
	fields := strings.Split(git(strings.Join(paths, "\x00")+"\x00", "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"), "\x00")
	for ; len(fields) >= 4; fields = fields[4:] {
		answers[fields[3]] = fields[0] != "" && !strings.HasPrefix(fields[2], "!")
	}
	if len(answers) != len(paths) {
		t.Fatalf("git answers %d questions of %d", len(answers), len(paths))
	}
	return answers
}
