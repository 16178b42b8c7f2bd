package change

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the corpus in testdata/diff with the git that is installed")

// TestUpdateCorpus writes the corpus: what a real git prints for two trees full of odd paths and odd contents, in several
// ways, and what git's raw format says about the same trees, as a changes.json.
//
//	go test ./verify/change -run Corpus -update
//
// The files in the repository were made with git 2.39.5. Nothing of them comes from elsewhere.
func TestUpdateCorpus(t *testing.T) {
	if !*update {
		t.Skip("without -update")
	}
	for _, format := range []string{"sha1", "sha256"} {
		r := corpusRepository{t, t.TempDir()}
		r.git("", "init", "--quiet", "--bare", "--object-format="+format)
		for name, trees := range corpusTrees() {
			if format == "sha1" {
				r.write(name, trees)
			} else if name == "content" {
				r.write(name+"-sha256", trees)
			}
		}
	}
}

// treeFile is a file of a tree; content is the object ID for a submodule.
type treeFile struct{ mode, path, content string }

const (
	file, program, link, module = "100644", "100755", "120000", "160000"
)

func numberedLines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func noise(seed, size int) string {
	b := make([]byte, size)
	for i := range b {
		seed = (seed*1103515245 + 12345) & 0x7fffffff
		b[i] = byte(seed >> 16)
	}
	return "\x00" + string(b)
}

// common is in both trees and keeps them from being empty.
var common = []treeFile{{file, "README", "read me\n"}}

// lookalikes are contents whose lines look like parts of a diff once they are printed.
const oldLookalike = "diff --git a/x b/x\n-- a/docs/ok.md\n++ b/docs/ok.md\n@@ -1 +1 @@\n\n \n\\ No newline\nold\n"
const newLookalike = "diff --git a/y b/y\n-- a/docs/other.md\n++ b/docs/other.md\n@@ -1,9 +1,9 @@\n\n \n\\ No newline\nnew"

var oddNames = []string{
	"with space", "trailing ", " leading", "tab\there", "new\nline", "quote\"d", "back\\slash", "back\\", "umlaut ä", "ä", "\xff bad", "bad\xfe\xff",
	"bell\a", "vt\v", "ff\f", "cr\r", "del\x7f", "esc\x1b[31m", "one\x01", "a/b", "b/b", " b/ b", "x b/x", "a/x b/a/x", "dev/null", "/dev/null"[1:] + " ",
	"..x", "-dash", "--- a", "{brace => x}", "zero\u200bwidth", "bidi\u202e", "日本/語", "=", "\"", "\\", "\\\"", "\t", "~", "nbsp\u00a0",
}

// corpusTrees returns the pairs of trees by their name.
func corpusTrees() map[string][2][]treeFile {
	var oddOld, oddNew, oddGone []treeFile
	for i, name := range oddNames {
		oddOld = append(oddOld, treeFile{file, "mod/" + name, numberedLines(1, 3)})
		oddNew = append(oddNew, treeFile{file, "mod/" + name, numberedLines(1, 2)})
		oddGone = append(oddGone, treeFile{program, "new/" + name, fmt.Sprintf("%d\n", i)})
	}
	return map[string][2][]treeFile{
		"odd":  {oddOld, append(oddNew, oddGone...)},
		"gone": {oddGone, nil},
		"modes": {
			{
				{file, "chmod", "x\n"}, {program, "chmod back ä", "y\n"}, {file, "chmod and edit", numberedLines(1, 9)}, {file, "to link", "content\n"},
				{link, "from link", "target"}, {link, "link", "old target"}, {file, "to module", numberedLines(1, 3)}, {module, "module", strings.Repeat("1", 40)},
				{module, "from module", strings.Repeat("2", 40)}, {link, "gone link", "x"}, {module, "gone module", strings.Repeat("3", 40)},
				{file, "gone", numberedLines(1, 3)}, {file, "empty gone", ""}, {file, "emptied", "x\n"}, {file, "filled", ""}, {file, "empty chmod", ""}, {file, "empty to link", ""},
			},
			{
				{program, "chmod", "x\n"}, {file, "chmod back ä", "y\n"}, {program, "chmod and edit", numberedLines(1, 8)}, {link, "to link", "content"},
				{file, "from link", "target"}, {link, "link", "new target"}, {module, "to module", strings.Repeat("5", 40)}, {module, "module", strings.Repeat("4", 40)},
				{file, "from module", "was one\n"}, {link, "new link", "../../etc/passwd"}, {module, "new module", strings.Repeat("6", 40)},
				{program, "new", "one line\n"}, {file, "empty new", ""}, {file, "emptied", ""}, {file, "filled", "x\n"}, {program, "empty chmod", ""}, {link, "empty to link", "x"},
			},
		},
		"content": {
			{
				{file, "look", oldLookalike}, {file, "ends", "a\nb"}, {file, "ended", "a\nb\n"}, {file, "both", "a\nb"}, {file, "cr", "a\r\nb\r\nc\r\n"}, {file, "blank", "a\n\nb\n\nc\nd\n"},
				{file, "far", numberedLines(1, 60)}, {file, "top", numberedLines(1, 9)}, {file, "one", "x"}, {file, "func", "func a() {\n" + numberedLines(1, 20) + "}\nfunc b() {\n" + numberedLines(1, 20) + "}\n"},
				{file, "bin", noise(1, 300)}, {file, "bin gone", noise(2, 40)}, {file, "bin ä", noise(5, 26)}, {file, "rewritten", numberedLines(1, 50)}, {file, "latin", "\xe4\xf6\n"}, {file, "signature", "x\n-- \n2.39.5\n"},
			},
			{
				{file, "look", newLookalike}, {file, "ends", "a\nb\n"}, {file, "ended", "a\nb"}, {file, "both", "a\nc"}, {file, "cr", "a\r\nB\r\nc\r\n"}, {file, "blank", "a\n\nB\n\nc\n"},
				{file, "far", "first\n" + numberedLines(2, 20) + "added\n" + numberedLines(21, 40) + numberedLines(42, 59) + "last\n"}, {file, "top", "0\n" + numberedLines(1, 8)}, {file, "one", "y"},
				{file, "func", "func a() {\n" + numberedLines(1, 19) + "}\nfunc b() {\n" + numberedLines(1, 9) + "x\n" + numberedLines(10, 20) + "}\n"}, {file, "bin", noise(1, 250) + "tail"},
				{file, "bin new", noise(3, 5000)}, {file, "bin ä", noise(6, 27)}, {file, "rewritten", "new\n" + numberedLines(100, 160)}, {file, "latin", "\xe4\xfc\n"}, {file, "signature", "y\n-- \n2.39.5\n"},
			},
		},
		"renames": {
			{
				{file, "plain", numberedLines(1, 30)}, {file, "with space", numberedLines(40, 70)}, {program, "quoted\t", numberedLines(80, 110)}, {file, "edited", numberedLines(120, 160)}, {file, "mode", numberedLines(200, 230)},
				{file, "copied", numberedLines(300, 340)}, {link, "link", "some target of a link"}, {file, "q b/q", numberedLines(400, 420)}, {file, "both ä", numberedLines(500, 550)}, {file, "twice", numberedLines(600, 640)},
				{file, "bin", noise(9, 400)}, {file, "edited mode", numberedLines(700, 740)},
			},
			{
				{file, "dir/plain", numberedLines(1, 30)}, {file, "moved space ", numberedLines(40, 70)}, {program, "unquoted", numberedLines(80, 110)}, {file, "edited\n2", numberedLines(120, 159)}, {program, "mode 2", numberedLines(200, 230)},
				{file, "copied", numberedLines(300, 339)}, {file, "copy 1", numberedLines(300, 340)}, {file, "copy ä", numberedLines(301, 340)}, {link, "link 2", "some target of a link"}, {file, "q", numberedLines(400, 420)}, {file, "ä both", numberedLines(500, 551)},
				{file, "twice 1", numberedLines(600, 640)}, {file, "twice 2", numberedLines(600, 641)}, {file, "bin 2", noise(9, 400) + "x"}, {program, "edited mode 2", numberedLines(700, 741)},
			},
		},
	}
}

// prints are the ways in which each pair of trees is printed.
var prints = []struct {
	name string
	args []string
}{
	{"default", nil},
	{"raw-names", []string{"-c", "core.quotePath=false", "diff"}},
	{"u0", []string{"diff", "-U0"}},
	{"u25", []string{"diff", "-U25", "--histogram"}},
	{"full-binary", []string{"diff", "--full-index", "--binary"}},
	{"found", []string{"diff", "-M", "-C", "--find-copies-harder"}},
	{"rewrites", []string{"diff", "--no-renames", "-B", "--text"}},
	{"blank", []string{"-c", "diff.suppressBlankEmpty=true", "diff", "-W"}},
	{"reverse", []string{"diff", "-M"}}, // of the trees the other way round; -R would print b/ before a/
}

type corpusRepository struct {
	t   *testing.T
	dir string
}

func (r corpusRepository) git(stdin string, args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C"}
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

func (r corpusRepository) tree(entries []treeFile) string {
	r.git("", "read-tree", "--empty")
	var index bytes.Buffer
	for _, e := range append(entries, common...) {
		id := e.content
		if e.mode != module {
			id = strings.TrimSpace(r.git(e.content, "hash-object", "-w", "--stdin"))
		}
		fmt.Fprintf(&index, "%s %s\t%s\x00", e.mode, id, e.path)
	}
	r.git(index.String(), "update-index", "-z", "--index-info")
	return strings.TrimSpace(r.git("", "write-tree"))
}

type rawChange struct {
	Path       string  `json:"path"`
	PathBase64 string  `json:"path_base64,omitempty"`
	Status     string  `json:"status"`
	OldMode    string  `json:"old_mode"`
	NewMode    string  `json:"new_mode"`
	OldID      *string `json:"old_id"`
	NewID      *string `json:"new_id"`
}

// changes turns git's raw format into a changes.json. Names that are not UTF-8 come from the same format without -z, so
// that git itself quotes them.
func (r corpusRepository) changes(trees [2]string) any {
	args := []string{"diff-tree", "-r", "--raw", "--no-abbrev", "--no-renames"}
	quoted := strings.Split(r.git("", append(args, trees[:]...)...), "\n")
	raw := strings.Split(r.git("", append(append(args, "-z"), trees[:]...)...), "\x00")
	list := []rawChange{}
	for i := 0; i+1 < len(raw); i += 2 {
		words := strings.Fields(raw[i][1:])
		c := rawChange{Path: raw[i+1], OldMode: words[0], NewMode: words[1], OldID: idOrNil(words[2]), NewID: idOrNil(words[3])}
		if !utf8.ValidString(c.Path) {
			c.PathBase64 = base64.StdEncoding.EncodeToString([]byte(c.Path))
			_, c.Path, _ = strings.Cut(quoted[i/2], "\t")
		}
		c.Status = map[string]string{"A": "added", "D": "deleted", "T": "type_changed", "M": "modified"}[words[4]]
		if c.Status == "modified" && words[2] == words[3] {
			c.Status = "mode_changed"
		}
		list = append(list, c)
	}
	return map[string]any{"schema": "closeout.changes/v1", "files": list}
}

func idOrNil(s string) *string {
	if strings.Trim(s, "0") == "" {
		return nil
	}
	return &s
}

func (r corpusRepository) write(name string, trees [2][]treeFile) {
	both := [2]string{r.tree(trees[0]), r.tree(trees[1])}
	for _, p := range prints {
		ids := both
		if p.name == "reverse" {
			ids = [2]string{both[1], both[0]}
		}
		args := p.args
		if args == nil {
			args = []string{"diff"}
		}
		expected, err := json.MarshalIndent(r.changes(ids), "", " ")
		if err != nil {
			r.t.Fatal(err)
		}
		base := filepath.Join("testdata/diff", name+"-"+p.name)
		for file, content := range map[string]string{base + ".diff": r.git("", append(args, ids[:]...)...), base + ".json": string(expected) + "\n"} {
			if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}
