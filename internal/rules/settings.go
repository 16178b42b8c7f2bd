package rules

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// Setting is a value of a configuration, and the keys that lead to it: the names of sections, tables, objects and
// elements, and its own. In a list each value is a setting with the same keys.
type Setting struct {
	Keys  []string
	Value string
	Line  int
	Table int // settings of one table, object or element have the same number
}

const elixirFiles = "mix.exs .credo.exs "

// maxSettings is how many settings of a file are read: no person wrote more.
const maxSettings = 100_000

// settingsOf reads the settings of a version of a file: INI, TOML, JSON, objects of JavaScript, YAML and XML. Text that
// is none of these gives those that it seems to have.
func settingsOf(v *source.File) []Setting {
	if v == nil {
		return nil
	}
	r := &settingReader{File: v}
	base := strings.ToLower(path.Base(v.Path))
	switch ext := path.Ext(base); {
	case ext == ".toml":
		r.objects(true)
	case begins(ext, ".json"), begins(base, ".nycrc"), begins(base, ".c8rc"), isScript(v.Lang), isNamed(base, elixirFiles+gradleFiles):
		r.objects(false)
	case ext == ".yml", ext == ".yaml", has(base, ".neon"), base == ".clang-tidy":
		r.yaml()
	case ext == ".xml", has(base, ".xml."), ext == ".csproj", ext == ".fsproj", ext == ".props", ext == ".targets", ext == ".runsettings":
		r.xml()
	default:
		r.ini()
	}
	return r.list
}

type settingReader struct {
	*source.File
	list []Setting
}

// add takes a setting. With it the keys of its table are shared, because a table can have many.
func (r *settingReader) add(keys []string, value string, line, table int) {
	if len(r.list) < maxSettings {
		r.list = append(r.list, Setting{slices.Clip(keys), value, line, table})
	}
}

// lines gives each line that is not too long, and its number.
func (r *settingReader) lines(give func(n int, line string)) {
	n := 0
	for raw := range bytes.Lines(r.Text) {
		n++
		if len(raw) <= maxShellLine {
			give(n, strings.TrimRight(string(raw), " \t\r\n"))
		}
	}
}

// ini reads sections, keys behind = or :, and the indented lines below a key as more of its values.
func (r *settingReader) ini() {
	section, key := "", ""
	r.lines(func(n int, line string) {
		text := strings.TrimSpace(line)
		switch {
		case text == "", text[0] == '#', text[0] == ';':
		case text[0] == '[' && text[len(text)-1] == ']' && line[0] == '[':
			section, key = strings.Trim(text, "[] "), ""
		case (line[0] != ' ' && line[0] != '\t') || key == "":
			i := strings.IndexAny(text, "=:")
			if i < 0 {
				return
			}
			if key = strings.Trim(text[:i], " \t\"'"); strings.TrimSpace(text[i+1:]) != "" {
				r.add([]string{section, key}, strings.TrimSpace(text[i+1:]), n, 0)
			}
		default:
			r.add([]string{section, key}, text, n, 0)
		}
	})
}

// maxNested is how many levels of a configuration are read.
const maxNested = 60

// tokenEnd is where the token ends that begins at an offset: a comment, a text, a word, a section of TOML, or a sign.
func (r *settingReader) tokenEnd(i int, isTOML, inList bool) int {
	text := r.Text
	upTo := func(end string) int {
		if n := bytes.Index(text[i:], []byte(end)); n >= 0 {
			return i + n
		}
		return len(text)
	}
	switch c := text[i]; {
	case isTOML && c == '#', !isTOML && begins(text[i:], "//"):
		return upTo("\n")
	case !isTOML && begins(text[i:], "/*"):
		return min(upTo("*/")+2, len(text))
	case isTOML && c == '[' && !inList && (i == 0 || text[i-1] == '\n'):
		line := bytes.TrimRight(restOf(text, i), " \t\r")
		if ends(line, "]") && !bytes.ContainsAny(line, ",{=") {
			return i + len(line)
		}
	case c == '"' || c == '\'' || c == '`':
		for n := i + 1; n < len(text); n++ {
			switch {
			case text[n] == '\\':
				n++
			case text[n] == c:
				return n + 1
			case text[n] == '\n' && c != '`':
				return n
			}
		}
		return len(text)
	case source.IsWord(c) || strings.IndexByte("-+$@", c) >= 0:
		for i++; i < len(text) && (source.IsWord(text[i]) || text[i] == '-' || (text[i] == '.' && text[i-1] != '.')); i++ {
		}
		return i
	}
	return i + 1
}

// objects reads TOML, JSON with comments, and the objects of JavaScript.
func (r *settingReader) objects(isTOML bool) {
	type frame struct {
		keys  []string
		table int
		list  bool
	}
	var open []frame
	at := frame{}             // the innermost
	last, key := "", ""       // the last word, and the one that waits for its value
	tables, waits := 0, false // waits: key waits
	path := func(name string) []string {
		switch {
		case name == "":
			return at.keys
		case isTOML && !strings.ContainsAny(name, "\"'"):
			return append(slices.Clip(at.keys), strings.Split(name, ".")...)
		}
		return append(slices.Clip(at.keys), name)
	}
	word := func(text string, pos int) {
		switch {
		case waits:
			r.add(path(key), text, r.LineAt(pos), at.table)
			waits, last = false, ""
		case at.list:
			r.add(at.keys, text, r.LineAt(pos), at.table)
		default:
			last = text
		}
	}
	isGradle, isElixir := isNamed(r.Path, gradleFiles), isNamed(r.Path, elixirFiles)
	for i, end := 0, 0; i < len(r.Text); i = end {
		end = r.tokenEnd(i, isTOML, at.list)
		token := r.Text[i:end]
		switch c := token[0]; {
		case c == '[' && len(token) > 1:
			tables++
			open, at = nil, frame{strings.Split(strings.Trim(string(token), "[] \t\r"), "."), tables, false}
			last, waits = "", false
		case c == '{' || c == '[' || (c == '(' && isGradle):
			if waits {
				last = key
			}
			tables++
			open = append(open, at)
			if len(open) < maxNested {
				at = frame{path(last), tables, c != '{' && !isElixir} // [a: 1] of Elixir has keys
			}
			last, waits = "", false
		case c == '}' || c == ']' || (c == ')' && isGradle):
			if n := len(open) - 1; n >= 0 {
				at, open = open[n], open[:n]
			}
			last, waits = "", false
		case c == ':' || c == '=':
			key, waits = last, last != ""
		case c == ',' || c == ';' || (c == '\n' && isTOML && !at.list):
			last, waits = "", false
		case c == '\n' && isGradle:
			last = ""
		case c == '"' || c == '\'' || c == '`':
			if isGradle && last != "" && !waits { // exclude '**/a'
				key, waits = last, true
			}
			word(unquoted(token), i)
		case source.IsWord(c) || strings.IndexByte("-+$@", c) >= 0:
			word(string(token[:min(len(token), maxText)]), i)
		}
	}
}

// unquoted is the content of a string of JSON, TOML or JavaScript.
func unquoted(text []byte) string {
	var s string
	if len(text) > maxShellLine || text[0] != '"' || bytes.IndexByte(text, '\\') < 0 || json.Unmarshal(text, &s) != nil {
		s = strings.Trim(string(text[:min(len(text), maxShellLine)]), string(text[:1]))
	}
	return s
}

// yaml reads nested keys by their indentation. Each item of a list is a table.
func (r *settingReader) yaml() {
	type open struct {
		indent, table int
		keys          []string
	}
	stack := []open{{indent: -1}}
	tables := 0
	r.lines(func(n int, line string) {
		text, _, _ := strings.Cut(strings.TrimLeft(line, " -{"), " #")
		if text == "" || text[0] == '#' {
			return
		}
		indent, dash := len(line)-len(strings.TrimLeft(line, " -{")), strings.TrimLeft(line, " ")
		least, isItem := indent, begins(dash, "- ")
		if isItem { // what is farther to the right belongs to the item before
			least = len(line) - len(dash) + 1
		}
		for stack[len(stack)-1].indent >= least {
			stack = stack[:len(stack)-1]
		}
		top := &stack[len(stack)-1]
		if isItem {
			tables++
			top.table = tables
		}
		key, value, isKey := strings.Cut(text, ":")
		value = strings.Trim(strings.Trim(value, " }"), `"'`)
		if !isKey {
			r.add(top.keys, strings.Trim(text, `"' `), n, top.table)
			return
		}
		keys := append(slices.Clip(top.keys), strings.Trim(key, " \"'"))
		if value != "" {
			r.add(keys, value, n, top.table)
		} else if len(stack) < maxNested {
			tables++
			stack = append(stack, open{indent, tables, keys})
		}
	})
}

// maxXML is the longest XML document that is read.
const maxXML = 1 << 20

// xml reads the attributes of elements, with @ before their names, and what the innermost elements contain.
func (r *settingReader) xml() {
	if len(r.Text) > maxXML {
		return
	}
	d := xml.NewDecoder(bytes.NewReader(r.Text))
	d.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	type element struct {
		keys        []string
		table, line int
	}
	open, tables := []element{{}}, 0
	var text strings.Builder
	for len(open) < maxNested {
		token, err := d.RawToken()
		if err != nil {
			return
		}
		top := &open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			tables++
			line, _ := d.InputPos()
			e := element{append(slices.Clip(top.keys), t.Name.Local), tables, line}
			for _, a := range t.Attr {
				r.add(append(slices.Clip(e.keys), "@"+a.Name.Local), a.Value, line, e.table)
			}
			open = append(open, e)
			text.Reset()
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			if len(open) == 1 {
				return
			}
			if value := strings.TrimSpace(text.String()); value != "" {
				r.add(top.keys, value, top.line, open[len(open)-2].table)
			}
			open = open[:len(open)-1]
			text.Reset()
		}
	}
}

// leads reports whether keys are those of a pattern such as dependency-groups/*: a * is one key or the rest of it, **
// are any, and | parts alternatives.
func leads(keys []string, pattern string) bool {
	for pattern != "" {
		part, rest, _ := strings.Cut(pattern, "/")
		switch {
		case part == "**":
			for i := range len(keys) + 1 {
				if leads(keys[i:], rest) {
					return true
				}
			}
			return false
		case len(keys) == 0 || (!slices.ContainsFunc(strings.Split(part, "|"),
			func(one string) bool {
				start, open := strings.CutSuffix(one, "*")
				return strings.EqualFold(start, keys[0][:min(len(start), len(keys[0]))]) && (open || len(start) == len(keys[0]))
			})):
			return false
		}
		keys, pattern = keys[1:], rest
	}
	return len(keys) == 0
}

// isNamed reports whether the name of a file matches one of some patterns with blanks between them. They are in lower
// case.
func isNamed(name, patterns string) bool {
	base := strings.ToLower(path.Base(name))
	for pattern := range strings.FieldsSeq(patterns) {
		if pattern == base {
			return true
		}
		star, last := strings.IndexByte(pattern, '*'), len(pattern)-1 // most patterns are names, or begin or end otherwise
		if star < 0 || !begins(base, pattern[:star]) || (pattern[last] != '*' && !ends(base, pattern[last:])) {
			continue
		}
		if matched, _ := path.Match(pattern, base); matched {
			return true
		}
	}
	return false
}
