package facts

import (
	"strconv"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// Schema is the "schema" of facts.json.
const Schema = "closeout.facts/v1"

var (
	repositorySyntax = input.Lazily(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)
	digitsSyntax     = input.Lazily(`^[0-9]{1,32}$`)
	// timeSyntax is RFC 3339 in UTC and whole seconds, as GitHub writes it, so that texts sort as times do.
	timeSyntax = input.Lazily(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$`)
)

// forms are what the tags of the facts name.
var forms = input.Forms{
	Text: map[string]input.Form{
		"schema": {Valid: func(s string) bool { return s == Schema }, Expected: strconv.Quote(Schema)},
		"id": {
			Valid: func(s string) bool { return input.IsLowerHex(s, 40, 64) }, Expected: "an object id: 40 or 64 lower-case hexadecimal digits",
			Fix: "write the full id, as git rev-parse prints it for a branch or a short id",
		},
		"digits":     {Valid: func(s string) bool { return digitsSyntax().MatchString(s) }, Expected: "a string of digits"},
		"time":       {Valid: func(s string) bool { return timeSyntax().MatchString(s) }, Expected: "a time in UTC, as 2006-01-02T15:04:05Z"},
		"day":        {Valid: input.CalendarDay, Expected: "a day, as YYYY-MM-DD"},
		"task":       {Valid: contract.ValidTaskID, Expected: "a task id: letters, digits and . _ -, at most 64, without .."},
		"repository": {Valid: func(s string) bool { return repositorySyntax().MatchString(s) }, Expected: `a repository, as "owner/name"`},
		"digest":     {Valid: validDigest, Expected: `a sha256: 64 lower-case hexadecimal digits; or a stream's name, "=" and its sha256 or nothing`},
		"pull":       {Valid: func(s string) bool { return s[0] != '-' && s != "0" }, Expected: "the number of a pull request, each once"},
		"path":       {Valid: func(s string) bool { return s != "" }, Expected: "a path"},
	},
	Words: map[string][]string{"misplaced": MisplacedAt, "permission": Permissions, "wanted": wantedNames(), "limit": input.LimitFlags()},
}

func wantedNames() []string {
	names := make([]string, len(AllWanted))
	for i, w := range AllWanted {
		names[i] = string(w)
	}
	return names
}

// Parse reads facts.json. Only "schema" is required. A scalar that is optional may be null, which is the same as
// absent; a list may not, because an empty one says something: that no log, or no code tree, counts.
//
// The facts are nil when the text is not a JSON object; when there are errors they must not be used.
func Parse(data []byte, limits input.Limits) (*Facts, *input.Errors) {
	errs := &input.Errors{}
	n := input.ParseDocument(data, "facts.json", limits, errs)
	if n == nil {
		return nil, errs
	}
	if n.Kind != input.KindObject {
		errs.Add(input.WrongElement(n, "", "facts.json", "an object"))
		return nil, errs
	}
	facts := &Facts{}
	forms.Decode(input.Object(n, "", errs), facts)
	if s := facts.Settings; s.Tasks != nil && (len(s.Tasks) < 2 || s.Task != "") {
		settings := &input.Fields{Node: n.At("settings"), Where: "/settings", Errs: errs}
		settings.Wrong(n.At("settings", "tasks"), "tasks", `at least two task ids, and no "task" beside them`)
	}
	// An entry that occurs twice is an error: which of two trusts or permissions applies must not depend on the reader.
	for _, key := range []string{"contracts", "files"} {
		seen := map[string]bool{}
		for i, item := range n.At(key).Items {
			file := item.At("file")
			if seen[file.Text] && file.Text != "" {
				twice(errs, file, "/"+key+"/"+strconv.Itoa(i)+"/file", "file", "")
			}
			seen[file.Text] = true
		}
	}
	for i, item := range n.At("cross").Items { // without a tree and without a reason the runs would be missing without a reason
		if (item.Member("old_tests") == nil) == (item.Member("incomparable") == nil) {
			errs.Add(input.Error{
				Pos: item.Pos, Where: "/cross/" + strconv.Itoa(i) + "/old_tests", Message: `there must be either "old_tests" or "incomparable"`,
				Found: "both, or none", Expected: `one of "old_tests" and "incomparable"`, Fix: "keep the one that is true",
			})
		}
	}
	if facts.GitHub == nil {
		return facts, errs
	}
	seen := map[string]bool{}
	for i, person := range facts.GitHub.People { // logins differ by more than case
		byLogin, byID := "login "+FoldLogin(person.Login), "id "+person.ID
		if (person.Login != "" && seen[byLogin]) || (person.ID != "" && seen[byID]) {
			twice(errs, n.At("github", "people").Items[i].At("login"), "/github/people/"+strconv.Itoa(i)+"/login", "account", ", or its id")
		}
		seen[byLogin], seen[byID] = true, true
	}
	return facts, errs
}

// twice reports an entry of a list that an earlier one has.
func twice(errs *input.Errors, n *input.Node, where, what, more string) {
	errs.Add(input.Error{
		Pos: n.Pos, Where: where, Message: "the " + what + " " + input.Quote(n.Text) + " occurs twice",
		Found: "a second " + input.Quote(n.Text) + more, Expected: "each " + what + " once", Fix: "keep the entry that is true",
	})
}
