package rules

import "slices"

// All are the diff rules; the more precise of two that can find the same comes first.
var All = slices.Concat(hiddenRules, testRules, witnessRules, assertionRules, codeRules, checkRules, manifestRules, factRules)

// assertionRules are the rules about what tests check.
var assertionRules = []*Rule{CommentedAssertion, WeakenedAssertion, Tautology}

// checkRules are about workflows, scripts and the configuration of checks.
var checkRules = []*Rule{UnreadWorkflow, SoftenedWorkflow, SwallowedCheck, WorkflowPermissions, PullRequestTarget, UnpinnedAction, WorkflowSecret}
