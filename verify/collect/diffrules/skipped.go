package diffrules

import (
	"bytes"

	"github.com/closeout-gate/closeout/verify/collect/diffrules/code"
	"github.com/closeout-gate/closeout/verify/diag"
)

// SkippedTest finds tests that ran at the merge base and are skipped at the head.
var SkippedTest = &Rule{
	ID: "closeout/skipped-test", Title: "A test that ran before is skipped now", Severity: diag.Block, Topic: "test",
	Languages: []string{"go"},
	Find: func(c *Change, report func(Hit)) {
		for _, f := range c.Files {
			if f.Base == nil || f.Head == nil || f.Lang() != code.Go {
				continue
			}
			for _, line := range f.Added() {
				if bytes.Contains(f.Head.CodeLine(line.Number), []byte("t.Skip(")) {
					report(Hit{File: f.Path, Line: line.Number, Now: string(line.Text), Detail: "the test is skipped", Fix: "remove the skip, and fix what the test finds"})
				}
			}
		}
	},
}

// testRules see what is done to tests.
var testRules = []*Rule{UnreadFile, SkippedTest}

// factRules state what a reader may want to know.
var factRules = []*Rule{UnreadOther}
