package board

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify/policy"
)

// A submission removes only what a submission made: a person may name any folder as the state folder. This file tells them apart.
const (
	madeHere  = "made-by-closeout-item-submit"
	treeBegin = "checkout-"
)

func markMade(dir string) error { return os.WriteFile(filepath.Join(dir, madeHere), nil, 0o600) }

func marked(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, madeHere))
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// freshTree lets commands run in a work tree in which no one has worked.
func (a *attempt) freshTree(policies []*policy.Policy, std console.Streams) (err error) {
	if err := a.sweepTrees(); err != nil {
		return err
	}
	if a.tree, err = os.MkdirTemp(a.Store.Dir, treeBegin); err != nil {
		return err
	}
	if err := markMade(a.tree); err != nil {
		return err
	}
	dir := filepath.Join(a.tree, "tree")
	if err := a.r.Git.Checkout(dir, a.head); err != nil {
		return err
	}
	a.s.Options.Root, a.s.Options.Names = dir, dir
	return a.openRecorder(policies, std)
}

// sweepTrees removes the fresh work trees of submissions that were killed. The lock leaves no other submission.
func (a *attempt) sweepTrees() error {
	entries, err := os.ReadDir(a.Store.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if dir := a.Store.Path(e.Name()); e.IsDir() && strings.HasPrefix(e.Name(), treeBegin) && marked(dir) {
			if err := removeTree(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *attempt) leaveTree() error {
	if a.tree == "" {
		return nil
	}
	return removeTree(a.tree)
}

// removeTree removes the mark last, for a kill in between. No link leads it out of the folder.
func removeTree(dir string) error {
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer root.Close() // it is only a handle
	name := filepath.Base(dir)
	return errors.Join(root.RemoveAll(filepath.Join(name, "tree")), root.RemoveAll(name))
}

// clearAttempt makes the directory of the logs, and removes what a submission left that was killed. What another program put there stays.
func (a *attempt) clearAttempt(logs string) error {
	dir := a.Store.Path(a.dir)
	ours := marked(dir)
	for _, left := range []string{logs, a.bundle(), a.Store.Path(a.dir, session.RatchetFile)} {
		_, err := os.Lstat(left)
		if err == nil && !ours {
			return fmt.Errorf("%q is where closeout item submit writes, and it did not make what is there: ask the person whose it is to move it away, "+
				"or to scan into another state folder: closeout item scan --state FOLDER", left)
		}
		if err == nil {
			err = os.RemoveAll(left)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return err
	}
	return markMade(dir)
}
