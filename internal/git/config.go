package git

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// harmless are the extensions that do not change how objects and refs are stored.
var harmless = map[string]bool{
	"noop": true, "noop-v1": true, "preciousobjects": true, "worktreeconfig": true, "relativeworktrees": true,
}

// configure reads the format of the repository's files from its configuration, and nothing else. As in
// gitrepository-layout, version 0 ignores extensions, and with version 1 a reader must support all of them.
func (r *Repo) configure() error {
	name := filepath.Join(r.common, "config")
	text, err := readSmall(name, smallFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	settings, err := parseConfig(text)
	if err != nil {
		return &Corrupt{What: name, Why: err.Error()}
	}
	version, extensions := "0", map[string]string{}
	for _, s := range settings {
		if s.section == "core" && s.key == "repositoryformatversion" {
			version = s.value
		}
		if s.section == "extensions" {
			extensions[s.key] = s.value
		}
	}
	if version != "0" && version != "1" {
		return &Unsupported{What: "the repository has format version " + version + ", but only 0 and 1 are supported"}
	}
	r.format = sha1Format
	for _, key := range slices.Sorted(maps.Keys(extensions)) {
		switch value := extensions[key]; {
		case key == "partialclone":
			r.partial = true
		case harmless[key] || (version == "0" && key != "objectformat" && key != "refstorage"):
		case version == "0":
			return &Unsupported{What: "the repository has format version 0, which does not allow extensions." + key}
		case key == "objectformat" && value == "sha256":
			r.format = sha256Format
		case key == "objectformat" && value == "sha1", key == "refstorage" && value == "files":
		case key == "refstorage" && strings.HasPrefix(value, "reftable"):
			r.reftab = true
		default:
			return &Unsupported{What: "the repository uses extensions." + key + " = " + value + ", which is not supported"}
		}
	}
	return nil
}

// setting is one line of the configuration. Section and key are in lower case; sections with a subsection are
// "section.subsection".
type setting struct {
	section, key, value string
}

// parseConfig reads the syntax that git-config documents.
func parseConfig(text string) ([]setting, error) {
	p := &configParser{rest: strings.TrimPrefix(text, "\uFEFF")}
	section := ""
	var settings []setting
	for {
		p.skipBlank()
		switch {
		case p.rest == "":
			return settings, nil
		case p.rest[0] == '[':
			name, err := p.header()
			if err != nil {
				return nil, err
			}
			section = name
		default:
			key, value, err := p.variable()
			if err == nil && section == "" {
				err = errors.New("a setting is before the first section")
			}
			if err != nil {
				return nil, err
			}
			settings = append(settings, setting{section, key, value})
		}
	}
}

type configParser struct {
	rest string
}

// skipBlank skips white space, line ends and comments.
func (p *configParser) skipBlank() {
	for {
		p.rest = strings.TrimLeft(p.rest, " \t\r\n\v\f")
		if p.rest == "" || (p.rest[0] != '#' && p.rest[0] != ';') {
			return
		}
		_, p.rest, _ = strings.Cut(p.rest, "\n")
	}
}

// header reads [section], [section.sub] or [section "sub"].
func (p *configParser) header() (string, error) {
	end := strings.IndexFunc(p.rest[1:], func(c rune) bool { return !isKeyChar(c) && c != '.' }) + 1
	if end <= 1 {
		return "", errors.New("a section has no name")
	}
	name := strings.ToLower(p.rest[1:end])
	p.rest = strings.TrimLeft(p.rest[end:], " \t")
	if after, ok := strings.CutPrefix(p.rest, `"`); ok {
		p.rest = after
		sub, err := p.subsection()
		if err != nil {
			return "", err
		}
		name += "." + sub
	}
	after, ok := strings.CutPrefix(p.rest, "]")
	if !ok {
		return "", errors.New("a section name does not end with ]")
	}
	p.rest = after
	return name, nil
}

// subsection reads a name up to its closing quote. After a backslash, every character is literal.
func (p *configParser) subsection() (string, error) {
	var sub strings.Builder
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			p.rest = p.rest[i+1:]
			return sub.String(), nil
		case c == '\n':
			return "", errors.New("a subsection name does not end on its line")
		case c == '\\' && i+1 < len(p.rest):
			i++
			sub.WriteByte(p.rest[i])
		default:
			sub.WriteByte(c)
		}
	}
	return "", errors.New("a subsection name does not end")
}

// variable reads "key = value" or a lone "key", which means true.
func (p *configParser) variable() (key, value string, err error) {
	end := strings.IndexFunc(p.rest, func(c rune) bool { return !isKeyChar(c) })
	if end < 0 {
		end = len(p.rest)
	}
	key = strings.ToLower(p.rest[:end])
	p.rest = strings.TrimLeft(p.rest[end:], " \t\r")
	if key == "" {
		return "", "", errors.New("a line is neither a section nor a setting")
	}
	if p.rest == "" || p.rest[0] == '\n' || p.rest[0] == '#' || p.rest[0] == ';' {
		return key, "true", nil
	}
	after, ok := strings.CutPrefix(p.rest, "=")
	if !ok {
		return "", "", errors.New("there is no = after " + key)
	}
	p.rest = strings.TrimLeft(after, " \t")
	value, err = p.value()
	return key, value, err
}

// value reads the rest of a line: quotes keep blanks and comment characters, a backslash escapes a character or joins
// lines, and blanks at the end are dropped.
func (p *configParser) value() (string, error) {
	var value []byte
	quoted, trimmed := false, 0 // trimmed is how long the value is without blanks at its end
	for i := 0; i < len(p.rest); i++ {
		c := p.rest[i]
		switch {
		case c == '\n' && quoted:
			return "", errors.New("a quoted value does not end on its line")
		case c == '\n' || (!quoted && (c == '#' || c == ';')):
			p.rest = p.rest[i:]
			return string(value[:trimmed]), nil
		case c == '"':
			quoted = !quoted
			trimmed = len(value)
		case c == '\\':
			escaped, skip, err := unescape(p.rest[i+1:])
			if err != nil {
				return "", err
			}
			value = append(value, escaped...)
			i, trimmed = i+skip, len(value)
		default:
			value = append(value, c)
			if quoted || (c != ' ' && c != '\t' && c != '\r') {
				trimmed = len(value)
			}
		}
	}
	if quoted {
		return "", errors.New("a quoted value does not end")
	}
	p.rest = ""
	return string(value[:trimmed]), nil
}

// unescape reads an escape after its backslash, and gives its length.
func unescape(rest string) (escaped string, length int, err error) {
	switch {
	case strings.HasPrefix(rest, "\n"):
		return "", 1, nil
	case strings.HasPrefix(rest, "\r\n"):
		return "", 2, nil
	case rest != "" && strings.Contains(`"\ntb`, rest[:1]):
		return map[byte]string{'"': `"`, '\\': `\`, 'n': "\n", 't': "\t", 'b': "\b"}[rest[0]], 1, nil
	}
	return "", 0, errors.New("a value contains an unknown escape")
}

func isKeyChar(c rune) bool {
	return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '-'
}
