package gitobj

import (
	"bytes"
	"errors"
	"strconv"
)

// CommitInfo is what a commit says.
type CommitInfo struct {
	ID        ID
	Tree      ID
	Parents   []ID   // nil for a first commit; those that a shallow clone lacks are named too
	Author    string // "Name <mail> seconds zone", the bytes as they stand there
	Committer string // likewise
	Message   string // the bytes behind the first blank line
}

// Commit reads a commit. It must begin as git writes it: tree, parents, author, committer.
func (r *Repo) Commit(id ID) (CommitInfo, error) {
	found, err := r.read(id, limits{want: commitKind})
	if err != nil {
		return CommitInfo{}, err
	}
	info, err := parseCommit(found.content, r.format.size)
	if err != nil {
		return CommitInfo{}, &Corrupt{What: "commit " + id.String(), Why: err.Error()}
	}
	info.ID = id
	return info, nil
}

func parseCommit(content []byte, size int) (CommitInfo, error) {
	var info CommitInfo
	rest, err := parseLinks(content, size, &info)
	if err != nil {
		return CommitInfo{}, err
	}
	author, rest, ok := headerLine(rest, "author ")
	if !ok {
		return CommitInfo{}, errors.New("it has no author behind its parents")
	}
	committer, rest, ok := headerLine(rest, "committer ")
	if !ok {
		return CommitInfo{}, errors.New("it has no committer behind its author")
	}
	info.Author, info.Committer = string(author), string(committer)
	if message, ok := bytes.CutPrefix(rest, []byte("\n")); ok {
		info.Message = string(message)
	} else if _, message, ok := bytes.Cut(rest, []byte("\n\n")); ok {
		info.Message = string(message)
	}
	return info, nil
}

// parseLinks reads what ties a commit to others: its tree and its parents.
func parseLinks(content []byte, size int, info *CommitInfo) (rest []byte, err error) {
	line, rest, ok := headerLine(content, "tree ")
	if info.Tree, ok = parseHexLine(line, size, ok); !ok {
		return nil, errors.New("it does not begin with its tree")
	}
	for {
		line, after, found := headerLine(rest, "parent ")
		if !found {
			return rest, nil
		}
		parent, ok := parseHexLine(line, size, true)
		if !ok {
			return nil, errors.New("a parent is no object id")
		}
		info.Parents, rest = append(info.Parents, parent), after
	}
}

// headerLine cuts off the first line if it begins with a word.
func headerLine(content []byte, word string) (value, rest []byte, ok bool) {
	after, ok := bytes.CutPrefix(content, []byte(word))
	if !ok {
		return nil, content, false
	}
	value, rest, ok = bytes.Cut(after, []byte{'\n'})
	if !ok {
		return nil, content, false
	}
	return value, rest, true
}

func parseHexLine(line []byte, size int, ok bool) (ID, bool) {
	if !ok {
		return ID{}, false
	}
	return parseHex(line, size)
}

// parseDate reads the seconds of a committer line, 0 when there are none. It only steers in which order a history is
// walked, never what is found.
func parseDate(rest []byte) int64 {
	_, rest, _ = bytes.Cut(rest, []byte("\ncommitter "))
	line, _, _ := bytes.Cut(rest, []byte{'\n'})
	fields := bytes.Fields(line[bytes.LastIndexByte(line, '>')+1:])
	if len(fields) == 0 {
		return 0
	}
	seconds, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return seconds
}
