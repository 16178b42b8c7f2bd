package github

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// Objects reads commits, trees and files through the API, for a job without a checkout. Every result is checked against
// the object's id: the entries of a tree are encoded as git does and hashed again, and so is a file. It remembers what it
// read. Every error has a method Fix.
//
// GitHub names only one merge base, even where a criss-cross history has several.
type Objects struct {
	ctx    context.Context
	client *Client
	limits strict.Limits
	roots  map[string]string // commit → root tree
	trees  *trees
	blobs  map[string][]byte
	large  map[string]bool // blobs that [Objects.Prepare] found to be too large
}

// Objects reads the client's repository. The limits bound a comparison, as those of one on disk.
func (c *Client) Objects(ctx context.Context, limits strict.Limits) *Objects {
	return &Objects{
		ctx: ctx, client: c, limits: limits, roots: map[string]string{}, blobs: map[string][]byte{}, large: map[string]bool{},
		trees: &trees{ctx: ctx, client: c, known: map[string][]entry{}},
	}
}

func (o *Objects) fail(err error) error {
	if err == nil {
		return nil
	}
	return o.client.fail(err, needContents)
}

// MergeBases gives the best common ancestor of two commits, named by their full ids; none when they have nothing in
// common.
func (o *Objects) MergeBases(base, head string) ([]string, error) {
	if base == head {
		return []string{base}, nil
	}
	var answer github.CommitsComparison
	_, err := o.client.get(o.ctx, o.client.path("compare/%s...%s", base, head)+"?per_page=1&page=1", &answer)
	if refused := (*github.ErrorResponse)(nil); errors.As(err, &refused) && status(err) == http.StatusNotFound &&
		strings.HasPrefix(refused.Message, "No common ancestor") {
		return nil, nil
	}
	if err != nil {
		return nil, o.fail(err)
	}
	found := answer.GetMergeBaseCommit().GetSHA()
	if err := checkID("the merge base", found); err != nil {
		return nil, o.fail(err)
	}
	if answer.GetBaseCommit().GetSHA() != base {
		return nil, o.fail(fmt.Errorf("GitHub compared with %q instead of %s", cut(answer.GetBaseCommit().GetSHA(), 80), base))
	}
	o.know(answer.GetBaseCommit())
	o.know(answer.GetMergeBaseCommit())
	return []string{found}, nil
}

// know remembers the root tree of a commit that is part of another answer, which saves a call.
func (o *Objects) know(commit *github.RepositoryCommit) {
	if tree := commit.GetCommit().GetTree().GetSHA(); objectID().MatchString(tree) {
		o.roots[commit.GetSHA()] = tree
	}
}

// root gives the root tree of a commit.
func (o *Objects) root(commit string) (string, error) {
	if tree, known := o.roots[commit]; known {
		return tree, nil
	}
	answer, err := o.commit(commit)
	if err != nil {
		return "", err
	}
	return answer.GetTree().GetSHA(), nil
}

func (o *Objects) commit(id string) (*github.Commit, error) {
	if err := checkID("a commit", id); err != nil {
		return nil, err
	}
	var answer github.Commit
	if _, err := o.client.get(o.ctx, o.client.path("git/commits/%s", id), &answer); err != nil {
		return nil, err
	}
	if answer.GetSHA() != id {
		return nil, fmt.Errorf("GitHub answered with commit %q instead of %s", cut(answer.GetSHA(), 80), id)
	}
	if err := checkID("the tree of commit "+id, answer.GetTree().GetSHA()); err != nil {
		return nil, err
	}
	o.roots[id] = answer.GetTree().GetSHA()
	return &answer, nil
}

// IsMergeOf says whether the parents of a commit are exactly these, in this order. A test merge of an older base or head
// is not.
func (o *Objects) IsMergeOf(commit string, parents ...string) (bool, error) {
	answer, err := o.commit(commit)
	if err != nil {
		return false, o.fail(err)
	}
	ids := []string{}
	for _, parent := range answer.Parents {
		ids = append(ids, parent.GetSHA())
	}
	return slices.Equal(ids, parents), nil
}

// Changes compares the trees of two commits; sorted by the bytes of the path, a rename is a deletion and an addition.
func (o *Objects) Changes(oldCommit, newCommit string) ([]change.Change, error) {
	oldTree, err := o.root(oldCommit)
	if err != nil {
		return nil, o.fail(err)
	}
	newTree, err := o.root(newCommit)
	if err != nil {
		return nil, o.fail(err)
	}
	d := &differ{trees: o.trees, limits: o.limits}
	if err := d.dirs("", oldTree, newTree); err != nil {
		return nil, o.fail(err)
	}
	diag.SortStable(d.changes, func(a, b change.Change) int { return strings.Compare(a.Path, b.Path) })
	return d.changes, nil
}

// Entry finds what is at a path: its mode as six octal digits (collect.DirMode for a directory) and its id. Symlinks
// are not followed: below one there is nothing.
func (o *Objects) Entry(commit, path string) (mode change.Mode, id string, found bool, err error) {
	at, err := o.find(commit, path)
	if err != nil || at == nil {
		return "", "", false, o.fail(err)
	}
	if at.class() == dirClass {
		return collect.DirMode, at.id, true, nil
	}
	return at.gateMode(), at.id, true, nil
}

// Names lists the entries of a directory, without those below; none when there is no such directory.
func (o *Objects) Names(commit, dir string) ([]string, error) {
	at, err := o.find(commit, dir)
	if err != nil || at == nil || at.class() != dirClass {
		return nil, o.fail(err)
	}
	entries, err := o.trees.deep(at.id)
	if err != nil {
		return nil, o.fail(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.name)
	}
	return names, nil
}

// Blob reads a blob of at most limit bytes. A larger one is collect.ErrTooLarge.
func (o *Objects) Blob(id string, limit int64) ([]byte, error) {
	data, err := o.blob(id, limit)
	return data, o.fail(err)
}

// find follows a path; nil when there is nothing. The root is "" or ".".
func (o *Objects) find(commit, path string) (*entry, error) {
	root, err := o.root(commit)
	if err != nil {
		return nil, err
	}
	at := entry{mode: dirMode, id: root}
	if path == "" || path == "." {
		return &at, nil
	}
	for name := range strings.SplitSeq(path, "/") {
		if at.class() != dirClass {
			return nil, nil
		}
		entries, err := o.trees.deep(at.id)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(entries, func(e entry) bool { return e.name == name })
		if i < 0 {
			return nil, nil
		}
		at = entries[i]
	}
	return &at, nil
}

func (o *Objects) blob(id string, limit int64) ([]byte, error) {
	tooLarge := &failure{text: fmt.Sprintf("the file %s has more than %d bytes", id, limit), fix: "check the repository out, or raise the limit", cause: collect.ErrTooLarge}
	if data, known := o.blobs[id]; known {
		if int64(len(data)) > limit {
			return nil, tooLarge
		}
		return data, nil
	}
	if o.large[id] && limit <= maxPrepare {
		return nil, tooLarge
	}
	data, err := o.download(id)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, tooLarge
	}
	o.blobs[id] = data
	return data, nil
}

// download reads a blob and checks its id. It may be called from several goroutines.
func (o *Objects) download(id string) ([]byte, error) {
	var answer github.Blob
	if _, err := o.client.get(o.ctx, o.client.path("git/blobs/%s", id), &answer); err != nil {
		return nil, err
	}
	data, err := decodeBlob(&answer)
	if err != nil {
		return nil, fmt.Errorf("the file %s: %w", id, err)
	}
	if hashOf(id, "blob", data) != id {
		return nil, fmt.Errorf("the file %s: the content that GitHub gave has another id", id)
	}
	return data, nil
}

func decodeBlob(b *github.Blob) ([]byte, error) {
	if b.GetEncoding() != "base64" {
		return nil, fmt.Errorf("its encoding is %q: expected base64", cut(b.GetEncoding(), 80))
	}
	return base64.StdEncoding.DecodeString(strings.ReplaceAll(b.GetContent(), "\n", ""))
}

// CodeTree is the tree id of a commit without the evidence directory, and without directories that this leaves empty.
// Only the trees on the way to that directory are read.
func (o *Objects) CodeTree(commit, evidenceDir string) (string, error) {
	root, err := o.root(commit)
	if err != nil {
		return "", o.fail(err)
	}
	id, err := o.trees.without(root, strings.Split(evidenceDir, "/"))
	if err != nil {
		return "", o.fail(err)
	}
	if id == "" {
		return hashOf(root, "tree", nil), nil
	}
	return id, nil
}

// hashOf is the id that git gives an object, by the algorithm of an id of the same repository.
func hashOf(like, kind string, data []byte) string {
	var h hash.Hash = sha1.New()
	if len(like) == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
