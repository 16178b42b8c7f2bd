package item

import "fmt"

// StatusSchema names the form of a status.
const StatusSchema = "closeout.status/v1"

// Status is what `item status` prints: the states, and whether what they rest on is as it was.
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
	Reasons     []Reason       `json:"reasons"` // why not everything is done; [] when it is
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
	Root     string   `json:"root,omitempty"`     // its directory
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
		Reasons: []Reason{},
	}
	for _, name := range names {
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
		if it.Worktree != "" {
			row.Root = it.Root
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

// The codes of reasons that the last lines of the text name.
const (
	ReasonOpen        = "open"
	ReasonClaimed     = "claimed"
	ReasonOrphaned    = "orphaned"    // the claim has no activity any more
	ReasonUncommitted = "uncommitted" // the work tree differs from HEAD
	ReasonNotInHead   = "not in HEAD" // HEAD does not contain what passed
)

// Those that earlier lines show.
const (
	reasonStuck      = "stuck"
	reasonNotHolding = "not holding"
	reasonReview     = "review"
	reasonAccepted   = "accepted"
)

// Reason is why not everything is done.
type Reason struct {
	Code  string   `json:"code"`
	Count int      `json:"count"`
	What  []string `json:"what"` // items, paths or texts; the first of them
}

// Conclude lists the reasons. Of the items that are claimed, orphaned tells those without activity, and of those that
// passed and do not hold, absent tells those that HEAD does not contain.
func (s *Status) Conclude(orphaned, absent map[string]bool, uncommitted []string) {
	lists := map[string][]string{}
	for _, it := range s.Items {
		var codes []string
		switch {
		case it.State == Todo:
			codes = append(codes, ReasonOpen)
		case it.State == Stuck:
			codes = append(codes, reasonStuck)
		case it.State == Review:
			codes = append(codes, reasonReview)
		case it.State == Accepted:
			codes = append(codes, reasonAccepted)
		case !it.Holding && absent[it.ID]:
			codes = append(codes, ReasonNotInHead)
		case !it.Holding:
			codes = append(codes, reasonNotHolding)
		}
		switch {
		case orphaned[it.ID]:
			codes = append(codes, ReasonOrphaned)
		case it.Worktree != "":
			codes = append(codes, ReasonClaimed)
		}
		for _, code := range codes {
			lists[code] = append(lists[code], it.ID)
		}
	}
	lists["drift"], lists["ignored"], lists["differs"], lists["blocked"] = s.Drift, s.Ignored, s.Differs, s.Blocked
	lists[ReasonUncommitted] = uncommitted
	for _, code := range []string{
		reasonReview, reasonAccepted, reasonStuck, reasonNotHolding, "drift", "ignored", "differs", "blocked",
		ReasonOpen, ReasonClaimed, ReasonOrphaned, ReasonUncommitted, ReasonNotInHead,
	} {
		if list := lists[code]; len(list) > 0 {
			s.Reasons = append(s.Reasons, Reason{code, len(list), list[:min(len(list), statusShown)]})
		}
	}
}

// Done reports whether everything passed and holds, nothing is claimed, and nothing is in doubt. review tells whether only
// a person's decisions are missing, or stand for a verdict.
func (s *Status) Done() (done, review bool) {
	for _, r := range s.Reasons {
		if r.Code != reasonReview && r.Code != reasonAccepted {
			return false, false
		}
	}
	return len(s.Reasons) == 0, len(s.Reasons) > 0
}
