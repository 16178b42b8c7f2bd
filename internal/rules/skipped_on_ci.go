package rules

import (
	"bytes"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findSkippedOnCI finds skips that hold where CI runs the tests, which is where evidence comes from.
func findSkippedOnCI(c *Change, report func(Hit)) {
	for _, list := range c.newFindings(false, scanSkipsOnCI) {
		if f := list[0].file; f.Base != nil {
			report(f.hit(0, list[0].line, "CI", "a test does not run on CI any more", "let the test run on CI, and fix what it finds"))
		}
	}
}

// scanSkipsOnCI looks for conditions of skips that ask for a variable which CI sets.
func scanSkipsOnCI(f *File, v *source.File, report func(line int, kind string)) {
	if !f.hasTests() && !f.hadTests() {
		return
	}
	for _, n := range linesWith(v, v.Text, "CI", "GITHUB_ACTIONS") {
		text := v.Line(n)
		at := asksForCI().FindIndex(text)
		if at == nil || len(text) > maxCondition || isBlank(v.CodeLine(n)) {
			continue
		}
		before, after := bytes.TrimRight(text[:at[0]], " ("), text[at[1]:]
		isSkip := skipsHere().Match(v.CodeLine(n))
		for next := n + 1; !isSkip && next <= n+2 && begins(bytes.TrimLeft(v.CodeLine(n), " \t}"), "if"); next++ {
			isSkip = skipsHere().Match(v.CodeLine(next)) || oneOf(string(bytes.Trim(v.CodeLine(next), " \t\r;")), "return")
		}
		isAbsent := ends(before, "not") || (ends(before, "!") && !ends(before, "!!")) || isUnset().Match(after) || isUnset().Match(text[at[0]:])
		if isSkip && isAbsent == runsWhere().Match(text) {
			report(n, "skip")
		}
	}
}

var (
	asksForCI = input.Lazily(`(?:[gG]etenv|LookupEnv|environ(?:\.get)?|process\.env|\bENV|env::var(?:_os)?|EnvironmentVariable|\bnamed *=)[\w.]*\W{0,4}\b(?:CI|GITHUB_ACTIONS)\b|` +
		`["'](?:CI|GITHUB_ACTIONS)["'] (?:not )?in os\.environ|\b(?:is|on|in)_?CI\b|\bIS_CI\b`)
	skipsHere = input.Lazily(`\b\w*[sS]kip\w*\b|\bpending\b|\bDisabledIf|\bEnabledIf|\bassume|\bAssume|\bxfail\b|\brunIf\b|\bInconclusive\b|\bIgnore\b`)
	runsWhere = input.Lazily(`[uU]nless|runIf|EnabledIf|IfNot|assumeTrue|assumeThat|Assume\.That`)
	// isUnset matches what follows where the variable is not set, or set to no.
	isUnset = input.Lazily(`^["')\]]*(?:\.is_err|\.nil\?|\.empty\?|;? *!ok| +is None| *={2,3} *(?:""|''|nil|null|None|undefined|["']false)| *!={1,2} *["'\x60]?(?:true|1))|^["']\w+["'] not in `)
)
