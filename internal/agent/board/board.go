// Package board is the items of a repository: it pins them, hands them out and counts them, by the contracts in git and
// by the events in the state folder. It also records and judges what is submitted, with the code of run: it has no
// judgement of its own.
package board

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Board is the state of the items, as the commands beside an agent see it.
type Board struct {
	Store    *session.Store
	Plan     *item.Plan  // nil before a scan
	State    *item.State // nil before a scan
	Root     string      // of the work tree
	Worktree string      // its key
	Git      *collect.Git
	Parsed   *contract.Cache    // what is pinned is parsed once, and judged often
	tell     io.Writer          // for a person
	proof    item.Proof         // nil believes the events
	Hold     bool               // what is claimed is never taken back by itself
	Overlap  bool               // claim also what may touch a path of an item that is claimed elsewhere
	waits    map[string]wait    // why items are not handed out, of those that were looked at
	zones    map[string]*zone   // what items may touch, of those that were compared
	first    []contract.Pattern // what the first of the items that are being pinned may touch
	tracked  []change.Change    // the files of HEAD; nil until they are needed
	standing *policy.Source     // of the base; nil until it is needed
}

// Open finds the repository and the state folder, and folds the events. Without a plan it pins the task contracts of
// the base. The caller closes Git.
func Open(stateDir string, tell io.Writer) (*Board, error) {
	b, err := find(stateDir, tell)
	if err != nil {
		return nil, err
	}
	b.proof = b.Store.Proof
	if err := b.load(); err != nil {
		return nil, errors.Join(err, b.Git.Close())
	}
	return b, nil
}

// NoItems says that nothing was scanned.
type NoItems struct{ dir string }

func (n *NoItems) Error() string {
	return "no items are pinned in " + n.dir + ": pin them with closeout item scan, or name the folder with --state"
}

// Pinned is [Open] where nothing is done without a plan.
func Pinned(stateDir string, tell io.Writer) (*Board, error) {
	b, err := find(stateDir, tell)
	if err != nil {
		return nil, err
	}
	b.proof = b.Store.Proof
	err = b.Read()
	if errors.Is(err, fs.ErrNotExist) {
		err = &NoItems{b.Store.Dir}
	}
	if err != nil {
		return nil, errors.Join(err, b.Git.Close())
	}
	return b, nil
}

// find finds the repository and the state folder.
func find(stateDir string, tell io.Writer) (*Board, error) {
	git, err := collect.OpenGit(".", input.DefaultLimits())
	if err != nil {
		return nil, err
	}
	b := &Board{Parsed: &contract.Cache{}, Git: git, Root: git.Root(), Worktree: session.Key(git.Root()), tell: tell}
	if b.Root == "" {
		err = errors.New("items need a work tree, and this repository has none: change to one (cd)")
	} else {
		b.Store, err = session.Find(stateDir, b.Root, git.CommonDir())
	}
	if err != nil {
		return nil, errors.Join(err, git.Close())
	}
	return b, nil
}

// say prints a message for a person, which begins with the name of a command about items.
func (b *Board) say(format string, args ...any) {
	fmt.Fprintf(b.tell, "closeout item "+format+"\n", args...)
}

// load reads the plan, or pins the task contracts of the base, and folds the events.
func (b *Board) load() error {
	err := b.Read()
	if errors.Is(err, fs.ErrNotExist) {
		err = (&Scan{}).pin(b)
	}
	return err
}

// Read reads the plan and folds the events; fs.ErrNotExist when nothing was scanned.
func (b *Board) Read() (err error) {
	b.standing, b.waits, b.zones, b.tracked = nil, nil, nil, nil
	if b.Plan, err = b.Store.Plan(); err == nil {
		b.State, err = b.Store.Fold(b.Plan, b.proof)
	}
	return err
}

// Locked reads the state again and does something, while no other submission can run.
func (b *Board) Locked(wait time.Duration, do func() error) (err error) {
	unlock, err := b.Store.Lock(session.LockSubmit, wait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := b.Read(); err != nil {
		return err
	}
	return do()
}

// Append adds an event, if it is possible after those that are there, and applies it to the state.
func (b *Board) Append(e item.Event) error {
	return b.Store.Update(b.State, b.proof, func() (*item.Event, error) { return &e, nil })
}

// Next claims the item with the id, or the first open one, and tells what to do; nil when no item is left to claim.
func (b *Board) Next(id string) (h *item.Handout, err error) {
	head, err := b.Git.Resolve("HEAD")
	if err != nil {
		return nil, err
	}
	if err := b.takeBack(); err != nil {
		return nil, err
	}
	it, err := b.pick(id)
	has := func() bool { return it.Worktree == b.Worktree && (it.Hold || !b.Hold) }
	if it != nil && err == nil && !has() {
		err = b.Store.Update(b.State, b.proof, func() (*item.Event, error) {
			b.waits = nil
			if it, err = b.pick(id); it == nil || err != nil || has() {
				return nil, err
			}
			p, err := b.PolicyOf(&it.Item) // else it would be claimed for nothing
			if err != nil {
				return nil, err
			}
			start := b.State.StartOf(it, head, func(commit string) bool { return b.Contains(head, commit) })
			if err := b.sameChecks(it.ID, p, start); err != nil {
				return nil, err
			}
			return &item.Event{
				Event: item.EventClaimed, Item: it.ID, Worktree: b.Worktree, Root: b.Root, Hold: b.Hold, Start: start,
			}, nil
		})
	}
	switch {
	case err != nil:
		return nil, err
	case it == nil && b.proof == nil: // perhaps because of events that nothing proves
		b.proof = b.Store.Proof
		if err := b.Read(); err != nil {
			return nil, err
		}
		return b.Next(id)
	case it != nil:
		b.Store.Beat(b.Worktree)
	}
	if err := b.setClaim(it); err != nil || it == nil {
		return nil, err
	}
	p, err := b.PolicyOf(&it.Item)
	if err != nil {
		return nil, err
	}
	facts, err := b.LastFacts(it)
	if err != nil {
		return nil, fmt.Errorf("the last verdict about %s: %w; closeout item submit judges again", it.ID, err)
	}
	return item.HandoutOf(b.State, it, p, facts), nil
}

// sameChecks requires that the files that the commands of an item name are as in the base. A commit of no item, or of
// an item that is not PASS, could make them prove anything.
func (b *Board) sameChecks(id string, p *policy.Policy, commit string) error {
	changes, err := b.SinceBase(commit)
	if err != nil {
		return err
	}
	switch name, err := b.Altered(p, changes); {
	case err != nil:
		return err
	case name != "":
		return fmt.Errorf("%s is not as in the pinned base, and a command of %s names it: "+
			"undo the change of it since %.12s and commit, or a person pins a base that has it, "+
			"in another state folder (closeout item scan --state FOLDER)", input.ShellWord(name), id, b.Plan.Base)
	}
	return nil
}

// SinceBase lists what differs between the base and a commit.
func (b *Board) SinceBase(commit string) ([]change.Change, error) {
	c := collect.Compare(b.Git, b.Plan.Base, commit)
	if len(c.Unavailable) > 0 {
		return nil, c.Unavailable[0].Err()
	}
	return c.Changes, nil
}

// Altered is a file that commands name, also through links, and that is not as in the base; "" for none. A file that is
// new may be the work of an item.
func (b *Board) Altered(p *policy.Policy, changes []change.Change) (string, error) {
	p, err := collect.WithArguments(p, b.Git, b.Plan.Base)
	if err != nil {
		return "", err
	}
	for i := range changes {
		if c := &changes[i]; p.Names(c.Path) && p.Classify(c).Class == policy.ClassProtected {
			return c.Path, nil
		}
	}
	return "", nil
}

// pick chooses what to hand out: the claimed item, else the item with the id, else the first open one; nil for none.
func (b *Board) pick(id string) (*item.Standing, error) {
	mine := b.State.Claimed(b.Worktree)
	if id != "" {
		it, err := b.Find(id)
		switch {
		case err != nil:
			return nil, err
		case mine != nil && mine != it && it.State == item.Todo:
			return nil, fmt.Errorf("this work tree has %s: submit it first, or "+
				"give it back with closeout item release %[1]s", mine.ID)
		case it.State != item.Todo, it.Worktree != "" && it != mine:
			return nil, nil
		case it != mine:
			if w, err := b.waitOf(it); w.of != nil || err != nil {
				return nil, err
			}
		}
		return it, nil
	}
	if mine != nil {
		return mine, nil
	}
	for _, it := range b.State.Items {
		if it.State != item.Todo || it.Worktree != "" {
			continue
		}
		if w, err := b.waitOf(it); w.of == nil || err != nil {
			return it, err
		}
	}
	return nil, nil
}

// Find is the item with an id.
func (b *Board) Find(id string) (*item.Standing, error) {
	if it := b.State.Find(id); it != nil {
		return it, nil
	}
	var ids []string
	for _, it := range b.State.Items {
		if slices.Contains(it.Values, id) {
			return nil, fmt.Errorf("there is no item %q (did you mean %q?): the id of an item of a list ends with a digest",
				id, it.ID)
		}
		ids = append(ids, it.ID)
	}
	mean := input.DidYouMean(id, ids, "")
	return nil, fmt.Errorf("there is no item %q%s closeout item status --format csv lists all", id, mean)
}

// Contains reports whether a commit is an ancestor of another one, or the same.
func (b *Board) Contains(head, commit string) bool {
	bases, err := b.Git.MergeBases(commit, head)
	return err == nil && slices.Equal(bases, []string{commit})
}

// setClaim writes the claim as the events have it to the copy that the hook reads; it is nil where nothing was handed out.
func (b *Board) setClaim(it *item.Standing) error {
	if it == nil {
		if b.State.Claimed(b.Worktree) != nil {
			return nil
		}
		return b.Store.SetClaim(b.Worktree, nil)
	}
	want := &session.Claim{Item: it.ID, Base: b.Plan.Base, Start: it.Start, Event: it.Claimed}
	if !it.Given {
		want.Contract = session.Contract(it.ID)
	}
	if have, err := b.Store.Claim(b.Worktree); err == nil && have != nil && *have == *want {
		return nil
	}
	return b.Store.SetClaim(b.Worktree, want)
}

// LastFacts are the facts of the last verdict about an item: those of the report in its bundle, and those about items that no
// longer hold, which are in a file beside the report.
func (b *Board) LastFacts(it *item.Standing) (facts []item.Fact, err error) {
	switch {
	case it.Last == nil || it.Last.Bundle == "":
		return nil, nil
	case it.Last.Event == item.EventBroken: // its facts are all that there is
		return b.Store.Ratchet(*it.Last)
	}
	data, err := b.Store.Report(*it.Last)
	if err != nil {
		return nil, err
	}
	r, err := run.ReadReport(it.Last.Bundle, data)
	if err != nil {
		return nil, err
	}
	broken, err := b.Store.Ratchet(*it.Last)
	return item.Leave(append(item.FactsOf(r), broken...), b.Store.Persons(b.Root)), err
}

// PolicyOf joins the contract of an item, which must be the pinned one, with the standing contract of the base.
func (b *Board) PolicyOf(it *item.Item) (*policy.Policy, error) {
	name, data, err := b.ContractOf(it)
	if err != nil {
		return nil, err
	}
	if input.Digest(data) != it.ContractSHA256 {
		return nil, fmt.Errorf("the contract of %s, %s, is not the pinned one: "+
			"restore it, or scan again, which writes it anew", it.ID, name)
	}
	return b.join(it.ID, name, data)
}

// ContractOf reads the contract of an item: from the base, or from the state folder.
func (b *Board) ContractOf(it *item.Item) (name string, data []byte, err error) {
	if !it.Given {
		data, err = b.Store.Read(session.Contract(it.ID))
		return b.Store.Path(session.Contract(it.ID)), data, err
	}
	for _, extension := range policy.ContractExtensions {
		name = policy.TasksDir + "/" + it.ID + extension
		mode, id, found, err := b.Git.Entry(b.Plan.Base, name)
		if found && (mode == change.Regular || mode == change.Executable) {
			data, err = b.Git.Blob(id, input.DefaultLimits().ContractBytes)
		}
		if found || err != nil {
			return name, data, err
		}
	}
	return name, nil, fmt.Errorf("the base %.12s has no contract %s", b.Plan.Base, name)
}

// join joins the task contract of an item with the standing contract of the base.
func (b *Board) join(id, name string, data []byte) (*policy.Policy, error) {
	if b.standing == nil {
		if err := b.readStanding(); err != nil {
			return nil, err
		}
	}
	format := name
	if strings.HasPrefix(name, madeOf) {
		format = "contract.json"
	}
	c, errs := b.Parsed.Parse(format, data, input.DefaultLimits())
	if c != nil {
		c.CheckTask(errs)
		if c.TaskID.Value != id && !errs.Any() {
			errs.Add(input.Error{
				Pos: c.TaskID.Pos, Message: "the contract has another task_id than its file",
				Found: c.TaskID.Value, Expected: id, Fix: "write the name of the file",
			})
		}
	}
	if all := errs.All(); len(all) > 0 {
		return nil, contractError(name, all[0])
	}
	task := policy.Source{Contract: c, Kind: "task_contract", File: name, Path: name, Trust: facts.TrustBase}
	p, problems := policy.Join([]policy.Source{*b.standing, task}, "")
	if len(problems) > 0 {
		return nil, contractError(p.Sources[problems[0].Source].Path, problems[0].Error)
	}
	return p, nil
}

// madeOf begins the name of a contract that scan makes, which has no lines that a person could look up.
const madeOf = "the contract made of "

func contractError(name string, e input.Error) error {
	if strings.HasPrefix(name, madeOf) {
		what := strings.TrimPrefix(e.Where+": "+e.Message, ": ")
		return fmt.Errorf("%s: %s: found %s, expected %s → %s", name, what, e.Found, e.Expected, e.Fix)
	}
	return fmt.Errorf("%s:%s", name, record.WholeError(e))
}

// readStanding reads the standing contract of the base.
func (b *Board) readStanding() error {
	o := collect.Options{Settings: verify.Settings{Limits: input.DefaultLimits()}, Parsed: b.Parsed}
	c, err := collect.StandingAt(b.Git, b.Plan.Base, o)
	if err != nil {
		return err
	}
	alone := c.WithoutTask()
	switch {
	case len(c.Unavailable) > 0:
		return c.Unavailable[0].Err()
	case len(alone.Problems) > 0:
		return contractError(alone.Problems[0].Path, alone.Problems[0].Error)
	case alone.Policy == nil:
		return fmt.Errorf("the base %.12s has no standing contract: write one (closeout init) and merge it", b.Plan.Base)
	}
	b.standing = &alone.Policy.Sources[0]
	return nil
}

// place is how a path of the operator is pinned: relative to the work tree, if it is in it.
func (b *Board) place(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if inside, err := filepath.Rel(b.Root, path); err == nil && filepath.IsLocal(inside) {
		path = filepath.ToSlash(inside)
	}
	return path, nil
}

// readPlace reads the file at a pinned path, and its digest.
func (b *Board) readPlace(place string, most int64) (data []byte, sum string, err error) {
	name := place
	if !filepath.IsAbs(name) {
		name = filepath.Join(b.Root, filepath.FromSlash(place))
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("%q cannot be read: %w", place, input.Reason(err))
	case strings.EqualFold(filepath.Ext(name), ".xlsx"), strings.EqualFold(filepath.Ext(name), ".xls"), strings.EqualFold(filepath.Ext(name), ".ods"):
		return nil, "", fmt.Errorf("%q is a spreadsheet: save it as CSV, and scan that with --col NAME", place)
	case info.IsDir():
		return nil, "", fmt.Errorf("%q is a directory: name a file with one item a line, such as the output of ls %s", place, input.ShellWord(place))
	case !info.Mode().IsRegular() || info.Size() > most:
		return nil, "", fmt.Errorf("%q is no regular file of at most %d bytes", place, most)
	}
	data, err = os.ReadFile(name)
	return data, input.Digest(data), err
}

// TryOf is the directory of the next verdict about an item, relative to the state folder.
func (b *Board) TryOf(it *item.Standing) string { return session.Try(it.ID, it.Verdicts+1) }
