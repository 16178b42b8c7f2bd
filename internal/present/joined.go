package present

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// inFixOrder sorts findings by what has the most effect when it is fixed. What only follows from another finding comes last, and
// without its fix: nothing has to be done about it.
func inFixOrder(list []report.Finding) []report.Finding {
	causes := withoutEffects(list)
	ordered := slices.Clone(causes)
	input.SortStable(ordered, func(a, b report.Finding) int { return fixRank(nameOf(a)) - fixRank(nameOf(b)) })
	if len(causes) == len(list) {
		return ordered
	}
	for _, f := range list {
		if isEffect(f) {
			f.Fix = ""
			ordered = append(ordered, f)
		}
	}
	return ordered
}

// joinFindings joins findings that need the same fix. One with the output of a command stays alone.
func joinFindings(list []report.Finding) [][]report.Finding {
	type key struct{ code, severity, rule, fix string }
	at := map[key]int{}
	var groups [][]report.Finding
	for _, f := range list {
		k := key{f.Code, f.Severity, f.Rule, f.Fix}
		i, known := at[k]
		if !known || f.Output != nil || groups[i][0].Output != nil {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

// shared is what all findings of a group have in common.
type shared struct{ message, expected, actual, clause bool }

func sameIn(group []report.Finding) shared {
	same := func(of func(f report.Finding) string) bool {
		return !slices.ContainsFunc(group, func(f report.Finding) bool { return of(f) != of(group[0]) })
	}
	return shared{
		message:  same(messageOf),
		expected: same(func(f report.Finding) string { return f.Expected }),
		actual:   same(func(f report.Finding) string { return f.Actual }),
		clause:   same(clauseOf),
	}
}

// messageOf is the message of a finding without the name of its diff rule, which is shown before it.
func messageOf(f report.Finding) string {
	if !isRule(f.Rule) {
		return f.Message
	}
	return strings.TrimPrefix(f.Message, f.Rule+": ")
}

// fixOf is what is to be done about a finding; "" for nothing.
func fixOf(f report.Finding) string {
	if f.Overridden || f.Fix == "no action is needed" {
		return ""
	}
	return f.Fix
}
