package input

import (
	"fmt"
	"slices"
	"strings"
)

// maxTyped is the longest word that a name is suggested for: what is longer is not a slip of the hand.
const maxTyped = 64

// Nearest is the known name that a person most likely meant by a word, "" when none is near. Case does not matter. A name is
// near when little differs for the length of the word: letters that are missing, added, wrong or swapped with the next one. Of
// several that are equally near, the first one is returned.
func Nearest(word string, known []string) string {
	if word == "" || len(word) > maxTyped {
		return ""
	}
	best, least := "", 0
	for _, name := range known {
		away := distance(strings.ToLower(word), strings.ToLower(name))
		if away <= (len(word)+1)/3 && away < len(word) && (best == "" || away < least) {
			best, least = name, away
		}
	}
	return best
}

// distance counts the bytes to insert, delete, replace, or swap with the next one.
func distance(a, b string) int {
	var twice, once []int // the rows for one and two bytes less of a
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		twice, once, row = once, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			differs := 1
			if a[i-1] == b[j-1] {
				differs = 0
			}
			row[j] = min(once[j]+1, row[j-1]+1, once[j-1]+differs)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], twice[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// OneOf is the error for a word that is none of those that are known. what comes before it in the message.
func OneOf(what, word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return fmt.Errorf("%s %q%s expected one of %s", what, word, DidYouMean(word, known, ""), strings.Join(known, ", "))
}

// DidYouMean is what a message writes between what is wrong and what was expected: a question with the known name that
// is nearest to a word, or the only one that begins with it; a colon where there is none. before is written before the
// name, such as "--".
func DidYouMean(word string, known []string, before string) string {
	near := Nearest(word, known)
	begins := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.HasPrefix(k, word) })
	if near == "" && len(word) > 2 && len(begins) == 1 {
		near = begins[0]
	}
	if near == "" {
		return ":"
	}
	return fmt.Sprintf(" (did you mean %q?):", before+near)
}
