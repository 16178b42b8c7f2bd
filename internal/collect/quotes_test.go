package collect

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
)

// oneText has the same text at each path of the head but old.go and those in b.
type oneText struct {
	Objects
	text  []byte
	reads int
}

func (o *oneText) Entry(_, path string) (change.Mode, string, bool, error) {
	return change.Regular, path, path != "old.go" && !strings.HasPrefix(path, "b/"), nil
}

func (o *oneText) Blob(string, int64) ([]byte, error) {
	o.reads++
	return o.text, nil
}

func TestQuotes(t *testing.T) {
	const text = "\n\na := 1\n\n  b := 2\n\n\na := 1\nb := 2\n"
	for _, c := range []struct {
		words    string
		near, at int64
	}{
		{"a := 1", 1, 3}, {"a := 1", 5, 3}, {"a := 1", 6, 8}, {"a:=1\n\n\tb:=2", 0, 3}, {"b := 2", 9, 9}, {"2\na", 0, 5}, {"b := 3", 5, 0}, {"1 b", 40, 8},
	} {
		q := quotes{c: &Comparison{Objects: &oneText{text: []byte(text)}, Head: "h"}, texts: map[string]*quotedText{}, left: 1 << 10}
		quote := facts.Quote{File: "a.go", Line: c.near}
		if isKnown := q.find(&quote, c.words); !isKnown || quote.At != c.at {
			t.Errorf("%q near line %d: got line %d %v, want %d", c.words, c.near, quote.At, isKnown, c.at)
		}
	}
}

// A reviewer names a file as the diff does.
func TestQuotesOfDiff(t *testing.T) {
	q := quotes{c: &Comparison{Objects: &oneText{text: []byte("a := 1\n")}, Head: "h"}, texts: map[string]*quotedText{}, left: 1 << 10}
	for file, at := range map[string]int64{"b/a.go": 1, "b/b/a.go": 0} {
		quote := facts.Quote{File: file}
		if isKnown := q.find(&quote, "a := 1"); !isKnown || quote.At != at || quote.File != file {
			t.Errorf("%s: got %v %v, want line %d", file, quote, isKnown, at)
		}
	}
}

// A change adds many files of empty lines, and an objection is about one that it deletes: what is read is bounded, and so is what is kept of it.
func TestQuotesReadsLittle(t *testing.T) {
	objects := &oneText{text: bytes.Repeat([]byte("\n"), maxQuotedFile)}
	c := &Comparison{Objects: objects, Head: "h", Changes: []change.Change{{Path: "old.go", Status: change.Deleted}}}
	for i := range maxQuotedNew {
		c.Changes = append(c.Changes, change.Change{Path: fmt.Sprintf("new%d.go", i), Status: change.Added})
	}
	q := quotes{c: c, texts: map[string]*quotedText{}, left: maxQuotedBytes}
	for range 3 {
		if quote := (facts.Quote{File: "old.go", Quote: "a"}); q.find(&quote, "a") {
			t.Errorf("got %v after %d reads, and not each file was read", quote, objects.reads)
		}
	}
	for i := range 10 {
		if quote := (facts.Quote{File: fmt.Sprintf("other%d.go", i), Quote: "a"}); q.find(&quote, "a") {
			t.Error("a file that was not read contains, or does not contain, a quote")
		}
	}
	kept := 0
	for _, text := range q.texts {
		kept += len(text.ends)
	}
	if objects.reads > 20 || kept > 0 {
		t.Errorf("%d files were read, and %d lines kept", objects.reads, kept)
	}
}

// One file is looked through until the limit, and what comes after it is not known.
func TestQuotesSearchesLittle(t *testing.T) {
	q := quotes{c: &Comparison{Objects: &oneText{text: bytes.Repeat([]byte("a"), 1000)}, Head: "h"}, texts: map[string]*quotedText{}, left: 12_000}
	known := 0
	for range 10 {
		if quote := (facts.Quote{File: "a.go"}); q.find(&quote, "b") {
			known++
		}
	}
	if known != 4 {
		t.Errorf("%d of 10 searches were within the limit", known)
	}
}
