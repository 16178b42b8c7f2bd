package lint

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// evidence reports evidence and reports that git tracks or does not ignore.
func (l *linter) evidence() {
	dir := l.evidenceDir()
	committed := l.standing != nil && l.standing.contract.Evidence.Commits()
	if from, to := l.rangeIn(dir); from < to && !committed {
		l.trackedEvidence(dir, l.paths[from], to-from, "let git no longer track "+input.QuotePath(dir)+", which stays on disk, and ignore it")
	}
	if _, ok := l.tracked(report.FileName); ok {
		l.trackedEvidence(report.FileName, report.FileName, 1, "let git no longer track "+report.FileName+", which stays on disk, and ignore it")
	}
	for _, p := range [][2]string{{dir + "/feedback_record.jsonl", dir + "/"}, {report.FileName, "/" + report.FileName}} {
		if l.ignored(p[0]) || (committed && p[0] != report.FileName) {
			continue
		}
		l.report(&check.Finding{
			Code: "lint.not_ignored", Message: "git does not ignore " + input.QuotePath(p[0]) + ": one git add makes it part of the change, and a committed record is stale", Path: ".gitignore",
			Expected: "a line that ignores it", Actual: "none, or a later line that does not ignore it", Fix: "add the line " + p[1] + " at the end of .gitignore", Identity: []string{p[1]},
		})
	}
}

func (l *linter) trackedEvidence(what, first string, files int, fix string) {
	l.report(&check.Finding{
		Code: "lint.evidence_tracked", Message: fmt.Sprintf("git tracks %s of %s: evidence that a change brings along is not evidence", input.Plural(files, "file"), what),
		Path: first, Expected: "no tracked evidence", Actual: input.Plural(files, "file"), Fix: fix, Identity: []string{what},
	})
}

// ignored reports whether git ignores a path. Where git cannot say, which is one finding, nothing is reported as not ignored.
func (l *linter) ignored(p string) bool {
	if l.Ignored == nil {
		return true
	}
	ignored, err := l.Ignored(p)
	if err != nil {
		l.notChecked(".gitignore", "git check-ignore failed: "+err.Error(), "what git ignores")
		return true
	}
	return ignored
}
