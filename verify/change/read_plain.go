package change

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// plain reads an element that is written as the collector writes nearly all of them: these keys in this order, no blank,
// no escape, nothing wrong. It returns false for any other; then nothing was read, and the strict way says what is wrong.
func (c *changesReader) plain(raw []byte, at diag.Pos) bool {
	const depth = 3 // of the members of an element
	if c.limits.Depth < depth || c.count >= c.limits.Files {
		return false
	}
	change, ok := plainChange(string(raw))
	if !ok || change.Path <= c.last || disagreement(change) != "" || !c.fits(change.Path, at) {
		return false
	}
	change.Pos = at
	c.changes = append(c.changes, change)
	c.last = change.Path
	return true
}

// plainChange takes such an element apart; the text is one JSON value.
func plainChange(text string) (Change, bool) {
	p := plainRest{rest: text, ok: true}
	c := Change{
		Path:    p.text(`{"path":`),
		Status:  Status(p.word(`,"status":`, changeStatuses)),
		OldMode: Mode(p.word(`,"old_mode":`, changeModes)),
		NewMode: Mode(p.word(`,"new_mode":`, changeModes)),
		OldID:   p.id(`,"old_id":`),
		NewID:   p.id(`,"new_id":`),
	}
	return c, p.ok && p.rest == "}" && c.Path != ""
}

// plainRest is what is left of an element; ok is false from the first surprise on.
type plainRest struct {
	rest string
	ok   bool
}

// text returns the string behind a key; it holds no escape.
func (p *plainRest) text(key string) string {
	rest, found := strings.CutPrefix(p.rest, key+`"`)
	text, rest, closed := strings.Cut(rest, `"`)
	if !found || !closed || strings.IndexByte(text, '\\') >= 0 {
		p.ok = false
		return ""
	}
	p.rest = rest
	return text
}

func (p *plainRest) word(key string, allowed []string) string {
	text := p.text(key)
	i := slices.Index(allowed, text)
	if i < 0 {
		p.ok = false
		return ""
	}
	return allowed[i]
}

// id returns an object id, "" for null.
func (p *plainRest) id(key string) string {
	if rest, null := strings.CutPrefix(p.rest, key+"null"); null {
		p.rest = rest
		return ""
	}
	id := p.text(key)
	if !strict.IsLowerHex(id, 40, 64) {
		p.ok = false
	}
	return id
}
