package board

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Scan is how the items are pinned. What is not given is as in the plan that is there, if there is one.
type Scan struct {
	List, Template, Column string // without a list, the items are the task contracts of the base
	Base, Guard            string
	Checkout               bool
	Write                  bool                   // write the contracts of the list into the work tree, and pin nothing
	Given                  func(flag string) bool // nil for none

	left int // entries of PATH that are not pinned
}

// Run pins the items.
func (f *Scan) Run(stateDir string, tell io.Writer) error {
	b, err := find(stateDir, tell)
	if err != nil {
		return err
	}
	defer b.Git.Close()
	b.proof = b.Store.Proof
	if f.Write {
		return f.writeTasks(b)
	}
	return f.pin(b)
}

// writeTasks writes the contracts of the list to where they judge once they are on the base branch. A file that is there stays:
// it must be the same.
func (f *Scan) writeTasks(b *Board) error {
	made, err := f.make(b, nil)
	if err != nil {
		return err
	}
	place := func(id string) string { return filepath.Join(b.Root, filepath.FromSlash(policy.TasksDir), id+".json") }
	for _, it := range b.Plan.Items {
		there, err := collect.ReadRegular(place(it.ID), input.DefaultLimits().ContractBytes)
		switch {
		case err != nil:
			return err
		case there == nil:
		case !bytes.Equal(there, made[it.ID]):
			return fmt.Errorf("%s/%s.json is there and differs from what the template makes, so nothing was written: move it away, or correct the template", policy.TasksDir, it.ID)
		default:
			delete(made, it.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(made)) {
		if err := collect.Create(place(id), made[id]); err != nil {
			return err
		}
	}
	b.say("scan: %s written to %s. Let a person merge them into the base branch, and write closeout item scan after that",
		input.Plural(len(made), "contract"), policy.TasksDir)
	return nil
}

// pinWait is how long a scan waits for a submission.
const pinWait = 10 * time.Second

// pin makes the plan, or compares with the one that is there, and folds the events.
func (f *Scan) pin(b *Board) (err error) {
	unlock, err := b.Store.Lock(session.LockSubmit, pinWait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	b.Plan = nil
	if err := b.Read(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := b.Plan
	made, err := f.make(b, old)
	if err != nil {
		return err
	}
	if old != nil {
		if err := f.same(b.Plan, old); err != nil {
			return err
		}
		b.Plan = old
	}
	for _, it := range b.Plan.Items { // also where one is lost
		if data := made[it.ID]; data != nil && input.Digest(data) == it.ContractSHA256 {
			if err := b.Store.WriteContract(it.ID, data); err != nil {
				return err
			}
		}
	}
	switch {
	case old == nil:
		err = f.write(b)
	default:
		err = b.Read()
	}
	if err != nil {
		return err
	}
	if f.left > 0 {
		b.say("scan: PATH is pinned without its empty entries, which find programs in the work tree")
	}
	items := input.Plural(len(b.Plan.Items), "item")
	b.say("scan: %s pinned in %s; base %.12s, guard %s",
		items, b.Store.Dir, b.Plan.Base, b.Plan.Guard)
	return nil
}

// write writes the event, and then the plan, without which it means nothing.
func (f *Scan) write(b *Board) error {
	before, err := b.Store.Fold(&item.Plan{}, b.proof)
	if err == nil {
		items := input.Plural(len(b.Plan.Items), "item")
		reason := fmt.Sprintf("%s, base %.12s, guard %s", items, b.Plan.Base, b.Plan.Guard)
		err = b.Store.Update(before, b.proof, func() (*item.Event, error) {
			return &item.Event{Event: item.EventScanned, Reason: reason}, nil
		})
	}
	if err == nil {
		err = b.Store.WritePlan(b.Plan)
	}
	if err != nil {
		return err
	}
	return b.Read()
}

// make makes the plan of this call, and the contracts of the items of a list. What the call does not say is as in the old
// plan, if there is one.
func (f *Scan) make(b *Board, old *item.Plan) (made map[string][]byte, err error) {
	p := &item.Plan{Schema: item.PlanSchema, Guard: item.GuardAll}
	given := func(flag string) bool { return f.Given != nil && f.Given(flag) }
	if old != nil {
		p.Guard, p.Checkout, p.Path = old.Guard, old.Checkout, old.Path
	} else if p.Path, f.left, err = pinPath(os.Getenv("PATH"), b.Root); err != nil {
		return nil, err
	}
	if given("guard") {
		p.Guard = f.Guard
	}
	if given("checkout") {
		p.Checkout = f.Checkout
	}
	if old != nil && !given("base") {
		p.Base, p.BaseName = old.Base, old.BaseName
	} else {
		if p.BaseName, _, err = run.BaseName(b.Git, f.Base, "scan"); err != nil {
			return nil, err
		}
		if p.Base, err = b.Git.Resolve(p.BaseName); err != nil {
			return nil, run.WrongCommit("base", p.BaseName, b.Git, err)
		}
	}
	b.Plan = p
	if err := b.readStanding(); err != nil {
		return nil, err
	}
	p.Evidence = policy.EvidenceDirOf(b.standing.Contract)
	if f.List == "" {
		return nil, f.addTasks(b)
	}
	return f.addList(b)
}

// addTasks adds the task contracts of the base.
func (f *Scan) addTasks(b *Board) error {
	names, err := b.Git.Names(b.Plan.Base, policy.TasksDir)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, name := range names {
		if !slices.Contains(policy.ContractExtensions, path.Ext(name)) {
			continue
		}
		it := item.Item{ID: strings.TrimSuffix(name, path.Ext(name)), Given: true}
		if key := strings.ToLower(it.ID); seen[key] {
			return fmt.Errorf("%s/%s: the base has another contract for this task: remove one of them",
				policy.TasksDir, name)
		} else {
			seen[key] = true
		}
		name, data, err := b.ContractOf(&it)
		if err != nil {
			return err
		}
		if err := b.complete(&it, name, data); err != nil {
			return err
		}
		b.Plan.Items = append(b.Plan.Items, it)
	}
	if len(b.Plan.Items) == 0 {
		return fmt.Errorf("the base (%.12s) has no task contract in %s, and no LIST was scanned: "+
			"see closeout item scan --help", b.Plan.Base, policy.TasksDir)
	}
	return nil
}

// complete joins the contract of an item with the standing one, and notes what the plan needs of it.
func (b *Board) complete(it *item.Item, name string, data []byte) error {
	p, err := b.join(it.ID, name, data)
	if err != nil {
		return err
	}
	it.ContractSHA256, it.MaxAttempts, it.StallAfter = input.Digest(data), p.Agent.MaxAttempts, p.Agent.StallAfter
	zone := p.Sources[len(p.Sources)-1].Contract.AllowedFiles
	if b.first == nil {
		b.first = zone
	}
	b.Plan.Zones = b.Plan.Zones || !slices.EqualFunc(zone, b.first, func(x, y contract.Pattern) bool { return x.Value == y.Value })
	return nil
}

// addList adds the items of the list, and returns their contracts.
func (f *Scan) addList(b *Board) (made map[string][]byte, err error) {
	p := b.Plan
	var list, template []byte
	if p.ListPath, err = b.place(f.List); err == nil {
		list, p.ListSHA256, err = b.readPlace(p.ListPath, item.MaxList)
	}
	if err == nil {
		p.Template, err = b.place(f.Template)
	}
	if err == nil {
		template, p.TemplateID, err = b.readPlace(p.Template, input.DefaultLimits().ContractBytes)
	}
	var rows []item.Row
	if err == nil {
		p.Columns, rows, err = item.ReadList(f.List, list, f.Column)
	}
	if err != nil {
		return nil, err
	}
	t, err := item.ReadTemplate(f.Template, template, p.Columns)
	if err != nil {
		return nil, err
	}
	made = make(map[string][]byte, len(rows))
	for _, row := range rows {
		it := item.Item{ID: item.ID(row.Item, 6), Values: row.Values}
		if made[it.ID] != nil {
			it.ID = item.ID(row.Item, 20)
		}
		data, err := t.Contract(it.ID, row)
		if err == nil {
			err = b.complete(&it, madeOf+f.Template, data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: the item %s: %w", f.List, row.Line, input.Quote(row.Item), err)
		}
		made[it.ID], p.Items = data, append(p.Items, it)
	}
	return made, nil
}

// same wants everything to be as it is pinned.
func (f *Scan) same(p, old *item.Plan) error {
	var differs []string
	for _, d := range []struct {
		what string
		same bool
	}{
		{"the base", p.Base == old.Base}, {"--guard", p.Guard == old.Guard}, {"--checkout", p.Checkout == old.Checkout},
		{"the path of the list", p.ListPath == old.ListPath},
		{"the template", p.Template == old.Template && p.TemplateID == old.TemplateID},
		{"the columns", slices.Equal(p.Columns, old.Columns)}, {"the list", p.ListSHA256 == old.ListSHA256},
	} {
		if !d.same {
			differs = append(differs, d.what)
		}
	}
	if len(differs) == 0 && !slices.EqualFunc(p.Items, old.Items, func(x, y item.Item) bool { return x.ID == y.ID }) {
		differs = []string{"--col"}
	}
	if len(differs) > 0 {
		return fmt.Errorf("%s: not what was pinned; another --state begins anew", strings.Join(differs, ", "))
	}
	return nil
}

// pinPath is the PATH that a plan keeps. An entry below the work tree becomes relative to the work tree, because
// commands run in other work trees too; it stays where nothing is there yet, because a virtual environment may make it
// later. Elsewhere, directories that are not there are left out, because an agent might make them, and so are empty
// entries, which would find what the change plants.
func pinPath(value, root string) (list []string, left int, err error) {
	list, root = []string{}, session.Followed(root)
	for _, entry := range filepath.SplitList(value) {
		if filepath.Clean(entry) == "." {
			left++
			continue
		}
		if entry, err = filepath.Abs(entry); err != nil {
			return nil, 0, err
		}
		rel, err := filepath.Rel(root, session.Followed(entry))
		if err != nil || !filepath.IsLocal(rel) { // a link in the work tree, which the change can turn
			rel, err = filepath.Rel(root, filepath.Join(session.Followed(filepath.Dir(entry)), filepath.Base(entry)))
		}
		switch {
		case err == nil && filepath.IsLocal(rel):
			list = append(list, rel)
		case run.IsDirectory(entry):
			list = append(list, entry)
		}
	}
	return list, left, nil
}

// TellPath says what is wrong with the PATH of the plan.
func (b *Board) TellPath(command string) {
	if b.Plan.Path == nil {
		b.say("%s: the plan is of an older version and has no PATH, "+
			"so commands run with that of the call; "+
			"to pin one, scan into another state folder: closeout item scan --state FOLDER", command)
	}
	for _, entry := range b.Plan.Path {
		if filepath.IsAbs(entry) && !run.IsDirectory(entry) {
			b.say("%s: %q is in the PATH that scan pinned, and is no directory any more; "+
				"if a command needs it, pin another PATH in another state folder: closeout item scan --state FOLDER",
				command, entry)
		}
	}
}
