package contract

import "strings"

// goneRules are diff rules of earlier versions, which nothing replaces. A contract may name them for one version.
const goneRules = " no-test-changed suppression mock-growth mock-in-integration rebased-expectation fewer-assertions swallowed-error swallowed-attempt " +
	"special-case senses-tests senses-ci uncovered-code uncovered-line lock-alone agent-file test-bypass snapshot-only "

// FormerRule reports whether an id was that of a diff rule, and which one has its place now: "" for none.
func FormerRule(id string) (now string, former bool) {
	name, _ := strings.CutPrefix(id, "closeout/")
	return "", strings.Contains(goneRules, " "+name+" ")
}
