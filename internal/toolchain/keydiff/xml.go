package keydiff

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// maxXMLDepth is how deep elements may be nested.
const maxXMLDepth = 100

// element is an element of XML. Comments, and blanks around its text, are no part of it.
type element struct {
	name     string
	attrs    []xml.Attr
	text     string
	children []*element
}

// readXML reads a document in UTF-8 without a document type.
func readXML(data []byte) (*element, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	document := &element{}
	open, texts := []*element{document}, [][]byte{nil}
	for {
		token, err := d.Token()
		if err == io.EOF && len(document.children) == 1 {
			return document.children[0], nil
		}
		if err != nil {
			return nil, err
		}
		top := len(open) - 1
		switch t := token.(type) {
		case xml.StartElement:
			if top > maxXMLDepth || len(document.children) > 0 && top == 0 {
				return nil, errors.New("it is nested too deeply, or has two roots")
			}
			e := &element{name: t.Name.Local, attrs: t.Attr}
			open[top].children = append(open[top].children, e)
			open, texts = append(open, e), append(texts, nil)
		case xml.EndElement:
			open[top].text = strings.TrimSpace(string(texts[top]))
			open, texts = open[:top], texts[:top]
		case xml.CharData:
			texts[top] = append(texts[top], t...)
		case xml.Directive:
			return nil, errors.New("it has a document type")
		}
	}
}

// String writes an element so that different ones differ.
func (e *element) String() string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e *element) write(b *strings.Builder) {
	b.WriteString("<" + e.name)
	for _, a := range e.attrs {
		b.WriteString(" " + a.Name.Space + ":" + a.Name.Local + strconv.Quote(a.Value))
	}
	b.WriteString(">" + strconv.Quote(e.text))
	for _, c := range e.children {
		c.write(b)
	}
	b.WriteString("</>")
}

// plain reports whether the attributes of an element and its children are among these, without expressions, and its version is one
// of a registry.
func (e *element) plain(names ...string) bool {
	harmless := func(name, value string) bool {
		return slices.Contains(names, name) && plainWords().MatchString(value) && (name != "version" && name != "Version" || isPlain(value))
	}
	for _, a := range e.attrs {
		if a.Name.Space != "" || !harmless(a.Name.Local, a.Value) {
			return false
		}
	}
	return !slices.ContainsFunc(e.children, func(c *element) bool { return len(c.attrs) > 0 || !harmless(c.name, c.text) })
}

// plainWords are words without a path, and without an expression but the property of Maven.
var plainWords = input.Lazily(`^(?:[\w.;,:+\[\]()\s-]|\$\{[\w.-]+\})*$`)

// xmlKeys lists the keys that differ: keys calls add for each part of a document, with its key.
func xmlKeys(keys func(root *element, add func(key string, e *element))) func(before, after []byte) ([]string, error) {
	read := func(data []byte) (map[string]string, error) {
		root, err := readXML(data)
		if err != nil {
			return nil, err
		}
		parts := map[string]*strings.Builder{}
		add := func(key string, e *element) {
			if parts[key] == nil {
				parts[key] = &strings.Builder{}
			}
			e.write(parts[key])
		}
		add("attributes", &element{name: root.name, attrs: root.attrs, text: root.text})
		keys(root, add)
		all := map[string]string{}
		for key, part := range parts {
			all[key] = part.String()
		}
		return all, nil
	}
	return func(before, after []byte) ([]string, error) {
		old, err := read(before)
		if err != nil {
			return nil, err
		}
		now, err := read(after)
		if err != nil {
			return nil, err
		}
		return differing(old, now), nil
	}
}

var (
	versionProperty = input.Lazily(`(?i)^[\w.-]*version$`)
	toolProperty    = input.Lazily(`(?i)java|jdk|maven|plugin|surefire|failsafe`)
	reference       = input.Lazily(`\$\{[^}]*\}`)
)

// pomKeys are the keys of a pom.xml: of two parts, such as build.plugins. A property that only dependencies use, and that contains a
// version, is a part of them.
func pomKeys(root *element, add func(key string, e *element)) {
	used := map[string]bool{}
	var properties []*element
	var walk func(e *element, key string)
	walk = func(e *element, key string) {
		deps := key == "dependencies" || key == "dependencyManagement.dependencies"
		if len(e.attrs) > 0 || e.text != "" && len(e.children) > 0 || deps && slices.ContainsFunc(e.children, func(c *element) bool { return c.name != "dependency" }) {
			add(sourceOf+key, e)
		}
		for _, c := range e.children {
			below := strings.TrimPrefix(key+"."+tomlKey(c.name), ".")
			switch {
			case deps:
				add(key, c)
				if !c.plain("groupId", "artifactId", "version", "scope", "type", "classifier", "optional", "exclusions") || isSystem(c) {
					add(sourceOf+key, c)
				}
				continue
			case key == "properties":
				properties = append(properties, c)
			case key == "" && len(c.children) > 0, below == "dependencyManagement.dependencies":
				walk(c, below)
				continue
			default:
				add(below, c)
			}
			for _, name := range reference().FindAllString(c.String(), -1) {
				used[name] = true
			}
		}
	}
	walk(&element{children: root.children}, "")
	for _, p := range properties {
		version := versionProperty().MatchString(p.name) && !toolProperty().MatchString(p.name) && !used["${"+p.name+"}"]
		if version && len(p.attrs)+len(p.children) == 0 && isPlain(p.text) && strings.ContainsAny(p.text, "0123456789") {
			add("dependencies", p)
		} else {
			add("properties."+tomlKey(p.name), p)
		}
	}
}

// isSystem reports whether a dependency of Maven is a file.
func isSystem(dependency *element) bool {
	return slices.ContainsFunc(dependency.children, func(c *element) bool { return c.name == "scope" && !isScope().MatchString(c.text) })
}

var isScope = input.Lazily(`^(?:compile|provided|runtime|test|import)$`)

// projectKeys are the keys of an MSBuild project: of two parts, where neither a condition nor an expression is in the way.
func projectKeys(root *element, add func(key string, e *element)) {
	for _, group := range root.children {
		if len(group.attrs) > 0 || group.text != "" || group.name != "PropertyGroup" && group.name != "ItemGroup" {
			add(tomlKey(group.name), group)
			continue
		}
		for _, c := range group.children {
			key := group.name + "." + tomlKey(c.name)
			add(key, c)
			plain := len(c.attrs)+len(c.children) == 0 && !strings.Contains(c.text, "$(")
			if group.name == "ItemGroup" {
				plain = c.text == "" && c.plain("Include", "Version", "PrivateAssets", "IncludeAssets", "ExcludeAssets")
			}
			if !plain {
				add(sourceOf+key, c)
			}
		}
	}
}
