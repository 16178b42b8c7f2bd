package check

import (
	"cmp"
	"slices"

	"github.com/closeout-gate/closeout/verify/evidence"
	"github.com/closeout-gate/closeout/verify/ledger"
)

// Companion is a report beside the log, and how far it can be believed.
type Companion struct {
	Kind     Kind
	Path     string
	Level    evidence.Level
	Minimum  evidence.Level // what it must have; "" when nobody asked for the report
	KeptFrom string         // the first condition that kept it from the next level; "" at the top
}

// Companions lists the reports beside the logs, by kind and path.
func (in *Inputs) Companions() []Companion {
	var list []Companion
	for _, r := range in.Rules {
		list = append(list, in.companion(Rules, r.Path, r.SHA256, in.Minimum))
	}
	if c := in.Coverage; c != nil {
		minimum := in.Minimum
		if in.Policy == nil || in.Policy.Coverage == nil {
			minimum = ""
		}
		list = append(list, in.companion(Coverage, c.Path, c.SHA256, minimum))
	}
	for _, t := range in.Tests {
		list = append(list, in.companion(Tests, t.Path, t.SHA256, in.Minimum))
	}
	slices.SortFunc(list, func(a, b Companion) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Path, b.Path))
	})
	return list
}

func (in *Inputs) companion(kind Kind, path, sha256 string, minimum evidence.Level) Companion {
	c := Companion{Kind: kind, Path: path, Level: evidence.Claimed, Minimum: minimum}
	if in.Ledger != nil {
		c.Level = in.Ledger.CompanionLevel(sha256, in.trust())
	}
	switch c.Level {
	case evidence.Claimed:
		c.KeptFrom = "no record that is bound to this code names it under produced"
	case evidence.Bound:
		c.KeptFrom = noDigest
	}
	return c
}

const noDigest = "the workflow did not hand over the log's digest"

// KeptFrom says what kept a criterion's deciding record from the next level; "" at the top.
func KeptFrom(level evidence.Level, d *ledger.Deciding) string {
	switch {
	case level == evidence.Absent || d == nil:
		return "there is no record of the command"
	case level == evidence.Recorded:
		return ""
	case level == evidence.Bound:
		return noDigest
	case d.Last.Dirty:
		return "tree_before and tree_after differ"
	case d.Last.Stale:
		return "the record names another code tree"
	case !d.Last.Trees:
		return "the record does not name the code tree before and after"
	default:
		return "no code tree is known that the record could be bound to"
	}
}
