package archive

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// maxFileBytes is the largest size that an entry may claim of a file.
const maxFileBytes = 1 << 40

// maxDate is the last second that a commit in the archive may have: in the year 2242.
const maxDate = 1 << 33

// ReadEntry reads entry.json. The entry is nil when there is any error. It must be in canonical form: no space, no other order
// and no other key.
func ReadEntry(data []byte) (*Entry, *input.Errors) {
	errs := &input.Errors{}
	f := document(data, "entry.json", MaxEntryBytes, errs)
	if f == nil {
		return nil, errs
	}
	r := reader{f}
	r.need("schema", EntrySchema)
	e := r.entry()
	e.Seq = r.number("seq", 0, input.MaxSafeInteger)
	r.End()
	r.earlier("repairs", e.Repairs, e.Seq)
	r.earlier("withdraws", e.Withdraws, e.Seq)
	if !errs.Any() {
		checkCanonical(data, e, errs)
	}
	if errs.Any() {
		return nil, errs
	}
	return e, errs
}

// ReadState reads state.json. The state is nil when there is any error.
func ReadState(data []byte) (*State, *input.Errors) {
	errs := &input.Errors{}
	f := document(data, "state.json", MaxStateBytes, errs)
	if f == nil {
		return nil, errs
	}
	r := reader{f}
	s := &State{Schema: r.need("schema", StateSchema), Origin: r.word("origin", originForm, isOrigin)}
	s.Size = r.number("size", 1, input.MaxSafeInteger)
	s.Last = r.last()
	r.End()
	if !errs.Any() {
		checkCanonical(data, s, errs)
	}
	if errs.Any() {
		return nil, errs
	}
	return s, errs
}

// ReadFound reads found/index.json. The result is nil when there is any error.
func ReadFound(data []byte) (*Found, *input.Errors) {
	errs := &input.Errors{}
	f := document(data, "index.json", MaxFoundBytes, errs)
	if f == nil {
		return nil, errs
	}
	r := reader{f}
	found := &Found{Schema: r.need("schema", FoundSchema), Origin: r.word("origin", originForm, isOrigin), Branch: r.word("branch", branchForm, IsBranch)}
	found.After = r.wordOrNull("after", idForm, isID)
	found.Size = r.number("size", 0, input.MaxSafeInteger)
	found.Date = r.number("date", 0, maxDate)
	found.Entries = []Entry{}
	seen := map[string]bool{}
	for i, n := range r.ListOf(r.Need("entries", "a list"), "entries") {
		at := r.Pointer("entries") + "/" + strconv.Itoa(i)
		child := input.Object(n, at, errs)
		if child == nil {
			continue
		}
		c := reader{child}
		c.need("schema", EntrySchema)
		e := c.entry()
		c.End()
		c.matches(e, found.Branch, seen)
		found.Entries = append(found.Entries, *e)
	}
	r.End()
	if errs.Any() {
		return nil, errs
	}
	return found, errs
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

// Marshal writes state.json in canonical form.
func (s *State) Marshal() ([]byte, error) {
	return report.CanonicalJSON(s)
}

// document reads a file that must be an object; nil when it is none.
func document(data []byte, name string, limit int64, errs *input.Errors) *input.Fields {
	if int64(len(data)) > limit {
		errs.Add(input.Error{
			Pos: input.Pos{Line: 1, Column: 1}, Message: name + " is too large", Found: input.Plural(int64(len(data)), "byte"),
			Expected: fmt.Sprintf("at most %d bytes", limit), Fix: "use the file as closeout wrote it",
		})
		return nil
	}
	n := input.ParseJSON(data, input.DefaultLimits(), errs)
	if n == nil {
		return nil
	}
	return input.Object(n, "", errs)
}

// checkCanonical compares a text with the canonical form of what was read from it.
func checkCanonical(data []byte, value any, errs *input.Errors) {
	again, err := report.CanonicalJSON(value)
	if err == nil && bytes.Equal(data, again) {
		return
	}
	at := 0
	for at < min(len(data), len(again)) && data[at] == again[at] {
		at++
	}
	errs.Add(input.Error{
		Pos: (&input.LineIndex{Data: data, Line: 1}).Pos(at), Message: "the file is not in canonical form (RFC 8785)", Found: input.Excerpt(data[at:]),
		Expected: "no spaces, keys in order and no other keys", Fix: "use the file as closeout wrote it",
	})
}

// reader reads the members of an object that closeout wrote: each must be there.
type reader struct{ *input.Fields }

// need reads a text that has one value.
func (r reader) need(key, value string) string {
	return r.word(key, input.Quote(value), func(s string) bool { return s == value })
}

// word reads a text; "" when it is wrong.
func (r reader) word(key, expected string, valid func(string) bool) string {
	n := r.Need(key, expected)
	if n == nil {
		return ""
	}
	if n.Kind != input.KindString || !valid(n.Text) {
		r.Wrong(n, key, expected)
		return ""
	}
	return n.Text
}

// wordOrNull reads a text or null.
func (r reader) wordOrNull(key, expected string, valid func(string) bool) *string {
	if n := r.Node.Member(key); n != nil && n.Kind == input.KindNull {
		r.Get(key)
		return nil
	}
	s := r.word(key, expected+", or null", valid)
	return &s
}

// item reads a text of a list.
func (r reader) item(n *input.Node, key string, i int, expected string, valid func(string) bool) string {
	if n.Kind != input.KindString || !valid(n.Text) {
		r.Errs.Add(input.WrongElement(n, r.Pointer(key)+"/"+strconv.Itoa(i), "an item of "+input.Quote(key), expected))
		return ""
	}
	return n.Text
}

func (r reader) number(key string, low, high int64) int64 {
	n := r.IntegerOf(r.Need(key, "an integer"), key, low, high)
	if n == nil {
		return 0
	}
	return *n
}

func (r reader) numberOrNull(key string) *int64 {
	n := r.Need(key, "an integer, or null")
	if n == nil || n.Kind == input.KindNull {
		return nil
	}
	return r.IntegerOf(n, key, 0, input.MaxSafeInteger)
}

// words reads a list of texts, each once.
func (r reader) words(key, expected string, most int, valid func(string) bool) []string {
	n := r.Need(key, "a list")
	list, seen := []string{}, map[string]bool{}
	items := r.ListOf(n, key)
	if len(items) > most {
		r.Wrong(n, key, fmt.Sprintf("a list of at most %d", most))
		return list
	}
	for i, item := range items {
		s := r.item(item, key, i, expected+", each once", func(s string) bool { return valid(s) && !seen[s] })
		seen[s] = true
		list = append(list, s)
	}
	return list
}

// entry reads what entry.json and found/index.json share.
func (r reader) entry() *Entry {
	e := &Entry{Schema: EntrySchema}
	e.Kind = r.NeedOneOf("kind", Decision, Gap, Withdrawn)
	e.Branch = r.word("branch", branchForm, IsBranch)
	e.Commits = r.words("commits", idForm, MaxCommits, isID)
	e.Parent = r.wordOrNull("parent", idForm, isID)
	e.PullRequests = r.words("pull_requests", "the number of a pull request as a text", MaxCommits, isNumber)
	e.HeadSHA = r.wordOrNull("head_sha", idForm, isID)
	e.Verdict = r.wordOrNull("verdict", "one of "+strings.Join(verdicts, ", "), func(s string) bool { return slices.Contains(verdicts, s) })
	e.Tool = r.tool()
	e.Run = r.run()
	e.Replay = r.NeedOneOf("replay", ReplaySame, ReplayDifferent, ReplayNotTried)
	e.ReportSHA256 = r.wordOrNull("report_sha256", digestForm, isDigest)
	e.Bundle = r.files("bundle")
	e.Omitted = r.files("omitted")
	e.Repairs, e.Withdraws = r.numberOrNull("repairs"), r.numberOrNull("withdraws")
	e.Why = r.wordOrNull("why", reasonForm, IsReason)
	r.together(e)
	return e
}

var verdicts = []string{report.Passed, report.Failed, report.Overridden, report.Review}

// object reads an object or null.
func (r reader) object(key string) (reader, bool) {
	n := r.Need(key, "an object, or null")
	if n == nil || n.Kind == input.KindNull {
		return reader{}, false
	}
	f := input.Object(n, r.Pointer(key), r.Errs)
	return reader{f}, f != nil
}

func (r reader) tool() *report.Tool {
	o, there := r.object("tool")
	if !there {
		return nil
	}
	t := &report.Tool{Name: o.need("name", "closeout"), Version: o.word("version", "a version", versionSyntax().MatchString)}
	o.End()
	return t
}

func (r reader) run() *Run {
	o, there := r.object("run")
	if !there {
		return nil
	}
	run := &Run{
		ID: o.word("id", "the id of a run as a text", isNumber), Attempt: o.number("attempt", 1, 1<<31),
		Event: o.word("event", "the name of an event", eventSyntax().MatchString), Path: o.word("path", "the path of a workflow", isLine),
		Workflow: o.NeedOneOf("workflow", WorkflowUnchanged, WorkflowChanged, WorkflowElsewhere, WorkflowUnknown),
	}
	o.End()
	return run
}

// files reads a list of files: sorted, and none that a directory could not have beside the others.
func (r reader) files(key string) []File {
	n := r.Need(key, "a list")
	list := []File{}
	items := r.ListOf(n, key)
	if len(items) > MaxFiles {
		r.Wrong(n, key, fmt.Sprintf("a list of at most %d", MaxFiles))
		return list
	}
	for i, item := range items {
		f := input.Object(item, r.Pointer(key)+"/"+strconv.Itoa(i), r.Errs)
		if f == nil {
			continue
		}
		o := reader{f}
		list = append(list, File{Path: o.word("path", pathForm, IsPath), SHA256: o.word("sha256", digestForm, isDigest), Bytes: o.number("bytes", 0, maxFileBytes)})
		o.End()
	}
	if !slices.IsSortedFunc(list, ByPath) {
		r.Wrong(n, key, "a list that is sorted by path")
	}
	return list
}

// ByPath orders the files of an entry.
func ByPath(a, b File) int { return cmp.Compare(a.Path, b.Path) }

// last reads the last commits of the branches.
func (r reader) last() map[string]string {
	n := r.Need("last", "an object")
	if n == nil {
		return nil
	}
	f := input.Object(n, r.Pointer("last"), r.Errs)
	if f == nil {
		return nil
	}
	last := map[string]string{}
	for _, m := range n.Members {
		if !IsBranch(m.Key) {
			r.Errs.Add(input.WrongElement(&input.Node{Pos: m.Pos, Kind: input.KindString, Text: m.Key}, f.Pointer(m.Key), "a key of last", branchForm))
			continue
		}
		last[m.Key] = reader{f}.word(m.Key, idForm, isID)
	}
	return last
}

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
