package present

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// planeWidth is how wide the plane is that pictures are drawn on; lengths are in tenths.
const planeWidth = 7200

// All charts over time have the same axis.
const (
	plotLeft    = 620
	plotWidth   = planeWidth - plotLeft - 120
	plotTop     = 200
	plotHeight  = 2000
	axisHeight  = 300
	shortLabel  = 26  // characters of a name beside a bar
	labelWidth  = 560 // of a date below the axis
	maxBars     = 120 // in a chart over time
	maxPoints   = 30  // in a line with a number at each point
	maxNames    = 10  // in a chart of names
	maxMarks    = 600 // in a strip
	segmentTrim = 14  // between two parts of a bar
	widestBar   = 900
	leastHeight = 20 // of a part of a bar, so that it is seen
)

// figure is a picture, the sentence that says what it shows, and its numbers.
type figure struct {
	id, title word
	sentence  string
	height    int
	body      []node
	legend    node
	numbers   node
}

// chart is the picture with its title, sentence, legend and numbers; the sentence is also shown.
func (f *figure) chart() []node {
	picture := el("svg", at("role", "img"), at("aria-labelledby", f.id+"-name"), at("aria-describedby", f.id+"-says"), viewBox(planeWidth, f.height),
		el("title", at("id", f.id+"-name"), say(string(f.title))), el("desc", at("id", f.id+"-says"), say(f.sentence)), nodes(f.body))
	return []node{
		el("p", class("says"), say(f.sentence)),
		el("figure", f.legend,
			el("div", class("scroll plot"), at("role", "region"), at("tabindex", "0"), spoken(string(f.title)), picture),
			fold(false, "Show the numbers", f.numbers)),
	}
}

func rect(of word, x, y, width, height int) node {
	return el("rect", class(of), decimal("x", x), decimal("y", y), decimal("width", width), decimal("height", height))
}

func rule(of word, x1, y1, x2, y2 int) node {
	return el("line", class(of), decimal("x1", x1), decimal("y1", y1), decimal("x2", x2), decimal("y2", y2))
}

// words are a text in a picture; of says where it begins and how it looks.
func words(of word, x, y int, s string) node {
	return el("text", class(of), decimal("x", x), decimal("y", y), say(s))
}

// patterns fill what must be told apart without colour. They stand once in a page.
func patterns() node {
	pattern := func(id word, size int, body ...node) node {
		return el("pattern", at("id", id), decimal("width", size), decimal("height", size), at("patternUnits", "userSpaceOnUse"), nodes(body))
	}
	path := func(of, d word) node { return el("path", class(of), at("d", d)) }
	return el("svg", class("defs"), at("aria-hidden", "true"), at("focusable", "false"), number("width", 0), number("height", 0), el("defs",
		pattern("p-overridden", 60, path("overridden-line", "M-1 7L7 -1M-1 1L1 -1M5 7L7 5")),
		pattern("p-review", 50, path("review-line", "M1 1h2v2h-2z")),
		pattern("p-gap", 60, path("gap-line", "M-1 -1L7 7M-1 5L1 7M5 -1L7 1")),
		pattern("p-missing", 50, path("missing-line", "M0 0L5 5M5 0L0 5")),
		pattern("p-claimed", 50, path("claimed-line", "M1 1h2v2h-2z")),
		pattern("p-bound", 50, path("bound-line", "M0 2h5")),
	))
}

// kind is one kind of what is counted, from the bottom of a bar to its top.
type kind struct {
	class, name word
}

// legend lists kinds, each with the look of its bars.
func legend(kinds []kind, amount func(i int) int) node {
	var items []node
	for i, k := range kinds {
		swatch := el("svg", class("swatch"), at("aria-hidden", "true"), at("focusable", "false"), viewBox(140, 140), rect(k.class, 5, 5, 130, 130))
		items = append(items, el("li", swatch, say(string(k.name), " ", fmt.Sprint(amount(i)))))
	}
	return el("ul", class("legend"), nodes(items))
}

// series is what is counted in periods.
type series struct {
	from   []string // the first day of each period
	counts [][]int  // of each period, one for each kind
}

// joined joins neighbours until there are at most that many periods, and says how many became one.
func (s *series) joined(most int) (joined *series, size int) {
	size = max(1, (len(s.from)+most-1)/most)
	joined = &series{}
	for i := 0; i < len(s.from); i += size {
		sum := make([]int, len(s.counts[i]))
		for _, counts := range s.counts[i:min(i+size, len(s.counts))] {
			for k, n := range counts {
				sum[k] += n
			}
		}
		joined.from, joined.counts = append(joined.from, s.from[i]), append(joined.counts, sum)
	}
	return joined, size
}

// period is where the period i of n begins, and how wide it is.
func period(i, n int) (x, width int) {
	x = plotLeft + plotWidth*i/n
	return x, plotLeft + plotWidth*(i+1)/n - x
}

// axes are the lines and words around bars: the levels 0, half and most, and as many dates as there is room for.
func axes(from []string, most int, unit string) []node {
	list := []node{rule("axis", plotLeft, plotTop+plotHeight, plotLeft+plotWidth, plotTop+plotHeight)}
	levels := []int{0, most}
	if most > 1 {
		levels = []int{0, most / 2, most}
	}
	for _, n := range levels {
		y := plotTop + plotHeight - plotHeight*n/most
		if n > 0 {
			list = append(list, rule("grid", plotLeft, y, plotLeft+plotWidth, y))
		}
		list = append(list, words("tick end", plotLeft-60, y+40, fmt.Sprint(n)+unit))
	}
	return append(list, dates(from, plotTop+plotHeight)...)
}

// dates writes the days on which periods begin below an axis.
func dates(from []string, y int) []node {
	var list []node
	next := 0
	for i, day := range from {
		x, _ := period(i, len(from))
		if x < next || x > plotLeft+plotWidth-labelWidth && i > 0 {
			continue
		}
		list = append(list, rule("axis", x, y, x, y+50), words("tick", x, y+180, day))
		next = x + max(labelWidth+140, plotWidth/6)
	}
	return list
}

// stack draws a bar for each period, its kinds on top of each other with the ground between them.
func (s *series) stack(kinds []kind, most int) []node {
	var bars []node
	for i, counts := range s.counts {
		x, width := period(i, len(s.counts))
		thick := min(max(width-min(width/6, 40), 10), widestBar)
		bottom, sum := plotTop+plotHeight-segmentTrim, 0
		for k, n := range counts {
			if n == 0 {
				continue
			}
			sum += n
			top := min(plotTop+plotHeight-plotHeight*sum/most, bottom-leastHeight)
			bars = append(bars, rect(kinds[k].class, x+(width-thick)/2, top, thick, bottom-top))
			bottom = top - segmentTrim
		}
	}
	return bars
}

// column is what is counted of one kind, in each period.
func (s *series) column(k int) []int {
	list := make([]int, len(s.counts))
	for i, counts := range s.counts {
		list[i] = counts[k]
	}
	return list
}

// total is the largest sum of a period.
func (s *series) total() int {
	most := 0
	for _, counts := range s.counts {
		most = max(most, sum(counts))
	}
	return most
}

func sum(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}

// table is the numbers of a series, those without any left out.
func (s *series) table(caption string, kinds []kind) node {
	columns := []column{{title: "From"}}
	for _, k := range kinds {
		columns = append(columns, column{k.name, "n"})
	}
	var rows []node
	for i, counts := range s.counts {
		if sum(counts) == 0 {
			continue
		}
		cells := []node{say(s.from[i])}
		for _, n := range counts {
			cells = append(cells, count(n))
		}
		rows = append(rows, row(columns, cells...))
	}
	return grid(caption, columns, rows, true)
}

// bar is a name and how often it occurs.
type bar struct {
	name  string // foreign
	times int
	note  string // foreign; "" for none
}

// bars draws a horizontal bar for each name, with the number at its end.
func bars(list []bar, of word) (body []node, height int) {
	const left, thick, pitch = 2000, 160, 280
	most := 1
	for _, b := range list {
		most = max(most, b.times)
	}
	for i, b := range list {
		y := 60 + i*pitch
		length := max((planeWidth-left-700)*b.times/most, 20)
		body = append(body, words("tick end", left-80, y+120, shortened(b.name)), rect(of, left, y, length, thick),
			words("value", left+length+60, y+125, fmt.Sprint(b.times)))
	}
	return append(body, rule("axis", left, 20, left, 60+len(list)*pitch-60)), 60 + len(list)*pitch
}

// shortened is a name that fits beside a bar.
func shortened(s string) string {
	if runes := []rune(visible(s)); len(runes) > shortLabel {
		return string(runes[:shortLabel-1]) + "…"
	}
	return s
}

// barTable is the numbers of bars, as far as there is room; note is the title of the last column, "" for none.
func barTable(caption string, name, unit, note word, list []bar, all *room) node {
	columns := []column{{title: name}, {unit, "n"}}
	if note != "" {
		columns = append(columns, column{title: note})
	}
	return all.table(listing{percent: 10, caption: caption, columns: columns, n: len(list), more: inJSON, cells: func(i int) []node {
		return []node{foreign(list[i].name), count(list[i].times), foreign(list[i].note)}[:len(columns)]
	}})
}

// share is "12.5 %" of n parts of all; whole numbers have no decimal place.
func share(n, all int) string {
	tenths := (1000*n + all/2) / max(all, 1)
	return inTenths(tenths) + " %"
}

// shares are the parts of a whole that numbers have. They add up to the whole: those that lost most by rounding down get what is left.
func shares(numbers []int, whole int) []int {
	all := max(sum(numbers), 1)
	parts, order := make([]int, len(numbers)), make([]int, len(numbers))
	left := whole
	for i, n := range numbers {
		parts[i], order[i] = whole*n/all, i
		left -= parts[i]
	}
	if sum(numbers) == 0 {
		return parts
	}
	input.SortStable(order, func(a, b int) int { return cmp.Compare(whole*numbers[b]%all, whole*numbers[a]%all) })
	for _, i := range order[:left] {
		parts[i]++
	}
	return parts
}

// busiest is the index of the largest value of a list, the first one; -1 when all are 0.
func busiest(list []int) int {
	most := slices.Max(append([]int{0}, list...))
	if most == 0 {
		return -1
	}
	return slices.Index(list, most)
}

// plural is "1 merge", "2 merges".
func plural(n int, noun string) string { return input.Plural(int64(n), noun) }

// andList is "a, b and c".
func andList(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
