package override

import (
	"cmp"
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
	// void says why the text may not be by the account itself, so that neither reason nor code in it counts; "" when it is.
	void string
	weak string // why it is not a reason; "" when it is one
}

// said are the statements of that account: first the text of the label, then the comments, newest first.
func (r *request) said() []statement {
	if r.statements == nil {
		r.statements = r.commentsOf(r.event, r.pr.Comments)
		if text, _ := r.Rule.after(r.label); text != "" {
			r.statements = append([]statement{{text: text, where: "the label", weak: weak(text, r.Question)}}, r.statements...)
		}
	}
	return r.statements
}

// maxStatements is the maximum number of comments that are read per account, to limit the time.
const maxStatements = 100

// commentsOf are the statements in the comments of the actor of an event, newest first. They are computed once for all
// labels that the account added.
func (q *Question) commentsOf(e *facts.LabelEvent, comments []facts.Comment) []statement {
	who := facts.Account{Login: e.Actor, ID: e.ActorID}
	if known, found := q.statements[who]; found {
		return known
	}
	list := []statement{}
	newest := slices.Clone(comments)
	input.SortStable(newest, func(a, b facts.Comment) int { return compareIDs(b.ID, a.ID) })
	for _, c := range newest {
		if len(list) == maxStatements {
			break
		}
		if !who.Is(facts.Account{Login: c.Author, ID: c.AuthorID}) {
			continue
		}
		if text, found := line(c.Body); found {
			void := altered(&c)
			list = append(list, statement{text, "the comment", void, cmp.Or(void, weak(text, q))})
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
	for _, s := range r.said() {
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

// boundReason is the reason that was given for the findings of this run; "" when there is none, and why. The code may be in
// one statement and the reason in another: a label is too short for both. But a reason next to the code of other findings
// was given for those.
func boundReason(r *request, good []statement) (reason, why string) {
	why = "the reason does not contain the override code of these findings at this head"
	coded := false
	for _, s := range r.said() {
		switch {
		case !containsCode(s.text, r.Code):
		case s.void != "":
			why = s.where + " with the override code " + s.void
		case s.weak == "":
			return s.text, ""
		default:
			coded = true
		}
	}
	if !coded {
		return "", why
	}
	for _, s := range good {
		if !containsOtherCode(s.text) {
			return s.text, ""
		}
	}
	return "", "the override code has no reason, and the reason is next to the code of other findings"
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

// Prose is a comment without HTML comments, which no page shows, and without fenced code blocks, which show an example.
func Prose(body string) string {
	var b strings.Builder
	fence := ""
	for l := range strings.Lines(withoutComments(body)) {
		switch mark := fenceOf(l); {
		case fence == "" && mark == "":
			b.WriteString(l)
		case fence == "":
			fence = mark
		case strings.HasPrefix(mark, fence) && strings.Trim(l, "`~ \t\r\n") == "":
			fence = ""
		}
	}
	return b.String()
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

// withoutComments replaces every HTML comment with a space; one that is not closed ends with the text.
func withoutComments(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "<!--")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteByte(' ')
		_, s, found = strings.Cut(after, "-->")
		if !found {
			return b.String()
		}
	}
}
