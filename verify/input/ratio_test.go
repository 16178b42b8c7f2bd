package input

import (
	"testing"
)

func TestParseRatio(t *testing.T) {
	for text, want := range map[string]Ratio{
		"0": 0, "1": Whole, "1.000": Whole, "0.5": Whole / 2, "0.85": 850_000_000_000_000_000, "8e-1": 800_000_000_000_000_000, "0.08E1": 800_000_000_000_000_000,
		"0.000000000000000001": 1, "0.0000000000000000019": 1, "0.9999999999999999999": Whole - 1, "1e-30": 0, "100e-2": Whole, "0.00001e+5": Whole,
		"0e30": 0, "0.0": 0,
	} {
		if got, ok := ParseRatio(&Node{Kind: KindNumber, Text: text}); !ok || got != want {
			t.Errorf("%s is %d, %t; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"1.1", "2", "-0.1", "-0", "1.0000000000000000000001", "10e-1x", "1e1", "1e-31", "1e31", "0e99999999999", "80", "101e-2", ""} {
		if got, ok := ParseRatio(&Node{Kind: KindNumber, Text: text}); ok {
			t.Errorf("%s is %d, want none", text, got)
		}
	}
	if _, ok := ParseRatio(&Node{Kind: KindString, Text: "0.5"}); ok {
		t.Error("a text is a ratio")
	}
}
