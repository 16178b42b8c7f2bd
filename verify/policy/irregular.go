package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/glob"
)

// Irregular says why a path could be taken for another one; "" when it could not.
func Irregular(path string) string {
	if len(path) > MaxPath {
		return fmt.Sprintf("it is longer than %d bytes", MaxPath)
	}
	if !utf8.ValidString(path) {
		return "it is not UTF-8"
	}
	for _, r := range path {
		switch {
		case r == '\\':
			return "it contains a backslash"
		case r < 0x20 || (0x7f <= r && r < 0xa0) || r == 0x2028 || r == 0x2029:
			return fmt.Sprintf("it contains the control character U+%04X", r)
		case unicode.Is(invisible, r):
			return fmt.Sprintf("it contains the invisible character U+%04X", r)
		}
	}
	for name := range strings.SplitSeq(path, "/") {
		switch {
		case name == "":
			return "it has an empty component"
		case name == "." || name == "..":
			return "it has the component " + name
		case strings.HasSuffix(name, "."), strings.TrimRightFunc(name, unicode.IsSpace) != name:
			return "a component ends in a dot or a space"
		case slices.Contains([]string{".git", "git~1"}, glob.Fold(name)):
			return "git reads one of its components as .git"
		}
	}
	return ""
}

// invisible are characters without width or that turn the direction of text.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00ad, 0x00ad, 1}, {0x034f, 0x034f, 1}, {0x061c, 0x061c, 1}, {0x115f, 0x1160, 1}, {0x17b4, 0x17b5, 1}, {0x180b, 0x180f, 1},
		{0x200b, 0x200f, 1}, {0x202a, 0x202e, 1}, {0x2060, 0x206f, 1}, {0x2800, 0x2800, 1}, {0x3164, 0x3164, 1},
		{0xfe00, 0xfe0d, 1}, // the two after these follow ordinary emoji
		{0xfeff, 0xfeff, 1}, {0xffa0, 0xffa0, 1}, {0xfff9, 0xfffb, 1},
	},
	R32:         []unicode.Range32{{0x1bca0, 0x1bca3, 1}, {0x1d173, 0x1d17a, 1}, {0xe0000, 0xe0fff, 1}},
	LatinOffset: 1,
}
