package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/closeout-gate/closeout/internal/present/console"
)

// mistake is what a newcomer gets wrong, and what the answer must contain. testdata/mistakes/README.md describes the
// lines of a case.
type mistake struct {
	title  string
	setup  []string // lines that change the files, in order
	call   []string // the words after closeout
	exit   int
	at     []string // "PATH:LINE:COLUMN CODE" of findings in the report
	say    []string // what the printed text contains
	fix    [2]string
	inRepo bool
}

// TestMistakes replays mistakes: the exit code, the place, and a next step in the text of each. Where a case has a
// correction, the text contains it, and the gate accepts it.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("../../testdata/mistakes/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no mistakes: %v", err)
	}
	repo := newcomersRepository(t)
	for _, file := range files {
		for _, m := range readMistakes(t, file) {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+m.title, func(t *testing.T) { m.replay(t, repo) })
		}
	}
}

// readMistakes reads the cases of a file. Each begins with a line "# title".
func readMistakes(t *testing.T, file string) []*mistake {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []*mistake
	for i, line := range strings.Split(string(data), "\n") {
		key, value, _ := strings.Cut(line, " ")
		if key == "#" {
			list = append(list, &mistake{title: value, call: []string{"verify", "."}, exit: 1})
			continue
		}
		if line == "" {
			continue
		}
		if len(list) == 0 || !list[len(list)-1].read(key, value) {
			t.Fatalf("%s:%d: unexpected %q", file, i+1, line)
		}
	}
	return list
}

// invisible writes what an editor does not show.
var invisible = strings.NewReplacer("⏎", "\n", "⇥", "\t", "␍", "\r", "␛", "\x1b", "␠", " ")

func (m *mistake) read(key, value string) bool {
	switch key {
	case "repo":
		m.inRepo, m.call = true, []string{"verify", "--base", "main"}
	case "yaml", "edit", "write", "|", "as", "remove", "git", "mkdir":
		m.setup = append(m.setup, key+" "+value)
	case "run":
		m.call = strings.Fields(value)
		for i, word := range m.call {
			m.call[i] = strings.ReplaceAll(strings.Trim(word, `"`), "␠", " ")
		}
	case "exit":
		_, err := fmt.Sscan(value, &m.exit)
		return err == nil
	case "at":
		m.at = append(m.at, value)
	case "say":
		m.say = append(m.say, invisible.Replace(value))
	case "fix":
		before, after, found := strings.Cut(invisible.Replace(value), " => ")
		m.fix = [2]string{before, after}
		return found
	default:
		return false
	}
	return true
}

// replay makes the mistake, and compares the answer.
func (m *mistake) replay(t *testing.T, repo string) {
	from, at := "../../testdata/base", ""
	if m.inRepo {
		from = repo
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, line := range m.setup {
		at = m.prepare(t, dir, at, line)
	}
	t.Chdir(dir)
	exit, text := call(m.call)
	t.Logf("closeout %s\n%s", strings.Join(m.call, " "), text)
	m.check(t, exit, text)
	if m.fix[1] != "" {
		m.checkFix(t, filepath.Join(dir, at))
	}
}

// prepare carries out one line of the setup; it returns the file that the line is about, else the one before it.
func (m *mistake) prepare(t *testing.T, dir, before, line string) string {
	t.Helper()
	key, value, _ := strings.Cut(line, " ")
	name, rest, _ := strings.Cut(value, ": ")
	path := filepath.Join(dir, name)
	var err error
	switch key {
	case "yaml":
		err = os.Remove(filepath.Join(dir, "scope_contract.json"))
		name = "scope_contract.yaml"
		write(t, filepath.Join(dir, name), read(t, filepath.Join(repositoryRoot(), "testdata/mistakes", name)))
	case "edit":
		old, after, found := strings.Cut(invisible.Replace(rest), " => ")
		text := read(t, path)
		if !found || !strings.Contains(text, old) {
			t.Fatalf("nothing to edit: %s", line)
		}
		write(t, path, strings.Replace(text, old, strings.TrimSuffix(after, "␀"), 1))
	case "write":
		err = os.MkdirAll(filepath.Dir(path), 0o755)
		write(t, path, "")
	case "|":
		name, path = before, filepath.Join(dir, before)
		write(t, path, read(t, path)+invisible.Replace(value)+"\n")
	case "as":
		name, path = before, filepath.Join(dir, before)
		write(t, path, encoded(t, value, read(t, path)))
	case "mkdir":
		err = os.MkdirAll(path, 0o755)
	case "remove":
		err = os.RemoveAll(path)
	case "git":
		gitIn(t, dir, strings.Fields(value)...)
		name = before
	}
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// encoded writes a text as other programs save it.
func encoded(t *testing.T, as, text string) string {
	t.Helper()
	switch as {
	case "bom":
		return "\ufeff" + text
	case "crlf":
		return strings.ReplaceAll(text, "\n", "\r\n")
	case "latin1":
		var b []byte
		for _, r := range text {
			b = append(b, byte(r))
		}
		return string(b)
	case "utf16":
		b := []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(strings.ReplaceAll(text, "\n", "\r\n"))) {
			b = append(b, byte(unit), byte(unit>>8))
		}
		return string(b)
	case "cut":
		return strings.TrimRight(text, "\n")
	}
	t.Fatalf("no encoding %q", as)
	return ""
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// call runs the program, and returns what it prints on both streams.
func call(args []string) (exit int, text string) {
	var out bytes.Buffer
	exit = execute(args, console.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	return exit, out.String()
}

func (m *mistake) check(t *testing.T, exit int, text string) {
	t.Helper()
	if exit != m.exit {
		t.Errorf("exit code %d, expected %d", exit, m.exit)
	}
	for _, never := range []string{"%!", "goroutine ", "panic", " EOF", "runtime error"} {
		if strings.Contains(text, never) {
			t.Errorf("the text contains %q", never)
		}
	}
	for _, words := range append(m.say, m.fix[1]) {
		if !strings.Contains(text, words) {
			t.Errorf("the text does not contain %q", words)
		}
	}
	if len(m.at)+len(m.say) == 0 {
		t.Error("the case expects nothing")
	}
	places := findingsHere(t)
	for _, at := range m.at {
		if !strings.Contains(places, "\n"+at+"\n") {
			t.Errorf("no finding at %s; there is%s", at, places)
		}
	}
}

// findingsHere lists the findings of the report in the working directory, as "\nPATH:LINE:COLUMN CODE\n…".
func findingsHere(t *testing.T) string {
	t.Helper()
	var r struct {
		Findings []struct {
			Code     string
			Location *struct {
				Path         string
				Line, Column int
			}
		}
	}
	if data, err := os.ReadFile("verification_report.json"); err == nil {
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
	}
	list := "\n"
	for _, f := range r.Findings {
		if l := f.Location; l != nil && l.Line > 0 {
			list += fmt.Sprintf("%s:%d:%d ", l.Path, l.Line, l.Column)
		} else if l != nil && l.Path != "" {
			list += l.Path + " "
		}
		list += f.Code + "\n"
	}
	return list
}

// checkFix makes the correction that the text names: nothing is malformed then.
func (m *mistake) checkFix(t *testing.T, path string) {
	t.Helper()
	text := read(t, path)
	if !strings.Contains(text, m.fix[0]) {
		t.Fatalf("nothing to correct: %q", m.fix[0])
	}
	write(t, path, strings.Replace(text, m.fix[0], m.fix[1], 1))
	_, answer := call(m.call)
	if after := findingsHere(t); strings.Contains(after, ".malformed\n") {
		t.Errorf("the correction is refused:\n%s", answer)
	}
}

// newcomersRepository is a repository with a contract on main, and a change on the branch feature, which is checked out.
func newcomersRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	base := filepath.Join(repositoryRoot(), "testdata", "base")
	for _, sub := range []string{".closeout", "src"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, ".gitignore"), ".closeout/evidence\nverification_report.json\n")
	write(t, filepath.Join(dir, ".closeout/scope_contract.json"), read(t, filepath.Join(base, "scope_contract.json")))
	write(t, filepath.Join(dir, "src/sum.go"), "package sum\n\nfunc Sum(a, b int) int { return a }\n")
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "Start")
	gitIn(t, dir, "switch", "-q", "-c", "feature")
	write(t, filepath.Join(dir, "src/sum.go"), "package sum\n\nfunc Sum(a, b int) int { return a + b }\n")
	gitIn(t, dir, "commit", "-q", "-a", "-m", "Return the sum")
	return dir
}
