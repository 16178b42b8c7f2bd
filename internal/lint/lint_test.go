package lint_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
)

const (
	contractPath = ".closeout/scope_contract.json"
	flowPath     = ".github/workflows/closeout.yml"
)

// clean is a repository without findings.
func clean() map[string]string {
	return map[string]string{
		contractPath:             cleanContract,
		flowPath:                 twoJobs,
		".github/CODEOWNERS":     "* @all\n/.github/ @mona\n/.closeout/ @octo/leads\n",
		".gitignore":             ".closeout/evidence/\n/verification_report.json\nnode_modules/\n",
		"src/app.py":             "",
		"src/signup/form.py":     "",
		"tests/signup/test_a.py": "",
		"docs/intro.md":          "",
		"scripts/red.sh":         "#!/bin/sh\n",
		"Makefile":               "all: build\n\nbuild test: src/app.py\n\ttrue\nFOO := bar\n",
		"justfile":               "set shell := ['bash', '-c']\nalias t := test\n\ntest *args: build\n  pytest\nbuild:\n",
		"web/package.json":       `{"scripts": {"test": "jest", "lint": "eslint ."}}`,
		"web/src/index.ts":       "",
	}
}

const cleanContract = `{
  "allowed_files": ["src/**", "tests/**"],
  "forbidden_files": ["web/**"],
  "acceptance_criteria": [
    {"id": "unit", "run": ["pytest", "-x", "tests/signup"], "test_report": ".closeout/evidence/unit.xml"},
    {"id": "red", "run": ["./scripts/red.sh"], "expect": "fail", "proves": "unit"}, ` + listed + `
  ],
  "override": {"never": ["contract.changed"]},
  "rollback_plan": "Revert."` + block + `
}
`

// The tests that the clean contract lists, and a criterion for them that no case edits.
const (
	listed = `{"id": "all", "run": ["./scripts/red.sh", "a"], "test_report": ".closeout/evidence/all.xml"}, ` +
		`{"id": "all-red", "run": ["./scripts/red.sh", "b"], "expect": "fail", "proves": "all"}`
	block = `, "tests": [{"files": ["tests/**", "**/conftest.py"], "criteria": ["all"]}]`
)

// edit changes one text of the clean repository.
type edit struct{ path, old, new string }

// criterion replaces the criteria of the contract by one command, which a negative control proves.
func criterion(run string) edit {
	return edit{contractPath, `["pytest", "-x", "tests/signup"], "test_report": ".closeout/evidence/unit.xml"`, run}
}

func allowed(list string) edit { return edit{contractPath, `["src/**", "tests/**"]`, list} }

// exception adds an exception that ends as a text says.
func exception(until string) edit {
	return edit{contractPath, `"override"`, `"rules": {"ignore": [{"id": "r", "files": "src/**", "reason": "a"` + until + `}]}, "override"`}
}

func override(text string) edit { return edit{contractPath, `{"never": ["contract.changed"]}`, text} }
func flow(old, new string) edit { return edit{flowPath, old, new} }
func file(path, text string) edit {
	return edit{path: path, new: text}
}

const (
	removed = "\x00"
	tests   = `, "test_report": "a.xml"`
)

// apply applies edits; a text that is to be replaced must be there.
func apply(t *testing.T, files map[string]string, edits []edit) {
	t.Helper()
	for _, e := range edits {
		switch {
		case e.new == removed:
			delete(files, e.path)
		case e.old == "":
			files[e.path] = e.new
		case !strings.Contains(files[e.path], e.old):
			t.Fatalf("%s does not contain %q", e.path, e.old)
		default:
			files[e.path] = strings.Replace(files[e.path], e.old, e.new, 1)
		}
	}
}

// shown writes findings as lines: severity, code, place.
func shown(found *check.Findings) (lines []string) {
	for _, f := range found.List() {
		lines = append(lines, fmt.Sprintf("%s %s %s:%d:%d %s → %s", f.Severity, f.Code, f.Path, f.Pos.Line, f.Pos.Column, f.Message, f.Fix))
	}
	return lines
}

func TestCleanRepository(t *testing.T) {
	if lines := shown(lint.Run(lint.Texts(clean()))); lines != nil {
		t.Errorf("found %s", strings.Join(lines, "\n"))
	}
}

// TestCases edits the clean repository. Each case has one finding, with this severity and text, or none when want is "".
func TestCases(t *testing.T) {
	red, harmless := map[string]bool{}, map[string]bool{}
	for _, c := range slices.Concat(contractCases, commandCases, workflowCases) {
		t.Run(c.code+"/"+c.name, func(t *testing.T) {
			files := clean()
			apply(t, files, c.edits)
			in := lint.Texts(files)
			in.Read = readable(in.Read)
			in.Today = "2026-03-01"
			in.DiffRules = []string{"closeout/new-dependency", "closeout/test-skipped"}
			lines := shown(lint.Run(in))
			if c.want == "" {
				harmless[c.code] = true
				if slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, " lint."+c.code+" ") }) {
					t.Errorf("found %s", strings.Join(lines, "\n"))
				}
				return
			}
			red[c.code] = true
			want := string(c.severity) + " lint." + c.code + " "
			found := slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l, want) })
			if len(found) != 1 || !strings.Contains(found[0], c.want) {
				t.Errorf("found %q, expected one with %q", found, c.want)
			}
		})
	}
	for _, p := range lint.Pages {
		for _, k := range p.Codes {
			code := strings.TrimPrefix(k.Name, "lint.")
			if !red[code] || !harmless[code] {
				t.Errorf("%s requires a case with a finding and one without", k.Name)
			}
		}
	}
}

// readable refuses files that are to be unreadable.
func readable(read func(string) ([]byte, error)) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		text, err := read(path)
		if string(text) == unreadable {
			return nil, errors.New("permission denied")
		}
		return text, err
	}
}

// lintCase is an edit of the clean repository, and what is found then.
type lintCase struct {
	code     string // without lint.
	name     string
	edits    []edit
	severity input.Severity
	want     string // a part of the line of the finding; "" when there is none of this code
}

// TestEveryCodeIsDocumented wants a page for each group of codes, and a section for each code, as for the gate's checks.
func TestEveryCodeIsDocumented(t *testing.T) {
	for _, p := range lint.Pages {
		page := lint.Doc(p.ID)
		if !strings.HasPrefix(page, "# "+p.ID+": "+p.Title+"\n") {
			t.Errorf("%s.md does not begin with its title", p.ID)
		}
		for _, k := range p.Codes {
			_, rest, found := strings.Cut(page, "\n## "+k.Name+"\n")
			section, _, _ := strings.Cut(rest, "\n## ")
			if !found || !strings.HasPrefix(strings.TrimSpace(section), "*"+string(k.Severity)+"*") || !strings.Contains(section, "How to fix:") {
				t.Errorf("%s: its section must begin with *%s* and contain \"How to fix:\"", k.Name, k.Severity)
			}
		}
		if sections := strings.Count(page, "\n## "); sections != len(p.Codes) {
			t.Errorf("%s.md has %d sections for %d codes", p.ID, sections, len(p.Codes))
		}
	}
}

// TestOwnWorkflows lints the workflows of the documentation, each where a user would put it.
func TestOwnWorkflows(t *testing.T) {
	names, err := filepath.Glob("../../docs/workflows/*.yml")
	if err != nil || len(names) < 4 {
		t.Fatalf("found only %q, %v", names, err)
	}
	for _, name := range append(names, "../../.github/workflows/closeout.yml") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files := clean()
		if base := filepath.Base(name); base == "archive.yml" || base == "items.yml" {
			files[".github/workflows/"+base] = string(text) // beside a gate
		} else {
			files[flowPath] = string(text)
		}
		if strings.HasSuffix(name, "one-job.yml") {
			apply(t, files, []edit{{contractPath, `"override"`, `"evidence": {"min": "bound"}, "override"`}})
		}
		if lines := shown(lint.Run(lint.Texts(files))); lines != nil {
			t.Errorf("%s: found %s", name, strings.Join(lines, "\n"))
		}
	}
}

// TestOwnRepository lints the workflows of this repository, which call each other.
func TestOwnRepository(t *testing.T) {
	files := clean()
	delete(files, flowPath)
	for _, pattern := range []string{".github/workflows/*", ".github/actions/*/*", "action.yml"} {
		names, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("found no %s, %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[strings.TrimPrefix(filepath.ToSlash(name), "../../")] = string(text)
		}
	}
	if lines := shown(lint.Run(lint.Texts(files))); lines != nil {
		t.Errorf("found %s", strings.Join(lines, "\n"))
	}
}

// TestSame wants the same bytes for the same files in any order.
func TestSame(t *testing.T) {
	files := clean()
	apply(t, files, []edit{allowed(`["srcc/**", "lib/**"]`), {path: ".gitignore", new: ""}})
	in := lint.Texts(files)
	slices.SortFunc(in.Files, func(a, b lint.File) int { return strings.Compare(b.Path, a.Path) })
	first, second := shown(lint.Run(in)), shown(lint.Run(lint.Texts(files)))
	if len(first) < 4 || !slices.Equal(first, second) {
		t.Errorf("found %q, then %q", first, second)
	}
}

// TestAllErrors wants all errors of a contract at once.
func TestAllErrors(t *testing.T) {
	files := clean()
	files[contractPath] = "{\n  \"allowed_files\": [],\n  \"forbiden_files\": [\"a\"]\n}\n"
	var lines []string
	for _, line := range shown(lint.Run(lint.Texts(files))) {
		if strings.Contains(line, "lint.contract") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 4 || !slices.ContainsFunc(lines, func(l string) bool {
		return strings.Contains(l, contractPath+`:3:3 the key "forbiden_files" is unknown`)
	}) {
		t.Errorf("found %s", strings.Join(lines, "\n"))
	}
}

// TestUntracked lints a work tree whose files git does not track yet.
func TestUntracked(t *testing.T) {
	files := clean()
	in := lint.Texts(files)
	in.Files = slices.DeleteFunc(in.Files, func(f lint.File) bool { return strings.HasPrefix(f.Path, ".") || f.Path == "scripts/red.sh" })
	in.Stat = func(path string) (change.Mode, bool) {
		_, ok := files[path]
		return change.Executable, ok
	}
	in.List = func(dir string) (names []string) {
		for path := range maps.Keys(files) {
			if filepath.Dir(path) == dir {
				names = append(names, filepath.Base(path))
			}
		}
		return names
	}
	if lines := shown(lint.Run(in)); lines != nil {
		t.Errorf("found %s", strings.Join(lines, "\n"))
	}
}

// TestProgram looks for programs in PATH.
func TestProgram(t *testing.T) {
	in := lint.Texts(clean())
	in.Program = func(name string) bool { return name != "pytest" }
	lines := shown(lint.Run(in))
	if len(lines) != 1 || !strings.Contains(lines[0], `warn lint.command_missing `+contractPath+`:5:5 the criterion unit (pytest -x tests/signup): "pytest" is not in PATH`) {
		t.Errorf("found %q", lines)
	}
	in.Program = func(string) bool { return true }
	if lines := shown(lint.Run(in)); lines != nil {
		t.Errorf("found %q", lines)
	}
}

// TestNamedContract lints a contract in place of the standing one.
func TestNamedContract(t *testing.T) {
	in := lint.Texts(clean())
	in.Contract = &lint.Document{Path: "new.json", Text: bytes.Replace([]byte(cleanContract), []byte("src/**"), []byte("srcc/**"), 1)}
	lines := shown(lint.Run(in))
	if len(lines) != 1 || !strings.Contains(lines[0], `new.json:2:21 "srcc/**" in allowed_files matches no tracked file → write "src/**"`) {
		t.Errorf("found %q", lines)
	}
}

// TestWithoutGit says what is not checked where git does not run, and reports nothing about it where there is no work tree.
func TestWithoutGit(t *testing.T) {
	files := clean()
	delete(files, ".gitignore")
	in := lint.Texts(files)
	in.Ignored = func(string) (bool, error) { return false, errors.New("no git") }
	lines := shown(lint.Run(in))
	if len(lines) != 1 || !strings.Contains(lines[0], "info lint.not_checked .gitignore:0:0 git check-ignore failed: no git") {
		t.Errorf("found %q", lines)
	}
	in.Ignored = nil
	if lines := shown(lint.Run(in)); lines != nil {
		t.Errorf("found %q", lines)
	}
}

// TestPartial checks no patterns where git does not list all files.
func TestPartial(t *testing.T) {
	in := lint.Texts(clean())
	in.Partial = true
	lines := shown(lint.Run(in))
	if len(lines) != 1 || !strings.Contains(lines[0], "info lint.not_checked "+contractPath) {
		t.Errorf("found %q", lines)
	}
}
