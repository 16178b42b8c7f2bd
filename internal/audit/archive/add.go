package archive

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// What of a bundle is kept.
const (
	KeepAll    = "all"
	KeepReport = "report" // what the report says and is about: no logs, no test reports, no output of tools
)

// DefaultMaxFile is how large a file of a bundle may be that is kept, in bytes.
const DefaultMaxFile = 1 << 20

// maxReport is how large the report may be that is kept, whatever the limit of the other files: servers refuse files of 100 MB.
const maxReport = 32 << 20

// Keep says what of the bundles is kept.
type Keep struct {
	What    string // KeepAll or KeepReport
	MaxFile int64  // in bytes
}

// Limit is how large a file of a bundle may be that an archive keeps by default.
func Limit(path string) int64 {
	if path == report.FileName {
		return maxReport
	}
	return DefaultMaxFile
}

// kept reports whether a file is kept.
func (k Keep) kept(f File) bool {
	switch {
	case f.Path == report.FileName:
		return f.Bytes <= maxReport
	case f.Bytes > k.MaxFile:
		return false
	case k.What == KeepAll:
		return true
	}
	first, rest, below := strings.Cut(f.Path, "/")
	switch {
	case !below:
		return first == "facts.json" || first == "changes.json" || strings.HasPrefix(first, "scope_contract.")
	case first == "pulls":
		_, name, _ := strings.Cut(rest, "/")
		return name == "facts.json" || name == "changes.json" || strings.HasPrefix(name, "contracts/")
	}
	return first == "contracts"
}

// split moves what is not kept from the bundle of an entry to what is omitted.
func (k Keep) split(e *Entry) {
	kept := []File{}
	for _, f := range e.Bundle {
		if k.kept(f) {
			kept = append(kept, f)
		} else {
			e.Omitted = append(slices.Clip(e.Omitted), f)
		}
	}
	e.Bundle = kept
	input.SortStable(e.Omitted, ByPath)
}

// New lists the positions in Entries that an archive does not have yet; state is nil for one that does not exist. The archive may
// have grown since it was looked at: by entries of other branches, or by some of these entries. Repairs are left out then, because
// the gaps may be closed by now; left says how many. The error says why the entries do not follow those of the archive.
func (f *Found) New(state *State) (positions []int, left int, err error) {
	if state == nil {
		state = &State{Origin: f.Origin}
	}
	switch {
	case f.Origin != state.Origin:
		return nil, 0, fmt.Errorf("the entries are for the archive %q, the state is that of %q: use the origin of the state", f.Origin, state.Origin)
	case f.Size > state.Size:
		return nil, 0, fmt.Errorf("the entries were made for an archive of %d entries, the state has %d: use the state of the archive's newest commit", f.Size, state.Size)
	}
	start := 0
	if last := state.Last[f.Branch]; last != or(f.After, "") {
		start = 1 + slices.IndexFunc(f.Entries, func(e Entry) bool { return e.Repairs == nil && e.Commits[len(e.Commits)-1] == last })
		if start == 0 {
			return nil, 0, fmt.Errorf("the entries follow %s on the branch %s, but the archive ends with %s: run closeout archive find again", or(f.After, "no commit"), input.Quote(f.Branch), cmp.Or(last, "no commit"))
		}
	}
	for i := range f.Entries {
		repairs := f.Entries[i].Repairs != nil
		switch {
		case !repairs && i >= start, repairs && f.Size == state.Size:
			positions = append(positions, i)
		case repairs:
			left++
		}
	}
	return positions, left, nil
}

func or(s *string, none string) string {
	if s == nil {
		return none
	}
	return *s
}

// Addition is what a commit adds to an archive.
type Addition struct {
	State *State // of the archive; nil when there is none yet
	Found *Found
	New   []int // positions in Found.Entries
	Keep  Keep
	// Open opens a file of the bundle of an entry, which is named by its position.
	Open func(position int, path string) (io.ReadCloser, error)
}

// Write writes the commit as a stream for git fast-import. Each file must have the size and digest that its entry lists; the stream
// ends early when one has another, and git refuses it then.
func (a *Addition) Write(w io.Writer) error {
	state, parent := State{Origin: a.Found.Origin, Last: map[string]string{}}, ""
	if a.State != nil {
		parent = Ref + "^0" // what the branch is when the stream is read: no repository is known here
		state = *a.State
		state.Last = maps.Clone(a.State.Last)
	}
	message := fmt.Sprintf("Add entry %d", state.Size)
	if n := int64(len(a.New)); n != 1 {
		message = fmt.Sprintf("Add entries %d to %d", state.Size, state.Size+n-1)
	}
	s := newStream(w, parent, a.Found.Date, message)
	for _, i := range a.New {
		e := a.Found.Entries[i]
		e.Seq = state.Size
		a.Keep.split(&e)
		if err := s.entry(&e); err != nil {
			return fmt.Errorf("entry %d of %s: %w", i, IndexFile, err)
		}
		if err := a.files(s, i, &e); err != nil {
			return err
		}
		state.Size++
		if e.Repairs == nil {
			state.Last[e.Branch] = e.Commits[len(e.Commits)-1]
		}
	}
	return s.end(state)
}

// files writes the bundle of an entry, and compares what is left out with its digest too.
func (a *Addition) files(s *stream, position int, e *Entry) error {
	for _, f := range e.Bundle {
		var data bytes.Buffer // a file that is kept has a bounded size
		if err := a.compare(position, f, &data); err != nil {
			return err
		}
		s.file(path.Join(e.Dir(), BundleDir, f.Path), data.Bytes())
	}
	for _, f := range e.Omitted {
		if !slices.Contains(a.Found.Entries[position].Bundle, f) {
			continue // it was left out before
		}
		if err := a.compare(position, f, io.Discard); err != nil {
			return err
		}
	}
	return nil
}

// compare copies a file, and compares it with what its entry lists.
func (a *Addition) compare(position int, f File, to io.Writer) error {
	from, err := a.Open(position, f.Path)
	name := fmt.Sprintf("%d/%s/%s", position, BundleDir, f.Path)
	if err != nil {
		return fmt.Errorf("%q cannot be read: %w", name, input.Reason(err))
	}
	defer from.Close()
	got, err := FileOf(f.Path, io.TeeReader(io.LimitReader(from, f.Bytes+1), to))
	if err != nil {
		return fmt.Errorf("%q cannot be read: %w", name, input.Reason(err))
	}
	if got != f {
		return fmt.Errorf("%q is not the file that %s lists: found sha256 %s of the first %s, expected %s of %s; make the entries anew",
			name, IndexFile, got.SHA256, input.Plural(got.Bytes, "byte"), f.SHA256, input.Plural(f.Bytes, "byte"))
	}
	return nil
}

// FileOf reads a file to its end.
func FileOf(path string, from io.Reader) (File, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, from)
	return File{path, hex.EncodeToString(sum.Sum(nil)), n}, err
}

// Withdrawal removes the bundle of an entry.
type Withdrawal struct {
	Commit string // of the archive
	Date   int64  // of that commit, in seconds
	State  *State
	Entry  *Entry // the one whose bundle is removed
	Reason string
}

// Write writes the commit as a stream for git fast-import.
func (d *Withdrawal) Write(w io.Writer) error {
	s := newStream(w, d.Commit, d.Date, fmt.Sprintf("Withdraw the bundle of entry %d", d.Entry.Seq))
	s.line("D " + d.Entry.Dir() + "/" + BundleDir)
	state := *d.State
	err := s.entry(&Entry{
		Schema: EntrySchema, Seq: state.Size, Kind: Withdrawn, Branch: d.Entry.Branch, Replay: ReplayNotTried, Withdraws: &d.Entry.Seq, Why: &d.Reason,
	})
	if err != nil {
		return err
	}
	state.Size++
	return s.end(state)
}
