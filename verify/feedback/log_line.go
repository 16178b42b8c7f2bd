package feedback

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// logParser reads the lines of one feedback log.
//
// It reads a line once, checking the JSON and the fields together. Malformed JSON is explained by jsontext; after a wrong
// value the parser continues. All offsets are in the line.
type logParser struct {
	errs   *input.Errors
	depth  int // how deep values may nest
	limits int // errors about limits so far

	number  int // of the line
	line    []byte
	start   int // after a byte order mark
	at      int // of the next byte
	rec     Record
	top     span   // the key of the record whose value is being read; zero outside of a record
	seen    uint64 // a bit for each of logFields that the line contains
	names   []name // keys of the open objects, except those counted in seen
	keys    int64  // number of keys in the line, except those counted in seen
	command string // the command as written, for messages
	scratch []byte // an unescaped string
	faults  []input.Error
	more    int  // errors of the line beyond faults
	ended   bool // faults contains the error that ended the line
}

// span is a part of the line.
type span struct{ at, end int }

// scalar is one value; for a list or an object only its position and kind.
type scalar struct {
	span
	kind input.Kind
}

// maxLogDepth is the maximum of the depth limit, as in jsontext: values are read by recursion.
const maxLogDepth = 10_000

const byteOrderMark = "\ufeff"

// parse reads one line, which is not blank, into p.rec. It reports whether the line is a valid record; if not, it adds the
// errors to p.errs.
func (p *logParser) parse(line []byte, number int) bool {
	p.number, p.line, p.start = number, line, 0
	p.rec = Record{Line: line}
	p.top, p.seen, p.names, p.keys, p.command = span{}, 0, p.names[:0], 0, ""
	p.faults, p.more, p.ended = p.faults[:0], 0, false
	if bytes.HasPrefix(line, []byte(byteOrderMark)) { // that of UTF-16 is not valid UTF-8: explain reports it
		p.fault(input.Error{
			Pos: p.pos(0), Message: "the line begins with a byte order mark", Found: "the bytes " + strconv.QuoteToASCII(byteOrderMark),
			Expected: "UTF-8 without a byte order mark", Fix: "save the file as UTF-8 without byte order mark",
		})
		p.start = len(byteOrderMark)
	}
	p.at = spaceEnd(line, p.start)
	p.rec.Pos = p.pos(p.at)
	ok := p.record()
	p.space()
	if !ok && !p.ended {
		p.explain()
	} else if ok && p.at < len(line) {
		p.fault(input.Error{
			Pos: p.pos(p.at), Message: "something follows the record", Found: input.Excerpt(line[p.at:]), Expected: "the end of the line",
			Fix: followsFix(line[p.at:]),
		})
	}
	p.flush()
	return len(p.faults) == 0
}

// record reads the value of the line.
func (p *logParser) record() bool {
	if p.peek() != '{' {
		v, ok := p.value(1)
		if ok {
			p.wrong(v, "", "a JSON object")
			if v.kind != input.KindList {
				p.at = len(p.line) // what follows belongs to the same text
			}
		}
		return ok
	}
	start := p.at
	if !p.object(1, p.member) {
		return false
	}
	if p.isForeign() {
		p.faults, p.more = p.faults[:0], 0
		p.fault(input.Error{
			Pos: p.pos(start), Message: "this is not a record of a command", Found: input.Excerpt(p.line[start:]),
			Expected: "a record with command and exit_code", Fix: foreignFix,
		})
		return true
	}
	for i, f := range logFields {
		if (f.rule == ruleCommand || f.rule == ruleExit) && p.seen&(1<<i) == 0 {
			p.missing(start, "", f.name)
		}
	}
	p.rec.Cwd, _ = contract.NormalCwd(p.rec.Cwd)
	return true
}

// isForeign reports whether an object has only keys that no record has, and that resemble none: the log of another program.
func (p *logParser) isForeign() bool {
	near := func(e input.Error) bool { return strings.HasPrefix(e.Fix, "did you mean") }
	return p.seen == 0 && len(p.faults) > 0 && !slices.ContainsFunc(p.faults, near)
}

// foreignFix is about a line that another program wrote.
const foreignFix = "supply the log that closeout run or closeout record writes; this one seems to be of another program"

// member reads the value of one key of the record.
func (p *logParser) member(key scalar) bool {
	p.top = key.span
	name := p.bytes(key)
	i, known := logFieldIndex[string(name)]
	if !known {
		if !bytes.HasPrefix(name, []byte("x-")) {
			p.unknown(key, "", logFieldNames)
		}
		p.note(key.span)
		_, ok := p.value(2)
		return ok
	}
	if p.seen&(1<<i) != 0 {
		p.twice(key.span)
		_, ok := p.value(2)
		return ok
	}
	p.seen |= 1 << i
	return p.field(&logFields[i])
}

// value skips any value. level is its depth if it is a list or an object.
func (p *logParser) value(level int) (scalar, bool) {
	v := scalar{span: span{p.at, -1}}
	switch c := p.peek(); c {
	case '"':
		v.kind = input.KindString
		v.end = stringEnd(p.line, p.at)
	case 't':
		v.kind, v.end = input.KindBool, p.wordEnd("true")
	case 'f':
		v.kind, v.end = input.KindBool, p.wordEnd("false")
	case 'n':
		v.kind, v.end = input.KindNull, p.wordEnd("null")
	case '[':
		v.kind = input.KindList
		ok := p.list(level, func(int) bool { return p.any(level + 1) })
		return v, ok
	case '{':
		v.kind = input.KindObject
		ok := p.object(level, func(key scalar) bool { p.note(key.span); return p.any(level + 1) })
		return v, ok
	default:
		v.kind, v.end = input.KindNumber, numberEnd(p.line, p.at)
	}
	if v.end < 0 {
		return v, false
	}
	p.at = v.end
	return v, true
}

func (p *logParser) any(level int) bool {
	_, ok := p.value(level)
	return ok
}

// wordEnd returns the index after the expected literal; -1 when it is another text.
func (p *logParser) wordEnd(word string) int {
	end := p.at + len(word)
	if end > len(p.line) || string(p.line[p.at:end]) != word {
		return -1
	}
	return end
}

// list reads a list and calls item at the start of each item.
func (p *logParser) list(level int, item func(i int) bool) bool {
	if !p.enter(level) {
		return false
	}
	if p.peek() == ']' {
		p.at++
		return true
	}
	for i := 0; ; i++ {
		if !item(i) {
			return false
		}
		if more, ok := p.next(']'); !more {
			return ok
		}
	}
}

// object reads an object and calls value with each key, at the start of its value. It reports duplicates among the keys that
// value adds to p.names.
func (p *logParser) object(level int, value func(key scalar) bool) bool {
	if !p.enter(level) {
		return false
	}
	first := len(p.names)
	if p.peek() == '}' {
		p.at++
		return true
	}
	for {
		key, ok := p.key()
		if !ok || !value(key) {
			return false
		}
		if more, ok := p.next('}'); !more {
			p.checkNames(first, level)
			return ok
		}
	}
}

// enter skips the opening bracket of a list or an object.
func (p *logParser) enter(level int) bool {
	if level > p.depth {
		p.fault(input.OverLimitAt(p.pos(p.at), "the nesting of values", int64(p.depth), input.FlagDepth))
		p.ended = true
		return false
	}
	p.at++
	p.space()
	return true
}

// key reads a key and the colon after it.
func (p *logParser) key() (scalar, bool) {
	if p.peek() != '"' {
		return scalar{}, false
	}
	key, ok := p.value(0)
	p.space()
	if !ok || p.peek() != ':' {
		return scalar{}, false
	}
	p.at++
	p.space()
	return key, true
}

// next skips a comma, after which there are more items, or the closing bracket. ok is false when there is neither.
func (p *logParser) next(closing byte) (more, ok bool) {
	p.space()
	c := p.peek()
	if c != ',' && c != closing {
		return false, false
	}
	p.at++
	if c == closing {
		return false, true
	}
	p.space()
	return true, true
}

// checkNames reports duplicates among the keys of p.names from first on, and removes these keys.
func (p *logParser) checkNames(first, level int) {
	names := p.names[first:]
	if len(names) > 1 {
		slices.SortStableFunc(names, func(a, b name) int { return cmp.Or(bytes.Compare(a.text, b.text), cmp.Compare(a.at, b.at)) })
	}
	for i := 1; i < len(names); i++ {
		if !bytes.Equal(names[i].text, names[i-1].text) {
			continue
		}
		if level == 1 {
			p.top = names[i].span
		}
		p.twice(names[i].span)
	}
	p.names = p.names[:first]
}

// name is a key, and its text without quotes and escapes.
type name struct {
	span
	text []byte
}

// note keeps a key until its object ends.
func (p *logParser) note(key span) {
	p.keys++
	p.names = append(p.names, name{key, p.name(key)})
}

// name returns a key without quotes and escapes; with escapes it is a copy.
func (p *logParser) name(key span) []byte {
	quoted := p.line[key.at:key.end]
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	p.keys += keysOfLine - 1 // it costs as much as a line
	return unescape(nil, quoted)
}

// bytes returns the text of a string, valid until the next call.
func (p *logParser) bytes(v scalar) []byte {
	quoted := p.line[v.at:v.end]
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	p.scratch = unescape(p.scratch[:0], quoted)
	return p.scratch
}

// unescape appends the text of a valid JSON string.
func unescape(to, quoted []byte) []byte {
	text, err := jsontext.AppendUnquote(to, quoted)
	if err != nil {
		panic(err) // stringEnd has validated it
	}
	return text
}

func (p *logParser) space() { p.at = spaceEnd(p.line, p.at) }

// peek returns the next byte; 0, with which no value starts, at the end.
func (p *logParser) peek() byte {
	if p.at == len(p.line) {
		return 0
	}
	return p.line[p.at]
}

func (p *logParser) pos(at int) input.Pos { return input.Pos{Line: p.number, Column: at + 1} }

// integer parses a number that is written as an integer from low to high; -0, 1.0 and 1e0 are not. A number beyond int64
// becomes the nearest int64.
func (p *logParser) integer(v scalar, low, high int64) (i int64, ok bool) {
	text := p.line[v.at:max(v.end, v.at)]
	digits := bytes.TrimPrefix(text, []byte("-"))
	if v.kind != input.KindNumber || (digits[0] == '0' && len(text) > 1) || digitsEnd(digits, 0) != len(digits) {
		return 0, false
	}
	i, _ = strconv.ParseInt(string(text), 10, 64) // the only possible error is the range
	return i, low <= i && i <= high
}
