package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/schema"
)

// TestCommandReference compares docs/reference/commands.md with the help of the commands.
func TestCommandReference(t *testing.T) {
	root := newRoot(console.Streams{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	var b strings.Builder
	b.WriteString("# Commands\n\nThis page is made from `closeout COMMAND --help`.\n")
	writeCommands(&b, root)
	compare(t, "docs/reference/commands.md", b.String())
}

func writeCommands(b *strings.Builder, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Annotations[oldName] != "" || c.Name() == "help" {
			continue
		}
		text := c.Long
		if text == "" {
			text = c.Short
		}
		fmt.Fprintf(b, "\n## %s\n\n```text\n%s\n```\n\n%s\n", c.CommandPath(), c.UseLine(), fenced(text))
		if c.Example != "" {
			fmt.Fprintf(b, "\n```sh\n%s\n```\n", unindented(c.Example))
		}
		if flags := c.LocalFlags(); flags.HasAvailableFlags() {
			b.WriteString("\n| flag | |\n|---|---|\n")
			flags.VisitAll(func(f *pflag.Flag) { writeFlag(b, f) })
		}
		writeCommands(b, c)
	}
}

func writeFlag(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden || f.Name == "help" {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if value != "" && f.NoOptDefVal == "" {
		name += " " + strings.ToUpper(value)
	}
	fmt.Fprintf(b, "| `%s` | %s |\n", name, strings.ReplaceAll(usage, "|", "\\|"))
}

// fenced is a help text, whose line breaks are meant.
func fenced(text string) string { return "```text\n" + strings.TrimSpace(text) + "\n```" }

func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}

// TestSchemaReference compares docs/reference/schemas.md with the JSON Schemas.
func TestSchemaReference(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Fields of every format\n\nThis page is made from the JSON Schemas, which `closeout schema NAME` prints. [inputs.md](inputs.md) and\n[report.md](report.md) explain the fields. *Required* fields are bold.\n")
	for _, name := range schema.Names() {
		text, err := schema.Text(name)
		if err != nil {
			t.Fatal(err)
		}
		var s node
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| field | type | |\n|---|---|---|\n", name, cmp.Or(s.text("description"), s.text("title")+"."))
		rows := b.Len()
		writeFields(&b, s, s, "", 0)
		if b.Len() == rows {
			t.Errorf("the schema %s has no field", name)
		}
	}
	compare(t, "docs/reference/schemas.md", b.String())
}

// node is a JSON Schema.
type node map[string]any

func (n node) text(key string) string {
	text, _ := n[key].(string)
	return text
}

func (n node) child(key string) node {
	child, _ := n[key].(map[string]any)
	return child
}

// list is the schemas under a key such as anyOf.
func (n node) list(key string) (list []node) {
	items, _ := n[key].([]any)
	for _, item := range items {
		if child, ok := item.(map[string]any); ok {
			list = append(list, child)
		}
	}
	return list
}

// resolved is what a schema refers to, with its own description.
func (n node) resolved(root node) node {
	_, name, found := strings.Cut(n.text("$ref"), "#/")
	if !found {
		return n
	}
	group, name, _ := strings.Cut(name, "/")
	target := node{}
	for key, value := range root.child(group).child(name) {
		target[key] = value
	}
	if n.text("description") != "" {
		target["description"] = n["description"]
	}
	return target.resolved(root)
}

// deepest bounds the depth of the tables: facts contain people, who contain no further objects.
const deepest = 4

func writeFields(b *strings.Builder, root, s node, prefix string, depth int) {
	if depth > deepest {
		return
	}
	for _, choice := range append([]node{s}, append(s.list("anyOf"), s.list("oneOf")...)...) {
		choice = choice.resolved(root)
		if items := choice.child("items"); items != nil {
			writeFields(b, root, items.resolved(root), prefix+"[]", depth+1)
		}
		properties := choice.child("properties")
		for _, name := range sortedKeys(properties) {
			field := properties.child(name).resolved(root)
			shown := prefix
			if shown != "" {
				shown += "."
			}
			shown += name
			cell := "`" + shown + "`"
			if required(choice, name) {
				cell = "**" + cell + "**"
			}
			fmt.Fprintf(b, "| %s | %s | %s |\n", cell, kind(field), strings.ReplaceAll(field.text("description"), "|", "\\|"))
			writeFields(b, root, field, shown, depth+1)
		}
	}
}

func sortedKeys(m map[string]any) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func required(s node, name string) bool {
	names, _ := s["required"].([]any)
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// kind is the type of a field in words.
func kind(s node) string {
	if values, ok := s["enum"].([]any); ok {
		var texts []string
		for _, v := range values {
			text, _ := json.Marshal(v)
			texts = append(texts, "`"+string(text)+"`")
		}
		return strings.Join(texts, ", ")
	}
	if value, ok := s["const"]; ok {
		text, _ := json.Marshal(value)
		return "`" + string(text) + "`"
	}
	switch value := s["type"].(type) {
	case string:
		return value
	case []any:
		var names []string
		for _, v := range value {
			names = append(names, fmt.Sprint(v))
		}
		return strings.Join(names, " or ")
	}
	return ""
}
