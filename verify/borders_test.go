package verify_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// impure are the packages that a pure package may not import: a decision is a function of the bytes of its inputs. Of time, only
// Duration would be harmless, and no package needs it.
var impure = []string{
	"os", "os/exec", "os/signal", "net", "net/http", "time", "math/rand", "math/rand/v2", "crypto/rand", "log", "log/slog", "syscall",
	"runtime", "runtime/debug", "unsafe", "context", "path/filepath",
}

// readers are the packages that read the inputs.
var readers = []string{
	"verify/input", "verify/glob", "verify/contract", "verify/feedback", "verify/reports", "verify/change", "verify/facts",
}

// judges says which of our own packages each package of the decision may import. Imports go one way, and none leads out of verify.
var judges = map[string][]string{
	"verify/input":     nil,
	"verify/glob":      nil,
	"verify/report":    {"verify/input"},
	"verify/contract":  {"verify/input", "verify/glob"},
	"verify/feedback":  {"verify/input", "verify/contract"},
	"verify/reports":   {"verify/input"},
	"verify/change":    {"verify/input"},
	"verify/facts":     {"verify/input", "verify/contract"},
	"verify/ecosystem": nil,
	"verify/policy":    append(slices.Clip(readers), "verify/ecosystem"),
	"verify/proof":     {"verify/input", "verify/contract", "verify/feedback", "verify/ecosystem"},
	"verify/override":  append(slices.Clip(readers), "verify/report"),
	"verify/check":     append(slices.Clip(readers), "verify/policy", "verify/proof", "verify/override", "verify/report"),
	"verify/checks":    append(slices.Clip(readers), "verify/policy", "verify/proof", "verify/override", "verify/report", "verify/check"),
	"verify/replay":    {"verify", "verify/input", "verify/report"},
	"verify": append(slices.Clip(readers), "verify/policy", "verify/proof", "verify/override", "verify/report", "verify/check",
		"verify/checks"),
}

// pure are the packages outside of the decision that know no system either: what they say is a function of what they are given.
var pure = []string{
	"schema", "internal/lint", "internal/present", "internal/present/page", "internal/start/backtest", "internal/rules/secrets", "internal/agent/item",
	"internal/agent/hook", "internal/audit/archive", "internal/audit/audit", "internal/audit/pages", "internal/audit/statement",
}

// gate are the rooms that decide and show what a pull request meets. Nothing in them knows what stands beside an agent, or what
// happens a year later.
var gate = []string{
	"verify", "internal/collect", "internal/git", "internal/github", "internal/record", "internal/run", "internal/rules", "internal/source",
	"internal/toolchain", "internal/present", "internal/lint", "internal/start",
}

// only says which packages alone may import something: the tests of an importer do not count.
var only = map[string][]string{
	"github.com/google/go-github/v62/github": {"internal/github"},
	"net/http":                               {"internal/github", "internal/testkit/fakehub"},
	module + "internal/github": {
		"internal/run", // the event of a workflow names the base
		"internal/github/action",
		"internal/audit/find", // it asks which decision let a commit in
	},
	"maragu.dev/gomponents":                {"internal/present/page"},
	module + "internal/testkit/fakehub":    nil,
	module + "internal/testkit/memory":     nil,
	module + "internal/testkit/pagetest":   nil,
	module + "internal/testkit/stricttest": nil,
}

const module = "github.com/closeout-gate/closeout/"

// within reports whether a package is in one of some rooms.
func within(dir string, rooms ...string) bool {
	return slices.ContainsFunc(rooms, func(room string) bool { return dir == room || strings.HasPrefix(dir, room+"/") })
}

// TestBorders checks the direction of all imports: the decision stands alone, and knows no system.
func TestBorders(t *testing.T) {
	found := importsByPackage(t)
	for dir, imports := range found {
		may, known := judges[dir]
		if within(dir, "verify") && !known {
			t.Errorf("package %s is not in the table of allowed imports", dir)
		}
		for _, imported := range imports {
			own, isOwn := strings.CutPrefix(imported, module)
			if known && isOwn && !slices.Contains(may, own) {
				t.Errorf("%s imports %s", dir, own)
			}
			if (known || slices.Contains(pure, dir)) && slices.Contains(impure, imported) {
				t.Errorf("%s imports %s, and it must be pure", dir, imported)
			}
			if isOwn && within(dir, gate...) && within(own, "internal/agent", "internal/audit") {
				t.Errorf("%s imports %s: the gate knows neither agent nor audit", dir, own)
			}
			if within(dir, "internal/agent") && within(own, "internal/audit") {
				t.Errorf("%s imports %s: what is beside an agent knows nothing of a year later", dir, own)
			}
		}
	}
	for _, dir := range slices.Concat(pure, gate) {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(found)), func(p string) bool { return within(p, dir) }) {
			t.Errorf("there is no package %s: the table is out of date", dir)
		}
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
	agents := 0
	for dir, imports := range importsByPackage(t) {
		if !within(dir, "internal/agent") {
			continue
		}
		agents++
		for _, decides := range []string{"verify/check", "verify/checks", "verify/proof", "verify/override"} {
			if slices.Contains(imports, module+decides) {
				t.Errorf("%s imports %s", dir, decides)
			}
		}
	}
	if agents != 6 {
		t.Errorf("%d packages stand beside an agent, expected 6", agents)
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
