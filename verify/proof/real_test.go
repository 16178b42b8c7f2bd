package proof

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestRealRunners reads what real runners printed; testdata/runners.txtar says which, and which test failed.
func TestRealRunners(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/runners.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		want, command, _ := strings.Cut(f.Name, ": ")
		command, failed, _ := strings.Cut(command, " => ")
		stdout, stderr, _ := strings.Cut(string(f.Data), "stderr:\n")
		argv := strings.Fields(command)
		failure, silent := summary([]byte(stdout), []byte(stderr), argv)
		result := "ok"
		if failure != "" {
			result = "failed"
		} else if ReadOutput([]byte(stdout+stderr), argv, false, false).Proof == NoneRan {
			result = "none"
		}
		if result != want || (silent && want == "ok") {
			t.Errorf("%s: %s, without a summary: %v, failure %q\n%s", f.Name, result, silent, failure, f.Data)
		}
		if want == "failed" {
			shown := clearest(stdout, stderr)
			if got := shown.Test + ": " + shown.Error; got != failed {
				t.Errorf("%s: the tail says %q", f.Name, got)
			}
		}
	}
}

// TestTail wants neither an item of another list nor what passing tests expected to be shown as what failed.
func TestTail(t *testing.T) {
	for text, want := range map[string]string{
		"  1) Install it\n  2) Run it\nmake: *** [lint] Error 1\n":                       ": make: *** [lint] Error 1",
		"  1) adds\n\n  1 failing\n\n  1) adds:\n     Error: no\n":                       "adds: Error: no",
		"Expected 3 files, found 3\nFAIL: b.sh\n":                                        ": FAIL: b.sh",
		"B#test_a [b_test.rb:1]:\nExpected 3, found 2\n1 runs, 1 assertions, 1 failures": "B#test_a: Expected 3, found 2",
	} {
		if got, _ := tail("stdout", text); got.Test+": "+got.Error != want {
			t.Errorf("%q: %q: %q", text, got.Test, got.Error)
		}
	}
}
