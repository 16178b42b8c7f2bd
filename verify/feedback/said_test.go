package feedback

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/input"
)

// TestEnding cuts a text at every place: what is left is the end of the decoded text, without half a character or escape.
func TestEnding(t *testing.T) {
	text := `aä\n\\\\n\u00e9\"\ud83d\ude00\\` + "日本" + `\u2028z\/`
	whole := unescaped([]byte(text))
	for most := range len(text) + 1 {
		got := unescaped(ending([]byte(text), most))
		short := strings.TrimPrefix(got, string(utf8.RuneError)) // the second half of a surrogate pair
		if len(ending([]byte(text), most)) > most || !strings.HasSuffix(whole, short) {
			t.Errorf("%d bytes: got %q of %q", most, got, whole)
		}
	}
	if whole != "aä\n\\\\né\"😀\\日本\u2028z/" {
		t.Errorf("got %q", whole)
	}
}

// TestSaid keeps what a record says after the next line is read, and nothing of the record before.
func TestSaid(t *testing.T) {
	log := `{"command":["a"],"exit_code":1,"stdout":"whole","stdout_tail":"tail","stderr":"err","stderr_tail":"","error":"why"}
{"command":["b"],"exit_code":1,"stdout":null,"error":null}
`
	var kept []Said
	var used Said
	_, errs := ReadLog(bytes.NewReader([]byte(log)), input.DefaultLimits(), func(r *Record) {
		var s Said
		s.Keep(r)
		kept = append(kept, s)
		used.Keep(r)
	})
	if errs.Any() || len(kept) != 2 {
		t.Fatalf("%v", errs)
	}
	if s := &kept[0]; s.Stdout() != "tail" || s.Stderr() != "err" || s.Problem() != "why" || s.Size() != len("tailerrwhy") {
		t.Errorf("got %q, %q, %q", s.Stdout(), s.Stderr(), s.Problem())
	}
	if used.Size() != 0 || used.Stdout()+used.Stderr()+used.Problem() != "" {
		t.Errorf("the second record says %q", used.Stdout())
	}
}
