package contract

import (
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// readAppliesTo reads whose pull requests are judged: globs over logins and slugs, and ids of accounts.
func readAppliesTo(f *strict.Fields) []Author {
	n := f.Get("applies_to")
	if n == nil {
		return nil
	}
	o := strict.Object(n, f.Pointer("applies_to"), f.Errs)
	if o == nil {
		return nil
	}
	authors := o.Need("authors", "a list of globs over logins, and of ids")
	var list []Author
	for i, item := range filled(o, authors, "authors", "name a login or pattern, or remove applies_to: then it is everyone") {
		if a, ok := author(o, item, o.Pointer("authors")+"/"+strconv.Itoa(i)); ok {
			list = append(list, a)
		}
	}
	o.End()
	return list
}

// author reads one entry of the list.
func author(f *strict.Fields, item *strict.Node, where string) (Author, bool) {
	switch {
	case item.Kind == strict.KindObject:
		return authorID(item, where, f.Errs)
	case item.Kind != strict.KindString || strings.TrimSpace(item.Text) == "":
		f.Errs.Add(strict.WrongType(item, where, `a login, a pattern, or {"id": 583231}`))
		return Author{}, false
	}
	globs := patterns(f, []diag.Text{{Value: item.Text, Pos: item.Pos}}, "authors", loginGlob)
	if len(globs) == 0 {
		return Author{}, false
	}
	return Author{Pattern: globs[0]}, true
}

// authorID reads an account that is named by its id, which stays when the login changes.
func authorID(item *strict.Node, where string, errs *diag.Errors) (Author, bool) {
	o := strict.Object(item, where, errs)
	id := o.IntegerOf(o.Need("id", "the id of an account"), "id", 1, strict.MaxSafeInteger)
	o.End()
	if id == nil {
		return Author{}, false
	}
	digits := strconv.FormatInt(*id, 10)
	return Author{Pattern{Text: diag.Text{Value: "id " + digits, Pos: item.Pos}}, digits}, true
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
