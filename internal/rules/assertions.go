package rules

// assertionRules are the rules about what tests check.
var assertionRules = []*Rule{CommentedAssertion, WeakenedAssertion, Tautology, MockInIntegration, MockGrowth, FewerAssertions, RebasedExpectation, SpecialCase}
