package glob

// Meter counts the cost of matching paths with patterns: a step for each byte of a path, one for each pattern that is tried,
// and the length of the path times that of the pattern for each full comparison, which is an upper bound. The cost of a hostile
// list of patterns is the product of three sizes, each of which is harmless.
//
// A nil meter counts nothing and is never spent.
type Meter struct {
	steps, most int64
}

// NewMeter returns a meter that is spent after more steps than most.
func NewMeter(most int64) *Meter { return &Meter{most: most} }

// Spent reports whether the limit is exceeded. Sets still answer.
func (m *Meter) Spent() bool { return m != nil && m.steps > m.most }

// Most is the limit of steps.
func (m *Meter) Most() int64 {
	if m == nil {
		return 0
	}
	return m.most
}

// askSteps is the fixed cost of a question to a set.
const askSteps = 50

// count adds steps.
func (m *Meter) count(steps int64) {
	if m != nil {
		m.steps += steps
	}
}
