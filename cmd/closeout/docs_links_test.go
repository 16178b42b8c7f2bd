package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

var (
	heading = regexp.MustCompile("(?m)^#+ +(.*)$")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	code    = regexp.MustCompile("(?s)```.*?```")
)

// anchors are the names that GitHub gives the headings of a page.
func anchors(text string) map[string]bool {
	notWord := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	names := map[string]bool{"": true}
	for _, m := range heading.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
		names[strings.ReplaceAll(notWord.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return names
}

// TestLinks follows every link within the repository.
func TestLinks(t *testing.T) {
	seen := 0
	for _, page := range append(docPages(t), "CHANGELOG.md") {
		text := readPage(t, page)
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			seen++
			to, anchor, _ := strings.Cut(m[1], "#")
			if to == "" {
				to = page
			} else {
				to = path.Join(path.Dir(page), to)
			}
			info, err := os.Stat(filepath.Join(repository, to))
			if err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
			} else if !info.IsDir() && path.Ext(to) == ".md" && !anchors(readPage(t, to))[anchor] {
				t.Errorf("%s: %s has no heading for the link %s", page, to, m[1])
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d links found: the pattern is wrong", seen)
	}
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// block is a block of code in a page, in a language.
var block = regexp.MustCompile("(?m)^```(json|yaml)\n((?:.*\n)*?)```$")

// TestContractsOfDocuments parses every contract that a page shows, and a template as it is for the item "one". One in YAML says the same as the one in JSON before it.
func TestContractsOfDocuments(t *testing.T) {
	seen, pairs := 0, 0
	for _, page := range docPages(t) {
		var json *contract.Contract
		for _, m := range block.FindAllStringSubmatch(readPage(t, page), -1) {
			if !strings.Contains(m[2], "rollback_plan") {
				continue
			}
			seen++
			c, errs := contract.Parse("scope_contract."+m[1], []byte(strings.ReplaceAll(m[2], "{{item}}", "one")), input.DefaultLimits())
			for _, e := range errs.All() {
				t.Errorf("%s: a contract is malformed: %s: %s", page, e.Message, e.Fix)
			}
			if m[1] == "json" {
				json = c
				continue
			}
			if json != nil && c != nil {
				pairs++
				sameContract(t, page, json, c)
			}
			json = nil
		}
	}
	if seen < 5 || pairs < 2 {
		t.Errorf("%d contracts and %d pairs found: the pattern is wrong", seen, pairs)
	}
}

// sameContract compares what two contracts say of files and commands.
func sameContract(t *testing.T, page string, a, b *contract.Contract) {
	t.Helper()
	if len(a.Criteria) != len(b.Criteria) || a.Goal.Value != b.Goal.Value || a.TaskID.Value != b.TaskID.Value || len(a.AllowedFiles) != len(b.AllowedFiles) {
		t.Errorf("%s: a contract in YAML differs from the one in JSON before it", page)
		return
	}
	for i := range a.Criteria {
		if strings.Join(a.Criteria[i].Run, "\x00") != strings.Join(b.Criteria[i].Run, "\x00") || a.Criteria[i].ID != b.Criteria[i].ID ||
			a.Criteria[i].Cwd != b.Criteria[i].Cwd || a.Criteria[i].ExpectFail != b.Criteria[i].ExpectFail {
			t.Errorf("%s: criterion %d in YAML differs from the one in JSON before it", page, i+1)
		}
	}
}
