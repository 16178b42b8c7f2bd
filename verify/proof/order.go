package proof

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/feedback"
)

// Gap is a sign that a log is incomplete.
type Gap struct {
	Line     int
	Kind     string // what is wrong; part of the fingerprint
	Found    string
	Expected string
}

// order is what the sequence checks remember.
type order struct {
	with, without bool  // records with and without seq were seen
	mixed         bool  // a mixture was reported
	last          int64 // seq of the previous record
}

// checkOrder reports gaps in the sequence, repeated ids, and parents that are not ids of earlier records.
func (s *Stream) checkOrder(r *feedback.Record) {
	s.checkSeq(r)
	if r.Parent != "" {
		if _, ok := s.ids[digestOf([]byte(r.Parent))]; !ok {
			s.gap(r, "a parent that no earlier record has", "parent_command_id "+short(r.Parent), "the command_id of an earlier record of this log")
		}
	}
	if r.ID == "" {
		return
	}
	id := digestOf([]byte(r.ID))
	if _, twice := s.ids[id]; twice {
		s.gap(r, "a command_id that an earlier record has", "command_id "+short(r.ID)+" again", "each command_id once")
	}
	s.ids[id] = struct{}{}
	s.remember(weightID)
}

// checkSeq requires that each seq is one more than the previous one. The first may be 0 or 1: a later start means that the
// beginning of the log is missing.
func (s *Stream) checkSeq(r *feedback.Record) {
	o := &s.order
	if r.Seq == nil {
		o.without = true
	} else {
		seq := *r.Seq
		switch {
		case !o.with && seq > 1:
			s.gap(r, "the sequence does not start at the beginning", fmt.Sprintf("seq %d first", seq), "a log that starts with seq 0 or 1")
		case o.with && seq != o.last+1:
			s.gap(r, "the sequence does not rise by one", fmt.Sprintf("seq %d after %d", seq, o.last), fmt.Sprintf("seq %d", o.last+1))
		}
		o.with, o.last = true, seq
	}
	if o.with && o.without && !o.mixed {
		o.mixed = true
		s.gap(r, "some records have a seq and others none", "a mixture", "seq in all records, or in none")
	}
}

func (s *Stream) gap(r *feedback.Record, kind, found, expected string) {
	if len(s.Gaps) >= MaxDetails {
		s.GapsMore++
		return
	}
	s.remember(weightDetail)
	s.Gaps = append(s.Gaps, Gap{Line: r.Pos.Line, Kind: kind, Found: found, Expected: expected})
}
