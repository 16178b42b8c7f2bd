package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/lint"
)

// FuzzRun lints a repository whose files may contain anything. It must end, find the same again, and every finding must say
// where it is and how to fix it.
func FuzzRun(f *testing.F) {
	f.Add(cleanContract, twoJobs, ".closeout/evidence/\n", "/.github/ @a\n")
	f.Add(strings.Replace(cleanContract, `"./scripts/red.sh"`, `"sh", "-c", "a | b && make x"`, 1), caller, "!**/a*[b-\\", "* # a")
	f.Add(`{"allowed_files": ["**"], "forbidden_files": ["**"]}`, "on: {pull_request: {types: 1}}\njobs: {a: {steps: [closeout, {run: closeout verify, if: true}]}}", "", "")
	f.Add("", "closeout: [", "/", "!")
	f.Fuzz(func(t *testing.T, contract, workflow, ignore, owners string) {
		files := clean()
		files[contractPath], files[taskPath], files[flowPath], files[".gitignore"], files["CODEOWNERS"] = contract, contract, workflow, ignore, owners
		delete(files, ".github/CODEOWNERS")
		found := lint.Run(lint.Texts(files))
		for _, one := range found.List() {
			if one.Path == "" || one.Fix == "" || one.Message == "" || one.Severity == "" || one.Pos.Line < 0 {
				t.Errorf("an incomplete finding: %+v", one.Finding)
			}
		}
		if again := shown(lint.Run(lint.Texts(files))); !slices.Equal(again, shown(found)) {
			t.Error("the findings differ")
		}
	})
}
