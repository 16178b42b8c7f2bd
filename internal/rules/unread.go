package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/reports"
)

// findUnreadFile finds tests and workflows that could not be read, so that no rule can say anything about them.
func findUnreadFile(c *Change, report func(Hit)) {
	for _, f := range c.Files {
		if why := f.hidden(); why != "" {
			report(Hit{
				File: f.Path, Base: f.NewID == "", Detail: why + ", so no rule can judge it",
				Fix: "keep tests and workflows in text files of at most 4 MiB and 1,048,576 lines, or leave this file as it was",
			})
		}
	}
}

// findUnreadOther lists the other files that were not read.
func findUnreadOther(c *Change, report func(Hit)) {
	for _, f := range c.Files {
		why := f.unread[1]
		if why == "" {
			why = f.unread[0]
		}
		if why == "" || f.hidden() != "" {
			continue
		}
		if isLimit(why) || f.Lang() != source.None && f.unread[1] == unreadBinary {
			report(Hit{File: f.Path, Base: f.NewID == "", Detail: why + ", so no rule can judge it", Fix: "review the file by hand"})
		}
	}
}

// isLimit reports whether a file was not read because there is too much to read.
func isLimit(why string) bool { return why == unreadLarge || why == unreadLines || why == unreadBudget }

// hidden says why a file of tests or a workflow could not be compared with what it was; "" where it could. A file that was
// unreadable before is hidden only by its size: nothing says that the author of the change wrote it.
func (f *File) hidden() string {
	base, head := f.unread[0], f.unread[1]
	if base == "" && head == "" || !f.matters() {
		return ""
	}
	for _, why := range []string{head, base} {
		if isLimit(why) {
			return why
		}
	}
	if head != "" && f.Base != nil {
		return strings.Replace(head, " is ", " becomes ", 1)
	}
	return ""
}

// matters reports whether a file is one that the rules must read.
func (f *File) matters() bool {
	if isWorkflow(f.Path) {
		return true
	}
	if f.OldMode.Special() && f.NewID == "" || f.NewMode == change.Submodule && f.OldID == "" {
		return false
	}
	return f.Lang() != source.None && (source.IsTest(f.Path) || f.Base != nil && len(f.Base.Tests()) > 0)
}

// otherLanguages are those of programs that no rule reads, by the extensions of their files.
var otherLanguages = map[string]string{
	".php": "PHP", ".phpt": "PHP", ".swift": "Swift", ".scala": "Scala", ".groovy": "Groovy", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++",
	".hpp": "C++", ".m": "Objective-C", ".mm": "Objective-C", ".ex": "Elixir", ".exs": "Elixir", ".dart": "Dart", ".lua": "Lua", ".pl": "Perl", ".t": "Perl",
	".bats": "shell", ".sh": "shell", ".clj": "Clojure", ".hs": "Haskell", ".jl": "Julia", ".r": "R", ".fs": "F#", ".vb": "Visual Basic", ".zig": "Zig",
	".nim": "Nim", ".cr": "Crystal", ".erl": "Erlang", ".ml": "OCaml", ".elm": "Elm", ".kts": "Kotlin", ".vue": "Vue", ".svelte": "Svelte", ".feature": "Gherkin",
}

// unreadLanguages are the languages of touched tests that no rule reads, by name.
func (c *Change) unreadLanguages() (list []reports.UnreadLanguage) {
	for _, f := range c.Files {
		language := otherLanguages[strings.ToLower(path.Ext(f.Path))]
		if language == "" || !source.IsTest(f.Path) || foreign(f.Path) {
			continue
		}
		i, found := slices.BinarySearchFunc(list, language, func(u reports.UnreadLanguage, name string) int { return strings.Compare(u.Language, name) })
		if !found {
			list = slices.Insert(list, i, reports.UnreadLanguage{Language: language, File: check.Valid(f.Path)})
		}
		list[i].Files++
	}
	return list
}
