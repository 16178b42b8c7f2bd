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
func (g *gatherer) writeLines(w io.Writer, patterns []glob.Pattern) error {
	set := glob.CompileFolded(patterns)
	out := linediff.NewWriter(w)
	for i := range g.changes {
		if !set.Match(g.changes[i].Path) {
			continue
		}
		f, err := g.lines(g.changes[i].Path)
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
func (g *gatherer) lines(path string) (linediff.File, error) {
	f := linediff.File{Path: path, OldBytes: linediff.Absent, NewBytes: linediff.Absent}
	var texts [2][]byte
	for i, commit := range []string{g.bases[0], g.Head} {
		mode, id, found, err := g.Objects.Entry(commit, path)
		if err != nil {
			return f, err
		}
		if !found || mode == FolderMode {
			continue
		}
		if mode.Special() {
			f.State = linediff.NotAFile
			return f, nil
		}
		texts[i], err = g.Objects.Blob(id, maxLinesBytes)
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
func (w *bundleWriter) copyLines(gathered *Found, patterns []glob.Pattern) {
	if w.err != nil || len(patterns) == 0 || gathered.gatherer.changes == nil {
		return
	}
	to, err := w.root.OpenFile(LinesFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		err = errors.Join(gathered.gatherer.writeLines(to, patterns), to.Close())
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
