package lint

import (
	"fmt"
	"path"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/report"
)

// evidence reports evidence and reports that git tracks or does not ignore.
func (l *linter) evidence() {
	dir := l.evidenceDir()
	committed := l.standing != nil && l.standing.contract.Evidence.Commits()
	if from, to := l.below(dir); from < to && !committed {
		l.trackedEvidence(dir, l.paths[from], to-from, "let git no longer track "+diag.QuotePath(dir)+", which stays on disk, and ignore it")
	}
	if _, ok := l.tracked(report.FileName); ok {
		l.trackedEvidence(report.FileName, report.FileName, 1, "let git no longer track "+report.FileName+", which stays on disk, and ignore it")
	}
	for _, p := range [][2]string{{dir + "/feedback_record.jsonl", dir + "/"}, {report.FileName, "/" + report.FileName}} {
		if l.ignored(p[0]) || committed && p[0] != report.FileName {
			continue
		}
		l.report(&check.Finding{
			Code: "lint.not_ignored", Message: "git does not ignore " + diag.QuotePath(p[0]) + ": one git add makes it part of the change, and a committed record is stale", Path: ".gitignore",
			Expected: "a line that ignores it", Actual: "none, or a later line that does not ignore it", Fix: "add the line " + p[1] + " at the end of .gitignore", Identity: []string{p[1]},
		})
	}
}

func (l *linter) trackedEvidence(what, first string, files int, fix string) {
	l.report(&check.Finding{
		Code: "lint.evidence_tracked", Message: fmt.Sprintf("git tracks %s of %s: evidence that a change brings along is not evidence", diag.Plural(int64(files), "file"), what),
		Path: first, Expected: "no tracked evidence", Actual: diag.Plural(int64(files), "file"), Fix: fix, Identity: []string{what},
	})
}

// ignored reports whether git ignores a path, by the .gitignore files on the way to it and info/exclude. Whether git tracks it
// makes no difference. Once a directory is ignored, nothing below it can be included again.
func (l *linter) ignored(p string) bool {
	if p = path.Clean(p); l.ignoredBefore == nil {
		l.ignoredBefore = map[string]bool{}
	}
	if known, ok := l.ignoredBefore[p]; ok {
		return known
	}
	answer := false
	for end := 0; end < len(p) && !answer; {
		next := strings.IndexByte(p[end:], '/')
		isDir := next >= 0
		if end += next; !isDir {
			end = len(p)
		}
		answer = l.ignoredItself(p[:end], isDir)
		end++
	}
	l.ignoredBefore[p] = answer
	return answer
}

// ignoredItself reports what the last matching line says about a path: the file in the nearest directory decides.
func (l *linter) ignoredItself(p string, isDir bool) bool {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if ignore, known := lastRule(l.ignoreRules(dir), relative(dir, p), isDir); known {
			return ignore
		}
		if dir == "." {
			break
		}
	}
	ignore, _ := lastRule(parseIgnore(l.Exclude), p, isDir)
	return ignore
}

func relative(dir, p string) string {
	if dir == "." {
		return p
	}
	return strings.TrimPrefix(p, dir+"/")
}

// ignoreRules are the rules of the .gitignore file in a directory.
func (l *linter) ignoreRules(dir string) []ignoreRule {
	if l.ignoreFiles == nil {
		l.ignoreFiles = map[string][]ignoreRule{}
	}
	rules, known := l.ignoreFiles[dir]
	if !known {
		if text, err := l.Read(path.Join(dir, ".gitignore")); err == nil {
			rules = parseIgnore(string(text))
		}
		l.ignoreFiles[dir] = rules
	}
	return rules
}

// ignoreRule is a line of a .gitignore file.
type ignoreRule struct {
	parts    []string // of the pattern, between slashes
	negated  bool
	dirsOnly bool
	anchored bool // it matches only from the directory of the file on
}

// maxIgnoreRules is how many lines of a .gitignore file count, and how long one may be.
const (
	maxIgnoreRules = 10_000
	maxIgnoreLine  = 1000
)

func parseIgnore(text string) []ignoreRule {
	var rules []ignoreRule
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.Lines(text) {
		line = trimIgnore(strings.TrimSuffix(line, "\n"))
		r := ignoreRule{}
		if line == "" || line[0] == '#' || len(line) > maxIgnoreLine || len(rules) == maxIgnoreRules {
			continue
		}
		if line[0] == '!' {
			r.negated, line = true, line[1:]
		}
		line, r.dirsOnly = strings.CutSuffix(line, "/")
		r.anchored = strings.Contains(line, "/")
		r.parts = strings.Split(strings.TrimPrefix(line, "/"), "/")
		if line != "" && line != "/" {
			rules = append(rules, r)
		}
	}
	return rules
}

// trimIgnore removes the blanks at the end of a line, unless a backslash escapes them.
func trimIgnore(line string) string {
	line = strings.TrimSuffix(line, "\r")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// lastRule is what the last rule that matches a path says; known is false when none does.
func lastRule(rules []ignoreRule, p string, isDir bool) (ignore, known bool) {
	parts := strings.Split(p, "/")
	for i := len(rules) - 1; i >= 0; i-- {
		r := &rules[i]
		if r.dirsOnly && !isDir {
			continue
		}
		if r.anchored && matchParts(r.parts, parts) || !r.anchored && matchPart(r.parts[0], parts[len(parts)-1]) {
			return !r.negated, true
		}
	}
	return false, false
}

// matchParts matches the names of a path with the parts of a pattern, in which ** is any number of names, and at least one at
// the end. Like matchPart it goes back to the last ** only.
func matchParts(pattern, names []string) bool {
	p, n, star, back := 0, 0, -1, 0
	for n < len(names) {
		if p < len(pattern) && pattern[p] == "**" {
			star, back = p, n
			if p++; p == len(pattern) {
				return true
			}
			continue
		}
		if p < len(pattern) && matchPart(pattern[p], names[n]) {
			p, n = p+1, n+1
			continue
		}
		if star < 0 {
			return false
		}
		back++
		p, n = star+1, back
	}
	return p == len(pattern)
}

// matchPart matches a name with a part of a pattern: *, ?, classes and escapes. After a * it goes back at most to that one,
// which is enough, and keeps the time within the product of both lengths.
func matchPart(pattern, name string) bool {
	p, n, star, back := 0, 0, -1, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, back = p, n
			p++
			continue
		}
		if width, ok := matchOne(pattern[p:], name[n]); ok {
			p, n = p+width, n+1
			continue
		}
		if star < 0 {
			return false
		}
		back++
		p, n = star+1, back
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchOne matches one byte with the start of a pattern, and returns how much of the pattern that is.
func matchOne(pattern string, c byte) (width int, ok bool) {
	switch {
	case pattern == "":
		return 0, false
	case pattern[0] == '?':
		return 1, true
	case pattern[0] == '\\' && len(pattern) > 1:
		return 2, pattern[1] == c
	case pattern[0] == '[':
		return matchClass(pattern, c)
	}
	return 1, pattern[0] == c
}

// matchClass matches one byte with a class such as [a-z] or [!0-9]. One that is not closed matches nothing.
func matchClass(pattern string, c byte) (width int, ok bool) {
	at := 1
	negated := at < len(pattern) && (pattern[at] == '!' || pattern[at] == '^')
	if negated {
		at++
	}
	found := false
	for first := at; at < len(pattern); {
		if pattern[at] == ']' && at > first {
			return at + 1, found != negated
		}
		if pattern[at] == '\\' && at+1 < len(pattern) {
			at++
		}
		low := pattern[at]
		high := low
		at++
		if at+1 < len(pattern) && pattern[at] == '-' && pattern[at+1] != ']' {
			high = pattern[at+1]
			at += 2
		}
		found = found || low <= c && c <= high
	}
	return 0, false
}
