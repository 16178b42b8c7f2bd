package rules

import (
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/source"
)

func TestFoldCondition(t *testing.T) {
	names := constants(source.Parse("a_test.go", []byte("const off = true\nvar on bool = false\nfast := true\nfast = false\nlet skip: boolean = true;\n")))
	for expr, want := range map[string]certainty{
		"true": always, "(true)": always, "True": always, "1": always, "0": notEver, "!false": always, "not False": always, "1 == 1": always,
		"x == 1": unknown, "x == x": unknown, "true || x": always, "x || y": unknown, "x && false": notEver, "(x) || (true)": always,
		"off": always, "!on": always, "fast": unknown, "skip": always, "": unknown, "f(true)": unknown, strings.Repeat("(", 1000): unknown,
		strings.Repeat("!", 100) + "x": unknown, "a or True": always,
	} {
		if got := foldCondition(expr, names); got != want {
			t.Errorf("%.30s: %d", expr, got)
		}
	}
}

func TestCfgTruth(t *testing.T) {
	for expr, want := range map[string]certainty{
		"any()": notEver, "all()": always, "FALSE": notEver, "not(any())": always, "all(unix, any())": notEver, "unix": unknown, "any(unix, windows)": unknown,
		`feature = "x"`: unknown, "not(all(),)": notEver, "all(": always,
	} {
		if got := foldCondition(expr, nil); got != want {
			t.Errorf("%.30s: %d", expr, got)
		}
	}
}
