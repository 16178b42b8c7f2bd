package rules

import (
	"bytes"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// comparisons are the operators that a condition may have outside brackets, the longest first.
var comparisons = []struct {
	operator string
	rank     rank
}{
	{"===", exact}, {"!==", exists}, {"==", exact}, {"!=", exists}, {"<=>", unclear}, {">=", partial}, {"<=", partial},
	{"=~", partial},
	{" not in ", partial}, {" in ", partial}, {" is not ", exists}, {" is ", exact}, {" instanceof ", partial},
	{" > ", partial}, {" < ", partial},
}

// expressionMeaning reads the condition of an assertion: x == 1.
func expressionMeaning(e span) meaning {
	e = unwrap(e)
	c := conditionMeaning(e)
	c.sides, c.want = []span{e}, always
	return c
}

func conditionMeaning(e span) (c meaning) {
	for _, or := range []string{" or ", "||"} {
		if parts := split(e, or); len(parts) > 1 {
			c = meaning{rank: exists, matcher: strings.TrimSpace(or)}
			for _, p := range parts {
				c.subjects = append(c.subjects, expressionMeaning(p).subjects...)
			}
			return c
		}
	}
	for _, and := range []string{" and ", "&&"} {
		if parts := split(e, and); len(parts) > 1 {
			return meaning{}
		}
	}
	for _, op := range comparisons {
		if parts := split(e, op.operator); len(parts) == 2 {
			return comparisonMeaning(op.operator, op.rank, parts)
		} else if len(parts) > 2 {
			return meaning{}
		}
	}
	return truthMeaning(e)
}

func comparisonMeaning(operator string, l rank, parts []span) meaning {
	c := meaning{rank: l, matcher: strings.TrimSpace(operator)}
	for _, p := range parts {
		if isAnything(p.key()) {
			c.rank = min(c.rank, exists)
		} else if isLiteral(p.code) {
			c.expected = append(c.expected, p.key())
		} else {
			c.subjects = append(c.subjects, p.key())
		}
	}
	return c
}

// questions are the methods that tell little about what they are called on.
var questions = [...]string{
	exists: " is_some is_ok is_none is_err isPresent Any any present? ",
	partial: " contains Contains includes include? startswith endswith starts_with ends_with startsWith endsWith StartsWith " +
		"EndsWith matches match contains_key containsKey ",
	exact: " equals Equals SequenceEqual ",
}

// truthMeaning reads a condition without an operator: x, not x, x.is_some(), isinstance(x, T).
func truthMeaning(e span) meaning {
	for _, not := range []string{"not ", "!"} {
		if begins(e.code, not) {
			e = unwrap(e.cut(len(not), len(e.code)))
		}
	}
	calls := split(e, ".")
	last := calls[len(calls)-1]
	open := max(0, bytes.IndexByte(last.code, '('))
	name := string(last.code[:open])
	if args, after, ok := arguments(last.cut(open, len(last.code))); ok && len(after.trim().code) == 0 {
		if len(calls) > 1 {
			subject := e.cut(0, len(e.code)-len(last.code)-1)
			for l, names := range questions {
				if isIn(name, names) {
					return meaning{rank: rank(l), matcher: name, subjects: append([]string{subject.key()}, keys(args)...)}
				}
			}
		} else if len(args) > 0 && isIn(name, " isinstance issubclass hasattr callable any all matches! ") {
			return meaning{rank: partial, matcher: name, subjects: keys(args[:1])}
		}
	}
	if isLiteral(e.code) {
		return meaning{}
	}
	return meaning{rank: exists, matcher: "true", subjects: []string{e.key()}, truth: true}
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

// goCondition reads the condition of a Go test that fails: if got != want { t.Fatal() }. It says the opposite of the
// condition.
func goCondition(s span) (c meaning, ok bool) {
	line := s.trim()
	if !begins(line.code, "if ") || !ends(line.code, "{") {
		return c, false
	}
	e := line.cut(3, len(line.code)-1).trim()
	if parts := split(e, ";"); len(parts) == 2 {
		if i := bytes.Index(parts[0].code, []byte("cmp.Diff(")); i >= 0 {
			return goCall(parts[0].cut(i, len(parts[0].code)))
		}
		e = parts[1]
	}
	if begins(e.code, "!") {
		if c, ok = goCall(e.cut(1, len(e.code))); ok {
			return c, true
		}
	}
	if len(split(e, "||")) > 1 {
		return c, false
	}
	if parts := split(e, "&&"); len(parts) > 1 {
		c = meaning{rank: exists, matcher: "&&"} // both must be wrong for the test to fail
		for _, p := range parts {
			c.subjects = append(c.subjects, expressionMeaning(p).subjects...)
		}
		return c, true
	}
	c = expressionMeaning(e)
	switch c.matcher {
	case "!=":
		c.rank = exact
	case "==":
		c.rank = exists
	}
	return c, c.rank != unclear && len(c.subjects) > 0
}

// goCalls matches the calls that compare two values, or ask whether one contains the other.
var goCalls = input.Lazily(`^(errors\.(?:Is|As)|cmp\.Diff|reflect\.DeepEqual|(?:cmp|bytes|slices|maps)\.Equal|` +
	`strings\.(?:EqualFold|Contains|HasPrefix|HasSuffix)|(?:slices|bytes)\.Contains)\(`)

func goCall(e span) (c meaning, ok bool) {
	m := goCalls().FindSubmatch(e.code)
	if m == nil {
		return c, false
	}
	args, _, _ := arguments(e.cut(len(m[1]), len(e.code)))
	c = meaning{rank: partial, matcher: string(m[1]), subjects: keys(args[:min(len(args), 2)])}
	if has(c.matcher, "Equal", "Diff", "errors.") {
		c.rank = exact
	}
	return c, len(args) >= 2
}

// isLiteral reports whether an expression is a literal: a number, a text, a truth value, nothing, or a collection
// without names.
func isLiteral(code []byte) bool { return literal().Match(bytes.TrimSpace(code)) }

var literal = input.Lazily("^(?:|-?\\d[^+*/( ]*|[^\"'`\\d-]?(?:\"[^\"]*\"|'[^']*')|`[^`]*`|true|false|True|False|nil|null|None|undefined|NULL|" +
	"[\\[{](?:[^\\w\\x{80}-\\x{10FFFF}]|\\d\\w*)*)$")
