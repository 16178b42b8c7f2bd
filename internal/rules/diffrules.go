// Package rules sees in a change what coding agents do to tests and checks: tests that are skipped, focused, emptied or
// deleted, assertions that are commented out, thresholds that are lowered, secrets, hidden characters. It compares the
// merge base with the head; what was there before is not reported.
//
// A rule about tests or assertions is in the file of its id, such as test_removed.go. The rules read a model of the
// tests, which is built once a change: test.go has the tests of both versions and finds the same test in the other one,
// mark.go tells what keeps tests from running, reach.go whether a run comes to a line, and what is known of a
// condition. assertion.go finds assertions, matcher.go and statement.go read what they say. finding.go tells new places
// from old ones.
package rules

import (
	"bytes"
	"cmp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/rules/secrets"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// Rule is one diff rule.
type Rule struct {
	ID        string // closeout/…
	Title     string // one line
	Severity  input.Severity
	Languages []string // each must have a case that fires and one that stays quiet; "any" for a rule about any file
	Parts     []Part
}

// Part finds one kind of what a rule is about.
type Part struct {
	Severity input.Severity // "" is that of the rule
	// Topic joins parts that can find the same thing: of hits with one topic, file, side and line, or with one topic, file
	// and subject, that of the part which comes first in [All] stays.
	Topic string
	Find  func(c *Change, report func(Hit))
}

// Hit is what a rule found in one place.
type Hit struct {
	File    string
	Base    bool     // the place is in the merge base
	Line    int      // from 1; 0 is the whole file
	Subject string   // what it is about, such as the name of a test
	Others  []string // the other subjects of a hit about several
	Was     string   // what was there, "" for nothing
	Now     string   // what is there now, "" for nothing
	Detail  string   // what was found, in words, without a full stop
	Fix     string   // the allowed fix; "" is the rule's
}

// hit is a place in a file: a line of its merge base and one of its head, or one of them and 0.
func (f *File) hit(was, now int, subject, detail, fix string) Hit {
	h := Hit{File: f.Path, Base: now == 0 && was > 0, Line: cmp.Or(now, was), Subject: subject, Detail: detail, Fix: fix}
	if was > 0 {
		h.Was = startOf(f.Base.Line(was))
	}
	if now > 0 {
		h.Now = startOf(f.Head.Line(now))
	}
	return h
}

// startOf is as much of a line as a row can show. Of a file in one line, each hit would copy megabytes.
func startOf(line []byte) string {
	line = bytes.TrimLeftFunc(line, unicode.IsSpace)
	return string(line[:min(len(line), 9*maxText)]) // clip cuts what is longer than eight
}

// Change is what leads from the merge base to the head.
type Change struct {
	Files []*File // by path
	// HeadHas reports whether the head has a regular file at a path, touched or not.
	HeadHas func(path string) bool
	// Reports are the test reports of the base and of the head.
	Reports []TestReports

	reportDiffs []reportDiff
	flows       *flowSet    // the workflows among them; nil before they are read
	scripts     []*scripted // the files with commands among them; nil before they are read

	bases   map[string]bool // of the classes of the heads; nil before they are asked for
	isLarge bool            // many bytes were read

	table *testTable // what it does to tests; see tests
}

// File is a touched file.
type File struct {
	change.Change
	// Base and Head are its two versions; nil for one that does not exist, is no regular file, is binary or was not read.
	Base, Head *source.File

	base, head []*Test   // the tests of both versions
	unread     [2]string // why Base and Head were not read, "" where they were or do not exist
	dead       *dead
	ofTests    certainty      // whether it is one of tests by its path; unknown before it is asked
	ran        map[*Test]bool // whether a test in one of the head, or with nil anywhere, ran before; see ranAround
	compared   *linediff.Result
}

// isTest reports whether the path is that of a file of tests.
func (f *File) isTest() bool {
	if f.ofTests == unknown {
		if f.ofTests = notEver; source.IsTest(f.Path) {
			f.ofTests = always
		}
	}
	return f.ofTests == always
}

// Lang is the language of the file.
func (f *File) Lang() source.Lang { return source.LangOf(f.Path) }

// Removed are the lines of the merge base that the head does not have.
func (f *File) Removed() []linediff.Line { return f.diff().Removed }

// Added are the lines of the head that the merge base does not have.
func (f *File) Added() []linediff.Line { return f.diff().Added }

// Hunks joins the removed and added lines that lie at one place.
func (f *File) Hunks() []linediff.Hunk { return f.diff().Hunks() }

func (f *File) diff() *linediff.Result {
	if f.compared == nil {
		none := &source.File{}
		r := linediff.Diff(cmp.Or(f.Base, none).Text, cmp.Or(f.Head, none).Text, linediff.Limits{})
		f.compared = &r
	}
	return f.compared
}

// largeGCPercent saves memory in a large change: what was read stays to the end and has hardly any pointers, so that
// looking for garbage often costs nearly nothing.
const largeGCPercent = 20

// saving counts the runs that save memory: the setting is that of the whole process, and backtest judges changes side
// by side.
var saving struct {
	sync.Mutex
	runs, before int
}

// saveMemory lets the first of several runs change the setting, and the last one restore it.
func saveMemory() (end func()) {
	saving.Lock()
	defer saving.Unlock()
	if saving.runs++; saving.runs == 1 {
		saving.before = debug.SetGCPercent(largeGCPercent)
	}
	return func() {
		saving.Lock()
		defer saving.Unlock()
		if saving.runs--; saving.runs == 0 {
			debug.SetGCPercent(saving.before)
		}
	}
}

// Run finds what the rules say about a change. blob reads the content of an object, or fails with tooLarge.
func Run(changes []change.Change, blob func(id string, limit int64) ([]byte, error), tooLarge error,
	headHas func(path string) bool, reports ...TestReports) (*reports.Diff, error) {
	c, err := read(changes, blob, tooLarge)
	if err != nil {
		return nil, err
	}
	if c.isLarge {
		defer saveMemory()()
	}
	c.HeadHas, c.Reports = headHas, reports
	return c.judge(All), nil
}

// The limits of what is written.
const (
	maxRows   = 1000 // of one rule
	maxText   = 200  // bytes of Was and Now
	maxDetail = 600  // bytes
)

// judge runs rules, in their order.
func (c *Change) judge(list []*Rule) *reports.Diff {
	d := &reports.Diff{Schema: reports.DiffSchema, Unread: c.unreadLanguages()}
	taken := taken{}
	for _, r := range list {
		var rows []reports.DiffRow
		more, worst := int64(0), input.Info // what is left out, and how severe it is
		for i := range r.Parts {
			part := &r.Parts[i]
			severity := cmp.Or(part.Severity, r.Severity)
			part.Find(c, func(h Hit) {
				switch {
				case !taken.take(part, &h):
				case len(rows) < maxRows-1:
					rows = append(rows, r.row(h, severity))
				default:
					more++
					worst = input.Stricter(worst, severity)
				}
			})
		}
		if len(rows) == 0 {
			d.Rules = append(d.Rules, reports.DiffRow{ID: r.ID, Category: reports.Category(r.Severity), Severity: r.Severity,
				Passed: true})
			continue
		}
		input.SortStable(rows, compareRows)
		rows = slices.Compact(rows)
		if more > 0 {
			rows = append(rows, rows[0].More(more, worst))
		}
		d.Rules = append(d.Rules, rows...)
	}
	input.SortStable(d.Rules, compareRows)
	return d
}

func compareRows(a, b reports.DiffRow) int { return a.Compare(&b) }

// row makes a row of a hit.
func (r *Rule) row(h Hit, severity input.Severity) reports.DiffRow {
	side := ""
	if h.Base {
		side = reports.SideBase
	}
	return reports.DiffRow{
		ID: r.ID, Category: reports.Category(severity), Severity: severity, Detail: clip(h.Detail, maxDetail),
		File: check.Valid(h.File), Line: int64(h.Line),
		Side: side, Was: clip(h.Was, maxText), Now: clip(h.Now, maxText), Fix: h.Fix,
	}
}

// clip cuts a text of a file, between two characters.
func clip(s string, limit int) string {
	if len(s) > 8*limit { // a line can have megabytes
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		s = s[:min(len(s), 8*limit)]
	}
	s = strings.TrimSpace(visible(secrets.Redact(strings.ToValidUTF8(s, "\uFFFD"))))
	if len(s) <= limit {
		return s
	}
	return input.CutTo(s, limit-len("…"))
}

// taken says which part found what first, by place and by subject.
type taken map[[4]string]*Part

// take reports whether no part before p found what h is about, and remembers it.
func (t taken) take(p *Part, h *Hit) bool {
	if p.Topic == "" {
		return true
	}
	keys := h.keys(p.Topic)
	known, fresh := false, false // another part found one of them; one of several subjects is new
	for _, key := range keys {
		isKnown := t[key] != nil && t[key] != p
		known = known || isKnown
		fresh = fresh || (!isKnown && key[2] == "subject" && len(h.Others) > 0)
	}
	if known && !fresh {
		return false
	}
	for _, key := range keys {
		if t[key] == nil {
			t[key] = p
		}
	}
	return true
}

// keys name what a hit is about. A hit on a whole file is known only by its subject, if it has one.
func (h *Hit) keys(topic string) [][4]string {
	var keys [][4]string
	side := ""
	if h.Base {
		side = reports.SideBase
	}
	if h.Line > 0 || h.Subject == "" {
		keys = append(keys, [4]string{topic, h.File, "line " + side, strconv.Itoa(h.Line)})
	}
	for _, subject := range append([]string{h.Subject}, h.Others...) {
		if subject != "" {
			keys = append(keys, [4]string{topic, h.File, "subject", subject})
		}
	}
	return keys
}
