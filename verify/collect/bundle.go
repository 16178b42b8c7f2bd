package collect

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/strict"
)

// WriteBundle copies what [Gather] found into a folder, under the names of a bundle, and returns the bundle that was
// written. Its facts.json lists each file and the path that the repository has for it, so that a report of the bundle names
// the repository's paths, and none can be taken away. The folder is made when it is not there; one that holds anything is refused, since
// an old file in it would become an input. The added and removed lines of files that match lines are written beside,
// as [LinesFile].
func WriteBundle(dir string, gathered *Found, lines []glob.Pattern) (*Found, error) {
	root, err := newFolder(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := &bundleWriter{root: root, inputs: gathered.Inputs, numbers: map[check.Kind]int{}}
	for _, in := range gathered.Inputs {
		if in.Kind != check.Facts {
			w.copy(in, w.nameOf(in))
		}
	}
	for _, name := range testReports(gathered) {
		if open := gathered.TestReport(name); open != nil {
			file := path.Join(testsFolder, name)
			w.copy(verify.Input{Kind: check.Tests, Name: name, Open: open}, file)
			w.list(file, name)
		}
	}
	w.copyParts(gathered.Parts)
	w.facts(gathered.gatherer.Facts)
	w.copyLines(gathered, lines)
	if w.err != nil {
		return nil, w.err
	}
	written, err := Folder(dir)
	if err == nil {
		written.Settings = gathered.Settings
	}
	return written, err
}

// newFolder opens an empty directory, made when it is not there.
func newFolder(dir string) (*os.Root, error) {
	root, err := openDir(dir, true)
	if err != nil {
		return nil, fmt.Errorf("the bundle %q cannot be made: %w", dir, Reason(err))
	}
	empty, err := isEmpty(root)
	switch {
	case err != nil:
		err = fmt.Errorf("the bundle %q cannot be listed: %w", dir, Reason(err))
	case !empty:
		err = fmt.Errorf("the bundle %q is not empty: name a new folder, or empty it", dir)
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

// nameOf is what the bundle calls an input, and notes what the report is to call it.
func (w *bundleWriter) nameOf(in verify.Input) string {
	var name string
	switch in.Kind {
	case check.Feedback:
		name = w.numbered(in, "feedback_record.jsonl", "feedback", ".jsonl")
	case check.Rules:
		name = w.numbered(in, "rule_report.json", "rules", ".json")
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

// list notes a file of the bundle: one that is taken away later is missed.
func (w *bundleWriter) list(file, path string) {
	w.origins = append(w.origins, facts.FileOrigin{File: file, Path: path})
}

// numbered is the well-known name of the only input of a kind, else the next number in the kind's folder.
func (w *bundleWriter) numbered(in verify.Input, only, folder, ending string) string {
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
	return fmt.Sprintf("%s/%03d%s", folder, w.numbers[in.Kind], ending)
}

func (w *bundleWriter) copy(in verify.Input, name string) {
	if w.err != nil {
		return
	}
	if err := w.write(in, name); err != nil {
		w.err = fmt.Errorf("%q cannot be copied into the bundle as %q: %w", in.Name, name, Reason(err))
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
	data, err := marshalFacts(&f)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.copy(verify.Input{Name: "facts.json", Open: bytesOpener(data)}, "facts.json")
}

// testReports lists the paths of the test reports that the contracts name.
func testReports(gathered *Found) []string {
	var names []string
	inputs := slices.Clone(gathered.Inputs)
	for _, part := range gathered.Parts {
		inputs = append(inputs, part.Inputs...)
	}
	for _, in := range inputs {
		if in.Kind != check.Contract && in.Kind != check.TaskContract {
			continue
		}
		data, err := readInput(in, strict.DefaultLimits().ContractBytes)
		if err != nil {
			continue // the judge says so
		}
		if c, _ := contract.Parse(in.Name, data, strict.DefaultLimits()); c != nil {
			for _, criterion := range c.Criteria {
				names = append(names, criterion.TestReport)
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}
