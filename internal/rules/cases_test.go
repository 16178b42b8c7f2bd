package rules

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

var update = flag.Bool("update", false, "write what the cases expect")

const casesDir = "../../testdata/diffrules"

// TestCases runs all rules over every case: testdata/diffrules/<rule>/<fires|quiet>.<language>.<what>.txtar, with the files
// base/… and head/… and the list expect. Each line of it is "rule file:line", with "base:" before the file for a place in the
// merge base, and the severity before that where it is not the rule's. A rule has a case that fires and one that is quiet in each of its languages.
func TestCases(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(casesDir, "*", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal("no cases", err)
	}
	seen := map[string]bool{}
	for _, name := range names {
		rule, what := filepath.Base(filepath.Dir(name)), filepath.Base(name)
		parts := strings.SplitN(what, ".", 3)
		seen[rule+"."+parts[0]+"."+parts[1]] = true
		t.Run(rule+"/"+what, func(t *testing.T) { runCase(t, name, "closeout/"+rule, parts[0]) })
	}
	for _, r := range All {
		for _, language := range r.Languages {
			for _, kind := range []string{"fires", "quiet"} {
				if key := strings.TrimPrefix(r.ID, "closeout/") + "." + kind + "." + language; !seen[key] {
					t.Errorf("there is no case %s", key)
				}
			}
		}
	}
}

func runCase(t *testing.T, name, rule, kind string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := hits(changeOf(t, archive))
	var expect *txtar.File
	for i := range archive.Files {
		if archive.Files[i].Name == "expect" {
			expect = &archive.Files[i]
		}
	}
	if fires := strings.Contains("\n"+got, "\n"+rule+" "); fires != (kind == "fires") {
		t.Errorf("%s: the rule found: %v\n%s", kind, fires, got)
	}
	switch {
	case expect != nil && string(expect.Data) == got:
	case *update:
		if expect == nil {
			archive.Files = append(archive.Files, txtar.File{Name: "expect"})
			expect = &archive.Files[len(archive.Files)-1]
		}
		expect.Data = []byte(got)
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("found:\n%s", got)
	}
}

// changeOf reads the two versions of each file of a case. A file below head-link/ is a symlink. The sign {+} is left out: it
// splits tokens, so that no scanner takes a case for a leak. Files below base-report/ and head-report/ are test reports.
func changeOf(t *testing.T, archive *txtar.Archive) *Change {
	t.Helper()
	blobs, changes := map[string][]byte{}, map[string]*change.Change{}
	testReports := map[string]*TestReports{}
	for _, f := range archive.Files {
		side, name, found := strings.Cut(f.Name, "/")
		if !found {
			continue
		}
		if strings.HasSuffix(side, "-report") {
			addReport(t, testReports, side, name, f.Data)
			continue
		}
		if changes[name] == nil {
			changes[name] = &change.Change{Path: name, OldMode: change.NoMode, NewMode: change.NoMode}
		}
		f.Data = bytes.ReplaceAll(f.Data, []byte("{+}"), nil)
		id := fmt.Sprintf("%x", sha256.Sum256(f.Data))
		blobs[id] = f.Data
		switch c := changes[name]; side {
		case "base":
			c.OldMode, c.OldID = change.Regular, id
		case "head-link":
			c.NewMode, c.NewID = change.Symlink, id
		default:
			c.NewMode, c.NewID = change.Regular, id
		}
	}
	var list []change.Change
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		c := *changes[name]
		switch {
		case c.OldID == "":
			c.Status = change.Added
		case c.NewID == "":
			c.Status = change.Deleted
		case c.NewMode != c.OldMode:
			c.Status = change.TypeChanged
		case c.OldID == c.NewID:
			continue
		default:
			c.Status = change.Modified
		}
		list = append(list, c)
	}
	c, err := read(list, func(id string, _ int64) ([]byte, error) { return blobs[id], nil }, errors.New("too large"))
	if err != nil {
		t.Fatal(err)
	}
	c.HeadHas = func(path string) bool { return changes[path] != nil && changes[path].NewMode == change.Regular }
	for _, name := range slices.Sorted(maps.Keys(testReports)) {
		c.Reports = append(c.Reports, *testReports[name])
	}
	return c
}

// addReport adds one version of a test report.
func addReport(t *testing.T, testReports map[string]*TestReports, side, name string, data []byte) {
	t.Helper()
	names, errs := reports.ReadTestNames(bytes.NewReader(data), input.DefaultLimits())
	if errs.Any() {
		t.Fatal(errs.All())
	}
	if testReports[name] == nil {
		testReports[name] = &TestReports{Path: name, Note: "one report is missing"}
	}
	r := testReports[name]
	if side == "base-report" {
		r.Base = names
	} else {
		r.Head = names
	}
	if r.Base != nil && r.Head != nil {
		r.Note = ""
	}
}

// hits lists what all rules find, a line for each place.
func hits(c *Change) string {
	var out strings.Builder
	for _, r := range c.judge(All).Rules {
		if r.Passed {
			continue
		}
		side := ""
		if r.Side != "" {
			side = r.Side + ":"
		}
		if severity := string(r.Severity); severity != string(ByID(r.ID).Severity) {
			side = severity + " " + side
		}
		fmt.Fprintf(&out, "%s %s%s:%d\n", r.ID, side, r.File, r.Line)
	}
	return out.String()
}
