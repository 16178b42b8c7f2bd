package start

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/toolchain"
	"github.com/closeout-gate/closeout/verify/glob"
)

// tests are the entries of the block tests, with a comment for each, and what a person may add to them. A criterion without a
// report names no test, so that it cannot be in one.
func (s *starter) tests() (entries []members, comments []string, offer string) {
	var known []string
	for _, c := range s.criteria {
		var files []string
		why := c.none
		switch {
		case c.report != "":
			files = s.testPaths(c)
			why = "no path is that of a test of " + c.ecosystem.Name
		case why == "":
			why = "whether it writes a test report is not known"
		}
		if files == nil {
			s.note(`the contract has no "tests" for the criterion ` + c.id + ": " + why)
			continue
		}
		known = append(known, files...)
		entries = append(entries, members{{"files", array(files)}, {"criteria", array([]string{c.id})}})
		comments = append(comments, "the tests of "+c.ecosystem.Name)
	}
	if data := s.testData(toolchain.Globs(known...)); entries != nil && data != nil {
		offer = "add " + array(data) + " to the files of \"tests\", if only tests read them"
		s.note(offer)
	}
	return entries, comments, offer
}

// maxOffered is how many directories of test data are named.
const maxOffered = 5

// testData are globs of the first directories that hold test data by their name, beside what is known to be tests.
func (s *starter) testData(known *glob.Set) (list []string) {
	for _, f := range s.files {
		parts := strings.Split(f.Path, "/")
		i := slices.IndexFunc(parts[:len(parts)-1], func(part string) bool { return slices.Contains(toolchain.TestData, strings.ToLower(part)) })
		if i < 0 || known.Match(f.Path) || len(list) == maxOffered {
			continue
		}
		if text := s.pattern(strings.Join(parts[:i+1], "/"), "/**"); text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// testPaths are the globs of the tests that a criterion runs; nil where none matches a file. A glob for any directory is of use
// for tests to come; one for a certain place is written where there is something.
func (s *starter) testPaths(c *criterion) (files []string) {
	exist := false
	for _, text := range words(c.ecosystem.Tests, c.ecosystem.Config) {
		here := globBelow(c.cwd, text)
		found := s.any(toolchain.Globs(here).Match)
		exist = exist || found
		anywhere := strings.HasPrefix(text, "**/") && slices.Contains(c.ecosystem.Tests, text)
		if found || anywhere {
			files = append(files, here)
		}
	}
	if !exist {
		return nil
	}
	return files
}

// globBelow is a glob of the table, for a directory.
func globBelow(dir, text string) string {
	if dir == "." {
		return text
	}
	return glob.Escape(dir) + "/" + text
}
