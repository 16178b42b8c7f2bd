package rules

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestDamagedFiles runs all rules over each case with damaged files: half a line, lines in another order, brackets without their
// counterpart. What a person saves in the middle of a word must end neither the gate nor a rule.
func TestDamagedFiles(t *testing.T) {
	runDamaged(t, 2)
}

func runDamaged(t *testing.T, rounds int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(casesDir, "*", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal("no cases", err)
	}
	for at, name := range names {
		for round := range rounds {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(uint64(at), uint64(round)))
			for i := range archive.Files {
				isReport := strings.Contains(archive.Files[i].Name, "-report/") // the gate refuses a damaged one before
				if round%3 != i%3 && !isReport {                                // the other version stays as it is
					archive.Files[i].Data = damage(random, archive.Files[i].Data)
				}
			}
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%s, round %d: %v\n%s", name, round, p, txtar.Format(archive))
						panic(p)
					}
				}()
				hits(changeOf(t, archive))
			}()
		}
	}
}

// pieces are what damage inserts: what begins or ends something, in the languages that the rules know.
var pieces = []string{"(", ")", "{", "}", "[", "]", "\"", "'", "`", "/*", "*/", "//", "#", "\n", "\r", "\t", " ", ":", ";", ",", ".", "=", "=>", "->", "\\", "\x00", "é",
	"func (", "def ", "if ", "assert", "expect(", "t.", "@", "<", ">", "|", "&&", "!", "- ", "run:", "\"\"\"", "r#\"", "<<~A", "true", "0", "-"}

// damage changes a text in a few places.
func damage(random *rand.Rand, text []byte) []byte {
	text = bytes.Clone(text)
	for range 1 + random.IntN(4) {
		if len(text) == 0 {
			return text
		}
		from := random.IntN(len(text))
		to := from + min(random.IntN(40), len(text)-from)
		switch random.IntN(6) {
		case 0: // something is missing
			text = append(text[:from:from], text[to:]...)
		case 1:
			text = fmt.Appendf(nil, "%s%s%s", text[:from], pieces[random.IntN(len(pieces))], text[from:])
		case 2: // the rest is missing
			text = text[:from]
		case 3: // something is there twice
			text = fmt.Appendf(nil, "%s%s", text[:to], text[from:])
		case 4: // lines have another order
			lines := bytes.SplitAfter(text, []byte("\n"))
			random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			text = bytes.Join(lines, nil)
		default: // the rest of a line is missing
			if end := bytes.IndexByte(text[from:], '\n'); end >= 0 {
				text = append(text[:from:from], text[from+end:]...)
			}
		}
	}
	return text
}
