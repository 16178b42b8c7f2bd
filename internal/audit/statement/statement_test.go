package statement_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/closeout-gate/closeout/internal/audit/statement"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

var update = flag.Bool("update", false, "write the goldens")

const root = "../../../testdata"

// golden are cases whose statements are in testdata/statement.
var golden = map[string]string{
	"passed":     "cases/override/passed.nothing-blocks.txtar",
	"overridden": "cases/override/overridden.binding-event.txtar",
	"failed":     "cases/override/failed.author.txtar",
	"review":     "cases/approval/review.reviews-unknown.txtar",
	"group":      "cases/group/passed.two.txtar",
}

// judged is the report of a case.
func judged(t *testing.T, path string) *report.Report {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "base"))); err != nil {
		t.Fatal(err)
	}
	for _, layer := range []string{filepath.Join(root, filepath.Dir(path), "base.txtar"), filepath.Join(root, path)} {
		archive, err := txtar.ParseFile(layer)
		if err != nil && !strings.HasSuffix(layer, "base.txtar") {
			t.Fatal(err)
		}
		if err != nil {
			continue
		}
		for _, f := range archive.Files {
			if f.Name == "remove" {
				for name := range strings.FieldsSeq(string(f.Data)) {
					if err := os.Remove(filepath.Join(dir, name)); err != nil {
						t.Fatal(err)
					}
				}
				continue
			}
			file := filepath.Join(dir, filepath.FromSlash(f.Name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	found, err := collect.Bundle(dir)
	if err != nil {
		t.Fatal(err)
	}
	found.Settings.Limits = input.DefaultLimits()
	return verify.Judge(found.Bundle)
}

// statementOf is the statement about a report as closeout writes it.
func statementOf(t *testing.T, r *report.Report, o statement.Options) *report.Statement {
	t.Helper()
	data, err := report.Canonical(r)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	s, err := statement.New(r, hex.EncodeToString(sum[:]), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGolden(t *testing.T) {
	for name, path := range golden {
		r := judged(t, path)
		got, err := report.CanonicalStatement(statementOf(t, r, statement.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(root, "statement", name+".golden.json")
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %v: the statement is\n%s", name, err, got)
		}
		if verdict := strings.Split(filepath.Base(path), ".")[0]; r.Verdict != verdict {
			t.Errorf("%s: the verdict is %s", name, r.Verdict)
		}
		accepted := r.Verdict == report.Passed || r.Verdict == report.Overridden
		if strings.Contains(string(got), `"PASSED"`) != accepted || strings.Contains(string(got), `"verifiedLevels":["FAILED"]`) == accepted {
			t.Errorf("%s: %s: %s", name, r.Verdict, got)
		}
	}
}

// TestLevels wants the lowest level of all criteria.
func TestLevels(t *testing.T) {
	r := judged(t, golden["passed"])
	for _, c := range []struct{ levels, want string }{
		{"recorded recorded", "RECORDED"}, {"recorded bound", "BOUND"}, {"claimed recorded", "CLAIMED"}, {"bound absent", "ABSENT"}, {"", "ABSENT"},
	} {
		r.Acceptance = nil
		for level := range strings.FieldsSeq(c.levels) {
			r.Acceptance = append(r.Acceptance, report.Acceptance{Level: level})
		}
		s := statementOf(t, r, statement.Options{})
		if got := strings.Join(s.Predicate.VerifiedLevels, " "); !strings.HasSuffix(got, "CLOSEOUT_EVIDENCE_"+c.want) {
			t.Errorf("%s: %s", c.levels, got)
		}
	}
}

// TestPlaces wants addresses of the repository that the report is about, and of no other.
func TestPlaces(t *testing.T) {
	r := judged(t, golden["passed"])
	s := statementOf(t, r, statement.Options{Repository: "https://git.example.com/acme/shop"})
	if s.Predicate.ResourceURI != "https://git.example.com/acme/shop/pull/12" || !strings.HasPrefix(s.Predicate.Policy.URI, "https://git.example.com/acme/shop/blob/") {
		t.Errorf("%+v", s.Predicate)
	}
	for _, other := range []string{"https://github.com/acme/shop2", "https://github.com/other/acme/shop", "https://github.com/evil/shop"} {
		if _, err := statement.New(r, "", statement.Options{Repository: other}); err == nil {
			t.Errorf("%s is accepted", other)
		}
	}
	r.Inputs[0].Path, r.Inputs[1].Path, r.Inputs[1].Ref = `a b/</x>#?.json`, "javascript:alert(1)", nil
	s = statementOf(t, r, statement.Options{})
	if !strings.HasSuffix(s.Predicate.InputAttestations[0].URI, "/a%20b/%3C/x%3E%23%3F.json") || s.Predicate.InputAttestations[1].URI != "javascript%3Aalert%281%29" {
		t.Errorf("%+v", s.Predicate.InputAttestations[:2])
	}
	for _, name := range []string{"shop", "acme/", "/shop", "acme/shop/pull", "../shop", "acme/..", "acme/."} {
		r.Subject.Repository = &name
		if s, err := statement.New(r, "", statement.Options{}); err == nil {
			t.Errorf("the repository %q is accepted: %s", name, s.Predicate.ResourceURI)
		}
	}
}

// TestLacks wants an error where a statement would be about nothing.
func TestLacks(t *testing.T) {
	for want, change := range map[string]func(*report.Report){
		"names no repository":                    func(r *report.Report) { r.Subject.Repository = nil },
		"neither a pull request nor a head":      func(r *report.Report) { r.Subject.PullRequest, r.Subject.HeadSHA = nil, nil },
		"lists no standing contract, so that a ": func(r *report.Report) { r.Inputs = nil },
	} {
		r := judged(t, golden["passed"])
		change(r)
		if _, err := statement.New(r, "", statement.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestParseSubject(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	s, err := statement.ParseSubject("ghcr.io/acme/shop@sha256:1@sha256:" + sum)
	if err != nil || s.Name != "ghcr.io/acme/shop@sha256:1" || s.Digest["sha256"] != sum {
		t.Errorf("%+v %v", s, err)
	}
	for _, text := range []string{"", sum, "@sha256:" + sum, "shop@sha256:" + sum[1:], "shop@sha256:" + strings.ToUpper(sum), "shop@sha512:" + sum, "a\nb@sha256:" + sum} {
		if s, err := statement.ParseSubject(text); err == nil {
			t.Errorf("%q is %+v", text, s)
		}
	}
}

// TestNotJudged wants no statement about a report that says passed because applies_to left out the author.
func TestNotJudged(t *testing.T) {
	r := judged(t, "cases/gate/passed.left-out.txtar")
	if _, err := statement.New(r, strings.Repeat("0", 64), statement.Options{}); err == nil || !strings.Contains(err.Error(), "nothing was judged") {
		t.Errorf("the verdict %s is stated: %v", r.Verdict, err)
	}
}
