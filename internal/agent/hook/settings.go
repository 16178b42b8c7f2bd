package hook

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/closeout-gate/closeout/verify/input"
)

// MaxSettings is how large a settings file may be.
const MaxSettings = 256 << 10

const bom = "\uFEFF"

// Settings is the settings file of an agent.
type Settings struct {
	Plain bool   // it has no comments and no commas at the end; agents ignore a file that has
	text  []byte // without a byte order mark
	bom   bool
	root  hujson.Value
}

// Hook is an entry of closeout in settings.
type Hook struct {
	Pos            input.Pos
	Event, Matcher string
	Argv           []string // what is called
	Shell          string   // the command for a shell, where one runs it
	Timeout        string   // in seconds, as it is written; "" when it is not
	Flat           bool     // it stands in the list of the event, not in a group
	handler        string
	path           []step // to it, from the top
}

// step is a place in a container.
type step struct {
	in *hujson.Value
	at int
}

// ReadSettings reads a settings file: JSON, where comments and commas at the end are accepted, since a person may have written
// them.
func ReadSettings(text []byte) (*Settings, *input.Error) {
	s := &Settings{}
	s.text, s.bom = bytes.CutPrefix(text, []byte(bom))
	if len(bytes.TrimSpace(s.text)) == 0 {
		return nil, s.wrong(0, "the file is empty", "no JSON", "an object", "write {} into it")
	}
	var err error
	if s.root, err = hujson.Parse(s.text); err != nil {
		place, what, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: line "), ": ")
		line, column, _ := strings.Cut(place, ", column ")
		e := s.wrong(0, "the file is not JSON", what, "JSON", "correct the file")
		e.Pos.Line, _ = strconv.Atoi(line)
		e.Pos.Column, _ = strconv.Atoi(column)
		return nil, e
	}
	s.Plain = s.root.IsStandard()
	hooks, e := s.only(&s.root, "the file", "hooks")
	if hooks != nil && e == nil {
		_, e = s.only(hooks, `"hooks"`, "")
	}
	return s, e
}

// only is the value of a key that may stand in an object once; nil when it does not.
func (s *Settings) only(in *hujson.Value, what, key string) (v *hujson.Value, e *input.Error) {
	o, ok := in.Value.(*hujson.Object)
	if !ok {
		return nil, s.misshaped(in, what, "an object")
	}
	for i := range o.Members {
		m := &o.Members[i]
		switch {
		case word(&m.Name) != key:
		case v != nil:
			return nil, s.wrong(m.Name.StartOffset, input.Quote(key)+" is there twice, and agents read only one of them", "a second "+input.Quote(key), "one", "make one of the two")
		default:
			v = &m.Value
		}
	}
	return v, nil
}

func (s *Settings) misshaped(v *hujson.Value, what, expected string) *input.Error {
	found := map[hujson.Kind]string{'{': "an object", '[': "a list", '"': "a text", '0': "a number", 'n': "null", 't': "true", 'f': "false"}[v.Value.Kind()]
	return s.wrong(v.StartOffset, what+" is not "+expected, found, expected, "correct it, or let a person take it out")
}

func (s *Settings) wrong(at int, message, found, expected, fix string) *input.Error {
	return &input.Error{Pos: s.pos(at), Message: message, Found: found, Expected: expected, Fix: fix}
}

func (s *Settings) pos(at int) input.Pos {
	before := s.text[:at]
	return input.Pos{Line: 1 + bytes.Count(before, []byte("\n")), Column: len(before) - bytes.LastIndexByte(before, '\n')}
}

// True is where a key of the file has the value true.
func (s *Settings) True(key string) (at input.Pos, found bool) {
	if v := get(&s.root, key); v != nil && v.Value.Kind() == 't' {
		return s.pos(v.StartOffset), true
	}
	return input.Pos{}, false
}

// Ours are the entries of closeout, in the order of the file.
func (s *Settings) Ours() (list []Hook) {
	hooks := get(&s.root, "hooks")
	for e, event := range elements(hooks) {
		for i, element := range elements(event) {
			h := Hook{Event: word(&hooks.Value.(*hujson.Object).Members[e].Name), Matcher: word(get(element, "matcher"))}
			h.path = []step{{&s.root, index(&s.root, "hooks")}, {hooks, e}, {event, i}}
			inner := get(element, "hooks")
			if h.Flat = inner == nil; h.Flat && h.reads(element) {
				h.Pos = s.pos(element.StartOffset)
				list = append(list, h)
			}
			for j, handler := range elements(inner) {
				if h := h; h.reads(handler) {
					h.Pos, h.path = s.pos(handler.StartOffset), append(h.path[:3:3], step{inner, j})
					list = append(list, h)
				}
			}
		}
	}
	return list
}

// reads reads what a handler runs, and reports whether it is ours.
func (h *Hook) reads(handler *hujson.Value) bool {
	h.handler = minimized(*handler)
	for _, key := range []string{"timeout", "timeoutSec"} {
		if v := get(handler, key); v != nil {
			h.Timeout = minimized(*v)
		}
	}
	command := cmp.Or(word(get(handler, "command")), word(get(handler, "exec")))
	if args := get(handler, "args"); args != nil {
		h.Argv = []string{command}
		for _, a := range elements(args) {
			h.Argv = append(h.Argv, word(a))
		}
		return isCall(h.Argv)
	}
	if h.Shell = word(get(handler, "bash")); h.Shell == "" {
		h.Shell = command
	}
	h.Argv = shellCall(h.Shell)
	return h.Argv != nil
}

// word is the value of a string; "" for anything else.
func word(v *hujson.Value) string {
	if v == nil || v.Value.Kind() != '"' {
		return ""
	}
	return v.Value.(hujson.Literal).String()
}

// index is where a key stands in an object; the last one counts, as in what agents read with. It is -1 where there is none.
func index(v *hujson.Value, key string) (at int) {
	at = -1
	if v == nil {
		return at
	}
	if o, ok := v.Value.(*hujson.Object); ok {
		for i := range o.Members {
			if word(&o.Members[i].Name) == key {
				at = i
			}
		}
	}
	return at
}

func get(v *hujson.Value, key string) *hujson.Value {
	if i := index(v, key); i >= 0 {
		return elements(v)[i]
	}
	return nil
}

// elements are the values in a list or an object.
func elements(v *hujson.Value) (list []*hujson.Value) {
	if v == nil {
		return nil
	}
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			list = append(list, &c.Members[i].Value)
		}
	case *hujson.Array:
		for i := range c.Elements {
			list = append(list, &c.Elements[i])
		}
	}
	return list
}

func minimized(v hujson.Value) string {
	v = v.Clone()
	v.Minimize()
	return string(v.Pack())
}
