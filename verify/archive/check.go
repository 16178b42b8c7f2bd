package archive

import (
	"cmp"
	"fmt"
	"math/bits"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/report"
)

// CheckSchema names the form of what archive verify found.
const CheckSchema = "closeout.archive_check/v1"

// MaxProblems is how many problems a check lists.
const MaxProblems = 1000

// Check is what archive verify found about an archive. It is intact when it has no problem.
type Check struct {
	Schema          string      `json:"schema"`
	Tool            report.Tool `json:"tool"`
	Commit          string      `json:"commit"` // of the archive
	Origin          string      `json:"origin"` // "" when neither state.json nor checkpoint can be read
	Size            int64       `json:"size"`   // how many entries are there
	Root            string      `json:"root"`   // that they make, as base64
	Anchor          string      `json:"anchor"` // none or checkpoint: what the check rests on besides the archive
	History         History     `json:"history"`
	Counts          Counts      `json:"counts"`
	Problems        []Problem   `json:"problems"` // in the order of the entries, those of the whole archive last
	ProblemsOmitted int         `json:"problems_omitted"`
}

// History is the earlier commits of the branch.
type History struct {
	Commits  int  `json:"commits"`  // that were compared, the present one included
	Complete bool `json:"complete"` // back to the first commit; false in a shallow clone
}

// Counts count what is in an archive.
type Counts struct {
	Decisions int `json:"decisions"`
	Gaps      int `json:"gaps"`
	Repaired  int `json:"repaired"` // gaps that a later entry closes
	Withdrawn int `json:"withdrawn"`
	Files     int `json:"files"`
	Omitted   int `json:"omitted"`
	Replayed  int `json:"replayed"`
}

// Problem is something that an archive must not have. Seq is that of the entry, nil when it is about none.
type Problem struct {
	Path     string `json:"path"`
	Seq      *int64 `json:"seq"`
	Message  string `json:"message"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
}

// Checker compares the items of an archive, in their order, with each other.
type Checker struct {
	Check  Check
	tree   Tree
	roots  []tlog.Hash // of the trees of all sizes from 1
	last   map[string]string
	named  map[string]int64 // by branch and commit: the seq of the entry
	gaps   map[int64]*Entry
	closed map[int64]int64 // gaps, by the seq of what repairs them
	pulled map[int64]*Item // entries without any file of their bundle, which a later entry must withdraw
	gone   map[int64]int64 // withdrawn entries, by the seq of the withdrawal
	broken bool            // the numbers have a hole, so that the root says nothing
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
		c.Check.ProblemsOmitted++
		return
	}
	c.Check.Problems = append(c.Check.Problems, Problem{path, seq, message, expected, actual})
}

// Strange notes paths that no archive has.
func (c *Checker) Strange(paths []string) {
	for _, p := range paths {
		c.add(p, nil, "an archive has no such file or directory", "only what closeout archive add writes", "another name, or not a regular file")
	}
}

// Add checks the next item.
func (c *Checker) Add(it *Item) {
	position := c.tree.Size
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
		c.add(it.Dir, seq, "entries before this one are missing", entriesText(position, e.Seq-1), "none")
		c.broken = true // what follows has other places too: the first one says it
	case e.Seq < position && !c.broken:
		c.add(it.Dir, &e.Seq, "another entry has the number already", fmt.Sprintf("the number %d", position), fmt.Sprint(e.Seq))
		c.broken = true
	}
	c.append(it.Data)
	for _, name := range it.Strange {
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
	c.replayed(it)
	switch e.Kind {
	case Decision:
		c.Check.Counts.Decisions++
	case Gap:
		c.Check.Counts.Gaps++
	default:
		c.Check.Counts.Withdrawn++
	}
}

// append adds a leaf, and remembers the root, which an older checkpoint may name.
func (c *Checker) append(leaf []byte) {
	c.tree.Append(leaf)
	c.roots = append(c.roots, c.tree.root())
}

// files compares the bundle with what the entry lists.
func (c *Checker) files(it *Item) {
	e := it.Entry
	c.Check.Counts.Omitted += len(e.Omitted)
	c.Check.Counts.Files += len(it.Files)
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
			c.add(name, &e.Seq, "the file is not the one that the entry lists", "a regular file of "+diag.Plural(want.Bytes, "byte"), got.Problem)
		case got.SHA256 != want.SHA256 || got.Bytes != want.Bytes:
			c.add(name, &e.Seq, "the file is not the one that the entry lists", fmt.Sprintf("sha256 %s, %s", want.SHA256, diag.Plural(want.Bytes, "byte")), fmt.Sprintf("sha256 %s, %s", got.SHA256, diag.Plural(got.Bytes, "byte")))
		}
	}
}

// replayed compares the replay of a decision with what the entry says of it: an archive has reports too that were not the result of
// their bundle then.
func (c *Checker) replayed(it *Item) {
	if !it.Replayed {
		return
	}
	c.Check.Counts.Replayed++
	if e := it.Entry; len(it.Differences) > 0 && e.Replay != ReplayDifferent {
		c.add(path.Join(it.Dir, BundleDir, report.FileName), &e.Seq, "the report is not the result of the bundle", "the result of judging the bundle again", it.Differences[0])
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
		c.Check.Counts.Repaired++
	}
}

// Mark is a checkpoint that names an earlier state: one of the history, or the auditor's own.
type Mark struct {
	Checkpoint Checkpoint
	From       string // what has it: a commit, or the name of a file
}

// End compares the entries with state.json and checkpoint, nil when there is none; with the auditor's own checkpoint, nil for none;
// and with those of the earlier commits, of which the first that does not fit says it for all.
func (c *Checker) End(state, checkpoint []byte, own *Mark, earlier []Mark) *Check {
	for _, seq := range sortedKeys(c.pulled) {
		if _, gone := c.gone[seq]; !gone {
			it := c.pulled[seq]
			c.add(path.Join(it.Dir, BundleDir), &it.Entry.Seq, "the bundle is missing", diag.Plural(int64(len(it.Entry.Bundle)), "file")+", or a later entry that withdraws it", "no file")
		}
	}
	c.Check.Size, c.Check.Root = c.tree.Size, c.tree.Root()
	read := c.state(state)
	c.checkpoint(checkpoint, read)
	c.Check.Schema, c.Check.Anchor = CheckSchema, report.AnchorNone
	if own != nil {
		c.Check.Anchor = report.AnchorCheckpoint
		c.mark(*own)
	}
	for _, m := range earlier {
		if !c.mark(m) {
			break
		}
	}
	fill(&c.Check.Problems)
	return &c.Check
}

func sortedKeys[V any](m map[int64]V) []int64 {
	keys := make([]int64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// state compares state.json with the entries.
func (c *Checker) state(data []byte) *State {
	if data == nil {
		c.add(StateFile, nil, "the file is missing", "a regular file of at most 1 MiB", "none")
		return nil
	}
	s, errs := ReadState(data)
	for _, err := range errs.All() {
		c.add(fmt.Sprintf("%s:%d:%d", StateFile, err.Pos.Line, err.Pos.Column), nil, err.Message, err.Expected, err.Found)
	}
	if s == nil {
		return nil
	}
	c.Check.Origin = s.Origin
	if s.Size != c.tree.Size {
		c.add(StateFile, nil, "the state has another number of entries than the archive", fmt.Sprint(c.tree.Size), fmt.Sprint(s.Size))
	} else if s.Root != c.Check.Root {
		c.add(StateFile, nil, "the entries do not make the root of the state: there is a change in "+c.differing(s), s.Root, c.Check.Root)
	}
	want := c.tree.state(s.Origin, c.last)
	if !sameLast(s.Last, want.Last) {
		c.add(StateFile, nil, "the last commits are not those of the entries", lastText(want.Last), lastText(s.Last))
	}
	return s
}

// differing says which entries make another subtree than the state has.
func (c *Checker) differing(s *State) string {
	t, err := TreeOf(s)
	if err != nil || len(t.edges) != len(c.tree.edges) {
		return "an entry"
	}
	first := int64(0)
	var parts []string
	for i, rest := 0, c.tree.Size; rest > 0; i++ {
		size := int64(1) << (bits.Len64(uint64(rest)) - 1)
		if t.edges[i] != c.tree.edges[i] {
			parts = append(parts, entriesText(first, first+size-1))
		}
		first, rest = first+size, rest-size
	}
	return strings.Join(parts, " and ")
}

func entriesText(first, last int64) string {
	if first == last {
		return fmt.Sprintf("entry %d", first)
	}
	return fmt.Sprintf("entries %d to %d", first, last)
}

func sameLast(a, b map[string]string) bool { return lastText(a) == lastText(b) }

func lastText(last map[string]string) string {
	var parts []string
	for branch, commit := range last {
		parts = append(parts, branch+" "+commit)
	}
	slices.Sort(parts)
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// checkpoint compares the file checkpoint with the entries and the state.
func (c *Checker) checkpoint(data []byte, s *State) {
	if data == nil {
		c.add(CheckpointFile, nil, "the file is missing", "a regular file of three lines", "none")
		return
	}
	read, err := ReadCheckpoint(data)
	if err != nil {
		c.add(CheckpointFile, nil, "it is no checkpoint", "three lines: origin, number of entries, root", err.Error())
		return
	}
	c.Check.Origin = cmp.Or(c.Check.Origin, read.Origin)
	if want := (Checkpoint{c.Check.Origin, c.Check.Size, c.Check.Root}); read != want {
		c.add(CheckpointFile, nil, "the checkpoint is not that of the entries and the state", oneLine(want), oneLine(read))
	}
}

func oneLine(c Checkpoint) string { return fmt.Sprintf("%s %d %s", c.Origin, c.Size, c.Root) }

// mark checks that the archive begins with the entries that a checkpoint names.
func (c *Checker) mark(m Mark) bool {
	switch size := m.Checkpoint.Size; {
	case m.Checkpoint.Origin != c.Check.Origin && c.Check.Origin != "":
		c.add(CheckpointFile, nil, "the checkpoint of "+m.From+" is that of another archive", c.Check.Origin, m.Checkpoint.Origin)
	case size > c.tree.Size:
		c.add(CheckpointFile, nil, "entries were removed since the checkpoint of "+m.From, fmt.Sprintf("at least %d entries", size), fmt.Sprint(c.tree.Size))
	case c.roots[size-1].String() != m.Checkpoint.Root:
		c.add(CheckpointFile, nil, "entries were changed since the checkpoint of "+m.From, fmt.Sprintf("the first %d entries make %s", size, m.Checkpoint.Root), "they make "+c.roots[size-1].String())
	default:
		return true
	}
	return false
}

// Earlier notes an earlier commit of the branch that is none of an archive which only grows.
func (c *Checker) Earlier(commit, message, expected, actual string) {
	c.add(CheckpointFile, nil, "the earlier commit "+commit+" "+message, expected, actual)
}

// Touched notes that a commit changed or removed a path of an entry, which explains other problems. The removal of a bundle that an
// entry withdraws is none.
func (c *Checker) Touched(commit, name string, removed bool) {
	parts := strings.SplitN(name, "/", 5)
	if len(parts) < 4 || parts[0] != Decisions {
		return
	}
	digits, _, _ := strings.Cut(parts[2], "-")
	seq, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return
	}
	if _, gone := c.gone[seq]; gone && removed && parts[3] == BundleDir {
		return
	}
	what, actual := "changed", "another content"
	if removed {
		what, actual = "removed", "no file"
	}
	c.add(name, &seq, "the commit "+commit+" "+what+" it", "what was added once", actual)
}
