package archive

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

func ptr[T any](v T) *T { return &v }

func id(c string) string { return strings.Repeat(c, 40) }

var sum = strings.Repeat("ab", 32)

// decision is an entry that is right.
func decision() *Entry {
	return &Entry{
		Schema: EntrySchema, Seq: 123, Kind: Decision, Branch: "main", Commits: []string{id("1"), id("2")}, Parent: ptr(id("f")),
		PullRequests: []string{"512"}, HeadSHA: ptr(id("e")), Verdict: ptr("passed"), Tool: &report.Tool{Name: "closeout", Version: "0.4.0"}, Replay: ReplaySame, ReportSHA256: &sum,
		Bundle:  []File{{"changes.json", sum, 3}, {"verification_report.json", sum, 4}},
		Omitted: []File{{"tests/a.xml", sum, 1 << 21}},
		Run:     &Run{ID: "1", Attempt: 1, Event: "pull_request", Path: ".github/workflows/closeout.yml", Workflow: WorkflowUnchanged},
	}
}

func gap() *Entry {
	return &Entry{Schema: EntrySchema, Seq: 5, Kind: Gap, Branch: "main", Commits: []string{id("1")}, Replay: ReplayNotTried, Why: ptr(NoRun)}
}

func withdrawn() *Entry {
	return &Entry{Schema: EntrySchema, Seq: 5, Kind: Withdrawn, Branch: "main", Replay: ReplayNotTried, Withdraws: ptr(int64(4)), Why: ptr(`it says "x"`)}
}

func text(t testing.TB, v interface{ Marshal() ([]byte, error) }) string {
	t.Helper()
	data, err := v.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// edit is a text with something replaced, and a part of the only error that it must have then; "" for none.
type edit struct {
	old, new, err string
	lax           bool // a schema cannot say it
}

func checkEdits(t *testing.T, schema, text string, edits []edit, read func([]byte) (bool, *input.Errors)) {
	t.Helper()
	s := stricttest.CompileSchema(t, schema)
	for _, e := range edits {
		in := strings.Replace(text, e.old, e.new, 1)
		if in == text && e.old != e.new {
			t.Errorf("%s is not in %s", e.old, text)
		}
		got, errs := read([]byte(in))
		stricttest.CheckPlaces(t, []byte(in), errs)
		if right := e.err == ""; got != right || errs.Any() == right || !right && !slices.ContainsFunc(errs.All(), func(one input.Error) bool { return strings.Contains(one.String(), e.err) }) {
			t.Errorf("%s → %s: %v, expected %q", e.old, e.new, errs.All(), e.err)
		}
		if valid := stricttest.Validate(s, []byte(in)) == nil; valid != (e.err == "" || e.lax) {
			t.Errorf("%s → %s: the schema accepts it: %v", e.old, e.new, valid)
		}
	}
}

func readsEntry(data []byte) (bool, *input.Errors) {
	e, errs := ReadEntry(data)
	return e != nil, errs
}

func TestReadDecision(t *testing.T) {
	file := `{"bytes":4,"path":"verification_report.json","sha256":"` + sum + `"}`
	path := func(p string) string { return `"path":"` + p + `"` }
	refused := func(p string) edit {
		return edit{path("changes.json"), path(p), "path must be a path below the bundle", p != "" && len(p) < 1000}
	}
	edits := []edit{
		{"", "", "", false},
		{`"seq":123`, `"seq":0`, "", false},
		{`"seq":123`, `"seq":-1`, "seq must be an integer", false},
		{`"seq":123`, `"seq":9007199254740992`, "seq must be an integer", true},
		{`"seq":123`, `"seq":1e2`, "seq must be an integer", true},
		{`"seq":123`, `"seq":null`, "seq must be an integer", false},
		{`"seq":123,`, ``, `the key "seq" is missing`, false},
		{`"seq":123`, `"seq": 123`, "not in canonical form", true},
		{`"seq":123`, `"seq":123,"x-a":1`, "not in canonical form", false},
		{`"seq":123`, `"seq":123,"seq":123`, "occurs twice", true},
		{`"kind":"decision"`, `"kind":"Decision"`, "kind must be one of", false},
		{`"kind":"decision"`, `"kind":"gap"`, "why must be one of", false},
		{`"branch":"main"`, `"branch":"release/1.x"`, "", false},
		{`"branch":"main"`, `"branch":"a\nb"`, "branch must be the name of a branch", true},
		{`"branch":"main"`, `"branch":"a b"`, "branch must be", true},
		{`"branch":"main"`, `"branch":"-a"`, "branch must be", true},
		{`"branch":"main"`, `"branch":"a..b"`, "branch must be", true},
		{`"branch":"main"`, `"branch":"a.lock"`, "branch must be", true},
		{`"branch":"main"`, `"branch":""`, "branch must be", false},
		{id("1"), id("2"), "each once", false},
		{id("1"), id("G"), "object id", false},
		{id("1"), id("0"), "object id", true},
		{id("1"), id("1")[:39], "object id", false},
		{id("2"), strings.Repeat("2", 64), "ids of one length", true},
		{id("e"), strings.Repeat("e", 64), "ids of one length", true},
		{`["` + id("1") + `","` + id("2") + `"]`, `[]`, "commits must be at least one commit", false},
		{`"512"`, `"0512"`, "the number of a pull request", false},
		{`"512"`, `512`, "the number of a pull request", false},
		{`"512"`, `"512","512"`, "each once", false},
		{`"verdict":"passed"`, `"verdict":"green"`, "verdict must be one of", false},
		{`"verdict":"passed"`, `"verdict":null`, "verdict must be the verdict", false},
		{`"report_sha256":"` + sum + `"`, `"report_sha256":null`, "report_sha256 must be the sha256", false},
		{`"report_sha256":"ab`, `"report_sha256":"bb`, "among the files", true},
		{"," + file, "", "contains verification_report.json", true},
		{`,"path":"verification_report.json"`, `,"path":"a.json"`, "sorted by path", true},
		{`"bytes":4`, `"bytes":-4`, "bytes must be", false},
		{`"bytes":4`, `"bytes":2000000000000`, "bytes must be", true},
		{`"why":null`, `"why":"no_run"`, "why must be no value", false},
		{`"withdraws":null`, `"withdraws":1`, "withdraws must be no value", false},
		{`"repairs":null`, `"repairs":122`, "", false},
		{`"repairs":null`, `"repairs":123`, "an earlier entry", true},
		{`"replay":"same"`, `"replay":"yes"`, "replay must be one of", false},
		{`"workflow":"unchanged"`, `"workflow":"same"`, "workflow must be one of", false},
		{`"attempt":1`, `"attempt":0`, "attempt must be", false},
		{`"name":"closeout"`, `"name":"other"`, `name must be "closeout"`, false},
		{`"version":"0.4.0"`, `"version":"0 4"`, "version must be a version", false},
		{`"omitted":[`, `"omitted":[` + file + `,`, "sorted by path", true},
		{path("tests/a.xml"), path("Changes.JSON"), "differ in more than case", true},
		{path("tests/a.xml"), path("changes.json/a"), "no file that is also a directory", true},
		{path("changes.json"), path("tests"), "no file that is also a directory", true},
	}
	for _, p := range []string{
		"", "/a", "../a", "a/../b", "./a", "a//b", "a/", ".git/config", "b/.GIT", ".gitmodules", "GIT~1", `a\\b`, `a\nb`, "a\u202e/../b", "a\u200cb", "a\u0085b", strings.Repeat("a/", 600) + "b",
	} {
		edits = append(edits, refused(p))
	}
	checkEdits(t, "archive_entry", text(t, decision()), edits, readsEntry)
}

func TestReadOtherKinds(t *testing.T) {
	checkEdits(t, "archive_entry", text(t, gap()), []edit{
		{"", "", "", false},
		{`"no_run"`, `"because"`, "why must be one of", false},
		{`"tool":null`, `"tool":{"name":"closeout","version":"1"}`, "tool must be no value", false},
		{`"bundle":[]`, `"bundle":[{"bytes":4,"path":"a","sha256":"` + sum + `"}]`, "bundle must be no value", false},
		{`"replay":"not_tried"`, `"replay":"same"`, "replay must be", false},
		{`"repairs":null`, `"repairs":1`, "repairs must be no value", false},
		{`"commits":["` + id("1") + `"]`, `"commits":[]`, "at least one commit", false},
	}, readsEntry)
	checkEdits(t, "archive_entry", text(t, withdrawn()), []edit{
		{"", "", "", false},
		{`"withdraws":4`, `"withdraws":5`, "an earlier entry", true},
		{`"withdraws":4`, `"withdraws":null`, "withdraws must be the seq", false},
		{`"commits":[]`, `"commits":["` + id("1") + `"]`, "commits must be no value", false},
		{`it says`, `it\nsays`, "why must be a text of one line", true},
		{`it says`, `it says` + strings.Repeat("x", 1000), "why must be a text of one line", false},
	}, readsEntry)
	large := bytes.Repeat([]byte(" "), MaxEntryBytes+1)
	if e, errs := ReadEntry(large); e != nil || !errs.Any() {
		t.Error("an entry of more than 2 MiB is read")
	}
}

// hashText is a hash as older versions wrote it.
var hashText = strings.Repeat("A", 43) + "="

// stateOf is the state of an archive, as this version writes it, or as older ones did.
func stateOf(size int64, hashes ...string) *State {
	s := &State{Schema: StateSchema, Origin: "closeout-archive/github.com/o/r", Size: size, Last: map[string]string{"main": id("1"), "release/1": id("2")}, Hashes: hashes}
	if len(hashes) > 0 {
		s.Root = hashes[0]
	}
	return s
}

func TestReadState(t *testing.T) {
	reads := func(data []byte) (bool, *input.Errors) {
		s, errs := ReadState(data)
		return s != nil, errs
	}
	checkEdits(t, "archive_state", text(t, stateOf(3)), []edit{
		{"", "", "", false},
		{`"size":3`, `"size":0`, "size must be", false},
		{`"size":3`, `"size":99999999999999999999`, "size must be", true},
		{`"size":3`, `"size": 3`, "not in canonical form", true},
		{`"release/1"`, `"release 1"`, "a key of last", true},
		{`"` + id("2"), `"` + id("2")[:7], "object id", false},
		{`github.com/o/r`, `github.com/o`, "origin must be", false},
		{`github.com/o/r`, `github.com/o/r\n2`, "origin must be", false},
	}, reads)
	checkEdits(t, "archive_state", text(t, stateOf(3, hashText, hashText)), []edit{
		{"", "", "", false},
		{`"root":"` + hashText, `"root":"` + hashText[:43], "root must be a hash", false},
		{`"hashes":["` + hashText + `","` + hashText + `"],`, "", `the key "hashes" is missing`, false},
	}, reads)
}

func TestReadFound(t *testing.T) {
	d, g := decision(), gap()
	g.Commits = []string{id("3")}
	f := &Found{Schema: FoundSchema, Origin: "closeout-archive/github.com/o/r", Branch: "main", After: ptr(id("f")), Size: 7, Date: 1_700_000_000, Entries: []Entry{*d, *g}}
	checkEdits(t, "archive_found", text(t, f), []edit{
		{"", "", "", false},
		{`"date":1700000000`, `"date":99999999999`, "date must be", false},
		{`"schema":"closeout.archive_entry/v1",`, `"schema":"closeout.archive_entry/v1","seq":1,`, `the key "seq" is unknown`, false},
		{`"branch":"main","bundle"`, `"branch":"other","bundle"`, "the branch of the index", true},
		{id("3"), id("2"), "commits that no other entry has", true},
		{`"size":7`, `"size":-1`, "size must be", false},
	}, func(data []byte) (bool, *input.Errors) {
		got, errs := ReadFound(data)
		return got != nil, errs
	})
	if got, errs := ReadFound([]byte(strings.Replace(text(t, f), `"kind":"gap"`, `"kind":"withdrawn"`, 1))); got != nil || !errs.Any() {
		t.Error("an index withdraws a bundle")
	}
}

// What is read is what would be written: no two texts have one meaning.
func FuzzReadEntry(f *testing.F) {
	for _, e := range []*Entry{decision(), gap(), withdrawn()} {
		f.Add([]byte(text(f, e)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, errs := ReadEntry(data)
		stricttest.CheckPlaces(t, data, errs)
		if (e == nil) != errs.Any() {
			t.Fatal("an entry and errors, or neither")
		}
		if e == nil {
			return
		}
		if again := text(t, e); again != string(data) {
			t.Errorf("%s is read as %s", data, again)
		}
		if dir := e.Dir(); strings.Count(dir, "/") != 2 || strings.Contains(dir, "..") {
			t.Errorf("the directory is %q", dir)
		}
	})
}

func FuzzReadState(f *testing.F) {
	f.Add([]byte(text(f, stateOf(1))))
	f.Add([]byte(text(f, stateOf(7, hashText))))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, errs := ReadState(data)
		stricttest.CheckPlaces(t, data, errs)
		if (s == nil) != errs.Any() {
			t.Fatal("a state and errors, or neither")
		}
		if s != nil && text(t, s) != string(data) {
			t.Errorf("%s is read as %s", data, text(t, s))
		}
	})
}

func FuzzReadFound(f *testing.F) {
	f.Add([]byte(text(f, &Found{Schema: FoundSchema, Origin: "closeout-archive/github.com/o/r", Branch: "main", Entries: []Entry{*decision(), *gap()}})))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, errs := ReadFound(data)
		stricttest.CheckPlaces(t, data, errs)
		if found == nil {
			return
		}
		positions, _, err := found.New(nil)
		if err == nil && len(positions) > len(found.Entries) {
			t.Errorf("%d positions of %d", len(positions), len(found.Entries))
		}
	})
}
