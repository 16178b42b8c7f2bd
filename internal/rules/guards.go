package rules

// checkRules are about workflows, scripts and the configuration of checks.
var checkRules = []*Rule{UnreadWorkflow, SoftenedWorkflow, SwallowedCheck, WorkflowPermissions, PullRequestTarget, UnpinnedAction, WorkflowSecret, AgentFile}
