package rules

import (
	"slices"
	"strings"
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
		var want []Place
		if c.want.File != "" {
			want = []Place{c.want}
		}
		if got := p.Of(c.group, c.name); !slices.Equal(got, want) {
			t.Errorf("%s %s: got %v", c.group, c.name, got)
		}
	}
}

// TestPlacesOfOneName wants the functions in the files that are called most like the group.
func TestPlacesOfOneName(t *testing.T) {
	var p Places
	for _, name := range []string{"a/x_test.go", "b/a/x_test.go", "b/x_test.go"} {
		p.Add(source.Parse(name, []byte("package x\n\nfunc TestSum(t *testing.T) {}\n")))
	}
	for _, name := range []string{"tests/test_a.py", "tests/test_b.py", "tests/web/test_a.py"} {
		p.Add(source.Parse(name, []byte("def test_sum():\n    assert 1\n")))
	}
	for _, name := range []string{"tests/a.t", "tests/b.t"} {
		p.Add(source.Parse(name, []byte("is sum 1\n")))
	}
	for _, c := range []struct{ group, name, want string }{
		{"m/a", "TestSum", "a/x_test.go b/a/x_test.go"},
		{"m/b", "TestSum", "b/x_test.go"},
		{"m/b/a", "TestSum", "b/a/x_test.go"},
		{"m/c", "TestSum", "a/x_test.go b/a/x_test.go b/x_test.go"},
		{"tests.test_a", "test_sum", "tests/test_a.py"},
		{"tests.test_b.TestX", "test_sum", "tests/test_b.py"},
		{"tests.web.test_a", "test_sum", "tests/web/test_a.py"},
		{"test_a", "test_sum", "tests/test_a.py tests/web/test_a.py"},
		{"tests/b.t", "sum", "tests/b.t"},
		{"suite", "sum", "tests/a.t tests/b.t"},
	} {
		var got []string
		for _, at := range p.Of(c.group, c.name) {
			got = append(got, at.File)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s: got %s", c.group, c.name, got)
		}
	}
}
