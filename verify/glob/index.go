package glob

import (
	"math"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// noMatch is a place after every pattern.
const noMatch = math.MaxInt

// index finds the first pattern of a list that matches a path.
//
// Patterns without metacharacters are looked up as a whole. Every other one is filed under one key, a text that each matching
// path contains: a leading directory, the name of a component, or the extension. Of the possible keys of a pattern, the index
// uses the one that the fewest others have, so that few patterns are tried without a match. A pattern without keys (such as
// "*_test?") is tried for every path.
type index struct {
	literals   map[string]int   // the place of the first such pattern
	others     map[string][]int // the places of the others, for all
	dirs       map[string]*bucket
	names      map[string]*bucket
	extensions map[string]*bucket
	rest       bucket
	longestDir int // bytes of the longest key of dirs
}

// bucket contains the patterns under one key, in the order of the list.
type bucket struct{ entries []entry }

// entry is an alternative of a pattern.
type entry struct {
	place   int    // of the pattern in the list
	head    string // prefix of a matching path
	tail    string // suffix of it
	name    string // prefix of its last component
	pattern string // what doublestar must match as well; "" when head and tail decide
}

// matches reports whether a path matches. Head and tail are not only faster than doublestar: for most patterns they decide.
func (e *entry) matches(path string, m *Meter) bool {
	m.count(1)
	if !strings.HasPrefix(path, e.head) || !strings.HasSuffix(path, e.tail) ||
		(e.name != "" && !strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], e.name)) {
		return false
	}
	m.count(int64(len(path)) * int64(len(e.pattern)))
	return e.pattern == "" || doublestar.MatchUnvalidated(e.pattern, path)
}

// first returns the smaller of best and the place of the first pattern in the bucket that matches.
func (b *bucket) first(path string, best int, m *Meter) int {
	for i := range b.entries {
		e := &b.entries[i]
		if e.place >= best {
			break
		}
		if e.matches(path, m) {
			return e.place
		}
	}
	return best
}

// first returns the place of the first pattern that matches, or noMatch.
func (x *index) first(path string, m *Meter) int {
	best := noMatch
	if place, found := x.literals[path]; found {
		best = place
	}
	best = x.rest.first(path, best, m)
	var room [16]*bucket
	for _, b := range x.candidates(path, room[:0]) {
		best = b.first(path, best, m)
	}
	return best
}

// all appends the places of all patterns that match, in any order and some of them twice, to found.
func (x *index) all(path string, found []int, m *Meter) []int {
	if place, known := x.literals[path]; known {
		found = append(append(found, place), x.others[path]...)
	}
	var room [16]*bucket
	for _, b := range append(x.candidates(path, room[:0]), &x.rest) {
		for i := range b.entries {
			e := &b.entries[i]
			matches := e.matches(path, m)
			if m.Spent() {
				return found
			}
			if matches {
				found = append(found, e.place)
			}
		}
	}
	return found
}

// candidates appends the buckets whose key the path contains to found, each once: a path may contain a name 500 times.
func (x *index) candidates(path string, found []*bucket) []*bucket {
	start := 0
	for start <= len(path) {
		end := len(path)
		if slash := strings.IndexByte(path[start:], '/'); slash >= 0 {
			end = start + slash
			if end <= x.longestDir { // no longer text is hashed
				if b := x.dirs[path[:end]]; b != nil {
					found = append(found, b)
				}
			}
		}
		if b := x.names[path[start:end]]; b != nil && !slices.Contains(found, b) {
			found = append(found, b)
		}
		start = end + 1
	}
	if b := x.extensions[extension(path)]; b != nil {
		found = append(found, b)
	}
	return found
}

// extension returns the extension of a path, or of the text after the last metacharacter of a pattern; "" when there is none.
func extension(text string) string {
	text = text[strings.LastIndexByte(text, '/')+1:]
	if dot := strings.LastIndexByte(text, '.'); dot >= 0 {
		return text[dot:]
	}
	return ""
}
