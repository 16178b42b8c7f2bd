package rules

import (
	"bytes"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// certainty is what is known of a condition without running it.
type certainty int8

const (
	unknown certainty = iota
	always
	notEver
)

// truths are what names and expressions stand for.
type truths map[string]certainty

func (t certainty) not() certainty {
	switch t {
	case always:
		return notEver
	case notEver:
		return always
	}
	return unknown
}

// maxCondition is how much of a condition is looked at.
const maxCondition = 400

// foldCondition tells whether a condition is always or never true: true, 1 == 1, !false, true || x. names are the
// constants of the file; see constants.
func foldCondition(expr string, names truths) certainty {
	if len(expr) > maxCondition {
		return unknown
	}
	return constantAt(expr, names, 0)
}

func constantAt(expr string, names truths, depth int) certainty {
	expr = unparen(expr)
	if depth > 20 || expr == "" {
		return unknown
	}
	for _, or := range []string{"||", " or "} {
		if left, right, found := cutOutside(expr, or); found {
			return either(constantAt(left, names, depth+1), constantAt(right, names, depth+1))
		}
	}
	for _, and := range []string{"&&", " and "} {
		if left, right, found := cutOutside(expr, and); found {
			return either(constantAt(left, names, depth+1).not(), constantAt(right, names, depth+1).not()).not()
		}
	}
	if rest, found := strings.CutPrefix(expr, "not "); found {
		return constantAt(rest, names, depth+1).not()
	}
	if begins(expr, "!") && !begins(expr, "!=") {
		return constantAt(expr[1:], names, depth+1).not()
	}
	if left, right, found := strings.Cut(expr, "=="); found {
		left, right = strings.TrimSpace(left), strings.TrimSpace(strings.TrimPrefix(right, "="))
		switch {
		case !isConstant(left) || !isConstant(right):
			return unknown
		case left == right:
			return always
		}
		return notEver
	}
	// of #[cfg(…)]
	if name, inner, called := strings.Cut(expr, "("); called && oneOf(name, "any", "all", "not") {
		inner = strings.TrimSuffix(inner, ")")
		result := notEver // with all and not each part is turned round
		for more, part := true, ""; more; {
			part, inner, more = cutOutside(inner, ",")
			truth := constantAt(part, names, depth+1)
			if name != "any" {
				truth = truth.not()
			}
			if strings.TrimSpace(part) != "" {
				result = either(result, truth)
			}
		}
		if name == "all" {
			return result.not()
		}
		return result
	}
	return literalTruth(expr, names)
}

func literalTruth(expr string, names truths) certainty {
	switch expr {
	case "true", "True", "TRUE", "bool(1)", "Boolean.TRUE", "cfg!(all())":
		return always
	case "false", "False", "FALSE", "None", "nil", "null", "Boolean.FALSE", "cfg!(any())":
		return notEver
	}
	if isDecimal(expr) {
		if strings.Trim(expr, "0.") == "" {
			return notEver
		}
		return always
	}
	return names[expr]
}

func either(a, b certainty) certainty {
	switch {
	case a == always || b == always:
		return always
	case a == notEver && b == notEver:
		return notEver
	}
	return unknown
}

// isConstant reports whether a text is a number, or a string in single quotes that is not blanked.
func isConstant(s string) bool {
	return isDecimal(s) || (begins(s, "'") && ends(s[1:], "'") && strings.Trim(s, "' ") != "")
}

func isDecimal(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && c != '.' {
			return false
		}
	}
	return s != ""
}

// assignment matches what sets a name; its groups are the name and the value.
var assignment = input.Lazily(`(?:^|[\s*])([^\s*:=]+?)(?:\s+bool|\s*:[^:=]*)?\s*:?=+\s*(.*?)[\s;,]*$`)

// constants are the names that a file sets to true or false exactly once.
func constants(f *source.File) truths {
	names := truths{}
	twice := map[string]bool{}
	for n := 1; n <= f.Lines(); n++ {
		line := f.CodeLine(n)
		if len(line) > maxCondition || bytes.IndexByte(line, '=') < 1 {
			continue
		}
		m := assignment().FindSubmatch(line)
		if m == nil {
			continue
		}
		name := string(m[1])
		if _, known := names[name]; known || twice[name] {
			delete(names, name)
			twice[name] = true
			continue
		}
		names[name] = literalTruth(string(m[2]), nil)
	}
	return names
}
