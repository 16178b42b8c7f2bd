package rules

import (
	"bytes"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// comparisons are the operators that a condition may have outside brackets, the longest first.
var comparisons = []struct {
	operator string
	level    level
}{
	{"===", exact}, {"!==", exists}, {"==", exact}, {"!=", exists}, {"<=>", unclear}, {">=", partial}, {"<=", partial},
	{"=~", partial},
	{" not in ", partial}, {" in ", partial}, {" is not ", exists}, {" is ", exact}, {" instanceof ", partial},
	{" > ", partial}, {" < ", partial},
}

// expressionClaim reads the condition of an assertion: x == 1.
func expressionClaim(lang source.Lang, e span) claim {
	e = unwrap(e)
	c := conditionClaim(lang, e)
	c.sides, c.want = []span{e}, always
	return c
}

func conditionClaim(lang source.Lang, e span) (c claim) {
	for _, or := range []string{" or ", "||"} {
		if parts := split(e, or); len(parts) > 1 {
			c = claim{level: exists, matcher: strings.TrimSpace(or)}
			for _, p := range parts {
				c.subjects = append(c.subjects, expressionClaim(lang, p).subjects...)
			}
			return c
		}
	}
	for _, and := range []string{" and ", "&&"} {
		if parts := split(e, and); len(parts) > 1 {
			return claim{}
		}
	}
	for _, op := range comparisons {
		if parts := split(e, op.operator); len(parts) == 2 {
			return comparisonClaim(lang, op.operator, op.level, parts)
		} else if len(parts) > 2 {
			return claim{}
		}
	}
	return truthClaim(lang, e)
}

// unwrap removes the brackets around an expression.
func unwrap(e span) span {
	for {
		e = e.trim()
		if len(e.code) == 0 || e.code[0] != '(' {
			return e
		}
		args, rest, ok := arguments(e)
		if !ok || len(args) != 1 || len(rest.trim().code) > 0 {
			return e
		}
		e = args[0]
	}
}

func comparisonClaim(lang source.Lang, operator string, l level, parts []span) claim {
	c := claim{level: l, matcher: strings.TrimSpace(operator)}
	for _, p := range parts {
		if isAnything(p.key()) {
			c.level = min(c.level, exists)
		} else if isLiteral(p.code) {
			c.expected = append(c.expected, p.key())
		} else {
			c.subjects = append(c.subjects, p.key())
		}
	}

	return c
}

// questions are the methods that tell little about what they are called on.
var questions = map[string]level{
	"is_some": exists, "is_ok": exists, "is_none": exists, "is_err": exists, "isPresent": exists, "Any": exists,
	"any": exists, "present?": exists,
	"contains": partial, "Contains": partial, "includes": partial, "include?": partial, "startswith": partial,
	"endswith": partial, "starts_with": partial,
	"ends_with": partial, "startsWith": partial, "endsWith": partial, "StartsWith": partial, "EndsWith": partial,
	"matches": partial, "match": partial,
	"contains_key": partial, "containsKey": partial, "equals": exact, "Equals": exact, "SequenceEqual": exact,
}

// truthClaim reads a condition without an operator: x, not x, x.is_some(), isinstance(x, T).
func truthClaim(lang source.Lang, e span) claim {
	for _, not := range []string{"not ", "!"} {
		if begins(e.code, not) {
			e = unwrap(e.cut(len(not), len(e.code)))
		}
	}
	c := claim{level: exists, matcher: "true"}
	if m, subject, args := lastCall(e); m != "" {
		if l := questions[m]; l != unclear {
			return claim{level: l, matcher: m, subjects: append([]string{subject}, keys(args)...)}
		}
	}
	if args, rest, ok := arguments(e.cut(callEnd(e.code), len(e.code))); ok && len(rest.trim().code) == 0 &&
		len(args) > 0 {
		switch string(e.code[:callEnd(e.code)]) {
		case "isinstance", "issubclass", "hasattr", "callable", "any", "all":
			return claim{level: partial, matcher: string(e.code[:callEnd(e.code)]), subjects: keys(args[:1])}
		case "matches!":
			return claim{level: partial, matcher: "matches!", subjects: keys(args[:1])}
		}
	}
	if isLiteral(e.code) {
		return claim{}
	}
	c.subjects, c.truth = []string{e.key()}, true
	return c
}

// lastCall cuts x.m(args) into m, x and args.
func lastCall(e span) (method, subject string, args []span) {
	if !ends(e.code, ")") {
		return "", "", nil
	}
	depth, open := 0, -1
	for i := len(e.code) - 1; i >= 0 && open < 0; i-- {
		switch e.code[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				open = i
			}
		}
	}
	start := max(open, 0)
	for start > 0 && (source.IsWord(e.code[start-1]) || e.code[start-1] == '?') {
		start--
	}
	if start < 2 || e.code[start-1] != '.' {
		return "", "", nil
	}
	args, _, _ = arguments(e.cut(open, len(e.code)))
	return string(e.code[start:open]), e.cut(0, start-1).key(), args
}

func keys(list []span) []string {
	var all []string
	for _, s := range list {
		if !isLiteral(s.code) {
			all = append(all, s.key())
		}
	}
	return all
}

func callEnd(text []byte) int {
	end := wordEnd(text)
	if begins(text[end:], "!(") {
		end++
	}
	return end
}

// goCondition reads the condition of a Go test that fails: if got != want { t.Fatal() }. It says the opposite of the
// condition.
func goCondition(s span) (c claim, ok bool) {
	line := s.trim()
	if !begins(line.code, "if ") || !ends(line.code, "{") {
		return c, false
	}
	e := line.cut(3, len(line.code)-1).trim()
	if parts := split(e, ";"); len(parts) == 2 {
		if i := bytes.Index(parts[0].code, []byte("cmp.Diff(")); i >= 0 {
			args, _, _ := arguments(parts[0].cut(i+len("cmp.Diff"), len(parts[0].code)))
			if len(args) >= 2 {
				return claim{level: exact, matcher: "cmp.Diff", subjects: keys(args[:2])}, true
			}
		}
		e = parts[1]
	}
	for _, equal := range []string{"!reflect.DeepEqual(", "!cmp.Equal(", "!bytes.Equal(", "!slices.Equal(",
		"!maps.Equal(", "!strings.EqualFold("} {
		if begins(e.code, equal) {
			args, _, _ := arguments(e.cut(len(equal)-1, len(e.code)))
			return claim{level: exact, matcher: strings.Trim(equal, "!("), subjects: keys(args)}, len(args) >= 2
		}
	}
	for _, contains := range []string{"!strings.Contains(", "!strings.HasPrefix(", "!strings.HasSuffix(",
		"!slices.Contains(", "!bytes.Contains("} {
		if begins(e.code, contains) {
			args, _, _ := arguments(e.cut(len(contains)-1, len(e.code)))
			return claim{level: partial, matcher: strings.Trim(contains, "!("), subjects: keys(args)}, len(args) >= 2
		}
	}
	if len(split(e, "||")) > 1 {
		return c, false
	}
	if parts := split(e, "&&"); len(parts) > 1 {
		// Both must be wrong for the test to fail.
		c = claim{level: exists, matcher: "&&"}
		for _, p := range parts {
			c.subjects = append(c.subjects, expressionClaim(source.Go, p).subjects...)
		}
		return c, true
	}

	c = expressionClaim(source.Go, e)
	switch c.matcher {
	case "!=":
		c.level = exact
	case "==":
		c.level = exists
	}
	return c, c.level != unclear && len(c.subjects) > 0
}

// isLiteral reports whether an expression is a literal: a number, a text, a truth value, nothing, or an empty
// collection.
func isLiteral(codeText []byte) bool {
	text := bytes.TrimSpace(codeText)
	if len(text) == 0 {
		return true
	}
	switch c := text[0]; {
	case c >= '0' && c <= '9', c == '-' && len(text) > 1 && text[1] >= '0' && text[1] <= '9':
		return !bytes.ContainsAny(text, "+*/( ")
	case c == '"', c == '\'', c == '`':
		return bytes.IndexByte(text[1:], c) == len(text)-2
	case c == '[', c == '{':
		return isPlain(text)
	}
	switch string(text) {
	case "true", "false", "True", "False", "nil", "null", "None", "undefined", "NULL":
		return true
	}
	return len(text) > 2 && (text[1] == '"' || text[1] == '\'') && bytes.IndexByte(text[2:], text[1]) == len(text)-3 // b"…", r"…", f'…'
}

// isPlain reports whether a list or map has no names in it.
func isPlain(text []byte) bool {
	for i, c := range text {
		if source.IsWord(c) && (c < '0' || c > '9') && (i == 0 || !source.IsWord(text[i-1])) {
			return false
		}
	}
	return true
}
