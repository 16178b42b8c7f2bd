package present

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/input"
)

// Cell makes a text harmless: a spreadsheet would execute one that begins as a formula does.
func Cell(s string) string {
	s = Neutral(s)
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// Neutral is [input.Neutral].
func Neutral(s string) string { return input.Neutral(s) }

// clip cuts s to at most limit bytes, never inside a character, and says how many bytes are missing. It is applied before
// [Neutral], so a cut cannot split an escape.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d more bytes)", s[:end], len(s)-end)
}

// fieldLimit is how many bytes of one text a presenter shows; the report contains all of it.
const fieldLimit = 1000

// Line prepares one text of the report for use in a line.
func Line(s string) string { return Neutral(clip(s, fieldLimit)) }
