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
			if top > maxXMLDepth || (len(document.children) > 0 && top == 0) {
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
	return e.says(func(name, value string) bool {
		if name == "version" || strings.HasPrefix(name, "Version") {
			return slices.Contains(names, name) && isPlain(value)
		}
		return slices.Contains(names, name) && plainWords().MatchString(value)
	})
}

// says reports whether all attributes of an element and its children, by their names and values, are fine.
func (e *element) says(fine func(name, value string) bool) bool {
	return !slices.ContainsFunc(e.attrs, func(a xml.Attr) bool { return a.Name.Space != "" || !fine(a.Name.Local, a.Value) }) &&
		!slices.ContainsFunc(e.children, func(c *element) bool { return len(c.attrs) > 0 || !fine(c.name, c.text) })
}

// plainWords are words without a path, and without an expression but a property.
var plainWords = input.Lazily(`^(?:[\w.;,:+\[\]()\s-]|\$\{[\w.-]+\}|\$\(\w+\))*$`)

// xmlParts are the parts of a document by their key: elements, and the entries of lists whose order does not matter.
type xmlParts map[string][]string

func (p xmlParts) add(key string, e *element) { p.list(key, e.String()) }

func (p xmlParts) list(key string, entries ...string) { p[key] = append(p[key], entries...) }

// versionedSDK is an SDK of MSBuild with its version, which may rise.
var versionedSDK = input.Lazily(`^([A-Za-z][\w.]*)/(\d[\w.-]*)$`)

// xmlKeys lists the keys that differ of the parts that keys finds in a document.
func xmlKeys(keys func(root *element, parts xmlParts)) reader {
	return parts(func(data []byte) (map[string]string, error) {
		all, parts := map[string]string{}, xmlParts{}
		if data == nil {
			return all, nil // a new file
		}
		root, err := readXML(data)
		if err != nil {
			return nil, err
		}
		for i, a := range root.attrs {
			if sdk := versionedSDK().FindStringSubmatch(a.Value); sdk != nil && a.Name.Local == "Sdk" {
				parts.list(lowerVersion+sdk[1], sdk[2])
				root.attrs[i].Value = sdk[1] + "/"
			}
		}
		parts.add("attributes", &element{name: root.name, attrs: root.attrs, text: root.text})
		keys(root, parts)
		for key, part := range parts {
			if strings.HasPrefix(key, fewer) || strings.HasPrefix(key, lowerVersion) {
				slices.Sort(part)
			}
			all[key] = strings.Join(part, "\n")
		}
		return all, nil
	})
}
