package record

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// place is the location of a file: the names from an open directory on. None of them may be a link, which the change under
// test could have planted.
type place struct {
	path  string // whole, for messages
	base  string
	names []string // from base on; the last one is that of the file
	dir   *os.Root // base, opened once to notice that another directory replaces it; nil opens it each time
}

// placeOf starts at the root for a file of the work tree, else at the directory of the file, which it creates.
func placeOf(root, path string) (place, error) {
	if inside, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(inside) {
		return place{path: path, base: root, names: strings.Split(inside, string(filepath.Separator))}, nil
	}
	base := filepath.Dir(path)
	return place{path: path, base: base, names: []string{filepath.Base(path)}}, os.MkdirAll(base, 0o755)
}

// name is the name of the file.
func (p *place) name() string { return p.names[len(p.names)-1] }

// missing says what to do about a missing directory.
type missing int

const (
	fail   missing = iota
	create         // create it
	force          // create it, and replace a file in its place
)

// parent opens the directory of the file.
func (p *place) parent(how missing) (*os.Root, error) {
	dir, err := os.OpenRoot(p.base)
	switch {
	case p.dir != nil && (err != nil || !sameDir(dir, p.dir)):
		if dir != nil {
			dir.Close()
		}
		if how != force {
			return nil, fmt.Errorf("the directory %q was replaced", p.base)
		}
		dir, err = p.dir.OpenRoot(".")
	case err != nil:
		return nil, reason(err)
	}
	if err != nil {
		return nil, reason(err)
	}
	for _, name := range p.names[:len(p.names)-1] {
		sub, err := enter(dir, name, how)
		dir.Close()
		if err != nil {
			return nil, fmt.Errorf("the directory %q of %q: %w", name, p.path, err)
		}
		dir = sub
	}
	return dir, nil
}

// writable reports whether the file exists. If not, it must be possible to create it: it is an error if no file can be
// created in the last existing directory.
func (p *place) writable() (there bool, err error) {
	dir, err := os.OpenRoot(p.base)
	if err != nil {
		return false, reason(err)
	}
	defer func() { dir.Close() }() // the last one opened; nothing was written to it
	for _, name := range p.names[:len(p.names)-1] {
		sub, err := enter(dir, name, fail)
		if errors.Is(err, fs.ErrNotExist) {
			return false, p.tryFile(dir)
		}
		if err != nil {
			return false, fmt.Errorf("the directory %q of %q: %w", name, p.path, err)
		}
		dir.Close()
		dir = sub
	}
	if _, err := dir.Lstat(p.name()); err == nil {
		return true, nil
	}
	return false, p.tryFile(dir)
}

// tryFile creates a file in a directory, and removes it.
func (p *place) tryFile(dir *os.Root) error {
	name := "." + FileName + "-" + randomHex(6)
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("%q cannot be written: %w", p.path, reason(err))
	}
	return errors.Join(f.Close(), dir.Remove(name))
}

func sameDir(a, b *os.Root) bool {
	one, err := a.Stat(".")
	if err != nil {
		return false
	}
	other, err := b.Stat(".")
	return err == nil && os.SameFile(one, other)
}

// enter opens a directory.
func enter(dir *os.Root, name string, how missing) (*os.Root, error) {
	info, err := dir.Lstat(name)
	if how == force && err == nil && !info.IsDir() {
		if err := dir.Remove(name); err != nil {
			return nil, reason(err)
		}
		err = fs.ErrNotExist
	}
	if how != fail && errors.Is(err, fs.ErrNotExist) {
		if err := dir.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, reason(err)
		}
		info, err = dir.Lstat(name)
	}
	if err != nil {
		return nil, reason(err)
	}
	if !info.IsDir() {
		return nil, errors.New("is a link or a file, not a directory")
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return nil, reason(err)
	}
	if opened, err := sub.Stat("."); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errors.New("was replaced meanwhile"), sub.Close())
	}
	return sub, nil
}

// openRegular opens an existing regular file, and refuses others. It does not block if a pipe replaces the file meanwhile.
func openRegular(dir *os.Root, name string, how int) (*os.File, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("is a %s, not a regular file", kindOf(info.Mode()))
	}
	f, err := dir.OpenFile(name, how|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, reason(err)
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errors.New("was replaced meanwhile"), f.Close())
	}
	return f, nil
}

// kindOf names the type of a file that is not regular.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "link"
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	}
	return "special file"
}

// replace replaces whatever has the name with a new file.
func replace(dir *os.Root, name string, content []byte) error {
	if info, err := dir.Lstat(name); err == nil && info.IsDir() {
		if err := dir.RemoveAll(name); err != nil {
			return reason(err)
		}
	}
	temp := "." + name + "-" + randomHex(6)
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return reason(err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(reason(err), dir.Remove(temp))
	}
	return nil
}

// randomHex is an unpredictable name.
func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// Find returns the root of the repository that contains a directory, without symlinks: the nearest parent with .git. The error
// is fs.ErrNotExist when there is none.
func Find(dir string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%q is not in a git repository: %w", dir, fs.ErrNotExist)
		}
	}
}
