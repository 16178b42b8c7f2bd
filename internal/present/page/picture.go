package page

import (
	"fmt"
	"strings"
)

// PlaneWidth is how wide the plane is that pictures are drawn on; lengths are in tenths.
const PlaneWidth = 7200

// Rect is a rectangle in a picture.
func Rect(of Word, x, y, width, height int) Node {
	return El("rect", Class(of), Decimal("x", x), Decimal("y", y), Decimal("width", width), Decimal("height", height))
}

// Picture is a drawing on a plane, with a name and the sentence that says what it shows.
func Picture(id, name Word, sentence string, width, height int, body []Node) Node {
	return El("svg", At("role", "img"), At("aria-labelledby", id+"-name"), At("aria-describedby", id+"-says"), ViewBox(width, height),
		El("title", At("id", id+"-name"), Say(string(name))), El("desc", At("id", id+"-says"), Say(sentence)), Nodes(body))
}

// Patterns fill what must be told apart without colour. They stand once in a page.
func Patterns() Node {
	pattern := func(id Word, size int, body ...Node) Node {
		return El("pattern", At("id", id), Decimal("width", size), Decimal("height", size), At("patternUnits", "userSpaceOnUse"), Nodes(body))
	}
	path := func(of, d Word) Node { return El("path", Class(of), At("d", d)) }
	return El("svg", Class("defs"), At("aria-hidden", "true"), At("focusable", "false"), number("width", 0), number("height", 0), El("defs",
		pattern("p-overridden", 60, path("overridden-line", "M-1 7L7 -1M-1 1L1 -1M5 7L7 5")),
		pattern("p-review", 50, path("review-line", "M1 1h2v2h-2z")),
		pattern("p-gap", 60, path("gap-line", "M-1 -1L7 7M-1 5L1 7M5 -1L7 1")),
		pattern("p-missing", 50, path("missing-line", "M0 0L5 5M5 0L0 5")),
		pattern("p-bound", 50, path("bound-line", "M0 2h5")),
	))
}

// Segment is one part of what is counted, from the bottom of a bar to its top: its class and its name.
type Segment [2]Word

// Legend lists segments, each with the look of its bars.
func Legend(kinds []Segment, amount func(i int) int) Node {
	var items []Node
	for i, k := range kinds {
		swatch := El("svg", Class("swatch"), At("aria-hidden", "true"), At("focusable", "false"), ViewBox(140, 140), Rect(k[0], 5, 5, 130, 130))
		items = append(items, El("li", swatch, Say(string(k[1]), " ", fmt.Sprint(amount(i)))))
	}
	return El("ul", Class("legend"), Nodes(items))
}

// Sum is the sum of a list.
func Sum(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}

// AndList is "a, b and c".
func AndList(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
