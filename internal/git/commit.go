package git

import (
	"bytes"
	"errors"
	"strconv"
)

// CommitInfo is how a commit is linked to other objects, and what it says about itself. The texts are as the commit has
// them: any bytes but newlines.
type CommitInfo struct {
	ID      ID
	Tree    ID
	Parents []ID   // nil for a first commit; includes those that a shallow clone lacks
	Author  string // the name without the mail address; "" when there is none
	Mail    string // the mail address of the author; "" when there is none
	Subject string // the first line of the message; "" when there is none
	Date    int64  // of the committer, in seconds; 0 when there is none, or one before 1970
}

// Commit reads a commit. It must begin as git writes it: tree, parents, author, committer.
func (r *Repo) Commit(id ID) (CommitInfo, error) {
	found, err := r.read(id, limits{want: commitType})
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
	info, rest, err := parseLinks(content, size)
	if err != nil {
		return CommitInfo{}, err
	}
	author, rest, ok := headerLine(rest, "author ")
	if !ok {
		return CommitInfo{}, errors.New("it has no author line after its parents")
	}
	committer, _, ok := headerLine(rest, "committer ")
	if !ok {
		return CommitInfo{}, errors.New("it has no committer line after its author")
	}
	name, mail, _ := bytes.Cut(author, []byte{'<'})
	mail, _, _ = bytes.Cut(mail, []byte{'>'})
	_, message, _ := bytes.Cut(rest, []byte("\n\n"))
	subject, _, _ := bytes.Cut(message, []byte{'\n'})
	info.Author, info.Mail, info.Subject, info.Date = clipped(bytes.TrimSpace(name)), clipped(mail), clipped(subject), dateOf(committer)
	return info, nil
}

// dateOf reads the seconds between the mail address and the time zone.
func dateOf(person []byte) int64 {
	words := bytes.Fields(person[bytes.LastIndexByte(person, '>')+1:])
	if len(words) == 0 {
		return 0
	}
	seconds, err := strconv.ParseInt(string(words[0]), 10, 64)
	if err != nil || seconds < 0 {
		return 0
	}
	return seconds
}

// maxText is how many bytes are kept of a text of a commit: it is for people, and a hostile one may have megabytes.
const maxText = 200

func clipped(text []byte) string { return string(text[:min(len(text), maxText)]) }

// parseLinks reads the tree and the parents of a commit.
func parseLinks(content []byte, size int) (info CommitInfo, rest []byte, err error) {
	line, rest, _ := headerLine(content, "tree ")
	tree, ok := parseHex(line, size)
	if !ok {
		return CommitInfo{}, nil, errors.New("it does not begin with its tree")
	}
	info.Tree = tree
	for {
		line, after, found := headerLine(rest, "parent ")
		if !found {
			return info, rest, nil
		}
		parent, ok := parseHex(line, size)
		if !ok {
			return CommitInfo{}, nil, errors.New("a parent is not an object id")
		}
		info.Parents, rest = append(info.Parents, parent), after
	}
}

// headerLine splits off the first line if it begins with a word and ends with a newline.
func headerLine(content []byte, word string) (value, rest []byte, ok bool) {
	after, ok := bytes.CutPrefix(content, []byte(word))
	value, rest, ended := bytes.Cut(after, []byte{'\n'})
	if !ok || !ended {
		return nil, content, false
	}
	return value, rest, true
}

// parseDate reads the seconds of a committer line, 0 when there are none. It decides only in which order a history is
// walked, never what is found.
func parseDate(rest []byte) int64 {
	_, rest, _ = bytes.Cut(rest, []byte("\ncommitter "))
	line, _, _ := bytes.Cut(rest, []byte{'\n'})
	return dateOf(line)
}
