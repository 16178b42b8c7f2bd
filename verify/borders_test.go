package verify_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// impure are the packages that what judges may not import: a decision is a function of the bytes of its inputs. Of
// time, only Duration would be harmless, and no package needs it.
var impure = []string{
	"os", "os/exec", "os/signal", "net", "net/http", "time", "math/rand", "math/rand/v2", "crypto/rand", "log", "log/slog", "syscall",
	"runtime", "runtime/debug", "unsafe", "context", "path/filepath",
}

// outside are the directories of the impure half, and of what only tests import.
var outside = []string{"verify/collect", "verify/record", "verify/session", "verify/loop", "verify/strict/stricttest", "cmd"}

// readers are the packages that read the inputs.
var readers = []string{
	"verify/diag", "verify/glob", "verify/strict", "verify/contract", "verify/feedback", "verify/rules", "verify/change", "verify/facts",
	"verify/results",
}

// allowed says which of our own packages a package may import. Imports go one way.
var allowed = map[string][]string{
	"schema":           nil,
	"verify/diag":      nil,
	"verify/glob":      nil,
	"verify/secrets":   nil,
	"verify/strict":    {"verify/diag"},
	"verify/contract":  {"verify/diag", "verify/glob", "verify/strict"},
	"verify/feedback":  {"verify/diag", "verify/strict", "verify/contract"},
	"verify/rules":     {"verify/diag", "verify/strict"},
	"verify/change":    {"verify/diag", "verify/strict"},
	"verify/facts":     {"verify/diag", "verify/strict", "verify/contract"},
	"verify/results":   {"verify/diag", "verify/strict"},
	"verify/policy":    readers,
	"verify/ledger":    {"verify/diag", "verify/strict", "verify/contract", "verify/feedback"},
	"verify/override":  append(slices.Clip(readers), "verify/report"),
	"verify/check":     append(slices.Clip(readers), "verify/policy", "verify/ledger", "verify/override"),
	"verify/checks":    append(slices.Clip(readers), "verify/policy", "verify/ledger", "verify/override", "verify/check", "verify/report"),
	"verify/lint":      append(slices.Clip(readers), "verify/policy", "verify/ledger", "verify/check", "verify/report"),
	"verify/report":    nil,
	"verify/archive":   {"verify/diag", "verify/strict", "verify/report"},
	"verify/backtest":  {"verify", "verify/diag", "verify/glob", "verify/change", "verify/policy", "verify/report"},
	"verify/audit":     append(slices.Clip(readers), "verify", "verify/archive", "verify/check", "verify/override", "verify/policy", "verify/replay", "verify/report"),
	"verify/item":      {"verify/diag", "verify/glob", "verify/strict", "verify/contract", "verify/policy", "verify/report"},
	"verify/hook":      append(slices.Clip(readers), "verify/policy", "verify/report", "verify/item"),
	"verify/replay":    {"verify", "verify/check", "verify/diag", "verify/facts", "verify/report", "verify/strict"},
	"verify/statement": {"verify/check", "verify/diag", "verify/report", "verify/strict"},
	"verify/output":    {"verify/diag", "verify/archive", "verify/report", "verify/backtest", "verify/item"},
	"verify": append(
		slices.Clip(readers), "verify/policy", "verify/ledger", "verify/override", "verify/check", "verify/checks", "verify/report",
	),
}

// only says which packages alone may import something: the tests of an importer do not count.
var only = map[string][]string{
	"github.com/google/go-github/v62/github": {"verify/collect/github"},
	"net/http":                               {"verify/collect/github", "verify/collect/github/fakehub"},
	module + "verify/collect/github":         {"cmd/closeout"},
	module + "verify/collect/github/fakehub": nil,
	module + "verify/strict/stricttest":      nil,
}

const module = "github.com/closeout-gate/closeout/"

// TestBorders checks the border between collect and judge, and the direction of all imports.
func TestBorders(t *testing.T) {
	packages := 0
	for dir, imports := range importsByPackage(t) {
		if slices.ContainsFunc(outside, func(o string) bool { return dir == o || strings.HasPrefix(dir, o+"/") }) {
			continue
		}
		packages++
		mine, known := allowed[dir]
		if !known {
			t.Errorf("package %s is not in the table of allowed imports", dir)
		}
		for _, imported := range imports {
			own, isOwn := strings.CutPrefix(imported, module)
			if isOwn && !slices.Contains(mine, own) {
				t.Errorf("%s imports %s", dir, own)
			}
			if slices.Contains(impure, imported) {
				t.Errorf("%s imports %s: what judges must be pure", dir, imported)
			}
		}
	}
	if packages != len(allowed) {
		t.Errorf("%d packages judge, the table has %d", packages, len(allowed))
	}
}

// TestOneDoor checks that one package talks to GitHub, and that its stand-in serves tests alone.
func TestOneDoor(t *testing.T) {
	used := map[string]bool{}
	for dir, imports := range importsByPackage(t) {
		for _, imported := range imports {
			may, restricted := only[imported]
			if restricted && !slices.Contains(may, dir) {
				t.Errorf("%s imports %s", dir, imported)
			}
			used[imported] = true
		}
	}
	if !used["net/http"] || !used["github.com/google/go-github/v62/github"] {
		t.Error("no package imports go-github or net/http: the table is out of date")
	}
}

// TestNoSecondJudge checks that what stands beside an agent decides nothing by itself: every verdict comes from Judge.
func TestNoSecondJudge(t *testing.T) {
	found := importsByPackage(t)
	for _, dir := range []string{"verify/hook", "verify/item", "verify/session", "verify/loop"} {
		if len(found[dir]) == 0 {
			t.Errorf("there is no package %s", dir)
		}
		for _, judges := range []string{"verify/check", "verify/checks", "verify/ledger", "verify/override"} {
			if slices.Contains(found[dir], module+judges) {
				t.Errorf("%s imports %s", dir, judges)
			}
		}
	}
}

// importsByPackage lists what the files of each directory import, without tests.
func importsByPackage(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			found[path.Dir(name)] = append(found[path.Dir(name)], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
