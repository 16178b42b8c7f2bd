package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

const (
	provenContract = `{"allowed_files": ["src/**"], "forbidden_files": ["x/**"], "rollback_plan": "revert", "rules": {"required": false},
		"evidence": {"min": "recorded"}, "acceptance_criteria": [{"id": "unit", "run": ["make"], "test_report": "out/junit.xml"}]}`
	green = `<testsuite name="s" tests="1"><testcase name="a"/></testsuite>`
	red   = `<testsuite name="s" tests="1" failures="1"><testcase name="a"><failure/></testcase></testsuite>`
)

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// proven records that the command wrote a test report, on some code.
func proven(exit int, tree, junit string) string {
	return fmt.Sprintf(`{"command":["make"],"exit_code":%d,"tree_before":%q,"tree_after":%[2]q,"produced":[{"path":"out/junit.xml","sha256":%q}]}`+"\n",
		exit, tree, digestOf(junit))
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAgain judges the kept bundle of an item for a later commit: nothing but evidence about that commit can prove it.
func TestAgain(t *testing.T) {
	var h history
	h.commit(1)
	h.put("100644", ".closeout/scope_contract.json", provenContract)
	h.commit(2)
	h.put("100644", "src/a", "item")
	h.commit(3)
	h.put("100644", "src/b", "later item")
	root, first, later := h.repository(t)
	git := openTest(t, root)
	base, err := git.Resolve("main~2")
	if err != nil {
		t.Fatal(err)
	}
	trees := map[string]string{}
	for name, commit := range map[string]string{"kept": first, "now": later} {
		if trees[name], err = git.CodeTree(commit, ".closeout/evidence"); err != nil {
			t.Fatal(err)
		}
	}
	logs, dir := t.TempDir(), filepath.Join(t.TempDir(), "bundle")
	options := func(text string) Options {
		log := filepath.Join(logs, digestOf(text)[:8]+".jsonl")
		writeFile(t, log, text)
		return Options{Root: root, Names: root, Feedback: []string{log}, Settings: verify.Settings{
			Limits: input.DefaultLimits(), Today: "2026-11-23", Digests: []string{"unit=" + digestOf(text)},
		}}
	}
	old := proven(0, trees["kept"], green)
	writeFile(t, filepath.Join(root, "out/junit.xml"), green)
	writeFile(t, filepath.Join(root, DefaultFeedback[:strings.Index(DefaultFeedback, "*")], "feedback_record.jsonl"), proven(0, trees["now"], green)) // planted
	found, err := Trees(git, base, first, options(old))
	if err != nil {
		t.Fatal(err)
	}
	found, err = WriteBundle(dir, found)
	if err != nil {
		t.Fatal(err)
	}
	found.Settings.Limits = input.DefaultLimits()
	if r := verify.Judge(found.Bundle); r.Verdict != report.Passed {
		t.Fatalf("the item: %s %v", r.Verdict, r.Findings)
	}
	ran := proven(0, trees["now"], green)
	for _, test := range []struct {
		name, log, junit string
		change           func(*Options)
		want             string // the first code; "" when it passes
	}{
		{name: "it ran again", log: ran, junit: green},
		{name: "nothing ran", junit: green, want: "feedback.empty"},
		{name: "the log of the bundle", log: old, junit: green, want: "evidence.stale"},
		{name: "it fails now", log: proven(1, trees["now"], green), junit: green, want: "acceptance.failed"},
		{name: "it passed on other code, and fails now", log: old + proven(1, trees["now"], green), junit: green, want: "acceptance.failed"},
		{name: "no report now", log: ran, want: "acceptance.vacuous"},
		{name: "a test fails now", log: proven(0, trees["now"], red), junit: red, want: "acceptance.tests_failed"},
		{name: "a report that no command wrote", log: proven(0, trees["now"], red), junit: green, want: "evidence.below_minimum"},
		{name: "another digest", log: ran, junit: green, want: "evidence.digest_mismatch",
			change: func(o *Options) { o.Settings.Digests = []string{"unit=" + digestOf("other")} }},
		{name: "no digest", log: ran, junit: green, want: "feedback.missing", change: func(o *Options) { o.Settings.Digests = []string{} }},
		{name: "a log that is not there", junit: green, want: "feedback.missing",
			change: func(o *Options) { o.Feedback = []string{filepath.Join(logs, "none.jsonl")} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			writeFile(t, filepath.Join(root, "out/junit.xml"), test.junit)
			if test.junit == "" {
				if err := os.Remove(filepath.Join(root, "out/junit.xml")); err != nil {
					t.Fatal(err)
				}
			}
			o := options(test.log)
			if test.change != nil {
				test.change(&o)
			}
			again, err := Again(dir, Place{git, later}, o)
			if err != nil {
				t.Fatal(err)
			}
			r := verify.Judge(again.Bundle)
			codes := ""
			for _, f := range r.Findings {
				codes += f.Code + " "
			}
			if got := r.Verdict == report.Passed; got != (test.want == "") || !strings.Contains(codes, test.want) {
				t.Errorf("got %s: %s", r.Verdict, codes)
			}
			if *r.Subject.HeadSHA != later || *r.Subject.BaseSHA != base || len(r.Files) != 1 || r.Files[0].Path != "src/a" {
				t.Errorf("it is about %s to %s, %v", *r.Subject.BaseSHA, *r.Subject.HeadSHA, r.Files)
			}
			if len(again.Bundle.Inputs) > 4+len(o.Feedback) {
				t.Errorf("more inputs than one log, contract, changes, rows and facts: %v", again.Bundle.Inputs)
			}
		})
	}
	for _, change := range []func(*Options){func(o *Options) { o.Feedback = nil }, func(o *Options) { o.Settings.Digests = nil }} {
		o := options(ran)
		change(&o)
		if _, err := Again(dir, Place{git, later}, o); err == nil {
			t.Error("the logs of the work tree would count")
		}
	}
	if err := os.Remove(filepath.Join(dir, "facts.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := Again(dir, Place{git, later}, options(ran)); err == nil || !strings.Contains(err.Error(), "facts.json") {
		t.Errorf("without facts: %v", err)
	}
}
