package present

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// WriteDiffRules prints what was found, the worst first, how many rules found nothing, and of which tests none can say
// anything.
func WriteDiffRules(w io.Writer, d *reports.Diff) error {
	var b strings.Builder
	failed := d.Failed()
	input.SortStable(failed, func(x, y reports.DiffRow) int {
		if order := x.Severity.Rank() - y.Severity.Rank(); order != 0 {
			return order
		}
		return x.Compare(&y)
	})
	counts := map[input.Severity]int64{}
	for _, r := range failed {
		counts[r.Severity]++
		writeDiffRow(&b, &r)
	}
	passed := int64(len(d.Rules) - len(failed))
	if len(failed) == 0 {
		fmt.Fprintf(&b, "nothing found by %s\n", input.Plural(passed, "rule"))
	} else {
		fmt.Fprintf(&b, "%d block, %d warn, %d info; %s found nothing\n", counts[input.Block], counts[input.Warn], counts[input.Info], input.Plural(passed, "rule"))
		fmt.Fprintf(&b, "closeout explain %s explains a rule, and what to do.\n", failed[0].ID)
	}
	for _, u := range d.Unread {
		fmt.Fprintf(&b, "%s: no rule reads %s, the language of %s of tests\n", Neutral(u.File), u.Language, input.Plural(u.Files, "touched file"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeDiffRow prints a row. Its texts and its path come from the change: each stays on its line, so that none looks
// like a row.
func writeDiffRow(b *strings.Builder, r *reports.DiffRow) {
	place := cmp.Or(Neutral(r.File), "the change")
	if r.Line > 0 {
		place += fmt.Sprintf(":%d", r.Line)
	}
	if r.Side == reports.SideBase {
		place += " (at the merge base)"
	}
	fmt.Fprintf(b, "%s: %s %s: %s\n", place, r.Severity, r.ID, Neutral(r.Detail))
	for _, part := range []struct{ name, text string }{{"was", r.Was}, {"now", r.Now}, {"fix", r.Fix}} {
		if part.text != "" {
			fmt.Fprintf(b, "    %s: %s\n", part.name, Neutral(part.text))
		}
	}
}
