package redact

import "unicode/utf8"

// Tail keeps the last bytes that are added.
type Tail struct {
	Most  int // bytes to keep
	total int64
	kept  []byte // at most twice as many as needed, so that old ones are rarely dropped
}

func (t *Tail) Add(p []byte) {
	t.total += int64(len(p))
	if len(p) >= t.Most {
		t.kept = append(t.kept[:0], p[len(p)-t.Most:]...)
		return
	}
	if len(t.kept)+len(p) > 2*t.Most {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-t.Most:]...)
	}
	t.kept = append(t.kept, p...)
}

// Text returns the tail as valid UTF-8 and how many bytes before it were cut. Invalid bytes become U+FFFD; after that the text
// has at most t.most bytes and starts with a whole character.
func (t *Tail) Text() (text string, cut int64) {
	// Half a character at the start becomes U+FFFD, which is longer, and so does not fit.
	kept := t.kept[max(0, len(t.kept)-t.Most):]
	start, size := len(kept), 0
	for start > 0 {
		r, n := utf8.DecodeLastRune(kept[:start])
		if size += utf8.RuneLen(r); size > t.Most {
			break
		}
		start -= n
	}
	return string([]rune(string(kept[start:]))), t.total - int64(len(kept)-start)
}
