package input

import (
	"strings"
)

// ParseDocument reads a JSON document that is bounded by Limits.RulesBytes; nil when it is too large or no JSON.
func ParseDocument(data []byte, what string, limits Limits, errs *Errors) *Node {
	if OverRulesBytes(data, what, limits, errs) {
		return nil
	}
	problems := &Errors{}
	n := ParseJSON(data, limits, problems)
	for _, e := range problems.All() {
		if fix := documentFixes[what]; n == nil && fix != "" && e.Where == "" && e.Limit == "" && e.Pos.Line == 1 && e.Pos.Column == 1 && foreign(e.Message) {
			e.Fix = fix
		}
		errs.Add(e)
	}
	return n
}

// documentFixes say what to write in place of a document of another format.
var documentFixes = map[string]string{
	"the rule report": `write only the report to the file: rows such as [{"slug": "docs", "passed": true}] or SARIF 2.1.0, for which most linters have an option; ` +
		`JUnit XML is the test_report of a criterion`,
	"the coverage report":        `write {"current": 0.84}, the share of the code that the tests cover`,
	"the rows of the diff rules": `let closeout diff --format json or closeout collect write diff_rules.json`,
	"facts.json":                 `write at least {"schema": "closeout.facts/v1"}, or let closeout collect write it`,
}

// foreign reports whether a message is about a document of another format, or an empty one.
func foreign(message string) bool {
	return (strings.HasPrefix(message, "this is") && message != "this is UTF-16" && !strings.HasPrefix(message, "this is Markdown")) || message == "the file is empty"
}

func OverRulesBytes(data []byte, what string, limits Limits, errs *Errors) bool {
	if int64(len(data)) <= limits.RulesBytes {
		return false
	}
	errs.Add(OverLimitAt(Pos{}, "the size of "+what+" in bytes", limits.RulesBytes, FlagRulesBytes))
	return true
}
