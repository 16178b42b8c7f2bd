package archive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// together checks how the values of an entry fit together. What has an error already is not looked at again.
func (r reader) together(e *Entry) {
	if r.Errs.Any() {
		return
	}
	switch e.Kind {
	case Decision:
		r.must("commits", len(e.Commits) > 0, "at least one commit")
		r.must("verdict", e.Verdict != nil, "the verdict of the report")
		r.must("tool", e.Tool != nil, "the tool of the report")
		r.must("report_sha256", e.ReportSHA256 != nil, "the sha256 of the report")
		r.absent(e, "why", "withdraws")
		r.reportListed(e)
	case Gap:
		r.must("commits", len(e.Commits) > 0, "at least one commit")
		r.must("why", e.Why != nil && slices.Contains(Whys, *e.Why), "one of "+strings.Join(Whys, ", "))
		r.absent(e, "verdict", "tool", "report_sha256", "bundle", "omitted", "repairs", "withdraws")
		r.must("replay", e.Replay == ReplayNotTried, `"not_tried": there is no bundle`)
	case Withdrawn:
		r.must("why", e.Why != nil, "the reason that a person gave")
		r.must("withdraws", e.Withdraws != nil, "the seq of the entry whose bundle was removed")
		r.absent(e, "commits", "parent", "pull_requests", "head_sha", "verdict", "tool", "run", "report_sha256", "bundle", "omitted", "repairs")
		r.must("replay", e.Replay == ReplayNotTried, `"not_tried": there is no bundle`)
	}
	if e.Tool != nil && (e.Tool.Name != "closeout" || !versionSyntax().MatchString(e.Tool.Version)) {
		tool := input.Fields{Node: r.Node.Member("tool"), Where: r.Pointer("tool"), Errs: r.Errs}
		reader{&tool}.must("name", e.Tool.Name == "closeout", `"closeout"`)
		reader{&tool}.must("version", versionSyntax().MatchString(e.Tool.Version), "a version")
	}
	r.once("commits", e.Commits)
	r.once("pull_requests", e.PullRequests)
	r.paths(e)
	r.ids(e)
}

// once checks that a list is not too long and has each text once.
func (r reader) once(key string, list []string) {
	r.must(key, len(list) <= MaxCommits, fmt.Sprintf("a list of at most %d", MaxCommits))
	sorted := slices.Sorted(slices.Values(list))
	r.must(key, len(slices.Compact(sorted)) == len(list), "a list with each once")
}

// must reports a value that does not fit the others.
func (r reader) must(key string, right bool, expected string) {
	if !right {
		r.Wrong(r.Node.Member(key), key, expected)
	}
}

// absent checks that an entry of its kind has no value under some keys.
func (r reader) absent(e *Entry, keys ...string) {
	for _, key := range keys {
		n := r.Node.Member(key)
		empty := n.Kind == input.KindNull || (n.Kind == input.KindList && len(n.Items) == 0)
		r.must(key, empty, "no value, since the entry is a "+e.Kind)
	}
}

// reportListed checks that the report is one of the files, with the digest that the entry names.
func (r reader) reportListed(e *Entry) {
	for _, f := range append(append([]File{}, e.Bundle...), e.Omitted...) {
		if f.Path == report.FileName {
			r.must("report_sha256", or(e.ReportSHA256, "") == f.SHA256, "the sha256 of "+report.FileName+" among the files")
			return
		}
	}
	r.must("bundle", false, "a list that contains "+report.FileName)
}

// paths checks that a directory can have all the files: no two names that differ only in case, and no file that is also a directory.
func (r reader) paths(e *Entry) {
	names := map[string]bool{} // of files and directories, folded; true for files
	for _, list := range []struct {
		key   string
		files []File
	}{{"bundle", e.Bundle}, {"omitted", e.Omitted}} {
		r.must(list.key, len(list.files) <= MaxFiles, fmt.Sprintf("a list of at most %d", MaxFiles))
		r.must(list.key, slices.IsSortedFunc(list.files, ByPath), "a list that is sorted by path")
		for _, f := range list.files {
			if !addPath(names, f.Path) {
				r.must(list.key, false, "paths that differ in more than case, and no file that is also a directory")
				return
			}
		}
	}
}

// addPath adds a file and its directories to names; false when there is no place for it.
func addPath(names map[string]bool, path string) bool {
	folded := strings.ToLower(path)
	if _, there := names[folded]; there {
		return false
	}
	names[folded] = true
	for i := range len(folded) {
		if folded[i] != '/' {
			continue
		}
		if names[folded[:i]] {
			return false
		}
		names[folded[:i]] = false
	}
	return true
}

// ids checks that all ids of commits are of one length: a repository has one hash function.
func (r reader) ids(e *Entry) {
	length := 0
	same := func(key, id string) {
		if length == 0 {
			length = len(id)
		}
		r.must(key, len(id) == length, "ids of one length")
	}
	for _, c := range e.Commits {
		same("commits", c)
	}
	if e.Parent != nil {
		same("parent", *e.Parent)
	}
	if e.HeadSHA != nil {
		same("head_sha", *e.HeadSHA)
	}
}
