package rules

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/rules/secrets"
	"github.com/closeout-gate/closeout/verify/input"
)

// findSecrets finds credentials that the change adds: in samples, which are tests, examples and documents, most are made up.
func findSecrets(inSamples bool) func(*Change, func(Hit)) {
	return func(c *Change, report func(Hit)) { c.newSecrets(inSamples, report) }
}

// credential is one that a file has.
type credential struct {
	secrets.Found
	line int
}

// newSecrets reports each credential that no touched file of the merge base has, once for each file and kind.
func (c *Change) newSecrets(inSamples bool, report func(Hit)) {
	before := sync.OnceValue(func() map[string]bool {
		values := map[string]bool{}
		for _, f := range c.Files {
			if f.Base != nil {
				secrets.Find(f.Base.Text, func(s secrets.Found) { values[s.Value] = true })
			}
		}
		return values
	})
	for _, f := range c.Files {
		if f.Head == nil || isQuietPlace(f.Path) != inSamples {
			continue
		}
		fresh := slices.DeleteFunc(newCredentials(f), func(s credential) bool { return before()[s.Value] })
		counts := map[string]int64{}
		for _, s := range fresh {
			counts[s.Name]++
		}
		for _, s := range fresh {
			detail := s.Name
			if n := counts[s.Name]; n > 1 {
				detail += " and " + input.Plural(n-1, "other") + " like it"
			}
			if counts[s.Name] > 0 {
				report(f.hit(0, s.line, "", detail, "revoke it, and read it from the environment or from a secret store"))
			}
			counts[s.Name] = 0
		}
	}
}

// newCredentials lists the credentials of the added lines of a file. A private key is looked for in the whole text,
// because its first line may be older than the rest.
func newCredentials(f *File) (list []credential) {
	seen := map[string]bool{}
	add := func(line int, s secrets.Found) {
		if !seen[s.Value] && !isPublicKey(f, s) {
			seen[s.Value] = true
			list = append(list, credential{s, line})
		}
	}
	for _, line := range f.Added() {
		secrets.Find(line.Text, func(s secrets.Found) { add(line.Number, s) })
	}
	if has(f.Head.Text, "PRIVATE KEY") && len(f.Added()) > 0 {
		secrets.Find(f.Head.Text, func(s secrets.Found) { add(f.Head.LineAt(s.Start), s) })
	}
	return list
}

// isPublicKey reports whether a key is in a file that every user of a program gets, as Google's keys of apps and pages
// are.
func isPublicKey(f *File, s secrets.Found) bool {
	return s.Name == "a Google API key" && has(bytes.ToLower(f.Head.Text), "firebase")
}

// isQuietPlace reports whether a file may have credentials that are made up.
func isQuietPlace(name string) bool {
	return isSample(name) || isIn(strings.ToLower(path.Ext(name)),
		documents+".markdown .txtar .golden .jsonl ")
}
