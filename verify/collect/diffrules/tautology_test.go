package diffrules

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/collect/diffrules/code"
)

func TestTautologyOf(t *testing.T) {
	names := map[code.Lang]string{code.Go: "a.go", code.Python: "a.py", code.JavaScript: "a.js", code.Rust: "a.rs", code.Java: "a.java", code.CSharp: "a.cs", code.Ruby: "a.rb"}
	for want, lists := range map[failing]map[code.Lang]string{
		never: {
			code.Go:         "require.True(t, true) | assert.Equal(t, 1, 1) | require.False(t, false) | assert.True(t, ok || true)",
			code.Python:     `assert True | assert 1 | assert (x, "message") | assert x == 1 or True | self.assertTrue(True) | self.assertEqual(1, 1) | assert True, "message" | assert "a" == "a"`,
			code.JavaScript: `expect(true).toBe(true) | expect(true).toBeTruthy() | assert(true) | assert.equal(1, 1) | assert.ok(true) | expect(1).toEqual(1) | expect(x || true).toBeTruthy()`,
			code.Rust:       `assert!(true); | assert_eq!(1, 1); | assert!(x || true, "message"); | assert!(1 == 1);`,
			code.Java:       `assertTrue(true); | assertEquals(1, 1); | assertThat(true).isTrue(); | assert true; | Assertions.assertTrue(true, "x"); | assertFalse(false);`,
			code.CSharp:     `Assert.True(true); | Assert.Equal(1, 1); | Assert.IsTrue(true); | Assert.False(false);`,
			code.Ruby:       `assert true | expect(true).to be true | expect(true).to eq(true) | assert_equal 1, 1 | expect(true).to be_truthy`,
		},
		sameNames: {
			code.Go: "require.Equal(t, x, x)", code.Python: "assert x == x | assert x.y is x.y", code.JavaScript: "expect(x).toBe(x)", code.Rust: "assert_eq!(a.b, a.b);",
		},
		mayFail: {
			code.Go:         "require.True(t, ok) | require.Equal(t, f(), f()) | require.Equal(t, 1, 2) | require.False(t, true)",
			code.Python:     `assert x | assert f() == f() | assert False | assert x or y | assert (x or y), "message" | assert x == 1, True | assert (x,) | assert "a" == "b" | assert [] == {}`,
			code.JavaScript: `expect(true).not.toBe(true) | expect(x).toBe(true) | expect(true).toBe(false) | expect({}).toEqual(x)`,
			code.Rust:       `assert!(x); | assert_eq!(true, x); | assert!(false);`,
			code.Java:       `assertTrue(x, "true"); | assertEquals(new X(), new X());`,
			code.CSharp:     `Assert.True(x, true); | Assert.True(f(true));`,
			code.Ruby:       `assert x, true | expect(x).to be true`,
		},
	} {
		for lang, list := range lists {
			for line := range strings.SplitSeq(list, " | ") {
				s, _ := statementAt(code.Parse(names[lang], []byte(line)), 1)
				if got := tautologyOf(lang, s); got != want {
					t.Errorf("%s: %s is %d, not %d", lang, line, got, want)
				}
			}
		}
	}
}
