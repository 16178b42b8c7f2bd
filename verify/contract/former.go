package contract

import (
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// goneRules are diff rules of earlier versions, which nothing replaces. A contract may name them for one version.
const goneRules = " no-test-changed suppression mock-growth mock-in-integration rebased-expectation fewer-assertions swallowed-error swallowed-attempt " +
	"special-case senses-tests senses-ci uncovered-code uncovered-line lock-alone agent-file test-bypass snapshot-only "

// joinedRules are the rules that were joined: the id and the severity of the rows that have their place.
var joinedRules = map[string]string{
	"skipped-test": "test-skipped block", "focused-test": "test-skipped block", "skipped-new-test": "test-skipped warn",
	"disabled-test": "test-unseen block", "removed-test": "test-removed warn", "dropped-test": "test-removed warn",
	"hollowed-test": "test-hollowed block", "commented-test": "test-hollowed block", "commented-assertion": "test-hollowed block",
	"test-gone": "test-vanished warn", "test-names": "test-vanished info",
	"weakened-assertion": "assertion-weakened warn", "tautology": "assertion-empty warn",
	"lowered-threshold": "threshold-lowered block", "check-config": "check-config warn", "blanket-suppression": "check-config warn",
	"softened-workflow": "check-softened warn", "swallowed-check": "check-softened warn",
	"workflow-permissions": "workflow-grants warn", "workflow-secret": "workflow-grants warn",
	"pull-request-target": "workflow-grants warn", "unpinned-action": "workflow-grants warn",
	"new-dependency": "new-dependency warn", "lock-host": "new-dependency warn", "lock-integrity": "new-dependency warn",
	"zero-width": "hidden-text warn", "mixed-script": "hidden-text warn", "secret-in-test": "secret warn",
	"unread-file": "unread block", "unread-workflow": "unread block", "unread-other": "unread info",
	"stub": "stub warn", "stubbed-body": "stub warn", "stub-phrase": "stub warn",
}

// FormerRule reports whether an id once named a diff rule, and which rule has its place now: "" for none.
func FormerRule(id string) (now string, former bool) {
	name, prefixed := strings.CutPrefix(id, diffPrefix)
	if !prefixed {
		return "", false
	}
	if joined, _, found := strings.Cut(joinedRules[name], " "); found {
		return diffPrefix + joined, true
	}
	return "", strings.Contains(goneRules, " "+name+" ")
}

// RowsOf names the rows that a former id means: the id of the rule that has its place, a blank and their severity. "" for any other id.
func RowsOf(named string) string {
	name, prefixed := strings.CutPrefix(named, diffPrefix)
	if rows := joinedRules[name]; prefixed && rows != "" && !strings.HasPrefix(rows, name+" ") {
		return diffPrefix + rows
	}
	return ""
}

// MeansRule reports whether an id in a contract is that of a diff rule, or a former id of its rows with a severity: what a contract
// says about a former rule counts for no other row.
func MeansRule(named, id string, severity input.Severity) bool {
	return named == id || RowsOf(named) == id+" "+string(severity)
}

// DiffSeverity is what a contract says about the rows of a diff rule with a severity, and whether it says anything. Of what it says
// about former rules the strictest counts, and where it does not name all of those that were joined, their own severity.
func (b *RuleBook) DiffSeverity(id string, own input.Severity) (severity input.Severity, said bool) {
	severity, left := Off, 0
	for _, row := range joinedRules {
		if diffPrefix+row == id+" "+string(own) {
			left++
		}
	}
	for _, r := range b.DiffRules {
		switch {
		case r.ID.Value == id:
			return r.Severity, true
		case MeansRule(r.ID.Value, id, own):
			severity, said = input.Stricter(severity, r.Severity), true
			left--
		}
	}
	if left > 0 {
		severity = input.Stricter(severity, own)
	}
	return severity, said
}
