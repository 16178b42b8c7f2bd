// Package verify decides: bundle in, report out.
//
// [Judge] is a function of the bytes of its inputs. It knows no clock, network, environment or process, so a report can
// be recomputed byte for byte by anyone, for ever. What collects inputs lies outside.
package verify

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/ledger"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/results"
	"github.com/closeout-gate/closeout/verify/strict"
)

// Judge decides a bundle. It always returns a report.
func Judge(b *Bundle) *report.Report {
	j := newJudge(b)
	j.holdInputs()
	go func() {
		defer func() { recover() }() // whoever needs it next panics where a report can still be written
		policy.Prepare()
	}()
	j.readFacts()
	j.settle()
	if j.ofGroup() {
		return (&group{judge: j}).decide()
	}
	j.readContracts()
	j.readRules()
	j.readCoverage()
	j.readTests()
	j.readStreams()
	j.compareSources()
	j.classify()
	j.authorise()
	return j.report(j.run(checks.All))
}

func newJudge(b *Bundle) *judge {
	return &judge{bundle: b, spent: &spending{}, needs: needed, in: check.Inputs{State: map[check.Kind]check.State{}, Tests: map[string]*check.TestFile{}}}
}

// judge is one decision under way.
type judge struct {
	bundle   *Bundle
	group    Bundle   // of the merge group that the judged pull request is in; empty otherwise
	folder   string   // of the bundle in which the inputs lie; "" is the bundle itself
	settings Settings // with the facts' filled in
	in       check.Inputs
	inputs   []report.Input
	needs    []check.Kind // without which nothing can be said to be done

	spent         *spending
	paths         map[string]string // of inputs, by their names in the bundle, where the facts know them
	blocking      []string          // fingerprints of all findings that block, sorted
	blockingCodes []string          // and their codes

	leftOut  bool            // applies_to leaves the pull request out, so nothing is judged
	diff     []change.Change // of pr.diff, when changes.json is there too
	standing int             // how many standing contracts there are, read or not
	sources  []policy.Source
}

// of lists the inputs of a kind, by name.
func (j *judge) of(kind check.Kind) []Input {
	var list []Input
	for _, in := range j.bundle.Inputs {
		if in.Kind == kind {
			list = append(list, in)
		}
	}
	slices.SortFunc(list, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// display is what the report calls an input: the path that the facts map its name to, else its name.
func (j *judge) display(name string) string {
	if j.in.Facts != nil && j.paths == nil {
		j.paths = map[string]string{}
		for _, f := range slices.Backward(j.in.Facts.Files) {
			j.paths[f.File] = f.Path // the first of a name counts
		}
	}
	if path, mapped := j.paths[name]; mapped {
		return path
	}
	return j.folder + name
}

// problems notes the errors of an input and says whether it can be used.
func (j *judge) problems(kind check.Kind, path string, errs *diag.Errors) check.State {
	for _, e := range errs.All() {
		j.in.Problems = append(j.in.Problems, check.Problem{Kind: kind, Path: path, Error: e})
	}
	if errs.Any() {
		return check.Malformed
	}
	return check.Usable
}

// state joins the state of one more input of a kind: one that is malformed spoils them all.
func (j *judge) state(kind check.Kind, s check.State) {
	if old := j.in.State[kind]; old != check.Malformed {
		j.in.State[kind] = s
	}
}

// listed adds an input to the report.
func (j *judge) listed(kind check.Kind, path string, s seen, trust string) *report.Input {
	j.inputs = append(j.inputs, report.Input{Kind: string(kind), Path: path, SHA256: s.sha256, Bytes: s.bytes, Trust: trust})
	return &j.inputs[len(j.inputs)-1]
}

func (j *judge) limits() *strict.Limits { return &j.bundle.Settings.Limits }

// readSmall reads one input that fits into memory. It notes what is wrong with it, and then returns nil. path is what the
// report calls the input.
func readSmall[T any](
	j *judge, in Input, path, what, trust string, parse func([]byte, strict.Limits) (*T, *diag.Errors),
) (*T, *report.Input) {
	limit, flag := j.limits().RulesBytes, strict.FlagRulesBytes
	if in.Kind == check.Contract || in.Kind == check.TaskContract {
		limit, flag = j.limits().ContractBytes, strict.FlagContractBytes
	}
	var value *T
	errs := &diag.Errors{}
	data, s := readAll(in, what, limit, flag, errs)
	if !errs.Any() && j.affords(s.bytes, errs) {
		value, errs = parse(data, *j.limits())
	}
	listed := j.listed(in.Kind, path, s, trust)
	if j.problems(in.Kind, path, errs) != check.Usable {
		return nil, listed
	}
	return value, listed
}

// stateOf is the state of an input that was parsed to value.
func stateOf[T any](value *T) check.State {
	if value == nil {
		return check.Malformed
	}
	return check.Usable
}

func (j *judge) readFacts() {
	for i, in := range j.of(check.Facts) {
		read, _ := readSmall(j, in, j.folder+in.Name, "the facts file", trustCollected, facts.Parse)
		j.state(check.Facts, stateOf(read))
		j.in.Facts = read
		if i > 0 {
			j.secondFile(in, j.folder+in.Name)
			j.in.Facts = nil
		}
	}
	j.checkListed()
}

// secondFile notes a file of a kind of which there may be one: which of two counts must not depend on their order.
func (j *judge) secondFile(in Input, path string) {
	j.in.State[in.Kind] = check.Malformed
	j.in.Problems = append(j.in.Problems, check.Problem{Kind: in.Kind, Path: path, Error: diag.Error{
		Message: "there is more than one file of this kind", Found: path, Expected: "one file", Fix: "hand over the one that applies",
	}})
}

// settle fills in what the facts say and the settings leave open.
func (j *judge) settle() {
	s := j.bundle.Settings
	if f := j.in.Facts; f != nil {
		s.Strict = s.Strict || f.Settings.Strict
		s.Mode = firstOf(s.Mode, f.Settings.Mode)
		s.Task = firstOf(s.Task, f.Settings.Task)
		s.Today = firstOf(f.Settings.Today, s.Today) // the day on which the facts were collected
		if s.Digests == nil {
			s.Digests = f.Digests
		}
	}
	s.Mode = firstOf(s.Mode, Enforce)
	s.Notes = append(slices.Clip(s.Notes), j.unmatched()...)
	j.settings = s
	j.in.Task, j.in.Today, j.in.Digests, j.in.Event = s.Task, s.Today, s.Digests, s.Event
	j.in.Strict, j.in.MaxFindings = s.Strict, j.limits().Findings
	for _, note := range s.Notes {
		j.in.Problems = append(j.in.Problems, note)
		j.in.State[note.Kind] = check.Malformed
	}
}

// unmatched are the patterns of which the facts say that they match no file.
func (j *judge) unmatched() []check.Problem {
	if j.in.Facts == nil {
		return nil
	}
	var list []check.Problem
	for _, u := range j.in.Facts.Unmatched {
		list = append(list, check.Unmatched(check.Kind(u.Kind), u.Pattern))
	}
	return list
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (j *judge) readRules() {
	for _, in := range j.of(check.Rules) {
		r, listed := readSmall(j, in, j.display(in.Name), "the rule report", trustClaimed, j.parseRules)
		j.state(check.Rules, stateOf(r))
		if r != nil {
			j.in.Rules = append(j.in.Rules, check.RuleFile{Path: listed.Path, SHA256: listed.SHA256, Report: r})
		}
	}
}

func (j *judge) readCoverage() {
	for i, in := range j.of(check.Coverage) {
		if i > 0 {
			j.secondFile(in, j.display(in.Name))
		}
		c, listed := readSmall(j, in, j.display(in.Name), "the coverage report", trustClaimed, results.ParseCoverage)
		j.state(check.Coverage, stateOf(c))
		if c != nil {
			j.in.Coverage = &check.CoverageFile{Path: listed.Path, SHA256: listed.SHA256, Report: c}
		}
	}
}

// readTests reads the test reports that criteria name; the report calls each by its path in the repository.
func (j *judge) readTests() {
	if j.in.Policy != nil {
		j.in.Tests = j.testsOf(j.in.Policy, map[string]*check.TestFile{})
	}
}

// testsOf gives the test reports that a policy names. Those in known were read already, and others are added to it.
func (j *judge) testsOf(p *policy.Policy, known map[string]*check.TestFile) map[string]*check.TestFile {
	named := map[string]*check.TestFile{}
	for _, c := range p.Criteria {
		if known[c.TestReport] == nil {
			known[c.TestReport] = j.readTest(c.TestReport)
		}
		if file := known[c.TestReport]; file != nil {
			named[c.TestReport] = file
		}
	}
	return named
}

// readTest reads a test report; nil when there is none.
func (j *judge) readTest(path string) *check.TestFile {
	if path == "" || j.bundle.TestReport == nil {
		return nil
	}
	open := j.bundle.TestReport(path)
	if open == nil {
		return nil
	}
	tests, listed := readSmall(j, Input{Kind: check.Tests, Name: path, Open: open}, path, "the test report", trustClaimed, results.ParseTests)
	return &check.TestFile{Path: listed.Path, SHA256: listed.SHA256, Report: tests}
}

// readStreams reads the large inputs, the logs beside the diff, and returns the ledgers of the other views of the evidence.
func (j *judge) readStreams(more ...*check.Inputs) []*ledger.Ledger {
	var changes changesRead
	var failed any
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() { failed = recover() }() // raised again below: here it would end the process without a report
		changes = j.readChanges()
	})
	logs := j.readLogs(more...)
	wg.Wait()
	if failed != nil {
		panic(failed)
	}
	logs.into(j)
	changes.into(j)
	return logs.ledgers[1:]
}

// logsRead is what the logs say. It is built beside changesRead and joined afterwards.
type logsRead struct {
	ledgers []*ledger.Ledger // one a policy
	logs    []logRead
}

type logRead struct {
	path    string
	records int64
	errs    *diag.Errors
	seen    seen
}

// readLogs reads each log once, for the judge's own policy and, of a merge group, for those of pull requests that bring
// along a contract of their own.
func (j *judge) readLogs(more ...*check.Inputs) logsRead {
	var read logsRead
	views := append([]*check.Inputs{&j.in}, more...)
	for _, view := range views {
		read.ledgers = append(read.ledgers, ledger.New(j.ledgerConfig(view, views)))
	}
	logs := feedback.NewLogs(*j.limits())
	logs.Weigh(len(read.ledgers))
	memory := ledger.NewMemory(j.limits().LogIDs)
	for _, l := range read.ledgers {
		l.Memory = memory
	}
	for _, in := range j.of(check.Feedback) {
		read.logs = append(read.logs, j.readLog(in, logs, read.ledgers))
	}
	return read
}

// ledgerConfig says what the logs are searched for; the policy of in is nil when the contracts make none. What another
// view's change demands of itself is known too: such a command is not one that may vouch for anything here.
func (j *judge) ledgerConfig(in *check.Inputs, views []*check.Inputs) ledger.Config {
	config := ledger.Config{Companions: in.Vouchers()}
	if j.in.Facts != nil {
		config.AcceptedTrees = j.in.Facts.Subject.AcceptedTrees
	}
	p := in.Policy
	if p == nil {
		return config
	}
	config.TaskID, config.Criteria, config.Egress, config.RulesRun = p.TaskID, p.Criteria, p.NetworkEgress, p.Rules.Run
	if p.HeadTask() != "" {
		config.HeadTask, config.Tasks = true, p.TrustedTasks()
	}
	config.Head = make([]bool, len(p.Criteria))
	for i := range p.Criteria {
		config.Head[i] = p.IsHead(p.Criteria[i].ID)
	}
	for _, other := range views {
		if other.Policy != nil && other.Policy != p {
			config.HeadCommands = append(config.HeadCommands, other.Policy.HeadCriteria()...)
		}
	}
	return config
}

func (j *judge) readLog(in Input, logs *feedback.Logs, ledgers []*ledger.Ledger) logRead {
	log := logRead{path: j.display(in.Name)}
	add := addToAll(ledgers, log.path)
	log.seen = stream(in, func(r io.Reader) {
		log.records, log.errs = logs.Read(r, add)
	})
	return log
}

// addToAll opens a log in each ledger and adds its records to all of them. What it returns is false when a ledger can hold
// no more.
func addToAll(ledgers []*ledger.Ledger, path string) func(*feedback.Record) bool {
	streams := make([]*ledger.Stream, len(ledgers))
	for i, l := range ledgers {
		streams[i] = l.Stream(path)
	}
	return func(r *feedback.Record) bool {
		for _, s := range streams {
			s.Add(r)
		}
		return !ledgers[0].Memory.Full()
	}
}

// into joins what the logs say. A log that is not among the digests handed over is listed and otherwise ignored.
func (l logsRead) into(j *judge) {
	records, handedOver := int64(0), map[string]bool{}
	for _, d := range j.in.Digests {
		_, sha256 := facts.SplitDigest(d)
		handedOver[sha256] = true
	}
	for _, log := range l.logs {
		known := handedOver[log.seen.sha256]
		counts := j.in.Digests == nil || known
		trust := trustClaimed
		switch {
		case known:
			trust = trustRecorded
		case !counts:
			trust = trustIgnored
		}
		j.listed(check.Feedback, log.path, log.seen, trust)
		j.in.Logs = append(j.in.Logs, check.Log{
			Path: log.path, SHA256: log.seen.sha256, Records: log.records, Counts: counts, Trusted: known,
		})
		if counts {
			j.state(check.Feedback, j.problems(check.Feedback, log.path, log.errs))
			records += log.records
		}
	}
	j.in.Ledger = l.ledgers[0]
	if records == 0 && j.in.State[check.Feedback] == check.Usable {
		j.in.State[check.Feedback] = check.Malformed // feedback.empty is the only finding about criteria
	}
}

// changesRead is what the diff says.
type changesRead struct {
	files []changesFile
}

type changesFile struct {
	kind    check.Kind
	path    string
	changes []change.Change
	errs    *diag.Errors
	seen    seen
}

func (j *judge) readChanges() changesRead {
	var read changesRead
	for _, in := range append(j.of(check.Changes), j.of(check.Diff)...) {
		f := changesFile{kind: in.Kind, path: j.display(in.Name)}
		f.seen = stream(in, func(r io.Reader) {
			if in.Kind == check.Changes {
				f.changes, f.errs = change.ReadChanges(r, *j.limits())
			} else {
				f.changes, f.errs = change.ReadDiff(r, *j.limits())
			}
		})
		read.files = append(read.files, f)
	}
	return read
}

// into keeps the changes. Trees know better than text: where both are there, changes.json is the list, and pr.diff must
// agree with it.
func (c changesRead) into(j *judge) {
	var list []change.Change
	seen := map[check.Kind]bool{}
	for _, f := range c.files {
		j.listed(f.kind, f.path, f.seen, trustCollected)
		j.state(check.Changes, j.problems(f.kind, f.path, f.errs))
		if seen[f.kind] {
			j.in.Surplus = append(j.in.Surplus, check.Source{Kind: f.kind, Path: f.path})
			continue
		}
		seen[f.kind] = true
		if f.kind == check.Diff && len(c.files) > 1 {
			j.diff = f.changes
			continue
		}
		list = f.changes
		if f.kind == check.Diff {
			j.in.State[check.Diff] = check.Usable // the only source, so findings point at it
		}
	}
	list = j.affordChanges(list)
	j.in.Changes = make([]check.Change, len(list))
	for i := range list {
		j.in.Changes[i].Change = list[i]
	}
}

// compareSources lists the paths that changes.json and pr.diff tell apart.
func (j *judge) compareSources() {
	if j.diff == nil || j.in.State[check.Changes] != check.Usable {
		return
	}
	trees := map[string]*change.Change{}
	for i := range j.in.Changes {
		trees[j.in.Changes[i].Path] = &j.in.Changes[i].Change
	}
	for i := range j.diff {
		c := &j.diff[i]
		if in, out := told(trees[c.Path], c.ModeUnknown), told(c, c.ModeUnknown); in != out {
			j.in.Disagree = append(j.in.Disagree, check.Disagreement{Path: c.Path, Changes: in, Diff: out})
		}
		delete(trees, c.Path)
	}
	for path, c := range trees {
		j.in.Disagree = append(j.in.Disagree, check.Disagreement{Path: path, Changes: told(c, false), Diff: told(nil, false)})
	}
	slices.SortFunc(j.in.Disagree, func(a, b check.Disagreement) int { return strings.Compare(a.Path, b.Path) })
}

// told is what a source says of a path. Modes are left out where the diff prints none.
func told(c *change.Change, modeUnknown bool) string {
	switch {
	case c == nil:
		return "not there"
	case modeUnknown:
		return string(c.Status)
	default:
		return fmt.Sprintf("%s, mode %s to %s", c.Status, c.OldMode, c.NewMode)
	}
}

// classify lets the contracts rule on every touched path.
func (j *judge) classify() {
	for i := range j.in.Changes {
		if c := &j.in.Changes[i]; policy.AddsTask(&c.Change) {
			j.in.AddedTasks = append(j.in.AddedTasks, c.Path)
		}
	}
	if j.in.Policy == nil {
		return
	}
	added := j.addedTask()
	j.in.Policy.SetAddedTask(added)
	if added != "" && len(j.of(check.TaskContract)) == 0 {
		j.in.AbsentTask = added
	}
	for i := range j.in.Changes {
		c := &j.in.Changes[i]
		c.Ruling = j.in.Policy.Classify(&c.Change)
		if j.in.Policy.Meter.Spent() {
			j.dropChanges()
			return
		}
	}
}

// dropChanges says that it costs too much to compare the touched paths with the patterns. What not all patterns were held
// against must not be shown as if they had been.
func (j *judge) dropChanges() {
	kind := check.Changes
	if j.in.State[check.Diff] == check.Usable {
		kind = check.Diff
	}
	j.in.Problems = append(j.in.Problems, check.Problem{Kind: kind, Error: strict.TooManySteps(j.limits().MatchSteps)})
	j.in.State[check.Changes], j.in.Changes, j.in.AddedTasks = check.Malformed, nil, nil
}

// addedTask is the task contract that the change adds: the one that judges, the one that the caller named, or the only
// one.
func (j *judge) addedTask() string {
	for _, p := range j.in.AddedTasks {
		if (stem(p) == j.in.Task || j.in.Task == "" && len(j.in.AddedTasks) == 1) && j.isJudged(p) {
			return p
		}
	}
	return ""
}

// isJudged reports whether an added file can be the task contract that judges. Where none was handed over, and no facts
// list the contracts, it should have been.
func (j *judge) isJudged(added string) bool {
	for _, s := range j.sources {
		if s.Kind == string(check.TaskContract) {
			return stem(added) == s.Contract.TaskID.Value && (len(s.RepoPaths) == 0 || slices.Contains(s.RepoPaths, added))
		}
	}
	return j.in.Facts == nil || j.in.Facts.Contracts == nil
}

// stem is a file's name without folder and ending.
func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }
