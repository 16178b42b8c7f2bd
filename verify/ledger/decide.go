package ledger

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/diag"
)

// Reason is why a criterion is not met: the code of the finding. Passed is none.
type Reason string

// The reasons, in the order in which the first that holds is reported.
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
)

// Deciding is what one stream says of a criterion.
type Deciding struct {
	Stream string
	Level  diag.Level
	Tally
	// Lower are failures of a lower level in a log that the workflow handed over: they do not decide, stay visible, and
	// count as attempts.
	Lower int64
	heard bool // it counts beside records of a higher level: the last record of a log that was handed over, and not met
}

// Tries is how often the command was tried.
func (x *Deciding) Tries() int64 { return x.Attempts + x.Lower }

// Decision is what all streams together say of a criterion.
type Decision struct {
	Reason   Reason
	Level    diag.Level // of the deciding records, or of the one that Reason is about; absent when there are none
	Minimum  diag.Level
	Deciding []Deciding // at most one a stream, in the order of the streams
	At       *Deciding  // the one that Reason is about; nil for missing
	Flaky    *Deciding  // a deciding pass with a failure before it; nil when there is none
	Cached   *Deciding  // a deciding pass some of whose results are those of an earlier run; nil when there is none
	Attempts int64      // records of the deciding level, over all streams
	Foreign  int64      // matching records of another task
	Idle     int64      // matching records of the change's own contract, which cannot pass a standing criterion
}

// Trust says of a stream whether it counts, and whether the workflow handed over its digest. Streams are told apart by
// their place in the ledger: two files can have one name.
type Trust struct {
	Counts   bool
	Recorded bool
}

// Decide judges the criterion with index i. minimum is the evidence level that it needs, trust that of each stream.
func (l *Ledger) Decide(i int, minimum diag.Level, trust []Trust) Decision {
	c := &l.config.Criteria[i]
	d := Decision{Level: diag.Absent, Minimum: minimum}
	for n, s := range l.Streams {
		if !trust[n].Counts {
			continue
		}
		d.Foreign += s.foreign[i]
		d.Idle += s.idle[i]
		if tallies := s.tallies[i]; tallies != nil {
			x := speak(c, s.Name, tallies, trust[n])
			d.Deciding = append(d.Deciding, x)
			d.Level = diag.Stronger(d.Level, x.Level)
		}
	}
	d.Deciding = slices.DeleteFunc(d.Deciding, func(x Deciding) bool { return x.Level != d.Level && !x.heard })
	for _, x := range d.Deciding {
		d.Attempts += x.Attempts
	}
	d.judge(c)
	if d.At != nil {
		d.Level = d.At.Level
	}
	return d
}

// speak is what a stream says: its records of the highest level do, and in a log that was handed over a last record that
// did not end as expected, so that no failure hides because it left a file behind.
func speak(c *contract.Criterion, stream string, t *criterionTally, trust Trust) Deciding {
	x := Deciding{Stream: stream, Level: diag.Claimed, Tally: t.claimed}
	x.heard = trust.Recorded && !Met(c, t.last.Last.Exit)
	if t.bound.Attempts > 0 && !(x.heard && t.last == &t.claimed) {
		x.Level, x.Tally = trust.raise(diag.Bound), t.bound
		if trust.Recorded {
			x.Lower = t.claimed.Failures
		}
	}
	return x
}

// judge finds the first reason that holds.
func (d *Decision) judge(c *contract.Criterion) {
	if len(d.Deciding) == 0 {
		d.Reason = Missing
		return
	}
	met := func(x *Deciding) bool { return Met(c, x.Last.Exit) }
	d.Flaky = d.first(func(x *Deciding) bool { return met(x) && x.Failures+x.Lower > 0 })
	d.Cached = d.first(func(x *Deciding) bool { return x.Last.Output.Proof == SomeCached })
	failed := FailedReason
	if c.ExpectFail {
		failed = ControlPassed
	}
	for _, rule := range []struct {
		reason Reason
		holds  func(*Deciding) bool
	}{
		{NullExit, func(x *Deciding) bool { return x.Last.Exit == nil }},
		{Conflict, func(x *Deciding) bool { return !met(x) && d.first(met) != nil }},
		{failed, func(x *Deciding) bool { return !met(x) && (!c.ExpectFail || *x.Last.Exit == 0) }},
		{FailedReason, func(x *Deciding) bool { return !met(x) }},
		{Stale, func(x *Deciding) bool { return x.Last.Stale }},
		{DirtyTree, func(x *Deciding) bool { return x.Last.Dirty }},
		{BelowMinimum, func(*Deciding) bool { return d.Level.Rank() < d.Minimum.Rank() }},
		{TooManyAttempts, func(x *Deciding) bool { return x.Tries() > c.MaxAttempts }},
		{Vacuous, func(x *Deciding) bool { return vacuous(x.Last.Output.Proof) }},
	} {
		if d.At = d.first(rule.holds); d.At != nil {
			d.Reason = rule.reason
			return
		}
	}
}

// vacuous reports whether a command's output shows that it proves nothing. A test report beside it changes nothing: it
// may be the report of another run.
func vacuous(p Proof) bool { return p == NoneRan || p == AllCached }

// first returns the first stream for which holds is true.
func (d *Decision) first(holds func(*Deciding) bool) *Deciding {
	for i := range d.Deciding {
		if holds(&d.Deciding[i]) {
			return &d.Deciding[i]
		}
	}
	return nil
}
