package canary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/strict"
)

// source is a contract, and where its values are.
type source struct {
	*contract.Contract
	path  string // what the report calls it
	trust facts.Trust
	root  *strict.Node
}

// contracts reads the standing contract and the task contracts of a part, the standing one first. One that cannot be read is
// left out: the decision does not pass then.
func (in *inputs) contracts(part int) []source {
	var list []source
	for _, of := range []struct {
		kind check.Kind
		part int
	}{{check.Contract, whole}, {check.TaskContract, part}} {
		known := in.facts(of.part)
		for _, i := range in.of(of.kind, of.part) {
			if s := in.source(&in.files[i], known); s != nil {
				list = append(list, *s)
			}
		}
	}
	return list
}

func (in *inputs) source(f *file, known *facts.Facts) *source {
	errs := &diag.Errors{}
	c, problems := contract.Parse(f.Name, f.data, in.settings.Limits)
	s := &source{Contract: c, path: in.display(known, f.Name), root: documentOf(f.Name, f.data, in.settings.Limits, errs)}
	if c == nil || s.root == nil || problems.Any() {
		return nil
	}
	if f.part != whole {
		s.path = verify.PartDirectory(in.parts[f.part]) + f.Name
	}
	if known != nil {
		for _, o := range known.Contracts {
			if o.File == f.Name {
				s.path, s.trust = cmp.Or(o.Path, s.path), o.Trust
			}
		}
	}
	return s
}

// documentOf parses a contract to a tree, as [contract.Parse] does.
func documentOf(name string, data []byte, limits strict.Limits, errs *diag.Errors) *strict.Node {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return strict.ParseYAML(data, limits.Depth, errs)
	}
	return strict.ParseJSON(data, limits, errs)
}

// namedTests are the paths of the test reports that the judge may ask for.
func (in *inputs) namedTests() []string {
	names := map[string]bool{}
	for part := whole; part < len(in.parts); part++ {
		for _, s := range in.contracts(part) {
			for _, c := range s.Criteria {
				names[c.TestReport] = true
			}
		}
		if known := in.facts(part); known != nil {
			for _, f := range known.Files {
				name, _ := strings.CutPrefix(f.File, "tests/")
				names[name] = true
			}
		}
	}
	delete(names, "")
	var list []string
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// at is the value behind some keys; nil when the contract does not contain it.
func (s *source) at(keys ...string) *strict.Node {
	n := s.root
	for _, key := range keys {
		if n = n.Member(key); n == nil {
			return nil
		}
	}
	return n
}

// because is a line of the contract.
func (s *source) because(pos diag.Pos, format string, words ...any) *report.CanaryBecause {
	return &report.CanaryBecause{Path: s.path, Line: pos.Line, Text: fmt.Sprintf(format, words...)}
}

// becauseOf is the line of the value behind some keys; nil when the contract does not contain it.
func (s *source) becauseOf(text string, keys ...string) *report.CanaryBecause {
	n := s.at(keys...)
	if n == nil {
		return nil
	}
	return s.because(n.Pos, "%s", text)
}

// item is the object of a list that has a text under "id"; nil when there is none.
func item(list *strict.Node, id string) *strict.Node {
	if list == nil {
		return nil
	}
	for _, n := range list.Items {
		if m := n.Member("id"); m != nil && m.Text == id {
			return n
		}
	}
	return nil
}

// matching is the first pattern that matches a path; false when there is none.
func matching(patterns []contract.Pattern, path string) (contract.Pattern, bool) {
	for _, p := range patterns {
		if glob.Compile([]glob.Pattern{p.Glob}).Match(path) {
			return p, true
		}
	}
	return contract.Pattern{}, false
}

// minimum is the evidence level that a criterion requires, and the line that says so; nil when no contract says it.
func (c *canary) minimum(a *report.Acceptance) (diag.Level, *report.CanaryBecause) {
	level := diag.Level(c.before.Settings.EvidenceMin)
	var line *report.CanaryBecause
	for i := range c.contracts {
		s := &c.contracts[i]
		if s.Evidence.Min != "" && line == nil {
			line = s.becauseOf("evidence.min is "+string(s.Evidence.Min), "evidence", "min")
		}
	}
	for i := range c.contracts {
		s := &c.contracts[i]
		for k, own := range s.Criteria {
			if own.MinEvidence == "" || own.Cwd != a.Cwd || !slices.Equal(own.Run, a.Run) {
				continue
			}
			if i == 0 {
				level = own.MinEvidence
			} else {
				level = diag.Stronger(level, own.MinEvidence)
			}
			if level == own.MinEvidence {
				line = s.because(s.at("acceptance_criteria").Items[k].Member("min_evidence").Pos, "min_evidence of %s is %s", a.ID, own.MinEvidence)
			}
		}
	}
	return level, line
}
