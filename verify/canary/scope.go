package canary

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/strict"
)

// ofScope adds a path to the change: one that nothing allows, one that is forbidden, the contract.
func (c *canary) ofScope() []mutation {
	off := "canary-" + c.hex + "/x"
	list := []mutation{c.path(OffScope, off, change.Added, "scope.off_scope", "the change adds "+off)}
	list[0].because = func(after *report.Report) *report.CanaryBecause { return c.allows(off, after) }
	if path := c.forbiddenPath(); path != "" {
		list = append(list, c.path(Forbidden, path, change.Added, "scope.forbidden", "the change adds "+diag.QuotePath(path)+", which is forbidden"))
	} else {
		c.notTried(Forbidden, "no path could be made that a pattern of forbidden_files matches")
	}
	contract := policy.StandingContract + ".json"
	if s := &c.contracts[0]; s.trust == facts.TrustBase && plain(s.path) {
		contract = s.path
	}
	return append(list, c.path(ContractPath, contract, change.Modified, "contract.changed", "the change edits the contract "+contract))
}

func (c *canary) path(name, path string, status change.Status, code, text string) mutation {
	return mutation{
		name: name, text: text, expected: code, about: func(f *report.Finding) bool { return f.Location.Path == path },
		edit: func(in *inputs) string { return in.addPath(c.part, path, status) },
	}
}

// addPath adds a touched path to all lists of changes of a part, and of the merge group that contains it.
func (in *inputs) addPath(part int, path string, status change.Status) (why string) {
	added := false
	for i := range in.files {
		f := &in.files[i]
		switch {
		case f.part != part && f.part != whole:
			continue
		case f.Kind == check.Changes:
			f.data, why = withChange(f.data, path, status, in.settings.Limits)
		case f.Kind == check.Diff:
			f.data, why = withSection(f.data, path, status, in.settings.Limits)
		default:
			continue
		}
		if added = true; why != "" {
			return why
		}
	}
	if !added {
		return "there is no list of changed files"
	}
	return ""
}

const touched = "the change touches the path already"

// withChange adds a path to changes.json.
func withChange(data []byte, path string, status change.Status, limits strict.Limits) (changed []byte, why string) {
	list, errs := change.ReadChanges(bytes.NewReader(data), limits)
	if errs.Any() {
		return nil, "the list of changed files cannot be read"
	}
	at, found := slices.BinarySearchFunc(list, path, func(c change.Change, path string) int { return cmp.Compare(c.Path, path) })
	if found {
		return nil, touched
	}
	size := 40
	for i := range list {
		size = max(len(list[i].OldID), len(list[i].NewID), size)
	}
	c := change.Change{Path: path, Status: status, OldMode: change.NoMode, NewMode: change.Regular, NewID: strings.Repeat("1", size)}
	if status != change.Added {
		c.OldMode, c.OldID = change.Regular, strings.Repeat("2", size)
	}
	changed, err := change.Marshal(slices.Insert(list, at, c))
	if err != nil {
		return nil, err.Error()
	}
	return changed, ""
}

// withSection adds a path to a diff, before its first section.
func withSection(data []byte, path string, status change.Status, limits strict.Limits) (changed []byte, why string) {
	list, errs := change.ReadDiff(bytes.NewReader(data), limits)
	const start = "diff --git "
	at := bytes.Index(data, []byte("\n"+start)) + 1
	if bytes.HasPrefix(data, []byte(start)) {
		at = 0
	}
	switch {
	case errs.Any() || !bytes.HasPrefix(data[at:], []byte(start)):
		return nil, "the diff has no section before which one could be added"
	case !plain(path):
		return nil, "a diff would have to quote the path"
	case slices.ContainsFunc(list, func(c change.Change) bool { return c.Path == path }):
		return nil, touched
	}
	section := start + "a/" + path + " b/" + path + "\n"
	if status == change.Added {
		section += "new file mode 100644\nindex 0000000..e69de29\n"
	} else {
		section += "index 1111111..2222222 100644\n--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-1\n+2\n"
	}
	return slices.Concat(data[:at], []byte(section), data[at:]), ""
}

// plain reports whether a path needs no quotes in a diff, and is regular in every other way.
func plain(path string) bool {
	const others = "._/+-@"
	return path != "" && strings.Trim(path, others) != "" && !strings.ContainsFunc(path, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r))
	})
}

// forbiddenPath is a path that a contract forbids; "" when none could be made.
func (c *canary) forbiddenPath() string {
	evidence := cmp.Or(c.contracts[0].Evidence.Dir, policy.DefaultEvidenceDir)
	for i := range c.contracts {
		for _, p := range c.contracts[i].ForbiddenFiles {
			path := c.sample(p.Value)
			below := path == evidence || strings.HasPrefix(path, evidence+"/")
			if plain(path) && !below && !c.touches(path) && glob.Compile([]glob.Pattern{p.Glob.AndBelow()}).Match(path) {
				return path
			}
		}
	}
	return ""
}

// touches reports whether the decision lists a path.
func (c *canary) touches(path string) bool {
	return slices.ContainsFunc(c.before.Files, func(f report.File) bool { return f.Path == path })
}

// sample replaces the wildcards of a pattern; the caller checks whether the result matches.
func (c *canary) sample(pattern string) string {
	for {
		open := strings.LastIndexByte(pattern, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(pattern[open:], '}')
		if end < 0 {
			return ""
		}
		first, _, _ := strings.Cut(pattern[open+1:open+end], ",")
		pattern = pattern[:open] + first + pattern[open+end+1:]
	}
	return strings.NewReplacer("**", "canary-"+c.hex, "*", "canary", "?", "c").Replace(pattern)
}

// allows finds the line that lets a path through which no contract should allow.
func (c *canary) allows(path string, after *report.Report) *report.CanaryBecause {
	s, class := &c.contracts[0], ""
	for _, f := range after.Files {
		if f.Path == path {
			class = f.Class
		}
	}
	switch class {
	case "allowed":
		if p, ok := matching(s.AllowedFiles, path); ok {
			return s.because(p.Pos, "allowed_files has %s", strict.QuoteJSON(p.Value))
		}
	case "soft":
		if p, ok := matching(s.DocsPathsSoft, path); ok {
			return s.because(p.Pos, "docs_paths_soft has %s", strict.QuoteJSON(p.Value))
		}
	}
	for _, by := range s.SeverityByPath {
		if p, ok := matching(by.Files, path); ok && by.Severity != diag.Block {
			return s.because(p.Pos, "severity_by_path gives %s the severity %s", strict.QuoteJSON(p.Value), by.Severity)
		}
	}
	if s.OffScope == diag.Warn {
		return s.becauseOf("off_scope is warn", "off_scope")
	}
	if s.ViolationBudget == nil || *s.ViolationBudget == 0 {
		return nil
	}
	return s.becauseOf("violation_budget allows files that are out of scope", "violation_budget")
}
