package present

import (
	"fmt"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/input"
)

// Neutral is [diag.Neutral].
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

// line prepares one text of the report for use in a line.
func line(s string) string { return Neutral(clip(s, fieldLimit)) }
