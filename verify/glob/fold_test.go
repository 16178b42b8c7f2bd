package glob

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	cases := []struct{ path, want string }{
		{"", ""},
		{"src/Main.GO", "src/main.go"},
		{"\u212aey", "key"},        // KELVIN SIGN
		{"\u017frc", "src"},        // LATIN SMALL LETTER LONG S
		{"\u0130", "\u0130"},       // I with a dot above has no simple folding
		{"\u0131", "\u0131"},       // nor has the dotless one
		{"\u1e9e", "ß"},            // capital sharp s; "ss" is full folding
		{"Stra\u00dfe", "straße"},  //
		{"e\u0301", "é"},           // NFC
		{"E\u0301", "é"},           //
		{"É", "é"},                 //
		{"J\u030c", "\u01f0"},      // composes only in lower case
		{"\u0391\u0345", "\u1fb3"}, // Greek with iota below
		{"Σςσ", "σσσ"},             //
		{"\u00b5", "μ"},            // MICRO SIGN
		{"\xff/A\xc3", "\xff/a\xc3"},
		{"\uFFFDA", "\uFFFDa"},
		{"É\xffÉ", "é\xffé"},
	}
	for _, c := range cases {
		if got := Fold(c.path); got != c.want {
			t.Errorf("Fold(%+q) = %+q, want %+q", c.path, got, c.want)
		}
	}
}

// TestFoldRune goes through all characters: the folded form is one of the orbit, and the same for all of it.
func TestFoldRune(t *testing.T) {
	listed := map[rune]rune{}
	for _, f := range foldings() {
		listed[f.from] = f.to
	}
	if !slices.IsSortedFunc(foldings(), func(a, b folding) int { return cmp.Compare(a.from, b.from) }) {
		t.Error("foldings are not in order")
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		inOrbit := foldRune(r) == r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			inOrbit = inOrbit || foldRune(r) == other
			if foldRune(other) != foldRune(r) {
				t.Errorf("%U and %U are equal but for case, and fold to %U and %U", r, other, foldRune(r), foldRune(other))
			}
		}
		if !inOrbit {
			t.Errorf("%U folds to %U, which is another character", r, foldRune(r))
		}
		if to, found := listed[r]; found != (foldRune(r) != r) || found && to != foldRune(r) {
			t.Errorf("foldings has %U for %U, want %U", to, r, foldRune(r))
		}
		if s := string(r); utf8.ValidRune(r) && Fold(Fold(s)) != Fold(s) {
			t.Errorf("%U folded twice is another text", r)
		}
	}
}

// iotas are equal but for case, though one of them is an accent that composes with the letter before it and the others are
// letters: folding does not commute with composing there.
const iotas = "\u0345\u0399\u03b9\u1fbe"

func FuzzFold(f *testing.F) {
	for _, seed := range []string{"A\u0301/\xff", "J\u030c", "\u0345Α", "\u212a", "\uac00\u11a8"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		folded := Fold(path)
		if utf8.ValidString(path) != utf8.ValidString(folded) {
			t.Errorf("Fold(%+q) = %+q", path, folded)
		}
		if strings.ContainsAny(path, iotas) {
			return
		}
		if utf8.ValidString(path) && Fold(upper(path)) != Fold(foldRunes(path)) {
			t.Errorf("Fold(%+q) = %+q, and in upper case %+q", path, Fold(foldRunes(path)), Fold(upper(path)))
		}
	})
}

// upper replaces every character by the next that differs from it only in case.
func upper(s string) string {
	runes := []rune(s)
	for i, r := range runes {
		runes[i] = unicode.SimpleFold(r)
	}
	return string(runes)
}
