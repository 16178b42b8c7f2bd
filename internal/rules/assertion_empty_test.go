package rules

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/source"
)

func TestTautologyOf(t *testing.T) {
	names := map[source.Lang]string{source.Go: "a.go", source.Python: "a.py", source.JavaScript: "a.js", source.Rust: "a.rs", source.Java: "a.java", source.CSharp: "a.cs", source.Ruby: "a.rb"}
	for want, lists := range map[failing]map[source.Lang]string{
		never: {
			source.Go:         "require.True(t, true) | assert.Equal(t, 1, 1) | require.False(t, false) | assert.True(t, ok || true)",
			source.Python:     `assert True | assert 1 | assert (x, "message") | assert x == 1 or True | self.assertTrue(True) | self.assertEqual(1, 1) | assert True, "message" | assert "a" == "a"`,
			source.JavaScript: `expect(true).toBe(true) | expect(true).toBeTruthy() | assert(true) | assert.equal(1, 1) | assert.ok(true) | expect(1).toEqual(1) | expect(x || true).toBeTruthy()`,
			source.Rust:       `assert!(true); | assert_eq!(1, 1); | assert!(x || true, "message"); | assert!(1 == 1);`,
			source.Java:       `assertTrue(true); | assertEquals(1, 1); | assertThat(true).isTrue(); | assert true; | Assertions.assertTrue(true, "x"); | assertFalse(false);`,
			source.CSharp:     `Assert.True(true); | Assert.Equal(1, 1); | Assert.IsTrue(true); | Assert.False(false);`,
			source.Ruby:       `assert true | expect(true).to be true | expect(true).to eq(true) | assert_equal 1, 1 | expect(true).to be_truthy`,
		},
		sameNames: {
			source.Go: "require.Equal(t, x, x)", source.Python: "assert x == x | assert x.y is x.y", source.JavaScript: "expect(x).toBe(x)", source.Rust: "assert_eq!(a.b, a.b);",
		},
		mayFail: {
			source.Go:         "require.True(t, ok) | require.Equal(t, f(), f()) | require.Equal(t, 1, 2) | require.False(t, true)",
			source.Python:     `assert x | assert f() == f() | assert False | assert x or y | assert (x or y), "message" | assert x == 1, True | assert (x,) | assert "a" == "b" | assert [] == {}`,
			source.JavaScript: `expect(true).not.toBe(true) | expect(x).toBe(true) | expect(true).toBe(false) | expect({}).toEqual(x)`,
			source.Rust:       `assert!(x); | assert_eq!(true, x); | assert!(false);`,
			source.Java:       `assertTrue(x, "true"); | assertEquals(new X(), new X());`,
			source.CSharp:     `Assert.True(x, true); | Assert.True(f(true));`,
			source.Ruby:       `assert x, true | expect(x).to be true`,
		},
	} {
		for lang, list := range lists {
			for line := range strings.SplitSeq(list, " | ") {
				s := assertionOn(source.Parse(names[lang], []byte(line)), 1)
				if got := s.fails(); got != want {
					t.Errorf("%s: %s is %d, not %d", lang, line, got, want)
				}
			}
		}
	}
}
