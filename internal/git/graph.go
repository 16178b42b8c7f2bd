package git

import (
	"encoding/binary"
	"errors"
)

// graph is the part of a history that was read. Commits have numbers in the order in which they were found, so that a
// million of them need little memory.
type graph struct {
	repo    *Repo
	known   idTable
	dates   []int64
	states  []state
	parents []span
	links   []int32 // the parents of all commits, one after the other
}

// span is a part of links.
type span struct {
	begin, end int32
}

// state is what is known about a commit.
type state uint8

const (
	unread  state = iota
	present       // it was read
	absent        // it was not fetched, the clone being shallow
)

func newGraph(r *Repo) *graph { return &graph{repo: r, known: idTable{size: r.format.size}} }

// number gives the number of a commit, a new one when the commit is new.
func (g *graph) number(id ID) int32 {
	n := g.known.number(id.raw())
	if int(n) == len(g.states) {
		g.states = append(g.states, unread)
		g.dates = append(g.dates, 0)
		g.parents = append(g.parents, span{})
	}
	return n
}

func (g *graph) id(n int32) ID { return newID(g.known.id(n)) }

// parentsOf gives the numbers of a commit's parents.
func (g *graph) parentsOf(n int32) []int32 { return g.links[g.parents[n].begin:g.parents[n].end] }

// read reads a commit. A commit that is missing in a shallow clone is absent, and not an error.
func (g *graph) read(n int32) error {
	if g.states[n] != unread {
		return nil
	}
	id := g.id(n)
	found, err := g.repo.read(id, limits{want: commitType})
	if missing := (*MissingObject)(nil); errors.As(err, &missing) && missing.Shallow {
		g.states[n] = absent
		return nil
	}
	if err != nil {
		return err
	}
	info, rest, err := parseLinks(found.content, g.repo.format.size)
	if err != nil {
		return &Corrupt{What: "commit " + id.String(), Why: err.Error()}
	}
	begin := len(g.links)
	for _, parent := range info.Parents {
		g.links = append(g.links, g.number(parent))
	}
	g.states[n], g.dates[n] = present, parseDate(rest)
	g.parents[n] = span{int32(begin), int32(len(g.links))}
	return nil
}

// idTable gives numbers to ids: a hash table with open addressing over ids in one slice.
type idTable struct {
	size  int
	ids   []byte
	slots []int32 // a number plus one; 0 is free
	count int
}

func (t *idTable) id(n int32) []byte { return t.ids[int(n)*t.size : int(n+1)*t.size] }

// number gives the number of an id, the next one when the id is new.
func (t *idTable) number(id []byte) int32 {
	if t.count*4 >= len(t.slots)*3 {
		t.grow()
	}
	slot := t.slot(id)
	if t.slots[slot] == 0 {
		t.ids = append(t.ids, id...)
		t.count++
		t.slots[slot] = int32(t.count)
	}
	return t.slots[slot] - 1
}

// slot finds where an id is, or where to put it. An id is a hash, so its first bytes are distributed well.
func (t *idTable) slot(id []byte) int {
	mask := len(t.slots) - 1
	at := int(binary.LittleEndian.Uint32(id)) & mask
	for ; t.slots[at] != 0 && string(t.id(t.slots[at]-1)) != string(id); at = (at + 1) & mask {
	}
	return at
}

func (t *idTable) grow() {
	t.slots = make([]int32, max(1024, 2*len(t.slots)))
	for n := range int32(t.count) {
		t.slots[t.slot(t.id(n))] = n + 1
	}
}
