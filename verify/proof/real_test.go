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
			shown, clear := tail("stdout", stdout)
			if other, clearer := tail("stderr", stderr); shown == nil || clearer > clear {
				shown = other
			}
			if got := shown.Test + ": " + shown.Error; got != failed {
				t.Errorf("%s: the tail says %q", f.Name, got)
			}
		}
	}
}
