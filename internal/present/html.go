package present

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
)

// A page is one file without script that loads nothing: its policy allows only the style sheet in it, by digest. Foreign text is
// shown as text, in an element bdi; what a tag, an attribute, a class, an id or the target of a link is made of has the type word,
// which no text converts to. A test holds this.

// word is a text of our own in a page: the name of a tag or attribute, a class, an id. Only constants become one.
type word string

// node is a part of a page, and nodes are several.
type (
	node  = g.Node
	nodes = g.Group
)

//go:embed html.css
var stylesheet string

// el is an element. Those that begin a part of the page begin a line, so that two pages can be compared.
func el(tag word, children ...node) node {
	element := g.El(string(tag), children...)
	switch tag {
	case "section", "article", "table", "tr", "li", "figure", "h2", "h3", "dt", "p", "details", "svg", "header", "main", "footer", "style", "body":
		return nodes{g.Raw("\n"), element}
	}
	return element
}

// at is an attribute whose value is a constant.
func at(name, value word) node { return g.Attr(string(name), string(value)) }

// class is the attribute class.
func class(names word) node { return at("class", names) }

// number is an attribute whose value is a number.
func number[N int | int64](name word, value N) node {
	return g.Attr(string(name), strconv.FormatInt(int64(value), 10))
}

// decimal is an attribute whose value is a number in tenths.
func decimal(name word, tenths int) node { return g.Attr(string(name), inTenths(tenths)) }

func inTenths(tenths int) string {
	if tenths%10 == 0 {
		return strconv.Itoa(tenths / 10)
	}
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}

// points is the attribute of a line through points, in tenths.
func points(list [][2]int) node {
	words := make([]string, len(list))
	for i, p := range list {
		words[i] = inTenths(p[0]) + "," + inTenths(p[1])
	}
	return g.Attr("points", strings.Join(words, " "))
}

// viewBox is the plane that a picture is drawn on.
func viewBox(width, height int) node {
	return g.Attr("viewBox", "0 0 "+inTenths(width)+" "+inTenths(height))
}

// spoken is what an assistive technology reads out for an element; it may contain foreign text.
func spoken(s string) node { return g.Attr("aria-label", visible(s)) }

// say is a text. Foreign text in it is shown as text too, but without an element of its own; see [foreign].
func say(words ...string) node { return g.Text(visible(strings.Join(words, ""))) }

// foreign is a text that is not ours.
func foreign(s string) node {
	if s == "" {
		return el("i", say("(empty)"))
	}
	return el("bdi", say(limited(s)))
}

// code is a foreign text that is a name: a path, a command, an id.
func code(s string) node { return el("code", foreign(s)) }

// fieldCharacters is how many characters of a foreign text a page shows.
const fieldCharacters = 2000

// limited cuts a text between characters, and says how many are missing. A character that is shown by its code point counts as
// what is shown.
func limited(s string) string {
	if len(s) <= fieldCharacters && input.PlainASCII(s) {
		return s
	}
	shown := 0
	for i := 0; i < len(s); {
		if shown >= fieldCharacters {
			return fmt.Sprintf("%s… (%d more characters)", s[:i], utf8.RuneCountInString(s[i:]))
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		shown += utf8.RuneCountInString(visible(s[i : i+size]))
		i += size
	}
	return s
}

// visible shows what cannot be seen, and what moves other text, by its code point: ⟨U+202E⟩. Bytes that are not UTF-8 are ⟨0xFF⟩.
func visible(s string) string {
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

// part is a section of a page.
type part struct {
	id, title word
	body      []node
}

// page is what all pages have in common.
type page struct {
	title  string // of the document
	skip   word   // the text of the link to the main part
	header node
	parts  []part // those without body are left out
	footer node
}

// write writes a page. Its bytes are safe in the log of a workflow too: no line begins with a colon, and the beginning of a legacy
// command is broken by a character reference.
func (p *page) write(w io.Writer) error {
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

func (p *page) document() node {
	var contents, sections []node
	for _, part := range p.parts {
		if len(part.body) == 0 {
			continue
		}
		heading := el("h2", at("id", part.id+"-title"), say(string(part.title)))
		contents = append(contents, el("li", el("a", at("href", "#"+part.id), say(string(part.title)))))
		sections = append(sections, el("section", at("id", part.id), at("aria-labelledby", part.id+"-title"), heading, nodes(part.body)))
	}
	return el("html", at("lang", "en"),
		el("head",
			el("meta", at("charset", "utf-8")),
			el("meta", at("http-equiv", "Content-Security-Policy"), g.Attr("content", policy())),
			el("meta", at("name", "viewport"), at("content", "width=device-width, initial-scale=1")),
			el("meta", at("name", "color-scheme"), at("content", "light dark")),
			el("title", say(p.title)),
			el("style", g.Raw(stylesheet)),
		),
		el("body",
			el("a", class("skip"), at("href", "#main"), say(string(p.skip))),
			p.header,
			el("nav", at("aria-label", "Contents"), el("ul", contents...)),
			el("main", at("id", "main"), at("tabindex", "-1"), nodes(sections)),
			p.footer,
		))
}

// fold is a part that a reader opens.
func fold(open bool, summary string, body ...node) node {
	attribute := node(nil)
	if open {
		attribute = g.Attr("open")
	}
	return el("details", attribute, el("summary", say(summary)), nodes(body))
}

// column is a column of a table.
type column struct {
	title word
	class word // "" for none
}

// grid is a table that scrolls sideways on a narrow screen. The first cell of a row is its head.
func grid(caption string, columns []column, rows []node, hidden bool) node {
	heads := make([]node, len(columns))
	for i, c := range columns {
		heads[i] = el("th", at("scope", "col"), c.attribute(), say(string(c.title)))
	}
	title := el("caption", say(caption))
	if hidden {
		title = el("caption", class("spoken"), say(caption))
	}
	return el("div", class("scroll"), at("role", "region"), at("tabindex", "0"), spoken(caption),
		el("table", title, el("thead", el("tr", heads...)), el("tbody", rows...)))
}

func (c column) attribute() node {
	if c.class == "" {
		return nil
	}
	return class(c.class)
}

// row is a row of a table with these columns.
func row(columns []column, cells ...node) node {
	list := make([]node, len(cells))
	for i, cell := range cells {
		if i == 0 {
			list[i] = el("th", at("scope", "row"), columns[i].attribute(), cell)
		} else {
			list[i] = el("td", columns[i].attribute(), cell)
		}
	}
	return el("tr", list...)
}

// count is a cell with a number.
func count[N int | int64](n N) node { return say(strconv.FormatInt(int64(n), 10)) }

// names are terms and what they mean; a nil meaning leaves its term out.
type term struct {
	name    word
	meaning node
}

func terms(of word, list ...term) node {
	var pairs []node
	for _, t := range list {
		if t.meaning != nil {
			pairs = append(pairs, el("div", el("dt", say(string(t.name))), el("dd", t.meaning)))
		}
	}
	return el("dl", class(of), nodes(pairs))
}

// room is how many bytes the lists of a page may still take.
type room struct{ bytes int }

// share is a part of the room, in percent. What it does not take is added to the room again.
func (r *room) share(percent int) *room {
	part := r.bytes * percent / 100
	r.bytes -= part
	return &room{part}
}

// take returns a part of the page, ready to be written; nil when there is no room for it.
func (r *room) take(part node) node {
	var b strings.Builder
	if part.Render(&b) != nil || b.Len() > r.bytes {
		return nil
	}
	r.bytes -= b.Len()
	return g.Raw(b.String())
}

// without is the room that a part leaves which is written whatever its size.
func (r *room) without(part node) *room {
	all := &room{math.MaxInt}
	all.take(part)
	return &room{max(0, r.bytes-(math.MaxInt-all.bytes))}
}

// fit takes the first items that fit, and says how many do not.
func (r *room) fit(n int, item func(i int) node) (items []node, left int) {
	for i := range n {
		taken := r.take(item(i))
		if taken == nil {
			return items, n - i
		}
		items = append(items, taken)
	}
	return items, 0
}

// listing is a table with a row for each of n, as far as a share of the room allows.
type listing struct {
	percent int
	caption string
	shown   bool // the caption is seen, not only read out
	columns []column
	n       int
	cells   func(i int) []node
	more    string // where the others are
	noun    string // folds the table when it is long; "" for never
}

// longTable is how many rows are shown unfolded.
const longTable = 25

func (r *room) table(l listing) node {
	part := r.share(l.percent)
	rows, left := part.fit(l.n, func(i int) node { return row(l.columns, l.cells(i)...) })
	r.bytes += part.bytes
	table := nodes{grid(l.caption, l.columns, rows, !l.shown), omitted(left, l.more)}
	if l.noun != "" && l.n > longTable {
		return fold(false, "Show "+plural(l.n, l.noun), table)
	}
	return table
}

// omitted says how many items a list leaves out; nil for none.
func omitted(n int, where string) node {
	if n == 0 {
		return nil
	}
	return el("p", class("more"), say(fmt.Sprintf("… and %d more, left out here to keep the page small; %s.", n, where)))
}

// forge is where pages link to: the address of a repository, or "" for no links.
type forge string

// CheckLinkBase checks the address that links begin with: https://HOST/OWNER/REPOSITORY, or "" for a page without links.
func CheckLinkBase(s string) error {
	rest, secure := strings.CutPrefix(s, "https://")
	parts := strings.Split(rest, "/")
	if s == "" || secure && len(parts) == 3 && isHost(parts[0]) && isRepositoryWord(parts[1]) && isRepositoryWord(parts[2]) {
		return nil
	}
	return fmt.Errorf("--link-base is %q: expected https://HOST/OWNER/REPOSITORY, without anything after it", s)
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func isHost(s string) bool { return s != "" && strings.Trim(s, letters+"-.:") == "" }

func isRepositoryWord(s string) bool {
	return s != "" && strings.Trim(s, letters+"-._") == "" && s != "." && s != ".."
}

// pull is a pull request, with a link when its number is one.
func (f forge) pull(id string) node {
	if f == "" || id == "" || len(id) > 18 || strings.Trim(id, "0123456789") != "" {
		return foreign(id)
	}
	return el("a", g.Attr("href", string(f)+"/pull/"+id), say(id))
}

// commit is the beginning of a commit id, with a link when it is one.
func (f forge) commit(id string) node {
	if len(id) != 40 && len(id) != 64 || strings.Trim(id, "0123456789abcdef") != "" {
		return code(id)
	}
	if f == "" {
		return code(id[:12])
	}
	return el("a", g.Attr("href", string(f)+"/commit/"+id), code(id[:12]))
}
