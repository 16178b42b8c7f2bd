package rules

import (
	"bytes"
	"path"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/rules/secrets"
	"github.com/closeout-gate/closeout/verify/input"
)

// findSecrets finds credentials that no touched file of the merge base has, once for each file and kind: in samples,
// which are tests, examples and documents, most are made up. A private key is looked for in the whole text, because its
// first line may be older than the rest.
func findSecrets(inSamples bool) func(*Change, func(Hit)) {
	return func(c *Change, report func(Hit)) {
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
			seen, lines, counts, kinds := map[string]bool{}, map[string]int{}, map[string]int64{}, []string(nil)
			add := func(line int, s secrets.Found) {
				if seen[s.Value] || isPublicKey(f, s) || before()[s.Value] {
					return
				}
				seen[s.Value] = true
				if counts[s.Name]++; counts[s.Name] == 1 {
					lines[s.Name], kinds = line, append(kinds, s.Name)
				}
			}
			for _, line := range f.Added() {
				secrets.Find(line.Text, func(s secrets.Found) { add(line.Number, s) })
			}
			if has(f.Head.Text, "PRIVATE KEY") && len(f.Added()) > 0 {
				secrets.Find(f.Head.Text, func(s secrets.Found) { add(f.Head.LineAt(s.Start), s) })
			}
			for _, detail := range kinds {
				line, n := lines[detail], counts[detail]
				if n > 1 {
					detail += " and " + input.Plural(n-1, "other") + " like it"
				}
				report(f.hit(0, line, "", detail, "revoke it, and read it from the environment or from a secret store"))
			}
		}
	}
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
