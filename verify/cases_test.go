package verify_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/closeout-gate/closeout/internal/testkit/memory"
	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/report"
)

func TestMain(m *testing.M) {
	memory.Waste()
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "write what the cases give as what they expect")

const (
	root     = "../testdata"
	caseBase = "base.txtar"
)

// corpora are the directories of cases: <corpus>/<directory>/<verdict>.<what>.txtar.
var corpora = []string{"cases", "attacks", "lineage"}

// caseFile is a bundle in one file. It is laid over testdata/base, and over base.txtar of its directory where there is one: a
// file of the same name replaces the base's, and those that "remove" lists are not there. "expect" has a line a finding:
// severity, code, path and line.
type caseFile struct {
	path    string
	verdict string
	archive *txtar.Archive
}

func findCases(t *testing.T, corpus string) []caseFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, corpus, "*", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s: %v", corpus, err)
	}
	var list []caseFile
	for _, p := range paths {
		if filepath.Base(p) != caseBase {
			list = append(list, readCase(t, p))
		}
	}
	return list
}

// readCase reads a case by its path.
func readCase(t *testing.T, path string) caseFile {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	verdict, _, _ := strings.Cut(filepath.Base(path), ".")
	return caseFile{path, verdict, archive}
}

func (c *caseFile) file(name string) string {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// files are the inputs of the case.
func (c *caseFile) files(t *testing.T) inputFiles {
	t.Helper()
	f := plainFiles(t)
	if base, err := txtar.ParseFile(filepath.Join(filepath.Dir(c.path), caseBase)); err == nil {
		f.lay(t, base)
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	f.lay(t, c.archive)
	return f
}

// plainFiles are those of testdata/base.
func plainFiles(t *testing.T) inputFiles {
	t.Helper()
	f := inputFiles{}
	paths, err := filepath.Glob(filepath.Join(root, "base", "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no base: %v", err)
	}
	for _, p := range paths {
		if f[filepath.Base(p)], err = os.ReadFile(p); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// lay changes the files as an archive says.
func (f inputFiles) lay(t *testing.T, archive *txtar.Archive) {
	t.Helper()
	for _, file := range archive.Files {
		switch file.Name {
		case "expect":
		case "remove":
			for name := range strings.FieldsSeq(string(file.Data)) {
				if f[name] == nil {
					t.Fatalf("remove names %s, which the base does not have", name)
				}
				delete(f, name)
			}
		default:
			f[file.Name] = file.Data
		}
	}
}

// judge judges the files with the default limits.
func (f inputFiles) judge() *report.Report { return verify.Judge(f.bundle()) }

// summary writes what a case must expect: a line a finding, and then what became of the labels that ask for an override,
// and of the pull requests of a merge group.
func summary(r *report.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s", f.Severity, f.Code)
		if f.Location.Path != "" {
			fmt.Fprintf(&b, " %q", f.Location.Path)
		}
		if f.Location.Line > 0 {
			fmt.Fprintf(&b, " line %d", f.Location.Line)
		}
		if f.Location.PullRequest > 0 {
			fmt.Fprintf(&b, " of pull request %d", f.Location.PullRequest)
		}
		if f.Times > 1 {
			fmt.Fprintf(&b, " %d times", f.Times)
		}
		b.WriteByte('\n')
	}
	for _, refused := range r.OverrideRefused {
		fmt.Fprintf(&b, "refused %s: %q by %s\n", refused.Condition, refused.Label, refused.Actor)
	}
	if o := r.Override; o != nil {
		fmt.Fprintf(&b, "overridden by: %s with %q, accepting %d\n", o.Actor, o.Label, len(o.Accepted))
	}
	for _, p := range r.PullRequests {
		fmt.Fprintf(&b, "pull request %d is %s\n", p.Number, p.Verdict)
		for _, refused := range p.OverrideRefused {
			fmt.Fprintf(&b, "refused %s: %q by %s\n", refused.Condition, refused.Label, refused.Actor)
		}
		if o := p.Override; o != nil {
			fmt.Fprintf(&b, "overridden by: %s with %q, accepting %d\n", o.Actor, o.Label, len(o.Accepted))
		}
	}
	return b.String()
}

// reportValidators check a report of a case against its schema, as a run does and as a library for JSON Schema does.
var reportValidators = sync.OnceValues(func() (validators [2]func([]byte) error, err error) {
	whole, files, err := schema.ReportValidators()
	if err != nil {
		return validators, err
	}
	library, err := stricttest.Compile("verification_report")
	if err != nil {
		return validators, err
	}
	validators[0] = func(text []byte) error { return errors.Join(whole(text), stricttest.Validate(library, text)) }
	validators[1] = func(text []byte) error {
		return errors.Join(files(text), stricttest.Validate(library.Properties["files"], text))
	}
	return validators, nil
})

func TestCases(t *testing.T) {
	for _, corpus := range corpora {
		for _, c := range findCases(t, corpus) {
			t.Run(strings.TrimPrefix(c.path, root+string(filepath.Separator)), func(t *testing.T) { c.check(t) })
		}
	}
}

func (c *caseFile) check(t *testing.T) {
	if strings.TrimSpace(string(c.archive.Comment)) == "" {
		t.Error("the case does not say what it is about")
	}
	r := judgeBundle(t, c)
	if valid, err := reportValidators(); err != nil {
		t.Fatal(err)
	} else if _, err := report.CanonicalChecked(r, valid[0], valid[1]); err != nil {
		t.Error(err)
	}
	if r.Verdict != c.verdict {
		t.Errorf("verdict %s, and the file's name says %s\n%s", r.Verdict, c.verdict, details(r))
		return // no update can bless another verdict
	}
	got := summary(r)
	if *update {
		c.update(t, got)
		return
	}
	if want := c.file("expect"); got != want {
		t.Errorf("findings\n%sexpected\n%s%s", got, want, details(r))
	}
}

// judgeBundle judges a case as a bundle.
func judgeBundle(t *testing.T, c *caseFile) *report.Report {
	t.Helper()
	files := fstest.MapFS{}
	for name, data := range c.files(t) {
		files[name] = &fstest.MapFile{Data: data}
	}
	b, err := verify.Open(files)
	if err != nil {
		t.Fatal(err)
	}
	return verify.Judge(b)
}

func (c *caseFile) update(t *testing.T, expect string) {
	t.Helper()
	files := slices.DeleteFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == "expect" })
	c.archive.Files = append(files, txtar.File{Name: "expect", Data: []byte(expect)})
	if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func details(r *report.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\t%s %s %s:%d:%d: %s\n\t\texpected %s\n\t\tactual %s\n", f.Severity, f.Code, f.Location.Path, f.Location.Line,
			f.Location.Column, f.Message, f.Expected, f.Actual)
	}
	return b.String()
}

// TestEveryCheckHasCases wants a passing and a failing case of each check, and a case of each code.
func TestEveryCheckHasCases(t *testing.T) {
	reported := map[string]bool{}
	for _, corpus := range corpora {
		for _, c := range findCases(t, corpus) {
			for line := range strings.Lines(c.file("expect")) {
				reported[strings.Fields(line)[1]] = true
			}
		}
	}
	for _, c := range checks.All {
		if !hasCase(t, c, "passed") || !hasCase(t, c, "failed") && !hasCase(t, c, "review") {
			t.Errorf("check %s: testdata/cases/%s needs a passed.*.txtar, and a failed.* or review.*", c.ID, c.ID)
		}
		for _, code := range c.Codes {
			if !reported[code.Name] {
				t.Errorf("check %s: no case reports %s", c.ID, code.Name)
			}
		}
	}
}

func hasCase(t *testing.T, c *check.Check, verdict string) bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "cases", c.ID, verdict+".*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return len(paths) > 0
}

// TestEveryAttackHasControl wants a harmless look-alike beside each attack: of an override, one that counts.
func TestEveryAttackHasControl(t *testing.T) {
	verdicts := map[string]map[string]bool{}
	for _, c := range findCases(t, "attacks") {
		dir := filepath.Dir(c.path)
		if verdicts[dir] == nil {
			verdicts[dir] = map[string]bool{}
		}
		verdicts[dir][c.verdict] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(verdicts)) {
		if !verdicts[dir]["passed"] && !verdicts[dir]["overridden"] || len(verdicts[dir]) < 2 {
			t.Errorf("%s needs an attack and a control that passes", dir)
		}
	}
}

// TestVacuousCriterionHasNotPassed wants the acceptance table to say of a criterion without good tests what the finding says.
func TestVacuousCriterionHasNotPassed(t *testing.T) {
	for _, corpus := range corpora {
		for _, c := range findCases(t, corpus) {
			if expect := c.file("expect"); !strings.Contains(expect, "acceptance.vacuous") && !strings.Contains(expect, "acceptance.tests_failed") {
				continue
			}
			r := c.files(t).judge()
			if !slices.ContainsFunc(r.Acceptance, func(a report.Acceptance) bool { return a.Outcome == report.OutcomeFailed }) {
				t.Errorf("%s: %+v", c.path, r.Acceptance)
			}
		}
	}
}

// TestProvenOnlyByControl wants the acceptance table to say that a criterion has passed only when its control has: in the
// cases, red is the control of test.
func TestProvenOnlyByControl(t *testing.T) {
	outcomes := map[string]int{}
	for _, corpus := range corpora {
		for _, c := range findCases(t, corpus) {
			if !bytes.Contains(c.files(t)["scope_contract.json"], []byte(`"proves": "test"`)) {
				continue
			}
			r := c.files(t).judge()
			byID := map[string]report.Acceptance{}
			for _, a := range r.Acceptance {
				byID[a.ID] = a
			}
			test, red := byID["test"], byID["red"]
			outcomes[red.Outcome]++
			if red.Outcome == report.OutcomeFailed && test.Outcome != report.OutcomeFailed {
				t.Errorf("%s: red has failed, test has %s", c.path, test.Outcome)
			}
			if r.Verdict == report.Failed && red.Outcome == report.OutcomeFailed && test.Level == "claimed" &&
				(test.KeptFrom == nil || *test.KeptFrom != "its negative control red is not proven") {
				t.Errorf("%s: the table does not say why: %+v", c.path, test)
			}
			notRequired := test.Outcome == report.OutcomeNotRequired && red.Outcome == report.OutcomeNotRequired
			if r.Verdict == report.Passed && test.Outcome != report.OutcomePassed && !notRequired {
				t.Errorf("%s: test has %s in a change that passed", c.path, test.Outcome)
			}
		}
	}
	if outcomes[report.OutcomePassed] < 3 || outcomes[report.OutcomeFailed] < 3 {
		t.Errorf("too few cases: %v", outcomes)
	}
}

// TestLongExceptions fails when version 0.3.0 is made and exceptions of more than 180 days still count: 0.2 is the one version that
// only warns about them, in closeout lint.
func TestLongExceptions(t *testing.T) {
	_, err := os.Stat(root + "/cases/rules/passed.exception-for-years.txtar")
	if counts, may := err == nil, strings.HasPrefix(verify.Version, "0.2."); counts != may {
		t.Errorf("version %s, and an exception for years counts: %t", verify.Version, counts)
	}
}
