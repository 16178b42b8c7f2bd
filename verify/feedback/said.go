package feedback

import (
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxSaid is how many bytes of each text of a record [Said] keeps, as they are written in the log.
const MaxSaid = 8 << 10

// Said is the end of what a record contains about how its command ended. The texts keep the escapes of JSON until they are
// asked for, because few records are ever shown. The zero value is empty.
type Said struct{ stdout, stderr, problem []byte }

// Size is how many bytes it keeps.
func (s *Said) Size() int { return len(s.stdout) + len(s.stderr) + len(s.problem) }

// Keep replaces the content by that of a record. It copies, so that it stays valid when the next line is read.
func (s *Said) Keep(r *Record) {
	s.stdout = append(s.stdout[:0], r.end(r.outputs[2], r.outputs[0])...)
	s.stderr = append(s.stderr[:0], r.end(r.outputs[3], r.outputs[1])...)
	s.problem = append(s.problem[:0], r.end(r.outputs[4], span{})...)
}

// Stdout returns the end of the standard output; "" when the record contains none. The tail of a recorder, which has no
// secrets, comes before the whole output.
func (s *Said) Stdout() string { return unescaped(s.stdout) }

// Stderr is [Said.Stdout] for the error output.
func (s *Said) Stderr() string { return unescaped(s.stderr) }

// Problem returns why the command has no exit code, in the words of the recorder; "" when the record does not say.
func (s *Said) Problem() string { return unescaped(s.problem) }

// Problem returns what [Said.Problem] does, without keeping the rest.
func (r *Record) Problem() string { return unescaped(r.end(r.outputs[4], span{})) }

func unescaped(escaped []byte) string {
	if len(escaped) == 0 {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, slices.Concat([]byte(`"`), escaped, []byte(`"`))) // it was valid before it was cut
	return string(text)
}

// end returns the end of the first of two values that is not empty, without its quotes.
func (r *Record) end(first, second span) []byte {
	const quotes = len(`""`)
	if first.end-first.at <= quotes {
		first = second
	}
	if first.end-first.at <= quotes {
		return nil
	}
	return ending(r.Line[first.at+1:first.end-1], MaxSaid)
}

// ending cuts the text of a JSON string to its last bytes, at most the given number, and never inside a character or an escape.
func ending(text []byte, most int) []byte {
	at := len(text) - most
	if at <= 0 {
		return text
	}
	const longest = len(`\u0000`)
	for from := max(at-longest+1, 0); from < at; from++ {
		if n := escapeLength(text, from); n > 0 && from+n > at {
			at = from + n
			break
		}
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// escapeLength returns the length of the escape that starts at a place, 0 when none does.
func escapeLength(text []byte, at int) int {
	before := at
	for before > 0 && text[before-1] == '\\' {
		before--
	}
	switch {
	case text[at] != '\\' || (at-before)%2 == 1:
		return 0
	case text[at+1] == 'u':
		return len(`\u0000`)
	}
	return len(`\n`)
}
