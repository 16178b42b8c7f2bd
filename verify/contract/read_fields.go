package contract

import (
	"errors"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

// object returns the fields of an object; nil when the key is absent or wrong.
func object(f *input.Fields, key string) *input.Fields {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	if n.Kind != input.KindObject {
		f.WrongFix(n, key, "an object", objectFix(f, key, n))
		return nil
	}
	return input.Object(n, f.Pointer(key), f.Errs)
}

// objectFix shows the object that a text or a list under a key most likely means; "" when that is not known.
func objectFix(f *input.Fields, key string, n *input.Node) string {
	inner := map[string]string{"evidence": "min", "applies_to": "authors", "coverage": "report", "rules": "run"}[key]
	switch {
	case inner == "":
		return ""
	case key == "evidence" && n.Kind == input.KindString && slices.Contains(levelWords, strings.ToLower(n.Text)):
		return "write " + f.Line(key, "{"+input.QuoteJSON(inner)+": "+input.QuoteJSON(strings.ToLower(n.Text))+"}")
	}
	return "write an object, such as " + f.Line(key, "{"+input.QuoteJSON(inner)+": …}")
}

var levelWords = []string{string(input.Claimed), string(input.Bound), string(input.Recorded)}

// objects yields the fields of each object in a list, and reports other items.
func objects(f *input.Fields, key string, items []*input.Node) iter.Seq[*input.Fields] {
	return func(yield func(*input.Fields) bool) {
		for i, n := range items {
			if o := input.Object(n, f.Pointer(key)+"/"+strconv.Itoa(i), f.Errs); o != nil && !yield(o) {
				return
			}
		}
	}
}

// filled returns the items of a list and reports an empty one; fix says what to do then.
func filled(f *input.Fields, n *input.Node, key, fix string) []*input.Node {
	items := f.ListOf(n, key)
	if n != nil && n.Kind == input.KindList && len(items) == 0 {
		f.Add(n, f.Pointer(key), input.Quote(key)+" is an empty list", "at least one item", fix)
	}
	return items
}

// matching returns a string of a given syntax; the zero value when the key is absent or wrong.
func matching(f *input.Fields, key string, syntax func() *regexp.Regexp, expected string) input.Text {
	n := f.Get(key)
	if n == nil {
		return input.Text{}
	}
	if n.Kind != input.KindString || !syntax().MatchString(n.Text) {
		f.Wrong(n, key, expected)
		return input.Text{}
	}
	return input.Text{Value: n.Text, Pos: n.Pos}
}

// allMatching returns the items of a list that are strings of a given syntax, and reports the others.
func allMatching(f *input.Fields, key string, items []*input.Node, syntax func() *regexp.Regexp, expected string) []input.Text {
	var list []input.Text
	for i, n := range items {
		if n.Kind != input.KindString || !syntax().MatchString(n.Text) {
			f.Add(n, f.Pointer(key)+"/"+strconv.Itoa(i), "an item of "+input.Quote(key)+" must be "+expected, expected, "write "+expected)
			continue
		}
		list = append(list, input.Text{Value: n.Text, Pos: n.Pos})
	}
	return list
}

func valuesOf(texts []input.Text) (list []string) {
	for _, t := range texts {
		list = append(list, t.Value)
	}
	return list
}

// globs returns the patterns of a list; never nil when n is a list.
func globs(f *input.Fields, n *input.Node, key string) []Pattern {
	return patterns(f, f.TextsOf(n, key), key)
}

// needGlobs is globs for a required key with a string or a list, and at least one pattern.
func needGlobs(f *input.Fields, key string) []Pattern {
	if n := f.Need(key, "a glob or a list of globs"); n != nil && n.Kind == input.KindList {
		filled(f, n, key, "name at least one file or pattern")
	}
	return patterns(f, f.TextOrTexts(key), key)
}

// filledGlobs is globs for a list that must not be empty; fix says what to do then.
func filledGlobs(f *input.Fields, n *input.Node, key, fix string) []Pattern {
	filled(f, n, key, fix)
	if n == nil || n.Kind != input.KindList {
		return nil // filled reports the wrong type
	}
	return globs(f, n, key)
}

// patterns parses globs, and reports malformed ones.
func patterns(f *input.Fields, texts []input.Text, key string) []Pattern {
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
			e := input.Error{
				Pos: t.Pos, Where: f.Pointer(key), Message: err.Error(), Found: input.Quote(t.Value), Expected: "a glob", Fix: "correct the pattern",
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
func ratio(f *input.Fields, key string) *input.Ratio {
	n := f.Get(key)
	if n == nil {
		return nil
	}
	r, ok := input.ParseRatio(n)
	if !ok {
		f.WrongFix(n, key, "a number from 0 to 1, such as 0.85", "write the share itself: 85 % is 0.85")
		return nil
	}
	return &r
}

// severity returns a severity in any of the spellings of rule reports, or [Off] where that is allowed.
func severity(f *input.Fields, key string, mayBeOff bool) input.Severity {
	expected := "block, warn or info"
	if mayBeOff {
		expected = "block, warn, info or off"
	}
	n := f.Need(key, expected)
	if n == nil {
		return ""
	}
	severity, known := input.SeverityWords[n.Text]
	if mayBeOff && n.Text == string(Off) {
		severity, known = Off, true
	}
	if n.Kind != input.KindString || !known {
		words := []string{"block", "error", "warn", "warning", "info", "note"}
		if mayBeOff {
			words = append(words, string(Off))
		}
		fix := input.WordFix(n, words)
		switch {
		case n.Kind != input.KindString:
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
func level(f *input.Fields, key string) input.Level {
	n := f.Get(key)
	switch {
	case n == nil:
		return ""
	case n.Kind == input.KindString && slices.Contains([]input.Level{input.Claimed, input.Bound, input.Recorded}, input.Level(n.Text)):
		return input.Level(n.Text)
	case n.Kind == input.KindString && n.Text == "attested":
		f.Add(n, f.Pointer(key), `the level "attested" is not supported yet`, "claimed, bound or recorded", `use "recorded"`)
	case n.Kind == input.KindString && n.Text == string(input.Absent):
		f.Add(n, f.Pointer(key), `"absent" is not a minimum: it would accept missing evidence`, "claimed, bound or recorded",
			`use "claimed", or remove the criterion`)
	default:
		f.WrongFix(n, key, "one of "+strings.Join(levelWords, ", "), input.WordFix(n, levelWords))
	}
	return ""
}

// literalPath returns a literal path in the repository; "" when the key is absent or wrong.
func literalPath(f *input.Fields, key string) string {
	t := f.Text(key)
	if t.Value == "" || !literal(f, t, f.Pointer(key)) {
		return ""
	}
	return t.Value
}

// literal reports whether t is a valid path of one file or directory, and adds an error if not.
func literal(f *input.Fields, t input.Text, where string) bool {
	problem, fix := pathProblem(t.Value)
	if problem == "" {
		return true
	}
	f.Errs.Add(input.Error{
		Pos: t.Pos, Where: where, Message: "the path " + input.Quote(t.Value) + " " + problem, Found: input.Quote(t.Value),
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
func date(f *input.Fields, n *input.Node, key string) string {
	if n == nil {
		return ""
	}
	if n.Kind != input.KindString || !input.CalendarDay(n.Text) {
		f.WrongFix(n, key, "a day of the calendar, written YYYY-MM-DD", "write the day as YYYY-MM-DD, such as \"2027-12-31\"")
		return ""
	}
	return n.Text
}

// readAppliesTo reads the accounts whose pull requests are judged, nil for all, and those whose own updates are not held to scope.
func readAppliesTo(f *input.Fields) (authors, bots []Author) {
	o := object(f, "applies_to")
	if o == nil {
		return nil, nil
	}
	except := o.Get("except")
	if except == nil || o.Get("authors") != nil {
		items := o.Need("authors", "a list of ids and globs over logins")
		authors = each(o, items, "authors", "name a login or pattern, or remove applies_to to apply the contract to everyone", author)
	}
	bots = each(o, except, "except", `name an account, such as {"login": "dependabot[bot]"}, or remove except`, account)
	o.End()
	return authors, bots
}

// each reads the items of a list of accounts.
func each(f *input.Fields, list *input.Node, key, fix string, read func(*input.Fields, *input.Node, string) (Author, bool)) (accounts []Author) {
	for i, item := range filled(f, list, key, fix) {
		if a, ok := read(f, item, f.Pointer(key)+"/"+strconv.Itoa(i)); ok {
			accounts = append(accounts, a)
		}
	}
	return accounts
}

// account reads one account: its login as it is, or its id.
func account(f *input.Fields, item *input.Node, where string) (Author, bool) {
	if item.Kind != input.KindObject {
		f.Errs.Add(input.WrongType(item, where, `an account, such as {"login": "dependabot[bot]"}`))
		return Author{}, false
	}
	o := input.Object(item, where, f.Errs)
	if o.Get("login") == nil {
		return accountID(o, item)
	}
	login := o.NeedText("login")
	if o.Get("id") != nil {
		o.Add(item, where, "the account has a login and an id", "one of them", "keep the id, which stays when the login changes")
	}
	o.End()
	return Author{Pattern: Pattern{Text: login}}, login.Value != ""
}

// accountID reads an id, which stays when the login changes.
func accountID(o *input.Fields, item *input.Node) (Author, bool) {
	id := o.IntegerOf(o.Need("id", "the id of an account"), "id", 1, input.MaxSafeInteger)
	o.End()
	if id == nil {
		return Author{}, false
	}
	digits := strconv.FormatInt(*id, 10)
	return Author{Pattern{Text: input.Text{Value: "id " + digits, Pos: item.Pos}}, digits}, true
}

// author reads one item of the list: a glob, or an id.
func author(f *input.Fields, item *input.Node, where string) (Author, bool) {
	if item.Kind == input.KindObject {
		return accountID(input.Object(item, where, f.Errs), item)
	}
	if item.Kind != input.KindString || strings.TrimSpace(item.Text) == "" {
		f.Errs.Add(input.WrongType(item, where, `a login, a pattern, or {"id": 583231}`))
		return Author{}, false
	}
	globs := patterns(f, []input.Text{{Value: loginGlob(item.Text), Pos: item.Pos}}, "authors")
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
