package redact

import (
	"bytes"
	"sync"

	"github.com/closeout-gate/closeout/internal/rules/secrets"
)

// keys are the names whose values are secrets, in lower case. A longer name may end in one: DB_PASSWORD, api_token,
// client-secret, AWS_SECRET_ACCESS_KEY. Other keys, such as a public or a primary one, are not secrets.
var keys = append([]string{"password", "passwd", "passphrase", "secret", "token"}, keysOf("secret", "api", "access", "private")...)

// keysOf are the names of a kind of key, as languages and formats spell them: api_key, api-key, apiKey.
func keysOf(kinds ...string) (names []string) {
	for _, kind := range kinds {
		names = append(names, kind+"_key", kind+"-key", kind+"key")
	}
	return names
}

// bearerSet is what RFC 6750 allows in a bearer token.
var bearerSet = secrets.SetOf(secrets.Alnum + "-._~+/=")

const leastBearer = 16

// filter finds the places where something that begin recognises may begin.
var filter = sync.OnceValue(func() *secrets.Filter {
	return secrets.NewFilter(append([]string{"bearer", "authorization"}, keys...)...)
})

// maxSpaces is the maximum number of spaces and tabs on one side of a colon or equals sign.
const maxSpaces = 32

// begin reports whether a secret begins at the start of b, its kind, and how many bytes of b precede the secret: the name of
// a key, the quote before its value.
func begin(b []byte) (kept int, found value) {
	if secrets.BeginsKey(b) {
		return 0, value{kind: pem}
	}
	if form := secrets.Begin(b); form != nil {
		return 0, value{kind: token, set: form.Set, certain: len(form.Text)}
	}
	if rest, ok := cutFold(b, "bearer"); ok {
		return bearer(b, rest)
	}
	if rest, ok := cutFold(b, "authorization"); ok {
		return assigned(b, rest, line)
	}
	for _, key := range keys {
		if rest, ok := cutFold(b, key); ok {
			if kept, found := assigned(b, rest, word); found.kind != plain {
				return kept, found
			}
		}
	}
	return 0, value{}
}

// cutFold removes a lower-case word from the start of b, ignoring case.
func cutFold(b []byte, word string) ([]byte, bool) {
	if len(b) < len(word) {
		return b, false
	}
	for i := range len(word) {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return b, false
		}
	}
	return b[len(word):], true
}

// bearer finds a token after the word. Text such as "bearer of news" has none.
func bearer(b, rest []byte) (int, value) {
	rest, spaces := cutSpaces(rest)
	if spaces == 0 || len(rest) < leastBearer {
		return 0, value{}
	}
	for _, c := range rest[:leastBearer] {
		if !bearerSet[c] {
			return 0, value{}
		}
	}
	return len(b) - len(rest), value{kind: token, set: bearerSet}
}

// assigned finds the value after a key: key=value, key: value, "key": "value", \"key\": \"value\", key := "value",
// key => "value". unquoted is the kind of a value without quotes.
func assigned(b, rest []byte, unquoted form) (int, value) {
	rest, ok := cutSign(cutQuote(rest))
	if !ok {
		return 0, value{}
	}
	rest, _ = cutSpaces(rest)
	inner, escapes := cutSlashes(rest)
	switch {
	case len(inner) == 0:
		return 0, value{}
	case inner[0] == '"' || inner[0] == '\'':
		return len(b) - len(inner) + 1, value{kind: quoted, quote: inner[0], escapes: escapes}
	case (&value{kind: unquoted}).ends(rest[0]):
		return 0, value{}
	}
	return len(b) - len(rest), value{kind: unquoted}
}

// cutQuote removes the quote that closes a key.
func cutQuote(b []byte) []byte {
	inner, _ := cutSlashes(b)
	if len(inner) > 0 && (inner[0] == '"' || inner[0] == '\'') {
		return inner[1:]
	}
	return b
}

// cutSign removes the sign between a key and its value; a comparison is not such a sign.
func cutSign(b []byte) ([]byte, bool) {
	b, _ = cutSpaces(b)
	for _, comparison := range []string{"==", ":::", "::"} {
		if bytes.HasPrefix(b, []byte(comparison)) {
			return b, false
		}
	}
	for _, sign := range []string{":=", "=>", "=", ":"} {
		if rest, ok := bytes.CutPrefix(b, []byte(sign)); ok {
			return rest, true
		}
	}
	return b, false
}

func cutSpaces(b []byte) ([]byte, int) {
	n := 0
	for n < min(len(b), maxSpaces) && (b[n] == ' ' || b[n] == '\t') {
		n++
	}
	return b[n:], n
}

// cutSlashes removes the backslashes before a quote: 1, 3 or 7 of them in a text that was quoted once, twice or three times.
// Any other number is kept.
func cutSlashes(b []byte) ([]byte, int) {
	n := 0
	for n < min(len(b), 8) && b[n] == '\\' {
		n++
	}
	if n == 1 || n == 3 || n == 7 {
		return b[n:], n
	}
	return b, 0
}
