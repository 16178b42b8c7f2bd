package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/source"
)

func TestMeaningOf(t *testing.T) {
	names := map[source.Lang]string{source.Go: "a.go", source.Python: "a.py", source.JavaScript: "a.js", source.Rust: "a.rs", source.Java: "a.java", source.CSharp: "a.cs", source.Ruby: "a.rb"}
	for lang, list := range map[source.Lang]string{
		source.Go: `require.Equal(t, 3, got.N) = 3 got.N
			assert.NotNil(t, got) = 1 got
			require.NoError(t, err) = 1 err
			assert.Contains(t, got, "a, b") = 2 got
			assert.True(t, got == 3) = 3 got
			if got != want { = 3 got want
			if got == "" { = 1 got
			if diff := cmp.Diff(want, got); diff != "" { = 3 want got
			if !strings.Contains(got, "x") { = 2 got
			Expect(x).To(Equal(3)) = 3 x
			Expect(x).NotTo(BeNil()) = 1 x`,
		source.Python: `assert x == 3 = 3 x
			assert x, "a == b" = 1 x
			assert "a" in f(x, y) = 2 f(x,y)
			assert x == 3 or x == 4 = 1 x x
			assert len(x) > 0 = 2 len(x)
			assert isinstance(x, T) = 2 x
			self.assertEqual(x.y, [1, 2]) = 3 x.y
			self.assertIsNotNone(x) = 1 x
			self.assertIn("a", x) = 2 x`,
		source.JavaScript: `expect(f(1)).toBe("a") = 3 f(1)
			await expect(f(1)).resolves.toEqual({ a: 1 }) = 3 f(1)
			expect(x).toBeDefined() = 1 x
			expect(x).not.toBe(3) = 1 x
			expect(x.mock).toHaveBeenCalledTimes(1) = 3 x.mock
			assert.equal(x, 3) = 3 x
			assert(x) = 1 x`,
		source.Rust: `assert_eq!(x.len(), 3); = 3 x.len()
			assert!(x.is_some()); = 1 x
			assert!(matches!(x, Some(_))); = 2 x
			assert!(x > 0, "{}", x); = 2 x`,
		source.Java: `assertEquals(3, x.y()); = 3 x.y()
			assertThat(x).isEqualTo("a"); = 3 x
			assertThat(x).isNotNull(); = 1 x
			assertThat(x, is(3)); = 3 x
			assertNotNull(x); = 1 x
			assertTrue(x.equals(y)); = 3 x y`,
		source.CSharp: `Assert.Equal(3, x.Y); = 3 x.Y
			Assert.NotNull(x); = 1 x
			Assert.That(x, Is.EqualTo(3)); = 3 x
			x.Y.Should().Be(3); = 3 x.Y
			x.Should().NotBeNull(); = 1 x
			x.ShouldBe(3); = 3 x
			Assert.True(x.Any()); = 1 x`,
		source.Ruby: `assert_equal 3, x.y = 3 x.y
			expect(x).to eq(3) = 3 x
			expect(x).to be_truthy = 1 x
			expect(x).not_to be_nil = 1 x
			assert x = 1 x
			refute_nil x = 1 x
			assert_includes x, 3 = 2 x
			x.must_equal 3 = 3 x`,
	} {
		for line := range strings.SplitSeq(list, "\n") {
			text, want, _ := cutAtLast(strings.TrimSpace(line), " = ")
			s, _ := statementAt(source.Parse(names[lang], []byte(text)), 1)
			c := meaningOf(s)
			if got := fmt.Sprint(int(c.rank), " ", strings.Join(c.subjects, " ")); got != want {
				t.Errorf("%s: %s is %q, not %q", lang, text, got, want)
			}
		}
	}
}
