// Package source tells code from comments and strings, and finds the tests of a file and the blocks around a line, in
// the languages that the diff rules know.
package source

import (
	"bytes"
	"path"
	"sort"
	"strings"
)

// Lang is a programming language. The zero value is any other text.
type Lang string

// The languages.
const (
	None       Lang = ""
	Go         Lang = "go"
	Python     Lang = "python"
	JavaScript Lang = "javascript"
	TypeScript Lang = "typescript"
	Rust       Lang = "rust"
	Java       Lang = "java"
	CSharp     Lang = "csharp"
	Ruby       Lang = "ruby"
)

var langs = map[string]Lang{
	".go": Go, ".py": Python, ".pyi": Python,
	".js": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript, ".jsx": JavaScript,
	".ts": TypeScript, ".mts": TypeScript, ".cts": TypeScript, ".tsx": TypeScript,
	".rs": Rust, ".java": Java, ".kt": Java, ".cs": CSharp, ".rb": Ruby,
}

// LangOf tells the language of a file from its name.
func LangOf(name string) Lang { return langs[strings.ToLower(path.Ext(name))] }

// File is one version of a file.
type File struct {
	Path string
	Lang Lang
	Text []byte
	// Code is the text with every comment and the content of every string replaced by spaces. Quotes, line ends and
	// offsets stay, so that an offset in Code is one in Text. For a language that is not known it is the text.
	Code []byte

	comments   []note
	starts     []int // offset of each line
	matched    *brackets
	tests      []Test
	testsFound bool
	texts      []span // the literals that contain line ends
	nested     *blocks
	parts      []span // lines that belong to tests
	partsFound bool
}

// Parse reads one version of a file. It accepts any bytes.
func Parse(name string, text []byte) *File {
	f := &File{Path: name, Lang: LangOf(name), Text: text}
	s := mask(name, f.Lang, text)
	f.Code, f.comments, f.texts = s.code, s.comments, s.texts
	f.starts = make([]int, 0, bytes.Count(text, []byte("\n"))+1)
	for at := 0; at < len(text); {
		f.starts = append(f.starts, at)
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return f
}

// Lines is how many lines there are.
func (f *File) Lines() int { return len(f.starts) }

// Line is a line of Text by its number, from 1, without the line end; nil when there is none.
func (f *File) Line(n int) []byte { return f.line(f.Text, n) }

// CodeLine is a line of Code.
func (f *File) CodeLine(n int) []byte { return f.line(f.Code, n) }

// note is a comment, with the characters that begin it: the offset of its first byte and that behind its last. A copy
// of the text with nothing but comments would take as much memory as the text.
type note struct{ from, to int32 }

// InComment reports whether a byte belongs to a comment.
func (f *File) InComment(offset int) bool {
	i := f.comment(offset)
	return i < len(f.comments) && int(f.comments[i].from) <= offset
}

// comment is the place of the first comment that ends behind an offset.
func (f *File) comment(offset int) int {
	return sort.Search(len(f.comments), func(i int) bool { return int(f.comments[i].to) > offset })
}

// EachComment gives the offsets of each comment, until give wants no more.
func (f *File) EachComment(give func(from, to int) bool) {
	for _, c := range f.comments {
		if !give(int(c.from), int(c.to)) {
			return
		}
	}
}

// CommentLine is a line of which only the comments stay, and spaces; nil when there are none.
func (f *File) CommentLine(n int) []byte {
	line := f.Line(n)
	if len(line) == 0 {
		return nil
	}
	start := int(f.starts[n-1])
	i := f.comment(start)
	if i == len(f.comments) || int(f.comments[i].from) >= start+len(line) {
		return nil
	}
	out := bytes.Repeat([]byte(" "), len(line))
	for ; i < len(f.comments) && int(f.comments[i].from) < start+len(line); i++ {
		from, to := max(int(f.comments[i].from)-start, 0), min(int(f.comments[i].to)-start, len(line))
		copy(out[from:to], line[from:to])
	}
	return out
}

func (f *File) line(text []byte, n int) []byte {
	if n < 1 || n > len(f.starts) {
		return nil
	}
	end := len(text)
	if n < len(f.starts) {
		end = f.starts[n]
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(text[f.starts[n-1]:end], []byte("\n")), []byte("\r"))
}

// LineAt is the number of the line that contains an offset.
func (f *File) LineAt(offset int) int {
	return sort.Search(len(f.starts), func(i int) bool { return f.starts[i] > offset })
}

// Test is a test of a file: a function, a method, or a call such as it(). A test that contains others, such as
// describe(), is a group.
type Test struct {
	// Name tells the test from the others of its file: the names of the groups around it and its own, joined by " > ". It
	// contains no line number.
	Name string
	Line int // of its declaration, which begins with its annotations, decorators and attributes
	Body int // the first line of its body
	End  int // its last line
	// Group is true for a test that contains others and no statements of its own that count as a test.
	Group bool
}
