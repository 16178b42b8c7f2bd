package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/verify/input"
)

// Watch guards what a recorder supplies to the gate: logs that only it writes, and the files of the workflow step. It keeps a
// copy of each and compares them after every command, so that the digests are those of what it wrote, whatever a command does
// to the files.
type Watch struct {
	logs  []*ownLog
	files []*stepFile
	step  bool // a command tampered with a step file: then no output is set
}

// ownLog is a log that no other process may write.
type ownLog struct {
	place
	own []byte // what we wrote
	seq int64
	at  fs.FileInfo // the file that we last wrote to; nil when there is none yet
}

// NewWatch starts to watch logs, which must be absent or empty, and the step files in the environment.
func NewWatch(root string, logs, env []string) (*Watch, error) {
	w := &Watch{}
	for _, path := range logs {
		at, err := placeOf(root, path)
		if err != nil {
			return nil, err
		}
		if at.dir, err = os.OpenRoot(at.base); err != nil {
			return nil, reason(err)
		}
		l := &ownLog{place: at}
		if err := l.empty(); err != nil {
			return nil, err
		}
		w.logs = append(w.logs, l)
	}
	for _, name := range stepFiles {
		if path := system.LookEnv(env, name); path != "" {
			f, err := newStepFile(name, path)
			if err != nil {
				return nil, err
			}
			w.files = append(w.files, f)
		}
	}
	return w, nil
}

// empty refuses a log that is not empty, whose digest would include records of others, or that is not writable.
func (l *ownLog) empty() error {
	if there, err := l.writable(); err != nil || !there {
		return err
	}
	dir, err := l.parent(fail)
	if err != nil {
		return err
	}
	defer dir.Close() // nothing was written to it
	f, err := openRegular(dir, l.name(), logMode)
	if err != nil {
		return fmt.Errorf("the log %q %w", l.path, err)
	}
	defer f.Close() // nothing was written to it
	if info, err := f.Stat(); err != nil || info.Size() > 0 {
		return errors.Join(fmt.Errorf("the log %q already contains records, and its digest would confirm them: name a new log with --log, or move the logs of the last run away", l.path), err)
	}
	return nil
}

// look compares all files with their expected content, restores them if they differ, and returns what it found.
func (w *Watch) look() []string {
	var found []string
	for _, l := range w.logs {
		if what := l.compare(); what != "" {
			name := strings.Join(l.names, "/") // a record contains no path of this machine
			found = append(found, fmt.Sprintf("the log %q: %s", name, oneLine(what, textOf(l.putBack()))))
		}
	}
	for _, f := range w.files {
		if what := f.compare(); what != "" {
			w.step = true
			found = append(found, fmt.Sprintf("%s: %s", f.name, oneLine(what, textOf(f.putBack()))))
		}
	}
	return found
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return "restoring it: " + err.Error()
}

// compare describes how the log differs from what we wrote, "" when it does not.
func (l *ownLog) compare() string {
	dir, err := l.parent(fail)
	if errors.Is(err, fs.ErrNotExist) {
		return l.gone()
	}
	if err != nil {
		return err.Error()
	}
	defer dir.Close() // nothing was written to it
	f, err := openRegular(dir, l.name(), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return l.gone()
	}
	if err != nil {
		return "it " + err.Error()
	}
	defer f.Close() // it is only read
	if err := system.Lock(f); err != nil {
		return "locking it: " + err.Error()
	}
	return compareWith(f, l.own)
}

func (l *ownLog) gone() string {
	if len(l.own) == 0 {
		return ""
	}
	return "it was removed"
}

// compareWith describes how a file differs from its expected content, "" when it does not.
func compareWith(f io.Reader, own []byte) string {
	got, err := io.ReadAll(io.LimitReader(f, int64(len(own))+1))
	switch {
	case err != nil:
		return "reading it: " + reason(err).Error()
	case bytes.Equal(got, own):
		return ""
	}
	same := 0
	for same < min(len(got), len(own)) && got[same] == own[same] {
		same++
	}
	line := bytes.Count(own[:same], []byte("\n")) + 1
	switch same {
	case len(own):
		return fmt.Sprintf("content was added on line %d", line)
	case len(got):
		return fmt.Sprintf("content was removed from line %d on", line)
	}
	return fmt.Sprintf("line %d was changed", line)
}

// putBack restores what we wrote.
func (l *ownLog) putBack() (err error) {
	dir, err := l.parent(force)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if len(l.own) == 0 {
		return dir.RemoveAll(l.name())
	}
	return replace(dir, l.name(), l.own)
}

// appendEntry writes the entry as the next line of the log.
func (l *ownLog) appendEntry(e *entry) (err error) {
	e.Seq = l.seq + 1
	line, err := e.line()
	if err != nil {
		return err
	}
	dir, err := l.parent(force)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if now, err := dir.Lstat(l.name()); err == nil && (l.at == nil || !os.SameFile(now, l.at)) {
		// Another file with the same content may be a hard link: what we append would appear elsewhere.
		if err := replace(dir, l.name(), l.own); err != nil {
			return err
		}
	}
	f, err := openLocked(dir, l.name())
	if err != nil {
		return fmt.Errorf("the log %q: %w", l.path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := writeLine(f, line, int64(len(l.own))); err != nil {
		return err
	}
	l.own, l.seq = append(l.own, line...), e.Seq
	l.at, err = f.Stat()
	return err
}

// log is the watched log with the path.
func (w *Watch) log(path string) *ownLog {
	for _, l := range w.logs {
		if l.path == path {
			return l
		}
	}
	panic("the log " + path + " is not watched")
}

// record appends an entry to a log, after it has checked what the command did to all of them. Tampering is a separate record.
// The entry is nil for a command without a record.
func (w *Watch) record(path string, e *entry, command []string) (tampered string, err error) {
	found := w.look()
	l := w.log(path)
	if e != nil {
		if err := l.appendEntry(e); err != nil {
			return "", err
		}
	}
	if len(found) == 0 {
		return "", nil
	}
	tampered = strings.ToValidUTF8(fmt.Sprintf("while %q ran: %s", strings.Join(command, " "), strings.Join(found, "; ")), "\ufffd")
	tampered = input.CutTo(tampered, maxTampered)
	digest := input.Digest(nil)
	return tampered, l.appendEntry(&entry{ // of no command: the streams are empty
		ID: randomHex(6), Command: []string{"closeout", "record"}, Cwd: ".", Tampered: tampered,
		StartedAt: time.Now().UTC().Format(time.RFC3339), StdoutSum: digest, StderrSum: digest,
	})
}

// maxTampered is the maximum length of a description of tampering: a command may be long.
const maxTampered = 4 << 10

// Digest is the sha256, in hexadecimal, of what was written to a log.
func (w *Watch) Digest(path string) string {
	return input.Digest(w.log(path).own)
}

// SetOutput sets an output of the step, if there is one. It checks all files once more, and sets nothing if a command tampered
// with a step file.
func (w *Watch) SetOutput(name, value string) error {
	if found := w.look(); len(found) > 0 {
		return fmt.Errorf("after the last command: %s", strings.Join(found, "; "))
	}
	if w.step {
		return errors.New("no output is set, because a command wrote to the files of this step")
	}
	for _, f := range w.files {
		if f.name == stepOutput {
			return f.appendText(output(name, value))
		}
	}
	return nil
}

// output is a step output as the runner reads it. The end of a value with several lines is random.
func output(name, value string) string {
	if !strings.Contains(value, "\n") {
		return name + "=" + value + "\n"
	}
	end := "end_" + randomHex(16)
	return name + "<<" + end + "\n" + value + "\n" + end + "\n"
}
