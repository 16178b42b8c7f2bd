package collect

import (
	"errors"
	"io"
	"os"

	"github.com/closeout-gate/closeout/verify/collect/linediff"
	"github.com/closeout-gate/closeout/verify/glob"
)

// LinesFile is what a bundle calls the added and removed lines. No check reads it; it is for rules outside the gate.
const LinesFile = "lines.json"

// maxLinesBytes is how large a version of a file may be to be compared line by line.
const maxLinesBytes = 64 << 20

// writeLines writes the lines that differ between the first merge base and the head, of the changed files that match.
// Attributes are not asked. A file of which the lines are not known says why.
func (c *Comparison) writeLines(w io.Writer, patterns []glob.Pattern) error {
	set := glob.CompileFolded(patterns)
	out := linediff.NewWriter(w)
	for i := range c.Changes {
		if !set.Match(c.Changes[i].Path) {
			continue
		}
		f, err := c.lines(c.Changes[i].Path)
		if err != nil {
			f.Result = linediff.Result{State: linediff.Unknown, Reason: err.Error()}
		}
		if err := out.Add(f); err != nil {
			return err
		}
	}
	return out.Close()
}

// lines compares the two versions of a file. The error says that one of them could not be read.
func (c *Comparison) lines(path string) (linediff.File, error) {
	f := linediff.File{Path: path, OldBytes: linediff.Absent, NewBytes: linediff.Absent}
	var texts [2][]byte
	for i, commit := range []string{c.MergeBases[0], c.Head} {
		mode, id, found, err := c.Objects.Entry(commit, path)
		if err != nil {
			return f, err
		}
		if !found || mode == DirMode {
			continue
		}
		if mode.Special() {
			f.State = linediff.NotAFile
			return f, nil
		}
		texts[i], err = c.Objects.Blob(id, maxLinesBytes)
		if errors.Is(err, ErrTooLarge) {
			f.State, f.Reason = linediff.TooLarge, err.Error()
			return f, nil
		}
		if err != nil {
			return f, err
		}
		*[]*int64{&f.OldBytes, &f.NewBytes}[i] = int64(len(texts[i]))
	}
	f.Result = linediff.Diff(texts[0], texts[1], linediff.Limits{Bytes: maxLinesBytes})
	return f, nil
}

// copyLines writes the lines into the bundle. Without a list of changes there is nothing to write, and the facts say why.
func (w *bundleWriter) copyLines(found *Found, patterns []glob.Pattern) {
	if w.err != nil || len(patterns) == 0 || found.compared.Changes == nil {
		return
	}
	to, err := w.root.OpenFile(LinesFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		err = errors.Join(found.compared.writeLines(to, patterns), to.Close())
	}
	w.err = err
}

// ParseGlobs reads patterns as those of a contract.
func ParseGlobs(texts []string) ([]glob.Pattern, error) {
	var patterns []glob.Pattern
	for _, text := range texts {
		p, err := glob.Parse(text)
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, p)
	}
	return patterns, nil
}
