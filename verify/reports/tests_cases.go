package reports

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// caseOutcome is how one case of a test report ended.
type caseOutcome int

const (
	casePassed caseOutcome = iota
	caseFailed
	caseSkipped
	caseFlaky // passed, after a run that failed
)

// testCase is one case in a report. Cases with the same group, class and name are runs of the same case.
type testCase struct {
	group       string // its suite or package
	where       string // what people call its group: its class, suite or package
	class, name string // a case without name is unique
	outcome     caseOutcome
	error       string // the first line of a failure; "" when it is unknown
	spots       []input.Spot
}

// caseMarks is what is known about one case. A report may have hundreds of thousands, so it is small.
type caseMarks byte

const (
	stateRan     caseMarks = 1 << iota // passed or failed
	stateFrame                         // it has subtests
	stateFailed                        // it failed once
	stateFailing                       // and did not pass after that
)

type caseKey [16]byte

// caseBook counts the cases of a report. The zero value is not ready: see newCaseBook.
type caseBook struct {
	report   TestReport
	cases    map[caseKey]caseMarks
	names    map[caseKey]string      // of the first ones that failed
	failed   []caseKey               // the same, in their order
	nameless int64                   // cases without name that failed
	ran      bool                    // a case without name ran
	failing  map[string]int64        // how many cases of a group are failing
	listed   *TestNames              // nil when the names are not asked for
	told     map[caseKey]TestFailure // of the first that failed
}

// maxTold is how many cases that failed are described until it is known which of them pass later.
const maxTold = 100

func newCaseBook() *caseBook {
	return &caseBook{cases: map[caseKey]caseMarks{}, names: map[caseKey]string{}, failing: map[string]int64{}, told: map[caseKey]TestFailure{}}
}

func keyOf(parts ...string) caseKey {
	h := sha256.New()
	for _, part := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return caseKey(h.Sum(nil)[:16])
}

// add counts a case. A failing case that occurs again is another run, and is not counted twice.
func (b *caseBook) add(c testCase) {
	if b.listed != nil {
		b.listed.add(c)
	}
	if c.outcome == caseSkipped && len(b.report.FirstSkipped) < MaxSkipped {
		b.report.FirstSkipped = append(b.report.FirstSkipped, c.fullName())
	}
	if c.name == "" {
		b.count(c.outcome)
		b.ran = b.ran || c.outcome != caseSkipped
		switch c.outcome {
		case caseFailed:
			b.nameless++
		case caseFlaky:
			b.report.Flaky++
		}
		return
	}
	key := keyOf(c.group, c.class, c.name)
	state := b.cases[key]
	if state&stateFailing == 0 || c.outcome == caseSkipped {
		b.count(c.outcome)
	}
	switch c.outcome {
	case caseFailed:
		b.name(c, key)
		if state&stateFailing == 0 {
			b.failing[c.group]++
		}
		state |= stateRan | stateFailed | stateFailing
	case casePassed, caseFlaky:
		if state&stateFailing != 0 {
			b.failing[c.group]--
		}
		state = state&^stateFailing | stateRan
		if c.outcome == caseFlaky {
			b.name(c, key)
			state |= stateFailed
		}
	}
	b.cases[key] = state
	b.addFrames(c)
}

func (b *caseBook) count(outcome caseOutcome) {
	b.report.Tests++
	if outcome == caseSkipped {
		b.report.Skipped++
	}
}

// fullName is the name of a case with its class, cut to a readable length.
func (c testCase) fullName() string {
	if c.class == "" || c.name == "" {
		return input.Clip(c.name)
	}
	return input.Clip(c.class + "." + c.name)
}

// name keeps the name of a case that failed.
func (b *caseBook) name(c testCase, key caseKey) {
	if _, known := b.names[key]; known || len(b.failed) == maxTestErrors {
		return
	}
	b.names[key] = c.fullName()
	b.failed = append(b.failed, key)
	if len(b.told) < maxTold {
		text := input.CutTo(strings.Clone(c.error), maxTestError)
		b.told[key] = TestFailure{Group: input.Clip(c.where), Name: input.Clip(c.name), Error: text, Spots: c.spots}
	}
}

// addFrames marks the parents of a subtest. The name of a subtest may contain slashes: the top-level test is a frame in any
// case.
func (b *caseBook) addFrames(c testCase) {
	first, last := strings.IndexByte(c.name, '/'), strings.LastIndexByte(c.name, '/')
	if first <= 0 {
		return
	}
	b.cases[keyOf(c.group, c.class, c.name[:first])] |= stateFrame
	if last > first {
		b.cases[keyOf(c.group, c.class, c.name[:last])] |= stateFrame
	}
}

// broke adds failures without a case.
func (b *caseBook) broke(name string, failures int64) {
	b.report.Broken += failures
	b.report.FirstFailed = cmp.Or(b.report.FirstFailed, input.Clip(name))
}

// wasBroken counts a failure without a case that a later run made good.
func (b *caseBook) wasBroken(name string) {
	b.report.Flaky++
	b.report.FirstFlaky = cmp.Or(b.report.FirstFlaky, input.Clip(name))
}

// sum finishes the report. A test whose subtests were all skipped did not run.
func (b *caseBook) sum() *TestReport {
	r := &b.report
	r.Failed = b.nameless
	for _, state := range b.cases {
		switch {
		case state&stateFailing != 0:
			r.Failed++
		case state&stateFailed != 0:
			r.Flaky++
		}
	}
	first := ""
	for _, key := range b.failed {
		if b.cases[key]&stateFailing == 0 {
			r.FirstFlaky = cmp.Or(r.FirstFlaky, b.names[key])
			continue
		}
		first = cmp.Or(first, b.names[key])
		if told, ok := b.told[key]; ok {
			r.Failing = append(r.Failing, told)
		}
	}
	r.FirstFailed = cmp.Or(first, r.FirstFailed)
	r.Failing = innermost(r.Failing)
	if !b.anyRan() {
		r.Skipped = r.Tests - r.Failed
	}
	return r
}

// innermost leaves out tests that fail because a subtest does, and cuts the list.
func innermost(failing []TestFailure) []TestFailure {
	var list []TestFailure
	for _, f := range failing {
		isPart := func(other TestFailure) bool {
			return other.Group == f.Group && strings.HasPrefix(other.Name, f.Name+"/")
		}
		if len(list) < MaxFailures && !slices.ContainsFunc(failing, isPart) {
			list = append(list, f)
		}
	}
	return list
}

func (b *caseBook) anyRan() bool {
	for _, state := range b.cases {
		if state&stateRan != 0 && state&stateFrame == 0 {
			return true
		}
	}
	return b.ran
}
