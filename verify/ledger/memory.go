package ledger

// Memory counts what is remembered of logs, over all of them and over all ledgers that share it. One command id counts as
// one; see the weights.
type Memory struct {
	used, most int64
}

// NewMemory returns room for so many ids.
func NewMemory(most int64) *Memory { return &Memory{most: most} }

// Full reports whether more was remembered than may be.
func (m *Memory) Full() bool { return m != nil && m.used > m.most }

// What counts for more than an id does, by the memory that it takes.
const (
	weightID     = 1
	weightLink   = 4  // an entry of a table with a text in it
	weightDetail = 25 // something that a finding will tell in full, a log, or the tally of a criterion in a log
)

// remember counts one more thing.
func (s *Stream) remember(weight int64) {
	if m := s.ledger.Memory; m != nil {
		m.used += weight
	}
}
