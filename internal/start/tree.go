package start

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/toolchain/keydiff"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
)

// Limits of what is read. A manifest is written by people; a repository may have any number of tests.
const (
	maxManifest  = 1 << 20
	maxTOML      = 128 << 10 // the time for a TOML file can grow with the square of its size
	maxTestFile  = 1 << 20
	maxTestFiles = 5000
	maxTestBytes = 64 << 20
)

// Source reads the content of a tracked file by its id.
type Source interface {
	Blob(id string, limit int64) ([]byte, error)
}

// tree is the files of a commit.
type tree struct {
	files  []change.Change // sorted by path
	byPath map[string]*change.Change
	source Source
	notes  []string
	pkgs   map[string]*input.Node // what was read as JSON already
}

func newTree(files []change.Change, source Source) *tree {
	t := &tree{files: files, byPath: make(map[string]*change.Change, len(files)), source: source, pkgs: map[string]*input.Node{}}
	for i := range files {
		t.byPath[files[i].Path] = &files[i]
	}
	return t
}

// note adds a note, once.
func (t *tree) note(text string) {
	if !slices.Contains(t.notes, text) {
		t.notes = append(t.notes, text)
	}
}

// has reports whether a path is a regular file.
func (t *tree) has(p string) bool {
	f := t.byPath[p]
	return f != nil && strings.HasPrefix(string(f.NewMode), "100")
}

// first returns the first of some names that is a file in a directory, and its path; "" when none is.
func (t *tree) first(dir string, names ...string) string {
	for _, name := range names {
		if p := path.Join(dir, name); t.has(p) {
			return p
		}
	}
	return ""
}

// any reports whether a file satisfies a condition.
func (t *tree) any(condition func(p string) bool) bool {
	for i := range t.files {
		if t.has(t.files[i].Path) && condition(t.files[i].Path) {
			return true
		}
	}
	return false
}

// isIn reports whether a path is in a directory; "." contains everything.
func isIn(p, dir string) bool { return dir == "." || strings.HasPrefix(p, dir+"/") }

// text reads a manifest; "" when there is none. One that cannot be read is a note.
func (t *tree) text(p string) string { return string(t.read(p, maxManifest)) }

func (t *tree) read(p string, limit int64) []byte {
	if !t.has(p) {
		return nil
	}
	data, err := t.source.Blob(t.byPath[p].NewID, limit)
	if err != nil {
		t.note(input.Quote(p) + " was not read: " + err.Error())
		return nil
	}
	return data
}

// json reads a JSON object; nil when there is none. Some manifests contain comments: those are not read.
func (t *tree) json(p string) *input.Node {
	if n, known := t.pkgs[p]; known {
		return n
	}
	t.pkgs[p] = nil
	data := t.read(p, maxManifest)
	if data == nil {
		return nil
	}
	errs := &input.Errors{}
	n := input.ParseJSON(data, input.DefaultLimits(), errs)
	if n == nil || errs.Any() || n.Kind != input.KindObject {
		t.note(input.Quote(p) + " was left out: it is not a JSON object")
		return nil
	}
	t.pkgs[p] = n
	return n
}

// toml reads a TOML file; nil when there is none.
func (t *tree) toml(p string) table {
	data := t.read(p, maxTOML)
	if data == nil {
		return nil
	}
	values, err := keydiff.ReadTOML(data)
	if err != nil {
		t.note(input.Quote(p) + " was left out: it is not TOML")
		return nil
	}
	return values
}

// table is a table of a TOML file. A nil table has no keys.
type table map[string]any

// tableAt follows keys; nil when there is no such table.
func (t table) tableAt(keys ...string) table {
	for _, key := range keys {
		inner, _ := t[key].(map[string]any)
		t = inner
	}
	return t
}

// count counts the matches of a pattern in the files that satisfy a condition, without those in which skip matches ("" for no
// such pattern). Past the limits it stops: what it counted is still a lower bound.
func (t *tree) count(pattern string, condition func(p string) bool, skip string) int {
	wanted, unwanted := regexp.MustCompile(pattern), regexp.MustCompile(cmp.Or(skip, `\z\A.`))
	n, files, size := 0, 0, 0
	for _, f := range t.files {
		if !t.has(f.Path) || !condition(f.Path) {
			continue
		}
		if files++; files > maxTestFiles || size > maxTestBytes {
			break
		}
		data, err := t.source.Blob(f.NewID, maxTestFile)
		if err != nil || unwanted.Match(data) {
			continue
		}
		size += len(data)
		n += len(wanted.FindAllIndex(data, -1))
	}
	return n
}

// sampleDirs are directories whose manifests do not belong to the project.
var sampleDirs = strings.Fields("testdata vendor node_modules third_party example examples fixture fixtures __fixtures__ template " +
	"templates playground playgrounds demo demos sample samples e2e benchmark benchmarks docs doc")

// isSample reports whether a path is below such a directory, or below a hidden one.
func isSample(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		if slices.Contains(sampleDirs, strings.ToLower(part)) || (len(part) > 1 && (part[0] == '.' || part[0] == '_') && part != "__tests__") {
			return true
		}
	}
	return false
}

// dirsOf lists the directories that contain a manifest of one of some names, the root first, without samples.
func (t *tree) dirsOf(names ...string) (dirs []string) {
	for _, f := range t.files {
		if slices.Contains(names, path.Base(f.Path)) && t.has(f.Path) && !isSample(f.Path) {
			dirs = append(dirs, path.Dir(f.Path))
		}
	}
	slices.Sort(dirs)
	if slices.Contains(dirs, ".") {
		dirs = words([]string{"."}, slices.DeleteFunc(dirs, func(dir string) bool { return dir == "." }))
	}
	return slices.Compact(dirs)
}

// outermost leaves out the directories that are below another one of the list.
func outermost(dirs []string) (list []string) {
	for _, dir := range dirs {
		if !slices.ContainsFunc(dirs, func(d string) bool { return d != dir && isIn(dir, d) }) {
			list = append(list, dir)
		}
	}
	return list
}

// words joins two lists into a new one.
func words(a, b []string) []string {
	return append(append(make([]string, 0, len(a)+len(b)), a...), b...)
}
