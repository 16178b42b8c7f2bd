package keydiff

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// Keys that count in one direction alone.
const (
	lowerVersion = "lower version of " // a version that falls or goes: one that rises is that of any dependency
	fewer        = "fewer "            // a list that loses an entry: one that grows tests more
	more         = "more "             // a list that gains an entry: of what is left out, or comes from elsewhere
)

// short is a text, or the sum of a long one, for what repeats it beside each of many others.
func short(text string) string {
	const longest = 200
	if len(text) <= longest {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// sorted writes the entries of a list, a line each.
func sorted(list []string) string {
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// changedParts lists the keys whose values differ, sorted; of a key with a direction only a change in the direction
// that counts.
func changedParts(old, now map[string]string) []string {
	return slices.DeleteFunc(differing(old, now), func(key string) bool {
		switch {
		case strings.HasPrefix(key, lowerVersion):
			return !isLower(old[key], now[key])
		case strings.HasPrefix(key, fewer):
			return !loses(strings.Split(old[key], "\n"), strings.Split(now[key], "\n"))
		case strings.HasPrefix(key, more):
			return !loses(strings.Split(now[key], "\n"), strings.Split(old[key], "\n"))
		}
		return false
	})
}

// isLower reports whether a version is lower than it was: one of several, a line each. What cannot be compared is
// lower. A version that is gone, or new, is a change of something else too.
func isLower(old, now string) bool {
	if old == "" || now == "" || old == now {
		return false
	}
	if strings.Contains(old+now, "\n") {
		was, is := strings.Split(old, "\n"), strings.Split(now, "\n")
		for i := range was {
			if i < len(is) && isLower(was[i], is[i]) {
				return true
			}
		}
		return false
	}
	a, b := numbers(old), numbers(now)
	return len(a) == 0 || len(b) == 0 || slices.Compare(b, a) < 0
}

// numbers are those at the start of a version.
func numbers(version string) (list []int) {
	for part := range strings.SplitSeq(strings.TrimPrefix(version, "v"), ".") {
		digits, rest, _ := strings.Cut(part, "-")
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		if list = append(list, n); rest != "" {
			break
		}
	}
	return list
}

// loses reports whether a list lost an entry, if not to one of the same kind with a higher number: py310 after py39.
func loses(old, now []string) bool {
	there, highest := map[string]bool{}, map[string]string{} // of each name, the highest number
	for _, is := range now {
		there[is] = true
		if name, number := numbered(is); number != "" && (highest[name] == "" || isLower(number, highest[name])) {
			highest[name] = number
		}
	}
	return slices.ContainsFunc(old, func(was string) bool {
		name, number := numbered(was)
		follows := number != "" && highest[name] != "" && !isLower(number, highest[name])
		return was != "" && !there[was] && !follows
	})
}

var numberedName = input.Lazily(`^([a-z]+)(\d[\d.]*)(-[a-z]+)?$`)

func numbered(entry string) (name, number string) {
	if m := numberedName().FindStringSubmatch(entry); m != nil {
		return m[1] + m[3], m[2]
	}
	return entry, ""
}
