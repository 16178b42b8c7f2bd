// Package check says what a check is, what it may look at, and what becomes of its findings.
//
// A check is a value: its name, the codes that it reports, what it judges, the inputs that it requires, and a function
// that reads the inputs and reports findings. It has no state and opens no file. A finding is not an error: a check that
// runs cannot fail.
package check

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
)

// Check judges one thing over the inputs.
type Check struct {
	ID    string // one lower-case word
	Title string // one line
	Codes []Code // what it may report
	Also  []string
	Scope Scope // what it judges; a check without scope never runs, and a test refuses it
	// Needs are the kinds of input without which the check is skipped.
	Needs []Kind
	// Asked says whether the contract or an input requires the check; nil means always.
	Asked func(*Inputs) bool
	Run   func(*Pass)
}

// Scope is a set of the things that a check judges.
type Scope uint8

// The scopes.
const (
	ScopeChange   Scope = 1 << iota // a change by itself, such as that of a pull request
	ScopeGroup                      // a merge group as a whole
	ScopeMember                     // each pull request in a merge group
	ScopeEvidence                   // the group's evidence again, under the contract of each pull request that has its own; with ScopeGroup
	ScopeExempt                     // also a group in which the contract applies to no pull request; with ScopeGroup
	ScopePast                       // also a merged change, of which only the commits and the contract are known; with ScopeChange
)

// For lists the checks that judge one of the things in scope, in their order.
func For(checks []*Check, scope Scope) []*Check {
	var list []*Check
	for _, c := range checks {
		if c.Scope&scope != 0 {
			list = append(list, c)
		}
	}
	return list
}

// Code is a finding code and the severity it has unless the finding says otherwise. Also of [Check] names codes that
// are documented by another check.
type Code struct {
	Name     string
	Severity input.Severity
}

// CodesWith are codes of one severity.
func CodesWith(severity input.Severity, names ...string) []Code {
	var list []Code
	for _, name := range names {
		list = append(list, Code{name, severity})
	}
	return list
}

// Finding is one thing that a check reports.
type Finding struct {
	Code     string
	Severity input.Severity // "" is the code's own
	Message  string
	Expected string
	Actual   string
	Fix      string
	Input    Kind   // the input that shows it; "" for none in particular
	Path     string // the touched file, or the input's path; raw bytes
	Pos      input.Pos
	// Identity tells the finding from others of the same code and path. It contains no line number, no severity and
	// nothing that differs between two runs over the same change.
	Identity []string
	Times    int // how many equal findings it represents; 0 counts as 1

	// The rest explains a finding, and is not part of its identity.
	Shown     Place              // where a person looks, such as at a test that failed; zero where that is Path
	Contract  Place              // the place in a contract that decides; zero when there is none
	Criterion string             // the id of the criterion that it is about; "" for none
	Rule      string             // the id of the diff rule that found it; "" for none
	Undecided string             // what the gate cannot determine because of Lacks
	Lacks     *facts.Unavailable // the fact that is unavailable; nil for other findings, and where the facts do not list it
	Output    *proof.Tail        // what the command of the criterion printed last; nil when that explains nothing or is not recorded
}

// Place is a place in an input.
type Place struct {
	Path string
	Pos  input.Pos
}

// Fingerprint names a finding across runs: a hash of code, path and evidence.
func (f *Finding) Fingerprint() string { return f.sum().String() }

func (f *Finding) sum() Print {
	var room [256]byte
	text := appendPart(appendPart(room[:0], f.Code), f.Path)
	for _, part := range f.Identity {
		text = appendPart(text, part)
	}
	return sha256.Sum256(text)
}

func appendPart(text []byte, part string) []byte {
	return append(binary.AppendUvarint(text, uint64(len(part))), part...)
}

// Pass is one run of one check.
type Pass struct {
	*Inputs
	check    *Check
	codes    Codes // of the check
	all      Codes // of every check
	findings Findings
	tails    int                            // outputs that were asked for
	over     bool                           // the limit of findings is reached
	alter    func(*Findings, *Finding) bool // what is done to each finding first; false drops it; may be nil
}

// Tail returns the end of what a record says that a command printed; nil when it says nothing, and when the check has asked
// for so many that no report lists more.
func (p *Pass) Tail(said *feedback.Said) *proof.Tail {
	if p.tails++; p.tails > MaxOutputs {
		return nil
	}
	return proof.TailOf(said)
}

// MaxOutputs is how many findings of a report have an output: those that come first.
const MaxOutputs = 50

// Full reports whether another finding would only be dropped. A check that compares two inputs item by item asks it.
func (p *Pass) Full() bool { return p.over }

// Report adds a finding. A code that the check does not list is an error in the check and panics. Beyond
// [Inputs.MaxFindings] findings are dropped, and the finding limit.exceeded says so.
func (p *Pass) Report(f Finding) {
	if p.over {
		return
	}
	severity, ok := p.codes[f.Code]
	if !ok {
		panic(fmt.Sprintf("check %s reports %s, which it does not list", p.check.ID, f.Code))
	}
	if f.Severity == "" {
		f.Severity = severity
	}
	f.Times = max(f.Times, 1)
	if p.alter != nil && !p.alter(&p.findings, &f) {
		return
	}
	if p.over = p.MaxFindings > 0 && int64(p.findings.Len()) >= p.MaxFindings && !p.findings.has(&f); !p.over {
		p.findings.Add(f)
	}
}

// ReportLimit reports that a limit was exceeded.
func (p *Pass) ReportLimit(e input.Error) {
	p.findings.Add(Finding{
		Code: CodeLimit, Severity: p.all[CodeLimit], Message: e.Message, Expected: e.Expected, Actual: e.Found, Fix: e.Fix, Identity: []string{e.Limit}, Times: 1,
	})
}

// CodeLimit is the code of the finding that a limit was exceeded. Every check can report it.
const CodeLimit = "limit.exceeded"

// Result is what a check found. Skipped is true when it was not asked for or an input that it needs is not usable.
type Result struct {
	Check    *Check
	Skipped  bool
	Findings Findings
}

// Codes are finding codes, and the severity of each.
type Codes map[string]input.Severity

// CodesOf returns the codes of checks.
func CodesOf(checks []*Check) Codes {
	codes := Codes{}
	for _, c := range checks {
		for _, code := range c.Codes {
			codes[code.Name] = code.Severity
		}
	}
	return codes
}

// Run runs checks in their order. codes are all that a finding can have, and that a check may borrow.
func Run(checks []*Check, codes Codes, in *Inputs) []Result {
	results := make([]Result, len(checks))
	for i, c := range checks {
		results[i] = c.run(in, codes, nil, Findings{})
	}
	return results
}

// RunMore runs a check again, over other inputs, and adds what it finds to a result. alter may change each finding before
// it is added, or drop it by returning false; it sees what was found so far.
func RunMore(result *Result, codes Codes, in *Inputs, alter func(known *Findings, f *Finding) bool) {
	more := result.Check.run(in, codes, alter, result.Findings)
	result.Skipped = result.Skipped && more.Skipped
	if !more.Skipped {
		result.Findings = more.Findings
	}
}

func (c *Check) run(in *Inputs, all Codes, alter func(*Findings, *Finding) bool, before Findings) Result {
	lacking := slices.ContainsFunc(c.Needs, func(k Kind) bool { return in.State[k] != Usable })
	if lacking || (c.Asked != nil && !c.Asked(in)) {
		return Result{Check: c, Skipped: true}
	}
	own := CodesOf([]*Check{c})
	for _, name := range c.Also {
		own[name] = all[name]
	}
	p := &Pass{Inputs: in, check: c, codes: own, all: all, alter: alter, findings: before}
	p.findings.strict = in.Strict
	c.Run(p)
	if p.over {
		p.ReportLimit(input.TooManyFindings(p.check.ID, p.MaxFindings))
	}
	return Result{Check: c, Findings: p.findings}
}

// ReportProblems reports the errors in inputs of one kind under one code. A limit that was hit is left to Limits.
func (p *Pass) ReportProblems(code string, kinds ...Kind) {
	for _, problem := range p.Problems {
		e := problem.Error
		if e.Limit != "" || e.Where == NoMatch || !slices.Contains(kinds, problem.Kind) {
			continue
		}
		p.Report(Finding{
			Code: code, Message: e.Message, Expected: e.Expected, Actual: e.Found, Fix: e.Fix,
			Input: problem.Kind, Path: problem.Path, Pos: e.Pos,
			Identity: []string{e.Where, e.Found}, Times: e.Times, // not the message: its words may become better
		})
	}
}

// ReportNoMatch reports the paths and patterns of a kind that name no file.
func (p *Pass) ReportNoMatch(code string, kind Kind) {
	for _, problem := range p.Problems {
		if e := problem.Error; problem.Kind == kind && e.Where == NoMatch {
			p.Report(Finding{
				Code: code, Message: e.Message, Expected: e.Expected, Actual: e.Found, Fix: e.Fix, Input: kind, Identity: []string{e.Message},
			})
		}
	}
}
