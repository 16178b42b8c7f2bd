package change

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// sectionKind is what the header of a section says happened.
type sectionKind byte

const (
	sectionModify sectionKind = iota
	sectionAdd
	sectionDelete
	sectionRename
	sectionCopy
)

// section is one file of a diff: its header as far as it has been read, and how far its hunks have come.
type section struct {
	pos              input.Pos
	kind             sectionKind
	oldPath, newPath string // equal but for renames and copies
	oldMode, newMode Mode   // "" as long as no line names them
	oldID, newID     string // "" as long as no index line names them
	similarity       int    // of a rename or copy, in percent
	dissimilar       bool   // whether the file counts as rewritten
	content          bool   // whether hunks or something about binary files follow

	hunks            int
	oldNext, newNext int  // the first lines that no hunk has covered yet
	ended            bool // a hunk reached the end of a file without newline at its end
}

// section reads one section. The lines of its header come in git's order (diff.c: builtin_diff and fill_metainfo).
func (d *diffReader) section() bool {
	s := &section{pos: d.pos(1), oldNext: 1, newNext: 1}
	return d.gitLine() && d.modeLines(s) && d.moveLines(s) && d.names(s) && d.indexLine(s) && d.content(s) &&
		d.complete(s) && d.finish(s)
}

// brokenLine says why the line that peek returned can be no line outside of a hunk; "" when it can.
func (d *diffReader) brokenLine(line []byte) string {
	switch {
	case len(line) > maxHeaderLine:
		return "a line outside of hunks is longer than " + strconv.Itoa(maxHeaderLine) + " bytes"
	case d.start+len(line) == d.end:
		return "the diff ends in the middle of a line"
	}
	return ""
}

// take passes over the next line and returns what follows prefix, when the line begins so. found is false for another
// line, at the end, and for a line that is not whole. The value is good until the next line is looked at.
func (d *diffReader) take(prefix string) (value []byte, found bool) {
	line, ok := d.peek()
	if !ok || !bytes.HasPrefix(line, []byte(prefix)) || d.brokenLine(line) != "" {
		return nil, false
	}
	d.skip()
	return line[len(prefix):], true
}

// failValue reports what take returned: it stood after prefix in the line before the next one, from offset at on.
func (d *diffReader) failValue(prefix string, value []byte, at int, message, expected string) bool {
	place := input.Pos{Line: d.line - 1, Column: len(prefix) + at + 1}
	return d.fail(place, message, input.Quote(string(value)), expected, makeDiff)
}

func (d *diffReader) gitLine() bool {
	rest, ok := d.take(sectionStart)
	if !ok {
		d.failLine("a section must begin here", sectionStart+"a/PATH b/PATH")
		d.skip() // the search for the next section must not find this one again
		return false
	}
	d.header = append(d.header[:0], rest...)
	if bytes.HasSuffix(rest, []byte("\r")) {
		return d.failValue(sectionStart, rest, len(rest)-1, "a carriage return ends the line", "lines that end in a newline alone")
	}
	return true
}

// modeLines reads `old mode` and `new mode`, `new file mode`, `deleted file mode`, or nothing.
func (d *diffReader) modeLines(s *section) bool {
	if value, ok := d.take("new file mode "); ok {
		s.kind, s.oldMode = sectionAdd, NoMode
		return d.mode("new file mode ", value, &s.newMode)
	}
	if value, ok := d.take("deleted file mode "); ok {
		s.kind, s.newMode = sectionDelete, NoMode
		return d.mode("deleted file mode ", value, &s.oldMode)
	}
	value, ok := d.take("old mode ")
	if !ok {
		return true
	}
	if !d.mode("old mode ", value, &s.oldMode) {
		return false
	}
	value, ok = d.take("new mode ")
	if !ok {
		return d.failLine("a line `new mode` must follow `old mode`", "new mode 100644 or another mode")
	}
	if !d.mode("new mode ", value, &s.newMode) {
		return false
	}
	if s.oldMode == s.newMode || fileType(s.oldMode) != fileType(s.newMode) {
		return d.failValue("new mode ", value, 0, "git prints no such change of mode",
			"another mode of the same type: between types git prints a deletion and a creation")
	}
	return true
}

// fileType is the type in a mode: the digits of files begin alike.
func fileType(m Mode) string { return string(m[:3]) }

func (d *diffReader) mode(prefix string, value []byte, into *Mode) bool {
	if string(value) == "100664" { // of old histories, where a group could write: git reads it so
		value = []byte(Regular)
	}
	for _, m := range []Mode{Regular, Executable, Symlink, Submodule} {
		if string(value) == string(m) {
			*into = m
			return true
		}
	}
	return d.failValue(prefix, value, 0, "git has no such file mode", "100644, 100755, 120000 or 160000")
}

// moveLines reads the lines of a rename, of a copy or of a rewritten file, or nothing.
func (d *diffReader) moveLines(s *section) bool {
	if s.kind != sectionModify {
		return true
	}
	if value, ok := d.take("dissimilarity index "); ok {
		s.dissimilar = true
		return d.percent("dissimilarity index ", value, new(int))
	}
	value, ok := d.take("similarity index ")
	if !ok {
		return true
	}
	if !d.percent("similarity index ", value, &s.similarity) {
		return false
	}
	if value, ok := d.take("rename from "); ok {
		s.kind = sectionRename
		return d.name("rename from ", value, &s.oldPath) && d.nextName("rename to ", &s.newPath)
	}
	s.kind = sectionCopy
	return d.nextName("copy from ", &s.oldPath) && d.nextName("copy to ", &s.newPath)
}

// percent reads a number from 0 to 100.
func (d *diffReader) percent(prefix string, value []byte, into *int) bool {
	digits, sign := bytes.CutSuffix(value, []byte("%"))
	n, ok := number(digits)
	if !sign || !ok || n > 100 {
		return d.failValue(prefix, value, 0, "this is no percentage", "0% to 100%")
	}
	*into = n
	return true
}

// number reads decimal digits without leading zero. More digits than a file can have lines are refused.
func number(digits []byte) (int, bool) {
	if len(digits) == 0 || len(digits) > 12 || (len(digits) > 1 && digits[0] == '0') {
		return 0, false
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

func (d *diffReader) nextName(prefix string, into *string) bool {
	value, ok := d.take(prefix)
	if !ok {
		return d.failLine("a line `"+strings.TrimSpace(prefix)+"` is missing", prefix+"and a path")
	}
	return d.name(prefix, value, into)
}

func (d *diffReader) name(prefix string, value []byte, into *string) bool {
	name, at, problem := readName(value)
	if problem == "" && name == "" {
		problem = "the name is empty"
	}
	if problem != "" {
		return d.failValue(prefix, value, at, problem, "a path as git writes it")
	}
	*into = name
	return true
}

// names finds the path of a section, or compares the paths of a rename with its first line.
func (d *diffReader) names(s *section) bool {
	if s.kind != sectionRename && s.kind != sectionCopy {
		path, at, problem := splitSame(d.header)
		s.oldPath, s.newPath = path, path
		return problem == "" || d.failHeader(s, at, problem, "a/PATH b/PATH, or else lines `rename from` and `rename to`")
	}
	if s.oldPath == s.newPath {
		return d.failHeader(s, 0, "the file is renamed or copied to itself", "two different paths")
	}
	rest, ok := takeName(d.header, "a/", s.oldPath)
	if ok {
		rest, ok = bytes.CutPrefix(rest, []byte(" "))
	}
	if ok {
		rest, ok = takeName(rest, "b/", s.newPath)
	}
	return (ok && len(rest) == 0) || d.failHeader(s, 0, "the names do not agree with those of the rename or copy below",
		"a/"+input.Clip(s.oldPath)+" b/"+input.Clip(s.newPath))
}

func (d *diffReader) failHeader(s *section, at int, message, expected string) bool {
	place := input.Pos{Line: s.pos.Line, Column: len(sectionStart) + at + 1}
	return d.fail(place, message, input.Quote(string(d.header)), expected, makeDiff)
}

// indexLine reads `index OLD..NEW` with the mode behind it when no other line names one, or nothing.
func (d *diffReader) indexLine(s *section) bool {
	value, ok := d.take("index ")
	if !ok {
		return true
	}
	ids, mode, hasMode := bytes.Cut(value, []byte(" "))
	oldID, newID, ok := bytes.Cut(ids, []byte(".."))
	if !ok || !objectID(oldID) || !objectID(newID) || bytes.Equal(oldID, newID) {
		return d.failValue("index ", value, 0, "this is no pair of object ids",
			"two different ids of 4 to 64 lower-case hexadecimal digits, joined by two dots")
	}
	if noObject(oldID) != (s.kind == sectionAdd) || noObject(newID) != (s.kind == sectionDelete) {
		return d.failValue("index ", value, 0, "the ids do not fit what happened to the file",
			"zeros on the side where the file does not exist, and only there")
	}
	if hasMode == (s.oldMode != "") {
		return d.failValue("index ", value, 0, "the mode must be named once",
			"a mode behind the ids when no other line names it, and only then")
	}
	if hasMode && !d.mode("index "+string(ids)+" ", mode, &s.oldMode) {
		return false
	}
	if hasMode {
		s.newMode = s.oldMode
	}
	both := string(ids)
	s.oldID, s.newID = both[:len(oldID)], both[len(oldID)+len(".."):]
	return true
}

// objectID reports whether id can be an object id, whole or abbreviated.
func objectID(id []byte) bool {
	return len(id) >= 4 && len(id) <= 64 && len(bytes.Trim(id, "0123456789abcdef")) == 0
}

// noObject reports whether id means that there is no object.
func noObject(id []byte) bool { return len(bytes.Trim(id, "0")) == 0 }

// content reads what follows the header: hunks, a word about binary files, a binary patch, or nothing.
func (d *diffReader) content(s *section) bool {
	line, ok := d.peek()
	if !ok {
		return true
	}
	switch {
	case bytes.HasPrefix(line, []byte(sectionStart)):
		return true
	case bytes.HasPrefix(line, []byte("--- ")):
		s.content = true
		return d.fileNames(s) && d.hunkList(s)
	case bytes.HasPrefix(line, []byte("Binary files ")):
		s.content = true
		return d.binaryFiles(s)
	case string(line) == binaryPatch:
		s.content = true
		return d.binaryPatch()
	}
	return d.failLine("this line does not belong here", "the next line of the header in git's order, or the content of the file")
}

// side is how git writes the name of one side of a section: a path, or /dev/null where the file does not exist.
func (s *section) side(old bool) (prefix, path string) {
	switch {
	case old && s.kind == sectionAdd, !old && s.kind == sectionDelete:
		return "/dev/null", ""
	case old:
		return "a/", s.oldPath
	}
	return "b/", s.newPath
}

// fileNames reads the lines --- and +++. A name with a blank is followed by a tab.
func (d *diffReader) fileNames(s *section) bool {
	for _, line := range []struct {
		prefix string
		old    bool
	}{{"--- ", true}, {"+++ ", false}} {
		value, ok := d.take(line.prefix)
		if !ok {
			return d.failLine("a line `"+line.prefix+"` is missing", "--- and +++, each with the name of the file")
		}
		prefix, path := s.side(line.old)
		rest, ok := takeName(value, prefix, path)
		tab := ""
		if strings.Contains(path, " ") {
			tab = "\t"
		}
		if !ok || string(rest) != tab {
			return d.failValue(line.prefix, value, 0, "the name does not agree with the lines above", input.Quote(prefix+path+tab))
		}
	}
	return true
}

// binaryFiles reads `Binary files OLD and NEW differ`.
func (d *diffReader) binaryFiles(s *section) bool {
	value, ok := d.take("Binary files ")
	if !ok {
		return d.failLine("a line about binary files must be here", "Binary files OLD and NEW differ")
	}
	prefix, path := s.side(true)
	rest, ok := takeName(value, prefix, path)
	if ok {
		rest, ok = bytes.CutPrefix(rest, []byte(" and "))
	}
	if ok {
		prefix, path = s.side(false)
		rest, ok = takeName(rest, prefix, path)
	}
	return (ok && string(rest) == " differ") ||
		d.failValue("Binary files ", value, 0, "the names do not agree with the lines above", "OLD and NEW differ")
}

// The ids of an empty file, with SHA-1 and with SHA-256.
const (
	emptyBlob1   = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	emptyBlob256 = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
)

func emptyBlob(id string) bool {
	return id != "" && (strings.HasPrefix(emptyBlob1, id) || strings.HasPrefix(emptyBlob256, id))
}

// complete refuses a section that lacks what git prints for such a change.
func (d *diffReader) complete(s *section) bool {
	if s.content {
		return s.newID != "" || d.fail(s.pos, "the section has content and no index line", "no line `index OLD..NEW`",
			"the index line that git prints: it contains the mode", makeDiff)
	}
	ok := false
	switch s.kind {
	case sectionAdd:
		ok = emptyBlob(s.newID) && s.newMode != Submodule
	case sectionDelete:
		ok = emptyBlob(s.oldID) && s.oldMode != Submodule
	case sectionRename, sectionCopy:
		ok = s.similarity == 100 && s.newID == ""
	default:
		ok = s.oldMode != "" && s.newID == "" && !s.dissimilar
	}
	return ok || d.fail(s.pos, "the section has no content", "a header alone",
		"content, but for a change of mode alone, a rename or copy of 100% and an empty file", makeDiff)
}

// finish turns a section into changes.
func (d *diffReader) finish(s *section) bool {
	unknown := s.oldMode == "" // a rename or copy without any change
	if unknown {
		s.oldMode, s.newMode = Regular, Regular
	}
	gone := Change{Path: s.oldPath, Status: Deleted, OldMode: s.oldMode, NewMode: NoMode, OldID: s.oldID, Pos: s.pos, ModeUnknown: unknown}
	come := Change{Path: s.newPath, Status: Added, OldMode: NoMode, NewMode: s.newMode, NewID: s.newID, Pos: s.pos, ModeUnknown: unknown}
	before := d.deletion
	d.deletion = -1
	switch s.kind {
	case sectionAdd:
		return d.retype(before, come) || d.add(come)
	case sectionDelete:
		d.deletion = len(d.changes)
		return d.add(gone)
	case sectionRename:
		return d.add(gone) && d.add(come)
	case sectionCopy:
		return d.add(come)
	}
	both := Change{
		Path: s.newPath, Status: Modified, OldMode: s.oldMode, NewMode: s.newMode, OldID: s.oldID, NewID: s.newID, Pos: s.pos,
	}
	if !s.content {
		both.Status = ModeChanged
	}
	return d.add(both)
}

// retype joins a creation with the deletion of the same path in the section just before it, when the types differ: so
// git prints a change of type. It reports whether it did.
func (d *diffReader) retype(before int, come Change) bool {
	if before < 0 || d.changes[before].Path != come.Path || fileType(d.changes[before].OldMode) == fileType(come.NewMode) {
		return false
	}
	gone := &d.changes[before]
	gone.Status, gone.NewMode, gone.NewID = TypeChanged, come.NewMode, come.NewID
	return true
}
