package verify

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
)

// readStreams reads the large inputs, the logs beside the diff. more are other views of the logs: the evidence under the
// contracts of pull requests in a merge group. Their ledgers are returned.
func (l *loader) readStreams(more ...*check.Inputs) []*proof.Ledger {
	views := append([]*check.Inputs{&l.Inputs}, more...)
	if slices.ContainsFunc(views, func(view *check.Inputs) bool { return view.Policy != nil && view.Policy.HasWhen() }) {
		l.takeChanges(l.readChanges()) // they say which criteria are required
		l.require(views)
		logs, ledgers := l.readLogs(views)
		l.Ledger = ledgers[0]
		l.takeLogs(logs)
		l.noLog()
		return ledgers[1:]
	}
	var changes []changesFile
	var failed any
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() { failed = recover() }() // raised again below: here it would end the process without a report
		changes = l.readChanges()
	})
	logs, ledgers := l.readLogs(views)
	wg.Wait()
	if failed != nil {
		panic(failed)
	}
	l.Ledger = ledgers[0]
	l.takeLogs(logs)
	l.takeChanges(changes)
	return ledgers[1:]
}

// require leaves the criteria out that the change does not require. A group asks for its whole change.
func (l *loader) require(views []*check.Inputs) {
	list := make([]change.Change, len(l.Changes))
	for i := range l.Changes {
		list[i] = l.Changes[i].Change
	}
	known := l.State[check.Changes] == check.Usable && (l.Facts == nil || !l.Facts.Trial)
	for _, view := range views {
		if view.Policy != nil {
			view.Policy = view.Policy.For(list, known)
		}
	}
}

// noLog takes no log for the one that is needed, where nothing is required that a log could prove.
func (l *loader) noLog() {
	if l.given[check.Feedback] == 0 && l.NeedsNoLog() {
		l.State[check.Feedback] = check.Usable
	}
}

// logFile is what a log says.
type logFile struct {
	path    string
	records int64
	errs    *input.Errors
	seen    seen
}

// readLogs reads each log once, for all views. There is a ledger for each view.
func (l *loader) readLogs(views []*check.Inputs) ([]logFile, []*proof.Ledger) {
	memory := proof.NewMemory(l.settings.Limits.LogIDs)
	ledgers := make([]*proof.Ledger, len(views))
	for i, view := range views {
		ledgers[i] = proof.New(l.ledgerConfig(view, views))
		ledgers[i].Memory = memory
	}
	l.CrossLedgers = map[string]*proof.Ledger{}
	for _, tree := range views[0].Composed() {
		config := l.ledgerConfig(views[0], views)
		config.Tree, config.AcceptedTrees, config.Composed, config.Egress = tree, []string{tree}, nil, nil
		config.Companions = views[0].CrossVouchers()
		ledger := proof.New(config)
		ledger.Memory, l.CrossLedgers[tree], ledgers = memory, ledger, append(ledgers, ledger)
	}
	logs := feedback.NewLogs(l.settings.Limits)
	logs.Weigh(len(ledgers))
	var files []logFile
	for _, in := range l.inputsOf(check.Feedback) {
		file := logFile{path: l.display(in.Name)}
		streams := make([]*proof.Stream, len(ledgers))
		for i := range ledgers {
			streams[i] = ledgers[i].Stream(file.path)
		}
		file.seen = stream(in, func(r io.Reader) {
			file.records, file.errs = logs.Read(r, func(record *feedback.Record) bool {
				for _, s := range streams {
					s.Add(record)
				}
				return !memory.Full()
			})
		})
		files = append(files, file)
	}
	return files, ledgers[:len(views)]
}

// ledgerConfig says what a view searches the logs for. Its policy is nil when the contracts make none. A command that the
// change of another view requires of itself is known too: it proves nothing about the reports of this view.
func (l *loader) ledgerConfig(view *check.Inputs, views []*check.Inputs) proof.Config {
	config := proof.Config{Companions: view.Vouchers(), Composed: view.Composed()}
	if l.Facts != nil {
		config.AcceptedTrees = l.Facts.Subject.AcceptedTrees
	}
	p := view.Policy
	if p == nil {
		return config
	}
	config.TaskID, config.Criteria, config.Egress, config.RulesRun = p.TaskID, p.Criteria, p.NetworkEgress, p.Rules.Run
	config.Tasks = p.TaskIDs
	if config.HeadTasks = p.HeadTasks(); config.HeadTasks != nil {
		config.Tasks = slices.Concat(p.TaskIDs, p.TrustedTasks())
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

// takeLogs adds what the logs say. A log that is not among the digests supplied is listed and otherwise ignored.
func (l *loader) takeLogs(files []logFile) {
	records, handedOver := int64(0), map[string]bool{}
	for _, d := range l.Digests {
		_, sha256 := facts.SplitDigest(d)
		handedOver[sha256] = true
	}
	for _, log := range files {
		known := handedOver[log.seen.sha256]
		counts := l.Digests == nil || known
		trust := trustClaimed
		switch {
		case known:
			trust = trustRecorded
		case !counts:
			trust = trustIgnored
		}
		l.list(check.Feedback, log.path, log.seen, trust)
		l.Logs = append(l.Logs, check.Log{Path: log.path, SHA256: log.seen.sha256, Records: log.records, Counts: counts, Trusted: known})
		if counts {
			l.join(check.Feedback, l.problems(check.Feedback, log.path, log.errs))
			records += log.records
		}
	}
	if records == 0 && l.State[check.Feedback] == check.Usable {
		l.State[check.Feedback] = check.Malformed // feedback.empty is the only finding about criteria
	}
}

// changesFile is what changes.json or pr.diff says.
type changesFile struct {
	kind    check.Kind
	path    string
	changes []change.Change
	errs    *input.Errors
	seen    seen
}

func (l *loader) readChanges() []changesFile {
	var files []changesFile
	for _, in := range append(l.inputsOf(check.Changes), l.inputsOf(check.Diff)...) {
		f := changesFile{kind: in.Kind, path: l.display(in.Name)}
		f.seen = stream(in, func(r io.Reader) {
			if in.Kind == check.Changes {
				f.changes, f.errs = change.ReadChanges(r, l.settings.Limits)
			} else {
				f.changes, f.errs = change.ReadDiff(r, l.settings.Limits)
			}
		})
		files = append(files, f)
	}
	return files
}

// takeChanges adds the changes. Trees are more reliable than text: where both are there, changes.json is the list, and
// pr.diff must agree with it.
func (l *loader) takeChanges(files []changesFile) {
	var list []change.Change
	seen := map[check.Kind]bool{}
	for _, f := range files {
		l.list(f.kind, f.path, f.seen, trustCollected)
		l.join(check.Changes, l.problems(f.kind, f.path, f.errs))
		if seen[f.kind] {
			l.Surplus = append(l.Surplus, check.Source{Kind: f.kind, Path: f.path})
			continue
		}
		seen[f.kind] = true
		if f.kind == check.Diff && len(files) > 1 {
			l.diff = f.changes
			continue
		}
		list = f.changes
		if f.kind == check.Diff {
			l.State[check.Diff] = check.Usable // the only source, so findings point at it
		}
	}
	list = l.affordChanges(list)
	l.Changes = make([]check.JudgedPath, len(list))
	for i := range list {
		l.Changes[i].Change = list[i]
	}
}

// compareSources lists the paths about which changes.json and pr.diff disagree.
func (l *loader) compareSources() {
	if l.diff == nil || l.State[check.Changes] != check.Usable {
		return
	}
	trees := map[string]*change.Change{}
	for i := range l.Changes {
		trees[l.Changes[i].Path] = &l.Changes[i].Change
	}
	for i := range l.diff {
		c := &l.diff[i]
		if in, out := described(trees[c.Path], c.ModeUnknown), described(c, c.ModeUnknown); in != out {
			l.Disagree = append(l.Disagree, check.Disagreement{Path: c.Path, Changes: in, Diff: out})
		}
		delete(trees, c.Path)
	}
	for path, c := range trees {
		l.Disagree = append(l.Disagree, check.Disagreement{Path: path, Changes: described(c, false), Diff: described(nil, false)})
	}
	input.SortStable(l.Disagree, func(a, b check.Disagreement) int { return strings.Compare(a.Path, b.Path) })
}

// described is what a source says about a path. Modes are left out where the diff prints none.
func described(c *change.Change, modeUnknown bool) string {
	switch {
	case c == nil:
		return "not there"
	case modeUnknown:
		return string(c.Status)
	default:
		return fmt.Sprintf("%s, mode %s to %s", c.Status, c.OldMode, c.NewMode)
	}
}
