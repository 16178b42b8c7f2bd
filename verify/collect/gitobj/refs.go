package gitobj

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxSymbolic is how many symbolic refs are followed, as in git.
const maxSymbolic = 5

// rules are the places where git looks for a short name.
var rules = []string{"refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}

// lookupRef finds what a person's name for a ref means: HEAD, a full name that begins with refs/, a branch, a tag, a
// remote's branch, or a remote, which means its HEAD. A name that means several is refused, even when they name the same
// commit: who can push a tag must not choose what a branch's name means.
func (r *Repo) lookupRef(name string) (ID, error) {
	if why := badRefName(name); why != "" {
		return ID{}, &BadName{Name: name, Why: why}
	}
	if r.reftab {
		return ID{}, &Unsupported{What: "the repository keeps its refs in reftables, which are not read here: give a full object id for " + name}
	}
	if name == "HEAD" || strings.HasPrefix(name, "refs/") {
		return r.onlyRef(name, []string{name})
	}
	full := []string{}
	for _, rule := range rules {
		full = append(full, rule+name)
	}
	return r.onlyRef(name, append(full, "refs/remotes/"+name+"/HEAD"))
}

// onlyRef gives what the one of some full names is that exists.
func (r *Repo) onlyRef(name string, full []string) (ID, error) {
	packed, err := r.packedRefs()
	if err != nil {
		return ID{}, err
	}
	var id ID
	var found []string
	for _, ref := range full {
		target, ok, err := r.follow(ref, packed)
		if err != nil {
			return ID{}, err
		}
		if ok {
			id, found = target, append(found, ref)
		}
	}
	switch len(found) {
	case 0:
		return ID{}, &NoSuchRef{Name: name}
	case 1:
		return id, nil
	}
	return ID{}, &AmbiguousRef{Name: name, Refs: found}
}

// follow gives the object that a ref names in the end; ok is false when there is no such ref.
func (r *Repo) follow(ref string, packed map[string]ID) (id ID, ok bool, err error) {
	for range maxSymbolic + 1 {
		text, ok, err := r.looseRef(ref)
		if err != nil {
			return ID{}, false, err
		}
		if !ok {
			id, ok = packed[ref]
			return id, ok, nil
		}
		target, symbolic := strings.CutPrefix(text, "ref:")
		if !symbolic {
			id, ok = parseHex([]byte(strings.TrimRight(text, " \t\r\n")), r.format.size)
			if !ok {
				return ID{}, false, &Corrupt{What: ref, Why: "it holds neither an object id nor another ref"}
			}
			return id, true, nil
		}
		target = strings.TrimSpace(target)
		if !strings.HasPrefix(target, "refs/") || badRefName(target) != "" {
			return ID{}, false, &Corrupt{What: ref, Why: "it points to something that is no ref"}
		}
		ref = target
	}
	return ID{}, false, &Corrupt{What: ref, Why: "symbolic refs lead to one another"}
}

// looseRef reads the file of a ref, or, where git once made symbolic links, what they point to.
func (r *Repo) looseRef(ref string) (text string, ok bool, err error) {
	name := filepath.Join(r.refDir(ref), filepath.FromSlash(ref))
	if target, err := os.Readlink(name); err == nil && strings.HasPrefix(target, "refs/") {
		return "ref: " + target, true, nil
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) || err == nil && info.IsDir() {
		return "", false, nil
	}
	if err != nil {
		return "", false, plainError(err)
	}
	text, err = readSmall(name, smallFile)
	return text, err == nil, err
}

// isNotDir reports whether a path leads through a file.
func isNotDir(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && strings.Contains(path.Err.Error(), "not a directory")
}

// refDir says which refs a linked work tree has for itself.
func (r *Repo) refDir(ref string) string {
	for _, own := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(ref, own) {
			return r.gitDir
		}
	}
	if !strings.HasPrefix(ref, "refs/") {
		return r.gitDir
	}
	return r.common
}

// packedRefs reads the file packed-refs.
func (r *Repo) packedRefs() (map[string]ID, error) {
	name := filepath.Join(r.common, "packed-refs")
	opened, err := openFile(name, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	refs, err := r.readPackedRefs(io.NewSectionReader(opened.reader, 0, opened.size))
	if err != nil {
		err = &Corrupt{What: name, Why: err.Error()}
	}
	return refs, errors.Join(err, opened.close())
}

func (r *Repo) readPackedRefs(text io.Reader) (map[string]ID, error) {
	scanner := bufio.NewScanner(text)
	scanner.Split(scanFullLines)
	refs := map[string]ID{}
	for scanner.Scan() {
		if err := r.packedRef(scanner.Bytes(), refs); err != nil {
			return nil, err
		}
	}
	return refs, scanner.Err()
}

// scanFullLines is a split function for lines that all end with a newline: without one at the end, the file was cut.
func scanFullLines(data []byte, atEnd bool) (advance int, line []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEnd && len(data) > 0 {
		return 0, nil, errTruncated
	}
	return 0, nil, nil
}

// packedRef reads a line: a comment, "id name", or "^id", what the tag before it leads to in the end (which is not
// relied on).
func (r *Repo) packedRef(line []byte, refs map[string]ID) error {
	if len(line) > 0 && (line[0] == '#' || line[0] == '^') {
		return nil
	}
	hex, name, _ := bytes.Cut(line, []byte{' '})
	id, ok := parseHex(hex, r.format.size)
	if !ok || len(name) == 0 {
		return errors.New("a line is not \"id name\"")
	}
	if _, twice := refs[string(name)]; twice {
		return errors.New("it names " + string(name) + " twice")
	}
	refs[string(name)] = id
	return nil
}

// badRefName says why a name can be no ref's (git-check-ref-format), "" when it can.
func badRefName(name string) string {
	if name == "" || name == "@" || strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") {
		return "no ref has such a name: give a branch, a tag, a full object id, or one of these with ~N or ^N"
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return "no ref's name holds blanks, control characters or one of ~^:?*[\\"
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return "no part of a ref's name is empty, begins with a dot or ends with .lock"
		}
	}
	if name[0] == '-' {
		return "no ref's name begins with a dash"
	}
	return ""
}
