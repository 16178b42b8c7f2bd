package linediff_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/git/linediff"
)

// text writes a result: "-2 b" for a removed line, "+2 c" for an added one, "!" after a line that no \n ends.
func text(r linediff.Result) string {
	var b strings.Builder
	write := func(sign byte, lines []linediff.Line) {
		for _, l := range lines {
			fmt.Fprintf(&b, "%c%d %q", sign, l.Number, l.Text)
			if l.NoNewline {
				b.WriteByte('!')
			}
			b.WriteByte('\n')
		}
	}
	write('-', r.Removed)
	write('+', r.Added)
	return b.String()
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", "", "", ""},
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"equal without a last newline", "a\nb", "a\nb", ""},
		{"created", "", "a\nb\n", "+1 \"a\"\n+2 \"b\"\n"},
		{"created without a last newline", "", "a", "+1 \"a\"!\n"},
		{"created as one empty line", "", "\n", "+1 \"\"\n"},
		{"deleted", "a\nb\n", "", "-1 \"a\"\n-2 \"b\"\n"},
		{"replaced", "a\nb\nc\n", "a\nx\nc\n", "-2 \"b\"\n+2 \"x\"\n"},
		{"inserted", "a\nc\n", "a\nb\nc\n", "+2 \"b\"\n"},
		{"removed at the end", "a\nb\nc\n", "a\nb\n", "-3 \"c\"\n"},
		{"a begun line is no common one", "ab\n", "ac\n", "-1 \"ab\"\n+1 \"ac\"\n"},
		{"an ended line is no common one", "ba\n", "ca\n", "-1 \"ba\"\n+1 \"ca\"\n"},
		{"the end of a line is no line", "xa\nb\n", "a\nb\n", "-1 \"xa\"\n+1 \"a\"\n"},
		{"last newline added", "a\nb", "a\nb\n", "-2 \"b\"!\n+2 \"b\"\n"},
		{"last newline removed", "b\n", "b", "-1 \"b\"\n+1 \"b\"!\n"},
		{"appended behind a line without newline", "a", "a\nb", "-1 \"a\"!\n+1 \"a\"\n+2 \"b\"!\n"},
		{"inserted before a last line without newline", "a", "b\na", "+1 \"b\"\n"},
		{"a carriage return is text", "a\nb\n", "a\r\nb\n", "-1 \"a\"\n+1 \"a\\r\"\n"},
		{"a carriage return ends no line", "a\rb\n", "a\rc\n", "-1 \"a\\rb\"\n+1 \"a\\rc\"\n"},
		{"nor does another separator", "a\u2028b\v\f\u0085c\n", "x\n", "-1 \"a\\u2028b\\v\\f\\u0085c\"\n+1 \"x\"\n"},
		{"blanks count", "a\n", "a \n", "-1 \"a\"\n+1 \"a \"\n"},
		{"bytes that are no utf-8", "\xff\n", "\xfe\n", "-1 \"\\xff\"\n+1 \"\\xfe\"\n"},
		{"moved", "a\nb\nc\nd\n", "b\nc\nd\na\n", "-1 \"a\"\n+4 \"a\"\n"},
		{"numbers count what is cut off", "1\n2\n3\n4\n5\n", "1\n2\nx\n4\n4\n5\n", "-3 \"3\"\n+3 \"x\"\n+4 \"4\"\n"},
		{"a line that only one side holds, between lines that both hold", "a\nb\nc\nx\n", "y\nb\na\nc\n", "-1 \"a\"\n-4 \"x\"\n+1 \"y\"\n+3 \"a\"\n"},
	} {
		r := linediff.Diff([]byte(c.before), []byte(c.after), linediff.Limits{})
		if got := text(r); got != c.want || r.State != linediff.Text || !r.Minimal {
			t.Errorf("%s: state %q, minimal %v\n%swant\n%s", c.name, r.State, r.Minimal, got, c.want)
		}
		check(t, []byte(c.before), []byte(c.after), linediff.Limits{})
	}
}

// TestNil checks that a version that is not there is one without lines.
func TestNil(t *testing.T) {
	if r := linediff.Diff(nil, []byte("a\n"), linediff.Limits{}); text(r) != "+1 \"a\"\n" || r.Removed != nil {
		t.Errorf("created: %s", text(r))
	}
	if r := linediff.Diff([]byte("a\n"), nil, linediff.Limits{}); text(r) != "-1 \"a\"\n" || r.Added != nil {
		t.Errorf("deleted: %s", text(r))
	}
}

// TestBlocks moves the first and the last difference over the places where equal blocks of bytes end.
func TestBlocks(t *testing.T) {
	long := bytes.Repeat([]byte("0123456\n"), 2048)
	for _, at := range []int{0, 1, 4087, 4088, 4095, 4096, 4097, 8191, 8192, len(long) - 1} {
		changed := bytes.Clone(long)
		changed[at] = 'x'
		if length, _ := check(t, long, changed, linediff.Limits{}); length != shortest(long, changed) {
			t.Errorf("changed at byte %d: %d lines", at, length)
		}
		cut := append(bytes.Clone(long[:at]), long[at+1:]...)
		if length, _ := check(t, long, cut, linediff.Limits{}); length != shortest(long, cut) {
			t.Errorf("without byte %d: %d lines", at, length)
		}
	}
}

func TestStates(t *testing.T) {
	nul := func(at int) string { return strings.Repeat("x", at) + "\x00\n" }
	small := linediff.Limits{Bytes: 10, Lines: 3}
	for _, c := range []struct {
		name, before, after string
		limits              linediff.Limits
		state               linediff.State
	}{
		{"nul", nul(0), "", linediff.Limits{}, linediff.Binary},
		{"nul in the new version only", "a\n", nul(7999), linediff.Limits{}, linediff.Binary},
		{"nul too late", nul(8000), "a\n", linediff.Limits{}, linediff.Text},
		{"equal binaries", nul(1), nul(1), linediff.Limits{}, linediff.Binary},
		{"as many bytes as allowed", "", "0123456789", small, linediff.Text},
		{"a byte too many", "", "0123456789\n", small, linediff.TooLarge},
		{"a byte too many before", "0123456789\n", "", small, linediff.TooLarge},
		{"too large and binary", "", nul(10), small, linediff.TooLarge},
		{"as many lines as allowed", "\n\n\n", "", small, linediff.Text},
		{"a line too many", "a\nb\nc\nd", "", small, linediff.TooLarge},
		{"a line too many after", "", "\n\n\n\n", small, linediff.TooLarge},
		{"what is the same before does not count", "x\n", "x\na\n", linediff.Limits{Lines: 1}, linediff.Text},
		{"what is the same behind does not count", "x\n", "a\nx\n", linediff.Limits{Lines: 1}, linediff.Text},
		{"nor what is the same on both sides", "\n\na\n\n", "\n\nb\n\n", small, linediff.Text},
	} {
		r := linediff.Diff([]byte(c.before), []byte(c.after), c.limits)
		if r.State != c.state {
			t.Errorf("%s: %q, want %q", c.name, r.State, c.state)
		}
		if r.State != linediff.Text && (r.Added != nil || r.Removed != nil || r.Minimal) {
			t.Errorf("%s: lines of a file that was not compared: %s", c.name, text(r))
		}
	}
}

// TestDefaults checks the limits that apply when the caller gives none.
func TestDefaults(t *testing.T) {
	large := make([]byte, 64<<20+1)
	if r := linediff.Diff(large[1:], large[1:], linediff.Limits{}); r.State != linediff.Binary {
		t.Errorf("64 MiB: %q", r.State)
	}
	if r := linediff.Diff(large, nil, linediff.Limits{}); r.State != linediff.TooLarge {
		t.Errorf("a byte more than 64 MiB: %q", r.State)
	}
	lines := bytes.Repeat([]byte("\n"), 1<<20)
	if r := linediff.Diff(nil, lines, linediff.Limits{}); r.State != linediff.Text || len(r.Added) != 1<<20 {
		t.Errorf("%q, %d lines", r.State, len(r.Added))
	}
	if r := linediff.Diff(nil, append(lines, '\n'), linediff.Limits{}); r.State != linediff.TooLarge {
		t.Errorf("%q", r.State)
	}
}

// TestSameScript checks that a script depends on nothing but the bytes and the limits, also when the work runs out.
func TestSameScript(t *testing.T) {
	before, after := random(3000, 50, 1), random(3000, 50, 2)
	for _, work := range []int64{0, 10_000, 1_000_000} {
		limits := linediff.Limits{Work: work}
		first := text(linediff.Diff(before, after, limits))
		for range 3 {
			if again := text(linediff.Diff(bytes.Clone(before), bytes.Clone(after), limits)); again != first {
				t.Errorf("work %d: another script", work)
			}
		}
	}
}

// TestHostile checks that files made to be slow come to an end with a right script: the work is bounded, not the luck.
func TestHostile(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after []byte
	}{
		{"in another order", program(30_000), shuffled(program(30_000), 1)},
		{"two kinds of lines", random(30_000, 2, 1), random(30_000, 2, 2)},
		{"one kind of line between two orders", bytes.Join([][]byte{program(4000), random(40_000, 1, 1), program(4000)}, nil),
			bytes.Join([][]byte{shuffled(program(4000), 1), random(40_000, 1, 1), shuffled(program(4000), 2)}, nil)},
	} {
		length, minimal := check(t, c.before, c.after, linediff.Limits{Work: 1 << 20})
		if minimal {
			t.Errorf("%s: a shortest script of %d lines with little work: make the case harder", c.name, length)
		}
	}
}

// FuzzDiff checks that a script leads from one version to the other and back, with much and with little work, and that
// it is a shortest one when it says so.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc", uint16(0))
	f.Add("a\nb\na\nb\nc", "b\na\nc\nb\na\n", uint16(3))
	f.Add("\n\n\r\n", "\r\n\n", uint16(1))
	r := rand.New(rand.NewSource(3))
	for range 20 {
		f.Add(string(randomLines(r, 30, 4)), string(randomLines(r, 30, 4)), uint16(r.Intn(300)))
	}
	f.Fuzz(func(t *testing.T, before, after string, work uint16) {
		if strings.Contains(before[:min(len(before), 8000)]+after[:min(len(after), 8000)], "\x00") {
			if r := linediff.Diff([]byte(before), []byte(after), linediff.Limits{}); r.State != linediff.Binary {
				t.Fatalf("state %q", r.State)
			}
			return
		}
		want := -1
		if len(lines([]byte(before)))*len(lines([]byte(after))) < 1_000_000 {
			want = shortest([]byte(before), []byte(after))
		}
		for _, limits := range []linediff.Limits{{}, {Work: int64(work) + 1}} {
			length, minimal := check(t, []byte(before), []byte(after), limits)
			if want >= 0 && (length < want || minimal && length != want) {
				t.Errorf("%q to %q: %d lines (minimal: %v), want %d", before, after, length, minimal, want)
			}
		}
	})
}
