package input

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// This file says what to write in place of a wrong key or value. What it suggests is always accepted where it is written.

// sameKeys are the keys that the formats had from which this gate's grew, and those of the inputs.
var sameKeys = map[string]string{
	"command": "run", "cmd": "run", "acceptancecommands": "acceptance_criteria", "criteria": "acceptance_criteria",
}

// plainKey leaves out what writers of keys differ in: case, hyphens and underscores.
func plainKey(key string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(key))
}

// meant returns the key that was most likely meant by an unknown one, among those that the object does not have; "" for none.
func (f *Fields) meant(key string) string {
	plain := plainKey(key)
	for _, k := range f.Known {
		if plainKey(k) == plain {
			return k
		}
	}
	taken := f.Taken
	if taken == nil {
		taken = func(k string) bool { return f.Node != nil && f.Node.Member(k) != nil }
	}
	free := slices.DeleteFunc(slices.Clone(f.Known), taken)
	if same := sameKeys[plain]; slices.Contains(free, same) {
		return same
	}
	for _, k := range free {
		if len(plain) > 2 && strings.HasPrefix(plainKey(k), plain) {
			return k
		}
	}
	return Nearest(key, free)
}

// WordFix says which of some words to write; "" when n is like none of them.
func WordFix(n *Node, words []string) string {
	word, quoted := strings.TrimSpace(n.Text), QuoteJSON
	if slices.Contains(words, "true") {
		quoted = func(s string) string { return s }
		word = cmp.Or(foreignWords[strings.ToLower(word)], word)
	}
	if n.Kind != KindString || word == "" {
		return ""
	}
	for _, w := range words {
		if strings.EqualFold(w, word) {
			return "write " + quoted(w)
		}
	}
	if same := string(SeverityWords[strings.ToLower(word)]); slices.Contains(words, same) {
		return "write " + quoted(same)
	}
	if near := Nearest(word, words); near != "" {
		return "write " + quoted(near)
	}
	return "write one of " + strings.Join(words, ", ")
}

// textFix is [TextFix] for a key, which has an example where the text is blank.
func (f *Fields) textFix(key string, n *Node) string {
	if n.Kind == KindNull && f.Node.Block {
		return "write a text; one that begins with # needs quotes"
	}
	if n.Kind == KindString && examples[key] != "" {
		return "write one, such as " + f.Line(key, examples[key])
	}
	return TextFix(n)
}

// itemFix shows an item for a blank one in the list under key; "" when it is not blank, or no example is known.
func (f *Fields) itemFix(key string, item *Node) string {
	example := strings.Trim(examples[key], "[]")
	if item.Kind != KindString || example == "" {
		return ""
	}
	return "remove it, or write one, such as " + example
}

// TextFix says how to write a number or a boolean as a text; "" when n is something else.
func TextFix(n *Node) string {
	switch n.Kind {
	case KindNumber:
		return "write " + QuoteJSON(n.Text) + ", in quotes"
	case KindBool:
		return "write " + QuoteJSON(strconv.FormatBool(n.Bool)) + ", in quotes"
	}
	return ""
}

// integerFix says how to write an integer in a range; "" when n is none, or outside.
func integerFix(n *Node, low, high int64) string {
	text := strings.TrimSpace(n.Text)
	if whole, fraction, found := strings.Cut(text, "."); found && strings.Trim(fraction, "0") == "" {
		text = whole
	}
	i, ok := IntegerOf(&Node{Kind: KindNumber, Text: text})
	if (n.Kind != KindString && n.Kind != KindNumber) || !ok || i < low || i > high {
		return ""
	}
	if n.Kind == KindString {
		return "write " + text + ", without quotes"
	}
	return "write " + text
}

// Line writes a key and its value as the document does: in the block style of YAML the key has no quotes.
func (f *Fields) Line(key, value string) string {
	if f.Node != nil && f.Node.Block {
		return key + ": " + value
	}
	return QuoteJSON(key) + ": " + value
}

// examples are values that a newcomer can begin with, for keys that are missing.
var examples = map[string]string{
	"rollback_plan": `"git revert the merge commit"`, "goal": `"what the change is to do, in one sentence"`, "task_id": `"T-142"`,
	"allowed_files": `["src/**"]`, "forbidden_files": `["secrets/**"]`, "files": `["docs/**"]`,
	"run": `["go", "test", "./..."]`, "exit_code": "0", "command": `["go", "test", "./..."]`,
	"passed": "true", "slug": `"the name of the rule"`, "block_failures": "[]", "warn_failures": "[]", "current": "0.84",
	"reason": `"why"`, "until": `"2027-12-31"`, "severity": `"warn"`, "status": `"modified"`, "path": `"src/main.go"`,
}

// AddFix shows a line of JSON with a key that is missing.
func AddFix(key string) string { return (&Fields{}).addFix(key) }

// addFix shows a line with a key that is missing.
func (f *Fields) addFix(key string) string {
	if example := examples[key]; example != "" {
		return "add " + f.Line(key, example)
	}
	return "add " + Quote(key)
}

// listFix says how to write a value as a list; "" when it is neither text nor object.
func (f *Fields) listFix(key string, n *Node) string {
	switch {
	case n.Kind == KindString && len(n.Text) > 1 && n.Text[0] == '-' && f.Node.Block:
		return "write a space after the dash: - " + n.Text[1:]
	case n.Kind == KindString && strings.TrimSpace(n.Text) != "":
		var items []string
		for item := range strings.SplitSeq(n.Text, ", ") {
			items = append(items, QuoteJSON(strings.TrimSpace(item)))
		}
		return "write " + f.Line(key, "["+strings.Join(items, ", ")+"]")
	case n.Kind == KindObject && len(n.Members) > 0:
		first := n.Members[0]
		value := "…"
		if first.Value.Kind == KindString {
			value = QuoteJSON(first.Value.Text)
		}
		return fmt.Sprintf("write a list, also of one object: %s: [{%s: %s, …}]", QuoteJSON(key), QuoteJSON(first.Key), value)
	}
	return ""
}
