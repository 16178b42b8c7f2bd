package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/rules"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
)

var update = flag.Bool("update", false, "write generated documents and goldens")

const repository = "../.."

// printed runs the program in this process and returns what it prints and its exit status.
func printed(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out, errs bytes.Buffer
	status := execute(args, console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	if errs.Len() > 0 {
		t.Fatalf("closeout %q: %s", args, errs.String())
	}
	return out.String(), status
}

// compare compares a generated text with the file that it was written to.
func compare(t *testing.T, path, got string) {
	t.Helper()
	path = filepath.Join(repository, path)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is out of date: run go test ./cmd/closeout -update", path)
	}
}

// TestExample checks the example of the README: its report, and what the README shows of it.
func TestExample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	text, status := printed(t, "verify", filepath.Join(repository, "testdata/example"), "--report", path)
	if status != run.ExitFailed {
		t.Fatalf("the example ends with %d", status)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "testdata/example.failed.golden.json", string(data))

	readme, err := os.ReadFile(filepath.Join(repository, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := "<!-- example:begin -->\n```text\n" + text + "```\n<!-- example:end -->"
	shown := regexp.MustCompile(`(?s)<!-- example:begin -->.*<!-- example:end -->`).ReplaceAllLiteralString(string(readme), block)
	compare(t, "README.md", shown)
}

// TestRuleBook compares docs/reference/codes.md with what the program explains.
func TestRuleBook(t *testing.T) {
	text, _ := printed(t, "explain")
	compare(t, "docs/reference/codes.md", text)
}

// TestDiffRuleBook compares docs/reference/rules.md with the pages of the diff rules.
func TestDiffRuleBook(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Diff rules

The gate compares the merge base with the head by rules of its own: [the check diffrules](codes.md) judges what
they find, [the recipes](../recipes.md#change-the-severity-of-a-diff-rule) say how the contract changes their
severity, and [the limits](limits.md#diff-rules) what they read. This page is made from
` + "`closeout explain closeout/RULE`" + `.

## What they do not see

The rules read the text of changed files. They run nothing and know no types. A change without findings has none of the
patterns below, no more:

- Only the named languages are read as code. In others (PHP, Kotlin, Swift, C and C++), only the rules about any file look.
- What was weak at the merge base, and what is weakened bit by bit over several pull requests: each is compared with its own base.
- A test that checks less through a helper, a fixture or data that it reads, or whose name a program computes. That a test
  stopped running without a trace in its file shows only where the
  [test reports of the base](../recipes.md#compare-with-the-tests-of-the-base-branch) are compared.
- Expected values that fit a wrong program.
- New tests that were never good. A [negative control](../recipes.md#prove-that-a-test-can-fail) shows that a test can fail.
- Symlinks, submodules, binary files, generated files that are not committed, and what is larger than [the limits](limits.md#diff-rules).
- The configuration of test runners and linters, except thresholds and suppressions: the list of
  [protected files](codes.md#scopeprotected) covers it.
- A bundle without ` + "`diff_rules.json`" + `: nothing was looked at.

"Quiet" and "Measured" on a page say what the rule leaves alone on purpose, and how often it was right.

## The rules

| rule | severity | languages | |
|---|---|---|---|
`)
	for _, id := range rules.IDs() {
		r := rules.ByID(id)
		anchor := strings.ReplaceAll(id, "/", "")
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s |\n", id, anchor, r.Severity, r.About(), r.Title)
	}
	for _, id := range rules.IDs() {
		title, rest, _ := strings.Cut(rules.ByID(id).Page(), "\n")
		_, title, _ = strings.Cut(title, ": ")
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n%s", id, title, rest)
	}
	compare(t, "docs/reference/rules.md", b.String())
}

// TestSoftStart compares the recipe for a soft start with the rules that block.
func TestSoftStart(t *testing.T) {
	var rows []string
	for _, id := range rules.IDs() {
		if rules.ByID(id).Severity == input.Block {
			rows = append(rows, `      {"id": "`+id+`", "severity": "warn"}`)
		}
	}
	text := read(t, filepath.Join(repository, "docs/recipes.md"))
	_, rest, _ := strings.Cut(text, "To start softly, ")
	_, rest, _ = strings.Cut(rest, "\"catalogue\": [\n")
	list, _, found := strings.Cut(rest, "\n    ]")
	if !found {
		t.Fatal("docs/recipes.md has no list for a soft start")
	}
	compare(t, "docs/recipes.md", strings.Replace(text, list, strings.Join(rows, ",\n"), 1))
}

// TestCommandsAreDocumented wants an example in the help of every command, and every flag of verify in the docs.
func TestCommandsAreDocumented(t *testing.T) {
	root := newRoot(console.Streams{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	for _, c := range root.Commands() {
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no example or no short help", c.Name())
		}
	}
}

// TestActionInputs wants every input that the action reads in action.yml, every output that it writes, and no others.
func TestActionInputs(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	source, manifest := "", read(filepath.Join(repository, "action.yml"))
	for _, name := range []string{"action.go", "inputs.go", "results.go"} {
		source += read(filepath.Join(repository, "internal/github/action", name))
	}
	inputs, outputs, found := strings.Cut(manifest, "\noutputs:\n")
	if !found {
		t.Fatal("action.yml has no outputs")
	}
	outputs, _, _ = strings.Cut(outputs, "\nruns:\n")
	for section, used := range map[string]*regexp.Regexp{
		inputs:  regexp.MustCompile(`(?:a|action)\.(?:input|list|flag)\("([a-z0-9_]+)"\)`),
		outputs: regexp.MustCompile(`\{"([a-z0-9_]+)", `),
	} {
		names := map[string]bool{}
		for _, m := range used.FindAllStringSubmatch(source, -1) {
			names[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`(?m)^  ([a-z0-9_]+):$`).FindAllStringSubmatch(section, -1) {
			if !names[m[1]] {
				t.Errorf("action.yml declares %s, which the action does not use", m[1])
			}
			delete(names, m[1])
		}
		for name := range names {
			t.Errorf("action.yml does not declare %s", name)
		}
	}
}
