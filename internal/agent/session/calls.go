package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/collect"
)

// maxCalls is how large the log of a session gets: then its oldest half goes.
const maxCalls = 8 << 20

// lastCalls is how many lines at the end are read whatever they say. The others count only if closeout answered.
const lastCalls = 32

// callsFile is the log of a session. Its id comes from the agent, so the name is a digest of it.
func (s *Store) callsFile(session string) string {
	return s.Path("sessions", hook.Digest(session)+".jsonl")
}

// Calls reads the log of a session: the last lines, and before them those with an answer. A line that cannot be read is left
// out: a process may have been killed while it wrote.
func (s *Store) Calls(session string) (lines []hook.Line) {
	data, err := readBounded(s.callsFile(session))
	if err != nil {
		return nil
	}
	rest := bytes.Count(data, []byte("\n"))
	for line := range bytes.Lines(data) {
		if rest--; rest >= lastCalls && !bytes.Contains(line, []byte(`"answer":`)) {
			continue
		}
		var l hook.Line
		if json.Unmarshal(line, &l) == nil {
			lines = append(lines, l)
		}
	}
	return lines
}

func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 2*maxCalls))
}

// AddCall adds a line to the log of a session.
func (s *Store) AddCall(session string, l hook.Line) error {
	l.At = time.Now().UTC().Format(time.RFC3339)
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	name := s.callsFile(session)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > maxCalls {
		return s.halve(name, append(line, '\n'))
	}
	last := []byte{'\n'}
	if info.Size() > 0 {
		_, err = f.ReadAt(last, info.Size()-1)
	}
	if line = append(line, '\n'); last[0] != '\n' {
		line = append([]byte{'\n'}, line...) // after a torn one
	}
	if err == nil {
		_, err = f.Write(line)
	}
	return errors.Join(err, f.Close())
}

// halve writes the newer half of a log and one more line. That the end of the agent was refused is not forgotten.
func (s *Store) halve(name string, more []byte) error {
	data, err := readBounded(name)
	if err != nil {
		return err
	}
	half := len(data) / 2
	half += bytes.IndexByte(data[half:], '\n') + 1
	var kept []byte
	for line := range bytes.Lines(data[:half]) {
		if bytes.Contains(line, []byte(`"answer":"`+hook.AnswerBlock+`"`)) && len(kept) < maxCalls/8 {
			kept = append(kept, line...)
		}
	}
	return collect.WriteOther("the log of the session", name, append(append(kept, data[half:]...), more...))
}

// Session is the log of a session, by the digest that names it.
type Session struct {
	Key   string
	Lines []hook.Line
}

// Sessions reads the logs of all sessions, the oldest first.
func (s *Store) Sessions() (list []Session) {
	names, _ := filepath.Glob(s.Path("sessions", "*.jsonl")) // the pattern is right
	for _, name := range names {
		one := Session{Key: strings.TrimSuffix(filepath.Base(name), ".jsonl")}
		data, err := readBounded(name)
		for line := range bytes.Lines(data) {
			var l hook.Line
			if err == nil && json.Unmarshal(line, &l) == nil {
				one.Lines = append(one.Lines, l)
			}
		}
		if len(one.Lines) > 0 {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b Session) int { return strings.Compare(a.Lines[0].At, b.Lines[0].At) })
	return list
}

// Vetoes counts the calls that the hook denied in all sessions, by code.
func (s *Store) Vetoes() map[string]int {
	counts := map[string]int{}
	names, _ := filepath.Glob(s.Path("sessions", "*.jsonl")) // the pattern is right
	for _, name := range names {
		data, err := readBounded(name)
		for line := range bytes.Lines(data) {
			var l hook.Line
			if err == nil && bytes.Contains(line, []byte(`"answer":"`+hook.AnswerDeny+`"`)) && json.Unmarshal(line, &l) == nil {
				counts[l.Code]++
			}
		}
	}
	return counts
}
