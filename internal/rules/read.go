package rules

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// The limits of what is read, in bytes or lines. What lies beyond them is named by [UnreadFile] and [UnreadOther].
const (
	maxFile  = 4 << 20  // of one version of a file
	maxLines = 1 << 20  // of one version of a file; what has more cannot be compared line by line
	maxTotal = 64 << 20 // of all versions of all files, each content once
)

// Why a version of a file was not read.
const (
	unreadLarge  = "the file is larger than 4 MiB"
	unreadLines  = "the file has more than 1,048,576 lines"
	unreadBudget = "the change is larger than 64 MiB"
	unreadBinary = "the file is binary"
	unreadMode   = "the file is a symlink or a submodule"
)

type reader struct {
	blob     func(id string, limit int64) ([]byte, error)
	tooLarge error
	left     int64
	texts    map[string][]byte
}

func read(changes []change.Change, blob func(string, int64) ([]byte, error), tooLarge error) (*Change, error) {
	c := &Change{Files: make([]*File, len(changes))}
	order, ranks := make([]int, len(changes)), make([]int, len(changes))
	for i := range changes {
		c.Files[i], order[i] = &File{Change: changes[i]}, i
		ranks[i] = c.Files[i].rank()
	}
	input.SortStable(order, func(a, b int) int { return ranks[a] - ranks[b] })
	r := &reader{blob, tooLarge, maxTotal, map[string][]byte{}}
	for _, i := range order {
		if err := r.read(c.Files[i]); err != nil {
			return nil, err
		}
	}
	c.isLarge = r.left < maxTotal-4<<20
	return c, nil
}

// rank orders what is read: what the rules need most comes first, and of that what the merge base has, because the
// author of the change cannot add to it. Padding is read last.
func (f *File) rank() int {
	rank := 4
	switch {
	case f.Lang() != source.None && f.isTest(), isFlow(f.Path), isNamed(f.Path, buildFiles):
		rank = 0
	case f.Lang() != source.None:
		rank = 2
	}
	if f.OldID == "" {
		rank++
	}
	return rank
}

func (r *reader) read(f *File) error {
	var err error
	if f.Base, f.unread[0], err = r.version(f.Path, f.OldMode, f.OldID); err != nil {
		return err
	}
	if f.OldID == f.NewID && f.Base != nil && f.NewMode != change.Symlink {
		f.Head = f.Base
		return nil
	}
	f.Head, f.unread[1], err = r.version(f.Path, f.NewMode, f.NewID)
	return err
}

// version reads one version of a file, or says why not.
func (r *reader) version(name string, mode change.Mode, id string) (*source.File, string, error) {
	switch {
	case mode.Special():
		return nil, unreadMode, nil
	case id == "" || (mode != change.Regular && mode != change.Executable):
		return nil, "", nil
	}
	text, known := r.texts[id]
	if !known {
		limit := min(maxFile, r.left)
		var err error
		text, err = r.blob(id, limit)
		switch {
		case errors.Is(err, r.tooLarge) && limit < maxFile:
			return nil, unreadBudget, nil
		case errors.Is(err, r.tooLarge):
			return nil, unreadLarge, nil
		case err != nil:
			return nil, "", err
		}
		r.left -= int64(len(text))
		r.texts[id] = text
	}
	if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return nil, unreadBinary, nil
	}
	if bytes.Count(text, []byte("\n")) >= maxLines {
		return nil, unreadLines, nil
	}
	return source.Parse(name, text), "", nil
}

// buildFiles say what a project needs, or how its checks run.
const buildFiles = "package.json go.mod go.work pyproject.toml setup.cfg setup.py requirements.txt pytest.ini tox.ini cargo.toml pom.xml " +
	"build.gradle build.gradle.kts gemfile rakefile makefile justfile directory.packages.props .gitlab-ci.yml *.csproj *.gemspec"

// findUnreadFile finds tests and workflows that could not be read, so that no rule can say anything about them.
func findUnreadFile(c *Change, report func(Hit)) {
	for _, f := range c.Files {
		if why := f.hidden(); why != "" {
			report(f.unreadHit(why, "keep tests and workflows in text files of at most 4 MiB and 1,048,576 lines, or leave this file as it was"))
		}
	}
}

// findUnreadOther lists the other files that were not read.
func findUnreadOther(c *Change, report func(Hit)) {
	for _, f := range c.Files {
		why := cmp.Or(f.unread[1], f.unread[0])
		if f.hidden() == "" && (isLimit(why) || (f.Lang() != source.None && f.unread[1] == unreadBinary)) {
			report(f.unreadHit(why, "review the file by hand"))
		}
	}
}

func (f *File) unreadHit(why, fix string) Hit {
	return Hit{File: f.Path, Base: f.NewID == "", Detail: why + ", so no rule can judge it", Fix: fix}
}

// isLimit reports whether a file was not read because there is too much to read.
func isLimit(why string) bool { return why == unreadLarge || why == unreadLines || why == unreadBudget }

// hidden says why a file of tests or a workflow could not be compared with what it was; "" where it could. A file that
// was unreadable before is hidden only by its size: nothing says that the author of the change wrote it.
func (f *File) hidden() string {
	base, head := f.unread[0], f.unread[1]
	if (base == "" && head == "") || !f.matters() {
		return ""
	}
	for _, why := range []string{head, base} {
		if isLimit(why) {
			return why
		}
	}
	if head != "" && f.Base != nil && (head != unreadMode || f.Lang() == source.None || isSetup(f.Base) || len(f.Base.Tests()) > 0 ||
		has(f.Base.Code, "ssert", "xpect", "hould", ".Fatal", ".Error", "raise", "throw", "fail", "panic")) { // a link for what tests use takes no test away
		return strings.Replace(head, " is ", " becomes ", 1)
	}
	return ""
}

// matters reports whether a file is one that the rules must read.
func (f *File) matters() bool {
	if isFlow(f.Path) {
		return true
	}
	if (f.OldMode.Special() && f.NewID == "") || (f.NewMode == change.Submodule && f.OldID == "") {
		return false
	}
	return f.Lang() != source.None && (f.isTest() || (f.Base != nil && len(f.Base.Tests()) > 0))
}

// otherLanguages are those of programs that no rule reads, by the extensions of their files.
const otherLanguages = "|.php=PHP|.phpt=PHP|.swift=Swift|.scala=Scala|.groovy=Groovy|.c=C|.h=C|.cc=C++|.cpp=C++|.cxx=C++|.hpp=C++|" +
	".m=Objective-C|.mm=Objective-C|.ex=Elixir|.exs=Elixir|.dart=Dart|.lua=Lua|.pl=Perl|.t=Perl|.bats=shell|.sh=shell|" +
	".clj=Clojure|.hs=Haskell|.jl=Julia|.r=R|.fs=F#|.vb=Visual Basic|.zig=Zig|.nim=Nim|.cr=Crystal|.erl=Erlang|" +
	".ml=OCaml|.elm=Elm|.kts=Kotlin|.vue=Vue|.svelte=Svelte|.feature=Gherkin|"

func otherLanguage(name string) string {
	_, language, _ := strings.Cut(otherLanguages, "|"+strings.ToLower(path.Ext(name))+"=")
	language, _, _ = strings.Cut(language, "|")
	return language
}

// unreadLanguages are the languages of touched tests that no rule reads, by name.
func (c *Change) unreadLanguages() (list []reports.UnreadLanguage) {
	for _, f := range c.Files {
		language := otherLanguage(f.Path)
		if language == "" || !f.isTest() || foreign(f.Path) {
			continue
		}
		i, found := slices.BinarySearchFunc(list, language,
			func(u reports.UnreadLanguage, name string) int { return strings.Compare(u.Language, name) })
		if !found {
			list = slices.Insert(list, i, reports.UnreadLanguage{Language: language, File: check.Valid(f.Path)})
		}
		list[i].Files++
	}
	return list
}
