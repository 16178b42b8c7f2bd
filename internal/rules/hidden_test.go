package rules

import (
	"testing"
	"unicode/utf8"
)

// TestFilters wants the first filters to let through every character that the rules know.
func TestFilters(t *testing.T) {
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := []byte("a" + string(r) + "b")
		if conceal(r, 'a', 'b') != 0 && !mayHide(text) || conceal(r, 0xFE00, 'b') != 0 && !mayHide(text) {
			t.Errorf("U+%04X is hidden, and passes the filter", r)
		}
		if latin, _ := latinOf(r); latin != 0 && !mayLookAlike(text) {
			t.Errorf("U+%04X looks like %q, and passes the filter", r, latin)
		}
		if !hasHigh(text) || !hasHigh([]byte("aaaaaaa"+string(r)+"bbbbbbbbb")) {
			t.Errorf("U+%04X is ASCII", r)
		}
	}
}
