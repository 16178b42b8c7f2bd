package glob

import (
	"strings"
	"unicode/utf8"
)

// tokenKind is what a token is.
type tokenKind int

const (
	literal tokenKind = iota // text, slashes included
	star                     // "*"; two adjacent ones are "**"
	single                   // "?"
	class                    // "[…]"
	open                     // "{"
	comma                    // ","; a literal outside braces
	closing                  // "}"
)

// token is a piece of a pattern.
type token struct {
	kind  tokenKind
	text  string // as doublestar reads it; escapes that change nothing are dropped
	plain string // the text that a literal or a comma matches
	spans []span // of a class
}

// scan splits a pattern into tokens. It refuses useless classes, and a backslash at the end or before a slash.
func scan(pattern string) ([]token, *Error) {
	tokens := make([]token, 0, 8)
	for rest := pattern; rest != ""; {
		t, size, problem := readToken(rest)
		if problem != nil {
			return nil, problem
		}
		tokens = append(tokens, t)
		rest = rest[size:]
	}
	return tokens, nil
}

// readToken returns the token at the start of s, and its length in bytes.
func readToken(s string) (token, int, *Error) {
	switch s[0] {
	case '*':
		return token{kind: star, text: "*"}, 1, nil
	case '?':
		return token{kind: single, text: "?"}, 1, nil
	case '{':
		return token{kind: open, text: "{"}, 1, nil
	case ',':
		return token{kind: comma, text: ",", plain: ","}, 1, nil
	case '}':
		return token{kind: closing, text: "}"}, 1, nil
	case '[':
		spans, size, problem := readClass(s)
		return token{kind: class, text: classText(spans), spans: spans}, size, problem
	case '\\':
		return readEscape(s)
	}
	size := strings.IndexAny(s, `*?[{},\`)
	if size < 0 {
		size = len(s)
	}
	return token{kind: literal, text: s[:size], plain: s[:size]}, size, nil
}

// readEscape reads a backslash and the character that it escapes.
func readEscape(s string) (token, int, *Error) {
	if len(s) == 1 {
		return token{}, 0, &Error{"the pattern ends in a backslash", quote(s), "a character after the backslash",
			`write "/" between directories, or "\\\\" for a backslash in a name`}
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	char := s[1 : 1+size]
	if char == "/" {
		return token{}, 0, &Error{"a backslash before a slash", quote(`\/`), "a slash without a backslash", `write "/"`}
	}
	return token{kind: literal, text: escape(char), plain: char}, 1 + size, nil
}

// special are the characters that keep their backslash: they have a meaning for doublestar, or, like "!", for a person.
const special = `*?[]{},\!`

// Escape returns the pattern that matches a path and nothing else.
func Escape(path string) string { return escape(path) }

// escape escapes a text so that doublestar matches it literally.
func escape(text string) string {
	if !strings.ContainsAny(text, special) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune(special, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// isLiteral reports whether t matches itself outside of braces.
func (t token) isLiteral() bool { return t.kind == literal || t.kind == comma }

// literalOf returns the text that tokens match; ok is false when one of them is a metacharacter.
func literalOf(tokens []token) (text string, ok bool) {
	var out strings.Builder
	for _, t := range tokens {
		if !t.isLiteral() {
			return "", false
		}
		out.WriteString(t.plain)
	}
	return out.String(), true
}

// tokensOf returns the tokens of an alternative, or of a component of one.
func tokensOf(alternative string) []token {
	tokens, problem := scan(alternative)
	if problem != nil {
		panic("glob: an accepted alternative is malformed: " + problem.Error())
	}
	return tokens
}
