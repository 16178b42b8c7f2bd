package git

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// maxSymbolic is how many symbolic refs are followed, as in git.
const maxSymbolic = 5

// rules are the prefixes that git tries for a short name.
var rules = []string{"refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}

// rootRefs are the refs beside the directory refs. The first line of FETCH_HEAD begins with what git fetched last.
var rootRefs = []string{"HEAD", "FETCH_HEAD"}

// lookupRef resolves a name of a ref: HEAD, FETCH_HEAD, a full name that begins with refs/, a branch, a tag, a branch of a remote, or a
// remote, which means its HEAD. A name that matches several refs is refused, even when they have the same commit: a person
// who can push a tag must not decide what the name of a branch means.
func (r *Repo) lookupRef(name string) (ID, error) {
	if why := badRefName(name); why != "" {
		return ID{}, &BadName{Name: name, Why: why}
	}
	if r.reftab {
		return ID{}, &Unsupported{What: "the repository stores its refs in reftables, which are not supported: use a full object id instead of " + name}
	}
	if slices.Contains(rootRefs, name) || strings.HasPrefix(name, "refs/") {
		return r.onlyRef(name, []string{name})
	}
	full := []string{}
	for _, rule := range rules {
		full = append(full, rule+name)
	}
	return r.onlyRef(name, append(full, "refs/remotes/"+name+"/HEAD"))
}

// onlyRef resolves the only one of some full names that exists.
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

// follow gives the object of a ref through symbolic refs; ok is false when the ref does not exist.
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
			text, _, _ = strings.Cut(text, "\t") // git ignores what follows the id
			id, ok = parseHex([]byte(strings.TrimRight(text, " \r\n")), r.format.size)
			if !ok {
				return ID{}, false, &Corrupt{What: ref, Why: "it contains neither an object id nor another ref"}
			}
			return id, true, nil
		}
		target = strings.TrimSpace(target)
		if !strings.HasPrefix(target, "refs/") || badRefName(target) != "" {
			return ID{}, false, &Corrupt{What: ref, Why: "it refers to something that is not a ref"}
		}
		ref = target
	}
	return ID{}, false, &Corrupt{What: ref, Why: "it leads through more than " + strconv.Itoa(maxSymbolic) + " symbolic refs"}
}

// looseRef reads the file of a ref, or the target of a symbolic link, which old versions of git wrote.
func (r *Repo) looseRef(ref string) (text string, ok bool, err error) {
	name := filepath.Join(r.refDir(ref), filepath.FromSlash(ref))
	if target, err := os.Readlink(name); err == nil && strings.HasPrefix(target, "refs/") {
		return "ref: " + target, true, nil
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || (err == nil && info.IsDir()) {
		return "", false, nil
	}
	if err != nil {
		return "", false, plainError(err)
	}
	text, err = readSmall(name, smallFile)
	return text, err == nil, err
}

// refDir is the directory of a ref: a linked work tree has some refs of its own.
func (r *Repo) refDir(ref string) string {
	under := func(prefix string) bool { return strings.HasPrefix(ref, prefix) }
	if !under("refs/") || under("refs/bisect/") || under("refs/worktree/") || under("refs/rewritten/") {
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

// maxRefNames is how many names of refs are listed: they are only shown.
const maxRefNames = 1000

// RefNames lists the short names of the refs below some prefixes, sorted; not more than 1,000 of them. By default these
// are branches, branches of remotes, and tags. What cannot be read is left out, and so is the HEAD of a remote.
func (r *Repo) RefNames(prefixes ...string) []string {
	if prefixes == nil {
		prefixes = rules[1:]
	}
	packed, _ := r.packedRefs() // an incomplete list is good enough for a suggestion
	seen := map[string]bool{}
	for ref := range packed {
		seen[ref] = true
	}
	_ = filepath.WalkDir(filepath.Join(r.common, "refs"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || len(seen) >= len(packed)+maxRefNames {
			return fs.SkipDir
		}
		if inside, err := filepath.Rel(r.common, name); err == nil && entry.Type().IsRegular() {
			seen[filepath.ToSlash(inside)] = true
		}
		return nil
	})
	var names []string
	for ref := range seen {
		for _, prefix := range prefixes {
			if short, found := strings.CutPrefix(ref, prefix); found && badRefName(short) == "" && !strings.HasSuffix(short, "/HEAD") {
				names = append(names, short)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxRefNames)]
}

// readPackedRefs reads lines: "id name", "^id" or a comment.
func (r *Repo) readPackedRefs(text io.Reader) (map[string]ID, error) {
	lines := bufio.NewReaderSize(text, 64<<10)
	refs := map[string]ID{}
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			return refs, nil
		case err == io.EOF:
			return nil, errTruncated
		case err != nil:
			return nil, err
		}
		if line[0] == '#' || line[0] == '^' { // "^id" is the object of the tag in the line before
			continue
		}
		hex, name, _ := bytes.Cut(line[:len(line)-1], []byte{' '})
		id, ok := parseHex(hex, r.format.size)
		if !ok || len(name) == 0 {
			return nil, errors.New(`a line is not "id name"`)
		}
		if _, twice := refs[string(name)]; twice {
			return nil, errors.New("it lists " + string(name) + " twice")
		}
		refs[string(name)] = id
	}
}

// badRefName says why a ref cannot have a name (git-check-ref-format), "" if it can.
func badRefName(name string) string {
	if name == "" || name == "@" || strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.HasSuffix(name, ".") {
		return "a ref cannot have this name: use a branch, a tag, a full object id, or one of these with ~N or ^N"
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c == 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return "a ref name cannot contain spaces, control characters or any of ~^:?*[\\"
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return "between slashes, a ref name cannot be empty, begin with a dot or end with .lock"
		}
	}
	if name[0] == '-' {
		return "a ref name cannot begin with a dash"
	}
	return ""
}

// Symbolic is the ref that a symbolic ref names; "" when the ref is none.
func (r *Repo) Symbolic(ref string) (string, error) {
	text, ok, err := r.looseRef(ref)
	target, symbolic := strings.CutPrefix(text, "ref:")
	if err != nil || !ok || !symbolic {
		return "", err
	}
	return strings.TrimSpace(target), nil
}
