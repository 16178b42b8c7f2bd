package checks

import (
	"fmt"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
)

// reportBranch compares the base branch of a pull request with base_branches. A contract that judges only what
// goes into main would say nothing about a pull request that is retargeted after it passed.
func reportBranch(p *check.Pass) {
	if !aboutPullRequest(p.Facts) {
		return
	}
	branch := p.Facts.Subject.BaseBranch
	if pr := live(p.Facts); pr != nil {
		branch = pr.BaseBranch
	}
	if branch == "" {
		if askedGitHub(p.Facts) {
			reportLacking(p, facts.WantedPullRequest, "base branch", "cannot determine the base branch of the pull request")
		}
		return
	}
	for i, s := range p.Policy.Sources {
		switch patterns := s.Contract.BaseBranches; {
		case patterns != nil:
			reportOtherBranch(p, branch, patterns)
		case i == 0:
			reportNotDefault(p, branch)
		}
	}
}

// reportNotDefault compares the branch with the default branch: a standing contract without base_branches requires it.
func reportNotDefault(p *check.Pass, branch string) {
	switch name := p.Facts.Subject.DefaultBranch; name {
	case branch:
	case "":
		reportLacking(p, facts.WantedSubject, "default branch", "cannot determine whether the pull request's base branch is the default branch")
	default:
		reportBranchFinding(p, branch, name+", the default branch")
	}
}

func reportOtherBranch(p *check.Pass, branch string, patterns []contract.Pattern) {
	var globs []glob.Pattern
	var names []string
	for _, b := range patterns {
		globs, names = append(globs, b.Glob), append(names, b.Value)
	}
	if !glob.Compile(globs).Match(branch) {
		reportBranchFinding(p, branch, strings.Join(names, ", "))
	}
}

func reportBranchFinding(p *check.Pass, branch, expected string) {
	p.Report(check.Finding{
		Code: "scope.base_branch", Message: fmt.Sprintf("the base branch of the pull request is %q, which the contract does not name", branch),
		Input: check.Facts, Expected: expected, Actual: branch,
		Fix:      "retarget the pull request: its event edited runs the gate again; a person may name the branch under base_branches in the contract of the default branch",
		Identity: []string{branch},
	})
}
