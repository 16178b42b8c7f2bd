package input

import (
	"unicode/utf8"
)

// CheckText refuses a file that contains no text, or text in a foreign encoding.
func CheckText(data []byte, errs *Errors) bool {
	e := Error{Pos: Pos{Line: 1, Column: 1}, Expected: "a contract in UTF-8, without byte order mark"}
	switch {
	case yamlBlank(data):
		e.Message, e.Found, e.Fix = "the contract is empty", "no value", "write allowed_files, forbidden_files, acceptance_criteria and rollback_plan: closeout schema scope_contract describes them"
	case wrongEncoding(&e, data):
	case !utf8.Valid(data):
		at := invalidUTF8(data)
		e.Pos = (&LineIndex{Data: data, Line: 1}).Pos(at)
		e.Message, e.Found, e.Fix = "the file is not valid UTF-8", Excerpt(data[at:]), "save it as UTF-8"
	default:
		return true
	}
	errs.Add(e)
	return false
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8.
func invalidUTF8(data []byte) int {
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return at
}

// CutTo cuts s after at most max bytes, at a character's end, and marks the cut.
func CutTo(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max] + "…"
}
