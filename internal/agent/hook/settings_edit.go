package hook

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/closeout-gate/closeout/verify/input"
)

// What is installed can be removed without a record of what was there before: an entry in a container that was empty stands right
// before its closing bracket, and a container that we make ends with a line of its own. So one whose only entry is ours was made by
// us if a line ends after that entry.

// flatFile is a file of hooks in flat lists before its first entry.
const flatFile = "{\n  \"version\": 1\n}\n"

// maxOurs is how many entries of ours are taken out: each costs a look at the whole file.
const maxOurs = 200

// Install writes entries into settings; text is nil when there is no file. Where they are there already, nothing changes; else
// the entries of ours that are there go, and new ones are written.
func Install(text []byte, entries []Entry) ([]byte, *input.Error) {
	fresh, err := Remove(text, entries[0].Flat)
	for _, e := range entries {
		if err == nil {
			fresh, err = add(fresh, e)
		}
	}
	if err == nil && slices.Equal(ownEntries(text), ownEntries(fresh)) {
		return text, nil
	}
	return fresh, err
}

// ownEntries is what our entries in a text say.
func ownEntries(text []byte) (list []string) {
	if s, err := ReadSettings(text); err == nil {
		for _, h := range s.Ours() {
			list = append(list, h.Event+"\n"+h.Matcher+"\n"+h.handler)
		}
	}
	return list
}

// Installed reports whether our entries in settings are what [Install] writes for some choice, all of them and no others.
func Installed(text []byte, agent string) bool {
	found := slices.Sorted(slices.Values(ownEntries(text))) // the events of others set the order
	for _, stop := range []string{"", "always", "off"} {
		for _, fail := range []string{"", "closed"} {
			for _, all := range []bool{false, true} {
				fresh, err := Install(nil, Entries(agent, Choice{stop, fail, all}))
				if err == nil && slices.Equal(found, slices.Sorted(slices.Values(ownEntries(fresh)))) {
					return true
				}
			}
		}
	}
	return false
}

// Remove takes our entries out of settings, the last first, with the containers that we made. It returns nil when nothing is left.
func Remove(text []byte, flat bool) ([]byte, *input.Error) {
	for rest := text; rest != nil; {
		s, err := ReadSettings(rest)
		if err != nil {
			return nil, err
		}
		ours := s.Ours()
		switch {
		case len(ours) > maxOurs:
			p := ours[maxOurs].Pos
			return nil, &input.Error{Pos: p, Message: "closeout is called too often", Found: "more entries", Expected: "at most 200", Fix: "delete them"}
		case len(ours) > 0:
			rest = s.without(ours[len(ours)-1].path)
		case flat && len(rest) < len(text) && string(rest) == flatFile:
			return nil, nil
		default:
			return rest, nil
		}
	}
	return nil, nil
}

// splice replaces a part of the text.
func (s *Settings) splice(from, to int, by string) []byte {
	mark := ""
	if s.bom {
		mark = bom
	}
	return slices.Concat([]byte(mark), s.text[:from], []byte(by), s.text[to:])
}

// add adds an entry, and the containers that it needs.
func add(text []byte, e Entry) ([]byte, *input.Error) {
	switch {
	case text == nil && !e.Flat:
		return []byte("{\n  " + rendered(e, 1, "\n", "  ", "  ") + "\n}\n"), nil
	case text == nil:
		text = []byte(flatFile)
	}
	s, err := ReadSettings(text)
	if err != nil {
		return nil, err
	}
	at, depth := &s.root, 1
	if hooks := get(at, "hooks"); hooks != nil {
		at, depth = hooks, 2
		event, err := s.only(hooks, "", e.Event)
		if err != nil {
			return nil, err
		}
		if event != nil {
			if _, ok := event.Value.(*hujson.Array); !ok {
				return nil, s.misshaped(event, input.Quote(e.Event), "a list")
			}
			at, depth = event, 3
		}
	}
	return s.appendEntry(at, depth, e), nil
}

// appendEntry adds an entry at the end of a container.
func (s *Settings) appendEntry(in *hujson.Value, depth int, e Entry) []byte {
	newline, unit := "\n", "  "
	if bytes.Contains(s.text, []byte("\r\n")) {
		newline = "\r\n"
	}
	if like := s.indentation(&s.root); like != "" {
		unit = like
	}
	indent := s.indentation(in)
	if indent == "" {
		indent = strings.Repeat(unit, depth)
	}
	list, end, entry := spots(in), in.EndOffset-1, rendered(e, depth, newline, indent, unit)
	if len(list) == 0 {
		return s.splice(end, end, entry)
	}
	last, comma, trailing := list[len(list)-1], ",", ""
	from := last.end
	if last.comma >= 0 {
		from, comma, trailing = last.comma+1, "", ","
	}
	comments := bytes.TrimRight(s.text[from:end], " \t\r\n")
	return s.splice(from, from+len(comments), comma+string(comments)+newline+indent+entry+trailing)
}

// indentation is how far the first entry of a container is indented; "" if it has none.
func (s *Settings) indentation(in *hujson.Value) string {
	list := spots(in)
	if len(list) == 0 {
		return ""
	}
	before := s.text[:list[0].start]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	if len(line) == len(before) || len(bytes.TrimLeft(line, " \t")) > 0 {
		return ""
	}
	return string(line)
}

// rendered is an entry with the containers that it needs at a depth. The first line is not indented.
func rendered(e Entry, depth int, newline, indent, unit string) string {
	text := e.Handler
	if !e.Flat {
		text = "{\n\t\"hooks\": [\n\t\t" + e.Handler + "\n\t]\n}"
		if e.Matcher != "" {
			text = "{\n\t\"matcher\": " + quote(e.Matcher) + "," + text[1:]
		}
	}
	nest := func(open, closed string) {
		text = open + "\n\t" + strings.ReplaceAll(text, "\n", "\n\t") + "\n" + closed
	}
	if depth < 3 {
		nest(quote(e.Event)+": [", "]")
	}
	if depth < 2 {
		nest(`"hooks": {`, "}")
	}
	return strings.NewReplacer("\n", newline+indent, "\t", unit).Replace(text)
}

// spot is where an entry of a container stands, and the comma after it; -1 when there is none.
type spot struct{ start, end, comma int }

func spots(v *hujson.Value) (list []spot) {
	all := elements(v)
	for i, e := range all {
		at := spot{e.StartOffset, e.EndOffset, e.EndOffset + len(e.AfterExtra)}
		if o, ok := v.Value.(*hujson.Object); ok {
			at.start = o.Members[i].Name.StartOffset
		}
		if i == len(all)-1 && e.AfterExtra == nil {
			at.comma = -1
		}
		list = append(list, at)
	}
	return list
}

// without is the text without an entry, its line, and the containers that go with it; nil when that is all of it.
func (s *Settings) without(path []step) []byte {
	at := len(path) - 1
	for ; at >= 0 && s.goesWithEntry(path, at); at-- {
	}
	if at < 0 {
		return nil
	}
	list, i := spots(path[at].in), path[at].at
	from, comma := list[i].start, list[i].comma
	if len(list) == 1 {
		return s.cut(from, list[i].end, comma)
	}
	if comma < 0 {
		comma = list[i-1].comma
	}
	line := bytes.TrimRight(s.text[:from], " \t")
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	whole, rest := s.cut(from, list[i].end, comma), s.cut(len(line), list[i].end, comma)
	if equivalent(whole, rest) {
		return rest
	}
	return whole // the line before ends with a comment, which would reach further
}

// equivalent reports whether two texts say the same.
func equivalent(a, b []byte) bool {
	x, _ := ReadSettings(a)
	y, err := ReadSettings(b)
	return err == nil && minimized(x.root) == minimized(y.root)
}

// cut takes out a part of the text, and a comma.
func (s *Settings) cut(from, to, comma int) []byte {
	switch {
	case comma < 0:
		return s.splice(from, to, "")
	case comma < from:
		return s.splice(comma, to, string(s.text[comma+1:from]))
	}
	return s.splice(from, comma+1, string(s.text[to:comma]))
}

// goesWithEntry reports whether a container goes with its only entry: a group that runs nothing else, and what we made.
func (s *Settings) goesWithEntry(path []step, at int) bool {
	in := path[at].in
	list := spots(in)
	if len(list) > 1 {
		return false
	}
	if at == 3 {
		group := elements(path[2].in)[path[2].at]
		return len(spots(group)) == 1 || (len(spots(group)) == 2 && get(group, "matcher") != nil)
	}
	around := string(s.text[:in.StartOffset]) + string(s.text[in.EndOffset:])
	before, after := s.text[in.StartOffset+1:list[0].start], s.text[list[0].end:in.EndOffset-1]
	return (at > 0 || strings.TrimSpace(around) == "") && // else a comment of its author
		len(bytes.TrimSpace(before)) == 0 && len(bytes.Trim(after, " \t\r\n,")) == 0 && bytes.Contains(after, []byte("\n"))
}
