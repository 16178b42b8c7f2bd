//go:build unix

package main

import (
	"io"
	"reflect"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/board"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/report"
)

// Each stage of a submission that reads contracts takes them from the cache of the process: with an empty one, it leaves the standing
// contract and that of the item there. No stage modifies what the next one gets.
func TestSubmitParsesOnce(t *testing.T) {
	p := newPlay(t, 3)
	p.closeout("next")
	p.do("f001")
	p.submit("f001", 0, "")
	t.Chdir(p.root)
	std := console.Streams{In: nil, Out: io.Discard, Err: io.Discard}
	b, err := board.Open(p.state, std.Err)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Git.Close()
	for try, id := range []string{p.ids["f002"], p.ids["f003"]} {
		err := b.Locked(0, func() error {
			if _, err := b.Next(id); err != nil {
				return err
			}
			p.do(id[:4])
			done, err := board.Submit(b, id, nil, std)
			if err == nil && done.Report.Verdict != report.Passed {
				t.Errorf("%s: %s", id, done.Report.Verdict)
			}
			return err
		})
		if want := 3 + try; err != nil || b.Parsed.Len() != want { // the standing contract, and those of the items
			t.Fatalf("%s: %d contracts parsed, want %d: %v", id, b.Parsed.Len(), want, err)
		}
	}
	used := b.Parsed

	it := b.State.Find(p.ids["f001"])
	head := p.git("rev-parse", "HEAD")
	dir := b.Store.Path(it.Pass.Bundle)
	for _, stage := range []struct {
		name string
		do   func(parsed *contract.Cache) error
	}{
		{"policyOf", func(*contract.Cache) error { _, err := b.PolicyOf(&it.Item); return err }},
		{"subject", func(*contract.Cache) error { _, err := b.WorkOn(it, head); return err }},
		{"keep", func(parsed *contract.Cache) error {
			_, err := run.JudgeAgain("closeout submit", dir, parsed)
			return err
		}},
		{"guard", func(*contract.Cache) error {
			o := b.Options(it)
			o.Feedback, o.Settings.Digests = []string{"none.jsonl"}, []string{}
			found, err := collect.Again(dir, collect.Place{Objects: b.Git, Commit: head}, o)
			if err == nil && found.Parsed != o.Parsed {
				t.Error("what the guard judges has another cache")
			}
			return err
		}},
	} {
		b.Parsed = &contract.Cache{}
		if err := b.Read(); err != nil { // which forgets the standing contract
			t.Fatal(err)
		}
		if err := stage.do(b.Parsed); err != nil || b.Parsed.Len() != 2 {
			t.Errorf("%s: %d contracts parsed, want 2: %v", stage.name, b.Parsed.Len(), err)
		}
	}

	name, data, err := b.ContractOf(&it.Item)
	if err != nil {
		t.Fatal(err)
	}
	limits := b.Options(it).Settings.Limits
	shared, _ := used.Parse(name, data, limits)
	if fresh, errs := contract.Parse(name, data, limits); errs.Any() || !reflect.DeepEqual(shared, fresh) {
		t.Errorf("the judgements modified the contract: got %+v, want %+v", shared, fresh)
	}
}
