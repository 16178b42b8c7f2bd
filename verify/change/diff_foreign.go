package change

import (
	"bytes"

	"github.com/closeout-gate/closeout/verify/input"
)

// foreignText is a beginning of a line that git's plain diff never has between two sections.
type foreignText struct {
	begins, what, fix string
}

const noColor = "make the file without colour: " + DiffCommand

// wholeTexts tell from its beginning that an input is something else altogether. One error is enough for them.
var wholeTexts = []foreignText{
	{"\xef\xbb\xbf", "the text begins with a byte order mark: another program has rewritten it", makeDiff},
	{"\xff\xfe", "this is UTF-16: a shell has converted git's output", "let git itself write the file: add --output=pr.diff instead of > pr.diff to " + DiffCommand},
	{"\xfe\xff", "this is UTF-16: a shell has converted git's output", "let git itself write the file: add --output=pr.diff instead of > pr.diff to " + DiffCommand},
	{"\x1b[", "the diff is coloured", noColor},
	{"<", "this is HTML or XML, no diff: most often the error page of a server", makeDiff},
	{"{", "this is JSON, no diff: most often the error message of an API", makeDiff},
	{"[", "this is JSON, no diff: most often the error message of an API", makeDiff},
	{"From ", "this is a mailbox, as git format-patch writes it", makeDiff},
	{"commit ", "this begins with a commit, as git show and git log print it", makeDiff},
	{"tree ", "this begins with a commit, as git show and git log print it", makeDiff},
	{"*** ", "this is a context diff", makeDiff},
	{"Index: ", "this is a diff of Subversion", makeDiff},
	{"On branch ", "this is the output of git status, no diff", makeDiff},
	{"```", "this is Markdown around a diff", makeDiff},
	{"A\t", "this is a list of names, as git diff --name-status prints it", makeDiff},
	{"M\t", "this is a list of names, as git diff --name-status prints it", makeDiff},
	{"D\t", "this is a list of names, as git diff --name-status prints it", makeDiff},
	{"fatal: ", "this is an error message of git, no diff", makeDiff},
	{"error: ", "this is an error message of git, no diff", makeDiff},
}

// foreignTexts are lines between sections that show that something else than a plain diff was printed. The longer of
// two that begin alike comes first.
var foreignTexts = []foreignText{
	{"diff --cc ", "this is the combined diff of a merge: it leaves out what one parent has", makeDiff},
	{"diff --combined ", "this is the combined diff of a merge: it leaves out what one parent has", makeDiff},
	{"diff ", "this section was not printed by git diff", makeDiff},
	{"Submodule ", "this is a submodule in the form of --submodule=log", makeDiff},
	{"Only in ", "this is the output of diff -r: a file that only one directory has is not shown", makeDiff},
	{"Common subdirectories: ", "this is the output of diff, not of git", makeDiff},
	{"Binary files ", "a line about binary files has no section header before it", makeDiff},
	{"--- ", "this is a traditional diff, or a line beyond the end of a hunk: a section begins with `diff --git`", makeDiff},
	{"* Unmerged path ", "the diff was made during an unfinished merge", "finish the merge; " + makeDiff},
	{"@@@", "this is the combined diff of a merge: it leaves out what one parent has", makeDiff},
	{"@@", "a hunk has no section header before it", makeDiff},
	{":", "this is the raw format of git, no diff", makeDiff},
	{"-- ", "this is the signature of a mail, as git format-patch writes it", makeDiff},
	{"+", "this line lies beyond the end of the hunk, or a hunk is missing before it", makeDiff},
	{"-", "this line lies beyond the end of the hunk, or a hunk is missing before it", makeDiff},
	{`\`, "this line lies beyond the end of the hunk, or a hunk is missing before it", makeDiff},
	{" ", "this line lies beyond the end of the hunk, or the text is indented (--stat, --line-prefix, a quoted diff)", makeDiff},
	{">", "the diff is quoted like the text of a mail", makeDiff},
	{"\x1b[", "the diff is coloured", noColor},
}

func tell(texts []foreignText, line []byte) (foreignText, bool) {
	for _, t := range texts {
		if bytes.HasPrefix(line, []byte(t.begins)) {
			return t, true
		}
	}
	return foreignText{}, false
}

// wholeForeign reports an input whose first line shows that it is not a diff of ours from its beginning to its end.
func (d *diffReader) wholeForeign(line []byte) bool {
	t, found := tell(wholeTexts, line)
	rest, section := bytes.CutPrefix(line, []byte(sectionStart))
	switch {
	case found:
	case bytes.HasSuffix(line, []byte("\r")):
		t = foreignText{"", "the lines end in carriage return and newline: the line endings were converted as a whole",
			"keep git's bytes (no core.autocrlf, no text mode); " + makeDiff}
	case bytes.HasPrefix(line, []byte("d\x00")) || bytes.HasPrefix(line, []byte("\x00d")):
		t = wholeTexts[1]
	case section && !bytes.HasPrefix(rest, []byte("a/")) && !bytes.HasPrefix(rest, []byte(`"a/`)):
		t = foreignText{"", "the paths do not begin with a/ and b/ (--no-prefix, diff.noprefix, diff.mnemonicPrefix or other prefixes)", makeDiff}
	default:
		return false
	}
	d.fail(d.pos(1), t.what, input.Excerpt(line), sectionStart+"a/PATH b/PATH", t.fix)
	return true
}

// foreign reports a line between sections that starts none.
func (d *diffReader) foreign(line []byte) {
	t, found := tell(foreignTexts, line)
	if !found {
		t, found = tell(wholeTexts, line)
	}
	if !found {
		t = foreignText{"", "this line belongs to no file of the diff", makeDiff}
	}
	d.fail(d.pos(1), t.what, input.Excerpt(line), sectionStart+"a/PATH b/PATH, or the end", t.fix)
}
