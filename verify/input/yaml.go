package input

import (
	"cmp"
	"strings"

	"bytes"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// ParseYAML reads a YAML document that contains only what JSON can contain: mappings with text keys, sequences, texts,
// numbers as JSON writes them, true, false, null. Anchors, aliases, merge keys, tags, directives, explicit keys, tabs,
// plain texts over several lines and second documents are refused. It returns nil when the text is no such document;
// duplicate keys are reported and skipped.
//
// The scanner is the library's. The tree is built here because the library's parser recurses for each key and copies
// what it has read, so that a small file could exhaust the stack. The nodes of go.yaml.in/yaml/v3 cannot replace this:
// for a syntax error that library gives no line, or one above the construct around it; it refuses the escapes \/ and
// \ud83d\ude00, which JSON writers use; it accepts \', which is not YAML.
func ParseYAML(data []byte, depth int, errs *Errors) *Node {
	tokens := yamlScan(data, lexer.Tokenize, false, errs)
	if tokens == nil {
		return nil
	}
	p := &yamlParser{tokens: tokens, depth: depth, errs: errs, data: data}
	n := p.document()
	if p.joined {
		return nil
	}
	return n
}

// ParseWorkflow reads a YAML document that is not an input of a decision, such as a workflow of GitHub, whose authors
// use more of YAML: anchors, aliases, plain texts over several lines, tabs inside of texts, numbers in any spelling. An
// alias is the same node as what it stands for; an anchor may not contain its own alias, nor have a name that another
// one has. Everything else is as in [ParseYAML]. It returns nil, and errors, when the text contains something else;
// with a node there may be errors as well, about duplicate keys and odd numbers.
func ParseWorkflow(data []byte, depth int, errs *Errors) *Node {
	data = bytes.ReplaceAll(data, []byte("\t"), []byte(" ")) // YAML allows none in the indentation, and places stay the same
	tokens := yamlScan(data, lexer.Tokenize, true, errs)
	if tokens == nil {
		return nil
	}
	return (&yamlParser{tokens: tokens, depth: depth, errs: errs, data: data, loose: true, anchors: map[string]anchored{}}).document()
}

// yamlParser builds nodes from tokens. A method that returns nil has reported why, and nothing more is read.
type yamlParser struct {
	tokens []yamlToken
	at     int
	nested int
	depth  int
	joined bool // a plain text continues over several lines, so the tree is not what its author means
	loose  bool // such a text is fine
	errs   *Errors
	data   []byte
	column int // of the keys or dashes of the collection whose value is read
	// ended is the token at which collections ended, and endedAt the column of the one whose keys are nearest to it.
	ended, endedAt int
	anchors        map[string]anchored
	aliased        int // tokens that aliases stand for
}

// anchored is a value that has a name, and how many tokens it has, with those of its aliases.
type anchored struct {
	node *Node
	size int
}

// maxAliased is for how many tokens the aliases of a document stand.
const maxAliased = 1 << 16

// yamlNone is the end of the text: before every column, on no line.
var yamlNone = yamlToken{kind: token.UnknownType}

func (p *yamlParser) peek(ahead int) yamlToken {
	if p.at+ahead < 0 || p.at+ahead >= len(p.tokens) {
		return yamlNone
	}
	return p.tokens[p.at+ahead]
}

func (p *yamlParser) is(kind token.Type) bool { return p.peek(0).kind == kind }

func (p *yamlParser) next() yamlToken {
	t := p.peek(0)
	p.at++
	return t
}

// fail reports an error at t.
func (p *yamlParser) fail(t yamlToken, message, expected, fix string) *Node {
	found := Quote(t.text)
	if t.kind == token.UnknownType {
		found, t.pos = "the end", Pos{Line: 1, Column: 1}
		if len(p.tokens) > 0 {
			t.pos = p.tokens[len(p.tokens)-1].pos
		}
	}
	p.errs.Add(Error{Pos: t.pos, Message: message, Found: found, Expected: expected, Fix: fix})
	return nil
}

func (p *yamlParser) document() *Node {
	if p.is(token.DocumentHeaderType) {
		if header := p.next(); p.peek(0).pos.Line == header.pos.Line {
			return p.fail(p.peek(0), "the line of --- contains more text", "a line break", "begin the document in the next line")
		}
	}
	n := p.block(0)
	if n == nil {
		return nil
	}
	if p.is(token.DocumentEndType) {
		p.next()
	}
	if t := p.peek(0); t.kind == token.DocumentHeaderType || t.kind == token.DocumentEndType {
		return p.fail(t, "a second document begins", "one document a file", "remove it, or move it to a file of its own")
	} else if t.kind != token.UnknownType {
		return p.fail(t, "this does not belong to the value before it", "a key in the column of its neighbours, or the end", p.strayFix(t))
	}
	return n
}

// enter counts one more level of nesting; false when that is too deep.
func (p *yamlParser) enter(at Pos) bool {
	p.nested++
	if p.nested <= p.depth {
		return true
	}
	p.errs.Add(OverLimitAt(at, "the nesting of values", int64(p.depth), FlagDepth))
	return false
}

// isKey reports whether the next tokens are a key and its colon.
func (p *yamlParser) isKey() bool {
	return p.peek(0).scalar() && p.peek(1).kind == token.MappingValueType && p.peek(1).pos.Line == p.peek(0).endLine
}

// block reads the value that starts here, in the block style if it is a collection. line is a line in which no block
// collection may start, because it contains a key; 0 for none.
func (p *yamlParser) block(line int) *Node {
	t := p.peek(0)
	switch {
	case t.kind == token.SequenceEntryType:
		if t.pos.Line == line {
			return p.fail(t, "a list cannot begin in the line of its key", "a value", "begin the list in the next line")
		}
		return p.blockList()
	case p.isKey():
		if t.pos.Line == line {
			if !t.second.IsZero() {
				t.pos = t.second
				return p.fail(t, "this line is indented too far", "a key in the column of its neighbours", p.indented(t.second.Line))
			}
			return p.fail(p.peek(1), "this line contains a second colon", "one key and its value",
				"put the text into quotes, or begin the mapping in the next line")
		}
		return p.blockObject()
	case t.kind == token.LiteralType, t.kind == token.FoldedType:
		return p.blockText()
	case t.kind == token.AnchorType:
		return p.anchor(func() *Node { return p.block(line) })
	default:
		return p.flow()
	}
}

// anchor reads a value with a name.
func (p *yamlParser) anchor(value func() *Node) *Node {
	isMember := p.peek(-1).kind == token.MappingValueType
	p.next()
	start, name := p.at+p.aliased, p.next()
	_, again := p.anchors[name.text]
	if again || (p.peek(0).pos.Line == name.pos.Line && p.peek(1).kind == token.MappingValueType) {
		return p.fail(name, "this name is given twice, or to a key", "a name of its own for a value", "write the value out where it is used")
	}
	p.anchors[name.text] = anchored{} // where a name is inside of its value, readers differ in what it stands for
	n := &Node{Pos: name.pos}
	if t := p.peek(0); t.pos.Line == name.pos.Line || t.pos.Column > p.column ||
		(t.pos.Column == p.column && isMember && t.kind == token.SequenceEntryType) {
		n = value()
	}
	if n != nil {
		p.anchors[name.text] = anchored{n, p.at + p.aliased - start}
	}
	return n
}

// alias is the value that has the name behind an asterisk.
func (p *yamlParser) alias() *Node {
	name := p.next()
	value := p.anchors[name.text]
	if p.aliased += value.size; value.node == nil || p.aliased > maxAliased {
		return p.fail(name, "an alias stands for no value above it, or for too much", "the name of an anchor", "write the value out")
	}
	return value.node
}

func (p *yamlParser) blockList() *Node {
	n := &Node{Pos: p.peek(0).pos, Kind: KindList}
	if !p.enter(n.Pos) {
		return nil
	}
	for p.is(token.SequenceEntryType) && p.peek(0).pos.Column == n.Pos.Column {
		p.column = n.Pos.Column
		item := p.after(p.next(), n.Pos.Column+1, 0)
		if item == nil {
			return nil
		}
		n.Items = append(n.Items, item)
	}
	if p.is(token.SequenceEntryType) {
		p.ends(n.Pos.Column)
	}
	p.nested--
	return n
}

func (p *yamlParser) blockObject() *Node {
	n := &Node{Pos: p.peek(0).pos, Kind: KindObject, Block: true}
	if !p.enter(n.Pos) {
		return nil
	}
	seen := map[string]Pos{}
	for p.isKey() && p.peek(0).pos.Column == n.Pos.Column {
		key := p.key()
		if key == nil {
			return nil
		}
		colon := p.next()
		column := n.Pos.Column + 1
		if p.is(token.SequenceEntryType) {
			column-- // the dashes of a list may be below the key
		}
		p.column = n.Pos.Column
		value := p.after(colon, column, key.Pos.Line)
		if value == nil {
			return nil
		}
		p.add(n, key, value, seen)
	}
	if p.isKey() {
		p.ends(n.Pos.Column)
	}
	p.nested--
	return n
}

// after reads the value after a dash or colon: in the same line, or further down at column or to the right of it. A
// value that is missing is null; the end and the marks of a document are left of every such column.
func (p *yamlParser) after(mark yamlToken, column, line int) *Node {
	t := p.peek(0)
	if t.pos.Line != mark.pos.Line && t.pos.Column < column {
		return &Node{Pos: mark.pos}
	}
	n := p.block(line)
	if n != nil && p.at < len(p.tokens) && p.peek(0).pos.Line == p.tokens[p.at-1].endLine && !p.documentMark() {
		return p.fail(p.peek(0), "something follows the value", "a line break", "put the whole text into quotes")
	}
	return n
}

func (p *yamlParser) documentMark() bool {
	return p.is(token.DocumentHeaderType) || p.is(token.DocumentEndType)
}

func (p *yamlParser) add(n, key, value *Node, seen map[string]Pos) {
	if first, twice := seen[key.Text]; twice {
		p.errs.Add(DuplicateKey(Text{Value: key.Text, Pos: key.Pos}, first))
		return
	}
	seen[key.Text] = key.Pos
	n.Members = append(n.Members, Member{key.Text, key.Pos, value})
}

// key reads a key, which must be a text in one line.
func (p *yamlParser) key() *Node {
	t := p.next()
	if t.pos.Line != t.endLine {
		return p.fail(t, "a key goes over several lines", "a key in one line", cmp.Or(commentFix(t.text), "write the key in one line"))
	}
	n := yamlScalar(t, p.errs)
	if n.Kind != KindString {
		return p.fail(t, "a key must be a text", "a text", "put the key into quotes")
	}
	return n
}

// blockText reads a text that a | or > introduces.
func (p *yamlParser) blockText() *Node {
	n := &Node{Pos: p.next().pos, Kind: KindString}
	if p.is(token.StringType) {
		n.Text = p.next().text
	}
	return n
}

// flow reads a value in the style of JSON.
func (p *yamlParser) flow() *Node {
	switch t := p.next(); {
	case t.kind == token.SequenceStartType:
		return p.flowList(t.pos)
	case t.kind == token.MappingStartType:
		return p.flowObject(t.pos)
	case t.plain() && !t.second.IsZero() && !p.loose:
		return p.continued(t)
	case t.kind == token.AnchorType:
		p.at--
		return p.anchor(p.flow)
	case t.kind == token.AliasType:
		return p.alias()
	case t.scalar():
		return yamlScalar(t, p.errs)
	default:
		return p.fail(t, "a value is missing", "a value", "write one, or null")
	}
}

// continued reports a plain text that continues in the next line. YAML joins the lines with a space: a list item that
// is indented one step too far becomes a part of the item above it, and its rule is lost.
func (p *yamlParser) continued(t yamlToken) *Node {
	p.errs.Add(Error{
		Pos: t.second, Message: "this line continues the text above it", Found: "one text over several lines: " + Quote(t.text),
		Expected: "a text without quotes ends with its line",
		Fix:      p.indented(t.second.Line) + ", or put the whole text into quotes",
	})
	p.joined = true
	return &Node{Pos: t.pos, Kind: KindString, Text: t.text}
}

func (p *yamlParser) flowList(at Pos) *Node {
	n := &Node{Pos: at, Kind: KindList}
	if !p.enter(at) {
		return nil
	}
	for !p.is(token.SequenceEndType) {
		item := p.flow()
		if item == nil || !p.separated(token.SequenceEndType, "]") {
			return nil
		}
		n.Items = append(n.Items, item)
	}
	p.next()
	p.nested--
	return n
}

func (p *yamlParser) flowObject(at Pos) *Node {
	n := &Node{Pos: at, Kind: KindObject}
	if !p.enter(at) {
		return nil
	}
	seen := map[string]Pos{}
	for !p.is(token.MappingEndType) {
		if !p.isKey() {
			line := p.line(at.Line)
			if rest := line[min(at.Column-1, len(line)):]; yamlAlternatives().MatchString(rest) {
				return p.fail(yamlToken{kind: token.StringType, pos: at, text: rest}, "a text that begins with { has no quotes", "a text in quotes",
					"write "+QuoteJSON(strings.TrimRight(rest, " ")))
			}
			return p.fail(p.peek(0), "a key and its colon are missing", "a key and a colon in one line, or }", `write "key": value; a text that begins with { needs quotes`)
		}
		key := p.key()
		p.next()
		if key == nil {
			return nil
		}
		value := p.flow()
		if value == nil || !p.separated(token.MappingEndType, "}") {
			return nil
		}
		p.add(n, key, value, seen)
	}
	p.next()
	p.nested--
	return n
}

// yamlAlternatives is a pattern of paths that begins with a brace.
var yamlAlternatives = Lazily(`^\{[^:"'{}\s]+\}\S+\s*$`)

// separated reads the comma after an item, which the last item does not need.
func (p *yamlParser) separated(end token.Type, written string) bool {
	if p.is(token.CollectEntryType) {
		p.next()
		return true
	}
	if p.is(end) {
		return true
	}
	p.fail(p.peek(0), "a comma or "+written+" is missing", "a comma or "+written, "add it, or put the text before it into quotes")
	return false
}

// How plain scalars are read: as in YAML's core schema, but numbers must be written as JSON writes them. What YAML 1.1
// or 1.2 reads as a number in another spelling is an error, because readers disagree about it.
var (
	yamlNumber    = Lazily(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$`)
	yamlOddNumber = Lazily(`^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?` +
		`|0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

// yamlScalar turns a scalar into a node. A number in another spelling is reported and remains a number.
func yamlScalar(t yamlToken, errs *Errors) *Node {
	n := &Node{Pos: t.pos, Kind: KindString, Text: t.text}
	if t.quoted() {
		return n
	}
	switch t.text {
	case "null", "Null", "NULL", "~":
		return &Node{Pos: t.pos}
	case "true", "True", "TRUE":
		return &Node{Pos: t.pos, Kind: KindBool, Bool: true}
	case "false", "False", "FALSE":
		return &Node{Pos: t.pos, Kind: KindBool}
	}
	if yamlNumber().MatchString(t.text) {
		n.Kind = KindNumber
	} else if yamlOddNumber().MatchString(t.text) {
		n.Kind = KindNumber
		errs.Add(Error{
			Pos: t.pos, Message: "this number is not written as JSON writes numbers", Found: Quote(t.text),
			Expected: "digits without a leading zero, plus sign or underscore",
			Fix:      "write the number plainly, or put it into quotes if it is a text",
		})
	}
	return n
}
