package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

const scanLong = `scan pins the items that an agent works at, one after the other, and how they are judged. An item is a task contract.

Without a LIST, the items are the task contracts of the base (.closeout/tasks). With a LIST and a --template, scan makes a task
contract for each line of the list, or for each row of a CSV file when --col names the column with the items. In the
template, {{item}} and {{col:NAME}} stand for the item and for another column: in texts, in single words of commands, and in
patterns, where an item matches only itself.

Later changes of list, template, base or PATH change nothing: closeout item status says what differs. To pin something else, name
another state folder.

The plan is in the state folder, outside of the repository: --state, else $CLOSEOUT_STATE, else a folder in
$XDG_STATE_HOME/closeout or ~/.local/state/closeout.

Exit codes: 0 pinned, 2 wrong call, list, template or contract: then nothing is written.`

type scanFlags struct {
	list, template, col, base, guard, state string
	checkout                                bool
	left                                    int                    // entries of PATH that are not pinned
	given                                   func(flag string) bool // nil for none
}

func newScan(std stdio) *cobra.Command {
	f := &scanFlags{}
	c := &cobra.Command{
		Use: "scan [LIST]", Short: "Fix the list of items (task contracts), and how they are judged", Long: scanLong, Args: oneWord("LIST"),
		Example: "  closeout item scan\n  closeout item scan functions.txt --template item.yaml\n  closeout item scan people.csv --col email --template item.yaml",
	}
	flags := c.Flags()
	f.given = func(name string) bool { return flags.Changed(name) }
	c.RunE = func(_ *cobra.Command, args []string) error {
		f.list = strings.Join(args, "")
		return f.run(std)
	}
	flags.StringVar(&f.template, "template", "", "the `file` with the contract of each item of the list, with {{item}} in it")
	flags.StringVar(&f.col, "col", "", "the list is CSV with a header, and this is the `name` of the column with the items")
	flags.StringVar(&f.base, "base", "", "the `commit` whose contracts count, usually the base branch")
	flags.StringVar(&f.guard, "guard", item.GuardAll, "which items that passed before each submission proves again: all or none")
	flags.BoolVar(&f.checkout, "checkout", false, "run the commands in a fresh work tree, where nothing that git ignores can help")
	addState(flags, &f.state)
	refuseTwice(flags)
	return c
}

// addState adds the flag that names the state folder.
func addState(flags *pflag.FlagSet, to *string) {
	flags.StringVar(to, "state", "", "the state `folder`, outside of the repository (default $CLOSEOUT_STATE, else one in ~/.local/state/closeout)")
}

func (f *scanFlags) run(std stdio) error {
	switch {
	case f.guard != item.GuardAll && f.guard != item.GuardNone:
		return fmt.Errorf("--guard is %q: expected all or none", f.guard)
	case f.list != "" && f.template == "":
		return errors.New("a LIST requires the contract of its items: --template FILE")
	case f.list == "" && (f.template != "" || f.col != ""):
		return errors.New("--template and --col require a LIST")
	}
	b, err := findBoard(f.state)
	if err != nil {
		return err
	}
	defer b.git.Close()
	b.proof = b.store.Proof
	return f.pin(b, std)
}

// pinWait is how long a scan waits for a submission.
const pinWait = 10 * time.Second

// pin makes the plan, or compares with the one that is there, and folds the events.
func (f *scanFlags) pin(b *board, std stdio) (err error) {
	unlock, err := b.store.Lock(session.LockSubmit, pinWait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	b.plan = nil
	if err := b.read(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := b.plan
	made, err := f.make(b, old)
	if err != nil {
		return err
	}
	if old != nil {
		if err := f.same(b.plan, old); err != nil {
			return err
		}
		b.plan = old
	}
	err = b.writeContracts(made)
	switch {
	case err == nil && old == nil:
		err = f.write(b)
	case err == nil:
		err = b.read()
	}
	if err != nil {
		return err
	}
	if f.left > 0 {
		fmt.Fprintln(std.err, "closeout item scan: PATH is pinned without its empty entries, which find programs in the work tree")
	}
	fmt.Fprintf(std.err, "closeout item scan: %s pinned in %s; base %.12s, guard %s\n", input.Plural(int64(len(b.plan.Items)), "item"), b.store.Dir, b.plan.Base, b.plan.Guard)
	return nil
}

// write writes the event, and then the plan, without which it means nothing.
func (f *scanFlags) write(b *board) error {
	before, err := b.store.Fold(&item.Plan{}, b.proof)
	if err == nil {
		reason := fmt.Sprintf("%s, base %.12s, guard %s", input.Plural(int64(len(b.plan.Items)), "item"), b.plan.Base, b.plan.Guard)
		err = b.store.Update(before, b.proof, func() (*item.Event, error) { return &item.Event{Event: item.EventScanned, Reason: reason}, nil })
	}
	if err == nil {
		err = b.store.WritePlan(b.plan)
	}
	if err != nil {
		return err
	}
	return b.read()
}

// writeContracts writes the contracts of the items that have them, also where one is lost.
func (b *board) writeContracts(made map[string][]byte) error {
	for _, it := range b.plan.Items {
		if data := made[it.ID]; data != nil && digest(data) == it.ContractSHA256 {
			if err := b.store.WriteContract(it.ID, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// make makes the plan of this call, and the contracts of the items of a list. What the call does not say is as in the old
// plan, if there is one.
func (f *scanFlags) make(b *board, old *item.Plan) (made map[string][]byte, err error) {
	p := &item.Plan{Schema: item.PlanSchema, Guard: item.GuardAll}
	given := func(flag string) bool { return f.given != nil && f.given(flag) }
	if old != nil {
		p.Guard, p.Checkout, p.Path = old.Guard, old.Checkout, old.Path
	} else if p.Path, f.left, err = pinPath(os.Getenv("PATH"), b.root); err != nil {
		return nil, err
	}
	if given("guard") {
		p.Guard = f.guard
	}
	if given("checkout") {
		p.Checkout = f.checkout
	}
	if old != nil && !given("base") {
		p.Base, p.BaseName = old.Base, old.BaseName
	} else if p.BaseName, _, err = baseName(b.git, f.base, "scan"); err != nil {
		return nil, err
	} else if p.Base, err = b.git.Resolve(p.BaseName); err != nil {
		return nil, wrongCommit("base", p.BaseName, b.git, err)
	}
	b.plan = p
	if err := b.readStanding(); err != nil {
		return nil, err
	}
	p.Evidence = cmp.Or(b.standing.Contract.Evidence.Dir, policy.DefaultEvidenceDir)
	if f.list == "" {
		return nil, f.addTasks(b)
	}
	return f.addList(b)
}

// addTasks adds the task contracts of the base.
func (f *scanFlags) addTasks(b *board) error {
	names, err := b.git.Names(b.plan.Base, policy.TasksDir)
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
			return fmt.Errorf("%s/%s: the base has another contract for this task: remove one of them", policy.TasksDir, name)
		} else {
			seen[key] = true
		}
		name, data, err := b.contractOf(&it)
		if err != nil {
			return err
		}
		if err := b.complete(&it, name, data); err != nil {
			return err
		}
		b.plan.Items = append(b.plan.Items, it)
	}
	if len(b.plan.Items) == 0 {
		return fmt.Errorf("the base (%.12s) has no task contract in %s, and no LIST was scanned: see closeout item scan --help", b.plan.Base, policy.TasksDir)
	}
	return nil
}

// complete joins the contract of an item with the standing one, and notes what the plan needs of it.
func (b *board) complete(it *item.Item, name string, data []byte) error {
	p, err := b.join(it.ID, name, data)
	if err != nil {
		return err
	}
	it.ContractSHA256, it.MaxAttempts, it.StallAfter = digest(data), p.Agent.MaxAttempts, p.Agent.StallAfter
	return nil
}

// addList adds the items of the list, and returns their contracts.
func (f *scanFlags) addList(b *board) (made map[string][]byte, err error) {
	p := b.plan
	var list, template []byte
	if p.ListPath, err = b.place(f.list); err == nil {
		list, p.ListSHA256, err = b.readPlace(p.ListPath, item.MaxList)
	}
	if err == nil {
		p.Template, err = b.place(f.template)
	}
	if err == nil {
		template, p.TemplateID, err = b.readPlace(p.Template, input.DefaultLimits().ContractBytes)
	}
	var rows []item.Row
	if err == nil {
		p.Columns, rows, err = item.ReadList(f.list, list, f.col)
	}
	if err != nil {
		return nil, err
	}
	t, err := item.ReadTemplate(f.template, template, p.Columns)
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
			err = b.complete(&it, madeOf+f.template, data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: the item %s: %w", f.list, row.Line, input.Quote(row.Item), err)
		}
		made[it.ID], p.Items = data, append(p.Items, it)
	}
	return made, nil
}

// same wants everything to be as it is pinned.
func (f *scanFlags) same(p, old *item.Plan) error {
	var differs []string
	for _, d := range []struct {
		what string
		same bool
	}{
		{"the base", p.Base == old.Base}, {"--guard", p.Guard == old.Guard}, {"--checkout", p.Checkout == old.Checkout},
		{"the path of the list", p.ListPath == old.ListPath}, {"the template", p.Template == old.Template && p.TemplateID == old.TemplateID},
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
