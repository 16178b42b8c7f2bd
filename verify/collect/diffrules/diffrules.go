// Package diffrules sees in a change what coding agents do to tests and checks: tests that are skipped, focused, emptied or
// deleted, assertions that are commented out, thresholds that are lowered, secrets, hidden characters. It compares the merge
// base with the head; what was there before is not reported.
package diffrules

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/collect/diffrules/code"
	"github.com/closeout-gate/closeout/verify/collect/linediff"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/rules"
)

// Rule is one diff rule.
type Rule struct {
	ID        string // closeout/…
	Title     string // one line
	Severity  diag.Severity
	Review    bool     // a person should look at what it finds
	Languages []string // each must have a case that fires and one that stays quiet; "any" for a rule about any file
	// Topic joins rules that can find the same thing: of hits with one topic, file, side and line, or with one topic, file and
	// subject, that of the rule which comes first in [All] stays.
	Topic string
	Find  func(c *Change, report func(Hit))
}

// Hit is what a rule found in one place.
type Hit struct {
	File    string
	Base    bool // the place is in the merge base
	Line    int  // from 1; 0 is the whole file
	Subject string
	Was     string // what was there, "" for nothing
	Now     string // what is there now, "" for nothing
	Detail  string // what was found, in words, without a full stop
	Fix     string // the allowed fix; "" is the rule's
}

// Change is what leads from the merge base to the head.
type Change struct {
	Files []*File // by path
	// HeadHas reports whether the head has a regular file at a path, touched or not.
	HeadHas func(path string) bool
}

// File is a touched file.
type File struct {
	change.Change
	// Base and Head are its two versions; nil for one that does not exist, is no regular file, is binary or was not read.
	Base, Head *code.File

	compared       bool
	removed, added []linediff.Line
}

// Lang is the language of the file.
func (f *File) Lang() code.Lang { return code.LangOf(f.Path) }

// Removed are the lines of the merge base that the head does not have.
func (f *File) Removed() []linediff.Line {
	f.compare()
	return f.removed
}

// Added are the lines of the head that the merge base does not have.
func (f *File) Added() []linediff.Line {
	f.compare()
	return f.added
}

// Hunk is a place where lines were replaced: adjacent lines of both versions. One of the lists may be empty.
type Hunk struct {
	Removed, Added []linediff.Line
}

// Hunks joins the removed and added lines that lie at one place.
func (f *File) Hunks() []Hunk {
	var hunks []Hunk
	removed, added, shift := f.Removed(), f.Added(), 0 // how many lines later the same line is in the head
	for len(removed)+len(added) > 0 {
		at := 0
		if len(removed) > 0 {
			at = removed[0].Number
		}
		if len(added) > 0 && (len(removed) == 0 || added[0].Number-shift < at) {
			at = added[0].Number - shift
		}
		r, a := 0, 0
		for r < len(removed) && removed[r].Number == at+r {
			r++
		}
		for a < len(added) && added[a].Number == at+shift+a {
			a++
		}
		hunks = append(hunks, Hunk{removed[:r], added[:a]})
		removed, added, shift = removed[r:], added[a:], shift+a-r
	}
	return hunks
}

func (f *File) compare() {
	if f.compared {
		return
	}
	f.compared = true
	text := func(v *code.File) []byte {
		if v == nil {
			return nil
		}
		return v.Text
	}
	r := linediff.Diff(text(f.Base), text(f.Head), linediff.Limits{})
	f.removed, f.added = r.Removed, r.Added
}

// The limits of what is read, in bytes.
const (
	maxFile  = 4 << 20  // of one version of a file
	maxTotal = 64 << 20 // of all versions of all files
	maxRows  = 1000     // of one rule
	maxText  = 200      // of the texts of a hit
)

// Run finds what the rules say about a change. blob reads the content of an object, or fails with tooLarge.
func Run(changes []change.Change, blob func(id string, limit int64) ([]byte, error), tooLarge error, headHas func(path string) bool) (*rules.Diff, error) {
	c, err := read(changes, blob, tooLarge)
	if err != nil {
		return nil, err
	}
	c.HeadHas = headHas
	return c.judge(All), nil
}

func read(changes []change.Change, blob func(string, int64) ([]byte, error), tooLarge error) (*Change, error) {
	c := &Change{}
	left := int64(maxTotal)
	version := func(name string, mode change.Mode, id string) (*code.File, error) {
		if id == "" || mode != change.Regular && mode != change.Executable {
			return nil, nil
		}
		text, err := blob(id, min(maxFile, left))
		if errors.Is(err, tooLarge) {
			return nil, nil
		}
		if err != nil || slices.Contains(text[:min(len(text), 8000)], 0) {
			return nil, err
		}
		left -= int64(len(text))
		return code.Parse(name, text), nil
	}
	for i := range changes {
		f := &File{Change: changes[i]}
		var err error
		if f.Base, err = version(f.Path, f.OldMode, f.OldID); err != nil {
			return nil, err
		}
		if f.Head, err = version(f.Path, f.NewMode, f.NewID); err != nil {
			return nil, err
		}
		c.Files = append(c.Files, f)
	}
	return c, nil
}

// judge runs rules, in their order.
func (c *Change) judge(list []*Rule) *rules.Diff {
	d := &rules.Diff{Schema: rules.DiffSchema}
	taken := map[[4]string]bool{}
	for _, r := range list {
		var rows []rules.DiffRow
		r.Find(c, func(h Hit) {
			if row, ok := r.row(h, taken); ok {
				rows = append(rows, row)
			}
		})
		if len(rows) == 0 {
			rows = []rules.DiffRow{{ID: r.ID, Category: r.category(), Severity: r.Severity, Passed: true}}
		}
		d.Rules = append(d.Rules, rows[:min(len(rows), maxRows)]...)
	}
	slices.SortStableFunc(d.Rules, compareRows)
	return d
}

func compareRows(a, b rules.DiffRow) int {
	return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.File, b.File), strings.Compare(a.Side, b.Side), cmp.Compare(a.Line, b.Line),
		strings.Compare(a.Was, b.Was), strings.Compare(a.Now, b.Now), strings.Compare(a.Detail, b.Detail))
}

func (r *Rule) category() string {
	if r.Review {
		return rules.DiffReview
	}
	return ""
}

// row makes a row of a hit; ok is false where a rule before found the same.
func (r *Rule) row(h Hit, taken map[[4]string]bool) (row rules.DiffRow, ok bool) {
	side := ""
	if h.Base {
		side = rules.SideBase
	}
	row = rules.DiffRow{
		ID: r.ID, Category: r.category(), Severity: r.Severity, Detail: h.Detail, File: check.Valid(h.File), Line: int64(h.Line), Side: side,
		Was: clip(h.Was), Now: clip(h.Now), Fix: h.Fix,
	}
	_ = taken
	return row, true
}

// clip cuts a text of a file.
func clip(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "�"))
	return s[:min(len(s), maxText)]
}
