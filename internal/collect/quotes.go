package collect

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/reports"
)

// The limits of the search for what rule reports quote. A quote beyond them is not looked up, and its row counts as it stands.
const (
	maxQuotedFile  = 4 << 20   // bytes of a file
	maxQuotedBytes = 512 << 20 // bytes that all searches look through; a file that is read, and kept, counts eight times
	maxQuoteBytes  = 2 << 20   // bytes of all quotes with their files, so that they fit into the facts
	maxQuotedNew   = 1000      // added files in which the lines of a deleted one are looked for
)

// addQuotes looks up what the rule reports quote in the files of the head. Nothing is looked up where uncommitted code is judged.
func (f *Found) addQuotes(c *Comparison, known *facts.Facts) {
	if c.Head == "" || known.Subject.HeadSHA == "" {
		return
	}
	q := quotes{c: c, texts: map[string]*quotedText{}, left: maxQuotedBytes}
	seen, size := map[facts.Quote]bool{}, 0
	for _, in := range f.Inputs {
		for _, row := range quotingRows(in) {
			quote := facts.Quote{File: row.File, Line: row.Line, Quote: row.Quote}
			if seen[quote] {
				continue
			}
			seen[quote] = true
			if size += len(quote.File) + len(quote.Quote) + 64; size > maxQuoteBytes {
				return
			}
			isKnown := q.find(&quote, row.Quote)
			if plain := strings.ReplaceAll("\n"+row.Quote, "\n+", "\n"); isKnown && quote.At == 0 && len(plain) <= len(row.Quote) {
				isKnown = q.find(&quote, plain) // the reviewer quotes a diff
			}
			if isKnown {
				known.Quotes = append(known.Quotes, quote)
			}
		}
	}
}

// quotingRows are the failed rows of a rule report that quote a file; none of one that cannot be read.
func quotingRows(in verify.Input) []reports.Row {
	if in.Kind != check.Rules {
		return nil
	}
	limits := input.DefaultLimits()
	data, err := in.Read(limits.RulesBytes)
	if err != nil || !bytes.Contains(data, []byte(`"quote"`)) {
		return nil
	}
	report, errs := reports.Parse(data, limits)
	if report == nil || errs.Any() {
		return nil
	}
	return slices.DeleteFunc(report.Rows, func(r reports.Row) bool {
		return r.Passed || r.Quote == "" || !isInRepository(r.File)
	})
}

// isInRepository reports whether a name can name a file of the repository. A URI, another system's separators, and a path that leads out
// of the repository say nothing about the file that they mean.
func isInRepository(name string) bool {
	return policy.Irregular(path.Clean(name)) == "" && !strings.Contains(name, ":")
}

// quotes looks up quotes.
type quotes struct {
	c     *Comparison
	texts map[string]*quotedText
	left  int // bytes that may still be looked through
}

// quotedText is a file of the head, as quotes are compared with it: its visible ASCII characters. So it does not matter how white
// space, other alphabets and invisible characters were copied.
type quotedText struct {
	there bool      // the head has the file; it may be one that cannot be searched
	text  []byte    // nil when it cannot be searched
	ends  []lineEnd // of each line with text
}

// lineEnd is where a line ends in the text, and its number.
type lineEnd struct{ end, line int32 }

// addVisible adds the visible ASCII characters of a text.
func addVisible(list, text []byte) []byte {
	for _, c := range text {
		if ' ' < c && c <= '~' {
			list = append(list, c)
		}
	}
	return list
}

// read reads a file of the head.
func (q *quotes) read(name string) *quotedText {
	t := q.texts[name]
	if t != nil {
		return t
	}
	mode, id, found, err := q.c.Objects.Entry(q.c.Head, name)
	t = &quotedText{there: found || err != nil}
	if q.texts[name] = t; !found || err != nil || !isFile(mode) || q.left < 0 {
		return t
	}
	data, err := q.c.Objects.Blob(id, maxQuotedFile)
	if q.left -= 8 * len(data); err != nil {
		return t
	}
	t.text = []byte{}
	number := int32(0)
	for line := range bytes.Lines(data) {
		before := len(t.text)
		t.text = addVisible(t.text, line)
		if number++; len(t.text) > before {
			t.ends = append(t.ends, lineEnd{int32(len(t.text)), number})
		}
	}
	return t
}

// find looks for the words of a quote; false when it cannot say where they stand, or that they stand nowhere.
func (q *quotes) find(quote *facts.Quote, words string) bool {
	name, text := path.Clean(quote.File), addVisible(nil, []byte(words))
	if len(text) == 0 {
		return false // it is written in another alphabet
	}
	file := q.read(name)
	if side, plain, _ := strings.Cut(name, "/"); !file.there && (side == "a" || side == "b") { // as a diff names it
		name, file = plain, q.read(plain)
	}
	if file.there {
		at, err := q.search(file, text, quote.Line)
		quote.At = at
		return err == nil
	}
	deleted := func(t change.Change) bool { return t.Path == name && t.Status == change.Deleted }
	if !slices.ContainsFunc(q.c.Changes, deleted) {
		return true // the head has no such file, and the change moved none
	}
	added := 0
	for _, t := range q.c.Changes {
		if t.Status != change.Added {
			continue
		}
		at, err := q.search(q.read(t.Path), text, quote.Line)
		if added++; err != nil || added > maxQuotedNew {
			return false
		}
		if at > 0 {
			quote.At, quote.In = at, t.Path
			return true
		}
	}
	return true
}

var errNotSearched = errors.New("the file cannot be searched")

// search returns the line of a file that a text begins on: the one nearest to where it should be; 0 when there is none.
func (q *quotes) search(file *quotedText, text []byte, near int64) (best int64, err error) {
	if q.left -= len(file.text); file.text == nil || q.left < 0 {
		return 0, errNotSearched
	}
	distance := func(line int64) int64 { return max(line-near, near-line) }
	for from, n := 0, 0; ; {
		i := bytes.Index(file.text[from:], text)
		if i < 0 {
			return best, nil
		}
		for int(file.ends[n].end) <= from+i {
			n++
		}
		if line := int64(file.ends[n].line); best == 0 || distance(line) < distance(best) {
			best = line
		}
		from = int(file.ends[n].end)
	}
}
