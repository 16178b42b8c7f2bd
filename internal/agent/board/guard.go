package board

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// guarding proves the items again that passed before: their kept contracts and changes, with the log of this submission and
// the code of now. It runs only where the item at hand passes by itself: else nothing can lock.
type guarding struct {
	*attempt
	ran    map[string]bool   // commands, by their keys
	writer map[string]string // the key of the last command that wrote a report
	extra  *record.Plan      // that was run last; nil while none was needed
	logs   map[string]ownLog // of each command, by its key; nil where there is one log of all
	count  int               // of the logs
}

// ownLog is the log of one command.
type ownLog struct{ name, log, digest string }

// keptItem is an item that passed, and the commands that prove it.
type keptItem struct {
	*item.Standing
	steps   []record.Step
	order   string // of the commands that are still to be run
	altered string // a file that they name, and that is not as in the base
}

func (a *attempt) guardLog() string { return a.Store.Path(a.dir, "log", "guard.jsonl") }

// guard returns a fact for each item that passed before and no longer holds, and notes them in the event.
func (a *attempt) guard(e *item.Event) (facts []item.Fact, err error) {
	list := a.passedBefore(e)
	if len(list) == 0 {
		return nil, nil
	}
	g := &guarding{attempt: a, ran: map[string]bool{}, writer: map[string]string{}}
	for _, s := range a.plan.Streams {
		g.note(s.Steps)
	}
	kept, err := g.order(list)
	if err != nil {
		return nil, err
	}
	for _, it := range kept {
		fact, err := g.prove(it)
		if err != nil {
			return nil, err
		}
		if fact != nil {
			facts, e.Broken, e.Open = append(facts, *fact), append(e.Broken, it.ID), append(e.Open, fact.Fingerprint)
		}
	}
	input.SortStable(e.Open, strings.Compare)
	if len(facts) > 0 && !slices.ContainsFunc(facts, func(f item.Fact) bool { return f.Severity == string(input.Block) }) {
		e.Code = item.CodeUnknown
	}
	if len(facts) == 0 {
		return nil, nil
	}
	return facts, writeFacts(a.Store.Path(a.dir), facts)
}

// passedBefore are the items that passed in this work tree, or at a commit that HEAD contains. The event names the others.
func (a *attempt) passedBefore(e *item.Event) (list []*item.Standing) {
	contained := map[string]bool{}
	for _, it := range a.State.Items {
		if it.State != item.Pass {
			continue
		}
		head := it.Pass.Head
		if _, known := contained[head]; !known && it.Pass.Worktree != a.Worktree {
			contained[head] = a.Contains(a.head, head) || (it.Renewed != nil && a.Contains(a.head, it.Renewed.Head))
		}
		if it.Pass.Worktree == a.Worktree || contained[head] {
			list = append(list, it)
		} else {
			e.Unguarded = append(e.Unguarded, it.ID)
		}
	}
	return list
}

// order finds the commands of each item. Items with equal ones come one after another, and first those that need none: a
// command that another one follows may find its report overwritten.
func (g *guarding) order(list []*item.Standing) (kept []keptItem, err error) {
	changes, err := g.SinceBase(g.head)
	if err != nil {
		return nil, err
	}
	for _, it := range list {
		k := keptItem{Standing: it}
		if joined, err := g.PolicyOf(&it.Item); err == nil { // else nothing runs, and the item does not hold
			if k.altered, err = g.Altered(joined, changes); err != nil {
				return nil, err
			}
			p := &record.Plan{}
			p.AddPolicy([]*policy.Policy{joined}, "", g.guardLog())
			for _, s := range p.Streams {
				for _, step := range s.Steps {
					step.Name += " of " + it.ID
					k.steps = append(k.steps, step)
				}
			}
		}
		for _, step := range g.missing(k.steps) {
			k.order += keyOf(step)
		}
		kept = append(kept, k)
	}
	input.SortStable(kept, func(a, b keptItem) int { return strings.Compare(a.order, b.order) })
	return kept, nil
}

// keyOf tells commands apart.
func keyOf(s record.Step) string {
	return fmt.Sprintf("%q%q%q%q%q\n", s.Command.Cwd, s.Command.Argv, s.Command.Produces, s.Command.Stdout, s.Command.Coverage)
}

// missing are the commands that did not run, or whose report another one has overwritten.
func (g *guarding) missing(steps []record.Step) (list []record.Step) {
	for _, s := range steps {
		key := keyOf(s)
		overwritten := slices.ContainsFunc(s.Command.Produces, func(p string) bool { return g.writer[p] != key })
		if !g.ran[key] || overwritten {
			list = append(list, s)
		}
	}
	return list
}

// note keeps which commands ran.
func (g *guarding) note(steps []record.Step) {
	for _, s := range steps {
		g.ran[keyOf(s)] = true
		for _, p := range s.Command.Produces {
			g.writer[p] = keyOf(s)
		}
	}
}

// prove runs what is missing, and judges a kept bundle anew. The fact says why the item no longer holds; nil when it does.
func (g *guarding) prove(it keptItem) (*item.Fact, error) {
	if it.altered != "" {
		return g.alteredFact(it), nil
	}
	if steps := g.missing(it.steps); len(steps) > 0 {
		g.s.Show.Count += len(steps)
		p := &record.Plan{Streams: []record.Stream{{Name: "guard", Log: g.guardLog(), Steps: steps}}}
		if err := g.run(p); err != nil {
			return nil, err
		}
		g.note(steps)
		g.extra = p
	}
	r, err := g.again(it, "")
	if err != nil {
		return g.broken(it, "its kept bundle cannot be judged: "+err.Error()), nil
	}
	return g.factOf(it, r), nil
}

func (g *guarding) alteredFact(it keptItem) *item.Fact {
	return g.broken(it, it.altered+" is not as in the pinned base, and a command of it names that file")
}

// factOf says why an item no longer holds; nil when it does.
func (g *guarding) factOf(it keptItem, r *report.Report) *item.Fact {
	if r.Verdict == report.Passed {
		return nil
	}
	fact := g.broken(it, "the verdict "+r.Verdict)
	if why := item.FactsOf(r); len(why) > 0 {
		fact.Actual, fact.Path, fact.Line, fact.Tail = why[0].Code+": "+why[0].Message, why[0].Path, why[0].Line, why[0].Tail
	}
	if r.Verdict == report.Review {
		fact.Code, fact.Severity = "ratchet.unknown", string(input.Unknown)
		fact.Message = it.ID + " passed before, and it cannot be known whether it still holds"
	}
	return fact
}

// again judges a kept bundle anew. Its contracts, changes and facts must be those that were judged: the report says their digests,
// and the event says that of the report. A bundle is a new directory for what was judged, "" for none.
func (g *guarding) again(it keptItem, bundle string) (*report.Report, error) {
	data, err := g.Store.Report(*it.Pass)
	if err != nil {
		return nil, err
	}
	kept, err := run.ReadReport(it.Pass.Bundle, data)
	if err != nil {
		return nil, err
	}
	dir := g.Store.Path(it.Pass.Bundle)
	found, err := collect.Again(dir, collect.Place{Objects: g.Git, Commit: g.head}, g.options(it))
	if err == nil && bundle != "" {
		found, err = collect.WriteBundle(bundle, found)
	}
	if err != nil {
		return nil, err
	}
	r := run.Judge(found.Bundle)
	for _, in := range kept.Inputs {
		now := ""
		switch in.Kind {
		case "contract", "task_contract", "changes", "diff_rules":
			if i := slices.IndexFunc(r.Inputs, in.SameFile); i >= 0 {
				now = r.Inputs[i].SHA256
			}
		case "facts":
			now = run.FileSHA256(filepath.Join(dir, "facts.json"))
		default:
			continue // what the commands wrote is new
		}
		if now != in.SHA256 {
			return nil, fmt.Errorf("%s is not what was judged", in.Path)
		}
	}
	return r, nil
}

// options are how a kept bundle is judged anew: with the logs of this submission, and the reports of the work tree.
func (g *guarding) options(it keptItem) collect.Options {
	o := g.Board.Options(it.Standing)
	o.Root, o.Names = g.s.Options.Root, g.s.Options.Names
	if g.logs != nil {
		for _, step := range it.steps {
			l := g.logs[keyOf(step)]
			o.Feedback, o.Settings.Digests = append(o.Feedback, l.log), append(o.Settings.Digests, l.name+"="+l.digest)
		}
		return o
	}
	g.handOver(&o, g.plan, g.r.Watch)
	if g.extra != nil {
		g.handOver(&o, g.extra, g.r.Watch)
	}
	return o
}

// broken is the fact about an item that no longer holds.
func (g *guarding) broken(it keptItem, actual string) *item.Fact {
	return &item.Fact{
		Code: "ratchet.broken", Severity: string(input.Block), Message: it.ID + " passed before, and no longer holds",
		Expected: fmt.Sprintf("%s holds, as at %.12s", it.ID, it.Pass.Head), Actual: item.Text(actual),
		Fix: "let this item pass without breaking " + it.ID, Fingerprint: input.Digest([]byte("ratchet.broken\n" + it.ID)),
	}
}

// writeFacts keeps facts beside a bundle, where next finds them, and where [session.Store.Proof] sees that the verdict
// alone makes no PASS.
func writeFacts(dir string, facts []item.Fact) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(facts); err != nil {
		return err
	}
	return collect.WriteOther("the state", filepath.Join(dir, session.RatchetFile), b.Bytes())
}
