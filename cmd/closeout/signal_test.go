package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/evidence"
)

// stuck is the gate that never comes to an end: it stands ready for a signal, says so and waits.
func stuck() {
	reportOnSignal(os.Args[1], verify.Settings{Limits: evidence.DefaultLimits()}, stdio{os.Stdin, os.Stdout, os.Stderr})
	fmt.Println("ready")
	select {}
}

// TestSignalLeavesReport ends a gate that has not decided yet.
func TestSignalLeavesReport(t *testing.T) {
	program, err := exec.LookPath("closeout-stuck")
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
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
		if err := c.Wait(); !errors.As(err, &exited) || exited.ExitCode() != exitUsage {
			t.Errorf("%v: ended with %v", sig, err)
		}
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), `"verdict":"failed"`) {
			t.Errorf("%v: report %s, %v", sig, data, err)
		}
	}
}

// TestPanicLeavesReport lets an input break the gate.
func TestPanicLeavesReport(t *testing.T) {
	b := &verify.Bundle{Inputs: []verify.Input{{Kind: "facts", Name: "facts.json"}}} // it has no Open
	b.Settings.Limits = evidence.DefaultLimits()
	path := filepath.Join(t.TempDir(), "report.json")
	r, err := judgeAndWrite(b, path, stdio{strings.NewReader(""), os.Stdout, os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	if r.Passed || r.Findings[0].Code != verify.CodeInternal {
		t.Errorf("got %+v", r)
	}
	var end exit
	if !errors.As(ended(r), &end) || end.code != exitUsage {
		t.Errorf("ended with %v", ended(r))
	}
}
