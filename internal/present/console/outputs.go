package console

import (
	"errors"
	"io"
	"os"
	"sync"
)

// Outputs says where a command's output goes, and where workflow commands are switched off meanwhile. GitHub's runner reads
// them from both streams, in no fixed order, so both go into one writer there; a file is no such stream.
func Outputs(std Streams, actions bool) (out, errs, commands io.Writer) {
	out, errs = Bare(std.Out), Bare(std.Err)
	switch {
	case !actions || (IsFile(out) && IsFile(errs)):
		return out, errs, nil
	case IsFile(out):
		return out, errs, errs
	case IsFile(errs):
		return out, errs, out
	}
	both := &Together{To: out}
	return both, both, both
}

// Together is a writer for several that write at once.
type Together struct {
	mu sync.Mutex
	To io.Writer
}

func (t *Together) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.To.Write(p)
}

// IsFile reports whether output goes to a regular file.
func IsFile(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// IsScreen reports whether a line on w can be drawn again.
func IsScreen(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" {
		return false
	}
	_, ok = terminal(f)
	return ok
}

// AppendTo adds to a file that the runner gave.
func AppendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
