package archive

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// MaxProblems is how many problems a check lists.
const MaxProblems = 1000

// Check is what is wrong with an archive. It is intact when it has no problem.
type Check struct {
	Origin   string // "" when state.json cannot be read
	Size     int64  // how many entries are there
	Complete bool   // all commits were compared, back to the first one or to the one that was named; false in a shallow clone
	Problems []Problem
}

// Problem is something that an archive must not have. Seq names the entry; nil when it is about none.
type Problem struct {
	Path                      string
	Seq                       *int64
	Message, Expected, Actual string
}

// Checker compares the items of an archive, in their order, with each other.
type Checker struct {
	Check  Check
	last   map[string]string
	named  map[string]int64 // by branch and commit: the seq of the entry
	gaps   map[int64]*Entry
	closed map[int64]int64 // gaps, by the seq of what repairs them
	pulled map[int64]*Item // entries without any file of their bundle, which a later entry must withdraw
	gone   map[int64]int64 // withdrawn entries, by the seq of the withdrawal
	broken bool            // the numbers have a hole: what follows it says nothing
}

// NewChecker begins a check.
func NewChecker() *Checker {
	return &Checker{
		last: map[string]string{}, named: map[string]int64{}, gaps: map[int64]*Entry{}, closed: map[int64]int64{}, pulled: map[int64]*Item{}, gone: map[int64]int64{},
	}
}

// add notes a problem.
func (c *Checker) add(path string, seq *int64, message, expected, actual string) {
	if len(c.Check.Problems) >= MaxProblems {
		return
	}
	c.Check.Problems = append(c.Check.Problems, Problem{path, seq, message, expected, actual})
}

// RefusePaths notes paths that no archive has.
func (c *Checker) RefusePaths(paths []string) {
	for _, p := range paths {
		c.add(p, nil, "an archive has no such file or directory", "only what closeout archive add writes", "another name, or not a regular file")
	}
}

// Add checks the next item.
func (c *Checker) Add(it *Item) {
	position := c.Check.Size
	seq := &position
	e := it.Entry
	switch {
	case it.Data == nil:
		c.add(it.Dir, seq, "the entry has no "+EntryFile, "a regular file of at most 2 MiB", "none")
		c.broken = true
		return
	case e == nil:
		for _, err := range it.Errs.All() {
			c.add(fmt.Sprintf("%s/%s:%d:%d", it.Dir, EntryFile, err.Pos.Line, err.Pos.Column), seq, err.Message, err.Expected, err.Found)
		}
	case e.Seq > position && !c.broken:
		missing := fmt.Sprintf("entries %d to %d", position, e.Seq-1)
		if position == e.Seq-1 {
			missing = fmt.Sprintf("entry %d", position)
		}
		c.add(it.Dir, seq, "entries before this one are missing", missing, "none")
		c.broken = true // what follows has other places too: the first one says it
	case e.Seq < position && !c.broken:
		c.add(it.Dir, &e.Seq, "another entry has the number already", fmt.Sprintf("the number %d", position), fmt.Sprint(e.Seq))
		c.broken = true
	}
	c.Check.Size++
	for _, name := range it.UnknownPaths {
		c.add(it.Dir+"/"+name, seq, "the directory of an entry has no such file", "only "+EntryFile+" and the files of the bundle", "another name, or not a regular file")
	}
	if e == nil {
		return
	}
	if e.Dir() != it.Dir {
		c.add(it.Dir, seq, "the directory has not the name of its entry", e.Dir(), it.Dir)
	}
	c.files(it)
	c.links(e)
}

// files compares the bundle with what the entry lists.
func (c *Checker) files(it *Item) {
	e := it.Entry
	if len(it.Files) == 0 && len(e.Bundle) > 0 {
		c.pulled[e.Seq] = it
		return
	}
	stored := map[string]Stored{}
	for _, f := range it.Files {
		stored[f.Path] = f
		if _, listed := it.Listed(f.Path); !listed {
			c.add(path.Join(it.Dir, BundleDir, f.Path), &e.Seq, "the entry does not list this file", "only listed files", "a file that was added later")
		}
	}
	for _, want := range e.Bundle {
		got, there := stored[want.Path]
		name := path.Join(it.Dir, BundleDir, want.Path)
		switch {
		case !there:
			c.add(name, &e.Seq, "the file is missing", "sha256 "+want.SHA256, "no file")
		case got.Problem != "":
			c.add(name, &e.Seq, "the file is not the one that the entry lists", "a regular file of "+input.Plural(want.Bytes, "byte"), got.Problem)
		case got.SHA256 != want.SHA256 || got.Bytes != want.Bytes:
			c.add(name, &e.Seq, "the file is not the one that the entry lists", fmt.Sprintf("sha256 %s, %s", want.SHA256, input.Plural(want.Bytes, "byte")), fmt.Sprintf("sha256 %s, %s", got.SHA256, input.Plural(got.Bytes, "byte")))
		}
	}
}

// links checks what an entry says of other ones.
func (c *Checker) links(e *Entry) {
	at := e.Dir() + "/" + EntryFile
	switch {
	case e.Withdraws != nil:
		if other, twice := c.gone[*e.Withdraws]; twice {
			c.add(at, &e.Seq, "the bundle was withdrawn before", "one withdrawal of an entry", fmt.Sprintf("entry %d withdraws entry %d too", other, *e.Withdraws))
		} else if _, pulled := c.pulled[*e.Withdraws]; !pulled {
			c.add(at, &e.Seq, "the withdrawn bundle is still there, or was never there", fmt.Sprintf("no bundle of entry %d", *e.Withdraws), "files, or an entry without any")
		}
		c.gone[*e.Withdraws] = e.Seq
		return
	case e.Repairs != nil:
		c.repair(e, at)
		return
	case e.Kind == Gap:
		c.gaps[e.Seq] = e
	}
	for _, commit := range e.Commits {
		key := e.Branch + " " + commit
		if other, twice := c.named[key]; twice {
			c.add(at, &e.Seq, "the commit has an entry already", "one entry for "+commit, fmt.Sprintf("entry %d too", other))
		}
		c.named[key] = e.Seq
		c.last[e.Branch] = commit
	}
}

// repair checks that an entry closes a gap about the same commits that is open.
func (c *Checker) repair(e *Entry, at string) {
	gap := c.gaps[*e.Repairs]
	other, closed := c.closed[*e.Repairs]
	switch {
	case gap == nil:
		c.add(at, &e.Seq, "the entry repairs one that is no gap", fmt.Sprintf("a gap with the number %d", *e.Repairs), "none")
	case gap.Branch != e.Branch || !slices.Equal(gap.Commits, e.Commits):
		c.add(at, &e.Seq, "the entry repairs a gap about other commits", gap.Branch+" "+strings.Join(gap.Commits, " "), e.Branch+" "+strings.Join(e.Commits, " "))
	case closed:
		c.add(at, &e.Seq, "the gap is closed already", "one repair of a gap", fmt.Sprintf("entry %d repairs entry %d too", other, *e.Repairs))
	default:
		c.closed[*e.Repairs] = e.Seq
	}
}

// End compares the entries with state.json, nil when there is none.
func (c *Checker) End(state []byte) *Check {
	for _, seq := range slices.Sorted(maps.Keys(c.pulled)) {
		if _, gone := c.gone[seq]; !gone {
			it := c.pulled[seq]
			c.add(path.Join(it.Dir, BundleDir), &it.Entry.Seq, "the bundle is missing", input.Plural(len(it.Entry.Bundle), "file")+", or a later entry that withdraws it", "no file")
		}
	}
	c.state(state)
	return &c.Check
}

// state compares state.json with the entries.
func (c *Checker) state(data []byte) {
	if data == nil {
		c.add(StateFile, nil, "the file is missing", "a regular file of at most 1 MiB", "none")
		return
	}
	s, errs := ReadState(data)
	for _, err := range errs.All() {
		c.add(fmt.Sprintf("%s:%d:%d", StateFile, err.Pos.Line, err.Pos.Column), nil, err.Message, err.Expected, err.Found)
	}
	if s == nil {
		return
	}
	c.Check.Origin = s.Origin
	if s.Size != c.Check.Size {
		c.add(StateFile, nil, "the state has another number of entries than the archive", fmt.Sprint(c.Check.Size), fmt.Sprint(s.Size))
	}
	if want, got := lastText(c.last), lastText(s.Last); want != got {
		c.add(StateFile, nil, "the last commits are not those of the entries", want, got)
	}
}

func lastText(last map[string]string) string {
	var parts []string
	for branch, commit := range last {
		parts = append(parts, branch+" "+commit)
	}
	slices.Sort(parts)
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// Wrong notes what is wrong with a commit of the branch.
func (c *Checker) Wrong(commit, message, expected, actual string) {
	c.add(Decisions, nil, "the commit "+commit+" "+message, expected, actual)
}

// Touched notes that a commit changed or removed a path below [Decisions]: an archive only grows. The removal of a bundle that an entry
// withdraws is none.
func (c *Checker) Touched(commit, name string, removed bool) {
	var seq *int64
	if parts := strings.Split(name, "/"); len(parts) > 2 {
		digits, _, _ := strings.Cut(parts[2], "-")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			seq = &n
			if _, gone := c.gone[n]; gone && removed && len(parts) == 4 && parts[3] == BundleDir {
				return
			}
		}
	}
	what, actual := "changed", "another content"
	if removed {
		what, actual = "removed", "no file"
	}
	c.add(name, seq, "the commit "+commit+" "+what+" it", "what was added once", actual)
}
