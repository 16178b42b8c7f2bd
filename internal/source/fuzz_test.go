package source

import (
	"bytes"
	"testing"
)

var names = []string{"a_test.go", "test_a.py", "a.test.js", "a.test.tsx", "a.rs", "ATest.java", "ATest.kt", "ATests.cs", "a_spec.rb", "a.yml", "a.txt"}

// FuzzParse checks what every text keeps: lengths, line ends, and a test that lies in its file.
func FuzzParse(f *testing.F) {
	for i := range names {
		f.Add(uint8(i), []byte("a \"b ${c} #{d} {e:f}\" /* g */ // h\n`'''\"\"\"r#\"%w[<<~A\nA\n"))
		f.Add(uint8(i), []byte("\rdef test\n 1"))
	}
	f.Fuzz(func(t *testing.T, kind uint8, text []byte) {
		file := Parse(names[int(kind)%len(names)], text)
		checkMask(t, file)
		for _, test := range file.Tests() {
			if test.Line < 1 || test.Body < test.Line || test.End < test.Body || test.End > file.Lines() {
				t.Fatalf("%+v of %d lines", test, file.Lines())
			}
		}
		for n := 0; n <= file.Lines()+1; n++ {
			for i, line := range file.Enclosing(n) {
				if line < 1 || line > n || i > maxDepth {
					t.Fatalf("line %d is in %v", n, file.Enclosing(n))
				}
			}
		}
	})
}

func checkMask(t *testing.T, f *File) {
	t.Helper()
	comments := commentsOf(f)
	if len(f.Code) != len(f.Text) {
		t.Fatal("other lengths")
	}
	for i, c := range f.Text {
		if (c == '\n') != (f.Code[i] == '\n') || (c == '\n') != (comments[i] == '\n') {
			t.Fatalf("another line end at %d", i)
		}
		if f.Code[i] != c && f.Code[i] != ' ' || comments[i] != c && comments[i] != ' ' || f.Code[i] != ' ' && comments[i] != ' ' && c != '\n' && c != '\r' {
			t.Fatalf("byte %d is %q in %q and %q", i, c, f.Code, comments)
		}
	}
	if !bytes.Equal(Parse(f.Path, f.Text).Code, f.Code) {
		t.Fatal("another mask")
	}
}

// commentsOf is the text of a file with nothing but its comments and its line ends.
func commentsOf(f *File) []byte {
	text := spaces(f.Text)
	f.EachComment(func(from, to int) bool {
		copy(text[from:to], f.Text[from:to])
		return true
	})
	return text
}

// spaces is a text with nothing but its line ends.
func spaces(text []byte) []byte {
	out := bytes.Clone(text)
	for i, c := range out {
		if c != '\n' && c != '\r' {
			out[i] = ' '
		}
	}
	return out
}
