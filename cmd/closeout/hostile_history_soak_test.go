//go:build soak

package main

import (
	"fmt"
	"strings"
	"testing"
)

// graph is a history in which each commit is a set of files and its parents, all by name.
type graph struct {
	o       *objects
	commits map[string]string
}

// add writes commits, each as "name: parents = files": "c: a b = x1 y2" is a merge whose file x contains 1 and y contains 2.
func (g *graph) add(history string) {
	for line := range strings.Lines(strings.TrimSpace(history)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		parents, content, _ := strings.Cut(rest, "=")
		f, ids := files{}, []string{}
		for _, word := range strings.Fields(content) {
			f[word[:1]] = "f " + word[1:]
		}
		for _, p := range strings.Fields(parents) {
			ids = append(ids, g.commits[p])
		}
		g.commits[name] = g.o.commit(g.o.tree(f), ids...)
	}
}

// TestSoakHostileHistories checks which commits are compared. Where there are several merge bases, what differs from any of them
// is touched.
func TestSoakHostileHistories(t *testing.T) {
	o := newObjects(t, "sha1")
	for _, c := range []struct{ name, history, base, head string }{
		{"a line", "a: = x1\nb: a = x2", "a", "b"},
		{"several commits", "a: = x1\nb: a = x2\nc: b = x2 y1", "a", "c"},
		{"the net is nothing", "a: = x1\nb: a = x2\nc: b = x1", "a", "c"},
		{"added and removed again", "a: = x1\nb: a = x1 s1\nc: b = x1", "a", "c"},
		{"the base moved on", "a: = x1 y1\nm: a = x1 y2 z1\nb: a = x2 y1", "m", "b"},
		{"the base moved to the same", "a: = x1\nm: a = x2\nb: a = x2", "m", "b"},
		{"the base took it back", "a: = x1 y1\nm: a = x1\nb: a = x1 y1 z1", "m", "b"},
		{"the base is merged into the head", "a: = x1 y1\nm: a = x1 y2\nb: a = x2 y1\nc: b m = x2 y2", "m", "c"},
		{"a merge that smuggles", "a: = x1 y1\nm: a = x1 y2\nb: a = x2 y1\nc: b m = x2 y2 s1", "m", "c"},
		{"a merge that drops the base's", "a: = x1 y1\nm: a = x1 y2\nb: a = x2 y1\nc: b m = x2 y1", "m", "c"},
		{"an octopus", "a: = x1\nb: a = x2\nc: a = x1 y1\nd: a = x1 z1\ne: b c d = x2 y1 z1", "a", "e"},
		{"the head is the base", "a: = x1\nb: a = x2", "b", "b"},
		{"the head is behind the base", "a: = x1\nb: a = x2", "b", "a"},
		{"a root commit is the base", "a: = x1\nb: a = x1 y1", "a", "b"},
		{"a root is merged in", "a: = x1\nr: = y1\nb: a r = x1 y1", "a", "b"},
		{"the base is a second parent", "a: = x1\nb: a = x2\nc: a = y1\nd: c b = x2 y1", "b", "d"},
		{"criss-cross", "a: = x1 y1\nb: a = x2 y1\nc: a = x1 y2\nd: b c = x2 y2\ne: c b = x2 y2\nf: d = x3 y2\ng: e = x2 y3", "f", "g"},
		{"criss-cross whose merges differ", "a: = x1 y1\nb: a = x2 y1\nc: a = x1 y2\nd: b c = x2 y2\ne: c b = x9 y9\nf: d = x2 y2 z1\ng: e = x9 y9 w1", "f", "g"},
		{"criss-cross that hides one in the other", "a: = x1 y1\nb: a = x2 y1\nc: a = x1 y2\nd: b c = x2 y2\ne: c b = x1 y1", "d", "e"},
		{"a parent twice", "a: = x1\nb: a a = x2", "a", "b"},
		{"all files go", "a: = x1 y1\nb: a =", "a", "b"},
		{"all files come", "a: =\nb: a = x1", "a", "b"},
		{"merged back and forth", "a: = x1\nb: a = x2\nm: a b = x2 y1\nc: b m = x2 y1\nd: c = x3 y1\nn: m = x2 y2", "n", "d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &graph{o, map[string]string{}}
			o.t = t
			g.add(c.history)
			base, head := g.commits[c.base], g.commits[c.head]
			bases := strings.Fields(gitIn(t, o.dir, "merge-base", "--all", base, head))
			if len(bases) == 1 {
				holdAgainstGit(t, o.dir, base, bases[0], head)
				return
			}
			holdUnion(t, o.dir, base, head, bases)
		})
	}
}

// holdUnion wants every path that differs from any of some merge bases, once each.
func holdUnion(t *testing.T, dir, base, head string, bases []string) {
	t.Helper()
	want := map[string]bool{}
	for _, b := range bases {
		out := gitIn(t, dir, "diff-tree", "-r", "-z", "--name-only", "--no-renames", b, head)
		for path := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
			want[path] = true
		}
	}
	j := judge(t, dir, base, head)
	for _, f := range j.report.Files {
		if !want[f.Path] {
			t.Errorf("%q is listed and no merge base differs in it, or twice", f.Path)
		}
		delete(want, f.Path)
	}
	if len(want) > 0 || !hasCode(&j, "diff.several_bases") {
		t.Errorf("not listed: %v; %+v", want, j.report.Findings)
	}
}

// Two histories without a common commit have no difference that could be judged.
func TestSoakUnrelatedHistories(t *testing.T) {
	o := newObjects(t, "sha1")
	g := &graph{o, map[string]string{}}
	g.add("a: = x1\nb: a = x2\nr: = x1 y1\ns: r = x2 y1")
	for _, c := range [][2]string{{"b", "s"}, {"a", "r"}, {"a", "s"}} {
		if j := judge(t, o.dir, g.commits[c[0]], g.commits[c[1]]); !j.refused() {
			t.Errorf("%v was not refused: %s", c, j.listed)
		}
	}
}

// TestSoakTwistedCommits wants commits refused that two readers could take for different ones.
func TestSoakTwistedCommits(t *testing.T) {
	o := newObjects(t, "sha1")
	small, large := o.tree(files{"a": "f"}), o.tree(files{"a": "f", "secrets/key": "f"})
	base := o.commit(small)
	who := "author a <a@example.org> 1 +0000\ncommitter a <a@example.org> 1 +0000\n\nm\n"
	for name, text := range map[string]string{
		"two trees":               fmt.Sprintf("tree %s\ntree %s\nparent %s\n%s", small, large, base, who),
		"a tree behind parents":   fmt.Sprintf("parent %s\ntree %s\n%s", base, large, who),
		"no tree":                 fmt.Sprintf("parent %s\n%s", base, who),
		"a short id":              fmt.Sprintf("tree %s\nparent %s\n%s", large[:39], base, who),
		"upper case and too long": fmt.Sprintf("tree %s0\nparent %s\n%s", strings.ToUpper(large), base, who),
		"a tree that is a blob":   fmt.Sprintf("tree %s\nparent %s\n%s", o.put("blob", "1"), base, who),
		"a parent that is a tree": fmt.Sprintf("tree %s\nparent %s\n%s", large, small, who),
		"a parent far behind":     fmt.Sprintf("tree %s\n%sparent %s\n", large, who, base),
		"nothing":                 "",
	} {
		head := o.put("commit", text)
		want, err := asGit(t, o.dir, base, head)
		switch j := judge(t, o.dir, base, head); {
		case j.refused():
		case err != nil || j.listed != want:
			t.Errorf("%s: exit %d, %s\ngit says %s%v", name, j.status, j.listed, want, err)
		}
	}
}
