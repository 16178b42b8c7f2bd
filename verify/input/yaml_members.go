package input

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// YAMLMembers reads a YAML mapping and returns a text for each key of its top level. Two texts are equal exactly where
// the values are equal: order, comments and quotes make no difference, types do. YAML that a contract may not contain,
// such as an anchor, is an error.
func YAMLMembers(data []byte) (map[string]string, error) {
	errs := &Errors{}
	var root *Node
	if CheckText(data, errs) {
		root = ParseYAML(data, DefaultLimits().Depth, errs)
	}
	if root != nil && root.Kind != KindObject {
		errs.Add(Error{Pos: root.Pos, Message: "the document is not a mapping", Found: root.Describe(), Expected: "keys and values", Fix: "write a mapping"})
	}
	if errs.Any() {
		return nil, errors.New(errs.All()[0].String())
	}
	members := make(map[string]string, len(root.Members))
	for _, m := range root.Members {
		members[m.Key] = m.Value.canonical()
	}
	return members, nil
}

// canonical writes a value as a text; different values have different texts.
func (n *Node) canonical() string {
	var parts []string
	switch n.Kind {
	case KindNull:
		return "null"
	case KindBool:
		return strconv.FormatBool(n.Bool)
	case KindNumber:
		return n.Text
	case KindString:
		return strconv.Quote(n.Text)
	case KindList:
		for _, item := range n.Items {
			parts = append(parts, item.canonical())
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	for _, m := range n.Members {
		parts = append(parts, strconv.Quote(m.Key)+":"+m.Value.canonical())
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",") + "}"
}
