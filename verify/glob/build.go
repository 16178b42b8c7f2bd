package glob

import (
	"cmp"
	"slices"
	"strings"
)

// newIndex indexes alternatives[i] as the alternatives of pattern i.
func newIndex(alternatives [][]string) *index {
	x := &index{literals: map[string]int{}, others: map[string][]int{}, dirs: map[string]*bucket{}, names: map[string]*bucket{}, extensions: map[string]*bucket{}}
	var filings []filing
	offers := map[key]int{}
	for place, list := range alternatives {
		for _, alternative := range list {
			f := analyse(alternative)
			f.entry.place = place
			for _, k := range f.keys {
				offers[k]++
			}
			filings = append(filings, f)
		}
	}
	for _, f := range filings {
		x.add(f, offers)
	}
	return x
}

// filing is an alternative to be added to the index.
type filing struct {
	entry     entry
	keys      []key // the keys that it can be filed under
	isLiteral bool  // entry.head is the one path that it matches
}

// keyKind is the part of a path that a key is.
type keyKind int

const (
	dirKey keyKind = iota
	nameKey
	extensionKey
)

type key struct {
	kind keyKind
	text string
}

// add files an alternative.
func (x *index) add(f filing, offers map[key]int) {
	if f.isLiteral {
		if _, found := x.literals[f.entry.head]; !found {
			x.literals[f.entry.head] = f.entry.place
		} else {
			x.others[f.entry.head] = append(x.others[f.entry.head], f.entry.place)
		}
		return
	}
	if len(f.keys) == 0 {
		x.rest.entries = append(x.rest.entries, f.entry)
		return
	}
	rarest := slices.MinFunc(f.keys, func(a, b key) int { return cmp.Compare(offers[a], offers[b]) })
	buckets := x.names
	switch rarest.kind {
	case dirKey:
		buckets = x.dirs
		x.longestDir = max(x.longestDir, len(rarest.text))
	case extensionKey:
		buckets = x.extensions
	}
	if buckets[rarest.text] == nil {
		buckets[rarest.text] = &bucket{}
	}
	b := buckets[rarest.text]
	b.entries = append(b.entries, f.entry)
}

// analyse finds the keys and literal parts of every path that an alternative matches.
func analyse(alternative string) filing {
	components := strings.Split(alternative, "/")
	var f filing
	depth := 0 // how many components lead to the first metacharacter
	for i, component := range components {
		name, ok := component, true
		if strings.ContainsAny(component, `*?[\`) { // most have no metacharacter and no escape
			name, ok = literalOf(tokensOf(component))
		}
		if !ok {
			continue
		}
		if depth == i {
			depth++
			f.entry.head += name + "/"
		}
		f.keys = append(f.keys, key{nameKey, name})
	}
	if depth == len(components) {
		return filing{isLiteral: true, entry: entry{head: strings.TrimSuffix(f.entry.head, "/")}}
	}
	if depth > 0 {
		f.keys = append([]key{{dirKey, strings.TrimSuffix(f.entry.head, "/")}}, f.keys...)
	}
	last := len(components) - 1
	before, after := literalEnds(components[depth])
	f.entry.head += before
	if depth < last {
		f.entry.name, after = literalEnds(components[last])
	}
	f.entry.tail = after
	if end := extension(after); end != "" {
		f.keys = append(f.keys, key{extensionKey, end})
	}
	f.entry.pattern = remainder(components, depth)
	return f
}

// literalEnds returns the literal text before the first and after the last metacharacter of a component; both are the whole
// component when there is none.
func literalEnds(component string) (before, after string) {
	tokens := tokensOf(component)
	for len(tokens) > 0 && tokens[0].isLiteral() {
		before += tokens[0].plain
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		return before, before
	}
	for i := len(tokens) - 1; tokens[i].isLiteral(); i-- {
		after = tokens[i].plain + after
	}
	return before, after
}

// remainder returns the pattern that doublestar has to match, "" when head and tail decide: "dir/**" matches what begins with
// "dir/", and "dir/**/*.go" what also ends in ".go".
//
// A "**" at the end becomes "**/*", so that it requires something below the directory: in doublestar, "X/**" matches X.
func remainder(components []string, depth int) string {
	switch rest := components[depth:]; {
	case len(rest) == 1 && rest[0] == "**":
		return ""
	case len(rest) == 2 && rest[0] == "**" && isStarAndText(rest[1]):
		return ""
	}
	pattern := strings.Join(components, "/")
	if components[len(components)-1] == "**" {
		pattern += "/*"
	}
	return pattern
}

// isStarAndText reports whether a component is one "*", perhaps followed by literal text.
func isStarAndText(component string) bool {
	tokens := tokensOf(component)
	if tokens[0].kind != star {
		return false
	}
	_, ok := literalOf(tokens[1:])
	return ok
}
