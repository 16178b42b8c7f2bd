// Package git reads git repositories without git: objects, the names of commits, the difference of two trees.
//
// Only object ids decide the result. The hash of every object is checked over its whole content. The repository's
// configuration (except the format of its files), hooks, filters, attributes, replace refs, grafts and the environment
// have no effect: a person who can write them must not decide what is read. What is missing, damaged or too large is an
// error of its own type, never an empty answer.
//
// The file formats are those of git's own documentation: gitformat-pack, gitformat-loose, gitrepository-layout.
package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// The default limits of a comparison.
const (
	DefaultMaxChanges   = 200_000
	DefaultMaxEntries   = 10_000_000
	DefaultMaxPathBytes = 64 << 20
)

// smallFile is the largest size of configuration files and of files of a line or two, in bytes.
const smallFile = 1 << 20

// Repo is an open repository. It is safe for concurrent use, except for its fields.
type Repo struct {
	// Compare fails with TooLarge when there are more changed files than MaxChanges (or more changed directories, by 1,000),
	// when it has read more tree entries than MaxEntries, or when the paths of changed files and directories have more bytes
	// than MaxPathBytes.
	MaxChanges               int
	MaxEntries, MaxPathBytes int64

	root    string // of the work tree, "" when there is none
	gitDir  string // contains what belongs to this work tree: HEAD
	common  string // contains what all work trees share: objects and refs
	format  *format
	reftab  bool // refs are stored in reftables
	partial bool // the clone is partial
	shallow map[ID]bool
	objects *store
	trees   *cache[ID, map[string]Entry] // trees in which paths were looked up
	looked  atomic.Pointer[CommitInfo]   // the commit in which a path was looked up last
}

// Open opens the repository at dir: a work tree or a directory in it, a linked work tree or a submodule, a .git directory
// or a bare repository. Above dir it looks only for work trees: a bare repository above is not related. If there is no
// repository the error is NotARepository, and Planted if the enclosing repository tracks files of the repository.
func Open(dir string) (*Repo, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r, err := open(absolute)
	// Errors name the directory as the caller does.
	if none := (*NotARepository)(nil); errors.As(err, &none) {
		none.Dir = dir
	}
	if planted := (*Planted)(nil); errors.As(err, &planted) {
		planted.Dir = dir
	}
	return r, err
}

func open(dir string) (*Repo, error) {
	gitDir, root, err := discover(dir)
	if err != nil {
		return nil, err
	}
	common, err := commonDir(gitDir)
	if err != nil {
		return nil, err
	}
	r := &Repo{MaxChanges: DefaultMaxChanges, MaxEntries: DefaultMaxEntries, MaxPathBytes: DefaultMaxPathBytes, root: root, gitDir: gitDir, common: common, trees: newTreeCache()}
	if err := r.load(); err != nil {
		return nil, err
	}
	if err := r.refusePlanted(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// load reads the configuration, the list of shallow commits and the indexes of packs.
func (r *Repo) load() error {
	for _, name := range []string{"objects", "refs"} {
		if !isDir(filepath.Join(r.common, name)) {
			return &NotARepository{Dir: r.gitDir, Why: "it has no directory " + name}
		}
	}
	if !exists(filepath.Join(r.gitDir, "HEAD")) {
		return &NotARepository{Dir: r.gitDir, Why: "it has no HEAD"}
	}
	if err := r.configure(); err != nil {
		return err
	}
	if err := r.readShallow(); err != nil {
		return err
	}
	var err error
	r.objects, err = openStore(filepath.Join(r.common, "objects"), r.format)
	return err
}

// Close closes all files. The Repo must not be used afterwards.
func (r *Repo) Close() error { return r.objects.close() }

// Root is the root of the work tree, absolute, and "" for a bare repository.
func (r *Repo) Root() string { return r.root }

// CommonDir is the directory that all work trees of the repository share, absolute.
func (r *Repo) CommonDir() string { return r.common }

// Moved is when HEAD of the work tree last moved: when its log was written or, without a log, the date of its commit. The zero time
// where neither is known.
func (r *Repo) Moved() time.Time {
	if info, err := os.Stat(filepath.Join(r.gitDir, "logs", "HEAD")); err == nil {
		return info.ModTime()
	}
	id, err := r.Resolve("HEAD")
	if err != nil {
		return time.Time{}
	}
	commit, err := r.Commit(id)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(commit.Date, 0)
}

// Shallow reports whether a part of the history was not fetched.
func (r *Repo) Shallow() bool { return len(r.shallow) > 0 }

// discover finds the git directory of dir, and the root of the work tree if there is one.
func discover(dir string) (gitDir, root string, err error) {
	if !isDir(dir) {
		return "", "", &NotARepository{Dir: dir, Why: "the directory does not exist"}
	}
	for at := dir; ; at = filepath.Dir(at) {
		isGitDir := at == dir && filepath.Base(dir) == ".git"
		if !isGitDir {
			gitDir, found, err := dotGit(at)
			if found || err != nil {
				return gitDir, at, err
			}
		}
		if isGitDir || (at == dir && looksBare(dir)) {
			root, err := rootOfGitDir(dir)
			return dir, root, err
		}
		if at == filepath.Dir(at) {
			return "", "", &NotARepository{Dir: dir, Why: "neither it nor a directory above it contains .git; change to your repository (cd), or make one with git init"}
		}
	}
}

// dotGit looks for a .git directory, or for a .git file that names one, as in linked work trees and submodules.
func dotGit(dir string) (gitDir string, found bool, err error) {
	name := filepath.Join(dir, ".git")
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, plainError(err)
	case info.IsDir():
		return name, true, nil
	}
	text, err := readSmall(name, smallFile)
	if err != nil {
		return "", false, err
	}
	target, ok := strings.CutPrefix(text, "gitdir: ")
	target = strings.TrimRight(target, "\r\n")
	if !ok || target == "" {
		return "", false, &NotARepository{Dir: dir, Why: ".git is a file and does not begin with \"gitdir: \""}
	}
	return from(dir, target), true, nil
}

// looksBare reports whether a directory is itself a git directory.
func looksBare(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) &&
		(exists(filepath.Join(dir, "commondir")) || (isDir(filepath.Join(dir, "objects")) && isDir(filepath.Join(dir, "refs"))))
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// rootOfGitDir finds the work tree of a git directory: a linked one is named in the file gitdir, the main one is the
// parent of .git. All other git directories are treated as bare, whatever their configuration says.
func rootOfGitDir(gitDir string) (string, error) {
	text, err := readSmall(filepath.Join(gitDir, "gitdir"), smallFile)
	if err == nil {
		return filepath.Dir(from(gitDir, strings.TrimRight(text, "\r\n"))), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if filepath.Base(gitDir) == ".git" {
		return filepath.Dir(gitDir), nil
	}
	return "", nil
}

// commonDir is the directory that a linked work tree shares with the others.
func commonDir(gitDir string) (string, error) {
	text, err := readSmall(filepath.Join(gitDir, "commondir"), smallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", err
	}
	return from(gitDir, strings.TrimRight(text, "\r\n")), nil
}

// from resolves a path that is relative to dir.
func from(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// readSmall reads a text file that must not be larger than limit bytes.
func readSmall(name string, limit int64) (string, error) {
	opened, err := openFile(name, nil)
	if err != nil {
		return "", err
	}
	var text []byte
	if opened.size > limit {
		err = &TooLarge{What: "bytes in " + plainName(name), Limit: limit}
	} else {
		text, err = opened.direct(0, int(opened.size))
	}
	return string(text), errors.Join(err, opened.close())
}

// readShallow reads the list of the commits whose parents were not fetched.
func (r *Repo) readShallow() error {
	name := filepath.Join(r.common, "shallow")
	text, err := readSmall(name, 256*smallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.shallow = map[ID]bool{}
	for line := range strings.Lines(text) {
		id, ok := parseHex([]byte(strings.TrimRight(line, "\r\n")), r.format.size)
		if !ok {
			return &Corrupt{What: name, Why: "a line is not an object id"}
		}
		r.shallow[id] = true
	}
	return nil
}
