package rules

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/source"
)

func TestAssertionOf(t *testing.T) {
	lists := map[sureness]map[source.Lang]string{
		sureAssertion: {
			source.Go: `t.Errorf("", x) | t.Fatal(err) | require.Equal(t, 1, x) | assert.NoError(t, err) | s.T().Fatal(1) | c.Assert(x, qt.Equals, 1)
				| b.AssertFileContent("", "") | Expect(x).To(Equal(1)) | if x { t.Fatal("") } | assertSame(t, a, b) | mock.AssertExpectations(t) | t.FailNow()`,
			source.Python: `assert x == 1 | assert(x) | self.assertEqual(1, x) | with pytest.raises(ValueError): | np.testing.assert_allclose(a, b) | m.assert_called_once_with(1)
				| self.fail("") | _assert_same(a, b)`,
			source.JavaScript: `expect(x).toBe(1) | assert(x) | assert.equal(a, b) | await expect(page).toHaveURL("") | x.should.equal(1) | t.is(a, b) | cy.get("").should("")
				| it("", () => expect(x).toBe(1))`,
			source.TypeScript: `expectTypeOf<X>(y) | expect(x).toBe(1) | expectTypeOf<X>().toEqualTypeOf<Y>()`,
			source.Rust:       `assert!(x); | assert_eq!(a, b); | debug_assert!(x) | prop_assert_eq!(a, b) | insta::assert_snapshot!(x); | #[should_panic] | assert_matches! (x, y)`,
			source.Java: `assertEquals(1, x); | Assert.assertTrue(x); | assertThat(x).isEqualTo(1); | verify(mock).run(); | fail(""); | assert x : ""; | .andExpect(status().isOk())
				| return assertThrows(X.class, () -> y); | x shouldBe y`,
			source.CSharp: `Assert.Equal(1, x); | x.Should().Be(1); | await Assert.ThrowsAsync<X>(f); | x.ShouldBe(1); | mock.Verify(m => m.Run()); | Assert.Throws<X>(f); | await Verify(x); | m.Received(1).Run();`,
			source.Ruby: `expect(x).to eq(1) | assert_equal 1, x | assert x | refute_nil x | it { is_expected.to be(1) } | expect { x }.to raise_error | expect_offense(<<~RUBY)
				| x.should eq 1 | x.must_equal 1`,
		},
		helperAssertion: {
			source.Go:         `checkLogin(t, x) | mustEqual(t, a, b) | x.Verify(t)`,
			source.Python:     `check_login(x) | verify(x)`,
			source.JavaScript: `verifyLogin(x) | await checkLogin(x)`,
			source.Rust:       `check(x); | check!(x)`,
			source.Java:       `verifyLogin(x); | await checkLogin(x)`,
			source.CSharp:     `VerifyLogin(x); | CheckLogin(x);`,
			source.Ruby:       `verify_login(x)`,
		},
		noAssertion: {
			source.None: `assert x | expect(x)`,
			source.Go: `func assertSame(t *testing.T) { | func (s *S) AssertSame(x int) { | err.Error() | fmt.Errorf("") | log.Fatal(err) | http.Error(w, "", 1) | x := expected(1)
				| assert := assert.New(t) | checkout(x) | func (s *S) check(x) {`,
			source.Python:     `from x import assert_equal | def assert_same(a): | import assertpy | assertion(x) | expected = 1 | def check(x): | assert_called = 1`,
			source.JavaScript: `const a = require("") | import { expect } from "" | function expectSame(a) { | expected(x) | require.resolve("")`,
			source.Rust:       `x.expect(""); | fn assert_same(a: u8) { | use a::assert_eq; | x.expect_err("")`,
			source.Java:       `import static org.junit.Assert.assertEquals; | private void assertSame(int a) { | Objects.requireNonNull(x)`,
			source.CSharp:     `using static Xunit.Assert; | public void AssertSame(int a) | private static async Task AssertX<T>(int a)`,
			source.Ruby:       `require "" | require_relative("") | def assert_same(a) | expected = 1 | expect = 1 | x = assertion`,
		},
	}
	for want, langs := range lists {
		for lang, lines := range langs {
			for line := range strings.SplitSeq(lines, "|") {
				line = strings.TrimSpace(line)
				if kind, _ := findAssertion(lang, []byte(line)); kind != want {
					t.Errorf("%s: %q is %d, not %d", lang, line, kind, want)
				}
			}
		}
	}
}
