package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/evidence"
	"github.com/closeout-gate/closeout/verify/ledger"
)

// Companion is a report beside the log, and how far it can be believed.
type Companion struct {
	Kind     Kind
	Path     string
	SHA256   string
	Level    evidence.Level
	Minimum  evidence.Level // what it must have; "" when nobody asked for the report
	KeptFrom string         // the first condition that kept it from the next level; "" at the top
	Clash    *ledger.Clash  // two commands that wrote it with different content; nil when there are none

	vouchers ledger.Companion
}

// Vouchers says of each companion which records may vouch for it, in the order of [Inputs.Companions].
func (in *Inputs) Vouchers() []ledger.Companion {
	var list []ledger.Companion
	for _, c := range in.companions() {
		list = append(list, c.vouchers)
	}
	return list
}

// Companions lists the reports beside the logs, by kind and path.
func (in *Inputs) Companions() []Companion {
	list := in.companions()
	for i := range list {
		c := &list[i]
		v := ledger.Vouched{Level: evidence.Claimed}
		if in.Ledger != nil {
			v = in.Ledger.Vouch(&c.vouchers, in.trust())
		}
		c.Level, c.Clash = v.Level, v.Clash
		switch {
		case c.Level == evidence.Bound:
			c.KeptFrom = noDigest
		case c.Level == evidence.Claimed && v.Denied != "":
			c.KeptFrom = string(v.Denied)
		case c.Level == evidence.Claimed:
			c.KeptFrom = "no record that is bound to this code names it under produced"
		}
	}
	return list
}

// companions lists the reports without what the logs say of them.
func (in *Inputs) companions() []Companion {
	var list []Companion
	for _, r := range in.Rules {
		list = append(list, in.rulesCompanion(&r))
	}
	if in.Coverage != nil {
		list = append(list, in.coverageCompanion())
	}
	for _, t := range in.Tests {
		list = append(list, in.testsCompanion(t))
	}
	slices.SortFunc(list, func(a, b Companion) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Path, b.Path), cmp.Compare(a.SHA256, b.SHA256))
	})
	return list
}

func companion(kind Kind, path, sha256 string, minimum evidence.Level) Companion {
	return Companion{Kind: kind, Path: path, SHA256: sha256, Minimum: minimum, vouchers: ledger.Companion{Path: path, SHA256: sha256}}
}

func (in *Inputs) rulesCompanion(r *RuleFile) Companion {
	c := companion(Rules, r.Path, r.SHA256, in.Minimum)
	c.vouchers.Rules = in.Policy != nil && in.Policy.Rules.Run != nil && ledger.Fits(r.Path, in.Policy.Rules.Report)
	return c
}

func (in *Inputs) coverageCompanion() Companion {
	c := companion(Coverage, in.Coverage.Path, in.Coverage.SHA256, in.Minimum)
	if in.Policy == nil || in.Policy.Coverage == nil {
		c.Minimum = ""
		return c
	}
	if writer := in.Policy.Coverage.Criterion.Value; writer != "" {
		c.vouchers.Only = in.criteria(func(o *evidence.Criterion) bool { return o.ID == writer })
	}
	return c
}

// testsCompanion is a test report. It needs what the criteria need that name it. Where only the change's own criteria do,
// and nothing else that decides has this path, their records vouch for it.
func (in *Inputs) testsCompanion(t *TestFile) Companion {
	c := companion(Tests, t.Path, t.SHA256, "")
	names := func(o *evidence.Criterion) bool { return o.TestReport == t.Path }
	for _, i := range in.criteria(names) {
		c.Minimum = evidence.Stronger(c.Minimum, in.Policy.Minimum(&in.Policy.Criteria[i], in.Minimum))
	}
	if in.Policy != nil && !in.isTaken(t.Path) {
		c.vouchers.Own = in.criteria(func(o *evidence.Criterion) bool { return names(o) && in.Policy.IsHead(o.ID) })
	}
	return c
}

// criteria gives the indexes of some criteria; not nil, also when there are none.
func (in *Inputs) criteria(these func(*evidence.Criterion) bool) []int {
	list := []int{}
	if in.Policy == nil {
		return list
	}
	for i := range in.Policy.Criteria {
		if these(&in.Policy.Criteria[i]) {
			list = append(list, i)
		}
	}
	return list
}

// isTaken reports whether something other than the change's own contract names a path: a default, another contract, or
// whoever handed over a file.
func (in *Inputs) isTaken(path string) bool {
	var handedOver []string
	for _, r := range in.Rules {
		handedOver = append(handedOver, r.Path)
	}
	for _, l := range in.Logs {
		handedOver = append(handedOver, l.Path)
	}
	if in.Coverage != nil {
		handedOver = append(handedOver, in.Coverage.Path)
	}
	return in.Policy.IsTaken(path) ||
		slices.ContainsFunc(handedOver, func(other string) bool { return ledger.Fits(strings.ToLower(other), strings.ToLower(path)) })
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
