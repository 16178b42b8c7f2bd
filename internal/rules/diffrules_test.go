package rules

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// finds is a rule that reports hits.
func finds(id, topic string, hits ...Hit) *Rule {
	return &Rule{ID: id, Severity: input.Warn, Parts: []Part{{Topic: topic, Find: func(_ *Change, report func(Hit)) {
		for _, h := range hits {
			report(h)
		}
	}}}}
}

// places are the places of the rows that did not pass.
func places(d *reports.Diff) []string {
	var list []string
	for _, row := range d.Rules {
		if !row.Passed {
			list = append(list, fmt.Sprintf("%s %s%s:%d", row.ID, row.Side, row.File, row.Line))
		}
	}
	return list
}

// TestOneFinding shows which of several hits on the same thing stays.
func TestOneFinding(t *testing.T) {
	at := func(line int, subject string, others ...string) Hit {
		return Hit{File: "f", Line: line, Subject: subject, Others: others}
	}
	was := at(3, "")
	was.Base = true
	for _, test := range []struct {
		name          string
		first, second Hit
		topic         string
		want          int
	}{
		{"same line", at(3, "A"), at(3, ""), "test", 1},
		{"same subject", at(3, "A"), at(9, "A"), "test", 1},
		{"other line and subject", at(3, "A"), at(9, "B"), "test", 2},
		{"other side", at(3, ""), was, "test", 2},
		{"other topic", at(3, "A"), at(3, "A"), "code", 2},
		{"no topic", at(3, "A"), at(3, "A"), "", 2},
		{"whole file", at(0, ""), at(0, ""), "test", 1},
		{"whole file, other subject", at(0, "A"), at(0, "B"), "test", 2},
		{"one of several is new", at(3, "A"), at(9, "B", "A"), "test", 2},
		{"none of several is new", at(3, "B", "A"), at(9, "A"), "test", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			topic := "test"
			if test.topic == "" {
				topic = ""
			}
			list := []*Rule{finds("closeout/z", topic, test.first), finds("closeout/a", test.topic, test.second)}
			got := places((&Change{}).judge(list))
			if len(got) != test.want || !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "closeout/z") }) {
				t.Errorf("%q", got)
			}
		})
	}
	// One rule may find two things in one place, but not one thing twice.
	two := Hit{File: "f", Line: 3, Detail: "other"}
	if got := places((&Change{}).judge([]*Rule{finds("closeout/a", "test", at(3, ""), two, two)})); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func TestRowsAreCapped(t *testing.T) {
	var many []Hit
	for i := range maxRows + 4 {
		many = append(many, Hit{File: "f", Line: i + 1, Detail: "found"})
	}
	find := finds("closeout/a", "", many[:maxRows-1]...)
	find.Severity = input.Info
	got := (&Change{}).judge([]*Rule{find}).Rules
	if len(got) != maxRows-1 || got[len(got)-1].Detail != "found" {
		t.Errorf("%d rows: %v", len(got), got[len(got)-1])
	}
	got = (&Change{}).judge([]*Rule{finds("closeout/a", "", many...)}).Rules
	if more := got[0]; len(got) != maxRows || more.Passed || more.Severity != input.Warn || more.Detail != "5 more places, too many to list" || more.File != "" {
		t.Errorf("%d rows: %v", len(got), more)
	}
}

func TestTextsAreCut(t *testing.T) {
	for _, text := range []string{"  a\t", strings.Repeat("ü", 150), "x" + strings.Repeat("語", 100), strings.Repeat(" ", 1<<20) + "a", strings.Repeat("\xff", 5000), strings.Repeat("a", 4<<20)} {
		got := clip(text, maxText)
		if !utf8.ValidString(got) || len(got) > maxText || len(text) == 4<<20 && len(got) != maxText || got != strings.TrimSpace(got) {
			t.Errorf("%.20q: %d bytes: %.20q", text, len(got), got)
		}
	}
}

// blobs answers for objects whose ids are "name:size", with nothing but line ends for the name lines, and counts what is read.
type blobs map[string]int

var errLarge = errors.New("too large")

func (b blobs) read(id string, limit int64) ([]byte, error) {
	var size int64
	_, text, _ := strings.Cut(id, ":")
	fmt.Sscan(text, &size)
	if size > limit {
		return nil, errLarge
	}
	b[id]++
	letter := "x"
	if strings.HasPrefix(id, "lines:") {
		letter = "\n"
	}
	return []byte(strings.Repeat(letter, int(size))), nil
}

func modified(path, base, head string) change.Change {
	return change.Change{Path: path, Status: change.Modified, OldMode: change.Regular, NewMode: change.Regular, OldID: base, NewID: head}
}

func added(path, head string) change.Change {
	return change.Change{Path: path, Status: change.Added, OldMode: change.NoMode, NewMode: change.Regular, NewID: head}
}

func TestReadingHasLimits(t *testing.T) {
	large, most := fmt.Sprintf("large:%d", maxFile+1), fmt.Sprintf("most:%d", maxFile)
	var padding []change.Change
	for i := range 20 {
		padding = append(padding, added(fmt.Sprintf("a/%02d.txt", i), fmt.Sprintf("p%d:%d", i, maxFile)))
	}
	for _, test := range []struct {
		name    string
		changes []change.Change
		want    []string
	}{
		{"as large as allowed", []change.Change{modified("a_test.go", "a:1", most)}, nil},
		{"too large now", []change.Change{modified("a_test.go", "a:1", large)}, []string{"closeout/unread a_test.go:0"}},
		{"too large before", []change.Change{modified("a_test.go", large, "a:1")}, []string{"closeout/unread a_test.go:0"}},
		{"too large and deleted", []change.Change{{Path: "a_test.go", Status: change.Deleted, OldMode: change.Regular, OldID: large}}, []string{"closeout/unread basea_test.go:0"}},
		{"workflow", []change.Change{modified(".github/workflows/ci.yml", "a:1", large)}, []string{"closeout/unread .github/workflows/ci.yml:0"}},
		{"data", []change.Change{modified("a.json", "a:1", large)}, []string{"closeout/unread a.json:0"}},
		{"as many lines as can be compared", []change.Change{modified("a_test.go", "a:1", fmt.Sprintf("lines:%d", maxLines-1))}, nil},
		{"too many lines", []change.Change{modified("a_test.go", fmt.Sprintf("lines:%d", maxLines), "a:1")}, []string{"closeout/unread a_test.go:0"}},
		{"mode only", []change.Change{modified("a_test.go", "a:1", "a:1")}, nil},
		{"padding", append(slices.Clone(padding), modified("z_test.go", "a:1", most), modified("z_test.go", "a:1", "b:1")), []string{
			"closeout/unread a/14.txt:0", "closeout/unread a/15.txt:0", "closeout/unread a/16.txt:0", "closeout/unread a/17.txt:0",
			"closeout/unread a/18.txt:0", "closeout/unread a/19.txt:0",
		}},
		{"nothing is read twice", []change.Change{modified("a_test.go", "a:1", "b:1"), modified("b_test.go", "b:1", "a:1"), added("c.txt", "a:1")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := blobs{}
			c, err := read(test.changes, b.read, errLarge)
			if err != nil {
				t.Fatal(err)
			}
			got := places(c.judge([]*Rule{ByID("closeout/unread")}))
			if !slices.Equal(got, test.want) {
				t.Errorf("%q", got)
			}
			for id, n := range b {
				if n > 1 {
					t.Errorf("%s was read %d times", id, n)
				}
			}
		})
	}
}

// TestSavingMemoryEnds checks that the setting of the process is as before when several large changes were judged side by side.
func TestSavingMemoryEnds(t *testing.T) {
	before := debug.SetGCPercent(150)
	defer debug.SetGCPercent(before)
	first := saveMemory()
	second := saveMemory()
	first()
	if now := debug.SetGCPercent(largeGCPercent); now != largeGCPercent {
		t.Errorf("one run ended, and the setting is %d", now)
	}
	second()
	if now := debug.SetGCPercent(150); now != 150 {
		t.Errorf("all runs ended, and the setting is %d", now)
	}
}

// TestHiding asks of each character that hides something whether its first bytes are looked for.
func TestHiding(t *testing.T) {
	hidden := 0
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if conceal(r, 'a', 'b') == 0 || !utf8.ValidRune(r) {
			continue
		}
		if hidden++; !has(string(r), hiding...) {
			t.Errorf("U+%04X is not looked for", r)
		}
	}
	if hidden < 300 {
		t.Errorf("%d characters hide something", hidden)
	}
}
