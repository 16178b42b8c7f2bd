package hook

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/closeout-gate/closeout/internal/agent/item"
)

// When calls are a stall.
const (
	equalCalls  = 4 // with equal results
	failedCalls = 3 // equal calls in a row that failed
	roundCalls  = 6 // A-B-A-B-A-B
	variedCalls = 6 // of one tool, with other arguments and equal results that say something
	maxNudges   = 3 // in a session
)

// Stall says what the last calls of a session have in common if they lead nowhere; "" else. The last line is the newest. It
// knows neither time nor contents.
func Stall(log []Line) string {
	var calls []Line
	nudges := 0
	for _, l := range log {
		if l.Answer == AnswerNudge {
			nudges++
			calls = nil // each series is told once
		}
		if l.Event == Post && l.Call != "" && l.Answer != AnswerNudge && (l.ID == "" || len(calls) == 0 || calls[len(calls)-1].ID != l.ID) {
			calls = append(calls, l)
		}
	}
	if nudges >= maxNudges {
		return ""
	}
	failed := func(a, b Line) bool { return a.Call == b.Call && a.Failed && b.Failed }
	alike := func(a, b Line) bool { return a.Call == b.Call && a.Result == b.Result }
	varied := func(a, b Line) bool { return a.Tool == b.Tool && a.Result == b.Result && a.Said && b.Said }
	what := ""
	switch {
	case repeats(calls, failedCalls, 1, failed):
		what = fmt.Sprintf("this call has failed %d times in a row", failedCalls)
	case repeats(calls, equalCalls, 1, alike):
		what = fmt.Sprintf("this call has had the same result %d times", equalCalls)
	case repeats(calls, roundCalls, 2, alike) && calls[len(calls)-1].Call != calls[len(calls)-2].Call:
		what = "two calls have had the same results in turn, three times"
	case repeats(calls, variedCalls, 1, varied):
		what = fmt.Sprintf("the last %d calls of %s have had the same result, whatever their arguments", variedCalls, calls[len(calls)-1].Tool)
	default:
		return ""
	}
	return "closeout: " + what + ". The same again will tell nothing new: look at the result, change something else, or say in " + item.BlockedFile + " why it cannot be done"
}

// repeats reports whether each of the last n calls is the same as the one that comes step calls before.
func repeats(calls []Line, n, step int, same func(a, b Line) bool) bool {
	for i := max(len(calls)-n, 0) + step; i < len(calls); i++ {
		if !same(calls[i], calls[i-step]) {
			return false
		}
	}
	return len(calls) >= n
}

// maxNormal is how much of a result is compared.
const maxNormal = 64 << 10

// normal is a result without what changes by itself: words with digits, such as times, ids, numbers and temporary files.
func normal(s string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(s[:min(len(s), maxNormal)], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"',;()[]{}=`, r) }) {
		if strings.ContainsFunc(word, unicode.IsDigit) || strings.Contains(word, "/tmp/") {
			word = "#"
		}
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return b.String()
}

// says reports whether a result has a text of several words. An empty output, or "success", tells calls not apart.
func says(result jsontext.Value) bool {
	d := jsontext.NewDecoder(bytes.NewReader(result[:min(len(result), maxNormal)]))
	for {
		t, err := d.ReadToken()
		if err != nil {
			return false
		}
		if kind, n := d.StackIndex(d.StackDepth()); t.Kind() == '"' && (kind != '{' || n%2 == 0) && strings.ContainsFunc(strings.TrimSpace(t.String()), unicode.IsSpace) {
			return true
		}
	}
}
