package verify

import (
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// Screened is what is wrong with a change that was merged before the gate was there. It is not a report and cannot
// become one: nothing that needs evidence was judged.
type Screened struct {
	Verdict  string           // failed, review, or passed as far as it was judged
	Findings []report.Finding // in the order of a report
	Omitted  int              // how many more there are than Findings
}

// Screen judges what needs no evidence, by the checks with [check.ScopePast]. It reads contracts, changes, the
// rows of the diff rules and facts of the bundle; other inputs are ignored. What blocks is exactly what [Judge] reports from these checks.
func Screen(b *Bundle) *Screened {
	l := newLoader(b, check.ScopePast)
	l.boundInputs()
	l.readFacts()
	l.settle()
	l.readStanding()
	l.readTasks()
	l.readDiffRules()
	l.takeChanges(l.readChanges())
	l.compareSources()
	l.classify()
	results, _ := run(l.candidate, nil)
	found := findingsOf(l.candidate, results)
	input.SortStable(found.findings, compareFindings)
	return &Screened{Verdict: verdictOf(&found.counts, nil), Findings: found.findings, Omitted: found.omitted}
}
