// Package backtest adds up what a contract would have said about the merges of the past: how many it would have blocked, by
// which code and file, whose they were, and which globs would let them through.
package backtest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// Schema names the form of a result.
const Schema = "closeout.backtest/v1"

// The most entries that a result lists of a kind; what is left out is counted.
const (
	maxListed = 100 // files and authors
	maxFiles  = 20  // of one merge
	maxGlobs  = 20
)

// The codes that decide how a merge could get through.
const (
	offScope  = "scope.off_scope"
	protected = "scope.protected"
	emptyDiff = "scope.empty_diff"
)

// Result is what a backtest found: plain data, without a time, a host or an absolute path. No list is nil but Globs.
type Result struct {
	Schema   string   `json:"schema"`
	Contract Contract `json:"contract"`
	Branch   string   `json:"branch"` // as it was found or named
	Tip      string   `json:"tip"`    // its commit
	Asked    int      `json:"asked"`  // how many merges were asked for
	End      string   `json:"end"`    // why there are no more: asked, first_commit, shallow or unreadable
	Counts   Counts   `json:"counts"`
	Codes    []Code   `json:"codes"` // the code that blocks most merges first
	Files    []File   `json:"files"` // the file that blocks most merges first
	Omitted  int      `json:"files_omitted"`
	Authors  []Author `json:"authors"` // of blocked merges, the one with most of them first
	Others   int      `json:"authors_omitted"`
	// Globs would let merges through, the one that lets most through first; nil when the files of the tip are unknown, so that
	// nothing can be proposed.
	Globs []Glob `json:"globs"`
	// Lift are protected files that merges of people touched which nothing else blocks; nil when there are none, or the files of the
	// tip are unknown.
	Lift *Lift `json:"may_touch_protected"`
	// Except are bots whose merges nothing blocks but scope and protection, the one with most of them first.
	Except  []Except    `json:"except"`
	Blocked []Blocked   `json:"blocked"` // the last merge first
	Unknown []Unknown   `json:"unknown"`
	Tool    report.Tool `json:"tool"`
}

// Contract is the contract that judged.
type Contract struct {
	Path   string `json:"path"`   // as the caller names it; "" for the one that closeout init would write
	SHA256 string `json:"sha256"` // of its bytes
}

// Counts count merges: all that were judged, and among them the merges of programs.
type Counts struct {
	Counted
	Bots Counted `json:"bots"`
	// LeftOut are merges that are not judged: of authors that applies_to leaves out, those that change nothing, and those that only what
	// is not there any more keeps out of the scope. A contract for the files of today cannot know them.
	LeftOut LeftOut `json:"left_out"`
}

// Counted are numbers of merges. Passed means that nothing which needs no evidence blocks.
type Counted struct {
	Merges        int `json:"merges"`
	Passed        int `json:"passed"`
	Blocked       int `json:"blocked"`
	Unknown       int `json:"unknown"`
	ProtectedOnly int `json:"protected_only"` // blocked by scope.protected and nothing else
	OffScopeOnly  int `json:"off_scope_only"` // blocked by scope.off_scope and nothing else: what globs can let through
}

// LeftOut are numbers of merges that are not judged, and why.
type LeftOut struct {
	Authors int `json:"applies_to"`
	Gone    int `json:"gone"`
	Empty   int `json:"empty"`
}

// Code is a code that blocks, or the id of a diff rule.
type Code struct {
	Code     string `json:"code"`
	Merges   int    `json:"merges"`
	Findings int    `json:"findings"`
}

// File is a file that blocks.
type File struct {
	Path   string `json:"path"`
	Code   string `json:"code"`
	Merges int    `json:"merges"`
}

// Author is an author of merges.
type Author struct {
	Name    string `json:"name"`
	Bot     bool   `json:"bot"`
	Merges  int    `json:"merges"`
	Blocked int    `json:"blocked"`
}

// Glob is a pattern for allowed_files.
type Glob struct {
	Glob   string `json:"glob"`
	Merges int    `json:"merges"` // blocked merges that need it
	Passed int    `json:"passed"` // blocked merges that pass with it and all globs before it
}

// Blocked is a merge that would have been blocked.
type Blocked struct {
	Commit   string   `json:"commit"`
	Author   string   `json:"author"`
	Subject  string   `json:"subject"`
	Codes    []string `json:"codes"` // sorted
	Files    []string `json:"files"` // sorted, the first of them
	Findings int      `json:"findings"`
}

// Except is an update bot that is not excepted yet.
type Except struct {
	Login  string `json:"login"`
	Merges int    `json:"merges"` // that only scope and protection keep from passing
}

// Lift are protected files that may be touched, most touched first.
type Lift struct {
	Paths  []string `json:"paths"`
	Scope  []string `json:"allowed_files"` // those of them that allowed_files must name too
	Merges int      `json:"merges"`        // that only protected files keep from passing
	Passed int      `json:"passed"`        // of them, with these paths
}

// Unknown is a merge that could not be judged.
type Unknown struct {
	Commit string `json:"commit"`
	Author string `json:"author"`
	Why    string `json:"why"`
	Fix    string `json:"fix"`
}

// Origin is where a merge comes from.
type Origin struct {
	Commit, Author, Subject string
	Bot                     bool   // the author is a program
	Login                   string // its account, where that is known
	Excepted                bool   // the contract does not hold it to scope and protection
}

// Merge is a merge, and what was found about it.
type Merge struct {
	Origin
	verdict  string
	codes    map[string]int // of the findings that block
	files    []string       // of them, as fileCode writes them, sorted, each once
	cut      bool           // there are more files than files
	why, fix string         // of the first finding about what is unknown
}

// The verdicts of merges that are not judged.
const (
	notApplicable = "not_applicable"
	gone          = "gone"
	empty         = "empty"
)

// fileCode writes the file of a finding and its code as one text: lists of texts are sorted with less code.
func fileCode(path, code string) string { return path + "\x00" + code }

// split is the opposite of fileCode. Neither a code nor the path of a file contains the separator.
func split(file string) (path, code string) {
	path, code, _ = strings.Cut(file, "\x00")
	return path, code
}

// NewMerge keeps of a result what is added up. Where something is unknown, so is the merge: a file whose content is missing
// may block only for that. A file outside of the scope that the ground does not know any more is left out; ground may be nil.
func NewMerge(from Origin, s *verify.Screened, ground *Ground) Merge {
	from.Author = cmp.Or(from.Author, "(no name)")
	m, left := Merge{Origin: from, verdict: s.Verdict, codes: map[string]int{}, cut: s.Omitted > 0}, false
	for _, f := range s.Findings {
		switch code := cmp.Or(f.Rule, f.Code); {
		case f.Severity == string(input.Unknown) && m.why == "":
			m.why, m.fix = f.Message, f.Fix
		case f.Severity != string(input.Block), from.Excepted && (code == offScope || code == protected):
		case code == offScope && ground.hasLost(f.Location.Path, strings.HasPrefix(f.Actual, "added")):
			left = true
		default:
			m.codes[code]++
			m.files = append(m.files, fileCode(f.Location.Path, code))
		}
	}
	switch {
	case m.why != "":
		m.verdict = report.Review
	case m.only(emptyDiff): // such as a merge that keeps all files of its first parent: no pull request is like it
		m.verdict = empty
	case m.verdict == report.Failed && len(m.codes) == 0 && left:
		m.verdict = gone
	case m.verdict == report.Failed && len(m.codes) == 0:
		m.verdict = report.Passed
	}
	slices.Sort(m.files)
	m.files = slices.Compact(m.files)
	return m
}

// Lost is a merge that could not be judged.
func Lost(from Origin, why string) Merge {
	return Merge{Origin: from, verdict: report.Review, why: why, fix: "fix the cause of the error, and run the backtest again"}
}

// NotApplicable is a merge of an author that applies_to leaves out.
func NotApplicable(from Origin) Merge { return Merge{Origin: from, verdict: notApplicable} }

// only reports whether one code alone blocks the merge.
func (m *Merge) only(code string) bool { return len(m.codes) == 1 && m.codes[code] > 0 }

// Add adds up merges. ground may be nil: then no glob is proposed.
func (r *Result) Add(merges []Merge, ground *Ground) {
	codes, files, authors := map[string]*Code{}, map[string]*File{}, map[string]*Author{}
	r.Blocked, r.Unknown, r.Except = []Blocked{}, []Unknown{}, excepts(merges)
	for i := range merges {
		m := &merges[i]
		switch m.verdict {
		case notApplicable:
			r.Counts.LeftOut.Authors++
			continue
		case gone:
			r.Counts.LeftOut.Gone++
			continue
		case empty:
			r.Counts.LeftOut.Empty++
			continue
		}
		r.Counts.add(m)
		if m.Bot {
			r.Counts.Bots.add(m)
		}
		author := entry(authors, m.Author, Author{Name: m.Author, Bot: m.Bot})
		author.Merges++
		switch m.verdict {
		case report.Passed:
		case report.Review:
			r.Unknown = append(r.Unknown, Unknown{m.Commit, m.Author, m.why, m.fix})
		default:
			author.Blocked++
			r.addBlocked(m)
			for code, n := range m.codes {
				c := entry(codes, code, Code{Code: code})
				c.Merges, c.Findings = c.Merges+1, c.Findings+n
			}
			for _, f := range m.files {
				if path, code := split(f); path != "" {
					entry(files, f, File{Path: path, Code: code}).Merges++
				}
			}
		}
	}
	r.Codes = sorted(codes, func(a, b Code) int { return cmp.Or(b.Merges-a.Merges, cmp.Compare(a.Code, b.Code)) })
	r.Files = sorted(files, func(a, b File) int {
		return cmp.Or(b.Merges-a.Merges, cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code))
	})
	maps.DeleteFunc(authors, func(_ string, a *Author) bool { return a.Blocked == 0 })
	r.Authors = sorted(authors, func(a, b Author) int {
		return cmp.Or(b.Blocked-a.Blocked, b.Merges-a.Merges, cmp.Compare(a.Name, b.Name))
	})
	r.Files, r.Omitted = cut(r.Files)
	r.Authors, r.Others = cut(r.Authors)
	if ground != nil {
		r.Globs, r.Lift = ground.propose(merges), ground.lift(merges)
	}
}

// excepts are the update bots that could be excepted.
func excepts(merges []Merge) []Except {
	bots := map[string]*Except{}
	for i := range merges {
		m := &merges[i]
		own := m.verdict == report.Failed && m.codes[offScope]+m.codes[protected] > 0
		for code := range m.codes {
			own = own && (code == offScope || code == protected)
		}
		if own && m.Bot && m.Login != "" {
			entry(bots, m.Login, Except{Login: m.Login}).Merges++
		}
	}
	return sorted(bots, func(a, b Except) int { return cmp.Or(b.Merges-a.Merges, cmp.Compare(a.Login, b.Login)) })
}

// add counts a merge that was judged.
func (c *Counted) add(m *Merge) {
	c.Merges++
	switch m.verdict {
	case report.Passed:
		c.Passed++
		return
	case report.Review:
		c.Unknown++
		return
	}
	c.Blocked++
	if m.only(protected) {
		c.ProtectedOnly++
	}
	if m.only(offScope) {
		c.OffScopeOnly++
	}
}

func (r *Result) addBlocked(m *Merge) {
	b := Blocked{Commit: m.Commit, Author: m.Author, Subject: m.Subject, Codes: slices.Sorted(maps.Keys(m.codes)), Files: []string{}}
	for _, n := range m.codes {
		b.Findings += n
	}
	for _, f := range m.files {
		if path, _ := split(f); path != "" && len(b.Files) < maxFiles && !slices.Contains(b.Files, path) {
			b.Files = append(b.Files, path)
		}
	}
	r.Blocked = append(r.Blocked, b)
}

// entry is the value of a key, a new one when there is none.
func entry[V any](all map[string]*V, key string, fresh V) *V {
	if all[key] == nil {
		all[key] = &fresh
	}
	return all[key]
}

// sorted lists the values of a map in an order that is total. It is never nil.
func sorted[V any](all map[string]*V, order func(a, b V) int) []V {
	list := make([]V, 0, len(all))
	for _, v := range all {
		list = append(list, *v)
	}
	input.SortStable(list, order)
	return list
}

// cut limits a list, and counts what is left out.
func cut[T any](list []T) ([]T, int) {
	n := min(len(list), maxListed)
	return list[:n], len(list) - n
}
