package collect

import (
	"bytes"
	"errors"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/reports"
)

// Limits of the committed evidence that is parsed: of one file, and of all files of a change. What is beyond them counts as no
// evidence.
const (
	MaxEvidenceFile = 16 << 20
	maxEvidenceAll  = 64 << 20
)

// EvidenceReader tells what files of the evidence directory parse as, each content once.
type EvidenceReader struct {
	Objects Objects
	spent   int64
	known   map[string]string // by id
}

// findEvidence notes what each file that the change leaves in the evidence directory parses as: the judge sees no
// content.
func (c *Comparison) findEvidence(dir string) {
	reader := EvidenceReader{Objects: c.Objects}
	for i := range c.Changes {
		changed := &c.Changes[i]
		if changed.NewMode != change.Regular || !strings.HasPrefix(changed.Path, dir+"/") {
			continue
		}
		kind, err := reader.Kind(changed.NewID)
		if err != nil {
			c.lacks(changed.Path, err)
			return // the others would fail for the same reason
		}
		changed.Evidence = kind
	}
}

// Kind is what a content parses as; "" for nothing, and for what is too large.
func (r *EvidenceReader) Kind(id string) (string, error) {
	if kind, ok := r.known[id]; ok {
		return kind, nil
	}
	if r.spent >= maxEvidenceAll {
		return "", nil
	}
	data, err := r.Objects.Blob(id, MaxEvidenceFile)
	if err != nil && !errors.Is(err, ErrTooLarge) {
		return "", err
	}
	if r.spent += int64(len(data)) + 1; r.known == nil {
		r.known = map[string]string{}
	}
	if err == nil {
		r.known[id] = evidenceKind(data)
	}
	return r.known[id], nil
}

// evidenceKind tells what a file parses as, by the parsers of the gate; "" for nothing. A file that says nothing is not
// evidence.
func evidenceKind(data []byte) string {
	limits := input.DefaultLimits()
	for _, one := range []struct {
		kind   string
		parses func() bool
	}{
		{change.EvidenceFeedback, func() bool {
			lines, errs := feedback.ReadLog(bytes.NewReader(data), limits, func(*feedback.Record) {})
			return lines > 0 && !errs.Any()
		}},
		{change.EvidenceTests, func() bool {
			report, errs := reports.ParseTests(data, limits)
			return !errs.Any() && report.Tests+report.Broken > 0
		}},
		{change.EvidenceRules, func() bool {
			report, errs := reports.Parse(data, limits)
			return !errs.Any() && (len(report.Rows) > 0 || report.Shape != reports.ShapeRows)
		}},
		{change.EvidenceDiffRules, func() bool { return fine(reports.ParseDiff(data, limits)) }},
		{change.EvidenceCoverage, func() bool { return fine(reports.ParseCoverage(data, limits)) }},
		{change.EvidenceFacts, func() bool { return fine(facts.Parse(data, limits)) }},
		{change.EvidenceChanges, func() bool { return fine(change.ReadChanges(bytes.NewReader(data), limits)) }},
		{change.EvidenceReport, func() bool { return isReport(data) }},
		{change.EvidenceContract, func() bool { return fine(contract.Parse("scope_contract.json", data, limits)) }},
	} {
		if one.parses() {
			return one.kind
		}
	}
	return ""
}

// isReport reports whether a file is a verification report as it is written: reading one ignores what it does not know.
func isReport(data []byte) bool {
	r, err := report.Read(data)
	if err != nil {
		return false
	}
	written, err := report.Canonical(r)
	return err == nil && bytes.Equal(written, data)
}

// fine reports whether a parser found no errors.
func fine[T any](_ T, errs *input.Errors) bool { return !errs.Any() }
