package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/closeout-gate/closeout/internal/present/console"
)

// TestPreCommitHook wants a hook that calls an existing command with existing flags, for the files that it reads.
func TestPreCommitHook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repository, ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Entry, Language, Files string
		Args                       []string
		PassFilenames              *bool `yaml:"pass_filenames"`
	}
	if err := yaml.Unmarshal(text, &hooks); err != nil || len(hooks) != 1 {
		t.Fatalf("%d hooks, %v", len(hooks), err)
	}
	h := hooks[0]
	if h.ID != "closeout-lint" || h.Language != "golang" || h.PassFilenames == nil || *h.PassFilenames {
		t.Errorf("the hook is %+v", h)
	}
	words := append(strings.Fields(h.Entry), h.Args...)
	root := newRoot(console.Streams{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	command, rest, err := root.Find(words[1:])
	if err != nil || words[0] != "closeout" || command.Name() != "lint" || command.ParseFlags(rest) != nil {
		t.Errorf("%q calls %v, %v", words, command, err)
	}
	files := regexp.MustCompile(h.Files)
	for path, want := range map[string]bool{
		".closeout/scope_contract.json": true, ".closeout/tasks/T-1.yml": true, ".github/workflows/closeout.yml": true, ".gitignore": true,
		"CODEOWNERS": true, "docs/CODEOWNERS": true, ".github/CODEOWNERS": true, "src/.closeout": false, "docs/start.md": false,
	} {
		if files.MatchString(path) != want {
			t.Errorf("the hook runs for %s: %v", path, !want)
		}
	}
	page, err := os.ReadFile(filepath.Join(repository, "docs/start.md"))
	if err != nil || !bytes.Contains(page, []byte("      - id: "+h.ID+"\n")) {
		t.Errorf("docs/start.md does not name the hook, %v", err)
	}
}
