package page

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

// The source of pages is held to this: names of tags and attributes, classes, ids and the targets of links within a page have the
// type Word, and no text is converted to it. Elements, attributes and raw text are made in page.go alone, by the functions below.

// makers are the calls of the library that a function of page.go may make, as "function: call".
var makers = []string{
	`El: g.El(string(tag), children...)`, `El: g.Raw("\n")`, `At: g.Attr(string(name), string(value))`,
	`number: g.Attr(string(name), strconv.FormatInt(int64(value), 10))`, `Decimal: g.Attr(string(name), InTenths(tenths))`,
	`ViewBox: g.Attr("viewBox", "0 0 "+InTenths(width)+" "+InTenths(height))`,
	`Spoken: g.Attr("aria-label", Visible(s))`, `Say: g.Text(Visible(strings.Join(words, "")))`,
	`document: g.Attr("content", policy())`, `document: g.Raw(stylesheet)`, `Take: g.Raw(b.String())`,
	`Pull: g.Attr("href", string(f)+"/pull/"+id)`, `Commit: g.Attr("href", string(f)+"/commit/"+id)`,
	`About: g.Attr("href", Project+"/blob/v"+rest)`,
}

// pageSource lists where a file breaks these rules.
func pageSource(name string, text []byte) (wrong, made []string, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, spec := range file.Imports {
		if path := strings.Trim(spec.Path.Value, `"`); strings.HasPrefix(path, "maragu.dev/gomponents") && (path != "maragu.dev/gomponents" || name != "page.go") ||
			strings.HasSuffix(path, "/present/page") && spec.Name != nil || path == "html/template" || path == "text/template" || path == "reflect" || path == "unsafe" {
			wrong = append(wrong, name+" imports "+path)
		}
	}
	for _, declared := range file.Decls {
		within := "a variable"
		if f, ok := declared.(*ast.FuncDecl); ok {
			within = f.Name.Name
		}
		ast.Inspect(declared, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			source := string(text[files.Position(call.Pos()).Offset:files.Position(call.End()).Offset])
			if f := string(text[files.Position(call.Fun.Pos()).Offset:files.Position(call.Fun.End()).Offset]); f == "Word" || f == "page.Word" {
				if _, constant := call.Args[0].(*ast.BasicLit); !constant {
					wrong = append(wrong, within+": "+source+" makes a word of what is no constant")
				}
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok {
				if library, ok := f.X.(*ast.Ident); ok && library.Name == "g" {
					made = append(made, within+": "+source)
				}
			}
			return true
		})
	}
	for _, m := range made {
		if !slices.Contains(makers, m) {
			wrong = append(wrong, m+" is not in the list of what makes a page")
		}
	}
	return wrong, made, nil
}

func TestPageSource(t *testing.T) {
	var all []string
	for _, room := range []string{".", "..", "../../audit/pages"} {
		names, err := filepath.Glob(filepath.Join(room, "*.go"))
		if err != nil || len(names) < 3 {
			t.Fatal(room, names, err)
		}
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
	}
	for _, m := range makers {
		if !slices.Contains(all, m) {
			t.Errorf("%s is in the list of what makes a page, and is not there", m)
		}
	}
}

// TestPageSourceIsSeen writes what the rules forbid.
func TestPageSourceIsSeen(t *testing.T) {
	for _, c := range []struct{ file, imports, code, want string }{
		{"page.go", "", `Class(Word(f.Class))`, "makes a word of what is no constant"},
		{"page.go", "", `At("id", Word("x"+f.Class))`, "makes a word of what is no constant"},
		{"page.go", "", `Class(Word("x"))`, ""},
		{"page.go", "", `g.Raw(f.Message)`, "g.Raw(f.Message) is not in the list"},
		{"page.go", "", `g.Attr("href", f.Path)`, "is not in the list"},
		{"page.go", "", `g.El(f.Path)`, "is not in the list"},
		{"page.go", "", `g.Rawf("%s", f.Path)`, "is not in the list"},
		{"../page.go", `import g "maragu.dev/gomponents"`, `page.Say(f.Message)`, "../page.go imports maragu.dev/gomponents"},
		{"../html_report.go", `import h "maragu.dev/gomponents/html"`, `page.Say(f.Message)`, "imports maragu.dev/gomponents/html"},
		{"page.go", `import "html/template"`, `Say(f.Message)`, "imports html/template"},
		{"../html_report.go", "", `page.El("p", page.Class("x"), page.Say(f.Message))`, ""},
		{"../html_report.go", "", `page.Class(page.Word(f.Class))`, "makes a word of what is no constant"},
		{"../html_report.go", `import p "github.com/closeout-gate/closeout/internal/present/page"`, `p.Word(f.Class)`, "imports github.com/closeout-gate"},
		{"../html_report.go", `import "github.com/closeout-gate/closeout/internal/present/page"`, `page.Say(f.Message)`, ""},
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
