package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// harmful is a command that removes files or overwrites them, in a text or as the words of a command, or the advice to remove some.
var harmful = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bgit(?: -[\w=.-]+(?: \S+)?)*? (?:rm|restore|reset|clean|stash)\b` +
		"|\\bgit checkout\\b[^\n`]* -- |\\bgit checkout [\\w./-]+\\.\\w+" +
		"|(?:^|[\\s;&|`(])(?:rm|unlink|rmdir) +(?:-\\w+ +)*[\\w./\"'$*-]" +
		`|(?i:\b(?:remove|delete|discard) (?:or ignore\b|(?:the|an?) (?:\w+ )?(?:files?|director(?:y|ies)|folders?|repositor(?:y|ies)|logs?|reports?)\b))` +
		`|\b(?:is|are) (?:an?|not|no|another)\b[^→]*: (?:remove|delete|discard) (?:it|them)\b`)
})

// harmfulWords are those of the same commands one by one.
var harmfulWords = []string{"rm", "checkout", "restore", "reset", "clean", "stash"}

// TestNothingNamesAHarmfulCommand looks into all texts of the program and all pages: none names a command that would remove
// or overwrite a person's work, and no list of words is one. What the program does with its own copies is not text.
func TestNothingNamesAHarmfulCommand(t *testing.T) {
	texts := 0
	look := func(where, text string) {
		texts++
		for line := range strings.Lines(text) {
			if found := harmful().FindString(line); found != "" {
				t.Errorf("%s names %q in %q: say in words what of which path is to be undone", where, found, strings.TrimSpace(line))
			}
		}
	}
	err := filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(repository, path)
		switch {
		case entry.IsDir():
			if name == ".git" || name == ".ci" || entry.Name() == "testdata" {
				return filepath.SkipDir
			}
		case slices.Contains([]string{".md", ".yml", ".yaml", ".json"}, filepath.Ext(name)):
			data, err := os.ReadFile(path)
			look(name, string(data))
			return err
		case filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
			return lookAtLiterals(path, look)
		}
		return nil
	})
	if err != nil || texts < 5000 {
		t.Errorf("%d texts: %v", texts, err)
	}
	for text, want := range map[string]bool{
		"git rm -rfq --ignore-unmatch -- x": true, "rm -rf -- x": true, "git restore --source=1 -- x": true,
		"git checkout 1 -- x": true, "git -C a clean -x": true, "`git stash`": true, "x && rm greet.go.bak": true,
		"git reset --hard": true, "git checkout src/rules.py": true,
		"is a link, not a regular file: remove it": true, "commit it, and remove or ignore the rest": true,
		"delete the old report": true, "is a repository: add it, remove it": false, "it is a key: write it, or remove the key": false,
		"git switch -c work": false, "git checkout -qb work": false, "remove the file": true, "remove the line": false, "a clean work tree": false,
		"git cleans up": false, "form a": false,
	} {
		if harmful().MatchString(text) != want {
			t.Errorf("%q: expected %t", text, want)
		}
	}
}

// lookAtLiterals calls look with every text in a file of the program, and reports commands that are put together from words.
func lookAtLiterals(path string, look func(where, text string)) error {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		return err
	}
	literal := func(e ast.Expr) string {
		l, ok := e.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return ""
		}
		text, _ := strconv.Unquote(l.Value)
		return text
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			look(files.Position(n.Pos()).String(), literal(n))
		case *ast.CompositeLit:
			for i := 1; i < len(n.Elts); i++ {
				word := literal(n.Elts[i])
				if literal(n.Elts[i-1]) == "git" && slices.Contains(harmfulWords, word) {
					look(files.Position(n.Pos()).String(), "git "+word+" -- x")
				}
			}
		}
		return true
	})
	return nil
}
