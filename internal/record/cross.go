package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
)

// Cross is what a recorder must know about a work tree that was composed of two commits. It is removed in the end, so its
// log and its reports go to the work tree of the change.
type Cross struct {
	Name string // of the tree, and of its directory
	Tree string // the id of its code tree
	Keep string // the root of the work tree of the change: absolute
}

// dir is where the evidence of the tree goes, below the root of the work tree of the change.
func (x *Cross) dir(evidence string) string { return check.CrossPath(evidence, x.Name, "") }

// Log is the log of the tree.
func (x *Cross) Log(evidence string) string {
	return filepath.Join(x.Keep, filepath.FromSlash(x.dir(evidence)), FileName)
}

// Clean removes what an earlier run recorded on the tree. It follows no link.
func (x *Cross) Clean(evidence string) error {
	at, err := placeOf(x.Keep, x.Log(evidence))
	if err != nil {
		return err
	}
	at.names = at.names[:len(at.names)-1]
	dir, err := at.parent(fail)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close() // it is only a handle
	return reason(dir.RemoveAll(at.name()))
}

// Read is what the log contains, nil when it cannot be read.
func (x *Cross) Read(evidence string) []byte {
	root, err := os.OpenRoot(x.Keep)
	if err != nil {
		return nil
	}
	defer root.Close() // it is only a handle
	log, err := root.ReadFile(filepath.FromSlash(path.Join(x.dir(evidence), FileName)))
	if err != nil {
		return nil
	}
	return log
}

// Has reports whether the log has a pass of each command on the tree, with its reports: nothing is run twice for one tree. The
// log must be as it was before any command ran, because a command could write one.
func (x *Cross) Has(evidence string, steps []Step, before []byte) bool {
	log := x.Read(evidence)
	if log == nil || !bytes.Equal(log, before) {
		return false
	}
	root, err := os.OpenRoot(x.Keep)
	if err != nil {
		return false
	}
	defer root.Close() // it is only a handle
	var entries []entry
	for line := range bytes.Lines(log) {
		var e entry
		if json.Unmarshal(line, &e) != nil {
			return false
		}
		entries = append(entries, e)
	}
	return !slices.ContainsFunc(steps, func(step Step) bool {
		return !slices.ContainsFunc(entries, func(e entry) bool { return x.isPass(&e, step) && holds(root, e.Produced) })
	})
}

// isPass reports whether a record is one of a command that passed on the tree, and wrote its reports.
func (x *Cross) isPass(e *entry, step Step) bool {
	ofStep := slices.Equal(e.Command, step.Command.Argv) && e.Cwd == step.Command.Cwd && len(e.Produced) == len(step.Command.Produces)
	return ofStep && e.Exit != nil && *e.Exit == 0 && e.TreeBefore == x.Tree && e.TreeAfter == x.Tree && e.OtherBytes == ""
}

// holds reports whether reports are as they were written.
func holds(root *os.Root, list []produced) bool {
	return !slices.ContainsFunc(list, func(made produced) bool {
		data, err := root.ReadFile(filepath.FromSlash(made.Path))
		return err != nil || input.Digest(data) != made.SHA256
	})
}

// create creates a file in the work tree of the change, in place of an older one.
func (x *Cross) create(p string) (*os.File, error) {
	at, err := placeOf(x.Keep, filepath.Join(x.Keep, filepath.FromSlash(p)))
	if err != nil {
		return nil, err
	}
	dir, err := at.parent(create)
	if err != nil {
		return nil, err
	}
	defer dir.Close() // it is only a handle
	if err := removeFile(dir, at.name()); err != nil {
		return nil, err
	}
	return dir.OpenFile(at.name(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// notComposed says why a command cannot be run for the composed tree: the setup, or a command before this one, left another
// tree. It is "" where it can be.
func (r *Recorder) notComposed(e *entry) string {
	switch {
	case r.Cross == nil || (e.TreeBefore == r.Cross.Tree && e.OtherBytes == ""):
		return ""
	case e.OtherBytes != "":
		return "the work tree does not have the bytes of the composed tree: " + e.OtherBytes
	}
	return fmt.Sprintf("the work tree is not the composed tree before the command: %s", strings.Join(e.Changed, ", "))
}
