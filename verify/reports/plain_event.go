package reports

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/input"
)

// eventKeys are the keys of an event that go test -json writes.
var eventKeys = []string{"Time", "Action", "Package", "Test", "Elapsed", "Output", "FailedBuild", "ImportPath", "Source", "OutputType"}

// plainEvent reads a line as go test -json writes it: an object of texts and one number, each key once. A stream has millions, and
// the reader of any JSON takes ten times as long. ok is false for any other line, which that reader then reads or refuses.
func plainEvent(line []byte, limits input.Limits) (e goTestEvent, ok bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("{"))
	if !ok || limits.Depth < 1 || limits.Values < int64(3*len(eventKeys)) {
		return e, false
	}
	seen := 0
	for more := true; more; {
		var name, value []byte
		if name, rest, ok = plainText(rest); !ok || len(rest) < 2 || rest[0] != ':' {
			return e, false
		}
		key := slices.IndexFunc(eventKeys, func(s string) bool { return s == string(name) })
		if key < 0 || seen&(1<<key) != 0 {
			return e, false
		}
		seen |= 1 << key
		if rest = rest[1:]; eventKeys[key] == "Elapsed" {
			value, rest, ok = plainNumber(rest)
		} else {
			value, rest, ok = plainText(rest)
		}
		if !ok || len(rest) == 0 {
			return e, false
		}
		switch eventKeys[key] {
		case "Action":
			e.action = string(value)
		case "Package":
			e.pkg = string(value)
		case "Test":
			e.test = string(value)
		case "Output":
			e.output = string(value)
		case "ImportPath":
			e.built = string(value)
		case "FailedBuild":
			e.failedBuild = string(value)
		}
		if more = rest[0] == ','; !more && string(rest) != "}" {
			return e, false
		}
		rest = rest[1:]
	}
	return e, e.action != ""
}

// plainText reads a JSON string in quotes at the start of data.
func plainText(data []byte) (text, rest []byte, ok bool) {
	if len(data) == 0 || data[0] != '"' {
		return nil, nil, false
	}
	escaped, ascii := false, true
	for i := 1; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			text = data[1:i]
			if escaped {
				var err error
				text, err = jsontext.AppendUnquote(nil, data[:i+1])
				return text, data[i+1:], err == nil
			}
			return text, data[i+1:], ascii || utf8.Valid(text)
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			return nil, nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, nil, false
}

// plainNumber reads a JSON number without exponent and sign at the start of data.
func plainNumber(data []byte) (number, rest []byte, ok bool) {
	rest = bytes.TrimLeft(data, "0123456789.")
	number = data[:len(data)-len(rest)]
	whole, part, dot := bytes.Cut(number, []byte("."))
	ok = len(whole) > 0 && (len(whole) == 1 || whole[0] != '0') && (len(part) > 0 || !dot) && bytes.IndexByte(part, '.') < 0
	return number, rest, ok
}
