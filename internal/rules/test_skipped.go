package rules

import (
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findSkippedTest finds tests that ran at the merge base and are skipped at the head, whatever the machine.
func findSkippedTest(c *Change, report func(Hit)) {
	marked(c, report, "skipped now", "remove the skip, and fix what the test finds", func(head *Test) bool {
		return head.ranBefore() && !head.disabled
	})
}

var markedRow = input.Lazily(`^\s*(?:pytest\.)?param\((.+),\s*marks=\[?(?:pytest\.)?mark\.(?:skip|xfail)\b(?:\((?:reason=)?["'][^()]*\)|\(\))?\]?(?:,\s*id=.*)?\),?$`)

// findSkippedRow finds rows of a table of pytest that ran at the merge base and are skipped at the head.
func findSkippedRow(c *Change, report func(Hit)) {
	for _, f := range c.tests().files {
		if f.Lang() != source.Python || f.Base == nil || f.Head == nil {
			continue
		}
		before := map[string]bool{}
		for _, l := range f.Removed() {
			before[rowKey(l.Text)] = true
		}
		var found firstHit
		for _, l := range f.Added() {
			m := markedRow().FindSubmatch(l.Text[:min(len(l.Text), maxNear)])
			if m == nil || !before[rowKey(m[1])] {
				continue
			}
			found.add(f.hit(0, l.Number, "", "a row of a table of tests is skipped now", "remove the skip, and fix what the test finds"))
		}
		found.report(report)
	}
}

// rowKey is what a row says, with or without the brackets or the call around it.
func rowKey(text []byte) string {
	key := strings.TrimSuffix(lineKey(text), ",")
	key = strings.TrimPrefix(strings.TrimPrefix(key, "pytest."), "param")
	return strings.TrimRight(strings.Trim(key, "()"), ",")
}

// findSkippedNewTest finds new tests that never run.
func findSkippedNewTest(c *Change, report func(Hit)) {
	marked(c, report, "new, and skipped", "let the test run, or leave it out until it can", func(head *Test) bool {
		return head.twin == nil && !head.disabled && !isForeign(head.in.Path)
	})
}

// marked reports the tests of the head that a mark keeps from running, a hit for each file.
func marked(c *Change, report func(Hit), what, fix string, wanted func(head *Test) bool) {
	for _, f := range c.tests().files {
		var found []*Test
		for _, one := range f.head {
			if one.mark > 0 && !one.Group && wanted(one) {
				found = append(found, one)
			}
		}
		if len(found) == 0 {
			continue
		}
		h := hitOn(found, what)
		h.Line, h.Now, h.Fix = found[0].mark, string(f.Head.Line(found[0].mark)), fix
		report(h)
	}
}
