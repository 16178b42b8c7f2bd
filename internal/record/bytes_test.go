//go:build unix

package record

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// look takes a snapshot of the work tree, and another one in the same session.
func (r *repo) look() (s snapshot) {
	r.Helper()
	g, err := OpenGit(r.dir, cleanEnv("HOME="+filepath.Dir(r.dir)))
	r.do(err)
	for range 2 {
		s, err = g.tree(evidenceDir)
		r.do(err)
	}
	return s
}

// attributes commits files with attributes, and checks them out again.
func (r *repo) attributes(lines string, files ...string) {
	r.Helper()
	r.write(".gitattributes", lines)
	for i := 0; i < len(files); i += 2 {
		r.write(files[i], files[i+1])
	}
	r.commit()
	for i := 0; i < len(files); i += 2 {
		r.do(os.Remove(filepath.Join(r.dir, files[i])))
		r.git("checkout", "-q", "--", files[i])
	}
}

const utf16LE = "\xff\xfee\x00x\x00i\x00t\x00\n\x00" // with a byte order mark

// pointerTo is what git has in place of a file that Git LFS keeps.
func pointerTo(content string) string {
	return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize %d\n", sha256.Sum256([]byte(content)), len(content))
}

// lfs makes a program that answers as git-lfs does: every content becomes the given pointer.
func (r *repo) lfs(pointer string) {
	r.write("../pointer", pointer)
	r.git("config", "filter.lfs.clean", "cat >/dev/null; cat "+filepath.Join(filepath.Dir(r.dir), "pointer"))
	r.git("config", "filter.lfs.smudge", "cat")
	r.git("config", "filter.lfs.required", "true")
}

// honest are work trees that are as a checkout writes them.
var honest = map[string]func(r *repo){
	"text=auto":           func(r *repo) { r.attributes("* text=auto\n", "x", "1\n2\n") },
	"eol=crlf":            func(r *repo) { r.attributes("*.bat text eol=crlf\n", "x.bat", "1\r\n2\r\n") },
	"eol=crlf, edited LF": func(r *repo) { r.write(".gitattributes", "*.bat text eol=crlf\n"); r.write("x.bat", "1\n"); r.commit() },
	"the old crlf":        func(r *repo) { r.attributes("*.bat crlf=input\n", "x.bat", "1\n") },
	"UTF-16": func(r *repo) {
		r.attributes("*.ps1 working-tree-encoding=UTF-16LE-BOM\n", "x.ps1", utf16LE)
	},
	"ident, checked out": func(r *repo) { r.attributes("*.c ident\n", "x.c", "/* $Id$ */\n") },
	"ident, committed":   func(r *repo) { r.write(".gitattributes", "*.c ident\n"); r.write("x.c", "/* $Id$ */\n"); r.commit() },
	"export-subst":       func(r *repo) { r.attributes("x export-subst\n", "x", "$Format:%H$\n") },
	"CRLF in the commit, text=auto": func(r *repo) {
		r.write("x", "1\r\n2\r\n")
		r.commit()
		r.attributes("* text=auto\n")
	},
	"CRLF in the commit, text": func(r *repo) {
		r.write("x", "1\r\n2\r\n")
		r.commit()
		r.write(".gitattributes", "* text\n")
		r.git("add", ".gitattributes")
		r.git("commit", "-qm", "only the attributes")
	},
	"text=auto of a binary file": func(r *repo) { r.attributes("* text=auto\n", "x", "1\r\n\x00") },
	"a filter that is not here":  func(r *repo) { r.attributes("*.x filter=crypt\n", "a.x", "1\n") },
	"pointer, without git-lfs":   func(r *repo) { r.attributes("*.iso filter=lfs -text\n", "x.iso", pointerTo("big")) },
	"content, with git-lfs": func(r *repo) {
		r.lfs(pointerTo("big\n"))
		r.attributes("*.iso filter=lfs -text\n", "x.iso", "big\n")
		r.write("x.iso", "big\n")
	},
	"pointer, with git-lfs": func(r *repo) {
		r.lfs(pointerTo("big\n"))
		r.attributes("*.iso filter=lfs -text\n", "x.iso", pointerTo("big\n"))
	},
	"content, with a git-lfs that fails": func(r *repo) {
		r.write("x.iso", pointerTo("big\n"))
		r.attributes("*.iso filter=lfs -text\n")
		r.git("config", "filter.lfs.process", "false")
		r.git("config", "filter.lfs.required", "true")
		r.write("x.iso", "big\n")
	},
	"link":      func(r *repo) { r.do(os.Symlink("a.txt", filepath.Join(r.dir, "l"))); r.attributes("* text=auto\n") },
	"submodule": func(r *repo) { r.git("submodule", "--quiet", "add", r.other(), "sub"); r.attributes("* text=auto\n") },
	"executable": func(r *repo) {
		r.write("x", "")
		r.do(os.Chmod(filepath.Join(r.dir, "x"), 0o755))
		r.attributes("* text=auto\n")
	},
	"sparse": func(r *repo) {
		r.attributes("* text=auto\n*.bat eol=crlf\n", "src/x.bat", "1\r\n", "docs/x.bat", "1\r\n")
		r.git("sparse-checkout", "set", "src")
	},
	"sparse, and there all the same": func(r *repo) {
		r.attributes("* text=auto\n*.bat eol=crlf\n", "docs/x.bat", "1\r\n")
		r.git("sparse-checkout", "set", "src")
		r.write("docs/x.bat", "1\r\n")
	},
	"sparse, and there all the same, in UTF-16": func(r *repo) {
		r.attributes("*.ps1 working-tree-encoding=UTF-16LE-BOM\n", "docs/x.ps1", utf16LE)
		r.git("sparse-checkout", "set", "src")
		r.write("docs/x.ps1", utf16LE)
	},
	"partial clone": func(r *repo) {
		r.attributes("* text=auto\n*.bat eol=crlf\n", "x.bat", "1\r\n")
		r.git("config", "uploadpack.allowFilter", "true")
		origin := r.dir
		r.dir += "-clone"
		r.do(os.Mkdir(r.dir, 0o755))
		r.git("clone", "-q", "--filter=blob:none", "file://"+filepath.ToSlash(origin), ".")
		r.do(os.RemoveAll(origin))
	},
	"attributes of the machine that convert nothing": func(r *repo) {
		r.write(".git/info/attributes", "*.md diff=markdown\n")
		r.write("../.config/git/attributes", "*.md diff=markdown\n")
	},
	"attributes that convert nothing": func(r *repo) { r.attributes("*.md linguist-generated\n", "x.md", "1\r\n") },
}

func TestHonestBytes(t *testing.T) {
	for name, setup := range honest {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			setup(r)
			if s := r.look(); s.id != r.headTree() || len(s.odd) > 0 {
				t.Errorf("got %s with %v, want %s\n%s", s.id, s.odd, r.headTree(), r.git("status", "--short"))
			}
		})
	}
}

// odd are work trees in which git, as it is set up there, sees no difference although the bytes are others.
var odd = map[string]struct {
	setup func(r *repo)
	want  string
}{
	"text=auto": {func(r *repo) {
		r.attributes("* text=auto\n", "x.sh", "exit 1\n")
		r.write("x.sh", "exit 1\r\n")
	}, `"x.sh" (text=auto) has other line ends than a checkout writes`},
	"text=auto, some lines": {func(r *repo) {
		r.attributes("* text=auto\n", "x.sh", "exit 1\nexit 2\n")
		r.write("x.sh", "exit 1\r\nexit 2\n")
	}, `"x.sh" (text=auto) has other line ends`},
	"the old crlf": {func(r *repo) {
		r.attributes("* crlf\n", "x.sh", "exit 1\n")
		r.write("x.sh", "exit 1\r\n")
	}, `"x.sh" (crlf) has other line ends`},
	"eol=crlf, some lines": {func(r *repo) {
		r.attributes("*.bat eol=crlf\n", "x.bat", "1\r\n2\r\n")
		r.write("x.bat", "1\r\n2\n")
	}, `"x.bat" (eol=crlf) has other line ends`},
	"eol=crlf, a carriage return too many": {func(r *repo) {
		r.attributes("*.bat text eol=crlf\n", "x.bat", "1\r\r\n")
		r.write("x.bat", "1\r\r\n")
	}, `"x.bat" (text eol=crlf) has other line ends`},
	"text only where no commit shows it": {func(r *repo) {
		r.attributes("x text=auto eol=crlf\n", "x", "1\n\x00")
		r.write(".git/info/attributes", "x text\n")
		r.write("x", "1\r\n\x00")
	}, `"x" (text eol=crlf) has other line ends`},
	"UTF-16": {func(r *repo) {
		r.attributes("x.ps1 working-tree-encoding=UTF-16LE-BOM\n", "x.ps1", utf16LE)
		r.git("config", "core.checkRoundtripEncoding", "none")
		// A checkout writes the byte order mark, and git reads the file without it too.
		r.write("x.ps1", strings.TrimPrefix(utf16LE, "\xff\xfe"))
	}, `"x.ps1" (working-tree-encoding=UTF-16LE-BOM) has other bytes than a checkout writes`},
	"ident": {func(r *repo) {
		r.attributes("x.sh ident\n", "x.sh", "echo $Id$\n")
		r.write("x.sh", "echo $Id: ;exit 0; $\n")
	}, `"x.sh" (ident) has other bytes`},
	"core.autocrlf": {func(r *repo) {
		r.git("config", "core.autocrlf", "true")
		r.write("a.txt", "one\r\n")
	}, `"a.txt" has the line ends CRLF, and in the commit LF`},
	"core.autocrlf and text=auto": {func(r *repo) {
		r.git("config", "core.autocrlf", "true")
		r.attributes("* text=auto\n", "x.sh", "exit 1\n")
	}, `"x.sh" (text=auto) has other line ends`},
	"clean filter": {func(r *repo) {
		r.attributes("x.sh filter=crypt\n", "x.sh", "exit 1\n")
		r.git("config", "filter.crypt.clean", "git cat-file blob HEAD:x.sh")
		r.write("x.sh", "exit 0\n")
	}, `"x.sh" (filter=crypt) has other bytes than the commit`},
	"filter process": {func(r *repo) {
		r.attributes("x.sh filter=crypt\n", "x.sh", "exit 1\n")
		r.git("config", "filter.crypt.process", "false")
		r.git("config", "filter.crypt.required", "true")
		r.write("x.sh", "exit 0\n")
	}, `"x.sh" (filter=crypt) has other bytes than the commit`},
	"core.attributesFile": {func(r *repo) {
		r.write(".git/mine", "a.txt text\n")
		r.git("config", "core.attributesFile", ".git/mine")
		r.write("a.txt", "one\r\n")
	}, `"a.txt" has the line ends CRLF, and in the commit LF`},
	"attributes of the user": {func(r *repo) {
		r.write("../.config/git/attributes", "a.txt text\n")
		r.write("a.txt", "one\r\n")
	}, `"a.txt" has the line ends CRLF, and in the commit LF`},
	"info/attributes": {func(r *repo) {
		r.write(".git/info/attributes", "a.txt text\n")
		r.write("a.txt", "one\r\n")
	}, `"a.txt" (text) has other line ends`},
	"ignored attributes": {func(r *repo) {
		r.write(".git/info/exclude", ".gitattributes\n")
		r.write("src/.gitattributes", "b.txt text\n")
		r.write("src/b.txt", "two\r\n")
	}, `"src/b.txt" (text) has other line ends`},
	"attributes that were removed": {func(r *repo) {
		r.attributes("", "src/.gitattributes", "* text\n", "src/+b", "two\n")
		r.write("src/+b", "two\r\n")
		r.do(os.Remove(filepath.Join(r.dir, "src/.gitattributes")))
	}, `"src/+b"`},
	"content that the pointer does not name": {func(r *repo) {
		r.attributes("*.sh filter=lfs -text\n", "x.sh", pointerTo("exit 1\n"))
		r.lfs(pointerTo("exit 1\n"))
		r.write("x.sh", "exit 0\n")
	}, `"x.sh" (filter=lfs) has other bytes than the commit, and no filter counts`},
	"content in place of what is no pointer": {func(r *repo) {
		r.attributes("*.sh filter=lfs -text\n", "x.sh", "exit 1\n")
		r.lfs("exit 1\n")
		r.write("x.sh", "exit 0\n")
	}, `"x.sh" (filter=lfs) has other bytes`},
	"content where only the machine gives the file to LFS": {func(r *repo) {
		r.write("x.sh", pointerTo("exit 0\n"))
		r.commit()
		r.lfs(pointerTo("exit 0\n"))
		r.write(".git/info/attributes", "x.sh filter=lfs\n")
		r.write("x.sh", "exit 0\n")
	}, `"x.sh" (filter=lfs) has other bytes`},
	"content that another pointer names, hidden by attributes of the machine": {func(r *repo) {
		r.write("x.sh", pointerTo("exit 1\n"))
		r.attributes("*.sh filter=lfs text\n")
		r.write(".git/info/attributes", "x.sh text\n")
		r.write("x.sh", "exit 0\n")
	}, `"x.sh" (filter=lfs) has other bytes`},
	"a new file": {func(r *repo) {
		r.attributes("* text=auto\n")
		r.write("new.sh", "exit 0\r\n")
	}, `"new.sh" (text=auto) has other line ends`},
	"attributes that are not checked out": {func(r *repo) {
		r.write("docs/.gitattributes", "* text=auto\n")
		r.write("docs/x.sh", "exit 1\n")
		r.commit()
		r.git("sparse-checkout", "set", "--no-cone", "/*", "!/docs/.gitattributes")
		r.write("docs/x.sh", "exit 1\r\n")
	}, `"docs/x.sh" (text=auto) has other line ends`},
	"outside of the sparse checkout": {func(r *repo) {
		r.attributes("* text=auto\n", "docs/x.sh", "exit 1\n")
		r.git("sparse-checkout", "set", "src")
		r.write("docs/x.sh", "exit 1\r\n")
	}, `"docs/x.sh" (text=auto) has other line ends`},
	"sha256": {func(r *repo) {
		r.do(os.RemoveAll(filepath.Join(r.dir, ".git")))
		r.git("init", "-q", "--object-format=sha256", ".")
		r.attributes("* text=auto\n", "x.sh", "exit 1\n", "x.bat", "1\n")
		r.write("x.sh", "exit 1\r\n")
	}, `"x.sh" (text=auto) has other line ends`},
}

func TestOddBytes(t *testing.T) {
	for name, c := range odd {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			c.setup(r)
			s := r.look()
			if got := describe(s.odd); s.id == r.headTree() || len(s.odd) != 1 || !strings.Contains(got, c.want) {
				t.Errorf("got %s with %q, want %q\n%s", s.id, got, c.want, r.git("ls-files", "--eol"))
			}
		})
	}
}

// TestBytesAgain: an odd file is found in a session that knows the tree, and a file that is written back is no longer odd.
func TestBytesAgain(t *testing.T) {
	onDisk(t)
	r := newRepo(t)
	r.attributes("* text=auto\n*.bat eol=crlf\n", "x.sh", "exit 1\n", "x.bat", "1\r\n")
	g := r.openSession()
	look := func() snapshot {
		certain(g)
		s, err := g.tree(evidenceDir)
		r.do(err)
		return s
	}
	first := look()
	r.write("x.sh", "exit 1\r\n")
	if s := look(); s.id == first.id || len(s.odd) != 1 {
		t.Errorf("rewritten: %+v", s)
	}
	r.write("x.sh", "exit 1\n")
	if s := look(); s.id != first.id || len(s.odd) > 0 || len(first.rewritten(&s)) > 0 {
		t.Errorf("written back: %+v", s)
	}
	r.write("x.bat", "1\n")
	if s := look(); s.id != first.id || strings.Join(first.rewritten(&s), " ") != "x.bat" {
		t.Errorf("with the bytes of the tree: %+v", s)
	}
	r.write("x.bat", "1\r\n")
	if s := look(); s.id != first.id || len(first.rewritten(&s)) > 0 {
		t.Errorf("as a checkout writes it: %+v", s)
	}
}

// TestIgnoreStat: a setting by which git never looks at a file again that it has read once.
func TestIgnoreStat(t *testing.T) {
	onDisk(t)
	r := newRepo(t)
	g := r.openSession()
	r.git("config", "core.ignoreStat", "true")
	for i, text := range []string{"one\n", "one\n", "two\n"} {
		r.write("a.txt", text)
		certain(g)
		if s, err := g.tree(evidenceDir); err != nil || (len(s.changes) > 0) != (i == 2) {
			t.Errorf("look %d: %v, %v", i, s.changes, err)
		}
	}
}

// TestNarrowed: a command narrows a sparse checkout, and removes what is outside of it now.
func TestNarrowed(t *testing.T) {
	r := newRepo(t)
	r.write("tests/a", "exit 1\n")
	r.write("docs/a", "")
	r.commit()
	r.git("sparse-checkout", "set", "src", "tests")
	g := r.openSession()
	for i, cone := range []string{"tests", "docs tests", "docs", "docs", "tests"} {
		r.git(append([]string{"sparse-checkout", "set", "src"}, strings.Fields(cone)...)...)
		s, err := g.tree(evidenceDir)
		r.do(err)
		if got := describe(s.odd); strings.Contains(got, `"tests/a" is gone`) != (cone == "docs") || len(s.changes) > 0 {
			t.Errorf("look %d: %q, %v", i, got, s.changes)
		}
	}
}

// TestCheckoutBytes: a fresh work tree is as it would be on any machine.
func TestCheckoutBytes(t *testing.T) {
	r := newRepo(t)
	r.attributes("*.bat eol=crlf\nx.sh filter=crypt\n", "x.bat", "1\r\n", "x.sh", "exit 1\n")
	global := filepath.Join(filepath.Dir(r.dir), ".gitconfig")
	r.do(os.WriteFile(global, []byte("[core]\nautocrlf = true\n[filter \"crypt\"]\nsmudge = echo exit 0\nrequired = true\n"), 0o644))
	g, err := OpenGit(r.dir, cleanEnv("GIT_CONFIG_GLOBAL="+global))
	r.do(err)
	dir := filepath.Join(t.TempDir(), "fresh")
	r.do(g.Checkout(dir, r.git("rev-parse", "HEAD")))
	for name, want := range map[string]string{"a.txt": "one\n", "x.bat": "1\r\n", "x.sh": "exit 1\n"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != want {
			t.Errorf("%s: got %q, %v, want %q", name, data, err, want)
		}
	}
}
