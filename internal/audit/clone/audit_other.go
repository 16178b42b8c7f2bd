package clone

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"

	"github.com/closeout-gate/closeout/internal/audit/audit"
)

// otherTime is how long a program of another version may take to judge one bundle.
const otherTime = 2 * time.Minute

// other judges a bundle with a program of another version: it calls PROGRAM replay DIR on a private copy, and nothing else.
func (e *examiner) other(version string, m *audit.Material) (same, known bool, err error) {
	program, known := e.options.With[version]
	if !known || m.Files == nil {
		return false, false, nil
	}
	if _, hangs := e.hanging.Load(version); hangs {
		return false, true, fmt.Errorf("%s did not end for an earlier decision", filepath.Base(program))
	}
	dir, err := os.MkdirTemp("", "closeout-audit-")
	if err != nil {
		return false, true, err
	}
	defer os.RemoveAll(dir)
	if err := copyTo(dir, m); err != nil {
		return false, true, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), otherTime)
	defer cancel()
	var out beginning
	c := exec.CommandContext(ctx, program, "replay", filepath.Join(dir, "bundle"))
	c.Dir, c.Env, c.Stdout, c.Stderr, c.WaitDelay = dir, []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=/usr/bin:/bin"}, &out, &out, time.Second
	err = c.Run()
	if ctx.Err() != nil {
		e.hanging.Store(version, true)
	}
	var status *exec.ExitError
	switch {
	case bytes.Contains(out, []byte("only the decision is compared")):
		return false, true, fmt.Errorf("%s is not version %s", filepath.Base(program), version)
	case err == nil:
		return true, true, nil
	case errors.As(err, &status) && status.ExitCode() == 1:
		return false, true, nil
	}
	return false, true, fmt.Errorf("%s replay: %w", filepath.Base(program), err)
}

// beginning keeps the first kilobytes that are written to it.
type beginning []byte

func (b *beginning) Write(p []byte) (int, error) {
	const most = 64 << 10
	*b = append(*b, p[:min(len(p), most-len(*b))]...)
	return len(p), nil
}

// copyTo writes a bundle into the directory bundle of a new directory. The entry's paths lead nowhere else.
func copyTo(dir string, m *audit.Material) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return m.Files(func(name string, data []byte) error { return WriteIn(root, path.Join("bundle", name), data) })
}

// WriteIn writes a new file below a directory, and follows no symlink.
func WriteIn(root *os.Root, name string, data []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
