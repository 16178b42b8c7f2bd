package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Unmarshal reads data into v, whose names must be lower-case ASCII, the keys of a map too. On its own, encoding/json
// accepts a name that occurs twice, text that is not UTF-8, and a name in another case; here the first two are errors,
// and the last is an unknown name, which is ignored. The package json beside jsontext does the same, and adds 0.45 MB to
// the program.
func Unmarshal(data []byte, v any) error {
	exact, err := withoutOtherCases(data)
	if err != nil {
		return err
	}
	return json.Unmarshal(exact, v)
}

// withoutOtherCases copies JSON without the members that encoding/json could take for one of lower-case ASCII.
func withoutOtherCases(data []byte) ([]byte, error) {
	var exact bytes.Buffer
	in, out := jsontext.NewDecoder(bytes.NewReader(data)), jsontext.NewEncoder(&exact)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return exact.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		container, read := in.StackIndex(in.StackDepth())
		if container == '{' && read%2 == 1 && strings.ContainsFunc(token.String(), otherCase) {
			err = in.SkipValue()
		} else {
			err = out.WriteToken(token)
		}
		if err != nil {
			return nil, err
		}
	}
}

// CheckJSON returns the first error of a text that is not a JSON document, or one with a name that occurs twice in an
// object; false when it is one.
func CheckJSON(data []byte) (Error, bool) {
	if e, wrong := ExplainJSON(data); wrong {
		return e, true
	}
	_, err := jsontext.NewDecoder(bytes.NewReader(data)).ReadValue()
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return Error{}, false
	}
	at := min(int(syntax.ByteOffset), len(data))
	return Error{
		Pos: (&LineIndex{Data: data, Line: 1}).Pos(at), Message: "a key occurs twice in one object", Found: Excerpt(data[at:]),
		Expected: "each key once", Fix: "keep one of them: readers disagree on which one counts",
	}, true
}

// PlaceOf is where the value of a JSON pointer begins in a document without errors; the beginning when there is no such value.
func PlaceOf(data []byte, pointer string) Pos {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		before := int(d.InputOffset())
		if _, err := d.ReadToken(); err != nil {
			return Pos{Line: 1, Column: 1}
		}
		if container, read := d.StackIndex(d.StackDepth()); container == '{' && read%2 == 1 {
			continue // a name, which has the pointer of its value
		}
		if string(d.StackPointer()) == pointer {
			skipped := len(data[before:]) - len(bytes.TrimLeft(data[before:], " \t\r\n:,"))
			return (&LineIndex{Data: data, Line: 1}).Pos(before + skipped)
		}
	}
}

func otherCase(r rune) bool { return r >= utf8.RuneSelf || unicode.IsUpper(r) }
