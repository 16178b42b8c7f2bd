package rules

import (
	"testing"

	"github.com/closeout-gate/closeout/internal/source"
)

func TestPlaces(t *testing.T) {
	var p Places
	for name, text := range map[string]string{
		"a/sum_test.go":     "package a\n\nfunc TestSum(t *testing.T) {\n\tt.Run(\"two of\", func(t *testing.T) { t.Fail() })\n}\n",
		"a/toml_test.go":    "package a\n\nfunc TestToml(t *testing.T) {\n\tt.Run(\"toml\", func(t *testing.T) { t.Fail() })\n}\n",
		"tests/test_sum.py": "def test_add():\n    assert 1\n\nclass TestZero:\n    def test_add(self):\n        assert 1\n",
		"tests/sum.test.js": "describe('sum', () => {\n  it('adds', () => { expect(1).toBe(1) })\n})\n",
		"tests/SumTest.php": "<?php\nclass SumTest {\n  // testAdding\n  function testAddition() {}\n  function testAdd() {}\n}\n",
		"test/sum_test.exs": "defmodule SumTest do\n  test \"adds two numbers\" do\n",
	} {
		p.Add(source.Parse(name, []byte(text)))
	}
	for _, c := range []struct {
		group, name string
		want        Place
	}{
		{"example.com/a", "TestSum", Place{"a/sum_test.go", 3}},
		{"example.com/a", "TestSum/two_of", Place{"a/sum_test.go", 4}},
		{"example.com/a", "TestSum/unknown", Place{"a/sum_test.go", 3}},
		{"example.com/a", "TestSum/no-close.toml", Place{"a/sum_test.go", 3}},
		{"tests.test_sum", "test_add", Place{"tests/test_sum.py", 1}},
		{"tests.test_sum", "test_add[1-2]", Place{"tests/test_sum.py", 1}},
		{"sum", "sum adds", Place{"tests/sum.test.js", 2}},
		{"SumTest", "testAdd", Place{"tests/SumTest.php", 5}},
		{"SumTest", "test adds two numbers", Place{"test/sum_test.exs", 2}},
		{"example.com/a", "TestOther", Place{}},
		{"SumTest", "testAddit", Place{}},
	} {
		if got, found := p.Of(c.group, c.name); got != c.want || found != (c.want.File != "") {
			t.Errorf("%s %s: got %v, %v", c.group, c.name, got, found)
		}
	}
}

// TestPlacesOfOneName wants the function in the file that is called like the group.
func TestPlacesOfOneName(t *testing.T) {
	var p Places
	for _, name := range []string{"a/x_test.go", "b/x_test.go"} {
		p.Add(source.Parse(name, []byte("package x\n\nfunc TestSum(t *testing.T) {}\n")))
	}
	for _, name := range []string{"tests/test_a.py", "tests/test_b.py"} {
		p.Add(source.Parse(name, []byte("def test_sum():\n    assert 1\n")))
	}
	for group, want := range map[string]string{"m/a": "a/x_test.go", "m/b": "b/x_test.go", "m/c": "a/x_test.go"} {
		if got, _ := p.Of(group, "TestSum"); got.File != want {
			t.Errorf("%s: got %s", group, got.File)
		}
	}
	for group, want := range map[string]string{"tests.test_a": "tests/test_a.py", "tests.test_b.TestX": "tests/test_b.py"} {
		if got, _ := p.Of(group, "test_sum"); got.File != want {
			t.Errorf("%s: got %s", group, got.File)
		}
	}
}
