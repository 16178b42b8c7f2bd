package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/closeout-gate/closeout/verify/archive"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/report"
)

// ArchiveFormats are the formats of [WriteArchive]. The first is the default.
var ArchiveFormats = []string{"text", "json"}

// maxShownProblems is how many problems the text shows.
const maxShownProblems = 50

// WriteArchive writes what archive verify found.
func WriteArchive(w io.Writer, c *archive.Check, format string) error {
	if format == "json" {
		data, err := report.CanonicalJSON(c)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	var b strings.Builder
	count := int64(len(c.Problems) + c.ProblemsOmitted)
	if count == 0 {
		fmt.Fprintf(&b, "intact: %s in commit %.12s of %s\n", diag.Plural(c.Size, "entry"), c.Commit, orUnknown(c.Origin))
	} else {
		fmt.Fprintf(&b, "not intact: %s in %s of commit %.12s of %s\n", diag.Plural(count, "problem"), diag.Plural(c.Size, "entry"), c.Commit, orUnknown(c.Origin))
	}
	for i, p := range c.Problems {
		if i == maxShownProblems {
			break
		}
		seq := ""
		if p.Seq != nil {
			seq = fmt.Sprintf(" (entry %d)", *p.Seq)
		}
		fmt.Fprintf(&b, "\n%s%s: %s\n  expected: %s\n  found:    %s\n", p.Path, seq, p.Message, p.Expected, p.Actual)
	}
	if more := count - maxShownProblems; more > 0 {
		fmt.Fprintf(&b, "\nand %s more: --format json lists up to %d\n", diag.Plural(more, "problem"), archive.MaxProblems)
	}
	if count > 0 {
		b.WriteByte('\n')
	}
	archiveNumbers(&b, c)
	_, err := io.WriteString(w, b.String())
	return err
}

// archiveNumbers says what was compared, and what that rests on.
func archiveNumbers(b *strings.Builder, c *archive.Check) {
	n := c.Counts
	fmt.Fprintf(b, "  %s, %s (%d closed later), %d withdrawn; %s, %d omitted\n",
		diag.Plural(int64(n.Decisions), "decision"), diag.Plural(int64(n.Gaps), "gap"), n.Repaired, n.Withdrawn, diag.Plural(int64(n.Files), "file"), n.Omitted)
	if n.Replayed > 0 {
		fmt.Fprintf(b, "  replayed: %s\n", diag.Plural(int64(n.Replayed), "decision"))
	}
	complete := "the whole history of the branch"
	if !c.History.Complete {
		complete = "not the whole history: the clone is shallow"
	}
	fmt.Fprintf(b, "  root: %s\n  history: %s, %s\n", c.Root, diag.Plural(int64(c.History.Commits), "commit"), complete)
	if c.Anchor == report.AnchorCheckpoint {
		b.WriteString("  anchor: checkpoint\n")
	} else {
		b.WriteString("  anchor: none; a history that was rewritten as a whole is found with --since-checkpoint\n")
	}
}

func orUnknown(origin string) string {
	if origin == "" {
		return "an unknown archive"
	}
	return origin
}
