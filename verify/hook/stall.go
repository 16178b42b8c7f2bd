package hook

import (
	"fmt"
	"strings"
	"unicode"
)

// When calls are a stall.
const (
	equalCalls  = 4 // with equal results
	failedCalls = 3 // equal calls in a row that failed
	roundCalls  = 6 // A-B-A-B-A-B
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
	what := ""
	switch {
	case sameCalls(calls, failedCalls, 1) && allFailed(calls[len(calls)-failedCalls:]):
		what = fmt.Sprintf("this call has failed %d times in a row", failedCalls)
	case sameResults(calls, equalCalls, 1):
		what = fmt.Sprintf("this call has had the same result %d times", equalCalls)
	case sameResults(calls, roundCalls, 2) && calls[len(calls)-1].Call != calls[len(calls)-2].Call:
		what = "two calls have had the same results in turn, three times"
	default:
		return ""
	}
	return "closeout: " + what + ". The same call again will tell nothing new: look at the result, change something else, or say in .closeout/evidence/blocked.md why it cannot be done"
}

// sameCalls reports whether the last n calls are equal to those that come step calls before.
func sameCalls(calls []Line, n, step int) bool {
	if len(calls) < n {
		return false
	}
	last := calls[len(calls)-n:]
	for i := step; i < n; i++ {
		if last[i].Call != last[i-step].Call {
			return false
		}
	}
	return true
}

func sameResults(calls []Line, n, step int) bool {
	if !sameCalls(calls, n, step) {
		return false
	}
	last := calls[len(calls)-n:]
	for i := step; i < n; i++ {
		if last[i].Result != last[i-step].Result {
			return false
		}
	}
	return true
}

func allFailed(calls []Line) bool {
	for _, l := range calls {
		if !l.Failed {
			return false
		}
	}
	return true
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
