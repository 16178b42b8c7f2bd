package gitindex

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// An extension that a reader may not pass over holds entries, as that of a split index does.
func TestParseIndexExtensions(t *testing.T) {
	for name, want := range map[string]error{"TREE": nil, "link": ErrForm, "sdir": ErrForm} {
		data := "DIRC\x00\x00\x00\x02\x00\x00\x00\x00" + name + "\x00\x00\x00\x04abcd" + strings.Repeat("\x00", 20)
		if _, err := Parse([]byte(data), 20); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}

// FuzzParseIndex: whatever a file contains, it is either refused or can be used.
func FuzzParseIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"+strings.Repeat("\x00", 20)), 20)
	f.Add([]byte("DIRC\x00\x00\x00\x03\x00\x00\x00\x01"+strings.Repeat("\x00", 60)+"\x40\x00\x00\x00a\x00\x00\x00"+strings.Repeat("\x00", 20)), 20)
	f.Add([]byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"+strings.Repeat("\x00", 100)), 32)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, sum int) {
		if sum != 20 && sum != 32 {
			return
		}
		x, err := Parse(data, sum)
		if err != nil {
			return
		}
		x.Contains(".closeout/evidence")
		x.Forget(dir, time.Unix(0, 0))
		if len(x.data) != len(data)-sum {
			t.Errorf("%d bytes became %d", len(data), len(x.data))
		}
	})
}
