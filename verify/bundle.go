package verify

import (
	"fmt"
	"io"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// Version is the tool's version. Every report contains it: the same inputs and version give the same bytes.
const Version = "0.2.0"

// Bundle is all that a decision is made from.
type Bundle struct {
	Inputs []Input
	// Parts are the pull requests of a merge group, in any order; none otherwise. If the facts describe no merge group,
	// they are ignored.
	Parts []Part
	// TestReport looks for the test report with a path in the repository; it returns nil when there is none. A nil
	// function knows of none.
	TestReport func(path string) Opener
	// CrossReport is TestReport for the reports that were written on a composed tree: base or old_tests.
	CrossReport func(tree, path string) Opener
	Settings    Settings
	// Parsed has the contracts that earlier decisions of the process parsed; nil for none. It changes no report.
	Parsed *contract.Cache
}

// Opener opens a file.
type Opener func() (io.ReadCloser, error)

// Input is one file. Name is what the report calls it: a path in the repository, or its name in the bundle; slashes,
// never absolute. Open may be called once.
type Input struct {
	Kind check.Kind
	Name string
	Open Opener
	// RepoPaths are the file's paths in the repository; none when it is elsewhere or unknown. A change that
	// touches one of them, or a symlink on the way, changes the file.
	RepoPaths []string
}

// Read reads an input, of which one byte more than the limit is enough to see that it is too large.
func (in Input) Read(limit int64) ([]byte, error) {
	f, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// Part is the part of a merge group's bundle for one of its pull requests: facts, changes and task contracts. Names
// are as in a bundle of its own; the report puts [PartDirectory] before them.
type Part struct {
	PullRequest int64
	Inputs      []Input
}

// PartDirectory is where the bundle of a merge group keeps the part of a pull request; it ends in a slash.
func PartDirectory(number int64) string { return fmt.Sprintf("pulls/%d/", number) }

// Settings is everything beside the files that can change the decision. Facts of the bundle contain the same; what is set
// here takes precedence, except for the day.
type Settings struct {
	Mode    string   // enforce or observe; "" is that of the facts, else enforce
	Strict  bool     // or the facts'
	Tasks   []string // that the caller named; nil is those of the facts
	Today   string   // YYYY-MM-DD; that of the facts takes precedence
	Digests []string
	// Event is the event about a pull request or a merge group of a caller that did not ask GitHub; "" for none.
	// The evidence then needs the same level as where GitHub was asked.
	Event  string
	Limits input.Limits
	// Notes are problems that the collector met, such as a pattern that matches no file.
	Notes []check.Problem
}

// The modes.
const (
	Enforce = "enforce"
	Observe = "observe"
)

// FactsOf reads the facts of a bundle; nil when there are none that can be read.
func FactsOf(b *Bundle) *facts.Facts {
	for _, in := range b.Inputs {
		if in.Kind != check.Facts {
			continue
		}
		limits := b.Settings.Limits
		if limits == (input.Limits{}) {
			limits = input.DefaultLimits()
		}
		data, err := in.Read(limits.RulesBytes)
		if err != nil || int64(len(data)) > limits.RulesBytes {
			return nil
		}
		if read, errs := facts.Parse(data, limits); !errs.Any() {
			return read
		}
	}
	return nil
}
