package evidence

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/source"
)

// The methods here read the kinds of value that only contracts hold.

// add reports what is wrong with the value n at the pointer where.
func (f *fields) add(n *node, where, message, expected, fix string) {
	f.errs.Add(source.Error{
		Pos: n.pos, Where: where, Message: message, Found: n.describe(), Expected: expected, Fix: fix,
	})
}

// filled returns the items of a list and reports one that is empty; fix says what to do then.
func (f *fields) filled(n *node, key, fix string) []*node {
	items := f.listOf(n, key)
	if n != nil && n.kind == kindList && len(items) == 0 {
		f.add(n, f.pointer(key), quote(key)+" is an empty list", "at least one item", fix)
	}
	return items
}

// matching returns a string of a given syntax; an absent key gives the zero value.
func (f *fields) matching(key string, syntax func() *regexp.Regexp, expected string) Text {
	n := f.get(key)
	if n == nil {
		return Text{}
	}
	if n.kind != kindString || !syntax().MatchString(n.text) {
		f.wrong(n, key, expected)
		return Text{}
	}
	return Text{n.text, n.pos}
}

// allMatching returns a list of strings of a given syntax; nil when the key is absent.
func (f *fields) allMatching(key string, syntax func() *regexp.Regexp, expected string) []string {
	var list []string
	for i, n := range f.list(key) {
		if n.kind != kindString || !syntax().MatchString(n.text) {
			f.add(n, f.pointer(key)+"/"+strconv.Itoa(i), "an item of "+quote(key)+" must be "+expected, expected, "correct the value")
			continue
		}
		list = append(list, n.text)
	}
	return list
}

// globs returns the patterns of a list; never nil when n holds a list.
func (f *fields) globs(n *node, key string) []Pattern {
	return f.patterns(f.textsOf(n, key), key, asWritten)
}

func asWritten(pattern string) string { return pattern }

// needGlobs is globs of a field that takes a string or a list, and that must be there and hold a pattern.
func (f *fields) needGlobs(key string) []Pattern {
	n := f.node.member(key)
	if n == nil {
		f.need(key, "a glob or a list of globs")
		return nil
	}
	if n.kind == kindList {
		f.filled(n, key, "name at least one file or pattern")
	}
	return f.patterns(f.textOrTexts(key), key, asWritten)
}

// patternsOf is globs of a list whose type has been reported already.
func (f *fields) patternsOf(n *node, key string) []Pattern {
	if n == nil || n.kind != kindList {
		return nil
	}
	return f.globs(n, key)
}

// patterns compiles globs, after spell has rewritten them, and reports every one that is none.
func (f *fields) patterns(texts []Text, key string, spell func(string) string) []Pattern {
	if texts == nil {
		return nil
	}
	list := []Pattern{}
	for _, t := range texts {
		if t.Value == "" {
			continue // it was no text, which has been reported
		}
		compiled, err := glob.Parse(spell(t.Value))
		if err != nil {
			f.errs.Add(globError(err, t, f.pointer(key)))
			continue
		}
		list = append(list, Pattern{t, compiled})
	}
	return list
}

func globError(err error, t Text, where string) source.Error {
	e := source.Error{Pos: t.Pos, Where: where, Message: err.Error(), Found: quote(t.Value), Expected: "a glob", Fix: "correct the pattern"}
	var detail *glob.Error
	if errors.As(err, &detail) {
		e.Message, e.Found, e.Expected, e.Fix = detail.Message, detail.Found, detail.Expected, detail.Fix
	}
	return e
}

// needOneOf is oneOf that reports an absent key.
func (f *fields) needOneOf(key string, allowed ...string) string {
	expected := "one of " + strings.Join(allowed, ", ")
	n := f.need(key, expected)
	if n == nil {
		return ""
	}
	if n.kind != kindString || !slices.Contains(allowed, n.text) {
		f.wrong(n, key, expected)
		return ""
	}
	return n.text
}

// ratio returns a number from 0 to 1; nil when the key is absent or wrong.
func (f *fields) ratio(key string) *Ratio {
	n := f.get(key)
	if n == nil {
		return nil
	}
	r, ok := parseRatio(n)
	if !ok {
		f.wrong(n, key, "a number from 0 to 1, such as 0.85")
		return nil
	}
	return &r
}

// severity returns a severity in any of the spellings that rule reports use.
func (f *fields) severity(key string) Severity {
	n := f.need(key, "block, warn or info")
	if n == nil {
		return ""
	}
	severity, known := severityWords[n.text]
	if n.kind != kindString || !known {
		f.wrong(n, key, "one of block, error, warn, warning, info, note")
		return ""
	}
	return severity
}

// level returns an evidence level that a contract may ask for; "" when the key is absent or wrong.
func (f *fields) level(key string) Level {
	n := f.get(key)
	switch {
	case n == nil:
		return ""
	case n.kind == kindString && slices.Contains([]Level{Claimed, Bound, Recorded}, Level(n.text)):
		return Level(n.text)
	case n.kind == kindString && n.text == "attested":
		f.add(n, f.pointer(key), `the level "attested" is not supported yet`, "claimed, bound or recorded", `ask for "recorded"`)
	case n.kind == kindString && n.text == string(Absent):
		f.add(n, f.pointer(key), `"absent" is no minimum: it would accept no evidence at all`, "claimed, bound or recorded",
			`ask for "claimed", or remove the criterion`)
	default:
		f.wrong(n, key, "one of claimed, bound, recorded")
	}
	return ""
}

// path returns a literal path in the repository; "" when the key is absent or wrong.
func (f *fields) path(key string) string {
	t := f.text(key)
	if t.Value == "" || !f.literal(t, f.pointer(key)) {
		return ""
	}
	return t.Value
}

// literal reports whether t is a path that git can hold and that names one file or folder, and says why not.
func (f *fields) literal(t Text, where string) bool {
	problem, fix := pathProblem(t.Value)
	if problem == "" {
		return true
	}
	f.errs.Add(source.Error{
		Pos: t.Pos, Where: where, Message: "the path " + quote(t.Value) + " " + problem, Found: quote(t.Value),
		Expected: "one path, relative to the repository's root, such as web/app.ts", Fix: fix,
	})
	return false
}

// pathProblem says what keeps p from being a plain relative path, and how to mend it; "" when nothing does.
func pathProblem(p string) (problem, fix string) {
	switch {
	case strings.ContainsAny(p, "*?{"):
		return "holds a wildcard", "name each path, patterns are not taken here"
	case strings.HasPrefix(p, "/"):
		return "is absolute", "write it relative to the repository's root, without the leading slash"
	case strings.HasSuffix(p, "/"):
		return "ends with a slash", "remove the slash"
	case strings.Contains(p, `\`):
		return "holds a backslash", "separate folders with /"
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "holds a control character", "remove it"
	}
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "":
			return "holds an empty part", "write one slash between two parts"
		case ".":
			return "holds the part .", "remove it"
		case "..":
			return "holds the part ..", "write the path from the repository's root"
		}
	}
	return "", ""
}

var dateSyntax = lazily(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$`)

// date returns a day of the calendar as YYYY-MM-DD; "" when n is nil or none.
func (f *fields) date(n *node, key string) string {
	if n == nil {
		return ""
	}
	if n.kind != kindString || !calendarDay(n.text) {
		f.wrong(n, key, "a day of the calendar, written YYYY-MM-DD")
		return ""
	}
	return n.text
}

// calendarDay reports whether s is YYYY-MM-DD and such a day exists.
func calendarDay(s string) bool {
	if !dateSyntax().MatchString(s) {
		return false
	}
	year, _ := strconv.Atoi(s[:4]) // the syntax holds digits
	day, _ := strconv.Atoi(s[8:])
	switch s[5:7] {
	case "04", "06", "09", "11":
		return day <= 30
	case "02":
		leap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
		return day <= 28 || leap && day == 29
	}
	return true
}
