package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	goscanner "go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoOracle compares masks and tests with what go/scanner and go/parser say of a part of the standard library. With the
// environment variable CLOSEOUT_ORACLE it takes the Go files of a directory.
func TestGoOracle(t *testing.T) {
	dirs := []string{os.Getenv("CLOSEOUT_ORACLE")}
	if dirs[0] == "" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			t.Skip("there is no go command:", err)
		}
		src := filepath.Join(strings.TrimSpace(string(root)), "src")
		dirs = []string{filepath.Join(src, "testing"), filepath.Join(src, "go"), filepath.Join(src, "net", "http"), filepath.Join(src, "encoding")}
	}
	if _, err := os.Stat(dirs[0]); err != nil {
		t.Skip("there is no standard library:", err)
	}
	files, tests := 0, 0
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil || len(text) > 1<<20 {
				return err
			}
			f := Parse(name, text)
			if !goMask(t, f) {
				return nil // no Go
			}
			files++
			if strings.HasSuffix(name, "_test.go") {
				tests += goTests(t, f)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Log(files, "files", tests, "tests")
}

// goMask compares a mask with the tokens of a file; false where it is malformed.
func goMask(t *testing.T, f *File) bool {
	code, comments := bytes.Clone(f.Text), spaces(f.Text)
	var s goscanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", -1, len(f.Text)), f.Text, nil, goscanner.ScanComments)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if code[i] != '\n' && code[i] != '\r' {
				code[i] = ' '
			}
		}
	}
	for {
		pos, kind, literal := s.Scan()
		at := int(pos) - 1
		switch kind {
		case token.EOF:
			if s.ErrorCount > 0 {
				return false
			}
			if at := differ(code, f.Code); at >= 0 {
				t.Errorf("%s:%d: code is %q, not %q", f.Path, f.LineAt(at), f.CodeLine(f.LineAt(at)), Parse("", code).Line(f.LineAt(at)))
			}
			if at := differ(comments, commentsOf(f)); at >= 0 {
				t.Errorf("%s:%d: comment is %q", f.Path, f.LineAt(at), f.CommentLine(f.LineAt(at)))
			}
			return true
		case token.COMMENT:
			end := at + len(literal)
			for strings.HasPrefix(literal, "/*") && bytes.HasSuffix(f.Text[:end], []byte("*/")) == false { // carriage returns are not in it
				end++
			}
			copy(comments[at:end], f.Text[at:end])
			blank(at, end)
		case token.STRING, token.CHAR:
			end := at + len(literal)
			for f.Text[end-1] != f.Text[at] {
				end++
			}
			blank(at+1, end-1)
		}
	}
}

func differ(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return none
}

// goTests compares the tests of a file, and returns how many it has.
func goTests(t *testing.T, f *File) int {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", f.Text, parser.SkipObjectResolution)
	if err != nil {
		return 0
	}
	var want, got []string
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		from, to := set.Position(fn.Type.Func).Offset, set.Position(fn.Type.End()).Offset
		parameters := f.Code[set.Position(fn.Type.Params.Opening).Offset+1 : set.Position(fn.Type.Params.Closing).Offset]
		if to < from || !goTestName(fn.Name.Name, bytes.TrimSpace(parameters), fn.Recv != nil) || fn.Type.Results != nil {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil {
			receiver := fn.Recv.List[0].Type
			if star, ok := receiver.(*ast.StarExpr); ok {
				receiver = star.X
			}
			name = fmt.Sprint(receiver) + " > " + name
		}
		line := func(p token.Pos) int { return f.LineAt(set.Position(p).Offset) }
		want = append(want, fmt.Sprint(name, line(fn.Pos()), line(fn.End()-1)))
		want = append(want, goSubtests(f, name, fn.Body, line)...)
	}
	for _, x := range f.Tests() {
		got = append(got, fmt.Sprint(x.Name, x.Line, x.End))
	}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("%s:\ngot  %q\nwant %q", f.Path, got, want)
	}
	return len(want)
}

// goSubtests are the calls of Run with a literal name and a function.
func goSubtests(f *File, parent string, body ast.Node, line func(token.Pos) int) []string {
	var list []string
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		name, literal := call.Args[0].(*ast.BasicLit)
		fn, function := call.Args[1].(*ast.FuncLit)
		if !ok || !literal || !function || method.Sel.Name != "Run" {
			return true
		}
		own := parent + " > " + clip(squeeze([]byte(name.Value[1:len(name.Value)-1])), maxName)
		list = append(list, fmt.Sprint(own, line(method.Sel.Pos()), line(call.Rparen)))
		list = append(list, goSubtests(f, own, fn.Body, line)...)
		return false
	})
	return list
}

// goTestName reports whether go test, or a suite, runs a function.
func goTestName(name string, parameters []byte, method bool) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		rest, found := strings.CutPrefix(name, prefix)
		if !found || (rest != "" && rest[0] >= 'a' && rest[0] <= 'z') {
			continue
		}
		kind := goParameter(parameters)
		switch {
		case method:
			return prefix != "Example" && (len(parameters) == 0 || kind == "C")
		case prefix == "Example":
			return len(parameters) == 0
		}
		return kind == prefix[:1]
	}
	return false
}

// goParameter is the T of t *testing.T, "" for anything else.
func goParameter(code []byte) string {
	star := bytes.IndexByte(code, '*')
	if star < 0 || bytes.IndexByte(code, ',') >= 0 {
		return ""
	}
	code = bytes.TrimSpace(code[star+1:])
	return string(code[bytes.LastIndexByte(code, '.')+1:])
}
