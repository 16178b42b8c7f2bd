package collect_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/archive"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/strict"
)

// checkRef checks the archive of a ref.
func checkRef(t *testing.T, dir, ref string, own []byte) *archive.Check {
	t.Helper()
	git, err := collect.OpenGit(dir, strict.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer git.Close()
	return checkIn(t, git, ref, own)
}

func checkIn(t *testing.T, git *collect.Git, ref string, own []byte) *archive.Check {
	t.Helper()
	a, err := git.Archive(ref)
	if err != nil {
		t.Fatal(err)
	}
	how := collect.ArchiveCheck{}
	if own != nil {
		c, err := archive.ReadCheckpoint(own)
		if err != nil {
			t.Fatal(err)
		}
		how.Own = &archive.Mark{Checkpoint: c, From: "own"}
	}
	check, err := a.Check(how)
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

// TestArchiveFlipped changes every byte of three files: what is changed is named, by the history of the branch where nothing else shows
// it. Without history it is found all the same.
func TestArchiveFlipped(t *testing.T) {
	dir := archiveOf(t, 2, 1)
	entry := "decisions/0000/" + strings.Fields(gitIn(t, dir, nil, "ls-tree", "--name-only", "closeout-archive:decisions/0000"))[1] + "/entry.json"
	var commands, about []string
	for _, name := range []string{entry, "state.json", "checkpoint"} {
		data := fileAt(t, dir, "closeout-archive", name)
		for i := range data {
			flipped := bytes.Clone(data)
			flipped[i] ^= []byte{1, 2, 4, 0x20}[i%4]
			commands, about = append(commands, replaceFile(name, flipped)), append(about, name)
		}
	}
	list := variants(t, dir, commands)
	git, err := collect.OpenGit(dir, strict.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer git.Close()
	for i, v := range list {
		seq := int64(-1)
		if about[i] == entry {
			seq = 1
		}
		c := checkIn(t, git, v.commit, nil)
		if !problemAt(c, about[i], seq) && (about[i] != "state.json" || !problemAt(c, "checkpoint", -1)) {
			t.Errorf("%s is not named: %v", commands[i], c.Problems)
		}
		if i%8 != 0 {
			continue
		}
		if c := checkIn(t, git, v.orphan, nil); len(c.Problems) == 0 {
			t.Errorf("without history this is intact: %s", commands[i])
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
	checkpoint := fileAt(t, dir, "closeout-archive", "checkpoint")
	older := replaceFile("state.json", fileAt(t, dir, "closeout-archive~1", "state.json")) + replaceFile("checkpoint", fileAt(t, dir, "closeout-archive~1", "checkpoint"))
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
		"no-check":    {"D checkpoint\n", "checkpoint", "missing"},
		"link-state":  {"M 120000 " + blob + " state.json\n", "state.json", "missing"},
		"long-check":  {replaceFile("checkpoint", append(bytes.Clone(checkpoint), '\n')), "checkpoint", "no checkpoint"},
		"huge-check":  {replaceFile("checkpoint", []byte("closeout-archive/github.com/o/r\n99999999999999999999\n"+strings.Split(string(checkpoint), "\n")[2]+"\n")), "checkpoint", "no checkpoint"},
		"claims":      {replaceFile("checkpoint", []byte("closeout-archive/github.com/o/r\n10000000\n"+strings.Split(string(checkpoint), "\n")[2]+"\n")), "checkpoint", "is not that"},
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
			check := checkRef(t, dir, ref, nil)
			found := false
			for _, p := range check.Problems {
				found = found || strings.HasPrefix(p.Path, c.path) && strings.Contains(p.Message, c.message)
			}
			if !found {
				t.Errorf("%s: no problem about %s that says %q: %v", name, c.path, c.message, check.Problems)
			}
		}
	}
	if check := checkRef(t, dir, "closeout-archive", checkpoint); len(check.Problems) > 0 || check.Size != 5 {
		t.Errorf("the twin is not intact: %v", check.Problems)
	}
	checkCut(t, dir, list[0], checkpoint)
}

// checkCut checks that a tail that was cut off with its state is found by the history of the branch, and without one only by a
// checkpoint that the auditor kept.
func checkCut(t *testing.T, dir string, v variant, checkpoint []byte) {
	t.Helper()
	if c := checkRef(t, dir, v.commit, nil); !problemAt(c, "checkpoint", -1) {
		t.Errorf("cut: the history does not show it: %v", c.Problems)
	}
	if c := checkRef(t, dir, v.orphan, nil); len(c.Problems) > 0 {
		t.Errorf("cut: without history and checkpoint it cannot be seen: %v", c.Problems)
	}
	if c := checkRef(t, dir, v.orphan, checkpoint); !problemAt(c, "checkpoint", -1) {
		t.Errorf("cut: the checkpoint does not show it: %v", c.Problems)
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
	if c := checkRef(t, dir, commit, nil); !problemAt(c, "decisions/0007", -1) {
		t.Errorf("the empty directory is not named: %v", c.Problems)
	}
}

// TestArchiveRegrown grows another archive on top of the history of one.
func TestArchiveRegrown(t *testing.T) {
	dir := archiveOf(t, 3, 1)
	checkpoint := fileAt(t, dir, "closeout-archive", "checkpoint")
	var b bytes.Buffer
	s := newSimulation(7, 5, nil) // other decisions
	s.found.Size = 0
	s.stream(t, &b, nil)
	stream := strings.Replace(b.String(), "M 100644 inline README.md", "from "+archive.Ref+"^0\ndeleteall\nM 100644 inline README.md", 1)
	gitIn(t, dir, strings.NewReader(strings.Replace(stream, "commit "+archive.Ref, "commit refs/heads/regrown", 1)), "fast-import", "--quiet", "--done")
	gitIn(t, dir, strings.NewReader(strings.Replace(b.String(), "commit "+archive.Ref, "commit refs/heads/forced", 1)), "fast-import", "--quiet", "--done")
	if c := checkRef(t, dir, "refs/heads/regrown", nil); !problemAt(c, "checkpoint", -1) || !problemAt(c, "decisions/0000/000001-", 1) {
		t.Errorf("the history does not show it: %v", c.Problems)
	}
	if c := checkRef(t, dir, "refs/heads/forced", nil); len(c.Problems) > 0 || c.Anchor != "none" {
		t.Errorf("without an anchor it cannot be seen: %v", c.Problems)
	}
	if c := checkRef(t, dir, "refs/heads/forced", checkpoint); !problemAt(c, "checkpoint", -1) || c.Anchor != "checkpoint" {
		t.Errorf("the checkpoint does not show it: %v", c.Problems)
	}
}

// rootOf is the root of a Merkle tree as RFC 6962, section 2.1, defines it.
func rootOf(leaves [][]byte) []byte {
	hash := func(parts ...[]byte) []byte {
		sum := sha256.Sum256(bytes.Join(parts, nil))
		return sum[:]
	}
	switch n := len(leaves); n {
	case 0:
		return hash()
	case 1:
		return hash([]byte{0}, leaves[0])
	default:
		k := 1
		for 2*k < n {
			k *= 2
		}
		return hash([]byte{1}, rootOf(leaves[:k]), rootOf(leaves[k:]))
	}
}

// TestArchiveRoot compares the root with another reading of the definition, for entries that came one by one and in batches.
func TestArchiveRoot(t *testing.T) {
	const count = 23
	trees := map[string]bool{}
	for _, each := range []int{1, 4, count} {
		dir := archiveOf(t, count, each)
		var leaves [][]byte
		for _, name := range strings.Fields(gitIn(t, dir, nil, "ls-tree", "-r", "--name-only", "closeout-archive")) {
			if filepath.Base(name) == archive.EntryFile {
				leaves = append(leaves, fileAt(t, dir, "closeout-archive", name))
			}
		}
		want := fmt.Sprintf("closeout-archive/github.com/o/r\n%d\n%s\n", count, base64.StdEncoding.EncodeToString(rootOf(leaves)))
		if got := fileAt(t, dir, "closeout-archive", "checkpoint"); string(got) != want {
			t.Errorf("%d at once: the checkpoint is\n%swant\n%s", each, got, want)
		}
		trees[gitIn(t, dir, nil, "ls-tree", "closeout-archive", "state.json", "checkpoint")] = true
	}
	if len(trees) != 1 {
		t.Errorf("the state depends on the batches: %v", trees)
	}
}

// TestArchiveStored reads archives as git can store them.
func TestArchiveStored(t *testing.T) {
	dir := archiveOf(t, 130, 40)
	want := checked(t, dir, collect.ArchiveCheck{})
	if len(want.Problems) > 0 || want.Size != 130 || want.History.Commits != 4 || !want.History.Complete {
		t.Fatalf("%+v", want)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	gitIn(t, "", nil, "clone", "--quiet", "--no-checkout", "file://"+dir, clone)
	loose := filepath.Join(t.TempDir(), "loose.git")
	gitIn(t, "", nil, "init", "--quiet", "--bare", loose)
	pack, err := os.Open(onlyPack(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer pack.Close()
	gitIn(t, loose, pack, "unpack-objects", "-q")
	gitIn(t, loose, nil, "update-ref", archive.Ref, strings.TrimSpace(gitIn(t, dir, nil, "rev-parse", "closeout-archive")))
	for _, d := range []string{clone, loose} {
		if got := checked(t, d, collect.ArchiveCheck{}); len(got.Problems) > 0 || got.Root != want.Root || got.Commit != want.Commit {
			t.Errorf("%s: %+v", d, got)
		}
	}
	sha256 := archiveOf(t, 3, 1, "--object-format=sha256")
	if got := checked(t, sha256, collect.ArchiveCheck{}); len(got.Problems) > 0 || got.Size != 3 || len(got.Commit) != 64 {
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
