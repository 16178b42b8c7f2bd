package item

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
)

// The most that a list may have.
const (
	MaxItems = 100_000
	MaxList  = 64 << 20 // bytes
	maxItem  = 1000     // bytes of an item
)

// Row is an item of a list.
type Row struct {
	Line   int
	Item   string
	Values []string // of the columns
}

// ReadList reads a list: lines of text, or CSV with a header where a column is named. An error begins with file:line.
func ReadList(file string, data []byte, column string) (columns []string, rows []Row, err error) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		return nil, nil, fmt.Errorf("%s:1: the list is not UTF-8: save it as UTF-8", file)
	}
	if column == "" {
		columns = []string{"item"}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
			rows = append(rows, Row{len(rows) + 1, line, []string{line}})
		}
	} else if columns, rows, err = readCSV(file, text, column); err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 || len(rows) > MaxItems {
		return nil, nil, fmt.Errorf("%s:1: the list has %d items: expected 1 to %d", file, len(rows), MaxItems)
	}
	seen := map[string]int{}
	for _, r := range rows {
		why := refused(r.Item)
		if first := seen[r.Item]; first > 0 && why == "" {
			why = fmt.Sprintf("the item %s is in line %d as well: remove one of them", input.Quote(r.Item), first)
		}
		if why != "" {
			return nil, nil, fmt.Errorf("%s:%d: %s", file, r.Line, why)
		}
		seen[r.Item] = r.Line
	}
	return columns, rows, nil
}

// refused says why a text cannot be an item; "" when it can.
func refused(s string) string {
	switch {
	case s == "":
		return "the line is empty: remove it"
	case strings.TrimSpace(s) != s:
		return "there is a blank before or after the item " + input.Quote(s) + ": remove it"
	case len(s) > maxItem:
		return fmt.Sprintf("the item has %d bytes: expected at most %d", len(s), maxItem)
	case strings.ContainsFunc(s, unicode.IsControl):
		return "the item " + input.Quote(s) + " contains a control character: remove it"
	}
	return ""
}

func readCSV(file, text, column string) (columns []string, rows []Row, err error) {
	r := csv.NewReader(strings.NewReader(text))
	at := 0
	for {
		values, err := r.Read()
		var wrong *csv.ParseError
		switch {
		case err == io.EOF:
			return columns, rows, nil
		case errors.As(err, &wrong):
			return nil, nil, fmt.Errorf("%s:%d: this is no CSV: %w", file, wrong.StartLine, wrong.Err)
		case err != nil:
			return nil, nil, err
		}
		line, _ := r.FieldPos(0)
		if columns == nil {
			columns = values
			if at = slices.Index(columns, column); at < 0 || slices.Contains(columns[at+1:], column) {
				return nil, nil, fmt.Errorf("%s:1: the header must have one column %s, found %s", file, input.Quote(column), input.Quote(strings.Join(columns, ", ")))
			}
			continue
		}
		rows = append(rows, Row{line, values[at], values})
	}
}

// ID names an item: what it says in short, and the given number of digits of its digest.
func ID(text string, digits int) string {
	const most = 40
	var slug strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r == '_' && slug.Len() > 0:
			slug.WriteRune(r)
		case slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
	}
	sum := sha256.Sum256([]byte(text))
	short := strings.TrimRight(slug.String()[:min(slug.Len(), most)], "-")
	return cmp.Or(short, "item") + "-" + hex.EncodeToString(sum[:])[:digits]
}

// Template is a contract with placeholders: {{item}}, and {{col:NAME}} for a column of the list.
type Template struct {
	file    string
	root    *input.Node
	columns []string
}

// ReadTemplate reads a template, for a list with some columns.
func ReadTemplate(file string, data []byte, columns []string) (*Template, error) {
	errs, limits := &input.Errors{}, input.DefaultLimits()
	t := &Template{file: file, columns: columns}
	switch yaml := slices.Contains([]string{".yaml", ".yml"}, path.Ext(file)); {
	case int64(len(data)) > limits.ContractBytes:
		return nil, fmt.Errorf("%s: the template has %d bytes: expected at most %d", file, len(data), limits.ContractBytes)
	case !input.CheckText(data, errs):
	case yaml:
		t.root = input.ParseYAML(data, limits.Depth, errs)
	default:
		t.root = input.ParseJSON(data, limits, errs)
	}
	switch all := errs.All(); {
	case len(all) > 0:
		return nil, all[0].In(file)
	case t.root.Kind != input.KindObject:
		return nil, t.wrong(t.root, "a contract must be an object")
	case t.root.Member("task_id") != nil:
		return nil, t.wrong(t.root.Member("task_id"), "scan gives each item a task_id of its own: remove the key")
	}
	x := &expansion{Template: t, row: Row{Item: "x", Values: slices.Repeat([]string{"x"}, len(columns))}}
	x.value(t.root, false)
	if x.err == nil && !x.used {
		x.err = t.wrong(t.root, "no text contains {{item}} or {{col:NAME}}, so all items would be the same")
	}
	return t, x.err
}

func (t *Template) wrong(n *input.Node, message string) error {
	return fmt.Errorf("%s:%d:%d: %s", t.file, n.Pos.Line, n.Pos.Column, message)
}

// Contract is the contract of an item, as JSON. The item stands for itself alone: it is part of one text or of one word of a
// command, and in a pattern it matches itself.
func (t *Template) Contract(id string, row Row) ([]byte, error) {
	x := &expansion{Template: t, row: row}
	x.out = append(x.out, `{"task_id":`...)
	x.text(id)
	for _, m := range t.root.Members {
		x.out = append(x.out, ",\n"...)
		x.member(m, false)
	}
	x.out = append(x.out, "}\n"...)
	return x.out, x.err
}

// expansion writes the contract of one item. It keeps the first error.
type expansion struct {
	*Template
	row  Row
	out  []byte
	used bool // a placeholder was
	err  error
}

func (x *expansion) fail(n *input.Node, message string) {
	if x.err == nil {
		x.err = x.wrong(n, message)
	}
}

func (x *expansion) text(s string) { x.out, _ = jsontext.AppendQuote(x.out, s) } // the error is about UTF-8, which was checked

// plainKeys are the keys below which a text is not a pattern. Below any other key an item is written so that it matches
// itself.
var plainKeys = []string{"goal", "rollback_plan", "id", "reason", "cwd", "test_report", "report", "may_touch_protected"}

func (x *expansion) member(m input.Member, isPlain bool) {
	if strings.Contains(m.Key, "{{") {
		x.fail(m.Value, "a key cannot contain a placeholder")
	}
	x.text(m.Key)
	x.out = append(x.out, ':')
	switch {
	case m.Key == "run":
		x.command(m.Value)
	case m.Key == "acceptance_criteria":
		x.list(m.Value, x.criterion)
	default:
		x.value(m.Value, isPlain || strings.HasPrefix(m.Key, "x-") || slices.Contains(plainKeys, m.Key))
	}
}

func (x *expansion) value(n *input.Node, isPlain bool) {
	switch n.Kind {
	case input.KindObject:
		x.out = append(x.out, '{')
		for i, m := range n.Members {
			if i > 0 {
				x.out = append(x.out, ',')
			}
			x.member(m, isPlain)
		}
		x.out = append(x.out, '}')
	case input.KindList:
		x.list(n, func(n *input.Node) { x.value(n, isPlain) })
	case input.KindString:
		x.text(x.fill(n, n.Text, !isPlain))
	case input.KindNumber:
		x.out = append(x.out, n.Text...)
	case input.KindBool:
		x.out = fmt.Append(x.out, n.Bool)
	default:
		x.out = append(x.out, "null"...)
	}
}

func (x *expansion) list(n *input.Node, write func(*input.Node)) {
	if n.Kind != input.KindList {
		x.value(n, true) // the contract says what is wrong with it
		return
	}
	x.out = append(x.out, '[')
	for i, item := range n.Items {
		if i > 0 {
			x.out = append(x.out, ',')
		}
		write(item)
	}
	x.out = append(x.out, ']')
}

// criterion writes a criterion. A command in one text is split into words before the item is in it.
func (x *expansion) criterion(n *input.Node) {
	if n.Kind != input.KindString || !strings.Contains(n.Text, "{{") {
		x.value(n, true)
		return
	}
	words, problem := contract.SplitCommand(n.Text)
	if problem != nil {
		x.fail(n, problem.Message+": write the command as a list of words, and {{item}} in one of them")
	}
	run := &input.Node{Pos: n.Pos, Kind: input.KindList}
	for _, word := range words {
		run.Items = append(run.Items, &input.Node{Pos: n.Pos, Kind: input.KindString, Text: word})
	}
	x.out = append(x.out, `{"run":`...)
	x.command(run)
	x.out = append(x.out, '}')
}

// shells read a word after an option as a program.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "php", "eval", "cmd", "pwsh", "powershell"}

// command writes the words of a command. A placeholder is refused where the item would be a program, and so is an item that
// would be an option.
func (x *expansion) command(n *input.Node) {
	shell, before := false, ""
	x.list(n, func(word *input.Node) {
		filled := ""
		if word.Kind == input.KindString {
			filled = x.fill(word, word.Text, false)
		}
		switch {
		case word.Kind != input.KindString:
			x.value(word, true)
			return
		case filled == word.Text:
		case word == n.Items[0], shell && len(before) > 1 && before[0] == '-' && before[1] != '-':
			x.fail(word, "a placeholder cannot be part of a program: give it to the program as an argument")
		case strings.HasPrefix(filled, "-") && !strings.HasPrefix(word.Text, "-"):
			x.fail(word, "the item "+input.Quote(x.row.Item)+" would be an option of the command")
		}
		shell = shell || slices.Contains(shells, path.Base(filled))
		before = filled
		x.text(filled)
	})
}

// fill replaces the placeholders of a text, once.
func (x *expansion) fill(n *input.Node, text string, pattern bool) string {
	var b strings.Builder
	for {
		head, rest, found := strings.Cut(text, "{{")
		b.WriteString(head)
		if !found {
			return b.String()
		}
		name, tail, _ := strings.Cut(rest, "}}")
		value := x.row.Item
		if column, ok := strings.CutPrefix(name, "col:"); ok && slices.Contains(x.columns, column) {
			value = x.row.Values[slices.Index(x.columns, column)]
		} else if name != "item" {
			x.fail(n, "unknown placeholder "+input.Quote("{{"+name+"}}")+": expected {{item}}, or {{col:NAME}} with a column of the list")
		}
		x.used = true
		if pattern {
			value = x.literal(n, value, strings.LastIndex(b.String(), "[") > strings.LastIndex(b.String(), "]"))
		}
		b.WriteString(value)
		text = tail
	}
}

// literal writes a text so that it matches itself in a pattern.
func (x *expansion) literal(n *input.Node, text string, inClass bool) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(`*?[]{},!\^$~`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	p, err := glob.Parse(b.String())
	if alone, ok := p.Literal(); err != nil || !ok || alone != text || inClass {
		x.fail(n, input.Quote(text)+" cannot be part of a pattern, where it would match more than itself")
	}
	return b.String()
}
