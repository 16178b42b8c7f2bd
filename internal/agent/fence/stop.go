package fence

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// end decides whether the agent may end its turn.
func (h *hookRun) end() (hook.Answer, error) {
	if h.Stop == StopOff || h.call.Running || h.call.Aborted {
		return h.call.Silent(), nil
	}
	f, err := h.open()
	switch {
	case err != nil && onlyOutside(err):
		return h.call.Silent(), nil
	case err != nil:
		return hook.Answer{}, err
	case f.claim == nil && h.Stop != StopAlways, f.blocked():
		return h.call.Silent(), nil
	}
	dirty, person, err := h.uncommitted(f)
	if err != nil {
		return hook.Answer{}, err
	}
	changed := slices.ContainsFunc(f.Compared.Changes, func(c change.Change) bool { return f.Policy.Classify(&c).Class != policy.ClassEvidence })
	if len(dirty) == 0 && !changed {
		return h.call.Silent(), nil
	}
	tree, err := f.Git.CodeTree(f.Compared.Head, f.Policy.EvidenceDir)
	if err != nil {
		return hook.Answer{}, err
	}
	if len(dirty) > 0 {
		text := "closeout: files are not committed, and only commits are judged: " + item.Several(dirty) +
			" → commit what belongs to the task, undo what you changed besides, and leave what was there before you came"
		if len(person) > 0 {
			text += "; leave " + item.Several(person) + ": a person commits it"
		}
		return h.hold(f, tree, hook.Digest(dirty...), text)
	}
	facts, err := f.open()
	if err != nil {
		return hook.Answer{}, err
	}
	if len(facts) == 0 {
		return h.call.Silent(), nil
	}
	var prints []string
	for _, fact := range facts {
		prints = append(prints, fact.Fingerprint)
	}
	return h.hold(f, tree, hook.Digest(prints...), f.unproven(facts))
}

// blocked reports whether the agent said why the work cannot be done. Where an item is claimed, it must name it.
func (f *fence) blocked() bool {
	if f.claim != nil {
		why, err := session.Blocked(f.Root, f.claim.Item)
		return why != "" && err == nil
	}
	info, err := os.Lstat(filepath.Join(f.Root, filepath.FromSlash(item.BlockedFile)))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// uncommitted lists the files that differ from HEAD, without evidence and reports, and without those that belong to the
// person, also where the agent changed them further: only the person can tell the two apart. Other protected ones are for a
// person to commit: the agent is not held for them.
func (h *hookRun) uncommitted(f *fence) (agent, person []string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit/2)
	defer cancel()
	paths, err := f.status(ctx)
	if err != nil {
		return nil, nil, err
	}
	h.remember(f, paths, true)
	if f.before == nil && !f.late { // it cannot be told whose they are
		return nil, nil, nil
	}
	for _, p := range paths {
		if f.persons(p) {
			continue
		}
		edit := change.Change{
			Path: p, Status: change.Modified, OldMode: change.Regular, NewMode: change.Regular, KeysKnown: true,
		}
		r := f.Policy.Classify(&edit)
		switch shown := input.Neutral(input.QuotePath(p)); {
		case p == report.FileName, strings.HasPrefix(p, f.Policy.EvidenceDir+"/"):
		case r.Class == policy.ClassProtected:
			person = append(person, shown)
		default:
			agent = append(agent, shown)
		}
	}
	return agent, person, nil
}

// open judges the change with the evidence that is there, and lists the findings that the agent can resolve.
func (f *fence) open() ([]item.Fact, error) {
	found, err := f.Gather("")
	if err != nil {
		return nil, err
	}
	r := run.Judge(found.Bundle)
	var list []item.Fact
	for _, fact := range item.FactsOf(r) {
		if asked(fact, r) && !(fact.Undoes() && f.committedBefore(fact.Path)) {
			list = append(list, fact)
		}
	}
	return list, nil
}

// notAsked begin the codes of findings that only a person or the gate's own environment can resolve.
var notAsked = []string{
	"override.", "approval.", "subject.", "facts.", "contract.malformed", "contract.missing",
	"contract.untrusted", "gate.",
}

// asked reports whether the agent can resolve a finding. Evidence that is recorded where the gate runs is not its to give.
func asked(fact item.Fact, r *report.Report) bool {
	for _, code := range notAsked {
		if strings.HasPrefix(fact.Code, code) {
			return false
		}
	}
	if fact.Code != "evidence.below_minimum" {
		return true
	}
	for _, a := range r.Acceptance {
		if a.Level != string(input.Bound) && strings.Contains(fact.Message, a.ID) {
			return true
		}
	}
	return r.Settings.EvidenceMin != string(input.Recorded)
}

// unproven says what is not proven, and how to go on.
func (f *fence) unproven(facts []item.Fact) string {
	var b strings.Builder
	fmt.Fprintf(&b, "closeout: %s is not proven (%s):\n", f.handout().Item, input.Plural(len(facts), "finding"))
	item.WriteFacts(&b, item.Leave(facts, f.person))
	b.WriteString(f.commands() + f.last())
	if f.claim != nil {
		fmt.Fprintf(&b, " If it cannot be done, say why in %s, whose first line is: %s", item.BlockedFile, f.claim.Item)
	}
	return b.String()
}

// handout is what is to be done in this work tree.
func (f *fence) handout() *item.Handout {
	id := cmp.Or(f.Policy.TaskID, "this change")
	return item.HandoutOf(&item.State{}, &item.Standing{Item: item.Item{ID: id}}, f.Policy, nil)
}

// commands are the commands of the criteria, as they are recorded.
func (f *fence) commands() string {
	var b strings.Builder
	handout := f.handout()
	if len(handout.Tests) > 0 {
		fmt.Fprintf(&b, "\n%s %s\n", item.TestsTitle, input.Neutral(strings.Join(handout.Tests, ", ")))
	}
	b.WriteString("\nThe commands, as they are to be recorded on the commit that is judged:\n\n")
	for _, c := range handout.Criteria[:min(len(f.Policy.Criteria), item.MaxFacts)] {
		fmt.Fprintf(&b, "    %s\n", c.Line())
	}
	return b.String() + "\n"
}

// last is the command that judges.
func (f *fence) last() string {
	if f.claim != nil {
		return "All of them, and the verdict: closeout item submit."
	}
	return "All of them, and the verdict: closeout run."
}

// hold lets the agent go on, but no more often than the contract says, and never twice for the same.
func (h *hookRun) hold(f *fence, tree, open, reason string) (hook.Answer, error) {
	h.line.Tree, h.line.Open = tree, open
	if hook.MayHold(h.past(), tree, open, f.Policy.Agent.StopBlocks) {
		h.note(hook.AnswerBlock, "", nil)
		// What cannot be counted could go on for ever: then only the first end of a turn is refused.
		if h.logged = h.write() == nil; h.logged || (h.call.Active && !h.call.Again) {
			return h.call.Block(reason), nil
		}
	}
	h.note(hook.AnswerGaveIn, "", nil)
	first, _, _ := strings.Cut(reason, "\n")
	first = strings.TrimRight(first, ":")
	return h.call.Pass(first + "; the agent was let go all the same, and the gate will say no"), nil
}

// start tells a new session what is to be proven.
func (h *hookRun) start() (hook.Answer, error) {
	f, err := h.open()
	if err != nil && onlyOutside(err) {
		return h.call.Silent(), nil
	}
	if err != nil {
		return hook.Answer{}, err
	}
	h.remember(f, nil, false)
	h1, text, _ := strings.Cut(f.handout().Text(), "\n")
	if h1, _, _ = strings.Cut(h1, " (try "); f.claim == nil { // nothing is claimed: only what holds for every change
		h1, text = "closeout judges what is committed here. You may change: "+f.Allowed(), f.commands()
	}
	return h.call.Tell(h1 + "\n" + text + f.last() + "\n"), nil
}
