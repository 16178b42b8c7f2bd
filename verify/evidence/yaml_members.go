package evidence

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/source"
)

// YAMLMembers reads a YAML mapping and gives each key of its top level a text that is equal exactly where the values are
// equal: order, comments and quotes are no difference, types are. A document that contracts could not be written in, such
// as one with anchors, is an error.
func YAMLMembers(data []byte) (map[string]string, error) {
	errs := &source.Errors{}
	limits := DefaultLimits()
	if !contractText(data, errs) {
		return nil, errors.New(errs.All()[0].String())
	}
	root := parseYAML(data, limits.Depth, errs)
	if root != nil && root.kind != kindObject {
		errs.Add(source.Error{Pos: root.pos, Message: "the document is not a mapping", Found: root.describe(), Expected: "keys and values", Fix: "write a mapping"})
	}
	if errs.Any() {
		return nil, errors.New(errs.All()[0].String())
	}
	members := make(map[string]string, len(root.members))
	for _, m := range root.members {
		members[m.key] = m.value.canonical()
	}
	return members, nil
}

// canonical writes a value as a text that no other value has.
func (n *node) canonical() string {
	var parts []string
	switch n.kind {
	case kindNull:
		return "null"
	case kindBool:
		return strconv.FormatBool(n.bool)
	case kindNumber:
		return n.text
	case kindString:
		return strconv.Quote(n.text)
	case kindList:
		for _, item := range n.items {
			parts = append(parts, item.canonical())
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	for _, m := range n.members {
		parts = append(parts, strconv.Quote(m.key)+":"+m.value.canonical())
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",") + "}"
}
