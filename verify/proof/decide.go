package proof

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// Reason is why a criterion is not met: the code of a finding, or Passed.
type Reason string

// The reasons, the first that applies is reported.
const (
	Passed          Reason = ""
	Missing         Reason = "acceptance.missing"
	NullExit        Reason = "acceptance.null_exit"
	Conflict        Reason = "evidence.conflict"
	FailedReason    Reason = "acceptance.failed"
	ControlPassed   Reason = "acceptance.control_passed"
	Stale           Reason = "evidence.stale"
	DirtyTree       Reason = "evidence.dirty_tree"
	BelowMinimum    Reason = "evidence.below_minimum"
	TooManyAttempts Reason = "acceptance.too_many_attempts"
	Vacuous         Reason = "acceptance.vacuous"
	Contradicted    Reason = "acceptance.contradicted"
	UnknownReason   Reason = "acceptance.unknown"
)

// Deciding is what one stream says about a criterion.
type Deciding struct {
	Stream string
	Level  input.Level
	Tally
	// Lower are failures of a lower level in a log whose digest the workflow supplied. They do not decide, but are reported
	// and count as attempts.
	Lower int64
	kept  bool // counts next to records of a higher level: the last record of a log with a supplied digest, and not met
}

// Tries is how often the command was tried.
func (x *Deciding) Tries() int64 { return x.Attempts + x.Lower }

// Decision is what all streams together say about a criterion.
type Decision struct {
	Reason   Reason
	Level    input.Level // of the deciding records, or of the one for Reason; absent when there are none
	Minimum  input.Level
	Deciding []Deciding // at most one per stream, in the order of the streams
	At       *Deciding  // the one for Reason; nil for missing
	Flaky    *Deciding  // a deciding pass after a failure; nil when there is none
	Cached   *Deciding  // a deciding pass with results of an earlier run; nil when there is none
	Silent   *Deciding  // a deciding pass without the summary that its test runner prints; nil when there is none
	Attempts int64      // records of the deciding level, in all streams
	Foreign  int64      // matching records of another task
	Idle     int64      // matching records of the contract of the change, which cannot pass a standing criterion
}

// Trust says whether a stream counts, and whether the workflow supplied its digest. Streams are identified by their index in
// the ledger: two files can have the same name.
type Trust struct {
	Counts   bool
	Recorded bool
}

// Decide judges the criterion with index i. minimum is the evidence level that it requires; trust has an element per stream.
func (l *Ledger) Decide(i int, minimum input.Level, trust []Trust) Decision {
	c := &l.config.Criteria[i]
	d := Decision{Level: input.Absent, Minimum: minimum}
	for n, s := range l.Streams {
		if !trust[n].Counts {
			continue
		}
		d.Foreign += s.foreign[i]
		d.Idle += s.idle[i]
		if tallies := s.tallies[i]; tallies != nil {
			x := deciding(c, s.Name, tallies, trust[n])
			d.Deciding = append(d.Deciding, x)
			d.Level = input.Stronger(d.Level, x.Level)
		}
	}
	d.Deciding = slices.DeleteFunc(d.Deciding, func(x Deciding) bool { return x.Level != d.Level && !x.kept })
	for _, x := range d.Deciding {
		d.Attempts += x.Attempts
	}
	d.judge(c)
	if d.At != nil {
		d.Level = d.At.Level
	}
	return d
}

// deciding selects the records of a stream that decide: those of the highest level, and in a log with a supplied digest also
// a last record that did not end as expected, so that a failed run that also changed a file is not hidden.
func deciding(c *contract.Criterion, stream string, t *criterionTally, trust Trust) Deciding {
	x := Deciding{Stream: stream, Level: input.Claimed, Tally: t.claimed}
	x.kept = trust.Recorded && !Met(c, t.last.Last.Exit)
	if t.bound.Attempts > 0 && !(x.kept && t.last == &t.claimed) {
		x.Level, x.Tally = trust.raise(input.Bound), t.bound
		if trust.Recorded {
			x.Lower = t.claimed.Failures
		}
	}
	return x
}

// judge finds the first reason that applies.
func (d *Decision) judge(c *contract.Criterion) {
	if len(d.Deciding) == 0 {
		d.Reason = Missing
		return
	}
	met := func(x *Deciding) bool { return Met(c, x.Last.Exit) }
	unknown := func(x *Deciding) bool { return x.unknown(c, d.Minimum) }
	unmet := func(x *Deciding) bool { return !met(x) && !unknown(x) }
	d.Flaky = d.first(func(x *Deciding) bool { return met(x) && x.Failures+x.Lower > 0 })
	d.Cached = d.first(func(x *Deciding) bool { return x.Last.Output.Proof == SomeCached })
	d.Silent = d.first(func(x *Deciding) bool { return met(x) && x.Last.Output.Silent })
	failed := FailedReason
	if c.ExpectFail {
		failed = ControlPassed
	}
	for _, rule := range []struct {
		reason  Reason
		applies func(*Deciding) bool
	}{
		{NullExit, func(x *Deciding) bool { return x.Last.Exit == nil }},
		{Conflict, func(x *Deciding) bool { return unmet(x) && d.first(met) != nil }},
		{failed, func(x *Deciding) bool { return unmet(x) && (!c.ExpectFail || *x.Last.Exit == 0) }},
		{FailedReason, unmet},
		{Stale, func(x *Deciding) bool { return x.Last.Stale }},
		{DirtyTree, func(x *Deciding) bool { return x.Last.Dirty }},
		{BelowMinimum, func(*Deciding) bool { return d.Level.Rank() < d.Minimum.Rank() }},
		{TooManyAttempts, func(x *Deciding) bool { return x.Tries() > c.MaxAttempts }},
		{Vacuous, func(x *Deciding) bool { return vacuous(x.Last.Output.Proof) }},
		{Contradicted, func(x *Deciding) bool { return x.Last.Output.Failure != "" }},
		{UnknownReason, unknown}, // last: what fails in another log, or fails besides, is known
	} {
		if d.At = d.first(rule.applies); d.At != nil {
			d.Reason = rule.reason
			return
		}
	}
}

// unknown reports whether the deciding record of a stream says that the command cannot know. That must be as certain as a pass
// would have to be: else it is a failure, as without unknown_exit, which no claim may turn into an open question.
func (x *Deciding) unknown(c *contract.Criterion, minimum input.Level) bool {
	return SaysUnknown(c, x.Last.Exit) && !x.Last.Stale && !x.Last.Dirty && !x.Last.Foreign && x.Level.Rank() >= minimum.Rank()
}

// vacuous reports whether the output of a command shows that it proves nothing. A test report does not change that: it may
// be the report of another run.
func vacuous(p Proof) bool { return p == NoneRan || p == AllCached }

// first returns the first stream to which a rule applies.
func (d *Decision) first(applies func(*Deciding) bool) *Deciding {
	for i := range d.Deciding {
		if applies(&d.Deciding[i]) {
			return &d.Deciding[i]
		}
	}
	return nil
}

// Faults lists the deciding streams that do not show that the criterion is met, each with its fault. The list is the identity
// of a decision, so it contains no exit code and no count, which differ between runs.
func (d *Decision) Faults(c *contract.Criterion) []string {
	var list []string
	for i := range d.Deciding {
		x := &d.Deciding[i]
		if fault := x.fault(c); fault != "" {
			list = append(list, x.Stream, fault)
		}
	}
	return list
}

// fault is the first fault of the deciding record of a stream; "" when there is none.
func (x *Deciding) fault(c *contract.Criterion) string {
	switch last := &x.Last; {
	case last.Exit == nil:
		return "null exit"
	case !Met(c, last.Exit):
		return "unmet"
	case last.Stale:
		return "stale " + last.StaleTree
	case last.Dirty:
		return "dirty"
	case x.Tries() > c.MaxAttempts:
		return "too many attempts"
	case vacuous(last.Output.Proof):
		return "vacuous"
	case last.Output.Failure != "":
		return "contradicted"
	}
	return ""
}
