//go:build soak

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// template makes a repository with the branches main and work, and an unrelated one, evil, that others try to pass off for
// work. It contains loose objects, a pack, a submodule, a deep directory and a merge.
const template = `
git init -q -b main r; cd r; mkdir .git/info
mkdir -p src/d/e/f lib docs; echo 1 > src/d/e/f/a; echo 1 > lib/b; echo 1 > docs/c; echo 1 > gone; ln -s a src/link
for i in 0 1 2 3 4 5 6 7 8 9; do echo $i > docs/$i; seq 1 200 > lib/$i; done
git add .; git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub; mkdir sub
git commit -qm one; git repack -qad
echo 2 > lib/b; git commit -qam two
git checkout -qb work
echo 2 > src/d/e/f/a; seq 2 201 > lib/3; git rm -q gone; chmod +x docs/c; echo x > "src/q\"x"; git add src lib docs; git commit -qm three
git update-index --cacheinfo 160000,2222222222222222222222222222222222222222,sub; ln -sf b src/link; git add src; git commit -qm four
git checkout -q main; echo 3 > docs/9; git commit -qm five docs
git checkout -q work; git merge -q --no-edit main; echo 5 > src/new; git add src; git commit -qm six
git checkout -q main; echo 4 > docs/8; git commit -qm seven docs
git checkout -q --orphan evil; git rm -qrf . ; echo 1 > README; git add README; git commit -qm evil
git checkout -qf work; git update-ref refs/evil evil; git branch -qD evil
`

// script runs a shell script in a directory.
func script(t testing.TB, dir, text string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, and these tests compare with it")
	}
	c := exec.Command("sh", "-euc", text)
	c.Dir = dir
	c.Env = gitEnv("HOME="+dir, "LC_ALL=C", "GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v\n%s", text, err, out)
	}
}

// What a repository that was tampered with must come to.
const (
	same    = iota // the answer that git gives for the sound repository
	refusal        // no answer
	either
)

// repos are ways in which a repository may be kept, turned or damaged. Each is a script that begins in the directory that
// contains the template r, and judges the directory at, which is r when it is empty.
var repos = []struct {
	name, script, at string
	want             int
}{
	{"as it is", "", "", same},
	{"packed", "cd r; git gc -q --aggressive", "", same},
	{"packed with bitmaps", "cd r; git repack -qadb; git multi-pack-index write --bitmap", "", same},
	{"several packs and an index of them", "cd r; git repack -qd; git multi-pack-index write", "", same},
	{"pack indexes of version 1", "cd r; git -c pack.indexVersion=1 repack -qad", "", same},
	{"deltas by id", "cd r; git -c repack.useDeltaBaseOffset=false repack -qadf --window=50", "", same},
	{"a commit graph", "cd r; git commit-graph write --reachable --changed-paths", "", same},
	{"a commit graph of nonsense", "cd r; git commit-graph write --reachable; chmod u+w .git/objects/info/commit-graph; echo x > .git/objects/info/commit-graph", "", same},
	{"a commit graph that knows other parents", `cd r
printf '%s %s\n' $(git rev-parse work) $(git rev-parse refs/evil) > .git/info/grafts
git -c advice.graftFileDeprecated=false commit-graph write --reachable || true; rm .git/info/grafts`, "", same},
	{"bitmaps of nonsense", "cd r; git repack -qadb; chmod u+w .git/objects/pack/*.bitmap; echo x > $(ls .git/objects/pack/*.bitmap)", "", same},
	{"packed refs", "cd r; git pack-refs --all", "", same},
	{"stale packed refs", `cd r; git pack-refs --all; git rev-parse work > ../w; git update-ref refs/heads/work refs/evil; git pack-refs --all; mkdir -p .git/refs/heads; cp ../w .git/refs/heads/work`, "", same},
	{"a linked work tree", "cd r; git checkout -q --detach; git worktree add -q ../w work", "w", same},
	{"a directory of a linked work tree", "cd r; git checkout -q --detach; git worktree add -q ../w work", "w/src/d", same},
	{"the directory of a linked work tree in .git", "cd r; git checkout -q --detach; git worktree add -q ../w work", "r/.git/worktrees/w", same},
	{"bare", "git clone -q --bare r b", "b", same},
	{"a mirror", "git clone -q --mirror r b", "b", same},
	{"the .git directory", "", "r/.git", same},
	{".git is a file", "mv r/.git g; echo 'gitdir: ../g' > r/.git", "", same},
	{".git is a link", "mv r/.git g; ln -s ../g r/.git", "", same},
	{"objects are a link", "mv r/.git/objects o; ln -s ../../o r/.git/objects", "", same},
	{"borrowed, absolute", "git clone -qs r s; cd s; git branch -q main origin/main", "s", same},
	{"borrowed, relative, twice", "mv r o; git clone -qs --bare o p; git clone -qs p s; echo ../../o/.git/objects > p/objects/info/alternates; echo ../../../p/objects > s/.git/objects/info/alternates; cd s; git branch -q main origin/main", "s", same},
	{"borrowed, quoted", `git clone -qs --bare r "p\"q"; git clone -qs "p\"q" s; printf '"../../../p\\"q/objects"\n' > s/.git/objects/info/alternates; cd s; git branch -q main origin/main`, "s", same},
	{"borrowed from itself", "echo ../objects > r/.git/objects/info/alternates", "", same},
	{"borrowed from what is gone", "git clone -qs r s; cd s; git branch -q main origin/main; mv ../r ../q", "s", refusal},
	{"a submodule", "git init -q -b x outer; cd outer; git submodule -q add ../r m; cd m; git branch -q main origin/main", "outer/m", same},
	{"a replaced head", "cd r; git replace work refs/evil", "", same},
	{"a replaced tree", "cd r; git replace work^{tree} main^{tree}", "", same},
	{"a replaced merge base", "cd r; git replace -f $(git merge-base main work) work~1", "", same},
	{"grafts", "cd r; printf '%s %s\n' $(git rev-parse work) $(git rev-parse refs/evil) > .git/info/grafts", "", same},
	{"settings that run programs", `cd r; for k in core.fsmonitor diff.external core.sshCommand core.editor core.pager core.alternateRefsCommand uploadpack.packObjectsHook filter.x.clean filter.x.smudge filter.x.process diff.x.textconv diff.x.command; do git config $k 'touch ../ran #'; done
echo '* filter=x diff=x' > .git/info/attributes; git config core.hooksPath ../hooks; mkdir ../hooks; for h in post-index-change reference-transaction post-checkout; do printf '#!/bin/sh\ntouch ../ran\n' > ../hooks/$h; chmod +x ../hooks/$h; done; rm -f ../ran`, "", same},
	{"settings that hide", "cd r; git config core.bare true; git config core.worktree /nowhere; git config core.fileMode false; git config core.ignoreCase true; git config core.precomposeUnicode true; git config diff.ignoreSubmodules all; git config submodule.sub.ignore all; git config core.quotePath false; git config core.abbrev 4; git config diff.noprefix true; git config core.commitGraph true; git config core.useReplaceRefs true", "", same},
	{"settings from elsewhere", "cd r; printf '[include]\n\tpath = ../../x\n[includeIf \"gitdir:**\"]\n\tpath = /nowhere\n' >> .git/config; printf '[extensions]\n\tnonsense = 1\n[core]\n\trepositoryformatversion = 9\n' > ../x", "", same},
	{"a shallow list of nothing", "cd r; : > .git/shallow", "", same},
	{"a shallow list that ends at the merge base", "cd r; git merge-base main work > .git/shallow", "", either},
	{"a shallow list that ends at the head", "cd r; git rev-parse work > .git/shallow", "", either},
	{"a shallow list of nonsense", "cd r; echo x > .git/shallow", "", refusal},
	{"depth 1", "git clone -q --depth 1 --no-single-branch file://$PWD/r s; cd s; git branch -q main origin/main", "s", refusal},
	{"depth 2", "git clone -q --depth 2 --no-single-branch file://$PWD/r s; cd s; git branch -q main origin/main", "s", either},
	{"depth 3", "git clone -q --depth 3 --no-single-branch file://$PWD/r s; cd s; git branch -q main origin/main", "s", either},
	{"deepened to all", "git clone -q --depth 1 --no-single-branch file://$PWD/r s; cd s; git branch -q main origin/main; git fetch -q --unshallow", "s", same},
	{"without blobs", "git -C r config uploadpack.allowFilter true; git clone -qn --filter=blob:none file://$PWD/r s; cd s; git branch -q main origin/main", "s", same},
	{"without trees", "git -C r config uploadpack.allowFilter true; git clone -qn --filter=tree:0 file://$PWD/r s; cd s; git branch -q main origin/main", "s", refusal},
	{"with the root's tree alone", "git -C r config uploadpack.allowFilter true; git clone -qn --filter=tree:1 file://$PWD/r s; cd s; git branch -q main origin/main", "s", refusal},
	{"the head's tree is lost", "cd r; o=$(git rev-parse work^{tree}); rm -f .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)", "", refusal},
	{"a directory's tree is lost", "cd r; o=$(git rev-parse work:src/d/e/f); rm -f .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)", "", refusal},
	{"a directory's tree is empty", "cd r; o=$(git rev-parse work:src/d); f=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); chmod u+w $f; : > $f", "", refusal},
	{"a directory's tree is another's", "cd r; p() { o=$(git rev-parse $1); echo .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); }; chmod u+w $(p work:src/d); cp $(p work:src) $(p work:src/d)", "", refusal},
	{"a changed blob is lost", "cd r; o=$(git rev-parse work:src/new); rm -f .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)", "", same},
	{"a bad loose copy beside a good pack", "cd r; git repack -qa; o=$(git rev-parse work^{tree}); f=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); chmod u+w $f; echo x > $f", "", either},
	{"the pack is gone", "cd r; git repack -qad; rm -f .git/objects/pack/*.pack", "", refusal},
	{"the pack's index is gone", "cd r; git repack -qad; rm -f .git/objects/pack/*.idx", "", refusal},
	{"the pack is cut", "cd r; git repack -qad; f=$(ls .git/objects/pack/*.pack); chmod u+w $f; head -c 900 $f > ../p; cp ../p $f", "", refusal},
	{"an index without pack beside", "cd r; git repack -qad; cp $(ls .git/objects/pack/*.idx) .git/objects/pack/pack-0000000000000000000000000000000000000000.idx", "", either},
	{"a stale index of several packs", "cd r; git repack -qd; git multi-pack-index write; cp .git/objects/pack/multi-pack-index ../m; git repack -qad; cp ../m .git/objects/pack/multi-pack-index", "", either},
	{"an index of several packs, of nonsense", "cd r; git repack -qad; echo x > .git/objects/pack/multi-pack-index", "", either},
	{"reftables", "cd r; git config core.repositoryFormatVersion 1; git config extensions.refStorage reftable", "", refusal},
	{"an unknown extension", "cd r; git config core.repositoryFormatVersion 1; git config extensions.nonsense 1", "", refusal},
	{"a format of the future", "cd r; git config core.repositoryFormatVersion 2", "", refusal},
	{"another hash", "cd r; git config core.repositoryFormatVersion 1; git config extensions.objectFormat sha256", "", refusal},
	{"a damaged configuration", "cd r; echo '[core' >> .git/config", "", refusal},
	{"no configuration", "rm r/.git/config", "", same},
	{"a branch that names a blob", "cd r; git rev-parse work:src/new > ../w; cp ../w .git/refs/heads/work", "", refusal},
	{"a branch that names nothing", "cd r; echo 1234567890123456789012345678901234567890 > .git/refs/heads/work", "", refusal},
	{"a branch that names itself", "cd r; echo 'ref: refs/heads/work' > .git/refs/heads/work", "", refusal},
	{"a branch that leads out", "cd r; cp .git/refs/heads/work ../w; echo 'ref: refs/../../../w' > .git/refs/heads/work", "", refusal},
	{"an empty branch", "cd r; : > .git/refs/heads/work", "", refusal},
	{"a tag of the branch's name", "cd r; git tag work refs/evil", "", refusal},
	{"a tag of the base's name", "cd r; git tag main work", "", refusal},
	{"a branch behind a symbolic one", "cd r; git branch -q -m work real; git symbolic-ref refs/heads/work refs/heads/real", "", same},
	{"a branch of another case", "cd r; git update-ref refs/heads/WORK refs/evil", "", same},
	{"a head that names no commit", "cd r; echo 'ref: refs/heads/none' > .git/HEAD", "", same},
	{"a pipe instead of an object", "cd r; o=$(git rev-parse work^{tree}); f=.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); rm -f $f; mkfifo $f", "", refusal},
	{"a pipe instead of a branch", "cd r; rm .git/refs/heads/work; mkfifo .git/refs/heads/work", "", refusal},
	{"a pipe instead of the packed refs", "cd r; rm -f .git/packed-refs; mkfifo .git/packed-refs", "", either},
	{"a pipe instead of the configuration", "cd r; rm .git/config; mkfifo .git/config", "", refusal},
	{"a pipe instead of the borrowed directories", "cd r; mkfifo .git/objects/info/alternates", "", refusal},
	{"a pipe instead of a pack", "cd r; git repack -qad; f=$(ls .git/objects/pack/*.pack); rm -f $f; mkfifo $f", "", refusal},
}

// TestSoakHostileRepositories wants the answer that git gives of the sound repository, or none.
func TestSoakHostileRepositories(t *testing.T) {
	sound := t.TempDir()
	script(t, sound, template)
	r := filepath.Join(sound, "r")
	want, err := asGit(t, r, gitIn(t, r, "merge-base", "main", "work"), "work")
	if err != nil || strings.Count(want, "\n") != 9 {
		t.Fatalf("%s %v", want, err)
	}
	for _, c := range repos {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script(t, dir, "cp -R "+sound+"/r . && "+strings.TrimSpace(c.script+"\n:"))
			at := filepath.Join(dir, "r")
			if c.at != "" {
				at = filepath.Join(dir, c.at)
			}
			holdAnswer(t, at, want, c.want)
			if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
				t.Error("something that the repository names was executed")
			}
		})
	}
}

func holdAnswer(t *testing.T, at, want string, allowed int) {
	t.Helper()
	switch j := judge(t, at, "main", "work"); {
	case j.listed == want && allowed != refusal:
	case j.refused() && allowed != same:
	default:
		t.Errorf("exit %d, %s%+v", j.status, j.listed, j.report.Findings)
	}
}
