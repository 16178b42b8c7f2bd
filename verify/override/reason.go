package override

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// statement is a text by the account that added the label: that of the label, or the command line of a comment.
type statement struct {
	text  string
	where string
	at    string // when it was written; "" for the label
	// void says why the text may not be by the account itself, so that neither reason nor code in it counts; "" when it is.
	void string
	weak string // why it is not a reason; "" when it is one
}

// allStatements are the statements of that account: first the text of the label, then the comments, newest first.
func (r *request) allStatements() []statement {
	if r.statements == nil {
		r.statements = r.commentsOf(r.who(), r.pr.Comments)
		if text, _ := r.Rule.after(r.label); text != "" {
			r.statements = append([]statement{{text: text, where: "the label", weak: weak(text, r.Question)}}, r.statements...)
		}
	}
	return r.statements
}

// maxStatements is the maximum number of comments that are read per account, to limit the time.
const maxStatements = 100

// commentsOf are the statements in the comments of an account, newest first. They are computed once for all labels.
func (q *Question) commentsOf(who facts.Account, comments []facts.Comment) []statement {
	if known, found := q.statements[who]; found {
		return known
	}
	list := []statement{}
	if q.newest == nil { // once: a crowd may have commented
		q.newest = slices.Clone(comments)
		input.SortStable(q.newest, func(a, b facts.Comment) int { return compareIDs(b.ID, a.ID) })
	}
	for _, c := range q.newest {
		if len(list) == maxStatements {
			break
		}
		if !who.Is(facts.Account{Login: c.Author, ID: c.AuthorID}) {
			continue
		}
		if text, found := line(c.Body); found {
			void := altered(&c)
			list = append(list, statement{text, "the comment", c.CreatedAt, void, cmp.Or(void, weak(text, q))})
		}
	}
	if q.statements == nil {
		q.statements = map[facts.Account][]statement{}
	}
	q.statements[who] = list
	return list
}

// reasons are the statements that give a reason. why says what is wrong with the first that does not.
func reasons(r *request) (good []statement, why string) {
	for _, s := range r.allStatements() {
		switch {
		case s.weak == "":
			good = append(good, s)
		case why == "":
			why = "the reason in " + s.where + " " + s.weak
		}
	}
	if why == "" {
		why = r.event.Actor + " gave no reason"
	}
	return good, why
}

// boundReason is the reason that was given for the findings of this run, and when; "" when there is none, and why. The code may be
// in one statement and the reason in another: a label is too short for both. But a reason next to the code of other findings
// was given for those.
func boundReason(said []statement, code string) (reason, at, why string) {
	why = notBound
	coded := false
	for _, s := range said {
		switch {
		case !containsCode(s.text, code):
		case s.void != "":
			why = s.where + " with the override code " + s.void
		case s.weak == "":
			return s.text, s.at, ""
		default:
			coded = true
		}
	}
	if !coded {
		return "", "", why
	}
	for _, s := range said {
		if s.weak == "" && !containsOtherCode(s.text) {
			return s.text, s.at, ""
		}
	}
	return "", "", "the override code has no reason, and the reason is next to the code of other findings"
}

// altered says why the text of a comment may not be by its author; "" when it is. People with write access can edit the
// comments of others.
func altered(c *facts.Comment) string {
	switch {
	case c.App != "" || c.Type != "User":
		return "was not written by hand"
	case c.CreatedAt != c.UpdatedAt:
		return "was edited after it was written"
	}
	return ""
}

// line returns the rest of the first line that begins with the command.
func line(body string) (reason string, found bool) {
	for l := range strings.Lines(Prose(body)) {
		rest, found := strings.CutPrefix(l, report.Command)
		if found && (rest == "" || unicode.IsSpace(rune(rest[0]))) {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// Prose is a comment without fenced code blocks, which show an example, and without what no page shows.
func Prose(body string) string {
	var b strings.Builder
	for len(body) > 0 {
		l, rest, _ := strings.Cut(body, "\n")
		if fence := fenceOf(l); fence != "" {
			body = afterFence(rest, fence)
			continue
		}
		shown, left := visibleLine(body)
		b.WriteString(shown)
		body = left
	}
	return b.String()
}

// afterFence is what follows a code block: all of it is inside where no line closes it.
func afterFence(body, fence string) string {
	for len(body) > 0 {
		l, rest, _ := strings.Cut(body, "\n")
		body = rest
		if strings.HasPrefix(fenceOf(l), fence) && strings.Trim(l, "`~ \t\r") == "" {
			break
		}
	}
	return body
}

// hidden are the parts of a text that no page shows, by how they begin and end.
var hidden = []struct {
	begin func() *regexp.Regexp
	end   string
}{
	{input.Lazily(`^<!--`), "-->"},
	{input.Lazily(`^<!\[CDATA\[`), "]]>"},
	{input.Lazily(`^<\?`), "?>"},
	{input.Lazily(`^<![A-Za-z]`), ">"},
	{input.Lazily(`(?i)^<style(?:[\s>]|$)`), "</style>"},
	{input.Lazily(`(?i)^<script(?:[\s>]|$)`), "</script>"},
}

// visibleLine writes a text to the end of its first line without what is hidden, which may go on for lines and becomes a space. In a
// span of code, and in a tag, nothing begins.
func visibleLine(text string) (shown, rest string) {
	var b strings.Builder
	for len(text) > 0 {
		at := strings.IndexAny(text, "`<\n")
		if at < 0 {
			b.WriteString(text)
			return b.String(), ""
		}
		escaped := at > 0 && text[at-1] == '\\'
		b.WriteString(text[:at])
		text = text[at:]
		n := 1
		switch {
		case text[0] == '\n':
			b.WriteByte('\n')
			return b.String(), text[1:]
		case text[0] == '`' && !escaped:
			n = codeSpan(text)
		case text[0] == '<':
			if end := hiddenPart(text); end > 0 {
				b.WriteByte(' ')
				text = text[end:]
				continue
			}
			n = max(len(tagHere().FindString(text)), 1)
		}
		b.WriteString(text[:n])
		text = text[n:]
	}
	return b.String(), ""
}

var tagHere = input.Lazily(`^</?[A-Za-z][^<>\n]*>`)

// codeSpan is the length of the span of code that a text begins with, or of the backticks that begin none. One that goes on in the
// next line is taken for none.
func codeSpan(text string) int {
	l, _, _ := strings.Cut(text, "\n")
	n := len(l) - len(strings.TrimLeft(l, "`"))
	for at := n; at < len(l); {
		i := strings.IndexByte(l[at:], '`')
		if i < 0 {
			break
		}
		at += i
		run := len(l[at:]) - len(strings.TrimLeft(l[at:], "`"))
		if at += run; run == n {
			return at
		}
	}
	return n
}

// hiddenPart is the length of the hidden part that a text begins with, 0 for none. One that does not end hides the rest.
func hiddenPart(text string) int {
	for _, h := range hidden {
		begin := h.begin().FindString(text)
		if begin == "" {
			continue
		}
		if i := strings.Index(lowerASCII(text[len(begin):]), h.end); i >= 0 {
			return len(begin) + i + len(h.end)
		}
		return len(text)
	}
	return 0
}

// lowerASCII keeps the length of a text.
func lowerASCII(s string) string {
	lower := []byte(s)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// fenceOf is the mark that opens or closes a code block: three or more backticks or tildes after at most three blanks; ""
// for another line. A line that opens with backticks contains no further ones.
func fenceOf(l string) string {
	text := strings.TrimLeft(l, " ")
	for _, mark := range []string{"`", "~"} {
		n := len(text) - len(strings.TrimLeft(text, mark))
		if n >= 3 && len(l)-len(text) <= 3 && (mark == "~" || !strings.Contains(text[n:], mark)) {
			return text[:n]
		}
	}
	return ""
}
