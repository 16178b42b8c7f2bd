package record

import (
	"strings"
	"unicode/utf8"
)

// tail keeps the last bytes that are added.
type tail struct {
	most  int // bytes to keep
	total int64
	kept  []byte // at most twice as many as needed, so that old ones are rarely dropped
}

func (t *tail) add(p []byte) {
	t.total += int64(len(p))
	if len(p) >= t.most {
		t.kept = append(t.kept[:0], p[len(p)-t.most:]...)
		return
	}
	if len(t.kept)+len(p) > 2*t.most {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-t.most:]...)
	}
	t.kept = append(t.kept, p...)
}

// text returns the tail as valid UTF-8 and how many bytes before it were cut. Invalid bytes become U+FFFD; after that the text
// has at most t.most bytes and starts with a whole character.
func (t *tail) text() (text string, cut int64) {
	// Half a character at the start becomes U+FFFD, which is longer, and so does not fit.
	kept := t.kept[max(0, len(t.kept)-t.most):]
	start, size := len(kept), 0
	for start > 0 {
		r, n := utf8.DecodeLastRune(kept[:start])
		if size += utf8.RuneLen(r); size > t.most {
			break
		}
		start -= n
	}
	var b strings.Builder
	for _, r := range string(kept[start:]) {
		b.WriteRune(r)
	}
	return b.String(), t.total - int64(len(kept)-start)
}
