package canary

import (
	"cmp"
	"fmt"
	"maps"
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
	return append(in.read(check.Contract, whole), in.read(check.TaskContract, part)...)
}

// read reads the contracts of a kind and a part.
func (in *inputs) read(kind check.Kind, part int) (list []source) {
	places := in.of(kind, part)
	if len(places) == 0 {
		return nil
	}
	known := in.facts(part)
	for _, i := range places {
		if s := in.source(&in.files[i], known); s != nil {
			list = append(list, *s)
		}
	}
	return list
}

func (in *inputs) source(f *file, known *facts.Facts) *source {
	errs := &diag.Errors{}
	c, problems := contract.Parse(f.Name, f.data, in.settings.Limits)
	s := &source{Contract: c, path: cmp.Or(displays(known)[f.Name], f.Name), root: documentOf(f.Name, f.data, in.settings.Limits, errs)}
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
	list := in.read(check.Contract, whole)
	for part := whole; part < len(in.parts); part++ {
		for _, s := range append(list, in.read(check.TaskContract, part)...) {
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
	return slices.Sorted(maps.Keys(names))
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
	for _, own := range c.minima[commandKey(a.Run, a.Cwd)] {
		if own.contract == 0 {
			level = own.level
		} else {
			level = diag.Stronger(level, own.level)
		}
		if level == own.level {
			line = c.contracts[own.contract].because(own.pos, "min_evidence of %s is %s", a.ID, own.level)
		}
	}
	return level, line
}

// ownMinimum is min_evidence of a criterion in one contract.
type ownMinimum struct {
	contract int
	level    diag.Level
	pos      diag.Pos
}

// ownMinima lists min_evidence of all criteria that contain it, by command, in the order of the contracts.
func (c *canary) ownMinima() map[string][]ownMinimum {
	list := map[string][]ownMinimum{}
	for i := range c.contracts {
		s := &c.contracts[i]
		for k, own := range s.Criteria {
			if own.MinEvidence != "" {
				key := commandKey(own.Run, own.Cwd)
				list[key] = append(list[key], ownMinimum{i, own.MinEvidence, s.at("acceptance_criteria").Items[k].Member("min_evidence").Pos})
			}
		}
	}
	return list
}
