package override

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/closeout-gate/closeout/verify/facts"
)

// Command begins the line of a comment that gives a reason.
const Command = "/closeout-override"

// statement is a text by the account that put the label on: the label's own, or the command line of a comment.
type statement struct {
	text  string
	where string
	// void says why it is not the account's own word, which then holds neither reason nor code; "" when it is.
	void string
	weak string // why it is no reason; "" when it is one
}

// statements are those of the account that put the label on: the label's own text first, then the comments, the newest
// first.
func statements(r *request) []statement {
	comments := r.commentsOf(r.event, r.pr.Comments)
	if text, _ := r.Rule.after(r.label); text != "" {
		return append([]statement{{text: text, where: "the label", weak: weak(text, r.Question)}}, comments...)
	}
	return comments
}

// maxStatements is how many comments of one account are read. More are no reasons, and would only cost time.
const maxStatements = 100

// commentsOf are the statements in the comments of the account behind an event, the newest first. They are found once for
// all labels that the account put on.
func (q *Question) commentsOf(e *facts.LabelEvent, comments []facts.Comment) []statement {
	who := facts.Account{Login: e.Actor, ID: e.ActorID}
	if known, found := q.statements[who]; found {
		return known
	}
	list := []statement{}
	for _, c := range newestFirst(comments) {
		if len(list) == maxStatements {
			break
		}
		if !byActor(&c, e) {
			continue
		}
		if text, found := line(c.Body); found {
			void := untouched(&c)
			list = append(list, statement{text, "the comment", void, cmp.Or(void, weak(text, q))})
		}
	}
	if q.statements == nil {
		q.statements = map[facts.Account][]statement{}
	}
	q.statements[who] = list
	return list
}

// reasons are the statements that give a reason. why says what is wrong with the first of the others.
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

// boundReason is the reason that was given for the findings of this run; "" when none was, and why. The code may stand in
// one statement and the reason in another: the name of a label has no room for both. But a reason beside the code of
// other findings was given for those.
func boundReason(r *request, good []statement) (reason, why string) {
	why = "the reason does not hold the code of these findings at this head"
	coded := false
	for _, s := range r.said() {
		switch {
		case !holdsCode(s.text, r.Code):
		case s.void != "":
			why = s.where + " that holds the code " + s.void
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
		if !holdsOtherCode(s.text) {
			return s.text, ""
		}
	}
	return "", "the code stands without a reason, and the reason stands beside the code of other findings"
}

func newestFirst(comments []facts.Comment) []facts.Comment {
	return slices.SortedStableFunc(slices.Values(comments), func(a, b facts.Comment) int {
		switch {
		case Newer(a.ID, b.ID):
			return -1
		case Newer(b.ID, a.ID):
			return 1
		}
		return 0
	})
}

// byActor reports whether a comment is by the account that put the label on.
func byActor(c *facts.Comment, e *facts.LabelEvent) bool {
	return facts.Account{Login: c.Author, ID: c.AuthorID}.Is(facts.Account{Login: e.Actor, ID: e.ActorID})
}

// untouched says why a comment is not its author's own word; "" when it is. Whoever may write to a repository may edit
// the comments of others.
func untouched(c *facts.Comment) string {
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
		rest, found := strings.CutPrefix(l, Command)
		if found && (rest == "" || unicode.IsSpace(rune(rest[0]))) {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// Prose is what a comment says in words of its own: without HTML comments, which no page shows, and without fenced code
// blocks, which show an example.
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

// fenceOf is the mark that opens or closes a code block: three or more backticks or tildes, at most three blanks before
// them; "" for another line. Behind an opening mark of backticks stands none of them.
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

// withoutComments puts a space in the place of every HTML comment; one without an end goes on to the end of the text.
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
