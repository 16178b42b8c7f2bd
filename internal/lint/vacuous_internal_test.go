package lint

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVacuousInBash makes random scripts of a test runner that fails, and of programs around it. When lint says that a script
// cannot fail, bash must agree; the other way round, a script may be too much for lint.
func TestVacuousInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pytest"), []byte("#!/bin/sh\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(words ...string) string { return words[random.IntN(len(words))] }
	said := 0
	for range 1500 {
		var script strings.Builder
		script.WriteString(pick("", "", "", "set -e; ", "set -o pipefail\n", "set -eo pipefail; ", "X=1; "))
		for i := range 1 + random.IntN(3) {
			if i > 0 {
				script.WriteString(pick("; ", " && ", " || ", "\n", " | ", "\n# pytest\n"))
			}
			script.WriteString(pick("pytest", "pytest -x 2>&1", "true", "echo a", "cat", "tee /dev/null", "exit 0", "exit $?", "exit", "false", "(pytest)", "! true", "set +e", "X=1 pytest", "echo $(pytest)", "pytest", "true", "true"))
		}
		flags := pick("-c", "-ec", "-eo pipefail -c", "-o pipefail -c")
		argv := append(append([]string{"bash"}, strings.Fields(flags)...), script.String())
		why := vacuous(argv)
		if why == "" {
			continue
		}
		said++
		command := exec.Command(bash, argv[1:]...)
		command.Env = []string{"PATH=" + dir + ":/usr/bin:/bin"}
		if err := command.Run(); err != nil {
			t.Errorf("%q: lint says %s, bash %v", argv, why, err)
		}
	}
	if said < 50 {
		t.Errorf("lint says of %d scripts that they cannot fail", said)
	}
}
