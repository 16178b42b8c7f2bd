// Package check is the frame that the gate's checks hang in.
//
// A check is a value: what it is called, which codes it reports, which inputs it needs, and a function that looks at
// the inputs and reports findings. It holds no state and opens no file. A finding is not an error: a check that runs
// cannot fail.
package check

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify/evidence"
	"github.com/closeout-gate/closeout/verify/source"
)

// Check judges one thing over the inputs.
type Check struct {
	ID    string // one lower-case word
	Title string // one line
	Codes []Code // what it may report
	Also  []string
	// Needs are the kinds of input without which the check is skipped.
	Needs []Kind
	// Asked says whether the contract or an input calls for the check at all; nil means always.
	Asked func(*Inputs) bool
	Run   func(*Pass)
}

// Code is a finding code and the severity it has unless the finding says otherwise. Also of [Check] names codes that
// are documented by another check.
type Code struct {
	Name     string
	Severity evidence.Severity
}

// Finding is one thing that a check reports.
type Finding struct {
	Code     string
	Severity evidence.Severity // "" is the code's own
	Message  string
	Expected string
	Actual   string
	Fix      string
	Input    Kind   // the input that shows it; "" for none in particular
	Path     string // the touched file, or the input's path; raw bytes
	Pos      source.Pos
	// Evidence tells the finding from others of the same code and path. It holds no line number, no severity and
	// nothing that differs between two runs over the same change.
	Evidence []string
	Times    int // how many equal things it stands for; 0 counts as 1
}

// Fingerprint names a finding across runs: a hash of code, path and evidence.
func (f *Finding) Fingerprint() string {
	h := sha256.New()
	for _, part := range append([]string{f.Code, f.Path}, f.Evidence...) {
		h.Write(binary.AppendUvarint(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Pass is one run of one check.
type Pass struct {
	*Inputs
	check    *Check
	codes    map[string]evidence.Severity
	all      map[string]evidence.Severity // codes of every check
	findings []Finding
}

// HasCode reports whether a finding of any check can have a code.
func (p *Pass) HasCode(code string) bool {
	_, ok := p.all[code]
	return ok
}

// Report adds a finding. A code that the check does not list is a mistake in the check and panics.
func (p *Pass) Report(f Finding) {
	severity, ok := p.codes[f.Code]
	if !ok {
		panic(fmt.Sprintf("check %s reports %s, which it does not list", p.check.ID, f.Code))
	}
	if f.Severity == "" {
		f.Severity = severity
	}
	f.Times = max(f.Times, 1)
	p.findings = append(p.findings, f)
}

// Result is what a check found. Skipped is true when it was not asked for or an input that it needs is not usable.
type Result struct {
	Check    *Check
	Skipped  bool
	Findings []Finding
}

// Run runs the checks in their order.
func Run(checks []*Check, in *Inputs) []Result { return RunSome(checks, checks, in) }

// RunSome runs some checks in their order. The codes that they may borrow, and that a finding can have, are those of all.
func RunSome(checks, all []*Check, in *Inputs) []Result {
	codes := map[string]evidence.Severity{}
	for _, c := range all {
		for _, code := range c.Codes {
			codes[code.Name] = code.Severity
		}
	}
	results := make([]Result, len(checks))
	for i, c := range checks {
		results[i] = c.run(in, codes)
	}
	return results
}

func (c *Check) run(in *Inputs, all map[string]evidence.Severity) Result {
	lacking := slices.ContainsFunc(c.Needs, func(k Kind) bool { return in.State[k] != Usable })
	if lacking || c.Asked != nil && !c.Asked(in) {
		return Result{Check: c, Skipped: true}
	}
	own := map[string]evidence.Severity{}
	for _, code := range c.Codes {
		own[code.Name] = code.Severity
	}
	for _, name := range c.Also {
		own[name] = all[name]
	}
	p := &Pass{Inputs: in, check: c, codes: own, all: all}
	c.Run(p)
	return Result{Check: c, Findings: p.findings}
}
