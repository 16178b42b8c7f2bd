package archive

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// How large the files of an archive may be, in bytes.
const (
	MaxEntryBytes = 2 << 20
	MaxStateBytes = 1 << 20
	MaxFoundBytes = 64 << 20
)

// MaxFiles is how many files a bundle may have, and MaxCommits how many commits an entry answers for.
const (
	MaxFiles   = 1000
	MaxCommits = 1000
)

// forms are what the tags of entry.json, state.json and found/index.json name. Each key must be there.
var forms = input.Forms{Text: map[string]input.Form{
	"entry":    only(EntrySchema),
	"state":    only(StateSchema),
	"found":    only(FoundSchema),
	"origin":   {Valid: func(s string) bool { return originSyntax().MatchString(s) }, Expected: `"closeout-archive/HOST/OWNER/REPOSITORY"`},
	"hash":     {Valid: func(s string) bool { return hashSyntax().MatchString(s) }, Expected: "a hash of 32 bytes as base64"},
	"branch":   {Valid: IsBranch, Expected: branchForm},
	"id":       {Valid: isID, Expected: idForm + ", each once"},
	"digest":   {Valid: func(s string) bool { return input.IsLowerHex(s, 64) }, Expected: "a sha256 of 64 lower-case hex digits"},
	"pull":     {Valid: isNumber, Expected: "the number of a pull request as a text, each once"},
	"run":      {Valid: isNumber, Expected: "the id of a run as a text"},
	"event":    {Valid: func(s string) bool { return eventSyntax().MatchString(s) }, Expected: "the name of an event"},
	"workflow": {Valid: isLine, Expected: "the path of a workflow"},
	"reason":   {Valid: IsReason, Expected: "a text of one line with at most 1000 bytes"},
	"path": {Valid: IsPath, Expected: "a path below the bundle: names between slashes, none of them empty, . or .., none that begins with .git, " +
		"no backslash and no control character"},
}}

func only(text string) input.Form {
	return input.Form{Valid: func(s string) bool { return s == text }, Expected: input.Quote(text)}
}

// ReadEntry reads entry.json. The entry is nil when there is any error. It must be in canonical form: no space, no other order
// and no other key.
func ReadEntry(data []byte) (*Entry, *input.Errors) {
	e := &Entry{}
	r, errs := read(data, "entry.json", MaxEntryBytes, e)
	if r.Fields != nil {
		r.together(e)
		r.earlier("repairs", e.Repairs, e.Seq)
		r.earlier("withdraws", e.Withdraws, e.Seq)
	}
	return canonical(data, e, errs)
}

// ReadState reads state.json. The state is nil when there is any error.
func ReadState(data []byte) (*State, *input.Errors) {
	s := &State{Last: map[string]string{}}
	r, errs := read(data, "state.json", MaxStateBytes, s)
	if r.Fields == nil {
		return nil, errs
	}
	if r.Node.Member("root") != nil || r.Node.Member("hashes") != nil {
		r.Need("root", "a hash")
		r.Need("hashes", "a list")
	}
	n := r.Need("last", "an object")
	if n != nil && n.Kind != input.KindObject {
		r.Wrong(n, "last", "an object")
	}
	for _, m := range r.Node.At("last").Members {
		name := &input.Node{Pos: m.Pos, Kind: input.KindString, Text: m.Key}
		switch {
		case !IsBranch(m.Key):
			errs.Add(input.WrongElement(name, "/last/"+input.EscapePointer.Replace(m.Key), "a key of last", branchForm))
		case m.Value.Kind != input.KindString || !isID(m.Value.Text):
			errs.Add(input.WrongType(m.Value, "/last/"+input.EscapePointer.Replace(m.Key), idForm))
		}
		s.Last[m.Key] = m.Value.Text
	}
	return canonical(data, s, errs)
}

// ReadFound reads found/index.json. The result is nil when there is any error.
func ReadFound(data []byte) (*Found, *input.Errors) {
	found := &Found{Entries: []Entry{}}
	r, errs := read(data, "index.json", MaxFoundBytes, found)
	if r.Fields == nil {
		return nil, errs
	}
	unnumbered, seen := forms, map[string]bool{}
	unnumbered.Left = "seq"
	for i, n := range r.ListOf(r.Need("entries", "a list"), "entries") {
		child := input.Object(n, r.Pointer("entries")+"/"+strconv.Itoa(i), errs)
		if child == nil {
			continue
		}
		var e Entry
		unnumbered.Decode(child, &e)
		c := reader{child}
		c.together(&e)
		c.matches(&e, found.Branch, seen)
		found.Entries = append(found.Entries, e)
	}
	if errs.Any() {
		return nil, errs
	}
	return found, errs
}

// read reads a file that must be an object of this size; without fields when it is none.
func read(data []byte, name string, limit int64, into any) (reader, *input.Errors) {
	errs := &input.Errors{}
	if int64(len(data)) > limit {
		errs.Add(input.Error{
			Pos: input.Pos{Line: 1, Column: 1}, Message: name + " is too large", Found: input.Plural(len(data), "byte"),
			Expected: fmt.Sprintf("at most %d bytes", limit), Fix: "use the file as closeout wrote it",
		})
		return reader{}, errs
	}
	n := input.ParseJSON(data, input.DefaultLimits(), errs)
	if n == nil {
		return reader{}, errs
	}
	f := input.Object(n, "", errs)
	if f != nil {
		forms.Decode(f, into)
	}
	return reader{f}, errs
}

// Marshal writes found/index.json in canonical form; its entries have no seq.
func (f *Found) Marshal() ([]byte, error) {
	type unnumbered struct {
		Entry
		Seq *int64 `json:"seq,omitempty"`
	}
	type found struct {
		Found
		Entries []unnumbered `json:"entries"`
	}
	out := found{Found: *f, Entries: []unnumbered{}}
	for _, e := range f.Entries {
		e.fill()
		out.Entries = append(out.Entries, unnumbered{Entry: e})
	}
	return report.CanonicalJSON(out)
}

// Marshal writes state.json in canonical form.
func (s *State) Marshal() ([]byte, error) { return report.CanonicalJSON(s) }

// Marshal writes entry.json in canonical form.
func (e *Entry) Marshal() ([]byte, error) {
	e.fill()
	return report.CanonicalJSON(e)
}

// fill replaces nil lists.
func (e *Entry) fill() {
	fill(&e.Commits)
	fill(&e.PullRequests)
	fill(&e.Bundle)
	fill(&e.Omitted)
}

func fill[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}

// canonical gives what was read from a text, which must be its canonical form; nil when there is any error.
func canonical[T any](data []byte, value *T, errs *input.Errors) (*T, *input.Errors) {
	if errs.Any() {
		return nil, errs
	}
	again, err := report.CanonicalJSON(value)
	if err == nil && bytes.Equal(data, again) {
		return value, errs
	}
	at := 0
	for at < min(len(data), len(again)) && data[at] == again[at] {
		at++
	}
	errs.Add(input.Error{
		Pos: (&input.LineIndex{Data: data, Line: 1}).Pos(at), Message: "the file is not in canonical form (RFC 8785)", Found: input.Excerpt(data[at:]),
		Expected: "no spaces, keys in order and no other keys", Fix: "use the file as closeout wrote it",
	})
	return nil, errs
}

// reader reports what does not fit together in an object that was read.
type reader struct{ *input.Fields }

// ByPath orders the files of an entry.
func ByPath(a, b File) int { return cmp.Compare(a.Path, b.Path) }

// earlier checks that an entry refers to one before it.
func (r reader) earlier(key string, n *int64, seq int64) {
	if n != nil && *n >= seq {
		r.Wrong(r.Node.Member(key), key, fmt.Sprintf("the seq of an earlier entry: less than %d", seq))
	}
}

// matches checks what only the entries of an index must be: of its branch, each commit once, and no withdrawal.
func (r reader) matches(e *Entry, branch string, seen map[string]bool) {
	if e.Kind == Withdrawn {
		r.Wrong(r.Node.Member("kind"), "kind", "decision or gap: archive withdraw makes the other")
	}
	if e.Branch != "" && e.Branch != branch {
		r.Wrong(r.Node.Member("branch"), "branch", "the branch of the index, "+input.Quote(branch))
	}
	for _, c := range e.Commits {
		if seen[c] && c != "" {
			r.Wrong(r.Node.Member("commits"), "commits", "commits that no other entry has")
			break
		}
		seen[c] = true
	}
}
