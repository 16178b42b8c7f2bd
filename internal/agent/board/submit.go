package board

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// TellPersons says which of the paths that the commits should not change were on disk before the agent came: a report does not
// know.
func TellPersons(s *run.Work, r *report.Report, std console.Streams) {
	store, err := session.Find("", s.Root, s.Git.CommonDir())
	if err != nil {
		return
	}
	var list []string
	for _, fact := range item.Leave(item.FactsOf(r), store.Persons(s.Root)) {
		if fact.Fix == item.WasThere && !slices.Contains(list, fact.Path) {
			list = append(list, fact.Path)
		}
	}
	if len(list) > 0 {
		std.Tell("run", "do not revert %s: %s", item.Several(list), item.WasThere)
	}
}

func (s *Submission) Status() int {
	if s.Event == nil {
		return run.ExitFailed
	}
	return ExitOf(s.Event.Outcome == item.Pass, s.Event.Outcome == item.Review)
}

// attempt is one submission of an item.
type attempt struct {
	*Board
	it   *item.Standing
	head string
	dir  string // relative to the state folder
	tree string // the folder of the fresh work tree, in the state folder; "" for none
	s    *run.Work
	r    *record.Recorder
	plan *record.Plan // of the item itself
}

// Submit records and judges an item, the claimed one for "", and appends the event about the verdict last, when the bundle is
// on the disk and a replay has given the same report. stuck is asked about that event before: a code makes an item that failed
// STUCK. It may be nil. The caller holds the lock.
func Submit(b *Board, id string, stuck func(*item.Standing, item.Event) (code, reason string), std console.Streams) (done *Submission, err error) {
	it, err := take(b, id)
	if err != nil {
		return nil, err
	}
	a := &attempt{Board: b, it: it, dir: b.TryOf(it)}
	if a.head, err = b.Git.Resolve("HEAD"); err != nil {
		return nil, err
	}
	if why, err := session.Blocked(b.Root, it.ID); why != "" || err != nil {
		if err != nil {
			return nil, err
		}
		return a.end(&Submission{}, item.Event{Verdict: report.Review, Code: item.CodeBlocked, Reason: why}, nil)
	}
	defer func() { err = errors.Join(err, a.leaveTree()) }()
	defer func() {
		if a.s != nil {
			err = run.Finish(err, a.s.PutBack)
		}
	}()
	done = &Submission{}
	if done.Facts, err = a.record(std); err != nil {
		return nil, err
	}
	if len(done.Facts) > 0 {
		done.Item = it
		return done, nil
	}
	return a.judge(done, stuck)
}

// take is the item that is submitted: one that is free is claimed.
func take(b *Board, id string) (*item.Standing, error) {
	claimed := b.State.Claimed(b.Worktree)
	if id == "" {
		if claimed == nil {
			return nil, errors.New("this work tree has claimed no item: write closeout item next, or name one: closeout item submit ITEM")
		}
		return claimed, nil
	}
	it, err := b.Find(id)
	switch {
	case err != nil:
		return nil, err
	case it.State.Locked():
		return nil, fmt.Errorf("submit.locked: %s is %s, and no submission changes that (closeout explain submit.locked)", it.ID, it.State)
	case claimed != nil && claimed != it:
		return nil, fmt.Errorf("this work tree has claimed %s: submit that one, or give it back with closeout item release %[1]s", claimed.ID)
	case it.Worktree != "" && it != claimed:
		return nil, fmt.Errorf("%s is claimed by another work tree: submit it there, or give it back with closeout item release %[1]s", it.ID)
	case it != claimed:
		if h, err := b.Next(id); h == nil || err != nil {
			if err == nil {
				err = errors.New(strings.Join(append(b.Waiting(), b.whyNot(id)), "; "))
			}
			return nil, err
		}
	}
	return b.State.Find(id), nil
}

// WorkOn is what an item is judged by: the contracts of the pinned base and its own, and its changes up to a commit.
func (b *Board) WorkOn(it *item.Standing, head string) (*run.Work, error) {
	s := &run.Work{Root: b.Root, Git: b.Git, Options: b.Options(it), Compared: collect.Since(b.Git, it.Start, head)}
	standing, err := collect.ReadStanding(s.Compared, s.Options)
	if err != nil {
		return nil, err
	}
	s.Standing = standing
	s.Judged, err = standing.WithTask(s.Compared, s.Options)
	s.Each = []*collect.Contracts{s.Judged}
	return s, err
}

// Options are how an item is judged. Nothing of it comes from the call or from the work tree.
func (b *Board) Options(it *item.Standing) collect.Options {
	o := collect.Options{
		Root: b.Root, Names: b.Root, ContractsAt: b.Plan.Base, Parsed: b.Parsed,
		Settings: verify.Settings{Limits: input.DefaultLimits(), Today: run.Today(), Tasks: []string{it.ID}},
	}
	if !it.Given {
		o.TaskFiles = []string{b.Store.Path(session.Contract(it.ID))}
	}
	return o
}

// record runs and records what the item requires. Facts say why nothing was run.
func (a *attempt) record(std console.Streams) (facts []item.Fact, err error) {
	if _, err := a.PolicyOf(&a.it.Item); err != nil { // else it would be judged by a contract that no one pinned
		return nil, err
	}
	if a.s, err = a.Board.WorkOn(a.it, a.head); err != nil {
		return nil, err
	}
	a.s.Path = a.Board.Plan.Path
	a.TellPath("submit")
	a.s.Show = run.NewProgress(std, false)
	a.s.Show.Command = "submit"
	policies := a.s.Policies(false, std)
	if err := a.openRecorder(policies, std); err != nil {
		return nil, err
	}
	if a.Board.Plan.Checkout {
		if facts, err = a.clean(a.Store.Persons(a.Root)); err != nil || facts != nil {
			return facts, err
		}
		if err := a.freshTree(policies, std); err != nil {
			return nil, err
		}
	}
	if err := a.makePlan(policies); err != nil {
		return nil, err
	}
	if facts, err = a.clean(nil); err != nil || facts != nil {
		return facts, err
	}
	if err := a.run(a.plan); err != nil {
		return nil, err
	}
	o := &a.s.Options
	o.Settings.Digests = []string{}
	if err := a.recordCross(policies, std); err != nil {
		return nil, err
	}
	if a.handOver(o, a.plan, a.r.Watch); len(o.Feedback) == 0 {
		o.Feedback = []string{a.guardLog()} // which is not there: the logs of the work tree must not take its place
	}
	return nil, nil
}

// openRecorder makes the recorder of the work tree where commands run.
func (a *attempt) openRecorder(policies []*policy.Policy, std console.Streams) error {
	evidence := policy.DefaultEvidenceDir
	if len(policies) > 0 {
		evidence = policies[0].EvidenceDir
	}
	root, err := record.Find(a.s.Options.Root)
	if err != nil {
		return err
	}
	a.r, err = a.s.NewRecorder(root, evidence, std)
	return err
}

// clean says what is uncommitted; nil for nothing. What a person had there before the agent came does not count.
func (a *attempt) clean(person map[string]bool) ([]item.Fact, error) {
	a.r.Tell = nil
	_, differs, err := a.r.Look()
	a.r.Tell = a.s.Show.Say
	agents := func(path string) bool { return !person[item.Text(path)] }
	if err != nil || !differs || (len(person) > 0 && !slices.ContainsFunc(a.r.Differing(), agents)) {
		return nil, err
	}
	var list []string
	for _, path := range a.r.Changed() {
		list = append(list, input.QuotePath(path))
	}
	if other := a.r.OtherBytes(); other != "" {
		list = []string{other}
	}
	return []item.Fact{{
		Code: "submit.uncommitted", Severity: string(input.Block), Message: "the work tree differs from HEAD, so nothing was run, and this is no try",
		Expected: "a work tree without changes", Actual: item.Text(strings.Join(list, ", ")),
		Fix: uncommittedFix,
	}}, nil
}

// makePlan lists what is recorded, each log in the state folder.
func (a *attempt) makePlan(policies []*policy.Policy) error {
	logs := a.Store.Path(a.dir, "log")
	if err := a.clearAttempt(logs); err != nil {
		return err
	}
	a.plan = &record.Plan{}
	var reports []string
	if len(policies) > 0 { // else the report says what is wrong with the contracts
		a.plan.AddPolicy(policies, "", filepath.Join(logs, record.FileName))
		reports = run.ReportsOf(a.plan, policies[0], a.r)
	}
	a.s.Show.Count = len(a.plan.Names())
	for i := range a.plan.Streams {
		a.plan.Streams[i].Log = filepath.Join(logs, a.plan.Streams[i].Name+".jsonl")
	}
	return run.Prepare(a.r, append(a.plan.Logs(), a.guardLog()), reports)
}

func (a *attempt) bundle() string { return a.Store.Path(a.dir, "bundle") }

// run records a plan. A signal ends the submission.
func (a *attempt) run(p *record.Plan) error {
	status, err := a.s.Follow(a.r, p)
	if err == nil && status > record.StatusSignal {
		return signalEnded(a.s.Show, status)
	}
	return err
}

func signalEnded(show *run.Progress, status int) error {
	fmt.Fprintln(show.To, "closeout item submit: a signal ended it: nothing was judged, and it is no try")
	return run.Exit{Code: status}
}

// recordCross records what the tests of the commit where the item was claimed say about its code.
func (a *attempt) recordCross(policies []*policy.Policy, std console.Streams) error {
	if len(policies) == 0 {
		return nil
	}
	x := &run.Cross{
		Work: a.s, Policy: policies[0], Keep: a.s.Options.Names,
		Log: func(c *record.Cross) string { return a.Store.Path(a.dir, "log", c.Name+".jsonl") },
	}
	if err := x.Prepare(); err != nil {
		return err
	}
	for _, name := range run.CrossTrees {
		done, err := x.Record(name, std)
		switch {
		case err != nil:
			a.s.Show.Say("nothing was recorded on the tree " + name + ": " + err.Error())
		case done != nil && done.Status > record.StatusSignal:
			return signalEnded(a.s.Show, done.Status)
		case done != nil:
			a.handOver(&a.s.Options, done.Plan, done.Watch)
		}
	}
	return nil
}

// handOver adds the logs of a plan to the options of a judgement: no other log counts.
func (a *attempt) handOver(o *collect.Options, p *record.Plan, w *record.Watch) {
	for _, s := range p.Streams {
		o.Feedback = append(o.Feedback, s.Log)
		o.Settings.Digests = append(o.Settings.Digests, s.Name+"="+w.Digest(s.Log))
	}
}

// uncommittedFix is what an agent does about uncommitted files. It must not undo what a person put there.
const uncommittedFix = "commit what belongs to the item, and undo what you changed besides; leave what was there before you came, " +
	"such as settings of an agent, which a person commits or ignores; then submit again"

// errChanged says that what was judged is not what was pinned, or not what is on the disk.
var errChanged = errors.New("something else wrote to the state folder meanwhile, so nothing is locked, and it is no try: keep the agent out of there, and submit again")

// judge judges what was recorded, and appends the event when its bundle is on the disk.
func (a *attempt) judge(done *Submission, stuck func(*item.Standing, item.Event) (code, reason string)) (*Submission, error) {
	found, err := a.s.Gather(a.bundle())
	if err != nil {
		return nil, err
	}
	r := run.Judge(found.Bundle)
	data, err := run.ValidReport(r)
	if err == nil {
		err = collect.Write(filepath.Join(a.bundle(), report.FileName), data)
	}
	if err != nil {
		return nil, err
	}
	e, err := a.eventOf(r, data)
	if err != nil {
		return nil, err
	}
	done.Report, done.Facts = r, item.Leave(item.FactsOf(r), a.Store.Persons(a.Root))
	if r.Verdict == report.Passed && a.Board.Plan.Guard == item.GuardAll {
		broken, err := a.guard(&e)
		if err != nil {
			return nil, err
		}
		done.Facts = append(done.Facts, broken...)
	}
	return a.end(done, e, stuck)
}

// eventOf is the event about a report, without its outcome.
func (a *attempt) eventOf(r *report.Report, data []byte) (item.Event, error) {
	e := item.Event{
		Verdict: r.Verdict, Open: item.OpenOf(r), ReportSHA256: input.Digest(data), Bundle: filepath.ToSlash(filepath.Join(a.dir, "bundle")),
	}
	if r.Subject.CodeTree != nil {
		e.Tree = *r.Subject.CodeTree
	}
	for _, c := range r.Acceptance {
		if c.Tests != nil {
			e.Tests += *c.Tests
		}
	}
	for _, f := range r.Findings {
		if f.Code == verify.CodeInternal {
			return e, errors.New(f.Message)
		}
	}
	for _, in := range r.Inputs {
		if in.Kind == "task_contract" {
			e.ContractSHA256 = in.SHA256
		}
	}
	if e.ContractSHA256 != a.it.ContractSHA256 {
		return e, errChanged
	}
	return e, nil
}

// end decides the outcome and appends the event. What it says must be on the disk, and give the same report again.
func (a *attempt) end(done *Submission, e item.Event, stuck func(*item.Standing, item.Event) (code, reason string)) (*Submission, error) {
	e.Event, e.Item, e.Try, e.Worktree, e.Head = item.EventJudged, a.it.ID, a.it.Tries+1, a.Worktree, a.head
	if stuck != nil && e.Code == "" {
		e.Code, e.Reason = stuck(a.it, e)
	}
	switch e.Outcome = item.After(e, a.it.Tries, a.it.MaxAttempts); {
	case e.Outcome == item.Stuck && e.Reason == "":
		e.Code, e.Reason = item.CodeTries, fmt.Sprintf("%d of %d tries failed", e.Try, a.it.MaxAttempts)
	case e.Outcome == item.Review && e.Reason == "" && len(done.Facts) > 0:
		e.Reason = done.Facts[0].Message
	}
	if e.Bundle != "" { // it is judged again from the disk
		if err := a.Store.Sync(a.dir); err != nil {
			return nil, err
		}
		again, err := run.JudgeAgain("closeout item submit", a.bundle(), a.Parsed)
		switch {
		case err != nil:
			return nil, errors.Join(errChanged, err)
		case !again.Same() || run.FileSHA256(filepath.Join(a.bundle(), report.FileName)) != e.ReportSHA256:
			return nil, errChanged
		}
	}
	if err := a.Append(e); err != nil {
		return nil, err
	}
	done.Event, done.Item = &e, a.State.Find(a.it.ID)
	if done.Item.State != e.Outcome { // the event is there, and nothing proves it
		return nil, errChanged
	}
	if done.Item.Worktree == "" {
		return done, a.Store.SetClaim(a.Worktree, nil)
	}
	return done, nil
}
