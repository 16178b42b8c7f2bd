package gitattr

import "strings"

// Attributes are those of which [Evaluator.Effects] tells, in this order: those that decide which bytes a checkout writes, then those
// that hide a file from a review.
var Attributes = [...]string{"filter", "ident", "working-tree-encoding", "text", "eol", "diff", "linguist-generated"}

// The places of some of [Attributes].
const (
	Filter = iota
	Ident
	Encoding
	Text
	EOL
	Diff
	Generated
	crlf // the old name of text
	relevant
)

// Level is the .gitattributes of a directory.
type Level struct {
	Dir  string // "", or the directory and a slash
	File *File
}

// Effect is what git makes of an attribute, and the line that decided it: its number, and the place of its file among the levels,
// which is -1 where no line says anything.
type Effect struct {
	Value       string
	Level, Line int
}

// Unspecified is the value of an attribute without effect.
const Unspecified = "unspecified"

// Evaluator computes attributes. It counts what it does.
type Evaluator struct {
	Fold  bool  // upper and lower case are equal, as on most systems other than Linux
	Steps int64 // patterns that were matched, and bytes of them

	attributes map[string]int
	binary     *File   // with the macro that is built in
	values     []value // by attribute
	touched    []int   // attributes with a value
	levels     []Level // of the path that is asked for
}

// value is a state, and the line that says it.
type value struct {
	kind
	text        string
	level, line int
}

// NewEvaluator makes an evaluator.
func NewEvaluator() *Evaluator {
	e := &Evaluator{attributes: map[string]int{}}
	for _, name := range append(Attributes[:], "crlf") {
		e.attribute(name)
	}
	e.binary = &File{macros: map[int][]state{}}
	e.binary.macros[e.attribute("binary")], _, _ = e.states("-diff -merge -text")
	return e
}

// attribute is the number of an attribute.
func (e *Evaluator) attribute(name string) int {
	id, known := e.attributes[name]
	if !known {
		id = len(e.attributes)
		e.attributes[name] = id
		e.values = append(e.values, value{})
	}
	return id
}

// Effects tells what the attributes of a path do. The levels are those of the directories above it, the root first. Values without
// meaning to git are [Unspecified], and two ways to say the same are one: crlf is text, input is text with eol=lf, eol implies text,
// and there is no eol beside -text.
func (e *Evaluator) Effects(levels []Level, path string) (effects [len(Attributes)]Effect) {
	e.evaluate(levels, path)
	for i := range effects {
		effects[i] = e.effect(i)
	}
	text, eol := &effects[Text], &effects[EOL]
	if old := e.effect(crlf); text.Value == Unspecified && old.Value != Unspecified {
		*text = old
	}
	switch {
	case text.Value == "unset":
		*eol = Effect{Unspecified, text.Level, text.Line}
	case text.Value == "input" && eol.Value == Unspecified:
		*eol = Effect{"lf", text.Level, text.Line}
		text.Value = "set"
	case text.Value == "input":
		text.Value = "set"
	case text.Value == Unspecified && eol.Value != Unspecified:
		*text = Effect{"set", eol.Level, eol.Line}
	}
	return effects
}

// meanings are the values of an attribute that git, or for the last one a code host, gives a meaning.
var meanings = [relevant]func(v *value) bool{
	Filter:    func(v *value) bool { return v.kind == other },
	Ident:     func(v *value) bool { return v.kind == set },
	Encoding:  func(v *value) bool { return v.kind != other || v.text != "" }, // a checkout fails with any other than a name
	Text:      isText,
	EOL:       func(v *value) bool { return v.text == "lf" || v.text == "crlf" },
	Diff:      func(v *value) bool { return v.kind == unset },
	Generated: func(v *value) bool { return v.kind == set || v.text == "true" },
	crlf:      isText,
}

func isText(v *value) bool { return v.kind != other || v.text == "auto" || v.text == "input" }

// effect is what one of the attributes says.
func (e *Evaluator) effect(attribute int) Effect {
	v := &e.values[attribute]
	found := Effect{Unspecified, v.level, v.line}
	switch {
	case v.kind == unknown:
		found.Level = -1
	case !meanings[attribute](v):
	case v.kind == set, attribute == Generated:
		found.Value = "set"
	case v.kind == unset:
		found.Value = "unset"
	case v.kind == other:
		found.Value = v.text
	}
	return found
}

// evaluate sets the values for a path: the deepest file decides, and in it the last line.
func (e *Evaluator) evaluate(levels []Level, path string) {
	for _, id := range e.touched {
		e.values[id] = value{}
	}
	e.touched, e.levels = e.touched[:0], levels
	name := path[strings.LastIndexByte(path, '/')+1:]
	for at := len(levels) - 1; at >= 0; at-- {
		level := &levels[at]
		below := path[len(level.Dir):]
		for i := len(level.File.rules) - 1; i >= 0; i-- {
			if r := &level.File.rules[i]; e.matches(r, below, name) {
				e.fill(r.states, at, r.line)
			}
		}
	}
}

// fill sets the values that no line set before.
func (e *Evaluator) fill(states []state, level, line int) {
	for i := len(states) - 1; i >= 0; i-- {
		s := &states[i]
		e.Steps++
		if e.values[s.attribute].kind != unknown {
			continue
		}
		e.values[s.attribute] = value{s.kind, s.text, level, line}
		e.touched = append(e.touched, s.attribute)
		if s.kind == set {
			e.fill(e.macro(s.attribute), level, line)
		}
	}
}

// macro is what an attribute sets that is a macro. Only the root can define one.
func (e *Evaluator) macro(attribute int) []state {
	if len(e.levels) > 0 && e.levels[0].Dir == "" {
		if states, defined := e.levels[0].File.macros[attribute]; defined {
			return states
		}
	}
	return e.binary.macros[attribute]
}
