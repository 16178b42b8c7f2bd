package checks

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/glob"
)

// Approval asks for the approving reviews that the contract demands for some files.
var Approval = &check.Check{
	ID:    "approval",
	Title: "Files that need an approving review have one",
	Also:  []string{"facts.unavailable"},
	Needs: []check.Kind{check.Contract, check.Changes},
	Asked: func(in *check.Inputs) bool { return in.Policy != nil && len(in.Policy.Approvals) > 0 },
	Run:   runApproval,
}

// runApproval knows of no review: the facts that it could read hold none, and what is not known is not passed.
func runApproval(p *check.Pass) {
	for _, a := range p.Policy.Approvals {
		var globs []glob.Pattern
		for _, f := range a.Files {
			globs = append(globs, f.Glob)
		}
		set := glob.CompileFolded(globs)
		for _, c := range p.Changes {
			if set.Match(c.Path) {
				p.Report(check.Finding{
					Code: "facts.unavailable", Message: fmt.Sprintf("nobody looked whether the approval %q was given", a.ID.Value),
					Input: changeKind(p), Path: c.Path, Expected: "the pull request's reviews", Actual: "no facts from GitHub",
					Fix: "take the change of this file back; a person may move it to a pull request of its own and review it there", Evidence: []string{a.ID.Value},
				})
			}
		}
	}
}
