package canary_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/canary"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/override"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/strict"
)

// broken are ways to take a part out of the judge, and the mutation that must tell.
var broken = []struct {
	mutation   string
	overridden bool
	takeOut    func() (putBack func())
}{
	{canary.ExitCode, false, harmless(checks.Acceptance, "acceptance.failed")},
	{canary.ExitCode, false, harmless(checks.Acceptance, "acceptance.control_passed")},
	{canary.Records, false, harmless(checks.Acceptance, "acceptance.missing")},
	{canary.Tree, false, harmless(checks.Evidence, "evidence.dirty_tree")},
	{canary.LogByte, false, harmless(checks.Evidence, "evidence.digest_mismatch")},
	{canary.Forbidden, false, harmless(checks.Scope, "scope.forbidden")},
	{canary.ContractPath, false, harmless(checks.Contract, "contract.changed")},
	{canary.OffScope, false, without(checks.Scope)},
	{canary.RuleFailed, false, without(checks.Rules)},
	{canary.RuleMissing, false, without(checks.Rules)},
	{canary.OverrideCode, true, withoutRows("bound")},
	{canary.OverrideActor, true, withoutRows("author", "commits")},
	{canary.OverrideHead, true, withoutRows("head")},
}

// harmless lets a code no longer block.
func harmless(c *check.Check, code string) func() func() {
	return func() func() {
		i := slices.IndexFunc(c.Codes, func(k check.Code) bool { return k.Name == code })
		was := c.Codes[i].Severity
		c.Codes[i].Severity = diag.Info
		return func() { c.Codes[i].Severity = was }
	}
}

// without takes a whole check out.
func without(c *check.Check) func() func() {
	return func() func() {
		was := checks.All
		checks.All = slices.DeleteFunc(slices.Clone(was), func(k *check.Check) bool { return k == c })
		return func() { checks.All = was }
	}
}

// withoutRows takes conditions out of the table of overrides.
func withoutRows(conditions ...string) func() func() {
	return func() func() {
		was := override.Table
		override.Table = slices.DeleteFunc(slices.Clone(was), func(r override.Row) bool { return slices.Contains(conditions, r.Condition) })
		return func() { override.Table = was }
	}
}

// TestBrokenJudge wants a judge with a part taken out to be told by the mutation that is about this part.
func TestBrokenJudge(t *testing.T) {
	for _, row := range broken {
		f := strong()
		if row.overridden {
			f = overridden(`"code"`, `"code"`)(f)
		}
		putBack := row.takeOut()
		c := f.run(t)
		putBack()
		told := slices.ContainsFunc(c.LetThrough, func(l report.CanaryLetThrough) bool { return l.Mutation == row.mutation && l.Because == nil }) ||
			slices.ContainsFunc(c.NotTried, func(n report.CanaryNotTried) bool {
				return n.Mutation == row.mutation && strings.Contains(n.Why, "but not because of")
			})
		if !told {
			t.Errorf("a judge without the part that %s is about is not told: %+v", row.mutation, c)
		}
	}
	if c := strong().run(t); c.Refused != 11 {
		t.Errorf("the parts were not put back: %+v", c)
	}
}

// TestCases wants an explanation of each copy that is let through, in all cases that pass, and a document of the schema.
func TestCases(t *testing.T) {
	compiled, err := schema.Compile("canary")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("../../testdata/*/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]int{}
	for i, path := range paths {
		name := filepath.Base(path)
		if i%4 > 0 { // all of them take ten seconds
			continue
		}
		if !strings.HasPrefix(name, "passed.") && !strings.HasPrefix(name, "overridden.") {
			continue
		}
		b := caseBundle(t, path)
		r := verify.Judge(b)
		before, _ := report.Canonical(r)
		c := canary.Run(b, r, canary.Options{})
		if after, _ := report.Canonical(r); string(before) != string(after) {
			t.Errorf("%s: the report was changed", path)
		}
		for _, l := range c.LetThrough {
			tried[l.Mutation]++
			if l.Because == nil {
				t.Errorf("%s: no line is named: %+v", path, l)
			}
		}
		tried["refused"] += c.Refused
		for _, n := range c.NotTried {
			if strings.Contains(n.Why, "gives another report") {
				t.Errorf("%s: %s", path, n.Why)
			}
		}
		text, err := report.CanonicalCanary(c)
		if err == nil {
			var value any
			if err = strict.Unmarshal(text, &value); err == nil {
				err = compiled.Validate(value)
			}
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if tried["refused"] < 500 || tried[canary.OffScope] < 2 || tried[canary.RuleFailed] < 2 {
		t.Errorf("too little was tried: %v", tried)
	}
}

// caseBundle is the bundle of a case.
func caseBundle(t *testing.T, path string) *verify.Bundle {
	t.Helper()
	f := files{}
	names, _ := filepath.Glob("../../testdata/base/*")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f[filepath.Base(name)] = string(data)
	}
	for _, layer := range []string{filepath.Join(filepath.Dir(path), "base.txtar"), path} {
		archive, err := txtar.ParseFile(layer)
		if err != nil {
			continue
		}
		for _, file := range archive.Files {
			f[file.Name] = string(file.Data)
		}
		for name := range strings.FieldsSeq(f["remove"]) {
			delete(f, name)
		}
		delete(f, "remove")
	}
	dir := t.TempDir()
	for name, text := range f {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := collect.Bundle(dir)
	if err != nil {
		t.Fatal(err)
	}
	found.Settings.Limits = strict.DefaultLimits()
	return found.Bundle
}

// TestGroup tries the inputs of a merge group: the evidence is the group's, the scope that of a pull request.
func TestGroup(t *testing.T) {
	const two = "../../testdata/cases/group/passed.two.txtar"
	b := caseBundle(t, two)
	c := canary.Run(b, verify.Judge(b), canary.Options{})
	if c.Tried != 8 || c.Refused != 7 || c.LetThrough[0].Mutation != canary.Unbound {
		t.Errorf("%+v", c)
	}
	b = caseBundle(t, two)
	for i, in := range b.Inputs {
		if in.Kind == check.Contract {
			b.Inputs[i] = withText(t, in, `["src/**"]`, `["**"]`)
		}
	}
	c = canary.Run(b, verify.Judge(b), canary.Options{})
	if !slices.ContainsFunc(c.LetThrough, func(l report.CanaryLetThrough) bool { return l.Mutation == canary.OffScope && l.Because.Line == 2 }) {
		t.Errorf("a wide contract: %+v", c)
	}
}

// TestNothingToTry wants a reason where no copy says anything.
func TestNothingToTry(t *testing.T) {
	b, r := strong().edit("feedback_record.jsonl", `"exit_code":0,"seq":2`, `"exit_code":2,"seq":2`).edit("facts.json", `"labels": ["closeout-override"]`, `"labels": []`).judge(t)
	for name, c := range map[string]*report.Canary{
		"the verdict is failed": canary.Run(b, r, canary.Options{}),
		"the inputs have":       run(strong(), t, canary.Options{Bytes: 100}),
	} {
		if c.Tried != 0 || len(c.NotTried) != 1 || !strings.HasPrefix(c.NotTried[0].Why, name) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	b, r = strong().judge(t)
	other := *r
	other.Strict = true
	if c := canary.Run(b, &other, canary.Options{}); c.Tried != 0 || !strings.Contains(c.NotTried[0].Why, "gives another report") {
		t.Errorf("another report: %+v", c)
	}
	if c := run(strong(), t, canary.Options{Stop: func() bool { return true }}); c.Tried != 0 || len(c.NotTried) < 5 {
		t.Errorf("stopped: %+v", c)
	}
}

func run(f files, t *testing.T, o canary.Options) *report.Canary {
	b, r := f.judge(t)
	return canary.Run(b, r, o)
}

// TestLarge bounds the work for many criteria and records.
func TestLarge(t *testing.T) {
	f := strong()
	var criteria, records strings.Builder
	for i := range 500 {
		fmt.Fprintf(&criteria, ",\n    {\"id\": \"c%d\", \"run\": [\"check\", \"%d\"]}", i, i)
	}
	for i := range 10_000 {
		fmt.Fprintf(&records, `{"command":["check","%d"],"cwd":".","exit_code":0,"seq":%d,"tree_before":"TREE","tree_after":"TREE"}`+"\n", i%500, i+5)
	}
	f.contract(`"proves": "test"}`, `"proves": "test"}`+criteria.String()).contract(`"run": ["check", `, `"max_attempts": 100, "run": ["check", `)
	f["feedback_record.jsonl"] += records.String()
	c := f.run(t)
	if c.Tried != canary.MaxJudgments-1 || c.Refused != c.Tried {
		t.Errorf("%+v", c)
	}
	if want := "482 more criteria: copies are broken for the first 20"; !slices.ContainsFunc(c.NotTried, func(n report.CanaryNotTried) bool { return n.Why == want }) {
		t.Errorf("%+v", c.NotTried)
	}
}

// TestStrangeNames wants contracts with strange patterns and names to be tried as far as a sample can be made, and no panic.
func TestStrangeNames(t *testing.T) {
	for pattern, tried := range map[string]bool{
		`.env`: true, `**/*.pem`: true, `a{b,c{d,e}}/**`: true, `k?y/*`: true, `[ab]x`: false, "ä/**": false, `a b/**`: false, `.closeout/evidence/**`: false, `\\*x`: false,
	} {
		c := strong().contract(`"secrets/**"`, `"`+pattern+`"`).run(t)
		if got := !slices.ContainsFunc(c.NotTried, func(n report.CanaryNotTried) bool { return n.Mutation == canary.Forbidden }); got != tried || len(c.LetThrough) > 0 {
			t.Errorf("%s: tried is %v: %+v", pattern, got, c)
		}
	}
}

// TestSARIF breaks rules in SARIF, with a catalogue and without one.
func TestSARIF(t *testing.T) {
	const sarif = `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "lint", "rules": [{"id": "secrets"}, {"id": "style"}]}}, "results": [
  {"ruleId": "style", "level": "none", "kind": "pass", "message": {"text": "fine"}}]}]}`
	for name, edit := range map[string]func(files) files{
		"catalogue": func(f files) files { return f }, "open": one(rules, `"rules": {"run": ["lint"]}`),
	} {
		f := edit(strong())
		f["rule_report.json"] = sarif
		if c := f.run(t); c.Refused != 11 || c.Tried != 11 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	lists := one(rules, `"rules": {"run": ["lint"]}`)(strong())
	lists["rule_report.json"] = `{"block_failures": [], "warn_failures": []}`
	if c := lists.run(t); c.Refused != 11 || c.Tried != 11 {
		t.Errorf("lists: %+v", c)
	}
}

// TestTwoLogs turns the record of every log that decides a criterion.
func TestTwoLogs(t *testing.T) {
	f := strong()
	f["feedback/other.jsonl"] = `{"command":["go","test","./..."],"cwd":".","exit_code":0,"seq":1,"tree_before":"TREE","tree_after":"TREE"}` + "\n"
	f.edit("facts.json", `"digests": ["DIGEST"],`, "").contract(`"recorded"`, `"bound"`)
	c := f.run(t)
	why := map[string]string{}
	for _, n := range c.NotTried {
		why[n.Mutation] = n.Why
	}
	if c.Refused != 10 || c.Tried != 10 || !maps.Equal(why, map[string]string{canary.LogByte: "the run was given no digest of a log"}) {
		t.Errorf("%+v", c)
	}
}

// withText replaces a text of an input.
func withText(t *testing.T, in verify.Input, from, to string) verify.Input {
	t.Helper()
	data, err := in.Read(1 << 20)
	if err != nil || !strings.Contains(string(data), from) {
		t.Fatalf("%s: %v", in.Name, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, filepath.Base(in.Name)), []byte(strings.ReplaceAll(string(data), from, to)), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := collect.Bundle(dir)
	if err != nil {
		t.Fatal(err)
	}
	return found.Inputs[0]
}

// BenchmarkRun is the cost for a small change with an override label.
func BenchmarkRun(b *testing.B) {
	bundle, r := strong().judge(b)
	for b.Loop() {
		canary.Run(bundle, r, canary.Options{})
	}
}

// TestAcceptedAlready: what a person overrode in the decision itself is no error of the gate.
func TestAcceptedAlready(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: canary.RuleMissing + ": a person overrode rules.missing already", `{"block_failures": []}`: canary.RuleFailed + ": a person overrode rule.malformed already",
	} {
		f := strong().contract(rules, `"rules": {"run": ["lint"]}`)
		f["rule_report.json"] = text
		c := f.run(t)
		if c.Verdict != report.Overridden || len(c.LetThrough) > 0 || c.Refused < 10 {
			t.Errorf("%s: %+v", text, c)
		}
		if !slices.ContainsFunc(c.NotTried, func(n report.CanaryNotTried) bool { return strings.HasPrefix(n.Mutation+": "+n.Why, want) }) {
			t.Errorf("%s: not tried: %+v", text, c.NotTried)
		}
	}
}
