package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
)

// joined is what Findings must come to, with everything kept: findings in order, of those with one fingerprint the first.
func joined(all []check.Finding) []check.Finding {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b check.Finding) int { return a.Compare(&b) })
	at, kept := map[string]int{}, []check.Finding{}
	for _, f := range sorted {
		print := f.Fingerprint()
		if i, twice := at[print]; twice {
			kept[i].Times += f.Times
			continue
		}
		at[print] = len(kept)
		kept = append(kept, f)
	}
	return kept
}

// TestFindingsKeepTheFirst adds more findings than are listed, in any order and many of them twice, and wants those that come
// first, how often each was found, and all of them counted.
func TestFindingsKeepTheFirst(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 0))
		var found check.Findings
		var all []check.Finding
		for range 4 * check.Listed {
			f := check.Finding{
				Code: fmt.Sprintf("c.%d", random.IntN(3)), Severity: []input.Severity{input.Block, input.Warn, input.Info}[random.IntN(3)],
				Path: fmt.Sprint(random.IntN(900)), Pos: input.Pos{Line: random.IntN(5)}, Message: fmt.Sprint(random.IntN(2)), Times: 1 + random.IntN(2),
			}
			all = append(all, f)
			found.Add(f)
		}
		want, got := joined(all), found.List()
		if found.Len() != len(want) || len(got) != check.Listed {
			t.Fatalf("seed %d: %d findings of %d, %d listed", seed, found.Len(), len(want), len(got))
		}
		for i := range got {
			if w := want[i]; got[i].Print != w.Fingerprint() || got[i].Times != w.Times || got[i].Compare(&w) != 0 {
				t.Fatalf("seed %d: number %d is %+v, expected %+v", seed, i, got[i], w)
			}
		}
		var blocks []string
		for _, f := range want {
			if f.Severity == input.Block {
				blocks = append(blocks, f.Fingerprint())
			}
		}
		var prints []string
		for _, print := range found.Prints(input.Block) {
			prints = append(prints, print.String())
		}
		slices.Sort(blocks)
		if slices.Sort(prints); !slices.Equal(prints, blocks) || found.Count(input.Block) != len(blocks) {
			t.Fatalf("seed %d: %d findings block, expected %d", seed, len(prints), len(blocks))
		}
	}
}

// flood reports n findings.
func flood(n int) *check.Check {
	return &check.Check{ID: "flood", Codes: []check.Code{{Name: "flood.one", Severity: input.Warn}, {Name: check.CodeLimit, Severity: input.Block}}, Run: func(p *check.Pass) {
		for i := range n {
			p.Report(check.Finding{Code: "flood.one", Path: fmt.Sprint(i)})
			p.Report(check.Finding{Code: "flood.one", Path: fmt.Sprint(i)}) // the same again is not another finding
		}
		if p.Full() != (n > 10) {
			panic("full after " + fmt.Sprint(n))
		}
	}}
}

func TestTooManyFindings(t *testing.T) {
	for n, want := range map[int]int{10: 10, 11: 11, 5000: 11} {
		list := []*check.Check{flood(n)}
		found := check.Run(list, check.CodesOf(list), &check.Inputs{MaxFindings: 10})[0].Findings
		if got := found.Len(); got != want {
			t.Errorf("%d findings: %d are kept", n, got)
		}
		if said := found.Count(input.Block) == 1 && found.List()[0].Code == check.CodeLimit; said != (n > 10) {
			t.Errorf("%d findings: %+v comes first", n, found.List()[0])
		}
	}
}
