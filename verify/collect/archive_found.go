package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/closeout-gate/closeout/verify/archive"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/replay"
	"github.com/closeout-gate/closeout/verify/report"
)

// ArchiveInput is what archive add reads: entries, and the files of their bundles.
type ArchiveInput struct {
	Found *archive.Found
	root  *os.Root
	named func(position int, name string) string // the path of a file of a bundle, in root
	// Repository is OWNER/NAME as the report of a single decision names it; "" when it does not.
	Repository string
}

// Open opens a file of the bundle of an entry. No link is followed to the outside.
func (in *ArchiveInput) Open(position int, name string) (io.ReadCloser, error) {
	return regular(in.root.OpenFile(filepath.FromSlash(in.named(position, name)), readOnly, 0))
}

// Close closes the directory, if there is one.
func (in *ArchiveInput) Close() error {
	if in.root == nil {
		return nil
	}
	return in.root.Close()
}

// ArchiveFound opens the directory that archive find made. Only its index is read.
func ArchiveFound(dir string) (*ArchiveInput, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the directory %q cannot be opened: %w", dir, diag.Reason(err))
	}
	in := &ArchiveInput{root: root, named: func(position int, name string) string {
		return path.Join(strconv.Itoa(position), archive.BundleDir, name)
	}}
	name := filepath.ToSlash(filepath.Join(dir, archive.IndexFile))
	data, err := readAtMost(archive.MaxFoundBytes)(regular(root.OpenFile(archive.IndexFile, readOnly, 0)))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%q cannot be read: %w", name, diag.Reason(err)), root.Close())
	}
	found, errs := archive.ReadFound(data)
	if errs.Any() {
		return nil, errors.Join(&ArchiveErrors{name, errs}, root.Close())
	}
	in.Found = found
	return in, nil
}

// ArchiveState reads state.json from a file.
func ArchiveState(file string) (*archive.State, error) {
	data, err := readAtMost(archive.MaxStateBytes)(regular(os.OpenFile(file, readOnly, 0)))
	if err != nil {
		return nil, fmt.Errorf("the state %q cannot be read: %w", file, diag.Reason(err))
	}
	state, errs := archive.ReadState(data)
	if errs.Any() {
		return nil, &ArchiveErrors{filepath.ToSlash(file), errs}
	}
	return state, nil
}

// readAtMost reads a file of a bounded size.
func readAtMost(limit int64) func(io.ReadCloser, error) ([]byte, error) {
	return func(f io.ReadCloser, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, limit+1))
		if err == nil && int64(len(data)) > limit {
			err = fmt.Errorf("it is larger than %d bytes", limit)
		}
		return data, err
	}
}

// ArchiveErrors are the errors of a file of an archive.
type ArchiveErrors struct {
	Name string
	Errs *diag.Errors
}

func (e *ArchiveErrors) Error() string {
	text := ""
	for i, one := range e.Errs.All() {
		if i > 0 {
			text += "\n"
		}
		text += fmt.Sprintf("%s:%d:%d: %s; found %s, expected %s → %s", e.Name, one.Pos.Line, one.Pos.Column, one.Message, one.Found, one.Expected, one.Fix)
	}
	return text
}

// ArchiveDecision makes an entry from a bundle with its report: kind, files, and what the report says. The bundle is replayed.
func ArchiveDecision(dir string) (*ArchiveInput, *archive.Entry, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("the bundle %q cannot be opened: %w", dir, diag.Reason(err))
	}
	in := &ArchiveInput{root: root, named: func(_ int, name string) string { return name }}
	e, err := in.decision(dir)
	if err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	return in, e, nil
}

func (in *ArchiveInput) decision(dir string) (*archive.Entry, error) {
	data, err := Report(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%q contains no %s: run closeout verify first", dir, report.FileName)
	}
	if err != nil {
		return nil, fmt.Errorf("the report in %q cannot be read: %w", dir, diag.Reason(err))
	}
	r, err := replay.Read(data)
	if err != nil {
		return nil, fmt.Errorf("the report in %q cannot be read: %w", dir, err)
	}
	if !replay.Bounded(r) {
		return nil, fmt.Errorf("the report in %q cannot be archived: %w; run closeout verify again with smaller limits", dir, replay.ErrUnbounded)
	}
	found, err := Bundle(dir)
	if err != nil {
		return nil, err
	}
	replayed, err := replay.Run(data, r, found.Bundle)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", dir, err)
	}
	in.Repository = value(r.Subject.Repository)
	e := NewArchiveDecision(r, data, replayed.Same())
	e.Bundle, err = in.files()
	return e, err
}

// NewArchiveDecision makes the entry of a decision from its report, without its commits and files.
func NewArchiveDecision(r *report.Report, data []byte, same bool) *archive.Entry {
	sum := hexSum(data)
	e := &archive.Entry{
		Schema: archive.EntrySchema, Kind: archive.Decision, HeadSHA: r.Subject.HeadSHA, Verdict: &r.Verdict, Tool: &r.Tool,
		Replay: archive.ReplayDifferent, ReportSHA256: &sum, PullRequests: []string{},
	}
	if same {
		e.Replay = archive.ReplaySame
	}
	if n := r.Subject.PullRequest; n != nil && len(r.PullRequests) == 0 {
		e.PullRequests = append(e.PullRequests, strconv.FormatInt(*n, 10))
	}
	for _, p := range r.PullRequests {
		e.PullRequests = append(e.PullRequests, strconv.FormatInt(p.Number, 10))
	}
	return e
}

// files lists the files of a bundle, sorted, with their digests.
func (in *ArchiveInput) files() (list []archive.File, err error) {
	err = fs.WalkDir(in.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
			return err
		case !archive.IsPath(name):
			return fmt.Errorf("an archive cannot have the file %q of the bundle: rename it", name)
		case len(list) >= archive.MaxFiles:
			return fmt.Errorf("the bundle has more than %d files: expected a bundle that closeout wrote", archive.MaxFiles)
		}
		f, err := in.Open(0, name)
		if err != nil {
			return fmt.Errorf("%q cannot be read: %w", name, diag.Reason(err))
		}
		defer f.Close()
		file, err := archive.FileOf(name, f)
		list = append(list, file)
		return err
	})
	diag.SortStable(list, archive.ByPath)
	return list, err
}
