package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"closeout": main, "closeout-stuck": stuck})
}

// TestScripts runs the real command: one scenario a file.
func TestScripts(t *testing.T) {
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("REPOSITORY", repository)
			env.Values[hubKey{}] = &hubServer{}
			return os.CopyFS(filepath.Join(env.WorkDir, "base"), os.DirFS(filepath.Join(repository, "testdata", "base")))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "hub": setHub, "hubcalls": hubCalls, "event": writeEvent,
		},
	})
}

// status runs closeout and compares its exit status: status 1 verify bundle.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: status CODE ARG...")
	}
	err := ts.Exec("closeout", args[1:]...)
	got := "0"
	if exited, ok := err.(interface{ ExitCode() int }); ok {
		got = string(rune('0' + exited.ExitCode()))
	} else if err != nil {
		ts.Fatalf("closeout %q: %v", args[1:], err)
	}
	if got != args[0] {
		ts.Fatalf("closeout %q exited with %s, expected %s", args[1:], got, args[0])
	}
}
