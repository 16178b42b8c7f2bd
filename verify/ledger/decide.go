package ledger

import (
	"github.com/closeout-gate/closeout/verify/evidence"
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

// Deciding is what one stream says of a criterion at the deciding level.
type Deciding struct {
	Stream string
	Tally
}

// Decision is what all streams together say of a criterion.
type Decision struct {
	Reason   Reason
	Level    evidence.Level // of the deciding records; absent when there are none
	Minimum  evidence.Level
	Deciding []Deciding // one a stream that has records of that level, in the order of the streams
	At       *Deciding  // the one that Reason is about; nil for missing
	Flaky    *Deciding  // a deciding pass with a failure before it; nil when there is none
	Cached   *Deciding  // a deciding pass some of whose results are those of an earlier run; nil when there is none
	Attempts int64      // records of the deciding level, over all streams
	Foreign  int64      // matching records of another task
}

// Trust says of a stream whether it counts, and whether the workflow handed over its digest. Streams are told apart by
// their place in the ledger: two files can have one name.
type Trust struct {
	Counts   bool
	Recorded bool
}

// Decide judges the criterion with index i. minimum is the evidence level that it needs, trust that of each stream.
func (l *Ledger) Decide(i int, minimum evidence.Level, trust []Trust) Decision {
	c := &l.config.Criteria[i]
	d := Decision{Level: evidence.Absent, Minimum: minimum}
	for n, s := range l.Streams {
		if !trust[n].Counts {
			continue
		}
		d.Foreign += s.foreign[i]
		if tallies := s.tallies[i]; tallies != nil {
			d.take(s.Name, tallies, trust[n].Recorded)
		}
	}
	d.judge(c)
	return d
}

// take keeps the stream's records of the highest level, and drops what lower levels said before.
func (d *Decision) take(stream string, t *criterionTally, recorded bool) {
	level, tally := evidence.Claimed, t.claimed
	if t.bound.Attempts > 0 {
		level, tally = evidence.Bound, t.bound
		if recorded {
			level = evidence.Recorded
		}
	}
	switch {
	case level.Rank() < d.Level.Rank():
		return
	case level.Rank() > d.Level.Rank():
		d.Level, d.Deciding, d.Attempts = level, nil, 0
	}
	d.Deciding = append(d.Deciding, Deciding{stream, tally})
	d.Attempts += tally.Attempts
}

// judge finds the first reason that holds.
func (d *Decision) judge(c *evidence.Criterion) {
	if len(d.Deciding) == 0 {
		d.Reason = Missing
		return
	}
	met := func(x *Deciding) bool { return Met(c, x.Last.Exit) }
	d.Flaky = d.first(func(x *Deciding) bool { return met(x) && x.Failures > 0 })
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
		{TooManyAttempts, func(x *Deciding) bool { return x.Attempts > c.MaxAttempts }},
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

// CompanionLevel is the level of a report: that of the best record that names its digest.
func (l *Ledger) CompanionLevel(sha256 string, trust []Trust) evidence.Level {
	level := evidence.Claimed
	for n, s := range l.Streams {
		if !trust[n].Counts {
			continue
		}
		best := s.companions[sha256]
		if best == evidence.Bound && trust[n].Recorded {
			best = evidence.Recorded
		}
		level = evidence.Stronger(level, best)
	}
	return level
}
