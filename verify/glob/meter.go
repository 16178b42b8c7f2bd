package glob

// Meter counts what it costs to hold paths against patterns: a step for each byte of a path that a set is asked about, one
// for each pattern that is tried, and for each that only a full comparison can decide the bytes of the path times those of
// the pattern. That is more than it ever takes. What a hostile list of patterns costs is the product of three sizes, of
// which each is harmless.
//
// A nil meter counts nothing and is never spent.
type Meter struct {
	steps, most int64
}

// NewMeter returns a meter that is spent when more than so many steps were made.
func NewMeter(most int64) *Meter { return &Meter{most: most} }

// Spent reports whether more was done than may be. Sets go on to answer.
func (m *Meter) Spent() bool { return m != nil && m.steps > m.most }

// Most is how many steps may be made.
func (m *Meter) Most() int64 {
	if m == nil {
		return 0
	}
	return m.most
}

// askSteps is what it costs to ask a set anything.
const askSteps = 50

// ask counts that a set is asked about a path.
func (m *Meter) ask(path string) {
	if m != nil {
		m.steps += askSteps + int64(len(path))
	}
}

// try counts that a pattern is tried.
func (m *Meter) try(e *entry, path string) {
	if m == nil {
		return
	}
	if m.steps++; e.couldMatch(path) {
		m.steps += int64(len(path)) * int64(len(e.pattern))
	}
}
