// Package session is the state folder of the agent side: the plan, the events, the claims, and the bundles of verdicts. It
// lies outside of the work tree. It is impure: it reads clocks and locks files.
package session

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/item"
)

// Store is a state folder.
type Store struct {
	Dir string           // absolute; it may not exist
	Now func() time.Time // the clock; nil is the system's
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
	data, err := os.ReadFile(s.Path(planFile))
	if err != nil {
		return nil, err
	}
	var p item.Plan
	if err := json.Unmarshal(data, &p); err != nil || p.Schema != item.PlanSchema {
		return nil, fmt.Errorf("%s is no plan of this version of closeout: %w", s.Path(planFile), cmp.Or(err, errors.New("schema "+strconv.Quote(p.Schema))))
	}
	return &p, nil
}

// WritePlan writes the plan, atomically.
func (s *Store) WritePlan(p *item.Plan) error {
	data, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	return s.write(planFile, append(data, '\n'))
}

func (s *Store) write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(s.Path(name)), 0o700); err != nil {
		return err
	}
	return collect.WriteOther("the state", s.Path(name), data)
}

// Events reads all events. A last line that is torn is dropped, and torn is true: the next [Store.Append] removes it.
func (s *Store) Events() (events []item.Event, torn bool, err error) {
	data, err := os.ReadFile(s.Path(eventsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	lines := bufio.NewScanner(bytes.NewReader(whole))
	lines.Buffer(nil, len(whole)+1)
	for n := 1; lines.Scan(); n++ {
		var e item.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, false, fmt.Errorf("%s:%d: this is no event: %w", s.Path(eventsFile), n, err)
		}
		events = append(events, e)
	}
	return events, len(whole) < len(data), nil
}

// Append adds an event with its number, and syncs it to the disk. The caller holds the lock.
func (s *Store) Append(st *item.State, e item.Event) (item.Event, error) {
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	e.N, e.At = st.Next, now().UTC().Format(time.RFC3339)
	line, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	f, err := os.OpenFile(s.Path(eventsFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return e, err
	}
	defer f.Close()
	end, err := wholeLines(f)
	if err == nil {
		_, err = f.WriteAt(append(line, '\n'), end)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		st.Next++
	}
	return e, err
}

// wholeLines cuts off a torn last line, and returns where the next one starts.
func wholeLines(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	end, buf := info.Size(), make([]byte, 1)
	for ; end > 0; end-- {
		if _, err := f.ReadAt(buf, end-1); err != nil {
			return 0, err
		}
		if buf[0] == '\n' {
			break
		}
	}
	return end, f.Truncate(end)
}

// Claim is what a work tree works at, as the hook reads it: a copy of the last EventClaimed with what it needs of the plan.
type Claim struct {
	Item     string `json:"item"`
	Base     string `json:"base"`               // the pinned commit whose contracts count
	Start    string `json:"start"`              // the commit that the item's changes start from
	Contract string `json:"contract,omitempty"` // of the item, relative to the state folder; "" when the base has it
}

// Claim reads the claim of a work tree; nil when there is none.
func (s *Store) Claim(worktree string) (*Claim, error) {
	data, err := os.ReadFile(s.Path("claims", worktree+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &Claim{}
	return c, json.Unmarshal(data, c)
}

// SetClaim writes the claim of a work tree; nil removes it.
func (s *Store) SetClaim(worktree string, c *Claim) error {
	name := filepath.Join("claims", worktree+".json")
	if c == nil {
		if err := os.Remove(s.Path(name)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return s.write(name, data)
}

// Contract is where scan writes the contract of an item, relative to the state folder.
func Contract(id string) string { return filepath.Join("items", id, "contract.json") }

// Try is the directory of a try, relative to the state folder.
func Try(id string, try int) string { return filepath.Join("items", id, strconv.Itoa(try)) }
