package check

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/input"
)

// Listed is how many findings of a check are kept whole: those that come first in the order of [Finding.Compare].
const Listed = 1000

// Print is a fingerprint.
type Print [sha256.Size]byte

// String returns the fingerprint in hexadecimal.
func (p Print) String() string { return hex.EncodeToString(p[:]) }

// Findings are what one check found. Findings with one fingerprint are one finding. There can be as many as a change has
// files, and more, so of those beyond the first [Listed] only fingerprint, code and severity stay.
//
// The zero value is empty. It keeps any number of findings; see [Pass.Report] for the limit.
type Findings struct {
	strict bool
	index  map[Print]int32 // the place of a finding in all
	all    []brief
	codes  []string      // what briefs refer to
	heap   []keptFinding // the findings that are kept whole: a heap, with the last in order on top
	blocks bool
	rules  []string // ids of the diff rules of which a finding blocks
}

// brief is what stays of every finding.
type brief struct {
	print    Print
	times    int32
	place    int32 // in the heap; -1 when the finding is not kept whole
	code     uint16
	severity uint8 // place in severities
}

var severities = [...]input.Severity{input.Block, input.Unknown, input.Warn, input.Info}

// keptFinding is a finding that is kept whole.
type keptFinding struct {
	Finding
	all   int32 // its place in all
	print string
}

// Kept is a finding as a report lists it.
type Kept struct {
	Finding
	Print string
}

// Add takes a finding, of which the severity is set. Texts that are not UTF-8 become what git would write.
func (f *Findings) Add(one Finding) {
	print := Print(one.sum())
	f.blocks = f.blocks || one.Severity == input.Block
	if f.strict && one.Severity == input.Warn && !strings.HasPrefix(one.Code, "override.") {
		one.Severity = input.Block
	}
	if one.Severity == input.Block && one.Rule != "" && !slices.Contains(f.rules, one.Rule) {
		f.rules = append(f.rules, one.Rule)
	}
	one.Path, one.Message = Valid(one.Path), Valid(one.Message)
	at, known := f.index[print]
	if known { // the more severe one stays, which comes first in order
		b := &f.all[at]
		b.times += int32(min(max(one.Times, 1), 1<<31-1-int(b.times)))
		b.severity = min(b.severity, uint8(rank(one.Severity)))
	} else {
		if f.index == nil {
			f.index = map[Print]int32{}
		}
		at = int32(len(f.all))
		f.index[print] = at
		code := slices.Index(f.codes, one.Code)
		if code < 0 {
			code, f.codes = len(f.codes), append(f.codes, one.Code)
		}
		f.all = append(f.all, brief{print: print, times: int32(max(one.Times, 1)), place: -1, code: uint16(code), severity: uint8(rank(one.Severity))})
	}
	f.offer(at, &one)
}

func rank(s input.Severity) int {
	return min(s.Rank(), len(severities)-1)
}

// offer keeps a finding whole if it is among the first. Of two with one fingerprint that is the one that comes first.
func (f *Findings) offer(at int32, one *Finding) {
	b := &f.all[at]
	switch {
	case b.place >= 0:
		if kept := &f.heap[b.place]; one.Compare(&kept.Finding) < 0 {
			kept.Finding = *one
			f.down(int(b.place))
		}
	case len(f.heap) < Listed:
		f.heap = append(f.heap, keptFinding{*one, at, b.print.String()})
		f.up(len(f.heap) - 1)
	default:
		if w := (keptFinding{*one, at, ""}); f.before(&w, &f.heap[0]) {
			w.print = b.print.String()
			f.all[f.heap[0].all].place = -1
			f.heap[0] = w
			f.down(0)
		}
	}
}

// before is the order of the report: findings that are alike in all else go by their fingerprint.
func (f *Findings) before(a, b *keptFinding) bool {
	order := a.Compare(&b.Finding)
	if order == 0 {
		order = slices.Compare(f.all[a.all].print[:], f.all[b.all].print[:])
	}
	return order < 0
}

// up moves the finding at i towards the top of the heap, down moves it away from it; both note where each one comes to lie.
func (f *Findings) up(i int) {
	for ; i > 0 && f.before(&f.heap[(i-1)/2], &f.heap[i]); i = (i - 1) / 2 {
		f.swap(i, (i-1)/2)
	}
	f.all[f.heap[i].all].place = int32(i)
}

func (f *Findings) down(i int) {
	for {
		last := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(f.heap); child++ {
			if f.before(&f.heap[last], &f.heap[child]) {
				last = child
			}
		}
		if last == i {
			break
		}
		f.swap(i, last)
		i = last
	}
	f.all[f.heap[i].all].place = int32(i)
}

func (f *Findings) swap(i, k int) {
	f.heap[i], f.heap[k] = f.heap[k], f.heap[i]
	f.all[f.heap[i].all].place, f.all[f.heap[k].all].place = int32(i), int32(k)
}

// Len is how many different findings there are.
func (f *Findings) Len() int { return len(f.all) }

// Blocks reports whether a finding blocks, also where warnings do not.
func (f *Findings) Blocks() bool { return f.blocks }

// BlockingRules are the ids of the diff rules of which a finding blocks.
func (f *Findings) BlockingRules() []string { return f.rules }

// Count is how many findings have a severity.
func (f *Findings) Count(s input.Severity) int {
	n := 0
	for i := range f.all {
		if severities[f.all[i].severity] == s {
			n++
		}
	}
	return n
}

// Prints gives code and fingerprint of each finding of a severity, in the order in which they were found.
func (f *Findings) Prints(s input.Severity) iter.Seq2[string, Print] {
	return func(yield func(string, Print) bool) {
		for i := range f.all {
			if b := &f.all[i]; severities[b.severity] == s && !yield(f.codes[b.code], b.print) {
				return
			}
		}
	}
}

// Covers reports whether a finding is there that has the fingerprint of another one and weighs as much.
func (f *Findings) Covers(one *Finding) bool {
	at, known := f.index[one.sum()]
	return known && int(f.all[at].severity) <= rank(one.Severity)
}

func (f *Findings) has(one *Finding) bool {
	_, known := f.index[one.sum()]
	return known
}

// List gives the findings that are kept whole, in their order.
func (f *Findings) List() []Kept {
	sorted := slices.Clone(f.heap)
	input.SortStable(sorted, func(a, b keptFinding) int {
		return cmp.Or(a.Compare(&b.Finding), strings.Compare(a.print, b.print))
	})
	list := make([]Kept, len(sorted))
	for i, w := range sorted {
		list[i] = Kept{w.Finding, w.print}
		list[i].Times = int(f.all[w.all].times)
	}
	return list
}

// Compare is the order of findings: severity, code, path, line. Those without a path come first. The report compares
// fingerprints where all else is equal.
func (f *Finding) Compare(g *Finding) int {
	if order := cmp.Or(cmp.Compare(f.Severity.Rank(), g.Severity.Rank()), strings.Compare(f.Code, g.Code)); order != 0 {
		return order
	}
	if order := strings.Compare(f.Path, g.Path); order != 0 {
		return order
	}
	return cmp.Or(f.Pos.Compare(g.Pos), strings.Compare(f.Message, g.Message))
}

// Valid makes a text fit for JSON: one that is not UTF-8 is written as git quotes it.
func Valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return input.QuotePath(s)
}
