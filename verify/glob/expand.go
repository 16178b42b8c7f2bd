package glob

import (
	"fmt"
	"strings"
)

// checkBraces refuses unbalanced braces, braces without a comma, and braces with too many alternatives. It takes one step per
// token at any depth.
func checkBraces(tokens []token) *Error {
	groups := []group{{product: 1}}
	for _, t := range tokens {
		top := &groups[len(groups)-1]
		switch {
		case t.kind == open:
			groups = append(groups, group{product: 1})
		case t.kind == comma && len(groups) > 1:
			top.next()
		case t.kind == closing && len(groups) == 1:
			return unbalanced("}")
		case t.kind == closing && top.commas == 0:
			return &Error{"braces without a comma have no effect", "braces without a comma", "alternatives, as in \"{a,b}\"",
				`remove the braces, or write "\\{" and "\\}" for the characters themselves`}
		case t.kind == closing:
			top.next()
			groups = groups[:len(groups)-1]
			around := &groups[len(groups)-1]
			around.product = min(around.product*top.sum, MaxAlternatives+1)
		}
	}
	if len(groups) > 1 {
		return unbalanced("{")
	}
	if groups[0].product > MaxAlternatives {
		return &Error{"the braces have too many alternatives", fmt.Sprintf("more than %d", MaxAlternatives),
			fmt.Sprintf("at most %d, including duplicates", MaxAlternatives), `split the pattern into several, or use "*"`}
	}
	return nil
}

func unbalanced(brace string) *Error {
	return &Error{"the braces are not balanced", "a " + quote(brace) + " without its partner", "as many \"{\" as \"}\"",
		"complete the pair, or write " + quote(`\`+brace) + " for the character itself"}
}

// group counts the alternatives of a pair of braces, or of the whole pattern. Products stop one above the limit, to avoid an
// overflow: a pattern may contain 85 pairs of braces.
type group struct{ sum, product, commas int }

// next ends an alternative.
func (g *group) next() {
	g.sum += g.product
	g.product = 1
	g.commas++
}

// expand returns the alternatives of a pattern, in order and without duplicates. The tokens have passed checkBraces, so that
// there are never more than MaxAlternatives of them.
func expand(tokens []token) ([]string, *Error) {
	e := expander{tokens: tokens}
	alternatives := e.sequence(0)
	if e.glued != "" {
		return nil, &Error{`the braces produce two adjacent "*", which would read as "**"`, quote(e.glued), `one "*"`,
			`remove one "*", or write the alternatives as separate patterns`}
	}
	return unique(alternatives), nil
}

// expander walks over tokens. A closing brace or comma ends a sequence.
type expander struct {
	tokens []token
	next   int
	glued  string // an alternative in which the expansion produced a "**"; "" if none
}

// sequence expands up to the end, or, inside braces, up to the end of the alternative.
func (e *expander) sequence(depth int) []string {
	results := []string{""}
	var run strings.Builder
	for ; e.next < len(e.tokens); e.next++ {
		t := e.tokens[e.next]
		if depth > 0 && (t.kind == comma || t.kind == closing) {
			break
		}
		if t.kind != open {
			run.WriteString(t.text)
			continue
		}
		results = e.join(results, []string{run.String()})
		run.Reset()
		results = e.join(results, e.group(depth+1))
	}
	return e.join(results, []string{run.String()})
}

// group expands the braces that open at the current token, and stops at the closing one.
func (e *expander) group(depth int) []string {
	var results []string
	for e.tokens[e.next].kind != closing {
		e.next++
		results = append(results, e.sequence(depth)...)
	}
	return results
}

// join returns each of heads followed by each of tails.
func (e *expander) join(heads, tails []string) []string {
	if len(tails) == 1 && tails[0] == "" {
		return heads
	}
	joined := make([]string, 0, len(heads)*len(tails))
	for _, head := range heads {
		for _, tail := range tails {
			if endsInStar(head) && strings.HasPrefix(tail, "*") {
				e.glued = head + tail
			}
			joined = append(joined, head+tail)
		}
	}
	return joined
}

// endsInStar reports whether the last character is a "*" that is not escaped.
func endsInStar(s string) bool {
	before, found := strings.CutSuffix(s, "*")
	backslashes := len(before) - len(strings.TrimRight(before, `\`))
	return found && backslashes%2 == 0
}

// unique removes duplicates.
func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	kept := list[:0]
	for _, s := range list {
		if !seen[s] {
			kept = append(kept, s)
		}
		seen[s] = true
	}
	return kept
}
