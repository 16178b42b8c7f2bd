package proof_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
)

const (
	headTree  = "1111111111111111111111111111111111111111"
	otherTree = "2222222222222222222222222222222222222222"
)

var (
	wanted  = contract.Criterion{ID: "unit", Run: []string{"go", "test"}, Cwd: ".", MaxAttempts: 3, UnknownExit: []int64{75}}
	control = contract.Criterion{ID: "red", Run: []string{"red"}, Cwd: ".", ExpectFail: true, MaxAttempts: 3, UnknownExit: []int64{75}}
)

// streams fills a ledger from a short notation: a stream is words, a word one record of the command go test, or of red
// when it begins with !. 0, 1, 127 or null is the exit code; b after it binds the record to the head, s makes it stale,
// d dirty, f gives it to another task.
func streams(t *testing.T, logs ...string) *proof.Ledger {
	t.Helper()
	l := proof.New(proof.Config{
		TaskID: "T-1", Criteria: []contract.Criterion{wanted, control}, AcceptedTrees: []string{headTree},
	})
	for i, log := range logs {
		s := l.Stream(fmt.Sprintf("log%d", i))
		for line, word := range strings.Fields(log) {
			s.Add(record(t, line+1, word))
		}
	}
	return l
}

func record(t *testing.T, line int, word string) *feedback.Record {
	t.Helper()
	r := &feedback.Record{Pos: input.Pos{Line: line, Column: 1}, Line: []byte(word), Argv: wanted.Run, Cwd: "."}
	if rest, ok := strings.CutPrefix(word, "!"); ok {
		r.Argv, word = control.Run, rest
	}
	code := strings.TrimRight(word, "bsdf")
	if code != "null" {
		var exit int64
		if _, err := fmt.Sscan(code, &exit); err != nil {
			t.Fatalf("bad word %q: %v", word, err)
		}
		r.Exit = &exit
	}
	switch word[len(code):] {
	case "b":
		r.TreeBefore, r.TreeAfter = headTree, headTree
	case "s":
		r.TreeBefore, r.TreeAfter = otherTree, otherTree
	case "d":
		r.TreeBefore, r.TreeAfter = headTree, otherTree
	case "f":
		r.TaskID = "T-2"
	}
	return r
}

var everything = []proof.Trust{{Counts: true}, {Counts: true}}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name, logs string
		minimum    input.Level
		criterion  int
		reason     proof.Reason
		level      input.Level
		attempts   int64
		flaky      bool
	}{
		{name: "no record", logs: "", reason: proof.Missing, level: input.Absent},
		{name: "a pass", logs: "0", level: input.Claimed, attempts: 1},
		{name: "red then green", logs: "1 0", level: input.Claimed, attempts: 2, flaky: true},
		{name: "null then green", logs: "null 0", level: input.Claimed, attempts: 2, flaky: true},
		{name: "green then red is red", logs: "0 1", reason: proof.FailedReason, level: input.Claimed, attempts: 2},
		{name: "green then null", logs: "0 null", reason: proof.NullExit, level: input.Claimed, attempts: 2},
		{name: "a failure and no pass is not flaky", logs: "1 1", reason: proof.FailedReason, level: input.Claimed, attempts: 2},
		{name: "other task only", logs: "0f", reason: proof.Missing, level: input.Absent},
		{name: "a bound failure beats a claimed pass", logs: "1b 0", reason: proof.FailedReason, level: input.Bound, attempts: 1},
		{name: "a claimed failure does not spoil a bound pass", logs: "0b 1", level: input.Bound, attempts: 1},
		{name: "two streams agree", logs: "0|0", level: input.Claimed, attempts: 2},
		{name: "two streams disagree", logs: "0|1", reason: proof.Conflict, level: input.Claimed, attempts: 2},
		{name: "a bound stream decides alone", logs: "0b|1", level: input.Bound, attempts: 1},
		{name: "the later stream decides alone", logs: "1|0b", level: input.Bound, attempts: 1},
		{name: "a null exit is said before a conflict", logs: "0|null", reason: proof.NullExit, level: input.Claimed, attempts: 2},
		{name: "stale", logs: "0s", reason: proof.Stale, level: input.Claimed, attempts: 1},
		{name: "a stale failure is a failure", logs: "1s", reason: proof.FailedReason, level: input.Claimed, attempts: 1},
		{name: "stale before, bound after", logs: "0s 0b", level: input.Bound, attempts: 1},
		{name: "dirty", logs: "0d", reason: proof.DirtyTree, level: input.Claimed, attempts: 1},
		{name: "below the minimum", logs: "0", minimum: input.Bound, reason: proof.BelowMinimum, level: input.Claimed, attempts: 1},
		{name: "at the minimum", logs: "0b", minimum: input.Bound, level: input.Bound, attempts: 1},
		{name: "three attempts", logs: "1 1 0", level: input.Claimed, attempts: 3, flaky: true},
		{name: "four attempts", logs: "1 1 1 0", reason: proof.TooManyAttempts, level: input.Claimed, attempts: 4, flaky: true},
		{name: "attempts count by stream", logs: "1 1 0|1 1 0", level: input.Claimed, attempts: 6, flaky: true},
		{name: "attempts count at the deciding level", logs: "1 1 1 1 0b", level: input.Bound, attempts: 1},
		{name: "a control that fails", logs: "!1", criterion: 1, level: input.Claimed, attempts: 1},
		{name: "a control that passes", logs: "!0", criterion: 1, reason: proof.ControlPassed, level: input.Claimed, attempts: 1},
		{name: "a control that is not found", logs: "!127", criterion: 1, reason: proof.FailedReason, level: input.Claimed, attempts: 1},
		{name: "a control that cannot be run", logs: "!126", criterion: 1, reason: proof.FailedReason, level: input.Claimed, attempts: 1},
		{name: "cannot know", logs: "75", reason: proof.UnknownReason, level: input.Claimed, attempts: 1},
		{name: "cannot know, bound", logs: "75b", minimum: input.Bound, reason: proof.UnknownReason, level: input.Bound, attempts: 1},
		{name: "another code", logs: "74", reason: proof.FailedReason, level: input.Claimed, attempts: 1},
		{name: "a claim is no open question", logs: "75", minimum: input.Bound, reason: proof.FailedReason, level: input.Claimed, attempts: 1},
		{name: "nor is another tree", logs: "75s", reason: proof.FailedReason, level: input.Claimed, attempts: 1},
		{name: "nor a file left behind", logs: "75d", reason: proof.FailedReason, level: input.Claimed, attempts: 1},
		{name: "nor a claim after a bound failure", logs: "1b 75", reason: proof.FailedReason, level: input.Bound, attempts: 1},
		{name: "cannot know, then passes", logs: "75 0", level: input.Claimed, attempts: 2, flaky: true},
		{name: "passes, then cannot know", logs: "0 75", reason: proof.UnknownReason, level: input.Claimed, attempts: 2},
		{name: "cannot know four times", logs: "75 75 75 75", reason: proof.TooManyAttempts, level: input.Claimed, attempts: 4},
		{name: "one stream cannot know", logs: "0|75", reason: proof.UnknownReason, level: input.Claimed, attempts: 2},
		{name: "a failure in another stream is known", logs: "75|1", reason: proof.FailedReason, level: input.Claimed, attempts: 2},
		{name: "a stale pass in another stream blocks", logs: "75|0s", reason: proof.Stale, level: input.Claimed, attempts: 2},
		{name: "a control that cannot know", logs: "!75", criterion: 1, reason: proof.UnknownReason, level: input.Claimed, attempts: 1},
		{name: "a control that claims so", logs: "!75", criterion: 1, minimum: input.Bound, reason: proof.FailedReason, level: input.Claimed, attempts: 1},
		{name: "a control without exit code", logs: "!null", criterion: 1, reason: proof.NullExit, level: input.Claimed, attempts: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := streams(t, strings.Split(c.logs, "|")...).Decide(c.criterion, c.minimum, everything)
			if d.Reason != c.reason || d.Level != c.level || d.Attempts != c.attempts || (d.Flaky != nil) != c.flaky {
				t.Errorf("got %q at %s after %d attempts, flaky %v", d.Reason, d.Level, d.Attempts, d.Flaky != nil)
			}
		})
	}
}

func TestDecideWithDigests(t *testing.T) {
	l := streams(t, "0b", "1b", "0")
	d := l.Decide(0, input.Recorded, []proof.Trust{{Counts: true, Recorded: true}, {}, {}})
	if d.Reason != proof.Passed || d.Level != input.Recorded || len(d.Deciding) != 1 {
		t.Errorf("got %+v", d)
	}
	if d := l.Decide(0, input.Recorded, []proof.Trust{{Counts: true}, {}, {}}); d.Reason != proof.BelowMinimum {
		t.Errorf("bound is not recorded: got %+v", d)
	}
}

// Beside a log that passed, a claim in another log with a digest stays a conflict.
func TestDecideUnknownWithDigests(t *testing.T) {
	both := []proof.Trust{{Counts: true, Recorded: true}, {Counts: true, Recorded: true}}
	for logs, want := range map[string]proof.Reason{
		"0b|75b": proof.UnknownReason, "0b|75": proof.Conflict, "0b|75d": proof.Conflict, "75b|75": proof.FailedReason, "75b|1": proof.FailedReason,
	} {
		if d := streams(t, strings.Split(logs, "|")...).Decide(0, input.Recorded, both); d.Reason != want {
			t.Errorf("%s: got %q, expected %q", logs, d.Reason, want)
		}
	}
}

func TestForeignRecordsAreCounted(t *testing.T) {
	if d := streams(t, "0f 0f").Decide(0, "", everything); d.Foreign != 2 {
		t.Errorf("got %d foreign records", d.Foreign)
	}
}

// TestCommandsAreComparedByElement: no two commands share a key.
func TestCommandsAreComparedByElement(t *testing.T) {
	l := proof.New(proof.Config{TaskID: "T-1", Criteria: []contract.Criterion{{ID: "c", Run: []string{"go", "test", "-run", "X", "./..."}, Cwd: "."}}})
	s := l.Stream("log")
	for _, argv := range [][]string{
		{"go", "test", "-run", "X ./..."}, {"go test", "-run", "X", "./..."}, {"go", "test", "-run", "X", "./...", ""}, {"go", "test", "-run", "X"},
		{"GO", "test", "-run", "X", "./..."}, nil,
	} {
		zero := int64(0)
		s.Add(&feedback.Record{Argv: argv, Cwd: ".", Exit: &zero})
		s.Add(&feedback.Record{Argv: orWanted(argv), Cwd: "web", Exit: &zero})
	}
	if d := l.Decide(0, "", everything); d.Reason != proof.Missing {
		t.Errorf("a record of another command decided: %+v", d)
	}
}

// orWanted is the wanted command in place of nil, for another directory.
func orWanted(argv []string) []string {
	if argv == nil {
		return []string{"go", "test", "-run", "X", "./..."}
	}
	return argv
}

func TestGaps(t *testing.T) {
	seq := func(n int64) func(*feedback.Record) { return func(r *feedback.Record) { r.Seq = &n } }
	id := func(id, parent string) func(*feedback.Record) {
		return func(r *feedback.Record) { r.ID, r.Parent = id, parent }
	}
	none := func(*feedback.Record) {}
	for _, c := range []struct {
		name    string
		records []func(*feedback.Record)
		gaps    int
	}{
		{"rises from one", []func(*feedback.Record){seq(1), seq(2), seq(3)}, 0},
		{"rises from zero", []func(*feedback.Record){seq(0), seq(1)}, 0},
		{"starts late", []func(*feedback.Record){seq(4), seq(5)}, 1},
		{"a hole", []func(*feedback.Record){seq(1), seq(3)}, 1},
		{"a repetition", []func(*feedback.Record){seq(1), seq(1)}, 1},
		{"backwards", []func(*feedback.Record){seq(1), seq(0)}, 1},
		{"none has one", []func(*feedback.Record){none, none}, 0},
		{"a mixture is said once", []func(*feedback.Record){seq(1), none, seq(2), none}, 1},
		{"different ids", []func(*feedback.Record){id("a", ""), id("b", "")}, 0},
		{"an id twice", []func(*feedback.Record){id("a", ""), id("a", "")}, 1},
		{"an earlier parent", []func(*feedback.Record){id("a", ""), id("b", "a")}, 0},
		{"a parent that comes later", []func(*feedback.Record){id("b", "a"), id("a", "")}, 1},
		{"its own parent", []func(*feedback.Record){id("a", "a")}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := proof.New(proof.Config{}).Stream("log")
			for i, set := range c.records {
				r := record(t, i+1, "0")
				set(r)
				s.Add(r)
			}
			if len(s.Gaps) != c.gaps {
				t.Errorf("got %+v, expected %d", s.Gaps, c.gaps)
			}
		})
	}
}

func TestOpenNullExits(t *testing.T) {
	run := func(id, parent string, exit int64, argv ...string) *feedback.Record {
		r := &feedback.Record{ID: id, Parent: parent, Argv: argv, Cwd: "."}
		if exit >= 0 {
			r.Exit = &exit
		}
		return r
	}
	for _, c := range []struct {
		name    string
		records []*feedback.Record
		open    int
	}{
		{"left open", []*feedback.Record{run("a", "", -1, "x")}, 1},
		{"the same command again", []*feedback.Record{run("a", "", -1, "x"), run("b", "", 1, "x")}, 0},
		{"another command", []*feedback.Record{run("a", "", -1, "x"), run("b", "", 0, "y")}, 1},
		{"a child with another command", []*feedback.Record{run("a", "", -1, "x"), run("b", "a", 0, "y")}, 0},
		{"a child without exit code", []*feedback.Record{run("a", "", -1, "x"), run("b", "a", -1, "x")}, 1},
		{"an earlier success does not settle", []*feedback.Record{run("a", "", 0, "x"), run("b", "", -1, "x")}, 1},
		{"opened again", []*feedback.Record{run("a", "", -1, "x"), run("b", "", 0, "x"), run("c", "", -1, "x")}, 1},
		{"two commands", []*feedback.Record{run("a", "", -1, "x"), run("b", "", -1, "y")}, 2},
		{"a criterion is judged elsewhere", []*feedback.Record{run("a", "", -1, wanted.Run...)}, 0},
		{"a criterion that names its parent settles", []*feedback.Record{run("a", "", -1, "x"), run("b", "a", 0, wanted.Run...)}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := proof.New(proof.Config{Criteria: []contract.Criterion{wanted}}).Stream("log")
			for i, r := range c.records {
				r.Pos.Line, r.Line = i+1, []byte(fmt.Sprint(i))
				s.Add(r)
			}
			if len(s.Open()) != c.open {
				t.Errorf("open: %+v, expected %d", s.Open(), c.open)
			}
		})
	}
}

func TestDurationsSaturate(t *testing.T) {
	s := proof.New(proof.Config{}).Stream("log")
	for range 3 {
		s.Add(&feedback.Record{DurationMS: 1<<63 - 1})
	}
	if s.Duration != 1<<63-1 {
		t.Errorf("got %d", s.Duration)
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"go", "test", "./..."}, "go test ./..."},
		{[]string{"echo", "a b", "", "x\x1b[31m", "é"}, `echo "a b" "" "x\x1b[31m" "é"`},
		{nil, "(a command that does not split into words)"},
	} {
		if got := proof.CommandLine(c.argv); got != c.want {
			t.Errorf("CommandLine(%q) = %s, expected %s", c.argv, got, c.want)
		}
	}
	if long := proof.CommandLine([]string{strings.Repeat("é", 1000)}); len(long) > 220 {
		t.Errorf("a long command is not cut: %d bytes", len(long))
	}
}

// TestOpenNullExitsAreBounded opens more commands than are kept: the rest is counted, not forgotten.
func TestOpenNullExitsAreBounded(t *testing.T) {
	s := proof.New(proof.Config{}).Stream("log")
	for i := range proof.MaxOpen + 3 {
		s.Add(&feedback.Record{Argv: []string{"x", fmt.Sprint(i)}, Cwd: "."})
	}
	if len(s.Open()) != proof.MaxOpen || s.Unsettled != 3 {
		t.Errorf("%d open, %d beyond", len(s.Open()), s.Unsettled)
	}
}

// TestCommandsBeyondTheListAreCounted: each distinct command is counted once.
func TestCommandsBeyondTheListAreCounted(t *testing.T) {
	s := proof.New(proof.Config{}).Stream("log")
	one := int64(1)
	for range 2 {
		for i := range proof.MaxDetails + 5 {
			s.Add(&feedback.Record{Argv: []string{"x", fmt.Sprint(i)}, Cwd: ".", Exit: &one})
		}
	}
	if len(s.Nonzero.List) != proof.MaxDetails || s.Nonzero.More != 5 || s.Nonzero.List[0].Times != 2 {
		t.Errorf("%d listed, %d beyond", len(s.Nonzero.List), s.Nonzero.More)
	}
}
