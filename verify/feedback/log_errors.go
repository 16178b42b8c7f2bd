package feedback

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// This file reports what is wrong with a line of a feedback log. A log may be hostile and have millions of errors, so errors
// keep only short parts of the input.

// fault adds an error of the line.
func (p *logParser) fault(e diag.Error) {
	if len(p.faults) >= diag.MaxErrors {
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
		command = " (command " + diag.Quote(command) + ")"
	}
	for _, e := range p.faults {
		e.Message += command
		if e.Limit != "" {
			p.addLimit(e)
			continue
		}
		p.errs.Add(e)
	}
	for range p.more {
		p.errs.Add(diag.Error{}) // only counted: the list is full
	}
}

// addLimit adds an error about a limit. A list keeps all of those, so only the first MaxErrors are marked.
func (p *logParser) addLimit(e diag.Error) {
	if p.limits++; p.limits > diag.MaxErrors {
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
	p.fault(diag.Error{
		Pos: p.pos(v.at), Where: where, Message: name + " must be " + expected, Found: p.describe(v), Expected: expected,
		Fix: p.fix(v, expected),
	})
}

// describe names a value for a message.
func (p *logParser) describe(v scalar) string {
	switch v.kind {
	case strict.KindList:
		return "a list"
	case strict.KindObject:
		return "an object"
	case strict.KindString:
		return "the string " + diag.Quote(string(p.bytes(v)))
	case strict.KindNumber:
		return "the number " + diag.Clip(string(p.line[v.at:v.end]))
	default:
		return string(p.line[v.at:v.end])
	}
}

// fix says how to fix a wrong value, with advice on usual mistakes in integers.
func (p *logParser) fix(v scalar, expected string) string {
	if strings.Contains(expected, "integer") {
		switch v.kind {
		case strict.KindString:
			if text := string(p.bytes(v)); strict.IntegerSyntax().MatchString(text) {
				return "write " + diag.Clip(text) + " without quotes"
			}
		case strict.KindBool:
			return "write a number; true and false are not numbers"
		case strict.KindNumber:
			return "write it in plain digits and within the range: 0, not -0, 0.0 or 0e0"
		}
	}
	return "correct the value"
}

// missing reports a missing key of an object, which starts at at and whose pointer is where.
func (p *logParser) missing(at int, where, key string) {
	p.fault(diag.Error{
		Pos: p.pos(at), Where: where + "/" + key, Message: "the key " + diag.Quote(key) + " is missing", Found: "no such key",
		Expected: "the key " + diag.Quote(key), Fix: "add " + diag.Quote(key),
	})
}

// unknown reports an unknown key of an object, whose pointer is where.
func (p *logParser) unknown(key scalar, where string, known []string) {
	of := strict.Fields{Where: where, Known: slices.Clone(known)}
	p.fault(of.Unknown(strict.Member{Key: diag.Clip(string(p.name(key.span))), Pos: p.pos(key.at)}))
}

// twice reports a duplicate key. The pointer of the error is that of the key of the record which contains it, if any.
func (p *logParser) twice(key span) {
	name, where := diag.Quote(string(p.name(key))), ""
	if p.top != (span{}) {
		where = p.pointer("", p.top)
	}
	p.fault(diag.Error{
		Pos: p.pos(key.at), Where: where, Message: "the key " + name + " occurs twice in one object",
		Found: "a second " + name, Expected: "each key once", Fix: "keep one of them: parsers disagree on which one counts",
	})
}

// pointer is the JSON pointer of a key in the object whose pointer is where.
func (p *logParser) pointer(where string, key span) string {
	return (&strict.Fields{Where: where}).Pointer(diag.Clip(string(p.name(key))))
}

// explain reports why the line is not JSON, with the message of jsontext.
func (p *logParser) explain() {
	text := p.line[p.start:]
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	var err error
	for err == nil {
		_, err = dec.ReadToken()
	}
	at, where := len(text), ""
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at, where = min(int(syntax.ByteOffset), len(text)), diag.Clip(string(syntax.JSONPointer))
	}
	e := strict.NotJSON(p.pos(p.start+at), text[at:], err)
	e.Where = where
	for _, w := range notWords {
		if bytes.HasPrefix(text[at:], []byte(w.word)) {
			e.Fix = w.fix
		}
	}
	p.fault(e)
}

// notWords are literals of other languages that are not JSON.
var notWords = []struct{ word, fix string }{
	{"NaN", "JSON has no NaN; write null where there is no number"},
	{"Infinity", "JSON has no Infinity; write null where there is no number"},
	{"undefined", "JSON has no undefined; write null where there is no value"},
	{"None", "write null instead of None"},
	{"True", "write true in lower case"},
	{"False", "write false in lower case"},
	{"'", "write double quotes instead of single ones"},
	{"\xff\xfe", "write the file as UTF-8: this is UTF-16"},
	{"\xfe\xff", "write the file as UTF-8: this is UTF-16"},
}
