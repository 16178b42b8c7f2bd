package source

import (
	"bytes"
	"regexp"
)

// javaScript finds the calls of describe, it, test and their kin.
func (d *finder) javaScript() {
	certain, aliases := IsTest(d.Path), skipAliases(d.File)
	for at := 0; at < len(d.Code); {
		if c := d.Code[at]; !IsWord(c) && c != '$' {
			at++
			continue
		}
		end := at
		for end < len(d.Code) && (IsWord(d.Code[end]) || d.Code[end] == '$') {
			end++
		}
		if group, known := aliases[string(d.Code[at:end])]; known && d.byteAt(end) == '(' && d.byteAt(at-1) != '.' {
			end = d.javaScriptTest(at, end, group, certain)
		} else if end-at <= len("xdescribe") {
			if open, group := d.javaScriptCall(at, end); open != none {
				from := d.brackets().mateAt(d.lastBefore(open)) // (condition ? it.skip : it)("name", …)
				if from == none || from > at {
					from = at
				}
				end = d.javaScriptTest(from, open, group, certain)
			}
		}
		at = end
	}
}

var skipAlias = regexp.MustCompile(`(\w+) *= (?:[^;\r\n]*\? *(?:it|test|describe)(?:\.\w+)? *: *)?((?:it|test|describe)(?:\.(?:skip|todo|fixme))?)[;\r\n]`)

// skipAliases are the names that a file gives to functions that skip, as in const later = it.skip, or under a
// condition. The value is true for those of groups.
func skipAliases(f *File) map[string]bool {
	names := map[string]bool{}
	if bytes.Contains(f.Code, []byte(".skip")) || bytes.Contains(f.Code, []byte(".todo")) || bytes.Contains(f.Code, []byte(".fixme")) {
		for _, m := range skipAlias.FindAllSubmatch(f.Code, 10) {
			names[string(m[1])] = m[2][0] == 'd'
		}
	}
	return names
}

// javaScriptCall reads it.only.each(…) up to the parenthesis of the call that has the name; none for anything else.
func (d *finder) javaScriptCall(at, end int) (open int, group bool) {
	word := string(d.Code[at:end])
	switch {
	case oneOf(word, " describe xdescribe fdescribe ddescribe context xcontext fcontext suite xsuite "):
		group = true
	case oneOf(word, " it xit fit iit test xtest ftest specify xspecify fspecify bench "):
	case oneOf(word, " Deno QUnit ") && d.byteAt(end) == '.':
	default:
		return none, false
	}
	if d.byteAt(at-1) == '.' && !(word == "test" && d.byteAt(at-2) == 't' && !IsWord(d.byteAt(at-3))) {
		return none, false
	}
	named := word != "Deno" && word != "QUnit"
	for at = d.skip(end); ; at = d.skip(at) {
		switch d.byteAt(at) {
		case '.':
			at = d.skip(at + 1)
			word, end := d.word(at)
			switch modifier := string(word); {
			case oneOf(modifier, " describe suite module "):
				group, named = true, true
			case oneOf(modifier, " test it bench "):
				named = true
			case oneOf(modifier, " each for skipIf runIf if todoIf "):
				end = d.arguments(end)
			case !oneOf(modifier, " only skip todo concurrent sequential serial parallel failing fails fixme shuffle ignore skipped flaky "):
				return none, false
			}
			if end <= at {
				return none, false
			}
			at = end
		case '<':
			if at = d.typeArguments(at); at == none {
				return none, false
			}
		case '(':
			if !named {
				return none, false
			}
			return at, group
		case ')':
			from, open := d.brackets().mateAt(at), d.skip(at+1)
			if from == none || d.byteAt(open) != '(' || !named || bytes.IndexByte(d.Code[max(from, at-maxHead):at], '?') < 0 {
				return none, false
			}
			return open, group
		default:
			return none, false
		}
	}
}

// arguments is the offset behind (…) or `…`, or none.
func (d *finder) arguments(at int) int {
	if at = d.skip(at); d.byteAt(at) == '<' {
		if at = d.typeArguments(at); at == none {
			return none
		}
		at = d.skip(at)
	}
	switch d.byteAt(at) {
	case '(':
		return d.past(at)
	case '`':
		return d.template(at)
	}
	return none
}

// template is the offset behind `…`.
func (d *finder) template(at int) int {
	return min(d.Until(at+1, len(d.Code), "`")+1, len(d.Code))
}

// typeArguments is the offset behind <…>, or none.
func (d *finder) typeArguments(at int) int {
	depth := 0
	for end := min(at+1000, len(d.Code)); at < end; at++ {
		switch c := d.Code[at]; {
		case c == '<':
			depth++
		case c == '>' && d.Code[at-1] != '=':
			if depth--; depth == 0 {
				return at + 1
			}
		case c == ';':
			return none
		}
	}
	return none
}

// javaScriptTest notes the test of a call, and returns where to go on.
func (d *finder) javaScriptTest(from, open int, group, certain bool) int {
	end := d.past(open)
	last := end - 1
	comma, body := d.javaScriptArguments(open, last)
	name, literal := d.javaScriptName(d.skip(open+1), comma)
	before := d.wordBefore(from)
	switch {
	case name == "" && !literal, name == "true" || name == "false", before == "function", body == none && d.byteAt(d.skip(end)) == '{', // a declaration
		!literal && comma == last && body == none, // no test has a name only
		!certain && (!literal || body == none):
		return open + 1
	}
	d.leave(from)
	if body == none {
		body = comma
	}
	d.enter(d.name(name), from, body, last, group)
	return open + 1
}

// wordBefore is the word in front of an offset.
func (d *finder) wordBefore(at int) string {
	end := d.lastBefore(at) + 1
	return string(d.Code[d.wordStart(end):end])
}

// javaScriptArguments finds where the first argument ends, and the brace, or the end of the arrow, with which the body of the
// function among the arguments begins.
func (d *finder) javaScriptArguments(open, last int) (comma, body int) {
	comma, body = last, none
	previous := byte(0) // the last byte that is not blank
	for at := open + 1; at < last; {
		c := d.Code[at]
		switch {
		case c == '{' && (previous == ')' || (previous == '>' && d.arrowBefore(at))):
			return comma, at
		case c == '(' || c == '[' || c == '{':
			at, previous = d.past(at), c+1
			if c != '(' {
				previous = c + 2
			}
			continue
		case c == '`':
			at, previous = d.template(at), c
			continue
		case c == ',' && comma == last:
			comma = at
		case previous == '>' && !isBlank(c) && body == none && d.arrowBefore(at):
			body = at - 1
		}
		if !isBlank(c) {
			previous = c
		}
		at++
	}
	if body == none && comma != last && d.byteAt(d.skip(comma+1)) == '{' {
		return comma, none // options only
	}
	return comma, body
}

func (d *finder) arrowBefore(at int) bool {
	at = d.lastBefore(at)
	return d.byteAt(at) == '>' && d.byteAt(at-1) == '='
}

// text is the content of the literal between two offsets, or the text of any other expression.
func (d *finder) text(from, to int) (name string, literal bool) {
	for to > from && isBlank(d.Code[to-1]) {
		to--
	}
	switch quote := d.byteAt(from); {
	case to-from < 2:
	case quote == '`' && d.template(from) == to,
		(quote == '"' || quote == '\'') && bytes.IndexByte(d.Code[from+1:to], quote) == to-from-2:
		return squeeze(d.Text[from+1 : to-1]), true
	}
	return squeeze(d.Text[from:max(from, to)]), false
}

// javaScriptName is the name between two offsets: that of a text, of a function, or {name: "…", …}.
func (d *finder) javaScriptName(from, to int) (name string, literal bool) {
	if d.byteAt(from) == '{' && to-from > 1 {
		at := d.skip(from + 1)
		word, end := d.word(at)
		if string(word) != "name" || d.byteAt(end) != ':' {
			return "", false
		}
		at = d.skip(end + 1)
		return d.text(at, d.Until(at, min(to, at+maxHead), ",}"))
	}
	if word, end := d.word(from); string(word) == "function" || string(word) == "async" {
		if word, _ = d.word(d.skip(end)); string(word) == "function" {
			word, _ = d.word(d.skip(d.skip(end) + len(word)))
		}
		return string(word), len(word) > 0
	}
	return d.text(from, to)
}
