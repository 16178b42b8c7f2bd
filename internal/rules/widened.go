package rules

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// raising are what begins the name of an error that a test expects, and what ends it.
var raising = []string{
	"raises(", "assertRaises(", "assertRaisesRegex(", "assertThrows(", "Throws<", "ThrowsAsync<", "ThrowAsync<", "Throw<", "raise_error(", "raise_error", "toThrow(",
	"toThrowError(", "isInstanceOf(", "should_panic",
}

// broad are the errors that nearly every error is.
const broad = " Exception BaseException Throwable RuntimeException Error StandardError Exception.class Throwable.class RuntimeException.class System.Exception "

// raised is the error that a statement expects, and what is known of its text.
func raised(s *statement) (class, rest string, ok bool) {
	for _, word := range raising {
		i := bytes.Index(s.code, []byte(word))
		if i < 0 || i > 0 && source.IsWord(s.code[i-1]) {
			continue
		}
		tail := s.text[i+len(word):]
		if last := word[len(word)-1]; last != '(' && last != '<' {
			tail = bytes.TrimLeft(tail, " (")
		}
		tail = bytes.TrimLeft(tail, " \t\r\n")
		if len(tail) == 0 {
			return "", "", true
		}
		end := bytes.IndexAny(tail, ",)>\n]")
		if end < 0 {
			return "", "", false
		}
		return strings.TrimSpace(string(tail[:end])), string(squeeze(nil, tail[end:])), true
	}
	return "", "", false
}

// widens reports whether an assertion accepts every error, or one without its text, where it accepted one.
func (s *stated) widens(was *stated) bool {
	before, beforeRest, ok := raised(&was.statement)
	if !ok || before == "" || isIn(before, broad) {
		return false
	}
	after, afterRest, ok := raised(&s.statement)
	if !ok {
		return false
	}
	if after == "" || isIn(after, broad) {
		return true
	}
	// Who names the error compares its text below.
	return after == before && has(beforeRest, "match=") && !has(afterRest, "match=", ")as")
}

// tolerances are the names of arguments that say how far a value may be away. With those of the second list, less is more.
var (
	tolerances = []string{"delta=", "rel=", "abs=", "rtol=", "atol=", "abs_tol=", "rel_tol=", "epsilon=", "delta:", "tolerance:", "within("}
	precisions = []string{"places=", "decimal=", "precision:"}
)

// loosens reports whether an assertion is the same but for a number that says how exact it is.
func (s *stated) loosens(was *stated) bool {
	before, after := string(squeeze(nil, was.text)), string(squeeze(nil, s.text))
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	for start > 0 && isNumber(before[start-1]) {
		start--
	}
	for end > 0 && isNumber(before[len(before)-end]) {
		end--
	}
	x, errX := strconv.ParseFloat(before[start:max(start, len(before)-end)], 64)
	y, errY := strconv.ParseFloat(after[start:max(start, len(after)-end)], 64)
	if errX != nil || errY != nil || x == y {
		return false
	}
	return y > x && isTolerance(after[:start]) || y < x && isPrecision(after[:start])
}

func isNumber(c byte) bool { return c >= '0' && c <= '9' || c == '.' || c == 'e' || c == '-' }

func isTolerance(before string) bool {
	for _, name := range tolerances {
		if ends(before, name) {
			return true
		}
	}
	return ends(before, ",") && (has(before, "InDelta", "InEpsilon", "assert_in_delta"))
}

func isPrecision(before string) bool {
	for _, name := range precisions {
		if ends(before, name) {
			return true
		}
	}
	return ends(before, ",") && (has(before, "toBeCloseTo(", "assertAlmostEqual("))
}
