package board

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// Renewal is the result of proving again, for HEAD, all that passed.
type Renewal struct {
	Schema    string      `json:"schema"`
	Head      string      `json:"head"`
	Renewed   []string    `json:"renewed"`     // items that hold, and whose PASS is now about HEAD
	Opened    []Opened    `json:"opened"`      // items that do not hold: they are open again, or REVIEW where that is not known
	NotInHead []string    `json:"not_in_head"` // items that HEAD does not contain: their PASS stays as it was
	Facts     []item.Fact `json:"facts"`       // what is wrong with all of it; then no PASS is renewed
	Remaining int         `json:"remaining"`   // how many items are open
}

// Opened is an item that no longer holds.
type Opened struct {
	Item  string      `json:"item"`
	State item.Name   `json:"state"`
	Facts []item.Fact `json:"facts"`
}

// renewalSchema names the form of what submit --all prints as JSON.
const renewalSchema = "closeout.submit_all/v1"

// Status is the exit code.
func (r *Renewal) Status() int {
	known := slices.ContainsFunc(r.Opened, func(o Opened) bool { return o.State != item.Review })
	failed := known || len(r.Facts)+len(r.NotInHead) > 0
	return ExitOf(!failed && len(r.Opened) == 0 && len(r.Renewed) > 0, !failed && len(r.Opened) > 0)
}

// SubmitAll proves everything again that passed, whatever the work tree and branch: in a fresh work tree of HEAD, equal commands once. It
// appends the events last, when the bundles are on the disk. The caller holds the lock.
func SubmitAll(b *Board, std console.Streams) (done *Renewal, err error) {
	a := &attempt{Board: b, dir: filepath.Join("all", strconv.FormatInt(b.State.Next, 10))}
	if a.head, err = b.Git.Resolve("HEAD"); err != nil {
		return nil, err
	}
	done = &Renewal{Schema: renewalSchema, Head: a.head, Renewed: []string{}, Opened: []Opened{}, NotInHead: []string{}, Facts: []item.Fact{}}
	joined, err := b.joinAll()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.leaveTree()) }()
	a.s = &run.Work{Root: b.Root, Git: b.Git, Path: b.Plan.Path, Options: collect.Options{Root: b.Root, Names: b.Root}}
	a.s.Show = run.NewProgress(std, false)
	a.s.Show.Command = "submit"
	b.TellPath("submit")
	policies := []*policy.Policy{joined}
	if err := a.openRecorder(policies, std); err != nil {
		return nil, err
	}
	if facts, err := a.clean(b.Store.Persons(b.Root)); err != nil || facts != nil {
		done.Facts, done.Remaining = facts, b.State.Count(item.Todo)
		return done, err
	}
	if err := a.freshTree(policies, std); err != nil {
		return nil, err
	}
	defer func() { err = run.Finish(err, a.s.PutBack) }()
	if done.Facts, err = a.outside(joined); err != nil {
		return nil, err
	}
	events, err := a.proveAll(done)
	if err != nil {
		return nil, err
	}
	if err := b.Store.Sync(a.dir); err != nil {
		return nil, err
	}
	if err := b.Store.UpdateAll(b.State, b.proof, func() ([]item.Event, error) { return events, nil }); err != nil {
		return nil, err
	}
	for _, e := range events {
		if b.State.Find(e.Item).State != e.Outcome || (len(b.State.Ignored) > 0 && b.State.Ignored[len(b.State.Ignored)-1].Event.N >= e.N) {
			return nil, errChanged
		}
	}
	done.Remaining = b.State.Count(item.Todo)
	return done, nil
}

// joinAll joins the contracts of all items, as the gate does with those of the tasks of a change, but for their criteria: each item is
// judged by its own.
func (b *Board) joinAll() (*policy.Policy, error) {
	var sources []policy.Source
	for _, it := range b.State.Items {
		p, err := b.PolicyOf(&it.Item)
		if err != nil {
			return nil, err
		}
		if sources == nil {
			sources = append(sources, p.Sources[0])
		}
		task := p.Sources[len(p.Sources)-1]
		bare := *task.Contract
		bare.Criteria, bare.Coverage, bare.Tests, task.Contract = nil, nil, nil, &bare
		sources = append(sources, task)
	}
	p, problems := policy.Join(sources, "")
	if len(problems) > 0 {
		return nil, contractError(p.Sources[problems[0].Source].Path, problems[0].Error)
	}
	return p, nil
}

// outside lists what leads to HEAD and is in the scope of no item, and what the standing contract blocks in it.
func (a *attempt) outside(joined *policy.Policy) ([]item.Fact, error) {
	list, err := a.screen(a.head)
	if err != nil {
		return nil, err
	}
	// What others brought to the base branch meanwhile is not of the items.
	base := a.Board.Plan.Base
	if tip, err := a.Git.Resolve(a.Board.Plan.BaseName); err == nil && a.Contains(tip, base) && !a.Contains(tip, a.head) {
		base = tip
	}
	changes := collect.Compare(a.Git, base, a.head)
	if len(changes.Unavailable) > 0 {
		return nil, changes.Unavailable[0].Err()
	}
	scope := hook.Fence{Policy: joined, Off: map[string]bool{}}
	for i := range changes.Changes {
		if joined.Classify(&changes.Changes[i]).Class == policy.ClassOffScope {
			scope.Off[changes.Changes[i].Path] = true
		}
	}
	for i := range changes.Changes {
		r := scope.Judge(&changes.Changes[i])
		inScope := r == nil || !r.Deny || (r.Code != "scope.off_scope" && r.Code != "scope.forbidden")
		if inScope || slices.ContainsFunc(list, func(f item.Fact) bool { return f.Code == r.Code && f.Path == r.Path }) {
			continue
		}
		list = append(list, item.Fact{
			Code: r.Code, Severity: string(input.Block), Path: r.Path, Message: "the contracts of the items, joined, do not allow this path",
			Expected: "each change in the scope of an item", Actual: item.Text("it " + r.Why), Fix: "take the change back, and submit --all again",
			Fingerprint: input.Digest([]byte(r.Code + "\n" + r.Path)),
		})
	}
	return list, nil
}

// proveAll runs what the items require and judges each by its kept bundle, for the code of HEAD. The events say what came of it.
func (a *attempt) proveAll(done *Renewal) (events []item.Event, err error) {
	g := &guarding{attempt: a, ran: map[string]bool{}, writer: map[string]string{}, logs: map[string]ownLog{}}
	if err := a.clearAttempt(a.Store.Path(a.dir, "log")); err != nil {
		return nil, err
	}
	var list []*item.Standing
	for _, it := range a.State.Items {
		if it.State != item.Pass {
			continue
		}
		switch contained, there := a.stands(it, a.head); {
		case there:
			list = append(list, it)
		case contained:
			fact := g.broken(keptItem{Standing: it}, "each path that it changed is as it was before")
			e, err := g.open(done, it, nil, []item.Fact{*fact})
			if err != nil {
				return nil, err
			}
			events = append(events, e)
		default:
			done.NotInHead = append(done.NotInHead, it.ID)
		}
	}
	kept, err := g.order(list)
	if err == nil {
		known, p := map[string]bool{}, &record.Plan{} // what the commands will write is removed
		for _, it := range kept {
			for _, step := range it.steps {
				if key := keyOf(step); !known[key] {
					known[key] = true
					p.Streams = append(p.Streams, record.Stream{Steps: []record.Step{step}})
				}
			}
		}
		g.s.Show.Count = len(p.Streams)
		err = run.Prepare(g.r, nil, p.Reports(g.r.Evidence))
	}
	if err != nil {
		return nil, err
	}
	for _, it := range kept {
		e, err := g.renew(done, it)
		if err != nil {
			return nil, err
		}
		if e.Event == item.EventBroken || len(done.Facts) == 0 {
			events = append(events, e)
		}
	}
	return events, nil
}

// runAlone runs a command with a log of its own, so that a bundle has the records of its item only.
func (g *guarding) runAlone(step record.Step) (err error) {
	g.count++
	name := "c" + strconv.Itoa(g.count)
	l := ownLog{name: name, log: g.Store.Path(g.dir, "log", name+".jsonl")}
	if g.r.Watch, err = record.NewWatch(g.r.Root, []string{l.log}, g.r.Env); err != nil {
		return err
	}
	if err := g.run(&record.Plan{Streams: []record.Stream{{Name: name, Log: l.log, Steps: []record.Step{step}}}}); err != nil {
		return err
	}
	l.digest = g.r.Watch.Digest(l.log)
	g.logs[keyOf(step)] = l
	g.note([]record.Step{step})
	return nil
}

// renew runs what is missing, and judges an item. The event is about its PASS for HEAD, or that it is open again.
func (g *guarding) renew(done *Renewal, it keptItem) (e item.Event, err error) {
	if it.altered != "" {
		return g.open(done, it.Standing, nil, []item.Fact{*g.alteredFact(it)})
	}
	for _, step := range g.missing(it.steps) {
		if err := g.runAlone(step); err != nil {
			return e, err
		}
	}
	bundle := g.Store.Path(g.bundleOf(it.Standing))
	r, err := g.again(it, bundle)
	if err != nil {
		return g.open(done, it.Standing, nil, []item.Fact{*g.broken(it, "its kept bundle cannot be judged: "+err.Error())})
	}
	if fact := g.factOf(it, r); fact != nil {
		facts := item.Leave(item.FactsOf(r), g.Store.Persons(g.Root))
		if len(facts) == 0 {
			facts = []item.Fact{*fact}
		}
		return g.open(done, it.Standing, r, facts)
	}
	data, err := run.ValidReport(r)
	if err == nil {
		err = collect.Write(filepath.Join(bundle, report.FileName), data)
	}
	if err != nil {
		return e, err
	}
	if again, err := run.JudgeAgain("closeout item submit", bundle, g.Parsed); err != nil || !again.Same() || r.Subject.CodeTree == nil {
		return e, errors.Join(errChanged, err)
	}
	if len(done.Facts) == 0 {
		done.Renewed = append(done.Renewed, it.ID)
	}
	return item.Event{
		Event: item.EventRenewed, Item: it.ID, Worktree: g.Worktree, Head: g.head, Tree: *r.Subject.CodeTree, Verdict: r.Verdict,
		Outcome: item.Pass, Bundle: filepath.ToSlash(g.bundleOf(it.Standing)), ReportSHA256: input.Digest(data), ContractSHA256: it.ContractSHA256,
	}, nil
}

func (a *attempt) bundleOf(it *item.Standing) string {
	return filepath.Join(a.dir, "bundle", it.ID, "bundle")
}

// open is the event that an item does not hold, with the facts that its next prompt tells. A report is nil where nothing was judged.
func (a *attempt) open(done *Renewal, it *item.Standing, r *report.Report, facts []item.Fact) (e item.Event, err error) {
	e = item.Event{
		Event: item.EventBroken, Item: it.ID, Worktree: a.Worktree, Head: a.head, Outcome: item.Todo, Broken: []string{it.ID},
		Bundle: filepath.ToSlash(a.bundleOf(it)), Reason: facts[0].Message,
	}
	if r != nil {
		e.Verdict = r.Verdict
		if r.Verdict == report.Review {
			e.Outcome, e.Code = item.Review, item.CodeUnknown
		}
	}
	done.Opened = append(done.Opened, Opened{it.ID, e.Outcome, facts})
	dir := filepath.Dir(a.Store.Path(a.bundleOf(it)))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return e, err
	}
	return e, writeFacts(dir, facts)
}

// PrintRenewal prints what came of proving everything again, for people and agents.
func PrintRenewal(b *Board, r *Renewal, std console.Streams) error {
	var t strings.Builder
	fmt.Fprintf(&t, "%s proven again for %.12s\n", input.Plural(len(r.Renewed), "item"), r.Head)
	if len(r.Facts) > 0 {
		t.WriteString("no PASS is renewed, because of what no item explains:\n")
		item.WriteFacts(&t, r.Facts)
	}
	for _, o := range r.Opened {
		fmt.Fprintf(&t, "%s: it passed before and does not hold: %s again\n", o.Item, o.State)
		item.WriteFacts(&t, o.Facts)
	}
	for _, id := range r.NotInHead {
		fmt.Fprintf(&t, "%s: it passed at %.12s, which is not in HEAD: merge that, and submit --all again\n", id, b.State.Find(id).Pass.Head)
	}
	if len(r.Renewed) > 0 {
		t.WriteString((&item.Plan{}).Worth(&item.Event{}))
	}
	fmt.Fprintf(&t, "\nremaining: %d of %s open\n", r.Remaining, input.Plural(len(b.State.Items), "item"))
	_, err := io.WriteString(std.Out, t.String())
	return err
}
