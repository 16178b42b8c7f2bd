package archive

import (
	"bytes"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Tree is the right edge of a Merkle tree (RFC 6962): the roots of its complete subtrees, the largest first. The zero Tree is empty.
type Tree struct {
	Size  int64
	edges []tlog.Hash
}

// TreeOf takes the tree from a state. The error says how many hashes it must have.
func TreeOf(s *State) (*Tree, error) {
	t := &Tree{Size: s.Size}
	if want := bits.OnesCount64(uint64(s.Size)); len(s.Hashes) != want {
		return nil, fmt.Errorf("a list of %d, one for each complete subtree of %d entries", want, s.Size)
	}
	for _, text := range s.Hashes {
		h, err := tlog.ParseHash(text)
		if err != nil {
			return nil, fmt.Errorf("a list of hashes: %w", err)
		}
		t.edges = append(t.edges, h)
	}
	return t, nil
}

// Append adds an entry: the bytes of its entry.json.
func (t *Tree) Append(leaf []byte) { t.appendHash(tlog.RecordHash(leaf)) }

// appendHash adds a leaf by its hash. Each complete subtree on the right that is as large as the new one becomes a part of it.
func (t *Tree) appendHash(h tlog.Hash) {
	for range bits.TrailingZeros64(uint64(t.Size + 1)) {
		last := len(t.edges) - 1
		h = tlog.NodeHash(t.edges[last], h)
		t.edges = t.edges[:last]
	}
	t.edges = append(t.edges, h)
	t.Size++
}

// Root is the root of the tree, as base64.
func (t *Tree) Root() string { return t.root().String() }

func (t *Tree) root() tlog.Hash {
	if t.Size == 0 {
		root, _ := tlog.TreeHash(0, nil) // the empty tree needs no reader
		return root
	}
	h := t.edges[len(t.edges)-1]
	for i := len(t.edges) - 2; i >= 0; i-- {
		h = tlog.NodeHash(t.edges[i], h)
	}
	return h
}

// state is the state with this tree.
func (t *Tree) state(origin string, last map[string]string) *State {
	s := &State{Schema: StateSchema, Origin: origin, Size: t.Size, Root: t.Root(), Hashes: []string{}, Last: last}
	for _, h := range t.edges {
		s.Hashes = append(s.Hashes, h.String())
	}
	return s
}

// Checkpoint names a tree: the body of a C2SP checkpoint.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   string // as base64
}

// Checkpoint is the checkpoint of a state.
func (s *State) Checkpoint() Checkpoint { return Checkpoint{s.Origin, s.Size, s.Root} }

// String is the file checkpoint: three lines.
func (c Checkpoint) String() string { return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, c.Root) }

// ReadCheckpoint reads the file checkpoint. It has exactly three lines, and no other text has their meaning.
func ReadCheckpoint(data []byte) (Checkpoint, error) {
	const form = "expected three lines: " + originForm + ", the number of entries, the root as base64"
	if len(data) > MaxCheckpointBytes {
		return Checkpoint{}, fmt.Errorf("1:1: the checkpoint has %d bytes: %s", len(data), form)
	}
	lines := strings.Split(string(data), "\n")
	if len(lines) != 4 || lines[3] != "" {
		return Checkpoint{}, fmt.Errorf("%d:1: the checkpoint has %d line ends: %s", min(len(lines), 4), bytes.Count(data, []byte("\n")), form)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	switch {
	case !isOrigin(lines[0]):
		return Checkpoint{}, fmt.Errorf("1:1: the first line is %.300q: expected %s", lines[0], originForm)
	case err != nil || size < 1 || strconv.FormatInt(size, 10) != lines[1]:
		return Checkpoint{}, fmt.Errorf("2:1: the second line is %.40q: expected the number of entries, at least 1", lines[1])
	case !isHash(lines[2]):
		return Checkpoint{}, fmt.Errorf("3:1: the third line is %.80q: expected %s", lines[2], hashForm)
	}
	return Checkpoint{lines[0], size, lines[2]}, nil
}
