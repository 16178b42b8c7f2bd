package source

import (
	"fmt"
	"strings"
	"testing"
)

// TestTests shows the tests of a file, each as name line-body-end, with a * for a group.
func TestTests(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a_test.go", `package a

// func TestA(t *testing.T) {}
func TestA(t *testing.T) {
	for _, c := range []struct{ name string }{{"x"}} {
		t.Run(c.name, func(t *testing.T) {})
	}
	t.Run("one", func(t *testing.T) {
		t.Run("two three", func(t *testing.T) { t.Skip() })
	})
	cmd.Run("x")
}
func Testing(t *testing.T) {}
func TestMain(m *testing.M) {}
func (s *Suite) TestB() {
	s.Run("b", func() {})
}
func Example() {}
func BenchmarkX(b *testing.B) {
}
`, "TestA 4-5-12, TestA > one 8-9-10, TestA > one > two three 9-9-9, Suite > TestB 15-16-17, Suite > TestB > b 16-16-16, Example 18-18-18, BenchmarkX 19-20-20"},
		{"test_a.py", `import pytest

@pytest.mark.skip(
    "x")
@b
async def test_a(
    c,
):
    """
doc
    """
    assert True
    # end

# other
class TestB(C):
    x = 1
    def test_b(self): pass
    def test_c(self):
        def test_inner(): pass

    class TestD:
        def test_d(self):
            return """
def test_no(): pass
"""
def testing(): pass
def test_z(): pass
class Empty: pass
`, "test_a 3-9-13, TestB* 16-17-26, TestB > test_b 18-18-18, TestB > test_c 19-20-20, TestB > TestD* 22-23-26, TestB > TestD > test_d 23-24-26, testing 27-27-27, test_z 28-28-28"},
		{"a.test.ts", `describe('a', () => {
  it.only("b 'c'", async () => {
    expect(1)
  })
  it.each([[1, 2]])('d %s', (a) => {})
  test.each` + "`x ${1}`" + `("e", function () {
  })
  describe.skip(Foo.name, () => { it(name, () => expect(1)); /re/.test("x", y) })
  it.todo('f')
  test(` + "`g ${h(\"`\")} i`" + `, { timeout: 1 }, () => {})
})
function test(a, b) {}
Deno.test({ name: "j", fn() {} })
test.beforeEach(() => {})
t.test('k', (t) => {})
`, "a* 1-2-11, a > b 'c' 2-3-4, a > d %s 5-5-5, a > e 6-7-7, a > Foo.name* 8-8-8, a > Foo.name > name 8-8-8, a > f 9-9-9, a > g ${h(\"`\")} i 10-10-10, j 13-13-13, k 15-15-15"},
		{"src/a.rs", `fn test_no() {}
#[cfg(test)]
mod tests {
    #[allow(x)]
    #[test]
    #[should_panic(expected = "}")]
    fn a() {
        b();
    }
    #[tokio::test(flavor = "x")]
    async fn c<'a>() -> Result<(), E> { d() }
    mod e { #[rstest] #[case(1)] fn f(#[case] g: u8) {} }
}
`, "tests* 2-4-13, a 4-8-9, c 10-11-11, e* 12-12-12, e > f 12-12-12"},
		{"ATest.java", `package a;
class ATest extends B {
  @Test
  @DisplayName("x { @Test")
  public void one() throws E {
    x();
  }
  @ParameterizedTest @CsvSource({"a", "b"})
  void two(@P String a, int b) { }
  @Nested class In { @Test void three() {} }
  @BeforeEach void setUp() {}
}
class Old extends TestCase { public void testFour() { } void help() {} }
`, "ATest* 2-3-12, one 3-6-7, two 8-9-9, In* 10-10-10, In > three 10-10-10, Old* 13-13-13, testFour 13-13-13"},
		{"ATest.kt", "class ATest {\n  @Test\n  fun `does a thing`() = runTest {\n    x()\n  }\n  val a = 1\n  @Test fun b() {}\n}\n",
			"ATest* 1-2-8, does a thing 2-3-5, b 7-7-7"},
		{"ATests.cs", `namespace A;
public class ATests : IDisposable
{
    [Fact(Skip = "x")]
    public async Task One()
    {
        await X();
    }
    [Theory, InlineData(1)]
    [InlineData(2)]
    public void Two<T>(int[] a) => Assert.True(a);
    [Test, Category("x")] public (int, int) Three() { return (1, 2); }
    [Obsolete] public void Help() {}
}
`, "ATests* 2-4-14, One 4-7-8, Two 9-11-11, Three 12-12-12"},
		{"spec/a_spec.rb", `RSpec.describe Foo, "#bar" do
  it "does" do
    expect(1).to eq 1 if x
  end
  it { is_expected.to be }
  context 'when x' do
    xit("y", :z) { a }
    it "pending"
    let(:a) { { b: 1 } }
    specify do
      while x do y end
    end
  end
end
`, "Foo #bar* 1-2-14, Foo #bar > does 2-3-4, Foo #bar >  5-5-5, Foo #bar > when x* 6-7-13, Foo #bar > when x > y 7-7-7, Foo #bar > when x >  10-11-12"},
		{"test/a_test.rb", `class ATest < Minitest::Test
  def setup = x
  def test_a
    x = if y then 1 else 2 end
    return if x
  end
  test "b c" do
  end
end
`, "ATest* 1-2-9, test_a 3-4-6, b c 7-8-8"},
	} {
		var got []string
		for _, x := range Parse(c.name, []byte(c.text)).Tests() {
			group := ""
			if x.Group {
				group = "*"
			}
			got = append(got, fmt.Sprintf("%s%s %d-%d-%d", x.Name, group, x.Line, x.Body, x.End))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, s, c.want)
		}
	}
}

// TestEnclosing shows the lines of the blocks around line with the mark ★.
func TestEnclosing(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.go", "func a() {\n\tx := 1\n\tif a &&\n\t\tb(func() {}) {\n\t\t★\n\t}\n}\n", "[1 3]"},
		{"a.go", "func a() {\n\tfor _, x := range []int{1} {\n\t\tif x {\n\t\t} else {\n\t\t\t★\n\t\t}\n\t}\n}\n", "[1 2 4]"},
		{"a.cs", "class A\n{\n  void B()\n  {\n    if (x)\n    {\n      ★\n", "[1 3 5]"},
		{"a.ts", "describe('a', () => {\n  const b = 1\n  if (x) {\n    it('c', () => {\n      ★\n", "[1 3 4]"},
		{"a.py", "class A:\n    def b(\n        c,\n    ):\n        if x:\n            y()\n        else:\n            '''\nz'''\n            ★\n", "[1 2 7]"},
		{"a.rb", "class A\n  def b\n    c if d\n    e do\n      unless f\n        ★\n      end\n    end\n  end\nend\n", "[1 2 4 5]"},
		{"a.rb", "a do |b|\n  it \"c #{d} \" \\\n    'e' do\n    f if g.h? if i\n    ★\n", "[1 2]"},
		{"a.rb", "a = \\\n  if b\n    c\n  end\n★\n", "[]"},
		{"a.rb", "a do\n  b { c }\nend\n★\n", "[]"},
	} {
		line := 1 + strings.Count(c.text[:strings.Index(c.text, "★")], "\n")
		if got := fmt.Sprint(Parse(c.name, []byte(strings.Replace(c.text, "★", "x", 1))).Enclosing(line)); got != c.want {
			t.Errorf("%s\ngot %s, want %s", c.text, got, c.want)
		}
	}
}

func TestIsTest(t *testing.T) {
	for _, name := range strings.Fields(`a_test.go test_a.py conftest.py a.spec.ts src/__tests__/a.js FooTests.cs FooTest.java FooIT.java a_spec.rb
		tests/a.rs Polly.Core.Tests/Helper.cs src/test/java/A.java spec/spec_helper.rb test/helper.rb cypress/e2e/a.ts a.test-d.ts UnitTest1.cs
		src/CoreTests/opening_a_store.cs src/DaemonTests.Manual/Slow.cs app/src/androidTest/java/Screen.kt lib/src/testDebug/Flow.kt`) {
		if !IsTest(name) {
			t.Error(name, "is a test")
		}
	}
	for _, name := range strings.Fields(`latest.go contest/a.py attestation.ts src/Latest.cs src/TypeSpec.Parser/src/Name.cs server/LoadTest/Plan.cs Contest.java tests/a.md spec/openapi.yaml testdata/a.go AUDIT.java a.spec
		protest.rb inspect.py fastest.rs src/ABTest/a.ts src/Contest.Core/a.cs src/latest/A.kt .github/workflows/test.yml`) {
		if IsTest(name) {
			t.Error(name, "is no test")
		}
	}
}

func TestInTest(t *testing.T) {
	f := Parse("src/a.rs", []byte("fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\nfn c() {}\n#[test]\nfn d() {\n}\n#[cfg(not(test))]\nfn e() {}\n"))
	got := ""
	for n := 1; n <= f.Lines(); n++ {
		if f.InTest(n) {
			got += fmt.Sprint(n, " ")
		}
	}
	if got != "2 3 4 5 7 8 9 " {
		t.Error(got)
	}
}
