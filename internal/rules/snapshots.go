package rules

import (
	"path"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// SnapshotOnly finds changes that make expected results fit, and change nothing that could give other results.
var SnapshotOnly = &Rule{
	ID: "closeout/snapshot-only", Title: "Only expected results change, and no code", Severity: input.Warn, Review: true, Languages: []string{"any"},
	Find: func(c *Change, report func(Hit)) {
		var first *File
		count := 0
		for _, f := range c.Files {
			switch {
			case f.Base != nil && f.Head != nil && isSnapshot(f.Path):
				if count++; count == 1 {
					first = f
				}
			case f.Lang() != source.None || !isProseFile(f.Path):
				return // it may be why the results are others
			}
		}
		if first != nil {
			reportFirst(Hit{File: first.Path, Subject: "snapshots", Detail: "expected results changed without any code: " + input.Plural(int64(count), "file"), Fix: "say which change of the code gives the new results"}, 1, report)
		}
	},
}

// isSnapshot reports whether a path is that of an expected result that a tool writes.
func isSnapshot(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, ".snap") || strings.HasSuffix(base, ".golden") || strings.Contains(base, ".approved.") || strings.Contains(base, ".verified.") ||
		strings.Contains("/"+name, "/__snapshots__/") || strings.Contains("/"+name, "/__image_snapshots__/")
}

// isProseFile reports whether a path is that of a text that no program reads.
func isProseFile(name string) bool {
	return oneOf(strings.ToLower(path.Ext(name)), ".md", ".mdx", ".rst", ".txt", ".adoc")
}
