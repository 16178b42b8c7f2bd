package main

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// gitProgram runs git, the oracle of these tests, free of the machine's configuration. Without git the test is skipped.
func gitProgram(t testing.TB, dir, input string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, and these tests compare with it")
	}
	c := exec.Command("git", args...)
	c.Dir, c.Stdin, c.Env = dir, strings.NewReader(input), gitEnv("HOME="+dir, "LC_ALL=C", "GIT_NO_REPLACE_OBJECTS=1")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, &errs)
	}
	return string(out), err
}

// git runs git where it must not fail, and gives its output without the last newline.
func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := gitProgram(t, dir, "", args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(out, "\n")
}

// objects writes loose objects, also such as git would not write.
type objects struct {
	t       testing.TB
	dir     string // of the repository
	sha2    bool
	written map[string]bool
	zlib    *zlib.Writer
}

func newObjects(t testing.TB, format string) *objects {
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q", "-b", "main", "--object-format="+format)
	return &objects{t, dir, format == "sha256", map[string]bool{}, zlib.NewWriter(io.Discard)}
}

// put writes an object and gives its id.
func (o *objects) put(kind, content string) string {
	whole := fmt.Sprintf("%s %d\x00%s", kind, len(content), content)
	sum1, sum2 := sha1.Sum([]byte(whole)), sha256.Sum256([]byte(whole))
	id := hex.EncodeToString(sum1[:])
	if o.sha2 {
		id = hex.EncodeToString(sum2[:])
	}
	if o.written[id] {
		return id
	}
	o.written[id] = true
	var packed bytes.Buffer
	o.zlib.Reset(&packed)
	if _, err := o.zlib.Write([]byte(whole)); err != nil || o.zlib.Close() != nil {
		o.t.Fatal(err)
	}
	putFile(o.t, filepath.Join(o.dir, ".git", "objects", id[:2], id[2:]), packed.String())
	return id
}

func putFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// entry is an entry of a tree that is written by hand.
type entry struct{ mode, name, id string }

// raw writes a tree just as it is given.
func (o *objects) raw(entries ...entry) string {
	var b strings.Builder
	for _, e := range entries {
		id, err := hex.DecodeString(e.id)
		if err != nil {
			o.t.Fatal(err)
		}
		b.WriteString(e.mode + " " + e.name + "\x00" + string(id))
	}
	return o.put("tree", b.String())
}

// files are the paths of a tree. A value is "f content" or "f", "x content" (executable), "l target" or "s digit", a submodule
// at the commit that has this digit only.
type files map[string]string

// with is a copy that contains others as well.
func (f files) with(others files) files {
	all := maps.Clone(f)
	maps.Copy(all, others)
	return all
}

// tree writes the tree of some files.
func (o *objects) tree(f files) string {
	below, list := map[string]files{}, []entry{}
	for path, value := range f {
		name, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			list = append(list, o.leaf(name, value))
			continue
		}
		if below[name] == nil {
			below[name] = files{}
		}
		below[name][rest] = value
	}
	for name, inside := range below {
		list = append(list, entry{"40000", name, o.tree(inside)})
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.sortName(), b.sortName()) })
	return o.raw(list...)
}

func (e entry) sortName() string {
	if e.mode == "40000" {
		return e.name + "/"
	}
	return e.name
}

func (o *objects) leaf(name, value string) entry {
	kind, content, _ := strings.Cut(value, " ")
	blob := o.put("blob", content)
	if kind == "s" {
		return entry{"160000", name, strings.Repeat(content, len(blob))}
	}
	return entry{map[string]string{"f": "100644", "x": "100755", "l": "120000"}[kind], name, blob}
}

// commit writes a commit.
func (o *objects) commit(tree string, parents ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	b.WriteString("author a <a@example.org> 1700000000 +0000\ncommitter a <a@example.org> 1700000000 +0000\n\nm\n")
	return o.put("commit", b.String())
}

// judged is what verify made of two commits.
type judged struct {
	status int
	report report.Report
	listed string // the changes of the bundle, a line each; "" when they could not be known
	bundle string
}

// judge runs verify with a bundle, and replays that. A call that was refused has no bundle.
func judge(t testing.TB, dir, base, head string, args ...string) judged {
	t.Helper()
	j := judged{bundle: filepath.Join(t.TempDir(), "bundle")}
	contract := filepath.Join(t.TempDir(), "contract.json")
	putFile(t, contract, `{"allowed_files": ["src/**"], "forbidden_files": ["secrets/**"], "acceptance_criteria": ["true"], "rollback_plan": "Revert."}`)
	var out, errs bytes.Buffer
	std := console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}
	j.status = execute(slices.Concat([]string{"verify", "--repo", dir, "--base", base, "--head", head, "--contract-file", contract, "--bundle", j.bundle, "--quiet",
		"--report", run.ToStdout}, args), std)
	data := out.Bytes()
	if err := json.Unmarshal(data, &j.report); err != nil {
		t.Fatalf("no report: %v\n%s", err, &errs)
	}
	if bytes.Contains(data, []byte(os.TempDir()+"/")) {
		t.Errorf("the report names a directory of this machine: %s", data)
	}
	if j.status == run.ExitUsage {
		return j
	}
	putFile(t, filepath.Join(j.bundle, report.FileName), out.String())
	if status := execute([]string{"replay", j.bundle}, std); status != run.ExitPassed {
		t.Errorf("replay ends with %d: %s%s", status, &out, &errs)
	}
	j.listed = listed(t, &j)
	return j
}

// listed gives the changes of changes.json, and compares the report's files with them.
func listed(t testing.TB, j *judged) string {
	t.Helper()
	f, err := os.Open(filepath.Join(j.bundle, "changes.json"))
	if os.IsNotExist(err) {
		if len(j.report.Files) > 0 {
			t.Errorf("there are no changes, and the report lists files: %+v", j.report.Files)
		}
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	changes, errs := change.ReadChanges(f, input.DefaultLimits())
	if errs.Any() {
		t.Fatal(errs.All())
	}
	var fromChanges, fromReport []string
	for _, c := range changes {
		fromChanges = append(fromChanges, fmt.Sprintf("%s %s %s %q\n", c.OldMode, c.NewMode, letters[string(c.Status)], c.Path))
	}
	for _, c := range j.report.Files {
		fromReport = append(fromReport, fmt.Sprintf("%s %s %s %q\n", c.OldMode, c.NewMode, letters[c.Status], pathOf(t, c)))
	}
	slices.Sort(fromReport)
	slices.Sort(fromChanges)
	if !slices.Equal(fromReport, fromChanges) {
		t.Errorf("the report's files are\n%s\nthe changes\n%s", fromReport, fromChanges)
	}
	return "changes\n" + strings.Join(fromChanges, "")
}

// letters are git's words for a status.
var letters = map[string]string{"added": "A", "deleted": "D", "modified": "M", "mode_changed": "M", "type_changed": "T"}

func pathOf(t testing.TB, f report.File) string {
	t.Helper()
	if f.PathBase64 == "" {
		return f.Path
	}
	path, err := base64.StdEncoding.DecodeString(f.PathBase64)
	if err != nil {
		t.Fatal(err)
	}
	return string(path)
}

// asGit gives git's answer in the same words.
func asGit(t testing.TB, dir, before, after string) (string, error) {
	t.Helper()
	out, err := gitProgram(t, dir, "", "diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none", before, after)
	if err != nil {
		return "", err
	}
	var lines []string
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		lines = append(lines, fmt.Sprintf("%s %s %s %q\n", f[0], f[1], f[4], fields[i+1]))
	}
	slices.Sort(lines)
	return "changes\n" + strings.Join(lines, ""), nil
}

// refused reports whether the gate said that it cannot know what changed.
func (j *judged) refused() bool {
	unknown := slices.ContainsFunc(j.report.Findings, func(f report.Finding) bool {
		return f.Code == "diff.incomplete" && f.Message != "" && f.Fix != ""
	})
	return j.listed == "" && j.status != run.ExitPassed && (unknown || j.status == run.ExitUsage)
}

// holdAgainstGit judges two commits and compares with git.
func holdAgainstGit(t *testing.T, dir, base, mergeBase, head string) judged {
	t.Helper()
	j := judge(t, dir, base, head)
	want, err := asGit(t, dir, mergeBase, head)
	if err != nil {
		t.Fatal(err)
	}
	if j.listed != want {
		t.Errorf("got %s, git says %s\n%+v", j.listed, want, j.report.Findings)
	}
	if want == "changes\n" && !hasCode(&j, "scope.empty_diff") {
		t.Errorf("no change, and no finding says so: %+v", j.report.Findings)
	}
	return j
}

func hasCode(j *judged, code string) bool {
	return slices.ContainsFunc(j.report.Findings, func(f report.Finding) bool { return f.Code == code })
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
