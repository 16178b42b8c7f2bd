package item

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A plan has a line for each item, and the log one for each event: up to 100,000, which encoding/json would read in half a
// second. What has no escapes is read here; the rest is left to encoding/json.

// eventKeys are the keys of an event in the order of the fields of [Event], as in readEvent.
var eventKeys = quoted(
	"n", "at", "event", "item", "try", "worktree", "start", "head", "tree", "root", "hold", "verdict", "outcome", "open", "tests", "bundle",
	"report_sha256", "contract_sha256", "broken", "unguarded", "code", "reason", "by", "exit", "ms", "cost_microusd", "budget_microusd", "left_running",
)

// quoted returns keys as JSON writes them before a value.
func quoted(keys ...string) []string {
	for i, key := range keys {
		keys[i] = strconv.Quote(key) + ":"
	}
	return keys
}

// ReadEvent reads a line of the log into e. The texts of e are parts of the line.
func ReadEvent(line string, e *Event) error {
	*e = Event{}
	if readEvent(line, e) {
		return nil
	}
	*e = Event{}
	return unmarshal([]byte(line), e)
}

func readEvent(line string, e *Event) bool {
	return readLine(line, eventKeys, []any{
		&e.N, &e.At, &e.Event, &e.Item, &e.Try, &e.Worktree, &e.Start, &e.Head, &e.Tree, &e.Root, &e.Hold, &e.Verdict, &e.Outcome, &e.Open, &e.Tests, &e.Bundle,
		&e.ReportSHA256, &e.ContractSHA256, &e.Broken, &e.Unguarded, &e.Code, &e.Reason, &e.By, &e.Exit, &e.MS, &e.Cost, &e.Budget, &e.LeftBehind,
	})
}

var itemKeys = quoted("id", "contract_sha256", "given", "max_attempts", "stall_after", "values")

func readItem(line string, it *Item) bool {
	return readLine(line, itemKeys, []any{&it.ID, &it.ContractSHA256, &it.Given, &it.MaxAttempts, &it.StallAfter, &it.Values})
}

// unmarshal reads what json.Marshal has written, and refuses any other spelling: nothing but closeout writes these files.
func unmarshal(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	if again, err := json.Marshal(v); err != nil || !bytes.Equal(again, data) {
		return errors.New("it is not as closeout writes it")
	}
	return nil
}

// readLine reads an object with some of the keys, in their order, into the variables of to, one for each key. It returns false for
// any other line, and may have set some of them then.
func readLine(s string, keys []string, to []any) bool {
	if strings.IndexByte(s, '\\') >= 0 || len(s) < 2 || s[0] != '{' || !utf8.ValidString(s) {
		return false
	}
	for k := 0; ; k++ {
		s = s[1:] // a brace or a comma
		for k < len(keys) && !strings.HasPrefix(s, keys[k]) {
			k++
		}
		if k == len(keys) {
			return false
		}
		var ok bool
		if s, ok = readValue(s[len(keys[k]):], to[k]); !ok || s == "" {
			return false
		}
		if s[0] != ',' {
			return s == "}"
		}
	}
}

// readText reads a text without escapes.
func readText(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '"' {
		return "", s, false
	}
	end := strings.IndexByte(s[1:], '"')
	if end < 0 {
		return "", s, false
	}
	return s[1 : end+1], s[end+2:], true
}

func readValue(s string, to any) (rest string, ok bool) {
	switch to := to.(type) {
	case *string:
		*to, rest, ok = readText(s)
	case *Name:
		var text string
		text, rest, ok = readText(s)
		*to = Name(text)
	case *[]string:
		return readTexts(s, to)
	case *bool:
		rest, *to = strings.CutPrefix(s, "true")
		ok = *to
	case *int64:
		*to, rest, ok = readNumber(s)
	case *int:
		var n int64
		n, rest, ok = readNumber(s)
		*to = int(n)
	case **int64:
		*to = new(int64)
		**to, rest, ok = readNumber(s)
	case **int:
		var n int64
		n, rest, ok = readNumber(s)
		small := int(n)
		*to = &small
	}
	return rest, ok
}

func readTexts(s string, to *[]string) (rest string, ok bool) {
	*to = []string{}
	if strings.HasPrefix(s, "[]") {
		return s[2:], true
	}
	for ok = s != "" && s[0] == '['; ok; ok = s[0] == ',' {
		var text string
		if text, s, ok = readText(s[1:]); !ok || s == "" {
			return s, false
		}
		if *to = append(*to, text); s[0] == ']' {
			return s[1:], true
		}
	}
	return s, false
}

// readNumber reads a number of at most 18 digits.
func readNumber(s string) (n int64, rest string, ok bool) {
	rest, minus := strings.CutPrefix(s, "-")
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		n = 10*n + int64(rest[end]-'0')
		end++
	}
	if end == 0 || end > 18 || (rest[0] == '0' && (end > 1 || minus)) {
		return 0, s, false
	}
	if minus {
		n = -n
	}
	return n, rest[end:], true
}
