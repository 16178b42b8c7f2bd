package glob

import (
	"math"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// noMatch is the place of no pattern: behind every other.
const noMatch = math.MaxInt

// index finds the first pattern of a list that matches a path.
//
// Patterns without metacharacters are looked up as a whole. Every other one is filed under one key, a text that each path
// it matches must have: a leading folder, the name of some component, or the extension. Of the keys that a pattern
// offers it takes the one that fewest others offer, so that a path meets few patterns which do not match it. What offers none
// (as "*_test?") is held against every path.
type index struct {
	literals   map[string]int   // the place of the first such pattern
	others     map[string][]int // the places of the others, for those that ask for all
	dirs       map[string]*bucket
	names      map[string]*bucket
	extensions map[string]*bucket
	rest       bucket
	longestDir int // bytes of the longest key of dirs
}

// bucket holds the patterns under one key, in the order of the list.
type bucket struct{ entries []entry }

// entry is an alternative of a pattern.
type entry struct {
	place   int    // of the pattern in the list
	head    string // what a path must begin with
	tail    string // what it must end in
	name    string // what its last component must begin with
	pattern string // what doublestar must then say yes to; "" when head and tail decide
}

// matches decides. The literal parts are not only quicker than doublestar: head and tail alone say yes to most paths.
func (e *entry) matches(path string) bool {
	return e.couldMatch(path) && (e.pattern == "" || doublestar.MatchUnvalidated(e.pattern, path))
}

// couldMatch reports whether a path has the literal parts.
func (e *entry) couldMatch(path string) bool {
	return strings.HasPrefix(path, e.head) && strings.HasSuffix(path, e.tail) &&
		(e.name == "" || strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], e.name))
}

// first returns the smaller of best and the place of the first pattern in the bucket that matches.
func (b *bucket) first(path string, best int, m *Meter) int {
	for i := range b.entries {
		e := &b.entries[i]
		if e.place >= best {
			break
		}
		m.try(e, path)
		if e.matches(path) {
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
			if m.try(e, path); m.Spent() {
				return found
			}
			if e.matches(path) {
				found = append(found, e.place)
			}
		}
	}
	return found
}

// candidates appends the buckets whose key the path has to found, each once: a path may hold the same name 500 times.
func (x *index) candidates(path string, found []*bucket) []*bucket {
	start := 0
	for start <= len(path) {
		end := len(path)
		if slash := strings.IndexByte(path[start:], '/'); slash >= 0 {
			end = start + slash
			if b := x.dir(path[:end]); b != nil {
				found = append(found, b)
			}
		}
		if b := x.names[path[start:end]]; b != nil && !holds(found, b) {
			found = append(found, b)
		}
		start = end + 1
	}
	if b := x.extensions[extension(path)]; b != nil {
		found = append(found, b)
	}
	return found
}

// dir returns the bucket of a leading folder. It hashes no text that is longer than every key.
func (x *index) dir(path string) *bucket {
	if len(path) > x.longestDir {
		return nil
	}
	return x.dirs[path]
}

func holds(list []*bucket, b *bucket) bool {
	for _, have := range list {
		if have == b {
			return true
		}
	}
	return false
}

// extension returns the end of the last component of a path, or of the text behind the last metacharacter of a pattern,
// from the last dot on; "" when there is none.
func extension(text string) string {
	text = text[strings.LastIndexByte(text, '/')+1:]
	if dot := strings.LastIndexByte(text, '.'); dot >= 0 {
		return text[dot:]
	}
	return ""
}
