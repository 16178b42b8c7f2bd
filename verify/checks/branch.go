package checks

import (
	"fmt"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/policy"
)

// reportBranch compares the base branch of a pull request with base_branches. A contract that judges only what
// goes into main would say nothing about a pull request that is retargeted after it passed.
func reportBranch(p *check.Pass) {
	if !p.Facts.AboutPullRequest() {
		return
	}
	branch := p.Facts.Subject.BaseBranch
	if pr := p.Facts.Live(); pr != nil {
		branch = pr.BaseBranch
	}
	if branch == "" {
		if p.Facts.AskedGitHub() {
			p.ReportLacking(facts.WantedPullRequest, "base branch", "the base branch of the pull request")
		}
		return
	}
	for i, s := range p.Policy.Sources {
		var globs []glob.Pattern
		var names []string
		for _, b := range s.Contract.BaseBranches {
			globs, names = append(globs, b.Glob), append(names, b.Value)
		}
		switch name := p.Facts.Subject.DefaultBranch; {
		case s.Contract.BaseBranches != nil:
			if !glob.Compile(globs).Match(branch) {
				reportOtherBranch(p, &s, branch, strings.Join(names, ", "))
			}
		case i > 0 || name == branch: // without base_branches the standing contract requires the default branch
		case name == "":
			p.ReportLacking(facts.WantedSubject, "default branch", "whether the pull request's base branch is the default branch")
		default:
			reportOtherBranch(p, &s, branch, name+", the default branch")
		}
	}
}

func reportOtherBranch(p *check.Pass, s *policy.Source, branch, expected string) {
	p.Report(check.Finding{
		Code: "scope.base_branch", Message: fmt.Sprintf("the base branch of the pull request is %q, which the contract does not name", branch),
		Input: check.Facts, Expected: expected, Actual: branch,
		Fix:      "retarget the pull request: its event edited runs the gate again; a person may name the branch under base_branches in the contract of the default branch",
		Identity: []string{branch}, Contract: check.Place{Path: s.Path, Pos: s.Contract.Keys["base_branches"]},
	})
}
