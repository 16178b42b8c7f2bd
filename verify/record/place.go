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

// place is where a file lies: below an open folder, by the names on the way. None of them may be a link, since the
// change under test could have planted one.
type place struct {
	path  string // whole, for messages
	base  string
	names []string // from base on; the last one is the file's
	dir   *os.Root // base, opened once; nil opens it each time
}

// placeOf begins at the root for a file of the work tree, else at the folder of the file, which it makes.
func placeOf(root, path string) (place, error) {
	if inside, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(inside) {
		return place{path: path, base: root, names: strings.Split(inside, string(filepath.Separator))}, nil
	}
	base := filepath.Dir(path)
	return place{path: path, base: base, names: []string{filepath.Base(path)}}, os.MkdirAll(base, 0o755)
}

// hold opens the base once and for all: it is noticed when another folder takes its place.
func (p *place) hold() (err error) {
	p.dir, err = os.OpenRoot(p.base)
	return err
}

// name is the file's own name.
func (p *place) name() string { return p.names[len(p.names)-1] }

// missing says what to do about a folder on the way that is not there.
type missing int

const (
	fail   missing = iota
	create         // make it
	force          // make it, also where something else has taken its place
)

// parent opens the folder that the file lies in.
func (p *place) parent(how missing) (*os.Root, error) {
	dir, err := os.OpenRoot(p.base)
	switch {
	case p.dir != nil && (err != nil || !sameFolder(dir, p.dir)):
		if dir != nil {
			dir.Close()
		}
		if how != force {
			return nil, fmt.Errorf("the folder %q was replaced", p.base)
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
			return nil, fmt.Errorf("the folder %q of %q: %w", name, p.path, err)
		}
		dir = sub
	}
	return dir, nil
}

// writable reports whether the file is there. Where it is not, it must be possible to make it: it is an error when the
// last folder on the way that is there takes no new file.
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
			return false, fmt.Errorf("the folder %q of %q: %w", name, p.path, err)
		}
		dir.Close()
		dir = sub
	}
	if _, err := dir.Lstat(p.name()); err == nil {
		return true, nil
	}
	return false, p.tryFile(dir)
}

// tryFile makes a file in a folder, and removes it.
func (p *place) tryFile(dir *os.Root) error {
	name := "." + FileName + "-" + randomHex(6)
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("%q cannot be written: %w", p.path, reason(err))
	}
	return errors.Join(f.Close(), dir.Remove(name))
}

func sameFolder(a, b *os.Root) bool {
	one, err := a.Stat(".")
	if err != nil {
		return false
	}
	other, err := b.Stat(".")
	return err == nil && os.SameFile(one, other)
}

// enter opens a folder.
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
		return nil, errors.New("is a link or a file: a folder is needed")
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return nil, reason(err)
	}
	if opened, err := sub.Stat("."); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errors.New("was replaced just now"), sub.Close())
	}
	return sub, nil
}

// openRegular opens a file that is there, and refuses what is no regular file. A pipe that takes its place meanwhile is
// not waited for.
func openRegular(dir *os.Root, name string, how int) (*os.File, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("is a %s: a regular file is needed", kindOf(info.Mode()))
	}
	f, err := dir.OpenFile(name, how|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, reason(err)
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errors.New("was replaced just now"), f.Close())
	}
	return f, nil
}

// kindOf names what is no regular file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "link"
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	}
	return "special file"
}

// replace writes a new file in the place of whatever has the name.
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

// randomHex is a name that nobody can foresee.
func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}
