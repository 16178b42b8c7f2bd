package evidence

import (
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/source"
)

// readAppliesTo reads whose pull requests are judged: globs over logins and slugs, and ids of accounts.
func readAppliesTo(f *fields) []Author {
	n := f.get("applies_to")
	if n == nil {
		return nil
	}
	o := object(n, f.pointer("applies_to"), f.errs)
	if o == nil {
		return nil
	}
	authors := o.need("authors", "a list of globs over logins, and of ids")
	var list []Author
	for i, item := range o.filled(authors, "authors", "name a login or pattern, or remove applies_to: then it is everyone") {
		if a, ok := o.author(item, o.pointer("authors")+"/"+strconv.Itoa(i)); ok {
			list = append(list, a)
		}
	}
	o.end()
	return list
}

// author reads one entry of the list.
func (f *fields) author(item *node, where string) (Author, bool) {
	switch {
	case item.kind == kindObject:
		return authorID(item, where, f.errs)
	case item.kind != kindString || strings.TrimSpace(item.text) == "":
		f.errs.Add(wrongType(item, where, `a login, a pattern, or {"id": 583231}`))
		return Author{}, false
	}
	globs := f.patterns([]Text{{item.text, item.pos}}, "authors", loginGlob)
	if len(globs) == 0 {
		return Author{}, false
	}
	return Author{Pattern: globs[0]}, true
}

// authorID reads an account that is named by its id, which stays when the login changes.
func authorID(item *node, where string, errs *source.Errors) (Author, bool) {
	o := object(item, where, errs)
	id := o.integerOf(o.need("id", "the id of an account"), "id", 1, maxPullRequest)
	o.end()
	if id == nil {
		return Author{}, false
	}
	digits := strconv.FormatInt(*id, 10)
	return Author{Pattern{Text: Text{"id " + digits, item.pos}}, digits}, true
}

// globsOf are the patterns among authors.
func globsOf(authors []Author) []Pattern {
	var list []Pattern
	for _, a := range authors {
		if a.ID == "" {
			list = append(list, a.Pattern)
		}
	}
	return list
}

// loginGlob makes the ending that GitHub gives to the logins of apps literal: as a glob it would be a set of letters.
func loginGlob(pattern string) string {
	if head, app := strings.CutSuffix(pattern, "[bot]"); app {
		return head + "[[]bot]"
	}
	return pattern
}
