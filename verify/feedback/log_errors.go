package feedback

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// This file reports what is wrong with a line of a feedback log. A log may be hostile and have millions of errors, so errors
// keep only short parts of the input.

// fault adds an error of the line.
func (p *logParser) fault(e input.Error) {
	if len(p.faults) >= input.MaxErrors {
		p.more++
		return
	}
	p.faults = append(p.faults, e)
}

// flush reports the errors of the line, with its command, so that equal errors of different records can be distinguished.
func (p *logParser) flush() {
	if len(p.faults) == 0 {
		return
	}
	command := p.command
	if p.rec.Argv != nil {
		command = strings.Join(p.rec.Argv, " ")
	}
	if command != "" {
		command = " (command " + input.Quote(command) + ")"
	}
	for _, e := range p.faults {
		e.Message += command
		e.Where += command // a part of what tells the finding from others
		if e.Limit != "" {
			p.addLimit(e)
			continue
		}
		p.errs.Add(e)
	}
	for range p.more {
		p.errs.Add(input.Error{}) // only counted: the list is full
	}
}

// addLimit adds an error about a limit. A list keeps all of those, so only the first MaxErrors are marked.
func (p *logParser) addLimit(e input.Error) {
	if p.limits++; p.limits > input.MaxErrors {
		e.Limit = ""
	}
	p.errs.Add(e)
}

// wrong reports a value that is not as expected.
func (p *logParser) wrong(v scalar, where, expected string) {
	name := strings.TrimPrefix(where, "/")
	if where == "" {
		name = "the line"
	}
	fix := p.fix(v, expected)
	if where == "/duration_ms" && v.kind == input.KindString {
		fix = cmp.Or(durationFix(string(p.bytes(v))), fix)
	}
	switch {
	case where == "" && v.kind == input.KindList:
		fix = oneLine
	case where == "":
		fix = foreignFix
	}
	p.fault(input.Error{
		Pos: p.pos(v.at), Where: where, Message: name + " must be " + expected, Found: p.describe(v), Expected: expected, Fix: fix,
	})
}

// describe names a value for a message.
func (p *logParser) describe(v scalar) string {
	switch v.kind {
	case input.KindList:
		return "a list"
	case input.KindObject:
		return "an object"
	case input.KindString:
		return "the string " + input.Quote(string(p.bytes(v)))
	case input.KindNumber:
		return "the number " + input.Clip(string(p.line[v.at:v.end]))
	default:
		return string(p.line[v.at:v.end])
	}
}

// fix says how to fix a wrong value, with advice on usual mistakes in integers.
func (p *logParser) fix(v scalar, expected string) string {
	if strings.Contains(expected, "integer") {
		switch v.kind {
		case input.KindString:
			if text := string(p.bytes(v)); input.IntegerSyntax().MatchString(text) {
				return "write " + input.Clip(text) + ", without quotes"
			}
		case input.KindBool:
			return "write a number; true and false are not numbers"
		case input.KindNumber:
			return "write it in plain digits, without fraction, and within the range: 0, not -0, 0.0 or 0e0"
		}
	}
	if strings.HasPrefix(expected, "a git object id") {
		return "write the whole id, as git rev-parse prints it"
	}
	return "write " + expected
}

// durationFix writes a duration with a unit in milliseconds; "" when text is none.
func durationFix(text string) string {
	for _, unit := range []struct {
		name string
		ms   float64
	}{{"ms", 1}, {"min", 60_000}, {"s", 1000}, {"m", 60_000}} {
		if digits, found := strings.CutSuffix(text, unit.name); found {
			value, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
			if err != nil || value < 0 || value > 1e9 {
				return ""
			}
			return "write the milliseconds: " + strconv.FormatInt(int64(value*unit.ms), 10)
		}
	}
	return ""
}

// missing reports a missing key of an object, which starts at at and whose pointer is where.
func (p *logParser) missing(at int, where, key string) {
	example := map[string]string{"exit_code": `"exit_code": 0`, "command": `"command": ["go", "test", "./..."]`}[key]
	p.fault(input.Error{
		Pos: p.pos(at), Where: where + "/" + key, Message: "the key " + input.Quote(key) + " is missing", Found: "no such key",
		Expected: "the key " + input.Quote(key), Fix: "add " + cmp.Or(example, input.Quote(key)),
	})
}

// unknown reports an unknown key of an object, whose pointer is where.
func (p *logParser) unknown(key scalar, where string, known []string) {
	of := input.Fields{Where: where, Known: slices.Clone(known), Taken: func(key string) bool {
		i, ours := logFieldIndex[key]
		return where == "" && ours && p.seen&(1<<i) != 0
	}}
	p.fault(of.Unknown(input.Member{Key: input.Clip(string(p.name(key.span))), Pos: p.pos(key.at)}))
}

// twice reports a duplicate key. The pointer of the error is that of the key of the record which contains it, if any.
func (p *logParser) twice(key span) {
	name, where := input.Quote(string(p.name(key))), ""
	if p.top != (span{}) {
		where = p.pointer("", p.top)
	}
	p.fault(input.Error{
		Pos: p.pos(key.at), Where: where, Message: "the key " + name + " occurs twice in one object",
		Found: "a second " + name, Expected: "each key once", Fix: "keep one of them: parsers disagree on which one counts",
	})
}

// pointer is the JSON pointer of a key in the object whose pointer is where.
func (p *logParser) pointer(where string, key span) string {
	return (&input.Fields{Where: where}).Pointer(input.Clip(string(p.name(key))))
}

// explain reports why the line is not JSON.
func (p *logParser) explain() {
	e, found := input.ExplainJSON(p.line[p.start:])
	if !found {
		e = input.Error{Message: "this is not a record", Found: input.Excerpt(p.line), Expected: "one JSON object", Fix: "write the line with closeout record"}
	}
	e.Pos = p.pos(p.start + max(e.Pos.Column-1, 0))
	p.fault(asRecord(e, p.line[p.start:]))
}

const oneLine = "write one record on each line, without line breaks in it and without a list around all of them"

// asRecord says what is usual in a log about the error of a line that is not JSON.
func asRecord(e input.Error, line []byte) input.Error {
	text := string(bytes.TrimSpace(line))
	e.Message = strings.Replace(e.Message, "the file", "the line", 1)
	switch {
	case text == "{" || text == "[":
		e.Pos.Column -= len(text)
		e.Message, e.Fix = "a record goes over several lines", oneLine
	case e.Found == "the end":
		e.Fix = "write the whole record on one line, or remove the line: the program that wrote it did not finish"
	case strings.HasPrefix(text, "#"), strings.HasPrefix(text, "//"):
		e.Message, e.Fix = "a log has no comments", "remove the line; a key that begins with x- can contain a note"
	case text == "}" || text == "]":
		e.Message, e.Fix = "a record goes over several lines", oneLine
	case !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") && text != "" && !bytes.Contains(line, []byte{0}):
		e.Message, e.Fix = "this is not a record of a command", "let closeout write the log: closeout record -- COMMAND"
	}
	return e
}

// followsFix says what to do about the text after a record.
func followsFix(rest []byte) string {
	switch rest[0] {
	case ',':
		return "remove the comma: each line is a record"
	case '{':
		return "write the second record on a line of its own"
	}
	return "write one JSON object on each line, and nothing after it"
}
