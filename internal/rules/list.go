package rules

import "slices"

// All are the diff rules; the more precise of two that can find the same comes first.
var All = slices.Concat(hiddenRules, testRules, witnessRules, assertionRules, codeRules, checkRules, manifestRules, factRules)
