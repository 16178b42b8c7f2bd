package rules

import (
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// Limits of what is parsed. A text over them is not read.
const (
	maxYAML    = 256 << 10 // of a workflow or another YAML file, in bytes
	maxAllYAML = 3 << 19   // of all workflows of a change
	maxDepth   = 60
)

// parseYAML reads a YAML document; nil for one that cannot be read.
func parseYAML(v *source.File) *input.Node {
	if len(v.Text) > maxYAML {
		return nil
	}
	errs := &input.Errors{}
	if !input.CheckText(v.Text, errs) {
		return nil
	}
	n := input.ParseWorkflow(v.Text, maxDepth, errs)
	if n == nil || n.Kind != input.KindObject {
		return nil
	}
	return n
}

// below follows keys down a document; nil when one is missing.
func below(n *input.Node, keys ...string) *input.Node {
	for _, key := range keys {
		if n == nil {
			return nil
		}
		n = n.Member(key)
	}
	return n
}

// textOf is the text of a scalar.
func textOf(n *input.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == input.KindBool && n.Bool:
		return "true"
	case n.Kind == input.KindBool:
		return "false"
	}
	return n.Text
}

// membersOf are the members of an object; none for anything else.
func membersOf(n *input.Node) []input.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// itemsOf are the texts of a list, or the one of a scalar.
func itemsOf(n *input.Node) []string {
	if n == nil {
		return nil
	}
	if n.Kind != input.KindList {
		if text := textOf(n); text != "" {
			return []string{text}
		}
		return nil
	}
	var list []string
	for _, item := range n.Items {
		list = append(list, textOf(item))
	}
	return list
}

// eachText calls a function for every text below a node.
func eachText(n *input.Node, visit func(*input.Node)) {
	if n.Kind == input.KindString {
		visit(n)
	}
	for _, item := range n.Items {
		eachText(item, visit)
	}
	for i := range n.Members {
		eachText(n.Members[i].Value, visit)
	}
}

// flowLine is the line on which a text of a node stands: the node itself may begin lines above.
func flowLine(v *source.File, n *input.Node, text string) int {
	last := n.Pos.Line + strings.Count(n.Text, "\n") + 1
	for line := n.Pos.Line; line <= last && line <= v.Lines(); line++ {
		if has(v.Line(line), text) {
			return line
		}
	}
	return n.Pos.Line
}

// listed joins the first names of a list.
func listed(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}

// foreign reports whether a path is of code that others maintain, or of the input of tests.
func foreign(name string) bool {
	for _, dir := range [...]string{
		"vendor/", "node_modules/", "third_party/", "testdata/", "fixtures/", "__fixtures__/", "test-data/", "test_data/", "testscripts/",
	} {
		if begins(name, dir) || has(name, "/"+dir) {
			return true
		}
	}
	return false
}
