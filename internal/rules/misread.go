package rules

import (
	"bytes"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findMisread finds what makes a compiler read code otherwise than a reader does, and than these rules do: characters
// that end a line for some, escapes that are read before all else, another encoding, and comments that look like an
// operator.
func findMisread(c *Change, report func(Hit)) {
	before := map[string]int{}
	for _, f := range c.Files {
		if f.Base != nil && f.Lang() != source.None {
			for _, l := range f.Removed() {
				if how := misread(f.Base, l.Number); how != "" {
					before[lineKey(l.Text)]++
				}
			}
		}
	}
	for _, f := range c.Files {
		if f.Head == nil || f.Lang() == source.None {
			continue
		}
		var found firstHit
		for _, l := range f.Added() {
			how := misread(f.Head, l.Number)
			if how == "" || before[lineKey(l.Text)] > 0 {
				before[lineKey(l.Text)]--
				continue
			}
			found.add(Hit{File: f.Path, Line: l.Number, Now: spelledControls(string(l.Text)), Detail: how,
				Fix: "write plain UTF-8 with line ends that every program knows"})
		}
		found.report(report)
	}
}

// lineEnds are characters that end a line for some compilers, and for no reader of a change.
var lineEnds = []struct{ text, name string }{
	{"\r", "a carriage return alone"}, {"\v", "U+000B"}, {"\u0085", "U+0085"}, {"\u2028", "U+2028"}, {"\u2029", "U+2029"},
}

var codingCookie = input.Lazily(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)

// misread says what a compiler reads otherwise on a line of code, "" for nothing. What stands in literals and in the
// text of JSX is quiet, and so is the end of a comment that ends with its line.
func misread(v *source.File, n int) string {
	line, code := v.Line(n), v.CodeLine(n)
	if v.Lang == source.Python && n <= 2 {
		m := codingCookie().FindSubmatch(line)
		if m != nil && !oneOf(strings.ReplaceAll(strings.ToLower(string(m[1])), "_", "-"), "utf-8", "utf8", "ascii",
			"us-ascii") {
			return "the file says that its encoding is " + clip(string(m[1]), maxText)
		}
	}
	if isScript(v.Lang) && begins(bytes.TrimSpace(code), "-->") {
		return "--> at the start of a line begins a comment"
	}
	for _, end := range lineEnds {
		for at := range placesOf(line, end.text) {
			comment := v.CommentLine(n)
			inComment := comment != nil && comment[at] == line[at]
			if (!inComment && code[at] == line[at]) || (inComment && goesOnBehind(comment, at)) {
				return end.name + " ends a line for some compilers"
			}
		}
	}
	if i := bytes.Index(line, []byte(`\u`)); v.Lang == source.Java && i >= 0 {
		comment := v.CommentLine(n)
		if has(code, `\u`) || (comment != nil && escapedEnd().Match(comment)) {
			return "the compiler reads an escape before it knows code from comments"
		}
	}
	return ""
}

// escapedEnd matches the escape of a character that ends a comment.
var escapedEnd = input.Lazily(`\\u+(?i:000a|000d|002a|002f)`)

// goesOnBehind reports whether a comment is one that a line end ends, and has text behind an offset.
func goesOnBehind(comment []byte, at int) bool {
	start := bytes.TrimLeft(comment, " \t")
	return (begins(start, "//", "#")) && len(bytes.TrimSpace(comment[at+1:])) > 0
}

func isScript(lang source.Lang) bool { return lang == source.JavaScript || lang == source.TypeScript }

// spelledControls writes characters that end a line as their numbers.
func spelledControls(text string) string {
	return strings.NewReplacer("\r", "<U+000D>", "\v", "<U+000B>", "\u0085", "<U+0085>", "\u2028", "<U+2028>", "\u2029",
		"<U+2029>").Replace(text)
}
