package check

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/proof"
)

// Companion is a report beside the log, and how far it can be trusted.
type Companion struct {
	Kind     Kind
	Path     string
	SHA256   string
	Level    input.Level
	Minimum  input.Level  // what it must have; "" when no contract requires the report
	KeptFrom string       // the first condition that kept it from the next level; "" at the top
	Clash    *proof.Clash // two commands that wrote it with different content; nil when there are none
	// Clean is true for the report of rules.run, when each record of that command that confirms it has exit code 0.
	Clean bool
	// Root is the root of the work tree in which the report was written, "" when no record tells.
	Root string

	vouchers proof.Companion
}

// Vouchers says of each companion which records may vouch for it, in the order of Companions of [Inputs].
func (in *Inputs) Vouchers() []proof.Companion {
	var list []proof.Companion
	for _, c := range in.companions() {
		list = append(list, c.vouchers)
	}
	return list
}

// companionsOf lists the reports beside the logs, and how far each can be trusted.
func (in *Inputs) companionsOf(trust []proof.Trust) []Companion {
	list := in.companions()
	for i := range list {
		c := &list[i]
		v := proof.Vouched{Level: input.Claimed}
		if in.Ledger != nil {
			v = in.Ledger.Vouch(&c.vouchers, trust)
		}
		c.Level, c.Clash, c.Clean, c.Root = v.Level, v.Clash, v.Clean && c.vouchers.Rules, v.Root
		switch {
		case c.Level == input.Bound:
			c.KeptFrom = noDigest
		case c.Level == input.Claimed && v.Denied != "":
			c.KeptFrom = string(v.Denied)
		case c.Level == input.Claimed:
			c.KeptFrom = "no record that is bound to this code names it under produced"
		}
	}
	return list
}

// companions lists the reports without what the logs say of them.
func (in *Inputs) companions() []Companion {
	var list []Companion
	for _, r := range in.Rules {
		c := companion(Rules, r.Path, r.SHA256, in.Minimum)
		if in.IsRulesReport(&r) {
			c.vouchers.Rules = true
			if r.Path == policy.DefaultRules {
				c.vouchers.Declared = in.Policy.Rules.Report
			}
		}
		list = append(list, c)
	}
	if in.Coverage != nil {
		list = append(list, in.coverageCompanion())
	}
	list = append(list, in.testsCompanions()...)
	input.SortStable(list, CompareCompanions)
	return list
}

// CompareCompanions orders reports by kind, path and digest, as in Companions of [Inputs].
func CompareCompanions(a, b Companion) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Path, b.Path), cmp.Compare(a.SHA256, b.SHA256))
}

func companion(kind Kind, path, sha256 string, minimum input.Level) Companion {
	return Companion{Kind: kind, Path: path, SHA256: sha256, Minimum: minimum, vouchers: proof.Companion{Path: path, SHA256: sha256}}
}

// IsRulesReport reports whether a rule report is the one that rules.run writes. In a bundle that does not say which path a
// file has, the bundle's own name for the rule report is used.
func (in *Inputs) IsRulesReport(r *RuleFile) bool {
	return in.Policy != nil && in.Policy.Rules.Run != nil && (r.Path == policy.DefaultRules || proof.Fits(r.Path, in.Policy.Rules.Report))
}

func (in *Inputs) coverageCompanion() Companion {
	c := companion(Coverage, in.Coverage.Path, in.Coverage.SHA256, in.Minimum)
	if in.Policy == nil || in.Policy.Coverage == nil {
		c.Minimum = ""
		return c
	}
	if in.Coverage.Path == contract.DefaultCoverageReport {
		c.vouchers.Declared = in.Policy.Coverage.Report
	}
	if writer := in.Policy.Coverage.Criterion.Value; writer != "" {
		c.vouchers.Only = []int{} // not nil, also when no criterion has that name
		for i := range in.Policy.Criteria {
			if in.Policy.Criteria[i].ID == writer {
				c.vouchers.Only = append(c.vouchers.Only, i)
			}
		}
	}
	return c
}

// testsCompanions are the test reports. Each needs what the criteria need that name it. Where only the change's own criteria
// do, and nothing else that decides has this path, their records vouch for it.
func (in *Inputs) testsCompanions() []Companion {
	if in.Policy == nil || len(in.Tests) == 0 {
		return nil
	}
	naming := map[string][]int{}
	for i := range in.Policy.Criteria {
		if report := in.Policy.Criteria[i].TestReport; report != "" {
			naming[report] = append(naming[report], i)
		}
	}
	taken := in.taken()
	var list []Companion
	for _, t := range in.Tests {
		c := companion(Tests, t.Path, t.SHA256, "")
		for _, i := range naming[t.Path] {
			o := &in.Policy.Criteria[i]
			c.Minimum = input.Stronger(c.Minimum, in.Policy.Minimum(o, in.Minimum))
			if in.Policy.IsHead(o.ID) {
				c.vouchers.Own = append(c.vouchers.Own, i)
			}
		}
		if len(c.vouchers.Own) > 0 && taken(t.Path) {
			c.vouchers.Own = nil
		}
		list = append(list, c)
	}
	return list
}

// taken tells the paths that something other than the change's own contract names: a default, another contract, or the path
// of a file that was supplied.
func (in *Inputs) taken() func(own string) bool {
	named, supplied := in.Policy.TakenPaths(), map[string][]string{} // supplied: paths in lower case, by the file's name
	add := func(file string) {
		file = strings.ToLower(file)
		supplied[path.Base(file)] = append(supplied[path.Base(file)], file)
	}
	for _, r := range in.Rules {
		add(r.Path)
	}
	for _, l := range in.Logs {
		add(l.Path)
	}
	if in.Coverage != nil {
		add(in.Coverage.Path)
	}
	return func(own string) bool {
		if named(own) {
			return true
		}
		own = strings.ToLower(own)
		return slices.ContainsFunc(supplied[path.Base(own)], func(file string) bool { return proof.Fits(file, own) })
	}
}

const noDigest = "the workflow did not supply the log's digest"

// KeptFrom says what kept a criterion's deciding record from the next level; "" at the top.
func KeptFrom(level input.Level, d *proof.Deciding) string {
	switch {
	case level == input.Absent || d == nil:
		return "there is no record of the command"
	case level == input.Recorded:
		return ""
	case level == input.Bound:
		return noDigest
	case d.Last.OtherBytes != "":
		return "files had other bytes than the code tree stands for: " + d.Last.OtherBytes
	case d.Last.Dirty:
		return "tree_before and tree_after differ"
	case d.Last.Stale:
		return "the record names another code tree"
	case !d.Last.Trees:
		return "the record does not name the code tree before and after"
	default:
		return "no code tree is known to which the record could be bound"
	}
}
