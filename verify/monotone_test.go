package verify_test

import (
	"bytes"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
)

// inputFiles are those of a bundle, by their names.
type inputFiles map[string][]byte

// bundle is what [verify.Open] makes of the files.
func (f inputFiles) bundle() *verify.Bundle {
	b := &verify.Bundle{
		TestReport:  func(p string) verify.Opener { return f.open(path.Join("tests", p)) },
		CrossReport: func(tree, p string) verify.Opener { return f.open(path.Join(verify.CrossDirectory(tree), p)) },
	}
	b.Settings.Limits = input.DefaultLimits()
	parts := map[int64]*verify.Part{}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		list, inside := &b.Inputs, name
		if rest, ok := strings.CutPrefix(name, "pulls/"); ok {
			number, rest, _ := strings.Cut(rest, "/")
			n, _ := strconv.ParseInt(number, 10, 64)
			if parts[n] == nil {
				parts[n] = &verify.Part{PullRequest: n}
			}
			list, inside = &parts[n].Inputs, rest
		}
		if kind := kindOf(inside); kind != "" {
			*list = append(*list, verify.Input{Kind: kind, Name: inside, Open: f.open(name)})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(parts)) {
		b.Parts = append(b.Parts, *parts[n])
	}
	return b
}

func (f inputFiles) open(name string) verify.Opener {
	data, there := f[name]
	if !there {
		return nil
	}
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

// kindOf is the kind of an input of a bundle; "" when the name is that of no input.
func kindOf(name string) check.Kind {
	directory, _, nested := strings.Cut(name, "/")
	switch {
	case nested:
		return map[string]check.Kind{
			"contracts.json": check.TaskContract, "contracts.yaml": check.TaskContract, "contracts.yml": check.TaskContract,
			"feedback.jsonl": check.Feedback, "rules.json": check.Rules, "rules.sarif": check.Rules,
		}[directory+path.Ext(name)]
	case strings.HasPrefix(name, "scope_contract."):
		return check.Contract
	}
	return map[string]check.Kind{
		"feedback_record.jsonl": check.Feedback, "rule_report.json": check.Rules, "changes.json": check.Changes, "pr.diff": check.Diff,
		"facts.json": check.Facts, "coverage_report.json": check.Coverage, "diff_rules.json": check.DiffRules,
	}[name]
}

func (f inputFiles) with(name string, data []byte) inputFiles {
	c := maps.Clone(f)
	c[name] = data
	return c
}
