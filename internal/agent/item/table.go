package item

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/verify/input"
)

// StatusFormats are the formats of [WriteStatus]. The first is the default.
var StatusFormats = []string{"text", "json", "csv"}

// statusColumns are those that follow the columns of the list.
var statusColumns = []string{"id", "state", "tries", "holding", "head", "report_sha256", "because"}

// WriteStatus writes the status of the items. Text, cells and tables are neutral.
func WriteStatus(w io.Writer, s *Status, format string) (err error) {
	var b bytes.Buffer
	switch format {
	case "json":
		err = json.NewEncoder(&b).Encode(s)
	case "csv":
		err = statusCSV(&b, s)
	default:
		statusText(&b, s)
	}
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	return err
}

// statusCSV writes a line for each item (RFC 4180).
func statusCSV(w io.Writer, s *Status) error {
	c := csv.NewWriter(w)
	c.UseCRLF = true
	rows := [][]string{slices.Concat(s.Columns, statusColumns)}
	for _, it := range s.Items {
		rows = append(rows, append(slices.Clip(it.Values),
			it.ID, string(it.State), strconv.Itoa(it.Tries), strconv.FormatBool(it.Holding), it.Head, it.Report, it.Because))
	}
	for _, row := range rows {
		for i := range row {
			row[i] = present.Cell(row[i])
		}
	}
	return c.WriteAll(rows)
}

// statusShown is how many items of a kind the text lists.
const statusShown = 20

func statusText(b *bytes.Buffer, s *Status) {
	c := s.Counts
	fmt.Fprintf(b, "%s: %d PASS (%d holding at %.12s), %d TODO, %d REVIEW, %d STUCK",
		input.Plural(len(s.Items), "item"), c[Pass], s.Holding, s.Head, c[Todo], c[Review], c[Stuck])
	if c[Accepted] > 0 {
		fmt.Fprintf(b, ", %d ACCEPTED", c[Accepted])
	}
	b.WriteByte('\n')
	statusList(b, s, "not holding", func(it *StatusItem) bool { return it.State == Pass && !it.Holding })
	statusList(b, s, "REVIEW", func(it *StatusItem) bool { return it.State == Review })
	statusList(b, s, "STUCK", func(it *StatusItem) bool { return it.State == Stuck })
	statusList(b, s, "ACCEPTED", func(it *StatusItem) bool { return it.State == Accepted })
	for _, more := range []struct {
		name string
		list []string
	}{
		{"drift", s.Drift}, {"ignored", s.Ignored}, {"the replay differs", s.Differs}, {"the gate blocks", s.Blocked},
		{"commits of no item", s.Unclaimed},
	} {
		for i, text := range more.list {
			if i == statusShown {
				fmt.Fprintf(b, "%s: and %d more\n", more.name, len(more.list)-i)
				break
			}
			fmt.Fprintf(b, "%s: %s\n", more.name, input.Neutral(text))
		}
	}
	if s.Replayed {
		fmt.Fprintf(b, "replayed: %d of %d bundles give the same report\n", c[Pass]-len(s.Differs), c[Pass])
	}
	if s.Torn {
		b.WriteString("the last event has no end, because its writer was killed: it does not count\n")
	}
	if s.Guard == GuardNone {
		b.WriteString("guard: none: a later item may have broken an earlier one\n")
	}
	fmt.Fprintf(b, "state: %s\n", input.Neutral(s.StateFolder))
	statusReasons(b, s)
}

// statusReasons says what is missing, where no line before has said it.
func statusReasons(b *bytes.Buffer, s *Status) {
	for _, r := range s.Reasons {
		switch r.Code {
		case ReasonOpen, ReasonClaimed, ReasonOrphaned, ReasonNotInHead:
			statusList(b, s, r.Code, func(it *StatusItem) bool { return slices.Contains(r.What, it.ID) })
		case ReasonUncommitted:
			fmt.Fprintf(b, "%s: %s\n", r.Code, input.Neutral(strings.Join(r.What, ", ")))
		default:
			continue
		}
		if more := r.Count - len(r.What); more > 0 {
			fmt.Fprintf(b, "%s: %d more\n", r.Code, more)
		}
	}
}

func statusList(b *bytes.Buffer, s *Status, name string, of func(*StatusItem) bool) {
	left := 0
	for i := range s.Items {
		it := &s.Items[i]
		switch {
		case !of(it):
		case left <= -statusShown:
			left--
		default:
			left--
			text := fmt.Sprintf("%s: %s (%d of %d tries)", name, it.ID, it.Tries, it.Of)
			if it.Because != "" {
				text += ": " + input.Neutral(it.Because)
			}
			b.WriteString(strings.TrimSpace(text) + "\n")
		}
	}
	if left < -statusShown {
		fmt.Fprintf(b, "%s: %d more\n", name, -left-statusShown)
	}
}
