// Package gitobj reads git repositories without git: objects, the names of commits, the difference of two trees.
//
// What it gives is decided by object ids alone. Every object's hash is checked over its whole content. The repository's
// configuration (but for the format of its files), hooks, filters, attributes, replace refs, grafts and the environment
// are not obeyed: who can write them must not decide what is read. What is missing, damaged or too large is an error of
// a type of its own, never an empty answer.
//
// The file formats are those of git's own documentation: gitformat-pack, gitformat-loose, gitrepository-layout.
package gitobj

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// What a comparison may cost unless the fields of Repo say otherwise.
const (
	DefaultMaxChanges   = 200_000
	DefaultMaxEntries   = 10_000_000
	DefaultMaxPathBytes = 64 << 20
)

// smallFile is the size, in bytes, that files of a line or two and the configuration may have.
const smallFile = 1 << 20

// Repo is an open repository. It is safe for concurrent use, but for its fields.
type Repo struct {
	// Compare gives up with TooLarge when it finds more changed files than MaxChanges, has read more entries of trees than
	// MaxEntries, or when the paths of changed files and folders have more bytes than MaxPathBytes.
	MaxChanges               int
	MaxEntries, MaxPathBytes int64

	root    string // of the work tree, "" when there is none
	gitDir  string // what belongs to this work tree: HEAD
	common  string // what all work trees share: objects and refs
	format  *format
	reftab  bool // refs are kept in reftables
	partial bool // some objects were left with the remote
	shallow map[ID]bool
	objects *store
	folders *cache[ID, map[string]Entry] // trees in which paths were looked up
	looked  atomic.Pointer[CommitInfo]   // the commit in which a path was looked up last
}

// Open opens the repository at dir: a work tree's root or a folder below it, a linked work tree or a submodule, a .git
// folder or a bare repository. Above dir only work trees are looked for: a bare repository somewhere above has nothing
// to do with it. No repository at all is NotARepository, and one among the files that the repository around it tracks is
// Planted.
func Open(dir string) (*Repo, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r, err := open(absolute)
	if none := (*NotARepository)(nil); errors.As(err, &none) {
		none.Dir = dir // as the caller calls it
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
	r := &Repo{MaxChanges: DefaultMaxChanges, MaxEntries: DefaultMaxEntries, MaxPathBytes: DefaultMaxPathBytes, root: root, gitDir: gitDir, common: common, folders: newFolderCache()}
	if err := r.load(); err != nil {
		return nil, err
	}
	if err := r.refusePlanted(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// load reads what the repository says about itself.
func (r *Repo) load() error {
	for _, folder := range []string{filepath.Join(r.common, "objects"), filepath.Join(r.common, "refs")} {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return &NotARepository{Dir: r.gitDir, Why: "there is no folder " + filepath.Base(folder)}
		}
	}
	if _, err := os.Lstat(filepath.Join(r.gitDir, "HEAD")); err != nil {
		return &NotARepository{Dir: r.gitDir, Why: "there is no HEAD"}
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

// Close closes the files that are open. The Repo must not be used after it.
func (r *Repo) Close() error { return r.objects.close() }

// Root is the root of the work tree, absolute, and "" for a bare repository.
func (r *Repo) Root() string { return r.root }

// SHA256 reports whether ids are SHA-256 (64 hex digits) and not SHA-1 (40).
func (r *Repo) SHA256() bool { return r.format == sha256Format }

// Shallow reports whether a part of the history was not fetched.
func (r *Repo) Shallow() bool { return len(r.shallow) > 0 }

// discover finds the git folder that dir belongs to, and the root of the work tree if there is one.
func discover(dir string) (gitDir, root string, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", "", &NotARepository{Dir: dir, Why: "there is no such folder"}
	}
	if filepath.Base(dir) != ".git" {
		for at := dir; ; at = filepath.Dir(at) {
			gitDir, found, err := dotGit(at)
			if found || err != nil {
				return gitDir, at, err
			}
			if at == dir && looksBare(dir) {
				root, err := rootOfGitDir(dir)
				return dir, root, err
			}
			if at == filepath.Dir(at) {
				return "", "", &NotARepository{Dir: dir, Why: "neither it nor a folder above it holds .git"}
			}
		}
	}
	root, err = rootOfGitDir(dir)
	return dir, root, err
}

// dotGit looks for a .git folder, or for a .git file that names one, as linked work trees and submodules have.
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

// looksBare reports whether a folder is a git folder itself.
func looksBare(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	if _, err := os.Lstat(filepath.Join(dir, "commondir")); err == nil {
		return true
	}
	objects, errObjects := os.Stat(filepath.Join(dir, "objects"))
	refs, errRefs := os.Stat(filepath.Join(dir, "refs"))
	return errObjects == nil && errRefs == nil && objects.IsDir() && refs.IsDir()
}

// rootOfGitDir tells which work tree a git folder belongs to: a linked one says so in its file gitdir, the main one is
// the folder around .git. All others count as bare, whatever their configuration says.
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

// commonDir is the folder that a linked work tree shares with the others.
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

// from resolves a path that stands in a file of dir.
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
	if opened.size > limit {
		return "", errors.Join(&TooLarge{What: "bytes in " + plainName(name), Limit: limit}, opened.close())
	}
	text, err := opened.direct(0, int(opened.size))
	if err != nil {
		return "", errors.Join(err, opened.close())
	}
	return string(text), opened.close()
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
			return &Corrupt{What: name, Why: "a line is no object id"}
		}
		r.shallow[id] = true
	}
	return nil
}
