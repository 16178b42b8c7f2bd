package pages

import (
	"fmt"

	"github.com/closeout-gate/closeout/internal/present/page"
)

// The picture is so narrow that a phone shows it whole, and its words can be read.
const (
	plotWhole   = 3600 // the plane that it is drawn on
	plotLeft    = 300
	plotWidth   = plotWhole - plotLeft - 60
	plotTop     = 100
	plotHeight  = 1300
	axisHeight  = 250
	labelWidth  = 650 // of a date below the axis
	maxBars     = 26
	segmentTrim = 14 // between two parts of a bar
	widestBar   = 400
	leastHeight = 20 // of a part of a bar, so that it is seen
)

func rule(of page.Word, x1, y1, x2, y2 int) page.Node {
	return page.El("line", page.Class(of), page.Decimal("x1", x1), page.Decimal("y1", y1), page.Decimal("x2", x2), page.Decimal("y2", y2))
}

// words are a text in a picture; of says where it begins and how it looks.
func words(of page.Word, x, y int, s string) page.Node {
	return page.El("text", page.Class(of), page.Decimal("x", x), page.Decimal("y", y), page.Say(s))
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
func axes(from []string, most int) []page.Node {
	list := []page.Node{rule("axis", plotLeft, plotTop+plotHeight, plotLeft+plotWidth, plotTop+plotHeight)}
	levels := []int{0, most}
	if most > 1 {
		levels = []int{0, most / 2, most}
	}
	for _, n := range levels {
		y := plotTop + plotHeight - plotHeight*n/most
		if n > 0 {
			list = append(list, rule("grid", plotLeft, y, plotLeft+plotWidth, y))
		}
		list = append(list, words("tick end", plotLeft-60, y+40, fmt.Sprint(n)))
	}
	return append(list, dates(from, plotTop+plotHeight)...)
}

// dates writes the days on which periods begin below an axis.
func dates(from []string, y int) []page.Node {
	var list []page.Node
	next := 0
	for i, day := range from {
		x, _ := period(i, len(from))
		if x < next || (x > plotLeft+plotWidth-labelWidth && i > 0) {
			continue
		}
		list = append(list, rule("axis", x, y, x, y+50), words("tick", x, y+180, day))
		next = x + max(labelWidth+140, plotWidth/6)
	}
	return list
}

// stack draws a bar for each period, its kinds on top of each other with the ground between them.
func (s *series) stack(kinds []page.Segment, most int) []page.Node {
	var bars []page.Node
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
			bars = append(bars, page.Rect(kinds[k][0], x+(width-thick)/2, top, thick, bottom-top))
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
		most = max(most, page.Sum(counts))
	}
	return most
}

// table is the numbers of a series, those without any left out.
func (s *series) table(caption string, kinds []page.Segment) page.Node {
	columns := []page.Column{{"From"}}
	for _, k := range kinds {
		columns = append(columns, page.Column{k[1], "n"})
	}
	var rows []page.Node
	for i, counts := range s.counts {
		if page.Sum(counts) == 0 {
			continue
		}
		cells := []page.Node{page.Say(s.from[i])}
		for _, n := range counts {
			cells = append(cells, page.Count(n))
		}
		rows = append(rows, page.Row(columns, cells...))
	}
	return page.Grid(caption, columns, rows)
}

// share is "12.5 %" of n parts of all; whole numbers have no decimal place.
func share(n, all int) string {
	tenths := (1000*n + all/2) / max(all, 1)
	return page.InTenths(tenths) + " %"
}
