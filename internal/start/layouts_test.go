package start_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"golang.org/x/tools/txtar"

	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/internal/start"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

var update = flag.Bool("update", false, "write what the layouts expect")

const (
	want     = "want"
	workflow = ".github/workflows/closeout.yml"
)

// blobs are files by their id.
type blobs map[string][]byte

func (b blobs) Blob(id string, limit int64) ([]byte, error) {
	if int64(len(b[id])) > limit {
		return nil, fmt.Errorf("the blob has %d bytes, and at most %d are read", len(b[id]), limit)
	}
	return b[id], nil
}

// commit makes the files of a commit. A name with a ! at its end can be executed.
func commit(files map[string]string) ([]change.Change, blobs) {
	var list []change.Change
	b := blobs{}
	for name, text := range files {
		sum := sha256.Sum256([]byte(text))
		id := hex.EncodeToString(sum[:20])
		b[id] = []byte(text)
		mode := change.Mode("100644")
		if plain, ok := strings.CutSuffix(name, "!"); ok {
			name, mode = plain, "100755"
		}
		list = append(list, change.Change{Path: name, Status: change.Added, NewMode: mode, NewID: id})
	}
	slices.SortFunc(list, func(a, b change.Change) int { return strings.Compare(a.Path, b.Path) })
	return list, b
}

// eachLayout runs a test for each archive that a pattern matches; there must be at least so many.
func eachLayout(t *testing.T, pattern string, least int, test func(t *testing.T, path string, a *txtar.Archive)) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) < least {
		t.Fatalf("%d layouts, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			test(t, path, a)
		})
	}
}

// TestLayouts plans the contract of repositories of each kind, and compares it with what a person read once.
func TestLayouts(t *testing.T) {
	eachLayout(t, "testdata/layouts/*.txtar", 10, func(t *testing.T, path string, a *txtar.Archive) {
		files := map[string]string{}
		for _, f := range a.Files {
			files[f.Name] = string(f.Data)
		}
		expected := files[want]
		delete(files, want)
		got := planned(t, files)
		if *update {
			a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == want })
			a.Files = append(a.Files, txtar.File{Name: want, Data: []byte(got)})
			if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != expected {
			t.Errorf("got:\n%s\nexpected:\n%s", got, expected)
		}
	})
}

// TestFirstDay lints what init wrote: nothing of it may be a mistake already.
func TestFirstDay(t *testing.T) {
	paths, err := filepath.Glob("testdata/layouts/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	clean := 0
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, f := range a.Files {
			files[f.Name] = string(f.Data)
		}
		delete(files, want)
		list, source := commit(files)
		plan, err := start.New(list, source, start.Options{})
		if errors.Is(err, start.ErrNoTests) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		in := lint.Input{}
		for _, c := range list {
			in.Files = append(in.Files, lint.File{Path: c.Path, Mode: c.NewMode})
		}
		texts := map[string]string{}
		for name, text := range files {
			texts[strings.TrimSuffix(name, "!")] = text
		}
		for _, f := range plan.Files {
			texts[f.Path] = string(f.Data)
			in.Files = append(in.Files, lint.File{Path: f.Path, Mode: "100644"})
		}
		if _, tracked := texts[".gitignore"]; !tracked {
			in.Files = append(in.Files, lint.File{Path: ".gitignore", Mode: "100644"})
		}
		ignore, _ := start.WithIgnored(files[".gitignore"], plan.Ignore)
		in.Read = func(path string) ([]byte, error) {
			if text, ok := texts[path]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}
		in.Ignored = func(path string) (bool, error) { return start.Ignored(ignore, path), nil }
		found := lint.Run(in)
		for _, f := range found.List() {
			t.Errorf("%s: %s:%d: %s: %s", path, f.Path, f.Pos.Line, f.Code, f.Message)
		}
		if found.Len() == 0 {
			clean++
		}
	}
	if clean < 10 {
		t.Errorf("%d layouts without a finding", clean)
	}
}

// planned is what init would write, as text, after it is checked.
func planned(t *testing.T, files map[string]string) string {
	t.Helper()
	list, source := commit(files)
	plan, err := start.New(list, source, start.Options{})
	var b strings.Builder
	switch {
	case errors.Is(err, start.ErrNoTests):
		fmt.Fprintf(&b, "error: %v\n", err)
	case err != nil:
		t.Fatal(err)
	default:
		c := parsed(t, plan.Files[0])
		covers(t, c, list)
		sameAsYAML(t, c, list, source)
		lintWorkflow(t, plan)
		b.WriteString(withoutSchema(t, string(plan.Files[0].Data)))
		for _, f := range plan.Files[1:] {
			fmt.Fprintf(&b, "file: %s\n", f.Path)
		}
		b.WriteString(setupOf(t, plan))
	}
	for _, line := range plan.Ignore {
		fmt.Fprintf(&b, "ignore: %s\n", line)
	}
	for _, note := range plan.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	return b.String()
}

// TestNewFilesAreInScope adds to each layout what honest changes add: a package of its language, and documents of a project.
func TestNewFilesAreInScope(t *testing.T) {
	for _, c := range []struct {
		name        string
		files       []string
		in, outside []string
	}{
		{"go", []string{"go.mod", "a.go", "a_test.go", "README.md"},
			[]string{"store/store.go", "internal/x/x_test.go", "SECURITY.md", "CITATION.cff"},
			[]string{"deploy/production.yaml", "store/run.sh", "tools/gen.py", "vendor/SECURITY.md"}},
		{"python", []string{"pyproject.toml", "src/a/__init__.py", "tests/test_a.py", "README.rst"},
			[]string{"bench/run.py", "SECURITY.md", "CITATION.cff", "CHANGES.txt"}, []string{"Dockerfile", "bench/data.json"}},
		{"one file of another language", append([]string{"go.mod", "README.md", "site/x.js"}, many(20, "p%d.go")...),
			[]string{"q/q.go", "site/y.js"}, []string{"web/app.js"}},
		{"no documents", []string{"go.mod", "a.go", "a_test.go"}, []string{"b/b.go"}, []string{"SECURITY.md"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{}
			for _, name := range c.files {
				files[name] = ""
			}
			list, source := commit(files)
			plan, err := start.New(list, source, start.Options{Test: []string{"true"}})
			if err != nil {
				t.Fatal(err)
			}
			allowed := compiled(parsed(t, plan.Files[0]).AllowedFiles)
			for _, name := range c.in {
				if !allowed.Match(name) {
					t.Errorf("%s is off scope", name)
				}
			}
			for _, name := range c.outside {
				if allowed.Match(name) {
					t.Errorf("%s is in scope", name)
				}
			}
		})
	}
}

// TestRealLayouts makes the contract for names of the trees of real repositories, of which each archive says which were taken. It says
// what of the files that their next merges added would be outside of the scope, and a new package and new documents must be in it.
func TestRealLayouts(t *testing.T) {
	eachLayout(t, "testdata/real/*.txtar", 17, func(t *testing.T, path string, a *txtar.Archive) {
		tree, added := strings.Fields(string(a.Files[0].Data)), strings.Fields(string(a.Files[1].Data))
		files := map[string]string{}
		for _, name := range tree {
			files[name] = ""
		}
		list, source := commit(files)
		plan, err := start.New(list, source, start.Options{Test: []string{"true"}, YAML: true})
		if err != nil {
			t.Fatal(err)
		}
		allowed := compiled(parsed(t, plan.Files[0]).AllowedFiles)
		got := ""
		for _, name := range added {
			if !allowed.Match(name) {
				got += name + "\n"
			}
		}
		if *update {
			a.Files = append(a.Files[:2], txtar.File{Name: "off scope", Data: []byte(got)})
			if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want := string(a.Files[2].Data); got != want {
			t.Errorf("off scope:\n%swant:\n%s", got, want)
		}
		for _, name := range []string{"SECURITY.md", "CITATION.cff", "new-package/new" + commonKind(tree)} {
			if !allowed.Match(name) {
				t.Errorf("%s is off scope", name)
			}
		}
		for _, name := range []string{"off-scope/try", "deploy-new/production.yaml", "vendor-new/lib.so"} {
			if allowed.Match(name) {
				t.Errorf("%s is in scope", name)
			}
		}
	})
}

// commonKind is the extension of source that most directories of the root have.
func commonKind(tree []string) string {
	kinds, best := map[string]int{}, ""
	for _, name := range tree {
		if ext := filepath.Ext(name); strings.Contains(name, "/") && slices.Contains([]string{".cs", ".go", ".java", ".js", ".kt", ".py", ".rb", ".rs", ".ts"}, ext) {
			if kinds[ext]++; kinds[ext] > kinds[best] || kinds[ext] == kinds[best] && ext < best {
				best = ext
			}
		}
	}
	return best
}

// many makes names by a pattern.
func many(n int, pattern string) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(pattern, i))
	}
	return list
}

// withoutSchema cuts out the line with the schema, which changes with each version.
func withoutSchema(t *testing.T, text string) string {
	t.Helper()
	before, rest, found := strings.Cut(text, "  \"$schema\": ")
	url, after, _ := strings.Cut(rest, ",\n")
	if !found || !strings.HasSuffix(url, "/v"+verify.Version+"/schema/scope_contract.schema.json\"") {
		t.Errorf("no schema in %s", text)
	}
	return before + after
}

func parsed(t *testing.T, f start.File) *contract.Contract {
	t.Helper()
	c, errs := contract.Parse(f.Path, f.Data, input.DefaultLimits())
	for _, e := range errs.All() {
		t.Errorf("%s:%d: %s", f.Path, e.Pos.Line, e.Message)
	}
	if c != nil {
		_, problems := policy.JoinGroup([]policy.Source{{Contract: c, Kind: "contract", Path: f.Path}}, "")
		for _, p := range problems {
			t.Errorf("%s: %s", f.Path, p.Error.Message)
		}
	}
	if c == nil || !slices.ContainsFunc(c.Criteria, func(c contract.Criterion) bool { return !c.ExpectFail }) {
		t.Fatalf("no criterion that must pass in %s", f.Data)
	}
	return c
}

// compiled is the set of some patterns.
func compiled(list []contract.Pattern) *glob.Set {
	var patterns []glob.Pattern
	for _, p := range list {
		patterns = append(patterns, p.Glob)
	}
	return glob.Compile(patterns)
}

// covers checks that each tracked file that a change may touch is allowed, that none is forbidden, and that the patterns do not
// allow everything.
func covers(t *testing.T, c *contract.Contract, files []change.Change) {
	t.Helper()
	for _, p := range slices.Concat(c.AllowedFiles, c.ForbiddenFiles) {
		if p.Glob.Universal() {
			t.Errorf("the pattern %s matches everything", p.Value)
		}
	}
	allowed, forbidden := compiled(c.AllowedFiles), compiled(c.ForbiddenFiles)
	for _, f := range files {
		if forbidden.Match(f.Path) {
			t.Errorf("%s is tracked, and forbidden", f.Path)
		}
		if strings.HasPrefix(f.Path, "src/") && !allowed.Match(f.Path) {
			t.Errorf("%s is tracked, and not allowed", f.Path)
		}
	}
	for _, other := range []string{"new/production.yaml", "new/file.sh", "new/notes.md", ".closeout/scope_contract.json"} {
		if allowed.Match(other) {
			t.Errorf("%s is not tracked, and allowed", other)
		}
	}
}

// sameAsYAML checks that the YAML says what the JSON says.
func sameAsYAML(t *testing.T, c *contract.Contract, files []change.Change, source blobs) {
	t.Helper()
	plan, err := start.New(files, source, start.Options{YAML: true})
	if err != nil {
		t.Fatal(err)
	}
	y := parsed(t, plan.Files[0])
	for _, side := range []*contract.Contract{c, y} {
		side.Keys, side.Rules.Pos = nil, c.Rules.Pos
		for i := range side.Tests {
			rule := &side.Tests[i]
			rule.Pos = c.Rules.Pos
			for k := range rule.Files {
				rule.Files[k].Pos = c.Rules.Pos
			}
			for k := range rule.Criteria {
				rule.Criteria[k].Pos = c.Rules.Pos
			}
		}
		for i := range side.Criteria {
			side.Criteria[i].Pos, side.Criteria[i].Proves.Pos = c.Rules.Pos, c.Rules.Pos
		}
	}
	if !reflect.DeepEqual(c.Criteria, y.Criteria) || !reflect.DeepEqual(c.Tests, y.Tests) || !reflect.DeepEqual(c.Rules, y.Rules) || c.RollbackPlan.Value != y.RollbackPlan.Value {
		t.Errorf("the YAML differs:\n%s", plan.Files[0].Data)
	}
	for i, p := range c.AllowedFiles {
		if y.AllowedFiles[i].Value != p.Value {
			t.Errorf("the YAML allows %q instead of %q", y.AllowedFiles[i].Value, p.Value)
		}
	}
	if bytes.Count(plan.Files[0].Data, []byte("\n# ")) < 5 {
		t.Errorf("the YAML lacks comments:\n%s", plan.Files[0].Data)
	}
}

func workflowOf(t *testing.T, plan *start.Plan) string {
	t.Helper()
	last := plan.Files[len(plan.Files)-1]
	if last.Path != workflow {
		t.Fatalf("the last file is %s", last.Path)
	}
	return string(last.Data)
}

func lintWorkflow(t *testing.T, plan *start.Plan) {
	t.Helper()
	text := workflowOf(t, plan)
	linter, err := actionlint.NewLinter(&bytes.Buffer{}, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	errs, err := linter.Lint(workflow, []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range errs {
		t.Error(e)
	}
	if strings.Count(text, "\n          mode: observe\n") != 1 {
		t.Error("the workflow does not observe")
	}
}

// setupOf is what differs between the workflow and the one in the documentation.
func setupOf(t *testing.T, plan *start.Plan) string {
	t.Helper()
	documented := strings.Split(string(embeddedWorkflow(t)), "\n")
	var b strings.Builder
	for _, line := range strings.Split(workflowOf(t, plan), "\n") {
		if !slices.Contains(documented, line) && !strings.Contains(line, "observe") && !strings.Contains(line, lint.RolloutNote) {
			b.WriteString("workflow:" + line + "\n")
		}
	}
	return b.String()
}

func embeddedWorkflow(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("two-jobs.yml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func documentedWorkflow(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("../../docs/workflows/two-jobs.yml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestWorkflowIsTheDocumentedOne compares the embedded workflow with the one that the documentation shows and tests.
func TestWorkflowIsTheDocumentedOne(t *testing.T) {
	data := documentedWorkflow(t)
	if *update {
		if err := os.WriteFile("two-jobs.yml", data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(embeddedWorkflow(t), data) {
		t.Error("two-jobs.yml is not docs/workflows/two-jobs.yml: run go test ./internal/start -update")
	}
}
