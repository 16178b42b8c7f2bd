package contract

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/strict"
)

// filled returns the items of a list and reports one that is empty; fix says what to do then.
func filled(f *strict.Fields, n *strict.Node, key, fix string) []*strict.Node {
	items := f.ListOf(n, key)
	if n != nil && n.Kind == strict.KindList && len(items) == 0 {
		f.Add(n, f.Pointer(key), diag.Quote(key)+" is an empty list", "at least one item", fix)
	}
	return items
}

// matching returns a string of a given syntax; an absent key gives the zero value.
func matching(f *strict.Fields, key string, syntax func() *regexp.Regexp, expected string) diag.Text {
	n := f.Get(key)
	if n == nil {
		return diag.Text{}
	}
	if n.Kind != strict.KindString || !syntax().MatchString(n.Text) {
		f.Wrong(n, key, expected)
		return diag.Text{}
	}
	return diag.Text{Value: n.Text, Pos: n.Pos}
}

// allMatching returns a list of strings of a given syntax; nil when the key is absent.
func allMatching(f *strict.Fields, key string, syntax func() *regexp.Regexp, expected string) []string {
	var list []string
	for i, n := range f.List(key) {
		if n.Kind != strict.KindString || !syntax().MatchString(n.Text) {
			f.Add(n, f.Pointer(key)+"/"+strconv.Itoa(i), "an item of "+diag.Quote(key)+" must be "+expected, expected, "correct the value")
			continue
		}
		list = append(list, n.Text)
	}
	return list
}

// globs returns the patterns of a list; never nil when n holds a list.
func globs(f *strict.Fields, n *strict.Node, key string) []Pattern {
	return patterns(f, f.TextsOf(n, key), key, asWritten)
}

func asWritten(pattern string) string { return pattern }

// needGlobs is globs of a field that takes a string or a list, and that must be there and hold a pattern.
func needGlobs(f *strict.Fields, key string) []Pattern {
	n := f.Node.Member(key)
	if n == nil {
		f.Need(key, "a glob or a list of globs")
		return nil
	}
	if n.Kind == strict.KindList {
		filled(f, n, key, "name at least one file or pattern")
	}
	return patterns(f, f.TextOrTexts(key), key, asWritten)
}

// patternsOf is globs of a list whose type has been reported already.
func patternsOf(f *strict.Fields, n *strict.Node, key string) []Pattern {
	if n == nil || n.Kind != strict.KindList {
		return nil
	}
	return globs(f, n, key)
}

// patterns compiles globs, after spell has rewritten them, and reports every one that is none.
func patterns(f *strict.Fields, texts []diag.Text, key string, spell func(string) string) []Pattern {
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
			f.Errs.Add(globError(err, t, f.Pointer(key)))
			continue
		}
		list = append(list, Pattern{t, compiled})
	}
	return list
}

func globError(err error, t diag.Text, where string) diag.Error {
	e := diag.Error{Pos: t.Pos, Where: where, Message: err.Error(), Found: diag.Quote(t.Value), Expected: "a glob", Fix: "correct the pattern"}
	var detail *glob.Error
	if errors.As(err, &detail) {
		e.Message, e.Found, e.Expected, e.Fix = detail.Message, detail.Found, detail.Expected, detail.Fix
	}
	return e
}

// ratio returns a number from 0 to 1; nil when the key is absent or wrong.
func ratio(f *strict.Fields, key string) *strict.Ratio {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	r, ok := strict.ParseRatio(n)
	if !ok {
		f.Wrong(n, key, "a number from 0 to 1, such as 0.85")
		return nil
	}
	return &r
}

// severity returns a severity in any of the spellings that rule reports use.
func severity(f *strict.Fields, key string) diag.Severity {
	n := f.Need(key, "block, warn or info")
	if n == nil {
		return ""
	}
	severity, known := diag.SeverityWords[n.Text]
	if n.Kind != strict.KindString || !known {
		f.Wrong(n, key, "one of block, error, warn, warning, info, note")
		return ""
	}
	return severity
}

// level returns an evidence level that a contract may ask for; "" when the key is absent or wrong.
func level(f *strict.Fields, key string) diag.Level {
	n := f.Get(key)
	switch {
	case n == nil:
		return ""
	case n.Kind == strict.KindString && slices.Contains([]diag.Level{diag.Claimed, diag.Bound, diag.Recorded}, diag.Level(n.Text)):
		return diag.Level(n.Text)
	case n.Kind == strict.KindString && n.Text == "attested":
		f.Add(n, f.Pointer(key), `the level "attested" is not supported yet`, "claimed, bound or recorded", `ask for "recorded"`)
	case n.Kind == strict.KindString && n.Text == string(diag.Absent):
		f.Add(n, f.Pointer(key), `"absent" is no minimum: it would accept no evidence at all`, "claimed, bound or recorded",
			`ask for "claimed", or remove the criterion`)
	default:
		f.Wrong(n, key, "one of claimed, bound, recorded")
	}
	return ""
}

// path returns a literal path in the repository; "" when the key is absent or wrong.
func literalPath(f *strict.Fields, key string) string {
	t := f.Text(key)
	if t.Value == "" || !literal(f, t, f.Pointer(key)) {
		return ""
	}
	return t.Value
}

// literal reports whether t is a path that git can hold and that names one file or folder, and says why not.
func literal(f *strict.Fields, t diag.Text, where string) bool {
	problem, fix := pathProblem(t.Value)
	if problem == "" {
		return true
	}
	f.Errs.Add(diag.Error{
		Pos: t.Pos, Where: where, Message: "the path " + diag.Quote(t.Value) + " " + problem, Found: diag.Quote(t.Value),
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

// date returns a day of the calendar as YYYY-MM-DD; "" when n is nil or none.
func date(f *strict.Fields, n *strict.Node, key string) string {
	if n == nil {
		return ""
	}
	if n.Kind != strict.KindString || !strict.CalendarDay(n.Text) {
		f.Wrong(n, key, "a day of the calendar, written YYYY-MM-DD")
		return ""
	}
	return n.Text
}
