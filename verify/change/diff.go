package change

import (
	"bytes"
	"cmp"
	"io"
	"strconv"

	"github.com/closeout-gate/closeout/verify/input"
)

// makeDiff is the advice that closes most errors about pr.diff.
const makeDiff = "make the file with: " + DiffCommand

// DiffCommand makes a pr.diff that leaves nothing out, whatever the settings of a repository or a user say: git itself
// hides the change of a submodule when .gitmodules asks it to.
const DiffCommand = "git diff --no-color --no-ext-diff --no-renames --ignore-submodules=none --submodule=short --no-relative --src-prefix=a/ --dst-prefix=b/ BASE...HEAD > pr.diff"

// sectionStart begins a section. Inside a hunk a line begins with a blank, + , - or \, and a line of a binary patch
// contains no blank, so a line that begins like this starts a section wherever it is.
const sectionStart = "diff --git "

// ReadDiff reads pr.diff: what `git diff` prints with the prefixes a/ and b/, with any number of context lines, with or
// without renames, copies, --full-index and --binary. It streams: in addition to the result it keeps one buffer of 128 KiB,
// however long a line is.
//
// Every byte is accounted for and whatever git would not have printed is an error, because a skipped line can hide a
// path. (So is what git prints wrongly: with -W hunks may overlap.) What no reader can see is a diff that was cut between
// two sections. A rename is the deletion of the old path and the addition of the new one, a copy the addition of the new path.
// A deletion followed by a creation of the same path is one change of type. Git prints no mode for a rename or copy
// without any change; there the mode is taken to be [Regular]. Ids are as printed, so most often abbreviated; they are
// "" on the side where the path does not exist and where git prints none. Pos is the line of the section.
//
// The changes are sorted by the bytes of their paths. They are nil when there is any error, since a part of a list must
// not be taken for the whole. Errors have a Limit when DiffBytes, DiffLineBytes or Files was exceeded; then, and when r fails,
// reading stops early.
func ReadDiff(r io.Reader, limits input.Limits) ([]Change, *input.Errors) {
	d := &diffReader{lineReader: newLineReader(r, limits.DiffBytes), limits: limits}
	d.run()
	d.sort()
	if d.errs.Any() {
		return nil, d.errs
	}
	return d.changes, d.errs
}

// diffReader collects the changes of one diff.
type diffReader struct {
	*lineReader
	limits  input.Limits
	changes []Change
	paths   int64  // bytes of their paths
	header  []byte // what follows "diff --git " in the section being read
	// deletion is where in changes the section before this one put its deleted path; -1 when it did no such thing.
	deletion int
}

func (d *diffReader) run() {
	d.deletion = -1
	line, ok := d.peek()
	if !ok {
		d.fail(d.pos(1), "the diff is empty", "no bytes", "a diff that git printed", makeDiff)
		return
	}
	if d.wholeForeign(line) {
		return
	}
	for ok && !d.errs.TooMany() {
		if !bytes.HasPrefix(line, []byte(sectionStart)) {
			d.foreign(line)
			d.resync()
		} else if !d.section() {
			d.deletion = -1
			d.resync()
		}
		line, ok = d.peek()
	}
}

// resync passes over lines until one starts a section.
func (d *diffReader) resync() {
	for {
		line, ok := d.peek()
		if !ok || bytes.HasPrefix(line, []byte(sectionStart)) {
			return
		}
		d.skip()
	}
}

// fail reports an error, unless the input broke off for a reason that was already reported. It returns false.
func (d *diffReader) fail(at input.Pos, message, found, expected, fix string) bool {
	if !d.broken {
		d.errs.Add(input.Error{Pos: at, Message: message, Found: found, Expected: expected, Fix: fix})
	}
	return false
}

// failLine is fail for the line that comes next. When that line is not complete, it reports that instead.
func (d *diffReader) failLine(message, expected string) bool {
	line, ok := d.peek()
	if problem := d.brokenLine(line); ok && problem != "" {
		message = problem
	}
	return d.fail(d.pos(1), message, input.Excerpt(line), expected, makeDiff)
}

// add keeps a change, and stops reading when there are too many.
func (d *diffReader) add(c Change) bool {
	if len(d.changes) >= d.limits.Files {
		d.stop(input.OverLimitAt(c.Pos, "the number of changed files", int64(d.limits.Files), input.FlagFiles))
		return false
	}
	if d.paths += int64(len(c.Path)); d.paths > d.limits.PathBytes {
		d.stop(input.TooManyPathBytes(c.Pos, d.limits))
		return false
	}
	d.changes = append(d.changes, c)
	return true
}

// sort orders the changes, and reports paths that more than one section touches.
func (d *diffReader) sort() {
	input.SortStable(d.changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	for i := 1; i < len(d.changes); i++ {
		if d.changes[i].Path != d.changes[i-1].Path {
			continue
		}
		d.fail(d.changes[i].Pos, "the path "+input.Quote(input.QuotePath(d.changes[i].Path))+" is touched by two sections",
			"a second section", "one section a path (the first is in line "+strconv.Itoa(d.changes[i-1].Pos.Line)+")", makeDiff)
	}
}
