//go:build soak

package verify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// TestSoakMonotone takes away, empties and doubles what the facts of a case list, and empties every file: no case that is not
// green becomes green by it.
func TestSoakMonotone(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does; half the time would be collecting
	var cases []caseFile
	for _, corpus := range corpora {
		cases = append(cases, findCases(t, corpus)...)
	}
	judged := make([]int, len(cases))
	t.Run("cases", func(t *testing.T) {
		for i, c := range cases {
			if green(c.verdict) {
				continue
			}
			t.Run(filepath.Base(filepath.Dir(c.path))+"/"+filepath.Base(c.path), func(t *testing.T) {
				t.Parallel()
				whole := c.files(t)
				if r := whole.judge(); r.Verdict != c.verdict {
					t.Fatalf("as it is: %s\n%s", r.Verdict, details(r))
				}
				for name, f := range whole.variants() {
					judged[i]++
					if r := f.judge(); green(r.Verdict) {
						t.Errorf("%s: %s\n%s", name, r.Verdict, details(r))
					}
				}
			})
		}
	})
	sum := 0
	for _, n := range judged {
		sum += n
	}
	if sum < 5000 {
		t.Errorf("%d variants are too few to show anything", sum)
	}
}

// without, with give copies of the files.
func (f inputFiles) without(name string) inputFiles {
	c := maps.Clone(f)
	delete(c, name)
	return c
}

// listed are the files that the facts list: by name, or, of logs, by their digests.
func (f inputFiles) listed() []string {
	var list []string
	for name, data := range f {
		if path.Base(name) != "facts.json" {
			continue
		}
		read, errs := facts.Parse(data, input.DefaultLimits())
		if read == nil || errs.Any() {
			continue
		}
		dir := strings.TrimSuffix(name, "facts.json")
		for _, c := range read.Contracts {
			list = append(list, dir+c.File)
		}
		for _, o := range read.Files {
			list = append(list, dir+o.File, o.File) // a pull request names its own file by its path in the bundle
		}
		for log, content := range f {
			if sum := sha256.Sum256(content); kindOf(log) == check.Feedback && slices.Contains(read.Digests, hex.EncodeToString(sum[:])) {
				list = append(list, log)
			}
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(name string) bool { return f[name] == nil })
}

// others are further names under which a bundle can contain the same file as an input of the same kind.
func others(name string) []string {
	dir := ""
	if i := strings.Index(name, "contracts/"); i > 0 {
		dir = name[:i]
	}
	switch kindOf(strings.TrimPrefix(name, dir)) {
	case check.Contract:
		return []string{"scope_contract.json", "scope_contract.yaml", "scope_contract.yml", "contracts/copy.json"}
	case check.TaskContract:
		return []string{
			dir + "contracts/copy.json", dir + "contracts/sub/" + path.Base(name), strings.TrimSuffix(name, path.Ext(name)) + ".yaml",
			dir + "contracts/" + strings.ToLower(path.Base(name)),
		}
	case check.Feedback:
		return []string{"feedback_record.jsonl", "feedback/copy.jsonl", "feedback/000.jsonl"}
	case check.Rules:
		return []string{"rule_report.json", "rules/copy.json", "rules/copy.sarif"}
	}
	return nil
}

// variants are the bundles with one of the listed files taken away, emptied, or there twice, and with any file emptied.
func (f inputFiles) variants() map[string]inputFiles {
	all := map[string]inputFiles{}
	for name := range f {
		all["with an empty "+name] = f.with(name, nil)
	}
	for _, name := range f.listed() {
		all["without "+name] = f.without(name)
		all["with a blank "+name] = f.with(name, []byte("\n"))
		all["with the content of "+name+" twice"] = f.with(name, slices.Concat(f[name], f[name]))
		for _, other := range others(name) {
			if f[other] == nil {
				all["with "+name+" also as "+other] = f.with(other, f[name])
			}
		}
	}
	return all
}

func green(verdict string) bool { return verdict == report.Passed || verdict == report.Overridden }
