package rules

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestManyRemoved wants a row for each directory where tests of many files are gone, and the last part of a long name.
func TestManyRemoved(t *testing.T) {
	const body = "describe('%s', () => {\n  describe('group', () => {\n    it('adds %d', () => {\n      expect(add(%d)).toBe(%d)\n    })\n  })\n})\n"
	deleted := func(files int) (details []string) {
		archive := &txtar.Archive{}
		for i := range files {
			name := fmt.Sprintf("base/%c/f%02d.test.js", 'a'+byte(i%2), i)
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: fmt.Appendf(nil, body, strings.Repeat("long ", 20), i, i, i)})
		}
		for _, r := range changeOf(t, archive).judge(All).Rules {
			if r.ID == "closeout/test-removed" && !r.Passed {
				details = append(details, r.Detail)
			}
		}
		return details
	}
	if got := deleted(mostRows); len(got) != mostRows || got[0] != `"… > adds 0" is deleted; the whole file is deleted` {
		t.Errorf("of %d files: %d rows, %q", mostRows, len(got), got)
	}
	want := `"… > adds 0", "… > adds 2", "… > adds 4" and 8 more tests are deleted, in 11 files of a`
	if got := deleted(mostRows + 1); len(got) != 2 || got[0] != want {
		t.Errorf("of %d files: %d rows, %q", mostRows+1, len(got), got)
	}
}
