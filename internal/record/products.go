package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// product is a report that a command must write. A report from before the command is moved aside meanwhile.
type product struct {
	path  string
	aside string // where the old one is, "" when there was none
}

// moveProducts moves existing reports aside that the command must write. Nothing is moved when it fails.
func (r *Recorder) moveProducts(c Command) (list []product, err error) {
	if len(c.Produces) == 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(r.Root)
	if err != nil {
		return nil, reason(err)
	}
	defer root.Close() // nothing is written through it
	for _, p := range c.Produces {
		aside, err := r.moveProduct(root, p, c.Coverage)
		if err != nil {
			return nil, errors.Join(err, putBack(root, list))
		}
		list = append(list, product{p, aside})
	}
	return list, nil
}

func (r *Recorder) moveProduct(root *os.Root, p, coverage string) (aside string, err error) {
	inEvidence := strings.HasPrefix(p, r.Evidence+"/")
	if inEvidence {
		if err := r.makeDir(p); err != nil {
			return "", err
		}
	}
	info, err := lstatPlain(root, p)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the report %q: %w", p, err)
	}
	if r.isLog(info) {
		return "", fmt.Errorf("the report %q is the log: write the report to another file", p)
	}
	tracked := false
	if r.Git != nil {
		if tracked, err = r.Git.tracked(p); err != nil {
			return "", err
		}
	}
	if tracked && !inEvidence && p != coverage {
		return "", fmt.Errorf("the report %q is committed or staged, so a copy in the change could pass as the output of the command: write the report to %s, or let git no longer track it, which leaves the file on disk, and add it to .gitignore", p, r.Evidence)
	}
	return moveAside(root, p)
}

// makeDir creates the directory of a file in the evidence directory.
func (r *Recorder) makeDir(p string) error {
	at, err := placeOf(r.Root, filepath.Join(r.Root, filepath.FromSlash(p)))
	if err != nil {
		return err
	}
	dir, err := at.parent(create)
	if err != nil {
		return err
	}
	return dir.Close()
}

// isLog reports whether a file is a log of this recorder.
func (r *Recorder) isLog(info fs.FileInfo) bool {
	logs := []string{r.Log}
	if r.Watch != nil {
		for _, l := range r.Watch.logs {
			logs = append(logs, l.path)
		}
	}
	return slices.ContainsFunc(logs, func(path string) bool {
		log, err := os.Lstat(path)
		return err == nil && os.SameFile(log, info)
	})
}

// lstatPlain finds a regular file without following links.
func lstatPlain(root *os.Root, p string) (fs.FileInfo, error) {
	names := strings.Split(p, "/")
	for i := range names {
		info, err := root.Lstat(filepath.FromSlash(path.Join(names[:i+1]...)))
		switch last := i+1 == len(names); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, syscall.ENOENT
		case err != nil:
			return nil, reason(err)
		case last && info.Mode().IsRegular():
			return info, nil
		case last:
			return nil, fmt.Errorf("is a %s, not a regular file: let the command write its report to another path, or ask the person whose it is to move it", kindOf(info.Mode()))
		case !info.IsDir():
			return nil, fmt.Errorf("its parent %q is a link or a file, not a directory: let the command write its report to another path, or ask the person whose it is to move it", names[i])
		}
	}
	return nil, syscall.ENOENT
}

// moveAside moves a file into the git directory, where no command treats it as a file of the work tree, or, if that is
// elsewhere, renames it.
func moveAside(root *os.Root, p string) (aside string, err error) {
	name := "closeout-aside-" + randomHex(8)
	from := filepath.FromSlash(p)
	if info, err := root.Lstat(".git"); err == nil && info.IsDir() {
		aside = filepath.Join(".git", name)
		if root.Rename(from, aside) == nil {
			return aside, nil
		}
	}
	aside = filepath.Join(filepath.Dir(from), "."+name)
	if err := root.Rename(from, aside); err != nil {
		return "", fmt.Errorf("the report %q cannot be moved aside: %w", p, reason(err))
	}
	return aside, nil
}

// putBack restores every report that the command did not write, and removes the old versions of the others.
func putBack(root *os.Root, list []product) error {
	var problems []error
	for _, p := range list {
		if p.aside == "" {
			continue
		}
		var err error
		if _, there := lstatPlain(root, p.path); errors.Is(there, fs.ErrNotExist) {
			if err = root.MkdirAll(filepath.FromSlash(path.Dir(p.path)), 0o755); err == nil {
				err = root.Rename(p.aside, filepath.FromSlash(p.path))
			}
		} else {
			err = root.Remove(p.aside)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("the earlier report %q is in %q: %w", p.path, p.aside, reason(err)))
		}
	}
	return errors.Join(problems...)
}

// settle adds the reports that the command wrote, and restores the others. The report at the path stdout gets the
// standard output. A missing report is an error if the command passed: a command that failed may not have come so far
// as to write it.
func (r *Recorder) settle(e *entry, list []product, stdout string, out *outputStream) (missing string, err error) {
	if len(list) == 0 {
		return "", nil
	}
	root, err := os.OpenRoot(r.Root)
	if err != nil {
		return "", reason(err)
	}
	defer root.Close() // nothing is written through it
	var texts []string
	for _, p := range list {
		if p.path == stdout {
			if err := out.writeReport(root, p.path); err != nil {
				texts = append(texts, fmt.Sprintf("the standard output of the command cannot be the report %q: %s", p.path, reason(err)))
				continue
			}
		}
		made, err := r.made(root, p.path)
		if err != nil {
			texts = append(texts, fmt.Sprintf("the command did not produce %q: %s", p.path, reason(err)))
			continue
		}
		e.Produced, e.Root = append(e.Produced, made), filepath.ToSlash(r.Root)
	}
	err = putBack(root, list)
	missing = strings.Join(texts, "; ")
	if missing != "" && e.Exit != nil && *e.Exit == 0 {
		return "", errors.Join(errors.New(missing), err)
	}
	return missing, err
}

// made is what a record says about a report: its path, and its sha256 in hexadecimal. That of a composed tree is kept.
func (r *Recorder) made(root *os.Root, p string) (made produced, err error) {
	if _, err := lstatPlain(root, p); err != nil {
		return made, err
	}
	dir, err := root.OpenRoot(filepath.FromSlash(path.Dir(p)))
	if err != nil {
		return made, err
	}
	defer dir.Close() // nothing is written through it
	f, err := openRegular(dir, path.Base(p), os.O_RDONLY)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum, to := sha256.New(), io.Discard
	made.Path = p
	if r.Cross != nil {
		made.Path = path.Join(r.Cross.dir(r.Evidence), p)
		kept, err := r.Cross.create(made.Path)
		if err != nil {
			return made, err
		}
		defer func() { err = errors.Join(err, kept.Close()) }()
		to = kept
	}
	if _, err := io.Copy(io.MultiWriter(sum, to), f); err != nil {
		return made, err
	}
	made.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return made, nil
}
