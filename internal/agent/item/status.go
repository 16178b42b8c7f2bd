package item

import "fmt"

// StatusSchema names the form of a status.
const StatusSchema = "closeout.status/v1"

// Status is what status prints: the states, and whether what they rest on is as it was.
type Status struct {
	Schema      string         `json:"schema"`
	Base        string         `json:"base"`
	Guard       string         `json:"guard"`
	Head        string         `json:"head"` // the commit that "holding" is about
	Tree        string         `json:"tree"` // its code tree
	Counts      map[Name]int   `json:"counts"`
	Holding     int            `json:"holding"`
	Drift       []string       `json:"drift"`   // what is not as it was pinned
	Ignored     []string       `json:"ignored"` // events that nothing proves
	Differs     []string       `json:"differs"` // PASS whose bundle gives another report; only a replay looks
	Blocked     []string       `json:"blocked"` // what the gate blocks from the base to the head; only once no item is open, and a replay, look
	Replayed    bool           `json:"replayed"`
	Torn        bool           `json:"torn"`      // the last event has no end: its writer was killed
	Unclaimed   []string       `json:"unclaimed"` // ranges of commits since the base that belong to no item that passed
	Tries       int            `json:"tries"`     // verdicts, of all items
	MS          int64          `json:"ms"`        // that the commands of the loop took
	Cost        int64          `json:"cost_microusd"`
	Vetoes      map[string]int `json:"vetoes"` // how often the hook denied a call, by code
	Columns     []string       `json:"columns"`
	Items       []StatusItem   `json:"items"`
	StateFolder string         `json:"-"`
}

// StatusItem is the status of an item.
type StatusItem struct {
	ID       string   `json:"id"`
	Values   []string `json:"values"` // of the columns
	State    Name     `json:"state"`
	Tries    int      `json:"tries"`
	Of       int      `json:"of"`
	Holding  bool     `json:"holding"`
	Worktree string   `json:"worktree,omitempty"` // that claims it
	Head     string   `json:"head"`               // of the last verdict
	Report   string   `json:"report_sha256"`
	Because  string   `json:"because"`
}

// StatusAt is the status of all items at a code tree.
func (s *State) StatusAt(tree string) *Status {
	p := s.Plan
	st := &Status{
		Schema: StatusSchema, Base: p.Base, Guard: p.Guard, Tree: tree, Torn: s.Torn, MS: s.MS, Cost: s.Cost, Counts: map[Name]int{},
		Drift: []string{}, Ignored: []string{}, Differs: []string{}, Unclaimed: []string{}, Blocked: []string{}, Vetoes: map[string]int{}, Columns: append([]string{}, p.Columns...), Items: []StatusItem{},
	}
	for _, name := range []Name{Todo, Pass, Review, Stuck} {
		st.Counts[name] = 0
	}
	for _, i := range s.Ignored {
		st.Ignored = append(st.Ignored, fmt.Sprintf("event %d about %s: %s", i.Event.N, i.Event.Item, i.Why))
	}
	holds := s.HoldingAt(tree)
	for _, it := range s.Items {
		row := StatusItem{
			ID: it.ID, Values: append([]string{}, it.Values...), State: it.State, Tries: it.Tries, Of: it.MaxAttempts, Holding: holds(it), Worktree: it.Worktree,
			Because: it.Because,
		}
		if it.Last != nil {
			row.Head, row.Report = it.Last.Head, it.Last.ReportSHA256
		}
		if row.Holding {
			st.Holding++
		}
		st.Counts[it.State]++
		st.Tries += it.Verdicts
		st.Items = append(st.Items, row)
	}
	return st
}

// Done reports whether everything passed and holds, and nothing is in doubt. review tells whether only a person's decisions
// are missing.
func (s *Status) Done() (done, review bool) {
	sure := s.Counts[Todo]+s.Counts[Stuck]+len(s.Drift)+len(s.Ignored)+len(s.Differs)+len(s.Blocked) == 0 && s.Holding == s.Counts[Pass]
	return sure && s.Counts[Review] == 0, sure && s.Counts[Review] > 0
}
