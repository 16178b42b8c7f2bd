package diffrules

import "slices"

// All are the diff rules; the more precise of two that can find the same comes first.
var All = slices.Concat(hiddenRules, testRules, witnessRules, assertionRules, codeRules, checkRules, manifestRules, factRules)

// The groups, each in files of its own.
var (
	checkRules    = []*Rule{} // workflows, scripts and configuration of checks
	manifestRules = []*Rule{} // dependencies, lock files, snapshots
)
