package override

import (
	"cmp"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/closeout-gate/closeout/verify/evidence"
)

// Command begins the line of a comment that gives a reason.
const Command = "/closeout-override"

// minVisible is how many characters a reason shows at least, the code aside.
const minVisible = 10

// reasons lists what counts as a reason for the label: its own text first, then the comments of who put it on, the
// newest first. why says what is wrong with the first of those that do not count.
func reasons(r *request) (good []string, why string) {
	try := func(text, where, problem string) {
		if problem == "" {
			problem = weak(text, r.Question)
		}
		switch {
		case problem == "":
			good = append(good, text)
		case why == "":
			why = "the reason in " + where + " " + problem
		}
	}
	if text, _ := r.Rule.after(r.label); text != "" {
		try(text, "the label", replaced(r.pr, r.event.CreatedAt))
	}
	for _, c := range newestFirst(r.pr.Comments) {
		if text, found := line(c.Body); found && byActor(&c, r.event) {
			try(text, "the comment", cmp.Or(untouched(&c), replaced(r.pr, c.CreatedAt)))
		}
	}
	if why == "" {
		why = r.event.Actor + " gave no reason"
	}
	return good, why
}

func newestFirst(comments []evidence.Comment) []evidence.Comment {
	return slices.SortedStableFunc(slices.Values(comments), func(a, b evidence.Comment) int {
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
func byActor(c *evidence.Comment, e *evidence.LabelEvent) bool {
	return evidence.Account{Login: c.Author, ID: c.AuthorID}.Is(evidence.Account{Login: e.Actor, ID: e.ActorID})
}

// untouched says why a comment is not its author's own word; "" when it is. Whoever may write to a repository may edit
// the comments of others.
func untouched(c *evidence.Comment) string {
	switch {
	case c.App != "" || c.Type != "User":
		return "was not written by hand"
	case c.CreatedAt != c.UpdatedAt:
		return "was edited after it was written"
	}
	return ""
}

// replaced says why words of some time are no longer about what is there; "" when they are. A code of eight characters
// names what was seen among the findings and heads that come by honestly. Who may replace the head can look for two heads
// with one code, which takes about a million tries; to find one for a head that stays takes a million times as many.
func replaced(pr *evidence.PullRequest, at string) string {
	if pr.ForcePushedAt == "" || at > pr.ForcePushedAt {
		return ""
	}
	return "was given before the head was replaced by a force-push at " + pr.ForcePushedAt
}

// line returns the rest of the first line that begins with the command. What stands in an HTML comment is not seen by
// anyone and is no line.
func line(body string) (reason string, found bool) {
	for l := range strings.Lines(WithoutComments(body)) {
		rest, found := strings.CutPrefix(l, Command)
		if found && (rest == "" || unicode.IsSpace(rune(rest[0]))) {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// WithoutComments puts a space in the place of every HTML comment, which no page shows; one without an end goes on to the end of the text.
func WithoutComments(s string) string {
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

// weak says why a text is no reason; "" when it is one.
func weak(text string, q *Question) string {
	shown := shown(text, q.Code)
	switch n := visible(shown); {
	case n == 0:
		return "says nothing"
	case n < minVisible:
		return "is shorter than 10 visible characters"
	case placeholder(shown):
		return "is only a placeholder"
	case echo(shown, q.Printed):
		return "is only what the gate itself printed"
	}
	return ""
}

// echo reports whether a text stands as it is in one of those that the gate printed, case and blanks aside.
func echo(text string, printed []string) bool {
	fold := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	text = fold(text)
	return slices.ContainsFunc(printed, func(p string) bool { return strings.Contains(fold(p), text) })
}

// tags is what a page does not show of a text.
var tags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`</?[A-Za-z][^<>]*>`) })

// shown is a text as a page shows it, without override codes: this run's, and whatever else looks like one.
func shown(text, code string) string {
	text = html.UnescapeString(tags().ReplaceAllString(WithoutComments(text), " "))
	if code != "" {
		text = codeIn(code).ReplaceAllString(text, "$1 $2")
	}
	return codeShape().ReplaceAllStringFunc(text, func(found string) string {
		if strings.ContainsAny(found, "234567") {
			return " "
		}
		return found // as a word may be
	})
}

// codeShape is what an override code looks like.
var codeShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b[a-z2-7]{4}-[a-z2-7]{4}\b`) })

// visible counts the characters that leave a mark of their own: letters, digits, punctuation, symbols. Spaces, marks
// that sit on another character, controls, and letters that show nothing do not.
func visible(s string) int {
	n := 0
	for _, r := range s {
		if unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point) && r != '\u2800' {
			n++
		}
	}
	return n
}

// Placeholders are the words of which alone no reason can be made. They are compared without regard to case, and
// without the punctuation around them.
var Placeholders = []string{
	"asdf", "bar", "because", "blah", "closeout", "fixme", "foo", "here", "lgtm", "n", "na", "none", "ok", "okay", "override",
	"placeholder", "please", "reason", "reasons", "tba", "tbd", "test", "todo", "why", "xxx", "your",
	"lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit",
}

// minLetters is how many different letters and digits a reason has at least.
const minLetters = 3

// placeholder reports whether a text stands in the place of a reason.
func placeholder(s string) bool {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	letters := map[rune]bool{}
	for _, w := range words {
		for _, r := range w {
			letters[r] = true
		}
	}
	other := slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(Placeholders, w) })
	return !other || len(letters) < minLetters
}

// holdsCode reports whether a text holds the override code. No text holds no code.
func holdsCode(text, code string) bool { return code != "" && codeIn(code).MatchString(text) }

// codeIn matches an override code as a word of its own, in any case, with or without its hyphen.
func codeIn(code string) *regexp.Regexp {
	form := strings.ReplaceAll(regexp.QuoteMeta(code), "-", "-?")
	return regexp.MustCompile(`(?i)(^|[^\pL\pN])` + form + `($|[^\pL\pN])`)
}
