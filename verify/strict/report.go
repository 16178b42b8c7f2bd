package strict

import (
	"github.com/closeout-gate/closeout/verify/diag"
)

// ParseDocument reads a JSON document that is bounded by Limits.RulesBytes; nil when it is too large or no JSON.
func ParseDocument(data []byte, what string, limits Limits, errs *diag.Errors) *Node {
	if OverRulesBytes(data, what, limits, errs) {
		return nil
	}
	return ParseJSON(data, limits, errs)
}

func OverRulesBytes(data []byte, what string, limits Limits, errs *diag.Errors) bool {
	if int64(len(data)) <= limits.RulesBytes {
		return false
	}
	errs.Add(OverLimitAt(diag.Pos{}, "the size of "+what+" in bytes", limits.RulesBytes, FlagRulesBytes))
	return true
}
