//go:build unix

package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/record/redact"
	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/internal/testkit/memory"
	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
)

// disk is where the temporary directories of this machine are.
var disk string

// TestMain lets the test binary be the commands that are recorded.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if play, ok := plays[os.Args[1]]; ok {
			os.Exit(play(os.Args[2:]))
		}
	}
	disk = os.TempDir()
	memory.Use()
	var err error
	if templateIn, err = os.MkdirTemp("", "record-test"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(templateIn)
	os.Exit(status)
}

// forever is longer than any test here takes: what waits so long is ended, not waited for.
const forever = time.Minute

// plays are the commands.
var plays = map[string]func(args []string) int{
	"play-exit": func(args []string) int { code, _ := strconv.Atoi(args[0]); return code },
	"play-say": func(args []string) int {
		fmt.Print(strings.ReplaceAll(args[0], "BAD", "\xff"))
		fmt.Fprint(os.Stderr, args[1])
		return 0
	},
	"play-list": func([]string) int {
		entries, err := os.ReadDir(".")
		for _, e := range entries {
			fmt.Println(e.Name())
		}
		return failing(err)
	},
	"play-env":   func([]string) int { fmt.Println(strings.Join(os.Environ(), "\n")); return 0 },
	"play-pwd":   func([]string) int { dir, _ := os.Getwd(); fmt.Print(dir); return 0 },
	"play-stdin": func([]string) int { n, _ := io.Copy(io.Discard, os.Stdin); return int(n) },
	"play-edit":  func(args []string) int { return failing(os.WriteFile(args[0], []byte("edited"), 0o644)) },
	"play-wait":  func([]string) int { fmt.Println("ready"); time.Sleep(forever); return 0 },
	"play-deaf": func([]string) int {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		time.Sleep(forever)
		return 0
	},
	"play-polite": func([]string) int {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		fmt.Println("ready")
		<-signals
		return 3
	},
	"play-obey": func([]string) int {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt)
		fmt.Println("ready")
		<-signals
		return 0
	},
	"play-kill":   func([]string) int { syscall.Kill(os.Getpid(), syscall.SIGKILL); return 0 },
	"play-parent": func(args []string) int { return failing(leave(args[0], false)) },
	"play-daemon": func(args []string) int { return failing(leave(args[0], true)) },
	"play-record": playRecord,
}

func failing(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// leave starts a process that keeps our output open and continues without us, and writes down its id.
func leave(file string, session bool) error {
	c := exec.Command(os.Args[0], "play-wait")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	if err := c.Start(); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strconv.Itoa(c.Process.Pid)), 0o644)
}

// playRecord is a recorder: root, log, how often.
func playRecord(args []string) int {
	times, _ := strconv.Atoi(args[2])
	r := &Recorder{Root: args[0], Evidence: evidenceDir, Log: args[1], Env: os.Environ(), Stdout: io.Discard, Stderr: io.Discard, Tail: DefaultTail, Grace: DefaultGrace}
	if _, err := os.Stat(filepath.Join(r.Root, ".git")); err == nil {
		if r.Git, err = OpenGit(r.Root, cleanEnv()); err != nil {
			return failing(err)
		}
	}
	for range times {
		result, err := r.Run(Command{Argv: []string{os.Args[0], "play-say", strings.Repeat("x", 9000), ""}, Cwd: "."})
		if err != nil || result.Problem != nil {
			return failing(errors.Join(err, result.Problem))
		}
	}
	return 0
}

// recorder is a recorder in a new directory, whose log must be valid.
type recorder struct {
	Recorder
	t         *testing.T
	out, errs bytes.Buffer
}

func newRecorder(t *testing.T) *recorder {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{t: t}
	r.Recorder = Recorder{
		Root: dir, Evidence: evidenceDir, Log: filepath.Join(dir, evidenceDir, FileName), Env: os.Environ(),
		Stdout: &r.out, Stderr: &r.errs, Tail: DefaultTail, Grace: 100 * time.Millisecond,
	}
	return r
}

// play records one of the plays.
func (r *recorder) play(c Command, args ...string) (*Result, map[string]any) {
	r.t.Helper()
	c.Argv = append([]string{os.Args[0]}, args...)
	if c.Cwd == "" {
		c.Cwd = "."
	}
	result, err := r.Run(c)
	if err != nil {
		r.t.Fatal(err)
	}
	lines := r.lines()
	return result, lines[len(lines)-1]
}

// lines reads the log as the gate does, and returns its records.
func (r *recorder) lines() []map[string]any {
	r.t.Helper()
	data, err := os.ReadFile(r.Log)
	if err != nil {
		r.t.Fatal(err)
	}
	return readLines(r.t, data)
}

func readLines(t *testing.T, data []byte) (list []map[string]any) {
	t.Helper()
	valid, err := stricttest.Compile("feedback_record")
	if err != nil {
		t.Fatal(err)
	}
	lines, errs := feedback.ReadLog(bytes.NewReader(data), input.DefaultLimits(), func(record *feedback.Record) {
		var one map[string]any
		if err := json.Unmarshal(record.Line, &one); err != nil {
			t.Fatal(err)
		}
		if err := valid.Validate(one); err != nil {
			t.Errorf("%s: %v", record.Line, err)
		}
		list = append(list, one)
	})
	if errs.Any() || lines != int64(len(list)) || len(list) == 0 {
		t.Fatalf("the gate refuses the log: %v\n%s", errs.All(), data)
	}
	return list
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		limit  time.Duration
		exit   any
		status int
		why    string
	}{
		{"passes", []string{"play-exit", "0"}, 0, 0.0, 0, ""},
		{"fails", []string{"play-exit", "3"}, 0, 3.0, 3, ""},
		{"more than a byte", []string{"play-exit", "300"}, 0, 44.0, 44, ""},
		{"in time", []string{"play-exit", "4"}, forever, 4.0, 4, ""},
		{"killed", []string{"play-kill"}, 0, nil, 137, "signal: killed"},
		{"timeout", []string{"play-wait"}, 50 * time.Millisecond, nil, StatusTimeout, "timeout after 50ms"},
		{"timeout of one that does not listen", []string{"play-deaf"}, 200 * time.Millisecond, nil, StatusTimeout, "timeout after 200ms"},
		{"timeout of one that ends itself", []string{"play-polite"}, 200 * time.Millisecond, nil, StatusTimeout, "timeout after 200ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRecorder(t)
			result, record := r.play(Command{Timeout: c.limit}, c.args...)
			why, _ := record["error"].(string)
			if record["exit_code"] != c.exit || result.Status != c.status || why != c.why || result.Why != c.why {
				t.Errorf("exit code %v, status %d, error %q", record["exit_code"], result.Status, why)
			}
		})
	}
}

func TestNotStartable(t *testing.T) {
	r := newRecorder(t)
	dir := r.Root
	for name, mode := range map[string]os.FileMode{"plain": 0o644, "garbage": 0o755} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\x00garbage"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, program, cwd string
		status             int
		why                string
	}{
		{"no such name", "no-such-program", ".", StatusNotFound, `no program "no-such-program"`},
		{"no such path", "./no-such-program", ".", StatusNotFound, "no such file"},
		{"not executable", "./plain", ".", StatusNotRun, "permission denied"},
		{"no program", "./garbage", ".", StatusNotRun, "exec format error"},
		{"no such directory", "./garbage", "nowhere", StatusNotRun, `no directory "nowhere"`},
	} {
		result, err := r.Run(Command{Argv: []string{c.program}, Cwd: c.cwd})
		if err != nil {
			t.Fatal(err)
		}
		if result.Exit != nil || result.Status != c.status || !strings.Contains(result.Why, c.why) || result.Problem != nil {
			t.Errorf("%s: %+v", c.name, result)
		}
	}
	if n := len(r.lines()); n != 5 {
		t.Errorf("%d records", n)
	}
}

// TestOutput: output is passed on unchanged, hashed as a whole, and kept redacted and cut.
func TestOutput(t *testing.T) {
	r := newRecorder(t)
	r.Tail = 32
	ghp := "gh" + "p_" + strings.Repeat("aB3", 14) // made up
	out := strings.Repeat("long ", 30000) + ghp + "\xff end"
	in := strings.Repeat("long ", 20) + ghp + "\xff end"
	_, record := r.play(Command{}, "play-say", strings.ReplaceAll(in, "\xff", "BAD"), "warn")
	if r.out.String() != in || r.errs.String() != "warn" {
		t.Errorf("passed on %q and %q", r.out.String(), r.errs.String())
	}
	sum := sha256.Sum256([]byte(in))
	want := map[string]any{
		"stdout_tail": "long long long [redacted]\ufffd end", "stdout_sha256": hex.EncodeToString(sum[:]), "stderr_tail": "warn",
		"redactions": map[string]any{"stdout": 1.0, "stderr": 0.0},
	}
	for name, value := range want {
		if fmt.Sprint(record[name]) != fmt.Sprint(value) {
			t.Errorf("%s is %q, want %q", name, record[name], value)
		}
	}
	if cut := record["truncations"].(map[string]any)["stdout"].(float64); int(cut) != len(in)-len(ghp)+len(redact.Mask)-32+2 {
		t.Errorf("%v bytes cut", cut)
	}
	s := newOutputStream(broken{}, 10)
	s.Write([]byte(out))
	if text, _, _, n := s.end(); n != 1 || !strings.HasSuffix(text, "end") {
		t.Errorf("closed output: %q, %d redactions", text, n)
	}
}

// broken is a writer whose reader is closed.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestLeftOver: no process of a command survives, in its group or outside of it, and its output ends.
func TestLeftOver(t *testing.T) {
	for _, play := range []string{"play-parent", "play-daemon"} {
		t.Run(play, func(t *testing.T) {
			r := newRecorder(t)
			pid := filepath.Join(r.Root, "pid")
			result, record := r.play(Command{}, play, pid)
			if result.Status != 0 || record["exit_code"] != 0.0 || record["error"] != system.LeftOver {
				t.Errorf("%+v", result)
			}
			if left := alive(t, pid); left {
				t.Error("the child lives on")
			}
		})
	}
}

func alive(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return syscall.Kill(pid, 0) == nil
}

// TestSignals: signals reach the command, a command that ignores them is ended, and there is a record.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		play   string
		signal syscall.Signal
		exit   any
		status int
	}{
		{"play-wait", syscall.SIGINT, nil, 130},
		{"play-wait", syscall.SIGTERM, nil, 143},
		{"play-polite", syscall.SIGTERM, 3.0, 3},
		{"play-deaf", syscall.SIGTERM, nil, 137},
	} {
		r := newRecorder(t)
		signals := make(chan os.Signal, 1)
		r.Signals = signals
		if c.play != "play-deaf" {
			r.Grace = forever // a busy machine needs its time to end the others
		}
		r.Stdout = whenReady(func() { signals <- c.signal })
		result, record := r.play(Command{}, c.play)
		if record["exit_code"] != c.exit || result.Status != c.status || result.Signal != c.signal {
			t.Errorf("%s, %v: %+v", c.play, c.signal, result)
		}
	}
}

// whenReady is a writer that waits for the first output.
type whenReady func()

func (f whenReady) Write(p []byte) (int, error) { f(); return len(p), nil }

func TestChildGets(t *testing.T) {
	r := newRecorder(t)
	r.Env = append(os.Environ(), "KEPT=1", "GITHUB_OUTPUT=x", "GITHUB_ENV=x", "GITHUB_PATH=x", "GITHUB_STATE=x", "GITHUB_STEP_SUMMARY=x",
		"ACTIONS_ID_TOKEN_REQUEST_URL=x", "ACTIONS_ID_TOKEN_REQUEST_TOKEN=x", "ACTIONS_RUNTIME_TOKEN=x", "GIT_DIR=x", "GITHUB_SHA=kept")
	r.play(Command{}, "play-env")
	lines := strings.Split(r.out.String(), "\n")
	for _, name := range append(system.StepVariables, "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "GIT_DIR") {
		if system.LookEnv(lines, name) != "" {
			t.Errorf("the command gets %s", name)
		}
	}
	if !slices.Contains(lines, "KEPT=1") || !slices.Contains(lines, "GITHUB_SHA=kept") || system.LookEnv(lines, "PWD") != r.Root {
		t.Errorf("the command gets %q", lines)
	}
	if _, record := r.play(Command{}, "play-stdin"); record["exit_code"] != 0.0 {
		t.Error("standard input is not empty")
	}
}

func TestEnvironmentOfRecord(t *testing.T) {
	r := newRecorder(t)
	r.Env = append(os.Environ(), "GITHUB_RUN_ID=77", "GITHUB_RUN_ATTEMPT=2", "RUNNER_NAME=r1")
	_, record := r.play(Command{Task: "T-1", Criterion: "unit"}, "play-exit", "0")
	for name, want := range map[string]any{"run_id": "77", "run_attempt": 2.0, "runner": "r1", "task_id": "T-1", "criterion": "unit", "cwd": ".", "seq": 1.0} {
		if record[name] != want {
			t.Errorf("%s is %v", name, record[name])
		}
	}
	r.Env = append(os.Environ(), "GITHUB_RUN_ID=", "GITHUB_RUN_ATTEMPT=0", "RUNNER_NAME=")
	_, record = r.play(Command{}, "play-exit", "0")
	for _, name := range []string{"run_id", "run_attempt", "runner", "task_id", "criterion", "tree_before", "head_sha"} {
		if value, there := record[name]; there {
			t.Errorf("%s is %v", name, value)
		}
	}
	if _, err := time.Parse(time.RFC3339, record["started_at"].(string)); err != nil || len(record["command_id"].(string)) != 12 {
		t.Errorf("%v", record)
	}
}

// TestTrees: a record contains the trees before and after, and an edit shows.
func TestTrees(t *testing.T) {
	repo := newRepo(t)
	r := newRecorder(t)
	var err error
	if r.Git, err = OpenGit(repo.dir, cleanEnv()); err != nil {
		t.Fatal(err)
	}
	r.Root, r.Log = repo.dir, filepath.Join(repo.dir, evidenceDir, FileName)
	for range 2 { // the second one has a log beside it
		_, record := r.play(Command{Cwd: "src"}, "play-pwd")
		if want := repo.headTree(); record["tree_before"] != want || record["tree_after"] != want || record["head_sha"] != repo.git("rev-parse", "HEAD") {
			t.Errorf("got %v", record)
		}
	}
	if want := strings.Repeat(filepath.Join(repo.dir, "src"), 2); r.out.String() != want {
		t.Errorf("ran in %s", r.out.String())
	}
	_, record := r.play(Command{}, "play-edit", "a.txt")
	if record["tree_before"] != repo.headTree() || record["tree_after"] == repo.headTree() {
		t.Errorf("the edit does not show: %v", record)
	}
	result, record := r.play(Command{}, "play-edit", ".git/HEAD")
	if _, there := record["tree_after"]; there || result.Status != StatusFailed || result.Problem == nil || record["exit_code"] != 0.0 {
		t.Errorf("%+v, %v", result, record)
	}
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestRefused are commands that are not run and leave no record.
func TestRefused(t *testing.T) {
	r := newRecorder(t)
	bin := filepath.Join(r.Root, "bin")
	elsewhere := t.TempDir()
	if err := errorsOf(
		os.MkdirAll(bin, 0o755), os.WriteFile(filepath.Join(bin, "planted"), []byte("#!/bin/sh\n"), 0o755),
		os.Symlink(filepath.Join(bin, "planted"), filepath.Join(elsewhere, "linked")),
		os.Symlink(elsewhere, filepath.Join(r.Root, "away")),
		os.Symlink("/bin/sh", filepath.Join(bin, "shell")),
		os.Mkdir(filepath.Join(elsewhere, "bin"), 0o755),
		os.WriteFile(filepath.Join(elsewhere, "bin", "tool"), []byte("#!/bin/sh\n"), 0o755),
		os.Symlink(filepath.Join(elsewhere, "bin"), filepath.Join(bin, "out")),
		os.Symlink(filepath.Join(r.Root, "away"), filepath.Join(elsewhere, "back")),
		os.Symlink("bin", filepath.Join(elsewhere, "shims")),
	); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		command    Command
		want       string
	}{
		{"no command", "", Command{}, "no command"},
		{"empty name", "", Command{Argv: []string{""}}, "no command"},
		{"bad argument", "", Command{Argv: []string{"/bin/true", "\xff"}}, "not valid UTF-8"},
		{"planted", bin, Command{Argv: []string{"planted"}}, "in the work tree"},
		{"planted, relative", "bin", Command{Argv: []string{"planted"}}, "in the work tree"},
		{"planted, by a link", elsewhere, Command{Argv: []string{"linked"}}, "in the work tree"},
		{"a link in the work tree", bin, Command{Argv: []string{"shell"}}, "in the work tree"},
		{"a link to a directory", filepath.Join(bin, "out"), Command{Argv: []string{"tool"}}, "in the work tree"},
		{"a link to the parent of a directory", filepath.Join(r.Root, "away", "bin"), Command{Argv: []string{"tool"}}, "in the work tree"},
		{"a link outside to one inside", filepath.Join(elsewhere, "back", "bin"), Command{Argv: []string{"tool"}}, "in the work tree"},
		{"a directory that leads out", "", Command{Argv: []string{"/bin/true"}, Cwd: "away"}, "leads out of the repository"},
	} {
		r.Env = []string{"PATH=" + c.path}
		if _, err := r.Run(c.command); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, honest := range []string{filepath.Join(elsewhere, "shims"), filepath.Join(elsewhere, "bin")} {
		r.Env = []string{"PATH=" + honest}
		if result, err := r.Run(Command{Argv: []string{"tool"}, Cwd: "."}); err != nil || result.Status != 0 {
			t.Errorf("in %s: %+v, %v", honest, result, err)
		}
	}
	r.Env = []string{"PATH=" + bin}
	if result, err := r.Run(Command{Argv: []string{"./bin/planted"}, Cwd: "."}); err != nil || result.Status != 0 {
		t.Errorf("named by its path: %+v, %v", result, err)
	}
}

// TestLogRefused are logs that cannot be continued, which is found out before the command runs.
func TestLogRefused(t *testing.T) {
	const good = `{"seq":7,"command":["x"],"exit_code":0}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"half a line", good + `{"seq":8,`, "is incomplete"},
		{"whole line without end", strings.TrimSpace(good), "is incomplete"},
		{"no record", good + "garbage\n", "is not a record"},
		{"blank line", good + "\n", "no seq"},
		{"no seq", `{"command":["x"],"exit_code":0}` + "\n", "no seq"},
		{"last seq", `{"seq":9223372036854775807,"command":["x"],"exit_code":0}` + "\n", "maximum seq"},
		{"long line", strings.Repeat("x", 17<<20) + "\n", "longer than"},
	} {
		r := newRecorder(t)
		if err := errorsOf(os.MkdirAll(filepath.Dir(r.Log), 0o755), os.WriteFile(r.Log, []byte(c.text), 0o644)); err != nil {
			t.Fatal(err)
		}
		_, err := r.Run(Command{Argv: []string{os.Args[0], "play-edit", "ran"}, Cwd: "."})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := os.Lstat(filepath.Join(r.Root, "ran")); err == nil {
			t.Errorf("%s: the command ran", c.name)
		}
		if data, err := os.ReadFile(r.Log); err != nil || string(data) != c.text {
			t.Errorf("%s: the log was changed, %v", c.name, err)
		}
	}
	for _, text := range []string{good, strings.Replace(good, `"x"`, `"`+strings.Repeat("x", 1<<20)+`"`, 1)} {
		r := newRecorder(t)
		if err := errorsOf(os.MkdirAll(filepath.Dir(r.Log), 0o755), os.WriteFile(r.Log, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		if _, record := r.play(Command{}, "play-exit", "0"); record["seq"] != 8.0 {
			t.Errorf("continued with %v", record["seq"])
		}
	}
}

// TestLogLinks are logs that would be written somewhere else.
func TestLogLinks(t *testing.T) {
	for name, plant := range map[string]func(root, log string) error{
		"log": func(root, log string) error {
			return errorsOf(os.MkdirAll(filepath.Dir(log), 0o755), os.Symlink(filepath.Join(root, "x"), log))
		},
		"live log": func(root, log string) error {
			return errorsOf(os.WriteFile(filepath.Join(root, "x"), nil, 0o644), os.MkdirAll(filepath.Dir(log), 0o755), os.Symlink(filepath.Join(root, "x"), log))
		},
		"directory": func(root, log string) error {
			return errorsOf(os.MkdirAll(filepath.Join(root, ".closeout"), 0o755), os.Symlink(root, filepath.Dir(log)))
		},
		"top directory": func(root, log string) error { return os.Symlink(root, filepath.Join(root, ".closeout")) },
		"no directory":  func(root, log string) error { return os.WriteFile(filepath.Join(root, ".closeout"), nil, 0o644) },
		"pipe": func(root, log string) error {
			return errorsOf(os.MkdirAll(filepath.Dir(log), 0o755), syscall.Mkfifo(log, 0o644))
		},
	} {
		r := newRecorder(t)
		if err := plant(r.Root, r.Log); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(Command{Argv: []string{os.Args[0], "play-exit", "0"}, Cwd: "."}); err == nil || !strings.Contains(err.Error(), "is a ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLogElsewhere writes a log outside of the work tree.
func TestLogElsewhere(t *testing.T) {
	r := newRecorder(t)
	r.Log = filepath.Join(t.TempDir(), "a", "b.jsonl")
	for i := range 2 {
		if _, record := r.play(Command{}, "play-exit", "0"); record["seq"] != float64(i+1) {
			t.Errorf("seq is %v", record["seq"])
		}
	}
}

// TestLogNotThereBefore shows that looking whether a log can be written leaves no trace that the code tree would show.
func TestLogNotThereBefore(t *testing.T) {
	r := newRecorder(t)
	r.Log = filepath.Join(r.Root, "log.jsonl")
	r.play(Command{}, "play-list")
	if got := strings.TrimSpace(r.out.String()); got != "" {
		t.Errorf("the command found %q", got)
	}
}

// TestBesideEachOther lets eight recorders write one log: whole lines, numbered without a hole.
func TestBesideEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		r                *recorder
		recorders, times int
	}{"in a directory": {newRecorder(t), 8, 10}, "in a repository": {besideEvidence(t), 4, 6}} {
		t.Run(name, func(t *testing.T) { c.r.besideEachOther(t, c.recorders, c.times) })
	}
}

// besideEvidence is a recorder whose log is not ignored by git, and is committed: git could read it while another recorder
// writes to it.
func besideEvidence(t *testing.T) *recorder {
	r, repo := recorderOf(t)
	repo.write(evidenceDir+"/"+FileName, `{"seq":0,"command":["x"],"exit_code":0}`+"\n")
	repo.commit()
	repo.do(os.Truncate(r.Log, 0))
	return r
}

func (r *recorder) besideEachOther(t *testing.T, recorders, times int) {
	var running []*exec.Cmd
	for range recorders {
		c := exec.Command(os.Args[0], "play-record", r.Root, r.Log, strconv.Itoa(times))
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, c)
	}
	for _, c := range running {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	lines := r.lines()
	for i, record := range lines {
		if record["seq"] != float64(i+1) {
			t.Errorf("line %d has seq %v", i+1, record["seq"])
		}
	}
	if len(lines) != recorders*times {
		t.Errorf("%d records", len(lines))
	}
}

// TestLineTooLong: no record is written that the gate would refuse.
func TestLineTooLong(t *testing.T) {
	longest := strings.Repeat("\x00", LargestTail)
	if _, err := (&entry{Command: []string{"x"}, StdoutTail: longest, StderrTail: longest}).line(); err != nil {
		t.Error(err)
	}
	if _, err := (&entry{Command: []string{strings.Repeat("\x00", 3<<20)}}).line(); err == nil {
		t.Error("a line of 18 MiB is written")
	}
}
