package clone_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/clone"
)

// checkRef checks the archive of a ref.
func checkRef(t *testing.T, dir, ref, since string) *archive.Check {
	t.Helper()
	git, err := clone.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer git.Close()
	return checkIn(t, git, ref, since)
}

func checkIn(t *testing.T, git *clone.Clone, ref, since string) *archive.Check {
	t.Helper()
	a, err := git.Archive(ref)
	if err != nil {
		t.Fatal(err)
	}
	check, err := a.Check(clone.ArchiveCheck{Since: since})
	if err != nil {
		t.Fatal(err)
	}
	return check
}

// fileAt reads a file of a commit.
func fileAt(t *testing.T, dir, ref, name string) []byte {
	t.Helper()
	return []byte(gitIn(t, dir, nil, "show", ref+":"+name))
}

// variant is an archive that was changed by one more commit, and one with the same content and no history.
type variant struct{ commit, orphan string }

// variants changes the archive of a repository: each by commands of git fast-import.
func variants(t *testing.T, dir string, commands []string) []variant {
	t.Helper()
	tree := strings.TrimSpace(gitIn(t, dir, nil, "rev-parse", "closeout-archive^{tree}"))
	var b strings.Builder
	for i, c := range commands {
		for orphan, from := range []string{"from " + archive.Ref + "^0\n", "M 040000 " + tree + " \n"} {
			fmt.Fprintf(&b, "reset refs/heads/v\n\ncommit refs/heads/v\nmark :%d\ncommitter a <a@example.com> 1700000000 +0000\ndata 0\n%s%s\n", 2*i+orphan+1, from, c)
		}
	}
	marks := filepath.Join(t.TempDir(), "marks")
	gitIn(t, dir, strings.NewReader(b.String()), "fast-import", "--quiet", "--force", "--export-marks="+marks)
	data, err := os.ReadFile(marks)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]variant, len(commands))
	for line := range strings.Lines(string(data)) {
		var n int
		var id string
		if _, err := fmt.Sscanf(line, ":%d %s", &n, &id); err != nil {
			t.Fatal(err)
		}
		if n--; n%2 == 0 {
			list[n/2].commit = id
		} else {
			list[n/2].orphan = id
		}
	}
	return list
}

func replaceFile(name string, data []byte) string {
	return fmt.Sprintf("M 100644 inline %s\ndata %d\n%s\n", name, len(data), data)
}

// problemAt finds a problem about a path and an entry; -1 is none.
func problemAt(c *archive.Check, path string, seq int64) bool {
	for _, p := range c.Problems {
		if strings.HasPrefix(p.Path, path) && (seq < 0 || p.Seq != nil && *p.Seq == seq) {
			return true
		}
	}
	return false
}

// TestArchiveFlipped changes some bytes of two files: the history of the branch names what is changed.
func TestArchiveFlipped(t *testing.T) { flipEach(t, 13) }

// flipEach changes every byte whose place can be divided by a number.
func flipEach(t *testing.T, step int) {
	t.Helper()
	dir := archiveOf(t, 2, 1)
	entry := "decisions/0000/" + strings.Fields(gitIn(t, dir, nil, "ls-tree", "--name-only", "closeout-archive:decisions/0000"))[1] + "/entry.json"
	bundle := strings.Replace(entry, "entry.json", "bundle/facts.json", 1)
	var commands, about []string
	for _, name := range []string{entry, bundle} {
		data := fileAt(t, dir, "closeout-archive", name)
		for i := 0; i < len(data); i += step {
			flipped := bytes.Clone(data)
			flipped[i] ^= []byte{1, 2, 4, 0x20}[i%4]
			commands, about = append(commands, replaceFile(name, flipped)), append(about, name)
		}
	}
	list := variants(t, dir, commands)
	git, err := clone.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer git.Close()
	for i, v := range list {
		if c := checkIn(t, git, v.commit, ""); !problemAt(c, about[i], 1) {
			t.Errorf("%s is not named: %v", commands[i], c.Problems)
		}
		if c := checkIn(t, git, v.orphan, ""); about[i] == bundle && !problemAt(c, bundle, 1) {
			t.Errorf("without history %s is not named: %v", commands[i], c.Problems)
		}
	}
}

// TestArchiveTampered changes an archive as a person could who has push access.
func TestArchiveTampered(t *testing.T) {
	dir := archiveOf(t, 5, 1)
	names := strings.Fields(gitIn(t, dir, nil, "ls-tree", "--name-only", "closeout-archive:decisions/0000"))
	at := func(i int) string { return "decisions/0000/" + names[i] }
	blob := strings.TrimSpace(gitIn(t, dir, nil, "rev-parse", "closeout-archive:README.md"))
	head := strings.TrimSpace(gitIn(t, dir, nil, "rev-parse", "closeout-archive"))
	entry := fileAt(t, dir, "closeout-archive", at(2)+"/entry.json")
	older := replaceFile("state.json", fileAt(t, dir, "closeout-archive~1", "state.json"))
	cases := map[string]struct{ commands, path, message string }{
		"tail":        {"D " + at(4) + "\n", "state.json", "another number of entries"},
		"middle":      {"D " + at(2) + "\n", at(3), "missing"},
		"no-entry":    {"D " + at(2) + "/entry.json\n", at(2), "no entry.json"},
		"no-bundle":   {"D " + at(2) + "/bundle\n", at(2) + "/bundle", "missing"},
		"no-file":     {"D " + at(2) + "/bundle/facts.json\n", at(2) + "/bundle/facts.json", "missing"},
		"swap":        {"R " + at(1) + "/bundle x\nR " + at(2) + "/bundle " + at(1) + "/bundle\nR x " + at(2) + "/bundle\n", at(1) + "/bundle/changes.json", "not the one"},
		"reorder":     {"R " + at(1) + " x\nR " + at(2) + " " + at(1) + "\nR x " + at(2) + "\n", at(1), "missing"},
		"extra-file":  {"M 100644 " + blob + " " + at(1) + "/bundle/more.json\n", at(1) + "/bundle/more.json", "does not list"},
		"extra-entry": {"M 100644 " + blob + " " + at(1) + "/note\n", at(1) + "/note", "no such file"},
		"extra-group": {"M 100644 " + blob + " decisions/0001/000100-pr1-12345678/entry.json\n", "decisions/0001/000100-pr1-12345678", ""},
		"odd-group":   {"M 100644 " + blob + " decisions/00/000009-pr1-12345678/entry.json\n", "decisions/00/", ""},
		"odd-name":    {"M 100644 " + blob + " decisions/notes.txt\n", "decisions/notes.txt", "no such"},
		"extra-top":   {"M 100644 " + blob + " .github/workflows/x.yml\n", ".github", "no such"},
		"twice":       {replaceFile("decisions/0000/000002-pr3-ffffffff/entry.json", entry), "decisions/0000/000002-pr3-ffffffff", "name"},
		"case":        {replaceFile(strings.Replace(at(2), "pr3", "PR3", 1)+"/entry.json", entry), "decisions/0000/000002-PR3", "name"},
		"symlink":     {"M 120000 " + blob + " README.md\n", "README.md", "no such"},
		"executable":  {"M 100755 " + blob + " README.md\n", "README.md", "no such"},
		"link-bundle": {"M 120000 " + blob + " " + at(1) + "/bundle/facts.json\n", at(1) + "/bundle/facts.json", "not the one"},
		"submodule":   {"M 160000 " + head + " " + at(1) + "/bundle/facts.json\n", at(1) + "/bundle/facts.json", "not the one"},
		"no-state":    {"D state.json\n", "state.json", "missing"},
		"link-state":  {"M 120000 " + blob + " state.json\n", "state.json", "missing"},
	}
	commands, order := []string{"D " + at(4) + "\n" + older}, []string{"cut"}
	for name, c := range cases {
		commands, order = append(commands, c.commands), append(order, name)
	}
	list := variants(t, dir, commands)
	for i, v := range list[1:] {
		name := order[i+1]
		c := cases[name]
		for _, ref := range []string{v.commit, v.orphan} {
			check := checkRef(t, dir, ref, "")
			found := false
			for _, p := range check.Problems {
				found = found || strings.HasPrefix(p.Path, c.path) && strings.Contains(p.Message, c.message)
			}
			if !found {
				t.Errorf("%s: no problem about %s that says %q: %v", name, c.path, c.message, check.Problems)
			}
		}
	}
	if check := checkRef(t, dir, "closeout-archive", head); len(check.Problems) > 0 || check.Size != 5 || !check.Complete {
		t.Errorf("the twin is not intact: %v", check.Problems)
	}
	// A tail that was cut off with its state is found by the history of the branch, and without one by a commit that the auditor kept.
	if c := checkRef(t, dir, list[0].commit, ""); !problemAt(c, at(4), 4) {
		t.Errorf("cut: the history does not show it: %v", c.Problems)
	}
	if c := checkRef(t, dir, list[0].orphan, ""); len(c.Problems) > 0 {
		t.Errorf("cut: without history and commit it cannot be seen: %v", c.Problems)
	}
	if c := checkRef(t, dir, list[0].orphan, head); !problemAt(c, "decisions", -1) {
		t.Errorf("cut: the commit does not show it: %v", c.Problems)
	}
}

// TestArchiveEmptyGroup adds a directory without files, which only plumbing makes.
func TestArchiveEmptyGroup(t *testing.T) {
	dir := archiveOf(t, 2, 1)
	line := func(s string) string { return strings.TrimSpace(s) }
	empty := line(gitIn(t, dir, strings.NewReader(""), "mktree"))
	groups := gitIn(t, dir, nil, "ls-tree", "closeout-archive:decisions") + "040000 tree " + empty + "\t0007\n"
	decisions := line(gitIn(t, dir, strings.NewReader(groups), "mktree"))
	var top strings.Builder
	for entry := range strings.Lines(gitIn(t, dir, nil, "ls-tree", "closeout-archive")) {
		if strings.HasSuffix(entry, "\tdecisions\n") {
			entry = "040000 tree " + decisions + "\tdecisions\n"
		}
		top.WriteString(entry)
	}
	tree := line(gitIn(t, dir, strings.NewReader(top.String()), "mktree"))
	commit := line(gitIn(t, dir, nil, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit-tree", tree, "-p", "closeout-archive", "-m", "x"))
	if c := checkRef(t, dir, commit, ""); !problemAt(c, "decisions/0007", -1) {
		t.Errorf("the empty directory is not named: %v", c.Problems)
	}
}

// TestArchiveRegrown grows another archive on top of the history of one.
func TestArchiveRegrown(t *testing.T) {
	dir := archiveOf(t, 3, 1)
	head := strings.TrimSpace(gitIn(t, dir, nil, "rev-parse", "closeout-archive"))
	var b bytes.Buffer
	s := newSimulation(7, 5, nil) // other decisions
	s.found.Size = 0
	s.stream(t, &b, nil)
	stream := strings.Replace(b.String(), "M 100644 inline README.md", "from "+archive.Ref+"^0\ndeleteall\nM 100644 inline README.md", 1)
	gitIn(t, dir, strings.NewReader(strings.Replace(stream, "commit "+archive.Ref, "commit refs/heads/regrown", 1)), "fast-import", "--quiet", "--done")
	gitIn(t, dir, strings.NewReader(strings.Replace(b.String(), "commit "+archive.Ref, "commit refs/heads/forced", 1)), "fast-import", "--quiet", "--done")
	if c := checkRef(t, dir, "refs/heads/regrown", ""); !problemAt(c, "decisions/0000/000001-", 1) {
		t.Errorf("the history does not show it: %v", c.Problems)
	}
	if c := checkRef(t, dir, "refs/heads/forced", ""); len(c.Problems) > 0 {
		t.Errorf("without a commit it cannot be seen: %v", c.Problems)
	}
	if c := checkRef(t, dir, "refs/heads/forced", head); !problemAt(c, "decisions", -1) {
		t.Errorf("the commit does not show it: %v", c.Problems)
	}
}

// TestArchiveBatches wants the same archive of entries that came one by one and in batches.
func TestArchiveBatches(t *testing.T) {
	trees := map[string]bool{}
	for _, each := range []int{1, 4, 23} {
		trees[gitIn(t, archiveOf(t, 23, each), nil, "rev-parse", "closeout-archive^{tree}")] = true
	}
	if len(trees) != 1 {
		t.Errorf("the archive depends on the batches: %v", trees)
	}
}

// TestArchiveStored reads archives as git can store them.
func TestArchiveStored(t *testing.T) {
	dir := archiveOf(t, 130, 40)
	want := checked(t, dir, clone.ArchiveCheck{})
	if len(want.Problems) > 0 || want.Size != 130 || !want.Complete {
		t.Fatalf("%+v", want)
	}
	packed := filepath.Join(t.TempDir(), "clone")
	gitIn(t, "", nil, "clone", "--quiet", "--no-checkout", "file://"+dir, packed)
	loose := filepath.Join(t.TempDir(), "loose.git")
	gitIn(t, "", nil, "init", "--quiet", "--bare", loose)
	pack, err := os.Open(onlyPack(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer pack.Close()
	gitIn(t, loose, pack, "unpack-objects", "-q")
	gitIn(t, loose, nil, "update-ref", archive.Ref, strings.TrimSpace(gitIn(t, dir, nil, "rev-parse", "closeout-archive")))
	for _, d := range []string{packed, loose} {
		if got := checked(t, d, clone.ArchiveCheck{}); len(got.Problems) > 0 || got.Size != want.Size || !got.Complete {
			t.Errorf("%s: %+v", d, got)
		}
	}
	sha256 := archiveOf(t, 3, 1, "--object-format=sha256")
	if got := checked(t, sha256, clone.ArchiveCheck{}); len(got.Problems) > 0 || got.Size != 3 {
		t.Errorf("SHA-256: %+v", got)
	}
}

func onlyPack(t *testing.T, dir string) string {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	return packs[0]
}
