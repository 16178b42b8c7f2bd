// Package page is what the pages of reports and of audits are made of.
//
// A page is one file without script that loads nothing: its policy allows only the style sheet in it, by digest. Foreign text is shown
// as text, in an element bdi; what a tag, an attribute, a class, an id or the target of a link is made of has the type Word, which no
// text converts to. A test holds this, here and where pages are made.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	g "maragu.dev/gomponents"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// Word is a text of our own in a page: the name of a tag or attribute, a class, an id. Only constants become one.
type Word string

// Node is a part of a page, and Nodes are several.
type (
	Node  = g.Node
	Nodes = g.Group
)

//go:embed page.css
var stylesheet string

// El is an element. Those that begin a part of the page begin a line, so that two pages can be compared.
func El(tag Word, children ...Node) Node {
	element := g.El(string(tag), children...)
	switch tag {
	case "section", "article", "table", "tr", "li", "figure", "h2", "h3", "dt", "p", "details", "svg", "header", "main", "footer", "style", "body":
		return Nodes{g.Raw("\n"), element}
	}
	return element
}

// At is an attribute whose value is a constant.
func At(name, value Word) Node { return g.Attr(string(name), string(value)) }

// Class is the attribute class.
func Class(names Word) Node { return At("class", names) }

// number is an attribute whose value is a number.
func number[N int | int64](name Word, value N) Node {
	return g.Attr(string(name), strconv.FormatInt(int64(value), 10))
}

// Decimal is an attribute whose value is a number in tenths.
func Decimal(name Word, tenths int) Node { return g.Attr(string(name), InTenths(tenths)) }

// InTenths is a number with at most one decimal place, which is left out when it is 0.
func InTenths(tenths int) string {
	if tenths%10 == 0 {
		return strconv.Itoa(tenths / 10)
	}
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}

// ViewBox is the plane that a picture is drawn on.
func ViewBox(width, height int) Node {
	return g.Attr("viewBox", "0 0 "+InTenths(width)+" "+InTenths(height))
}

// Spoken is what an assistive technology reads out for an element; it may contain foreign text.
func Spoken(s string) Node { return g.Attr("aria-label", Visible(s)) }

// Say is a text. Foreign text in it is shown as text too, but without an element of its own; see [Foreign].
func Say(words ...string) Node { return g.Text(Visible(strings.Join(words, ""))) }

// Foreign is a text that is not ours.
func Foreign(s string) Node {
	if s == "" {
		return El("i", Say("(empty)"))
	}
	return El("bdi", Say(Limited(s)))
}

// Code is a foreign text that is a name: a path, a command, an id.
func Code(s string) Node { return El("code", Foreign(s)) }

// fieldCharacters is how many characters of a foreign text a page shows.
const fieldCharacters = 2000

// Limited cuts a text between characters, and says how many are missing. A character that is shown by its code point counts as
// what is shown.
func Limited(s string) string {
	if len(s) <= fieldCharacters && input.PlainASCII(s) {
		return s
	}
	shown := 0
	for i := 0; i < len(s); {
		if shown >= fieldCharacters {
			return fmt.Sprintf("%s… (%d more characters)", s[:i], utf8.RuneCountInString(s[i:]))
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		shown += utf8.RuneCountInString(Visible(s[i : i+size]))
		i += size
	}
	return s
}

// Visible shows what cannot be seen, and what moves other text, by its code point: ⟨U+202E⟩. Bytes that are not UTF-8 are ⟨0xFF⟩.
func Visible(s string) string {
	if input.PlainASCII(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "⟨0x%02X⟩", s[i])
		case input.Shown(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
		i += size
	}
	return b.String()
}

// Part is a section of a page.
type Part struct {
	ID, Title Word
	Body      []Node
}

// Page is what all pages have in common.
type Page struct {
	Title  string // of the document
	Skip   Word   // the text of the link to the main part
	Header Node
	Parts  []Part // those without body are left out
	Footer Node
}

// Write writes a page. Its bytes are safe in the log of a workflow too: no line begins with a colon, and the beginning of a legacy
// command is broken by a character reference.
func (p *Page) Write(w io.Writer) error {
	var b strings.Builder
	b.WriteString("<!doctype html>\n")
	if err := p.document().Render(&b); err != nil {
		return err
	}
	_, err := io.WriteString(w, strings.ReplaceAll(b.String(), "##[", "##&#91;")+"\n")
	return err
}

// policy is the content security policy: nothing is loaded, and only our style sheet counts.
func policy() string {
	sum := sha256.Sum256([]byte(stylesheet))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

func (p *Page) document() Node {
	var contents, sections []Node
	for _, part := range p.Parts {
		if len(part.Body) == 0 {
			continue
		}
		heading := El("h2", At("id", part.ID+"-title"), Say(string(part.Title)))
		contents = append(contents, El("li", El("a", At("href", "#"+part.ID), Say(string(part.Title)))))
		sections = append(sections, El("section", At("id", part.ID), At("aria-labelledby", part.ID+"-title"), heading, Nodes(part.Body)))
	}
	return El("html", At("lang", "en"),
		El("head",
			El("meta", At("charset", "utf-8")),
			El("meta", At("http-equiv", "Content-Security-Policy"), g.Attr("content", policy())),
			El("meta", At("name", "viewport"), At("content", "width=device-width, initial-scale=1")),
			El("meta", At("name", "color-scheme"), At("content", "light dark")),
			El("title", Say(p.Title)),
			El("style", g.Raw(stylesheet)),
		),
		El("body",
			El("a", Class("skip"), At("href", "#main"), Say(string(p.Skip))),
			p.Header,
			El("nav", At("aria-label", "Contents"), El("ul", contents...)),
			El("main", At("id", "main"), At("tabindex", "-1"), Nodes(sections)),
			p.Footer,
		))
}

// Fold is a part that a reader opens.
func Fold(summary string, body ...Node) Node {
	return El("details", El("summary", Say(summary)), Nodes(body))
}

// Column is a column of a table: its title, and its class, "" for none.
type Column [2]Word

// Grid is a table that scrolls sideways on a narrow screen, with a caption that is only read out. The first cell of a
// row is its head.
func Grid(caption string, columns []Column, rows []Node) Node {
	return grid("scroll", caption, columns, rows, true)
}

func grid(of Word, caption string, columns []Column, rows []Node, hidden bool) Node {
	heads := make([]Node, len(columns))
	for i, c := range columns {
		heads[i] = El("th", At("scope", "col"), c.attribute(), Say(string(c[0])))
	}
	title := El("caption", Say(caption))
	if hidden {
		title = El("caption", Class("spoken"), Say(caption))
	}
	return El("div", Class(of), At("role", "region"), At("tabindex", "0"), Spoken(caption),
		El("table", title, El("thead", El("tr", heads...)), El("tbody", rows...)))
}

func (c Column) attribute() Node {
	if c[1] == "" {
		return nil
	}
	return Class(c[1])
}

// Row is a row of a table with these columns.
func Row(columns []Column, cells ...Node) Node {
	list := make([]Node, len(cells))
	for i, cell := range cells {
		if i == 0 {
			list[i] = El("th", At("scope", "row"), columns[i].attribute(), cell)
		} else {
			list[i] = El("td", columns[i].attribute(), cell)
		}
	}
	return El("tr", list...)
}

// Count is a cell with a number.
func Count[N int | int64](n N) Node { return Say(strconv.FormatInt(int64(n), 10)) }

// Term is a term of a list and what it means; nil, which leaves it out, where that is nil.
func Term(name Word, meaning Node) Node {
	if meaning == nil {
		return nil
	}
	return El("div", El("dt", Say(string(name))), El("dd", meaning))
}

// Terms is a list of terms.
func Terms(list ...Node) Node { return El("dl", Class("facts"), Nodes(list)) }

// Room is how many bytes the lists of a page may still take.
type Room struct{ Bytes int }

// Share is a part of the room, in percent. What it does not take is added to the room again.
func (r *Room) Share(percent int) *Room {
	part := r.Bytes * percent / 100
	r.Bytes -= part
	return &Room{part}
}

// Take returns a part of the page, ready to be written; nil when there is no room for it.
func (r *Room) Take(part Node) Node {
	var b strings.Builder
	if part.Render(&b) != nil || b.Len() > r.Bytes {
		return nil
	}
	r.Bytes -= b.Len()
	return g.Raw(b.String())
}

// Without is the room that a part leaves which is written whatever its size.
func (r *Room) Without(part Node) *Room {
	all := &Room{math.MaxInt}
	all.Take(part)
	return &Room{max(0, r.Bytes-(math.MaxInt-all.Bytes))}
}

// Fit takes the first items that fit, and says how many do not.
func (r *Room) Fit(n int, item func(i int) Node) (items []Node, left int) {
	for i := range n {
		taken := r.Take(item(i))
		if taken == nil {
			return items, n - i
		}
		items = append(items, taken)
	}
	return items, 0
}

// Listing is a table with a row for each of n, as far as a share of the room allows.
type Listing struct {
	Percent int
	Caption string
	Shown   bool // the caption is seen, not only read out
	Columns []Column
	N       int
	Cells   func(i int) []Node
	More    string // where the others are
	Noun    string // folds the table when it is long; "" for never
	Stacked bool   // on a narrow screen the cells of a row stand below each other
	Fold    string // folds the table under this summary; "" for never
}

// LongTable is how many rows are shown unfolded.
const LongTable = 25

// Table is a listing in the room that there is; nil where it has no row.
func (r *Room) Table(l Listing) []Node {
	if l.N == 0 {
		return nil
	}
	part := r.Share(l.Percent)
	rows, left := part.Fit(l.N, func(i int) Node { return Row(l.Columns, l.Cells(i)...) })
	r.Bytes += part.Bytes
	of := Word("scroll")
	if l.Stacked {
		of = "scroll stacked"
	}
	table := []Node{grid(of, l.Caption, l.Columns, rows, !l.Shown), Omitted(left, l.More)}
	if l.Noun != "" && l.N > LongTable {
		l.Fold = "Show " + input.Plural(l.N, l.Noun)
	}
	if l.Fold != "" {
		return []Node{Fold(l.Fold, table...)}
	}
	return table
}

// Omitted says how many items a list leaves out; nil for none.
func Omitted(n int, where string) Node {
	if n == 0 {
		return nil
	}
	return El("p", Class("more"), Say(fmt.Sprintf("… and %d more, left out here to keep the page small; %s.", n, where)))
}

// Forge is where pages link to: the address of a repository, or "" for no links.
type Forge string

// CheckLinkBase checks the address that links begin with: https://HOST/OWNER/REPOSITORY, or "" for a page without links.
func CheckLinkBase(s string) error {
	rest, secure := strings.CutPrefix(s, "https://")
	parts := strings.Split(rest, "/")
	if s == "" || (secure && len(parts) == 3 && isHost(parts[0]) && isRepositoryWord(parts[1]) && isRepositoryWord(parts[2])) {
		return nil
	}
	return fmt.Errorf("--link-base is %q: expected https://HOST/OWNER/REPOSITORY, without anything after it", s)
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func isHost(s string) bool { return s != "" && strings.Trim(s, letters+"-.:") == "" }

func isRepositoryWord(s string) bool {
	return s != "" && strings.Trim(s, letters+"-._") == "" && s != "." && s != ".."
}

// Pull is a pull request, with a link when its number is one.
func (f Forge) Pull(id string) Node {
	if f == "" || id == "" || len(id) > 18 || strings.Trim(id, "0123456789") != "" {
		return Foreign(id)
	}
	return El("a", g.Attr("href", string(f)+"/pull/"+id), Say(id))
}

// Commit is the beginning of a commit id, with a link when it is one.
func (f Forge) Commit(id string) Node {
	if (len(id) != 40 && len(id) != 64) || strings.Trim(id, "0123456789abcdef") != "" {
		return Code(id)
	}
	if f == "" {
		return Code(id[:12])
	}
	return El("a", g.Attr("href", string(f)+"/commit/"+id), Code(id[:12]))
}

// Project is where the pages about codes are.
const Project = "https://github.com/closeout-gate/closeout"

// About is a name with a link to our page about it, where the address is one.
func About(address, name string) Node {
	rest, ours := strings.CutPrefix(address, Project+"/blob/v")
	if !ours || strings.Trim(rest, letters+"-._~%/#") != "" {
		return Code(name)
	}
	return El("a", g.Attr("href", Project+"/blob/v"+rest), Code(name))
}

// Optional is a foreign text, or a dash for "".
func Optional(s string) Node {
	if s == "" {
		return Say("–")
	}
	return Foreign(s)
}

// Capital begins a sentence.
func Capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Looks are the classes of what has a word that a page shows in a colour.
var Looks = map[string]Word{
	report.Passed: "passed", report.Failed: "failed", report.Overridden: "overridden", report.Review: "review", "gap": "gap", "not judged": "gap",
	string(input.Block): "failed", string(input.Unknown): "review", string(input.Warn): "warn",
}

// signs are the pictures of verdicts, on a plane of 24 by 24.
var signs = map[Word]Word{
	"passed": "M6 12.5l4 4 8-9", "failed": "M7 7l10 10M17 7L7 17", "overridden": "M12 6v7M12 17v.2", "review": "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.4v.2",
}

// Icon is the sign of a verdict. The word beside it says the same.
func Icon(of Word) Node {
	return El("svg", Class("icon"), At("aria-hidden", "true"), At("focusable", "false"), At("viewBox", "0 0 24 24"),
		El("circle", number("cx", 12), number("cy", 12), number("r", 11)), El("path", At("d", signs[of])))
}

// TagOf is a word in the colour of what it means.
func TagOf(s string) Node {
	of := Word("tag")
	if look, known := Looks[s]; known {
		of += " " + look
	}
	return El("span", Class(of), Foreign(s))
}

// Card is a finding of a severity, in its colour.
func Card(severity string, children ...Node) Node {
	look, known := Looks[severity]
	if !known {
		look = "info"
	}
	return El("article", Class("card "+look), Nodes(children))
}

func Program(t report.Tool) Node { return Nodes{Foreign(t.Name), Say(" "), Foreign(t.Version)} }

// Footer ends every page.
func Footer(t report.Tool) Node {
	return El("footer", El("p", Say("Made from a file by "), Program(t), Say(". This page contains no script and loads nothing.")))
}
