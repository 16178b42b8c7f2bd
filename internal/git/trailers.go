package git

import (
	"bytes"
	"strings"
)

// Trailer is a line "KEY: VALUE" of the message of a commit.
type Trailer struct {
	Commit ID
	Value  string // not blank; cut, and UTF-8
}

// maxOwn is how many commits a change may have whose messages are read.
const maxOwn = 20_000

// Trailers lists the lines with a key in the messages of the commits that lead from some bases to a head, those of merges
// included. A line counts wherever it stands in a message: a squash puts several messages into one. The case of the key does
// not matter.
func (r *Repo) Trailers(head ID, bases []ID, key string) (list []Trailer, err error) {
	g := newGraph(r)
	var others []int32
	for _, base := range bases {
		others = append(others, g.number(base))
	}
	w := newWalk(g, g.number(head), others...)
	for i, tip := range w.tips {
		if err := w.addMarks(tip, []mark{left, right}[min(i, 1)]); err != nil {
			return nil, err
		}
	}
	if err := w.drain(func() bool { return w.fresh > 0 }); err != nil {
		return nil, err
	}
	own := 0
	for n, marks := range w.marks {
		if marks&both != left {
			continue
		}
		if own++; own > maxOwn {
			return nil, &TooLarge{What: "commits of the change", Limit: maxOwn}
		}
		if g.states[n] == absent {
			return nil, &Incomplete{Commit: g.id(int32(n))}
		}
		found, err := r.read(g.id(int32(n)), limits{want: commitType})
		if err != nil {
			return nil, err
		}
		_, message, _ := bytes.Cut(found.content, []byte("\n\n"))
		for line := range bytes.Lines(message) {
			said, value, ok := bytes.Cut(line, []byte(":"))
			if value = bytes.TrimSpace(value); ok && len(value) > 0 && strings.EqualFold(string(said), key) {
				list = append(list, Trailer{g.id(int32(n)), strings.ToValidUTF8(clipped(value), "\ufffd")})
			}
		}
	}
	return list, nil
}
