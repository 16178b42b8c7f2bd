package policy

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/contract"
)

// A command that names a directory is required for the files in it.
func TestInArgument(t *testing.T) {
	for _, c := range []struct {
		run, cwd, path string
		want           bool
	}{
		{"pytest tests/unit", ".", "tests/unit/test_a.py", true},
		{"pytest -q Tests/unit/", ".", "tests/unit/deep/test_a.py", true},
		{"pytest tests/unit", "web", "web/tests/unit/test_a.py", true},
		{"pytest tests/unit", "web", "tests/unit/test_a.py", false},
		{"pytest tests/unit", ".", "tests/unity/test_a.py", false},
		{"pytest tests/unit", ".", "tests/test_a.py", false},
		{"go test ./pkg/a/...", ".", "pkg/a/b/c.go", true},
		{"go test ./...", ".", "pkg/a.go", false},
		{"make -C web test", ".", "web/a.js", false},
		{"npm --prefix web test", ".", "web/a.js", false},
	} {
		criterion := contract.Criterion{Run: strings.Fields(c.run), Cwd: c.cwd}
		if got := inArgument(&criterion, c.path); got != c.want {
			t.Errorf("%s in %s, %s: got %v", c.run, c.cwd, c.path, got)
		}
	}
}
