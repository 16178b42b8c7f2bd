package source

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"
)

// hostile are texts that would be slow if something were read again and again.
var hostile = []string{
	"{", "(", "[", "}", "{}", "({", "\"", "'", "`", "/", "/*", "*/", "<", "<a ", "<a>", "<a b={", "`${", "#{", "\"#{", "\"${", "f'{", "$\"{", "%w[", "%(", "<<A ", "<<~A\n", "x <<-B /",
	"= /[", "= /a", "a /b ", "a: 'b ", "r#\"", "\\", "\n", " \n", "# ", "//", "?", "$", ":", "@Test ", "@Test void a() ", "@Test = ", "[Fact] void a() => ", "[Fact] void a() ", "[Fact(",
	"#[test] fn a() ", "#[test] ", "#[cfg(test)] ", "class A ", "class A { ", "mod a { ", "func TestA(t *testing.T) ", "func TestA(t *testing.T) {\n", "t.Run(\"a\", func(t *testing.T) {",
	"t.Run(`a`, ", "func (", "it(", "it(a ", "it('a', () => {", "it('a', () => {})\n", "describe('abcdefghij', () => { ", "it.each`", "it.each(", "it<", "Deno.test({ name: ",
	"def test_a():\n", "def test_a(", "class A:\n ", "@a\n", "if x:\n", "if ", "a if b ", "end ", "do ", "def ", "def a = ", "x do |y|\n", "it 'a' do\n", "it 'a' do end\n", "describe 'a' do\n", "begin ", "class A;",
	"=begin\n", "\"\"\"", "'''\n", "x, ", "x && ", "x;", "case a:\n", "if (x)\n", "else\n", "} else {", "=> ", "a ? b : ", "a b ", "aaaa", "fun ", "void test", "object A ", "\\\n",
}

// TestLimits reads files of nothing but one thing. BenchmarkLimits tells how long that takes.
func TestLimits(t *testing.T) {
	eachHostile(1<<12, func(name string, text []byte) {
		if f := all(name, text); len(f.Code) != len(text) {
			t.Errorf("%s: %q…: the code has %d bytes, the text %d", name, text[:40], len(f.Code), len(text))
		}
	})
}

// BenchmarkLimits reads such files in two sizes: what takes more than about twice as long for twice the size is not linear.
func BenchmarkLimits(b *testing.B) {
	for _, size := range []int{1 << 15, 1 << 16} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			for b.Loop() {
				slowest := time.Duration(0)
				eachHostile(size, func(name string, text []byte) {
					start := time.Now()
					all(name, text)
					slowest = max(slowest, time.Since(start))
				})
				b.ReportMetric(float64(slowest.Milliseconds()), "ms/slowest")
			}
		})
	}
}

func eachHostile(size int, give func(name string, text []byte)) {
	for _, name := range names {
		for _, part := range hostile {
			for _, prefix := range []string{"", "class A extends TestCase { "} {
				give(name, []byte(prefix+strings.Repeat(part, size/len(part))))
			}
		}
	}
}

// all asks for everything about a file.
func all(name string, text []byte) *File {
	f := Parse(name, text)
	f.Tests()
	for n := 1; n <= f.Lines(); n++ {
		f.Enclosing(n)
		f.InTest(n)
	}
	return f
}

// BenchmarkParse measures how fast a language is read: the mask, then the tests.
func BenchmarkParse(b *testing.B) {
	samples := map[string]string{
		"a_test.go":  "// A comment.\nfunc TestA(t *testing.T) {\n\tif got := f(\"a string\"); got != 1 {\n\t\tt.Errorf(\"got %v\", got)\n\t}\n}\n\n",
		"test_a.py":  "# A comment.\ndef test_a(b):\n    \"\"\"A text.\n    More.\"\"\"\n    assert f('a string') == f\"{b} c\"\n\n",
		"a.test.ts":  "// A comment.\nit('does', async () => {\n  const a = `b ${c} d`\n  expect(f(\"a string\")).toBe(/e/.test(a))\n})\n\n",
		"a.rs":       "/// A comment.\n#[test]\nfn a() {\n    let b: &'static str = \"a string\";\n    assert_eq!(f(b), 'c');\n}\n\n",
		"ATest.java": "// A comment.\n@Test\nvoid a() throws Exception {\n    assertEquals(1, f(\"a string\"));\n}\n\n",
		"ATests.cs":  "// A comment.\n[Fact]\npublic void A()\n{\n    Assert.Equal(1, f($\"a {b} string\"));\n}\n\n",
		"a_spec.rb":  "# A comment.\nit 'does' do\n  x = y if z\n  expect(f(\"a #{x} string\")).to eq 1\nend\n\n",
	}
	for _, name := range names {
		sample, found := samples[name]
		if !found {
			continue
		}
		text := bytes.Repeat([]byte(sample), 1<<20/len(sample))
		b.Run(name+"/mask", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Parse(name, text)
			}
		})
		b.Run(name+"/tests", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Parse(name, text).Tests()
			}
		})
	}
}
