package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// stuck is the gate that never comes to an end: it is ready for a signal, says so and waits.
func stuck() {
	run.ReportOnSignal(os.Args[1], verify.Settings{Limits: input.DefaultLimits()}, console.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr},
		func() error { return os.WriteFile(os.Args[1]+".last", nil, 0o600) })
	fmt.Println("ready")
	select {}
}

// TestSignalLeavesReport ends a gate that has not decided yet.
func TestSignalLeavesReport(t *testing.T) {
	program, err := exec.LookPath("closeout-stuck")
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		path := filepath.Join(t.TempDir(), "report.json")
		c := exec.Command(program, path)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("got %q, %v", line, err)
		}
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		var exited *exec.ExitError
		if err := c.Wait(); !errors.As(err, &exited) || exited.ExitCode() != run.ExitUsage {
			t.Errorf("%v: ended with %v", sig, err)
		}
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), `"verdict":"failed"`) {
			t.Errorf("%v: report %s, %v", sig, data, err)
		}
		if _, err := os.Stat(path + ".last"); err != nil {
			t.Errorf("%v: what comes last was not done: %v", sig, err)
		}
	}
}

// judgeTest judges a bundle as the commands do.
func judgeTest(b *verify.Bundle, path string) (*report.Report, error) {
	std := console.Streams{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stderr}
	_, watch, err := run.Begin(path, b.Settings, std)
	if err != nil {
		return nil, err
	}
	defer watch.Stop()
	return run.JudgeAndWrite(b, path, watch, std)
}

// TestPanicLeavesReport lets an input break the gate.
func TestPanicLeavesReport(t *testing.T) {
	b := &verify.Bundle{Inputs: []verify.Input{{Kind: "facts", Name: "facts.json"}}} // it has no Open
	b.Settings.Limits = input.DefaultLimits()
	path := filepath.Join(t.TempDir(), "report.json")
	r, err := judgeTest(b, path)
	if err != nil {
		t.Fatal(err)
	}
	if r.Passed || r.Findings[0].Code != verify.CodeInternal {
		t.Errorf("got %+v", r)
	}
	var end run.Exit
	if !errors.As(run.Ended(r), &end) || end.Code != run.ExitUsage {
		t.Errorf("ended with %v", run.Ended(r))
	}
}

// broken is a standard output that ends the process that writes to it.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("the output is broken") }

// TestPanicBesideTheJudge wants a failing report and no green one when something else than judging breaks.
func TestPanicBesideTheJudge(t *testing.T) {
	for name, call := range map[string]func(dir string) []string{
		"verify": func(dir string) []string { return []string{"verify", dir} },
		"action": func(dir string) []string {
			for key, value := range map[string]string{
				"GITHUB_WORKSPACE": dir, "INPUT_CONTRACT_FILE": "scope_contract.json", "INPUT_FEEDBACK": "feedback_record.jsonl",
				"INPUT_RULES": "rule_report.json", "INPUT_DIFF": "pr.diff", "INPUT_TOKEN": "", "GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": "",
			} {
				t.Setenv(key, value)
			}
			return []string{"action"}
		},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(repository, "testdata", "base"))); err != nil {
			t.Fatal(err)
		}
		if code := execute(call(dir), console.Streams{In: strings.NewReader(""), Out: broken{}, Err: os.Stderr}); code != run.ExitUsage {
			t.Errorf("%s: ended with %d", name, code)
		}
		if data, err := os.ReadFile(filepath.Join(dir, report.FileName)); err != nil || !strings.Contains(string(data), `"verdict":"failed"`) {
			t.Errorf("%s: report %s, %v", name, data, err)
		}
	}
}

// TestStaleReportIsGone wants an older report removed before the first input is opened, and the new one readable by all.
func TestStaleReportIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(path, []byte(`{"schema":"closeout.verification_report/v1","verdict":"passed"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	opened := false
	b := &verify.Bundle{Inputs: []verify.Input{{Kind: "facts", Name: "facts.json", Open: func() (io.ReadCloser, error) {
		opened = true
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the older report is still there: %v", err)
		}
		return io.NopCloser(strings.NewReader("{}")), nil
	}}}}
	b.Settings.Limits = input.DefaultLimits()
	if _, err := judgeTest(b, path); err != nil || !opened {
		t.Fatalf("opened %v, %v", opened, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestSignalWhileCollecting ends an action that waits for GitHub, with a green report of an earlier run in the workspace.
func TestSignalWhileCollecting(t *testing.T) {
	asked, answer := make(chan bool, 100), make(chan bool)
	hub := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- true
		<-answer
	}))
	t.Cleanup(hub.Close)
	t.Cleanup(func() { close(answer) })
	program, err := exec.LookPath("closeout")
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		dir := t.TempDir()
		gitIn(t, dir, "init", "-q", "--bare", github.Repository)
		path := filepath.Join(dir, report.FileName)
		writeTest(t, path, `{"schema":"closeout.verification_report/v1","verdict":"passed"}`)
		event := filepath.Join(t.TempDir(), "event.json")
		writeTest(t, event, `{"action": "opened", "number": 7, "repository": {"id": 1, "full_name": "o/r", "default_branch": "main"},
			"pull_request": {"number": 7, "head": {"sha": "`+strings.Repeat("1", 40)+`"}, "base": {"ref": "main", "sha": "`+strings.Repeat("2", 40)+`"}}}`)
		c := exec.Command(program, "action")
		c.Dir = dir
		c.Env = append(os.Environ(), "GITHUB_WORKSPACE="+dir, "GITHUB_EVENT_NAME=pull_request", "GITHUB_EVENT_PATH="+event, "GITHUB_REPOSITORY=o/r",
			"INPUT_TOKEN=token", "INPUT_API_URL="+hub.URL, "GITHUB_OUTPUT=", "GITHUB_STEP_SUMMARY=")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		<-asked
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		var exited *exec.ExitError
		if err := c.Wait(); !errors.As(err, &exited) || exited.ExitCode() != run.ExitUsage {
			t.Errorf("%v: ended with %v", sig, err)
		}
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), `"verdict":"failed"`) {
			t.Errorf("%v: report %s, %v", sig, data, err)
		}
	}
}

func writeTest(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSignalAfterTheDecision checks that of a decision and a signal the first one writes the report.
func TestSignalAfterTheDecision(t *testing.T) {
	w := &run.Watch{}
	if err := w.Decide(func() error { return errors.New("no space") }); err == nil || w.Decided {
		t.Errorf("%v, decided %v: a report that is not written is no decision", err, w.Decided)
	}
	if err := w.Decide(func() error { return nil }); err != nil || !w.Decided {
		t.Errorf("%v, decided %v", err, w.Decided)
	}
}
