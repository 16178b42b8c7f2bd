package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/agent/hook"
)

// The log of a session survives a torn line, forgets no refusal, and has a name that the session does not choose.
func TestCalls(t *testing.T) {
	s := &Store{Dir: filepath.Join(t.TempDir(), "state")}
	const id = "../../../etc/\x00passwd"
	add := func(l hook.Line) {
		t.Helper()
		if err := s.AddCall(id, l); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Calls(id); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	add(hook.Line{Event: hook.Stop, Answer: hook.AnswerBlock, Tree: "t"})
	name := s.callsFile(id)
	if filepath.Dir(name) != s.Path("sessions") {
		t.Fatalf("the log is %q", name)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	write(t, name, `{"event":"pre","to`) // killed
	add(hook.Line{Event: hook.Post, Call: "c"})
	if got := s.Calls(id); len(got) != 2 || got[0].Tree != "t" || got[1].Call != "c" {
		t.Errorf("%+v", got)
	}
	line := `{"event":"post","call":"x","paths":["` + strings.Repeat("y", 1000) + `"]}` + "\n"
	write(t, name, "\n"+strings.Repeat(line, maxCalls/len(line)+1))
	add(hook.Line{Event: hook.Post, Call: "last"})
	info, err := os.Stat(name)
	if err != nil || info.Size() > maxCalls*3/4 {
		t.Errorf("%d bytes: %v", info.Size(), err)
	}
	got := s.Calls(id)
	if len(got) != lastCalls+1 || got[0].Tree != "t" || got[lastCalls].Call != "last" {
		t.Errorf("%d lines, the first %+v", len(got), got[0])
	}
}

func write(t *testing.T, name, more string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(more); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
