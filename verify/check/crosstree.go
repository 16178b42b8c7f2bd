package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/reports"
)

func weaker(a, b input.Level) input.Level {
	if a.Rank() < b.Rank() {
		return a
	}
	return b
}

// RootOf is the root of the work tree in which a test report of the head was written, "" when it is unknown.
func (in *Inputs) RootOf(file *TestFile) string {
	i := slices.IndexFunc(in.Companions, func(c Companion) bool { return c.Kind == Tests && c.Path == file.Path })
	if i < 0 {
		return ""
	}
	return in.Companions[i].Root
}

// treeRun is the run of a criterion on one tree.
type treeRun struct {
	*reports.TestNames
	level        input.Level
	unloaded     bool   // the runner failed without a case
	root         string // of the work tree, "" when it is unknown
	outcome, why string // missing or incomparable, where there is no report
	line         string // of the output, which says why there is no report
	cut          bool   // it did not end by itself, as far as is known
	elsewhere    string // it failed in another leg as well, of which the test report is not there
}

// treeRun finds the run of a criterion on a composed tree. Its records are bound to that tree, whatever the minimum.
func (in *Inputs) treeRun(i int, e *facts.CrossTrees, tree string, trust []proof.Trust) treeRun {
	none := func(why string) treeRun { return treeRun{level: input.Absent, outcome: report.CrossMissing, why: why} }
	apart := func(why string) treeRun {
		return treeRun{level: input.Absent, outcome: report.CrossIncomparable, why: why}
	}
	cut := func(why string) treeRun {
		run := none(why)
		run.cut = true
		return run
	}
	ledger, c := in.CrossLedgers[tree], &in.Policy.Criteria[i]
	if ledger == nil {
		return none("no record of it")
	}
	minimum := input.Stronger(in.Policy.Minimum(c, in.Minimum), input.Bound)
	d := ledger.Decide(i, minimum, trust)
	var red []string // logs in which it failed
	for _, x := range d.Deciding {
		switch exit := x.Last.Exit; {
		case exit == nil && x.Last.Dirty:
			return apart("the work tree was not this tree after its setup" + ChangedPaths(": ", &x) + x.Last.OtherBytes)
		case exit == nil:
			return cut("its record has no exit code")
		case proof.Cut(*exit):
			return cut("it did not end by itself: " + ExitWords(*exit, c.Run[0]))
		case *exit != 0:
			red = append(red, x.Stream)
		}
	}
	switch {
	case len(d.Deciding) == 0:
		return none("no record of it")
	case d.Level.Rank() < minimum.Rank():
		why := KeptFrom(d.Level, &d.Deciding[0])
		return none(fmt.Sprintf("its evidence is %s, and it must be %s: %s", d.Level, minimum, why))
	}
	named := false                // by a record, and not unreadable
	for t, id := range idsOf(e) { // a change that edits only tests has one tree under both names
		if id != tree {
			continue
		}
		voucher := in.crossVoucher(i, CrossTrees[t])
		file, v := in.CrossTests[voucher.Path], ledger.Vouch(&voucher, trust)
		vouched := file != nil && v.Level.Rank() >= minimum.Rank()
		if !vouched || file.Report == nil {
			named = named || (!vouched && ledger.Writes(voucher.Path))
			continue
		}
		elsewhere := ""
		unseen := func(stream string) bool { return !slices.Contains(v.Streams, stream) }
		if at := slices.IndexFunc(red, unseen); at >= 0 && tree != e.Base {
			elsewhere = "it failed in the log " + red[at] + " too, and the test report of that run is not there"
			if !slices.ContainsFunc(v.Streams, func(stream string) bool { return slices.Contains(red, stream) }) {
				return none(elsewhere) // the report that is there is of a run that passed
			}
		}
		names := file.Report.Names
		names.TrimRoot(v.Root)
		unloaded := len(red) > 0 && len(names.Names) == 0 && file.Report.Broken == 0
		return treeRun{TestNames: names, level: weaker(d.Level, v.Level), unloaded: unloaded, root: v.Root, elsewhere: elsewhere}
	}
	if len(red) > 0 && !named {
		run := apart("the command failed and left no test report that can be read")
		for i := range d.Deciding {
			said := &d.Deciding[i].Last.Said
			run.line = cmp.Or(run.line, CutText(errorLine(said.Stderr()+"\n"+said.Stdout())))
		}
		return run
	}
	return none("its test report is not there, or no record names it as " + in.CrossPath("…", c.TestReport))
}

// errorLine is the first line of an output that names a place or an error, else the last one; "" for none.
func errorLine(output string) (last string) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if errorPattern().MatchString(line) {
			return line
		}
		last = cmp.Or(line, last)
	}
	return last
}

// errorPattern matches what compilers and interpreters write: a place, or the name of an error.
var errorPattern = input.Lazily(`\.\w+:\d+|\.\w+\(\d+,\d+\)|(?i)\berror\b|Error:|Exception:`)
