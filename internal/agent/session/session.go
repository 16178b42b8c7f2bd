// Package session is the state folder of the agent side: the plan, the events, the claims, and the bundles of verdicts. It
// lies outside of the work tree. It is impure: it reads clocks and locks files.
package session

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/collect"
)

// Store is a state folder.
type Store struct {
	Dir string // absolute; it may not exist
}

// Find names the state folder of the repository whose common git directory is given: dir, else $CLOSEOUT_STATE, else a
// folder of its own below $XDG_STATE_HOME. It creates nothing. The folder must be outside of the work tree and of git's
// directory.
func Find(dir, root, commonDir string) (*Store, error) {
	dir = cmp.Or(dir, os.Getenv("CLOSEOUT_STATE"))
	if dir == "" {
		home := os.Getenv("XDG_STATE_HOME")
		if !filepath.IsAbs(home) { // as its specification says
			user, err := os.UserHomeDir()
			if err != nil {
				return nil, fmt.Errorf("there is no home directory for the state: name a folder with --state: %w", err)
			}
			home = filepath.Join(user, ".local", "state")
		}
		dir = filepath.Join(home, "closeout", Key(commonDir))
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, inner := range []string{root, commonDir} {
		if within(inner, dir) {
			return nil, fmt.Errorf("the state folder %q is inside of %q, where the agent writes: name another one with --state", dir, inner)
		}
	}
	return &Store{Dir: dir}, nil
}

// Key names a directory in the state folder: 16 hexadecimal digits.
func Key(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:8])
}

// within reports whether a path is a directory or below it, also through symlinks of its existing part.
func within(dir, path string) bool {
	dir, path = realPath(dir), realPath(path)
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

func realPath(path string) string {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if filepath.Dir(at) == at {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// Path is a path in the state folder.
func (s *Store) Path(name ...string) string {
	return filepath.Join(append([]string{s.Dir}, name...)...)
}

// The files of the state folder.
const (
	planFile   = "plan.json"
	eventsFile = "events.jsonl"
)

// Plan reads the plan; fs.ErrNotExist when nothing was scanned.
func (s *Store) Plan() (*item.Plan, error) {
	data, err := s.Read(planFile)
	if err != nil {
		return nil, err
	}
	p, err := item.ReadPlan(data)
	if err != nil {
		err = fmt.Errorf("%s: this is no plan: %w; restore the file, or scan into another folder (--state)", s.Path(planFile), err)
	}
	return p, err
}

// Read reads a file of the state folder. Anything but a regular file is an error: reading a pipe would not end.
func (s *Store) Read(name ...string) ([]byte, error) {
	path := s.Path(name...)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return os.ReadFile(path)
}

// WritePlan writes the plan, atomically.
func (s *Store) WritePlan(p *item.Plan) error {
	data, err := p.Marshal()
	if err != nil {
		return err
	}
	return s.write(planFile, data)
}

func (s *Store) write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(s.Path(name)), 0o700); err != nil {
		return s.unwritable(err)
	}
	return collect.WriteOther("the state", s.Path(name), data)
}

// Fold folds all events.
func (s *Store) Fold(p *item.Plan, proof item.Proof) (*item.State, error) {
	st := item.NewState(p)
	return st, s.Catch(st, proof)
}

// Catch folds the events that were appended since a state was folded. A last line that is torn is left out: the next
// [Store.Update] removes it. After an error the state is not to be used.
func (s *Store) Catch(st *item.State, proof item.Proof) error {
	info, err := os.Stat(s.Path(eventsFile))
	if errors.Is(err, fs.ErrNotExist) && st.Read == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", s.Path(eventsFile))
	}
	f, err := os.Open(s.Path(eventsFile))
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() < st.Read {
		return fmt.Errorf("%s became shorter while it was read", s.Path(eventsFile))
	}
	var text strings.Builder // the events keep parts of it
	text.Grow(int(info.Size() - st.Read))
	if _, err := io.Copy(&text, io.NewSectionReader(f, st.Read, info.Size()-st.Read)); err != nil {
		return err
	}
	whole := text.String()[:strings.LastIndexByte(text.String(), '\n')+1]
	st.Torn = len(whole) < text.Len()
	var e item.Event
	for line := range strings.Lines(whole) {
		err := item.ReadEvent(strings.TrimSuffix(line, "\n"), &e)
		if err == nil {
			err = st.Add(&e, proof)
		}
		if err != nil { // the line before has the number of the last event
			return fmt.Errorf("%s:%d: %w; nothing was done: restore the line, or scan into another folder (--state)", s.Path(eventsFile), st.Next, err)
		}
	}
	st.Read += int64(len(whole))
	return nil
}

// updateWait is how long an event waits for those that other processes append.
const updateWait = 10 * time.Second

// Update appends the event that choose returns for the newest state, with its number, and syncs it to the disk. A nil event
// changes nothing; one that is impossible is an error, and is not written.
func (s *Store) Update(st *item.State, proof item.Proof, choose func() (*item.Event, error)) (err error) {
	return s.UpdateAll(st, proof, func() ([]item.Event, error) {
		e, err := choose()
		if e == nil || err != nil {
			return nil, err
		}
		return []item.Event{*e}, nil
	})
}

// UpdateAll is [Store.Update] for several events about different items, which are all appended or none.
func (s *Store) UpdateAll(st *item.State, proof item.Proof, choose func() ([]item.Event, error)) (err error) {
	unlock, err := s.Lock(LockEvents, updateWait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := s.Catch(st, proof); err != nil {
		return err
	}
	list, err := choose()
	if len(list) == 0 || err != nil {
		return err
	}
	for i := range list {
		if err := st.Check(&list[i]); err != nil {
			return err
		}
	}
	if err := s.appendEvents(st, list); err != nil {
		return s.unwritable(err)
	}
	return s.Catch(st, proof)
}

// appendEvents writes events after the last whole line.
func (s *Store) appendEvents(st *item.State, list []item.Event) error {
	var lines []byte
	for i := range list {
		list[i].N, list[i].At = st.Next+int64(i), time.Now().UTC().Format(time.RFC3339)
		line, err := json.Marshal(&list[i])
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	f, err := os.OpenFile(s.Path(eventsFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if st.Torn {
		err = f.Truncate(st.Read)
	}
	if err == nil {
		_, err = f.WriteAt(lines, st.Read)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Claim is what a work tree works at, as the hook reads it: a copy of the last EventClaimed with what it needs of the plan.
type Claim struct {
	Item     string `json:"item"`
	Base     string `json:"base"`               // the pinned commit whose contracts count
	Start    string `json:"start"`              // the commit that the item's changes start from
	Contract string `json:"contract,omitempty"` // of the item, relative to the state folder; "" when the base has it
	Event    int64  `json:"event,omitempty"`    // the number of the EventClaimed: an item that was released is claimed anew
}

// Claim reads the claim of a work tree; nil when there is none.
func (s *Store) Claim(worktree string) (*Claim, error) {
	c, err := readJSON[Claim](s, claimFile(worktree))
	if c != nil && (c.Item == "" || c.Base == "" || c.Start == "") {
		return nil, errors.New("it says nothing of an item, its base or its start")
	}
	return c, err
}

// readJSON reads a file of the state folder; nil when there is none, and when it cannot be read.
func readJSON[T any](s *Store, name string) (*T, error) {
	data, err := s.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	v := new(T)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// SetClaim writes the claim of a work tree; nil removes it.
func (s *Store) SetClaim(worktree string, c *Claim) error {
	if c == nil {
		if err := os.Remove(s.Path(claimFile(worktree))); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return s.write(claimFile(worktree), data)
}

// Beat notes that something happens in a work tree that has a claim. Where it cannot be noted, as in a sandbox, the claim may be
// taken back during work.
func (s *Store) Beat(worktree string) {
	now := time.Now()
	_ = os.Chtimes(s.Path(claimFile(worktree)), now, now)
}

// Beaten is when something was last noted; the zero time when nothing was.
func (s *Store) Beaten(worktree string) (last time.Time) {
	if info, err := os.Stat(s.Path(claimFile(worktree))); err == nil {
		last = info.ModTime()
	}
	return last
}

func claimFile(worktree string) string { return filepath.Join("claims", worktree+".json") }

// Contract is where scan writes the contract of an item, relative to the state folder.
func Contract(id string) string { return filepath.Join("items", id, "contract.json") }

// WriteContract writes the contract of an item. It is not synced, as thousands may be written: the plan has its digest.
func (s *Store) WriteContract(id string, data []byte) error {
	name := s.Path(Contract(id))
	if have, err := os.ReadFile(name); err == nil && bytes.Equal(have, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return s.unwritable(err)
	}
	return s.unwritable(os.WriteFile(name, data, 0o600))
}

// Try is the directory of a try, relative to the state folder.
func Try(id string, try int) string { return filepath.Join("items", id, strconv.Itoa(try)) }
