package output

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The source of pages is held to this: tags with their attributes, classes, ids and the targets of links within a page have the
// type word, parts of a page the type node, and no text is converted to them but by the calls below, in html.go alone.

// makers are the conversions that a function of html.go may make, as "function: conversion".
var makers = []string{
	`el: node(begin + "<" + string(tag) + ">" + string(join(children)) + end)`, `join: node(b.String())`,
	"withValue: word(\" \" + string(name) + `=\"` + html.EscapeString(value) + `\"`)",
	`say: node(html.EscapeString(visible(strings.Join(words, ""))))`, `document: node(stylesheet)`,
}

// values are the calls that give an attribute a value that is no constant, as "function: call".
var values = []string{
	`at: withValue(name, string(value))`, `decimal: withValue(name, inTenths(tenths))`, `points: withValue("points", strings.Join(words, " "))`,
	`viewBox: withValue("viewBox", "0 0 "+inTenths(width)+" "+inTenths(height))`, `spoken: withValue("aria-label", visible(s))`,
	`document: withValue("content", policy())`, `pull: withValue("href", string(f)+"/pull/"+id)`, `commit: withValue("href", string(f)+"/commit/"+id)`,
}

// pageSource lists where a file breaks these rules.
func pageSource(name string, text []byte) (wrong, made []string, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, spec := range file.Imports {
		if path := strings.Trim(spec.Path.Value, `"`); path == "html/template" || path == "text/template" || path == "reflect" || path == "unsafe" {
			wrong = append(wrong, name+" imports "+path)
		}
	}
	for _, declared := range file.Decls {
		within := "a variable"
		if f, ok := declared.(*ast.FuncDecl); ok {
			within = f.Name.Name
		}
		ast.Inspect(declared, func(n ast.Node) bool {
			if inner, ok := n.(*ast.TypeSpec); ok && (isTyped(inner.Type) || inner.Name.Name == "word" || inner.Name.Name == "node") && inner.Type.(*ast.Ident).Name != "string" {
				wrong = append(wrong, within+": another name for a type of ours")
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			source := string(text[files.Position(call.Pos()).Offset:files.Position(call.End()).Offset])
			if f, ok := call.Fun.(*ast.Ident); ok && (isTyped(f) || f.Name == "withValue") {
				if _, constant := call.Args[0].(*ast.BasicLit); !constant || f.Name == "withValue" {
					made = append(made, within+": "+source)
				}
			}
			return true
		})
	}
	for _, m := range made {
		if name != "html.go" || !slices.Contains(makers, m) && !slices.Contains(values, m) {
			wrong = append(wrong, m+" is not in the list of what makes a page")
		}
	}
	return wrong, made, nil
}

// isTyped reports whether an expression is one of the types that no text is converted to.
func isTyped(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && (name.Name == "word" || name.Name == "node")
}

func TestPageSource(t *testing.T) {
	names, err := filepath.Glob("html*.go")
	if err != nil || len(names) < 4 {
		t.Fatal(names, err)
	}
	var all []string
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		wrong, made, err := pageSource(name, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range wrong {
			t.Errorf("%s: %s", name, w)
		}
		all = append(all, made...)
	}
	for _, m := range append(makers, values...) {
		if !slices.Contains(all, m) {
			t.Errorf("%s is in the list of what makes a page, and is not there", m)
		}
	}
}

// TestPageSourceIsSeen writes what the rules forbid.
func TestPageSourceIsSeen(t *testing.T) {
	for _, c := range []struct{ file, imports, code, want string }{
		{"html.go", "", `class(word(f.Class))`, "is not in the list"},
		{"html.go", "", `at("id", word("x"+f.Class))`, "is not in the list"},
		{"html.go", "", `class(word("x"))`, ""},
		{"html.go", "", `node(f.Message)`, "node(f.Message) is not in the list"},
		{"html.go", "", `withValue("href", f.Path)`, "is not in the list"},
		{"html.go", "", `el(word(f.Path))`, "is not in the list"},
		{"html.go", "", `func() any { type mine = node; return mine(f.Message) }()`, "another name"},
		{"html_report.go", "", `node(b.String())`, "is not in the list"},
		{"html_report.go", "", `node("")`, ""},
		{"html.go", `import "html/template"`, `say(f.Message)`, "imports html/template"},
		{"html_report.go", "", "el(`p class=\"x\"`, say(f.Message))", ""},
	} {
		text := fmt.Sprintf("package output\n%s\nfunc f() { _ = %s }\n", c.imports, c.code)
		wrong, _, err := pageSource(c.file, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(wrong, "\n"); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.code, got, c.want)
		}
	}
}
