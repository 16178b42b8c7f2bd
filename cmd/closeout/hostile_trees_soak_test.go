//go:build soak

package main

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
)

// names have misled programs that read paths.
var names = []string{
	"a b", " a", "a ", "  ", `q"q`, `"q"`, "'", "tab\t", "new\nline", "cr\r", "\r\n", `back\slash`, `end\`, `\n`, "\x01", "\x7f", "\x1b[31m",
	"\xff\xfe", "a\xc3", "\xed\xa0\x80", "\xc0\xaf", "é", "e\u0301", "a\u200b", "\u202e", "\ufeffa", "\u2028", "\u00a0", "-x", "--", "--help",
	"A", "readme", "README", "ſ", "K", "*", "?", "[a]", "{a,b}", "!a", "#a", "~", "~1", "$x", "`x`", "a.", "a..", "...", ".a", "..a", ".gitt",
	".gitignore", ".gitattributes", "git~1", ".git ", ".git\u200c", ".GITmodules", "aux", "nul.txt", "a:b", "C:", "%2e%2e", "&lt;", "<b>",
	"a\tb => c", "{a => b}", "b/x", "dev/null", "a/b/c/d/e/f/g/h", "/dev", ".closeout", "diff --git a", "+++ b", "@@ -1 +1 @@", ":100644", "0",
}

// usable leaves out what a name made of components cannot be.
func usable(name string) string { return strings.Trim(name, "/") }

// pathCases make of each name a file that is added, a directory in which something changes, and a file that becomes a directory.
func pathCases() []treeCase {
	var cases []treeCase
	for _, n := range names {
		n = usable(n)
		cases = append(cases,
			treeCase{strconv.Quote(n) + " is added", files{"z": "f"}, files{"z": "f", n: "f 1"}},
			treeCase{"in " + strconv.Quote(n), files{n + "/x": "f 1", n + "/y": "f 1"}, files{n + "/x": "f 1", n + "/y": "x 1"}},
			treeCase{strconv.Quote(n) + " becomes a folder", files{n: "f 1", n + ".x": "f 1"}, files{n + "/x": "f 1", n + ".x": "f 2"}},
		)
	}
	return cases
}

type treeCase struct {
	name          string
	before, after files
}

// many makes n files below a directory.
func many(folder string, n int) files {
	f := files{}
	for i := range n {
		f[fmt.Sprintf("%s%05d", folder, i)] = "f"
	}
	return f
}

var kinds = map[string]string{"file": "f 1", "executable": "x 1", "symlink": "l 1", "submodule": "s 1"}

// kindCases turn each kind of entry into each other, under one name, and into a directory and back.
func kindCases() []treeCase {
	var cases []treeCase
	for from, before := range kinds {
		for to, after := range kinds {
			cases = append(cases, treeCase{from + " to " + to, files{"d/a": before, "d/a.b": "f"}, files{"d/a": after, "d/a.b": "f"}})
		}
		cases = append(cases,
			treeCase{from + " to folder", files{"a": before, "a.b": "f"}, files{"a/x": "f 1", "a/y/z": before, "a.b": "f"}},
			treeCase{"folder to " + from, files{"a/x": "f 1", "a/y/z": before, "a-b": "f"}, files{"a": before, "a-b": "f"}},
			treeCase{from + " is deleted", files{"d/e/a": before, "b": "f"}, files{"b": "f"}},
			treeCase{from + " is renamed", files{"a": before}, files{"b": before}},
			treeCase{from + " is copied", files{"a": before}, files{"a": before, "b": before}},
		)
	}
	return cases
}

// shapeCases are built for their test alone, because the test binary is started many times as the command.
func shapeCases() []treeCase {
	return []treeCase{
		{"nothing", files{"a": "f 1"}, files{"a": "f 1"}},
		{"everything goes", files{"a": "f 1", "b/c": "f 2"}, nil},
		{"everything comes", nil, files{"a": "f 1", "b/c": "f 2"}},
		{"an empty file comes", files{"a": "f 1"}, files{"a": "f 1", "empty": "f "}},
		{"a file becomes empty", files{"a": "f 1"}, files{"a": "f "}},
		{"an empty file moves", files{"a": "f ", "z": "f"}, files{"b": "f ", "z": "f"}},
		{"swap", files{"a": "f 1", "b": "f 2"}, files{"a": "f 2", "b": "f 1"}},
		{"swap of directories", files{"a/x": "f 1", "b/x": "f 2"}, files{"a/x": "f 2", "b/x": "f 1"}},
		{"swap of file and directory", files{"a": "f 1", "b/x": "f 2"}, files{"b": "f 1", "a/x": "f 2"}},
		{"rename in case only", files{"Readme": "f 1"}, files{"README": "f 1"}},
		{"both cases", files{"Readme": "f 1", "README": "f 1"}, files{"Readme": "f 2", "README": "f 1"}},
		{"NFC to NFD", files{"é": "f 1"}, files{"e\u0301": "f 1"}},
		{"neighbours of a directory", files{"a-": "f", "a.": "f", "a/x": "f", "a0": "f", "a": "f"}.less("a"), files{"a": "f", "a-": "f 1", "a0": "f 1"}},
		{"a directory under a file's old name, far apart", files{"a": "f", "a.a": "f", "a.b": "f", "a0": "f"}, files{"a.a": "f", "a.b": "f", "a/x": "f", "a0": "f"}},
		{"a long name", files{"z": "f"}, files{"z": "f", strings.Repeat("n", 4000): "f 1"}},
		{"a long path", files{"z": "f"}, files{"z": "f", strings.Repeat("n/", 1000) + "x": "f 1"}},
		{"deep change", files{strings.Repeat("d/", 300) + "x": "f 1"}, files{strings.Repeat("d/", 300) + "x": "f 2"}},
		{"many files", many("m/", 2000), many("m/", 2001)},
		{"many directories", many("m/x/", 3).with(many("n/y/", 500)), many("m/x/", 3).with(many("n/z/", 500))},
		{"a submodule bump that .gitmodules ignores", ignored.with(files{"sub": "s 1"}), ignored.with(files{"sub": "s 2"})},
		{"a submodule comes with its ignore", files{"z": "f"}, ignored.with(files{"sub": "s 1", "z": "f"})},
		{"a submodule goes", ignored.with(files{"sub": "s 1"}), ignored},
		{"attributes without diff", files{".gitattributes": "f * -diff -text\n*.go binary\n", "a.go": "f 1"}, files{".gitattributes": "f * -diff -text\n*.go binary\n", "a.go": "f 2"}},
		{"attributes with a filter", files{".gitattributes": "f * filter=lfs diff=lfs -text\n", "a": "f 1"}, files{".gitattributes": "f * filter=lfs diff=lfs -text\n", "a": "f 1\r\n"}},
		{"line endings only", files{"a": "f 1\n"}, files{"a": "f 1\r\n"}},
		{"blanks only", files{"a": "f 1\n"}, files{"a": "f  1\n"}},
		{"binary", files{"a": "f \x00\x01"}, files{"a": "f \x00\x02"}},
		{"an id in the text", files{"a": "f $Id$"}, files{"a": "f $Id: 1 $"}},
		{"a symlink's target", files{"a": "l b", "b": "f"}, files{"a": "l ../../etc/passwd", "b": "f"}},
		{"a symlink to nothing", files{"z": "f"}, files{"z": "f", "a": "l "}},
		{"a symlink to a directory takes its place", files{"a/x": "f 1", "b/x": "f 1"}, files{"a": "l b", "b/x": "f 1"}},
		{"evidence alone", files{"a": "f"}, files{"a": "f", ".closeout/evidence/feedback_record.jsonl": "f {}\n"}},
		{"evidence in other case", files{"a": "f"}, files{"a": "f", ".Closeout/evidence/feedback_record.jsonl": "f {}\n"}},
	}
}

var ignored = files{".gitmodules": "f [submodule \"sub\"]\n\tpath = sub\n\turl = ../sub\n\tignore = all\n"}

// less is a copy without a path.
func (f files) less(path string) files {
	rest := maps.Clone(f)
	delete(rest, path)
	return rest
}

// sideBySide puts cases side by side into one, each below a directory of its own.
func sideBySide(name string, cases []treeCase) treeCase {
	all := treeCase{name, files{}, files{}}
	for i, c := range cases {
		for path, value := range c.before {
			all.before[fmt.Sprintf("%03d/%s", i, path)] = value
		}
		for path, value := range c.after {
			all.after[fmt.Sprintf("%03d/%s", i, path)] = value
		}
	}
	return all
}

// TestSoakHostileChanges makes changes with paths, kinds and shapes that have misled others, and wants the touched paths to be
// git's, in the bundle and in the report, of each.
func TestSoakHostileChanges(t *testing.T) {
	kinds := sideBySide("kinds", kindCases())
	for format, cases := range map[string][]treeCase{
		"sha1":   append(shapeCases(), kinds, sideBySide("paths", pathCases())), // the hash does not depend on names
		"sha256": {kinds, sideBySide("shapes", shapeCases())},
	} {
		o := newObjects(t, format)
		for _, c := range cases {
			t.Run(format+"/"+c.name, func(t *testing.T) {
				o.t = t
				base := o.commit(o.tree(c.before))
				head := o.commit(o.tree(c.after), base)
				holdAgainstGit(t, o.dir, base, base, head)
			})
		}
	}
}

// TestSoakHandmadeTrees writes trees that git does not write. Where their paths are plain, the answer is git's; where a path
// could hide, there is none, and it is said.
func TestSoakHandmadeTrees(t *testing.T) {
	o := newObjects(t, "sha1")
	one, two := o.put("blob", "1"), o.put("blob", "2")
	file := func(name, id string) entry { return entry{"100644", name, id} }
	folder := func(name string, entries ...entry) entry { return entry{"40000", name, o.raw(entries...)} }
	empty := o.raw()
	good := o.raw(file("a", one))
	for _, c := range []struct {
		name    string
		entries []entry
		refused bool
	}{
		{"group may write", []entry{{"100664", "a", one}}, false},
		{"group may write and the content changes", []entry{{"100664", "a", two}}, false},
		{"all may execute", []entry{{"100777", "a", one}}, false},
		{"only others may execute", []entry{{"100645", "a", one}}, false},
		{"a zero before a directory's mode", []entry{file("a", one), {"040000", "b", good}}, false},
		{"zeros before a file's mode", []entry{{"0100644", "a", two}}, false},
		{"an empty directory", []entry{file("a", one), {"40000", "b", empty}}, false},
		{"an empty directory instead of the file", []entry{{"40000", "a", empty}}, false},
		{"a directory with permissions", []entry{file("a", one), {"40755", "b", good}}, false},
		{"a submodule with permissions", []entry{{"160755", "a", one}}, false},
		{"a symlink with permissions", []entry{{"120777", "a", one}}, false},

		{"the same name twice", []entry{file("a", one), file("a", two)}, true},
		{"a file and a directory of one name", []entry{file("a", one), folder("a", file("x", one))}, true},
		{"the same, far apart", []entry{file("a", one), file("a.b", one), folder("a", file("x", one))}, true},
		{"the wrong order", []entry{file("b", one), file("a", one)}, true},
		{"a directory in a file's order", []entry{folder("a", file("x", one)), file("a.b", one)}, true},
		{"no name", []entry{file("", one), file("a", one)}, true},
		{"dot", []entry{folder(".", file("x", one)), file("a", one)}, true},
		{"dot dot", []entry{folder("..", file("x", one)), file("a", one)}, true},
		{".git", []entry{folder(".git", file("config", one)), file("a", one)}, true},
		{".GIT", []entry{file(".GIT", one), file("a", one)}, true},
		{"a slash", []entry{file("a/b", one)}, true},
		{"a file as a directory", []entry{{"40000", "a", one}}, true},
		{"a commit as a directory", []entry{{"40000", "a", o.commit(good)}}, true},
		{"an unknown type", []entry{{"110644", "a", one}}, true},
		{"no mode", []entry{{"", "a", one}}, true},
		{"a mode of zero", []entry{{"0", "a", one}}, true},
		{"a mode that is no number", []entry{{"1006x4", "a", one}}, true},
		{"a mode that is too large", []entry{{"100100644", "a", one}}, true},
		{"a mode that turns over", []entry{{"40000100644", "a", one}}, true},
		{"no object", []entry{{"100644", "a", strings.Repeat("0", 40)}}, true},
		{"a directory that is not there", []entry{file("a", one), {"40000", "b", strings.Repeat("ab", 20)}}, true},
		{"the trap is deeper", []entry{file("a", one), folder("b", folder("c", file("y", one), file("x", one)))}, true},
	} {
		for _, reversed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s reversed %v", c.name, reversed), func(t *testing.T) {
				o.t = t
				before, after := good, o.raw(c.entries...)
				if reversed {
					before, after = after, before
				}
				base := o.commit(before)
				head := o.commit(after, base)
				if !c.refused {
					holdAgainstGit(t, o.dir, base, base, head)
				} else if j := judge(t, o.dir, base, head); !j.refused() {
					t.Errorf("it was not refused: exit %d, %s%+v", j.status, j.listed, j.report.Findings)
				}
			})
		}
	}
}

// A tree that is cut, and one that is not a tree.
func TestSoakBrokenTrees(t *testing.T) {
	o := newObjects(t, "sha1")
	one := o.put("blob", "1")
	good := o.raw(entry{"100644", "a", one})
	for name, bad := range map[string]string{
		"cut in an id":   o.put("tree", "100644 a\x00abc"),
		"cut in a name":  o.put("tree", "100644 a"),
		"cut in a mode":  o.put("tree", "1006"),
		"a blob":         one,
		"a commit":       o.commit(good),
		"not there":      strings.Repeat("cd", 20),
		"another's name": wrongName(o, good),
	} {
		o.t = t
		base := o.commit(good)
		if j := judge(t, o.dir, base, o.commit(bad, base)); !j.refused() {
			t.Errorf("%s was not refused: exit %d, %s%+v", name, j.status, j.listed, j.report.Findings)
		}
	}
}

// wrongName stores a tree under the name of another.
func wrongName(o *objects, tree string) string {
	id := o.put("tree", "100644 b\x00"+strings.Repeat("\x01", 20))
	path := func(id string) string { return o.dir + "/.git/objects/" + id[:2] + "/" + id[2:] }
	putFile(o.t, path(id), readFile(o.t, path(tree)))
	return id
}
