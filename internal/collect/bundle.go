package collect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// WriteBundle copies what was collected from two commits into a directory, under the names of a bundle, and returns the
// bundle that was written. Its facts.json lists each file and the path that the repository has for it, so that a report of
// the bundle names the repository's paths, and a missing file is noticed. The directory is made when it is not there; it
// must be empty, since an old file in it would become an input.
func WriteBundle(dir string, found *Found) (*Found, error) {
	root, err := newDir("bundle", dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := &bundleWriter{root: root, inputs: found.Inputs, numbers: map[check.Kind]int{}}
	for _, in := range found.Inputs {
		if in.Kind != check.Facts {
			w.copyInput(in, w.nameOf(in))
		}
	}
	for _, name := range found.testReports {
		if open := found.TestReport(name); open != nil {
			file := path.Join(verify.TestsDir, name)
			w.copyInput(verify.Input{Kind: check.Tests, Name: name, Open: open}, file)
			w.list(file, name)
		}
		for _, tree := range check.CrossTrees {
			if open := found.CrossReport(tree, name); open != nil {
				file := path.Join(verify.CrossDirectory(tree), name)
				w.copyInput(verify.Input{Kind: check.Tests, Name: name, Open: open}, file)
				w.list(file, check.CrossPath(found.evidenceDir, tree, name))
			}
		}
	}
	for _, part := range found.Parts {
		for _, in := range part.Inputs {
			w.copyInput(in, path.Join(verify.PartDirectory(part.PullRequest), in.Name))
		}
	}
	w.facts(*found.facts)
	if w.err != nil {
		return nil, w.err
	}
	written, err := Bundle(dir)
	if err == nil {
		written.Settings, written.Parsed = found.Settings, found.Parsed
	}
	return written, err
}

// NewDirectory makes a directory, or takes an empty one. It follows no symlink.
func NewDirectory(dir string) error {
	root, err := newDir("directory", dir)
	if err != nil {
		return err
	}
	return root.Close()
}

// newDir opens an empty directory, made when it is not there.
func newDir(what, dir string) (*os.Root, error) {
	root, err := openDir(dir, true)
	if err != nil {
		return nil, fmt.Errorf("the %s %q cannot be created: %w", what, dir, input.Reason(err))
	}
	empty, err := isEmpty(root)
	switch {
	case err != nil:
		err = fmt.Errorf("the %s %q cannot be listed: %w", what, dir, input.Reason(err))
	case !empty:
		err = fmt.Errorf("the %s %q is not empty: name a new directory, or empty it", what, dir)
	default:
		return root, nil
	}
	return nil, errors.Join(err, root.Close())
}

// bundleWriter writes one bundle; it keeps the first error.
type bundleWriter struct {
	root    *os.Root
	inputs  []verify.Input
	numbers map[check.Kind]int // the last one that was given
	origins []facts.FileOrigin
	err     error
}

// nameOf is the name of an input in the bundle. It notes the name for the report.
func (w *bundleWriter) nameOf(in verify.Input) string {
	var name string
	switch in.Kind {
	case check.Feedback:
		name = w.numbered(in, "feedback_record.jsonl", "feedback", ".jsonl")
	case check.Rules:
		name = w.numbered(in, policy.DefaultRules, "rules", ".json")
	case check.Diff:
		name = "pr.diff"
	case check.Coverage:
		name = "coverage_report.json"
	case check.Contract, check.TaskContract:
		return in.Name // the facts list contracts by themselves
	default:
		name = in.Name
	}
	w.list(name, in.Name)
	return name
}

// list notes a file of the bundle, so that it is missed when it is removed later.
func (w *bundleWriter) list(file, path string) {
	w.origins = append(w.origins, facts.FileOrigin{File: file, Path: path})
}

// numbered is the well-known name of the only input of a kind, else the next number in the kind's directory.
func (w *bundleWriter) numbered(in verify.Input, only, dir, extension string) string {
	count := 0
	for _, other := range w.inputs {
		if other.Kind == in.Kind {
			count++
		}
	}
	if count == 1 {
		return only
	}
	w.numbers[in.Kind]++
	return fmt.Sprintf("%s/%03d%s", dir, w.numbers[in.Kind], extension)
}

func (w *bundleWriter) copyInput(in verify.Input, name string) {
	if w.err != nil {
		return
	}
	if err := w.write(in, name); err != nil {
		w.err = fmt.Errorf("%q cannot be copied into the bundle as %q: %w", in.Name, name, input.Reason(err))
	}
}

func (w *bundleWriter) write(in verify.Input, name string) error {
	from, err := in.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	if err := w.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	to, err := w.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// facts writes facts.json with the names that were changed.
func (w *bundleWriter) facts(f facts.Facts) {
	f.Files = w.origins
	data, err := f.Marshal()
	if err != nil && w.err == nil {
		w.err = err
	}
	w.copyInput(verify.Input{Name: "facts.json", Open: bytesOpener(data)}, "facts.json")
}
