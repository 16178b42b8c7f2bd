package glob

import (
	"slices"
	"unicode/utf8"
)

// Set is a list of compiled patterns. It answers as if each of them were tried in order. A nil, zero or empty set matches
// nothing; no set matches the empty path. A set is safe for concurrent use.
type Set struct {
	written []string
	exact   *index
	folded  *index // nil in an exact set
	meter   *Meter
}

// Metered sets the meter of the set, and returns the set. A set with a meter is not safe for concurrent use.
func (s *Set) Metered(m *Meter) *Set {
	s.meter = m
	return s
}

// Compile returns the set for a list that allows: paths are compared byte by byte. A path that is not valid UTF-8 matches no
// pattern, not even "**", because the author of the list cannot have meant it.
func Compile(patterns []Pattern) *Set {
	s := &Set{written: make([]string, 0, len(patterns))}
	alternatives := make([][]string, 0, len(patterns))
	for _, p := range patterns {
		s.written = append(s.written, p.written)
		alternatives = append(alternatives, p.alternatives)
	}
	s.exact = newIndex(alternatives)
	return s
}

// CompileFolded returns the set for a list that denies or protects: a path matches as it is, and also if it matches after Fold
// was applied to path and pattern. Classes are folded character by character: "[A-Z]" matches "q". In a path that is not valid
// UTF-8, "*", "**" and "?" match invalid bytes.
func CompileFolded(patterns []Pattern) *Set {
	s := Compile(patterns)
	alternatives := make([][]string, 0, len(patterns))
	f := patternFolder{classes: map[string]string{}}
	for _, p := range patterns {
		folded := make([]string, 0, len(p.alternatives))
		for _, alternative := range p.alternatives {
			folded = append(folded, f.alternative(alternative))
		}
		alternatives = append(alternatives, unique(folded))
	}
	s.folded = newIndex(alternatives)
	return s
}

// Match reports whether a pattern of the set matches the path.
func (s *Set) Match(path string) bool {
	_, _, ok := s.Which(path)
	return ok
}

// Which returns the first pattern, in the order of the list, that matches the path. exact is false when that pattern
// matches only after folding, which only sets of CompileFolded do.
func (s *Set) Which(path string) (pattern string, exact bool, ok bool) {
	if s == nil || len(s.written) == 0 || path == "" || (s.folded == nil && !utf8.ValidString(path)) {
		return "", false, false
	}
	s.meter.count(askSteps + int64(len(path)))
	place, folded := s.exact.first(path, s.meter), noMatch
	if s.folded != nil {
		folded = s.folded.first(Fold(path), s.meter)
	}
	if best := min(place, folded); best != noMatch {
		return s.written[best], place <= folded, true
	}
	return "", false, false
}

// All returns the places in the list of all patterns that match the path, in order.
func (s *Set) All(path string) []int {
	if s == nil || len(s.written) == 0 || path == "" || (s.folded == nil && !utf8.ValidString(path)) {
		return nil
	}
	s.meter.count(askSteps + int64(len(path)))
	places := s.exact.all(path, nil, s.meter)
	if s.folded != nil {
		places = s.folded.all(Fold(path), places, s.meter)
	}
	slices.Sort(places)
	return slices.Compact(places)
}
