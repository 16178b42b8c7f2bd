package contract

import (
	"errors"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/strict"
)

// object returns the fields of an object; nil when the key is absent or wrong.
func object(f *strict.Fields, key string) *strict.Fields {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	if n.Kind != strict.KindObject {
		f.WrongFix(n, key, "an object", objectFix(f, key, n))
		return nil
	}
	return strict.Object(n, f.Pointer(key), f.Errs)
}

// objectFix shows the object that a text or a list under a key most likely means; "" when that is not known.
func objectFix(f *strict.Fields, key string, n *strict.Node) string {
	inner := map[string]string{"evidence": "min", "applies_to": "authors", "coverage": "report", "rules": "run"}[key]
	switch {
	case inner == "":
		return ""
	case key == "evidence" && n.Kind == strict.KindString && slices.Contains(levelWords, strings.ToLower(n.Text)):
		return "write " + f.Line(key, "{"+strict.QuoteJSON(inner)+": "+strict.QuoteJSON(strings.ToLower(n.Text))+"}")
	}
	return "write an object, such as " + f.Line(key, "{"+strict.QuoteJSON(inner)+": …}")
}

var levelWords = []string{string(diag.Claimed), string(diag.Bound), string(diag.Recorded)}

// objects yields the fields of each object in a list, and reports other items.
func objects(f *strict.Fields, key string, items []*strict.Node) iter.Seq[*strict.Fields] {
	return func(yield func(*strict.Fields) bool) {
		for i, n := range items {
			if o := strict.Object(n, f.Pointer(key)+"/"+strconv.Itoa(i), f.Errs); o != nil && !yield(o) {
				return
			}
		}
	}
}

// filled returns the items of a list and reports an empty one; fix says what to do then.
func filled(f *strict.Fields, n *strict.Node, key, fix string) []*strict.Node {
	items := f.ListOf(n, key)
	if n != nil && n.Kind == strict.KindList && len(items) == 0 {
		f.Add(n, f.Pointer(key), diag.Quote(key)+" is an empty list", "at least one item", fix)
	}
	return items
}

// matching returns a string of a given syntax; the zero value when the key is absent or wrong.
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
			f.Add(n, f.Pointer(key)+"/"+strconv.Itoa(i), "an item of "+diag.Quote(key)+" must be "+expected, expected, "write "+expected)
			continue
		}
		list = append(list, n.Text)
	}
	return list
}

// globs returns the patterns of a list; never nil when n is a list.
func globs(f *strict.Fields, n *strict.Node, key string) []Pattern {
	return patterns(f, f.TextsOf(n, key), key)
}

// needGlobs is globs for a required key with a string or a list, and at least one pattern.
func needGlobs(f *strict.Fields, key string) []Pattern {
	if n := f.Need(key, "a glob or a list of globs"); n != nil && n.Kind == strict.KindList {
		filled(f, n, key, "name at least one file or pattern")
	}
	return patterns(f, f.TextOrTexts(key), key)
}

// filledGlobs is globs for a list that must not be empty; fix says what to do then.
func filledGlobs(f *strict.Fields, n *strict.Node, key, fix string) []Pattern {
	filled(f, n, key, fix)
	if n == nil || n.Kind != strict.KindList {
		return nil // filled reports the wrong type
	}
	return globs(f, n, key)
}

// patterns parses globs, and reports malformed ones.
func patterns(f *strict.Fields, texts []diag.Text, key string) []Pattern {
	if texts == nil {
		return nil
	}
	list := []Pattern{}
	for _, t := range texts {
		if t.Value == "" {
			continue // not a text, which has been reported
		}
		parsed, err := glob.Parse(t.Value)
		if err != nil {
			e := diag.Error{
				Pos: t.Pos, Where: f.Pointer(key), Message: err.Error(), Found: diag.Quote(t.Value), Expected: "a glob", Fix: "correct the pattern",
			}
			var detail *glob.Error
			if errors.As(err, &detail) {
				e.Message, e.Found, e.Expected, e.Fix = detail.Message, detail.Found, detail.Expected, detail.Fix
			}
			f.Errs.Add(e)
			continue
		}
		list = append(list, Pattern{t, parsed})
	}
	return list
}

// ratio returns a number from 0 to 1; nil when the key is absent or wrong.
func ratio(f *strict.Fields, key string) *strict.Ratio {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	r, ok := strict.ParseRatio(n)
	if !ok {
		f.WrongFix(n, key, "a number from 0 to 1, such as 0.85", "write the share itself: 85 % is 0.85")
		return nil
	}
	return &r
}

// severity returns a severity in any of the spellings of rule reports, or [Off] where that is allowed.
func severity(f *strict.Fields, key string, mayBeOff bool) diag.Severity {
	expected := "block, warn or info"
	if mayBeOff {
		expected = "block, warn, info or off"
	}
	n := f.Need(key, expected)
	if n == nil {
		return ""
	}
	severity, known := diag.SeverityWords[n.Text]
	if mayBeOff && n.Text == string(Off) {
		severity, known = Off, true
	}
	if n.Kind != strict.KindString || !known {
		words := []string{"block", "error", "warn", "warning", "info", "note"}
		if mayBeOff {
			words = append(words, string(Off))
		}
		fix := strict.WordFix(n, words)
		switch {
		case n.Kind != strict.KindString:
		case mayBeOff && slices.Contains([]string{"disable", "disabled", "ignore", "none", "false"}, strings.ToLower(n.Text)):
			fix = `write "off"`
		case strings.EqualFold(n.Text, string(Off)) && !mayBeOff:
			fix = "remove the rule from the catalogue, and switch it off in its tool; only diff rules, whose ids begin with closeout/, can be off"
		}
		f.WrongFix(n, key, "one of "+strings.Join(words, ", "), fix)
		return ""
	}
	return severity
}

// level returns an evidence level that a contract may require; "" when the key is absent or wrong.
func level(f *strict.Fields, key string) diag.Level {
	n := f.Get(key)
	switch {
	case n == nil:
		return ""
	case n.Kind == strict.KindString && slices.Contains([]diag.Level{diag.Claimed, diag.Bound, diag.Recorded}, diag.Level(n.Text)):
		return diag.Level(n.Text)
	case n.Kind == strict.KindString && n.Text == "attested":
		f.Add(n, f.Pointer(key), `the level "attested" is not supported yet`, "claimed, bound or recorded", `use "recorded"`)
	case n.Kind == strict.KindString && n.Text == string(diag.Absent):
		f.Add(n, f.Pointer(key), `"absent" is not a minimum: it would accept missing evidence`, "claimed, bound or recorded",
			`use "claimed", or remove the criterion`)
	default:
		f.WrongFix(n, key, "one of "+strings.Join(levelWords, ", "), strict.WordFix(n, levelWords))
	}
	return ""
}

// literalPath returns a literal path in the repository; "" when the key is absent or wrong.
func literalPath(f *strict.Fields, key string) string {
	t := f.Text(key)
	if t.Value == "" || !literal(f, t, f.Pointer(key)) {
		return ""
	}
	return t.Value
}

// literal reports whether t is a valid path of one file or directory, and adds an error if not.
func literal(f *strict.Fields, t diag.Text, where string) bool {
	problem, fix := pathProblem(t.Value)
	if problem == "" {
		return true
	}
	f.Errs.Add(diag.Error{
		Pos: t.Pos, Where: where, Message: "the path " + diag.Quote(t.Value) + " " + problem, Found: diag.Quote(t.Value),
		Expected: "one path, relative to the root of the repository, such as web/app.ts", Fix: fix,
	})
	return false
}

// pathProblem says why p is not a plain relative path, and how to fix it; "" when it is one.
func pathProblem(p string) (problem, fix string) {
	switch {
	case strings.ContainsAny(p, "*?{"):
		return "contains a wildcard", "name each path; patterns are not supported here"
	case strings.HasPrefix(p, "/"):
		return "is absolute", "write it relative to the root of the repository, without the leading slash"
	case strings.HasSuffix(p, "/"):
		return "ends with a slash", "remove the slash"
	case strings.Contains(p, `\`):
		return "contains a backslash", "separate directories with /"
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "contains a control character", "remove it"
	}
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "":
			return "contains an empty part", "write one slash between two parts"
		case ".":
			return "contains the part .", "remove it"
		case "..":
			return "contains the part ..", "write the path relative to the root of the repository"
		}
	}
	return "", ""
}

// date returns a calendar day as YYYY-MM-DD; "" when n is nil or not a day.
func date(f *strict.Fields, n *strict.Node, key string) string {
	if n == nil {
		return ""
	}
	if n.Kind != strict.KindString || !strict.CalendarDay(n.Text) {
		f.WrongFix(n, key, "a day of the calendar, written YYYY-MM-DD", "write the day as YYYY-MM-DD, such as \"2027-12-31\"")
		return ""
	}
	return n.Text
}

// readAppliesTo reads the accounts whose pull requests are judged: globs over logins and slugs, and ids.
func readAppliesTo(f *strict.Fields) []Author {
	o := object(f, "applies_to")
	if o == nil {
		return nil
	}
	authors := o.Need("authors", "a list of ids and globs over logins")
	var list []Author
	for i, item := range filled(o, authors, "authors", "name a login or pattern, or remove applies_to to apply the contract to everyone") {
		if a, ok := author(o, item, o.Pointer("authors")+"/"+strconv.Itoa(i)); ok {
			list = append(list, a)
		}
	}
	o.End()
	return list
}

// author reads one item of the list.
func author(f *strict.Fields, item *strict.Node, where string) (Author, bool) {
	if item.Kind == strict.KindObject { // an id stays when the login changes
		o := strict.Object(item, where, f.Errs)
		id := o.IntegerOf(o.Need("id", "the id of an account"), "id", 1, strict.MaxSafeInteger)
		o.End()
		if id == nil {
			return Author{}, false
		}
		digits := strconv.FormatInt(*id, 10)
		return Author{Pattern{Text: diag.Text{Value: "id " + digits, Pos: item.Pos}}, digits}, true
	}
	if item.Kind != strict.KindString || strings.TrimSpace(item.Text) == "" {
		f.Errs.Add(strict.WrongType(item, where, `a login, a pattern, or {"id": 583231}`))
		return Author{}, false
	}
	globs := patterns(f, []diag.Text{{Value: loginGlob(item.Text), Pos: item.Pos}}, "authors")
	if len(globs) == 0 {
		return Author{}, false
	}
	globs[0].Value = item.Text
	return Author{Pattern: globs[0]}, true
}

// loginGlob makes the suffix of app logins literal: as a glob it would be a set of letters.
func loginGlob(pattern string) string {
	if head, app := strings.CutSuffix(pattern, "[bot]"); app {
		return head + "[[]bot]"
	}
	return pattern
}
