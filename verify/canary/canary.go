// Package canary makes the counter-checks of a decision: it breaks copies of the inputs in memory, judges each, and reports
// which ones the gate refused. That says whether this contract and these inputs can be refused at all, not that the gate is
// free of errors.
//
// No copy is written anywhere, and none is evidence.
package canary

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/report"
)

// Limits of the work.
const (
	MaxJudgments = 30      // of one run, the first of which is that of the unbroken inputs
	MaxCriteria  = 20      // of which copies are broken
	ActionBytes  = 4 << 20 // inputs of a run in the action
	MaxBytes     = 64 << 20
)

// Options of the counter-checks. The zero value has no bound but the package's own.
type Options struct {
	Bytes int64       // the largest inputs, in all; 0 is MaxBytes
	Stop  func() bool // asked before each copy: when it is true, no more are tried; nil never stops
}

// The names of the mutations. They are part of the format.
const (
	OffScope      = "off_scope_path"
	Forbidden     = "forbidden_path"
	ContractPath  = "contract_path"
	RuleFailed    = "rule_failed"
	RuleMissing   = "rule_missing"
	Tree          = "tree"
	Unbound       = "unbound_records"
	LogByte       = "log_byte"
	OverrideCode  = "override_code"
	OverrideActor = "override_actor"
	OverrideHead  = "override_head"
	ExitCode      = "exit_code"
	Records       = "records"
	all           = "all"
)

// mutation is a way to break the inputs.
type mutation struct {
	name, text, criterion string
	expected              string                                           // the code that must refuse the copy
	about                 func(*report.Finding) bool                       // which finding of that code; nil is any
	refusal               []string                                         // of an override: one of these conditions must refuse the label
	edit                  func(*inputs) (why string)                       // breaks the copy; why it cannot be broken
	because               func(after *report.Report) *report.CanaryBecause // the line that allows the copy; may be nil
	asIs                  bool                                             // digests are not supplied anew
}

// canary is one run.
type canary struct {
	Options
	base      *inputs
	before    *report.Report
	known     *facts.Facts            // of the bundle itself; nil when there are none
	part      int                     // whose scope is tried: a pull request of a merge group, or whole
	contracts []source                // that judge this part, the standing one first
	records   [][]record              // of each criterion of the report
	logs      map[string]int          // places of the logs, by what the report calls them
	catalogue map[string]entry        // of rules, by their ids
	minima    map[string][]ownMinimum // of criteria, by their commands
	hex       string                  // of the report, in names that no repository has
	judged    int
	result    *report.Canary
}

// Run makes the counter-checks of a decision. r is what [verify.Judge] gave for the bundle, whose inputs are read once more. It
// returns a result whatever happens, unless the judge panics.
func Run(b *verify.Bundle, r *report.Report, o Options) *report.Canary {
	c := &canary{Options: o, before: r, part: whole, result: &report.Canary{
		Schema: report.CanarySchema, Tool: report.Tool{Name: "closeout", Version: verify.Version}, Verdict: r.Verdict,
	}}
	if why := c.prepare(b); why != "" {
		c.notTried(all, why)
		return c.result
	}
	for _, m := range c.mutations() {
		c.try(&m)
	}
	c.join()
	return c.result
}

// prepare reads the inputs and judges them unchanged; why is why nothing can be tried.
func (c *canary) prepare(b *verify.Bundle) (why string) {
	text, err := report.Canonical(c.before)
	if err != nil {
		return err.Error()
	}
	c.result.ReportSHA256 = digest(text)
	c.hex = c.result.ReportSHA256[:12]
	if c.before.Verdict != report.Passed && c.before.Verdict != report.Overridden {
		return "the verdict is " + c.before.Verdict + ": that a copy is refused too would say nothing"
	}
	if c.before.TaskID == nil {
		return "no contract was judged, and a person overrode that"
	}
	limit, size := c.Bytes, int64(0)
	if limit == 0 {
		limit = MaxBytes
	}
	for _, in := range c.before.Inputs {
		size += in.Bytes
	}
	if size > limit {
		return fmt.Sprintf("the inputs have more than %d MiB in all", limit>>20)
	}
	if c.base, err = read(b, limit); err != nil {
		return err.Error()
	}
	again, err := report.Canonical(verify.Judge(c.base.bundle()))
	c.judged = 1
	if err != nil || !bytes.Equal(text, again) {
		return "the unbroken copy of the inputs gives another report: an input was changed, or cannot be read twice"
	}
	c.known = c.base.facts(whole)
	c.part = c.scopedPart()
	c.contracts = c.base.contracts(c.part)
	if len(c.contracts) == 0 {
		return "no contract can be read"
	}
	c.index()
	return ""
}

// index prepares what the mutations look up.
func (c *canary) index() {
	c.catalogue, c.minima = c.catalogues(), c.ownMinima()
	c.logs = map[string]int{}
	names := displays(c.known)
	for _, i := range c.base.of(check.Feedback, whole) {
		name := c.base.files[i].Name
		c.logs[cmp.Or(names[name], name)] = i
	}
	c.records = c.recordsOf()
}

// scopedPart is the first pull request of a merge group to which the contract applies; whole without a group.
func (c *canary) scopedPart() int {
	if len(c.base.parts) == 0 || len(c.before.PullRequests) == 0 {
		return whole
	}
	for i, number := range c.base.parts {
		exempt := func(f report.Finding) bool {
			return f.Code == checks.CodeNotApplicable && f.Location.PullRequest == number
		}
		if !slices.ContainsFunc(c.before.Findings, exempt) {
			return i
		}
	}
	return 0
}

// mutations lists all ways to break the inputs. Those of single criteria are last: they are the ones that a contract can have
// too many of.
func (c *canary) mutations() []mutation {
	list := append(c.ofScope(), c.ofRules()...)
	list = append(list, c.ofTrust()...)
	list = append(list, c.ofOverride()...)
	return append(list, c.ofCriteria()...)
}

// try judges one broken copy.
func (c *canary) try(m *mutation) {
	switch {
	case c.judged >= MaxJudgments:
		c.notTried(m.name, fmt.Sprintf("a run judges at most %d copies", MaxJudgments-1))
		return
	case c.Stop != nil && c.Stop():
		c.notTried(m.name, "the time for counter-checks is over")
		return
	}
	broken := c.base.copy()
	if why := m.edit(broken); why != "" {
		c.notTried(m.name, why)
		return
	}
	if !m.asIs {
		broken.resupply(c.base)
	}
	after := verify.Judge(broken.bundle())
	c.judged++
	c.count(m, after)
}

// count counts a copy that was judged. One that is refused for another reason, or about which the check did not run because a
// person overrode what it needs, says nothing.
func (c *canary) count(m *mutation, after *report.Report) {
	accepted := after.Verdict == report.Passed || after.Verdict == report.Overridden
	line := c.because(m, after)
	switch {
	case !accepted && !m.refuses(after):
		c.notTried(m.name, fmt.Sprintf("%s: the copy is refused, but not because of %s: %s", m.text, m.expected, blocking(after)))
		return
	case !accepted:
		c.result.Refused++
	case line == nil && after.Verdict == report.Overridden && m.skipped(after):
		c.notTried(m.name, fmt.Sprintf("the check of %s did not run: a person overrode that it could not", m.expected))
		return
	case line == nil && after.Verdict == report.Overridden && c.accepted(m) != "":
		c.notTried(m.name, fmt.Sprintf("a person overrode %s already, so that the copy has no other finding", c.accepted(m)))
		return
	default:
		c.result.LetThrough = append(c.result.LetThrough, report.CanaryLetThrough{
			Mutation: m.name, Text: m.text, Criterion: m.criterion, Expected: m.expected, Verdict: after.Verdict, Because: line,
		})
	}
	c.result.Tried++
}

// skipped reports whether the check that has the expected code did not run.
func (m *mutation) skipped(after *report.Report) bool {
	id := checkOf(m.expected)
	return slices.ContainsFunc(after.Checks, func(o report.Check) bool { return o.ID == id && o.Outcome == report.OutcomeSkipped })
}

// checkOf is the check that has a code; "" when none has.
func checkOf(code string) string {
	for _, k := range checks.All {
		if slices.ContainsFunc(k.Codes, func(c check.Code) bool { return c.Name == code }) {
			return k.ID
		}
	}
	return ""
}

// accepted is the code of a finding that a person overrode in the decision itself, and that the copy would have too: the expected
// one, or that the input cannot be read; "" when there is none.
func (c *canary) accepted(m *mutation) string {
	for i := range c.before.Findings {
		f := &c.before.Findings[i]
		same := f.Code == m.expected && (m.about == nil || m.about(f))
		unread := strings.HasSuffix(f.Code, ".malformed") && checkOf(f.Code) == checkOf(m.expected)
		if f.Overridden && (same || unread) {
			return f.Code
		}
	}
	return ""
}

// refuses reports whether a report refuses the copy for the expected reason.
func (m *mutation) refuses(after *report.Report) bool {
	if m.refusal != nil {
		return slices.ContainsFunc(after.OverrideRefused, func(r report.Refusal) bool { return slices.Contains(m.refusal, r.Condition) })
	}
	return slices.ContainsFunc(after.Findings, func(f report.Finding) bool {
		return f.Code == m.expected && f.Severity == string(diag.Block) && !f.Overridden && (m.about == nil || m.about(&f))
	})
}

// blocking names the codes that refused a copy, at most five.
func blocking(after *report.Report) string {
	var codes []string
	for _, f := range after.Findings {
		if f.Severity != string(diag.Warn) && f.Severity != string(diag.Info) && !slices.Contains(codes, f.Code) && len(codes) < 5 {
			codes = append(codes, f.Code)
		}
	}
	return strings.Join(codes, ", ")
}

// because finds the line of a contract that allowed a copy; nil when none did.
func (c *canary) because(m *mutation, after *report.Report) *report.CanaryBecause {
	standing := &c.contracts[0]
	for _, f := range after.Findings {
		if f.Code == checks.CodeNotApplicable && (c.part == whole || f.Location.PullRequest == c.base.parts[c.part]) {
			return &report.CanaryBecause{Path: f.Location.Path, Line: f.Location.Line, Text: "applies_to leaves out the author of the pull request"}
		}
	}
	if m.because != nil {
		if line := m.because(after); line != nil {
			return line
		}
	}
	if after.Verdict == report.Overridden {
		if n := standing.at("override", "binding"); n != nil && n.Text == "event" {
			return standing.because(n.Pos, `override.binding is "event": the label accepts whatever the gate finds at this head`)
		}
	}
	return nil
}

func (c *canary) notTried(name, why string) {
	c.result.NotTried = append(c.result.NotTried, report.CanaryNotTried{Mutation: name, Why: why})
}

// join makes one entry of equal ones.
func (c *canary) join() {
	var list []report.CanaryNotTried
	times := map[report.CanaryNotTried]int{}
	for _, n := range c.result.NotTried {
		if times[n]++; times[n] == 1 {
			list = append(list, n)
		}
	}
	for i, n := range list {
		if times[n] > 1 {
			list[i].Why = fmt.Sprintf("%s (%d copies)", n.Why, times[n])
		}
	}
	c.result.NotTried = list
}
