package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/closeout-gate/closeout/verify/report"
)

// CanaryFormats are the formats of [WriteCanary]. The first is the default.
var CanaryFormats = []string{"text", "json"}

// WriteCanary writes the result of the counter-checks: as text, or the document itself. Only the text is neutralised.
func WriteCanary(w io.Writer, c *report.Canary, format string) error {
	if format == "json" {
		data, err := report.CanonicalCanary(c)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	var b strings.Builder
	for _, l := range c.LetThrough {
		fmt.Fprintf(&b, "let through: %s: %s; expected %s, and the verdict is %s\n", line(l.Mutation), line(l.Text), line(l.Expected), line(l.Verdict))
		if because := canaryLine(l.Because); because != "" {
			b.WriteString("  because of " + line(because) + ": " + line(l.Because.Text) + "\n")
		}
	}
	for _, n := range c.NotTried {
		fmt.Fprintf(&b, "not tried: %s: %s\n", line(n.Mutation), line(n.Why))
	}
	b.WriteString("counter-checks: " + CanarySummary(c) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// CanarySummary is the result in one sentence, without a full stop. It contains no text of the inputs.
func CanarySummary(c *report.Canary) string {
	if c.Tried == 0 {
		return "no broken copy of these inputs could be tried"
	}
	return fmt.Sprintf("%d of %s of these inputs%s refused", c.Refused, plural(c.Tried, "broken copy"), were(c.Tried))
}

// canaryLine is a place in a contract; "" for none.
func canaryLine(b *report.CanaryBecause) string {
	switch {
	case b == nil:
		return ""
	case b.Line == 0:
		return b.Path
	}
	return fmt.Sprintf("%s:%d", b.Path, b.Line)
}

// canaryShown is how many places the summary of a job lists.
const canaryShown = 5

// canaryLets joins what was let through because of one line of a contract. The texts are not neutral.
func canaryLets(c *report.Canary) []canaryLet {
	var list []canaryLet
	for _, l := range c.LetThrough {
		let := canaryLet{place: canaryLine(l.Because), codes: []string{l.Expected}, copies: 1}
		if l.Because != nil {
			let.text = l.Because.Text
		}
		found := false
		for i := range list {
			if list[i].place == let.place && list[i].text == let.text {
				list[i].copies++
				list[i].codes = append(list[i].codes, l.Expected)
				found = true
			}
		}
		if !found {
			list = append(list, let)
		}
	}
	return list
}

type canaryLet struct {
	place, text string
	codes       []string
	copies      int
}

// number is how many copies were let through, in words.
func (l *canaryLet) number() string {
	if l.copies == 1 {
		return "a broken copy"
	}
	return plural(l.copies, "broken copy")
}

// CanaryMarkdown is the paragraph about the counter-checks in the summary of a job. It is shorter than what [MaxSummary] leaves.
func CanaryMarkdown(c *report.Canary) string {
	lets := canaryLets(c)
	var b strings.Builder
	sign := "✅ "
	switch {
	case len(lets) > 0:
		sign = "⚠️ "
	case c.Tried == 0:
		sign = "➖ "
	}
	b.WriteString("\n" + sign + "**Counter-checks:** " + CanarySummary(c) + ".")
	for i, l := range lets {
		if i == canaryShown {
			fmt.Fprintf(&b, " And %d more.", len(lets)-i)
			break
		}
		b.WriteString(" " + mdCode(codesOf(l.codes)) + " did not refuse " + l.number())
		if l.place != "" {
			b.WriteString(", because of " + mdCode(clip(l.place, canaryText)) + ": " + mdText(clip(l.text, canaryText)))
		}
		b.WriteString(".")
	}
	if n := len(c.NotTried); n > 0 {
		fmt.Fprintf(&b, " Not tried: %s.", mdText(clip(notTriedNames(c), canaryText)))
	}
	return b.String() + "\n"
}

// canaryText is how many bytes of one text the summary of a job shows.
const canaryText = 300

// codesOf lists codes, each once.
func codesOf(codes []string) string {
	var list []string
	seen := map[string]bool{}
	for _, code := range codes {
		if !seen[code] {
			seen[code], list = true, append(list, code)
		}
	}
	return strings.Join(list, ", ")
}

// notTriedNames lists the mutations that were not tried, each once, or why nothing was.
func notTriedNames(c *report.Canary) string {
	if c.Tried == 0 && len(c.NotTried) == 1 {
		return c.NotTried[0].Why
	}
	var names []string
	for _, n := range c.NotTried {
		names = append(names, n.Mutation)
	}
	return codesOf(names)
}

// CanaryWarnings are lines for the log of a job, neutral: what was let through, by the line of the contract that allows it.
func CanaryWarnings(c *report.Canary) []string {
	var list []string
	for i, l := range canaryLets(c) {
		if i == canaryShown {
			list = append(list, plural(len(canaryLets(c))-i, "more line")+" of the contract let broken copies through")
			break
		}
		text := codesOf(l.codes) + " did not refuse " + l.number() + " of the inputs"
		if l.place != "" {
			text += ", because of " + clip(l.place, canaryText) + ": " + clip(l.text, canaryText)
		}
		list = append(list, Neutral(text))
	}
	return list
}
