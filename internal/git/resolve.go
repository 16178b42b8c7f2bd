package git

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// maxTags is how many levels of nested tags are followed.
const maxTags = 16

// maxSteps is the largest number after ~ or ^.
const maxSteps = 10_000_000

// Resolve gives the commit of a name: a full object id, HEAD, FETCH_HEAD, a branch, a tag (also an annotated one), a branch of a
// remote, or a full ref name, followed by any number of ~N (the Nth first parent) and ^N (the Nth parent). Only the files
// of the repository decide, not the environment. Abbreviated ids are refused.
//
// The error is NoSuchRef or AmbiguousRef for names, BadName for what cannot be the name of a commit, Incomplete when ~ and
// ^ lead to commits that a shallow clone lacks, and MissingObject when the object of a ref is missing.
func (r *Repo) Resolve(name string) (ID, error) {
	base, steps := name, ""
	if i := strings.IndexAny(name, "~^"); i >= 0 {
		base, steps = name[:i], name[i:]
	}
	id, err := r.resolveName(base)
	if err == nil {
		id, err = r.peel(id, name)
	}
	for err == nil && steps != "" {
		id, steps, err = r.step(id, steps, name)
	}
	if err != nil {
		return ID{}, err
	}
	return id, nil
}

// resolveName gives the object of a name without ~ and ^.
func (r *Repo) resolveName(name string) (ID, error) {
	if id, ok := parseHex([]byte(name), r.format.size); ok {
		return id, nil
	}
	id, err := r.lookupRef(name)
	if missing := (*NoSuchRef)(nil); errors.As(err, &missing) && len(name) >= 4 && strings.Trim(name, "0123456789abcdefABCDEF") == "" {
		return ID{}, &BadName{Name: name, Why: "no ref has this name, and abbreviated object ids are refused: use all " + strconv.Itoa(2*r.format.size) + " digits"}
	}
	return id, err
}

// peel follows tags to a commit.
func (r *Repo) peel(id ID, name string) (ID, error) {
	want := anyType
	for range maxTags {
		found, err := r.read(id, limits{want: want})
		if large := (*TooLarge)(nil); errors.As(err, &large) {
			return ID{}, &BadName{Name: name, Why: "it is a large object, not a commit"}
		}
		if err != nil {
			return ID{}, err
		}
		switch found.kind {
		case commitType:
			return id, nil
		case tagType:
			line, rest, _ := headerLine(found.content, "object ")
			object, okID := parseHex(line, r.format.size)
			word, _, _ := headerLine(rest, "type ")
			k, okKind := typeOf(bytes.TrimSpace(word))
			if !okID || !okKind {
				return ID{}, &Corrupt{What: "tag " + id.String(), Why: "it does not begin with the id and the type of an object"}
			}
			id, want = object, k
		default:
			return ID{}, &BadName{Name: name, Why: "it is a " + found.kind.String() + ", not a commit"}
		}
	}
	return ID{}, &TooLarge{What: "nested tags, starting with " + name, Limit: maxTags}
}

// step follows the first ~N or ^N.
func (r *Repo) step(id ID, steps, name string) (ID, string, error) {
	sign, rest := steps[0], steps[1:]
	end := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' })
	if end < 0 {
		end = len(rest)
	}
	n := 1
	if end > 0 {
		var err error
		if n, err = strconv.Atoi(rest[:end]); err != nil || n > maxSteps {
			return ID{}, "", &BadName{Name: name, Why: "the number after ~ or ^ is too large"}
		}
	}
	rest = rest[end:]
	if sign != '~' && sign != '^' {
		return ID{}, "", &BadName{Name: name, Why: "only ~, ~N, ^ and ^N can follow a name"}
	}
	var err error
	if sign == '^' {
		id, err = r.parent(id, n, name)
		return id, rest, err
	}
	for ; n > 0 && err == nil; n-- {
		id, err = r.parent(id, 1, name)
	}
	return id, rest, err
}

// parent gives a commit's Nth parent, and the commit itself for 0.
func (r *Repo) parent(id ID, n int, name string) (ID, error) {
	if n == 0 {
		return id, nil
	}
	info, err := r.Commit(id)
	if err != nil {
		return ID{}, err
	}
	if n > len(info.Parents) {
		return ID{}, &BadName{Name: name, Why: "commit " + id.String() + " has only " + strconv.Itoa(len(info.Parents)) + " parents"}
	}
	parent := info.Parents[n-1]
	_, err = r.Commit(parent)
	if missing := (*MissingObject)(nil); errors.As(err, &missing) && missing.Shallow {
		return ID{}, &Incomplete{Commit: parent}
	}
	return parent, err
}
