//go:build soak

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/present/console"
)

// checkouts make a repository r, or at, in whose work tree a command is recorded. The recorder asks git about the work tree,
// the gate reads the commit's objects: of a clean checkout both must get the same code tree.
var checkouts = []struct{ name, script, at string }{
	{"plain", "", ""},
	{"from a directory below", "", "r/src"},
	{"sha256", "rm -rf r/.git; git init -q --object-format=sha256 r; cd r; git add .; git commit -qm one", ""},
	{"odd names", `cd r; echo 1 > '*'; echo 1 > '[a]'; echo 1 > ':(top)x'; echo 1 > "$(printf 'a\377b')"; echo 1 > 'q"q'; echo 1 > ' x '; mkdir -- -d; echo 1 > ./-d/-x; git add .; git commit -qm two`, ""},
	{"odd evidence beside the directory", "cd r; mkdir -p .closeout/evidence.d .closeout/evidence-x .closeoutx; echo 1 > .closeout/evidence.d/a; echo 1 > .closeout/evidence-x/a; echo 1 > .closeout/evidenc; git add .; git commit -qm two", ""},
	{"CRLF committed, then normalised", "cd r; printf '1\\r\\n2\\r\\n' > src/crlf; git add .; git commit -qm two; git config core.autocrlf input", ""},
	{"CRLF by an attribute", "cd r; echo '*.bat text eol=crlf' > .gitattributes; printf '1\\r\\n' > a.bat; git add .; git commit -qm two; rm a.bat; git checkout a.bat", ""},
	{"mixed line endings without normalisation", "cd r; echo '* -text' > .gitattributes; printf '1\\r\\n2\\n' > a.bat; git add .; git commit -qm two", ""},
	{"another encoding", "cd r; echo '*.u working-tree-encoding=UTF-16LE' > .gitattributes; printf '1\\0\\n\\0' > a.u; git add .; git commit -qm two", ""},
	{"ident", "cd r; echo '*.i ident' > .gitattributes; echo '$Id$' > a.i; git add .; git commit -qm two; rm a.i; git checkout a.i", ""},
	{"LFS pointers without LFS", "cd r; echo '*.bin filter=lfs diff=lfs merge=lfs -text' > .gitattributes; printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\\nsize 12345\\n' > a.bin; git add .; git commit -qm two", ""},
	{"executable bits", "cd r; chmod +x src/a; git add .; git commit -qm two", ""},
	{"symlinks", "cd r; ln -s a src/l; ln -s /nowhere gone; ln -s src folder; git add .; git commit -qm two", ""},
	{"settings of a file system that can do less", "cd r; chmod +x src/a; ln -s a src/l; git add .; git commit -qm two; git config core.fileMode false; git config core.symlinks false; git config core.ignoreCase true", ""},
	{"a submodule", "git clone -q r s; cd r; git submodule -q add ../s sub; git commit -qm two", ""},
	{"a submodule that is not there", "git clone -q r s; cd r; git submodule -q add ../s sub; git commit -qm two; git submodule -q deinit -f sub", ""},
	{"a submodule that .gitmodules ignores", "git clone -q r s; cd r; git submodule -q add ../s sub; git config -f .gitmodules submodule.sub.ignore all; git add .; git commit -qm two; echo 2 > sub/src/a", ""},
	{"a sparse checkout", "cd r; mkdir other; echo 1 > other/a; git add .; git commit -qm two; git sparse-checkout set src .closeout; ! test -e other", ""},
	{"a sparse checkout by patterns", "cd r; mkdir other; echo 1 > other/a; git add .; git commit -qm two; git sparse-checkout set --no-cone '/*' '!other'; ! test -e other", ""},
	{"a sparse index", "cd r; mkdir -p other/b; echo 1 > other/b/a; git add .; git commit -qm two; git sparse-checkout set --sparse-index src; ! test -e other", ""},
	{"tracked and ignored", "cd r; echo 1 > x.log; git add -f x.log; echo '*.log' > .gitignore; git add .; git commit -qm two", ""},
	{"ignored files", "cd r; printf 'out\\n' > .gitignore; git add .; git commit -qm two; echo 1 > out; mkdir -p .git/info; echo x >> .git/info/exclude; echo 1 > x", ""},
	{"evidence committed", "cd r; mkdir -p .closeout/evidence/a; echo {} > .closeout/evidence/a/x.json; git add .; git commit -qm two", ""},
	{"evidence committed and edited", "cd r; mkdir -p .closeout/evidence; echo {} > .closeout/evidence/x.json; git add .; git commit -qm two; echo 1 > .closeout/evidence/x.json; echo 1 > .closeout/evidence/y", ""},
	{"evidence is ignored", "cd r; echo .closeout/evidence > .gitignore; git add .; git commit -qm two; mkdir -p .closeout/evidence; echo 1 > .closeout/evidence/x", ""},
	{"evidence is all there is", "cd r; git rm -qr .; mkdir -p .closeout/evidence; echo 1 > .closeout/evidence/x; git add .; git commit -qm two", ""},
	{"evidence is a file", "cd r; echo 1 > .closeout/evidence; git add .; git commit -qm two", ""},
	{"nothing at all", "cd r; git rm -qr .; git commit -qm two", ""},
	{"marked as unchanged", "cd r; git update-index --assume-unchanged src/a; git update-index --skip-worktree top", ""},
	{"a split index with caches", "cd r; git config core.splitIndex true; git update-index --split-index --untracked-cache; git status -s", ""},
	{"an index that is not there", "cd r; rm .git/index", ""},
	{"an index of other things", "cd r; git rm -qr --cached src; git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:top),other", ""},
	{"a replaced tree", "cd r; echo 2 > src/a; git commit -qam two; git replace HEAD^{tree} HEAD~1^{tree}", ""},
	{"a replaced blob", "cd r; echo 2 > src/a; git commit -qam two; git replace HEAD:src/a HEAD~1:src/a; git status -s", ""},
	{"a linked work tree", "git -C r worktree add -q ../w -b w; cd w; echo 2 > src/a; git commit -qam two", "w"},
	{"borrowed objects", "git clone -qs r s", "s"},
	{"a shallow clone", "cd r; echo 2 > src/a; git commit -qam two; git clone -q --depth 1 file://$PWD ../s", "s"},
	{"a partial clone", "git -C r config uploadpack.allowFilter true; git clone -q --filter=blob:none file://$PWD/r s", "s"},
	{"a submodule's own work tree", "git clone -q r s; cd r; git submodule -q add ../s sub; git commit -qm two", "r/sub"},
	{"settings of elsewhere", "cd r; git config core.excludesFile ../ignore; echo '*.skip' > ignore; mv ignore ..; echo 1 > a.skip; git config core.attributesFile /nowhere; git config core.quotePath false; git config status.showUntrackedFiles no; git config core.ignoreCase true; git config add.ignoreErrors true", ""},
}

// edited are such that must not get the commit's code tree.
var edited = []struct{ name, script, at string }{
	{"CRLF by a setting of the machine", "cd r; git config core.autocrlf true; printf '1\\n2\\n' > src/lf; git add .; git commit -qm two; rm src/lf; git checkout src/lf; grep -q \"$(printf '\\r')\" src/lf", ""},
	{"a filter of the machine", "cd r; git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'; echo '*.f filter=up' > .gitattributes; echo abc > a.f; git add .; git commit -qm two; rm a.f; git checkout a.f; git cat-file -p HEAD:a.f | grep -q ABC", ""},
	{"an edit", "echo 2 > r/src/a", ""},
	{"an edit that is staged", "cd r; echo 2 > src/a; git add .", ""},
	{"an edit that is staged and taken back", "cd r; git rm -q --cached src/a; echo 2 > src/a", ""},
	{"an edit that is hidden", "cd r; git update-index --assume-unchanged src/a; git update-index --skip-worktree top; echo 2 > src/a", ""},
	{"a new file", "echo 2 > r/src/b", ""},
	{"a new file that status hides", "cd r; git config status.showUntrackedFiles no; echo 2 > src/b", ""},
	{"a file that is gone", "rm r/src/a", ""},
	{"an executable bit", "chmod +x r/src/a", ""},
	{"an executable bit that git ignores", "cd r; git config core.fileMode false; chmod +x src/a", ""},
	{"a file with the text of a symlink", "cd r; ln -s a src/l; git add .; git commit -qm two; git config core.symlinks false; rm src/l; git checkout src/l", ""},
	{"a new file in other case", "cd r; git config core.ignoreCase true; echo 2 > TOP", ""},
	{"an edit that git does not look for", "cd r; git config core.ignoreStat true; git update-index --really-refresh; echo 2 > src/a", ""},
	{"a symlink instead", "cd r; rm src/a; ln -s ../top src/a", ""},
	{"beside the evidence", "mkdir r/.closeout/evidence.d; echo 1 > r/.closeout/evidence.d/x", ""},
	{"evidence in other case", "mkdir r/.closeout/Evidence; echo 1 > r/.closeout/Evidence/x", ""},
	{"a moved submodule", "git clone -q r s; cd r; git submodule -q add ../s sub; git commit -qm two; git -C sub commit -q --allow-empty -m x", ""},
	{"an edit of an ignored, tracked file", "cd r; echo 1 > x.log; git add -f x.log; echo '*.log' > .gitignore; git add .; git commit -qm two; echo 2 > x.log", ""},
	{"the line endings of a binary file", "cd r; echo '* -text' > .gitattributes; printf '1\\n' > a.bat; git add .; git commit -qm two; printf '1\\r\\n' > a.bat", ""},
	{"a replaced head", "cd r; cp -R src ../src; echo 2 > src/a; git commit -qam two; git replace HEAD HEAD~1; cp ../src/a src/a; git status -s", ""},
}

// TestSoakCodeTrees compares the recorder's code tree with the gate's.
func TestSoakCodeTrees(t *testing.T) {
	for _, c := range checkouts {
		t.Run(c.name, func(t *testing.T) {
			before, after, accepted := codeTrees(t, c.script, c.at)
			if before != accepted || after != accepted {
				t.Errorf("recorded before %s and after %s; the commit's is %s", before, after, accepted)
			}
		})
	}
	for _, c := range edited {
		t.Run(c.name, func(t *testing.T) {
			if before, _, accepted := codeTrees(t, c.script, c.at); before == accepted {
				t.Errorf("recorded as if it were the commit's: %s", before)
			}
		})
	}
}

// codeTrees records a command in a checkout, and collects its head. It gives the record's trees and the accepted one.
func codeTrees(t *testing.T, text, at string) (before, after, accepted string) {
	t.Helper()
	dir := t.TempDir()
	script(t, dir, "git init -q -b main r; cd r; mkdir -p src .closeout; echo 1 > src/a; echo 1 > top; echo 1 > .closeout/keep; git add .; git commit -qm one; cd ..\n"+text+"\n:")
	for name, value := range gitSettings {
		t.Setenv(name, value)
	}
	t.Chdir(filepath.Join(dir, cmp.Or(at, "r")))
	log, bundle := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "bundle")
	inProcess(t, "record", "--log", log, "--", "true")
	inProcess(t, "collect", "--base", "HEAD", "--bundle", bundle)
	var record struct {
		Before string `json:"tree_before"`
		After  string `json:"tree_after"`
	}
	var facts struct {
		Subject struct {
			Trees []string `json:"accepted_trees"`
		}
	}
	for file, into := range map[string]any{log: &record, filepath.Join(bundle, "facts.json"): &facts} {
		if err := json.Unmarshal([]byte(readFile(t, file)), into); err != nil {
			t.Fatal(err)
		}
	}
	if record.Before == "" || len(facts.Subject.Trees) != 1 {
		t.Fatalf("record %+v, facts %+v", record, facts)
	}
	return record.Before, record.After, facts.Subject.Trees[0]
}

// inProcess runs the program in this process, which must end with 0.
func inProcess(t *testing.T, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := execute(args, console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); status != 0 {
		t.Fatalf("closeout %q: exit %d\n%s%s", args, status, &out, &errs)
	}
}
